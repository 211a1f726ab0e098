"""Defines what governance answers the services that run apart from it: the relations engine, behind the services' own
key.
"""

import hmac
from collections.abc import Iterator

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from auth.remote import CALLS, KEY_HEADER, PATH, REFUSALS, RemoteCall, refusal_as_json
from rest_compat.errors import as_api_error, response_of
from rest_compat.request import ContextFactory, state_of
from schema.errors import Unauthenticated, ValidationError


def relation_routes(key: SecretStr) -> Iterator[Route]:
    """One path for each method. They stand in no document, and no rate window is charged for them."""
    expected = key.get_secret_value().encode()

    def route(call: RemoteCall) -> Route:
        async def endpoint(request: Request) -> Response:
            given = request.headers.get(KEY_HEADER, "").encode("utf-8", "replace")
            context_factory: ContextFactory = request.app.state.context_factory
            try:
                if not hmac.compare_digest(given, expected):
                    raise Unauthenticated("This path is for the platform's own services.")
                answer = await call.carried_out(context_factory.services.relations, await request.body())
            except REFUSALS as error:
                return Response(refusal_as_json(error), 409, media_type="application/json")
            except Exception as error:
                path, state = request.url.path, state_of(request)
                malformed = isinstance(error, ValueError)
                failure = (
                    ValidationError("This is no such call.", status=422) if malformed else as_api_error(error, path)
                )
                return response_of(failure, path=path, request_id=state.request_id, trace_id=state.trace_id)
            return Response(answer, media_type="application/json")

        return Route(f"{PATH}/{call.name}", endpoint, methods=["POST"])

    return map(route, CALLS.values())
