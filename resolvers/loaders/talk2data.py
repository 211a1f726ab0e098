"""The edges of Talk2Data: session → turns → artifacts. Everybody sees his own alone."""

from collections.abc import Sequence

import sqlalchemy as sa

from persistence.store import Shelves
from persistence.tables.talk2data import chat_sessions, turns
from resolvers.loaders.base import LoadersBase, batched
from schema.talk2data.turn import Turn, TurnArtifact


class Talk2DataLoaders(LoadersBase):
    """What hangs on chat sessions and turns."""

    @batched
    async def turns_of_session(self, ids: Sequence[str]) -> list[list[Turn]]:
        """The first turns of the caller's own session, in their order."""
        own = await self._own(chat_sessions.c.session_id, ids)
        found = await self._of_parents(lambda shelves: shelves.turns, "session_id", own, order=[turns.c.position])
        bare = [turn for group in found for turn in group]
        filled = await self._store.read(lambda shelves: {t.turn_id: t for t in shelves.turns.filled(bare)})
        of = {id: [filled[turn.turn_id] for turn in group] for id, group in zip(own, found, strict=True)}
        return [of.get(id, []) for id in ids]

    @batched
    async def artifacts_of_turn(self, ids: Sequence[str]) -> list[list[TurnArtifact]]:
        """What a turn of the caller's own session produced."""
        own = await self._own(turns.c.turn_id, ids)
        found = await self._store.read(lambda shelves: shelves.turns.artifacts_of(own))
        return [found.get(id, []) for id in ids]

    async def _own(self, column: sa.Column[str], ids: Sequence[str]) -> list[str]:
        """Those of the sessions, or of the turns, that are the caller's."""
        query = sa.select(column).where(
            chat_sessions.c.organization_id == self._scope.organization_id,
            chat_sessions.c.created_by == self._caller.user_id,
            column.in_(ids),
        )
        if column.table is turns:
            query = query.join(chat_sessions, chat_sessions.c.session_id == turns.c.session_id)

        def work(shelves: Shelves) -> list[str]:
            return list(shelves.connection.execute(query).scalars())

        return await self._store.read(work)
