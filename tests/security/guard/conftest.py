"""The engines of the guard's suite: each is made when the first test of a process asks for it."""

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.security.guard.engines import Engine, engine
from tests.support.mariadb import NoMariadb
from tests.support.needs import missing
from tests.support.postgres import NoPostgres


@pytest.fixture(scope="package")
def engine_of() -> Iterator[Callable[[str], Engine]]:
    """The engine of a dialect, with the shop on it."""
    made: dict[str, Engine] = {}
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    with ExitStack() as closing:

        def find(dialect: str) -> Engine:
            if dialect not in made:
                try:
                    made[dialect] = closing.enter_context(engine(dialect))
                except (NoPostgres, NoMariadb) as error:
                    missing(f"the engine for {dialect} ({error})", "see tests/support/postgres.py and mariadb.py")
            return made[dialect]

        yield find
