"""A receiver of webhooks, and what makes events come to it."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from persistence.queries.events import Happening
from resolvers.utils.webhooks import create_webhook, list_webhook_deliveries
from schema.data_readiness.violation import Severity
from schema.utils.event import EventType
from tests.data_readiness.quality import scope_of
from tests.doors import Door
from tests.support.http_stub import Asked, HttpStub, Reply, http_stub
from tests.world import World


class Receiver:
    """A server that takes events, and answers with the statuses that it was told, then with 204."""

    def __init__(self, stub: HttpStub, answers: list[Reply]) -> None:
        self.stub, self.answers = stub, answers

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.stub.port}/hook"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Return what it was sent, in order."""
        return [json.loads(one.body) for one in self.stub.asked]

    def will_answer(self, *statuses: int, headers: dict[str, str] | None = None) -> None:
        """Answer the next requests so."""
        self.answers += [(status, headers or {}, b"never read") for status in statuses]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver on a port of this machine."""
    answers: list[Reply] = []

    def answer(_: Asked) -> Reply:
        return answers.pop(0) if answers else (204, {}, b"")

    with http_stub(answer) as stub:
        yield Receiver(stub, answers)


async def made(world: World, door: Door, receiver: Receiver, **given: Any) -> dict[str, Any]:
    """A webhook with its secret."""
    answer = await door(create_webhook, world.owner, webhook={"name": "Ours", "url": receiver.url} | given)
    assert set(answer) == {"webhook", "secret"}, answer
    return dict(answer)


async def tell(world: World, *fqns: str | None, severity: Severity | None = None) -> None:
    """Something happens to each of some assets, and all that is due is sent."""
    happenings = [Happening(EventType.VIOLATION_OPENED, fqn, severity, {"name": "n"}) for fqn in fqns]
    now = world.clock()
    await world.app.parts.services.store.write(lambda uow: uow.events.tell(scope_of(world), now, *happenings))
    await settle(world)


async def settle(world: World, **passed: float) -> None:
    """Let time pass, and send all that is due then."""
    world.clock.moment += timedelta(**passed)
    await world.app.parts.events.tick()
    await world.app.parts.deliveries.tick()
    await world.jobs.settle()


async def log(world: World, door: Door, id: str, **how: Any) -> list[dict[str, Any]]:
    """The deliveries to a webhook, the first ones first."""
    token = world.token("olga", project=world.shop)
    items: list[dict[str, Any]] = (await door(list_webhook_deliveries, token, webhook_id=id, limit=100, **how))["items"]
    return items[::-1]
