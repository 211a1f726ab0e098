"""One OpenAPI 3.0 document per service: what FastAPI sees of the routes, and what clients need beside it."""

from typing import Any, Final

from fastapi.openapi.utils import get_openapi

from auth.rate_limit import CallKind
from rest_compat.door import Door
from rest_compat.events import StreamRoute
from rest_compat.openapi.examples import add_examples
from rest_compat.openapi.failures import HEADERS, error_schema, failures_of, header_references
from rest_compat.openapi.links import add_links
from rest_compat.openapi.names import ERROR, renamed
from rest_compat.openapi.refusals import EVERYWHERE, EXTENSION, refusals_of, tell_refusals
from rest_compat.openapi.routes import IF_NONE_MATCH, documented
from rest_compat.openapi.version import as_openapi_3_0, plain_parameter
from rest_compat.route import OperationRoute
from schema.base import Resource
from schema.descriptions import described

READING = "Every GET takes HEAD too; where an answer has an ETag, `If-None-Match` asks only for what is new."
LICENSE = {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}
CONTACT = {"name": "The operators of this deployment"}


def document_of(door: Door, *, title: str, version: str, description: str) -> dict[str, Any]:
    """The published document of one service."""
    routes = [route for route in door.routes if route.path.startswith(door.prefix)]
    raw = get_openapi(
        title=f"Stoa {title}",
        version=version,
        description=f"{description} {READING}",
        routes=[documented(route) for route in routes],
        tags=[{"name": door.tag, "description": description}],
    )
    document = as_openapi_3_0(raw)
    document["info"] |= {"license": LICENSE, "contact": CONTACT}
    document["servers"] = [{"url": "/", "description": "The host that this document comes from."}]
    document["security"] = [{"bearer": []}]
    variant = door.prefix == "/data-readiness"
    components = document.setdefault("components", {})
    components["securitySchemes"] = {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "JWT",
            "description": "An access token of the identity provider; its claims name the organization and the user.",
        }
    }
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas[ERROR] = error_schema(variant=variant)
    versioned = _versioned(routes)
    for route in routes:
        for method in route.methods or ():
            operation = document["paths"][route.path][method.lower()]
            _complete(operation, route, versioned=route.operation.returns in versioned, variant=variant)
            tell_refusals(operation, refusals_of(route, _body_of(operation), schemas))
    document[EXTENSION] = [refusal.told() for refusal in EVERYWHERE]
    document["info"]["description"] += "\n\n" + " ".join(refusal.rule for refusal in EVERYWHERE)
    text = str(document)
    components["headers"] = {name: h for name, h in HEADERS.items() if f"#/components/headers/{name}'" in text}
    components["schemas"] = {name: s for name, s in schemas.items() if f"#/components/schemas/{name}'" in text}
    for schema in components["schemas"].values():
        _tell(schema)
    document = renamed(document)
    add_links(document["paths"])
    add_examples(document)
    return document


def _complete(operation: dict[str, Any], route: OperationRoute, *, versioned: bool, variant: bool) -> None:
    """Add what the routes do not tell FastAPI: headers, failures, and what each parameter is."""
    responses = operation["responses"]
    responses.pop("422", None)
    if route.created is not None and route.created != route.answer_status:
        plain = responses[str(route.answer_status)]
        responses[str(route.created)] = {**plain, "description": "It was created."}
        plain["description"] = "It stood already."
    etag = versioned and route.envelope is None and not route.empty
    for response in responses.values():
        own = response.get("headers", {})
        response["headers"] = own | header_references(*(["ETag"] if etag and "ETag" not in own else []))
        if response.get("description") == "Successful Response":
            response["description"] = "Done." if route.answer_status == 200 else "It was created or taken on."
    if etag and route.operation.kind is CallKind.READ:
        responses["304"] = {"description": "It still has an entity tag of `If-None-Match`.", "headers": {}}
        responses["304"]["headers"] = header_references("ETag")
        operation.setdefault("parameters", []).append(IF_NONE_MATCH)
    if isinstance(route, StreamRoute):
        responses["200"] |= {"description": "The events, as they happen.", "content": _stream_of(route)}
    if route.empty:
        for response in responses.values():
            response["content"] = {"application/json": {"schema": _EMPTY}}
    operation["responses"] = dict(sorted((responses | failures_of(route, variant=variant)).items()))
    annotations = {parameter.name: parameter.annotation for parameter in route.operation.plain}
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        parameter["schema"] = plain_parameter(parameter["schema"])
        if "description" not in parameter:
            parameter["description"] = described(name, annotations.get(name)) or f"Only those with this {name}."
    if "requestBody" in operation:
        _complete_body(operation["requestBody"])
        for content in operation["requestBody"]["content"].values():
            content["schema"].pop("default", None)  # `required` says it, and generators have no words for it


def _body_of(operation: dict[str, Any]) -> dict[str, Any]:
    """The schema of the body that an operation takes; of any at all when it takes none."""
    content = operation.get("requestBody", {}).get("content", {})
    return next((media["schema"] for media in content.values()), {})


def _complete_body(body: dict[str, Any]) -> None:
    for media in body["content"].values():
        media["schema"].pop("default", None)  # what is left out is left out; the operation says what it means
        media["schema"] = plain_parameter(media["schema"]) if "allOf" in media["schema"] else media["schema"]
    body.setdefault("description", "What to work with.")


def _stream_of(route: StreamRoute) -> dict[str, Any]:
    """The content of a stream. OpenAPI 3.0 has no words for events, so an extension names what each one carries."""
    event = route.answer_type().__name__
    schema = {
        "description": f"Server-sent events: `id`, `event`, and in `data` one {event} as JSON.",
        "x-event-data": {"$ref": f"#/components/schemas/{event}"},
    }
    return {"text/event-stream": {"schema": schema}}


_EMPTY: dict[str, Any] = {"type": "object", "additionalProperties": False, "description": "Nothing."}


def _versioned(routes: list[OperationRoute]) -> list[type[Resource]]:
    """The resources that carry a revision: those that can be updated."""
    updated = [route.operation.returns for route in routes if route.takes_revision]
    return [returns for returns in updated if isinstance(returns, type) and issubclass(returns, Resource)]


_PYTHON: Final = {"boolean": bool, "integer": int, "number": float, "string": str, "array": list, "object": dict}


def _type_of(told: dict[str, Any]) -> list[Any]:
    """Return what a property of a document holds, as an annotation says it."""
    return [_PYTHON.get(str(told.get("type")), Any), *([None] if told.get("nullable") else [])]


def _tell(schema: dict[str, Any]) -> None:
    """Describe what the classes left to the common meaning of its name, and mark what the contract deprecates."""
    for name, told in schema.get("properties", {}).items():
        if (
            "$ref" not in told
            and "description" not in told
            and (meaning := described(name, *_type_of(told))) is not None
        ):
            told["description"] = meaning
    if "owner_id" in schema.get("properties", {}):
        schema["properties"]["owner_id"] |= {
            "deprecated": True,
            "description": "The user who created it. Use created_by instead.",
        }
