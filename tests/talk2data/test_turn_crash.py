"""A server is killed in the middle of an answer: the turn is taken up, told to its end, and nothing is told twice."""

import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.chat import events_of
from tests.support.chat_server import WORDS
from tests.support.server import Client, Server, stoa, until

pytestmark = pytest.mark.timeout(900)


class ChatServer(Server):
    """A server with the slow engine."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        super().__init__(folder, settings=settings)

    command = (sys.executable, "-m", "tests.support.chat_server")


def events(server: Server, client: Client, path: str, after: int = 0) -> list[dict[str, Any]]:
    """Every event of a stream until it ends."""
    answer = client._http.post(path, headers={"Last-Event-ID": str(after)})
    assert answer.status_code == 200, answer.text
    return events_of(answer.text)


def until_killed(server: Server, client: Client, path: str) -> list[dict[str, Any]]:
    """The events of a stream whose server is killed after ten words."""
    seen = ""
    with suppress(httpx.TransportError), client._http.stream("POST", path) as answer:
        for text in answer.iter_text():
            seen += text
            if seen.count("event: message_delta") >= 10:
                server.kill()
    return events_of(seen.rpartition("\n\n")[0])


def test_an_answer_is_told_to_its_end_by_the_next_process(store_url: str | None, tmp_path: Path) -> None:
    settings = {"database_url": store_url, "worker_heartbeat_seconds": 0.2, "worker_dead_seconds": 1}
    made = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", settings=settings)
    assert made.returncode == 0, made.stderr
    with ExitStack() as stack:
        first = stack.enter_context(ChatServer(tmp_path, settings)).ready()
        client = stack.enter_context(Client(tmp_path, first))
        session = client("POST", "/talk2data/chat/sessions", json={})["session_id"]
        turn = client("POST", f"/talk2data/chat/sessions/{session}/turns", json={"message": "How many?"})
        path = f"/talk2data/chat/sessions/{session}/turns/{turn['turn_id']}"
        stream = f"/talk2data/chat/messages/sessions/{session}/turns/{turn['turn_id']}/stream"
        before = until_killed(first, client, stream)
        assert len(before) >= 12
        assert not any(event["final"] for event in before)

        second = stack.enter_context(ChatServer(tmp_path, settings)).ready()
        again = stack.enter_context(Client(tmp_path, second, client.project))
        rest = events(second, again, stream, before[-1]["sequence"])
        whole = events(second, again, stream)
        assert before + rest == whole
        assert [event["sequence"] for event in whole] == list(range(1, WORDS + 5))
        assert [event["final"] for event in whole] == [False] * (WORDS + 3) + [True]
        words = [event["data"]["delta"] for event in whole if event["event"] == "message_delta"]
        assert words == [f"w{number} " for number in range(WORDS)]
        assert whole[-1]["event"] == "done"
        read = until(lambda: again("GET", path), "the turn")
        assert read["state"] == "completed"
        assert [message["content"] for message in read["messages"]] == ["How many?", "".join(words)]
        assert [update["state"] for update in read["task_updates"]] == ["submitted", "working", "completed"]
        counted = again("GET", f"/talk2data/chat/sessions/{session}")
        assert (counted["turn_count"], counted["message_count"]) == (1, 2)
