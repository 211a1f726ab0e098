"""A moment that is sent with an offset is answered alike by whoever tells it: in UTC, at once and later."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.published import Described, line
from tests.contract.stage import Stage
from tests.contract.table.kinds import Fields
from tests.contract.test_bounds import BY_SERVICE, Calls, operations_of
from tests.contract.variants import Variant
from tests.doors import OPERATIONS, ROUTES, Door, Refused
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

BACK = {"as_of"}
"""The fields that look back; all others name a moment to come."""
UNTOLD = {"replay_webhook"}
"""Operations that answer with how much lies between two moments, and repeat neither."""


def moments_of(fields: Fields, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of the fields of a body that hold a moment."""
    for name, field in fields.items():
        if field.format == "date-time":
            yield (*at, name)
        if field.fields is not None:
            yield from moments_of(field.fields, (*at, name))


def told(value: Any, name: str) -> Iterator[Any]:
    """Return what an answer says under a name, at whatever depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == name and inner is not None:
                yield inner
            yield from told(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from told(inner, name)


def bodies(described: Described) -> list[tuple[str, ...]]:
    """The moments in the body of an operation."""
    return list(moments_of(described.body.fields or {})) if described.body is not None else []


async def read_again(calls: Calls, arguments: dict[str, Any], answer: Any) -> Any:
    """Return what the operation that gets one says of what was written; None when there is no such operation."""
    noun = calls.op.name.partition("_")[2]
    get = OPERATIONS.get(f"get_{noun}")
    if get is None or calls.op.name.startswith("get_"):
        return None
    (id,) = [name for name in get.arguments.model_fields if name.endswith(("_id", "_uri"))][:1]
    value = answer.get("superseded_by") or arguments.get(id) or answer.get("id") or answer.get(id)
    place = calls.stage.places["own"]
    return await calls.door(get, calls.stage.owners["own"], {"X-Project-ID": place.project}, **{id: value})


@BY_SERVICE
async def test_a_moment_is_told_in_utc_by_whoever_tells_it(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    for operation in operations_of(service):
        if operation in UNTOLD:
            continue
        calls = Calls(stage, door, operation)
        for path in bodies(calls.described):
            day, eve = ("2020-03-02", "2020-03-01") if path[-1] in BACK else ("2090-03-02", "2090-03-01")
            sent, expected = f"{day}T03:15:00.25+05:45", f"{eve}T21:30:00.250000Z"
            arguments = await calls.with_(Variant("with an offset", path, sent))
            if path == ("schedule", "run_at"):
                assert calls.op.body is not None
                arguments[calls.op.body.name]["schedule"] = {"type": "ONE_OFF", "run_at": sent}
            if operation == "get_scorecard":  # what it names was not there in the past
                arguments["request"].pop("asset_fqn")
            answer = await calls.call(**arguments)
            if isinstance(answer, Refused):
                wrong.append(f"{operation} {path}: {answer}")
                continue
            again = await read_again(calls, arguments, answer)
            found = [*told(answer, path[-1]), *told(again, path[-1])]
            if any(one != expected for one in found) or (again is not None and not found):
                wrong.append(f"{operation} {'.'.join(path)}: {found}")
    assert not wrong, "\n".join(wrong)


def test_the_walk_meets_the_moments_that_bodies_hold() -> None:
    met = {path[-1] for route in ROUTES.values() for path in bodies(Described.at(line(route)))}
    assert met >= {"expires_at", "run_at", "as_of"}
