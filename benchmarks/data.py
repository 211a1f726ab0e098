"""The data: a platform with a tenant, a project and a catalog of many tables, loaded as ingestion loads it.

Loading is itself measured: part by part, the platform's own upsert and then a plain bulk load of the very rows that it
wrote into a second store with the same tables, indexes and triggers.
"""

import asyncio
import sqlite3
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import sqlalchemy as sa

from auth.issuer import DevelopmentIssuer
from auth.relations import RelationTuple, object_name, user_subject
from persistence.columns import Moment
from persistence.engine import Database
from persistence.jobs.port import InlineJobs
from persistence.migrations.run import upgrade
from persistence.queries.catalog_ingest import refresh_statistics, upsert_source
from persistence.queries.catalog_load import INSERTED
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from persistence.tables.governance import projects
from resolvers.engines.catalog_diff import judge
from rest_compat.app import Parts
from rest_compat.settings import Settings
from rest_compat.setup import bootstrap_organization
from schema.utils.metadata_asset import AssetType
from schema.utils.source_asset import SourceAsset

ORGANIZATION, USER, SERVICE = "bench", "vera", "main"
GROUPS = tuple(f"team-{number}" for number in range(4))
WORD = "invoice"
WIDE = f"{SERVICE}.db.public.wide"
NOUNS = (WORD, "order", "customer", "payment", "shipment", "product", "ticket", "session", "contract", "account")
TYPES = (("bigint", 64), ("varchar", None), ("timestamp", None), ("numeric", 18), ("boolean", None))
BATCH = 50
"""Tables in one transaction, as in an ingestion."""
NOW = datetime(2026, 3, 1, 9, 30, 15, 250_125, tzinfo=UTC)


@dataclass(frozen=True)
class Size:
    """Holds how much is loaded and how long is measured."""

    tables: int
    columns: int
    children: int
    parts: int
    """In how many parts the load is measured."""
    slice_seconds: float
    rounds: int
    connections: int = 8


FULL = Size(tables=2000, columns=50, children=500, parts=8, slice_seconds=0.7, rounds=7)
QUICK = Size(tables=40, columns=50, children=20, parts=2, slice_seconds=0.2, rounds=2)


@dataclass
class Loading:
    """Seconds of each part of the load."""

    columns: int
    first: list[float] = field(default_factory=list)
    again: list[float] = field(default_factory=list)
    bulk: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class World:
    """A loaded platform."""

    settings: Settings
    url: str | None
    """STOA_DATABASE_URL; None for SQLite."""
    project: str
    uri: str
    token: str
    loading: Loading


def _column(table: tuple[str, ...], number: int) -> SourceAsset:
    type_, width = TYPES[number % len(TYPES)]
    return SourceAsset(
        AssetType.COLUMN,
        (*table, f"column_{number:03d}"),
        description=f"Value {number} of the record, as the operational system keeps it.",
        data_type=type_,
        data_type_display=f"{type_}({width})" if width else type_,
        ordinal_position=number + 1,
        nullable=number % 3 != 0,
        precision=width,
        scale=2 if type_ == "numeric" else None,
        constraint={"primary_key": True} if number == 0 else {},
    )


def _table(name: str, columns: int) -> list[SourceAsset]:
    path = ("db", "public", name)
    table = SourceAsset(AssetType.TABLE, path, description=f"Records of {name}.", table_type="TABLE", row_count=1000)
    return [table, *(_column(path, number) for number in range(columns))]


