"""What `benchmarks.deliveries` stands on: a receiver of webhooks, a platform, and its processes, which are killed."""

import http.server
import multiprocessing
import os
import random
import signal
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import sqlalchemy as sa
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from auth.issuer import DevelopmentIssuer
from persistence.jobs.port import InlineJobs
from persistence.queries.violations import Finding
from persistence.repository import Scope
from persistence.samples.postgres import die_with_parent, free_port
from persistence.tables.quality import violations
from rest_compat.app import create_app
from rest_compat.logs import set_up_logs
from rest_compat.settings import Settings
from rest_compat.setup import bootstrap_organization
from schema.data_readiness.quality_builtin import VIOLATIONS

ORGANIZATION, USER = "bench", "olga"
HOOKS: Final = ("first", "second")
SERVER_EACH: Final = 5
"""After how many kills of workers the server that writes is killed once."""
ASSETS: Final = 12
BUSY: Final = 0.02
"""The share of deliveries that the receiver answers with 503."""
SLOWEST: Final = 0.03
"""Within how many seconds the receiver answers."""
LIVES: Final = 2.0
"""How many seconds a process that is ready may live."""
PATIENCE: Final = 240.0
READY: Final = "The worker is ready."


@dataclass(frozen=True)
class Arrival:
    """One delivery that the receiver took."""

    id: str
    body: bytes


class Receiver:
    """Takes deliveries on a free port of 127.0.0.1, and keeps those that it answers with 204."""

    def __init__(self, busy: float = BUSY) -> None:
        self.secrets: dict[str, str] = {}
        self.taken: dict[str, list[Arrival]] = {hook: [] for hook in HOOKS}
        self.ids: dict[str, set[str]] = {hook: set() for hook in HOOKS}
        self.forged = self.refused = self.broken_off = 0
        self.port = 0
        self._busy, self._chance, self._lock = busy, random.Random(1), threading.Lock()

    def take(self, hook: str, headers: dict[str, str], body: bytes) -> int:
        """Answer one delivery; the status."""
        with self._lock:
            pause, is_busy = self._chance.random() * SLOWEST, self._chance.random() < self._busy
        time.sleep(pause)
        with self._lock:
            try:
                Verifier(self.secrets[hook]).verify(body, headers)
            except WebhookVerificationError:
                self.forged += 1
                return 400
            if is_busy:
                self.refused += 1
                return 503
            self.taken[hook].append(Arrival(headers["webhook-id"], body))
            self.ids[hook].add(headers["webhook-id"])
        return 204

    def fewest(self) -> int:
        """How many events the hook has that has fewest."""
        return min(map(len, self.ids.values()))


