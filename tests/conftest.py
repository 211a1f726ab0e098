"""Fixtures that every test may use: the store, the world, the two doors, the statements that ran."""

import gc

gc.disable()  # nothing of what is imported and collected goes away: each walk through it would find nothing

import asyncio
import atexit
import contextlib
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
import sqlalchemy as sa
import structlog
from _pytest.nodeid import NodeId
from hypothesis import HealthCheck
from hypothesis import settings as property_settings

from auth.openfga import store_name
from persistence.migrations.run import upgrade
from rest_compat.logs import with_request
from tests.doors import Door, GraphDoor, RestDoor
from tests.support import tiers
from tests.support.http_stub import self_signed
from tests.support.kept_database import KeptDatabase
from tests.support.memory import move_temporary_files
from tests.support.needs import absent
from tests.support.openfga import PATIENT, KeptStores, openfga_server
from tests.support.postgres import PostgresServer, postgres_server, postgres_url, shared_postgres
from tests.support.redis import redis_server
from tests.world import ORG, OTHER_ORG, Stock, StockedStore, World, running_world, settings_for, stocked


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that leaves no way out."""
    parser.addoption(
        tiers.EVERY_WAY, action="store_true", help="run what tries both stores on PostgreSQL through the graph, too"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let temporary files lie in memory, and no authority of the machine's be trusted, in every process of the run.

    Reading more than a hundred authorities costs a client of HTTP 20 to 40 ms, and thousands of tests make one each.
    """
    for name, what in tiers.MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {what}")
    config.pluginmanager.register(tiers.CpuTime(config))
    config.pluginmanager.register(tiers.Examples())
    if hasattr(config, "workerinput"):  # it has the environment of the process that started it
        return
    folder = move_temporary_files() or Path(tempfile.mkdtemp(prefix="stoa-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    authority = folder / "authority.pem"
    authority.write_text(self_signed(folder, "authority.invalid")[1])
    os.environ["SSL_CERT_FILE"] = str(authority)


def pytest_sessionstart() -> None:
    """Write what is logged without colours and columns: a line a request costs a twentieth of the request so."""
    structlog.configure(
        processors=[
            with_request,
            structlog.processors.add_log_level,
            structlog.dev.set_exc_info,
            structlog.processors.format_exc_info,
            structlog.processors.KeyValueRenderer(key_order=["event"]),
        ]
    )


SHARED_BY_FILE = ("tests/engines/", "tests/openapi/", "tests/persistence/connectors/")
"""Where the tests of a file share what is dear to set up, so that one process runs them all."""


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks that are asked for
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of each tier, and tell which ones one process is to run.

    The suffix of a name tells it, which --dist loadgroup looks at.

    pytest-xdist 3.8 writes the suffix where pytest 9.2 no longer reads it.
    """
    tiers.mark(items)
    if not config.getoption(tiers.EVERY_WAY) and (left_out := set(tiers.left_out(items))):
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=list(left_out))
    if not hasattr(config, "workerinput") or not config.getvalue("loadgroup"):
        return
    for item in items:
        file = item.nodeid.partition("::")[0]
        mark = item.get_closest_marker("xdist_group")
        group = mark.args[0] if mark is not None else file if file.startswith(SHARED_BY_FILE) else None
        if group is not None and not item.nodeid.endswith(f"@{group}"):
            item._id = NodeId.parse(f"{item.nodeid}@{group}")


@pytest.hookimpl(tryfirst=True)  # before it runs them
def pytest_runtestloop() -> None:
    """Let the collector of garbage begin, for what the tests make.

    It gets back what was imported when the process ends: pytest walks twice through all that it has before.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)  # libraries tell of what is left when the process ends
    atexit.register(gc.callbacks.clear)  # Hypothesis leaves one there, which keeps modules beyond the end, as leaks
    gc.set_threshold(FEW_WALKS, 10, WHOLE_WALKS)
    gc.enable()


FEW_WALKS = 20_000
"""New objects after which the collector looks for those that hold one another; Python's own 700 are for small heaps."""
WHOLE_WALKS = 3
"""After how many walks through what is older it walks through everything: whole platforms die old."""


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Name what this machine lacks, so that nothing is left out silently, and print what was measured.

    Figures are left out when a test failed: then what failed is what a reader looks for.
    """
    for what, how in absent():
        terminalreporter.write_line(f"not on this machine: {what} ({how})", yellow=True)
    if terminalreporter.getreports("failed") or terminalreporter.getreports("error"):
        return
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == "figures" and report.when == "call":
                terminalreporter.write_line(str(value))


__all__ = ["postgres_server", "postgres_url"]

STORES = ("sqlite", "postgresql")

# A busy machine is no fault of what is tested.
property_settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
property_settings.load_profile("patient")


@pytest.fixture(scope="session", autouse=True)
def _no_settings_of_the_machine() -> None:
    for name in [name for name in os.environ if name.startswith("STOA_") and not name.startswith("STOA_TEST_")]:
        if name not in ("STOA_OPENFGA_BIN", "STOA_FERRETDB_BIN", "STOA_CHROMIUM"):
            del os.environ[name]


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Callable[[str, object], None]:
    """Keep a figure of the test, by its name; those called `figures` are printed at the end of the run.

    pytest's own fixture for it warns when a report for JUnit is asked for, and warnings are errors here.
    """
    return lambda name, value: request.node.user_properties.append((name, value))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture(scope="session")
def _sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy, which is far cheaper than migrating for every test."""
    path = tmp_path_factory.mktemp("template") / "stoa.sqlite"
    upgrade(f"sqlite:///{path}")
    with sa.create_engine(f"sqlite:///{path}").connect() as connection:
        connection.exec_driver_sql("pragma wal_checkpoint(truncate)")
    return path


class _PostgresTemplate:
    """A migrated PostgreSQL database to clone, made when the first test asks for it."""

    def __init__(self) -> None:
        self._made: tuple[PostgresServer, str] | None = None

    def clone(self) -> tuple[PostgresServer, str]:
        """A fresh database and the server that it is on."""
        if self._made is None:
            server = shared_postgres()
            url = server.create_database()
            upgrade(url.replace("postgresql://", "postgresql+psycopg://", 1))
            self._made = server, sa.make_url(url).database or ""
        server, template = self._made
        return server, server.create_database(template)


@pytest.fixture(scope="session")
def _postgres_template() -> _PostgresTemplate:
    return _PostgresTemplate()


@pytest.fixture(params=STORES)
def store_kind(request: pytest.FixtureRequest) -> str:
    """Which store a test runs on; every test that uses it, directly or not, runs on both."""
    return str(request.param)


@pytest.fixture
def store_url(
    store_kind: str, tmp_path: Path, _sqlite_template: Path, _postgres_template: _PostgresTemplate
) -> Iterator[str | None]:
    """STOA_DATABASE_URL of a fresh, migrated store; None for SQLite, which stands in the data folder then."""
    if store_kind == "sqlite":
        (tmp_path / "data").mkdir(exist_ok=True)
        shutil.copy(_sqlite_template, tmp_path / "data" / "stoa.sqlite")
        yield None
        return
    server, url = _postgres_template.clone()
    yield url
    server.drop_database(url)


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Settings that a test module or test changes by overriding this fixture."""
    return {}


class _ScaledParts:
    """The servers of a scaled deployment, started when the first test asks for them.

    A part that this machine lacks is left out, and named at the end of the run; on CI it fails instead.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._closing = contextlib.ExitStack()
        self._settings: dict[str, Any] | None = None
        self._openfga: dict[str, Any] | None = None
        self._emptied: redis.Redis | None = None
        self._stores: KeptStores | None = None

    def settings(self, *, openfga: bool) -> dict[str, Any]:
        """Return what a deployment with these servers sets; no window, store or relation of another test is left on
        them.

        Without `openfga` the platform evaluates permissions by itself.
        """
        if self._settings is None:
            self._settings = {}
            with contextlib.suppress(pytest.skip.Exception):  # what is missing is named once, at the end of the run
                url = self._closing.enter_context(redis_server(self._folder)).url
                self._settings["redis_url"] = url
                self._emptied = self._closing.enter_context(redis.Redis.from_url(url))
        if self._emptied is not None:
            self._emptied.flushall()
        return self._settings | (self._openfga_settings() if openfga else {})

    def _openfga_settings(self) -> dict[str, Any]:
        if self._openfga is None:
            prefix = f"t{uuid4().hex[:12]}-"
            self._openfga = {"openfga_store_prefix": prefix}
            with contextlib.suppress(pytest.skip.Exception):  # as above; where all is required, it fails instead
                url = self._closing.enter_context(openfga_server())
                self._openfga |= {"openfga_url": url, "openfga_timeout": PATIENT}
                self._stores = KeptStores(url, *(store_name(org, prefix) for org in (ORG, OTHER_ORG)))
                self._closing.callback(self._stores.close)
        if self._stores is not None:
            self._stores.empty()
        return self._openfga

    def close(self) -> None:
        """Stop them."""
        self._closing.close()


@pytest.fixture(scope="session")
def _scaled_parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_ScaledParts]:
    parts = _ScaledParts(tmp_path_factory.mktemp("redis"))
    yield parts
    parts.close()


