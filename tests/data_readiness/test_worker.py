"""The queue door: a run that was written down is carried out, even when queueing it failed."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from persistence.jobs.port import InlineJobs
from schema.errors import DatabaseError
from tests.world import World, running_world, settings_for

pytestmark = pytest.mark.anyio


class FailingOnce(InlineJobs):
    """A job engine whose store is away at the first call."""

    failed = False

    async def enqueue(self, name: str, arguments: Mapping[str, Any], *, key: str) -> None:
        """Fail once, then work."""
        if not self.failed:
            self.failed = True
            raise DatabaseError("The store could not answer. Retry shortly.")
        await super().enqueue(name, arguments, key=key)


@pytest.fixture
async def failing_world(store_url: str | None, tmp_path: Path) -> AsyncIterator[World]:
    """A platform whose job engine fails at first."""
    async with running_world(settings_for(tmp_path, store_url), jobs=FailingOnce()) as world:
        yield world


async def test_a_run_whose_queueing_failed_is_taken_up_while_the_process_lives(failing_world: World) -> None:
    world = failing_world
    made = await world.request(
        "POST", "/data-readiness/workflows", token=world.owner, json={"name": "p", "workflow_type": "profiling"}
    )
    runs = f"/data-readiness/workflows/{made.json()['id']}/runs"
    refused = await world.request("POST", runs, token=world.owner, json={})
    assert refused.json()["error"]["code"] == "DATABASE_ERROR"
    (run,) = (await world.request("GET", runs, token=world.owner)).json()["data"]
    assert run["status"] == "pending"

    watching = asyncio.create_task(world.app.parts.worker.watch(seconds=0.01))
    async with asyncio.timeout(120):
        while run["status"] in ("pending", "running"):
            await asyncio.sleep(0.02)
            (run,) = (await world.request("GET", runs, token=world.owner)).json()["data"]
    watching.cancel()
    assert run["status"] == "failed"
    assert "The catalog has no table." in run["error_message"]
