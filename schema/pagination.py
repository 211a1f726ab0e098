"""One window of a longer list, and the bounded numbers that ask for it (contract 4.7)."""

from collections.abc import Callable
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field

from schema.base import Resource, resource

T = TypeVar("T")
U = TypeVar("U")

PageNumber = Annotated[int, Field(ge=1, le=20_000_000, description="1-indexed page.")]
PageSize = Annotated[int, Field(ge=1, le=100, description="Items per page, 1 to 100.")]
Offset = Annotated[int, Field(ge=0, le=2_000_000_000, description="Items to pass over.")]
SearchLimit = Annotated[int, Field(ge=1, le=200, description="Items to answer with, 1 to 200.")]


@resource
class Page(Resource, Generic[T]):
    """One window of a longer list: the items, how many there are in all, and where the window stands."""

    items: list[T]
    total: int
    offset: int
    limit: int

    def map(self, each: Callable[[T], U]) -> "Page[U]":
        """The same window over other items."""
        return Page[Any].model_construct(
            items=[each(item) for item in self.items], total=self.total, offset=self.offset, limit=self.limit
        )
