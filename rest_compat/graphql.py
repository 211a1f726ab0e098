"""GraphQL over HTTP and WebSocket: the same context_factory as REST, and the graph's answers written by orjson.

An answer is `application/graphql-response+json` for clients that take it, whose status then tells whether the request
was carried out, and `application/json` with 200 for all others. A failure of the request as such has the envelope of
REST, with the list of `errors` beside it that clients of a graph look for.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import orjson
from cross_web import AsyncHTTPRequestAdapter, HTTPException, StarletteRequestAdapter
from pydantic_core import from_json
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse, GraphQLRequestData
from strawberry.subscriptions import GRAPHQL_SSE_PROTOCOL, GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.types import ExecutionResult
from strawberry.types.unset import UNSET

from auth.caller import Caller
from auth.rate_limit import CallKind
from resolvers.context import Context
from rest_compat.errors import as_api_error, response_of
from rest_compat.graph_charge import Charge
from rest_compat.graph_forms import GraphForm
from rest_compat.kept_answers import keep_answer, look_at_catalog
from rest_compat.request import ContextFactory, given, header, state_of
from rest_compat.request_ids import say_which_request
from rest_compat.route import IDEMPOTENCY_HEADER
from rest_compat.settings import Settings
from rest_compat.subscriptions import INIT_SECONDS, SocketAdapter, SocketHandler, expiry_of
from schema.documents import Documents, PersistedQueryNotFound
from schema.errors import (
    SHOWN_LETTERS,
    ApiError,
    InvalidFormat,
    InvalidRequest,
    RateLimitExceeded,
    TokenExpired,
    Unauthenticated,
    ValidationError,
)
from schema.numbers import require_finite

T = TypeVar("T")

RESPONSE_TYPE = "application/graphql-response+json"
LONGEST_ACCEPT: Final = 200
"""Letters of a header `Accept` of which is remembered what it asks for."""

_IDEMPOTENCY: Final = IDEMPOTENCY_HEADER.lower().encode()
_JSON: Final = re.compile(r"application/json[ \t]*(;|$)", re.IGNORECASE)
_ACCEPT = "x-stoa-accept"
_FORM = "stoa.form"
_CHARGE = "stoa.charge"
_CONTEXT = "stoa.context"


class _Received(StarletteRequestAdapter):
    """A request with the one that it stands for."""

    @property
    def request(self) -> Request:
        return self._request


class GraphEndpoint(GraphQL[Context, None]):
    """`/graphql`: POST for everything, GET for queries, a WebSocket for subscriptions."""

    graphql_transport_ws_handler_class = SocketHandler
    websocket_adapter_class = SocketAdapter
    request_adapter_class = _Received

    def __init__(self, schema: Any, settings: Settings, clock: Callable[[], datetime], **how: Any) -> None:
        origins = [origin.strip() for origin in settings.cors_origins.split(",") if origin.strip()]
        super().__init__(
            schema,
            graphql_ide=None,
            subscription_protocols=(GRAPHQL_TRANSPORT_WS_PROTOCOL, GRAPHQL_SSE_PROTOCOL),
            connection_init_wait_timeout=timedelta(seconds=INIT_SECONDS),
            max_subscriptions_per_connection=None,
            allowed_origins=origins,
            **how,
        )
        trusted = settings.graphql_trusted_documents
        self.documents = Documents(
            None if trusted is None else Path(trusted),
            trusted_only=settings.graphql_trusted_only,
            cache_size=settings.graphql_persisted_queries,
        )
        self.now, self.heartbeat = clock, settings.stream_heartbeat_seconds
        self.most_operations, self.max_body = settings.streams_per_caller, settings.max_body_bytes
        self.max_answer = settings.graphql_max_answer_bytes
        self._stream_transport_map["sse"].heartbeat_interval = self.heartbeat
        read = super()._get_stream_transport_from_headers
        self._streams = lru_cache(256)(lambda accept: read({"accept": accept}))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve; what the view refuses as HTTP comes out in the envelope too."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}  # the server leaves the bytes away
        request = Request(scope, receive)
        try:
            response = await self.run(request)
            if _CONTEXT in scope:
                await scope[_CONTEXT].sure()
                keep_answer(request, scope[_CONTEXT], response)
                say_which_request(request, response)
        except Exception as error:
            # Answered here: the framework would make a plain-text 500 of anything that leaves this endpoint.
            state, path = state_of(request), request.url.path
            failure = as_api_error(_refused(error), path)
            response = response_of(failure, path=path, request_id=state.request_id, trace_id=state.trace_id)
            _told_as_errors(request, response, failure)
        finally:
            if _FORM in scope:
                await scope[_FORM].close()
        await response(scope, receive, send)

    async def run(self, request: Any, context: Any = UNSET, root_value: Any = UNSET) -> Any:
        """Serve one request. One that sends JSON and wants one answer is served without a look at every other kind."""
        scope = request.scope
        if scope["type"] != "http" or scope["method"] != "POST" or not _JSON.match(_type_of(request)):
            return await super().run(request, context, root_value)
        accept = header(scope["headers"], b"accept")
        if self._get_stream_transport_from_headers({"accept": accept}) is not None:
            return await super().run(request, context, root_value)
        ctx = await self.get_context(request, request)
        sent = self.decode_json(await request.body())
        data = _asked(sent)
        if data is None:
            return await super().run(request, ctx, None)
        await self._looked_up(request, data, cast("dict[str, Any]", sent).get("documentId"))
        result = await self.execute_single(request, _Received(request), cast("Response", None), ctx, None, data)
        return self._written(await self.process_result(request, result), accept)

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Context:
        """Receive the caller. What they ask for is known later, so the charge is left to the graph."""
        if isinstance(request, WebSocket):
            return cast("Context", None)  # who opens a socket says in its first message who they are: see `received`
        context_factory: ContextFactory = request.app.state.context_factory
        form = _type_of(request).lower().startswith("multipart/")
        caller = await context_factory.caller(
            request, CallKind.WRITE if form else CallKind.READ
        )  # no stranger sends us files
        ctx = request.scope[_CONTEXT] = context_factory.unselected(request, caller)
        charge = request.scope[_CHARGE] = self._charges(ctx, request, caller)
        await charge.begin()
        return ctx

    async def received(self, connection: HTTPConnection) -> tuple[Context, Charge]:
        """The context of one operation of a WebSocket, and how it is charged."""
        context_factory: ContextFactory = connection.app.state.context_factory
        caller = await context_factory.caller(connection, CallKind.READ)
        ctx = await context_factory.context(connection, caller)
        return ctx, self._charges(ctx, connection, caller)

    def expiry(self, connection: HTTPConnection) -> datetime | None:
        """Return when the token of a connection ceases to hold."""
        return expiry_of(connection.headers.get("authorization"))

    def _charges(self, ctx: Context, request: HTTPConnection, caller: Caller) -> Charge:
        """Charge the rest once it is known for what, and look at the headers only then, as REST does."""
        context_factory: ContextFactory = request.app.state.context_factory
        charge = Charge(context_factory, request, caller)

        async def refusing(step: Callable[[], Awaitable[T]]) -> T:
            try:
                return await step()
            except ApiError as failure:
                state_of(request).refused = failure
                raise

        async def charging(costs: Mapping[str, int], most: int) -> None:
            await charge.settle(costs, most)
            if ctx.caller is caller:
                selected = await refusing(
                    lambda: context_factory.context(request, caller, at_once=True, assumes=ctx.catalog_only)
                )
                ctx.caller, ctx.expected_revision = selected.caller, selected.expected_revision
                ctx.guard = selected.guard  # what is carried out follows at once
                if (again := selected.readmit) is not None:
                    ctx.readmit = partial(refusing, again)
                look_at_catalog(request, ctx)

        ctx.charging = charging
        ctx.budget = partial(context_factory.windows, caller)
        ctx.idempotency_key = given(request.scope["headers"], _IDEMPOTENCY)
        return charge

    def decode_json(self, data: str | bytes) -> object:
        """Read a body. Raises InvalidFormat with the envelope that REST has for it."""
        try:
            require_finite(data.encode() if isinstance(data, str) else data)
            value: object = from_json(data, allow_inf_nan=False)  # as REST reads a body: no number loses digits
        except ValueError:
            raise InvalidFormat("The body is not valid JSON.", field="") from None
        if not isinstance(value, dict | list):
            raise InvalidFormat("The body must be a JSON object.", field="")
        return value

    def parse_query_params(self, params: Any) -> dict[str, Any]:
        """Read a request by GET. Raises InvalidFormat for variables or extensions that are no JSON."""
        for name in ("variables", "extensions"):
            try:
                self.decode_json(params.get(name) or "{}")
            except InvalidFormat:
                raise InvalidFormat(f"The parameter {name} must be a JSON object.", field=name) from None
        read: dict[str, Any] = super().parse_query_params(params)
        return read

    async def parse_multipart(self, request: AsyncHTTPRequestAdapter) -> dict[str, str]:
        """Read a form as far as its files. Raises InvalidFormat when its `map` does not fit its `operations`."""
        sent = cast("_Received", request).request
        form = sent.scope[_FORM] = GraphForm(sent, self.decode_json, self.max_body)
        return cast("dict[str, str]", await form.operations())

    def encode_json(self, data: object) -> bytes:
        """Write an answer, or one event. Raises ValidationError when it is larger than may be sent."""
        written = orjson.dumps(data, default=str)
        if len(written) > self.max_answer:
            raise ValidationError(
                f"The answer is larger than the {self.max_answer} bytes that this deployment sends at once. Ask for "
                "smaller lists or fewer fields.",
                limit=self.max_answer,
            )
        return written

    def _get_stream_transport_from_headers(self, headers: Mapping[str, str]) -> Any:
        """Return how a client wants events, if it does; the library reads the header as a message each time."""
        accept = headers.get("accept", "")
        return (
            self._streams(accept)
            if len(accept) <= LONGEST_ACCEPT
            else super()._get_stream_transport_from_headers(headers)
        )

    def should_render_graphql_ide(self, request: Any) -> bool:
        """A request by GET that names its document by the hash is no visit of a browser."""
        return super().should_render_graphql_ide(request) and not {"extensions", "documentId"}.intersection(
            request.query_params
        )

    async def get_sub_response(self, request: Request | WebSocket) -> Response:
        """Remember what the client takes, for the answer."""
        response = await super().get_sub_response(request)
        response.headers[_ACCEPT] = header(request.scope["headers"], b"accept")
        return response

    async def parse_http_body(self, request: Any) -> GraphQLRequestData | list[GraphQLRequestData]:
        """Read the request; a document that is named by its hash is looked up."""
        data = await super().parse_http_body(request)
        if isinstance(data, GraphQLRequestData):
            await self._looked_up(request.request, data, await self._document_id(request))
        return data

    async def _looked_up(self, request: Request, data: GraphQLRequestData, document_id: object) -> None:
        """Look up the document that a request names, before it is read."""
        if not isinstance(data.operation_name, str | None):
            raise HTTPException(400, "The GraphQL operation's `operationName` must be a string or null")
        data.query = self.documents.text(data.query, data.extensions, document_id)
        await request.scope[_CHARGE].require_room(data.query)

    async def _document_id(self, request: AsyncHTTPRequestAdapter) -> object:
        """Return what the request calls its document, which the view does not read."""
        if request.method == "GET":
            return request.query_params.get("documentId")
        if "application/json" not in (request.content_type or ""):
            return None
        body = await request.get_body()
        sent = self.decode_json(body) if b'"documentId"' in body else None
        return sent.get("documentId") if isinstance(sent, dict) else None

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:
        """Answer; a refused token, a full window or too large a body is refused as in REST, with status and headers."""
        streams = "text/event-stream" in header(request.scope["headers"], b"accept")
        if state_of(request).refused is not None and not streams:
            raise cast("ApiError", state_of(request).refused)
        for error in result.errors or ():
            failure = error.original_error
            whole = isinstance(failure, RateLimitExceeded | Unauthenticated) or _is_too_large(failure)
            if result.data is None and whole and not streams:
                raise cast("ApiError", failure)
        answer: dict[str, Any] = {}
        if result.data is not None or not result.errors or any(error.path for error in result.errors):
            answer["data"] = result.data  # a request that was not carried out has no data, not even null
        if result.errors:
            request.scope[_CONTEXT].catalog_only = False  # what failed may go well the next time
            answer["errors"] = [error.formatted for error in result.errors]
        if result.extensions:
            answer["extensions"] = result.extensions  # the last of all: `say_which_request` relies on it
        return cast("GraphQLHTTPResponse", answer)

    def create_response(self, response_data: Any, sub_response: Response) -> Response:
        """Write the answer in the media type that the client takes."""
        return self._written(response_data, sub_response.headers.get(_ACCEPT, ""))

    def _written(self, answer: Any, accept: str) -> Response:
        wants_own = RESPONSE_TYPE in accept
        status = answer["errors"][0]["extensions"].get("status", 400) if wants_own and "data" not in answer else 200
        kind = f"{RESPONSE_TYPE}; charset=utf-8" if wants_own else "application/json"
        return Response(self.encode_json(answer), status, media_type=kind)

    async def create_streaming_response(
        self, request: Any, stream: Any, sub_response: Response, headers: Mapping[str, str]
    ) -> Response:
        """Answer with events, until they end or the token does."""
        del sub_response.headers[_ACCEPT]
        expires = self.expiry(request)
        transport = self._stream_transport_map["sse"]

        async def bounded() -> AsyncGenerator[str, None]:
            events = stream()
            try:
                async for event in events:
                    if expires is not None and self.now() >= expires:
                        raise TokenExpired("The token has expired. Obtain a new one and follow again.")
                    yield event
            except ApiError as ended:
                told: Any = {"errors": [{"message": ended.message, "extensions": ended.extensions}]}
                yield transport.encode_next(told, self.encode_json_string) + transport.encode_complete()
            finally:
                await events.aclose()

        return await super().create_streaming_response(request, bounded, sub_response, headers)


def _type_of(request: HTTPConnection) -> str:
    return header(request.scope["headers"], b"content-type")


def _asked(sent: Any) -> GraphQLRequestData | None:
    """Return what a body asks for; None for one that the view refuses."""
    if not isinstance(sent, dict):
        return None
    query, variables, extensions = sent.get("query"), sent.get("variables"), sent.get("extensions")
    if not (isinstance(query, str | None) and isinstance(variables, dict | None)):
        return None
    if not isinstance(extensions, dict | None):
        return None
    return GraphQLRequestData(
        query=query,
        variables=variables,
        operation_name=sent.get("operationName"),
        extensions=extensions,
        protocol="http",
    )


def _told_as_errors(request: Request, response: Response, failure: ApiError) -> None:
    """Put the failure into the list of errors too, which is where clients of a graph look."""
    body = orjson.loads(response.body)
    body["errors"] = [{"message": failure.message, "extensions": failure.extensions}]
    if isinstance(failure, PersistedQueryNotFound):
        response.status_code = 200  # what Apollo's clients expect: it is a question, not a failure
    response.body = orjson.dumps(body, default=str)
    response.headers["content-length"] = str(len(response.body))
    if RESPONSE_TYPE in request.headers.get("accept", ""):
        response.headers["content-type"] = f"{RESPONSE_TYPE}; charset=utf-8"


def _is_too_large(failure: BaseException | None) -> bool:
    return isinstance(failure, ApiError) and failure.status == 413


class _MutationByGet(InvalidRequest):
    """A request by GET that would change something."""

    def __init__(self) -> None:
        super().__init__("A mutation changes something: send it by POST.", status=405)

    @property
    def headers(self) -> dict[str, str]:
        """Return what is taken instead."""
        return {"Allow": "POST"}


_INSTEAD: Final = {
    "Unsupported content type": "Send the request as Content-Type application/json; one with files as a form, "
    "multipart/form-data.",
    "No GraphQL query found in the request": "The request has no `query`: send the text of one, or its hash in "
    "extensions.persistedQuery.",
    "Batching is not enabled": "A body holds one request, one JSON object: send the requests of a batch one by one.",
    "subscriptions are not allowed": "Follow a subscription over WebSocket (graphql-transport-ws), or by POST with the "
    "header Accept: text/event-stream.",
}
"""What the view says, by its beginning, and what is said in its place."""


def _refused(error: Exception) -> Exception:
    """Return what the view refuses as HTTP, as an error of the catalogue."""
    if not isinstance(error, HTTPException):
        return error
    if error.reason.startswith("mutations are not allowed"):
        return _MutationByGet()
    status = 415 if "content type" in error.reason else error.status_code
    told = next((says for begins, says in _INSTEAD.items() if error.reason.startswith(begins)), None)
    if told is None:
        told = f"{error.reason.rstrip('.')[:SHOWN_LETTERS]}."  # which may name what was sent
    return InvalidRequest(told, status=status)
