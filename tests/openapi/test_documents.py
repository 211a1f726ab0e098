"""What the documents tell beside the paths: examples that hold, failures that can occur, links, headers."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from openapi_schema_validator import OAS30Validator

from rest_compat.app import SERVICES, Service, openapi_of
from rest_compat.openapi.examples import BODIES, FIELDS
from rest_compat.openapi.failures import FAILURES
from rest_compat.openapi.links import CREATED

BY_NAME = pytest.mark.parametrize("service", SERVICES, ids=[s.name for s in SERVICES])


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each operation with its method and path."""
    for path, methods in document["paths"].items():
        for method, op in methods.items():
            yield method, path, op


def problems(document: dict[str, Any], schema: dict[str, Any], value: Any) -> list[str]:
    """Return what a validator says against a value."""
    whole = {"allOf": [schema], "components": document["components"]}  # so that its references are found
    validator = OAS30Validator(whole, format_checker=OAS30Validator.FORMAT_CHECKER)
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


@BY_NAME
def test_every_example_holds(service: Service) -> None:
    document = json.loads(json.dumps(openapi_of(service)))
    seen = 0
    for method, path, op in operations(document):
        carriers = [(p["name"], p["schema"], p) for p in op.get("parameters", ()) if p.get("required")]
        bodies = op.get("requestBody", {}).get("content", {}).items()
        answers = [(status, *item) for status, r in op["responses"].items() for item in r.get("content", {}).items()]
        carriers += [(kind, media["schema"], media) for kind, media in bodies]
        carriers += [(status, m["schema"], m) for status, kind, m in answers if kind == "application/json"]
        for name, schema, carrier in carriers:
            if name == "multipart/form-data":
                continue
            where = f"{method} {path} {name}"
            example = carrier["example"] if "example" in carrier else schema["example"]
            assert problems(document, schema, example) == [], where
            seen += 1
    assert seen > 0


def test_an_example_of_a_stream_is_an_event_as_it_is_sent() -> None:
    document = json.loads(json.dumps(openapi_of(next(one for one in SERVICES if one.name == "talk2data"))))
    streams = [
        media
        for _, _, op in operations(document)
        for kind, media in next(told for status, told in op["responses"].items() if status[0] == "2")
        .get("content", {})
        .items()
        if kind == "text/event-stream"
    ]
    assert len(streams) == 2
    for media in streams:
        told = dict(line.split(": ", 1) for line in media["example"].removesuffix("\n\n").split("\n"))
        event = json.loads(told["data"])
        assert problems(document, media["schema"]["x-event-data"], event) == []
        assert (told["id"], told["event"]) == (str(event["sequence"]), event["event"]) == ("13", "message_delta")
        assert (list(event["data"]), event["final"]) == (["delta"], False)


@BY_NAME
def test_an_example_of_a_success_shows_more_than_nothing(service: Service) -> None:
    for method, path, op in operations(openapi_of(service)):
        for status, response in op["responses"].items():
            media = response.get("content", {}).get("application/json")
            if media is not None and status.startswith("2") and media["schema"].get("description") != "Nothing.":
                assert media["example"], f"{method} {path} {status}"


@BY_NAME
def test_an_example_of_a_failure_shows_its_code_and_status(service: Service) -> None:
    for method, path, op in operations(openapi_of(service)):
        for status, response in op["responses"].items():
            if status < "4":
                continue
            error = response["content"]["application/json"]["example"]["error"]
            assert error["code"] == FAILURES[status].codes[0], f"{method} {path}"
            assert error.get("status", int(status)) == int(status)
            assert error["code"] in response["description"]


@BY_NAME
def test_the_failures_are_those_that_can_occur(service: Service) -> None:
    for method, path, op in operations(openapi_of(service)):
        where, listed = f"{method} {path}", set(op["responses"])
        assert {"400", "401", "403", "429", "500", "502", "503"} <= listed, where
        assert ("409" in listed) == (method != "get" and "Idempotency-Key" in {p["name"] for p in op["parameters"]})
        assert ("408" in listed) == ("413" in listed) == ("415" in listed) == ("requestBody" in op), where
        if "{" in path or "requestBody" in op:
            assert "404" in listed, where
        if "requestBody" in op:
            assert "422" in listed, where


