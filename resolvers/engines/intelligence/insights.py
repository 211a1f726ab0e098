"""Defines what is remarkable about tables, each with its figures: what is large, empty, stale, twice there or full of
gaps.

An insight is about one table, or one column; no value of the data stands in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from resolvers.engines.claims import Unique, is_contradicted
from resolvers.engines.describing.known import DescribedTable
from resolvers.engines.english.grammar import listed
from schema.identifiers import Fqn

ENGINE: Final = "insights/1"

LARGEST: Final = 5
LARGE: Final = 1.5
"""How many times as large as the average table a large one is."""
WORST: Final = 5
MOST_TOGETHER: Final = 20
"""How many columns one insight names."""
STALE_DAYS: Final = 180
FEW_ROWS: Final = 2
MOST_IN_KEY: Final = 2
"""Of how many columns a key is said that nobody declared: three and more tell rows apart by chance."""
MANY_PERSONAL: Final = 3
"""How many columns with personal data make a table a place to look after."""


@dataclass(frozen=True, slots=True)
class Insight:
    """Something worth knowing about an asset."""

    kind: str
    asset_fqn: str
    sentence: str
    figures: dict[str, Any]
    confidence: float
    weight: float
    """How much it matters beside the others, 0 to 1."""
    key: tuple[Any, ...] = ()
    """What makes it another insight when it changes, beside its kind and asset: not every figure does."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Holds what is kept of a table to compare it with all others."""

    fqn: str
    rows: int | None
    is_exact: bool
    """Whether the rows were counted rather than estimated by the source."""
    form: str
    """Names and types of its columns, in short."""
    columns: int
    personal: tuple[str, ...]
    """Its columns with personal data, tagged or suggested."""
    refers: frozenset[str]
    is_view: bool
    newest: str | None = None
    measured_at: datetime | None = None
    key_columns: tuple[str, ...] = field(default=())


def brief_of(subject: DescribedTable) -> Brief:
    """Return what is kept of a table."""
    facts, profile = subject.facts, subject.profile
    form = sorted((one.name.lower(), (one.data_type or "").upper()) for one in facts.columns)
    personal = [one.name for one in facts.columns if one.is_pii_tagged or one.fqn in subject.around.private]
    freshness = next((one for one in facts.columns if profile and one.name == profile.freshness_column), None)
    dated = profile is not None and (freshness is None or not subject.is_private(freshness))
    return Brief(
        fqn=facts.fqn,
        rows=profile.row_count if profile else facts.row_count,
        is_exact=profile is not None and "row_count" not in profile.approximate,
        form=blake2b(repr(form).encode(), digest_size=12).hexdigest(),
        columns=len(facts.columns),
        personal=tuple(personal),
        refers=frozenset(one.references[0] for one in facts.columns if one.references is not None),
        is_view=facts.is_view,
        newest=profile.newest if profile is not None and dated else None,
        measured_at=profile.measured_at if profile else None,
        key_columns=facts.primary_key,
    )


def table_insights(subject: DescribedTable) -> list[Insight]:
    """Return what is remarkable about one table by itself."""
    profile, name = subject.profile, f"`{subject.facts.name}`"
    found: list[Insight] = []
    fqn = subject.facts.fqn
    if profile is not None and not profile.row_count and "row_count" not in profile.approximate:
        return [Insight("empty_table", fqn, f"{name} has no rows.", {"rows": 0}, 0.95, 0.5)]
    if profile is None or profile.row_count < FEW_ROWS:
        return found
    empty, constant = [], []
    for one in profile.columns:
        exact = not {"null_count", "distinct_count"} & set(one.approximate)
        if one.null_count is not None and one.null_count >= one.row_count and exact:
            empty.append(one.name)
        elif one.distinct_count == 1 and not one.null_count and exact and one.row_count >= 10 * FEW_ROWS:
            constant.append(one.name)
    if empty:
        text = f"{name} has {_columns(empty)} without any value: {_named(empty)}."
        found.append(Insight("empty_columns", fqn, text, _figures(profile.row_count, empty), 0.95, 0.6, tuple(empty)))
    if constant:
        text = f"{name} has {_columns(constant)} with the same value in every row: {_named(constant)}."
        found.append(
            Insight("constant_columns", fqn, text, _figures(profile.row_count, constant), 0.9, 0.4, tuple(constant))
        )
    if not subject.facts.key_sets:
        candidates = [
            key.columns
            for key in profile.candidate_keys
            if len(key.columns) <= MOST_IN_KEY
            and key.is_exact
            and key.uniqueness >= 1
            and not is_contradicted([Unique(tuple(key.columns))], profile)
        ]
        is_view = subject.facts.is_view
        if candidates and not is_view:
            best = min(candidates, key=lambda key: (len(key), key))
            text = f"{name} declares no key, though {listed([f'`{one}`' for one in best])} would be one."
            found.append(Insight("missing_key", fqn, text, {"candidate": list(best)}, 0.8, 0.55, tuple(best)))
    return found


def _columns(names: Sequence[str]) -> str:
    return f"{len(names)} column{'s' if len(names) != 1 else ''}"


def _named(names: Sequence[str]) -> str:
    return listed([f"`{name}`" for name in names], MOST_TOGETHER)


def _figures(rows: int, columns: Sequence[str]) -> dict[str, Any]:
    return {"rows": rows, "columns": list(columns[:MOST_TOGETHER]), "column_count": len(columns)}


def scope_insights(briefs: Sequence[Brief], violations: Mapping[str, Mapping[str, int]]) -> list[Insight]:
    """Return what is remarkable about tables beside one another. `violations`: how many are open, by table and
    severity.
    """
    return [
        *_largest(briefs),
        *_stale(briefs),
        *_twice(briefs),
        *_orphans(briefs),
        *_personal(briefs),
        *_worst(violations),
    ]


