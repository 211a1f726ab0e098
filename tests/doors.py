"""Call one operation through either door, and get the same Python value or error code back."""

import functools
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

import httpx
import jwt
import orjson
from graphql import GraphQLEnumType, GraphQLField, GraphQLObjectType, OperationType, get_named_type
from pydantic import BaseModel, TypeAdapter

from resolvers.operation import Operation
from rest_compat.app import SERVICES
from rest_compat.events import StreamRoute
from rest_compat.route import OperationRoute
from rest_compat.transfer import DownloadRoute
from schema.graph import build_graph

SDL = build_graph()._schema
ROUTES: dict[str, OperationRoute] = {
    route.operation.name: route for service in reversed(SERVICES) for route in reversed(service.door.routes)
}
"""Every operation that REST opens, with its first path."""


def fields_of(root: GraphQLObjectType | None) -> dict[str, GraphQLField]:
    """The fields of a root type by the name of the operation behind them."""
    assert root is not None
    made = [(f.extensions["strawberry-definition"].metadata.get("operation"), f) for f in root.fields.values()]
    return {operation.name: f for operation, f in made if operation is not None}


SUBSCRIPTIONS = fields_of(SDL.subscription_type)
FIELDS = fields_of(SDL.query_type) | fields_of(SDL.mutation_type) | SUBSCRIPTIONS
QUERIES = fields_of(SDL.query_type)
OPERATIONS: dict[str, Operation[..., Any]] = {
    name: field.extensions["strawberry-definition"].metadata["operation"] for name, field in FIELDS.items()
}
"""Every operation that the graph opens: all of them."""


@dataclass(frozen=True)
class Refused:
    """A refusal as both doors tell it."""

    code: str
    status: int
    details: dict[str, Any]
    message: str = ""

    def __eq__(self, other: object) -> bool:
        """Equal to a code, or to a refusal with the same code, status and details."""
        if isinstance(other, str):
            return self.code == other
        return isinstance(other, Refused) and (self.code, self.status, self.details) == (
            other.code,
            other.status,
            other.details,
        )

    __hash__ = None  # type: ignore[assignment]


class Door:
    """One way in. `last` is the HTTP answer of the last call."""

    name = ""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.last: httpx.Response | None = None

    async def __call__(
        self,
        op: Operation[..., Any],
        token: str | None = None,
        headers: dict[str, str] | None = None,
        /,
        **arguments: Any,
    ) -> Any:
        """Call the operation as somebody; the value as plain JSON, or a Refused.

        An operation whose path demands the project header gets it from the token's claim, in both doors.
        """
        sent = dict(headers or {})
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
            if op.name in ROUTES and ROUTES[op.name].project == "required" and (claimed := claimed_project(token)):
                sent.setdefault("X-Project-ID", claimed)
        return await self._call(op, arguments, sent)

    async def _call(self, op: Operation[..., Any], arguments: dict[str, Any], headers: dict[str, str]) -> Any:
        raise NotImplementedError


class RestDoor(Door):
    """Through the documented path."""

    name = "rest"

    async def _call(self, op: Operation[..., Any], arguments: dict[str, Any], headers: dict[str, str]) -> Any:
        route = ROUTES[op.name]
        file = arguments.pop(op.upload.name) if op.upload is not None else None
        given, body = _plain(op, arguments)
        path = route.path
        for name in list(given):
            if "{%s}" % name in path:
                path = path.replace("{%s}" % name, httpx.URL(f"http://x/{given.pop(name)}").raw_path.decode()[1:])
        how: dict[str, Any] = {"json": body}
        if file is not None:
            how = {"data": form_of(body), "files": {"file": file.sent}}
        self.last = answer = await self.client.request(
            next(iter(route.methods)), path, params=given, headers=headers, **how
        )
        if answer.is_error:
            error = answer.json()["error"]
            return Refused(error["code"], answer.status_code, error.get("details", {}), error["message"])
        if isinstance(route, DownloadRoute):
            return offered(answer.request.url.raw_path.decode(), answer)
        if isinstance(route, StreamRoute):
            return [orjson.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]
        json = answer.json()
        if isinstance(json, dict) and "pagination" in json:
            page = json["pagination"]
            return {"items": json.get("data", json.get("results")), "total": page.get("total", page.get("total_items"))}
        return json


