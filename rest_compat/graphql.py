"""GraphQL over HTTP: the same reception as REST, and the graph's answers written by orjson."""

from collections.abc import Mapping
from typing import Any, cast

import orjson
from cross_web import HTTPException
from pydantic_core import from_json
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket
from strawberry.asgi import GraphQL
from strawberry.http import GraphQLHTTPResponse
from strawberry.types import ExecutionResult

from auth.caller import Caller
from resolvers.context import Context
from resolvers.operation import Kind
from rest_compat.errors import as_api_error, response_of
from rest_compat.request import Reception, state_of
from rest_compat.route import IDEMPOTENCY_HEADER
from schema.errors import ApiError, InvalidFormat, InvalidRequest, RateLimitExceeded, Unauthenticated, ValidationError


class GraphEndpoint(GraphQL[Context, None]):
    """`/graphql`: POST for everything, GET for queries."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve; what the view refuses as HTTP comes out in the envelope too."""
        if scope["type"] != "http":
            await super().__call__(scope, receive, send)
            return
        request = Request(scope, receive)
        try:
            response = await self.run(request)
        except Exception as error:
            # Answered here: the framework would make a plain-text 500 of anything that leaves this endpoint.
            state, path = state_of(request), request.url.path
            failure = as_api_error(_refused(error), path)
            response = response_of(failure, path=path, request_id=state.request_id, trace_id=state.trace_id)
        await response(scope, receive, send)

    async def get_context(self, request: Request | WebSocket, response: Response | WebSocket) -> Context:
        """Receive the caller. What he asks for is known later, so the charge is left to the graph."""
        reception: Reception = request.app.state.reception
        caller = await reception.caller(request, Kind.READ)
        ctx = await reception.context(request, caller)

        async def charging(costs: Mapping[str, int], most: int) -> None:
            await _charge(reception, request, caller, costs, most)

        ctx.charging = charging
        ctx.idempotency_key = request.headers.get(IDEMPOTENCY_HEADER)
        return ctx

    def decode_json(self, data: str | bytes) -> object:
        """Read a body. Raises InvalidFormat with the envelope that REST has for it."""
        try:
            value: object = from_json(data, allow_inf_nan=False)  # as REST reads a body: no number loses digits
        except ValueError:
            raise InvalidFormat("The body is not valid JSON.", field="") from None
        if not isinstance(value, dict | list):
            raise InvalidFormat("The body must be a JSON object.", field="")
        return value

    def encode_json(self, data: object) -> bytes:
        """Write an answer."""
        return orjson.dumps(data, default=str)

    async def process_result(self, request: Request, result: ExecutionResult) -> GraphQLHTTPResponse:
        """Answer; a refused token or a full window is refused as in REST, with its status and headers."""
        for error in result.errors or ():
            failure = error.original_error
            if result.data is None and isinstance(failure, RateLimitExceeded | Unauthenticated):
                raise cast("ApiError", failure)
        answer: dict[str, Any] = {"data": result.data}
        if result.errors:
            answer["errors"] = [error.formatted for error in result.errors]
        if result.extensions:
            answer["extensions"] = result.extensions
        return cast("GraphQLHTTPResponse", answer)


def _refused(error: Exception) -> Exception:
    """What the view refuses as HTTP, as an error of the catalogue."""
    if not isinstance(error, HTTPException):
        return error
    status = 415 if "content type" in error.reason else error.status_code
    return InvalidRequest(f"{error.reason.rstrip('.')}.", status=status)


async def _charge(
    reception: Reception, request: Request | WebSocket, caller: Caller, costs: Mapping[str, int], most: int
) -> None:
    if caller.anonymous and any(kind != Kind.READ for kind in costs):
        raise Unauthenticated("Send an access token to change anything: Authorization: Bearer <token>.")
    if sum(costs.values()) > most:
        raise ValidationError(f"One request may call {most} operations at most; this one calls {sum(costs.values())}.")
    for kind, cost in costs.items():
        await reception.charge(request, caller, Kind(kind), cost)
