"""Assets as they are answered, ready-made: an answer of 500 children is then joined, and not made.

A document is written by the code that writes an answer (`document_of`), together with a name of that code. It is taken
away by triggers in the transaction that changes its asset, so one that is there tells what the columns tell. A reader
that finds some missing makes the answer from the columns, and has the missing ones stored (`persistence/documents.py`):
those that nobody reads take neither time nor room, and after a change of the code all are made anew as they are read.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from persistence.engine import Database
from persistence.queries.asset_view import RENDERED_BY, Document, HotStatement, answer_columns, document_of
from persistence.queries.standing import STANDING
from persistence.repository import Scope
from persistence.tables.catalog import asset_documents, metadata_assets
from schema.utils.metadata_asset import MAX_CHILDREN, AssetType

FEWEST: Final = 20
"""Children of an answer that is made of documents; to make fewer of their columns costs no more."""

_ASSET, _DOCUMENT = metadata_assets.c, asset_documents.c
WITH_DOCUMENTS: Final = metadata_assets.outerjoin(
    asset_documents,
    sa.and_(
        _DOCUMENT.row_number == _ASSET.row_number,
        _DOCUMENT.rendered_by == sa.bindparam("rendered_by", RENDERED_BY),
    ),
)
"""Assets with their documents, and nulls for those that have none."""
_ALONE: Final = HotStatement(
    sa.select(_ASSET.row_number, _ASSET.type, _ASSET.revision, _DOCUMENT.document, _DOCUMENT.digest, *STANDING)
    .select_from(WITH_DOCUMENTS)
    .where(
        _ASSET.organization_id == sa.bindparam("organization_id"),
        _ASSET.project_id == sa.bindparam("project_id"),
        _ASSET.fully_qualified_name == sa.bindparam("fqn"),
        _ASSET.resource_uri == sa.bindparam("uri"),
        _ASSET.deleted_at.is_(None),
    )
)
_BELOW: Final = (
    sa.select(_ASSET.row_number, _DOCUMENT.document, _DOCUMENT.digest)
    .select_from(WITH_DOCUMENTS)
    .where(
        _ASSET.organization_id == sa.bindparam("organization_id"),
        _ASSET.project_id == sa.bindparam("project_id"),
        _ASSET.parent_fqn == sa.bindparam("fqn"),
        _ASSET.deleted_at.is_(None),
    )
)
_CHILDREN: Final = HotStatement(_BELOW.order_by(_ASSET.name).limit(MAX_CHILDREN))
_COLUMNS: Final = HotStatement(_BELOW.order_by(_ASSET.ordinal_position.nulls_last(), _ASSET.name).limit(MAX_CHILDREN))


class Alone(NamedTuple):
    """A live asset as it is written."""

    row_number: int
    type: str
    revision: int
    document: bytes | None
    """None where the store has none."""
    digest: str | None
    relations_at: str | None
    catalog_at: str | None


async def document_alone(database: Database, **named: str | None) -> Alone | None:
    """The document of one live asset by its name, without a unit of work; None where there is no such asset."""
    rows = await _ALONE.glanced(database, binary=True, **named)
    return Alone(*rows[0]) if rows else None


def children_documents(
    connection: sa.Connection, scope: Scope, fqn: str, type_: AssetType
) -> tuple[list[Document], list[int]]:
    """The documents of an asset's direct children, in their order; and the rows of those that have none."""
    statement = _COLUMNS if type_ is AssetType.TABLE else _CHILDREN
    of = {"organization_id": scope.organization_id, "project_id": scope.project_id, "fqn": fqn}
    rows = statement.rows(connection, binary=True, **of)
    missing = [number for number, content, _ in rows if content is None]
    return ([] if missing else [Document(content, digest) for _, content, digest in rows]), missing


def store_documents(connection: sa.Connection, row_numbers: Sequence[int]) -> int:
    """Store the documents of live assets, inside of a transaction that writes; how many.

    An asset that somebody is changing is passed over. None of the others changes before the documents are committed:
    who wants to change it waits, and takes its document away after that.
    """
    numbers = _ASSET.row_number
    query = sa.select(*answer_columns, numbers).where(numbers.in_(row_numbers), _ASSET.deleted_at.is_(None))
    found = connection.execute(query.order_by(numbers).with_for_update(read=True, skip_locked=True)).all()
    if not found:
        return 0
    made: list[dict[str, Any]] = []
    for row in found:
        content, digest = document_of(row)
        made.append({"row_number": row[-1], "rendered_by": RENDERED_BY, "digest": digest, "document": content})
    insert = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(asset_documents)
    fresh = {name: insert.excluded[name] for name in ("rendered_by", "digest", "document")}
    connection.execute(insert.on_conflict_do_update(index_elements=[_DOCUMENT.row_number], set_=fresh), made)
    return len(made)
