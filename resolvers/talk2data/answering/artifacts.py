"""The artifacts of answers: what they are called, and how they go with their chat session.

An artifact belongs to an answer by its name, which is made of the turn's id. What an answer only points at, and what
somebody has made of it since under a name of its own, stays.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from auth.relations import RelationTuple
from persistence.store import UnitOfWork
from resolvers.assets.artifacts import remove_artifact
from resolvers.assets.content import standing_relations
from resolvers.context import Context

ROWS: Final = ""
CHART: Final = "-chart"
PICTURE: Final = "-picture"


def called(turn_id: str, part: str) -> str:
    """The last part of the resource URI of a part of an answer."""
    return f"answer-{turn_id}{part}"


def uri_of(ctx: Context, last: str) -> str:
    """The resource URI of an artifact of the selected project, by its last part."""
    return f"artifact:{ctx.organization_id}:{ctx.project_id}:{last}"


class MoreThere(Exception):
    """An answer was kept since the relations of the artifacts were read: read them again."""


@dataclass
class Going:
    """The artifacts that go with a session, with their relations."""

    relations: dict[str, list[RelationTuple]] = field(default_factory=dict)

    async def read(self, ctx: Context, session_id: str) -> None:
        """Read the relations of those that stand."""
        standing = await ctx.store.read(lambda uow: _standing(ctx, uow, uow.turns.ids_of(session_id)))
        for uri in standing:
            self.relations[uri] = await standing_relations(ctx, "artifact", uri)

    def remove(self, ctx: Context, uow: UnitOfWork, turn_ids: Iterable[str]) -> list[str]:
        """Remove those of these turns, in a transaction: the blobs to discard. Raises MoreThere."""
        standing = _standing(ctx, uow, turn_ids)
        if not self.relations.keys() >= set(standing):
            raise MoreThere
        return [remove_artifact(ctx, uow, uri, self.relations[uri]) for uri in standing]


def _standing(ctx: Context, uow: UnitOfWork, turn_ids: Iterable[str]) -> list[str]:
    """The artifacts of these turns that stand, and that the caller's own answers have made."""
    uris = [uri_of(ctx, called(turn_id, part)) for turn_id in turn_ids for part in (ROWS, CHART, PICTURE)]
    return uow.artifacts.standing(ctx.scope, uris, created_by=ctx.caller.user_id)
