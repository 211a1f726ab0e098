"""Whether an answer says the same as the right one, and if not, by which rule it misses.

Rows are a multiset, in order only where the question asks for one; columns may stand in any order. The right answer is
given by rows, or by a query: `right_query` tells by what its rows are ordered.
"""

import base64
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

import sqlglot
from sqlglot import exp

from schema.data_readiness.source import Row
from schema.talk2data.benchmark import MissReason, MissRule

MOST_ORDERS: Final = 500
"""How many ways to match columns are tried: more only arise where many columns hold the same values."""
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """The rows that a question should be answered with."""

    rows: tuple[Row, ...]
    keys: tuple[Row, ...] | None = None
    """By what the rows are ordered, a row for each, when their order is part of the answer: only rows that are equal
    by it may change places."""
    width: int | None = None
    """How many columns it has; None for as many as its first row."""

    @property
    def columns(self) -> int | None:
        """Return how many columns it has; None when it has neither rows nor said so."""
        return len(self.rows[0]) if self.width is None and self.rows else self.width


def same_answer(right: Sequence[Row], answer: Sequence[Row], keys: Sequence[Row] | None = None) -> bool:
    """Return whether some order of the answer's columns gives the right rows; `keys` are those of a `RightAnswer`."""
    return not misses(RightAnswer(tuple(right), None if keys is None else tuple(keys)), answer)


def misses(
    right: RightAnswer, answer: Sequence[Row], *, width: int | None = None, extra_columns: bool = False
) -> list[MissReason]:
    """Return in which ways an answer misses; none at all when it is right.

    `width` is how many columns the answer has, where it may have no rows. With `extra_columns`, it may show more of
    them than the right one.
    """
    width = len(answer[0]) if width is None and answer else width
    lacking = 0 if width is None or right.columns is None else right.columns - width
    if lacking > 0:
        return [_reason(MissRule.MISSING_COLUMNS, lacking), *_counted(len(right.rows) - len(answer))]
    if lacking < 0 and not extra_columns:
        return [_reason(MissRule.EXTRA_COLUMNS, -lacking), *_counted(len(right.rows) - len(answer))]
    if not right.rows or not answer:
        return _counted(len(right.rows) - len(answer))
    wanted, given = [_plain(row) for row in right.rows], [_plain(row) for row in answer]
    if len(wanted) == len(given):
        spans = list(pairwise(_bounds(right.keys, len(wanted))))
        grouped = [Counter(wanted[low:high]) for low, high in spans]
        whole, is_same = Counter(wanted), False
        for order in _orders(wanted, given):
            turned = _turned(given, order)
            if all(group == Counter(turned[low:high]) for group, (low, high) in zip(grouped, spans, strict=True)):
                return []
            is_same = is_same or whole == Counter(turned)
        if is_same:
            return [_reason(MissRule.OTHER_ORDER, len(wanted))]
    return _differing(wanted, _turned(given, _nearest(wanted, given)))


def _counted(lacking: int) -> list[MissReason]:
    """Return what a difference in the number of rows alone says."""
    if not lacking:
        return []
    return [_reason(MissRule.MISSING_ROWS if lacking > 0 else MissRule.EXTRA_ROWS, abs(lacking))]


def _differing(wanted: Sequence[Row], given: Sequence[Row]) -> list[MissReason]:
    """Return what differs between rows whose columns stand for one another.

    Where some columns agree, they tell which rows belong together, and the others hold other values; where none does,
    rows are missing and others are there.
    """
    lost, added = Counter(wanted) - Counter(given), Counter(given) - Counter(wanted)
    if lost and added:
        agreeing = [at for at in range(len(wanted[0])) if _agree(wanted, given, at)]
        other = 0
        if len(agreeing) == len(wanted[0]) or len(wanted) == len(given) == 1:
            other = min(lost.total(), added.total())
            lost_rows, added_rows = lost.total() - other, added.total() - other
        else:
            known = Counter(_turned(wanted, agreeing)), Counter(_turned(given, agreeing))
            lost_rows = (known[0] - known[1]).total() if agreeing else lost.total()
            added_rows = (known[1] - known[0]).total() if agreeing else added.total()
            other = lost.total() - lost_rows
    else:
        lost_rows, added_rows, other = lost.total(), added.total(), 0
    found = (
        (MissRule.MISSING_ROWS, lost_rows),
        (MissRule.EXTRA_ROWS, added_rows),
        (MissRule.OTHER_VALUES, other),
    )
    return [_reason(rule, count) for rule, count in found if count > 0]


