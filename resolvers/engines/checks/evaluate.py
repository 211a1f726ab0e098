"""Evaluate the checks of one table through its source: one scan for what one scan can count, a query for each other.

When the scan fails, because a pattern is one that this database does not read or a column is gone, every check in it is
asked alone, so that one bad rule takes no other down. A source that cannot be reached at all is no outcome of a check:
that error goes on, and the task is begun again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from functools import partial
from math import ceil, floor
from typing import Any, Final, TypeVar

from sqlglot import exp

from resolvers.engines.checks import counting, examples
from resolvers.engines.checks.conditions import condition_of
from resolvers.engines.checks.counting import CheckedTable, counted, total
from resolvers.engines.checks.examples import ExampleStyle
from resolvers.engines.checks.formulas import columns_named
from resolvers.engines.checks.model import (
    CannotEvaluate,
    Check,
    CheckResult,
    Evaluation,
    MetricCount,
    holds,
    judged,
    not_evaluated,
    written,
)
from resolvers.engines.checks.predicates import SCANNED, RowCondition, at_moment, column_of, facts_of
from resolvers.engines.checks.suspects import Detector, near_duplicates, suspect_values
from resolvers.engines.error_detection.verdicts import Verdicts
from schema.data_readiness.rule import RuleOperator, RuleOutcome
from schema.data_readiness.source import Source, TableFacts

T = TypeVar("T")

OF_THE_CHECK: Final = frozenset({"permission", "not_found", "timeout", "failed"})
"""The kinds of a connector's errors that say something of a check; any other is one of the connection."""

AT_ONCE: Final = 200
"""Figures that one scan counts."""

SLOW_ONES: Final = 3
"""After so many time-outs the other checks of the table are not tried."""

Progress = Callable[[int, int], None]


def evaluate(
    source: Source,
    table: TableFacts,
    checks: Sequence[Check],
    *,
    now: datetime,
    how: ExampleStyle,
    others: Mapping[str, TableFacts] | None = None,
    progress: Progress | None = None,
    detector: Detector | None = None,
) -> Evaluation:
    """Evaluate the checks of a table, whose keys differ. Raises what says that the connection cannot be used.

    Wrong cells are looked for by a `detector`, which knows what people have said of some; a new one if none is given.
    """
    place = CheckedTable(source, table, others or {})
    return _Evaluator(place, how, now, progress, detector or Detector(how, Verdicts())).run(checks)