def parts_of(size: Size) -> Iterator[list[list[SourceAsset]]]:
    """The source: in each part some batches, in each batch fifty whole tables."""
    names = [f"{NOUNS[number % len(NOUNS)]}_{number:04d}" for number in range(size.tables)]
    per_part = -(-size.tables // size.parts)
    for start in range(0, size.tables, per_part):
        part = names[start : start + per_part]
        yield [
            [asset for name in part[at : at + BATCH] for asset in _table(name, size.columns)]
            for at in range(0, len(part), BATCH)
        ]


def settings_of(folder: Path, url: str | None) -> Settings:
    """The settings of the measured server: as they come, with rate windows that the load fits into."""
    return Settings(data=folder, database_url=url, rate_limit_reads=1_000_000, shutdown_seconds=0)


async def loaded(folder: Path, url: str | None, bulk_url: str, size: Size) -> World:
    """Build the platform and load its catalog both ways; `bulk_url` is the SQLAlchemy address of the second store."""
    settings = settings_of(folder, url)
    await bootstrap_organization(settings, ORGANIZATION, "olga", "Bench")
    await asyncio.to_thread(upgrade, bulk_url)
    parts = Parts(settings, jobs=InlineJobs())
    await parts.open()
    try:
        project = str(uuid4())
        uri = f"data:{ORGANIZATION}:{project}:{SERVICE}"
        await _register(parts, project, uri)
        loading = await _load(parts.database, bulk_url, Scope(ORGANIZATION, project), uri, size)
    finally:
        await parts.close()
    token = DevelopmentIssuer(settings.data).issue(USER, ORGANIZATION, project=project, groups=GROUPS)
    return World(settings, url, project, uri, token, loading)


async def _register(parts: Parts, project: str, uri: str) -> None:
    """A project with a viewer, and a connection in it that the catalog belongs to."""
    now = parts.clock()

    def work(uow: Any) -> None:
        made = {"created_at": now, "updated_at": now, "created_by": "olga", "revision": 1}
        uow.connection.execute(projects.insert().values(id=project, organization_id=ORGANIZATION, name="bench", **made))
        name = object_name("project", project)
        relations = [
            RelationTuple(object_name("organization", ORGANIZATION), "organization", name),
            RelationTuple(user_subject(USER), "viewer", name),
            RelationTuple(name, "project", object_name("data_connection", uri)),
        ]
        uow.relate(ORGANIZATION, writes=relations)

    await parts.services.store.write(work)


async def _load(database: Database, bulk_url: str, scope: Scope, uri: str, size: Size) -> Loading:
    loading = Loading(size.tables * size.columns)
    top = [SourceAsset(AssetType.DATABASE, ("db",)), SourceAsset(AssetType.DATABASE_SCHEMA, ("db", "public"))]
    await _take(database, scope, uri, [[*top, *_table("wide", size.children)]])
    await database.write(_say_more)
    last = await database.read(_last_row)
    bulk = _BulkStore(bulk_url)
    for part in parts_of(size):
        loading.first.append(await _take(database, scope, uri, part))
        rows, last = await database.read(lambda connection, last=last: _rows_after(connection, last))  # type: ignore[misc]
        loading.bulk.append(await asyncio.to_thread(bulk.load, rows))
    started = time.perf_counter()
    await database.write(refresh_statistics)  # as a run does at its end
    loading.first[-1] += time.perf_counter() - started
    for part in parts_of(size):
        loading.again.append(await _take(database, scope, uri, part))
    assert await database.read(_last_row) == last, "taking in an unchanged source wrote something"
    await asyncio.to_thread(bulk.close)
    return loading


async def _take(database: Database, scope: Scope, uri: str, batches: list[list[SourceAsset]]) -> float:
    started = time.perf_counter()
    for batch in batches:
        await database.write(
            lambda connection, batch=batch: upsert_source(  # type: ignore[misc]
                connection, scope, uri, SERVICE, batch, actor="ingestion", now=NOW, judge=judge
            )
        )
    return time.perf_counter() - started


def _say_more(connection: sa.Connection) -> None:
    """Return what people and taggers add, so that the widest table has values in nearly every field."""
    said = {
        "display_name": "A column of the wide table",
        "summary_text": "Used by the monthly report and by two dashboards.",
        "owners": [{"name": "Vera", "type": "user", "id": "vera"}],
        "tags": [
            {
                "tag_id": "t-1",
                "tag_fqn": "pii.email",
                "category_name": "pii",
                "tag_name": "email",
                "tag_description": "An address of a person.",
            }
        ],
        "is_pii_tagged": True,
        "extension": {"steward": "data office", "retention_days": 400},
        "business_definition": "What the customer calls the record's value.",
        "business_rules": "Never empty for closed records.",
    }
    connection.execute(metadata_assets.update().where(metadata_assets.c.parent_fqn == WIDE).values(said))


def _last_row(connection: sa.Connection) -> int:
    last: int = connection.execute(sa.select(sa.func.max(metadata_assets.c.row_number))).scalar_one()
    return last


def _rows_after(connection: sa.Connection, last: int) -> tuple[list[tuple[Any, ...]], int]:
    """The rows that the last part made, as a bulk load takes them: JSON and moments as text."""
    postgres = connection.dialect.name == "postgresql"
    as_text = {name for name in INSERTED if postgres and isinstance(metadata_assets.c[name].type, sa.JSON | Moment)}
    columns = ", ".join(f'"{name}"::text' if name in as_text else f'"{name}"' for name in INSERTED)
    found = connection.exec_driver_sql(f"SELECT {columns} FROM metadata_assets WHERE row_number > {last}")
    return [tuple(row) for row in found], _last_row(connection)


class _BulkStore:
    """A plain bulk load: what the driver itself offers, one transaction for each part, rows ready beforehand."""

    def __init__(self, url: str) -> None:
        names = ", ".join(f'"{name}"' for name in INSERTED)
        self._postgres = url.startswith("postgresql")
        if self._postgres:
            self._connection: Any = psycopg.connect(url.replace("postgresql+psycopg://", "postgresql://"))
            self._statement = f"COPY metadata_assets ({names}) FROM STDIN"
        else:
            self._connection = sqlite3.connect(url.removeprefix("sqlite:///"), check_same_thread=False)
            for pragma in ("journal_mode=wal", "synchronous=normal"):
                self._connection.execute(f"pragma {pragma}")
            self._statement = f"INSERT INTO metadata_assets ({names}) VALUES ({', '.join('?' * len(INSERTED))})"

    def load(self, rows: Sequence[tuple[Any, ...]]) -> float:
        """Load rows; how many seconds it took."""
        started = time.perf_counter()
        if self._postgres:
            with self._connection.cursor() as cursor, cursor.copy(self._statement) as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            self._connection.executemany(self._statement, rows)
        self._connection.commit()
        return time.perf_counter() - started

    def close(self) -> None:
        """Let go of the store."""
        self._connection.close()
