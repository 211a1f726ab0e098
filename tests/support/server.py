"""Real processes of the platform: `stoa serve` and `stoa worker` on a free port, and what a client does with them."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import httpx

from auth.issuer import DevelopmentIssuer
from tests.support import forked
from tests.support.postgres import free_port

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-c", "from rest_compat.cli import main; main(prog_name='stoa')")
PATIENCE = 400.0
"""Seconds after which a test gives up waiting; nothing is measured against it."""

OVER = ("completed", "failed", "canceled")


def until(found: Callable[[], T | None], what: str, seconds: float = PATIENCE) -> T:
    """Ask again until there is an answer that counts as true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if answer := found():
            return answer
        time.sleep(0.02)
    raise AssertionError(f"waited in vain for {what}")


def status_of(port: int, path: str) -> int:
    """Return what a server on a port of 127.0.0.1 answers; 0 when nothing listens.

    It is asked again and again while a server starts, and making a client of httpx each time costs as much as a start.
    """
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()


def environment(folder: Path, settings: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The environment of a command: this machine's settings left out, a test's own put in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STOA_")}
    if kept.pop("PYTHONDONTWRITEBYTECODE", None):  # a third of each start would be compiling the same sources again
        kept.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / ".cache" / "bytecode"))
    own = {
        "data": folder / "data",
        "outbound_private": True,
        "rate_limit_reads": 100_000,
        "rate_limit_writes": 100_000,
        "shutdown_seconds": 0,
        "job_poll_seconds": 0.05,
        "log_format": "json",
    } | dict(settings or {})
    return kept | {f"STOA_{name.upper()}": str(value) for name, value in own.items() if value is not None}


def stoa(
    folder: Path, *arguments: str, settings: Mapping[str, Any] | None = None, seconds: float = 120
) -> "subprocess.CompletedProcess[str]":
    """Run a command of the platform to its end."""
    return forked.run([*COMMAND, *arguments], cwd=ROOT, env=environment(folder, settings), timeout=seconds)


