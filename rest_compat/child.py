"""What one of several serving processes has in memory before it loads the platform, which takes seconds.

From then on it answers its parent, who takes a child that gives no sign of life for hung and begins another. On a
machine so busy that loading takes longer than that, children that loaded first and answered afterwards were replaced
for ever, and none of them came to serve.
"""

from collections.abc import Callable
from multiprocessing.synchronize import Lock
from typing import Any, Final, NamedTuple

import uvicorn

from rest_compat.logs import set_up_logs

SILENT_SECONDS: Final = 30
"""How long a child may give no sign of life. The parent also waits for so long when it asks one that is just ending."""


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
