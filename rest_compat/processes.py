"""Several serving processes behind one address, kept by uvicorn's own supervisor.

The parent binds the address, brings the store up to date once and starts the children; one that dies is replaced. A
child listens only once it is ready, so that another never loses a request to one that is still starting: what calls
before the first is ready waits in the queue of the parent's socket. From then on each child has sockets of its own
beside that one (`child.py`), so that connections spread. Everything that the children have to agree about is in the
store, as for servers on machines of their own.
"""

import asyncio
import logging
import multiprocessing
import os
import pickle
import signal
import threading
from multiprocessing.synchronize import Lock
from types import FrameType
from typing import NoReturn

import click
from starlette.types import Receive, Scope, Send
from uvicorn.config import STARTUP_FAILURE
from uvicorn.server import HANDLED_SIGNALS
from uvicorn.supervisors import Multiprocess

from persistence.jobs.store import engine_url
from persistence.migrations.run import check, upgrade
from persistence.private import private_folder
from rest_compat.app import Application, create_app
from rest_compat.child import Given, Listeners, Shared
from rest_compat.errors import is_clear, sentence
from rest_compat.logs import set_up_logs
from rest_compat.server import address_of, listening, serving_options
from rest_compat.settings import Settings

log = logging.getLogger("stoa.app")

AGAIN_SECONDS = 2.0
"""How long a child that cannot start beside others waits before it ends, and is begun again."""


def run_processes(settings: Settings, *, service: str | None = None) -> int:
    """Serve with as many processes as the settings say until a signal; the exit status.

    Raises ValueError for settings that contradict one another, and what is wrong with the store.
    """
    _refuse_files(settings)
    set_up_logs(settings.log_format, settings.log_level)
    Application.services_of(service)
    sockets = Listeners(listening(settings.host, settings.port))
    sockets.share()
    private_folder(settings.data)
    (upgrade if settings.migrate_on_start else check)(settings.resolved_database_url)
    if settings.redis_url is None:
        log.warning(
            "rate windows are kept by each of the %d processes, so a caller may make up to %d times as many calls: "
            "set STOA_REDIS_URL to share them",
            settings.processes,
            settings.processes,
        )
    children = settings.model_copy(update={"migrate_on_start": False})
    first = multiprocessing.get_context("spawn").Lock()
    given = Given(pickle.dumps((children, service, address_of(sockets))), settings.log_format, settings.log_level)
    supervisor = Multiprocess(Shared(given, first, settings.processes), sockets)
    supervisor.run()
    return int(any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes))


def _refuse_files(settings: Settings) -> None:
    """Raise ValueError where a file would be written by several processes: it takes one."""
    url, own = settings.resolved_database_url, settings.job_database_url
    if not url.startswith("postgresql"):
        raise ValueError(
            f"{settings.processes} processes (STOA_PROCESSES) need PostgreSQL, since a file takes one writer: "
            "set STOA_DATABASE_URL, or serve with one process."
        )
    jobs = engine_url(None if own is None else own.get_secret_value(), settings.data, url)
    if settings.in_process_worker and not jobs.startswith("postgresql"):
        raise ValueError(
            f"{settings.processes} processes (STOA_PROCESSES) need the job log in PostgreSQL, since a file takes one "
            "writer: unset STOA_JOB_DATABASE_URL, or set STOA_IN_PROCESS_WORKER=false."
        )


def loaded(child: Shared) -> None:
    """Put into a child's configuration what it serves and how, out of what its parent has given it."""
    settings, service, address = pickle.loads(child.given.pickled)  # noqa: S301 - what the parent wrote
    options = serving_options(settings)
    child.app = Serving(settings, service, address, child.first)
    child.http, child.ws = options["http"], options["ws"]
    child.timeout_keep_alive = options["timeout_keep_alive"]
    child.timeout_graceful_shutdown = options["timeout_graceful_shutdown"]


class Serving:
    """The application of one child: it is ready before it listens, and refuses for a moment before it stops.

    `first` is held for ever by the first child that was ready, which says where the server listens.
    """

    def __init__(self, settings: Settings, service: str | None, address: str, first: Lock) -> None:
        self._settings, self._service, self._address, self._first = settings, service, address, first
        self._app: Application | None = None
        self._asked = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, or the server's lifespan."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif self._app is not None:
            await self._app(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        app = self._app = create_app(self._settings, service=self._service)
        self._listen_to_signals(app)
        try:
            await app.open()
        except Exception as failure:
            await app.close()
            await self._give_up(failure)
        if self._first.acquire(block=False):
            log.info("listening on %s", self._address)
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await app.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _give_up(self, failure: Exception) -> NoReturn:
        """Say why it cannot start, and end. Beside others that serve this child alone ends, and is begun again."""
        told = is_clear(failure) and not log.isEnabledFor(logging.DEBUG)
        log.error("start-up failed: %s", sentence(failure), exc_info=None if told else failure)
        # At once, not through the server's own end: the supervisor waits for long for a sign of one that is ending.
        if self._first.acquire(block=False):
            self._first.release()
            click.echo(f"Stoa could not start: {sentence(failure)}", err=True)
            os._exit(STARTUP_FAILURE)
        await asyncio.sleep(AGAIN_SECONDS)
        os._exit(1)

    def _listen_to_signals(self, app: Application) -> None:
        """Answer 503 for a moment before the server's own handler is called, and end when the parent is gone."""
        loop = asyncio.get_running_loop()
        ends = {int(number): signal.getsignal(number) for number in HANDLED_SIGNALS}

        def end(number: int) -> None:
            handler = ends[number]
            if callable(handler):
                handler(number, None)

        def asked(number: int, _frame: FrameType | None = None) -> None:
            app.begin_shutdown()
            # A terminal interrupts the children too, and their parent asks them once more: only a second interruption
            # is somebody in a hurry.
            if self._settings.shutdown_seconds == 0 or (self._asked and number == signal.SIGINT):
                end(number)
            elif not self._asked:
                loop.call_later(self._settings.shutdown_seconds, end, number)
            self._asked = True

        for number in HANDLED_SIGNALS:
            signal.signal(number, asked)
        parent = multiprocessing.parent_process()
        if parent is not None:

            def orphaned() -> None:
                parent.join()
                loop.call_soon_threadsafe(asked, signal.SIGTERM)

            threading.Thread(target=orphaned, name="parent", daemon=True).start()
