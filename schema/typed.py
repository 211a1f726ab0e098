"""Texts of REST as values of the graph: beside the text stands an argument of a type of its own.

A path or a query of REST can only hold texts, so an order is `name:asc,created_at:desc` there, some tags stand between
commas, and a status is a word. Where an operation declares such a text, `Typed` says what it is in the graph. The
argument that is the text stays, deprecated.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from inspect import Parameter
from typing import Annotated, Any, Final, cast, get_args

from pydantic import Field
from strawberry.utils.str_converters import to_camel_case

from schema.base import choice
from schema.errors import InvalidParameter

BETWEEN: Final = ","
"""What stands between the values of a text that has several."""
SINCE: Final = "2026-11-28"


@dataclass(frozen=True, slots=True)
class Typed:
    """The argument that has the values of a text. Stands in `Annotated[str, Field(...), Typed(...)]`.

    Attributes:
        name: What it is called, in Python's spelling.
        type: Of a value: an enum whose values are the texts of REST, or `str`; a list of them where there are several.
        description: What front ends read about it.
    """

    name: str
    type: Any
    description: str

    @property
    def reason(self) -> str:
        """Why the text is deprecated, and since when."""
        return f"Since {SINCE}: `{to_camel_case(self.name)}` has the same as values of its type. This one stays."

    def written(self, value: Any) -> str:
        """The text of REST for a value. Raises InvalidParameter for one of a list that would be taken for several."""
        if not isinstance(value, list):
            return str(value)
        if any(BETWEEN in one for one in value):
            raise InvalidParameter("No value of this list holds a comma.", field=self.name)
        return BETWEEN.join(value)


def typed_of(annotation: Any) -> Typed | None:
    """Return what a declared text is in the graph; None for what is no such text."""
    for part in get_args(annotation):
        told = part if isinstance(part, Typed) else getattr(part, "typed", None)
        if isinstance(told, Typed):
            return told
        if (inner := typed_of(part)) is not None:
            return inner
    return None


def with_typed(parameters: Iterable[Parameter]) -> list[tuple[Parameter, Typed | None]]:
    """The arguments of an operation as the graph shows them; with each text that has a typed one, what that is.

    Such a text may be left out, and the typed one stands behind it.
    """
    shown: list[tuple[Parameter, Typed | None]] = []
    for one in parameters:
        typed = typed_of(one.annotation)
        if typed is None:
            shown.append((one, None))
            continue
        text = one if one.default is not one.empty else one.replace(annotation=one.annotation | None, default=None)
        told = cast("Any", Annotated)[typed.type | None, Field(description=typed.description)]
        shown += [(text, typed), (Parameter(typed.name, one.kind, default=None, annotation=told), None)]
    return shown


def texts_of(parameters: Iterable[Parameter]) -> list[tuple[Parameter, Typed]]:
    """The texts among the arguments of an operation, each with what it is in the graph."""
    return [(one, typed) for one in parameters if (typed := typed_of(one.annotation)) is not None]


def as_texts(texts: Iterable[tuple[Parameter, Typed]], values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments that an operation takes, made of those of the graph. Of a text and its values, the values count."""
    given = dict(values)
    for one, typed in texts:
        value = given.pop(typed.name, None)
        if value is not None and value != []:
            given[one.name] = typed.written(value)
        elif one.default is one.empty and given.get(one.name) is None:
            given.pop(one.name, None)  # which is then missed by its name
    return given


def orders(of: str, fields: Collection[str]) -> Typed:
    """Return the orders of the lists of a type by some fields of it; the first decides, the next among equals."""
    values = {f"{name}_{way}".upper(): f"{name}:{way}" for name in fields for way in ("asc", "desc")}
    enum: Any = StrEnum(f"{of}OrderBy", values)  # type: ignore[misc]
    enum.__doc__ = f"By what a list of `{of}` is ordered, and in which direction."
    several = cast("Any", list)[choice(enum)]
    return Typed("order_by", several, "What decides the order: the first, and the next among equals.")


ALL_TAGS: Final = Typed("all_tags", list[str], "Only those that have all of these tags.")
"""The tags of a filter, of which an item must have each."""
