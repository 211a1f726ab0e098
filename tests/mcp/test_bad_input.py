"""What agents must not get by with: tokens of others, bodies of any size, and lineage that is too much or none."""

from pathlib import Path

import pytest

import auth.issuer
from auth.issuer import DevelopmentIssuer
from tests.mcp.agent import Agent
from tests.world import ORG, OTHER_ORG, World

pytestmark = pytest.mark.anyio


async def test_a_forged_or_foreign_token_opens_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, claims, signature = world.owner.split(".")
    other = world.token("olga", project=world.theirs).split(".")
    elsewhere = DevelopmentIssuer(tmp_path, clock=world.clock).issue("olga", ORG, project=world.shop)
    monkeypatch.setattr(auth.issuer, "AUDIENCE", "another")
    for_others = world.owner
    monkeypatch.undo()
    for token in (
        f"{head}.{claims}.{other[2]}",
        f"{head}.{other[1]}.{signature}",
        f"{head}.{claims}.",
        f"eyJhbGciOiJub25lIn0.{claims}.",
        elsewhere,
        for_others,
    ):
        for path in ("/mcp", "/mcp/read"):
            agent = Agent(world, token, path)
            await agent.send("tools/list")
            assert agent.last is not None
            assert (agent.last.status_code, "tools" in agent.last.text) == (401, False)
    theirs = Agent(world, world.token("otto", org=OTHER_ORG))
    assert (await theirs.call("list_webhooks", {"project": world.shop}))["error"]["status"] == 403


async def test_a_body_of_any_size_is_refused_before_it_is_read(world: World) -> None:
    body = b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"' + b"x" * (11 << 20) + b'"}}'
    headers = {"Content-Type": "application/json"}
    answer = await world.request("POST", "/mcp", token=world.owner, content=body, headers=headers)
    assert answer.status_code == 413


async def test_lineage_that_is_too_much_or_none_is_answered_as_by_rest(world: World) -> None:
    agent = Agent(world, world.owner)
    address = {"host": "db.test", "database": "d"}
    made = await agent.call(
        "create_data_connection",
        connection={
            "name": "Shop",
            "connection_type": "postgres",
            "database_config": address,
            "credentials": {"username": "u", "password": "p"},
        },
    )
    place = {"resource_type": "data_connection", "resource_uri": made["data"]["resource_uri"]}
    job = {"namespace": "cron", "name": "nightly"}
    tables = [{"namespace": "postgres://db.test:5432", "name": f"d.s.t{at}"} for at in range(10_000)]
    for event, field in (
        ({"job": job, "outputs": tables}, "outputs"),
        ({"job": job, "outputs": [{"name": "x"}]}, "outputs.0.namespace"),
        ({"job": {"namespace": "a\x00", "name": "b"}, "outputs": []}, "event.job"),
    ):
        refused = await agent.call("import_openlineage_event", **place, event=event)
        told = refused["error"]
        assert (told["status"], told["details"]["field"].removeprefix("event.")) == (422, field.removeprefix("event."))
    refused = await agent.call("import_dbt_manifest", **place, file={"manifest": {"metadata": {}, "nodes": {}}})
    assert (refused["error"]["status"], refused["error"]["details"]["field"]) == (422, "manifest.metadata")
    told = await agent.call("create_lineage_statement", **place, statement={"statement": "select from where (("})
    assert [gap["name"] for gap in told["data"]["gaps"]] == ["syntax"]
