"""The engines under test, each with the store that it needs: one async context manager for all of them."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from auth.local import LocalRelations
from auth.model import Model
from auth.openfga import OpenFgaRelations, OpenFgaSettings
from auth.relations import Relations, RelationTuple
from auth.remembered import Remembered
from auth.remote import GovernanceSettings, RemoteRelations
from persistence.engine import Database, DatabaseSettings
from persistence.revisions import Revisions
from persistence.tables.authorization import (
    relation_changes,
    relation_revisions,
    relation_tuples,
    revised_relations,
)
from persistence.tuples import StoredTuples
from rest_compat.relations import relation_routes
from rest_compat.request import RequestState
from tests.support.openfga import PATIENT

ENGINES = ("sqlite", "postgresql", "openfga", "governance")
"""`governance` asks a governance service over HTTP, which has the tuples in SQLite."""

KEY = "k" * 32


@asynccontextmanager
async def database(url: str) -> AsyncIterator[Database]:
    """A database that has the tuples, what tells that they have changed, and nothing else."""
    opened = Database(DatabaseSettings(database_url=url).resolved_database_url)
    try:
        await opened.write(_made)
        yield opened
    finally:
        await opened.close()


def _made(connection: sa.Connection) -> None:
    if sa.inspect(connection).has_table(relation_tuples.name):
        return
    for table in (relation_tuples, relation_revisions, relation_changes):
        table.create(connection)
    for statement in revised_relations.created(connection.dialect.name):
        connection.exec_driver_sql(statement)


@asynccontextmanager
async def relations(engine: str, model: Model, request: pytest.FixtureRequest) -> AsyncIterator[Relations]:
    """An engine by name. The test module has the fixtures `postgres_url` and `openfga_url`."""
    if engine == "openfga":
        address: str = request.getfixturevalue("openfga_url")
        server = OpenFgaRelations(model, OpenFgaSettings(openfga_url=address, openfga_timeout=PATIENT))
        try:
            yield server
        finally:
            await server.close()
        return
    if engine == "postgresql":
        url: str = request.getfixturevalue("postgres_url")
    else:
        folder: Path = request.getfixturevalue("tmp_path")
        url = f"sqlite:///{folder / 'tuples.sqlite'}"
    async with database(url) as opened:
        local = remembering(model, opened)
        if engine != "governance":
            yield local
            return
        served = Starlette(routes=list(relation_routes(SecretStr(KEY))))
        served.state.context_factory = SimpleNamespace(services=SimpleNamespace(relations=local))
        settings = GovernanceSettings(governance_url="http://governance.test", service_key=SecretStr(KEY))
        remote = RemoteRelations(settings, transport=httpx.ASGITransport(_with_state(served)))
        try:
            yield remote
        finally:
            await remote.close()


def remembering(model: Model, opened: Database) -> LocalRelations:
    """The engine as a server has it."""
    return LocalRelations(model, StoredTuples(opened), Remembered(Revisions(opened)))


def _with_state(app: ASGIApp) -> ASGIApp:
    """Return what the front of the server puts on a request."""

    async def front(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "stoa": RequestState("req-1", "0" * 32)}, receive, send)

    return front


def fresh_store() -> str:
    """An organization that nobody else uses."""
    return f"org-{uuid.uuid4().hex[:12]}"


def tuples(*lines: str) -> list[RelationTuple]:
    """Read tuples from their customary spelling, `object#relation@user`."""
    return [tuple_of(line) for line in lines]


def tuple_of(line: str) -> RelationTuple:
    """Read one tuple."""
    left, _, user = line.partition("@")
    object_, _, relation = left.rpartition("#")
    return RelationTuple(user, relation, object_)
