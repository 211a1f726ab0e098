"""Lists by cursor: every list has one, walking it neither repeats nor leaves out, and a cursor fits one list only."""

from typing import Any

import pytest
from graphql import GraphQLField

from schema.connections import is_list, item_of
from schema.cursors import key_of
from tests.doors import FIELDS, SDL
from tests.world import World

pytestmark = pytest.mark.anyio

WHOLE = {"list_taxonomy", "list_violation_definitions"}
"""Short lists, which their operations answer with whole."""


def connected() -> dict[str, GraphQLField]:
    """The connection fields by the name of the list operation behind them."""
    assert SDL.query_type is not None
    made = [(f.extensions["strawberry-definition"].metadata.get("connects"), f) for f in SDL.query_type.fields.values()]
    return {op.name: field for op, field in made if op is not None}


def test_every_list_has_a_connection_beside_it() -> None:
    lists = {
        name
        for name, field in FIELDS.items()
        if is_list(field.extensions["strawberry-definition"].metadata["operation"])
    }
    assert "list_data_connections" in lists
    assert set(connected()) == lists | WHOLE


async def test_a_list_that_is_answered_whole_is_walked_by_cursors_as_well(world: World) -> None:
    query = """query($first: Int, $after: String) { taxonomy { items { tagFqn } } taxonomyConnection(
      first: $first, after: $after) { totalCount nodes { tagFqn } pageInfo { endCursor hasNextPage } } }"""
    seen, after = [], None
    while True:
        found = (await ask(world, query, first=7, after=after))["data"]
        seen += found["taxonomyConnection"]["nodes"]
        after = found["taxonomyConnection"]["pageInfo"]["endCursor"]
        if not found["taxonomyConnection"]["pageInfo"]["hasNextPage"]:
            break
    assert seen == found["taxonomy"]["items"]
    assert found["taxonomyConnection"]["totalCount"] == len(seen)


def test_a_connection_takes_the_filters_of_its_list_and_the_four_bounds() -> None:
    for name, field in connected().items():
        paging = {"page", "limit", "perPage", "pageSize", "offset"}
        assert set(field.args) == set(FIELDS[name].args) - paging | {"first", "after", "last", "before"}, name
        for argument in set(field.args) & set(FIELDS[name].args):
            assert str(field.args[argument].type) == str(FIELDS[name].args[argument].type)


def test_every_list_tells_its_items_apart_by_a_key() -> None:
    """A cursor finds its item again by it, whatever else of the item has changed."""
    operations = [f.extensions["strawberry-definition"].metadata["connects"] for f in connected().values()]
    assert [op.name for op in operations if not key_of(item_of(op).model_fields.__contains__)] == []


async def ask(world: World, query: str, token: str | None = None, **variables: Any) -> Any:
    """The answer of one request."""
    answer = await world.request(
        "POST", "/graphql", token=token or world.owner, json={"query": query, "variables": variables}
    )
    return answer.json()


async def registered(world: World, *names: str) -> None:
    for name in names:
        body = {"name": name, "connection_type": "nfs", "filesystem_config": {"path": "/x"}}
        assert (await world.request("POST", "/assets/data", token=world.owner, json=body)).is_success


WALK = """query($first: Int, $after: String, $last: Int, $before: String, $search: String) {
  dataConnectionsConnection(first: $first, after: $after, last: $last, before: $before, search: $search) {
    totalCount nodes { name } edges { cursor node { name } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  } }"""


async def window(world: World, **variables: Any) -> Any:
    """One window, checked against itself."""
    body = await ask(world, WALK, **variables)
    assert "errors" not in body, body
    found = body["data"]["dataConnectionsConnection"]
    assert found["nodes"] == [edge["node"] for edge in found["edges"]]
    ends = [found["edges"][0]["cursor"], found["edges"][-1]["cursor"]] if found["edges"] else [None, None]
    assert [found["pageInfo"]["startCursor"], found["pageInfo"]["endCursor"]] == ends
    return found


def names(found: Any) -> list[str]:
    return [node["name"] for node in found["nodes"]]


async def refused(world: World, **variables: Any) -> tuple[str, str]:
    """The code and the field that a refusal names."""
    body = await ask(world, WALK, **variables)
    assert not body["data"], body
    extensions = body["errors"][0]["extensions"]
    return extensions["code"], extensions["details"]["field"]


async def test_a_list_is_walked_forwards_and_backwards(world: World) -> None:
    await registered(world, *(f"c{n}" for n in range(7)))
    seen, after = [], None
    for _ in range(3):
        found = await window(world, first=3, after=after)
        seen.append(names(found))
        assert found["totalCount"] == 7
        after = found["pageInfo"]["endCursor"]
    assert seen == [["c0", "c1", "c2"], ["c3", "c4", "c5"], ["c6"]]
    assert found["pageInfo"]["hasNextPage"] is False
    assert found["pageInfo"]["hasPreviousPage"] is True
    back = await window(world, last=3, before=found["pageInfo"]["startCursor"])
    assert names(back) == ["c3", "c4", "c5"]
    assert back["pageInfo"]["hasNextPage"] is True
    assert names(await window(world, last=2)) == ["c5", "c6"]
    assert names(await window(world, first=2, after=back["edges"][1]["cursor"])) == ["c5", "c6"]
    assert names(await window(world, first=9, before=back["edges"][1]["cursor"])) == ["c0", "c1", "c2", "c3"]
    first = await window(world)
    assert len(first["nodes"]) == 7
    assert first["pageInfo"]["hasPreviousPage"] is False


