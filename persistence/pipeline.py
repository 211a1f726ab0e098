"""A connection to PostgreSQL on which short questions follow one another without waiting for each other's answers.

Whatever is asked within one turn of the event loop goes to the server together and comes back together: one write, one
read, one watched socket, however many requests have something to look up. Each statement is prepared once, so that the
server plans none of them again. What goes wrong is told to nobody here: the connection is given up, and whoever asked
asks again the usual way, which finds out what it was and says so.
"""

import asyncio
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from psycopg import AsyncConnection
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, Format

Rows = list[Any]

_PARAMETER: Final = re.compile(r"%(?:\((\w+)\)s|%)")
_MOST_STATEMENTS: Final = 200
"""Different ones that a connection keeps prepared."""


class NotAsked(Exception):
    """The question could not be asked or was not answered here."""


class Pipeline:
    """Questions of one event loop to one server. Close it there."""

    def __init__(self, connect: Callable[[], Awaitable[AsyncConnection[Any]]]) -> None:
        self._connect = connect
        self._connecting = asyncio.Lock()
        self._line: _Line | None = None

    async def ask(self, statement: str, values: Mapping[str, Any], *, binary: bool = False) -> Rows:
        """The rows of a statement that is spelled with `%(name)s`, in the driver's own types. Raises NotAsked.

        Values are texts, whole numbers, nulls and lists of texts. `binary` has the rows sent so.
        """
        line = self._line
        if line is None or line.lost:
            line = await self._connected()
        return await line.ask(statement, values, Format.BINARY if binary else Format.TEXT)

    async def close(self) -> None:
        """End the connection; who waits is told that they were not answered."""
        line, self._line = self._line, None
        if line is not None:
            line.give_up()
            await line.connection.close()

    async def _connected(self) -> "_Line":
        async with self._connecting:
            if self._line is None or self._line.lost:
                await self.close()
                self._line = _Line(await self._connect())
            return self._line


class _Line:
    """One connection, for as long as nothing goes wrong on it."""

    def __init__(self, connection: AsyncConnection[Any]) -> None:
        self.connection, self.lost = connection, False
        self._loop = asyncio.get_running_loop()
        self._wire = connection.pgconn
        self._socket = self._wire.socket
        self._encoding = connection.info.encoding
        self._rows = Transformer(connection)
        self._prepared: dict[str, bytes] = {}
        self._awaited: deque[asyncio.Future[Rows] | None] = deque()
        """Who waits for each result that is to come, in order; nobody for those that only say that all went well."""
        self._filling = self._writes = False
        self._wire.nonblocking = 1
        self._wire.enter_pipeline_mode()
        self._loop.add_reader(self._socket, self._readable)

    def ask(self, statement: str, values: Mapping[str, Any], sent: Format) -> "asyncio.Future[Rows]":
        """Ask with all else that is asked in this turn of the loop. Raises NotAsked."""
        text, names = _numbered(statement)
        given = [self._sent(values[name]) for name in names]
        try:
            name = self._prepared.get(text) or self._prepare(text)
            self._wire.send_query_prepared(name, given, result_format=sent)
        except Exception as failure:
            self.give_up()
            raise NotAsked from failure
        answer: asyncio.Future[Rows] = self._loop.create_future()
        self._awaited.append(answer)
        if not self._filling:
            self._filling = True
            self._loop.call_soon(self._send)
        return answer

    def give_up(self) -> None:
        """Ask nothing more here, and tell everybody who waits."""
        if self.lost:
            return
        self.lost = True
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        for answer in self._awaited:
            if answer is not None and not answer.done():
                answer.set_exception(NotAsked())
                answer.exception()  # who asked may be gone
        self._awaited.clear()

    def _prepare(self, text: str) -> bytes:
        if len(self._prepared) >= _MOST_STATEMENTS:
            raise NotAsked
        name = b"asked_%d" % len(self._prepared)
        self._wire.send_prepare(name, text.encode(self._encoding))
        self._prepared[text] = name
        self._awaited.append(None)
        return name

    def _sent(self, value: Any) -> bytes | None:
        if value is None:
            return None
        if isinstance(value, list):
            quoted = [one.replace("\\", "\\\\").replace('"', '\\"') for one in value]
            value = "{" + ",".join([f'"{one}"' for one in quoted]) + "}"
        text = value if isinstance(value, str) else str(value)
        if "\0" in text:  # which would end the value there
            raise NotAsked
        try:
            return text.encode(self._encoding)
        except UnicodeEncodeError as failure:
            raise NotAsked from failure

    def _send(self) -> None:
        """Send what was asked in this turn."""
        self._filling = False
        if self.lost:
            return
        try:
            self._wire.pipeline_sync()
            self._awaited.append(None)
            self._flush()
        except Exception:
            self.give_up()

    def _flush(self) -> None:
        left = bool(self._wire.flush())
        if left and not self._writes:
            self._loop.add_writer(self._socket, self._writable)
        elif self._writes and not left:
            self._loop.remove_writer(self._socket)
        self._writes = left

    def _writable(self) -> None:
        try:
            self._flush()
        except Exception:
            self.give_up()

    def _readable(self) -> None:
        wire = self._wire
        try:
            wire.consume_input()
            ended = False
            while not wire.is_busy():
                result = wire.get_result()
                if result is None:
                    if ended or not self._awaited:
                        break
                    ended = True  # of one statement; the next one's result may be there
                    continue
                ended = False
                self._take(result)
        except Exception:  # the server hung up, or refused a statement
            self.give_up()

    def _take(self, result: Any) -> None:
        status, answer = result.status, self._awaited.popleft()
        if status == ExecStatus.TUPLES_OK:
            if answer is None or answer.done():
                return  # who asked is gone
            self._rows.set_pgresult(result)
            answer.set_result(self._rows.load_rows(0, result.ntuples, tuple))
        elif status not in (ExecStatus.COMMAND_OK, ExecStatus.PIPELINE_SYNC):
            self._awaited.appendleft(answer)
            raise NotAsked


@lru_cache(1024)
def _numbered(statement: str) -> tuple[str, tuple[str, ...]]:
    """A statement with `$1` for its first value, and the names of its values in order."""
    names: list[str] = []

    def numbered(found: "re.Match[str]") -> str:
        name = found.group(1)
        if name is None:
            return "%"
        if name not in names:
            names.append(name)
        return f"${names.index(name) + 1}"

    return _PARAMETER.sub(numbered, statement), tuple(names)
