"""Every operation answers with exactly the published fields and types, under both prefixes where it has two."""

import re
from typing import Any

import httpx
import pytest

from rest_compat.app import SERVICES
from rest_compat.events import StreamRoute
from rest_compat.transfer import DownloadRoute
from tests.contract.published import Described, line
from tests.contract.stage import Stage
from tests.contract.table import TABLE
from tests.contract.table.kinds import Field
from tests.contract.test_bounds import BY_SERVICE, Calls, operations_of
from tests.doors import ROUTES, Door, Refused, RestDoor
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
FORMATS = {
    "uuid": r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    "date-time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
}
NEW = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[0-9a-f]{32,}|\d{4}-\d\d-\d\dT[\d:.]+Z|\"etag\"|\d+\.\d+|\d+e-\d+"
)
"""What differs between two calls that do the same."""


def mismatches(value: Any, field: Field, where: str) -> list[str]:
    """In what a value is not what is published of it."""
    if value is None:
        return [] if field.null or field.type == "any" else [f"{where} is null"]
    if field.type == "any":
        return []
    if not isinstance(value, TYPES[field.type]) or (isinstance(value, bool) and field.type != "boolean"):
        return [f"{where} is {type(value).__name__}, not {field.type}"]
    found = []
    if field.choices is not None and value not in field.choices:
        found.append(f"{where} is {value}, not one of {sorted(field.choices)}")
    if field.format in FORMATS and not re.fullmatch(FORMATS[field.format], value):
        found.append(f"{where} is {value}, no {field.format}")
    if field.items is not None:
        for item in value:
            found += mismatches(item, field.items, f"{where}.*")
    if field.fields is not None:
        found += [f"{where}.{name} is not published" for name in value.keys() - field.fields.keys()]
        found += [f"{where}.{name} is left out" for name in field.fields.keys() - value.keys()]
        for name in field.fields.keys() & value.keys():
            found += mismatches(value[name], field.fields[name], f"{where}.{name}")
    return found


def items_of(field: Field) -> Field:
    """The items of a list as both doors answer them."""
    assert field.fields is not None
    return next(f for f in field.fields.values() if f.type == "array")


@BY_SERVICE
async def test_an_answer_has_the_published_fields_and_types(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    rows = {row.operation: row for row in TABLE}
    for operation in operations_of(service):
        calls = Calls(stage, door, operation)
        answer = await calls.call(**await calls.base())
        if isinstance(answer, Refused):
            wrong.append(f"{operation}: {answer}")
            continue
        if isinstance(calls.route, DownloadRoute | StreamRoute):
            continue  # no JSON: `test_transfer.py` and the tests of the streams look into it
        assert door.last is not None
        status = door.last.status_code
        if door.name == "rest":
            row = rows.get(operation)
            expected = {calls.route.answer_status, calls.route.created or calls.route.answer_status}
            if row is not None:
                assert expected == {row.status, row.created or row.status}
            published = calls.described.answers[status]
            assert status in expected, operation
            assert published is not None
            wrong += mismatches(door.last.json(), published, operation)
        else:
            published = calls.described.answers[calls.route.answer_status]
            assert published is not None
            if calls.route.empty:
                continue
            if isinstance(answer, dict) and set(answer) == {"items", "total"}:
                wrong += mismatches(answer["items"], items_of(published), operation)
            elif "." not in operation:
                wrong += mismatches(answer, published, operation)
    assert not wrong, "\n".join(wrong)


class LongPrefix(RestDoor):
    """Through the other prefix of Data Readiness."""

    async def _call(self, op: Any, arguments: dict[str, Any], headers: dict[str, str]) -> Any:
        async def request(method: str, path: str, **how: Any) -> httpx.Response:
            assert path.startswith("/data-readiness/")
            return await self.plain_client.request(method, f"/api{path}", **how)

        self.plain_client = self.client
        self.client = httpx.AsyncClient(transport=self.client._transport, base_url=self.client.base_url)
        self.client.request = request  # type: ignore[method-assign]
        try:
            return await super()._call(op, arguments, headers)
        finally:
            self.client = self.plain_client


def masked(answer: httpx.Response) -> str:
    """An answer without what is new in each."""
    return NEW.sub("<new>", answer.text)


@pytest.mark.long  # asks every operation of a service four times
@pytest.mark.parametrize("store_kind", ["sqlite"])
async def test_both_prefixes_of_data_readiness_answer_alike(world: World, store_kind: str) -> None:
    stage, wrong = await Stage.set(world), []
    short, long = RestDoor(world.client), LongPrefix(world.client)
    for operation in operations_of("data-readiness"):
        if ROUTES[operation].operation.kind.value == "reads":
            await world.jobs.settle()  # a run that goes on would be told differently each time
            calls = Calls(stage, short, operation)
            arguments = await calls.base()
            first = await calls.call(**arguments)
            calls.door = long
            second = await calls.call(**arguments)
        else:
            one, other = Calls(stage, short, operation), Calls(stage, long, operation)
            first, second = await one.call(**await one.base()), await other.call(**await other.base())
        assert short.last is not None
        assert long.last is not None
        assert not isinstance(first, Refused), operation
        assert not isinstance(second, Refused), operation
        if short.last.status_code != long.last.status_code or masked(short.last) != masked(long.last):
            wrong.append(f"{operation}: {short.last.text} | {long.last.text}")
        refused = []  # and refuses alike
        for one in (short, long):
            calls = Calls(stage, one, operation)
            refused.append(await one(calls.op, None, {}, **await calls.base()))
            assert one.last is not None
            body = one.last.json()
            assert list(body) == ["error", "request_id"], operation
        assert refused[0] == refused[1] == "UNAUTHENTICATED", operation
    assert not wrong, "\n".join(wrong)


def test_the_services_are_the_contracts() -> None:
    assert [service.door.prefix for service in SERVICES] == [
        "/governance",
        "/assets",
        "/utils",
        "/talk2data",
        "/data-readiness",
        "/search",
    ]
    assert all(Described.at(line(route)).about for route in ROUTES.values())
