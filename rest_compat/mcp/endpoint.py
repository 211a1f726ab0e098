"""`/mcp` and `/mcp/read` over HTTP: one message in, one answer out, nothing kept between them.

The second address opens only what reads, so that a client can be given it without trusting hints. Who may call is told
by bearer tokens as everywhere; a 401 names the document of RFC 9728 that says where tokens come from.
"""

import logging
from collections.abc import Sequence
from typing import Any, Final

import orjson
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from auth.caller import READ_SCOPE, WRITE_SCOPE
from auth.rate_limit import CallKind
from rest_compat.errors import as_api_error
from rest_compat.mcp.operations import Calls, Catalog
from rest_compat.mcp.protocol import (
    HANDSHAKE,
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    STATELESS,
    UNSUPPORTED_REVISION,
    Message,
    Protocol,
    ProtocolError,
    read,
    refusal,
)
from rest_compat.request import ContextFactory, state_of
from rest_compat.route import JSON_TYPE, OperationRoute
from rest_compat.settings import Settings
from schema.errors import ApiError, Forbidden, InsufficientScope, InvalidRequest, Unauthenticated
from schema.numbers import require_finite

log = logging.getLogger("stoa.mcp")

PATHS: Final = {"/mcp": False, "/mcp/read": True}
"""The addresses, and whether each opens only what reads."""
METADATA: Final = "/.well-known/oauth-protected-resource"
_VERSION: Final = "mcp-protocol-version"
_STATUS: Final = {PARSE_ERROR: 400, INVALID_REQUEST: 400, HEADER_MISMATCH: 400, UNSUPPORTED_REVISION: 400}
_STATELESS_STATUS: Final = {INVALID_PARAMS: 400, METHOD_NOT_FOUND: 404}
"""What the revisions without a handshake answer besides; those before answer 200 here."""


def mcp_routes(routes: Sequence[OperationRoute], settings: Settings) -> list[Route]:
    """The addresses of the door, and the documents that say who issues its tokens."""
    made = [
        Route(path, Endpoint(Catalog(routes, reads_only=reads), settings).serve, methods=["POST"])
        for path, reads in PATHS.items()
    ]
    for path in ("", *PATHS):
        made.append(Route(METADATA + path, _metadata(path or "/mcp", settings), methods=["GET"]))
    return made


class Endpoint:
    """One address."""

    def __init__(self, catalog: Catalog, settings: Settings) -> None:
        self._protocol, self._settings = Protocol(catalog), settings
        self._origins = {origin.strip() for origin in settings.cors_origins.split(",") if origin.strip()}
        if settings.mcp_url is not None:
            self._origins.add(settings.mcp_url)

    async def serve(self, request: Request) -> Response:
        """Answer one POST."""
        factory: ContextFactory = request.app.state.context_factory
        calls = Calls(request, factory, self._settings.mcp_answer_bytes)
        message: Message | None = None
        told: dict[str, Any] = {"jsonrpc": "2.0", "id": None}
        headers: dict[str, str] = {}
        status = 200
        try:
            self._require_origin(request)
            await factory.caller(request, CallKind.READ)  # not a byte is read for who may not call at all
            _require_types(request)
            try:
                message = read(await _body(request))
                if message is None:
                    await calls.received(CallKind.READ)
                    return Response(status_code=202)
                told["id"] = message.id
                _require_headers(request, message)
            except ProtocolError:
                await calls.received(CallKind.READ)
                raise
            told["result"] = await self._protocol.result(message, calls)
        except ProtocolError as error:
            told["error"], status = error.told(), _status(error, message, request.headers.get(_VERSION))
        except Exception as error:
            failure = as_api_error(error, request.url.path)
            told["error"] = refusal(failure, state_of(request).request_id)
            status, headers = failure.status, self._challenged(request, failure)
        if calls.made:
            log.info("%s called %s", request.url.path, ", ".join(calls.made))
        content = orjson.dumps(told, default=str)
        return Response(content, status, headers=headers, media_type="application/json")

    def _require_origin(self, request: Request) -> None:
        """Raise Forbidden for a page that nobody has named: its name may have been bound anew to this address."""
        origin = request.headers.get("origin")
        if origin is None or origin in self._origins or "*" in self._origins:
            return
        raise Forbidden(
            "Pages of this origin may not call here. The operator names those that may in STOA_CORS_ORIGINS.",
            field="Origin",
        )

    def _challenged(self, request: Request, failure: ApiError) -> dict[str, str]:
        headers = dict(failure.headers)
        where = f"{_base(request, self._settings)}{METADATA}{request.url.path}"
        if isinstance(failure, InsufficientScope):
            headers["WWW-Authenticate"] += f', resource_metadata="{where}"'
        if isinstance(failure, Unauthenticated):
            error = "" if type(failure) is Unauthenticated else 'error="invalid_token", '
            headers["WWW-Authenticate"] = f'Bearer {error}resource_metadata="{where}"'
        return headers


