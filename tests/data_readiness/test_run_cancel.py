"""A run that is canceled, or whose time is over, leaves nothing running in the source."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

import psycopg
import pytest
from sqlglot import exp

from resolvers.data_readiness.runs.executor import RunUnit
from resolvers.data_readiness.runs.operations import cancel_run, get_workflow_run
from resolvers.data_readiness.runs.reading import use_source
from tests.doors import Door
from tests.support.ingestion import Bench, Source, bench, setting_overrides, source
from tests.support.scripted import Scripted, staged
from tests.world import World

__all__ = ["bench", "setting_overrides", "source"]

pytestmark = pytest.mark.anyio

PATIENCE = 120.0

SLOW = """
    create view sales.slow as select i, pg_sleep(60)::text as slept from generate_series(1, 100) i;
    grant select on sales.slow to "{role}";
"""


def running(source: Source) -> int:
    """How many statements of the platform run in the source."""
    with psycopg.connect(source.url) as connection:
        found = connection.execute(
            "select count(*) from pg_stat_activity where usename = %s and state = 'active'", (source.role,)
        ).fetchone()
    assert found is not None
    return int(found[0])


async def until(source: Source, wanted: int) -> None:
    """Wait until so many statements run there."""
    end = time.monotonic() + PATIENCE
    while (found := await asyncio.to_thread(running, source)) != wanted:
        assert time.monotonic() < end, f"{found} statements run in the source, not {wanted}"
        await asyncio.sleep(0.05)


def reading(bench: Bench, source: Source) -> Any:
    """A step that reads the slow view."""

    async def step(work: Scripted, arguments: Mapping[str, Any]) -> None:
        def read(data: Any) -> None:
            slow = data.relation(source.database, "sales", "slow")
            data.ask(exp.select(exp.column("slept", quoted=True)).from_(slow))

        await use_source(work.ctx, bench.uri, read)

    return step


async def test_canceling_a_run_stops_what_it_runs_in_the_source(
    bench: Bench, source: Source, world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.run(SLOW.format(role=source.role))
    stage = await staged(world, door, monkeypatch, RunUnit("a"), RunUnit("b"), RunUnit("c", phase=1), runs=True)
    stage.script.steps = {"a": reading(bench, source), "b": reading(bench, source)}
    await until(source, 2)
    assert (await stage.call(cancel_run))["status"] == "canceled"
    await until(source, 0)
    await world.jobs.settle()
    run = await stage.call(get_workflow_run)
    assert (run["status"], [task["status"] for task in run["tasks"]]) == ("canceled", ["canceled"] * 3)
    assert sorted(stage.script.begun) == ["a", "b"]


async def test_a_task_whose_time_is_over_stops_what_it_runs_in_the_source(
    bench: Bench, source: Source, world: World, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.run(SLOW.format(role=source.role))
    stage = await staged(
        world, door, monkeypatch, RunUnit("a"), RunUnit("b"), runs=True, parameters={"timeout_seconds": 2}
    )
    stage.script.steps = {"a": reading(bench, source)}
    await until(source, 1)
    await until(source, 0)
    await world.jobs.settle()
    run = await stage.call(get_workflow_run)
    assert (run["status"], [task["status"] for task in run["tasks"]]) == ("failed", ["failed", "completed"])
    assert "a: It was cut off after 2 seconds." in run["error_message"]
