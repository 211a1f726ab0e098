"""What the tests of ingestion share: a shop to read, a bench to run it on, and fixtures for both."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from persistence.jobs.port import FanOut, JobContext
from resolvers.assets.data_connections import create_data_connection
from resolvers.data_readiness.runs.operations import (
    RUN_JOB,
    get_workflow_run,
    trigger_run,
)
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.utils.metadata import get_metadata, search_metadata
from schema.assets.data_connection import ConnectionType, DataConnectionCreate
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from tests.doors import Door, Refused, RestDoor
from tests.support.postgres import PostgresServer, database_name
from tests.world import World

PASSWORD = "never-shown-9f2"
ODD = 'Ünï "x".y Z'

SHOP = """
    drop schema public;
    create schema sales;
    create schema "Ünï ""x"".y Z";
    comment on schema sales is 'What was sold.';
    create table sales.customers (
        id bigint primary key,
        email varchar(120) not null unique,
        "Full Name" text,
        credit numeric(12, 2) default 0
    );
    comment on table sales.customers is 'Who buys.';
    comment on column sales.customers.email is 'Where we write to.';
    create table sales.orders (
        customer_id bigint not null references sales.customers (id),
        number integer not null,
        placed timestamptz,
        primary key (customer_id, number)
    );
    create view sales.big as select id, email from sales.customers where credit > 100;
    create table "Ünï ""x"".y Z"."a.b ""c"" Ď" ("Key.1" integer primary key, "select" text, "ÅÄÖ" boolean);
    insert into sales.customers select i, 'a' || i, 'n', i from generate_series(1, 40) i;
    analyze;
"""


@dataclass
class Source:
    """A PostgreSQL database that a test connects and changes, with a role that the platform signs in as."""

    server: PostgresServer
    url: str
    role: str

    @property
    def database(self) -> str:
        """Its name, which is the second part of every dotted name."""
        return database_name(self.url)

    def run(self, statements: str) -> None:
        """Change it."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statements.encode())

    def may_read(self, *schemas: str) -> None:
        """Let the platform's role read schemas."""
        self.run(self._grants(schemas))

    def fill(self, statements: str, *schemas: str) -> None:
        """Make the role and what it may read, all over one connection: each costs the server a process."""
        made = sql.SQL("create role {} login password {}").format(sql.Identifier(self.role), PASSWORD).as_string()
        self.run(f"{made}; {statements}; {self._grants(schemas)}")

    def _grants(self, schemas: Iterable[str]) -> str:
        return ";".join(
            sql.SQL(grant).format(schema=sql.Identifier(schema), role=sql.Identifier(self.role)).as_string()
            for schema in schemas
            for grant in (
                "grant usage on schema {schema} to {role}",
                "grant select on all tables in schema {schema} to {role}",
                "alter default privileges in schema {schema} grant select on tables to {role}",
            )
        )


@pytest.fixture
def source(postgres_server: PostgresServer) -> Iterator[Source]:
    """A shop in two schemas."""
    url = postgres_server.create_database()
    made = Source(postgres_server, url, f"reader_{database_name(url)}")
    made.fill(SHOP, "sales", ODD)
    yield made
    postgres_server.drop_database(url)
    postgres_server.execute(f'drop role "{made.role}"')


