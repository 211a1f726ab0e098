"""The edges of Talk2Data: session → turns → artifacts. Everybody sees their own alone."""

from collections.abc import Sequence

from resolvers.loaders.base import LoadersBase, batched
from schema.talk2data.turn import Turn, TurnArtifact


class Talk2DataLoaders(LoadersBase):
    """Describes what hangs on chat sessions and turns."""

    @batched
    async def turns_of_session(self, ids: Sequence[str]) -> list[list[Turn]]:
        """The first turns of the caller's own session, in their order."""
        own = await self._store.read(lambda uow: uow.chat_sessions.own(self._scope, ids, self._caller.user_id))
        found = await self._of_parents(lambda uow: uow.turns, "session_id", own)
        bare = [turn for group in found for turn in group]
        filled = await self._store.read(lambda uow: {t.turn_id: t for t in uow.turns.filled(bare)})
        of = {id: [filled[turn.turn_id] for turn in group] for id, group in zip(own, found, strict=True)}
        return [of.get(id, []) for id in ids]

    @batched
    async def artifacts_of_turn(self, ids: Sequence[str]) -> list[list[TurnArtifact]]:
        """Return what a turn of the caller's own session produced."""
        own = await self._store.read(lambda uow: uow.turns.own(self._scope, ids, self._caller.user_id))
        found = await self._store.read(lambda uow: uow.turns.artifacts_of(own))
        return [found.get(id, []) for id in ids]