def _agree(wanted: Sequence[Row], given: Sequence[Row], at: int) -> bool:
    """Return whether one side's values of a column are all among the other's."""
    of_wanted, of_given = Counter(row[at] for row in wanted), Counter(row[at] for row in given)
    return of_wanted <= of_given or of_given <= of_wanted


def _reason(rule: MissRule, count: int) -> MissReason:
    is_column = rule in (MissRule.MISSING_COLUMNS, MissRule.EXTRA_COLUMNS)
    what = f"{count} {'column' if is_column else 'row'}{'' if count == 1 else 's'}"
    is_one = count == 1
    told = {
        MissRule.MISSING_ROWS: f"{what} of the right answer {'is' if is_one else 'are'} missing.",
        MissRule.EXTRA_ROWS: f"{what} {'is' if is_one else 'are'} not in the right answer.",
        MissRule.MISSING_COLUMNS: f"{what} of the right answer {'is' if is_one else 'are'} missing.",
        MissRule.EXTRA_COLUMNS: f"{what} {'is' if is_one else 'are'} not in the right answer.",
        MissRule.OTHER_ORDER: "The rows are right, and stand in another order.",
        MissRule.OTHER_VALUES: f"{what} {'holds' if is_one else 'hold'} other values.",
    }
    return MissReason(rule=rule, count=count, message=told[rule])


# --- rows and columns -------------------------------------------------------------------------------------------------


def _bounds(keys: Sequence[Row] | None, count: int) -> list[int]:
    """Return where groups of rows begin that are equal by their keys, and where the last one ends."""
    if keys is None:
        return [0, count]
    return [0, *(at for at in range(1, count) if keys[at] != keys[at - 1]), count]


def _turned(rows: Sequence[Row], order: Sequence[int]) -> list[Row]:
    return [tuple(row[at] for at in order) for row in rows]


def _orders(wanted: Sequence[Row], given: Sequence[Row]) -> list[tuple[int, ...]]:
    """Return which of the given columns may stand for each wanted one, by what they hold; at most a few hundred
    ways. Of columns that hold the same in every row, one is as good as another.
    """
    of_given = _held(given)
    first: dict[tuple[Any, ...], int] = {}
    twins = [first.setdefault(tuple(row[at] for row in given), at) for at in range(len(of_given))]
    ways: list[tuple[int, ...]] = [()]
    for held in _held(wanted):
        fits = [other for other, values in enumerate(of_given) if values == held]
        longer: list[tuple[int, ...]] = []
        for way in ways:
            free: dict[int, int] = {}
            for other in fits:
                if other not in way:
                    free.setdefault(twins[other], other)
            longer += [(*way, other) for other in free.values()]
        ways = longer[:MOST_ORDERS]
    return ways


def _nearest(wanted: Sequence[Row], given: Sequence[Row]) -> list[int]:
    """Return which of the given columns stands for each wanted one where no order fits: those that share most."""
    of_wanted, of_given = _held(wanted), _held(given)
    shared = sorted(
        ((-(one & other).total(), abs(at - to), at, to) for at, one in enumerate(of_wanted)
         for to, other in enumerate(of_given))
    )  # fmt: skip
    chosen: dict[int, int] = {}
    for _, _, at, to in shared:
        if at not in chosen and to not in chosen.values():
            chosen[at] = to
    return [chosen[at] for at in range(len(of_wanted))]


