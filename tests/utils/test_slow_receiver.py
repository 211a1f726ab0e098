"""Receivers of webhooks that take twenty seconds and more to answer slow no other webhook."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.http_stub import Asked, HttpStub, Reply, http_stub
from tests.support.server import Client, Server, stoa, until

TWENTY, SLOWEST = 20.0, 60.0
"""No event may take as long as a slow receiver would, which here answers when all is over, or after a minute."""
SLOW, QUICK, TERMS = 5, 3, 6
"""More slow receivers than places for those that struggle."""
SETTINGS = {"event_tick_seconds": 0.1, "webhook_timeout_seconds": SLOWEST}

pytestmark = pytest.mark.timeout(900)


@contextmanager
def receiving() -> Iterator[tuple[HttpStub, list[str]]]:
    """Run a server whose slow paths answer when the block ends, or after a minute; whom it has answered."""
    over, answered = threading.Event(), list[str]()

    def answer(asked: Asked) -> Reply:
        if asked.path.startswith("/slow"):
            over.wait(SLOWEST)
        answered.append(asked.path)
        return 204, {}, b""

    with http_stub(answer) as stub:
        try:
            yield stub, answered
        finally:
            over.set()


def test_receivers_that_sleep_slow_no_other_webhook(store_url: str | None, tmp_path: Path) -> None:
    settings = SETTINGS | {"database_url": store_url}
    made = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", settings=settings)
    assert made.returncode == 0, made.stderr
    slow, quick = [f"/slow{n}" for n in range(SLOW)], [f"/quick{n}" for n in range(QUICK)]
    with (
        receiving() as (stub, answered),
        Server(tmp_path, settings=settings) as server,
        Client(tmp_path, server.ready()) as client,
    ):
        for path in (*slow, *quick):  # the slow ones stand first in every order
            client("POST", "/utils/webhooks", json={"name": path, "url": f"http://127.0.0.1:{stub.port}{path}"})

        def arrived(path: str) -> list[str]:
            bodies = [json.loads(asked.body) for asked in list(stub.asked) if asked.path == path]
            return [body["data"]["name"] for body in bodies]

        def approve(name: str) -> None:
            term = {"name": name, "definition": "What was paid.", "status": "in_review"}
            id = client("POST", "/data-readiness/glossary/terms", json=term)["id"]
            client("POST", f"/data-readiness/glossary/terms/{id}/approval", json={"decision": "approve"})

        names = [f"Term {number}" for number in range(TERMS)]
        took: dict[str, float] = {}
        approve(names[0])
        until(lambda: all(arrived(path) for path in slow), "every slow receiver")
        for number, name in enumerate(names[1:], 2):
            approve(name)
            approved = time.monotonic()
            until(lambda all_of=number: all(len(arrived(path)) == all_of for path in quick), name)  # type: ignore[misc]
            took[name] = time.monotonic() - approved
        assert {path: arrived(path) for path in quick} == dict.fromkeys(quick, names)
        assert not set(slow) & set(answered), "the slow ones were waited for"
        assert max(took.values()) < TWENTY, took
        assert [arrived(path) for path in slow] == [names[:1]] * SLOW