def _table(fqn: str) -> str:
    return f"`{'.'.join(Fqn.parse(fqn).parts[2:])}`"


def _largest(briefs: Sequence[Brief]) -> list[Insight]:
    counted = [one for one in briefs if one.rows and not one.is_view]
    total = sum(one.rows or 0 for one in counted)
    if len(counted) < 3:
        return []
    found = []
    for rank, one in enumerate(sorted(counted, key=lambda one: (-(one.rows or 0), one.fqn))[:LARGEST], 1):
        share = (one.rows or 0) / total
        if share * len(counted) < LARGE:
            break
        about = "" if one.is_exact else "about "
        text = f"{_table(one.fqn)} has {about}{one.rows:,} rows, {share:.0%} of all; rank {rank} of {len(counted)}."
        figures = {"rows": one.rows, "share": round(share, 4), "rank": rank, "tables": len(counted)}
        sure, weight = 0.95 if one.is_exact else 0.7, round(0.3 + 0.3 * share, 4)
        found.append(Insight("largest_table", one.fqn, text, figures, sure, weight, (rank,)))
    return found


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _stale(briefs: Sequence[Brief]) -> list[Insight]:
    """Tables whose newest row is old, while others of the scope go on; where all are old, it is an archive."""
    ages: dict[str, tuple[int, Brief]] = {}
    for one in briefs:
        newest = _moment(one.newest)
        if newest is None or one.measured_at is None:
            continue
        measured = one.measured_at.replace(tzinfo=newest.tzinfo)
        ages[one.fqn] = ((measured - newest).days, one)
    if not ages:
        return []
    youngest = min(age for age, _ in ages.values())
    found = []
    for fqn, (age, one) in sorted(ages.items()):
        if age < STALE_DAYS or (len(ages) > 1 and age < max(youngest, 0) + STALE_DAYS):
            continue
        text = f"The newest row of {_table(fqn)} was {age:,} days old when it was measured."
        found.append(Insight("stale_table", fqn, text, {"days": age, "newest": (one.newest or "")[:10]}, 0.8, 0.6))
    return found


def _twice(briefs: Sequence[Brief]) -> list[Insight]:
    """Tables that have the same columns, and perhaps the same rows."""
    by_form: dict[str, list[Brief]] = {}
    for one in briefs:
        if one.columns >= 3 and not one.is_view:
            by_form.setdefault(one.form, []).append(one)
    found = []
    for alike in by_form.values():
        if len(alike) < 2:
            continue
        first, *others = sorted(alike, key=lambda one: one.fqn)
        for other in others:
            same = first.rows is not None and first.rows == other.rows and first.is_exact and other.is_exact
            more = f", and both have {first.rows:,} rows" if same and first.rows else ""
            text = f"{_table(other.fqn)} has the same columns as {_table(first.fqn)}{more}."
            figures = {"other": first.fqn, "columns": other.columns, "same_rows": same}
            found.append(
                Insight("duplicate_table", other.fqn, text, figures, 0.85 if same else 0.6, 0.65, (first.fqn, same))
            )
    return found


def _orphans(briefs: Sequence[Brief]) -> list[Insight]:
    """Tables without any relation, where most others have one."""
    tables = [one for one in briefs if not one.is_view]
    referred = {fqn for one in tables for fqn in one.refers if fqn != one.fqn}
    orphans = [one for one in tables if one.fqn not in referred and not one.refers - {one.fqn}]
    if len(tables) < 4 or len(orphans) * 2 > len(tables):
        return []
    return [
        Insight(
            "orphan_table", one.fqn, f"{_table(one.fqn)} refers to no other table, and none refers to it.",
            {"tables": len(tables), "orphans": len(orphans)}, 0.7, 0.4,
        )
        for one in sorted(orphans, key=lambda one: one.fqn)
    ]  # fmt: skip


def _personal(briefs: Sequence[Brief]) -> list[Insight]:
    """Return where personal data is concentrated."""
    total = sum(len(one.personal) for one in briefs)
    if len(briefs) < 2:
        return []  # of one table its tags say it
    found = []
    for one in sorted(briefs, key=lambda one: (-len(one.personal), one.fqn))[:WORST]:
        if len(one.personal) < MANY_PERSONAL:
            break
        text = (
            f"{_table(one.fqn)} holds personal data in {len(one.personal)} of its {one.columns} columns, "
            f"{len(one.personal) / total:.0%} of all such columns: {_named(one.personal)}."
        )
        figures = {"personal": len(one.personal), "columns": one.columns, "of_all": total}
        found.append(Insight("personal_data", one.fqn, text, figures, 0.9, 0.8, one.personal))
    return found


_WEIGHTS: Final = {"critical": 8, "high": 4, "medium": 2, "low": 1}


def _worst(violations: Mapping[str, Mapping[str, int]]) -> list[Insight]:
    """The tables with the heaviest open violations."""
    ranked = sorted(
        ((sum(_WEIGHTS.get(severity, 1) * many for severity, many in open_.items()), fqn)
         for fqn, open_ in violations.items()),
        key=lambda item: (-item[0], item[1]),
    )  # fmt: skip
    found = []
    for weight, fqn in ranked[:WORST]:
        open_ = violations[fqn]
        many = sum(open_.values())
        parts = [f"{open_[severity]} {severity}" for severity in _WEIGHTS if open_.get(severity)]
        text = f"{_table(fqn)} has {many} open violation{'s' if many != 1 else ''}: {listed(parts)}."
        found.append(
            Insight("worst_quality", fqn, text, {"open": dict(open_), "weight": weight}, 0.9, 0.9, (weight, many))
        )
    return found
