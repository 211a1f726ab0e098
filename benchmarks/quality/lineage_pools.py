"""The values that a statement itself speaks of, by which the oracle fills the columns that are compared with them.

A condition such as `d_year = 1999` holds in no database of small numbers, so that nothing behind it would ever move.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import sqlglot
from sqlglot import exp

Pools = Mapping[tuple[str, str], tuple[Any, ...]]
"""Of a table and a column, values that the statements hold against it."""

MOST: Final = 40
"""Values of one column."""
_DAYS_AROUND: Final = (0, 1, -1, 20, 45, -30, 100, -400, 400)
COMPARES: Final = (
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.In, exp.Like, exp.ILike, exp.StartsWith),
    *(exp.Case, exp.RegexpLike, exp.NullSafeEQ, exp.Is),
)
_ORDERS: Final = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
_DAY: Final = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a query asks of the rows of one table alone."""

    alias: str
    condition: str


def pools_of(statements: Sequence[str], dialect: str, shape: Mapping[str, Mapping[str, str]]) -> Pools:
    """Return the values for each column that is compared with something written, or stands for one that is."""
    trees = [tree for one in statements for tree in sqlglot.parse(one, read=dialect) if tree is not None]
    written: dict[tuple[str, str], list[Any]] = {}
    days: list[str] = []
    for tree in trees:
        days += [one.name for one in tree.find_all(exp.Literal) if one.is_string and _DAY.match(one.name)]
        tables = _aliases(tree)
        for node in tree.find_all(*COMPARES):
            for one in _columns(node):
                written.setdefault((tables.get(one.table.lower(), ""), one.name.lower()), []).extend(_literals(node))
    for tree in trees * 3:  # what is compared under another name is compared under its own, through some queries
        for alias in tree.find_all(exp.Alias):
            values = written.get(("", alias.alias.lower()), ())
            for one in alias.this.find_all(exp.Column) if values else ():
                written.setdefault(("", one.name.lower()), []).extend(values)
    return {
        (table, column): values
        for table, columns in shape.items()
        for column, kind in columns.items()
        if (values := _of_kind(kind, _told(written, table.lower(), column.lower()), days))
    }


def _told(written: Mapping[tuple[str, str], Sequence[Any]], table: str, column: str) -> list[Any]:
    return [*written.get((table, column), ()), *written.get(("", column), ())]


def _aliases(tree: exp.Expr) -> dict[str, str]:
    """The tables that the names of a text stand for."""
    return {one.alias_or_name.lower(): one.name.lower() for one in tree.find_all(exp.Table)}


def wishes_of(
    statements: Sequence[str], dialect: str, shape: Mapping[str, Mapping[str, str]]
) -> dict[str, tuple[Wish, ...]]:
    """Return for each table what the queries ask of its rows, as far as no other table has a say in it."""
    found: dict[str, list[Wish]] = {}
    known = {table.lower(): table for table in shape}
    for tree in (tree for one in statements for tree in sqlglot.parse(one, read=dialect) if tree is not None):
        for select in tree.find_all(exp.Select):
            here = {one.alias_or_name.lower(): known.get(one.name.lower()) for one in _read_by(select)}
            parts: dict[str, list[str]] = {}
            for condition in _conditions(select):
                named = {_owner(one, here, shape) for one in condition.find_all(exp.Column)}
                if len(named) == 1 and None not in named and condition.find(exp.Query, exp.AggFunc, exp.Window) is None:
                    parts.setdefault(named.pop() or "", []).append(f"({condition.sql(dialect)})")
            for alias, conditions in parts.items():
                found.setdefault(here[alias] or "", []).append(Wish(alias, " and ".join(conditions)))
    return {table: tuple(dict.fromkeys(wishes)) for table, wishes in found.items()}


def _read_by(select: exp.Select) -> list[exp.Table]:
    start = select.args.get("from_")
    items = [start.this] if start is not None else []
    items += [one.this for one in select.args.get("joins") or ()]
    return [one for one in items if isinstance(one, exp.Table)]


def _owner(column: exp.Column, here: Mapping[str, str | None], shape: Mapping[str, Mapping[str, str]]) -> str | None:
    """The alias of the table that a column is of; None where that is none of these, or not told."""
    if column.table:
        alias = column.table.lower()
        return alias if here.get(alias) else None
    name = column.name.lower()
    fits = [alias for alias, table in here.items() if table and name in {one.lower() for one in shape[table]}]
    return fits[0] if len(fits) == 1 else None


def _conditions(select: exp.Select) -> Iterator[exp.Expr]:
    where = select.args.get("where")
    for one in (
        where.this if where is not None else None,
        *(one.args.get("on") for one in select.args.get("joins") or ()),
    ):
        if one is not None:
            yield from one.flatten() if isinstance(one, exp.And) else (one,)


def _columns(node: exp.Expr) -> Iterator[exp.Column]:
    """The columns of a comparison itself, not of the queries in it."""
    around = node.find_ancestor(exp.Query)
    yield from (one for one in node.find_all(exp.Column) if one.find_ancestor(exp.Query) is around)


def _literals(node: exp.Expr) -> list[Any]:
    found: list[Any] = []
    for one in node.find_all(exp.Literal):
        if one.find_ancestor(exp.Query) is not node.find_ancestor(exp.Query):
            continue
        if one.is_string:
            found += _texts(one.name)
            if isinstance(node, _ORDERS):
                found += [one.name[:-1], one.name + "z"]
        else:
            number = float(one.name)
            found += [int(number), int(number) + 1, int(number) - 1] if number.is_integer() else [number]
    return found


def _texts(text: str) -> list[str]:
    """A text, or such as a pattern takes."""
    plain = text.replace("%", "").replace("_", "x").replace("^", "").replace("$", "")
    return [plain] if plain == text else [plain, text.replace("%", " a ").replace("_", "x")]


def _of_kind(kind: str, values: Sequence[Any], days: Sequence[str]) -> tuple[Any, ...]:
    if kind in ("date", "timestamp"):
        near = [one for one in values if isinstance(one, str) and _DAY.match(one)] or list(days)
        values = [str(_day(one) + timedelta(days=more)) for one in near for more in _DAYS_AROUND]
    elif kind in ("int", "num"):
        numbers = [_number(one) for one in values]
        values = [one for one in numbers if one is not None and (kind == "num" or isinstance(one, int))]
    elif kind == "text":
        values = [str(one) for one in values]
        values = [*values, " ".join(dict.fromkeys(values))] if len(set(values)) > 1 else values
    else:
        values = ()
    found = tuple(dict.fromkeys(values))
    return (*found[: MOST - 1], found[-1]) if len(found) > MOST else found


def _day(text: str) -> date:
    year, month, day = (int(one) for one in _DAY.match(text)[0].split("-"))  # type: ignore[index]
    try:
        return date(year, month, day)
    except ValueError:
        return date(2000, 1, 1)


def _number(value: Any) -> int | float | None:
    if isinstance(value, str):
        return int(value) if value.lstrip("-").isdigit() and len(value) < 10 else None
    return value if abs(value) < 2_000_000_000 else None
