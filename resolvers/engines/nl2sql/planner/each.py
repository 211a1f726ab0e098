"""The first of each: `the most expensive product of each category`, `the two oldest players of each team`."""

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Both, Column, Comparison, Condition, Operator, Order, Plan, Related
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.items import Item

OUTER = 1
"""The row that is compared with the others of its kind."""


def kind_of(catalog: Catalog, table: str, group: Item) -> Column | None:
    """The column of a table's own that tells its rows into groups: the one named, or the only key to what is named."""
    if group.table == table:
        own = [one for one in group.terms if isinstance(one, Column)]
        return own[0] if len(group.terms) == len(own) == 1 and group.entity is None else None
    if group.entity is None and not set(group.columns) & set(catalog.names(group.table)):
        return None  # the genre of its book, which other books are of too
    keys = [one for one in catalog.joins.keys_of(table) if one.table == table and one.to == group.table]
    return Column(table, keys[0].columns[0]) if len(keys) == 1 and len(keys[0].columns) == 1 else None


def first_of_each(catalog: Catalog, table: str, group: Item, order: Order, most: int = 1) -> Condition | None:
    """That fewer than so many other rows of the same kind come before a row; None where the data does not tell kinds or
    order.
    """
    value, kind = order.term, kind_of(catalog, table, group)
    if kind is None or kind == value or not isinstance(value, Column) or value.table != table or value.instance:
        return None
    if catalog.key(table) == ColumnKey(table, kind.column):
        return None
    better = Comparison(
        value,
        Operator.MORE if order.descending else Operator.LESS,
        (Column(table, value.column, OUTER),),
    )
    tie = (Column(table, kind.column, OUTER), kind)
    others = Related(table, Plan(table, (), where=better, via=(tie,)), negated=True, fewer=most)
    return Both((Comparison(value, Operator.IS_NULL, (), True), others))