@pytest.mark.parametrize("size", [1, 2, 4, 5, 50, 99, 100])
@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_any_size_walks_the_whole_list_in_order(world: World, size: int) -> None:
    wanted = [f"c{n:02}" for n in range(11)]
    await registered(world, *wanted)
    seen: list[str] = []
    after = None
    while True:
        found = await window(world, first=size, after=after)
        seen += names(found)
        after = found["pageInfo"]["endCursor"]
        if not found["pageInfo"]["hasNextPage"]:
            break
    assert seen == wanted


async def test_what_is_added_or_removed_meanwhile_shifts_nothing(world: World) -> None:
    await registered(world, "b", "d", "f", "h")
    found = await window(world, first=2)
    assert names(found) == ["b", "d"]
    await registered(world, "a", "c")
    assert names(await window(world, first=2, after=found["pageInfo"]["endCursor"])) == ["f", "h"]
    assert names(await window(world, last=2, before=found["pageInfo"]["endCursor"])) == ["b", "c"]


async def test_an_empty_list_has_no_cursors(world: World) -> None:
    found = await window(world)
    assert found["nodes"] == []
    assert found["pageInfo"] == {
        "hasNextPage": False,
        "hasPreviousPage": False,
        "startCursor": None,
        "endCursor": None,
    }


async def test_the_bounds_of_a_window_are_those_of_a_page(world: World) -> None:
    for wrong in ({"first": 0}, {"first": 101}, {"first": -1}):
        assert await refused(world, **wrong) == ("INVALID_PARAMETER", "first")
    for wrong in ({"last": 0}, {"last": 101}, {"first": 1, "last": 1}):
        assert await refused(world, **wrong) == ("INVALID_PARAMETER", "last")
    assert names(await window(world, first=100)) == []
    assert names(await window(world, last=100)) == []


async def test_a_cursor_fits_its_own_list_only(world: World) -> None:
    await registered(world, "a", "b")
    cursor = (await window(world, first=1))["pageInfo"]["endCursor"]
    assert names(await window(world, after=cursor)) == ["b"]
    for wrong in ("", "x", "%%%", cursor[:-2], cursor + "AA", cursor[::-1], "A" * 301):
        assert await refused(world, after=wrong) == ("INVALID_PARAMETER", "after")
        assert await refused(world, before=wrong) == ("INVALID_PARAMETER", "before")
    assert await refused(world, after=cursor, search="a") == ("INVALID_PARAMETER", "after")
    other = await ask(world, "query($c: String) { projectsConnection(after: $c) { totalCount } }", c=cursor)
    assert other["errors"][0]["extensions"]["code"] == "INVALID_PARAMETER"
    body = await ask(world, WALK, world.foreign_owner, after=cursor)
    assert body["errors"][0]["extensions"]["code"] == "INVALID_PARAMETER"


async def test_a_connection_asks_for_the_permission_of_its_list(world: World) -> None:
    await registered(world, "mine")
    stranger = world.token("nobody", project=world.shop)
    page = await ask(world, "{ dataConnections { total } }", stranger)
    connection = await ask(world, "{ dataConnectionsConnection { totalCount } }", stranger)
    assert connection["errors"][0]["extensions"] == page["errors"][0]["extensions"]
    theirs = await ask(world, "{ dataConnectionsConnection { totalCount nodes { name } } }", world.foreign_owner)
    assert theirs["data"]["dataConnectionsConnection"] == {"totalCount": 0, "nodes": []}


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_a_connection_is_charged_as_its_list(world: World) -> None:
    async def left(query: str) -> int:
        answer = await world.request("POST", "/graphql", token=world.owner, json={"query": query})
        return int(answer.headers["X-RateLimit-Remaining"])

    before = await left("{ projects { total } }")
    assert await left("{ projectsConnection { totalCount } }") == before - 1
    assert await left("{ a: projectsConnection { totalCount } b: projectsConnection { totalCount } }") == before - 3


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_the_search_of_the_catalog_is_walked_too(world: World) -> None:
    await registered(world, "Shop")
    listed = (await world.request("GET", "/assets/data", token=world.owner)).json()
    uri = listed["data"][0]["resource_uri"]
    for name in ("one", "two", "three"):
        body = {"type": "database", "fully_qualified_name": f"shop.{name}"}
        path = f"/utils/data_connection/{uri}/metadata"
        project = {"X-Project-ID": world.shop}
        made = await world.request("POST", path, token=world.owner, json=body, headers=project)
        assert made.is_success, made.text
    query = (
        "query($c: String) { searchMetadataConnection(first: 2, after: $c) { nodes { name } pageInfo { endCursor } } }"
    )
    one = (await ask(world, query))["data"]["searchMetadataConnection"]
    two = (await ask(world, query, c=one["pageInfo"]["endCursor"]))["data"]["searchMetadataConnection"]
    assert [n["name"] for n in one["nodes"] + two["nodes"]] == ["one", "three", "two"]