class _Evaluator:
    def __init__(
        self, place: CheckedTable, how: ExampleStyle, now: datetime, progress: Progress | None, detector: Detector
    ) -> None:
        self.place, self.how, self.now, self.detector = place, how, now, detector
        self.progress = progress
        self.slow = 0
        self.done = 0

    def run(self, checks: Sequence[Check]) -> Evaluation:
        results: dict[str, CheckResult] = {}
        conditions: dict[str, RowCondition] = {}
        scanned = [check for check in checks if check.metric in SCANNED]
        for check in scanned:
            if check.metric not in ("rowCount", "staleData"):
                self._try(results, check, partial(self._conditioned, check, conditions))
        unions = _unions(scanned, conditions)
        ready = [check for check in scanned if check.key not in results]
        sums = self._scan(ready, conditions, unions, results)
        for check in checks:
            if check.metric not in SCANNED:
                self._try(results, check, partial(self._counted_into, check, results))
                self._told(len(checks))
        for check in checks:
            result = results[check.key]
            if result.outcome is RuleOutcome.FAILED and result.numerator != result.denominator and not result.examples:
                found = self._examples(check, conditions.get(check.key))
                results[check.key] = replace(result, examples=found)
        return Evaluation(results, tuple(_added_up(checks, results, sums)))

    # One scan

    def _conditioned(self, check: Check, conditions: dict[str, RowCondition]) -> None:
        conditions[check.key] = condition_of(at_moment(check, self.now), self.place.table, self.place.source.dialect)

    def _counted_into(self, check: Check, results: dict[str, CheckResult]) -> None:
        results[check.key] = self._counted(check)

    def _put(self, results: dict[str, CheckResult], check: Check, rows: int, found: tuple[Any, Any]) -> None:
        results[check.key] = self._result(check, rows, found)

    def _scan(
        self,
        checks: Sequence[Check],
        conditions: Mapping[str, RowCondition],
        unions: Mapping[tuple[str, str], RowCondition],
        results: dict[str, CheckResult],
    ) -> dict[tuple[str, str], tuple[int, int]]:
        """Count all of them together; the sums of the checks that count in one metric of one asset."""
        if not checks:
            return {}
        try:
            rows, figures = self._figures(
                [*(self._parts(check, conditions) for check in checks), *map(_pair, unions.values())]
            )
        except Exception as error:
            if not of_the_check(error):
                raise
            if _kind(error) == "timeout":
                self.slow += 1
            for check in checks:
                self._try(results, check, partial(self._alone, check, conditions, results))
            return self._unions_alone(conditions, checks, results)
        for check, found in zip(checks, figures, strict=False):
            self._try(results, check, partial(self._put, results, check, rows, found))
        self._told(len(checks))
        after = figures[len(checks) :]
        return {
            key: (int(of if of is not None else rows), int(bad)) for key, (of, bad) in zip(unions, after, strict=True)
        }

    def _alone(self, check: Check, conditions: Mapping[str, RowCondition], results: dict[str, CheckResult]) -> None:
        rows, (found,) = self._figures([self._parts(check, conditions)])
        results[check.key] = self._result(check, rows, found)

    def _unions_alone(
        self, conditions: Mapping[str, RowCondition], checks: Sequence[Check], results: Mapping[str, CheckResult]
    ) -> dict[tuple[str, str], tuple[int, int]]:
        fine = [check for check in checks if results[check.key].outcome is not RuleOutcome.NOT_EVALUATED]
        left = _unions(fine, conditions)
        if not left or self.slow >= SLOW_ONES:
            return {}
        try:
            rows, figures = self._figures([_pair(condition) for condition in left.values()])
        except Exception as error:
            if not of_the_check(error):
                raise
            return {}
        return {
            key: (int(of if of is not None else rows), int(bad)) for key, (of, bad) in zip(left, figures, strict=True)
        }

    def _parts(self, check: Check, conditions: Mapping[str, RowCondition]) -> tuple[exp.Expr | None, exp.Expr]:
        """Return what is asked for a check: how many were looked at (None for all rows), and how many of those break
        it.
        """
        if check.metric == "rowCount":
            return None, total()
        if check.metric == "staleData":
            name = str(check.arguments.get("column") or check.column or "")
            return None, exp.Max(this=column_of(facts_of(self.place.table, name).name))
        return _pair(conditions[check.key])

    def _figures(self, wanted: Sequence[tuple[exp.Expr | None, exp.Expr]]) -> tuple[int, list[tuple[Any, Any]]]:
        """The number of rows, and the answers, in as few scans as may be."""
        found: list[tuple[Any, Any]] = []
        rows = 0
        for start in range(0, len(wanted), AT_ONCE):
            part = wanted[start : start + AT_ONCE]
            asked = [one for pair in part for one in pair if one is not None]
            query = exp.select(total(), *asked).from_(self.place.relation())
            (row,) = self.place.source.ask(query)
            rows = max(rows, int(row[0]))
            answers = iter(row[1:])
            for of, _ in part:
                first = None if of is None else int(next(answers))
                found.append((first, next(answers)))
        return rows, found

    def _result(self, check: Check, rows: int, found: tuple[Any, Any]) -> CheckResult:
        of, bad = found
        if check.metric == "rowCount":
            return _row_count(check, rows)
        if check.metric == "staleData":
            return self._freshness(check, bad)
        return judged(check, int(bad), rows if of is None else of)

    def _freshness(self, check: Check, newest: Any) -> CheckResult:
        """A table is as fresh as its newest row; without any it cannot be told. Moments without a zone are in UTC."""
        try:
            most = float(check.arguments["maxAgeSeconds"])
        except (KeyError, TypeError, ValueError):
            raise CannotEvaluate("staleData needs `maxAgeSeconds`, a number.") from None
        if newest is None:
            raise CannotEvaluate("The column has no value that could tell how fresh the table is.")
        moment = _moment(newest)
        age = (self.now - moment).total_seconds()
        is_stale = age > most
        return judged(check, int(is_stale), 1, notes={"newest": moment.isoformat(), "age_seconds": int(age)})

    # A query for each

    def _counted(self, check: Check) -> CheckResult:
        place = self.place
        match check.metric:
            case "duplicateValues":
                return judged(check, *counting.duplicates(check, place))
            case "brokenReferences":
                return judged(check, *counting.broken(check, place))
            case "inconsistentRows":
                return judged(check, *counting.disagreeing(check, place))
            case "nearDuplicates":
                return near_duplicates(check, place, self.how)
            case "suspectValues":
                return suspect_values(check, place, self.how, self.detector)
            case None:
                found = counting.guarded(check, place)
                bad, of = counting.told_by_sql(found, place, personal=examples.is_personal(found, place, self.how))
                result = judged(check, min(bad, of), of)
                outcome = RuleOutcome.PASSED if holds(check, bad) else RuleOutcome.FAILED
                return result if bad <= of else replace(result, outcome=outcome, value=str(bad))
        raise CannotEvaluate(f"{check.metric} is no metric that this version can evaluate.")

    def _examples(self, check: Check, condition: RowCondition | None) -> tuple[dict[str, Any], ...]:
        """Examples of what breaks a check; none when they cannot be read any more, which changes no outcome."""
        place, how = self.place, self.how
        if self.slow >= SLOW_ONES:
            return ()
        try:
            if condition is not None and check.column is not None:
                return examples.of_rows(place, how, condition.bad, [check.column])
            if condition is not None:
                return examples.of_rows(place, how, condition.bad, columns_named(check))
            if check.metric == "duplicateValues":
                return examples.of_duplicates(check, place, how)
            if check.metric == "brokenReferences":
                bad, names = counting.orphans(check, place)
                return examples.of_rows(place, how, bad, names)
            if check.metric == "inconsistentRows":
                return examples.of_contradictions(check, place, how)
            if check.metric is None:
                return examples.of_sql(check, place, how)
        except CannotEvaluate:
            return ()
        except Exception as error:
            if not of_the_check(error):
                raise
        return ()

    def _try(self, results: dict[str, CheckResult], check: Check, work: Callable[[], Any]) -> None:
        """Run one check; what keeps it from being evaluated becomes its outcome."""
        if self.slow >= SLOW_ONES:
            results[check.key] = not_evaluated("Other checks of this table took too long, so this one was not tried.")
            return
        try:
            holds(check, 0)  # a threshold that fits no operator is told before anything is asked
            work()
        except CannotEvaluate as why:
            results[check.key] = not_evaluated(str(why))
        except Exception as error:
            if not of_the_check(error):
                raise
            if _kind(error) == "timeout":
                self.slow += 1
            results[check.key] = not_evaluated(self._reason(check, error))

    def _reason(self, check: Check, error: Exception) -> str:
        """Return what the connector says; but a database's words on people's SQL may hold a value that it stumbled
        over.
        """
        if check.metric is None and (self.how.masked is None or self.how.masked or self.how.elsewhere):
            return (
                "The source could not run the query. Its message is not shown, because what the query reads holds "
                "personal data. Run the query by hand to see it."
            )
        return str(getattr(error, "reason", error))

    def _told(self, of: int) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(min(self.done, of), of)


