"""Schemas of OpenAPI documents as plain JSON schemas that stand by themselves: what they refer to comes along."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

_PREFIX: Final = "#/components/schemas/"
_HERE: Final = "#/$defs/"
_MAPS: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ONE: Final = frozenset({"items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"})
_NOT_SCHEMAS: Final = frozenset(
    {"xml", "externalDocs", "discriminator", "example", "examples", "deprecated", "nullable", "$schema", "$comment"}
)
_REFUSED: Final = frozenset({"$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$defs", "definitions"})
_EXCLUSIVE: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


class UnusableSchema(Exception):
    """A schema that does not stand by itself; the message says why."""


class Schemas:
    """The schemas of a document, each converted once."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._converted: dict[str, Any] = {}
        self._leads_to: dict[str, list[str]] = {}

    def target(self, reference: Any) -> Any:
        """Return what a reference into the document's components leads to. Raises UnusableSchema."""
        found: Any = self._document
        if not isinstance(reference, str) or not reference.startswith("#/components/"):
            raise UnusableSchema("a reference of it leads out of the document's components")
        for part in reference[2:].split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        if found is None:
            raise UnusableSchema("a reference of it leads nowhere")
        return found

    def converted(self, schema: Any) -> Any:
        """A schema as a JSON schema of the newest draft, whose references lead to `$defs`. Raises UnusableSchema."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            raise UnusableSchema("a schema of it is no object")
        if _REFUSED & schema.keys():
            raise UnusableSchema("a schema of it has a name of its own")
        made = {key: self._part(key, value) for key, value in schema.items() if key not in _NOT_SCHEMAS}
        for exclusive, bound in _EXCLUSIVE.items():  # OpenAPI 3.0 says by a boolean whether the bound is one
            if isinstance(made.get(exclusive), bool) and made.pop(exclusive) and bound in made:
                made[exclusive] = made.pop(bound)
        if schema.get("nullable") is True:
            return _or_null(made)
        return made

    def definitions(self, schema: Any) -> dict[str, Any]:
        """The schemas that a converted one refers to, and those that these refer to. Raises UnusableSchema."""
        found: dict[str, Any] = {}
        waiting = list(_references(schema))
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            if name not in self._converted:
                self._converted[name] = self.converted(self.target(f"{_PREFIX}{name}"))
                self._leads_to[name] = list(_references(self._converted[name]))
            found[name] = self._converted[name]
            waiting += self._leads_to[name]
        return found

    def _part(self, key: str, value: Any) -> Any:
        if key == "$ref":
            name = value.removeprefix(_PREFIX) if isinstance(value, str) else ""
            if name == value or not name or "/" in name:
                raise UnusableSchema("a reference of it leads out of the document's schemas")
            return f"{_HERE}{name}"
        if key in _MAPS and isinstance(value, dict):
            return {name: self.converted(one) for name, one in value.items()}
        if key in _LISTS and isinstance(value, list):
            return [self.converted(one) for one in value]
        if key in _ONE:
            return self.converted(value)
        return value


def _or_null(made: dict[str, Any]) -> dict[str, Any]:
    kind = made.get("type")
    if isinstance(kind, str):
        made["type"] = [kind, "null"]
        if isinstance(made.get("enum"), list) and None not in made["enum"]:
            made["enum"] = [*made["enum"], None]
        return made
    return {"anyOf": [made, {"type": "null"}]} if made else made


def _references(schema: Any) -> Iterator[str]:
    waiting = [schema]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            reference = one.get("$ref")
            if isinstance(reference, str) and reference.startswith(_HERE):
                yield reference.removeprefix(_HERE)
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
