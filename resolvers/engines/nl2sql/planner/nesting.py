"""The other side of a comparison, where it must be computed first: the average, the greatest, that of another row."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Column,
    Condition,
    Figure,
    Literal,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Term,
)
from resolvers.engines.nl2sql.planner.above import ABOVE, link_above
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.frame import Nest, Noun, Sort
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.parts import Part, also_of, conjoined
from resolvers.engines.nl2sql.planner.resolving import as_column
from resolvers.engines.nl2sql.planner.totals import as_rows_of
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, parts_of, terms_in

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.planner.conditions import Conditions


def nested(made: "Conditions", nest: Nest, column: ColumnKey, operator: Operator, main: str) -> Term | None:
    """The value that is computed first, as many times as is said."""
    value = _once(made, nest, column, operator, main)
    return value if value is None or nest.times is None else Arithmetic("*", Literal("number", nest.times), value)


def _once(made: "Conditions", nest: Nest, column: ColumnKey, operator: Operator, main: str) -> Term | None:
    resolver = made.resolver
    inner_column = column
    if (
        nest.noun is not None
        and nest.noun.ref is not None
        and nest.noun.ref.columns
        and not (may_be_table(nest.noun.ref) and nest.noun.ref.tables[0].score >= nest.noun.ref.columns[0].score)
    ):
        inner_column = resolver.column(nest.noun) or column
    if column.table == main and nest.aggregate is None:
        as_rows_of(nest, main, made.catalog)
    inner = made.parts(nest.conditions, inner_column.table)
    table = resolver.table(nest.noun.ref) if nest.noun is not None and nest.noun.ref is not None else None
    if nest.sort is not None:
        return _of_the_first(made, nest.sort, inner_column, inner)
    aggregate = nest.aggregate
    if made.catalog.is_moment_like(column) != made.catalog.is_moment_like(inner_column):
        resolver.doubt("a moment is compared with what is none", 0.6)
    within = _own_kind(made, nest.own, inner_column.table, main) if nest.own is not None else ()
    if aggregate is None and nest.noun is not None and not nest.conditions:
        if nest.every:
            aggregate = Aggregate.MAX if operator in (Operator.MORE, Operator.AT_LEAST) else Aggregate.MIN
        elif (pair := link_above(made.catalog, inner_column, main)) is not None and column.table == main:
            made.via.append(pair)
            return as_column(column, ABOVE)  # earn more than their manager
        else:
            return as_column(inner_column) if inner_column != column else None
    if aggregate is None and nest.every:
        aggregate = Aggregate.MAX if operator in (Operator.MORE, Operator.AT_LEAST) else Aggregate.MIN
    degree = nest.noun.degree if nest.noun is not None else None
    if degree is not None and aggregate in (Aggregate.MAX, Aggregate.MIN):
        measured = resolver.measured(degree, [inner_column.table])
        if measured is not None and measured[0] != inner_column:
            first = Order(as_column(measured[0]), measured[1])
            plan = Plan(inner_column.table, (Output(as_column(inner_column)),), orders=(first,), limit=1)
            return Nested(replace(plan, where=conjoined(inner), also=also_of(inner, inner_column.table)))
        aggregate = Aggregate.MAX if resolver.direction(degree, inner_column) else Aggregate.MIN
    term: Term = as_column(inner_column) if aggregate is None else Figure(aggregate, as_column(inner_column))
    if (
        aggregate is not None
        and aggregate in (Aggregate.AVG, Aggregate.SUM)
        and not made.catalog.is_number(inner_column)
    ):
        resolver.doubt("an average of what is no number", 0.4)
    also = also_of(inner, inner_column.table)
    if table is not None and table != inner_column.table and not made.catalog.refers(inner_column.table, table):
        also = (*also, table)
    return Nested(Plan(inner_column.table, (Output(term),), where=conjoined(inner), also=also), within)


def _own_kind(made: "Conditions", own: Noun, table: str, main: str) -> tuple[Column, ...]:
    """The column that tells which rows of a table are alike: `of their own category`, which a key may tell."""
    resolver, found = made.resolver, None
    if (kind := resolver.table(own.ref)) is not None and own.ref is not None and may_be_table(own.ref):
        keys = [key for key in made.catalog.joins.keys_of(table) if (key.table, key.to) == (table, kind)]
        columns = [ColumnKey(table, key.columns[0]) for key in keys if len(key.columns) == 1]
        found = columns[0] if len(columns) == 1 else None
    found = found or resolver.column(own)
    if found is None or found.table != table or table != main:
        resolver.doubt("rows are compared with those that are alike in something, and it is not known in what", 0.9)
        return ()
    return (as_column(found),)


def _of_the_first(made: "Conditions", sort: Sort, column: ColumnKey, inner: Sequence[Part]) -> Term | None:
    """The value of the row that comes first by another column of its own."""
    resolver = made.resolver
    by = resolver.column(sort.noun, "number") if sort.noun is not None else None
    if by is None or by.table != column.table:
        return None
    descending = resolver.direction(sort.degree, by) if sort.degree is not None else bool(sort.descending)
    first = Order(as_column(by), descending)
    return Nested(Plan(column.table, (Output(as_column(column)),), conjoined(inner), orders=(first,), limit=1))


def of_the_same_time(catalog: Catalog, nest: Nest, value: Term, left: Column) -> Condition | None:
    """The time of an average, where rows are compared by the same column: `above the average in 2007`."""
    if not isinstance(value, Nested) or value.plan.main != left.table:
        return None
    noun = nest.noun
    if noun is not None and (noun.owner is not None or (noun.ref is not None and may_be_table(noun.ref))):
        return None  # the average guide born after 1970
    term, where = value.plan.outputs[0].term, value.plan.where
    columns = [column for part in parts_of(where) for one in terms_in(part) for column in columns_in(one)]
    keys = [ColumnKey(one.table, one.column) for one in columns if not one.instance and one.table == left.table]
    same = isinstance(term, Figure) and term.of == left and bool(keys) and len(keys) == len(columns)
    return where if same and all(catalog.is_moment_like(one) for one in keys) else None
