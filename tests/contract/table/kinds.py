"""The words that the table is written in: an operation, a field, and a short way to say each kind of field."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

SILENT: Final = "silent"
"""The contract does not say."""


@dataclass(frozen=True)
class Field:
    """A parameter, a field of a body or a field of an answer, as far as the contract speaks of it.

    A bound that is None here is one that the contract does not set; the platform may set one of its own there.
    """

    type: str
    null: bool = False
    required: bool = False
    default: Any = SILENT
    least: int | None = None
    most: int | None = None
    shortest: int | None = None
    """Of the letters of a string, or of the items of an array."""
    longest: int | None = None
    pattern: str | None = None
    choices: frozenset[str] | None = None
    format: str | None = None
    items: "Field | None" = None
    fields: "Mapping[str, Field] | None" = None


Fields = Mapping[str, Field]


def text(shortest: int | None = None, longest: int | None = None, pattern: str | None = None, **more: Any) -> Field:
    """A string."""
    return Field("string", shortest=shortest, longest=longest, pattern=pattern, **more)


def whole(least: int | None = None, most: int | None = None, default: Any = SILENT) -> Field:
    """An integer."""
    return Field("integer", least=least, most=most, default=default)


def number() -> Field:
    """A number."""
    return Field("number")


def flag(default: Any = SILENT) -> Field:
    """A boolean."""
    return Field("boolean", default=default)


def choice(*values: str, default: Any = SILENT) -> Field:
    """One word of a list."""
    return Field("string", choices=frozenset(values), default=default)


def constant(value: str) -> Field:
    """Always the same word."""
    return choice(value)


def moment() -> Field:
    """A moment, ISO 8601."""
    return Field("string", format="date-time")


def uuid() -> Field:
    """A UUID."""
    return Field("string", format="uuid")


def many(item: Field | Fields) -> Field:
    """An array."""
    return Field("array", items=item if isinstance(item, Field) else record(item))


def record(fields: Fields) -> Field:
    """An object whose fields are known."""
    return Field("object", fields=fields)


def anything() -> Field:
    """An object of the user's own fields."""
    return Field("object")


def opt(kind: Field) -> Field:
    """The same, or null."""
    return replace(kind, null=True)


def req(kind: Field) -> Field:
    """The same; it may not be left out of a request."""
    return replace(kind, required=True)


PAGED: Fields = {"page": whole(1, default=1), "limit": whole(1, 100, default=20)}
"""The parameters of every list that the contract gives no others."""

PAGINATION = record(
    {
        "page": whole(),
        "limit": whole(),
        "total_items": whole(),
        "total_pages": whole(),
        "next_page": opt(whole()),
        "prev_page": opt(whole()),
    }
)


def page_of(item: Fields) -> Fields:
    """The answer of a list that the contract gives no other shape."""
    return {"data": many(item), "pagination": PAGINATION}


@dataclass(frozen=True)
class Documented:
    """One row of section 4 of the contract."""

    method: str
    path: str
    operation: str
    status: int = 200
    params: Fields = field(default_factory=dict)
    """In the path when the path names it, otherwise in the query."""
    body: Fields | None = None
    answer: Fields | None = None
    items: Fields | None = None
    """What each item of a body is that is an array."""
    optional_body: bool = False
    """Whether the body may be left out, since all of it may."""
    form: bool = False
    """Whether the body is a form, in which an array is written with commas and nothing is null."""
    project: str = "optional"
    """Whether the header X-Project-ID is "optional" or "required"."""
    created: int | None = None
    """The status of the call that makes what a later call only changes."""
    empty: bool = False
    """The answer is `{}`."""
    ranges: bool = False
    """Whether a part can be asked for, and is answered with 206."""
    bytes: bool = False
    """The answer is what is stored, or a stream of events: no JSON."""

    @property
    def line(self) -> str:
        """Method and path."""
        return f"{self.method} {self.path}"
