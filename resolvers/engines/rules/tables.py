"""Defines what is expected of a table: rows, keys, references, columns that agree, recent data, nothing twice."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Final

from resolvers.engines.checks.formulas import formula_condition
from resolvers.engines.checks.model import CannotEvaluate, Check
from resolvers.engines.error_detection.dependencies import Dependency
from resolvers.engines.error_detection.near_duplicates import MOST_ROWS as MOST_COMPARED
from resolvers.engines.error_detection.near_duplicates import near_repeats
from resolvers.engines.error_detection.table import MISSING
from resolvers.engines.profiling.key_names import can_be_key
from resolvers.engines.rules.draft import RuleDraft, allowing, measured_by, rule_name
from resolvers.engines.rules.exchange import asset_of_key
from resolvers.engines.rules.figures import confidence, tolerated, upper_bound
from resolvers.engines.rules.formulas import concluded
from resolvers.engines.rules.learning import Learned
from resolvers.engines.rules.severity import of_declared
from schema.data_readiness.profile import ForeignKeyCandidate, TableProfile, ValueKind
from schema.data_readiness.rule import LIBRARY_METRICS, RuleOperator, RuleType, RuleUnit
from schema.data_readiness.source import TableFacts
from schema.data_readiness.violation import Severity

FEWEST_ROWS: Final = 50
MOST_PER_DEPENDENT: Final = 2
STRONG: Final = 0.9
SIMILARITY: Final = 0.93
MOST_REPEATED: Final = 0.05
"""The share of rows up to which those that nearly repeat are mistakes; where more do, they belong to the data."""

MOST_SUSPECT_PERCENT: Final = 1.0
DAY: Final = 86_400


def table_rules(table: TableFacts, profile: TableProfile, learned: Learned) -> Iterator[RuleDraft]:
    """Everything that is concluded about the table as such."""
    if profile.row_count > 0:
        yield _draft(
            table,
            profile,
            "not_empty",
            "The table has rows.",
            "rowCount",
            rate=upper_bound(0, max(profile.row_count, 3)),
            severity=Severity.HIGH,
            evidence={"rows": profile.row_count},
            operator=RuleOperator.MUST_BE_GREATER_THAN,
        )
    yield from _keys(table, profile, learned)
    yield from _references(table, profile)
    yield from _dependencies(table, profile, learned)
    yield from _formulas(table, profile, learned)
    yield from _freshness(table, profile, learned)
    yield from _repeats(table, profile, learned)
    yield from _suspects(table, profile, learned)


def _draft(
    table: TableFacts,
    profile: TableProfile,
    word: str,
    description: str,
    metric: str,
    *,
    rate: float,
    severity: Severity,
    evidence: Mapping[str, Any],
    arguments: Mapping[str, Any] | None = None,
    names: Sequence[str] = (),
    percent: float = 0.0,
    is_declared: bool = False,
    operator: RuleOperator | None = None,
    asset_fqn: str | None = None,
) -> RuleDraft:
    dimension, definition = measured_by(metric)
    usual = RuleOperator.MUST_BE_LESS_OR_EQUAL_TO if percent else RuleOperator.MUST_BE
    return RuleDraft(
        name=rule_name(word, names),
        description=allowing(description, percent),
        asset_fqn=asset_fqn or table.fqn,
        resource_uri=table.resource_uri,
        type=RuleType.LIBRARY if metric in LIBRARY_METRICS else RuleType.CUSTOM,
        metric=metric,
        operator=operator or usual,
        threshold=(percent,),
        unit=RuleUnit.PERCENT if percent else RuleUnit.ROWS,
        dimension_id=dimension,
        metric_definition_id=definition,
        severity=severity,
        arguments=dict(arguments or {}),
        evidence={"kind": metric, "measured_at": profile.measured_at.isoformat(), **evidence},
        confidence=confidence(metric, rate, is_declared=is_declared),
        expected_false_positive_rate=round(rate, 6),
    )


def _keys(table: TableFacts, profile: TableProfile, learned: Learned) -> Iterator[RuleDraft]:
    seen = {frozenset(columns) for columns in table.key_sets}
    for columns in table.key_sets:
        yield _unique(table, profile, columns, 1.0, is_declared=True, rows=profile.row_count, repeated=0)
    kinds = {column.name: column for column in profile.columns}
    for key in profile.candidate_keys:
        names = frozenset(key.columns)
        if names in seen or any(names > other for other in seen) or profile.row_count < FEWEST_ROWS:
            continue
        rows = profile.row_count if key.is_exact else min(profile.row_count, profile.sample_size or profile.row_count)
        repeated = round((1 - key.uniqueness) * rows)
        if len(names) > 2 or repeated > 0.01 * rows or not all(can_be_key(kinds.get(name)) for name in names):
            continue
        # What repeats although it looks right speaks against a key.
        odd = learned.odd_rows(names)
        seen.add(names)
        left = max(0, repeated - 2 * len(odd))
        if left > 0.002 * rows:
            continue
        yield _unique(
            table,
            profile,
            key.columns,
            key.uniqueness,
            is_declared=key.is_declared,
            rows=rows,
            repeated=repeated,
            of=max(rows, profile.row_count),
        )


def _unique(
    table: TableFacts,
    profile: TableProfile,
    columns: Sequence[str],
    uniqueness: float,
    *,
    is_declared: bool,
    rows: int,
    repeated: int,
    of: int | None = None,
) -> RuleDraft:
    """That columns are unique, as `rows` show of which `repeated` are not; a sample of `of` rows when there are more.

    What may repeat although no row does is known of the sample: in the table it is as many times as much as there are
    more rows to meet.
    """
    times = 1.0 if of is None or not rows else of / rows
    rate = 0.0 if is_declared else min(1.0, upper_bound(repeated, rows) * (1.0 if repeated else times))
    return _draft(
        table,
        profile,
        "unique",
        f"No two rows have the same {' and '.join(columns)}.",
        "duplicateValues",
        rate=rate,
        severity=of_declared(is_declared),
        evidence={"rows": rows, "uniqueness": uniqueness, "is_declared": is_declared}
        | ({"of_rows": of} if of is not None and of > rows else {}),
        arguments={"properties": list(columns)},
        names=columns,
        percent=tolerated(rate) if repeated else 0.0,
        is_declared=is_declared,
        asset_fqn=asset_of_key(table, columns),
    )


def _references(table: TableFacts, profile: TableProfile) -> Iterator[RuleDraft]:
    found: dict[tuple[str, ...], ForeignKeyCandidate] = {}
    for one in profile.foreign_keys:
        key = tuple(one.columns)
        if key not in found or (one.is_declared, one.match_rate) > (found[key].is_declared, found[key].match_rate):
            found[key] = one
    for known in table.references:
        found.setdefault(
            known.columns,
            ForeignKeyCandidate(
                columns=list(known.columns),
                target_fqn=known.target_fqn,
                target_columns=list(known.target_columns),
                match_rate=1.0,
                is_declared=known.is_declared,
                is_exact=False,
            ),
        )
    for names, one in found.items():
        if not one.is_declared and (one.match_rate < 0.98 or profile.row_count < FEWEST_ROWS):
            continue
        rows = profile.row_count if one.is_exact else min(profile.row_count, profile.sample_size or profile.row_count)
        broken = round((1 - one.match_rate) * rows)
        rate = 0.0 if one.is_declared else upper_bound(broken, rows)
        yield _draft(
            table,
            profile,
            "refers",
            f"Every {' and '.join(names)} has its row in {one.target_fqn}.",
            "brokenReferences",
            rate=rate,
            severity=of_declared(one.is_declared),
            evidence={"rows": rows, "match_rate": one.match_rate, "is_declared": one.is_declared},
            arguments={
                "columns": list(names),
                "targetFqn": one.target_fqn,
                "targetColumns": list(one.target_columns),
            },
            names=names,
            is_declared=one.is_declared,
        )


def _dependencies(table: TableFacts, profile: TableProfile, learned: Learned) -> Iterator[RuleDraft]:
    """Dependencies of single columns that are strong, and hold among the rows that look right in both halves."""
    columns = learned.table
    size = len(learned.sample.rows)
    if size < FEWEST_ROWS:
        return
    unique = {one.name for one in table.columns if table.is_key(one.name)}
    strong = [
        one for one in learned.dependencies if one.strength >= 0.6 and columns[one.determinant].name not in unique
    ]
    for one in _told_once(strong):
        left, right = columns[one.determinant], columns[one.dependent]
        odd = learned.odd_rows((left.name, right.name))
        halves = []
        for half in (0, 1):
            pairs = Counter(
                (left.codes[row], right.codes[row])
                for row in range(half, size, 2)
                if row not in odd and MISSING not in (left.codes[row], right.codes[row])
            )
            halves.append(_exceptions(pairs))
        whole = _exceptions(
            Counter(
                (a, b)
                for row, (a, b) in enumerate(zip(left.codes, right.codes, strict=True))
                if row not in odd and MISSING not in (a, b)
            )
        )
        exceptions, told = whole
        if told < FEWEST_ROWS or exceptions > 0.01 * told or any(bad > 0.01 * max(1, of) for bad, of in halves):
            continue
        rate = upper_bound(halves[1][0], halves[1][1])
        yield _draft(
            table,
            profile,
            "depends",
            f"Rows with the same {left.name} have the same {right.name}.",
            "inconsistentRows",
            rate=rate,
            severity=Severity.MEDIUM,
            evidence={
                "rows": told,
                "exceptions": exceptions,
                "left_out_as_suspect": len(odd),
                "held_out": {"rows": halves[1][1], "exceptions": halves[1][0]},
                "strength": round(one.strength, 4),
            },
            arguments={"determinant": [left.name], "dependent": right.name},
            names=(left.name, right.name),
            percent=tolerated(upper_bound(exceptions, told)) if exceptions else 0.0,
        )


def _formulas(table: TableFacts, profile: TableProfile, learned: Learned) -> Iterator[RuleDraft]:
    """Yield what columns are worked out of others by, where nearly all rows that look right keep to it."""
    for one in concluded(learned):
        try:
            formula_condition(Check("", "brokenFormulas", table.fqn, "", one.arguments), table, "duckdb")
        except CannotEvaluate:
            continue  # days that the source keeps as texts
        yield _draft(
            table,
            profile,
            "formula",
            f"{one.said}.",
            "brokenFormulas",
            rate=one.rate,
            severity=Severity.MEDIUM,
            evidence={
                "rows": one.rows,
                "exceptions": one.exceptions,
                "left_out_as_suspect": one.left_out,
                "held_out": {"rows": one.held_out[0], "exceptions": one.held_out[1]},
                "holds_by_chance": one.chance,
            },
            arguments=one.arguments,
            names=one.columns,
            percent=one.percent,
        )


def _told_once(found: Sequence[Dependency]) -> list[Dependency]:
    """Of columns that decide one another only one is said to decide the rest, and each of the others that one."""
    pairs = {(one.determinant, one.dependent) for one in found}
    reach = Counter(one.determinant for one in found)
    leader: dict[int, int] = {}
    for column in sorted(reach, key=lambda column: (-reach[column], column)):
        alike = [other for other in reach if (column, other) in pairs and (other, column) in pairs]
        leader[column] = next((leader[other] for other in alike if leader.get(other) == other), column)
    kept = [
        one for one in found if leader[one.determinant] == one.determinant or leader[one.determinant] == one.dependent
    ]
    kept.sort(key=lambda one: (-one.strength, one.determinant, one.dependent))
    per_dependent: Counter[int] = Counter()
    told = []
    for one in kept:
        if per_dependent[one.dependent] < MOST_PER_DEPENDENT:
            per_dependent[one.dependent] += 1
            told.append(one)
    return told


def _exceptions(pairs: Counter[tuple[int, int]]) -> tuple[int, int]:
    """Rows that have not what most of their group have, of the rows of groups of two and more."""
    groups: dict[int, list[int]] = defaultdict(list)
    for (a, _), count in pairs.items():
        groups[a].append(count)
    told = [counts for counts in groups.values() if sum(counts) > 1]
    return sum(sum(counts) - max(counts) for counts in told), sum(map(sum, told))


def _freshness(table: TableFacts, profile: TableProfile, learned: Learned) -> Iterator[RuleDraft]:
    """Yield how old the newest row may be, from how far apart the moments of the table lie."""
    name, newest = profile.freshness_column, profile.newest
    values = learned.values(name) if name is not None else None
    if name is None or newest is None or values is None:
        return
    last = _moment(newest)
    moments = sorted({one for text in values.counts if (one := _moment(text)) is not None})
    if last is None or len(moments) < 20:
        return
    share = max(1.0, profile.row_count / max(1, len(learned.sample.rows)))
    gaps = sorted((later - earlier).total_seconds() / share for earlier, later in pairwise(moments))
    usual = gaps[int(0.95 * (len(gaps) - 1))]
    allowed = max(DAY, 5 * usual, 1.5 * gaps[-1])
    age = (profile.measured_at.replace(tzinfo=None) - last).total_seconds()
    if not 0 <= age <= allowed:
        return  # nothing has come for long, so the table is no longer filled; or it tells of the future
    allowed = float(-(-int(allowed) // 3600) * 3600)
    yield _draft(
        table,
        profile,
        "fresh",
        f"The newest {name} is not older than {_span(allowed)}.",
        "staleData",
        rate=upper_bound(sum(1 for gap in gaps if gap > allowed), len(gaps)),
        severity=Severity.MEDIUM,
        evidence={"moments": len(moments), "usual_gap_seconds": round(usual), "longest_gap_seconds": round(gaps[-1])},
        arguments={"column": name, "maxAgeSeconds": int(allowed)},
        names=(name,),
    )


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def _span(seconds: float) -> str:
    return f"{seconds / DAY:.0f} days" if seconds >= 2 * DAY else f"{seconds / 3600:.0f} hours"


def _repeats(table: TableFacts, profile: TableProfile, learned: Learned) -> Iterator[RuleDraft]:
    """Rows that nearly say the same, where few do: in tables whose rows name things.

    A key that is declared is left out, as what is entered twice gets another one, and so are codes.
    """
    keys = {one.columns[0] for one in profile.candidate_keys if one.is_declared and len(one.columns) == 1}
    names = [
        column.name
        for column in profile.columns
        if column.kind is ValueKind.TEXT
        and column.name not in keys
        and (values := learned.values(column.name)) is not None
        and len(values.all) >= 0.9 * len(learned.sample.rows)
        and values.column.distinct >= 0.5 * max(1, values.column.present)
        and sum(map(len, values.all)) >= 6 * len(values.all)
        and not all(_is_code(text) for text in values.all[:50])
    ][:6]
    size = min(len(learned.sample.rows), MOST_COMPARED)
    if not names or size < FEWEST_ROWS:
        return
    at = [learned.sample.columns.index(name) for name in names]
    texts = [" ".join(str(row[index] or "") for index in at) for row in learned.sample.rows[:size]]
    repeated = len(near_repeats(texts, SIMILARITY))
    if repeated > MOST_REPEATED * size:
        return
    rate = upper_bound(repeated, size)
    yield _draft(
        table,
        profile,
        "no_near_duplicates",
        f"No two rows nearly agree in {', '.join(names)}.",
        "nearDuplicates",
        rate=rate,
        severity=Severity.LOW,
        evidence={"rows": size, "repeated": repeated},
        arguments={"columns": names, "similarity": SIMILARITY},
        names=names,
        percent=tolerated(rate),
    )


def _is_code(text: str) -> bool:
    """Return whether a text has digits, and no word beside the part that has them."""
    parts = text.split()
    return any(sign.isdigit() for sign in text) and not any(len(part) >= 3 and part.isalpha() for part in parts)


def _suspects(table: TableFacts, profile: TableProfile, learned: Learned) -> Iterator[RuleDraft]:
    """That hardly any cell looks wrong to the detector."""
    names = [column.name for column in learned.table if column.is_scalar and column.distinct > 1]
    cells = len(names) * len(learned.sample.rows)
    if len(names) < 2 or len(learned.sample.rows) < FEWEST_ROWS:
        return
    expected = sum(1 - one.score for one in learned.suspects) + 1
    yield _draft(
        table,
        profile,
        "no_suspect_values",
        "No value looks wrong beside all others.",
        "suspectValues",
        rate=min(1.0, expected / cells),
        severity=Severity.MEDIUM,
        evidence={
            "cells": cells,
            "suspects": len(learned.suspects),
            "expected_to_be_right": round(expected - 1, 2),
            "signs": dict(Counter(one.reasons[0].sign.value for one in learned.suspects if one.reasons)),
        },
        arguments={"columns": names},
        percent=MOST_SUSPECT_PERCENT,
    )
