"""What the platform publishes of its operations, in the words of the table: the OpenAPI documents and the graph."""

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    Undefined,
)

from rest_compat.app import SERVICES, openapi_of
from rest_compat.route import OperationRoute
from schema.typed import typed_of
from tests.contract.table.kinds import SILENT, Field
from tests.doors import FIELDS, ROUTES

HEADERS = {"X-Project-ID", "Idempotency-Key", "Last-Event-ID", "Range", "If-None-Match", "If-Range", "If-Match"}

SCALARS = {
    "String": Field("string"),
    "ID": Field("string"),
    "Int": Field("integer"),
    "Size": Field("integer"),
    "Long": Field("integer"),
    "Float": Field("number"),
    "Boolean": Field("boolean"),
    "DateTime": Field("string", format="date-time"),
    "UUID": Field("string", format="uuid"),
    "JSON": Field("any"),
    "Upload": Field("any"),
}


@cache
def documents() -> dict[str, dict[str, Any]]:
    """The document of every service."""
    return {service.name: openapi_of(service) for service in SERVICES}


def routes() -> list[OperationRoute]:
    """Every route that calls an operation."""
    return [r for s in SERVICES for r in s.door.routes]


def line(route: OperationRoute) -> str:
    """Method and path."""
    (method,) = route.methods or {""}
    return f"{method} {route.path}"


class Described:
    """One operation as a document describes it."""

    def __init__(self, service: str, method: str, path: str) -> None:
        self.document = documents()[service]
        self.about = self.document["paths"][path][method.lower()]

    @classmethod
    def at(cls, row_line: str) -> "Described":
        """The operation at a line such as `GET /assets/data`."""
        method, path = row_line.split(" ")
        service = next(s for s in SERVICES if path.removeprefix("/api").startswith(s.door.prefix + "/"))
        return cls(service.name, method, path)

    @property
    def params(self) -> dict[str, Field]:
        """Return what stands in the path and the query."""
        return {
            p["name"]: replace(self.field(p["schema"]), required=p.get("required", False))
            for p in self.about.get("parameters", [])
            if p["in"] != "header"
        }

    @property
    def headers(self) -> dict[str, bool]:
        """The headers, and whether each is demanded."""
        return {p["name"]: p.get("required", False) for p in self.about.get("parameters", []) if p["in"] == "header"}

    @property
    def body(self) -> Field | None:
        """The body, or None when the operation takes none."""
        if "requestBody" not in self.about:
            return None
        (content,) = self.about["requestBody"]["content"].values()
        return self.field(content["schema"])

    @property
    def answers(self) -> dict[int, Field | None]:
        """Return what each status of success answers with; None when it is no JSON."""
        found: dict[int, Field | None] = {}
        for status, answer in self.about["responses"].items():
            if int(status) < 300:
                content = answer.get("content", {}).get("application/json")
                found[int(status)] = None if content is None else self.field(content["schema"])
        return found

    def field(self, schema: dict[str, Any], seen: tuple[str, ...] = ()) -> Field:
        """A schema as a field of the table."""
        outer = schema
        while True:
            if "$ref" in schema:
                name = schema["$ref"]
                if name in seen:
                    return Field("object")
                seen = (*seen, name)
                schema = self.document["components"]["schemas"][name.rsplit("/", 1)[1]]
            elif len(schema.get("allOf", [])) == 1:
                (schema,) = schema["allOf"]
            else:
                break
        if "discriminator" in schema:
            return together([self.field(variant, seen) for variant in schema["oneOf"]])
        required = schema.get("required", [])
        known = {
            name: replace(self.field(inner, seen), required=name in required)
            for name, inner in schema.get("properties", {}).items()
        }
        return Field(
            schema.get("type", "any"),
            null=outer.get("nullable", schema.get("nullable", False)),
            default=outer.get("default", SILENT),
            least=None if "exclusiveMinimum" in schema else schema.get("minimum"),
            most=schema.get("maximum"),
            shortest=schema.get("minLength", schema.get("minItems")),
            longest=schema.get("maxLength", schema.get("maxItems")),
            pattern=schema.get("pattern"),
            choices=frozenset(schema["enum"]) if "enum" in schema else None,
            format=schema.get("format"),
            items=self.field(schema["items"], seen) if "items" in schema else None,
            fields=known or None,
        )


def together(variants: list[Field]) -> Field:
    """One of several objects as one: what each of them demands is demanded, what one of them takes can be sent.

    What another of them does not have is null there, and an object of its own where it is.
    """
    parts = [variant.fields or {} for variant in variants]
    known: dict[str, Field] = {}
    for name in dict.fromkeys(name for part in parts for name in part):
        having = [part[name] for part in parts if name in part]
        words = [field.choices for field in having if field.choices is not None]
        other = len(having) < len(parts)
        known[name] = replace(
            having[0],
            required=not other and all(field.required for field in having),
            null=other or any(field.null for field in having),
            choices=frozenset[str]().union(*words) if words else None,
            fields=having[0].fields
            if not other and all(field.fields == having[0].fields for field in having)
            else None,
        )
    return Field("object", fields=known)


