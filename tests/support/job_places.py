"""Where the tests of the job engine run: a folder, with a store of each kind. Imported by the files that use them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from persistence.engine import Database
from tests.support.job_worker import Place, create_tables


@pytest.fixture(params=["sqlite", "postgresql"])
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A folder and an empty store."""
    url = f"sqlite:///{tmp_path / 'stoa.sqlite'}"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url").replace("postgresql://", "postgresql+psycopg://", 1)
    return Place(url, str(tmp_path))


@pytest.fixture
async def database(place: Place) -> AsyncIterator[Database]:
    """The store of the place, with the engine's tables."""
    database = Database(place.url)
    await create_tables(database)
    yield database
    await database.close()
