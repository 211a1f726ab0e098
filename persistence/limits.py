"""Each tenant's own rate limits, read at most every few seconds."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import sqlalchemy as sa

from persistence.store import Store
from persistence.tables.governance import rate_limits

Row = tuple[int | None, int | None, int | None, int | None]


@dataclass(slots=True)
class LimitRows:
    """The limit rows of tenants with a short memory: a change by an administrator shows within `seconds`."""

    store: Store
    seconds: float = 5.0
    clock: Callable[[], float] = time.monotonic
    _known: dict[str, tuple[float, Row | None]] = field(default_factory=dict)

    async def of(self, organization_id: str) -> Row | None:
        """reads, writes, bulk, anonymous of a tenant, each None where the deployment's default holds."""
        now = self.clock()
        known = self._known.get(organization_id)
        if known is not None and known[0] > now:
            return known[1]
        query = sa.select(rate_limits.c.reads, rate_limits.c.writes, rate_limits.c.bulk, rate_limits.c.anonymous).where(
            rate_limits.c.organization_id == organization_id
        )
        found = await self.store.read(lambda uow: uow.connection.execute(query).one_or_none())
        row: Row | None = None if found is None else (found[0], found[1], found[2], found[3])
        if len(self._known) >= 10_000:
            self._known.clear()
        self._known[organization_id] = (now + self.seconds, row)
        return row
