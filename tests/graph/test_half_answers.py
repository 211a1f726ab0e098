"""Half an answer is an answer, errors name the graph's own arguments, and answers say which request they are of."""

from typing import Any

import pytest

from schema.node import encode
from tests.world import World

pytestmark = pytest.mark.anyio

TWO = """query($id: String!) { good: project(projectId: $id) { name } bad: project(projectId: "none") { name } }"""


async def ask(world: World, query: str, how: dict[str, Any] | None = None, **variables: Any) -> Any:
    """The answer of the graph."""
    body = {"query": query, "variables": variables, "extensions": how or {}}
    return await world.request("POST", "/graphql", token=world.owner, json=body)


async def test_what_fails_is_null_where_it_stands_for_whoever_says_so(world: World) -> None:
    whole = (await ask(world, TWO, id=world.shop)).json()
    assert whole["data"] is None
    assert [one["path"] for one in whole["errors"]] == [["bad"]]
    half = (await ask(world, TWO, {"onError": "NULL"}, id=world.shop)).json()
    assert half["data"] == {"good": {"name": "shop"}, "bad": None}
    assert [(one["path"], one["extensions"]["code"]) for one in half["errors"]] == [(["bad"], "RESOURCE_NOT_FOUND")]
    same = (await ask(world, TWO, {"onError": "PROPAGATE"}, id=world.shop)).json()
    assert (same["data"], same["errors"]) == (whole["data"], whole["errors"])
    for wrong in ("HALT", "null", 1, ["NULL"]):
        refused = (await ask(world, TWO, {"onError": wrong}, id=world.shop)).json()
        assert refused["errors"][0]["extensions"]["code"] == "VALIDATION_ERROR", refused
        assert refused["errors"][0]["extensions"]["details"]["field"] == "extensions.onError"


async def test_an_error_names_the_argument_as_the_graph_spells_it(world: World) -> None:
    for query, field, argument in (
        ("{ searchMetadata(limit: 0) { total } }", "limit", "limit"),
        ('{ searchMetadata(fqnPrefix: "") { total } }', "fqn_prefix", "fqnPrefix"),
        ("{ projectRuns(limit: 1000) { total } }", "limit", "limit"),
        ("{ projectsConnection(first: 1, last: 1) { totalCount } }", "last", "last"),
        ('{ scorecard(request: {assetFqn: ""}) { overallScore } }', "asset_fqn", "assetFqn"),
    ):
        (error,) = (await ask(world, query)).json()["errors"]
        assert error["extensions"]["details"]["field"] == field, error
        assert error["extensions"]["argument"] == argument, error


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_an_answer_says_which_request_it_is_of(world: World) -> None:
    for query in ("{ projects { total } }", "{ searchMetadata { total } }", "{ nothing }", TWO):
        for _ in range(3):  # one that is kept is told its own
            answer = await ask(world, query, id=world.shop) if query is TWO else await ask(world, query)
            told = answer.json()["extensions"]["requestId"] if "data" in answer.json() else None
            if told is not None:
                assert told == answer.headers["X-Request-ID"], query
                assert int(answer.headers["content-length"]) == len(answer.content)
    by_get = await world.request("GET", "/graphql?query={searchMetadata{total}}", token=world.owner)
    assert "requestId" not in by_get.json()["extensions"]
    assert by_get.headers["X-Request-ID"]


async def test_arguments_take_global_ids_in_the_place_of_ids_and_uris(world: World) -> None:
    body = {"name": "Orders", "connection_type": "nfs", "filesystem_config": {"path": "/x"}}
    uri = (await world.request("POST", "/assets/data", token=world.owner, json=body)).json()["resource_uri"]
    work = {"name": "Work", "workflow_type": "profiling"}
    made = (await world.request("POST", "/data-readiness/workflows", token=world.owner, json=work)).json()
    query = """query($p: String!, $u: String!, $c: UUID!) {
      project(projectId: $p) { name } dataConnection(resourceUri: $u) { nodeId resourceUri }
      workflowConfiguration(configurationId: $c) { nodeId name } workflowRunsConnection(configurationId: $c) {
        totalCount } }"""
    known = {"p": world.shop, "u": uri, "c": made["id"]}
    named = {
        "p": encode("Project", world.shop), "u": encode("DataConnection", uri),
        "c": encode("WorkflowConfiguration", made["id"]),
    }  # fmt: skip
    plain, by_node = [(await ask(world, query, **given)).json() for given in (known, named)]
    assert "errors" not in by_node, by_node
    assert by_node["data"] == plain["data"]
    assert by_node["data"]["dataConnection"] == {"nodeId": named["u"], "resourceUri": uri}
    other = (await ask(world, query, **named | {"p": encode("Project", world.theirs)})).json()
    assert (other["data"], other["errors"][0]["extensions"]["code"]) == (None, "RESOURCE_NOT_FOUND")
    unknown = encode("Secret", world.shop)
    assert (await ask(world, TWO, id=unknown)).json()["errors"], "what is no entity is no id either"
