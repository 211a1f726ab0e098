"""A chat session holds the turns of one conversation. It belongs to who began it and to nobody else."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Change, Info, Maybe, Resource, change, edge
from schema.naming import Name
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, listed

if TYPE_CHECKING:
    from schema.talk2data.turn import Turn, TurnOrder


Title = Annotated[Name, Field(description="1 to 255 characters that can be seen.")]


@entity("session_id", kept_in="chat_sessions")
class ChatSession(Resource):
    """A conversation of one user with their data. Without a title, its first question gives it one."""

    session_id: str
    title: str | None
    turn_count: int
    message_count: int
    artifact_count: int
    created_at: datetime
    updated_at: datetime

    @edge
    async def turns(self, info: Info) -> list[Annotated["Turn", strawberry.lazy("schema.talk2data.turn")]]:
        """The first 200 turns of this session, in their order; `turnsConnection` has them all."""
        return await info.context.load.turns_of_session(self.session_id)

    @listed
    async def turns_connection(
        self,
        info: Info,
        window: Window,
        order: Annotated["TurnOrder", strawberry.lazy("schema.talk2data.turn")] | None = None,
    ) -> Connection[Annotated["Turn", strawberry.lazy("schema.talk2data.turn")]]:
        """The turns of this session, the first one first unless `order` says otherwise."""
        return await info.context.load.turns_in_session(asked_of(self.session_id, Listing(window, (order,))))


@change
class ChatSessionCreate(Change):
    """What a new session starts with."""

    title: Title | None = None


@change
class ChatSessionChange(Change):
    """A new title; null takes the title away, and a title left out stays."""

    title: Maybe[Title | None] = None
