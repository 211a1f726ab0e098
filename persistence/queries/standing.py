"""What relations and a catalog are at, told by the very statement that reads something of the catalog.

Both are the tokens of `persistence/tables/revised.py`, spelled as `persistence/revisions.py` spells them, so that what
the one tells may be compared with what the other told. A statement sees one state of the store: what it read is what
stood at these revisions.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import sqlalchemy as sa

from persistence.repository import Scope
from persistence.tables.authorization import relation_revisions
from persistence.tables.catalog import catalog_revisions

Told = Callable[[str, str], None]
"""What takes in the revisions of relations and of the catalog; empty where nothing would tell of their next change."""


def _tokens(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.ScalarSelect[str]:
    """All tokens of a key in their order; null where there are none."""
    own = sa.select(table.c.token).where(*conditions).order_by(table.c.slot).subquery(f"{table.name}_told")
    space: Any = sa.literal_column("' '")
    return sa.select(sa.func.aggregate_strings(own.c.token, space)).scalar_subquery()


def catalog_revision(scope: Scope | None = None) -> sa.ScalarSelect[str]:
    """Return what a catalog is at: that of a scope, or of a statement's own `organization_id` and `project_id`."""
    tokens = catalog_revisions.c
    organization: Any = sa.bindparam("organization_id") if scope is None else scope.organization_id
    project: Any = sa.bindparam("project_id") if scope is None else scope.project_id
    return _tokens(catalog_revisions, tokens.organization_id == organization, tokens.project_id == project)


STANDING: Final = (
    _tokens(relation_revisions, relation_revisions.c.store == sa.bindparam("organization_id")).label("relations_at"),
    catalog_revision().label("catalog_at"),
)
"""The last columns of a statement that tells both, with the values `organization_id` and `project_id`."""


def tell(told: Told | None, rows: Sequence[Sequence[Any]]) -> None:
    """Hand on what the rows of such a statement tell; of no rows, nothing."""
    if told is not None and rows:
        relations, catalog = rows[0][-2:]
        told(relations or "", catalog or "")
