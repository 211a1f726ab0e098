"""Service ingestion of real sources, through both doors, on both stores: what it reads, keeps, versions and marks."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from persistence.jobs import FanOut, JobContext, JobTask
from resolvers.assets.data_connections import create_data_connection, update_data_connection
from resolvers.data_readiness.runs import (
    RUN_JOB,
    cancel_run,
    get_workflow_run,
    list_run_tasks,
    list_workflow_runs,
    trigger_run,
)
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.governance.permissions import delete_all_permissions
from resolvers.utils.metadata import get_metadata, search_metadata, update_metadata
from schema.assets.data_connection import ConnectionType, DataConnectionChange, DataConnectionCreate
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.governance.permission import GovernedResource, ResourceType
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.doors import Door, Refused, RestDoor
from tests.support.postgres import PostgresServer, database_name, free_port
from tests.world import World

pytestmark = pytest.mark.anyio

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
        for schema in schemas:
            names = {"schema": sql.Identifier(schema), "role": sql.Identifier(self.role)}
            for grant in (
                "grant usage on schema {schema} to {role}",
                "grant select on all tables in schema {schema} to {role}",
                "alter default privileges in schema {schema} grant select on tables to {role}",
            ):
                self.server.execute(sql.SQL(grant).format(**names), database=self.database)


@pytest.fixture
def source(postgres_server: PostgresServer) -> Iterator[Source]:
    """A shop in two schemas."""
    url = postgres_server.create_database()
    made = Source(postgres_server, url, f"reader_{database_name(url)}")
    postgres_server.execute(f"create role \"{made.role}\" login password '{PASSWORD}'")
    made.run(SHOP)
    made.may_read("sales", ODD)
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
    """Everything in the store but the runs themselves."""
    dump = await world.dump()
    return {name: rows for name, rows in dump.items() if name not in ("workflow_runs", "run_tasks")}


def fields(asset: dict[str, Any]) -> tuple[set[str], set[str], set[str]]:
    """What a version says was added, updated and deleted."""
    said = asset["change_description"]
    added, updated, deleted = (
        {field["field_name"] for field in said[name]} for name in ("fields_added", "fields_updated", "fields_deleted")
    )
    return added, updated, deleted


async def test_a_source_is_read_whole(bench: Bench, source: Source) -> None:
    run = await bench.ingest()
    assert run["output"] == {
        "created": 1 + 2 + 4 + 4 + 3 + 2 + 3,
        "updated": 0,
        "unchanged": 0,
        "vanished": 0,
        "restored": 0,
        "tasks": 2,
        "failed_tasks": 0,
    }
    database = await bench.asset(source.database)
    assert (database["type"], database["children_total"], database["table_count"]) == ("database", 2, 4)
    sales = await bench.asset(source.database, "sales", include_children=True)
    assert (sales["description"], sales["table_count"]) == ("What was sold.", 3)
    assert {child["name"] for child in sales["children"]} == {"customers", "orders", "big"}
    customers = await bench.asset(source.database, "sales", "customers", include_children=True)
    assert (customers["description"], customers["table_type"], customers["row_count"]) == ("Who buys.", "TABLE", 40)
    assert {(key["type"], tuple(key["columns"])) for key in customers["constraint"]["keys"]} == {
        ("PRIMARY_KEY", ("id",)),
        ("UNIQUE", ("email",)),
    }
    columns = {child["name"]: child for child in customers["children"]}
    assert [child["ordinal_position"] for child in customers["children"]] != []
    assert {name: column["ordinal_position"] for name, column in columns.items()} == {
        "id": 1,
        "email": 2,
        "Full Name": 3,
        "credit": 4,
    }
    email, credit = columns["email"], columns["credit"]
    assert (email["data_type"], email["data_type_display"], email["data_length"], email["nullable"]) == (
        "VARCHAR",
        "character varying(120)",
        120,
        False,
    )
    assert (email["description"], email["constraint"]) == ("Where we write to.", {"keys": ["UNIQUE"]})
    assert (credit["data_type"], credit["precision"], credit["scale"], credit["nullable"]) == ("NUMERIC", 12, 2, True)
    assert credit["constraint"] == {"default": "0"}
    assert {asset["version"] for asset in (database, sales, customers, email)} == {"0.1"}
    big = await bench.asset(source.database, "sales", "big")
    assert big["table_type"] == "VIEW"
    assert "FROM sales.customers" in big["schema_definition"]


async def test_foreign_keys_become_relationships(shop: Bench, source: Source) -> None:
    await shop.ingest()
    column = await shop.asset(source.database, "sales", "orders", "customer_id")
    assert column["constraint"] == {"keys": ["FOREIGN_KEY", "PRIMARY_KEY"]}
    [relationship] = column["column_relationships"]
    assert relationship.pop("name")
    assert relationship == {"type": "FOREIGN_KEY", "schema": "sales", "table": "customers", "column": "id"}


async def test_odd_names_survive(bench: Bench, source: Source) -> None:
    await bench.ingest()
    table = await bench.asset(source.database, ODD, 'a.b "c" Ď', include_children=True)
    assert table["name"] == 'a.b "c" Ď'
    assert table["fully_qualified_name"] == f'shop.{source.database}."Ünï ""x"".y Z"."a.b ""c"" Ď"'
    assert {child["name"] for child in table["children"]} == {"Key.1", "select", "ÅÄÖ"}
    below = await bench.call(search_metadata, fqn_prefix=table["fully_qualified_name"], sort_by="ordinal_position")
    assert [asset["name"] for asset in below["items"]] == ["Key.1", "select", "ÅÄÖ"]
    run = await bench.ingest(asset_fqn=table["fully_qualified_name"])
    assert (run["schema_name"], run["table_name"]) == (ODD, 'a.b "c" Ď')
    assert (run["output"]["unchanged"], run["output"]["created"]) == (2 + 1 + 3, 0)


async def test_a_run_tells_what_it_was_about(bench: Bench, source: Source) -> None:
    started = await bench.trigger(asset_fqn=f"shop.{source.database}.sales", parameters={"note": 1}, save_all=True)
    assert (started["status"], started["save_all"]) == ("pending", True)
    assert bench.door.name == "graphql" or (bench.door.last is not None and bench.door.last.status_code == 202)
    await bench.world.jobs.settle()
    run = await bench.run(started["id"])
    assert run["service_name"] == "shop"
    assert (run["database_name"], run["schema_name"], run["table_name"]) == (source.database, "sales", None)
    assert (run["workflow_name"], run["workflow_type"]) == ("Ingest", "service-ingestion")
    assert run["input"]["parameters"] == {"note": 1}
    assert run["duration_seconds"] > 0
    assert run["error_message"] is None
    assert run["started_at"] < run["completed_at"]
    [task] = run["tasks"]
    assert set(task) == {"id", "run_id", "name", "status", "started_at", "completed_at"}
    assert (task["run_id"], task["name"], task["status"]) == (run["id"], f"{source.database}.sales", "completed")
    [listed] = (await bench.call(list_workflow_runs, configuration_id=bench.configuration, status="completed"))["items"]
    assert listed == run
    nothing = await bench.call(list_workflow_runs, configuration_id=bench.configuration, status="failed")
    assert nothing == {"items": [], "total": 0}


async def test_tasks_are_batches_of_fifty_tables_in_order_and_paged(bench: Bench, source: Source) -> None:
    source.run("".join(f"create table sales.t{number:03} (id integer);" for number in range(117)))
    run = await bench.ingest()
    label = f"{source.database}.sales"
    wanted = [
        f"{label} (1-50 of 120)",
        f"{label} (51-100 of 120)",
        f"{label} (101-120 of 120)",
        f'{source.database}."Ünï ""x"".y Z"',
    ]
    assert [task["name"] for task in run["tasks"]] == wanted
    about = {"configuration_id": bench.configuration, "run_id": run["id"]}
    pages = [await bench.call(list_run_tasks, **about, page=page, per_page=3) for page in (1, 2, 3)]
    assert [[task["name"] for task in page["items"]] for page in pages] == [wanted[:3], wanted[3:], []]
    assert {page["total"] for page in pages} == {4}
    assert (await bench.call(list_run_tasks, **about, status="completed"))["total"] == 4
    assert (await bench.call(list_run_tasks, **about, status="failed")) == {"items": [], "total": 0}
    assert await bench.call(list_run_tasks, **about, per_page=101) == "INVALID_PARAMETER"
    assert run["output"]["created"] == 1 + 2 + 4 + 12 + 117 * 2
    assert run["output"]["unchanged"] == 0


async def test_an_unchanged_source_changes_nothing(shop: Bench, world: World) -> None:
    first = await shop.ingest()
    before = await catalog(world)
    second = await shop.ingest()
    assert await catalog(world) == before
    created = first["output"]["created"]
    assert second["output"] == first["output"] | {"created": 0, "unchanged": created}


async def test_a_persons_description_stays_and_the_sources_comment_comes_back_when_it_is_cleared(
    shop: Bench, source: Source
) -> None:
    await shop.ingest()
    path = (source.database, "sales", "customers")
    about = {
        "resource_type": "data_connection",
        "resource_uri": shop.uri,
        "fqn": f"shop.{source.database}.sales.customers",
    }
    edited = await shop.call(update_metadata, **about, changes=MetadataAssetUpdate(description="Our people."))
    assert edited["version"] == "0.2"
    source.run("comment on table sales.customers is 'Changed in the source.'")
    run = await shop.ingest()
    table = await shop.asset(*path)
    assert (table["description"], table["version"]) == ("Our people.", "0.2")
    assert run["output"]["vanished"] == 0
    cleared = await shop.call(update_metadata, **about, changes=MetadataAssetUpdate(description=None))
    assert cleared["description"] == "Changed in the source."


async def test_changes_of_the_source_become_versions(shop: Bench, source: Source) -> None:
    await shop.ingest()
    path = (source.database, "sales", "customers")
    source.run("comment on table sales.customers is 'Who buys from us.'")
    await shop.ingest()
    table = await shop.asset(*path)
    assert (table["version"], table["description"]) == ("0.2", "Who buys from us.")
    assert fields(table) == (set(), {"description"}, set())
    assert table["change_description"]["previous_version"] == "0.1"

    source.run("alter table sales.customers add column phone text")
    run = await shop.ingest()
    table = await shop.asset(*path)
    assert (table["version"], table["column_count"]) == ("0.3", 5)
    assert fields(table) == ({"columns.phone"}, set(), set())
    assert (run["output"]["created"], run["output"]["updated"]) == (1, 1) or run["output"]["created"] == 1

    source.run("alter table sales.customers alter column phone type varchar(40)")
    await shop.ingest()
    table, phone = await shop.asset(*path), await shop.asset(*path, "phone")
    assert (table["version"], phone["version"]) == ("1.0", "1.0")
    assert "columns.phone.data_type" in fields(table)[1]
    assert "data_type" in fields(phone)[1]
    assert phone["change_summary"]["structural"] is True

    source.run("alter table sales.customers drop column phone")
    run = await shop.ingest()
    table = await shop.asset(*path)
    assert (table["version"], table["column_count"]) == ("2.0", 4)
    assert fields(table) == (set(), set(), {"columns.phone"})
    assert run["output"]["vanished"] == 1
    before = await shop.asset(*path, version="1.0")
    assert before["version"] == "1.0"
    assert (await shop.asset(source.database, "sales", "orders"))["version"] == "0.1"


async def test_a_dropped_table_is_marked_and_comes_back(shop: Bench, source: Source) -> None:
    await shop.ingest()
    source.run("drop table sales.orders")
    run = await shop.ingest()
    assert run["output"]["vanished"] == 1 + 3
    assert "sales.orders" not in await shop.names("table")
    assert (await shop.asset(source.database, "sales"))["table_count"] == 2
    found = await shop.call(search_metadata, q="deleted_at:* AND type:table")
    assert [asset["name"] for asset in found["items"]] == ["orders"]
    assert (await shop.ingest())["output"]["vanished"] == 0

    source.run("create table sales.orders (customer_id bigint not null, number integer not null, placed timestamptz)")
    run = await shop.ingest()
    orders = await shop.asset(source.database, "sales", "orders", include_children=True)
    assert orders["deleted_at"] is None
    assert {child["name"] for child in orders["children"]} == {"customer_id", "number", "placed"}
    assert run["output"]["restored"] == 4
    assert (await shop.asset(source.database, "sales"))["table_count"] == 3


async def test_a_dropped_schema_is_marked_with_everything_below(shop: Bench, source: Source) -> None:
    await shop.ingest()
    source.run("drop schema sales cascade")
    run = await shop.ingest()
    assert run["output"]["vanished"] == 1 + 3 + 4 + 3 + 2
    assert await shop.names("database_schema") == {'"Ünï ""x"".y Z"'}


async def test_what_people_wrote_by_hand_does_not_vanish(shop: Bench, source: Source) -> None:
    from resolvers.utils.metadata import create_metadata
    from schema.utils.metadata_asset import AssetType, MetadataAssetCreate

    await shop.ingest()
    name = f"shop.{source.database}.sales.planned"
    made = await shop.call(
        create_metadata,
        resource_type="data_connection",
        resource_uri=shop.uri,
        asset=MetadataAssetCreate(type=AssetType.TABLE, fully_qualified_name=name),
    )
    assert made["fully_qualified_name"] == name
    assert (await shop.ingest())["output"]["vanished"] == 0
    assert "sales.planned" in await shop.names("table")


@pytest.mark.parametrize("below", ["", ".sales", ".sales.customers"], ids=["database", "schema", "table"])
async def test_asset_fqn_limits_a_run_and_the_rest_is_left_alone(shop: Bench, source: Source, below: str) -> None:
    await shop.ingest()
    source.run(
        """
        alter table sales.customers add column more text;
        drop view sales.big;
        drop table sales.orders;
        drop table "Ünï ""x"".y Z"."a.b ""c"" Ď";
        """
    )
    run = await shop.ingest(asset_fqn=f"shop.{source.database}{below}")
    assert (await shop.asset(source.database, "sales", "customers"))["column_count"] == 5
    odd = '"Ünï ""x"".y Z"."a.b ""c"" Ď"'
    standing = {
        "": {"sales.customers"},
        ".sales": {"sales.customers", odd},
        ".sales.customers": {"sales.customers", "sales.big", "sales.orders", odd},
    }
    assert await shop.names("table") == standing[below]
    assert run["output"]["vanished"] == {"": 4 + 3 + 4, ".sales": 4 + 3, ".sales.customers": 0}[below]


@pytest.mark.parametrize("given", ["other.db", "shop..x", 'shop."x', ".", "shop.a.b.c.d"])
async def test_a_wrong_asset_fqn_is_refused_and_nothing_starts(bench: Bench, given: str) -> None:
    refused = await bench.trigger(asset_fqn=given)
    if given == "shop.a.b.c.d" and not isinstance(refused, Refused):
        await bench.world.jobs.settle()
        run = await bench.run(refused["id"])
        assert (run["status"], run["error_message"]) == (
            "failed",
            "asset_fqn names a column, and the smallest part that can be ingested is a table.",
        )
        return
    assert isinstance(refused, Refused)
    assert refused.status in (400, 422)
    assert (await bench.call(list_workflow_runs, configuration_id=bench.configuration))["total"] == 0


@pytest.mark.parametrize("below", ["nowhere", "{db}.nowhere", "{db}.sales.nowhere"])
async def test_an_asset_fqn_that_the_source_does_not_have_fails_the_run(
    shop: Bench, source: Source, world: World, below: str
) -> None:
    await shop.ingest()
    before = await catalog(world)
    fqn = "shop." + below.format(db=source.database)
    run = await shop.ingest("failed", asset_fqn=fqn)
    assert run["error_message"] == (
        f"The source shows nothing that can be ingested under {fqn}. Check the user's permissions, selected_tables "
        "and asset_fqn. The catalog was left as it is."
    )
    assert await catalog(world) == before


async def test_a_source_that_shows_nothing_fails_the_run_and_the_catalog_stays(
    bench: Bench, source: Source, world: World
) -> None:
    await bench.ingest()
    before = await catalog(world)
    source.run(f'revoke all on all tables in schema sales, "Ünï ""x"".y Z" from "{source.role}"')
    run = await bench.ingest("failed")
    assert "The source shows no table to ingest." in run["error_message"]
    assert run["tasks"] == []
    assert await catalog(world) == before


async def test_a_wrong_password_fails_the_run_without_showing_it(world: World, door: Door, source: Source) -> None:
    wrong = {"username": source.role, "password": f"{PASSWORD}-not"}
    bench = await connected(world, door, body_of(source, credentials=wrong))
    run = await bench.ingest("failed")
    assert "password" in run["error_message"]
    assert run["completed_at"] is not None
    assert run["duration_seconds"] >= 0


async def test_an_unreachable_source_fails_the_run(world: World, source: Source) -> None:
    config = {"host": "127.0.0.1", "port": free_port(), "database": source.database}
    bench = await connected(world, RestDoor(world.client), body_of(source, database_config=config))
    run = await bench.ingest("failed")
    assert str(config["port"]) in run["error_message"]


async def test_a_connection_disabled_in_the_middle_fails_the_run(shop: Bench, world: World, before_task: Gate) -> None:
    await shop.ingest()
    before = [row for row in (await catalog(world))["metadata_assets"]]

    done = asyncio.Event()

    async def disable(key: str) -> None:
        if key == "000000":
            disabled = DataConnectionChange(status="DISABLED")
            await shop.call(update_data_connection, resource_uri=shop.uri, changes=disabled)
            done.set()
        await done.wait()

    before_task(disable)
    run = await shop.ingest("failed")
    assert run["error_message"].startswith("2 of 2 tasks failed, so nothing was marked as vanished. ")
    assert "The connection is disabled." in run["error_message"]
    assert {task["status"] for task in run["tasks"]} == {"failed"}
    assert (await catalog(world))["metadata_assets"] == before
    refused = await shop.trigger()
    assert isinstance(refused, Refused)
    assert refused.status == 422


async def test_a_permission_taken_away_in_the_middle_fails_the_run(shop: Bench, before_task: Gate) -> None:
    done = asyncio.Event()

    async def revoke(key: str) -> None:
        if key == "000000":
            target = GovernedResource(resource_type=ResourceType.DATA_CONNECTION, resource_id=shop.uri)
            await shop.call(delete_all_permissions, target=target)
            done.set()
        await done.wait()

    before_task(revoke)
    run = await shop.ingest("failed")
    assert "The permission to use this connection was revoked." in run["error_message"]
    assert run["output"]["created"] == 0
    assert await shop.names() == set()


@pytest.mark.parametrize("kind", [kind for kind in WorkflowType if kind is not WorkflowType.SERVICE_INGESTION])
async def test_the_other_kinds_of_work_end_failed_with_a_sentence(world: World, kind: WorkflowType) -> None:
    door = RestDoor(world.client)
    made = await door(
        create_workflow_configuration,
        world.owner,
        configuration=WorkflowConfigurationCreate(name="Other", workflow_type=kind),
    )
    bench = Bench(world, door, {}, made["id"])
    run = await bench.ingest("failed")
    assert run["error_message"] == f"The engine for {kind} is not part of this version. Nothing was changed."


async def test_one_unreadable_schema_fails_the_run_by_name_and_marks_nothing(
    bench: Bench, source: Source, before_task: Gate
) -> None:
    await bench.ingest()
    source.run("drop table sales.orders")

    done = asyncio.Event()

    async def revoke(key: str) -> None:
        if key == "000000":
            source.run(f'revoke usage on schema "Ünï ""x"".y Z" from "{source.role}"')
            done.set()
        await done.wait()

    before_task(revoke)
    run = await bench.ingest("failed")
    label = f'{source.database}."Ünï ""x"".y Z"'
    assert run["error_message"] == (
        f"1 of 2 tasks failed, so nothing was marked as vanished. {label}: None of the 1 tables could be read any "
        "more. Check the user's permissions; if the tables were dropped just now, trigger a new run."
    )
    assert {task["name"]: task["status"] for task in run["tasks"]} == {
        f"{source.database}.sales": "completed",
        label: "failed",
    }
    assert (run["output"]["failed_tasks"], run["output"]["vanished"]) == (1, 0)
    assert await bench.names("table") == {
        "sales.customers",
        "sales.big",
        "sales.orders",
        '"Ünï ""x"".y Z"."a.b ""c"" Ď"',
    }
    about = {"configuration_id": bench.configuration, "run_id": run["id"]}
    [failed] = (await bench.call(list_run_tasks, **about, status="failed"))["items"]
    assert failed["name"] == label


async def test_a_table_dropped_while_the_run_goes_on_is_marked_by_the_next(
    shop: Bench, source: Source, before_task: Gate
) -> None:
    await shop.ingest()
    once = iter([True])

    async def drop(key: str) -> None:
        if key == "000000" and next(once, False):
            source.run("drop table sales.orders")

    before_task(drop)
    run = await shop.ingest()
    assert run["output"]["vanished"] == 0
    assert "sales.orders" in await shop.names("table")
    assert (await shop.ingest())["output"]["vanished"] == 4


async def test_a_listing_that_was_cut_short_marks_nothing_and_the_run_says_so(
    shop: Bench, source: Source, world: World
) -> None:
    await shop.ingest()
    source.run("drop table sales.orders")
    worker = world.app.parts.worker

    async def plan(job: JobContext, arguments: dict[str, Any]) -> list[JobTask]:
        tasks = await worker._plan(job, arguments)
        return [JobTask(task.key, task.arguments | {"cut_short": True}) for task in tasks]

    world.jobs.register(RUN_JOB, FanOut(plan=plan, task=worker._task, finish=worker._finish, failed=worker._failed))
    run = await shop.ingest()
    assert (run["output"]["vanished"], run["output"]["listing_cut_short"]) == (0, True)
    assert "sales.orders" in await shop.names("table")


async def test_a_canceled_run_starts_no_further_task_and_a_new_one_works(
    bench: Bench, source: Source, before_task: Gate
) -> None:
    source.run("".join(f"create table sales.t{number:03} (id integer);" for number in range(200)))
    first_is_done, begun = asyncio.Event(), []

    async def hold(key: str) -> None:
        begun.append(key)
        if key != "000000":
            first_is_done.set()
            await asyncio.Event().wait()

    before_task(hold)
    started = await bench.trigger()
    await first_is_done.wait()
    about = {"configuration_id": bench.configuration, "run_id": started["id"]}
    for _ in range(200):
        if (await bench.call(list_run_tasks, **about, status="completed"))["total"]:
            break
        await asyncio.sleep(0.02)
    running = await bench.run(started["id"])
    assert (running["status"], running["completed_at"], running["duration_seconds"]) == ("running", None, None)
    canceled = await bench.call(cancel_run, **about)
    assert canceled["status"] == "canceled"
    assert canceled["completed_at"] is not None
    await bench.world.jobs.settle()
    tasks = (await bench.call(list_run_tasks, **about))["items"]
    assert [task["status"] for task in tasks] == [
        "completed",
        "canceled",
        "canceled",
        "canceled",
        "canceled",
        "canceled",
    ]
    assert "000005" not in begun
    assert len(await bench.names("table")) == 50, "what was written stays"
    again = await bench.call(cancel_run, **about)
    assert isinstance(again, Refused)
    assert (again.status, again.message) == (422, "This run is canceled and cannot be canceled.")

    before_task(_nothing)
    run = await bench.ingest()
    assert run["output"]["created"] + run["output"]["unchanged"] == 1 + 2 + 4 + 12 + 200 * 2
    refused = await bench.call(cancel_run, configuration_id=bench.configuration, run_id=run["id"])
    assert isinstance(refused, Refused)
    assert (refused.status, refused.message) == (422, "This run is completed and cannot be canceled.")


async def _nothing(_key: str) -> None:
    """Let a task begin at once."""


async def test_a_run_that_is_canceled_before_its_end_marks_nothing(
    shop: Bench, source: Source, before_task: Gate, world: World
) -> None:
    await shop.ingest()
    source.run("drop table sales.orders")
    worker, held = world.app.parts.worker, []

    async def finish(job: JobContext, arguments: dict[str, Any], outcomes: Any) -> dict[str, Any] | None:
        held.append((job, arguments, outcomes))
        return None

    world.jobs.register(RUN_JOB, FanOut(plan=worker._plan, task=worker._task, finish=finish, failed=worker._failed))
    started = await shop.trigger()
    await world.jobs.settle()
    await shop.call(cancel_run, configuration_id=shop.configuration, run_id=started["id"])
    before = await world.dump()
    assert await worker._finish(*held[0]) == {}
    assert await world.dump() == before
    assert "sales.orders" in await shop.names("table")


async def test_a_task_that_runs_twice_does_nothing_the_second_time(
    shop: Bench, world: World, before_task: Gate
) -> None:
    seen: list[Any] = []
    worker = world.app.parts.worker

    async def task(job: JobContext, arguments: dict[str, Any]) -> dict[str, Any] | None:
        done = await worker._task(job, arguments)
        before = await world.dump()
        again = await worker._task(job, arguments)
        seen.append((await world.dump() == before, set(again or ())))
        return done

    world.jobs.register(RUN_JOB, FanOut(plan=worker._plan, task=task, finish=worker._finish, failed=worker._failed))
    before_count = await shop.ingest()
    assert before_count["output"]["unchanged"] == 0
    assert len(seen) == 2
    assert {again == {"database", "schema", "tables", "cut_short"} for _, again in seen} == {True}


async def test_a_person_without_the_permission_cannot_trigger_or_cancel(bench: Bench, world: World) -> None:
    viewer = await world.member("viewer")
    before = await world.dump()
    refused = await bench.door(trigger_run, viewer, configuration_id=bench.configuration, run=RunCreate())
    assert isinstance(refused, Refused)
    assert refused.status == 403
    assert await world.dump() == before


async def test_the_run_goes_on_as_the_platforms_worker_when_its_caller_loses_his_role(
    shop: Bench, world: World
) -> None:
    operator = await world.member("operator")
    started = await shop.door(trigger_run, operator, configuration_id=shop.configuration, run=RunCreate())
    await world.jobs.settle()
    assert (await shop.run(started["id"]))["status"] == "completed"


@pytest.fixture
def setting_overrides(tmp_path: Path) -> dict[str, Any]:
    """Let nfs connections read the test's own folder, and tests be slower than the platform's clock, which stands."""
    return {"filesystem_roots": (str(tmp_path),), "token_leeway": 120}


@pytest.fixture
async def folder(world: World, tmp_path: Path) -> Bench:
    """A folder of files, connected."""
    files = tmp_path / "files"
    (files / "2024").mkdir(parents=True)
    (files / "people.csv").write_text("id,name\n1,Ada\n2,Grace\n")
    (files / "events.json").write_text('[{"at": "2024-01-01", "what": "start"}]')
    (files / "2024" / "sales.csv").write_text("day,amount\n2024-01-01,3.5\n")
    body = {"name": "Shop", "connection_type": ConnectionType.NFS, "filesystem_config": {"path": str(files)}}
    return await connected(world, RestDoor(world.client), body)


async def test_a_folder_of_files_is_ingested_and_its_changes_are_seen(
    folder: Bench, tmp_path: Path, world: World
) -> None:
    run = await folder.ingest()
    tables = await folder.names("table")
    assert len(tables) == 3, tables
    before = await catalog(world)
    again = await folder.ingest()
    assert again["output"]["created"] == again["output"]["updated"] == again["output"]["vanished"] == 0
    assert again["output"]["unchanged"] == run["output"]["created"]
    assert await catalog(world) == before
    (tmp_path / "files" / "people.csv").write_text("id,name,born\n1,Ada,1815\n")
    (tmp_path / "files" / "events.json").unlink()
    changed = await folder.ingest()
    assert changed["output"]["created"] == 1
    assert changed["output"]["vanished"] == 3
    assert len(await folder.names("table")) == 2
