"""What monitoring reads: off until a token is set, closed without it, and the figures of the work that stands."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from rest_compat.settings import settings_of
from tests.data_readiness.workflows import configure, run_in
from tests.doors import RestDoor
from tests.world import World, running_world, settings_for

pytestmark = pytest.mark.anyio

TOKEN = "scrape-me-if-you-can"


@pytest.fixture
async def watched(store_url: str | None, tmp_path: Path) -> AsyncIterator[World]:
    """A platform that is watched."""
    settings = settings_for(tmp_path, store_url).model_copy(update={"metrics_token": SecretStr(TOKEN)})
    async with running_world(settings) as world:
        yield world


async def told(world: World) -> dict[tuple[str, ...], float]:
    answer = await world.request("GET", "/metrics", token=TOKEN)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain")
    assert "acme" not in answer.text
    families = text_string_to_metric_families(answer.text)
    return {
        (one.name, *(one.labels[name] for name in sorted(one.labels, reverse=True))): one.value
        for family in families
        for one in family.samples
    }


async def test_the_figures_are_those_of_the_work_that_stands(watched: World) -> None:
    before = await told(watched)
    assert (before[("stoa_tasks", "pending")], before[("stoa_oldest_pending_run_seconds",)]) == (0, 0)
    configuration = await configure(watched, RestDoor(watched))
    for status in ("pending", "running", "running", "completed", "failed", "failed"):
        await run_in(watched, configuration, status)
    found = await told(watched)
    assert found[("stoa_runs", "profiling", "pending")] == 1
    assert found[("stoa_runs", "profiling", "running")] == 2
    assert found[("stoa_runs_ended_total", "profiling", "failed")] == 2
    assert found[("stoa_runs_ended_total", "profiling", "completed")] == 1
    assert found[("stoa_tasks_waiting_for_connection",)] == 0


@pytest.mark.parametrize("token", [None, "", "another-token-of-16", "é"])
async def test_without_the_token_nothing_is_told(watched: World, token: str | None) -> None:
    headers = {} if token is None else {"Authorization": f"Bearer {token}".encode()}
    answer = await watched.request("GET", "/metrics", headers=headers)
    assert answer.status_code == 401
    assert "stoa_runs" not in answer.text


async def test_there_is_no_such_path_until_it_is_asked_for(world: World) -> None:
    assert (await world.request("GET", "/metrics", token=TOKEN)).status_code == 404


def test_a_short_token_is_refused_without_repeating_it() -> None:
    with pytest.raises(ValueError, match="STOA_METRICS_TOKEN") as refused:
        settings_of({"metrics_token": "short"})
    assert "short" not in str(refused.value).split("(")[0]