def _held(rows: Sequence[Row]) -> list[Counter[Any]]:
    return [Counter(row[at] for row in rows) for at in range(len(rows[0]))]


def _plain(row: Row) -> Row:
    return tuple(_value(value) for value in row)


def _value(value: Any) -> Any:
    """A value as it is compared: numbers to seven digits, moments as text."""
    if value is None:
        return None
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float | Decimal):
        number = float(value)
        if math.isnan(number):
            return "NaN"  # which as a number is not even equal to itself
        return int(number) if number.is_integer() else float(f"{number:.7g}")
    if isinstance(value, datetime):
        moment = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return moment.isoformat(" ").removesuffix(" 00:00:00")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, int | str):
        return value
    return str(value)  # lists and records, which have no hash


def of_json(row: Sequence[Any]) -> Row:
    """A row that was written as JSON: texts that are moments are taken for moments."""
    return tuple(_from_json(cell) for cell in row)


def _from_json(cell: Any) -> Any:
    if isinstance(cell, str) and _MOMENT.fullmatch(cell):
        with suppress(ValueError):
            return datetime.fromisoformat(cell)
    return cell


# --- right queries ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RightQuery:
    """A query that gives the right answer, as it is run to also learn by what its rows are ordered."""

    sql: str
    keys: tuple[int, ...] | None
    """The columns that hold what it is ordered by: none where no column can, and so every row has its own place. None
    when the order is no part of the answer."""
    added: int = 0
    """How many of its last columns were added for that, and are no part of the answer."""

    def answer(self, rows: Sequence[Row], width: int | None = None) -> RightAnswer:
        """The right answer that its rows are; `width` is how many columns they have, those added included."""
        shown = slice(None, -self.added) if self.added else slice(None)
        keys = None
        if self.keys is not None:
            keys = tuple(tuple(row[at] for at in self.keys or ()) or (place,) for place, row in enumerate(rows))
        return RightAnswer(tuple(row[shown] for row in rows), keys, None if width is None else width - self.added)


def right_query(sql: str, dialect: str = "duckdb") -> RightQuery:
    """Return how a right query is run. What it is ordered by is among its columns, or is added behind them.

    Raises sqlglot's errors for what cannot be read.
    """
    query = sqlglot.parse_one(sql, dialect=dialect)
    order = query.args.get("order")
    if order is None or not isinstance(query, exp.Query):
        return RightQuery(sql, None)
    shown = [None if one.is_star else one.alias_or_name.casefold() for one in query.selects]
    has_star = None in shown
    places = [_place(one.this, [] if has_star else shown) for one in order.expressions]
    missing = [one.this for one, place in zip(order.expressions, places, strict=True) if place is None]
    if not missing:
        return RightQuery(sql, tuple(place for place in places if place is not None))
    if not isinstance(query, exp.Select) or query.args.get("distinct") is not None:
        return RightQuery(sql, ())  # a further column would make other rows of it
    wide = query.select(*[exp.alias_(one.copy(), f"ordered_by_{at}") for at, one in enumerate(missing, 1)])
    added = iter(range(-len(missing), 0))
    return RightQuery(
        wide.sql(dialect=dialect),
        tuple(next(added) if place is None else place for place in places),
        len(missing),
    )


def _place(key: exp.Expression, shown: Sequence[str | None]) -> int | None:
    """Return which column a query is ordered by: it may be named by its number, or by its name."""
    if key.is_int:
        return int(key.name) - 1
    if isinstance(key, exp.Column) and not key.table and shown.count(key.name.casefold()) == 1:
        return shown.index(key.name.casefold())
    return None


def answered(sql: str, run: Callable[[str], Sequence[Row]], dialect: str = "duckdb") -> RightAnswer:
    """The right answer that a query gives, run by `run`."""
    asked = right_query(sql, dialect)
    return asked.answer(run(asked.sql))
