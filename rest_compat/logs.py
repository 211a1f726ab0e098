"""Structured logs: one line per event, JSON for machines or text for a terminal, with the request's ids on each."""

import asyncio
import contextlib
import logging
import sys
import time
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from typing import Any, Final

import orjson
import structlog

_ids: Final[ContextVar[tuple[str, str] | None]] = ContextVar("ids", default=None)
"""The request and the trace that are served. One variable is set in a tenth of the time that the library's two take."""


def begin_request(request_id: str, trace_id: str) -> "Token[tuple[str, str] | None]":
    """Put the ids of a request on every line that is written from now on; what is returned ends that."""
    return _ids.set((request_id, trace_id))


def end_request(begun: "Token[tuple[str, str] | None]") -> None:
    """Go back to whichever request was served before."""
    _ids.reset(begun)


def with_request(_logger: Any, _method: str, line: structlog.types.EventDict) -> structlog.types.EventDict:
    """Add the ids of the request that is served to a line."""
    if (ids := _ids.get()) is not None:
        line.setdefault("request_id", ids[0])
        line.setdefault("trace_id", ids[1])
    return line


class AccessLines:
    """Writes the line of each answered request past the loggers, all lines of one turn of the loop at once.

    A line that goes through structlog, the standard library's logger and its handler costs as much as a tenth of a
    small request. Only for JSON; whoever puts another handler in place or asks for fewer lines is heard.
    """

    def __init__(self, name: str, handler: "logging.StreamHandler[Any]") -> None:
        self._name, self._handler = name, handler
        self._lines: list[bytes] = []
        self._second, self._spelled = 0, ""
        """The second that is spelled already, as that of many lines is."""

    def _now(self) -> str:
        seconds, nanoseconds = divmod(time.time_ns(), 1_000_000_000)
        if seconds != self._second:
            self._second, self._spelled = seconds, datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        return f"{self._spelled}.{nanoseconds // 1000:06d}Z"

    def write(self, event: str, **fields: Any) -> bool:
        """Write one line; whether that was possible here."""
        root = logging.getLogger()
        if root.handlers != [self._handler] or root.level > logging.INFO:
            return False
        line = {**fields, "event": event, "logger": self._name, "level": "info", "timestamp": self._now()}
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
        with_request,
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
