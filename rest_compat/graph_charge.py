"""Defines what one request of the graph is charged: a call before anything of it is read, and the rest when it is
known.

The call charged first is a read. It counts towards what the request turns out to cost and is given back when that is no
read; who has no read left may still change something, as over REST, and is charged a write first then.
"""

import re
from collections.abc import Mapping
from typing import Final

from starlette.requests import HTTPConnection

from auth.caller import Caller
from auth.rate_limit import CallKind
from rest_compat.request import ContextFactory, state_of
from schema.errors import RateLimitExceeded, Unauthenticated, ValidationError

_CHANGES: Final = re.compile(r"(?:[\s,\ufeff]|#[^\r\n]*)*mutation\b")
_BEGINNING: Final = 2000


class Charge:
    """The charge of one request, or of one operation of a WebSocket."""

    def __init__(self, context_factory: ContextFactory, connection: HTTPConnection, caller: Caller) -> None:
        self._context_factory, self._connection, self._caller = context_factory, connection, caller
        self._first: CallKind | None = None
        """What was charged before the request was read and counts towards what it costs."""
        self._no_reads: RateLimitExceeded | None = None

    async def begin(self) -> None:
        """Charge one call, whatever the request asks for. Raises RateLimitExceeded."""
        try:
            await self._charge(CallKind.READ)
            self._first = CallKind.READ
        except RateLimitExceeded as full:
            if self._caller.anonymous:
                raise
            shown = state_of(self._connection).window
            try:
                await self._charge(CallKind.WRITE)
            except RateLimitExceeded:
                state_of(self._connection).window = shown
                raise full from None
            self._first, self._no_reads = CallKind.WRITE, full
            state_of(self._connection).window = shown

    async def require_room(self, text: object) -> None:
        """Raise RateLimitExceeded for a document that reads when no read was left, before it is parsed."""
        if self._no_reads is None or (isinstance(text, str) and _CHANGES.match(text[:_BEGINNING])):
            return
        self._first = None
        await self._give_back(CallKind.WRITE)
        raise self._no_reads

    async def settle(self, costs: Mapping[str, int], most: int) -> None:
        """Charge what the request costs. Raises RateLimitExceeded, and then the call charged first is spent."""
        if self._caller.anonymous and any(kind != CallKind.READ for kind in costs):
            raise Unauthenticated("Send an access token to change anything: Authorization: Bearer <token>.")
        if sum(costs.values()) > most:
            raise ValidationError(
                f"One request may call {most} operations at most; this one calls {sum(costs.values())}."
            )
        if not costs:
            return
        first, self._first = self._first, None
        for kind, cost in costs.items():
            left = cost - (kind == first)
            if left or self._no_reads is not None:  # otherwise the window is known, and shown, since the first charge
                await self._charge(CallKind(kind), left)
        if first is not None and first not in costs:
            await self._give_back(first)

    async def _charge(self, kind: CallKind, cost: int = 1) -> None:
        await self._context_factory.charge(self._connection, self._caller, kind, cost)

    async def _give_back(self, kind: CallKind) -> None:
        context_factory, caller = self._context_factory, self._caller
        of_kind, limits = (
            context_factory.window_kind(caller, kind),
            await context_factory.limits_of(caller.organization_id),
        )
        await context_factory.limiter.give_back(caller.principal, of_kind, limits.of(of_kind))
