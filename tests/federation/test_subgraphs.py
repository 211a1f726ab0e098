"""The subgraph of each service: what it holds, and how entities are resolved in it."""

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from graphql import DocumentNode, ObjectTypeDefinitionNode, parse, print_ast

from persistence.jobs.port import InlineJobs
from resolvers.entities import ENTITIES
from rest_compat.app import SERVICES, create_app
from schema.graph import build_graph
from schema.subgraph import SERVICE_FOLDERS
from tests.support.subgraphs import subgraph
from tests.world import World

pytestmark = pytest.mark.anyio

NAMES = [service.name for service in SERVICES]
ENTITY_NAMES = {model.__name__ for model in ENTITIES}


@functools.cache
def document_of(service: str) -> DocumentNode:
    return parse(subgraph(service).sdl)


def types_of(service: str) -> dict[str, ObjectTypeDefinitionNode]:
    return {d.name.value: d for d in document_of(service).definitions if isinstance(d, ObjectTypeDefinitionNode)}


def fields_of(service: str, name: str) -> set[str]:
    found = types_of(service).get(name)
    return {field.name.value for field in found.fields or ()} if found else set()


def directives_of(service: str, name: str) -> list[str]:
    return [print_ast(directive) for directive in types_of(service)[name].directives or ()]


def test_the_folders_of_the_schema_are_the_services() -> None:
    assert [name.replace("-", "_") for name in NAMES] == list(SERVICE_FOLDERS)


@pytest.mark.parametrize("root", ["Query", "Mutation", "Subscription"])
def test_every_root_field_is_in_exactly_one_subgraph(root: str) -> None:
    whole = build_graph()._schema.type_map.get(root)
    named = [field for name in NAMES for field in fields_of(name, root)]
    assert len(named) == len(set(named))
    assert set(named) == set(whole.fields if whole else ()) - {"node", "nodes"}  # type: ignore[attr-defined]


def test_every_field_of_an_entity_is_in_exactly_one_subgraph_and_its_key_wherever_it_is() -> None:
    whole = build_graph()
    for model, entity in ENTITIES.items():
        key = subgraph("governance")._key(entity)
        held = [fields_of(name, model.__name__) for name in NAMES]
        assert all(key in fields for fields in held if fields), model
        others = [field for fields in held for field in fields - {key}]
        assert len(others) == len(set(others)), model
        assert {*others, key} == set(whole._schema.type_map[model.__name__].fields), model  # type: ignore[attr-defined]


def test_an_edge_is_in_the_service_that_it_leads_to() -> None:
    assert {"id", "dataConnections"} <= fields_of("assets", "Project")
    assert "dataConnections" not in fields_of("governance", "Project")
    assert "projects" in fields_of("governance", "Organization")


def test_an_entity_says_its_key_and_whether_it_can_be_resolved_there() -> None:
    assert directives_of("governance", "Project") == ['@key(fields: "id")']
    assert directives_of("assets", "DataConnection") == ['@key(fields: "resourceUri")']
    for service in NAMES:
        graph = subgraph(service)
        for name in types_of(service).keys() & ENTITY_NAMES:
            (said,) = directives_of(service, name)
            assert ("resolvable: false" in said) == (name not in graph._entities), (service, name)


def test_every_other_type_is_shareable_and_the_same_wherever_it_is() -> None:
    seen: dict[str, str] = {}
    for service in NAMES:
        for definition in document_of(service).definitions:
            name = getattr(getattr(definition, "name", None), "value", "")
            if not name or name in ENTITY_NAMES | {"Query", "Mutation", "Subscription"}:
                continue
            if isinstance(definition, ObjectTypeDefinitionNode):
                assert directives_of(service, name) == ["@shareable"], (service, name)
            assert seen.setdefault(name, print_ast(definition)) == print_ast(definition), (service, name)


def test_the_whole_graph_has_nothing_of_federation() -> None:
    assert not {"_Any", "_Entity", "_Service"} & set(build_graph()._schema.type_map)


