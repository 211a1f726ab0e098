"""Paths of events that are followed, and end with the token that they are followed by."""

from typing import Any

from starlette.requests import Request

from resolvers.context import Context
from rest_compat.events import StreamRoute
from rest_compat.subscriptions import expiry_of


class FollowingRoute(StreamRoute):
    """A route that answers with events until they end or the token does."""

    async def _events(self, request: Request, ctx: Context, arguments: dict[str, Any]) -> Any:
        events = await self.operation(ctx, **arguments)
        events.until = expiry_of(request.headers.get("authorization"))
        return events