def _pair(condition: RowCondition) -> tuple[exp.Expr | None, exp.Expr]:
    return None if condition.looked_at is None else counted(condition.looked_at), counted(condition.bad)


def _unions(checks: Sequence[Check], conditions: Mapping[str, RowCondition]) -> dict[tuple[str, str], RowCondition]:
    """For each metric of an asset that several conditions count in: a row breaks it when it breaks any of them."""
    groups: dict[tuple[str, str], list[RowCondition]] = {}
    for check in checks:
        if check.key in conditions and not check.is_fallback:
            groups.setdefault((check.counts_in, check.asset_fqn), []).append(conditions[check.key])
    found: dict[tuple[str, str], RowCondition] = {}
    for key, group in groups.items():
        if len(group) > 1:
            everywhere = any(one.looked_at is None for one in group)
            found[key] = RowCondition(
                None if everywhere else exp.or_(*(one.looked_at.copy() for one in group if one.looked_at is not None)),
                exp.or_(*(exp.paren(one.bad.copy()) for one in group)),
            )
    return found


def _added_up(
    checks: Sequence[Check], results: Mapping[str, CheckResult], sums: Mapping[tuple[str, str], tuple[int, int]]
) -> list[MetricCount]:
    """One figure for each metric of an asset: rows that break any of its conditions, or else its worst check."""
    groups: dict[tuple[str, str], list[Check]] = {}
    for check in checks:
        if results[check.key].outcome is not RuleOutcome.NOT_EVALUATED:
            groups.setdefault((check.counts_in, check.asset_fqn), []).append(check)
    found: list[MetricCount] = []
    for key, every in groups.items():
        group = [one for one in every if not one.is_fallback] or every
        counts = [(results[one.key].numerator or 0, results[one.key].denominator or 0) for one in group]
        if key in sums:
            of, bad = sums[key]
            alone = [
                (results[one.key].numerator or 0, results[one.key].denominator or 0)
                for one in group
                if one.metric not in SCANNED or one.metric == "rowCount"
            ]
            counts = [(of - bad, of), *alone]
        good, of = min(counts, key=lambda one: (one[0] * 10**12 // one[1] if one[1] else 10**12, -one[1]))
        found.append(MetricCount(*key, good, of, tuple(one.key for one in group)))
    return found


def _row_count(check: Check, rows: int) -> CheckResult:
    """Return how many of the rows that were expected are there; with too many, how many were expected of those."""
    passed = holds(check, rows)
    notes = {"rows": rows}
    if passed:
        return CheckResult(RuleOutcome.PASSED, rows, rows, str(rows), notes=notes)
    low, high = check.threshold[0], check.threshold[-1]
    good, of = 0, max(rows, 1)
    match check.operator:
        case RuleOperator.MUST_BE_GREATER_OR_EQUAL_TO:
            good, of = rows, ceil(low)
        case RuleOperator.MUST_BE_GREATER_THAN:
            good, of = rows, floor(low) + 1
        case RuleOperator.MUST_BE_LESS_OR_EQUAL_TO:
            good, of = max(0, floor(high)), rows
        case RuleOperator.MUST_BE_LESS_THAN:
            good, of = max(0, ceil(high) - 1), rows
        case RuleOperator.MUST_BE | RuleOperator.MUST_BE_BETWEEN:
            good, of = (rows, ceil(low)) if rows < low else (max(0, floor(high)), rows)
    of = min(max(of, 1), 2**53 - 1)
    return CheckResult(RuleOutcome.FAILED, min(good, of), of, written(rows), notes=notes)


def _moment(value: Any) -> datetime:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise CannotEvaluate("The newest value of the column is no moment.") from None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(), UTC)
    if not isinstance(value, datetime):
        raise CannotEvaluate("The column holds no moments.")
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _kind(error: Exception) -> str:
    return str(getattr(error, "kind", ""))


def of_the_check(error: Exception) -> bool:
    """Return whether a connector's error says something of the check, and not of the connection or of this program."""
    return _kind(error) in OF_THE_CHECK
