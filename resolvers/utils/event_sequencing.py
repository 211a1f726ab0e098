"""Giving events their place in the order of their project, soon after the transactions that wrote them."""

import asyncio
import logging
from datetime import datetime, timedelta
from typing import Final

from persistence.queries.waiting import events_wait
from persistence.store import UnitOfWork
from resolvers.context import Services
from resolvers.utils.event_settings import EventSettings

log = logging.getLogger("stoa.events")

AT_ONCE: Final = 500
"""How many events get their places in one transaction."""
FORGET_EVERY: Final = timedelta(minutes=10)


def topic_of(organization_id: str, project_id: str) -> str:
    """The topic that is rung when events of a project have got their places."""
    return f"events:{organization_id}/{project_id}"


class EventSequencer:
    """Puts events in order, and removes old ones. Every process has one; they take turns."""

    def __init__(self, services: Services, settings: EventSettings) -> None:
        self._services, self._settings = services, settings
        self._forgot_at = services.clock() - FORGET_EVERY

    async def watch(self) -> None:
        """Put new events in order again and again until cancelled."""
        while True:
            try:
                await self.tick()
            except Exception:
                log.exception("events could not be put in order; trying again")
            await asyncio.sleep(self._settings.event_tick_seconds)

    async def tick(self) -> None:
        """Put all events in order that wait for it."""
        while await events_wait(self._services.store.database):
            if not await self._batch():
                break
        await self._forget()

    async def _batch(self) -> bool:
        """One transaction; whether it had anything to do and did it."""

        def work(uow: UnitOfWork) -> set[tuple[str, str]]:
            placed = uow.events.give_places(AT_ONCE)
            uow.webhook_deliveries.put_in_line(placed, self._services.clock())
            return {(event.organization_id, event.project_id) for event, _ in placed}

        projects = await self._services.store.write(work)
        for project in projects:
            self._services.signals.notify(topic_of(*project))
        return bool(projects)

    async def _forget(self) -> None:
        now = self._services.clock()
        if now < self._forgot_at + FORGET_EVERY:
            return
        self._forgot_at = now
        before = now - timedelta(days=self._settings.event_days)
        for repository in ("webhook_deliveries", "events", "server_calls"):
            while await self._services.store.write(lambda uow: _forget(uow, repository, before)) == AT_ONCE:  # noqa: B023
                pass


def _forget(uow: UnitOfWork, repository: str, before: datetime) -> int:
    removed: int = getattr(uow, repository).forget(before, AT_ONCE)
    return removed
