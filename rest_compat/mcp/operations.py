"""The operations as agents meet them: found by words, shown with their schema, called by name.

What a tool may do to the world is told by hints, and these follow from the operation: which window it is charged to,
and by which method REST reaches it.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from pydantic_core import to_json
from starlette.requests import Request

from auth.rate_limit import CallKind
from resolvers.context import Context
from resolvers.idempotency import once
from resolvers.operation import Operation
from rest_compat.events import StreamRoute
from rest_compat.mcp.bounded import Cursors, Place, bounded, may_go_on, windowed
from rest_compat.request import ContextFactory
from rest_compat.route import IDEMPOTENCY_HEADER, OperationRoute
from rest_compat.transfer import UploadRoute
from schema.errors import ApiError, InvalidFormat, InvalidParameter, MissingRequiredField, NotFound, RateLimitExceeded

_WORD: Final = re.compile(r"[a-z0-9]+")
_ADDED: Final = frozenset({201, 202})
"""The answers of operations that add something and overwrite nothing."""


class Catalog:
    """The operations that one address opens: all of a server's, or those alone that read."""

    def __init__(self, routes: Iterable[OperationRoute], *, reads_only: bool) -> None:
        self.reads_only = reads_only
        self.routes: dict[str, OperationRoute] = {}
        for route in routes:
            if not reads_only or route.operation.kind is CallKind.READ:
                self.routes.setdefault(route.operation.name, route)

    def route(self, name: object) -> OperationRoute:
        """The route of an operation. Raises NotFound."""
        found = self.routes.get(name) if isinstance(name, str) else None
        if found is None:
            raise NotFound("operation", str(name))
        return found

    def found(self, words: str) -> list[OperationRoute]:
        """The operations that speak of most of these words, the best first; all of them for no words."""
        asked = set(_WORD.findall(words.lower()))
        if not asked:
            return list(self.routes.values())
        scored = [(_score(route, asked), route) for route in self.routes.values()]
        return [route for score, route in sorted(scored, key=lambda pair: -pair[0]) if score]


def _score(route: OperationRoute, asked: set[str]) -> int:
    op = route.operation
    named, said = _words(op.name), _words(f"{op.summary} {route.tag}")
    return sum(3 * _has(named, word) + _has(said, word) for word in asked)


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in _WORD.findall(text.lower())}


def _has(words: set[str], word: str) -> bool:
    return word.rstrip("s") in words


def hints_of(route: OperationRoute) -> dict[str, bool]:
    """Return what the protocol's hints say of an operation."""
    method = next(iter(route.methods or {"POST"}))
    reads = route.operation.kind is CallKind.READ
    adds = method == "POST" and route.answer_status in _ADDED
    return {
        "readOnlyHint": reads,
        "destructiveHint": not reads and not adds,
        "idempotentHint": reads or method in ("PUT", "DELETE"),
        "openWorldHint": False,
    }


def line_of(route: OperationRoute) -> dict[str, Any]:
    """An operation in a list."""
    op = route.operation
    return {"operation": op.name, "does": op.summary.partition("\n")[0], "service": route.tag, **_shown_hints(route)}


def _shown_hints(route: OperationRoute) -> dict[str, bool]:
    return {name: value for name, value in hints_of(route).items() if name != "openWorldHint"}


def shown(route: OperationRoute) -> dict[str, Any]:
    """An operation with all that a caller needs to call it."""
    op = route.operation
    told = {
        **line_of(route),
        "about": op.summary,
        "needs": str(op.needs),
        "on": op.on if isinstance(op.on, str) else "what the arguments name",
        "arguments": schema_of(op),
        "rest": f"{next(iter(route.methods or ()))} {route.path}",
    }
    if reason := _elsewhere(route):
        told["elsewhere"] = reason
    return told


def _elsewhere(route: OperationRoute) -> str | None:
    """Why an operation cannot be called here, if it cannot."""
    if isinstance(route, StreamRoute):
        return "A stream of events: the tool `watch` follows the turn here, and REST streams it."
    if isinstance(route, UploadRoute):
        return f"Its file does not fit into a message: send it as a form to POST {route.path}."
    return None


