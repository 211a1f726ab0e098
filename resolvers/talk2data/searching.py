"""Looking words of a question up in the source itself, for drafters that work in a thread of their own."""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Final

from resolvers.context import Context
from resolvers.engines.nl2sql.model import ColumnKey, FoundValue
from resolvers.talk2data.knowledge import Ground

log = logging.getLogger("stoa.talk2data")

SECONDS: Final = 10.0
"""How long one search may take."""
MOST_SEARCHES: Final = 8
"""How often one question may look into the source."""


class Search:
    """The lookups of one question. None outlives it."""

    def __init__(self, ctx: Context, ground: Ground, task_id: str) -> None:
        self._ctx, self._ground, self._task_id = ctx, ground, task_id
        self._loop = asyncio.get_running_loop()
        self._left = MOST_SEARCHES
        self._running: set[Future[Any]] = set()

    async def __aenter__(self) -> "Search":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left = 0
        for future in list(self._running):
            future.cancel()

    def lookup(self, columns: Sequence[ColumnKey], texts: Sequence[str]) -> Sequence[FoundValue]:
        """The texts as columns spell them. Blocks: not to be called on the event loop. Empty when it cannot be told."""
        return ()
