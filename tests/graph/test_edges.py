"""Edges: ten parents cost as many statements as one, and show only what the caller may read."""

import asyncio
from typing import Any

import pytest

from tests.conftest import Statements
from tests.world import World

pytestmark = pytest.mark.anyio


async def ask(world: World, query: str, token: str | None = None, **variables: Any) -> Any:
    body = {"query": query, "variables": variables}
    answer = (await world.request("POST", "/graphql", token=token or world.owner, json=body)).json()
    assert "errors" not in answer, answer
    return answer["data"]


async def all_over(world: World) -> None:
    """Wait until no run is at work, whose statements would be counted too."""
    query = "{ workflowConfigurationsConnection(first: 100) { nodes { runs { status } } } }"
    while True:
        nodes = (await ask(world, query))["workflowConfigurationsConnection"]["nodes"]
        if {run["status"] for node in nodes for run in node["runs"]} <= {"COMPLETED", "FAILED"}:
            return
        await asyncio.sleep(0.02)


async def test_the_runs_of_ten_configurations_cost_as_much_as_of_one(world: World, statements: Statements) -> None:
    for number in range(10):
        body = {"name": f"w{number}", "workflow_type": "profiling"}
        made = await world.request("POST", "/data-readiness/workflows", token=world.owner, json=body)
        path = f"/data-readiness/workflows/{made.json()['id']}/runs"
        assert (await world.request("POST", path, token=world.owner, json={"asset_fqn": "shop"})).is_success
    await all_over(world)
    query = "query($n: Int) { workflowConfigurationsConnection(first: $n) { nodes { id runs { configurationId } } } }"
    costs = []
    for number in (1, 10):
        await statements.anew()
        nodes = (await ask(world, query, n=number))["workflowConfigurationsConnection"]["nodes"]
        assert len(nodes) == number
        assert all([run["configurationId"] for run in node["runs"]] == [node["id"]] for node in nodes)
        costs.append(len([s for s in statements if not s.startswith(("BEGIN", "COMMIT"))]))
    assert costs[0] == costs[1]
