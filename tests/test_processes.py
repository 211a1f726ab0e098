"""`stoa serve --processes`: several processes behind one address, which agree about everything that is in the store."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest

from auth.issuer import DevelopmentIssuer
from rest_compat.child import OWN_LISTENERS
from rest_compat.setup import bootstrap_organization
from tests.support.chat import events_of
from tests.support.postgres import free_port
from tests.support.server import Client, Server, stoa, until
from tests.world import settings_for

pytestmark = [
    pytest.mark.xdist_group("processes"),
    pytest.mark.timeout(900),
    pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc"),
]


class Several:
    """A server of two processes."""

    def __init__(self, server: Server, database_url: str) -> None:
        self.server, self.database_url = server, database_url
        self._killed: set[int] = set()

    def children(self) -> list[int]:
        """The processes that serve, in no order."""
        pid = self.server.process.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(child) for child in found if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]

    def ready(self) -> list[int]:
        """Wait until all have said that they are ready, those too that take the place of killed ones; the processes."""
        until(lambda: self.server.text.count("Application startup complete") >= 2 + len(self._killed), "the processes")
        return self.children()

    def kill(self, chosen: int) -> None:
        """Kill one, for which another will begin.

        It takes a while to die where much else runs, and takes connections until then that nobody answers.
        """
        shared = set[str]().union(*(sockets_of(child) for child in self.children() if child != chosen))
        own = {line[9] for line in connections()} & sockets_of(chosen) - shared
        os.kill(chosen, signal.SIGKILL)
        self._killed.add(chosen)
        until(lambda: own.isdisjoint([line[9] for line in connections()]), "the end of its sockets")

    @contextmanager
    def over(self, chosen: int, token: str = "") -> Iterator[httpx.Client]:
        """A client with one connection, which a chosen process has taken."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        for _ in range(200):
            one = httpx.Limits(max_connections=1)
            with httpx.Client(base_url=self.server.address, headers=headers, limits=one, timeout=60) as client:
                stream = client.get("/healthz").extensions["network_stream"]
                if taken_of(stream.get_extra_info("client_addr")[1]) in sockets_of(chosen):
                    yield client
                    return
        raise AssertionError(f"{chosen} takes no connections")


def taken_of(port: int) -> str:
    """Return the number of the socket at the server's end of the connection from a port."""
    return next(line[9] for line in connections() if line[2].endswith(f":{port:04X}") and line[3] == "01")


def connections() -> list[list[str]]:
    """Return the fields of each TCP socket of the machine: the second and third are addresses, the tenth its number."""
    return [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]


def sockets_of(process: int) -> set[str]:
    """Return the numbers of the sockets that a process has open."""
    open_files = Path(f"/proc/{process}/fd").iterdir()
    return {target[8:-1] for one in open_files if (target := os.readlink(one)).startswith("socket:")}


class Kept:
    """A server of two processes on PostgreSQL with the organization acme, which one test after another uses.

    A start costs as much as all the rest of a test here, so that a new one begins only where the last has ended.
    """

    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.settings: dict[str, Any] = {
            "database_url": url,
            "processes": 2,
            "worker_heartbeat_seconds": 0.2,
            "worker_dead_seconds": 1,
        }
        with ThreadPoolExecutor(1) as apart:  # the tests' own event loop is not to be touched
            stock = bootstrap_organization(settings_for(folder, url, migrate_on_start=False), "acme", "olga", "Acme")
            apart.submit(asyncio.run, stock).result()
        self._several: Several | None = None
        self._project: str | None = None

    def client(self) -> Client:
        """The owner of the organization, in its one project."""
        client = Client(self.folder, self.several().server, self._project)
        self._project = client.project
        return client

    def several(self) -> Several:
        """The server, with two processes that are ready."""
        if self._several is None or self._several.server.process.poll() is not None:
            self._several = Several(Server(self.folder, settings=self.settings).ready(), self.settings["database_url"])
        assert len(self._several.ready()) == 2
        return self._several

    def close(self) -> None:
        """End it, if it runs."""
        if self._several is not None:
            self._several.server.kill()


