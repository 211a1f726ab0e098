"""Bringing the store's tables up to date, and back."""

import contextlib
import functools
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError

from persistence import tables
from persistence.private import private_database
from persistence.tables import metadata

FOLDER = Path(__file__).parent


def whole_metadata() -> sa.MetaData:
    """Every table of the house, whichever modules happen to be imported."""
    for module in pkgutil.iter_modules(tables.__path__):
        importlib.import_module(f"{tables.__name__}.{module.name}")
    return metadata


def configuration(url: str) -> Config:
    """Alembic's own configuration, without a file."""
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["url"] = url
    return config


class OtherVersion(Exception):
    """The store's tables are of another version than this program; the words say what to do."""


def upgrade(url: str, revision: str = "head") -> None:
    """Bring the store at a SQLAlchemy address up to a revision. Blocks; one process at a time does it.

    Raises OtherVersion when a newer version has changed the store.
    """
    database = sa.make_url(url).database
    if url.startswith("sqlite") and database:
        private_database(database)
    with _known_tables(url):
        command.upgrade(configuration(url), revision)


def downgrade(url: str, revision: str = "base") -> None:
    """Take the store back to a revision; what the later tables held is gone. Raises OtherVersion as `upgrade` does."""
    with _known_tables(url):
        command.downgrade(configuration(url), revision)


def check(url: str) -> None:
    """Make sure that the store is up to date, and change nothing. Raises OtherVersion."""
    standing = _standing(url)
    if standing == _newest():
        return
    with _known_tables(url):
        if standing is not None:
            ScriptDirectory.from_config(configuration(url)).get_revision(standing)
    raise OtherVersion(
        f"The store's tables are {f'of revision {standing}' if standing else 'not made yet'} and this version needs "
        f"{_newest()}. Run `stoa migrate`, or set STOA_MIGRATE_ON_START=true."
    )


@functools.cache
def _newest() -> str | None:
    """The revision that this version's code needs. Reading the revisions costs 15 ms of CPU, so it is done once."""
    return ScriptDirectory.from_config(configuration("")).get_current_head()


def _standing(url: str) -> str | None:
    """The revision of the store's tables; None before the first."""
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    finally:
        engine.dispose()


@contextlib.contextmanager
def _known_tables(url: str) -> Iterator[None]:
    """Say what it means when the store names a revision that this version does not have."""
    try:
        yield
    except CommandError as error:
        raise OtherVersion(
            f"The store's tables are of revision {_standing(url)}, which this version of Stoa does not know: a newer "
            "one has changed them. Install that version, or name another store in STOA_DATABASE_URL or STOA_DATA."
        ) from error
