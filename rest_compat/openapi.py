"""One OpenAPI 3.0 document per service. FastAPI speaks 3.1; this is the whole difference."""

from collections.abc import Sequence
from typing import Any

from fastapi.openapi.utils import get_openapi

from rest_compat.door import Door

ERROR_STATUSES = {
    "400": "The request is malformed: unparsable JSON, a missing field, a wrong type or parameter.",
    "401": "The token is missing, expired or invalid.",
    "403": "The caller lacks a permission.",
    "404": "It does not exist, or not for this caller.",
    "409": "It exists already, or was changed concurrently.",
    "422": "Well-formed, but outside a bound, pattern, enum or state rule.",
    "429": "The rate window is full; `Retry-After` holds the wait in seconds.",
    "500": "An unexpected error.",
    "502": "The identity provider or the authorization engine cannot be reached.",
    "503": "The service is starting up or shutting down.",
}


def document_of(door: Door, *, title: str, version: str, description: str) -> dict[str, Any]:
    """The published document of one service."""
    raw = get_openapi(
        title=f"Stoa {title}",
        version=version,
        description=description,
        routes=[route for route in door.router.routes if getattr(route, "path", "").startswith(door.prefix)],
        tags=[{"name": door.tag, "description": description}],
    )
    document = as_openapi_3_0(raw)
    document["info"]["license"] = {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}
    document["servers"] = [{"url": "/"}]
    document["security"] = [{"bearer": []}]
    components = document.setdefault("components", {})
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Error"] = _variant() if door.prefix == "/data-readiness" else _envelope()
    for methods in document["paths"].values():
        for operation in methods.values():
            operation["responses"].pop("422", None)
            for content in operation.get("requestBody", {}).get("content", {}).values():
                content["schema"].pop("default", None)  # a body that may be left out says so by `required`
            operation["responses"] |= {status: _failure(text) for status, text in ERROR_STATUSES.items()}
    return document


def _failure(description: str) -> dict[str, Any]:
    return {
        "description": description,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }


def _inner(*required: str) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "code": {"type": "string", "example": "RESOURCE_NOT_FOUND"},
        "message": {"type": "string"},
        "status": {"type": "integer"},
        "details": {"type": "object", "additionalProperties": True},
        "request_id": {"type": "string"},
        "trace_id": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
    }
    names = [*required, "details"]
    return {"type": "object", "required": list(required), "properties": {name: properties[name] for name in names}}


def _envelope() -> dict[str, Any]:
    error = _inner("code", "message", "status", "request_id", "trace_id")
    return {"type": "object", "required": ["error"], "properties": {"error": error}}


def _variant() -> dict[str, Any]:
    properties = {"error": _inner("code", "message"), "request_id": {"type": "string"}}
    return {"type": "object", "required": ["error", "request_id"], "properties": properties}


def as_openapi_3_0(document: dict[str, Any]) -> dict[str, Any]:
    """The same document, spelled as OpenAPI 3.0.3."""
    converted: dict[str, Any] = _converted(document)
    return {**converted, "openapi": "3.0.3"}


def _converted(raw: Any) -> Any:
    if isinstance(raw, list):
        return [_converted(item) for item in raw]
    if not isinstance(raw, dict):
        return raw
    node = {key: _converted(value) for key, value in raw.items()}
    for union in ("anyOf", "oneOf"):
        if isinstance(node.get(union), list) and {"type": "null"} in node[union]:
            node = _nullable(node, union, [option for option in node.pop(union) if option != {"type": "null"}])
    if "const" in node:
        node["enum"] = [node.pop("const")]
        if node.get("title") == "Type":  # clients would name it like the enum `ArtifactType`
            node["title"] = "Kind"
    for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(node.get(bound), int | float) and not isinstance(node[bound], bool):
            node[plain], node[bound] = node[bound], True
    if isinstance(node.get("examples"), list):
        node["example"] = node.pop("examples")[0]
    if node.pop("contentMediaType", None) == "application/octet-stream":
        node["format"] = "binary"
    if "$ref" in node and len(node) > 1:  # 3.0 ignores what stands beside a reference
        node["allOf"] = [{"$ref": node.pop("$ref")}]
    return node


def _nullable(node: dict[str, Any], union: str, options: Sequence[Any]) -> dict[str, Any]:
    if len(options) > 1:
        return {**node, union: list(options), "nullable": True}
    if "$ref" in options[0]:
        return {**node, "allOf": list(options), "nullable": True}
    return {**options[0], **node, "nullable": True}
