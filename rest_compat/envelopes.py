"""The documented list shapes (contract 4.7), each built from the one `Page` that operations answer with."""

from functools import cache
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel

from schema.pagination import Page

T = TypeVar("T")


class Envelope(Protocol):
    """A documented list shape."""

    def __class_getitem__(cls, item: Any, /) -> Any:
        """The envelope of one kind of item."""

    @classmethod
    def of(cls, page: Page[Any], /) -> Any:
        """Wrap a page."""


class PageLimit(BaseModel):
    """Where a page stands, in the page/limit style."""

    page: int
    limit: int
    total_items: int
    total_pages: int
    next_page: int | None
    prev_page: int | None


class PageLimitList(BaseModel, Generic[T]):
    """`{data, pagination: {page, limit, total_items, total_pages, next_page, prev_page}}`: lists in general."""

    data: list[T]
    pagination: PageLimit

    @classmethod
    def of(cls, window: Page[Any], /) -> Any:
        """Wrap a page."""
        page, pages = _numbers(window)
        return _of_any(PageLimitList).model_construct(
            data=window.items,
            pagination=PageLimit(
                page=page,
                limit=window.limit,
                total_items=window.total,
                total_pages=pages,
                next_page=page + 1 if page < pages else None,
                prev_page=page - 1 if page > 1 else None,
            ),
        )


class PerPage(BaseModel):
    """Where a page stands, in the page/per_page style."""

    page: int
    per_page: int
    total: int
    total_pages: int
    has_next: bool
    has_prev: bool


class PerPageList(BaseModel, Generic[T]):
    """`{pagination: {page, per_page, total, total_pages, has_next, has_prev}, data}`: tasks of a run."""

    pagination: PerPage
    data: list[T]

    @classmethod
    def of(cls, window: Page[Any], /) -> Any:
        """Wrap a page."""
        page, pages = _numbers(window)
        return _of_any(PerPageList).model_construct(
            data=window.items,
            pagination=PerPage(
                page=page,
                per_page=window.limit,
                total=window.total,
                total_pages=pages,
                has_next=page < pages,
                has_prev=page > 1,
            ),
        )


class OffsetLimit(BaseModel):
    """Where a window stands, in the offset/limit style."""

    offset: int
    limit: int
    total: int


class OffsetResults(BaseModel, Generic[T]):
    """`{pagination: {offset, limit, total}, results}`: metadata search."""

    pagination: OffsetLimit
    results: list[T]

    @classmethod
    def of(cls, window: Page[Any], /) -> Any:
        """Wrap a page."""
        return _of_any(OffsetResults).model_construct(
            pagination=OffsetLimit(offset=window.offset, limit=window.limit, total=window.total),
            results=window.items,
        )


class DefinitionList(BaseModel, Generic[T]):
    """`{definitions, total}`: violation definitions, all of them."""

    definitions: list[T]
    total: int

    @classmethod
    def of(cls, window: Page[Any], /) -> Any:
        """Wrap all there is."""
        return _of_any(DefinitionList).model_construct(definitions=window.items, total=window.total)


@cache
def _of_any(kind: Any) -> Any:
    """An envelope of anything: pydantic makes the class anew for each page, unless somebody holds it."""
    return kind[Any]


def _numbers(window: Page[Any]) -> tuple[int, int]:
    return window.offset // window.limit + 1, -(-window.total // window.limit)
