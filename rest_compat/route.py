"""One path of the REST door: an operation, how its request is read, and how its answer is written.

The request is parsed once by the operation's own argument model and answered once as bytes, so both doors apply the
same bounds and nothing is validated twice. What the document says of a route stands in `openapi/routes.py`.
"""

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from functools import cached_property
from typing import Any, Literal, cast
from urllib.parse import parse_qsl

import orjson
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from resolvers.context import Context
from resolvers.idempotency import once
from resolvers.operation import Operation
from rest_compat.envelopes import Envelope
from rest_compat.errors import as_api_error, response_of
from rest_compat.kept_answers import keep_answer, look_at_catalog
from rest_compat.request import ContextFactory, digest_of, entity_tag, given, known, state_of
from schema.errors import InvalidRequest, MissingRequiredField
from schema.problems import unknown_parameters

ProjectHeader = Literal["none", "optional", "required"]

IDEMPOTENCY_HEADER = "Idempotency-Key"
_IDEMPOTENCY = IDEMPOTENCY_HEADER.lower().encode()
JSON_TYPE = re.compile(r"application/(?:[\w.-]+\+)?json[ \t]*(?:;|$)", re.IGNORECASE | re.ASCII)
"""The media types of a body. One that names no type is taken for JSON, and nothing else is."""


@dataclass(frozen=True, slots=True)
class Deprecation:
    """Since when a path is deprecated, when it goes, and what takes its place (contract section 9).

    Raises ValueError for a path that would go within six months of being deprecated.
    """

    since: date
    sunset: date
    successor: str
    """The path to use instead."""

    def __post_init__(self) -> None:
        if self.sunset - self.since < timedelta(days=183):
            raise ValueError("a deprecated path stays for at least six months")

    @property
    def headers(self) -> dict[str, str]:
        """`Deprecation` (RFC 9745), `Sunset` (RFC 8594) and the link to the successor."""
        since, sunset = (datetime.combine(day, time(), UTC) for day in (self.since, self.sunset))
        return {
            "Deprecation": f"@{int(since.timestamp())}",
            "Sunset": format_datetime(sunset, usegmt=True),
            "Link": f'<{self.successor}>; rel="successor-version"',
        }


class JsonBytes(Response):
    """Sends JSON that is written already, with its headers put together at once: the library's way takes four times
    as long.
    """

    def __init__(self, content: bytes, status: int, headers: Sequence[tuple[bytes, bytes]] = ()) -> None:
        self.status_code, self.background, self.body = status, None, content
        own = ((b"content-length", b"%d" % len(content)), (b"content-type", b"application/json"))
        self.raw_headers = [*headers, *own]