class _StockedStores:
    """A store of each kind with both organizations and their projects in it, made when the first test asks for it.

    Copying it costs less than stocking an empty one for each test.
    """

    def __init__(self, folder: Path, template: Path, postgres: _PostgresTemplate, scaled: _ScaledParts) -> None:
        self._folder, self._template, self._postgres, self._scaled = folder, template, postgres, scaled
        self._made: dict[tuple[str, bool], tuple[Path, KeptDatabase | None, Stock]] = {}

    def of(self, kind: str, *, openfga: bool) -> tuple[Path, KeptDatabase | None, Stock]:
        """Its data folder, its database on PostgreSQL, and what stands in it.

        The relations stand in the store, unless `openfga` keeps them.
        """
        wanted = kind, openfga
        if wanted not in self._made:
            folder = self._folder / (f"{kind}-openfga" if openfga else kind)
            (folder / "data").mkdir(parents=True)
            url, given = None, {}
            if kind == "sqlite":
                shutil.copy(self._template, folder / "data" / "stoa.sqlite")
            else:
                url, given = self._postgres.clone()[1], self._scaled.settings(openfga=openfga)
                if openfga:
                    given |= {"openfga_store_prefix": "stock-"}
            settings = settings_for(folder, url, migrate_on_start=False, **given)
            with ThreadPoolExecutor(1) as apart:  # the tests' own event loop is not to be touched
                stock = apart.submit(asyncio.run, stocked(settings)).result()
            self._made[wanted] = folder / "data", KeptDatabase(shared_postgres(), url) if url else None, stock
        return self._made[wanted]

    def close(self) -> None:
        """Drop the database that was kept."""
        for _, database, _ in self._made.values():
            if database is not None:
                database.drop()