class GraphDoor(Door):
    """Through the graph, asking for every field that REST answers with."""

    name = "graphql"

    async def _call(self, op: Operation[..., Any], arguments: dict[str, Any], headers: dict[str, str]) -> Any:
        field = FIELDS[op.name]
        kind = OperationType.QUERY if op.name in QUERIES else OperationType.MUTATION
        if op.name in SUBSCRIPTIONS:
            kind = OperationType.SUBSCRIPTION
            headers["Accept"] = "text/event-stream"
        root = SDL.get_root_type(kind)
        assert root is not None
        name = next(n for n, f in root.fields.items() if f is field)
        file = arguments.pop(op.upload.name) if op.upload is not None else None
        given, body = _plain(op, arguments)
        if body is not None:
            assert op.body is not None
            given[op.body.name] = body
        if op.upload is not None:
            given[op.upload.name] = None
        kinds = {n: str(field.args[camel(n)].type) for n in given}
        query = "%s%s{%s%s%s}" % (
            kind.value,
            "(%s)" % ",".join(f"${n}:{k}" for n, k in kinds.items()) if kinds else "",
            name,
            "(%s)" % ",".join(f"{camel(n)}:${n}" for n in given) if kinds else "",
            selection(field.type),
        )
        variables = {n: to_wire(field.args[camel(n)].type, v) for n, v in given.items()}
        asked = {"query": query, "variables": variables}
        how: dict[str, Any] = {"json": asked}
        if file is not None:
            assert op.upload is not None
            places = {"0": [f"variables.{op.upload.name}"]}
            form = {"operations": orjson.dumps(asked).decode(), "map": orjson.dumps(places).decode()}
            how = {"data": form, "files": {"0": file.sent}}
        self.last = await self.client.post("/graphql", headers=headers, **how)
        if self.last.headers["content-type"].startswith("text/event-stream"):
            told = followed(self.last.text)
            if not told or not told[0].get("errors"):
                return [from_wire(field.type, one["data"][name]) for one in told]
            answer = told[0]
        else:
            answer = self.last.json()
        if "error" in answer:
            error = answer["error"]
            return Refused(error["code"], self.last.status_code, error.get("details", {}), error["message"])
        if answer.get("errors"):
            error = answer["errors"][0]
            return Refused(
                error["extensions"]["code"],
                error["extensions"]["status"],
                error["extensions"]["details"],
                error["message"],
            )
        value = from_wire(field.type, answer["data"][name])
        if isinstance(value, dict) and {"items", "total", "offset", "limit"} == set(value):
            return {"items": value["items"], "total": value["total"]}
        return value


@functools.lru_cache
def claimed_project(token: str) -> str | None:
    """The project that a token names."""
    claimed: str | None = jwt.decode(token, options={"verify_signature": False}).get("project_id")
    return claimed


def revision_of(answer: httpx.Response) -> int:
    """The revision that the entity tag of an answer stands for."""
    return int(answer.headers["ETag"].strip('"').partition("-")[0])


@dataclass(frozen=True)
class Sent:
    """A file to upload."""

    data: bytes
    name: str = "file.bin"
    content_type: str = "application/octet-stream"

    @property
    def sent(self) -> tuple[str, bytes, str]:
        """As the client takes it."""
        return self.name, self.data, self.content_type


def followed(text: str) -> list[dict[str, Any]]:
    """The results of a subscription that was followed by server-sent events."""
    lines = text.splitlines()
    return [orjson.loads(data.removeprefix("data: ")) for event, data in pairwise(lines) if event == "event: next"]


def form_of(body: Any) -> dict[str, str]:
    """A body as the fields of a form: lists with commas, and what is null left out."""
    return {
        name: ",".join(map(str, value)) if isinstance(value, list) else str(value)
        for name, value in (body or {}).items()
        if value is not None
    }


def offered(path: str, answer: httpx.Response) -> dict[str, Any]:
    """Return what a download says in its headers, as GraphQL tells it."""
    saved_as = answer.headers["content-disposition"].removeprefix("attachment; filename*=UTF-8''")
    return {
        "name": unquote(saved_as),
        "content_type": answer.headers["content-type"],
        "size": int(answer.headers["content-length"]),
        "etag": answer.headers["etag"],
        "url": path,
    }


_ANYTHING = TypeAdapter(Any)


def _plain(op: Operation[..., Any], arguments: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """Arguments as JSON: the plain ones, and the body."""
    given = {
        n: v.model_dump(mode="json", exclude_unset=True) if isinstance(v, BaseModel) else v
        for n, v in arguments.items()
    }
    given = {n: _ANYTHING.dump_python(v, mode="json") for n, v in given.items()}
    body = given.pop(op.body.name, None) if op.body is not None else None
    return given, body


def camel(name: str) -> str:
    """The name of an argument or field in the graph."""
    head, *tail = name.split("_")
    return head + "".join(part.title() for part in tail)


@functools.cache
def selection(kind: Any, depth: int = 0) -> str:
    """Every field of a type that is data, edges left out."""
    kind = get_named_type(kind)
    if not isinstance(kind, GraphQLObjectType):
        return ""
    names = []
    for name, field in kind.fields.items():
        if field.extensions["strawberry-definition"].base_resolver is not None:
            continue
        if get_named_type(field.type) is kind:  # children of the same type: one level, as REST shows them
            if depth < 1:
                names.append(name + selection(field.type, depth + 1))
            continue
        names.append(name + selection(field.type, depth))
    return "{%s}" % " ".join(names)


def to_wire(kind: Any, value: Any) -> Any:
    """A plain value as GraphQL takes it: enum names, camel-case input fields."""
    kind = get_named_type(kind)
    if isinstance(value, list):
        return [to_wire(kind, item) for item in value]
    if isinstance(kind, GraphQLEnumType):
        return next((n for n, v in kind.values.items() if v.value == value), value)
    if isinstance(value, dict) and hasattr(kind, "fields"):
        wire = {}
        for name, item in value.items():
            field = kind.fields.get(camel(name))
            wire[camel(name)] = item if field is None else to_wire(field.type, item)
        return wire
    return value


def from_wire(kind: Any, value: Any) -> Any:
    """Return what GraphQL answered, as REST writes it."""
    kind = get_named_type(kind)
    if isinstance(value, list):
        return [from_wire(kind, item) for item in value]
    if isinstance(kind, GraphQLObjectType) and value is not None:
        return {
            kind.fields[n].extensions["strawberry-definition"].python_name: from_wire(kind.fields[n].type, v)
            for n, v in value.items()
        }
    if isinstance(kind, GraphQLEnumType) and value is not None:
        member = kind.values[value].value
        return getattr(member, "value", member)
    return value
