"""The REST door: turn an operation into a path.

FastAPI documents the route from the operation's signature; the request itself is parsed once by the operation's own
argument model and answered once as bytes, so both doors apply the same bounds and nothing is validated twice.
"""

import inspect
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal, cast

import orjson
from fastapi import APIRouter, Header
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from resolvers.operation import Operation
from rest_compat.envelopes import Envelope
from rest_compat.errors import as_api_error, response_of
from rest_compat.request import PROJECT_HEADER, Reception, state_of
from schema.errors import MissingRequiredField
from schema.problems import require_text

ProjectHeader = Literal["none", "optional", "required"]

Endpoint = Callable[[Request], Coroutine[Any, Any, Response]]


class Door:
    """The paths of one service, under its prefix and any further ones."""

    def __init__(self, prefix: str, tag: str, *, also: tuple[str, ...] = ()) -> None:
        self.tag, self.prefix = tag, prefix
        self.prefixes = (prefix, *also)
        self.router = APIRouter()
        self.operations: dict[str, Operation[..., Any]] = {}
        self._methods: dict[str, set[str]] = {}

    def get(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a read."""
        self._open("GET", path, op, **how)

    def post(self, path: str, op: Operation[..., Any], *, status: int = 201, **how: Any) -> None:
        """Open a create (201) or an action (200, or 202 when it only queues)."""
        self._open("POST", path, op, status=status, **how)

    def put(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open an update."""
        self._open("PUT", path, op, **how)

    def patch(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a partial update."""
        self._open("PATCH", path, op, **how)

    def delete(self, path: str, op: Operation[..., Any], **how: Any) -> None:
        """Open a deletion."""
        self._open("DELETE", path, op, **how)

    def _open(
        self,
        method: str,
        path: str,
        op: Operation[..., Any],
        *,
        status: int = 200,
        envelope: type[Envelope] | None = None,
        project: ProjectHeader = "optional",
    ) -> None:
        self.operations[op.name] = op
        allowed = self._methods.setdefault(path, set())
        allowed.add(method)
        for prefix in self.prefixes:
            main = prefix == self.prefixes[0]
            self.router.routes.append(
                OperationRoute(
                    prefix + path,
                    operation=op,
                    method=method,
                    allowed=allowed,
                    status=status,
                    envelope=envelope,
                    project=project,
                    tag=self.tag,
                    operation_id=op.name if main else f"{op.name}_{prefix.strip('/').split('/')[0]}",
                )
            )


class OperationRoute(APIRoute):
    """A route that calls one operation."""

    def __init__(
        self,
        path: str,
        *,
        operation: Operation[..., Any],
        method: str,
        allowed: set[str],
        status: int,
        envelope: type[Envelope] | None,
        project: ProjectHeader,
        tag: str,
        operation_id: str,
    ) -> None:
        self.operation, self.envelope, self.project = operation, envelope, project
        self.allowed = allowed
        """The methods of every operation at this path, this one's included."""
        returns = operation.returns
        if envelope is not None:
            (item,) = returns.__pydantic_generic_metadata__["args"]
            returns = envelope.__class_getitem__(item)
        self.answer = TypeAdapter(returns)
        self.answer_status = status
        summary, _, rest = operation.summary.partition("\n")
        super().__init__(
            path,
            _documented(operation, project),
            methods=[method],
            name=operation.name,
            operation_id=operation_id,
            summary=summary.rstrip("."),
            description=rest.strip() or summary,
            response_model=returns,
            status_code=status,
            tags=[tag],
        )

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; a 405 names what the path takes, whichever route was asked first."""
        if scope["method"] not in (self.methods or ()):
            raise HTTPException(405, headers={"Allow": ", ".join(sorted(self.allowed))})
        await super().handle(scope, receive, send)

    def get_route_handler(self) -> Endpoint:
        """Serve without FastAPI's own parsing and second serialisation."""
        return self._serve

    async def _serve(self, request: Request) -> Response:
        try:
            return await self._answer(request)
        except Exception as error:
            state = state_of(request)
            failure = as_api_error(error, request.url.path)
            return response_of(failure, path=request.url.path, request_id=state.request_id, trace_id=state.trace_id)

    async def _answer(self, request: Request) -> Response:
        reception: Reception = request.app.state.reception
        op = self.operation
        caller = await reception.caller(request, op.kind)
        await reception.charge(request, caller, op.kind)
        strings = self._strings(request)
        require_text(strings)
        arguments = op.parsed(strings)
        if op.body is not None:
            raw = await request.body()
            if raw.strip():
                arguments[op.body.name] = op.parsed_body(raw)
            elif op.body.default is inspect.Parameter.empty:
                raise MissingRequiredField("A JSON body is required here.", field="body")
        ctx = await reception.context(request, caller, project_required=self.project == "required")
        value = await op(ctx, **arguments)
        return self._written(value)

    def _strings(self, request: Request) -> dict[str, Any]:
        """The path and query parameters that the operation declares; others are ignored, as HTTP clients expect."""
        known = self.operation.arguments.model_fields
        query = {name: value for name, value in request.query_params.items() if name in known}
        return query | {name: value for name, value in request.path_params.items() if name in known}

    def _written(self, value: Any) -> Response:
        headers = {}
        revision = getattr(value, "_revision", None)  # of a resource, or of a view that stands for one
        if revision is not None:
            headers["ETag"] = f'"{revision}"'
        if self.envelope is not None:
            content = self._framed(self.envelope.of(value), value.items)
        elif hasattr(value, "json_bytes"):
            content = cast("bytes", value.json_bytes())
        else:
            content = self.answer.dump_json(value)
        return Response(content, self.answer_status, headers=headers, media_type="application/json")

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


def _documented(op: Operation[..., Any], project: ProjectHeader) -> Callable[..., Any]:
    """A function with the operation's signature, for the document alone."""

    async def endpoint(**values: Any) -> Any:
        raise AssertionError("OperationRoute serves without this function")

    parameters = list(op.parameters)
    if project != "none":
        kind = str if project == "required" else str | None
        parameters.append(
            inspect.Parameter(
                "x_project_id",
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[
                    kind,
                    Header(alias=PROJECT_HEADER, description="The project to work in; wins over the token's claim."),
                ],
                default=inspect.Parameter.empty if project == "required" else None,
            )
        )
    parameters.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    setattr(endpoint, "__signature__", inspect.Signature(parameters))  # noqa: B010 (mypy refuses the plain assignment)
    endpoint.__name__ = op.name
    return endpoint
