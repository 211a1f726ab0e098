"""Pieces of SQL in a semantic model: read by the guard's rules, and put together."""

import re
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from resolvers.engines.sql_guard import QueryRefused
from resolvers.engines.sql_guard.judging import parsed

LONGEST: Final = 4000
"""Characters of a fragment, and of what is put together of several: the planner reads no more."""
MOST_NODES: Final = 1000
"""Parts of an expression, with the fields and measures in it written out."""
DEEPEST: Final = 20
"""Fields and measures that stand in one another."""

PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""Names that need no quotes, unless they are words of SQL."""


class FragmentRefused(ValueError):
    """An expression that is not taken; the message says why."""


def fragment(text: str, dialect: str) -> exp.Expr:
    """The one expression that a text holds, of parts that a query may hold. Raises FragmentRefused."""
    if len(text) > LONGEST:
        raise FragmentRefused(f"Its SQL has more than {LONGEST} characters.")
    if "{" in text:
        raise FragmentRefused("Its SQL holds a template that is not followed.")
    try:
        query = parsed(f"SELECT {text}", dialect)
    except QueryRefused as refused:
        raise FragmentRefused(f"The guard refused its SQL. {refused}") from None
    others = [name for name, value in query.args.items() if value and name not in ("expressions", "kind")]
    if not isinstance(query, exp.Select) or others or len(query.expressions) != 1:
        raise FragmentRefused("Its SQL is not one expression.")
    tree: exp.Expr = query.expressions[0].unalias()
    tree.parent = None
    if tree.find(exp.Query, exp.Window) is not None:
        raise FragmentRefused("Its SQL holds a query or a window, which a measure cannot.")
    if any(isinstance(one.parent, exp.Column) or one.parent is None for one in tree.find_all(exp.Star)):
        raise FragmentRefused("Its SQL means all columns.")
    return tree


def table_parts(text: str, dialect: str) -> tuple[str, ...]:
    """The parts of the name of a table, or of the one table that `SELECT * FROM` reads. Raises FragmentRefused."""
    said = text if re.match(r"\s*select\b", text, re.IGNORECASE) else f"SELECT * FROM {text}"  # noqa: S608 - parsed
    if "{" in text or len(text) > LONGEST:
        raise FragmentRefused("Its table is named by a template or a long text, which is not followed.")
    try:
        query = parsed(said, dialect)
    except QueryRefused as refused:
        raise FragmentRefused(f"The guard refused its SQL. {refused}") from None
    table = query.args["from_"].this if query.args.get("from_") is not None else None
    others = [name for name, value in query.args.items() if value and name not in ("expressions", "from_", "kind")]
    whole = len(query.expressions) == 1 and isinstance(query.expressions[0], exp.Star)
    if not isinstance(table, exp.Table) or table.args.get("joins") or others or not whole:
        raise FragmentRefused("It is a query, and not a table of the catalog.")
    return tuple(part.name for part in table.parts)


def size(tree: exp.Expr) -> int:
    """How many parts an expression has."""
    return sum(1 for _ in tree.walk())


def column(name: str, table: str | None = None) -> exp.Column:
    """A column by name, of a dataset where one is given."""
    made = exp.Column(this=exp.to_identifier(name, quoted=True))
    if table is not None:
        made.set("table", exp.to_identifier(table, quoted=True))
    return made


def aggregated(kind: str, tree: exp.Expr | None, filters: Sequence[exp.Expr] = ()) -> exp.Expr:
    """An aggregate of an expression, over the rows for which all filters hold. Raises FragmentRefused."""
    if tree is None:
        if kind != "count":
            raise FragmentRefused(f"A measure of the kind {kind[:50]} needs an expression.")
        return exp.Count(this=_kept(exp.Literal.number(1), filters) if filters else exp.Star())
    if kind == "sum_boolean":
        one, none = exp.Literal.number(1), exp.Literal.number(0)
        tree, kind = exp.Case(ifs=[exp.If(this=tree, true=one)], default=none), "sum"
    inner = _kept(tree, filters)
    if kind == "count_distinct":
        return exp.Count(this=exp.Distinct(expressions=[inner]))
    made = _AGGREGATES.get(kind)
    if made is None:
        raise FragmentRefused(f"Measures of the kind {kind[:50]} are not taken.")
    return made(this=inner)


def _kept(tree: exp.Expr, filters: Sequence[exp.Expr]) -> exp.Expr:
    if not filters:
        return tree
    condition = exp.and_(*(exp.paren(one, copy=False) for one in filters), copy=False)
    return exp.Case(ifs=[exp.If(this=condition, true=tree)])


def ratio(top: exp.Expr, bottom: exp.Expr) -> exp.Expr:
    """One figure by another, null where the other is none."""
    below = exp.Nullif(this=exp.cast(bottom, "double"), expression=exp.Literal.number(0))
    return exp.Div(this=exp.cast(top, "double"), expression=below)


def spelled(tree: exp.Expr, dialect: str = "duckdb") -> str:
    """An expression in SQL, with names in quotes where they need them. Raises FragmentRefused."""
    plain = tree.copy()
    for one in plain.find_all(exp.Identifier):
        one.set("quoted", not PLAIN.fullmatch(one.name))
    text = plain.sql(dialect, comments=False)
    if not _names_the_same(text, tree, dialect):
        text = tree.sql(dialect, identify=True, comments=False)  # a name is a word of SQL
    if len(text) > LONGEST:
        raise FragmentRefused(f"With its fields written out, its SQL has more than {LONGEST} characters.")
    fragment(text, dialect)
    return text


def _names_the_same(text: str, tree: exp.Expr, dialect: str) -> bool:
    try:
        again = fragment(text, dialect)
    except FragmentRefused:
        return False
    return [one.name for one in again.find_all(exp.Column)] == [one.name for one in tree.find_all(exp.Column)]


_AGGREGATES: Final[dict[str, type[exp.Expr]]] = {
    "sum": exp.Sum,
    "avg": exp.Avg,
    "average": exp.Avg,
    "min": exp.Min,
    "max": exp.Max,
    "count": exp.Count,
    "median": exp.Median,
}