@asynccontextmanager
async def apart(world: World, service: str, **changed: Any) -> AsyncIterator[httpx.AsyncClient]:
    """One service alone on the world's store."""
    settings = world.app.parts.settings.model_copy(update=changed)
    app = create_app(settings, service=service, jobs=InlineJobs(), clock=world.clock)
    await app.open()
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    try:
        async with httpx.AsyncClient(transport=transport, base_url="http://stoa.test") as client:
            yield client
    finally:
        await app.close()


ENTITIES_QUERY = """
query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Project { id dataConnections { name } }
    ... on DataConnection { resourceUri name }
  }
}
"""


async def ask(client: httpx.AsyncClient, token: str | None, query: str, **variables: Any) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = await client.post("/graphql", json={"query": query, "variables": variables}, headers=headers)
    found: dict[str, Any] = answer.json()
    return found


async def connect(world: World, name: str, project: str) -> str:
    answer = await world.request(
        "POST",
        "/assets/data",
        token=world.token("olga", project=project),
        json={
            "name": name,
            "connection_type": "postgres",
            "database_config": {"host": "db.test", "port": 5432, "database": "shop"},
        },
    )
    assert answer.status_code == 201, answer.text
    uri: str = answer.json()["resource_uri"]
    return uri


async def test_a_service_tells_a_gateway_its_schema(world: World) -> None:
    async with apart(world, "assets") as client:
        answer = await ask(client, world.owner, "{ _service { sdl } }")
    assert answer["data"]["_service"]["sdl"] == subgraph("assets").sdl


async def test_entities_are_resolved_by_reference_in_the_order_asked(world: World) -> None:
    uri = await connect(world, "Shop", world.shop)
    async with apart(world, "assets") as client:
        answer = await ask(
            client,
            world.owner,
            ENTITIES_QUERY,
            representations=[
                {"__typename": "DataConnection", "resourceUri": uri},
                {"__typename": "Project", "id": world.lab},
                {"__typename": "Project", "id": world.shop},
                {"__typename": "DataConnection", "resourceUri": uri},
            ],
        )
    connection = {"__typename": "DataConnection", "resourceUri": uri, "name": "Shop"}
    assert answer["data"]["_entities"] == [
        connection,
        {"__typename": "Project", "id": world.lab, "dataConnections": []},
        {"__typename": "Project", "id": world.shop, "dataConnections": [{"name": "Shop"}]},
        connection,
    ]


async def test_what_the_caller_may_not_read_is_null_as_what_is_not_there(world: World) -> None:
    uri = await connect(world, "Shop", world.shop)
    references = [
        {"__typename": "DataConnection", "resourceUri": uri},
        {"__typename": "Project", "id": world.shop},
        {"__typename": "Project", "id": world.theirs},
        {"__typename": "Project", "id": "nothing"},
    ]
    async with apart(world, "assets") as client:
        stranger = await ask(client, world.token("nobody"), ENTITIES_QUERY, representations=references)
        foreign = await ask(client, world.foreign_owner, ENTITIES_QUERY, representations=references)
        unknown = await ask(client, None, ENTITIES_QUERY, representations=references)
    assert stranger["data"]["_entities"] == [None, None, None, None]
    theirs = {"__typename": "Project", "id": world.theirs, "dataConnections": []}
    assert foreign["data"]["_entities"] == [None, None, theirs, None]
    assert unknown["error"]["code"] == "UNAUTHENTICATED"


async def test_ten_references_cost_as_many_statements_as_one(world: World) -> None:
    uris = [await connect(world, f"Shop {number}", world.shop) for number in range(10)]
    async with apart(world, "assets") as client:
        engines = client._transport.app.parts.database.sync_engines  # type: ignore[attr-defined]
        fewest: list[int] = []
        seen: list[str] = []
        for engine in engines:
            sa.event.listen(engine, "before_cursor_execute", lambda _c, _u, statement, *_: seen.append(statement))
        for asked in (uris[:1], uris):
            references = [{"__typename": "DataConnection", "resourceUri": uri} for uri in asked]
            counted = []
            for _ in range(5):  # what works in the background can only add statements
                seen.clear()
                answer = await ask(client, world.owner, ENTITIES_QUERY, representations=references)
                assert [item["resourceUri"] for item in answer["data"]["_entities"]] == asked
                counted.append(len(seen))
            fewest.append(min(counted))
    assert fewest[0] == fewest[1] > 0