@dataclass
class Bench:
    """A connection and a configuration that ingests it, as the owner through one door."""

    world: World
    door: Door
    connection: dict[str, Any]
    configuration: str

    @property
    def uri(self) -> str:
        """The connection's URI."""
        return str(self.connection["resource_uri"])

    async def call(self, operation: Any, **arguments: Any) -> Any:
        """Call an operation as the owner."""
        keep_up(self.world)
        return await self.door(operation, self.world.owner, **arguments)

    async def trigger(self, **given: Any) -> Any:
        """Trigger a run; its answer."""
        return await self.call(trigger_run, configuration_id=self.configuration, run=RunCreate(**given))

    async def run(self, run_id: str) -> dict[str, Any]:
        """A run as it stands."""
        found: dict[str, Any] = await self.call(get_workflow_run, configuration_id=self.configuration, run_id=run_id)
        return found

    async def ingest(self, status: str = "completed", **given: Any) -> dict[str, Any]:
        """Trigger a run, wait for its end, and check how it ended."""
        started = await self.trigger(**given)
        assert not isinstance(started, Refused), started.message
        await self.world.jobs.settle()
        run = await self.run(started["id"])
        assert run["status"] == status, run["error_message"]
        assert PASSWORD not in str(run)
        return run

    async def asset(self, *path: str, **how: Any) -> dict[str, Any]:
        """An asset by the names below the service."""
        from schema.identifiers import Fqn

        found: dict[str, Any] = await self.call(
            get_metadata,
            resource_type="data_connection",
            resource_uri=self.uri,
            fqn=str(Fqn.of("shop", *path)),
            **how,
        )
        assert not isinstance(found, Refused), found.message
        return found

    async def names(self, kind: str | None = None) -> set[str]:
        """The dotted names of what stands in the catalog, without the service and the database."""
        about = {"asset_type": kind} if kind else {}
        found = await self.call(search_metadata, resource_uri=self.uri, limit=200, **about)
        return {asset["fully_qualified_name"].split(".", 2)[-1] for asset in found["items"]}


def keep_up(world: World) -> None:
    """Move the platform's clock to the real time, which tokens are issued at: ingestions take a while."""
    world.clock.moment = max(world.clock.moment, datetime.now(UTC))


async def connected(world: World, door: Door, body: dict[str, Any]) -> Bench:
    """Register a source and a configuration for it."""
    keep_up(world)
    connection = await door(create_data_connection, world.owner, connection=DataConnectionCreate(**body))
    assert not isinstance(connection, Refused), connection
    configuration = await door(
        create_workflow_configuration,
        world.owner,
        configuration=WorkflowConfigurationCreate(
            name="Ingest",
            workflow_type=WorkflowType.SERVICE_INGESTION,
            config={"resource_uri": connection["resource_uri"]},
        ),
    )
    return Bench(world, door, connection, configuration["id"])


def body_of(source: Source, **given: Any) -> dict[str, Any]:
    """The body that registers a source."""
    address = urlsplit(source.url)
    return {
        "name": "Shop",
        "connection_type": ConnectionType.POSTGRES,
        "database_config": {"host": address.hostname, "port": address.port, "database": source.database},
        "credentials": {"username": source.role, "password": PASSWORD},
    } | given


@pytest.fixture
async def bench(world: World, door: Door, source: Source) -> Bench:
    """The shop, connected; the test runs through both doors."""
    return await connected(world, door, body_of(source))


@pytest.fixture
async def shop(world: World, source: Source) -> Bench:
    """The shop, connected, through REST alone: for tests that turn on the store."""
    return await connected(world, RestDoor(world.client), body_of(source))


Gate = Callable[[Callable[[str], Awaitable[None]]], None]


@pytest.fixture
def before_task(world: World) -> Gate:
    """Lets a test do something before each task of a run begins."""

    def install(step: Callable[[str], Awaitable[None]]) -> None:
        worker = world.app.parts.worker

        async def task(job: JobContext, arguments: dict[str, Any]) -> dict[str, Any] | None:
            await step(job.key)
            return await worker._task(job, arguments)

        world.jobs.register(RUN_JOB, FanOut(plan=worker._plan, task=task, finish=worker._finish, failed=worker._failed))

    return install


async def catalog(world: World) -> dict[str, Any]:
    """Everything in the store but the runs themselves, and that they have ended."""
    dump, runs = await world.dump(), ("workflow_runs", "run_tasks", "run_targets", "events")
    return {name: rows for name, rows in dump.items() if name not in runs}


def fields(asset: dict[str, Any]) -> tuple[set[str], set[str], set[str]]:
    """Return what a version says was added, updated and deleted."""
    said = asset["change_description"]
    added, updated, deleted = (
        {field["field_name"] for field in said[name]} for name in ("fields_added", "fields_updated", "fields_deleted")
    )
    return added, updated, deleted


@pytest.fixture
def setting_overrides(tmp_path: Path) -> dict[str, Any]:
    """Let nfs connections read the test's own folder, and tests be slower than the platform's clock, which stands."""
    return {"filesystem_roots": (f"acme={tmp_path}",), "token_leeway": 120}
