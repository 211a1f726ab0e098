"""The engines under test, each with the store that it needs: one async context manager for all of them."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from auth.local import LocalRelations
from auth.model import Model
from auth.openfga import OpenFgaRelations, OpenFgaSettings
from auth.relations import Relations, RelationTuple
from persistence.engine import Database, DatabaseSettings
from persistence.tables.authorization import relation_tuples
from persistence.tuples import StoredTuples

ENGINES = ("sqlite", "postgresql", "openfga")


@asynccontextmanager
async def database(url: str) -> AsyncIterator[Database]:
    """A database that has the tuples' table and nothing else."""
    opened = Database(DatabaseSettings(database_url=url).resolved_database_url)
    try:
        await opened.write(lambda connection: relation_tuples.create(connection, checkfirst=True))
        yield opened
    finally:
        await opened.close()


@asynccontextmanager
async def relations(engine: str, model: Model, request: pytest.FixtureRequest) -> AsyncIterator[Relations]:
    """An engine by name. The test module has the fixtures `postgres_url` and `openfga_url`."""
    if engine == "openfga":
        address: str = request.getfixturevalue("openfga_url")
        server = OpenFgaRelations(model, OpenFgaSettings(openfga_url=address))
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
        yield LocalRelations(model, StoredTuples(opened))


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
