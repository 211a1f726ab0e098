"""A platform's folder and store, with the processes that a test starts and kills on it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa

from persistence.tables.catalog import metadata_assets
from tests.support.server import Client, Server, Worker, stoa

ONE_AT_A_TIME = {"job_concurrency": 1}

_OF_ITS_OWN = {"id", "row_number", "parent_id", "organization_id", "project_id", "resource_uri"}
SAID = [c for c in metadata_assets.columns if c.name not in _OF_ITS_OWN | {"created_at", "updated_at"}]
"""What a catalog says, beside the ids and times that differ between two of them."""


@dataclass
class Place:
    """A platform's folder and store, which outlive its processes."""

    folder: Path
    settings: dict[str, Any]
    started: ExitStack

    @property
    def url(self) -> str:
        """The SQLAlchemy address of its store."""
        given: str | None = self.settings.get("database_url")
        if given is None:
            return f"sqlite:///{self.folder / 'data' / 'stoa.sqlite'}"
        return given.replace("postgresql://", "postgresql+psycopg://", 1)

    def serve(self) -> Server:
        """Start a server and wait until it serves."""
        return self.started.enter_context(Server(self.folder, settings=self.settings)).ready()

    def work(self) -> Worker:
        """Start a worker and wait until it takes work."""
        return self.started.enter_context(Worker(self.folder, settings=self.settings)).ready()

    def client(self, server: Server, project: str | None = None) -> Client:
        """The owner, at a server."""
        return self.started.enter_context(Client(self.folder, server, project))

    def rows(self, query: sa.Select[Any]) -> list[Any]:
        """Return what the store holds, without asking the platform."""
        engine = sa.create_engine(self.url)
        try:
            with engine.connect() as connection:
                return [tuple(row) for row in connection.execute(query)]
        finally:
            engine.dispose()

    def catalog(self) -> list[str]:
        """Everything that the catalog says, sorted."""
        rows = self.rows(sa.select(*SAID))
        return sorted(orjson.dumps(row, option=orjson.OPT_SORT_KEYS).decode() for row in rows)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Callable[..., Place]]:
    """Makes platforms with the organization acme; their processes are killed at the end."""
    with ExitStack() as started:

        def make(name: str = "platform", **settings: Any) -> Place:
            folder = tmp_path / name
            made = Place(folder, ONE_AT_A_TIME | settings, started)
            answer = stoa(folder, "bootstrap", "--org", "acme", "--owner", "olga", settings=made.settings)
            assert answer.returncode == 0, answer.stderr
            return made

        yield make
