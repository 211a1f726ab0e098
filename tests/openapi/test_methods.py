"""A path that has a word where another one takes an id is only itself."""

import pytest

from tests.world import World

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/data-readiness/workflows/definitions", "GET, HEAD"),
        ("DELETE", "/api/data-readiness/workflows/pipelines", "GET, HEAD"),
        ("PUT", "/data-readiness/workflows/runs", "GET, HEAD"),
        ("PATCH", "/data-readiness/violations/definitions", "GET, HEAD, POST"),
    ],
)
async def test_a_word_is_never_taken_for_an_id(world: World, method: str, path: str, allowed: str) -> None:
    answer = await world.request(method, path, token=world.owner, json={})
    assert answer.status_code == 405, answer.text
    assert answer.headers["Allow"] == allowed
    assert (await world.request("GET", path, token=world.owner)).status_code == 200


@pytest.mark.parametrize("value", ["0", "1700000000", "2026-11-02"])
async def test_a_bare_number_or_day_is_no_moment(world: World, value: str) -> None:
    runs = "/data-readiness/workflows/7d0c6a34-52b1-4a50-8b39-6f4f1c3f9f10/runs"
    for path in (f"{runs}?started_before={value}", f"/data-readiness/metrics/results?as_of={value}"):
        answer = await world.request("GET", path, token=world.owner)
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"]["code"] == "INVALID_PARAMETER"
    whole = await world.request("GET", "/data-readiness/metrics/results?as_of=2026-11-02T09:30:00Z", token=world.owner)
    assert whole.status_code == 200
