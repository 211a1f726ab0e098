"""Tells a project that somebody has nearly used up the calls that a minute has for them, before they are refused."""

import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from auth.caller import Caller
from auth.rate_limit import CallKind, RateWindow
from persistence.queries.events import Happening
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import SPENT_SECONDS, Services
from schema.errors import ProjectAccessDenied
from schema.utils.event import EventType

log = logging.getLogger("stoa.app")

LEFT: Final = 10
"""A window is nearly spent when one part of so many is left of it."""
MOST_LOOKED_AT: Final = 500
"""Events of the last hour that are looked at for the same."""


def is_nearly_spent(window: RateWindow) -> bool:
    """Return whether a tenth or less is left of a window. One that allows nothing at all is spent by nobody."""
    return window.remaining * LEFT <= window.limit and window.limit > 0


async def tell_nearly_spent(
    services: Services, caller: Caller, selects: Callable[[], Awaitable[None]], kind: CallKind, window: RateWindow
) -> None:
    """Write the event, at most once an hour for a project, caller and kind; what fails of it stops no request.

    The project is the caller's; `selects` raises ProjectAccessDenied of one that they may not select, which hears
    nothing. What other processes told, and this one before it was started again, is found in the store.
    """
    now, project = services.clock(), caller.project_id
    assert project is not None
    if not services.spent.is_new((caller.organization_id, project, caller.user_id, kind.value), now.timestamp()):
        return
    said = {
        "user_id": caller.user_id,
        "kind": kind.value,
        "limit": window.limit,
        "remaining": window.remaining,
        "resets_at": datetime.fromtimestamp(window.reset, UTC).isoformat(),
    }
    scope, since = Scope(caller.organization_id, project), now - timedelta(seconds=SPENT_SECONDS)

    def work(uow: UnitOfWork) -> None:
        told = uow.events.data_since(scope, EventType.BUDGET_NEARLY_SPENT, since, MOST_LOOKED_AT)
        if not any(one["user_id"] == said["user_id"] and one["kind"] == said["kind"] for one in told):
            uow.events.tell(scope, now, Happening(EventType.BUDGET_NEARLY_SPENT, data=said))

    try:
        await selects()
        await services.store.write(work)
    except ProjectAccessDenied:
        return
    except Exception:
        log.exception("it could not be told that a budget of calls is nearly spent")
