"""The order of a list that a caller asked for as `field:asc,field:desc`."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa


def order_of(
    table: sa.Table, sort: str, columns: Mapping[str, str | sa.ColumnElement[Any]], *, nulls_last: bool = False
) -> list[sa.ColumnElement[Any]]:
    """Return the order that a checked `sort` asks for (`schema.grammar.sort_by`); `columns` keep its fields.

    A field is kept in a column of the table, by name, or worked out of its columns.
    """
    order: list[sa.ColumnElement[Any]] = []
    for part in sort.split(","):
        name, _, direction = part.strip().partition(":")
        kept = columns[name]
        column = table.c[kept] if isinstance(kept, str) else kept
        one = column.desc() if direction == "desc" else column.asc()
        order.append(one.nulls_last() if nulls_last else one)
    return order
