"""The edges of Utils."""

from collections.abc import Sequence
from datetime import datetime

from resolvers.loaders.base import MOST_PER_PARENT, LoadersBase, batched
from schema.utils.context_pack import ContextPack
from schema.utils.memory import Memory


class UtilsLoaders(LoadersBase):
    """Describes what hangs on context packs and memories. What is asked for at several moments is answered for the
    earliest.
    """

    async def memories_of_pack(self, pack_id: str, now: datetime) -> list[Memory]:
        """The pack's active memories, pinned ones first, then the newest."""
        return await self._memories_of_pack((pack_id, now))

    async def context_pack(self, pack_id: str, now: datetime) -> ContextPack | None:
        """One pack; None when the caller may not read its project."""
        return await self._context_pack((pack_id, now))

    @batched
    async def _memories_of_pack(self, asked: Sequence[tuple[str, datetime]]) -> list[list[Memory]]:
        now = min(moment for _, moment in asked)
        ids = [pack_id for pack_id, _ in asked]
        distinct = list(dict.fromkeys(ids))
        found = await self._store.read(
            lambda uow: uow.memories.active_of_packs(self._scope, distinct, now, MOST_PER_PARENT)
        )
        of = dict(zip(distinct, await self._grouped(distinct, found), strict=True))
        return [of[pack_id] for pack_id in ids]

    @batched
    async def _context_pack(self, asked: Sequence[tuple[str, datetime]]) -> list[ContextPack | None]:
        now = min(moment for _, moment in asked)
        ids = [pack_id for pack_id, _ in asked]
        found = await self._store.read(
            lambda uow: uow.context_packs.with_topics(
                uow.context_packs.where_in(self._scope, "id", list(dict.fromkeys(ids))), now
            )
        )
        readable = await self._readable("project", [pack.project_id for pack in found])
        of = {pack.id: pack for pack in found if readable[pack.project_id]}
        return [of.get(pack_id) for pack_id in ids]
