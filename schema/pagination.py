"""One window of a longer list, and the bounded numbers that ask for it (contract 4.7)."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

import strawberry
from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from schema.base import Resource, resource

T = TypeVar("T")
U = TypeVar("U")

PageNumber = Annotated[int, Field(ge=1, le=20_000_000, description="1-indexed page.")]
PageSize = Annotated[int, Field(ge=1, le=100, description="Items per page, 1 to 100.")]
Offset = Annotated[int, Field(ge=0, le=2_000_000_000, description="Items to pass over.")]
SearchLimit = Annotated[int, Field(ge=1, le=200, description="Items to answer with, 1 to 200.")]


def _moment(value: Any) -> Any:
    """Read a moment that is written out, in UTC; one without an offset stays so, as a schedule has a zone of its own.

    Left alone, pydantic takes a bare number for seconds since 1970. It is read here: a strict body takes no text for a
    moment once a check has looked at it. The stores keep UTC; another zone would come back from a create and be gone
    when it is read again.
    """
    if not isinstance(value, datetime | str):
        raise PydanticCustomError("datetime_type", _NO_MOMENT)
    if isinstance(value, datetime) or _DATE.match(value):
        with suppress(ValidationError, OverflowError):
            moment = value if isinstance(value, datetime) else _MOMENTS.validate_python(value)
            kept = in_utc(moment)  # the first and the last hours of the calendar have no place there
            return moment if moment.tzinfo is None else kept
    raise PydanticCustomError("datetime_parsing", _NO_MOMENT)


def in_utc(moment: datetime) -> datetime:
    """The same moment in UTC; without an offset it is taken for one in UTC. Raises OverflowError."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


_NO_MOMENT = "it is no moment such as 2026-11-02T09:30:00Z"
_DATE = re.compile(r"\d{4}-\d\d-\d\d[Tt ]", re.ASCII)
_MOMENTS = TypeAdapter(datetime)
Moment = Annotated[datetime, BeforeValidator(_moment)]
"""A moment that is asked for, in a parameter or a body."""


@resource
class Page(Resource, Generic[T]):
    """One window of a longer list: the items, how many there are in all, and where the window stands."""

    # For every `Page[...]` pydantic would look through all loaded modules for a source text that is not there.
    model_config = ConfigDict(use_attribute_docstrings=False)

    items: list[T]
    total: int
    offset: int
    limit: int

    def map(self, each: Callable[[T], U]) -> "Page[U]":
        """The same window over other items."""
        return Page[Any].model_construct(
            items=[each(item) for item in self.items], total=self.total, offset=self.offset, limit=self.limit
        )


First = Annotated[int, Field(ge=1, le=100, description="How many to answer with, 1 to 100, from the start.")]
Last = Annotated[int, Field(ge=1, le=100, description="How many to answer with, 1 to 100, from the end.")]
Cursor = Annotated[str, Field(min_length=1, max_length=300, description="A cursor that this list answered with.")]


@strawberry.type(description="Where a window of a connection stands in its list.")
class PageInfo:
    """Where a window of a connection stands in its list."""

    has_next_page: bool = strawberry.field(description="Whether more items stand after this window.")
    has_previous_page: bool = strawberry.field(description="Whether more items stand before this window.")
    start_cursor: str | None = strawberry.field(description="The cursor of the first item; null when there is none.")
    end_cursor: str | None = strawberry.field(description="The cursor of the last item; null when there is none.")


@strawberry.type(description="One item of a list, and the cursor that marks its place.")
class Edge(Generic[T]):
    """One item of a list, and the cursor that marks its place."""

    cursor: str = strawberry.field(description="Marks the place of this item; pass it as `after` or `before`.")
    node: T = strawberry.field(description="The item.")


@strawberry.type(description="One window of a list by cursors; the field beside it answers with numbered pages.")
class Connection(Generic[T]):
    """One window of a list by cursors."""

    edges: list[Edge[T]] = strawberry.field(description="The items of this window, each with its cursor.")
    nodes: list[T] = strawberry.field(description="The items of this window alone.")
    page_info: PageInfo = strawberry.field(description="What stands before and after this window.")
    total_count: int = strawberry.field(description="How many items the list has in all.")
