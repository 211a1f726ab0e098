"""Every operation stands behind both doors, the paths are the documented ones, and what is published is current."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLInputObjectType, GraphQLObjectType
from openapi_spec_validator import OpenAPIV30SpecValidator

import schema
from resolvers import operation as operations
from resolvers.operation import Operation, operation
from rest_compat.app import SERVICES, Service, openapi_of
from rest_compat.setup import snapshots
from schema.governance.permission import Permission
from schema.typed import with_typed
from tests.contract.published import line, routes
from tests.contract.table import TABLE
from tests.doors import FIELDS, QUERIES, ROUTES, SDL, SUBSCRIPTIONS
from tests.world import World

ROOT = Path(schema.__file__).parents[1]
ONLY_REST: set[str] = set()
ONLY_GRAPH = {"run_progress"}
"""Operations that one door alone has a reason to open."""

DEMANDS_PROJECT = {row.line for row in TABLE if row.project == "required"}
"""The paths on which the contract demands the header X-Project-ID."""

BY_NAME = pytest.mark.parametrize("service", SERVICES, ids=[s.name for s in SERVICES])
PUBLISHED = sorted(
    path.relative_to(ROOT)
    for pattern in ("schema/schema.graphql", "schema/subgraphs/*", "rest_compat/openapi/*.json")
    for path in ROOT.glob(pattern)
)
AT_ONE_PLACE = pytest.mark.xdist_group("published")  # the same process of a run, which makes them all once
WRITTEN_PAGES = [Path("docs/settings.md"), Path("docs/connectors.md")]


@pytest.fixture(scope="module")
def snapshot() -> dict[Path, str]:
    """Return what each published file should hold: seconds to make, so made once."""
    return {path.relative_to(ROOT): content for path, content in snapshots()}


def test_every_operation_has_a_path_and_a_field() -> None:
    assert set(ROUTES) - set(FIELDS) == ONLY_REST
    assert set(FIELDS) - set(ROUTES) == ONLY_GRAPH
    for name, route in ROUTES.items():
        assert FIELDS[name].extensions["strawberry-definition"].metadata["operation"] is route.operation


def test_every_declared_operation_is_opened() -> None:
    """An operation that stands in `resolvers/` and in no door would be dead, or reached in a third way."""
    import importlib
    import pkgutil

    import resolvers

    declared: dict[str, Operation[..., Any]] = {}
    for module in pkgutil.walk_packages(resolvers.__path__, "resolvers."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Operation):
                declared[value.name] = value
    assert set(declared) == set(ROUTES) | ONLY_GRAPH


POSTS_THAT_READ = {"get_scorecard", "stream_turn"}
"""Their questions are too long for a path, or the contract says so."""


def test_reads_are_get_and_queries_and_writes_are_not() -> None:
    for name, route in ROUTES.items():
        (method,) = route.methods or {""}
        reads = route.operation.kind is operations.CallKind.READ
        assert reads == (method == "GET" or name in POSTS_THAT_READ), name
        assert reads == (name in QUERIES or name in SUBSCRIPTIONS), name


def test_an_operation_without_a_permission_does_not_import() -> None:
    with pytest.raises(TypeError, match="needs"):
        operation(on="project")  # type: ignore[call-arg]
    for name, route in ROUTES.items():
        assert isinstance(route.operation.needs, Permission | operations.OwnView), name


def test_what_needs_no_permission_is_a_short_list() -> None:
    open_ = {name for name, route in ROUTES.items() if isinstance(route.operation.needs, operations.OwnView)}
    assert open_ == {"list_organizations", "list_projects", "check_permission", "explain_permission", "search_entities"}


@AT_ONE_PLACE
@pytest.mark.parametrize("path", [*PUBLISHED, *WRITTEN_PAGES], ids=lambda path: path.name)
def test_the_published_file_is_current(snapshot: dict[Path, str], path: Path) -> None:
    assert (ROOT / path).read_text() == snapshot[path], "run `stoa snapshot`"


@AT_ONE_PLACE
def test_no_published_file_is_left_over_or_missing(snapshot: dict[Path, str]) -> None:
    assert {*PUBLISHED, *WRITTEN_PAGES} == set(snapshot)


@BY_NAME
def test_the_document_is_openapi_3_0(service: Service) -> None:
    document = json.loads(json.dumps(openapi_of(service)))
    assert re.fullmatch(r"3\.0\.\d", document["openapi"])
    assert [error.message for error in OpenAPIV30SpecValidator(document).iter_errors()] == []


@BY_NAME
def test_the_document_describes_every_path_once(service: Service) -> None:
    document = openapi_of(service)
    described = {f"{method.upper()} {path}" for path, methods in document["paths"].items() for method in methods}
    assert described == {line(r) for r in routes() if r.path.startswith(service.door.prefix + "/")}
    ids = [op["operationId"] for methods in document["paths"].values() for op in methods.values()]
    assert len(ids) == len(set(ids))


@BY_NAME
def test_the_document_says_what_each_operation_does_and_how_it_fails(service: Service) -> None:
    document = openapi_of(service)
    for path, methods in document["paths"].items():
        for method, op in methods.items():
            where = f"{method} {path}"
            assert len(op["summary"]) > 8, where
            assert len(op["description"]) > 8, where
            assert {"400", "401", "403", "429", "500", "502", "503"} < set(op["responses"]), where
            for status, answer in op["responses"].items():
                if int(status) >= 400:
                    content = answer["content"]["application/json"]["schema"]
                    assert content == {"$ref": "#/components/schemas/ErrorEnvelope"}, where
                elif status != "304":
                    assert [media for media in answer["content"].values() if media["schema"]], where
            names = {p["name"]: p for p in op.get("parameters", [])}
            header = names["X-Project-ID"]
            assert header["in"] == "header"
            assert header.get("required", False) == (f"{method.upper()} {path}" in DEMANDS_PROJECT), where
            for name in re.findall(r"{(\w+)}", path):
                assert names[name]["in"] == "path", where


@BY_NAME
def test_the_documents_error_has_the_keys_of_its_variant(service: Service) -> None:
    error = openapi_of(service)["components"]["schemas"]["ErrorEnvelope"]
    inner = error["properties"]["error"]
    if service.name == "data-readiness":
        assert set(error["required"]) == {"error", "request_id"}
        assert set(inner["properties"]) == {"code", "message", "details"}
    else:
        assert set(error["required"]) == {"error"}
        assert set(inner["properties"]) == {"code", "message", "status", "details", "request_id", "trace_id"}
    assert "details" not in inner["required"]


def test_the_documents_use_no_word_that_openapi_3_0_lacks() -> None:
    def walk(node: Any, where: str) -> None:
        if isinstance(node, dict):
            assert node.get("type") != "null", where
            # A property may be called anything, in an example too; a schema may not use these words.
            if not where.endswith(("/properties", "/example")):
                assert not {"const", "examples", "prefixItems", "$defs"} & set(node), where
            for name, value in node.items():
                walk(value, f"{where}/{name}")
        elif isinstance(node, list):
            for number, value in enumerate(node):
                walk(value, f"{where}/{number}")

    for service in SERVICES:
        walk(openapi_of(service), service.name)


def test_every_field_type_and_argument_of_the_graph_is_described() -> None:
    for root in (SDL.query_type, SDL.mutation_type):
        assert root is not None
        assert root.description
        for name, field in root.fields.items():
            assert field.description, name
    for name, kind in SDL.type_map.items():
        if isinstance(kind, GraphQLObjectType | GraphQLInputObjectType) and not name.startswith("__"):
            assert kind.description, name


def test_the_two_doors_take_the_same_arguments() -> None:
    for name, route in ROUTES.items():
        declared = {shown.name for shown, _ in with_typed(route.operation.parameters)}
        camel = {re.sub(r"_(\w)", lambda m: m.group(1).upper(), p) for p in declared}
        assert set(FIELDS[name].args) == camel, name


@pytest.mark.anyio
async def test_every_service_publishes_its_document_and_its_page(world: World) -> None:
    for service in SERVICES:
        answer = await world.request("GET", f"{service.door.prefix}/openapi.json")
        assert (answer.status_code, answer.json()) == (200, openapi_of(service))
        assert answer.headers["content-type"] == "application/json"
    page = await world.request("GET", "/docs")
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
