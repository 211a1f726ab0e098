"""Defines what may be sent to a source: one query that reads tables which the connection selects, and nothing beside
them.

It is the second wall. What people write in SQL has passed the list of what is allowed (`resolvers/engines/sql_guard`)
before, and sessions are read-only where the store knows such a thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from sqlglot import exp

from persistence.connectors.core.base import ConnectorError

_MOST_NODES: Final = 100_000

# A lock (FOR UPDATE) and INTO write although they look like a SELECT.
_REFUSED: Final = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command, exp.Set, exp.Copy, exp.Use, exp.Pragma)
_MADE_UP: Final = (exp.Unnest, exp.Values, exp.Lateral)

# Functions that read what was not named as a table, change something, reach elsewhere, or only wait.
_UNSAFE: Final = re.compile(
    r"(?i)(query|cursor|table|schema|database)_to_xml.*|xml(schema)?_and_.*|dblink.*|pg_(?!typeof$|column_size$).*|lo_.*"
    r"|set_config|current_setting|nextval|setval|txid_.*|load_file|sleep|benchmark|(get|release|is_free|is_used)_.*lock.*"
    r"|sys_(exec|eval|get|set)|system\$.*|dbms_.*|utl_.*|httpuritype|xmltype|sys_context|java_method|reflect2?"
    r"|try_reflect|read_files?|ai_query|http_request|external_query|input_file_name|query|query_table"
)


def check(query: exp.Expr, allows: Callable[[exp.Table], bool]) -> None:
    """Raise ConnectorError for what may not be sent. `allows` says whether a table that is named may be read."""
    if not isinstance(query, exp.Select | exp.SetOperation | exp.Subquery):
        raise ConnectorError("failed", "Only a query may be sent to a source: one SELECT, or a union of them.")
    for count, node in enumerate(query.walk()):
        if count > _MOST_NODES:
            raise ConnectorError("failed", "The query is too long.")
        if isinstance(node, _REFUSED):
            raise ConnectorError("failed", "Only a query that reads may be sent to a source.")
        if isinstance(node, exp.Anonymous) and (isinstance(node.parent, exp.Dot) or _UNSAFE.fullmatch(node.name)):
            raise ConnectorError("failed", f"The function {node.name!r} may not be sent to a source.")
        if isinstance(node, exp.Table):
            _check_table(node, allows)


def _check_table(table: exp.Table, allows: Callable[[exp.Table], bool]) -> None:
    if isinstance(table.this, _MADE_UP):
        return
    if not isinstance(table.this, exp.Identifier):
        raise ConnectorError("failed", "A function cannot stand in FROM. Name tables of the source.")
    alone = not table.args.get("db") and not table.args.get("catalog")
    if not (alone and _is_common(table)) and not allows(table):
        raise not_selected(".".join(part.name for part in table.parts))


def _is_common(table: exp.Table) -> bool:
    """Return whether a bare name is that of a WITH which is in force where it stands: everywhere else it is a real
    table.
    """
    inner: exp.Expr = table
    within: exp.Expr | None = None
    while (node := inner.parent) is not None:
        if isinstance(node, exp.With):
            within = inner  # the one of its tables that we come from
        else:
            common = node.args.get("with_")
            if isinstance(common, exp.With):
                known = list(common.expressions)
                if inner is common and not common.args.get("recursive"):
                    known = known[: next((at for at, one in enumerate(known) if one is within), 0)]
                if any(one.alias == table.name for one in known):
                    return True
        inner = node
    return False


def not_selected(name: str) -> ConnectorError:
    """A table outside of what the connection selects."""
    return ConnectorError(
        "not_found",
        f"{name!r} is not a table that this connection reads. Name it with its schema, and check selected_tables.",
    )
