"""Parts of the lists that hang on resources, read for all parents at once."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol

import orjson

from persistence.queries.windows import Ranked, Ranks
from persistence.store import UnitOfWork
from resolvers.loaders.base import LoadersBase
from schema.cursors import Cursors, Place, mark_of
from schema.errors import InvalidParameter
from schema.governance.permission import Permission
from schema.pagination import Connection
from schema.windows import Asked, Listing

AROUND: Final = 50
"""How far from its old place the item of a cursor is looked for, when items were added or removed before it."""


class Read(Protocol):
    """Reads some places of the lists of parents, as filters choose and order their items."""

    def __call__(
        self, uow: UnitOfWork, parents: Sequence[Any], ranks: Ranks, filters: tuple[Any, ...]
    ) -> Mapping[Any, Ranked[Any]]: ...


class WindowLoaders(LoadersBase):
    """Describes what every list by cursors inside a resource has in common."""

    async def _windows(
        self, name: str, asked: Sequence[Asked], read: Read, needs: Permission = Permission.CAN_READ
    ) -> list[Any]:
        """The connection of each that is asked for; an empty one where the caller may not read the project.

        In the place of one whose cursor is of another list stands the error, which `batched` raises for it alone.
        """
        named = [one.project_id for one in asked if one.project_id is not None]
        readable = await self._readable("project", named, needs)
        groups: dict[Listing, list[Asked]] = defaultdict(list)
        answers: dict[Asked, Any] = {}
        windows: dict[Asked, _Window] = {}
        for one in dict.fromkeys(asked):
            try:
                windows[one] = _Window(self._cursors(name, one), one.listing)
            except InvalidParameter as error:
                answers[one] = error
            else:
                if one.project_id is None or readable[one.project_id]:
                    groups[one.listing].append(one)
        found: dict[Asked, Ranked[Any]] = {}
        for listing, some in groups.items():
            ranks = windows[some[0]].ranks()  # one cursor marks one place, whichever of these lists it is of
            parents = [one.parent for one in some]
            ranked = await self._store.read(partial(read, parents=parents, ranks=ranks, filters=listing.filters))
            found |= {one: ranked[one.parent] for one in some if one.parent in ranked}
        late = {one: ranked.project_id for one, ranked in found.items() if one.project_id is None}
        readable |= await self._readable("project", [project for project in late.values() if project], needs)
        for one, window in windows.items():
            shown = one in found and (one.project_id is not None or readable.get(late[one] or "", False))
            answers[one] = window.connection(found[one] if shown else Ranked())
        return [answers[one] for one in asked]

    def _among(self, name: str, asked: Asked, items: Sequence[Any]) -> Any:
        """The part of a list that was read as a whole; the error in its place, as `_windows` has it."""
        try:
            window = _Window(self._cursors(name, asked), asked.listing)
        except InvalidParameter as error:
            return error
        return window.connection(Ranked(window.ranks().among(items), len(items)))

    def _cursors(self, name: str, asked: Asked) -> Cursors:
        what = [name, self._scope.organization_id, asked.project_id, asked.parent, asked.listing.filters]
        return Cursors(hashlib.blake2b(orjson.dumps(what, default=str), digest_size=9).digest())


class _Window:
    """The part of one list that is asked for."""

    def __init__(self, cursors: Cursors, listing: Listing) -> None:
        self._cursors, self._asked = cursors, listing.window
        after, before = self._asked.after, self._asked.before
        self._after = None if after is None else cursors.opened(after, "after")
        self._before = None if before is None else cursors.opened(before, "before")

    def ranks(self) -> Ranks:
        """Which places must be read, counted from 1: around cursors as far as their items may have moved."""
        size, ranges = self._asked.size, []
        if self._after is not None:
            at = self._after.offset + 1
            ranges.append((at - AROUND, at + AROUND + size + 1))
        elif self._asked.last is None:
            ranges.append((1, size))
        if self._before is not None:
            at = self._before.offset + 1
            ranges.append((at - AROUND - size - 1, at + AROUND))
        from_end = self._asked.last is not None and self._before is None
        return Ranks(tuple(ranges), last=size if from_end else 0)

    def connection(self, found: Ranked[Any]) -> Connection[Any]:
        """The window of what was read."""
        size, total = self._asked.size, found.total
        start = 0 if self._after is None else _stands(self._after, found) + 1
        end = total if self._before is None else min(total, _stands(self._before, found, is_end=True))
        if self._asked.last is not None:
            start = max(start, end - size)
        else:
            end = min(end, start + size)
        items = [found.items[place + 1] for place in range(start, end) if place + 1 in found.items]
        return self._cursors.connection(items, start, total)


def _stands(place: Place, found: Ranked[Any], *, is_end: bool = False) -> int:
    """Return where the item of a cursor stands now, from 0; its old place, or the one before it, when it is gone."""
    near = sorted(found.items, key=lambda rank: abs(rank - 1 - place.offset))
    for rank in near:
        if mark_of(found.items[rank]) == place.mark:
            return rank - 1
    return place.offset if is_end else place.offset - 1  # the next item has moved up
