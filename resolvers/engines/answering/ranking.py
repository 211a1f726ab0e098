"""What a ranking shows beside the names, and whether it ends among equals.

A query that orders by a figure is understood to show the figure too. Where it takes the first few alone, the row behind
them tells whether the cut is one that the figures make.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

_CALLED: Final[dict[type[exp.Expr], str]] = {
    exp.Count: "count",
    exp.Sum: "total",
    exp.Avg: "average",
    exp.Min: "min",
    exp.Max: "max",
}
_EXTREMES: Final = (exp.Avg, exp.Min, exp.Max, exp.Median, exp.PercentileCont, exp.PercentileDisc, exp.Quantile)


def with_order_shown(sql: str, dialect: str, keys: Collection[str], counted: str | None = None) -> str | None:
    """The query with what it orders by as one more column; None where it shows that already, or cannot.

    A figure over many rows is shown, and of the first few rows a column is; those named in `keys` only tell rows apart.
    `counted` is the table whose rows it orders by the number of, where whoever wrote the query knows it.
    """
    query = parsed(sql, dialect)
    if not isinstance(query, exp.Select) or any(query.args.get(part) for part in ("distinct", "into", "hint")):
        return None
    by = _orders(query)
    if not by or query.is_star or _place(query, by[0]) is not None:
        return None
    key = by[0]
    figures = [one for one in key.find_all(exp.AggFunc) if one.find_ancestor(exp.Subquery) is None]
    columns = [one for one in key.find_all(exp.Column) if one.find_ancestor(exp.Subquery) is None]
    if not figures and (not columns or query.args.get("limit") is None):
        return None
    if isinstance(key, exp.Case) or (isinstance(key, exp.Column) and key.name in keys):
        return None
    name = _apart(_named(query, key, counted), [one.casefold() for one in query.named_selects])
    is_plain = isinstance(key, exp.Column) and key.name == name
    shown = key.copy() if is_plain else exp.alias_(key.copy(), name, quoted=True)
    return query.select(shown, copy=False).sql(dialect)


def limit_of(query: exp.Query) -> int | None:
    """How many rows a query with an order takes at most; None when it takes all."""
    limit = query.args.get("limit")
    number = limit.expression if isinstance(limit, exp.Limit) and not limit.args.get("limit_options") else None
    if query.args.get("order") is None or not isinstance(number, exp.Literal) or not number.name.isdigit():
        return None
    return int(number.name)


def one_more(query: exp.Query, limit: int) -> exp.Query:
    """The query with a row more."""
    longer = query.copy()
    longer.set("limit", exp.Limit(expression=exp.Literal.number(limit + 1)))
    return longer


def tied(query: exp.Query, last: Sequence[Any], behind: Sequence[Any]) -> int | None:
    """Return the column, from 0, that a query orders by first, where two rows are equal in all that it orders by."""
    places = [_place(query, one) for one in _orders(query)]
    known = [place for place in places if place is not None]
    if not known or len(known) < len(places):
        return None
    same = all(last[at] is not None and last[at] == behind[at] for at in known)
    return known[0] if same else None


def adds_up(sql: str, dialect: str, name: str) -> bool:
    """Return whether the values of a column may be parts of a whole: averages and extremes are not."""
    query = parsed(sql, dialect)
    if not isinstance(query, exp.Select):
        return True
    shown = next((one for one in query.selects if one.alias_or_name == name), None)
    return shown is None or not any(shown.find_all(*_EXTREMES))


def grouped_by(sql: str, dialect: str) -> frozenset[int]:
    """Return which columns of the answer, from 0, are what its rows were grouped by: numbers there are names."""
    query = parsed(sql, dialect)
    group = query.args.get("group") if isinstance(query, exp.Select) else None
    if group is None or not isinstance(query, exp.Select):
        return frozenset()
    places = [_place(query, key) for key in group.expressions]
    return frozenset(one for one in places if one is not None)


def parsed(sql: str, dialect: str) -> exp.Expr | None:
    """A query of an answer; None where it cannot be read."""
    try:
        return sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return None


def _orders(query: exp.Query) -> list[exp.Expr]:
    order = query.args.get("order")
    return [] if order is None else [one.this for one in order.expressions if not _is_about_nulls(one.this)]


def _is_about_nulls(key: exp.Expr) -> bool:
    """Return whether a key only puts what has no value at an end, as dialects without NULLS LAST write it."""
    bare = key.unnest()
    if isinstance(bare, exp.Case) and len(bare.args["ifs"]) == 1:
        bare = bare.args["ifs"][0].this.unnest()
    return isinstance(bare, exp.Is) and isinstance(bare.expression, exp.Null)


def _place(query: exp.Query, key: exp.Expr) -> int | None:
    """The column of the answer, from 0, that holds a key."""
    shown = query.selects
    if isinstance(key, exp.Literal) and key.name.isdigit():
        at = int(key.name) - 1
        return at if 0 <= at < len(shown) else None
    for at, one in enumerate(shown):
        is_named = isinstance(key, exp.Column) and not key.table and one.alias_or_name == key.name
        if is_named or _bare(one.unalias()) == _bare(key):
            return at
    return None


def _bare(one: exp.Expr) -> str:
    """An expression without brackets around it and without regard to quotes, to be compared with another."""
    return one.unnest().sql().replace('"', "").casefold()


def _named(query: exp.Select, key: exp.Expr, counted: str | None) -> str:
    """Return what the column of a key is called: total_price, count_orders. Of joined tables, which rows are counted is
    not told by the query alone: of artists and their albums, those of the second.
    """
    figure = next(iter(key.find_all(*_CALLED)), None)
    column = next(iter(key.find_all(exp.Column)), None)
    name = "" if column is None else _source(query, column.name)
    if figure is None:
        return name if isinstance(key, exp.Column) else f"by_{name}"
    if isinstance(figure, exp.Count) and isinstance(figure.this, exp.Star):
        name = counted or ("" if query.args.get("joins") else str(query.args["from_"].this.alias_or_name))
    return "_".join(one for one in (_CALLED[type(figure)], name) if one)


def _source(query: exp.Select, name: str) -> str:
    """The name of a column where a part of the query gives it another."""
    for one in query.find_all(exp.Alias):
        if one.alias == name and isinstance(one.this, exp.Column) and one.find_ancestor(exp.Select) is not query:
            return str(one.this.name)
    return name


def _apart(name: str, taken: Sequence[str]) -> str:
    candidate, at = name, 1
    while candidate.casefold() in taken:
        at += 1
        candidate = f"{name}_{at}"
    return candidate
