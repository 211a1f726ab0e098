"""Defines whether two answers say the same: rows as a multiset, in order where the question asks for one."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import pairwise
from typing import Any

import sqlglot
from sqlglot import exp

from schema.data_readiness.source import Row


def same_answer(gold: Sequence[Row], answer: Sequence[Row], keys: Sequence[Row] | None = None) -> bool:
    """Return whether some order of the answer's columns gives the rows of the gold.

    `keys` says by what the gold is ordered, a row for each of its rows: then the answer has that order too, and only
    rows that are equal by it may stand otherwise.
    """
    if len(gold) != len(answer):
        return False
    if not gold:
        return True
    if len(gold[0]) != len(answer[0]):
        return False
    wanted, given = [_plain(row) for row in gold], [_plain(row) for row in answer]
    bounds = _bounds(keys, len(gold))
    for order in _orders(wanted, given):
        turned = [tuple(row[at] for at in order) for row in given]
        if all(Counter(wanted[low:high]) == Counter(turned[low:high]) for low, high in pairwise(bounds)):
            return True
    return False


def _bounds(keys: Sequence[Row] | None, count: int) -> list[int]:
    """Return where groups of rows begin that are equal by their keys, and where the last one ends."""
    if keys is None:
        return [0, count]
    return [0, *(at for at in range(1, count) if keys[at] != keys[at - 1]), count]


def _orders(wanted: Sequence[Row], given: Sequence[Row]) -> list[tuple[int, ...]]:
    """Return which of the given columns may stand for each wanted one, by what they hold; at most a few hundred
    ways.
    """
    width = len(wanted[0])
    of_given = [Counter(row[at] for row in given) for at in range(width)]
    ways: list[tuple[int, ...]] = [()]
    for at in range(width):
        held = Counter(row[at] for row in wanted)
        fits = [other for other in range(width) if of_given[other] == held]
        ways = [(*way, other) for way in ways for other in fits if other not in way][:500]
    return ways


def _plain(row: Row) -> Row:
    return tuple(_value(value) for value in row)


def _value(value: Any) -> Any:
    """A value as it is compared: numbers to seven digits, moments as text."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float | Decimal):
        number = float(value)
        return int(number) if number.is_integer() else float(f"{number:.7g}")
    if isinstance(value, datetime):
        return value.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date):
        return value.isoformat()
    return value


@dataclass(frozen=True, slots=True)
class Gold:
    """A right answer."""

    rows: tuple[Row, ...]
    keys: tuple[Row, ...] | None
    """By what the rows are ordered, when their order is part of the answer."""


def answered(sql: str, run: Callable[[str], Sequence[Row]], dialect: str = "duckdb") -> Gold:
    """The right answer that a query gives. One that orders groups or rows tells by what, in columns of its own."""
    query = sqlglot.parse_one(sql, dialect=dialect)
    order = query.args.get("order")
    if order is None:
        return Gold(tuple(run(sql)), None)
    if not isinstance(query, exp.Select) or query.args.get("distinct") is not None:
        rows = tuple(run(sql))
        return Gold(rows, tuple((at,) for at in range(len(rows))))
    keys = [one.this.copy() for one in order.expressions]
    wide = run(query.select(*keys).sql(dialect=dialect))
    width = len(keys)
    return Gold(tuple(row[:-width] for row in wide), tuple(row[-width:] for row in wide))
