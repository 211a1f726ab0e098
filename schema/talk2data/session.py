"""A chat session holds the turns of one conversation. It belongs to who began it and to nobody else."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Change, Info, Maybe, Resource, change, edge
from schema.naming import Name
from schema.node import entity

if TYPE_CHECKING:
    from schema.talk2data.turn import Turn


Title = Annotated[Name, Field(description="1 to 255 characters that can be seen.")]


@entity("session_id")
class ChatSession(Resource):
    """A conversation of one user with his data. Without a title, its first question gives it one."""

    session_id: str
    title: str | None
    turn_count: int
    message_count: int
    artifact_count: int
    created_at: datetime
    updated_at: datetime

    @edge
    async def turns(self, info: Info) -> list[Annotated["Turn", strawberry.lazy("schema.talk2data.turn")]]:
        """The first turns of this session, in their order; the paged list has them all."""
        return await info.context.load.turns_of_session(self.session_id)


@change
class ChatSessionCreate(Change):
    """What a new session starts with."""

    title: Title | None = None


@change
class ChatSessionChange(Change):
    """A new title; null takes the title away, and a title left out stays."""

    title: Maybe[Title | None] = None
