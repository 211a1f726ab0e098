"""One serving process: listens at once, starts up behind a 503, and stops the way balancers like it."""

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import Callable, Sequence
from typing import Any

import click
import uvicorn

from rest_compat.app import Application, create_app
from rest_compat.connections import ConnectionTimeouts, patient_http, patient_websockets
from rest_compat.errors import sentence
from rest_compat.logs import set_up_logs
from rest_compat.settings import Settings

Ready = Callable[[str], None]

log = logging.getLogger("stoa.app")

WAITING = 2048
"""Connections that may wait to be taken."""


def run_server(settings: Settings, *, service: str | None = None, on_ready: Ready | None = None) -> int:
    """Serve until a signal; the exit status. `on_ready` is called with the bound address once requests are served.

    Raises ValueError for settings that contradict one another.
    """
    set_up_logs(settings.log_format, settings.log_level)
    app = create_app(settings, service=service)
    failure: BaseException | None
    try:
        sockets = listening(settings.host, settings.port)
    except OSError as error:
        failure = error
    else:
        Server(app, settings, on_ready).run(sockets)
        failure = app.failure
    if failure is None:
        return 0
    click.echo(f"Stoa could not start: {sentence(failure)}", err=True)
    return 1


def listening(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen on every address of a host, before anything else is begun; port 0 takes one free port.

    Raises OSError with a sentence when nobody could call: a taken port must not cost another server its work.
    """
    sockets: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, *_, address in dict.fromkeys(found):
            free = sockets[0].getsockname()[1] if sockets and port == 0 else address[1]
            try:
                sockets.append(socket.create_server((address[0], free), family=family, backlog=WAITING))
            except OSError as error:
                # A name may have an address of a family that this machine does not speak.
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT) or (len(found) == 1):
                    raise
            else:
                # What is accepted has it too. asyncio sets it by itself only for sockets that name their protocol, and
                # without it an answer in two parts waits 40 ms for the caller to acknowledge the first.
                sockets[-1].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        for one in sockets:
            one.close()
        why = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise OSError(
            f"Nothing can listen on {host}:{port}: {why}. Choose another address (STOA_HOST) or port (STOA_PORT), "
            "or stop what listens there."
        ) from None
    if not sockets:
        raise OSError(f"Nothing can listen on {host}:{port}: this machine has no such address. Change STOA_HOST.")
    return sockets


def address_of(sockets: Sequence[socket.socket]) -> str:
    """The address that they listen on, as a browser takes it."""
    host, port = sockets[0].getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serving_options(settings: Settings) -> dict[str, Any]:
    """How uvicorn is to serve, whichever process does."""
    patience = ConnectionTimeouts(
        settings.request_head_seconds, settings.response_stall_seconds, settings.least_transfer_rate
    )
    return {
        "host": settings.host,
        "port": settings.port,
        "log_config": None,
        "access_log": False,
        "timeout_graceful_shutdown": 10,
        "timeout_keep_alive": settings.keep_alive_seconds,
        "http": patient_http(patience),
        "ws": patient_websockets(patience) or "none",
    }


class Server(uvicorn.Server):
    """Answers 503 for a moment before it stops, so that a balancer sees it go."""

    def __init__(self, app: Application, settings: Settings, on_ready: Ready | None) -> None:
        super().__init__(uvicorn.Config(app, **serving_options(settings)))
        self._app, self._grace, self._on_ready = app, settings.shutdown_seconds, on_ready
        self._asked = False
        app.on_failure = self._give_up

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to stop; the second signal stops at once."""
        # Not uvicorn's own, which raises the signal again once all is closed: a clean stop is status 0.
        self._app.begin_shutdown()
        self.force_exit = self._asked and sig == signal.SIGINT
        if self._asked or self._grace == 0:
            self.should_exit = True
            return
        self._asked = True
        asyncio.get_running_loop().call_later(self._grace, self._give_up)

    async def startup(self, sockets: Any = None) -> None:
        """Listen, and announce the address when the application is ready."""
        await super().startup(sockets=sockets)
        address = address_of(self.servers[0].sockets)
        log.info("listening on %s", address)
        self._announcement = asyncio.create_task(self._announce(address))

    async def _announce(self, address: str) -> None:
        if await self._app.started() and self._on_ready is not None:
            self._on_ready(address)

    def _give_up(self) -> None:
        self.should_exit = True
