"""One call in the spelling of either door, and what came back in the spelling of REST."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

import httpx
import orjson
from graphql import OperationType, get_named_type, is_required_argument

from rest_compat.events import StreamRoute
from rest_compat.transfer import DownloadRoute
from tests.doors import (
    FIELDS,
    QUERIES,
    ROUTES,
    SDL,
    SUBSCRIPTIONS,
    Sent,
    camel,
    followed,
    form_of,
    from_wire,
    selection,
    to_wire,
)
from tests.doors import offered as offer_of


class _Absent:
    """No body at all."""


ABSENT: Any = _Absent  # the class itself, which a copy leaves as it is


ANYTHING = "<anything>"
"""The value where REST answers `{}` whatever the operation says."""


@dataclass
class Call:
    """What is sent: plain arguments, the body as JSON, and the headers."""

    operation: str
    plain: dict[str, Any]
    body: Any = ABSENT
    file: Sent | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Answer:
    """What came back, with what the headers say of the window. Its end goes by the clock on the wall."""

    refused: bool
    told: Any
    window: dict[str, str | None]
    raw: str = field(compare=False, repr=False, default="")


async def by_rest(client: httpx.AsyncClient, call: Call) -> Answer:
    """Send it to the documented path."""
    route = ROUTES[call.operation]
    path, query = route.path, {}
    for name, value in call.plain.items():
        if "{%s}" % name in path:
            path = path.replace("{%s}" % name, quote(_text(value), safe=""))
        elif value is not None:  # a query cannot say null; leaving it out is the same
            query[name] = _text(value)
    how: dict[str, Any] = {}
    if call.file is not None:
        how = {"data": form_of(call.body), "files": {"file": call.file.sent}}
    elif call.body is not ABSENT:
        how = {"content": orjson.dumps(call.body), "headers": {"Content-Type": "application/json"}}
    headers = {**call.headers, **how.pop("headers", {})}
    got = await client.request(next(iter(route.methods)), path, params=query, headers=headers, **how)
    if got.is_error:
        return _refused(got.json()["error"], got)
    if isinstance(route, DownloadRoute):
        value: Any = offer_of(route.path.format(**call.plain), got)
    elif isinstance(route, StreamRoute):
        value = [orjson.loads(line[6:]) for line in got.text.splitlines() if line.startswith("data: ")]
    else:
        value = ANYTHING if route.empty else got.json()
        if isinstance(value, dict) and "definitions" in value:
            value = {"items": value["definitions"], "total": value["total"]}
        elif isinstance(value, dict) and "pagination" in value:
            page = value["pagination"]
            size = page.get("limit", page.get("per_page"))
            value = {
                "items": value.get("data", value.get("results")),
                "total": page.get("total", page.get("total_items")),
                "limit": size,
                "offset": page["offset"] if "offset" in page else (page["page"] - 1) * size,
            }
    return Answer(False, value, _window(got), got.text)


async def by_graph(client: httpx.AsyncClient, call: Call) -> Answer:
    """Send it to the field, asking for everything that REST answers with."""
    op, graph_field = ROUTES[call.operation].operation, FIELDS[call.operation]
    given = dict(call.plain)
    if call.body is not ABSENT:
        assert op.body is not None
        given[op.body.name] = call.body
    if op.upload is not None:
        given[op.upload.name] = None
    asked = {
        "query": document(call.operation, frozenset(given)),
        "variables": {name: to_wire(graph_field.args[camel(name)].type, value) for name, value in given.items()},
    }
    headers = dict(call.headers)
    if call.operation in SUBSCRIPTIONS:
        headers["Accept"] = "text/event-stream"
    how: dict[str, Any] = {"content": orjson.dumps(asked)}
    if call.file is not None:
        assert op.upload is not None
        places = {"0": [f"variables.{op.upload.name}"]}
        form = {"operations": orjson.dumps(asked).decode(), "map": orjson.dumps(places).decode()}
        how = {"data": form, "files": {"0": call.file.sent}}
    else:
        headers["Content-Type"] = "application/json"
    got = await client.post("/graphql", headers=headers, **how)
    name = field_name(call.operation)
    if got.headers["content-type"].startswith("text/event-stream"):
        told = followed(got.text)
        if not told or not told[0].get("errors"):  # a stream may end before anything happens
            return Answer(False, [from_wire(graph_field.type, one["data"][name]) for one in told], _window(got))
        answer = told[0]
    else:
        answer = got.json()
    if "error" in answer:
        return _refused({"status": got.status_code} | answer["error"], got)
    if answer.get("errors"):
        error = answer["errors"][0]
        return _refused({"message": error["message"]} | error["extensions"], got)
    value = from_wire(graph_field.type, answer["data"][name])
    if ROUTES[call.operation].empty:
        value = ANYTHING
    if call.operation in ("list_violation_definitions", "list_taxonomy"):
        value = {"items": value["items"], "total": value["total"]}  # REST has them all, without a window
    return Answer(False, value, _window(got), got.text)


async def by_agents(client: httpx.AsyncClient, call: Call) -> Answer:
    """Send it to the door for agents, under its name."""
    op = ROUTES[call.operation].operation
    given = dict(call.plain)
    if call.body is not ABSENT:
        assert op.body is not None
        given[op.body.name] = call.body
    params = {"name": "call_operation", "arguments": {"operation": call.operation, "arguments": given}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {**call.headers, "Content-Type": "application/json"}
    got = await client.post("/mcp", headers=headers, content=orjson.dumps(message))
    answer = got.json()
    if "error" in answer:
        return _refused({"message": answer["error"]["message"]} | answer["error"]["data"], got)
    told = answer["result"]["structuredContent"]
    if "error" in told:
        return _refused(told["error"], got)
    value = ANYTHING if ROUTES[call.operation].empty else told["data"]
    if "returned" in told:
        value = {"items": value, "total": told["total"]}
    return Answer(False, value, _window(got), got.text)


@cache
def field_name(operation: str) -> str:
    """The name of the field in the graph."""
    root = SDL.get_root_type(_kind(operation))
    assert root is not None
    return next(n for n, f in root.fields.items() if f is FIELDS[operation])


@cache
def document(operation: str, given: frozenset[str]) -> str:
    """The query: a variable for each argument that is given or required."""
    graph_field = FIELDS[operation]
    named = sorted({camel(n): n for n in given}.items())
    for name, argument in graph_field.args.items():
        if is_required_argument(argument) and name not in dict(named):
            named.append((name, argument.extensions["strawberry-definition"].python_name))
    variables = ",".join(f"${n}:{graph_field.args[wire].type}" for wire, n in named)
    arguments = ",".join(f"{wire}:${n}" for wire, n in named)
    return "%s%s{%s%s%s}" % (
        _kind(operation).value,
        f"({variables})" if named else "",
        field_name(operation),
        f"({arguments})" if named else "",
        selection(get_named_type(graph_field.type)),
    )


def _kind(operation: str) -> OperationType:
    if operation in SUBSCRIPTIONS:
        return OperationType.SUBSCRIPTION
    return OperationType.QUERY if operation in QUERIES else OperationType.MUTATION


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _refused(error: Mapping[str, Any], got: httpx.Response) -> Answer:
    status = error.get("status", got.status_code)
    told = {
        "code": error["code"],
        "status": status,
        "details": error.get("details", {}),
        "message": re.sub(r"/(graphql|mcp)\b", "<path>", error["message"]),
    }
    return Answer(True, told, _window(got), got.text)


def _window(got: httpx.Response) -> dict[str, str | None]:
    if got.headers["content-type"].startswith("text/event-stream"):
        return {}  # the graph begins a stream before it knows what to charge
    return {name: got.headers.get(f"X-RateLimit-{name}") for name in ("Limit", "Remaining")}