def _status(error: ProtocolError, message: Message | None, header: str | None) -> int:
    stateless = message is not None and (message.revision is not None or header in STATELESS)
    return (_STATUS | (_STATELESS_STATUS if stateless else {})).get(error.code, 200)


def _require_types(request: Request) -> None:
    """Raise InvalidRequest for what is not JSON, or for a client that takes none."""
    if not JSON_TYPE.match(request.headers.get("content-type", "application/json")):
        raise InvalidRequest("The message must be JSON: Content-Type application/json.", status=415)
    accepted = request.headers.get("accept", "*/*").lower()
    if not any(kind in accepted for kind in ("application/json", "application/*", "*/*")):
        raise InvalidRequest("Answers are JSON: Accept application/json, and text/event-stream.", status=406)


async def _body(request: Request) -> object:
    raw = await request.body()
    try:
        require_finite(raw)
        return from_json(raw, allow_inf_nan=False)  # as the other doors read a body: no number loses digits
    except (ValueError, ApiError):
        raise ProtocolError(PARSE_ERROR, "The message is not valid JSON.") from None


def _require_headers(request: Request, message: Message) -> None:
    """Raise ProtocolError unless the headers say what the message says, for whoever looks at the headers alone."""
    header = request.headers.get(_VERSION)
    if message.revision is None:
        if header in STATELESS:
            raise ProtocolError(INVALID_PARAMS, "A request of this revision names it in params._meta.")
        if header is not None and header not in HANDSHAKE:
            data = {"supported": [*STATELESS, *HANDSHAKE], "requested": header[:100]}
            raise ProtocolError(UNSUPPORTED_REVISION, "This revision is not spoken here.", data)
        return
    said = {_VERSION: message.revision, "mcp-method": message.method}
    if message.method == "tools/call" and isinstance(message.params.get("name"), str):
        said["mcp-name"] = message.params["name"]
    for name, value in said.items():
        if request.headers.get(name) != value:
            raise ProtocolError(HEADER_MISMATCH, f"The header {name} does not say what the message says.")


def _base(request: Request, settings: Settings) -> str:
    return settings.mcp_url or str(request.base_url).rstrip("/")


def _metadata(path: str, settings: Settings) -> Any:
    """The document of RFC 9728 for one address."""

    async def endpoint(request: Request) -> Response:
        told: dict[str, Any] = {
            "resource": _base(request, settings) + path,
            "resource_name": "Stoa",
            "bearer_methods_supported": ["header"],
            "scopes_supported": [READ_SCOPE] if PATHS[path] else [READ_SCOPE, WRITE_SCOPE],
        }
        if settings.issuer is not None and not settings.realms:
            told["authorization_servers"] = [settings.issuer]
        return Response(orjson.dumps(told), media_type="application/json", headers={"Cache-Control": "max-age=3600"})

    return endpoint
