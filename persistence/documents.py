"""Stores documents of assets that a reader missed: soon, in the background, a few hundred in a transaction."""

import asyncio
import logging
import time
from collections.abc import Iterable
from typing import Final

from persistence.engine import Database
from persistence.queries.asset_documents import store_documents

log = logging.getLogger("stoa.documents")

BATCH: Final = 200
"""Documents in one transaction: some five milliseconds of work for which writers of the same assets wait."""

MOST_WAITING: Final = 20_000
"""Rows that wait to be stored. What comes above is left: the next reader will miss it again."""

PAUSE_SECONDS: Final = 60.0
"""For how long nothing is stored after the store refused, as one that can only be read does."""


class Documents:
    """What waits to be stored, of one process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[int, None] = {}
        self._storing: asyncio.Task[None] | None = None
        self._again_at = 0.0

    def want(self, row_numbers: Iterable[int]) -> None:
        """Have the documents of some assets stored, by the numbers of their rows."""
        if time.monotonic() < self._again_at:
            return
        for number in row_numbers:
            if len(self._waiting) >= MOST_WAITING:
                break
            self._waiting[number] = None
        if self._storing is None and self._waiting:
            self._storing = asyncio.create_task(self._store())

    async def settled(self) -> None:
        """Wait until nothing waits."""
        if self._storing is not None:
            await asyncio.wait([self._storing])

    async def close(self) -> None:
        """Leave what waits."""
        self._waiting.clear()
        if (storing := self._storing) is not None:
            storing.cancel()
            await asyncio.wait([storing])

    async def _store(self) -> None:
        try:
            while self._waiting:
                some = sorted(list(self._waiting)[:BATCH])
                for number in some:
                    del self._waiting[number]
                await self._database.write(lambda connection, some=some: store_documents(connection, some))  # type: ignore[misc]
        except Exception as failure:
            # Nobody waits for a document: every answer can be made without.
            self._waiting.clear()
            self._again_at = time.monotonic() + PAUSE_SECONDS
            log.info("documents of assets were not stored: %s", type(failure).__name__)
        finally:
            self._storing = None
