"""Defines how operations fail, for the documents: which statuses can occur where, each with its codes and an
example.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from auth.rate_limit import CallKind
from rest_compat.openapi.names import ERROR
from rest_compat.openapi.refusals import REFUSALS
from rest_compat.route import OperationRoute

REQUEST_ID = "req-2f1c1f0e-6f0a-4d5c-9a57-3f0f6f2f8a11"
TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"


class DocumentedFailure(NamedTuple):
    """One status: what it means, the codes that come with it, and an example."""

    meaning: str
    codes: tuple[str, ...]
    message: str
    details: dict[str, Any] | None = {}


FAILURES = {
    "400": DocumentedFailure(
        "The request is malformed: unparsable JSON, a missing field, a wrong type or parameter.",
        ("INVALID_PARAMETER", "MISSING_REQUIRED_FIELD", "INVALID_FORMAT", "VALIDATION_ERROR"),
        "Idempotency-Key must be 1 to 255 characters.",
        {"field": "Idempotency-Key"},
    ),
    "401": DocumentedFailure(
        "The token is missing, expired or invalid.",
        ("UNAUTHENTICATED", "TOKEN_EXPIRED", "TOKEN_INVALID", "TOKEN_MALFORMED"),
        "No token came with the request. Send the header Authorization: Bearer <token>.",
    ),
    "403": DocumentedFailure(
        "The caller lacks a permission.",
        ("FORBIDDEN", "PROJECT_ACCESS_DENIED", "ORG_ACCESS_DENIED"),
        "can_write on project 'shop' is required. Ask an administrator to grant a role that has it.",
        {"permission": "can_write", "resource_type": "project", "resource_id": "shop"},
    ),
    "404": DocumentedFailure(
        "It does not exist, or not for this caller.",
        ("RESOURCE_NOT_FOUND",),
        "Project '7d0c6a34-52b1-4a50-8b39-6f4f1c3f9f10' was not found.",
        {"resource_type": "project", "resource_id": "7d0c6a34-52b1-4a50-8b39-6f4f1c3f9f10"},
    ),
    "408": DocumentedFailure(
        "The body stopped coming, or came too slowly.",
        ("INVALID_REQUEST",),
        "The body stopped coming, or came too slowly, for 30 seconds. Send it again, without a pause.",
    ),
    "409": DocumentedFailure(
        "It exists already, was changed concurrently, or its idempotency key belongs to another request.",
        ("RESOURCE_ALREADY_EXISTS", "VERSION_CONFLICT"),
        "The name is taken. Choose another one, or update what has it.",
        {"field": "name"},
    ),
    "413": DocumentedFailure(
        "The body is larger than this deployment accepts.",
        ("INVALID_REQUEST",),
        "The body is larger than the 10485760 bytes that this deployment accepts.",
    ),
    "415": DocumentedFailure(
        "The body has a media type that is not taken here.",
        ("INVALID_REQUEST",),
        "The body must be JSON: Content-Type application/json.",
    ),
    "416": DocumentedFailure(
        "The range lies outside the bytes; `Content-Range` says how many there are.",
        ("INVALID_REQUEST",),
        "The range lies outside the 1024 bytes that there are.",
        {"field": "Range", "size": 1024},
    ),
    "422": DocumentedFailure(
        "Well-formed, but outside a bound, pattern, enum or state rule.",
        ("VALIDATION_ERROR", "INVALID_PARAMETER", "MISSING_REQUIRED_FIELD", "INVALID_FORMAT"),
        "name: String should have at most 255 characters.",
        {"field": "name", "problems": [{"field": "name", "message": "String should have at most 255 characters"}]},
    ),
    "429": DocumentedFailure(
        "The rate window is full; `Retry-After` holds the wait in seconds.",
        ("RATE_LIMIT_EXCEEDED", "QUOTA_EXCEEDED"),
        "Rate limit exceeded. Retry after 12 seconds.",
        None,
    ),
    "500": DocumentedFailure(
        "An unexpected error; the log has it under the request id.",
        ("INTERNAL_ERROR", "DATABASE_ERROR"),
        "An unexpected error occurred. The log has it under this request id.",
    ),
    "502": DocumentedFailure(
        "The identity provider or the authorization engine cannot be reached.",
        ("UPSTREAM_UNAVAILABLE",),
        "The authorization engine cannot be reached. Retry shortly.",
    ),
    "503": DocumentedFailure(
        "The service is starting up or shutting down.",
        ("SERVICE_STARTING",),
        "The service is starting up or shutting down. Retry shortly.",
    ),
}

EVERYWHERE = ("400", "401", "403", "429", "500", "502", "503")
RETRY = ("429", "503")

HEADERS: dict[str, dict[str, Any]] = {
    "X-Request-ID": {
        "description": "The id of this request, as the log has it; one that the caller sent is kept.",
        "schema": {"type": "string"},
        "example": REQUEST_ID,
    },
    "X-RateLimit-Limit": {
        "description": "How many requests of this kind the window takes.",
        "schema": {"type": "integer"},
        "example": 300,
    },
    "X-RateLimit-Remaining": {
        "description": "How many of them are left.",
        "schema": {"type": "integer"},
        "example": 299,
    },
    "X-RateLimit-Reset": {
        "description": "When the window is empty again, in seconds since 1970.",
        "schema": {"type": "integer"},
        "example": 1795268400,
    },
    "Retry-After": {
        "description": "How many seconds to wait before the next try.",
        "schema": {"type": "integer"},
        "example": 12,
    },
    "ETag": {
        "description": "The revision that was answered with, and a digest of the answer. Send it as `If-Match` to "
        "change exactly this revision, as `If-None-Match` to ask only for something new.",
        "schema": {"type": "string"},
        "example": '"3-9c56cc51b374c3ba"',
    },
    "WWW-Authenticate": {
        "description": "The challenge of RFC 6750.",
        "schema": {"type": "string"},
        "example": "Bearer",
    },
}
"""The response headers, by name."""
ALWAYS = ("X-Request-ID", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")


def header_references(*names: str) -> dict[str, Any]:
    """References to the headers of a response, those of every response included."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*ALWAYS, *names)}


