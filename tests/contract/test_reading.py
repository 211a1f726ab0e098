"""Every read answers HEAD with the headers of GET, and 304 to who has what he would get already."""

import re
from typing import Any

import httpx
import pytest

from resolvers.assets.data_connections import update_data_connection
from resolvers.governance.organizations import set_rate_limits
from resolvers.utils.context_packs import delete_context_pack
from rest_compat.app import SERVICES
from rest_compat.events import StreamRoute
from schema.assets.data_connection import DataConnectionChange
from schema.governance.organization import RateLimitsChange
from tests.contract.stage import Stage
from tests.contract.test_bounds import Calls
from tests.doors import ROUTES, Door, RestDoor
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

READS = [name for name, route in ROUTES.items() if route.methods == {"GET"}]
TELLS_THE_TIME = {"X-Request-ID", "X-RateLimit-Remaining", "X-RateLimit-Reset", "Content-Length"}


COUNTED = {"get_memory"}
"""What counts each look at it, and shows the count."""


class Twice(httpx.AsyncClient):
    """Sends a GET as HEAD first, and then again with the tag that it was answered."""

    head: httpx.Response
    again: httpx.Response | None = None

    async def request(self, method: str, url: Any, **how: Any) -> httpx.Response:
        """The answer to the GET."""
        self.head = await super().request("HEAD" if method == "GET" else method, url, **how)
        answer = await super().request(method, url, **how)
        tag = answer.headers.get("ETag")
        self.again = None
        if tag is not None:
            headers = {**(how.pop("headers", None) or {}), "If-None-Match": f'"x", W/{tag}'}
            self.again = await super().request(method, url, headers=headers, **how)
        return answer


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_every_read_answers_head_and_what_is_known_already(world: World, store_kind: str) -> None:
    stage, tagged = await Stage.set(world), set[str]()
    transport = httpx.ASGITransport(world.app, raise_app_exceptions=False)
    async with Twice(transport=transport, base_url="http://stoa.test") as client:
        for operation in READS:
            door = RestDoor(client)
            calls = Calls(stage, door, operation)
            await calls.call(**await calls.base())
            answer, head = door.last, client.head
            assert answer is not None
            assert answer.is_success, operation
            assert (head.status_code, head.content) == (answer.status_code, b""), operation
            names = answer.headers.keys() - {name.lower() for name in TELLS_THE_TIME}
            if operation not in COUNTED:  # each look at them is counted, and shows
                assert {name: head.headers.get(name) for name in names} == {n: answer.headers[n] for n in names}
            if not isinstance(ROUTES[operation], StreamRoute):
                assert head.headers["Content-Length"] == answer.headers["Content-Length"] or "etag" in names, operation
            if client.again is not None:
                tagged.add(operation)
                expected = 200 if operation in COUNTED else 304
                assert client.again.status_code == expected, operation
                if expected == 304:
                    assert (client.again.content, client.again.headers["ETag"]) == (b"", answer.headers["ETag"])
    assert {"get_data_connection", "get_workflow_configuration", "get_quality_rule", "get_file"} <= tagged


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_head_is_charged_as_a_read_and_told_where_it_is_not_taken(world: World, store_kind: str) -> None:
    first = await world.request("HEAD", "/governance/projects", token=world.owner)
    second = await world.request("HEAD", "/governance/projects", token=world.owner)
    left = [int(one.headers["X-RateLimit-Remaining"]) for one in (first, second)]
    assert left[0] - left[1] == 1
    refused = await world.request("HEAD", "/search/bulk/index", token=world.owner)
    assert (refused.status_code, refused.content, refused.headers["Allow"]) == (405, b"", "POST")
    missing = await world.request("HEAD", "/governance/projects/none", token=world.owner)
    assert (missing.status_code, missing.content) == (404, b"")
    for path in ("/docs", "/", "/healthz", "/openapi.json", "/governance/openapi.json", "/graphql?query={__typename}"):
        answer = await world.request("HEAD", path, token=world.owner)
        assert (answer.status_code, answer.content) == (200, b""), path
    allowed = await world.request("DELETE", "/governance/projects", token=world.owner)
    assert allowed.headers["Allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_what_changed_without_a_new_version_is_not_taken_for_known(world: World, store_kind: str) -> None:
    """Each look at a memory is counted and shown, though nobody has changed the memory."""
    pack = await world.request("POST", "/utils/context-packs", token=world.owner, json=PACK)
    about = MEMORY | {"context_pack_id": pack.json()["id"]}
    memory = await world.request("POST", "/utils/memories", token=world.owner, json=about)
    assert memory.status_code == 201, memory.text
    path = f"/utils/memories/{memory.json()['id']}"
    first = await world.request("GET", path, token=world.owner)
    known = {"If-None-Match": first.headers["ETag"]}
    second = await world.request("GET", path, token=world.owner, headers=known)
    assert (second.status_code, second.json() == first.json()) == (200, False)
    revisions = {re.split("[-]", one.headers["ETag"])[0] for one in (memory, first, second)}
    assert len(revisions) == 1
    update = await world.request(
        "PUT", path, token=world.owner, json={"name": "b"}, headers={"If-Match": first.headers["ETag"]}
    )
    assert update.status_code == 200, update.text  # for that is what guards against lost updates


PACK = {"name": "p", "pack_type": "domain"}
MEMORY = {"memory_type": "fact", "name": "m", "content": {"text": "a"}}


async def test_one_of_several_versions_may_stand(world: World, door: Door) -> None:
    body = {"name": "store", "connection_type": "nfs", "filesystem_config": {"path": "/x"}}
    uri = (await world.request("POST", "/assets/data", token=world.owner, json=body)).json()["resource_uri"]

    async def update(tags: str, description: str = "x") -> Any:
        changes = DataConnectionChange.model_validate({"description": description})
        return await door(update_data_connection, world.owner, {"If-Match": tags}, resource_uri=uri, changes=changes)

    assert (await update('"1", "2"'))["description"] == "x"  # it stood at 1
    assert (await update('"1" ,W/"2-0123456789abcdef","7"', "y"))["description"] == "y"
    refused = await update('"1", "2"')
    assert (refused.code, refused.status) == ("VERSION_CONFLICT", 409)
    for wrong in ('"1", 2', '"1",, "2"', '"1"; "2"', '"1", *', ", ".join(['"1"'] * 33)):
        refused = await update(wrong)
        assert (refused.code, refused.details) == ("INVALID_PARAMETER", {"field": "If-Match"}), wrong


async def test_what_is_deleted_or_replaced_may_stand_at_one_of_several_versions(world: World, door: Door) -> None:
    pack = (await world.request("POST", "/utils/context-packs", token=world.owner, json=PACK)).json()["id"]
    late = await door(delete_context_pack, world.owner, {"If-Match": '"2", "3"'}, pack_id=pack)
    assert late == "VERSION_CONFLICT"
    done = await door(delete_context_pack, world.owner, {"If-Match": '"3", "1"'}, pack_id=pack)
    assert done == {"message": "The context pack and its memories are deleted."}
    limits = RateLimitsChange(reads=1000, writes=1000)
    assert await door(set_rate_limits, world.owner, {"If-Match": '"1", "2"'}, org_id="acme", limits=limits) == (
        "VERSION_CONFLICT"
    )
    taken = await door(set_rate_limits, world.owner, {"If-Match": '"0", "1"'}, org_id="acme", limits=limits)
    assert taken["reads"] == 1000


@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_the_whole_is_documented_at_one_address(world: World, store_kind: str) -> None:
    whole = await world.request("GET", "/openapi.json")
    assert whole.status_code == 200
    document = whole.json()
    parts = [(await world.request("GET", f"{s.door.prefix}/openapi.json")).json() for s in SERVICES]
    assert document["paths"].keys() == {path for part in parts for path in part["paths"]}
    ids = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len(ids) == len(set(ids)) == sum(len(path) for part in parts for path in part["paths"].values())
    assert "Every GET takes HEAD too" in document["info"]["description"]