@pytest.fixture(scope="session")
def _stocked_stores(
    tmp_path_factory: pytest.TempPathFactory,
    _sqlite_template: Path,
    _postgres_template: _PostgresTemplate,
    _scaled_parts: _ScaledParts,
) -> Iterator[_StockedStores]:
    stores = _StockedStores(tmp_path_factory.mktemp("stocked"), _sqlite_template, _postgres_template, _scaled_parts)
    yield stores
    stores.close()


@pytest.fixture
def with_openfga(request: pytest.FixtureRequest, store_kind: str) -> bool:
    """Return whether an OpenFGA server answers who may do what; otherwise the platform does, from its own store."""
    return store_kind == "postgresql" and tiers.asks_openfga(request.node)


@pytest.fixture
def stocked_store(
    store_kind: str, with_openfga: bool, tmp_path: Path, _stocked_stores: _StockedStores
) -> Iterator[StockedStore]:
    """A copy of the stocked store; its data folder is the test's."""
    folder, database, stock = _stocked_stores.of(store_kind, openfga=with_openfga)
    shutil.copytree(folder, tmp_path / "data", dirs_exist_ok=True)
    if database is None:
        yield StockedStore(None, stock)
        return
    yield StockedStore(database.url(), stock)
    database.give_back()


@pytest.fixture
def deployment(store_kind: str, with_openfga: bool, _scaled_parts: _ScaledParts) -> dict[str, Any]:
    """The settings of the test's deployment: all embedded on SQLite; Redis, and OpenFGA, beside PostgreSQL."""
    return {} if store_kind == "sqlite" else _scaled_parts.settings(openfga=with_openfga)


@pytest.fixture
async def world(
    stocked_store: StockedStore, tmp_path: Path, deployment: dict[str, Any], setting_overrides: dict[str, Any]
) -> AsyncIterator[World]:
    """A running platform: everything embedded, or PostgreSQL with Redis, and with OpenFGA where the tier asks it."""
    settings = settings_for(tmp_path, stocked_store.url, migrate_on_start=False, **(deployment | setting_overrides))
    async with running_world(settings, stock=stocked_store.stock) as world:
        yield world


@pytest.fixture(params=[RestDoor, GraphDoor], ids=["rest", "graphql"])
def door(request: pytest.FixtureRequest, world: World) -> Door:
    """One way in; every test that uses it runs through both."""
    chosen: Door = request.param(world.client)
    return chosen


TABLE = re.compile(r"\b(?:from|join|into|update)\s+(\w+)", re.IGNORECASE)


class Statements(list[str]):
    """The SQL statements that a platform has run, in their order."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self._world = world
        # An organization's own limits are read anew every few seconds, by whichever request comes then.
        world.app.parts.context_factory.tenant_rows.clock = lambda: 0.0
        for engine in world.app.parts.database.sync_engines:
            sa.event.listen(engine, "before_cursor_execute", self._record)

    async def anew(self) -> None:
        """Count from here on, when nothing runs any more that earlier requests and jobs began in the background."""
        await self._world.jobs.settle()
        await self._world.app.parts.services.documents.settled()
        self.clear()

    def counted(self) -> Counter[str]:
        """How many there were, by the tables that each names; what frames a transaction does not count."""
        asked = (one for one in self if not one.startswith(("BEGIN", "COMMIT", "ROLLBACK")))
        return Counter(" ".join(TABLE.findall(one)) for one in asked)

    def _record(self, _connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        self.append(statement)


@pytest.fixture
def statements(world: World) -> Statements:
    """The SQL statements that the platform runs from here on."""
    return Statements(world)