@cache
def schema_of(op: Operation[..., Any]) -> dict[str, Any]:
    """The JSON schema of an operation's arguments; its body stands among them under its own name."""
    schema = op.arguments.model_json_schema()
    properties, needed = dict(schema.get("properties", {})), list(schema.get("required", ()))
    definitions = dict(schema.get("$defs", {}))
    if op.body is not None and op.body_type is not None:
        body = op.body_type.json_schema()
        definitions |= body.pop("$defs", {})
        properties[op.body.name] = body
        if op.body.default is op.body.empty:
            needed.append(op.body.name)
    made = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
    return made | ({"$defs": definitions} if definitions else {})


@dataclass(slots=True)
class Calls:
    """The calls that one request makes: each is received, charged, checked and done as at the other doors."""

    request: Request
    factory: ContextFactory
    most: int
    """How many bytes an answer may have."""
    made: list[str] = field(default_factory=list)
    """The operations that were called, for the log."""

    async def received(self, kind: CallKind, how: Mapping[str, Any] | None = None) -> Context:
        """The context of one call, charged."""
        how = how or {}
        caller = await self.factory.caller(self.request, kind)
        await self.factory.charge(self.request, caller, kind)
        return await self.factory.context(
            self.request, caller, project=_text(how, "project"), if_match=_text(how, "if_match")
        )

    async def called(
        self, ctx: Context, route: OperationRoute, arguments: Mapping[str, Any], how: Mapping[str, Any] | None = None
    ) -> Any:
        """Return what an operation answers, once per idempotency key."""
        op = route.operation
        self.made.append(op.name)
        if reason := _elsewhere(route):
            raise InvalidParameter(reason, field="operation")
        return await once(op, ctx, self._key(how or {}), _parsed(op, arguments))

    async def answer(
        self,
        route: OperationRoute,
        arguments: Mapping[str, Any],
        how: Mapping[str, Any] | None = None,
        beside: Callable[[Context], Awaitable[dict[str, Any]]] | None = None,
    ) -> dict[str, Any]:
        """Return what an operation answers, from the place of a cursor on, and no more than fits.

        `beside` gives something short of the same call that stands beside the answer.
        """
        op, how = route.operation, how or {}
        again = may_go_on(op, self._key(how))
        ctx = await self.received(op.kind, how)
        if how.get("cursor") is not None and not again:
            raise InvalidParameter("A call that changes something is read on under its key only.", field="cursor")
        cursors, place = self.place(ctx, op.name, arguments, how)
        value = await self.called(ctx, route, windowed(op, arguments, place), how)
        more = {} if beside is None else await beside(ctx)
        most = self.most - len(to_json(more))
        return bounded(op, value, place, cursors, most=most, again=again) | more

    @staticmethod
    def place(ctx: Context, name: str, arguments: Mapping[str, Any], how: Mapping[str, Any]) -> tuple[Cursors, Place]:
        """Where an answer begins, and the cursors of its call."""
        cursors = Cursors(ctx, name, arguments)
        return cursors, Place() if how.get("cursor") is None else cursors.opened(how["cursor"])

    def _key(self, how: Mapping[str, Any]) -> str | None:
        given = _text(how, "idempotency_key")
        return self.request.headers.get(IDEMPOTENCY_HEADER) if given is None else given


def _parsed(op: Operation[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the operation takes them: the body strictly as JSON, the plain ones by their bounds."""
    given = dict(arguments)
    sent = None if op.body is None else given.pop(op.body.name, None)
    parsed = op.checked(given)
    if op.body is None:
        return parsed
    if sent is not None:
        parsed[op.body.name] = op.parsed_body(to_json(sent))
    elif op.body.default is op.body.empty:
        raise MissingRequiredField("A JSON body is required here.", field="body")
    return parsed


def _text(how: Mapping[str, Any], name: str) -> str | None:
    value = how.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidFormat(f"{name} must be a string.", field=name)
    return value


def failure_of(error: ApiError, request_id: str, most: int) -> dict[str, Any]:
    """A refusal, as it is told inside of an answer; details that are too large are named, not cut."""
    told: dict[str, Any] = {
        "code": error.code,
        "status": error.status,
        "message": error.message,
        "request_id": request_id,
    }
    if isinstance(error, RateLimitExceeded):
        told["retry_after"] = error.retry_after
    details = to_json(error.details, fallback=str)
    if len(details) + len(to_json(told)) + 100 <= most:
        return {"error": told | {"details": error.details}}
    return {"error": told | {"message": error.message[: most // 8], "details": None, "details_bytes": len(details)}}