def failures_of(route: OperationRoute, *, variant: bool) -> dict[str, dict[str, Any]]:
    """The failures of one operation, as its document lists them."""
    refused = REFUSALS.get(route.operation.name, ())
    return {
        status: _response(status, [one.code for one in refused if str(one.status) == status], variant=variant)
        for status in sorted(set(_statuses(route)))
    }


def _statuses(route: OperationRoute) -> Iterator[str]:
    yield from EVERYWHERE
    op = route.operation
    names = {parameter.name for parameter in op.plain}
    # What a request names may be missing: in its path, in its body, or as the parent of what it lists.
    if route.param_convertors or op.body is not None or any(name.endswith(("_id", "_uri")) for name in names):
        yield "404"
    if op.kind is not CallKind.READ:
        yield from ("409", "422")
    if op.body is not None:
        yield from ("408", "413", "415", "422")
    yield from (str(refusal.status) for refusal in REFUSALS.get(op.name, ()))


def _response(status: str, codes: Iterable[str], *, variant: bool) -> dict[str, Any]:
    """One failure; `codes` are those that this operation alone has, beside the usual ones."""
    failure = FAILURES[status]
    more = ("Retry-After",) if status in RETRY else ("WWW-Authenticate",) if status == "401" else ()
    return {
        "description": f"{failure.meaning} Codes: {', '.join(dict.fromkeys((*failure.codes, *codes)))}.",
        "headers": header_references(*more),
        "content": {
            "application/json": {
                "schema": {"$ref": f"#/components/schemas/{ERROR}"},
                "example": _example(status, failure, variant=variant),
            }
        },
    }


def _example(status: str, failure: DocumentedFailure, *, variant: bool) -> dict[str, Any]:
    inner: dict[str, Any] = {"code": failure.codes[0], "message": failure.message}
    details = {} if failure.details is None else {"details": failure.details}
    if variant:
        return {"error": inner | details, "request_id": REQUEST_ID}
    return {"error": inner | {"status": int(status)} | details | {"request_id": REQUEST_ID, "trace_id": TRACE_ID}}


def error_schema(*, variant: bool) -> dict[str, Any]:
    """The envelope of contract section 7; Data Readiness puts the request id beside the error object."""
    if variant:
        properties = {"error": _inner("code", "message"), "request_id": _PROPERTIES["request_id"]}
        required = ["error", "request_id"]
    else:
        properties = {"error": _inner("code", "message", "status", "request_id", "trace_id")}
        required = ["error"]
    return {
        "type": "object",
        "title": ERROR,
        "description": "How every failure is told.",
        "required": required,
        "properties": properties,
    }


_PROPERTIES: dict[str, dict[str, Any]] = {
    "code": {"type": "string", "description": "What a program can branch on.", "example": "RESOURCE_NOT_FOUND"},
    "message": {"type": "string", "description": "What happened and what to do next, as a sentence."},
    "status": {"type": "integer", "description": "The HTTP status."},
    "details": {
        "type": "object",
        "additionalProperties": True,
        "description": "What a program may want to know, such as the field that was refused.",
    },
    "request_id": {"type": "string", "description": "The id of the request, as `X-Request-ID` has it."},
    "trace_id": {"type": "string", "pattern": "^[0-9a-f]{32}$", "description": "The W3C trace id."},
}


def _inner(*required: str) -> dict[str, Any]:
    names = [*required, "details"]
    return {
        "type": "object",
        "description": "The failure.",
        "required": list(required),
        "properties": {name: _PROPERTIES[name] for name in names},
    }