class Graphed:
    """One operation as the graph describes it."""

    def __init__(self, operation: str) -> None:
        self.operation = ROUTES[operation].operation
        self.about = FIELDS[operation]

    @property
    def params(self) -> dict[str, Field]:
        """The plain arguments, by the names that the operation gives them.

        A text that the operation demands may be left out for its values, which stand beside it: one of the two is
        demanded, which the types of arguments cannot say.
        """
        taken = {self.operation.body and self.operation.body.name, self.operation.upload and self.operation.upload.name}
        typed = {one.name: typed_of(one.annotation) for one in self.operation.parameters}
        values = {one.name for one in typed.values() if one is not None}
        found = {n: f for n, f in self._arguments() if n not in taken | values}
        for one in self.operation.parameters:
            if typed[one.name] is not None and one.default is one.empty:
                found[one.name] = replace(found[one.name], required=True, null=False, default=SILENT)
        return found

    @property
    def body(self) -> Field | None:
        """The input."""
        if self.operation.body is None:
            return None
        return dict(self._arguments())[self.operation.body.name]

    @property
    def answer(self) -> Field:
        """Return what it answers with."""
        return kind_of(self.about.type)

    def _arguments(self) -> Iterator[tuple[str, Field]]:
        for argument in self.about.args.values():
            yield argument.extensions["strawberry-definition"].python_name, given(argument)


def given(argument: Any) -> Field:
    """An argument or a field of an input."""
    demanded = isinstance(argument.type, GraphQLNonNull) and argument.default_value is Undefined
    default = SILENT if argument.default_value is Undefined else argument.default_value
    return replace(kind_of(argument.type), required=demanded, default=getattr(default, "value", default))


def kind_of(kind: Any, seen: tuple[str, ...] = ()) -> Field:
    """A type of the graph as a field of the table."""
    if isinstance(kind, GraphQLNonNull):
        return replace(kind_of(kind.of_type, seen), null=False)
    if isinstance(kind, GraphQLList):
        return Field("array", null=True, items=kind_of(kind.of_type, seen))
    if isinstance(kind, GraphQLScalarType):
        return replace(SCALARS[kind.name], null=True)
    if isinstance(kind, GraphQLEnumType):
        values = (value.value for value in kind.values.values())
        return Field("string", null=True, choices=frozenset(str(getattr(v, "value", v)) for v in values))
    if kind.name in seen:
        return Field("object", null=True)
    seen = (*seen, kind.name)
    if isinstance(kind, GraphQLInputObjectType):
        parts = {f.extensions["strawberry-definition"].python_name: given(f) for f in kind.fields.values()}
        return Field("object", null=True, fields=parts)
    assert isinstance(kind, GraphQLObjectType)
    found: dict[str, Field] = {}
    for f in kind.fields.values():
        about = f.extensions["strawberry-definition"]
        if about.base_resolver is None:  # an edge is a way to another resource, not a field of this one
            found[about.python_name] = kind_of(f.type, seen)
    return Field("object", null=True, fields=found)


BOUNDS = tuple(f.name for f in fields(Field) if f.name in ("least", "most", "shortest", "longest", "pattern"))


def differences(
    expected: Field,
    found: Field,
    where: str,
    *,
    bounds: bool = True,
    takes: bool = False,
    added: set[str] | None = None,
) -> Iterator[str]:
    """In what the published field is not the table's; `added` collects what the table does not have: fields, and values
    to send.

    `takes` is whether it is something to send: then it may be demanded and have a default. The graph has no words
    for bounds, and none for what may be left out but may not be null.
    """
    if expected.type != found.type and not (found.type == "any" and expected.type in ("object", "array")):
        yield f"{where}: is {found.type}, not {expected.type}"
        return
    untold = expected.format == "uuid" and not (bounds or takes)  # an id is a String in the answers of the graph
    if expected.format not in (None, found.format) and not untold:
        yield f"{where}: has the format {found.format}, not {expected.format}"
    constant = expected.choices is not None and len(expected.choices) == 1  # the graph has no type for it
    told, taken = set(expected.choices or ()), set(found.choices or ())
    if takes and added is not None and told and told < taken:
        added |= {f"{where}={choice}" for choice in taken - told}
    elif expected.choices not in (None, found.choices) and (bounds or not constant):
        yield f"{where}: takes {sorted(found.choices or ())}, not {sorted(expected.choices or ())}"
    if (bounds or not takes) and expected.null != found.null:
        yield f"{where}: {'may' if found.null else 'may not'} be null"
    if takes and expected.required != found.required:
        yield f"{where}: is {'' if found.required else 'not '}demanded"
    if takes and expected.default is not SILENT and expected.default != found.default:
        yield f"{where}: has the default {found.default!r}, not {expected.default!r}"
    if bounds:
        for name in BOUNDS:
            told = getattr(expected, name)
            if told is not None and told != getattr(found, name):
                yield f"{where}: {name} is {getattr(found, name)}, not {told}"
    yield from _differences_inside(expected, found, where, bounds=bounds, takes=takes, added=added)


def _differences_inside(
    expected: Field, found: Field, where: str, *, bounds: bool, takes: bool, added: set[str] | None
) -> Iterator[str]:
    """In what the items of a list and the fields of an object differ."""
    how: dict[str, Any] = {"bounds": bounds, "takes": takes, "added": added}
    if expected.items is not None:
        if found.items is None:
            yield f"{where}: does not say what its items are"
        else:
            yield from differences(expected.items, found.items, f"{where}.*", **how)
    if expected.fields is not None:
        known = found.fields or {}
        for name, field in expected.fields.items():
            if name not in known:
                yield f"{where}.{name}: is not there"
            else:
                yield from differences(field, known[name], f"{where}.{name}", **how)
        if added is not None:
            added |= {f"{where}.{name}" for name in known if name not in expected.fields}
