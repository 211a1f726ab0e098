"""What the graph promises beyond REST: its bounds, its transport, and that an edge costs as much for ten as for one."""

import json
from typing import Any

import httpx
import pytest

from tests.conftest import Statements
from tests.world import World

pytestmark = pytest.mark.anyio


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Bounds that a short query can pass."""
    return {
        "graphql_max_depth": 5,
        "graphql_max_aliases": 4,
        "graphql_max_tokens": 200,
        "graphql_max_root_fields": 3,
    }


sqlite_only = pytest.mark.parametrize("store_kind", ["sqlite"])


async def ask(world: World, query: str, token: str | None = None, **more: Any) -> httpx.Response:
    """One graph request as the owner, or as who is named."""
    return await world.request("POST", "/graphql", token=token or world.owner, json={"query": query, **more})


def assert_refused(answer: httpx.Response, *, says: str = "") -> dict[str, Any]:
    """Refused as a whole, with a code, and nothing ran."""
    body = answer.json()
    assert answer.status_code in (200, 400), answer.text
    assert not body.get("data"), body
    error = body["error"] if "error" in body else body["errors"][0] | body["errors"][0]["extensions"]
    assert error["code"] == "VALIDATION_ERROR", body
    assert error["status"] == 400
    assert says.lower() in error["message"].lower(), error["message"]
    assert isinstance(error, dict)
    return error


# Bounds -------------------------------------------------------------------------------------------------------------


@sqlite_only
async def test_a_query_may_be_as_deep_as_the_bound_and_no_deeper(world: World) -> None:
    fits = "{ organizations { items { projects { dataConnections { name } } } } }"
    assert "errors" not in (await ask(world, fits)).json()
    deeper = "{ organizations { items { projects { dataConnections { ...on DataConnection { ...D } } } } } } "
    deeper += "fragment D on DataConnection { name }"
    assert "errors" not in (await ask(world, deeper)).json()


@sqlite_only
async def test_aliases_are_bounded(world: World) -> None:
    def query(number: int) -> str:
        return "{ projects { %s } }" % " ".join(f"a{n}: total" for n in range(number))

    assert "errors" not in (await ask(world, query(4))).json()
    assert_refused(await ask(world, query(5)), says="alias")


@sqlite_only
async def test_tokens_are_bounded(world: World) -> None:
    assert "errors" not in (await ask(world, "{ projects { %s } }" % ("total " * 180))).json()
    assert_refused(await ask(world, "{ projects { %s } }" % ("total " * 250)), says="token")


@sqlite_only
async def test_the_operations_of_one_request_are_bounded(world: World) -> None:
    def query(number: int) -> str:
        return "{ %s }" % " ".join(f"a{n}: projects {{ total }}" for n in range(number))

    assert "errors" not in (await ask(world, query(3))).json()
    assert_refused(await ask(world, query(4)), says="3 operations")
    hidden = "{ ...A ...B } fragment A on Query { a: projects { total } b: projects { total } } "
    hidden += "fragment B on Query { c: projects { total } d: projects { total } }"
    assert_refused(await ask(world, hidden), says="3 operations")


@sqlite_only
async def test_a_mutation_with_too_many_operations_does_none(world: World) -> None:
    before = await world.dump()
    many = " ".join('a%d: createProject(project: {name: "p%d"}) { id }' % (n, n) for n in range(4))
    assert_refused(await ask(world, "mutation { %s }" % many), says="3 operations")
    assert await world.dump() == before


@pytest.mark.parametrize("store_kind", ["sqlite"])
@pytest.mark.parametrize("setting_overrides", [{"graphql_introspection": False}])
async def test_introspection_can_be_switched_off(world: World) -> None:
    assert_refused(await ask(world, "{ __schema { queryType { name } } }"), says="introspection")
    assert_refused(await ask(world, '{ __type(name: "Project") { name } }'), says="introspection")
    assert (await ask(world, "{ projects { total __typename } }")).json()["data"]["projects"]["total"] == 2


@pytest.mark.parametrize("store_kind", ["sqlite"])
@pytest.mark.parametrize("setting_overrides", [{}])
async def test_introspection_is_on_by_default(world: World) -> None:
    answer = await ask(world, "{ __schema { queryType { name } mutationType { name } } }")
    assert answer.json()["data"]["__schema"] == {"queryType": {"name": "Query"}, "mutationType": {"name": "Mutation"}}


@pytest.mark.parametrize("store_kind", ["sqlite"])
@pytest.mark.parametrize("setting_overrides", [{"graphql_max_depth": 3}])
async def test_a_query_beyond_the_depth_is_refused(world: World) -> None:
    assert "errors" not in (await ask(world, "{ organizations { items { projects { name } } } }")).json()
    deep = "{ organizations { items { projects { dataConnections { name } } } } }"
    assert_refused(await ask(world, deep), says="depth")
    hidden = "{ organizations { items { projects { ...P } } } } fragment P on Project { dataConnections { name } }"
    assert_refused(await ask(world, hidden), says="depth")


# Transport ----------------------------------------------------------------------------------------------------------


@sqlite_only
async def test_variables_and_operation_name_are_honoured(world: World) -> None:
    two = "query A { projects { total } } query B($id: String!) { project(projectId: $id) { name } }"
    b = await ask(world, two, operationName="B", variables={"id": world.shop})
    assert b.json()["data"] == {"project": {"name": "shop"}}
    assert (await ask(world, two, operationName="A")).json()["data"] == {"projects": {"total": 2}}


@sqlite_only
async def test_a_query_that_names_no_operation_rightly_is_refused(world: World) -> None:
    two = "query A { projects { total } } query B { organizations { total } }"
    answer = await ask(world, two, operationName="C")
    body = answer.json()
    assert answer.status_code in (200, 400), answer.text
    assert not body.get("data")
    code = body["error"]["code"] if "error" in body else body["errors"][0]["extensions"]["code"]
    assert code in ("VALIDATION_ERROR", "INVALID_REQUEST"), body
    # Without a name none of them runs, and the one call is charged that every request is.
    left = int((await ask(world, "{ projects { total } }")).headers["X-RateLimit-Remaining"])
    assert assert_refused(await ask(world, two), says="operationName")["details"] == {"field": "operationName"}
    again = await ask(world, "{ projects { total } }")
    assert int(again.headers["X-RateLimit-Remaining"]) == left - 2
    only_fragment = await ask(world, "fragment F on Query { projects { total } }")
    assert only_fragment.status_code in (200, 400), only_fragment.text
    assert not only_fragment.json().get("data")


@sqlite_only
async def test_queries_may_come_by_get_and_mutations_may_not(world: World) -> None:
    params = {"query": "query($n: Int) { projects(limit: $n) { total } }", "variables": json.dumps({"n": 5})}
    answer = await world.request("GET", "/graphql", token=world.owner, params=params)
    assert answer.json()["data"] == {"projects": {"total": 2}}
    before = await world.dump()
    mutation = {"query": 'mutation { createProject(project: {name: "x"}) { id } }'}
    refused = await world.request("GET", "/graphql", token=world.owner, params=mutation)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
    assert refused.json()["error"]["code"] == "INVALID_REQUEST"
    assert await world.dump() == before
    head = await world.request("HEAD", "/graphql", token=world.owner, params=params)
    assert (head.status_code, head.content) == (200, b"")
    assert (await world.request("HEAD", "/graphql", token=world.owner, params=mutation)).status_code == 405
    assert await world.dump() == before


@sqlite_only
async def test_what_http_cannot_take_is_told_with_what_to_send_instead(world: World) -> None:
    async def told(method: str = "POST", **sent: Any) -> tuple[int, str]:
        answer = await world.request(method, "/graphql", token=world.owner, **sent)
        assert answer.json()["errors"][0]["message"] == answer.json()["error"]["message"]
        return answer.status_code, answer.json()["error"]["message"]

    plain = await told(content=b'{"query": "{ projects { total } }"}', headers={"Content-Type": "text/plain"})
    assert plain[0] == 415
    assert "application/json" in plain[1]
    asked = {"query": "subscription { turnEvents(sessionId: 1, turnId: 2) { final } }"}
    for status, says, sent in (
        (400, "`query`", {"json": {}}),
        (400, "one JSON object", {"json": [{"query": "{ projects { total } }"}]}),
        (400, "text/event-stream", {"json": asked}),
        (400, "text/event-stream", {"method": "GET", "params": asked}),
        (400, "variables", {"method": "GET", "params": {"query": "{ projects { total } }", "variables": "{"}}),
        (400, "extensions", {"method": "GET", "params": {"query": "{ projects { total } }", "extensions": "x"}}),
    ):
        answered = await told(**sent)
        assert answered[0] == status, (sent, answered)
        assert says in answered[1], (sent, answered)


@sqlite_only
@pytest.mark.parametrize(
    ("query", "variables"),
    [
        ("{ nothing }", None),
        ("{ projects { nothing } }", None),
        ('{ projects(page: "one") { total } }', None),
        ("{ projects(color: 1) { total } }", None),
        ("{", None),
        ("query($n: Int!) { projects(page: $n) { total } }", {}),
        ("subscription { projects { total } }", None),
        # What is wrong with the text is told as such, whatever a field of that name takes elsewhere.
        ("{ file(nothing: 1) { key } }", None),
        ("mutation { createProject(nothing: 1) { id } }", None),
        ("mutation { file { key } }", None),
        ("{ projects { items { landlord { id } } } }", None),
        ("query($n: Int!) { ...Nothing }", {}),
    ],
)
async def test_a_wrong_query_is_told_with_a_code(world: World, query: str, variables: Any) -> None:
    answer = await ask(world, query, variables=variables)
    assert answer.status_code in (200, 400), answer.text
    body = answer.json()
    assert not body.get("data")
    extensions = body["error"] if "error" in body else body["errors"][0]["extensions"]
    assert (extensions["code"], extensions["status"]) in (("VALIDATION_ERROR", 400), ("INVALID_REQUEST", 400)), body


@sqlite_only
@pytest.mark.parametrize("page", ["one", 2**40, 0, 1.5])
async def test_a_wrong_variable_is_refused_as_rest_refuses_it(world: World, page: Any) -> None:
    answer = await ask(world, "query($n: Int!) { projects(page: $n) { total } }", variables={"n": page})
    told = answer.json()["errors"][0]["extensions"]
    assert (told["code"], told["status"], told["details"]["field"]) == ("INVALID_PARAMETER", 400, "page")
    rest = await world.request("GET", "/governance/projects", token=world.owner, params={"page": page})
    assert rest.json()["error"]["details"] == told["details"]


@sqlite_only
async def test_several_requests_in_one_body_are_refused(world: World) -> None:
    answer = await world.request("POST", "/graphql", token=world.owner, json=[{"query": "{ projects { total } }"}] * 2)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_REQUEST")


@sqlite_only
async def test_files_cannot_be_smuggled_in(world: World) -> None:
    """A file comes only where an operation takes one, and never from a stranger."""
    before = await world.dump()

    async def sent(query: str, places: str, token: str | None) -> Any:
        form = {"operations": query, "map": places}
        return await world.request("POST", "/graphql", token=token, data=form, files={"f": b"x"})

    asking = '{"query": "query($n: Int) { projects(page: $n) { total } }", "variables": {"n": null}}'
    answer = await sent(asking, '{"f": ["variables.n"]}', world.owner)
    told = answer.json()["errors"][0]["extensions"]
    assert (told["code"], told["status"]) in (("INVALID_PARAMETER", 400), ("VALIDATION_ERROR", 400))
    astray = await sent(asking, '{"f": ["variables.n.x"]}', world.owner)
    assert (astray.status_code, astray.json()["error"]["code"]) == (400, "INVALID_FORMAT")
    stranger = await sent(asking, "{}", None)
    assert (stranger.status_code, stranger.json()["error"]["code"]) == (401, "UNAUTHENTICATED")
    assert await world.dump() == before


@sqlite_only
async def test_the_page_for_exploring_needs_a_token_for_nothing_it_shows(world: World) -> None:
    """GET /graphql without a query is no way around the token."""
    answer = await world.request("GET", "/graphql")
    assert answer.status_code in (400, 401, 404)
    assert "error" in answer.json()


@sqlite_only
async def test_a_failed_mutation_does_not_hide_what_came_before_it(world: World) -> None:
    one = 'createProject(project: {name: "new"}) { name }'
    query = "mutation { a: %s b: %s }" % (one, one)
    body = (await ask(world, query)).json()
    assert [error["extensions"]["code"] for error in body["errors"]] == ["RESOURCE_ALREADY_EXISTS"]
    listed = await ask(world, "{ projects { items { name } } }")
    assert "new" in [item["name"] for item in listed.json()["data"]["projects"]["items"]]


# Edges --------------------------------------------------------------------------------------------------------------


async def test_the_connections_of_ten_projects_cost_as_much_as_of_one(world: World, statements: Statements) -> None:
    owner = world.owner
    for number in range(8):
        made = await world.request("POST", "/governance/projects", token=owner, json={"name": f"p{number}"})
        body = {"name": f"c{number}", "connection_type": "nfs", "filesystem_config": {"path": "/x"}}
        headers = {"X-Project-ID": made.json()["id"]}
        assert (await world.request("POST", "/assets/data", token=owner, json=body, headers=headers)).is_success
    query = "query($n: Int!) { projects(limit: $n) { items { name dataConnections { name secretNames } } } }"
    costs = {}
    for limit in (2, 10, 2, 10):  # the first requests also read what later ones remember
        await statements.anew()
        answer = (await ask(world, query, variables={"n": limit})).json()
        assert "errors" not in answer
        shown = {
            item["name"]: [c["name"] for c in item["dataConnections"]] for item in answer["data"]["projects"]["items"]
        }
        assert len(shown) == limit
        costs[limit] = len([s for s in statements if not s.startswith(("BEGIN", "COMMIT"))])
    assert shown["p3"] == ["c3"]
    assert shown["shop"] == []
    assert costs[10] == costs[2] <= 10


async def test_the_same_edge_asked_for_many_times_costs_as_much_as_once(world: World, statements: Statements) -> None:
    costs = []
    once = "projects { name }"
    await ask(world, "{ organizations { items { %s } } }" % once)  # which also reads what later ones remember
    for fields in (once, f"{once} a: projects {{ id }} b: projects {{ createdBy }}"):
        await statements.anew()
        answer = (await ask(world, "{ organizations { items { %s } } }" % fields)).json()
        assert "errors" not in answer
        costs.append(len(statements))
    assert costs[0] == costs[1]


async def test_an_edge_shows_only_what_the_caller_may_read(world: World) -> None:
    viewer = await world.member("viewer")
    member = await world.member("member", type_="organization", id_="acme")
    for token, names in ((member, ["lab", "shop"]), (viewer, None)):
        body = (await ask(world, "{ organizations { items { projects { name } } } }", token)).json()
        items = body["data"]["organizations"]["items"]
        assert ([sorted(p["name"] for p in i["projects"]) for i in items] == [names]) if names else items == []
    query = "{ projects { items { name dataConnections { name } } } }"
    uri = {"name": "c", "connection_type": "nfs", "filesystem_config": {"path": "/x"}}
    for project in (world.shop, world.lab):
        await world.request("POST", "/assets/data", token=world.owner, json=uri, headers={"X-Project-ID": project})
    seen = (await ask(world, query, viewer)).json()["data"]["projects"]["items"]
    assert seen == [{"name": "shop", "dataConnections": [{"name": "c"}]}]
