"""The front of the HTTP server: request id, trace, readiness, body size, rate headers, the last catch. Pure ASGI."""

import os
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import structlog
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from auth.rate_limit import RateWindow
from rest_compat.bodies import BodyBounds, bodiless, bounded
from rest_compat.errors import HUNG_UP, as_api_error, response_of
from rest_compat.logs import access_line, begin_request, end_request
from rest_compat.request import RawHeaders, RequestState, header
from schema.errors import ApiError, ServiceStarting

log = structlog.get_logger("stoa.access")

_OWN_HEADERS = frozenset({b"x-request-id", b"x-ratelimit-limit", b"x-ratelimit-remaining", b"x-ratelimit-reset"})
_REQUEST_ID = re.compile(r"^[A-Za-z0-9._-]{1,128}$")
# Version ff is not valid, and version 00 ends after its four parts; a later one may say more.
_TRACEPARENT = re.compile(r"^(?!ff|00.{53}-)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)")
PROBES = frozenset({"/healthz", "/readyz"})
UPLOADS = frozenset({("POST", "/assets/files"), ("POST", "/graphql")})
"""Where a form may be as large as an upload; every other body is bounded as JSON is."""


class RequestMiddleware:
    """Wraps the whole application.

    `ready` tells whether start-up has finished and shutting down has not begun; until then every path but the two
    probes answers 503 SERVICE_STARTING. `peek` gives the rate window for a response that charged none. `within` wraps
    what is served inside, so that whatever it answers has the headers of every answer.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        ready: Callable[[], bool],
        peek: Callable[[Scope], Awaitable[RateWindow | None]],
        bodies: BodyBounds,
        max_upload_bytes: int,
        within: Callable[[ASGIApp], ASGIApp] = lambda app: app,
    ) -> None:
        self._app, self._ready, self._peek = app, ready, peek
        self._bodies, self._uploads = bodies, replace(bodies, most_bytes=max_upload_bytes)
        self._inside = within(self._serve)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        state = scope["stoa"] = state_for(scope["headers"])
        if scope["type"] != "http":
            await self._socket(scope, receive, send, state)
            return
        path, method, started = scope["path"], scope["method"], time.perf_counter()
        begun = begin_request(state.request_id, state.trace_id)
        if method == "HEAD":  # GET without the body, wherever there is a GET
            receive, send = bodiless(receive, send)
            scope = {**scope, "method": "GET", "stoa.head": True}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                state.status = message["status"]
                await self._add_headers(scope, state, message)
            await send(message)

        try:
            await self._inside(scope, receive, send_with_headers)
        finally:
            elapsed = round((time.perf_counter() - started) * 1000, 2)
            line = {"method": method, "path": path, "status": state.status, "milliseconds": elapsed}
            if not access_line("request", **line, request_id=state.request_id, trace_id=state.trace_id):
                log.info("request", **line)
            end_request(begun)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; whatever fails is answered in the envelope."""
        state: RequestState = scope["stoa"]
        try:
            if not self._ready() and scope["path"] not in PROBES:
                raise ServiceStarting("The service is starting up or shutting down. Retry shortly.")
            await self._app(scope, self._bounded(scope, receive), send)
        except Exception as error:
            failure = as_api_error(error, scope["path"])
            if not state.status:
                await answer(failure, scope, receive, send, getattr(error, "headers", None))
            elif failure.status == HUNG_UP:
                state.status = HUNG_UP
            else:
                raise  # the answer has begun: cutting the connection is all that is left

    async def _socket(self, scope: Scope, receive: Receive, send: Send, state: RequestState) -> None:
        """Serve one WebSocket, or refuse its handshake while the service does not serve."""
        begun = begin_request(state.request_id, state.trace_id)
        try:
            if self._ready():
                await self._app(scope, receive, send)
                return
            starting = ServiceStarting("The service is starting up or shutting down. Retry shortly.")
            refusal = response_of(starting, path=scope["path"], request_id=state.request_id, trace_id=state.trace_id)
            await WebSocket(scope, receive, send).send_denial_response(refusal)
        finally:
            log.info("socket", path=scope["path"])
            end_request(begun)

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        """A `receive` with the bounds of what may come at this path; most requests never ask for their body."""
        bound: Receive | None = None

        async def receive_bounded() -> Message:
            nonlocal bound
            if bound is None:
                bound = self._bounds(scope, receive)
            return await bound()

        return receive_bounded

    def _bounds(self, scope: Scope, receive: Receive) -> Receive:
        headers = scope["headers"]
        form = header(headers, b"content-type").lower().startswith("multipart/form-data")
        uploads = form and (scope["method"], scope["path"]) in UPLOADS
        declared = header(headers, b"content-length")
        return bounded(receive, declared, self._uploads if uploads else self._bodies, time.monotonic)

    async def _add_headers(self, scope: Scope, state: RequestState, message: Message) -> None:
        given = message.get("headers", ())
        headers = [one for one in given if one[0] not in _OWN_HEADERS]
        headers.append((b"x-request-id", state.request_id.encode("latin-1")))
        if b"x-content-type-options" not in [name for name, _ in given]:
            headers.append((b"x-content-type-options", b"nosniff"))
        window = state.window or await self._peek(scope)
        if window is not None:
            headers += (
                (b"x-ratelimit-limit", b"%d" % window.limit),
                (b"x-ratelimit-remaining", b"%d" % window.remaining),
                (b"x-ratelimit-reset", b"%d" % window.reset),
            )
        message["headers"] = headers


async def answer(
    error: ApiError, scope: Scope, receive: Receive, send: Send, headers: Mapping[str, str] | None = None
) -> None:
    """Send the envelope of a failure, with further headers."""
    state: RequestState = scope["stoa"]
    response = response_of(error, path=scope["path"], request_id=state.request_id, trace_id=state.trace_id)
    response.headers.update(headers or {})
    await response(scope, receive, send)


def state_for(headers: RawHeaders) -> RequestState:
    """The ids of a request: its own where they are well formed, else new ones."""
    given = header(headers, b"x-request-id")
    traced = header(headers, b"traceparent")
    trace = _TRACEPARENT.match(traced) if traced else None
    valid = trace is not None and trace.group(1).strip("0") and trace.group(2).strip("0")
    fresh = os.urandom(32).hex()  # one call of the system for both
    return RequestState(
        request_id=given if given and _REQUEST_ID.match(given) else f"req-{_uuid(fresh)}",
        trace_id=trace.group(1) if trace is not None and valid else fresh[32:],
    )


def _uuid(digits: str) -> str:
    """A UUID of version 4 out of 32 random hexadecimal digits."""
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def probe(check: Callable[[], bool]) -> Callable[[Any], Awaitable[Any]]:
    """An endpoint that answers 200 `ok` while the check holds, and 503 otherwise."""

    async def endpoint(_request: Any) -> JSONResponse:
        return JSONResponse({"status": "ok"}) if check() else JSONResponse({"status": "starting"}, 503)

    return endpoint
