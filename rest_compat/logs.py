"""Structured logs: one line per event, JSON for machines or text for a terminal, with the request's ids on each."""

import asyncio
import contextlib
import logging
import sys
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog


class AccessLines:
    """Writes the line of each answered request past the loggers, all lines of one turn of the loop at once.

    A line that goes through structlog, the standard library's logger and its handler costs as much as a tenth of a
    small request. Only for JSON; whoever puts another handler in place or asks for fewer lines is heard.
    """

    def __init__(self, name: str, handler: "logging.StreamHandler[Any]") -> None:
        self._name, self._handler = name, handler
        self._lines: list[bytes] = []

    def write(self, event: str, **fields: Any) -> bool:
        """Write one line; whether that was possible here."""
        root = logging.getLogger()
        if root.handlers != [self._handler] or root.level > logging.INFO:
            return False
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        line = {**fields, "event": event, "logger": self._name, "level": "info", "timestamp": now}
        if not self._lines:
            asyncio.get_running_loop().call_soon(self._flush)
        self._lines.append(orjson.dumps(line, default=repr, option=orjson.OPT_APPEND_NEWLINE))
        return True

    def _flush(self) -> None:
        lines, self._lines = b"".join(self._lines).decode(), []
        with self._handler.lock or contextlib.nullcontext():
            try:
                self._handler.stream.write(lines)
                self._handler.flush()
            except OSError:
                pass  # as for any other line: a log that cannot be written stops nobody


_access: AccessLines | None = None


def access_line(event: str, **fields: Any) -> bool:
    """Write the line of an answered request the short way; whether there is one."""
    return _access is not None and _access.write(event, **fields)


def set_up_logs(log_format: str, level: str) -> None:
    """Send every logger of the process through structlog to standard error."""
    global _access
    as_json = log_format == "json" or (log_format == "auto" and not sys.stderr.isatty())
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    renderer: structlog.types.Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    last: list[structlog.types.Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta]
    if as_json:
        last.append(structlog.processors.format_exc_info)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[*last, renderer]))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    _access = AccessLines("stoa.access", handler) if as_json else None
    for noisy in ("httpx", "httpx2", "httpcore", "alembic", "aiosqlite", "uvicorn.access"):
        logging.getLogger(noisy).setLevel("WARNING")
    for own in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(own).handlers[:] = []
        logging.getLogger(own).propagate = True
