"""Whether an organization's relations are still what they were: one look, shared by all who ask at the same time.

A look counts for whoever asked before it began. So a change that was committed before a request arrived, by whichever
process, is seen by that request; and however many requests arrive together, the store is asked once.
"""

import asyncio
from typing import Any

from persistence.engine import Database

_STATEMENTS = {
    "sqlite": "select store, token from relation_revisions where store = :store",
    "postgresql": "select store, token from relation_revisions where store = any(%(stores)s) order by store, slot",
}


class _Look:
    """One look at the store, and those who wait for it."""

    def __init__(self) -> None:
        self.stores: set[str] = set()
        self.found: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()


class RelationRevisions:
    """The revisions of all organizations, read from the platform's own store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next: _Look | None = None
        self._looking: asyncio.Task[None] | None = None

    async def of(self, store: str) -> str:
        """What the relations of a store are at: the same as long as none of them has changed. Raises DatabaseError."""
        if self._database.dialect == "sqlite":
            return _told(await self._database.glance(_STATEMENTS["sqlite"], {"store": store})).get(store, "")
        look = self._next
        if look is None:
            look = self._next = _Look()
            if self._looking is None:
                self._looking = asyncio.create_task(self._look())
        look.stores.add(store)
        return (await asyncio.shield(look.found)).get(store, "")

    async def _look(self) -> None:
        """Look until nobody waits, as a task of its own: a caller who goes away takes it from nobody."""
        try:
            while (look := self._next) is not None:
                self._next = None  # who comes from now on waits for the next one
                try:
                    rows = await self._database.glance(_STATEMENTS["postgresql"], {"stores": sorted(look.stores)})
                except Exception as failure:
                    look.found.set_exception(failure)
                    look.found.exception()  # those who asked may be gone
                except BaseException:  # the server ends: let nobody wait for what will not come
                    for one in (look, self._next):
                        if one is not None:
                            one.found.cancel()
                    self._next = None
                    raise
                else:
                    look.found.set_result(_told(rows))
        finally:
            self._looking = None


def _told(rows: list[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for store, token in rows:
        found[store] = f"{found[store]} {token}" if store in found else token
    return found