class OperationRoute(Route):
    """A route that calls one operation."""

    def __init__(
        self,
        path: str,
        *,
        operation: Operation[..., Any],
        method: str,
        allowed: set[str],
        words: set[str],
        status: int,
        created: int | None,
        empty: bool,
        envelope: type[Envelope] | None,
        project: ProjectHeader,
        tag: str,
        operation_id: str,
        deprecated: Deprecation | None = None,
        versioned: bool = True,
    ) -> None:
        self.operation, self.envelope, self.project = operation, envelope, project
        self.deprecation = deprecated
        self.created, self.empty = created, empty
        """The status when the value says that it was created; and whether the answer is `{}` whatever the value."""
        self.allowed = allowed
        """The methods of every operation at this path, this one's included."""
        self.words = words
        """The paths that have no parameter; one that has parameters is never taken for them."""
        self.answer_status = status
        self.takes_revision = versioned and method in ("PUT", "PATCH", "DELETE")
        """Whether `If-Match` can say which revision is meant."""
        self.tag, self.operation_id = tag, operation_id
        super().__init__(path, self._serve, name=operation.name)
        self.methods = {method}

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of what the operation takes from path and query."""
        return frozenset(self.operation.arguments.model_fields)

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        """Return how the answer is written; made for the first one."""
        return TypeAdapter(self.answer_type())

    def answer_type(self) -> Any:
        """The type of the answer, in its envelope if it has one."""
        if self.envelope is None:
            return self.operation.returns
        (item,) = self.operation.returns.__pydantic_generic_metadata__["args"]
        return self.envelope.__class_getitem__(item)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return whether the route is the one for a request; a word that has a path of its own is no id."""
        match, child = super().matches(scope)
        if match is Match.FULL and self.param_convertors and scope["path"] in self.words:
            return Match.NONE, {}
        return match, child

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a 405 names what the path takes, whichever route was asked first."""
        if scope["method"] not in (self.methods or ()):
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self.allowed))})
        response = await self._serve(Request(scope, receive, send))  # which handles whatever fails itself
        await response(scope, receive, send)

    async def _serve(self, request: Request) -> Response:
        try:
            response = await self._answer(request)
        except Exception as error:
            state = state_of(request)
            failure = as_api_error(error, request.url.path)
            response = response_of(failure, path=request.url.path, request_id=state.request_id, trace_id=state.trace_id)
        if self.deprecation is not None:
            response.headers.update(self.deprecation.headers)
        return response

    async def _answer(self, request: Request) -> Response:
        context_factory: ContextFactory = request.app.state.context_factory
        op = self.operation
        caller = await context_factory.caller(request, op.kind)
        await context_factory.charge(request, caller, op.kind)
        ctx = await context_factory.context(
            request,
            caller,
            project_required=self.project == "required",
            at_once=op.body is None and op.upload is None,
            assumes=op.catalog_only,
        )
        ctx.writes_only = True
        if op.catalog_only:
            ctx.catalog_only = True
            look_at_catalog(request, ctx)
        try:
            response = await self._admitted(request, ctx)
        except Exception:
            await ctx.sure()  # that somebody may not comes before anything else that is wrong
            raise
        keep_answer(request, ctx, response)
        return response

    async def _admitted(self, request: Request, ctx: Context) -> Response:
        arguments = self.operation.parsed(self._strings(request))
        if self.operation.body is not None:
            await self._take_body(request, arguments)
        return await self._called(request, ctx, arguments)

    async def _take_body(self, request: Request, arguments: dict[str, Any]) -> None:
        """Add the body to the arguments."""
        assert self.operation.body is not None
        body = self.operation.body
        raw = await request.body()
        if raw and not JSON_TYPE.match(request.headers.get("content-type", "application/json")):
            raise InvalidRequest("The body must be JSON: Content-Type application/json.", status=415)
        if raw.strip():
            arguments[body.name] = self.operation.parsed_body(raw)
        elif body.default is inspect.Parameter.empty:
            raise MissingRequiredField("A JSON body is required here.", field="body")

    async def _called(self, request: Request, ctx: Context, arguments: dict[str, Any]) -> Response:
        """Call the operation, once per idempotency key, and write its answer."""
        headers = request.scope["headers"]
        value = await once(self.operation, ctx, given(headers, _IDEMPOTENCY), arguments)
        answer, tag = self._written(value)
        if tag is not None and request.method == "GET" and known(given(headers, b"if-none-match"), tag):
            return Response(status_code=304, headers={"ETag": tag})
        return answer

    def _strings(self, request: Request) -> dict[str, Any]:
        """The path and query parameters. Raises InvalidParameter for one that the operation does not declare, unless
        the deployment leaves such ones unread.
        """
        known = self.parameters
        in_path = {name: value for name, value in request.path_params.items() if name in known}
        text = request.scope["query_string"].decode("latin-1")
        if not text:
            return in_path
        given = _pairs(text)
        unknown = [name for name in given if name not in known or name in in_path]
        if unknown and request.app.state.unknown_parameters == "refuse":
            raise unknown_parameters(unknown, known - in_path.keys())
        return {name: value for name, value in given.items() if name in known} | in_path

    def _written(self, value: Any) -> tuple[Response, str | None]:
        """The answer, and its entity tag where it has one."""
        status = self.created if self.created is not None and value._created else self.answer_status
        if self.empty:
            content = b"{}"
        elif self.envelope is not None:
            content = self._framed(self.envelope.of(value), value.items)
        elif hasattr(value, "json_bytes"):
            content = cast("bytes", value.json_bytes())
        else:
            content = self.answer.dump_json(value)
        revision = getattr(value, "_revision", None)  # of a resource, or of a view that stands for one
        tag = None if revision is None else entity_tag(revision, self._digest(value, content))
        return JsonBytes(content, status, () if tag is None else ((b"etag", tag.encode("latin-1")),)), tag

    @staticmethod
    def _digest(value: Any, content: bytes) -> str:
        known: str | None = getattr(value, "_digest", None)  # of a document
        if known is not None:
            return known
        told_by: bytes | None = getattr(value, "_told_by", None)  # of a view whose content is large
        return digest_of(told_by or content)

    def _framed(self, framed: Any, items: list[Any]) -> bytes:
        """A list in its envelope; items that are views bring their own bytes."""
        if not items or not hasattr(items[0], "json_bytes"):
            return self.answer.dump_json(framed)
        parts = {name: getattr(framed, name) for name in type(framed).model_fields}
        return orjson.dumps(
            {
                name: [orjson.Fragment(item.json_bytes()) for item in items] if part is items else part.model_dump()
                for name, part in parts.items()
            }
        )


def _pairs(text: str) -> dict[str, str]:
    """The names and values of a query string; of a name that comes twice, the last."""
    if "%" in text or "+" in text:
        return dict(parse_qsl(text, keep_blank_values=True))
    split = (pair.partition("=") for pair in text.split("&") if pair)  # nothing is escaped: the same, in a third of it
    return {name: value for name, _, value in split}
