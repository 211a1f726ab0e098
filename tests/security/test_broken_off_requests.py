"""A caller that hangs up in the middle of a body is no failure of the server's, whatever he was sending."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import pytest
import structlog

from rest_compat import middleware
from tests.world import World

pytestmark = pytest.mark.anyio

FORM = "multipart/form-data; boundary=x"
BEGUN = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'
MAP = b'--x\r\nContent-Disposition: form-data; name="operations"\r\n\r\n{"que'


@pytest.fixture
def store_kind() -> str:
    """No store is reached."""
    return "sqlite"


async def broken_off(world: World, method: str, path: str, content_type: str, body: bytes) -> list[Mapping[str, Any]]:
    """Send the beginning of a body, and hang up; what the application answered."""
    coming = [{"type": "http.request", "body": body, "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Any:
        return coming.pop(0) if len(coming) > 1 else coming[0]

    async def send(message: Any) -> None:
        sent.append(message)

    headers = {"authorization": f"Bearer {world.owner}", "content-type": content_type, "content-length": "100000"}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("stoa.test", 80),
    }
    await asyncio.wait_for(world.app(scope, receive, send), 20)
    return sent


@pytest.mark.parametrize(
    ("method", "path", "content_type", "body"),
    [
        ("POST", "/governance/projects", "application/json", b'{"name": "a'),
        ("PUT", "/governance/organizations/acme/rate-limits", "application/json", b"{"),
        ("POST", "/assets/files", FORM, BEGUN),
        ("POST", "/graphql", "application/json", b'{"query": "{ pro'),
        ("POST", "/graphql", FORM, MAP),
    ],
    ids=["create", "update", "upload", "graph", "graph form"],
)
async def test_who_hangs_up_is_one_line_in_the_log_and_no_failure(
    world: World,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
    path: str,
    content_type: str,
    body: bytes,
) -> None:
    with caplog.at_level(logging.DEBUG), structlog.testing.capture_logs() as lines:
        # One that has logged before keeps to where it logged then.
        monkeypatch.setattr(middleware, "log", structlog.get_logger("stoa.access"))
        await broken_off(world, method, path, content_type, body)
    assert [line["status"] for line in lines if line["event"] == "request"] == [499]
    assert {line["log_level"] for line in lines} <= {"info", "debug"}
    loud = [one for one in caplog.records if one.exc_info or one.levelno > logging.INFO]
    assert not loud, [one.getMessage() for one in loud]
