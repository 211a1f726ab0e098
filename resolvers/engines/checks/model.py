"""Defines what a check is, and what evaluating it comes to.

Every check counts: `numerator` rows or values keep to it, out of `denominator` that were looked at. What breaks it is
compared with the threshold, in rows or in percent of the denominator. What could not be evaluated has no count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from schema.data_readiness.rule import RuleOperator, RuleOutcome, RuleUnit
from schema.identifiers import Fqn

MOST_EXAMPLES: Final = 10
"""How many examples of what breaks a check are kept."""

LONGEST_EXAMPLE: Final = 100


class CannotEvaluate(Exception):
    """A check cannot be evaluated; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Check:
    """Holds what is expected of a table or a column, as the evaluation takes it."""

    key: str
    """Tells the results of one evaluation apart."""
    metric: str | None
    """One of the metrics of rules; None for SQL."""
    asset_fqn: str
    counts_in: str
    """The id of the metric definition that it is counted in."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    operator: RuleOperator = RuleOperator.MUST_BE
    threshold: Sequence[float] = (0.0,)
    unit: RuleUnit = RuleUnit.ROWS
    query: str | None = None
    is_fallback: bool = False
    """Whether it counts only where no other check of the same metric and asset could be evaluated."""

    @property
    def column(self) -> str | None:
        """The column that it is about; None when it is about the table."""
        parts = Fqn.parse(self.asset_fqn).parts
        return parts[4] if len(parts) > 4 else None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose values it looks at together."""
        named = self.arguments.get("properties") or self.arguments.get("columns")
        if isinstance(named, str):
            return (named,)
        if named:
            return tuple(str(name) for name in named)
        return () if self.column is None else (self.column,)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Holds what evaluating a check came to."""

    outcome: RuleOutcome
    numerator: int | None = None
    denominator: int | None = None
    value: str | None = None
    """What was compared with the threshold."""
    reason: str | None = None
    examples: tuple[dict[str, Any], ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetricCount:
    """The sum of the checks of one metric on one asset; a row that breaks two of them counts once."""

    counts_in: str
    asset_fqn: str
    numerator: int
    denominator: int
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Holds what the checks of one table came to."""

    results: Mapping[str, CheckResult]
    counted: tuple[MetricCount, ...]


def not_evaluated(reason: str) -> CheckResult:
    """The result of a check that could not be evaluated."""
    return CheckResult(RuleOutcome.NOT_EVALUATED, reason=reason)


def judged(check: Check, bad: int, denominator: int, **more: Any) -> CheckResult:
    """The result of a check that `bad` of `denominator` rows or values break."""
    value: int | Fraction = bad
    if check.unit is RuleUnit.PERCENT:
        value = Fraction(100 * bad, denominator) if denominator else Fraction(0)
    outcome = RuleOutcome.PASSED if holds(check, value) else RuleOutcome.FAILED
    return CheckResult(outcome, denominator - bad, denominator, value=written(value), **more)


def holds(check: Check, value: int | Fraction) -> bool:
    """Return whether a value stands to the threshold as the operator says; both ends of a range belong to it."""
    bounds = [Fraction(Decimal(repr(float(one)))) for one in check.threshold]
    between = check.operator in (RuleOperator.MUST_BE_BETWEEN, RuleOperator.MUST_NOT_BE_BETWEEN)
    if len(bounds) != (2 if between else 1):
        raise CannotEvaluate(f"{check.operator} takes {'two numbers' if between else 'one number'} as its threshold.")
    low, high = bounds[0], bounds[-1]
    match check.operator:
        case RuleOperator.MUST_BE:
            return value == low
        case RuleOperator.MUST_NOT_BE:
            return value != low
        case RuleOperator.MUST_BE_GREATER_THAN:
            return value > low
        case RuleOperator.MUST_BE_GREATER_OR_EQUAL_TO:
            return value >= low
        case RuleOperator.MUST_BE_LESS_THAN:
            return value < low
        case RuleOperator.MUST_BE_LESS_OR_EQUAL_TO:
            return value <= low
        case RuleOperator.MUST_BE_BETWEEN:
            return low <= value <= high
        case RuleOperator.MUST_NOT_BE_BETWEEN:
            return not low <= value <= high


def written(value: int | Fraction) -> str:
    """A count as it is, a share of a hundred with 4 decimal places, rounded half to even."""
    if isinstance(value, int):
        return str(value)
    whole, rest = divmod(round(value * 10_000), 10_000)
    return f"{whole}.{rest:04d}"


def shown(value: Any) -> str | None:
    """A value of the data as an example shows it."""
    if value is None:
        return None
    if isinstance(value, datetime | date):
        text = value.isoformat()
    elif isinstance(value, Decimal):
        text = f"{value:f}"
    elif isinstance(value, bytes | bytearray | memoryview):
        text = bytes(value[:LONGEST_EXAMPLE]).hex()
    else:
        text = str(value)
    text = text.replace("\x00", "")
    return text if len(text) <= LONGEST_EXAMPLE else text[: LONGEST_EXAMPLE - 1] + "…"
