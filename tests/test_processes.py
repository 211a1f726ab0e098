"""`stoa serve --processes`: several processes behind one address, which agree about everything that is in the store."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from auth.issuer import DevelopmentIssuer
from tests.support.chat import events_of
from tests.support.postgres import free_port
from tests.support.server import Client, Server, stoa, until

pytestmark = [
    pytest.mark.starts,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc"),
]


class Several:
    """A server of two processes."""

    def __init__(self, server: Server) -> None:
        self.server = server

    def children(self) -> list[int]:
        """The processes that serve, in no order."""
        pid = self.server.process.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]

    def ready(self, of: int = 2) -> list[int]:
        """Wait until so many more have said that they are ready; the processes."""
        until(lambda: self.server.text.count("Application startup complete") >= of, "the processes")
        return self.children()

    @contextmanager
    def alone(self, chosen: int) -> Iterator[None]:
        """Let one process answer every new connection."""
        others = [child for child in self.children() if child != chosen]
        for other in others:
            os.kill(other, signal.SIGSTOP)
        try:
            yield
        finally:
            for other in others:
                os.kill(other, signal.SIGCONT)

    def get(self, token: str, path: str, **how: Any) -> httpx.Response:
        """One request over a connection of its own."""
        return self.request("GET", token, path, **how)

    def request(self, method: str, token: str, path: str, **how: Any) -> httpx.Response:
        """One request over a connection of its own."""
        headers = {"Authorization": f"Bearer {token}", **how.pop("headers", {})}
        return httpx.request(method, self.server.address + path, headers=headers, timeout=60, **how)


@pytest.fixture
def settings(postgres_url: str, tmp_path: Path) -> dict[str, Any]:
    """Two processes on PostgreSQL, with the organization acme."""
    settings = {"database_url": postgres_url, "processes": 2, "worker_heartbeat_seconds": 0.2, "worker_dead_seconds": 1}
    made = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", settings=settings)
    assert made.returncode == 0, made.stderr
    return settings


@pytest.fixture
def several(settings: dict[str, Any], tmp_path: Path) -> Iterator[Several]:
    """The server."""
    with Server(tmp_path, settings=settings) as server:
        several = Several(server.ready())
        assert len(several.ready()) == 2
        yield several
        server.ask_to_stop()
        assert server.ended(60) == 0, server.text[-3000:]


def test_each_answers_a_dead_one_is_replaced_and_a_signal_ends_all(several: Several, tmp_path: Path) -> None:
    server = several.server
    before = several.children()
    for child in before:
        with several.alone(child):
            assert server.status("/readyz") == 200
            assert server.status("/governance/projects") == 401
    dead, living = before
    os.kill(dead, signal.SIGKILL)
    statuses = set()

    def replaced() -> bool:
        statuses.add(server.status("/readyz"))
        return len(several.children()) == 2 and dead not in several.children()

    until(replaced, "another process")
    after = several.ready(3)
    assert statuses == {200}, "the one that lived answers meanwhile"
    assert living in after
    for child in after:
        with several.alone(child):
            assert server.status("/readyz") == 200
    assert server.text.count("listening on http://") == 1
    assert server.text.count("STOA_REDIS_URL") == 1
    server.ask_to_stop()
    assert server.ended(60) == 0, server.text[-3000:]
    assert "Traceback" not in server.text
    assert not any(Path(f"/proc/{child}").exists() for child in after)


def test_a_right_taken_away_through_one_is_refused_by_the_other_at_once(several: Several, tmp_path: Path) -> None:
    with Client(tmp_path, several.server) as olga:
        project, token = olga.project, olga.token
    viewer = DevelopmentIssuer(tmp_path / "data").issue("vera", "acme", project=project, ttl=timedelta(hours=1))
    role = {"user_or_group": "vera", "relation": "viewer", "resource_type": "project", "resource_id": project}
    path, late = f"/governance/projects/{project}", 0
    for one, other in [several.children(), several.children()[::-1]] * 3:
        for change, expected in (("grant", 200), ("revoke", 403)):
            with several.alone(one):
                answer = several.request("POST", token, f"/governance/permissions/{change}", json=role)
                assert answer.status_code == 200, answer.text
            with several.alone(other):
                late += several.get(viewer, path).status_code != expected
    assert late == 0


def test_a_stream_begun_on_one_goes_on_at_the_other(several: Several, tmp_path: Path) -> None:
    first, _ = several.children()
    with several.alone(first), Client(tmp_path, several.server) as client:
        session = client("POST", "/talk2data/chat/sessions", json={})["session_id"]
        turn = client("POST", f"/talk2data/chat/sessions/{session}/turns", json={"message": "How many?"})["turn_id"]
        stream, token = f"/talk2data/chat/messages/sessions/{session}/turns/{turn}/stream", client.token
        seen = ""
        with suppress(httpx.TransportError), client._http.stream("POST", stream) as answer:
            for text in answer.iter_text():
                seen += text
                if "\n\n" in seen:
                    os.kill(first, signal.SIGKILL)
        headers = {"X-Project-ID": client.project, "Authorization": f"Bearer {token}"}
    begun = events_of(seen.rpartition("\n\n")[0])[:1]
    assert begun

    def told(after: int) -> list[dict[str, Any]]:
        headers["Last-Event-ID"] = str(after)
        answer = several.request("POST", token, stream, headers=headers)
        assert answer.status_code == 200, answer.text
        return events_of(answer.text)

    rest = told(begun[-1]["sequence"])
    assert begun + rest == told(0)
    assert (begun + rest)[-1]["final"]


def test_they_end_with_their_parent(settings: dict[str, Any], tmp_path: Path) -> None:
    with Server(tmp_path, settings=settings) as server:
        several = Several(server.ready())
        children = several.ready()
        server.kill()
        until(lambda: not any(Path(f"/proc/{child}").exists() for child in children), "the end of the children")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"processes": 2}, "2 processes (STOA_PROCESSES) need PostgreSQL, since a file takes one writer"),
        ({"processes": 0}, "STOA_PROCESSES: "),
        (
            {"processes": 2, "database_url": "postgresql://127.0.0.1/none", "job_database_url": "sqlite:////tmp/jobs"},
            "2 processes (STOA_PROCESSES) need the job log in PostgreSQL",
        ),
        ({"processes": 2, "database_url": f"postgresql://x@127.0.0.1:{free_port()}/none"}, "onnection"),
    ],
)
def test_what_cannot_be_served_by_several_ends_with_a_sentence(
    tmp_path: Path, given: dict[str, Any], words: str
) -> None:
    answer = stoa(tmp_path, "serve", "--port", str(free_port()), settings=given)
    assert answer.returncode == 1
    assert words in answer.stderr, answer.stderr
    assert "Traceback" not in answer.stderr


def test_one_that_never_starts_ends_all_with_a_sentence(settings: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "data" / "keyring.json").write_text("no keys")
    answer = stoa(tmp_path, "serve", "--port", str(free_port()), settings=settings)
    assert answer.returncode == 1
    assert "Stoa could not start: " in answer.stderr
    assert "Traceback" not in answer.stderr
