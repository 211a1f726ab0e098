"""Subscriptions over WebSocket (graphql-transport-ws): who follows, for how long, and how a refusal is told.

A browser cannot set headers on a WebSocket, so the token and the project may come in the payload of `connection_init`,
under the names of the headers. Each operation of a connection has a context of its own, as each HTTP request has. The
connection ends when the token does.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import jwt
from graphql import GraphQLError
from starlette.requests import HTTPConnection
from starlette.types import Scope
from starlette.websockets import WebSocket
from strawberry.asgi import ASGIWebSocketAdapter
from strawberry.http.exceptions import NonJsonMessageReceived
from strawberry.subscriptions.protocols.graphql_transport_ws.handlers import BaseGraphQLTransportWSHandler, Operation
from strawberry.subscriptions.protocols.graphql_transport_ws.types import ConnectionInitMessage, SubscribeMessage
from strawberry.utils.aio import aclosing

from resolvers.context import Context
from rest_compat.errors import as_api_error
from rest_compat.request import PROJECT_HEADER
from schema.errors import ApiError, Forbidden, InvalidFormat, InvalidParameter, QuotaExceeded, Unauthenticated

if TYPE_CHECKING:
    from rest_compat.graphql import GraphEndpoint

INIT_SECONDS = 10.0
"""How long a new connection may take to say who it is."""
LOOK_SECONDS = 1.0
"""How often a connection looks whether its token still holds."""
MOST_LETTERS = 200
"""Of the id of an operation, which stands in every message about it."""
FROM_PAYLOAD = ("authorization", PROJECT_HEADER.lower())


class SocketAdapter(ASGIWebSocketAdapter):
    """Text frames, as the protocol wants them, though answers are written as bytes."""

    async def iter_json(self, *, ignore_parsing_errors: bool = False) -> AsyncGenerator[object, None]:
        """The messages of the client."""
        try:
            async for message in super().iter_json(ignore_parsing_errors=ignore_parsing_errors):
                if not isinstance(message, dict):
                    raise NonJsonMessageReceived
                yield message
        except InvalidFormat:
            raise NonJsonMessageReceived from None

    async def send_json(self, message: Mapping[str, object]) -> None:
        """Send one message."""
        await self.ws.send_text(cast("bytes", self.view.encode_json(message)).decode())


class SocketHandler(BaseGraphQLTransportWSHandler[Context, None]):
    """One connection."""

    view: "GraphEndpoint"
    _watching: "asyncio.Task[None] | None" = None
    _connection: HTTPConnection | None = None

    async def shutdown(self) -> None:
        """Give everything back."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._watching
        await super().shutdown()

    async def handle_connection_init(self, message: ConnectionInitMessage) -> None:
        """Receive the caller by their token. A refusal closes the connection with the code as the reason."""
        payload = message.get("payload") or {}
        if isinstance(payload, dict) and not self.connection_init_received:
            ws: WebSocket = cast("SocketAdapter", self.websocket).ws
            try:
                self._connection = HTTPConnection(_with_headers(ws.scope, payload))
                self.context, _ = await self.view.received(self._connection)
            except Exception as error:
                self.connection_init_received = True
                failure = as_api_error(error, "/graphql")
                await self.websocket.close(close_code(failure), failure.code)
                return
            self._watching = asyncio.create_task(self._watch(self.view.expiry(self._connection)))
        await super().handle_connection_init({"type": "connection_init", "payload": payload})

    async def handle_subscribe(self, message: SubscribeMessage) -> None:
        """Start one operation, which is charged before it is looked at; refused as an error of its own."""
        id_, payload = message["id"], cast("dict[str, Any]", message["payload"])
        if not isinstance(id_, str) or len(id_) > MOST_LETTERS or not isinstance(payload, dict):
            await self.handle_invalid_message(f"An operation has an id of {MOST_LETTERS} letters at most and a payload")
            return
        if self.connection_acknowledged and id_ not in self.operations:
            try:
                await self._begin(id_, payload)
            except Exception as error:
                await self._refuse(id_, as_api_error(error, "/graphql"))
                return
        await super().handle_subscribe(message)

    async def _begin(self, id_: str, payload: dict[str, Any]) -> None:
        """Charge an operation and look up its document. Raises what it is refused for."""
        assert self._connection is not None
        context, charge = await self.view.received(self._connection)
        await charge.begin()
        most, extensions = self.view.most_operations, payload.get("extensions")
        if len(self.operations) >= most:
            raise QuotaExceeded(f"A connection may have {most} operations open.", limit=most)
        for name, kind in (("variables", dict), ("operationName", str)):
            if not isinstance(payload.get(name), kind | None):
                raise InvalidFormat(
                    f"{name} must be {'an object' if kind is dict else 'a string'} or null.", field=name
                )
        payload["query"] = self.view.documents.text(payload.get("query"), extensions, payload.get("documentId"))
        await charge.require_room(payload["query"])
        self._begun[id_] = context, extensions if isinstance(extensions, dict) else None

    async def run_operation(self, operation: "Operation[Context, None]") -> None:
        """Run one operation in a context of its own."""
        context, extensions = self._begun.pop(operation.id)
        try:
            results = await self.schema.stream(
                operation.query,
                variable_values=operation.variables,
                context_value=context,
                root_value=None,
                operation_name=operation.operation_name,
                operation_extensions=extensions,
            )
            async with aclosing(results):
                await self._send_result_stream(operation, results)
            await operation.send_operation_message({"id": operation.id, "type": "complete"})
        except Exception as error:
            failure = as_api_error(error, "/graphql")
            with contextlib.suppress(Exception):
                await operation.send_initial_errors([GraphQLError(failure.message, extensions=failure.extensions)])

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._begun: dict[str, tuple[Context, dict[str, Any] | None]] = {}

    async def cleanup_operation(self, operation_id: str) -> None:
        """End an operation, one that has not begun to run included."""
        self._begun.pop(operation_id, None)
        await super().cleanup_operation(operation_id)

    @staticmethod
    def _get_pre_execution_close_reason(error: GraphQLError) -> str | None:
        """A query that cannot be parsed is that operation's error and no reason to close the others."""
        return None

    async def _refuse(self, id_: str, failure: ApiError) -> None:
        error = GraphQLError(failure.message, extensions=failure.extensions)
        await self.send_message({"id": id_, "type": "error", "payload": [error.formatted]})

    async def _watch(self, expires: datetime | None) -> None:
        """Ping while nothing happens, and close when the token has expired."""
        heartbeat, silent = self.view.heartbeat, 0.0
        step = min(LOOK_SECONDS, heartbeat)
        while True:
            await asyncio.sleep(step)
            if expires is not None and self.view.now() >= expires:
                await self.websocket.close(4401, "TOKEN_EXPIRED")
                return
            silent += step
            if silent >= heartbeat and self.connection_acknowledged:
                silent = 0.0
                await self.send_message({"type": "ping"})


def close_code(failure: ApiError) -> int:
    """The close code of the protocol for a connection that is refused."""
    if isinstance(failure, Unauthenticated):
        return 4401
    if isinstance(failure, Forbidden):
        return 4403
    return 4400 if failure.status < 500 else 4500


def expiry_of(authorization: str | None) -> datetime | None:
    """Return when a token that was verified ceases to hold; None without one."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        return None
    moment = jwt.decode(token.strip(), options={"verify_signature": False}).get("exp")
    return None if moment is None else datetime.fromtimestamp(float(moment), tz=UTC)


def _with_headers(scope: Scope, payload: Mapping[str, Any]) -> Scope:
    """The handshake with what the payload says in the place of headers that a browser cannot set."""
    told = {str(name).lower(): value for name, value in payload.items() if str(name).lower() in FROM_PAYLOAD}
    for name, value in told.items():
        if not isinstance(value, str) or not value.isprintable():
            raise InvalidParameter(f"{name} of connection_init must be text.", field=name)
    kept = [(name, value) for name, value in scope["headers"] if name.decode("latin-1") not in told]
    return {**scope, "headers": [*kept, *((name.encode(), value.encode()) for name, value in told.items())]}
