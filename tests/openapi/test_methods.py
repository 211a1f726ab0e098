"""A path that has a word where another one takes an id is only itself."""

import pytest

from tests.world import World

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/data-readiness/workflows/definitions", "GET"),
        ("DELETE", "/api/data-readiness/workflows/pipelines", "GET"),
        ("PATCH", "/data-readiness/violations/definitions", "GET, POST"),
    ],
)
async def test_a_word_is_never_taken_for_an_id(world: World, method: str, path: str, allowed: str) -> None:
    answer = await world.request(method, path, token=world.owner, json={})
    assert answer.status_code == 405, answer.text
    assert answer.headers["Allow"] == allowed
    assert (await world.request("GET", path, token=world.owner)).status_code == 200
