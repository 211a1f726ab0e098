"""The path of a turn's events, which end with the token that they are followed by."""

from typing import Any

from starlette.requests import Request

from resolvers.context import Context
from resolvers.talk2data.streaming import TurnStream
from rest_compat.events import StreamRoute
from rest_compat.subscriptions import expiry_of


class TurnRoute(StreamRoute):
    """A route that answers with the events of a turn, until they end or the token does."""

    async def _events(self, request: Request, ctx: Context, arguments: dict[str, Any]) -> TurnStream:
        events: TurnStream = await self.operation(ctx, **arguments)
        events.until = expiry_of(request.headers.get("authorization"))
        return events
