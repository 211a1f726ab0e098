"""Defines what FastAPI is told of each route, so that it writes the document. Nothing here is needed to serve a
request.

FastAPI reads the signature of a function: the operation's parameters, and the headers that the route itself reads.
"""

import inspect
from collections.abc import Callable, Iterator
from typing import Annotated, Any

from fastapi import Header
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.responses import Response

from auth.rate_limit import CallKind
from resolvers.idempotency import KEY_PATTERN, LONGEST_KEY
from resolvers.talk2data.streaming import LAST_EVENT
from rest_compat.events import RESUME_HEADER, EventStream, StreamRoute
from rest_compat.request import ETAG_PATTERN, PROJECT_HEADER
from rest_compat.route import IDEMPOTENCY_HEADER, OperationRoute
from rest_compat.transfer import FILE_PART, DownloadRoute, UploadRoute


def documented(route: OperationRoute) -> APIRoute:
    """A route as FastAPI documents it."""
    op = route.operation
    summary, _, rest = op.summary.partition("\n")
    told = APIRoute(
        route.path,
        _endpoint(route),
        methods=sorted(route.methods or ()),
        name=op.name,
        operation_id=route.operation_id,
        summary=summary.rstrip("."),
        description=rest.strip() or summary,
        response_model=None if isinstance(route, DownloadRoute) else route.answer_type(),  # bytes have no schema
        status_code=route.answer_status,
        tags=[route.tag],
        deprecated=route.deprecation is not None or None,
        **_kind(route),
    )
    if isinstance(route, UploadRoute):
        told.body_field = None  # no JSON here
    return told


def _kind(route: OperationRoute) -> dict[str, Any]:
    """Return what a kind of route tells beside what every route does."""
    if isinstance(route, UploadRoute):
        return {"openapi_extra": {"requestBody": {"required": True, "content": {"multipart/form-data": _form(route)}}}}
    if isinstance(route, DownloadRoute):
        return _DOWNLOAD
    if isinstance(route, StreamRoute):
        return {"response_class": EventStream}
    return {}


def _form(route: UploadRoute) -> dict[str, Any]:
    assert route.operation.body is not None
    shown = TypeAdapter(route.operation.body.annotation).json_schema(mode="validation")
    properties = {
        **{name: _in_a_form(text) for name, text in shown["properties"].items()},
        FILE_PART: {"type": "string", "format": "binary", "description": "The bytes."},
    }
    required = [*shown.get("required", ()), FILE_PART]
    schema = {"type": "object", "required": required, "additionalProperties": False, "properties": properties}
    return {"schema": schema}


def _in_a_form(shown: dict[str, Any]) -> dict[str, Any]:
    """A field as a form has it: left out rather than null."""
    options = [option for option in shown.get("anyOf", ()) if option != {"type": "null"}]
    plain = {name: value for name, value in shown.items() if name not in ("anyOf", "default")}
    return {**options[0], **plain} if len(options) == 1 else shown


def _endpoint(route: OperationRoute) -> Callable[..., Any]:
    """A function with the operation's signature and the route's own headers."""
    op = route.operation

    async def endpoint(**values: Any) -> Any:
        raise AssertionError("the route serves without this function")

    parameters = [*(p for p in op.parameters if p is not op.upload), *_headers(route)]
    parameters.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    setattr(endpoint, "__signature__", inspect.Signature(parameters))  # noqa: B010 (mypy refuses the plain assignment)
    endpoint.__name__ = op.name
    return endpoint


def _headers(route: OperationRoute) -> Iterator[inspect.Parameter]:
    if isinstance(route, StreamRoute):
        yield _LAST_EVENT_ID
    if route.takes_revision:
        yield _IF_MATCH
    if route.operation.kind is not CallKind.READ:
        yield _IDEMPOTENCY_KEY
    if route.project != "none":
        yield _REQUIRED_PROJECT if route.project == "required" else _PROJECT


def _header(name: str, kind: Any, about: Any, default: Any = None) -> inspect.Parameter:
    annotation = Annotated[kind, about]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


_LAST_EVENT_ID = _header(
    "last_event_id_header",
    int | None,
    Header(
        alias=RESUME_HEADER,
        ge=0,
        le=LAST_EVENT,
        description="The `id` of the last event seen; wins over the parameter.",
    ),
)
_IF_MATCH = _header(
    "if_match",
    str | None,
    Header(
        alias="If-Match",
        pattern=ETAG_PATTERN,
        description="The ETag that was read, or several: if what stands is at none of them, the answer is 409 "
        "VERSION_CONFLICT. The revision in the tag decides.",
    ),
)
_IDEMPOTENCY_KEY = _header(
    "idempotency_key",
    str | None,
    Header(
        alias=IDEMPOTENCY_HEADER,
        min_length=1,
        max_length=LONGEST_KEY,
        pattern=KEY_PATTERN,
        description="Any new text: the same request under the same key is done once, and answered alike for a day.",
    ),
)
_ABOUT_PROJECT = Header(
    alias=PROJECT_HEADER, pattern=r"\S", description="The project to work in; wins over the token's claim."
)
_PROJECT = _header("x_project_id", str | None, _ABOUT_PROJECT)
_REQUIRED_PROJECT = _header("x_project_id", str, _ABOUT_PROJECT, inspect.Parameter.empty)


def _conditional(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "schema": {"type": "string"}, "description": description}


IF_NONE_MATCH = _conditional("If-None-Match", "Answer 304 if one of these entity tags still stands.")

_BYTES: dict[str, Any] = {
    kind: {"schema": {"type": "string", "format": "binary"}} for kind in ("application/octet-stream", "*/*")
}
"""The content type is the one that came with the upload."""
_DOWNLOAD: dict[str, Any] = {
    "response_class": Response,
    "responses": {
        200: {
            "description": "The bytes.",
            "content": _BYTES,
            "headers": {
                "ETag": {"schema": {"type": "string"}, "description": "Changes when the bytes do."},
                "Accept-Ranges": {"schema": {"type": "string"}, "description": "`bytes`."},
                "Content-Disposition": {"schema": {"type": "string"}, "description": "The name to save it under."},
            },
        },
        206: {
            "description": "The range of bytes that was asked for.",
            "content": _BYTES,
            "headers": {"Content-Range": {"schema": {"type": "string"}, "description": "Where it lies in the whole."}},
        },
        304: {"description": "The bytes still have the entity tag of `If-None-Match`."},
    },
    "openapi_extra": {
        "parameters": [
            _conditional("Range", "One range, such as bytes=0-1023, bytes=1024- or bytes=-500."),
            _conditional(
                "If-Range", "Answer with the range only if this entity tag still stands, else with the whole."
            ),
            IF_NONE_MATCH,
        ]
    },
}
