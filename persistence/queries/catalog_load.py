"""Defines how new catalog rows are made and loaded: what ingestion and creation by hand share.

Both are made for a first ingestion, which writes a hundred thousand rows: a row costs a few microseconds, and on
PostgreSQL the server takes in the rows that stand while the next ones are being made.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final
from uuid import uuid4

import orjson
import sqlalchemy as sa
from sqlalchemy.util import await_only

from persistence.queries.catalog_rows import words_of
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from schema.identifiers import FIRST_VERSION, join_fqn
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import Judgement

INSERTED: Final = tuple(column.name for column in metadata_assets.columns if column.name != "row_number")
"""The columns of a new row, in the order of the bulk load."""

TURN: Final = 100
"""After how many rows others get a turn of the event loop: some milliseconds of work."""

_ORDERED: Final = itemgetter(*INSERTED)
_JSON_AT: Final = tuple(at for at, name in enumerate(INSERTED) if isinstance(metadata_assets.c[name].type, sa.JSON))
_MOMENTS_AT: Final = tuple(INSERTED.index(name) for name in ("created_at", "updated_at", "deleted_at"))
_EMPTY_ROW: Final[dict[str, Any]] = dict.fromkeys(INSERTED) | {
    "extension": {},
    "constraint": {},
    "is_dq_tagged": False,
    "is_pii_tagged": False,
    "is_sensitivity_tagged": False,
    "children_total": 0,
    "people_fields": [],
    "change_description": Judgement(False).change_description(""),
    "change_summary": Judgement(False).change_summary(),
    "version_major": FIRST_VERSION.major,
    "version_minor": FIRST_VERSION.minor,
    "revision": 1,
}


class NewRows:
    """Makes whole new rows at the first version, of one resource, at one moment, by one actor, for one reason."""

    def __init__(self, scope: Scope, resource_uri: str, *, actor: str, now: datetime, reason: str) -> None:
        self._common = _EMPTY_ROW | {
            "organization_id": scope.organization_id,
            "project_id": scope.project_id,
            "resource_uri": resource_uri,
            "version_change_reason": reason,
            "created_at": now,
            "updated_at": now,
            "created_by": actor,
            "updated_by": actor,
            "changed_by": [actor],
        }

    def make(
        self,
        parts: Sequence[str],
        asset_type: AssetType,
        *,
        fqn: str,
        parent_fqn: str,
        id: str,
        parent_id: str | None,
        values: Mapping[str, Any],
        column_names: Collection[str] = (),
    ) -> dict[str, Any]:
        """One row. `parts` is the dotted name, service first."""
        row = {**self._common, **values}
        row["id"] = id
        row["type"] = asset_type.value
        row["name"] = parts[-1]
        row["fully_qualified_name"] = fqn
        row["parent_fqn"] = parent_fqn
        row["parent_id"] = parent_id
        row["service_name"] = parts[0]
        if asset_type is AssetType.TABLE:
            row["children_total"] = row["column_count"] = len(column_names)
        elif asset_type is not AssetType.COLUMN:
            row["table_count"] = 0
        row["search_words"] = words_of(row, column_names)
        return row


def new_row(
    scope: Scope,
    resource_uri: str,
    parts: Sequence[str],
    asset_type: AssetType,
    *,
    parent_id: str | None,
    actor: str,
    now: datetime,
    reason: str,
    values: Mapping[str, Any],
    column_names: Collection[str] = (),
) -> dict[str, Any]:
    """A single new row. `parts` is the dotted name, service first."""
    return NewRows(scope, resource_uri, actor=actor, now=now, reason=reason).make(
        parts,
        asset_type,
        fqn=join_fqn(parts),
        parent_fqn=join_fqn(parts[:-1]),
        id=str(uuid4()),
        parent_id=parent_id,
        values=values,
        column_names=column_names,
    )


def insert_rows(connection: sa.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Load many new rows, at least one, the fastest way that the store has, inside the transaction.

    SQLAlchemy's own insert measured four times slower than this, which is why the values are prepared here:
    SQLite takes tuples through the driver's executemany, PostgreSQL a COPY. `rows` may be made while it runs; what
    making them raises is raised, and nothing of them is kept.
    """
    preparer = connection.dialect.identifier_preparer
    names = ", ".join(preparer.quote(name) for name in INSERTED)
    sqlite = connection.dialect.name == "sqlite"
    moments = _Moments("%Y-%m-%d %H:%M:%S.%f" if sqlite else "%Y-%m-%d %H:%M:%S.%f+00")
    prepared = (_bulk_values(row, moments) for row in rows)
    if sqlite:
        marks = ", ".join("?" * len(INSERTED))
        statement = f"INSERT INTO metadata_assets ({names}) VALUES ({marks})"  # noqa: S608 - names of our own columns
        connection.exec_driver_sql(statement, list(prepared))
        return
    _copy(connection, f"COPY metadata_assets ({names}) FROM STDIN", prepared)


class _Moments(dict[datetime, str]):
    """Moments in UTC as a store reads them. One ingestion has one, and spelling it for each row is slow."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern

    def __missing__(self, moment: datetime) -> str:
        spelled = self[moment] = moment.astimezone(UTC).strftime(self._pattern)
        return spelled


def _bulk_values(row: Mapping[str, Any], moments: _Moments) -> tuple[Any, ...]:
    """The values in the order of the columns, JSON and moments as text."""
    values = list(_ORDERED(row))
    for at in _JSON_AT:
        if (value := values[at]) is not None:
            values[at] = _DUMPED.get(id(value)) or orjson.dumps(value).decode()
    for at in _MOMENTS_AT:
        if (moment := values[at]) is not None:
            values[at] = moments[moment]
    return tuple(values)


_DUMPED: Final = {id(value): orjson.dumps(value).decode() for value in _EMPTY_ROW.values() if isinstance(value, dict)}
"""The text of what nearly every new row shares, by the identity of objects that live as long as the process."""


def _copy(connection: sa.Connection, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    """Send rows through psycopg's COPY, on either of its two connections."""
    import psycopg

    driver: Any = connection.connection.driver_connection
    try:
        if isinstance(driver, psycopg.AsyncConnection):
            await_only(_copy_async(driver, statement, rows))
            return
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except psycopg.Error as error:
        wrapped = sa.exc.DBAPIError.instance(statement, None, error, psycopg.Error)
        raise wrapped from error


async def _copy_async(driver: Any, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    async with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for number, row in enumerate(rows):
            await copy.write_row(row)
            if number % TURN == 0:
                await asyncio.sleep(0)  # the rows are made in the event loop, which others need too
