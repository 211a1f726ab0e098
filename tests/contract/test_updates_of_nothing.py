"""An update whose result is what stands already writes nothing, whichever door it comes through.

Every operation that a PUT or PATCH opens is walked, with every body that its document says is taken: once for the
change, then again with the same. The version, `updated_at` and entity tag stay; a revision that is gone is refused.
"""

from datetime import timedelta
from typing import Any

import pytest

from tests.contract.stage import Stage
from tests.contract.test_bounds import BY_SERVICE, Calls, operations_of
from tests.contract.variants import Variant
from tests.doors import ROUTES, Door, Refused, RestDoor, revision_of
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

LONG = 2_000
"""What is longer in a body says no more about what stands than a shorter one."""


def updates_of(service: str) -> list[str]:
    """The operations of a service that change what stands, by PUT or PATCH."""
    return [name for name in operations_of(service) if (ROUTES[name].methods or set()) & {"PUT", "PATCH"}]


def bodies_of(calls: Calls) -> list[Variant]:
    """Return what a document says is taken, as one change each to a body that is taken."""
    return [
        one
        for one in calls.variants()
        if one.code is None and one.where[0] not in calls.op.arguments.model_fields and len(str(one.value)) < LONG
    ]


async def asked(calls: Calls, door: Door, arguments: dict[str, Any], **headers: str) -> Any:
    """Call it through a door as the owner of what is changed, some time after the call before."""
    place = calls.stage.places["own"]
    token = calls.stage.tokens["project operator"] if calls.case.on == "own session" else calls.stage.owners["own"]
    headers = ({"X-Project-ID": place.project} if calls.case.header else {}) | headers
    calls.stage.world.clock.moment += timedelta(milliseconds=7)
    return await door(calls.op, token, headers, **arguments)


async def repeated(calls: Calls, door: Door, arguments: dict[str, Any], said: str) -> str | None:
    """Return what is wrong with the second of two updates that say the same."""
    rest = RestDoor(calls.stage.world.client)
    first = await asked(calls, rest, arguments)
    if isinstance(first, Refused):
        return None  # bounds are another test's
    assert rest.last is not None
    tag, revision = rest.last.headers["ETag"], revision_of(rest.last)
    second = await asked(calls, door, arguments)
    if second != first:
        return f"{said}: {first} | {second}"
    stale = await asked(calls, door, arguments, **{"If-Match": f'"{revision + 7}"'})
    if stale != "VERSION_CONFLICT":
        return f"{said}: a revision that is gone was taken: {stale}"
    fits = await asked(calls, rest, arguments, **{"If-Match": tag})
    if fits != first or rest.last.status_code != 200 or rest.last.headers["ETag"] != tag:
        return f"{said}: {tag} {first} | {fits} {rest.last.headers.get('ETag')}"
    return None


@BY_SERVICE
async def test_the_same_update_again_writes_nothing(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    for operation in updates_of(service):
        calls = Calls(stage, door, operation)
        wrong.append(await repeated(calls, door, await calls.base(), operation))
        for variant in bodies_of(calls):
            arguments = await calls.with_(variant)
            wrong.append(await repeated(calls, door, arguments, f"{operation} {variant.field} {variant.what}"))
    assert not any(wrong), "\n".join(filter(None, wrong))


@BY_SERVICE
async def test_an_update_that_says_nothing_writes_nothing(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    for operation in updates_of(service):
        calls = Calls(stage, door, operation)
        arguments = await calls.base()
        assert calls.op.body is not None
        made = await asked(calls, RestDoor(world.client), arguments)
        assert not isinstance(made, Refused), f"{operation}: {made}"
        wrong.append(await repeated(calls, door, arguments | {calls.op.body.name: {}}, f"{operation} of nothing"))
    assert not any(wrong), "\n".join(filter(None, wrong))
