"""Every example of the explorer is run through the API, one after the other, with what the ones before it answered."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from rest_compat.explorer import ExplorerExample
from tests.support.chat import ScriptedEngine
from tests.support.examples import Walk
from tests.world import ORG, StockedStore, World, running_world, settings_for

pytestmark = pytest.mark.anyio


@pytest.fixture
async def world(stocked_store: StockedStore, tmp_path: Path, deployment: dict[str, Any]) -> AsyncIterator[World]:
    """A platform that answers questions."""
    settings = settings_for(tmp_path, stocked_store.url, migrate_on_start=False, **deployment)
    async with running_world(settings, stock=stocked_store.stock, turn_engine=ScriptedEngine()) as world:
        yield world


async def ran(world: World, example: ExplorerExample, variables: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers to an example: one, or each event of a subscription."""
    follows = "\nsubscription " in example.query
    answer = await world.request(
        "POST",
        "/graphql",
        token=world.owner,
        json={"query": example.query, "variables": variables},
        headers={"Accept": "text/event-stream" if follows else "application/json"},
    )
    assert answer.status_code == 200, (example.title, answer.text)
    if not follows:
        return [answer.json()]
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return [orjson.loads(line) for line in lines]


async def test_every_example_runs_with_what_the_ones_before_it_answered(world: World) -> None:
    walk = Walk(projectId=world.shop, organizationId=ORG)
    seen: dict[str, list[dict[str, Any]]] = {}
    for example in walk:
        answers = await ran(world, example, walk.variables(example))
        for answer in answers:
            assert "errors" not in answer, (example.title, answer)
            walk.learn(answer["data"])
        seen[example.title] = [answer["data"] for answer in answers]

    assert seen["Create a project"][0]["createProject"]["name"] == "Shop"
    assert seen["Why may I, or why not?"][0]["explainPermission"]["allowed"] is True
    assert seen["Connect a database"][0]["createDataConnection"]["secretNames"] == ["password", "username"]
    assert seen["Verify a connection"][0]["verifyDataConnection"]["success"] is False
    assert seen["Remember something"][0]["createMemory"]["contextPack"] == {"name": "Sales"}
    events = [one["turnEvents"] for one in seen["Follow an answer as it is given"]]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    assert (events[-1]["event"], events[-1]["final"]) == ("DONE", True)
    (session,) = seen["Sessions, their turns and what came of them"][0]["chatSessionsConnection"]["nodes"]
    assert session["turns"][0]["artifacts"] == [{"artifactTitle": "Orders", "artifactType": "parquet"}]
    assert seen["Follow a run to its end"][-1]["runProgress"]["status"] == "FAILED"
    configurations = seen["Configurations and their latest runs"][0]["workflowConfigurationsConnection"]
    assert configurations == {"totalCount": 0, "nodes": []}, (
        "this example stands before the one that makes a configuration"
    )
    assert seen["Write a glossary term"][0]["createGlossaryTerm"]["status"] == "DRAFT"
    assert seen["Put an entity into the index"][0]["indexEntities"] == {"accepted": 1}
    assert seen["Take an entity out of the index"][0]["deleteEntities"] == {"accepted": 1}
    shop = seen["From a project to its columns"][0]["projectsConnection"]["nodes"]
    assert ["Orders"] in [[one["name"] for one in project["dataConnections"]] for project in shop]
