"""A query parameter that a path does not have is refused, and the one that is meant is named."""

import re
from collections.abc import Iterator

import pytest

from rest_compat.app import SERVICES
from rest_compat.route import OperationRoute
from tests.contract.envelopes import assert_envelope
from tests.world import World

pytestmark = pytest.mark.anyio


def _routes() -> Iterator[OperationRoute]:
    for service in SERVICES:
        yield from (route for route in service.door.routes if isinstance(route, OperationRoute))


async def test_a_slip_is_told_with_the_parameter_that_is_meant(world: World) -> None:
    answer = await world.request("GET", "/governance/projects?limits=3", token=world.owner)
    error = assert_envelope(answer, 400, "INVALID_PARAMETER")
    assert error["message"].startswith("limits: There is no such parameter here; did you mean 'limit'? It takes ")
    assert error["details"]["field"] == "limits"
    assert "limit" in error["details"]["known"]


async def test_every_path_refuses_what_it_does_not_have(world: World) -> None:
    selected = {"X-Project-ID": world.shop}
    for route in _routes():
        path = re.sub(r"{[^}]*}", "x", route.path)
        for method in route.methods or ():
            answer = await world.request(method, f"{path}?surely_unknown=1", token=world.owner, headers=selected)
            assert answer.status_code == 400, (method, path, answer.text)
            assert "surely_unknown: There is no such parameter here. It takes " in answer.text, (method, path)


async def test_a_thousand_unknown_parameters_make_a_short_answer(world: World) -> None:
    query = "&".join(f"n{number}={'9' * 10}" for number in range(1000))
    answer = await world.request("GET", f"/governance/projects?{query}", token=world.owner)
    error = assert_envelope(answer, 400, "INVALID_PARAMETER")
    assert len(error["details"]["problems"]) == 50


async def test_the_name_of_a_part_of_the_path_is_no_query_parameter(world: World) -> None:
    path = f"/governance/projects/{world.shop}"
    answer = await world.request("GET", f"{path}?project_id=another", token=world.owner)
    assert_envelope(answer, 400, "INVALID_PARAMETER")


class TestLenient:
    """A deployment that leaves unknown parameters unread."""

    @pytest.fixture
    def setting_overrides(self) -> dict[str, object]:
        return {"unknown_parameters": "ignore"}

    async def test_unknown_parameters_are_left_unread(self, world: World) -> None:
        for query in ("surely_unknown=1", "limits=x", "limit=5&_=123"):
            answer = await world.request("GET", f"/governance/projects?{query}", token=world.owner)
            assert answer.status_code == 200, answer.text
        answer = await world.request("GET", "/governance/projects?limit=x&_=1", token=world.owner)
        assert_envelope(answer, 400, "INVALID_PARAMETER")
