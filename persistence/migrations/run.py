"""Bringing the store's tables up to date, and back."""

import importlib
import pkgutil
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from persistence import tables
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


def upgrade(url: str, revision: str = "head") -> None:
    """Bring the store at a SQLAlchemy address up to a revision. Blocks; one process at a time does it."""
    database = sa.make_url(url).database
    if url.startswith("sqlite") and database:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    command.upgrade(configuration(url), revision)


def downgrade(url: str, revision: str = "base") -> None:
    """Take the store back to a revision; what the later tables held is gone."""
    command.downgrade(configuration(url), revision)
