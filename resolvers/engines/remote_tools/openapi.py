"""The operations of an OpenAPI document as tools: what each takes as one JSON schema, and how a call becomes a request.

Arguments stand under `path`, `query`, `header` and `body`, as the document has them, so that none hides another of its
name. Which server a document names does not matter: requests go to the address that was registered.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from resolvers.engines.documents import UnreadableDocument, load
from resolvers.engines.remote_tools.listing import MOST_TOOLS, Listing, UnusableList, listing_of
from resolvers.engines.remote_tools.openapi_schemas import Schemas, UnusableSchema

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")
LONGEST_TEXT: Final = 4000
MOST_LEFT_OUT: Final = 500
_PLACES: Final = ("path", "query", "header")
_NEVER_TOLD: Final = frozenset({"accept", "content-type", "authorization"})
"""Parameters that OpenAPI itself says are none."""
_STYLES: Final = {"path": {"simple"}, "query": {"form", "deepObject"}, "header": {"simple"}}


class _LeftOut(Exception):
    """An operation that cannot be called from here; the message says why."""


def read_openapi(text: str) -> Listing:
    """The operations of a document. Raises UnusableList."""
    try:
        document = load(text)
    except UnreadableDocument as problem:
        raise UnusableList(str(problem)) from None
    version = document.get("openapi")
    if not isinstance(version, str) or not version.startswith(("3.0", "3.1")):
        raise UnusableList("It is no OpenAPI document of version 3.0 or 3.1.")
    paths = document.get("paths")
    if not isinstance(paths, dict):
        raise UnusableList("The OpenAPI document has no paths.")
    reading = _Reading(document, Schemas(document))
    tools = list(reading.tools(paths))
    return listing_of(tools, reading.left_out[:MOST_LEFT_OUT])


@dataclass(slots=True)
class _Reading:
    document: Mapping[str, Any]
    schemas: Schemas
    left_out: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def tools(self, paths: Mapping[Any, Any]) -> Iterator[dict[str, Any]]:
        for path, item in paths.items():
            if not isinstance(path, str) or not isinstance(item, dict):
                continue
            for method in METHODS:
                operation = item.get(method)
                if not isinstance(operation, dict):
                    continue
                try:
                    yield self._tool(path, method, item, operation)
                except (_LeftOut, UnusableSchema) as reason:
                    self.left_out.append(f"{method.upper()} {path}"[:300] + f": {reason}")

    def _tool(self, path: str, method: str, item: Mapping[str, Any], operation: Mapping[str, Any]) -> dict[str, Any]:
        if not path.startswith("/") or any(sign in path for sign in "?#\\%") or not path.isprintable():
            raise _LeftOut("its path is none that can be sent")
        if {".", "..", ""} & set(path[1:].split("/")[:-1]) or path.rsplit("/", 1)[1] in (".", ".."):
            raise _LeftOut("its path leads elsewhere")
        parameters = list(self._parameters(item, operation))
        body = self._body(operation)
        told = "\n\n".join(text for key in ("summary", "description") if isinstance(text := operation.get(key), str))
        request = {"method": method.upper(), "path": path, "parameters": [one.sent for one in parameters]}
        if body is not None:
            request["body"] = body.media_type
        name = self._name(path, method, operation)
        tool = {
            "name": name,
            "description": told[:LONGEST_TEXT] or None,
            "inputSchema": self._schema(parameters, body),
            "request": request,
        }
        self.names.add(name)
        if len(self.names) > MOST_TOOLS:
            raise UnusableList(f"The document has more than {MOST_TOOLS} operations.")
        return tool

    def _name(self, path: str, method: str, operation: Mapping[str, Any]) -> str:
        given = operation.get("operationId")
        if isinstance(given, str) and 0 < len(given) <= 255 and given.isprintable() and given not in self.names:
            return given
        name = f"{method.upper()} {path}"
        if len(name) > 255 or name in self.names:
            raise _LeftOut("it has no name of its own")
        return name

    def _parameters(self, item: Mapping[str, Any], operation: Mapping[str, Any]) -> Iterator["_Parameter"]:
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for given in (*_list(item.get("parameters")), *_list(operation.get("parameters"))):
            one = self._followed(given)
            name, place = one.get("name"), one.get("in")
            if not isinstance(name, str) or not isinstance(place, str):
                raise _LeftOut("a parameter has no name or place")
            found[name, place] = one
        for (name, place), one in found.items():
            if place == "header" and name.lower() in _NEVER_TOLD:
                continue
            required = place == "path" or one.get("required") is True
            if place not in _PLACES:
                if required:
                    raise _LeftOut(f"its parameter {name[:100]!r} goes into a {place[:20]}")
                continue
            yield self._parameter(one, name, place, required)

    def _parameter(self, one: Mapping[str, Any], name: str, place: str, required: bool) -> "_Parameter":
        style = one.get("style", "form" if place == "query" else "simple")
        if style not in _STYLES[place] or "content" in one:
            raise _LeftOut(f"its parameter {name[:100]!r} is written in a way that is not known here")
        explode = one.get("explode", style == "form")
        schema = self.schemas.converted(one.get("schema", {}))
        if isinstance(schema, dict) and isinstance(told := one.get("description"), str):
            schema.setdefault("description", told[:LONGEST_TEXT])
        sent = {"name": name, "in": place, "style": style, "explode": explode is True}
        return _Parameter(name, place, required, schema, sent)

    def _body(self, operation: Mapping[str, Any]) -> "_Body | None":
        if "requestBody" not in operation:
            return None
        body = self._followed(operation["requestBody"])
        content = body.get("content")
        required = body.get("required") is True
        for media_type, told in (content if isinstance(content, dict) else {}).items():
            plain = str(media_type).partition(";")[0].strip().lower()
            if (plain == "application/json" or plain.endswith("+json")) and plain.isascii() and " " not in plain:
                schema = told.get("schema", {}) if isinstance(told, dict) else {}
                return _Body(plain, required, self.schemas.converted(schema))
        if required:
            raise _LeftOut("its body is no JSON")
        return None

    def _schema(self, parameters: list["_Parameter"], body: "_Body | None") -> dict[str, Any]:
        properties: dict[str, Any] = {}
        needed: list[str] = []
        for place in _PLACES:
            of_place = [one for one in parameters if one.place == place]
            if not of_place:
                continue
            must = [one.name for one in of_place if one.required]
            properties[place] = {
                "type": "object",
                "properties": {one.name: one.schema for one in of_place},
                "required": must,
                "additionalProperties": False,
            }
            needed += [place] if must else []
        if body is not None:
            properties["body"] = body.schema
            needed += ["body"] if body.required else []
        made = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
        definitions = self.schemas.definitions(made)
        return made | ({"$defs": definitions} if definitions else {})

    def _followed(self, value: Any) -> Mapping[str, Any]:
        """Return what a reference to a component leads to."""
        for _ in range(10):
            if not isinstance(value, dict):
                break
            reference = value.get("$ref")
            if reference is None:
                return value
            value = self.schemas.target(reference)
        raise _LeftOut("a reference of it leads nowhere")


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    place: str
    required: bool
    schema: Any
    sent: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Body:
    media_type: str
    required: bool
    schema: Any


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
