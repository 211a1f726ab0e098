"""Defines what every resource has in common: one class is the GraphQL type, the REST body and the Python value.

Strawberry's pydantic bridge is young, so the whole code base touches it through the names of this file.
"""

import inspect
from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, TypeVar

import strawberry
from graphql import GraphQLError
from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, PrivateAttr, field_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from strawberry import Maybe as Maybe  # an argument that may be absent, null or a value; its default is None
from strawberry.scalars import JSON
from strawberry.types.maybe import Some

from schema.descriptions import describe, own_doc, texts_below
from schema.text import require_storable

if TYPE_CHECKING:
    from resolvers.context import Context

    Info = strawberry.Info[Context, None]
else:
    Info = strawberry.Info

ModelT = TypeVar("ModelT", bound=BaseModel)
MethodT = TypeVar("MethodT", bound=Callable[..., Any])
EnumT = TypeVar("EnumT", bound=type[Enum])


LARGEST_LONG: Final = 2**63 - 1
"""The largest whole number that a store keeps."""


class Long(int):
    """A whole number of up to 64 bits: sizes and row counts outgrow GraphQL's 32-bit Int."""


def _whole(value: Any) -> int:
    """A whole number as it stands; neither a text nor a fraction becomes one."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise GraphQLError("Long is a whole number.")
    return value


LONG = strawberry.scalar(
    name="Long",
    description="A whole number of up to 64 bits.",
    serialize=int,
    parse_value=_whole,
)

Size = Annotated[int, strawberry.field(graphql_type=Long)]
"""A count of bytes, in a resource."""
OptionalLong = Annotated[int | None, strawberry.field(graphql_type=Long | None)]

JsonObject = Annotated[dict[str, Any], strawberry.field(graphql_type=JSON)]
OptionalJsonObject = Annotated[dict[str, Any] | None, strawberry.field(graphql_type=JSON | None)]
JsonObjects = Annotated[list[dict[str, Any]], strawberry.field(graphql_type=list[JSON])]


def absent() -> Any:
    """The default of an optional JSON field of a change: left out stays left out, in GraphQL too.

    `Maybe` cannot hold a JSON scalar, and a plain default of None would reach the graph as `= null`, which GraphQL
    then fills in for everyone who leaves the field out.
    """
    return Field(default_factory=lambda: None)


class Described(BaseModel):
    """A class whose fields are described in both doors: see `schema/descriptions.py`."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Put into the document what `describe` found for fields that have no description of their own."""
        shown = handler(core)
        properties = handler.resolve_ref_schema(shown).get("properties", {})
        for name, field in cls.model_fields.items():
            told = properties.get(field.alias or name)
            if told is not None and field.description and "$ref" not in told:
                told.setdefault("description", field.description)
        return shown


class Resource(Described):
    """A value the API answers with: immutable and exactly the documented fields.

    `_revision` is the optimistic version of the stored row; REST prints it as `ETag`, and it is never a field.
    `_created` tells whether an operation that creates or updates has created; REST answers 201 then.
    `_as_it_stood` tells whether an update found what it says standing already, and so wrote nothing.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", from_attributes=True, use_attribute_docstrings=True,
        hide_input_in_errors=True,  # a log never holds what a resource would have held
    )  # fmt: skip

    _revision: int | None = PrivateAttr(default=None)
    _created: bool = PrivateAttr(default=False)
    _as_it_stood: bool = PrivateAttr(default=False)


class Received(Described):
    """What a caller sends: each field holds what every store can keep, and is refused by its name otherwise."""

    @field_validator("*", mode="after")
    @classmethod
    def _can_be_stored(cls, value: Any) -> Any:
        require_storable(value.value if isinstance(value, Some) else value)
        return value


class Change(Received):
    """A body the API accepts: unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    names_only: ClassVar[bool] = False
    """Whether it holds nothing but names and ids, which the audit log may keep."""

    def given(self) -> dict[str, Any]:
        """Return only what the client sent; an explicit null stays."""
        return self.model_dump(exclude_unset=True)


def resource(cls: type[ModelT]) -> type[ModelT]:
    """Open a resource to GraphQL, described by its own docstring."""
    describe(cls)
    return strawberry.pydantic.type(cls, description=own_doc(cls))


def change(cls: type[ModelT]) -> type[ModelT]:
    """Open an input to GraphQL, described by its own docstring."""
    describe(cls)
    return strawberry.pydantic.input(cls, description=own_doc(cls))


def edge(method: MethodT) -> MethodT:
    """Make a method a relationship in the graph. REST never sees it."""
    return strawberry.pydantic.field(method, description=inspect.getdoc(method))


def choice(cls: EnumT) -> EnumT:
    """Open a set of documented values to GraphQL: described by its docstring, each value by the text below it."""
    opened = strawberry.enum(cls, description=own_doc(cls))
    texts = texts_below(cls)
    for value in opened.__strawberry_definition__.values:  # type: ignore[attr-defined]
        spelled = f"`{cls[value.name].value}` in REST."
        value.description = f"{texts[value.name]} {spelled}" if value.name in texts else spelled
    return opened
