"""FastAPI speaks OpenAPI 3.1; this is the whole difference to 3.0."""

from collections.abc import Sequence
from typing import Any

from schema.base import LARGEST_LONG


def as_openapi_3_0(document: dict[str, Any]) -> dict[str, Any]:
    """The same document, spelled as OpenAPI 3.0.3."""
    converted: dict[str, Any] = _converted(document)
    _type_nullables(converted, converted.get("components", {}).get("schemas", {}))
    return {**converted, "openapi": "3.0.3"}


def plain_parameter(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter: one that is not there is left out, as nothing in a URL or header can be null."""
    shown = {key: value for key, value in schema.items() if key != "nullable"}
    alone = len(shown.get("allOf", ())) == 1 and set(shown) <= {"allOf", "title", "type"}
    return dict(shown["allOf"][0]) if alone else shown


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
        if node.get("title") == "Type":  # generated clients would name it like the enum `ArtifactType`
            node["title"] = "Kind"
    _convert_bounds(node)
    if isinstance(node.get("examples"), list):
        node["example"] = node.pop("examples")[0]
    if node.pop("contentMediaType", None) == "application/octet-stream":
        node["format"] = "binary"
    if "$ref" in node and len(node) > 1:  # 3.0 ignores what stands beside a reference
        node["allOf"] = [{"$ref": node.pop("$ref")}]
    return node


def _convert_bounds(node: dict[str, Any]) -> None:
    for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(node.get(bound), int | float) and not isinstance(node[bound], bool):
            node[plain], node[bound] = node[bound], True
    if node.get("type") == "integer":
        node |= {bound: _whole(node[bound]) for bound in ("minimum", "maximum") if isinstance(node.get(bound), float)}


def _whole(bound: float) -> int:
    """A bound that FastAPI keeps as a double, which rounds the largest number of 64 bits up to one that is refused."""
    return min(int(bound), LARGEST_LONG)


def _nullable(node: dict[str, Any], union: str, options: Sequence[Any]) -> dict[str, Any]:
    if len(options) > 1:
        return {**node, union: list(options), "nullable": True}
    if "$ref" in options[0]:
        return {**node, "allOf": list(options), "nullable": True}
    return {**options[0], **node, "nullable": True}


def _type_nullables(node: Any, schemas: dict[str, Any]) -> None:
    """Put a type beside every `nullable`: OpenAPI 3.0.3 gives the word a meaning only there."""
    if isinstance(node, list):
        for item in node:
            _type_nullables(item, schemas)
    elif isinstance(node, dict):
        if node.get("nullable") is True and "type" not in node:
            options = [option for union in ("allOf", "anyOf", "oneOf") for option in node.get(union, ())]
            types = {_type_of(option, schemas) for option in options}
            if len(types) == 1 and None not in types:
                node["type"] = types.pop()
        for value in node.values():
            _type_nullables(value, schemas)


def _type_of(schema: dict[str, Any], schemas: dict[str, Any]) -> str | None:
    if "$ref" in schema:
        schema = schemas.get(schema["$ref"].rpartition("/")[2], {})
    return schema.get("type")
