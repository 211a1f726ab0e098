"""Defines what is expected of a column: that it has values, of a form, a set or a range."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from resolvers.engines.checks.predicates import NOW, latest_moment
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.rules.draft import RuleDraft, allowing, measured_by, rule_name
from resolvers.engines.rules.figures import confidence, tolerated, upper_bound
from resolvers.engines.rules.learning import CleanValues, Learned
from resolvers.engines.rules.patterns import FORMATS, cleaner, format_of, pattern_of
from resolvers.engines.rules.severity import of_declared
from schema.data_readiness.profile import ColumnProfile, TableProfile, ValueKind
from schema.data_readiness.rule import LIBRARY_METRICS, RuleOperator, RuleType, RuleUnit
from schema.data_readiness.source import ColumnFacts, TableFacts
from schema.data_readiness.violation import Severity

FEWEST_ROWS: Final = 20
MOST_MISSING: Final = 0.1
"""A column of which more is missing may be left empty."""
MOST_VALID: Final = 40
EXCEPTIONS: Final = 0.005
"""The share of good values that a form, set or range may leave out."""


@dataclass(frozen=True, slots=True)
class ColumnSubject:
    """The column that is spoken of, and all that is known of it."""

    table: TableFacts
    facts: ColumnFacts
    whole: TableProfile
    profile: ColumnProfile
    learned: Learned
    values: CleanValues | None

    @property
    def is_private(self) -> bool:
        """Return whether its values must not stand in a rule."""
        return self.facts.is_pii_tagged or self.profile.masked

    def draft(
        self,
        word: str,
        description: str,
        kind: str,
        metric: str,
        *,
        rate: float,
        severity: Severity,
        evidence: dict[str, Any],
        arguments: dict[str, Any] | None = None,
        percent: float = 0.0,
        is_declared: bool = False,
    ) -> RuleDraft:
        """A rule about the column: no exceptions, or at most some percent."""
        dimension, definition = measured_by(metric)
        return RuleDraft(
            name=rule_name(self.facts.name, word),
            description=allowing(description, percent),
            asset_fqn=self.facts.fqn,
            resource_uri=self.table.resource_uri,
            type=RuleType.LIBRARY if metric in LIBRARY_METRICS else RuleType.CUSTOM,
            metric=metric,
            operator=RuleOperator.MUST_BE_LESS_OR_EQUAL_TO if percent else RuleOperator.MUST_BE,
            threshold=(percent,),
            unit=RuleUnit.PERCENT if percent else RuleUnit.ROWS,
            dimension_id=dimension,
            metric_definition_id=definition,
            severity=severity,
            arguments=arguments or {},
            evidence={"kind": kind, "measured_at": self.whole.measured_at.isoformat(), **evidence},
            confidence=confidence(kind, rate, is_declared=is_declared),
            expected_false_positive_rate=round(rate, 6),
        )


def column_rules(subject: ColumnSubject) -> Iterator[RuleDraft]:
    """Everything that is concluded about one column."""
    yield from _presence(subject)
    if subject.profile.kind is ValueKind.TEXT:
        yield from _form(subject)
    elif subject.profile.kind in (ValueKind.NUMBER, ValueKind.TEMPORAL):
        yield from _range(subject)


def _presence(subject: ColumnSubject) -> Iterator[RuleDraft]:
    profile, rows = subject.profile, subject.profile.row_count
    if profile.null_count is None or (rows < FEWEST_ROWS and subject.facts.nullable is not False):
        return
    is_declared = subject.facts.nullable is False or subject.facts.is_primary_key
    stand_ins = _stand_ins(subject)
    blanks = (profile.blank_count or 0) + sum(stand_ins.values())
    missing = min(rows, profile.null_count + blanks)
    if profile.kind is ValueKind.TEXT and blanks:
        metric, word, what = "missingValues", "no_missing_values", "has a value that is neither blank nor a stand-in"
        arguments: dict[str, Any] = {"missingValues": ["", *sorted(stand_ins)]}
        is_declared = False
    else:
        metric, word, what, arguments = "nullValues", "no_nulls", "has a value", {}
        missing = profile.null_count
    if rows and missing > MOST_MISSING * rows:
        return
    rate = 0.0 if is_declared else upper_bound(missing, rows)
    if "null_count" in profile.approximate and not is_declared:
        rate = max(rate, upper_bound(missing, min(rows, profile.sample_size or rows)))
    percent = 0.0 if not missing else tolerated(rate)
    evidence: dict[str, Any] = {"rows": rows, "missing": missing, "is_declared": is_declared}
    if stand_ins and not subject.is_private:
        evidence["stand_ins"] = stand_ins
    yield subject.draft(
        word,
        f"Every row {what}.",
        metric,
        metric,
        rate=0.0 if is_declared else upper_bound(0, max(1, rows - missing)) if not percent else rate / 3,
        severity=of_declared(is_declared and subject.facts.is_primary_key),
        evidence=evidence,
        arguments=arguments,
        percent=percent,
        is_declared=is_declared,
    )


def _stand_ins(subject: ColumnSubject) -> dict[str, int]:
    """Stand-ins for missing values and their number in the whole table, from the profile or else the sample."""
    found = {one.value: one.count for one in subject.profile.top_values if one.value.strip() and is_stand_in(one.value)}
    if subject.values is None:
        return found
    column = subject.values.column
    scale = subject.profile.row_count / max(1, len(column.codes))
    for text, count in zip(column.texts[1:], column.counts[1:], strict=True):
        if is_stand_in(text):
            found.setdefault(text, round(count * scale))
    return found


def _form(subject: ColumnSubject) -> Iterator[RuleDraft]:
    if subject.values is None or len(subject.values.all) < 2 * FEWEST_ROWS:
        return
    values = subject.values.without(cleaner(subject.values.all))
    found = _valid_values(subject, values)
    if found is not None:
        yield found
        return
    found = _named_format(subject, values) or _pattern(subject, values)
    if found is not None:
        yield found


def _evidence(values: CleanValues, exceptions: int) -> dict[str, Any]:
    return {
        "rows": len(values.all),
        "left_out_as_suspect": len(values.suspects),
        "held_out": {"rows": len(values.halves[1]), "exceptions": exceptions},
    }


def _valid_values(subject: ColumnSubject, values: CleanValues) -> RuleDraft | None:
    """The set of values, where a few cover the column and rows enough have been seen to know them all."""
    counts = values.counts
    size = counts.total()
    if subject.is_private or not 1 < len(counts) <= MOST_VALID or size < 20 * len(counts):
        return None
    if any(len(value) > 60 for value in counts):
        return None
    # What was seen once is the best guess of what has not been seen at all (Good and Turing).
    once = sum(1 for count in counts.values() if count == 1)
    known = set(values.halves[0])
    exceptions = sum(1 for value in values.halves[1] if value not in known)
    if once > EXCEPTIONS * size or exceptions > EXCEPTIONS * len(values.halves[1]):
        return None
    rate = max(upper_bound(exceptions, len(values.halves[1])), once / size)
    # Of many values one that looked wrong may have been a rare good one; of a few hardly.
    percent = 100 * EXCEPTIONS if values.suspects and len(counts) > 10 else 0.0
    return subject.draft(
        "known_values",
        f"It has one of {len(counts)} values.",
        "validValues",
        "invalidValues",
        rate=rate,
        severity=Severity.MEDIUM,
        evidence={**_evidence(values, exceptions), "seen_once": once},
        arguments={"validValues": sorted(counts), **_set_apart(values)},
        percent=percent,
    )


def _named_format(subject: ColumnSubject, values: CleanValues) -> RuleDraft | None:
    name = format_of(values.halves[0], 1 - EXCEPTIONS)
    if name is None:
        return None
    exceptions = sum(1 for value in values.halves[1] if not FORMATS[name].fullmatch(value))
    if exceptions > EXCEPTIONS * len(values.halves[1]):
        return None
    rate = upper_bound(exceptions, len(values.halves[1]))
    return subject.draft(
        f"format_{name.replace('-', '_')}",
        f"It is written as {name}.",
        "format",
        "invalidValues",
        rate=rate,
        severity=Severity.MEDIUM,
        evidence=_evidence(values, exceptions),
        arguments={"format": name, **_set_apart(values)},
        percent=tolerated(rate) if exceptions else 0.0,
    )


def _pattern(subject: ColumnSubject, values: CleanValues) -> RuleDraft | None:
    first = pattern_of(values.halves[0], 1 - EXCEPTIONS)
    whole = pattern_of(values.all, 1 - EXCEPTIONS)
    if first is None or whole is None:
        return None
    exceptions = sum(1 for value in values.halves[1] if not first.fits(value))
    left_out = sum(1 for value in values.all if not whole.fits(value))
    if exceptions > EXCEPTIONS * len(values.halves[1]):
        return None
    rate = upper_bound(exceptions, len(values.halves[1]))
    return subject.draft(
        "pattern",
        "It is written like nearly all values of the column.",
        "pattern",
        "invalidValues",
        rate=rate,
        severity=Severity.MEDIUM,
        evidence=_evidence(values, exceptions),
        arguments={"pattern": whole.text, **_set_apart(values)},
        percent=tolerated(upper_bound(left_out, len(values.all))) if left_out else 0.0,
    )


def _set_apart(values: CleanValues) -> dict[str, Any]:
    """Return what stands for no value so often that the column means it: it counts as missing, and never as valid."""
    return {"missingValues": sorted(values.stand_ins)} if values.stand_ins else {}


def _range(subject: ColumnSubject) -> Iterator[RuleDraft]:
    values = subject.values
    if values is None or len(values.all) < 5 * FEWEST_ROWS:
        return
    is_number = subject.profile.kind is ValueKind.NUMBER
    read = _number if is_number else _moment
    halves = tuple([one for value in half if (one := read(value)) is not None] for half in values.halves)
    both = sorted([*halves[0], *halves[1]])
    if len(both) < 5 * FEWEST_ROWS or len(both) < 0.98 * len(values.all):
        return
    low, high = both[0], both[-1]
    if is_number and low >= 0:
        below = sum(1 for one in halves[1] if one < 0)
        yield subject.draft(
            "not_negative",
            "It is not negative.",
            "range",
            "invalidValues",
            rate=upper_bound(below, len(halves[1])),
            severity=Severity.MEDIUM,
            evidence=_evidence(values, below),
            arguments={"minimum": "0"},
        )
    if subject.facts.is_primary_key or subject.facts.references is not None or subject.is_private or low == high:
        return
    if is_number and _counts_up(both):
        return
    margin = _margin(both)
    least, most = low - margin, high + margin
    if is_number and low >= 0:
        least = max(least, 0.0) if low < margin else least
    first = sorted(halves[0])
    reach = _margin(first)
    beyond = sum(1 for one in halves[1] if not first[0] - reach <= one <= first[-1] + reach)
    spelled = _spell(least, most, is_number)
    if spelled is None or beyond > EXCEPTIONS * len(halves[1]):
        return
    arguments: dict[str, Any] = {"minimum": spelled[0], "maximum": spelled[1]}
    said = f"from {spelled[0]} to {spelled[1]}"
    if not is_number:
        said = f"from {spelled[0]}" + _until_now(both, subject.whole.measured_at, arguments)
    yield subject.draft(
        "plausible_range",
        f"It lies where values of the column can be expected: {said}.",
        "outlierValues",
        "outlierValues",
        rate=upper_bound(beyond, len(halves[1])),
        severity=Severity.LOW,
        evidence={**_evidence(values, beyond), "margin": "the whole width of the values seen, on either side"},
        arguments=arguments,
    )


def _until_now(ordered: list[float], now: datetime, arguments: dict[str, Any]) -> str:
    """Bound moments by that of the load, where at most a few lie behind it; in words.

    Where many do, the column tells of what is planned, and nothing is said of how far.
    """
    latest = _moment(latest_moment(now)) or 0.0
    if sum(1 for one in ordered if one > latest) > MOST_AHEAD * len(ordered):
        del arguments["maximum"]
        return " on"
    arguments["maximum"] = NOW
    return " to the moment of the load"


MOST_AHEAD: Final = 0.1
"""The share of moments behind that of the load up to which they are mistakes."""


def _margin(ordered: list[float]) -> float:
    """As far again beyond the ends as the values seen lie apart."""
    return ordered[-1] - ordered[0]


def _counts_up(ordered: list[float]) -> bool:
    """Return whether numbers are rather a running number: whole, all different, hardly with gaps."""
    is_whole = all(one == int(one) for one in ordered)
    return is_whole and len(set(ordered)) > 0.98 * len(ordered)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _moment(text: str) -> float | None:
    try:
        return (datetime.fromisoformat(text).replace(tzinfo=None) - datetime(1970, 1, 1)).total_seconds()  # noqa: DTZ001
    except (ValueError, OverflowError):
        return None


def _spell(least: float, most: float, is_number: bool) -> tuple[str, str] | None:
    if is_number:
        return f"{least:.12g}", f"{most:.12g}"
    try:
        begin = datetime(1970, 1, 1)  # noqa: DTZ001 - only the difference counts
        ends = begin + timedelta(seconds=least), begin + timedelta(seconds=most)
        return ends[0].date().isoformat(), ends[1].date().isoformat()
    except OverflowError:
        return None
