"""Checks that need the rows themselves: cells that look wrong, and rows that nearly repeat one another.

Both look at the whole table when it is small, and else at a sample that is spread over it; the result says which.
"""

from collections.abc import Sequence
from typing import Any, Final

from rapidfuzz import fuzz

from resolvers.engines.checks.counting import MOST_LOOKED_AT, CheckedTable, columns_of
from resolvers.engines.checks.examples import ExampleStyle
from resolvers.engines.checks.model import MOST_EXAMPLES, CannotEvaluate, Check, CheckResult, judged, shown
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.near_duplicates import near_repeats
from schema.data_readiness.source import Sample

MOST_ROWS: Final = 10_000
MOST_COMPARED: Final = 200
"""Rows with a near twin among which pairs to show are looked for."""


def _rows(check: Check, place: CheckedTable, how: ExampleStyle) -> tuple[tuple[str, ...], Sample]:
    """The columns that are looked at, and rows of the key and of them."""
    names = columns_of(check, place.table, most=MOST_LOOKED_AT)
    wanted = (*(name for name in how.key if name not in names), *names)
    found = place.source.sample(place.relation(), wanted, MOST_ROWS)
    return names, found


def _notes(sample: Sample) -> dict[str, Any]:
    return {} if sample.is_whole else {"sample_size": len(sample.rows), "is_sample": True}


def suspect_values(check: Check, place: CheckedTable, how: ExampleStyle) -> CheckResult:
    """Cells that the error detector does not call wrong, of all cells of the columns."""
    names, sample = _rows(check, place, how)
    at = [sample.columns.index(name) for name in names]
    rows = [tuple(row[index] for index in at) for row in sample.rows]
    found = find_errors(names, rows) if rows else []
    if check.column is not None:
        found = [one for one in found if one.column == check.column]
    width = 1 if check.column is not None else len(names)
    worst = sorted(found, key=lambda one: (-one.score, one.row))[:MOST_EXAMPLES]
    told = tuple(
        _example(how, sample, one.row)
        | {"values": {one.column: how.value(one.column, one.value)}, "score": round(one.score, 2)}
        | ({} if one.repair is None else {"repair": how.value(one.column, one.repair)})
        for one in worst
    )
    return judged(check, len(found), len(rows) * width, examples=told, notes=_notes(sample))


def near_duplicates(check: Check, place: CheckedTable, how: ExampleStyle) -> CheckResult:
    """Rows that are unlike all others, of all rows: alike are those whose words agree to `similarity` at least."""
    try:
        least = float(check.arguments.get("similarity", 0.9))
    except (TypeError, ValueError):
        least = 2.0
    if not 0 < least <= 1:
        raise CannotEvaluate("nearDuplicates takes a `similarity` above 0, and 1 at most.")
    names, sample = _rows(check, place, how)
    at = [sample.columns.index(name) for name in names]
    texts = [" ".join(" ".join((shown(row[index]) or "").casefold().split()) for index in at) for row in sample.rows]
    rows = near_repeats(texts, least)
    pairs = _alike(texts, sorted(rows), least * 100)
    told = tuple(
        {
            "rows": [
                _example(how, sample, row) | {"values": how.values(names, [sample.rows[row][index] for index in at])}
                for row in pair
            ],
            "similarity": round(score / 100, 3),
        }
        for pair, score in sorted(pairs.items(), key=lambda one: (-one[1], one[0]))[:MOST_EXAMPLES]
    )
    return judged(check, len(rows), len(texts), examples=told, notes=_notes(sample))


def _alike(texts: Sequence[str], rows: Sequence[int], least: float) -> dict[tuple[int, int], float]:
    """Pairs among rows that have a near twin, to be shown: the first few."""
    found: dict[tuple[int, int], float] = {}
    some = rows[:MOST_COMPARED]
    for at, row in enumerate(some):
        for other in some[at + 1 :]:
            if (score := fuzz.token_sort_ratio(texts[row], texts[other], score_cutoff=least)) > 0:
                found[row, other] = score
    return found


def _example(how: ExampleStyle, sample: Sample, row: int) -> dict[str, Any]:
    if not how.key:
        return {}
    values = dict(zip(sample.columns, sample.rows[row], strict=True))
    return {"key": {name: how.value(name, values[name]) if values[name] is not None else None for name in how.key}}