@BY_NAME
def test_every_answer_documents_its_headers(service: Service) -> None:
    document = openapi_of(service)
    always = {"X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
    for method, path, op in operations(document):
        for status, response in op["responses"].items():
            where = f"{method} {path} {status}"
            assert always <= set(response["headers"]), where
            assert ("Retry-After" in response["headers"]) == (status in ("429", "503")), where
        if method in ("put", "patch"):
            assert "ETag" in op["responses"]["200"]["headers"] or path.endswith("/rate-limits"), where
    for header in document["components"]["headers"].values():
        assert {"description", "schema", "example"} <= set(header)


@BY_NAME
def test_everything_is_described(service: Service) -> None:
    document = openapi_of(service)
    assert {"title", "version", "description", "license", "contact"} <= set(document["info"])
    for method, path, op in operations(document):
        where = f"{method} {path}"
        assert op["tags"] == [service.door.tag], where
        assert re.fullmatch(r"[a-z][a-z0-9_]*", op["operationId"]), where
        assert len(op["summary"]) > 8, where
        for parameter in op["parameters"]:
            assert len(parameter["description"]) > 4, f"{where} {parameter['name']}"
            assert "nullable" not in parameter["schema"], f"{where} {parameter['name']}"
    for name, schema in document["components"]["schemas"].items():
        for field, told in schema.get("properties", {}).items():
            if "$ref" not in told:
                assert told.get("description") or "allOf" in told, f"{name}.{field}"
        if "owner_id" in schema.get("properties", {}):
            assert schema["properties"]["owner_id"]["deprecated"] is True, name


@BY_NAME
def test_what_refuses_unknown_fields_says_so(service: Service) -> None:
    document = openapi_of(service)
    for method, path, op in operations(document):
        for media in op.get("requestBody", {}).get("content", {}).values():
            left = [media["schema"].get("items", media["schema"])]
            while left:
                schema = left.pop()
                if "$ref" in schema:
                    schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
                left += schema.get("oneOf", [])
                assert "oneOf" in schema or schema["additionalProperties"] is False, f"{method} {path}"


def test_every_create_leads_to_what_is_done_with_its_resource() -> None:
    documents = [openapi_of(service) for service in SERVICES]
    linked: dict[str, set[str]] = {}
    for document in documents:
        ids = {op["operationId"]: op for _, _, op in operations(document)}
        for op in ids.values():
            for status, response in op["responses"].items():
                for name, link in response.get("links", {}).items():
                    assert status.startswith("2")
                    assert link["operationId"] in ids
                    names = {p["name"] for p in ids[name]["parameters"]}
                    assert set(link["parameters"]) <= names, name
                    linked.setdefault(op["operationId"], set()).add(name)
    assert set(linked) == set(CREATED)
    assert {"get_memory", "update_memory", "delete_memory", "pin_memory"} <= linked["create_memory"]
    assert {"get_turn", "submit_turn_feedback", "stream_turn", "cancel_task"} <= linked["create_turn"]
    assert {"get_data_connection", "update_data_connection"} <= linked["create_data_connection"]
    assert {"get_workflow_run", "list_run_tasks", "decide_run"} <= linked["trigger_run"]
    assert {"get_resource_secret", "delete_resource_secret"} <= linked["create_resource_secret"]


def test_no_create_is_left_without_links() -> None:
    """A create under whose path something is read, changed or deleted has its line in the table."""
    for service in SERVICES:
        routes = service.door.routes
        for route in routes:
            if route.methods == {"POST"} and (route.answer_status == 201 or route.created == 201):
                below = [r for r in routes if re.match(re.escape(route.path) + r"/\{\w+\}$", r.path)]
                if below and not route.path.startswith("/api/"):
                    assert route.operation_id in CREATED, route.path


def test_no_example_is_left_over() -> None:
    documents = [openapi_of(service) for service in SERVICES]
    schemas = {name for document in documents for name in document["components"]["schemas"]}
    assert set(BODIES) <= schemas
    names = {field for d in documents for s in d["components"]["schemas"].values() for field in s.get("properties", ())}
    names |= {p["name"] for document in documents for _, _, op in operations(document) for p in op["parameters"]}
    assert set(FIELDS) <= names


GLOBALS = re.compile(
    "Algorithm|Animation|Array|Atomics|Attr|Audio|Awaited|Blob|Body|Boolean|Cache|Capitalize|Client|Clipboard|"
    "Comment|Console|Credential|Crypto|Date|Document|Element|Ellipsis|Error|Event|Exception|Exclude|External|"
    "Extract|False|File|Function|Gamepad|Generator|Geolocation|Headers|Highlight|History|Image|Infinity|"
    "Iterable|Iterator|Keyframe|Location|Lock|Lowercase|Map|Math|Navigator|Node|None|Notification|Number|"
    "Object|Omit|Option|Parameters|Partial|Performance|Permissions|Pick|Plugin|Promise|Proxy|Range|Readonly|"
    "Record|Report|Request|Required|Response|Screen|Selection|Set|Storage|String|Symbol|Text|Touch|True|"
    "Uncapitalize|Unset|Uppercase|Warning|Window|Worker|Worklet"
)
"""What TypeScript's own libraries, Python, or the common generators have under a name of one word."""


@BY_NAME
def test_no_schema_takes_a_name_that_a_client_has_already(service: Service) -> None:
    for name, schema in openapi_of(service)["components"]["schemas"].items():
        assert GLOBALS.fullmatch(name) is None, name
        own = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
        assert own not in schema.get("properties", {}), f"{name} has a field of its own name"
        assert schema.get("title", name) == name or "_" in name, name


@BY_NAME
def test_a_parameter_is_never_null_and_a_nullable_has_a_type(service: Service) -> None:
    def walk(node: Any, where: str) -> None:
        if isinstance(node, dict):
            assert node.get("nullable") is not True or "type" in node, where
            for key, value in node.items():
                walk(value, f"{where}/{key}")
        elif isinstance(node, list):
            for at, value in enumerate(node):
                walk(value, f"{where}/{at}")

    walk(openapi_of(service), service.name)


def test_the_bounds_of_whole_numbers_are_whole_and_exact() -> None:
    def bounds(node: Any) -> Iterator[Any]:
        if isinstance(node, dict):
            if node.get("type") == "integer":
                yield from (node[bound] for bound in ("minimum", "maximum") if bound in node)
            for value in node.values():
                yield from bounds(value)
        elif isinstance(node, list):
            for value in node:
                yield from bounds(value)

    found = [bound for service in SERVICES for bound in bounds(openapi_of(service))]
    assert {type(bound) for bound in found} == {int}
    assert max(found) == 2**63 - 1