@pytest.fixture(scope="module")
def kept(_postgres_template: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Return what the tests of this file share."""
    server, url = _postgres_template.clone()
    kept = Kept(tmp_path_factory.mktemp("several"), url)
    yield kept
    kept.close()
    server.drop_database(url)


@pytest.fixture
def several(kept: Kept) -> Several:
    """The server; a test may kill its processes, and end it."""
    return kept.several()


@pytest.mark.starts
def test_a_right_taken_away_through_one_is_refused_by_the_other_at_once(several: Several, kept: Kept) -> None:
    with kept.client() as olga:
        project, token = olga.project, olga.token
    viewer = DevelopmentIssuer(kept.folder / "data").issue("vera", "acme", project=project, ttl=timedelta(hours=1))
    role = {"user_or_group": "vera", "relation": "viewer", "resource_type": "project", "resource_id": project}
    path, late = f"/governance/projects/{project}", 0
    for one, other in [several.children(), several.children()[::-1]] * 3:
        for change, expected in (("grant", 200), ("revoke", 403)):
            with several.over(one, token) as client:
                answer = client.post(f"/governance/permissions/{change}", json=role)
                assert answer.status_code == 200, answer.text
            with several.over(other, viewer) as client:
                late += client.get(path).status_code != expected
    assert late == 0


@pytest.mark.starts
def test_connections_are_spread_over_sockets_of_each_process(several: Several) -> None:
    port = several.server.port
    listening = {line[9] for line in connections() if line[1].endswith(f":{port:04X}") and line[3] == "0A"}
    own = [listening & sockets_of(child) for child in several.children()]
    assert [len(sockets) for sockets in own] == [1 + OWN_LISTENERS, 1 + OWN_LISTENERS]
    assert len(set.intersection(*own)) == 1
    with ExitStack() as opened:
        clients = [opened.enter_context(closing(HTTPConnection("127.0.0.1", port, timeout=60))) for _ in range(64)]
        for client in clients:
            client.request("GET", "/healthz")
            client.getresponse().read()
        taken = {taken_of(client.sock.getsockname()[1]) for client in clients}
        shares = [len(taken & sockets_of(child)) for child in several.children()]
    assert sum(shares) == 64
    assert min(shares) >= 8, "chance alone comes to it once in a million times"


@pytest.mark.starts
def test_nobody_else_listens_where_several_do(several: Several, tmp_path: Path) -> None:
    for processes in (1, 2):
        settings = {"processes": processes, "database_url": several.database_url if processes > 1 else None}
        answer = stoa(tmp_path, "serve", "--port", str(several.server.port), settings=settings)
        assert answer.returncode == 1
        assert "Nothing can listen on" in answer.stderr, answer.stderr


@pytest.mark.starts
def test_a_stream_begun_on_one_goes_on_at_the_other(several: Several, kept: Kept) -> None:
    first, other = several.children()
    with kept.client() as client, several.over(first) as http:
        client.use(http)
        session = client("POST", "/talk2data/chat/sessions", json={})["session_id"]
        turn = client("POST", f"/talk2data/chat/sessions/{session}/turns", json={"message": "How many?"})["turn_id"]
        stream, token = f"/talk2data/chat/messages/sessions/{session}/turns/{turn}/stream", client.token
        seen = ""
        with suppress(httpx.TransportError), client._http.stream("POST", stream) as answer:
            for text in answer.iter_text():
                seen += text
                if "\n\n" in seen:
                    several.kill(first)
        headers = {"X-Project-ID": client.project, "Authorization": f"Bearer {token}"}
    begun = events_of(seen.rpartition("\n\n")[0])[:1]
    assert begun

    def told(after: int) -> list[dict[str, Any]]:
        headers["Last-Event-ID"] = str(after)
        with several.over(other) as client:
            answer = client.post(stream, headers=headers)
        assert answer.status_code == 200, answer.text
        return events_of(answer.text)

    rest = told(begun[-1]["sequence"])
    assert begun + rest == told(0)
    assert (begun + rest)[-1]["final"]


@pytest.mark.starts
def test_each_answers_a_dead_one_is_replaced_and_a_signal_ends_all(several: Several) -> None:
    server = several.server
    said, before = len(server.text), several.children()
    for child in before:
        with several.over(child) as client:
            assert client.get("/readyz").status_code == 200
            assert client.get("/governance/projects").status_code == 401
    dead, living = before
    several.kill(dead)
    statuses = set()

    def replaced() -> bool:
        time.sleep(0.1)  # the supervisor notices it after half a minute, and each question costs
        statuses.add(server.status("/readyz"))
        return len(several.children()) == 2 and dead not in several.children()

    until(replaced, "another process")
    after = several.ready()
    assert statuses == {200}, "the one that lived answers meanwhile"
    assert living in after
    for child in after:
        with several.over(child) as client:
            assert client.get("/readyz").status_code == 200
    assert server.text.count("listening on http://") == 1
    assert server.text.count("STOA_REDIS_URL") == 1
    server.ask_to_stop()
    assert server.ended(60) == 0, server.text[-3000:]
    assert "Traceback" not in server.text[said:]
    assert not any(Path(f"/proc/{child}").exists() for child in after)


@pytest.mark.starts
def test_they_end_with_their_parent(several: Several) -> None:
    children = several.children()
    several.server.kill()
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


@pytest.mark.long  # starts processes again and again until it gives up
@pytest.mark.starts
def test_one_that_never_starts_ends_all_with_a_sentence(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "keyring.json").write_text("no keys")
    answer = stoa(tmp_path, "serve", "--port", str(free_port()), settings=kept.settings)
    assert answer.returncode == 1
    assert "Stoa could not start: " in answer.stderr
    assert "Traceback" not in answer.stderr
