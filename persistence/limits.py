"""Each tenant's own rate limits, read at most every few seconds."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from persistence.store import Store

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
        found = await self.store.read(lambda uow: uow.rate_limits.of(organization_id))
        row: Row | None = None if found is None else found[:4]
        if len(self._known) >= 10_000:
            self._known.clear()
        self._known[organization_id] = (now + self.seconds, row)
        return row
