"""Events, checked on their project."""

from typing import Any

from persistence.queries.events import Happening
from persistence.repository import Scope
from schema.utils.event import EventType
from tests.contract.stage import MARK, Case, Place, Stage


async def an_event(stage: Stage, place: Place) -> dict[str, Any]:
    """An event that a list would show."""
    scope, now = Scope(place.organization, place.project), stage.world.clock()
    happening = Happening(EventType.RUN_ENDED, f"{MARK}.db.public.orders", data={"workflow_name": f"{MARK} work"})
    await stage.world.app.parts.services.store.write(lambda uow: uow.events.tell(scope, now, happening))
    await stage.world.app.parts.events.tick()
    return {}


CASES = [
    Case("list_events", "project", "can_read", an_event),
]
