"""Defines which rows are behind each group of an answer from a protected table, as a query of its own.

Every answer alone has enough rows behind each group. What several answers tell together can only be judged by their
rows: whoever runs an answer runs these queries beside it, and compares what they tell with the answers before it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from resolvers.engines.sql_guard.grouping import Protected
from resolvers.engines.sql_guard.lineage import Key, SelectBlock
from resolvers.engines.sql_guard.naming import quoted

_READ: Final = ("from_", "joins", "laterals", "where")
_UNLIKE: Final = ("JSON", "XML", "GEO", "POINT", "STRUCT", "MAP", "VARIANT", "UNKNOWN", "OTHER")


@dataclass(frozen=True, slots=True)
class GroupedTable:
    """A use of a table that is shown only in groups."""

    block: SelectBlock
    protected: Protected
    forbidden: tuple[str, ...]
    """The columns of the table that nobody may use."""


@dataclass(frozen=True, slots=True)
class Behind:
    """The rows behind the groups of one SELECT."""

    table: str
    """The FQN of the table whose rows they are."""
    column: str | None
    """The column that is aggregated, when only the rows that have a value there are behind; None for all."""
    least: int
    """How many rows the policy wants behind each group."""
    policy: str
    """Its name."""
    keys: int
    """How many of the columns of `query` tell the group; the others tell the row."""
    query: exp.Select | None
    """Each row once for each of its groups; None where a row of a query around it decides what is read, and where no
    column tells rows apart."""


def rows_behind(
    query: exp.Query, grouped: Sequence[GroupedTable], row: str, closed: Collection[Key]
) -> tuple[Behind, ...]:
    """Return what tells the rows behind a compiled query. Its tables must stand as they are sent."""
    return tuple(made for one in grouped for made in _of(query, one, row, closed))


def _of(query: exp.Query, one: GroupedTable, row: str, closed: Collection[Key]) -> Iterator[Behind]:
    source, table = one.protected.source, one.protected.source.table
    assert table is not None
    subjects: list[tuple[str | None, int]] = [(None, one.protected.minimum)] if one.protected.minimum else []
    subjects += one.protected.columns.items()
    keys = one.block.keys
    for column, least in subjects:
        made = _rows(query, one.block.select, keys)
        if table.key is None:
            hidden = {*one.forbidden, *(name for fqn, name in closed if fqn == table.fqn)}
            told = [name for name in table.columns if name not in hidden and _is_comparable(table.type_of(name))]
            names = _identified(made, source.alias, row, told)
        else:
            names = [row]
        for name in names:
            value = exp.Column(this=quoted(name), table=quoted(source.alias))
            made.append("expressions", exp.Alias(this=value, alias=quoted(f"{row}_{len(made.expressions)}")))
        if column is not None:
            value = exp.Column(this=quoted(column), table=quoted(source.alias))
            made.where(exp.Not(this=exp.Is(this=value, expression=exp.Null())), copy=False)
        whole = made if names and _stands_alone(made) else None
        yield Behind(table.fqn, column, least, one.protected.policy, len(keys), whole)


def _rows(query: exp.Query, select: exp.Select, keys: Sequence[exp.Expr]) -> exp.Select:
    """Return what a SELECT reads, before it makes groups of it, with what it groups by."""
    named = [exp.Alias(this=key.copy(), alias=quoted(f"stoa_group_{at}")) for at, key in enumerate(keys)]
    made = exp.Select(expressions=named, distinct=exp.Distinct())
    for part in _READ:
        value = select.args.get(part)
        if value is not None:
            made.set(part, [each.copy() for each in value] if isinstance(value, list) else value.copy())
    commons = [one.copy() for one in query.find_all(exp.CTE, bfs=False) if not _is_in(select, one)]
    if commons:
        made.set("with_", exp.With(expressions=commons))
    return made


def _is_in(node: exp.Expr, around: exp.Expr) -> bool:
    """Return whether a node stands in another one."""
    standing: exp.Expr | None = node
    while standing is not None and standing is not around:
        standing = standing.parent
    return standing is around


def _identified(made: exp.Select, alias: str, row: str, columns: Sequence[str]) -> list[str]:
    """Tell rows without a key by all their values, for numbers that are given out anew each time tell nothing."""
    for subquery in made.find_all(exp.Subquery):
        inner = subquery.this
        if subquery.alias != alias or not isinstance(inner, exp.Select):
            continue
        kept = [one for one in inner.expressions if one.alias != row]
        names = [f"{row}_of_{at}" for at in range(len(columns))]
        for name, column in zip(names, columns, strict=True):
            value = exp.Column(this=quoted(column), table=quoted(alias))
            kept.append(exp.Alias(this=value, alias=quoted(name)))
        inner.set("expressions", kept)
        return names
    return []


def _is_comparable(kind: str | None) -> bool:
    """Return whether every database can tell two values of a type apart; JSON and shapes cannot be compared in
    PostgreSQL.
    """
    return kind is None or not any(one in kind.upper() for one in _UNLIKE)


def _stands_alone(made: exp.Select) -> bool:
    """Return whether every column comes from what is read here; its aliases are used nowhere around it."""
    there = {one.alias_or_name for one in made.find_all(exp.Table, exp.Subquery)}
    return all(not column.table or column.table in there for column in made.find_all(exp.Column))
