"""Columns that a source has lost since it was ingested: every run that reads them says so, and what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.tables.rules import rule_executions
from resolvers.data_readiness.rules import create_quality_rule
from resolvers.data_readiness.runs.operations import get_workflow_run, trigger_run
from schema.data_readiness.rule_change import QualityRuleCreate
from schema.data_readiness.workflow_run import RunCreate
from tests.data_readiness.workflows import configure, written
from tests.doors import RestDoor
from tests.support.ingestion import Bench, Source, body_of, connected, keep_up, setting_overrides, source
from tests.support.mariadb import MariadbServer, mariadb_server
from tests.world import World

__all__ = ["mariadb_server", "setting_overrides", "source"]

pytestmark = pytest.mark.anyio

ROWS = ", ".join(f"({at}, 'ann{at}@example.com', 'Town {at % 5}')" for at in range(40))
CREATED = "create table people (id int primary key, email varchar(80), city varchar(40))"
READING = ("generate-pii-tags", "profiling", "dq-rule-generation", "dq-assessment")


async def over(bench: Bench, kind: str, asset_fqn: str) -> dict[str, Any]:
    """A run of a type that has ended."""
    made = await configure(bench.world, bench.door, workflow_type=kind)
    keep_up(bench.world)
    run = await bench.call(trigger_run, configuration_id=made["id"], run=RunCreate(asset_fqn=asset_fqn))
    await bench.world.jobs.settle()
    found: dict[str, Any] = await bench.call(get_workflow_run, configuration_id=made["id"], run_id=run["id"])
    return found


async def told(bench: Bench, table: str, lose: Callable[[], object], drop: Callable[[], object]) -> None:
    """Ingest, lose a column, and look at what each type of run says of it; then lose the table."""
    await bench.ingest()
    for column in ("email", "city"):
        body = {"name": column, "type": "library", "asset_fqn": f"{table}.{column}", "metric": "nullValues"}
        assert isinstance(await bench.call(create_quality_rule, rule=QualityRuleCreate.model_validate(body)), dict)
    lose()
    lost = "The column 'email' is gone from the source since the last ingestion. Run service-ingestion"
    for kind in READING:
        run = await over(bench, kind, table)
        assert (run["status"], lost in (run["error_message"] or "")) == ("failed", True), (kind, run["error_message"])
    run = await over(bench, "dq-execution", table)
    assert run["status"] == "completed"
    found = sa.select(rule_executions.c.asset_fqn, rule_executions.c.reason)
    found = found.where(rule_executions.c.workflow_run_id == run["id"])
    reasons = await written(bench.world, lambda uow: {fqn: why for fqn, why in uow.connection.execute(found)})
    assert reasons[f"{table}.city"] is None
    assert reasons[f"{table}.email"].startswith(lost)
    drop()
    run = await over(bench, "generate-pii-tags", table)
    assert f"{table}: The table is gone from the source" in run["error_message"]
    assert "Run service-ingestion" in run["error_message"]


async def test_a_column_that_a_postgresql_has_lost_is_named(world: World, source: Source) -> None:
    source.run(f"set search_path to sales; {CREATED}; insert into people values {ROWS}")
    bench = await connected(world, RestDoor(world.client), body_of(source))
    await told(
        bench,
        f"shop.{source.database}.sales.people",
        lambda: source.run("alter table sales.people drop column email"),
        lambda: source.run("drop table sales.people"),
    )


async def test_a_column_that_a_mariadb_has_lost_is_named(world: World, mariadb_server: MariadbServer) -> None:
    name = mariadb_server.create_database()
    try:
        mariadb_server.execute(CREATED, f"insert into people values {ROWS}", database=name)
        body = {
            "name": "Shop",
            "connection_type": "mysql",
            "database_config": {"host": mariadb_server.host, "port": mariadb_server.port, "database": name},
            "credentials": {"username": mariadb_server.user, "password": mariadb_server.password},
        }
        await told(
            await connected(world, RestDoor(world.client), body),
            f"shop.{name}.{name}.people",
            lambda: mariadb_server.execute("alter table people drop column email", database=name),
            lambda: mariadb_server.execute("drop table people", database=name),
        )
    finally:
        mariadb_server.drop_database(name)


async def test_a_column_that_a_file_has_lost_is_named(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    file = folder / "people.csv"
    file.write_text("id,email,city\n" + "".join(f"{at},ann{at}@example.com,Town {at % 5}\n" for at in range(40)))
    body = {"name": "Shop", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
    await told(
        await connected(world, RestDoor(world.client), body),
        "shop.lab.root.people",
        lambda: file.write_text("id,city\n" + "".join(f"{at},Town {at % 5}\n" for at in range(40))),
        file.unlink,
    )
