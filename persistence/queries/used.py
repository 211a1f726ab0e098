"""How much tables are used: who refers to them, their rows, and how many of the latest answers read them."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import sqlalchemy as sa

from persistence.queries.catalog_rows import chunks
from persistence.queries.enrichment import references_in
from persistence.queries.metadata_search import in_scope
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.talk2data import turn_provenance
from schema.identifiers import Fqn

LATEST_ANSWERS: Final = 500
"""How many of the latest answers are looked at for the tables that they read."""


def rows_of(connection: sa.Connection, scope: Scope, tables: Iterable[str]) -> dict[str, int]:
    """Return how many rows live tables have, as far as it is known."""
    asset = metadata_assets.c
    found: dict[str, int] = {}
    for some in chunks(sorted(set(tables))):
        query = sa.select(asset.fully_qualified_name, asset.row_count).where(
            *in_scope(scope),
            asset.deleted_at.is_(None),
            asset.fully_qualified_name.in_(some),
            asset.row_count.is_not(None),
        )
        found.update((fqn, int(rows)) for fqn, rows in connection.execute(query))
    return found


def references_to(connection: sa.Connection, scope: Scope, tables: Iterable[str]) -> dict[str, int]:
    """Return how many columns of other tables of the same schema refer to each table."""
    wanted = set(tables)
    schemas = {str(Fqn.of(*Fqn.parse(fqn).parts[:3])) for fqn in wanted}
    found = references_in(connection, scope, sorted(schemas))
    return {
        fqn: len({(table, column) for table, column, _ in some if table != fqn})
        for fqn, some in found.items()
        if fqn in wanted
    }


def questions_about(connection: sa.Connection, scope: Scope) -> Counter[str]:
    """Return how many of the project's latest answers read each table."""
    row = turn_provenance.c
    query = (
        sa.select(row.provenance)
        .where(
            row.organization_id == scope.organization_id,
            row.project_id == scope.project_id,
            row.provenance.is_not(None),
        )
        .order_by(row.created_at.desc())
        .limit(LATEST_ANSWERS)
    )
    found: Counter[str] = Counter()
    for (kept,) in connection.execute(query):
        tables: list[Any] = (kept or {}).get("tables") or []
        found.update({str(one["fqn"]) for one in tables if isinstance(one, dict) and "fqn" in one})
    return found
