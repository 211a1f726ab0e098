"""The documents of all services as one, for a server that serves them all."""

from collections.abc import Mapping
from typing import Any

_PREFIX = "#/components/schemas/"


def whole_of(documents: Mapping[str, Mapping[str, Any]], *, title: str, description: str) -> dict[str, Any]:
    """One document for several, given by the titles of their services.

    A schema that services spell differently under one name is kept once for each, under the service's name too.
    """
    spelled: dict[str, list[Any]] = {}
    for document in documents.values():
        for name, schema in document["components"]["schemas"].items():
            if schema not in spelled.setdefault(name, []):
                spelled[name].append(schema)
    differ = {name for name, ways in spelled.items() if len(ways) > 1}
    whole: dict[str, Any] = {"paths": {}, "tags": [], "components": {}}
    for service, document in documents.items():
        own = {name: f"{service.replace(' ', '')}{name}" for name in differ}
        part = _renamed(document, own)
        whole["paths"] |= part["paths"]
        whole["tags"] += part["tags"]
        for kind, named in part["components"].items():
            names = own if kind == "schemas" else {}
            whole["components"].setdefault(kind, {}).update({names.get(name, name): one for name, one in named.items()})
    first = next(iter(documents.values()))
    return {**first, **whole, "info": {**first["info"], "title": title, "description": description}}


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A document with other names in what refers to schemas."""
    if isinstance(value, dict):
        return {key: _reference(one, names) if key == "$ref" else _renamed(one, names) for key, one in value.items()}
    if isinstance(value, list):
        return [_renamed(one, names) for one in value]
    return value


def _reference(value: Any, names: Mapping[str, str]) -> Any:
    if not isinstance(value, str) or not value.startswith(_PREFIX):
        return _renamed(value, names)
    name = value.removeprefix(_PREFIX)
    return _PREFIX + names.get(name, name)