@contextmanager
def receiving(busy: float = BUSY) -> Iterator[Receiver]:
    """Run a receiver."""
    receiver = Receiver(busy)

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # who sent it was killed in the middle
                receiver.broken_off += 1
                self.close_connection = True
                return
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(receiver.take(self.path.removeprefix("/"), headers, body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            pass  # who is killed breaks off

    with Server(("127.0.0.1", 0), Handler) as server:
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


@dataclass
class Place:
    """A platform's folder and store, with a project, its webhooks and its violations."""

    folder: Path
    url: str | None
    """STOA_DATABASE_URL; None for SQLite."""
    receiver: Receiver
    port: int = field(default_factory=free_port)
    project: str = ""
    token: str = ""
    violations: dict[str, str] = field(default_factory=dict)
    """The asset of each, by its id."""

    @property
    def settings(self) -> dict[str, Any]:
        """Return what all of its processes are told."""
        return {
            "data": self.folder / "data",
            "database_url": self.url,
            "outbound_allow": f"127.0.0.1:{self.receiver.port}",
            "rate_limit_reads": 1_000_000,
            "rate_limit_writes": 1_000_000,
            "shutdown_seconds": 0,
            "in_process_worker": False,
            "job_poll_seconds": 0.05,
            "worker_heartbeat_seconds": 0.2,
            "worker_dead_seconds": 1,
            "event_tick_seconds": 0.1,
            "webhook_timeout_seconds": 2,
            "webhook_round_seconds": 2,
            "log_level": "WARNING",
        }

    def environment(self) -> dict[str, str]:
        """Return the same as environment variables."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")}
        return kept | {f"STOA_{n.upper()}": str(value) for n, value in self.settings.items() if value is not None}

    def rows(self, query: sa.Select[Any]) -> list[Any]:
        """Return what the store holds, without asking the platform."""
        url = f"sqlite:///{self.folder / 'data' / 'stoa.sqlite'}" if self.url is None else self.url
        engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://", 1))
        try:
            with engine.connect() as connection:
                return list(connection.execute(query).all())
        finally:
            engine.dispose()


async def prepare(place: Place) -> None:
    """Make the organization, the project and the webhooks; then let a run find something wrong on every asset."""
    settings = Settings(**place.settings)
    set_up_logs(settings.log_format, settings.log_level)
    await bootstrap_organization(settings, ORGANIZATION, USER, "Bench", warn=lambda _: None)
    issuer = DevelopmentIssuer(settings.data)
    app = create_app(settings, jobs=InlineJobs(), watches=False)
    await app.open()
    try:
        headers = {"Authorization": f"Bearer {issuer.issue(USER, ORGANIZATION, ttl=timedelta(hours=1))}"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://stoa", headers=headers) as client:

            async def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
                answer = await client.post(path, json=body)
                assert answer.is_success, answer.text
                told: dict[str, Any] = answer.json()
                return told

            place.project = (await post("/governance/projects", {"name": "bench"}))["id"]
            place.token = issuer.issue(USER, ORGANIZATION, project=place.project, ttl=timedelta(hours=12))
            client.headers.update({"Authorization": f"Bearer {place.token}", "X-Project-ID": place.project})
            for hook in HOOKS:
                url = f"http://127.0.0.1:{place.receiver.port}/{hook}"
                place.receiver.secrets[hook] = (await post("/utils/webhooks", {"name": hook, "url": url}))["secret"]
        scope, kind = Scope(ORGANIZATION, place.project), VIOLATIONS[0].id
        found = [Finding(f"check {n}", kind, f"shop.db.public.t{n}") for n in range(ASSETS)]
        now, store = app.parts.clock(), app.parts.services.store
        await store.write(lambda uow: uow.violations.record(scope, str(uuid4()), found, checked=(), actor=USER, at=now))
    finally:
        await app.close()
    place.violations = {row.id: row.asset_fqn for row in place.rows(sa.select(violations.c.id, violations.c.asset_fqn))}


class Running:
    """A `stoa serve` or `stoa worker`, forked from a process that has imported it: a start costs a tenth so."""

    def __init__(self, place: Place, *arguments: str) -> None:
        self._place, self._serves = place, arguments[0] == "serve"
        self.log = place.folder / f"{arguments[0]}-{time.monotonic_ns()}.log"
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["rest_compat.cli", "rest_compat.server", "dbos", "httptools", "uvloop"])
        given = (arguments, place.environment(), str(self.log))
        self._process = context.Process(target=_become, args=given, daemon=True)
        self._process.start()

    def ready(self) -> None:
        """Wait until it serves or takes work. Raises RuntimeError when it ends before."""
        end = time.monotonic() + PATIENCE
        while not self._is_ready():
            if self._process.exitcode is not None or time.monotonic() > end:
                raise RuntimeError(f"a process did not start: {self.log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        if not self._serves:
            return self.log.exists() and READY in self.log.read_text(errors="replace")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._place.port}/readyz", timeout=10):
                return True
        except OSError:
            return False

    def kill(self) -> None:
        """End it as a power cut would. Raises RuntimeError when it has ended by itself."""
        if self._process.exitcode is not None:
            raise RuntimeError(f"a process ended by itself: {self.log.read_text(errors='replace')[-2000:]}")
        assert self._process.pid is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.join()


def _become(arguments: Sequence[str], environment: dict[str, str], log: str) -> None:
    """Return what a forked process does."""
    die_with_parent()
    multiprocessing.current_process().daemon = False  # it may have children
    opened = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in (1, 2):
        os.dup2(opened, number)
    os.environ.clear()
    os.environ.update(environment)
    from rest_compat.cli import main

    main(list(arguments), prog_name="stoa")


class Killing:
    """Keeps a process alive at each of some places, and kills it again and again."""

    def __init__(self, place: Place, workers: int, kills: int, seed: int) -> None:
        self._place, self._chance = place, random.Random(seed)
        self._left, self._lock = kills, threading.Lock()
        self.kills: Counter[str] = Counter()
        self.server = Running(place, "serve", "--port", str(place.port))
        self.workers = [Running(place, "worker") for _ in range(workers)]

    def of_workers(self, index: int) -> None:
        """Kill one worker, start it again, until there were enough kills of all together."""
        while self._take():
            self._kill_one(self.workers[index], "worker")
            self.workers[index] = Running(self._place, "worker")
        self.workers[index].ready()

    def of_the_server(self, is_over: Callable[[], bool]) -> None:
        """Kill the server once for some kills of workers."""
        while not is_over():
            if self.kills["worker"] // SERVER_EACH > self.kills["server"]:
                self._kill_one(self.server, "server")
                self.server = Running(self._place, "serve", "--port", str(self._place.port))
            time.sleep(0.02)
        self.server.ready()

    def end(self) -> None:
        """End what runs."""
        for one in (self.server, *self.workers):
            one.kill()

    def enough(self) -> None:
        """Kill no more."""
        with self._lock:
            self._left = 0

    def _take(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left >= 0

    def _kill_one(self, one: Running, kind: str) -> None:
        if self._chance.random() < 0.9:
            one.ready()
            time.sleep(self._chance.uniform(0, LIVES))
        else:
            time.sleep(self._chance.uniform(0, 0.5))  # while it starts
        one.kill()
        with self._lock:
            self.kills[kind] += 1
