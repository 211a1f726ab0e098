"""A process that dies right after a write owes its answer, and whoever asks again under the key gets it."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.tables.idempotency import idempotency_keys as table
from resolvers import idempotency
from tests.contract.stage import Stage
from tests.contract.test_bounds import Calls
from tests.doors import ROUTES, Refused, RestDoor
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

NOTHING_KEPT = {
    "check_quality_rule": "it only looks",
    "try_quality_rule": "it only looks",
    "verify_model": "it only asks a model",
    "replay_turn": "it only looks",
    "set_parent": "the parent is the same as before",
    "repair_access": "the relations may be kept by a server of their own; the same again finds nothing to repair",
}
"""What writes nothing within the store's own transactions, so that no answer can be kept there: why."""


class Keyed(RestDoor):
    """Sends each request under a key of its own."""

    key = 0

    async def _call(self, op: Any, arguments: dict[str, Any], headers: dict[str, str]) -> Any:
        return await super()._call(op, arguments, headers | {"Idempotency-Key": f"key-{self.key}"})


async def test_the_answer_is_kept_in_the_transaction_of_the_write(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dies(*_: object) -> None:
        return

    monkeypatch.setattr(idempotency._Claim, "done", dies)
    stage, store, wrong = await Stage.set(world), world.app.parts.services.store, []
    nothing_kept: set[str] = set()
    long_ago = world.clock.moment - timedelta(minutes=5)
    for operation, route in ROUTES.items():
        if route.operation.kind.value == "reads":
            continue
        door = Keyed(world.client)
        door.key = Keyed.key = Keyed.key + 1
        calls = Calls(stage, door, operation)
        arguments = await calls.base()
        await store.write(lambda uow: uow.connection.execute(table.delete()))
        first = await calls.call(**arguments)
        assert not isinstance(first, Refused), (operation, first)
        before = door.last
        rows = await store.read(lambda uow: list(uow.connection.execute(sa.select(table)).all()))
        if rows[0].state == "running":  # nothing was written within the store: it is simply done again
            nothing_kept.add(operation)
            continue
        await store.write(lambda uow: uow.connection.execute(table.update().values(claimed_at=long_ago)))
        again = await calls.call(**arguments)
        after = door.last
        assert before is not None
        assert after is not None
        same = (after.status_code, after.content, after.headers.get("etag")) == (
            before.status_code, before.content, before.headers.get("etag"),
        )  # fmt: skip
        if not same:
            wrong.append(f"{operation}: {again if isinstance(again, Refused) else (first, again)}"[:300])
    assert nothing_kept == NOTHING_KEPT.keys()
    assert not wrong, "\n".join(wrong)
