"""Giving events their place in the order of their project, soon after the transactions that wrote them."""

import asyncio
import logging
from datetime import timedelta
from typing import Final

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
        while await self._services.store.read(lambda uow: uow.events.waits()):
            if not await self._batch():
                break
        await self._forget()

    async def _batch(self) -> bool:
        """One transaction; whether it had anything to do and did it."""

        def work(uow: UnitOfWork) -> set[tuple[str, str]]:
            return {(event.organization_id, event.project_id) for event, _ in uow.events.give_places(AT_ONCE)}

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
        while await self._services.store.write(lambda uow: uow.events.forget(before, AT_ONCE)) == AT_ONCE:
            pass
