"""Lists by cursor: made of the paged operation beside them, whatever it lists.

A cursor holds the place of an item and a mark of the item itself. When items were added or removed before it, the
item is looked for around its old place, so that walking through a list neither repeats nor leaves out what stands
still. A cursor is bound to the list, the filters, the tenant and the project that it came from.
"""

import hashlib
import inspect
from collections.abc import Mapping
from typing import Any, Final, get_args, get_origin

import orjson
from pydantic import BaseModel, TypeAdapter, create_model
from pydantic import ValidationError as PydanticError

from resolvers.context import Context
from resolvers.operation import Operation, Parameters
from schema.cursors import Cursors, Place, mark_of
from schema.pagination import Connection, Page
from schema.problems import refused_parameters
from schema.windows import Window, window_of

_SIZES: Final = ("limit", "per_page", "page_size")
_PAGING: Final = ("page", "offset", *_SIZES)
_MOST: Final = 100


def is_list(op: Operation[..., Any]) -> bool:
    """Return whether an operation answers with a page of a longer list, and so has a connection beside it."""
    returns = op.returns
    metadata = getattr(returns, "__pydantic_generic_metadata__", None) or {}
    names = {p.name for p in op.parameters}
    return (metadata.get("origin") is Page or get_origin(returns) is Page) and bool(names.intersection(_SIZES))


def item_of(op: Operation[..., Any]) -> Any:
    """Return what an operation lists."""
    metadata = getattr(op.returns, "__pydantic_generic_metadata__", None)
    (item,) = metadata["args"] if metadata else get_args(op.returns)
    return item


def filters_of(op: Operation[..., Any]) -> list[inspect.Parameter]:
    """The arguments of an operation that choose items, without those that choose a page."""
    return [p for p in op.parameters if p.name not in _PAGING]


class Lister:
    """Answers with windows of one list."""

    def __init__(self, op: Operation[..., Any]) -> None:
        names = [p.name for p in op.parameters]
        self._op = op
        self._size = next((name for name in _SIZES if name in names), None)
        self._by_offset = "offset" in names
        given: dict[str, Any] = {
            p.name: (p.annotation, ... if p.default is p.empty else p.default) for p in filters_of(op)
        }
        self._filters: type[BaseModel] = create_model(f"{op.name}_filters", __base__=Parameters, **given)

    async def __call__(self, ctx: Context, values: Mapping[str, Any]) -> Connection[Any]:
        """The window that the arguments ask for. Raises InvalidParameter for bounds and cursors that do not hold."""
        bounds = {name: values[name] for name in Window.model_fields if name in values}
        try:
            asked = window_of(**bounds)
            filters = self._filters(**{name: value for name, value in values.items() if name not in bounds})
        except PydanticError as error:
            raise refused_parameters(error) from None
        chosen = {name: getattr(filters, name) for name in type(filters).model_fields}
        binding = self._binding(ctx, chosen)
        window = _Answer(self, ctx, chosen, binding)
        return await window.answer(asked)

    async def read(self, ctx: Context, filters: Mapping[str, Any], offset: int, size: int) -> tuple[list[Any], int]:
        """Items from an offset on, and how many there are, in one page of the operation where one covers them."""
        if self._size is None:  # a short list, which the operation answers with whole
            page = await self._call(ctx, filters, {})
            return list(page.items[offset : offset + size]), page.total
        if self._by_offset:
            page = await self._call(ctx, filters, {"offset": offset, self._size: size})
            return list(page.items), page.total
        end = offset + size - 1
        fitting = next((n for n in range(size, _MOST + 1) if offset // n == end // n), None)
        if fitting is not None:
            page = await self._call(ctx, filters, {"page": offset // fitting + 1, self._size: fitting})
            skip = offset % fitting
            return list(page.items[skip : skip + size]), page.total
        one = await self._call(ctx, filters, {"page": offset // size + 1, self._size: size})
        two = await self._call(ctx, filters, {"page": offset // size + 2, self._size: size})
        skip = offset % size
        return [*one.items, *two.items][skip : skip + size], two.total

    async def _call(self, ctx: Context, filters: Mapping[str, Any], paging: Mapping[str, int]) -> Page[Any]:
        page: Page[Any] = await self._op(ctx, **self._op.checked({**filters, **paging}))
        return page

    def _binding(self, ctx: Context, filters: Mapping[str, Any]) -> bytes:
        plain = TypeAdapter(dict[str, Any]).dump_python(dict(filters), mode="json")
        what = [self._op.name, ctx.organization_id, ctx.caller.project_id, plain]
        return hashlib.blake2b(orjson.dumps(what, option=orjson.OPT_SORT_KEYS, default=str), digest_size=9).digest()


class _Answer:
    """One answer."""

    def __init__(self, lister: Lister, ctx: Context, filters: Mapping[str, Any], binding: bytes) -> None:
        self._lister, self._ctx, self._filters, self._cursors = lister, ctx, filters, Cursors(binding)

    async def answer(self, asked: Window) -> Connection[Any]:
        after = None if asked.after is None else self._cursors.opened(asked.after, "after")
        before = None if asked.before is None else self._cursors.opened(asked.before, "before")
        size = asked.size
        start = 0 if after is None else await self._stands(after) + 1
        end = None if before is None else await self._stands(before, is_end=True)
        if asked.last is not None:
            if end is None:
                end = (await self._read(0, 1))[1]
            start = max(start, end - size)
        count = size if end is None else max(0, min(size, end - start))
        items, total = await self._read(start, count) if count else ([], (await self._read(0, 1))[1])
        return self._cursors.connection(items, start, total)

    async def _stands(self, place: Place, *, is_end: bool = False) -> int:
        """Return where the item of a cursor stands now; its old place, or the one before it, when it is gone."""
        for offset, size in ((place.offset, 1), (max(0, place.offset - _MOST // 2), _MOST)):
            items, _ = await self._read(offset, size)
            for at, item in enumerate(items):
                if mark_of(item) == place.mark:
                    return offset + at
        return place.offset if is_end else place.offset - 1  # the next item has moved up

    async def _read(self, offset: int, size: int) -> tuple[list[Any], int]:
        return await self._lister.read(self._ctx, self._filters, offset, size)