async def test_a_chat_session_is_its_owners_alone_as_an_entity_too(world: World) -> None:
    made = await world.request(
        "POST", "/talk2data/chat/sessions", token=world.owner, headers={"X-Project-ID": world.shop}, json={}
    )
    reference = {"__typename": "ChatSession", "sessionId": made.json()["session_id"]}
    query = "query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }"
    async with apart(world, "talk2data") as client:
        own = await ask(client, world.owner, query, all=[reference])
        other = await ask(client, await world.member("admin"), query, all=[reference])
    assert own["data"]["_entities"] == [{"__typename": "ChatSession"}]
    assert other["data"]["_entities"] == [None]


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ({"__typename": "Nothing", "id": "x"}, "INVALID_PARAMETER"),
        ({"__typename": "Organization", "id": "acme"}, "INVALID_PARAMETER"),
        ({"id": "x"}, "INVALID_PARAMETER"),
        ("Project", "INVALID_PARAMETER"),
        ({"__typename": "Project"}, "MISSING_REQUIRED_FIELD"),
        ({"__typename": "Project", "id": 7}, "MISSING_REQUIRED_FIELD"),
    ],
)
async def test_a_reference_that_names_nothing_is_refused(world: World, reference: Any, code: str) -> None:
    async with apart(world, "assets") as client:
        answer = await ask(client, world.owner, ENTITIES_QUERY, representations=[reference])
    assert answer["data"] is None
    assert [error["extensions"]["code"] for error in answer["errors"]] == [code]


async def test_too_many_references_are_refused_and_the_most_are_not(world: World) -> None:
    project = {"__typename": "Project", "id": world.shop}
    query = "query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }"
    async with apart(world, "assets") as client:
        most = await ask(client, world.owner, query, all=[project] * 10_000)
        over = await ask(client, world.owner, query, all=[project] * 10_001)
    assert most["data"]["_entities"] == [{"__typename": "Project"}] * 10_000
    assert over["errors"][0]["extensions"]["code"] == "VALIDATION_ERROR"


async def test_each_type_of_entity_is_charged_as_one_read(world: World) -> None:
    references = [
        *[{"__typename": "Project", "id": world.shop}] * 5,
        *[{"__typename": "DataConnection", "resourceUri": "none"}] * 5,
    ]
    async with apart(world, "assets", rate_limit_reads=4) as client:
        headers = {"Authorization": f"Bearer {world.token('rita')}"}
        body = {"query": ENTITIES_QUERY, "variables": {"representations": references}}
        answers = [await client.post("/graphql", json=body, headers=headers) for _ in range(3)]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers[:2]] == ["2", "0"]
    assert (answers[2].status_code, answers[2].json()["error"]["code"]) == (429, "RATE_LIMIT_EXCEEDED")


@pytest.mark.parametrize("service", NAMES)
async def test_a_service_apart_serves_its_own_documents_and_probes(world: World, service: str) -> None:
    async with apart(world, service) as client:
        answers = {path: await client.get(path) for path in ("/openapi.json", "/docs", "/healthz", "/readyz")}
        described = await ask(
            client, world.owner, "{ __schema { queryType { fields(includeDeprecated: true) { name } } } }"
        )
        whole = (await world.client.get(f"{_prefix(service)}/openapi.json")).json()
    assert {path: answer.status_code for path, answer in answers.items()} == dict.fromkeys(answers, 200)
    assert answers["/openapi.json"].json() == whole
    fields = {field["name"] for field in described["data"]["__schema"]["queryType"]["fields"]}
    assert fields - {"_service", "_entities"} == fields_of(service, "Query")


def _prefix(service: str) -> str:
    return next(s.door.prefix for s in SERVICES if s.name == service)
