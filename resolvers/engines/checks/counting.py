"""Queries that count what breaks checks which one scan cannot tell: keys, references, dependencies, people's SQL."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.checks.model import CannotEvaluate, Check
from resolvers.engines.checks.predicates import column_of, facts_of, type_of
from resolvers.engines.sql_guard import GuardedQuery, QueryRefused, guard_sql, tables_of_catalog
from resolvers.engines.sql_guard import Table as GuardTable
from schema.data_readiness.source import Source, TableFacts

MOST_COLUMNS: Final = 16
"""Columns that a key may have."""

MOST_LOOKED_AT: Final = 200
"""Columns whose cells are judged together."""

ENDLESS: Final = frozenset({"DATE", "TIMESTAMP", "TIMESTAMPTZ"})
"""Types of moments among which infinity stands for none."""

FLOATING: Final = frozenset({"FLOAT", "DOUBLE", "REAL"})
"""Types of numbers that may be infinite, or none."""


@dataclass(frozen=True, slots=True)
class CheckedTable:
    """A table and what the check may read beside it."""

    source: Source
    table: TableFacts
    others: Mapping[str, TableFacts]
    """The other tables of the same connection, by FQN."""

    def relation(self, alias: str = "t") -> exp.Table:
        """Return what stands in FROM for the table."""
        return aliased(self.source.relation(self.table.database, self.table.schema, self.table.name), alias)


def aliased(relation: exp.Table, alias: str) -> exp.Table:
    """The same relation under a name."""
    made = relation.copy()
    made.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
    return made


def named(name: str) -> exp.Identifier:
    """A quoted name."""
    return exp.to_identifier(name, quoted=True)


def total() -> exp.Expr:
    """Return how many rows."""
    return exp.Count(this=exp.Star())


def counted(condition: exp.Expr) -> exp.Expr:
    """Return how many rows a condition holds for."""
    return exp.Count(this=exp.Case(ifs=[exp.If(this=condition.copy(), true=exp.Literal.number(1))]))


def present(columns: Sequence[str], alias: str = "t") -> exp.Expr:
    """That none of the columns is null."""
    return exp.and_(*(exp.Not(this=exp.Is(this=column_of(name, alias), expression=exp.null())) for name in columns))


def keyed(names: Sequence[str], place: CheckedTable) -> exp.Expr:
    """That a key is there: none of its columns is null, and a single one holds no infinity and nothing undefined."""
    condition = present(names)
    if len(names) > 1 or place.source.dialect not in ("postgres", "duckdb"):
        return condition
    kind = type_of(facts_of(place.table, names[0]))
    if kind not in ENDLESS | FLOATING:
        return condition
    special = ["infinity", "-infinity", *(["NaN"] if kind in FLOATING else [])]
    texts = [exp.cast(exp.Literal.string(one), kind) for one in special]
    return exp.and_(condition, exp.Not(this=exp.In(this=column_of(names[0]), expressions=texts)))


def columns_of(check: Check, table: TableFacts, given: Any = None, *, most: int = MOST_COLUMNS) -> tuple[str, ...]:
    """The columns that a check looks at together. Raises CannotEvaluate for none, too many, or unknown ones."""
    names = check.columns if given is None else tuple(str(name) for name in given)
    if not 0 < len(names) <= most:
        raise CannotEvaluate(f"{check.metric} needs 1 to {most} columns.")
    for name in names:
        facts_of(table, name)
    return names


def duplicates(check: Check, place: CheckedTable) -> tuple[int, int]:
    """Rows whose values occur more than once, of the rows that have values; infinity is none."""
    names = columns_of(check, place.table)
    groups = (
        exp.select(exp.alias_(total(), named("n")))
        .from_(place.relation())
        .where(keyed(names, place))
        .group_by(*(column_of(name) for name in names))
    )
    number = exp.column(named("n"), table=named("g"))
    more = exp.GT(this=number, expression=exp.Literal.number(1))
    repeated = exp.Case(ifs=[exp.If(this=more, true=number.copy())], default=exp.Literal.number(0))
    query = exp.select(exp.Sum(this=repeated), exp.Sum(this=number.copy())).from_(groups.subquery(named("g")))
    ((bad, of),) = place.source.ask(query)
    return int(bad or 0), int(of or 0)


def repeated_values(check: Check, place: CheckedTable, most: int) -> exp.Query:
    """The values that occur most often more than once, each with its number."""
    names = columns_of(check, place.table)
    return (
        exp.select(*(exp.alias_(column_of(name), named(f"c{at}")) for at, name in enumerate(names)), total())
        .from_(place.relation())
        .where(keyed(names, place))
        .group_by(*(column_of(name) for name in names))
        .having(exp.GT(this=total(), expression=exp.Literal.number(1)))
        .order_by(exp.Ordered(this=total(), desc=True), *(column_of(name) for name in names))
        .limit(most)
    )


def _reference(
    check: Check, table: TableFacts, others: Mapping[str, TableFacts]
) -> tuple[tuple[str, ...], TableFacts, tuple[str, ...]]:
    """The columns that refer, the table that they refer to, and its columns."""
    names = columns_of(check, table)
    target_fqn, targets = str(check.arguments.get("targetFqn") or ""), check.arguments.get("targetColumns") or ()
    target = others.get(target_fqn) or (table if target_fqn == table.fqn else None)
    if target is None:
        raise CannotEvaluate(
            f"The table {target_fqn or '(none)'!s} that is referred to is not in the catalog of this connection."
        )
    target_names = columns_of(check, target, targets)
    if len(target_names) != len(names):
        raise CannotEvaluate("A reference has as many columns as its target.")
    return names, target, target_names


def fits(check: Check, table: TableFacts, others: Mapping[str, TableFacts]) -> None:
    """Raise CannotEvaluate when a check that needs a query of its own has not the columns that it needs."""
    match check.metric:
        case "brokenReferences":
            _reference(check, table, others)
        case "inconsistentRows":
            _dependency(check, table)
        case "suspectValues" | "nearDuplicates":
            columns_of(check, table, most=MOST_LOOKED_AT)
        case "duplicateValues":
            columns_of(check, table)


def orphans(check: Check, place: CheckedTable) -> tuple[exp.Expr, tuple[str, ...]]:
    """The condition of rows whose reference has no target, and the columns that refer. Raises CannotEvaluate."""
    names, target, target_names = _reference(check, place.table, place.others)
    relation = aliased(place.source.relation(target.database, target.schema, target.name), "r")
    same = exp.and_(
        *(
            exp.EQ(this=column_of(theirs, "r"), expression=column_of(ours))
            for ours, theirs in zip(names, target_names, strict=True)
        )
    )
    found = exp.Exists(this=exp.select(exp.Literal.number(1)).from_(relation).where(same))
    return exp.and_(present(names), exp.Not(this=found)), names


def broken(check: Check, place: CheckedTable) -> tuple[int, int]:
    """Rows whose reference has no target, of the rows that refer."""
    condition, names = orphans(check, place)
    of = place.source.ask(exp.select(total()).from_(place.relation()).where(present(names)))[0][0]
    bad = place.source.ask(exp.select(total()).from_(place.relation()).where(condition))[0][0]
    return int(bad), int(of)


def _dependency(check: Check, table: TableFacts) -> tuple[tuple[str, ...], str]:
    determinant = check.arguments.get("determinant")
    if isinstance(determinant, str):
        determinant = [determinant]
    dependent = check.arguments.get("dependent")
    if not determinant or not isinstance(dependent, str):
        raise CannotEvaluate("inconsistentRows needs `determinant` (columns) and `dependent` (a column).")
    return columns_of(check, table, determinant), columns_of(check, table, [dependent])[0]


def _agreeing(names: Sequence[str], dependent: str, place: CheckedTable) -> exp.Select:
    """Return how often each value of the dependent stands beside each determinant."""
    return (
        exp.select(
            *(exp.alias_(column_of(name), named(f"c{at}")) for at, name in enumerate(names)),
            exp.alias_(column_of(dependent), named("v")),
            exp.alias_(total(), named("n")),
        )
        .from_(place.relation())
        .where(present((*names, dependent)))
        .group_by(*(column_of(name) for name in (*names, dependent)))
    )


def disagreeing(check: Check, place: CheckedTable) -> tuple[int, int]:
    """Rows that have not what most rows with the same determinant have, of the rows that have both."""
    names, dependent = _dependency(check, place.table)
    number = exp.column(named("n"), table=named("g"))
    by_determinant = (
        exp.select(
            exp.alias_(exp.Sum(this=number), named("of")), exp.alias_(exp.Max(this=number.copy()), named("most"))
        )
        .from_(_agreeing(names, dependent, place).subquery(named("g")))
        .group_by(*(exp.column(named(f"c{at}"), table=named("g")) for at in range(len(names))))
    )
    of, most = (exp.column(named(name), table=named("d")) for name in ("of", "most"))
    query = exp.select(exp.Sum(this=of), exp.Sum(this=most)).from_(by_determinant.subquery(named("d")))
    ((rows, agreeing),) = place.source.ask(query)
    return int(rows or 0) - int(agreeing or 0), int(rows or 0)


def contradictions(check: Check, place: CheckedTable, most: int) -> tuple[exp.Query, tuple[str, ...], str]:
    """Return the determinants with more than one value beside them: of each how many values and rows that are, and
    each value with its rows, the most frequent first. `most` bounds the values of all of them together.
    """
    names, dependent = _dependency(check, place.table)

    def of(name: str, table: str) -> exp.Column:
        return exp.column(named(name), table=named(table))

    def over(figure: exp.Expr) -> exp.Window:
        return exp.Window(this=figure, partition_by=[of(f"c{at}", "g") for at in range(len(names))])

    beside = exp.select(
        *(of(f"c{at}", "g") for at in range(len(names))),
        of("v", "g"),
        of("n", "g"),
        exp.alias_(over(total()), named("d")),
        exp.alias_(over(exp.Sum(this=of("n", "g"))), named("s")),
    ).from_(_agreeing(names, dependent, place).subquery(named("g")))
    keys = [of(f"c{at}", "b") for at in range(len(names))]
    query = (
        exp.select(*keys, of("d", "b"), of("s", "b"), of("v", "b"), of("n", "b"))
        .from_(beside.subquery(named("b")))
        .where(exp.GT(this=of("d", "b"), expression=exp.Literal.number(1)))
        .order_by(
            exp.Ordered(this=of("s", "b"), desc=True),
            *(key.copy() for key in keys),
            exp.Ordered(this=of("n", "b"), desc=True),
            of("v", "b"),
        )
        .limit(most)
    )
    return query, names, dependent


def guarded(check: Check, place: CheckedTable) -> GuardedQuery:
    """A person's SQL, judged by the guard. Raises CannotEvaluate with the reason of a refusal."""
    tables = tables_of_catalog([place.table, *place.others.values()])

    def relation(table: GuardTable) -> exp.Table:
        return place.source.relation(table.database, table.schema, table.name)

    try:
        return guard_sql(
            check.query or "", dialect=place.source.dialect, tables=tables, near=tables[0], relation=relation
        )
    except QueryRefused as refused:
        raise CannotEvaluate(f"The guard refused the query. {refused}") from None


