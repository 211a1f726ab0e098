"""What one of several serving processes has in memory before it loads the platform, which takes seconds.

From then on it answers its parent, who takes a child that gives no sign of life for hung and begins another. On a
machine so busy that loading takes longer than that, children that loaded first and answered afterwards were replaced
for ever, and none of them came to serve.
"""

import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.synchronize import Lock
from typing import Any, Final, NamedTuple

import uvicorn

from rest_compat.logs import set_up_logs

log = logging.getLogger("stoa.app")

SILENT_SECONDS: Final = 30
"""How long a child may give no sign of life. The parent also waits for so long when it asks one that is just ending."""


OWN_LISTENERS: Final = 4
"""How many sockets of its own a child listens on, for each that all share: of N children that one gets every 4N+1st
connection, which whoever is quickest takes."""


class Listeners(list[socket.socket]):
    """The sockets that a child is given: those that all children share, and its own besides.

    Of a shared socket whoever wakes first takes the connection, so that on a busy machine one process served nearly all
    of a few. The kernel deals connections out to sockets that are bound to one address, evenly. The shared one stays:
    it keeps what calls before a child is ready, and the address while there is none.
    """

    def share(self) -> None:
        """Let children bind the addresses too, where the system then deals connections out.

        Whoever else binds one has already been refused, since the socket was bound without it. The BSDs and macOS know
        the option, but give all connections to one of the sockets.
        """
        if sys.platform == "linux":
            with suppress(OSError):  # a child then finds the address taken, says so and listens on what all share
                for one in self:
                    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)

    def __reduce__(self) -> tuple[Callable[..., list[socket.socket]], tuple[list[socket.socket]]]:
        """Hand on the shared ones, and let the child make its own."""
        return _with_own, (list(self),)


def _with_own(shared: Sequence[socket.socket]) -> list[socket.socket]:
    """Sockets with those of this process alone, of which nothing is asked before they listen."""
    own: list[socket.socket] = []
    if sys.platform == "linux":
        try:
            for one in shared:
                own += [_bound_beside(one) for _ in range(OWN_LISTENERS)]
        except OSError as error:
            log.warning("connections may be spread unevenly over the processes: %s", os.strerror(error.errno or 0))
    return [*shared, *own]


def _bound_beside(shared: socket.socket) -> socket.socket:
    """A socket that is bound to the address of another and does not listen yet."""
    one = socket.socket(shared.family, socket.SOCK_STREAM)
    try:
        for level, option in (
            (socket.SOL_SOCKET, socket.SO_REUSEADDR),
            (socket.SOL_SOCKET, socket.SO_REUSEPORT),
            (socket.IPPROTO_TCP, socket.TCP_NODELAY),
            *([(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)] if shared.family == socket.AF_INET6 else []),
        ):
            one.setsockopt(level, option, 1)
        one.bind(shared.getsockname())
    except OSError:
        one.close()
        raise
    return one


class Given(NamedTuple):
    """What a parent gives to each child."""

    pickled: bytes
    """Settings, service and address; to read them takes the platform's modules."""
    log_format: str
    log_level: str


class Shared(uvicorn.Config):
    """How each child serves. A child builds its own application: one that is built cannot be handed on."""

    def __init__(self, given: Given, first: Lock, processes: int) -> None:
        self.given, self.first = given, first
        super().__init__(
            "",  # told by `load`
            lifespan="on",
            workers=processes,
            timeout_worker_healthcheck=SILENT_SECONDS,
            log_config=None,
            access_log=False,
        )

    def __reduce__(self) -> tuple[Callable[..., "Shared"], tuple[Any, ...]]:
        """Hand on what was given."""
        return Shared, (self.given, self.first, self.workers)

    def load(self) -> None:
        """Load the platform, in a child that answers its parent by now."""
        from rest_compat.processes import loaded

        loaded(self)
        super().load()

    def configure_logging(self) -> None:
        """Write this process's log as a server alone does."""
        set_up_logs(self.given.log_format, self.given.log_level)
