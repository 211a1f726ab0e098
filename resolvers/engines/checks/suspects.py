"""Checks that need the rows themselves: cells that look wrong, and rows that nearly repeat one another.

Both look at the whole table when it is small, and else at a sample that is spread over it; the result says which.
"""

from collections.abc import Sequence
from typing import Any, Final

from rapidfuzz import fuzz

from resolvers.engines.checks.counting import Place, columns_of
from resolvers.engines.checks.examples import Shown
from resolvers.engines.checks.model import MOST_EXAMPLES, CannotEvaluate, Check, Result, judged, shown
from resolvers.engines.errors.detect import find_errors
from schema.data_readiness.source import Sample

MOST_ROWS: Final = 10_000
MOST_LOOKED_AT: Final = 200
"""Columns whose cells are judged together."""

WINDOW: Final = 12
"""How many neighbours in sorted order a row is compared with."""


def _rows(check: Check, place: Place, how: Shown) -> tuple[tuple[str, ...], Sample]:
    """The columns that are looked at, and rows of the key and of them."""
    names = columns_of(check, place.table, most=MOST_LOOKED_AT)
    wanted = (*(name for name in how.key if name not in names), *names)
    found = place.source.sample(place.relation(), wanted, MOST_ROWS)
    return names, found


def _notes(sample: Sample) -> dict[str, Any]:
    return {} if sample.is_whole else {"sample_size": len(sample.rows), "is_sample": True}


def suspect_values(check: Check, place: Place, how: Shown) -> Result:
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
        for one in worst
    )
    return judged(check, len(found), len(rows) * width, examples=told, notes=_notes(sample))


def near_duplicates(check: Check, place: Place, how: Shown) -> Result:
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
    pairs = _alike(texts, least * 100)
    rows = {row for pair in pairs for row in pair}
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


def _alike(texts: Sequence[str], least: float) -> dict[tuple[int, int], float]:
    """Pairs of rows that are alike, among neighbours in two orders: from the front, and from the back."""
    found: dict[tuple[int, int], float] = {}
    for key in (texts, [" ".join(reversed(text.split())) for text in texts]):
        order = sorted(range(len(texts)), key=lambda row, key=key: (key[row], row))  # type: ignore[misc]
        for place, row in enumerate(order):
            if not texts[row].strip():
                continue
            for other in order[place + 1 : place + 1 + WINDOW]:
                pair = (min(row, other), max(row, other))
                if pair not in found and (score := fuzz.token_sort_ratio(texts[row], texts[other])) >= least:
                    found[pair] = score
    return found


def _example(how: Shown, sample: Sample, row: int) -> dict[str, Any]:
    if not how.key:
        return {}
    values = dict(zip(sample.columns, sample.rows[row], strict=True))
    return {"key": {name: how.value(name, values[name]) if values[name] is not None else None for name in how.key}}