def told_by_sql(found: GuardedQuery, place: CheckedTable, *, personal: bool) -> tuple[int, int]:
    """The rows that a person's SQL answers with, or the count that it answers with, of the rows of the table.

    Raises CannotEvaluate for a figure that is no count; it is not repeated, as it may be a value of a row. A query that
    names `personal` data answers by COUNT alone: a sum or a maximum of it would hand on what examples mask.
    """
    if found.counts and personal and not _is_count(found.query):
        raise CannotEvaluate("A query over personal data answers with rows, or with a figure that COUNT alone makes.")
    of = int(place.source.ask(exp.select(total()).from_(place.relation()))[0][0])
    if found.counts:
        ((bad,),) = place.source.ask(found.query)
        if bad is None:
            return 0, of
        if isinstance(bad, bool) or not isinstance(bad, int | float | Decimal) or not _is_whole(bad):
            raise CannotEvaluate("A query that answers with one figure counts rows: a whole number from 0.")
        return int(bad), of
    query = found.query.copy()
    if not query.args.get("limit"):
        query.set("order", None)
        names = [one.alias_or_name for one in query.expressions] if isinstance(query, exp.Select) else []
        if len(set(names)) < len(names):  # as columns of a table they need names of their own
            query.set(
                "expressions", [exp.alias_(one.unalias(), named(f"c{at}")) for at, one in enumerate(query.expressions)]
            )
    ((bad,),) = place.source.ask(exp.select(total()).from_(query.subquery(named("q"))))
    return int(bad), of


def _is_count(query: exp.Query) -> bool:
    """Return whether the one figure of a query is a COUNT, and nothing that is made of one."""
    return isinstance(query, exp.Select) and isinstance(query.expressions[0].unalias(), exp.Count)


def _is_whole(value: int | float | Decimal) -> bool:
    """Return whether it is a whole number from 0; infinity and what is no number are none."""
    return math.isfinite(value) and value == int(value) and value >= 0