class Process:
    """One running `stoa serve` or `stoa worker`; what it writes goes to a file of the folder."""

    command: ClassVar[tuple[str, ...]] = COMMAND

    def __init__(self, folder: Path, *arguments: str, settings: Mapping[str, Any] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / f"{arguments[0]}-{time.monotonic_ns()}.log"
        with self.log.open("wb") as output:
            self.process = forked.start(
                [*self.command, *arguments],
                cwd=ROOT,
                env=environment(folder, settings),
                stdout=output.fileno(),
                stderr=output.fileno(),
            )

    def __enter__(self) -> Self:
        """Use it; it is killed at the end if it still runs."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.kill()

    @property
    def text(self) -> str:
        """Everything that it wrote so far."""
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def ask_to_stop(self) -> None:
        """Send SIGTERM and do not wait."""
        self.process.terminate()

    def ended(self, seconds: float = PATIENCE) -> int:
        """Wait for the end; the exit status."""
        return self.process.wait(seconds)


class Worker(Process):
    """A `stoa worker`."""

    def __init__(self, folder: Path, settings: Mapping[str, Any] | None = None) -> None:
        super().__init__(folder, "worker", settings=settings)

    def ready(self) -> Self:
        """Wait until it takes work."""
        until(lambda: "The worker is ready." in self.text or self.process.poll() is not None, "the worker")
        assert self.process.poll() is None, self.text[-3000:]
        return self


class Server(Process):
    """A `stoa serve` on a free port of 127.0.0.1."""

    def __init__(self, folder: Path, *arguments: str, settings: Mapping[str, Any] | None = None) -> None:
        settings = dict(settings or {})
        self.port: int = settings.pop("port", None) or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._again = (folder, *arguments), settings | {"port": self.port}
        super().__init__(folder, "serve", "--port", str(self.port), *arguments, settings=settings)

    def again(self) -> "Server":
        """Another one like it at the same address, after its end."""
        arguments, settings = self._again
        return Server(*arguments, settings=settings)

    def status(self, path: str) -> int:
        """Return what a path answers without a token; 0 when nothing listens."""
        return status_of(self.port, path)

    def ready(self) -> Self:
        """Wait until it serves."""
        until(lambda: self.status("/readyz") == 200 or self.process.poll() is not None, "the server")
        assert self.process.poll() is None, self.text[-3000:]
        return self

    def link(self, user: str) -> str:
        """The link that signs a user in, given to `stoa serve` as `--user`; it is printed after the first answers."""
        said = rf"This link signs {user} in: (\S+)\n"
        return until(lambda: re.search(said, self.text), f"the link of {user}").group(1)


class Client:
    """The owner of one organization, with a project, over HTTP."""

    def __init__(self, folder: Path, server: Server, project: str | None = None) -> None:
        self._http = httpx.Client(base_url=server.address, timeout=120)
        self._issuer = DevelopmentIssuer(folder / "data")
        self._sign_in(None)
        self.project: str = project or self("POST", "/governance/projects", json={"name": "shop"})["id"]
        self._sign_in(self.project)

    def __enter__(self) -> Self:
        """Use it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close its connections."""
        self._http.close()

    def use(self, http: httpx.Client) -> None:
        """Go on over another client's connections."""
        http.headers.update(self._http.headers)
        self._http.close()
        self._http = http

    def _sign_in(self, project: str | None) -> None:
        self.token = token = self._issuer.issue("olga", "acme", project=project, ttl=timedelta(hours=1))
        self._http.headers["Authorization"] = f"Bearer {token}"
        if project is not None:
            self._http.headers["X-Project-ID"] = project

    def __call__(self, method: str, path: str, **how: Any) -> Any:
        """One request that must succeed; its JSON."""
        answer = self._http.request(method, path, **how)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json()

    def configure(self, source: str) -> str:
        """Register a PostgreSQL source by its URL, and a configuration that ingests it; the path of its runs."""
        found = re.fullmatch(r"postgresql://([^:]+):([^@]*)@([^:]+):(\d+)/(.+)", source)
        assert found is not None
        user, password, host, port, database = found.groups()
        connection = self(
            "POST",
            "/assets/data",
            json={
                "name": "Shop",
                "connection_type": "postgres",
                "database_config": {"host": host, "port": int(port), "database": database},
                "credentials": {"username": user, "password": password},
            },
        )
        configuration = self(
            "POST",
            "/data-readiness/workflows",
            json={
                "name": "Ingest",
                "workflow_type": "service-ingestion",
                "config": {"resource_uri": connection["resource_uri"]},
            },
        )
        return f"/data-readiness/workflows/{configuration['id']}/runs"

    def over(self, run: str, seconds: float = PATIENCE) -> dict[str, Any]:
        """Wait for the end of a run, given its path; the run."""

        def look() -> dict[str, Any] | None:
            found: dict[str, Any] = self("GET", run)
            return found if found["status"] in OVER else None

        return until(look, f"the end of {run}", seconds)

    def done(self, run: str) -> int:
        """How many tasks of a run are completed."""
        page = self("GET", f"{run}/tasks", params={"status": "completed", "per_page": 1})
        return int(page["pagination"]["total"])


class Gate:
    """A way to a source through which a test lets as many connections as it wants; the others wait at it.

    Connections are counted as they come. With a job concurrency of one, the first is a run's plan and each further
    one is a task. `delay` makes every connection wait a little, so that a run lasts.
    """

    def __init__(self, host: str, port: int, *, delay: float = 0.0) -> None:
        self._target, self._delay = (host, port), delay
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._changed = threading.Condition()
        self._allowed: float = float("inf")
        self.arrived = 0
        self._open: list[socket.socket] = [self._listener]
        threading.Thread(target=self._accept, name="gate", daemon=True).start()

    def __enter__(self) -> Self:
        """Use it."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it and everything that goes through it."""
        self.let_through()
        for one in list(self._open):
            one.close()

    def allow(self, more: int) -> None:
        """Let so many more connections through, counted from those that have come, and hold the rest."""
        with self._changed:
            self._allowed = self.arrived + more
            self._changed.notify_all()

    def let_through(self) -> None:
        """Let everything through."""
        with self._changed:
            self._allowed = float("inf")
            self._changed.notify_all()

    def until_held(self) -> None:
        """Wait until a connection stands at the gate."""
        until(lambda: self.arrived > self._allowed, "a connection at the gate")

    def url(self, source: str) -> str:
        """The address of a source, through this gate."""
        return re.sub(r"@[^/]+/", f"@127.0.0.1:{self.port}/", source)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                self.arrived += 1
                number = self.arrived
            self._open.append(client)
            threading.Thread(target=self._pass, args=(client, number), daemon=True).start()

    def _pass(self, client: socket.socket, number: int) -> None:
        with self._changed:
            self._changed.wait_for(lambda: number <= self._allowed)
        time.sleep(self._delay)
        try:
            server = socket.create_connection(self._target)
        except OSError:
            client.close()
            return
        self._open.append(server)
        for ends in ((client, server), (server, client)):
            threading.Thread(target=self._copy, args=ends, daemon=True).start()

    def _copy(self, from_: socket.socket, to: socket.socket) -> None:
        try:
            while content := from_.recv(65_536):
                to.sendall(content)
        except OSError:
            pass
        for one in (from_, to):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


def statements_for(schemas: Mapping[str, int], columns: int) -> Iterable[str]:
    """A source of many tables, by schema, each with a key, comments and a relationship to the first of its schema."""
    for schema, tables in schemas.items():
        yield f'create schema "{schema}"'
        for number in range(tables):
            fields = ", ".join(f"c{at} varchar({at + 1}) not null default 'x{at}'" for at in range(1, columns - 1))
            to = f'integer references "{schema}".t0 (id)' if number else "integer"
            yield f'create table "{schema}".t{number} (id integer primary key, up {to}, {fields})'
            yield f"comment on table \"{schema}\".t{number} is 'Table {number} of {schema}.'"
            yield f"comment on column \"{schema}\".t{number}.c1 is 'The first of t{number}.'"
