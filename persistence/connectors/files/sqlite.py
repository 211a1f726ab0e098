"""A SQLite database as tables, read from a private copy by the standard library's own SQLite.

Nothing of it is trusted: the connection may select and nothing else, reaches no other file and loads no extension.
Virtual tables are refused, for their modules would read what the file makes of them; views run with bounds on their
time and on how often they may name one another.
"""

# ruff: noqa: S608 - identifiers are quoted

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from persistence.connectors.core.base import ColumnInfo, KeyInfo, TableInfo
from persistence.connectors.core.duckdb_reading import identifier, literal
from persistence.connectors.core.reading import cancelled
from persistence.connectors.files.containers import MOST_TABLES, SQLITE, Container, TextColumn, unreadable
from persistence.connectors.files.formats import FileProblem
from persistence.connectors.files.literals import types_of
from persistence.connectors.files.sqlite_types import Held, aggregates, declared, held, settled

_FIRST_ROWS: Final = 20_000
_FIRST_SECONDS: Final = 5.0
"""How long the first rows of a table or view may take."""
_NOT_FOUND_OUT: Final = "Its type is not known: the first rows of the view took too long."
_SCHEMA_STEPS: Final = 20_000_000
_LONGEST_VALUE: Final = 8 << 20
_LONGEST_SQL: Final = 1 << 20
_LONGEST_BLOB: Final = 64 << 10
_MOST_COLUMNS: Final = 2000
_MOST_EXPANDED: Final = 1000
_COLUMNS_AT_ONCE: Final = 100
_ROWS_AT_ONCE: Final = 5000
_STEPS: Final = 10_000

_PRAGMAS: Final = frozenset(("table_xinfo", "foreign_key_list", "index_list", "index_info"))
_ALLOWED: Final = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)
_NEVER: Final = frozenset(("load_extension", "fts3_tokenizer", "edit", "readfile", "writefile"))
_SHADOWS: Final = re.compile(
    r"(content|docsize|config|data|idx|segments|segdir|stat|node|parent|rowid|chunks|info|auxiliary|rowids)"
)
_WORD: Final = re.compile(r'"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[^\W\d]\w*')
_VIEW: Final = re.compile(
    r"\s*create\s+(?:temp\s+|temporary\s+)?view\b.*?\bas\b(?=\s*(?:select|with|values|\())", re.IGNORECASE | re.DOTALL
)


class SqliteFile(Container):
    """An open database. `seconds` bound a statement on its catalog, and everything that a view does."""

    kind = SQLITE

    def __init__(
        self, path: Path, schema: str, seconds: float, stream_seconds: float, stopped: Callable[[], bool]
    ) -> None:
        """Open a private copy; a write-ahead log may lie beside it. Raises FileProblem."""
        self._schema = schema
        self._seconds = seconds
        self._stream_seconds = stream_seconds
        self._stopped = stopped
        self._views_left = seconds / 2
        self._known: dict[str, TableInfo] = {}
        self._wrong: dict[str, FileProblem] = {}
        self._connection = _connected(path, writes=Path(f"{path}-wal").exists())
        try:
            self._look()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the database."""
        with suppress(sqlite3.Error):
            self._connection.close()

    def names(self) -> Sequence[str]:
        """The tables and views, without SQLite's own."""
        return sorted(self._found)

    def describe(self, table: str) -> TableInfo | None:
        """A table as it is declared; its types as its first rows bear them out."""
        if table not in self._found:
            return None
        if table not in self._known:
            kind = self._found[table][0]
            try:
                self._refuse(table)
                self._known[table] = self._described(table, kind)
            except FileProblem as problem:
                self._wrong[table] = problem
                self._known[table] = unreadable(table, str(problem), kind.upper())
        return self._known[table]

    def write(self, table: str, put: Callable[[bytes], None]) -> Sequence[TextColumn]:
        """The rows in the order in which SQLite keeps them."""
        info = self.describe(table)
        if info is None:
            raise FileProblem("It is gone.")
        if table in self._wrong:
            raise self._wrong[table]
        columns = [
            TextColumn(one.name, types_of(one.data_type, one.precision, one.scale), one.data_type == "BINARY")
            for one in info.columns
        ]
        values = [_plain(identifier(one.name), in_hex=one.in_hex) for one in columns]
        # A call for many columns is a third cheaper than one for each.
        chosen = ", ".join(
            f"printf('{','.join(['%Q'] * len(some))}', {', '.join(some)})"
            for some in (values[at : at + _COLUMNS_AT_ONCE] for at in range(0, len(values), _COLUMNS_AT_ONCE))
        )
        # In the order of the rows, and not in that of an index that happens to hold all columns.
        order = "" if info.table_type == "VIEW" else " not indexed"
        statement = f"select {chosen} from main.{identifier(table)}{order}"
        self._connection.text_factory = bytes
        try:
            with self._bounded(self._seconds if info.table_type == "VIEW" else self._stream_seconds):
                rows = self._connection.execute(statement)
                while batch := rows.fetchmany(_ROWS_AT_ONCE):
                    try:
                        text = b"\n".join(map(b",".join, batch)) + b"\n"
                    except TypeError:  # nothing was printed: the row was too long
                        raise FileProblem(f"It has a row of more than {_LONGEST_VALUE:,} bytes.") from None
                    put(_unicode(text))
        finally:
            self._connection.text_factory = _decoded
        return columns

    # What there is

    def _look(self) -> None:
        statement = (
            "select name, type, rootpage, sql from sqlite_master where type in ('table', 'view')"
            f" and name not like 'sqlite\\_%' escape '\\' order by name limit {MOST_TABLES + 1}"
        )
        with self._bounded(self._seconds, _SCHEMA_STEPS):
            rows = self._connection.execute(statement).fetchall()
        self.is_whole = len(rows) <= MOST_TABLES
        rows = [row for row in rows[:MOST_TABLES] if isinstance(row[0], str)]
        virtual = {name: _module(sql) for name, kind, root, sql in rows if kind == "table" and not root}
        kept = [row for row in rows if not _is_shadow(row[0], virtual)]
        self._found = {name: (kind, str(sql or "")) for name, kind, _, sql in kept}
        self._virtual = virtual
        self._spelled = {name.lower(): name for name in self._found}
        self._expanded = _expansions({name: sql for name, (kind, sql) in self._found.items() if kind == "view"})

    def _refuse(self, table: str) -> None:
        """Raise FileProblem for what is not asked of SQLite at all."""
        if table in self._virtual:
            raise FileProblem(f"It is a virtual table of the module {self._virtual[table]}, which is not read.")
        if self._expanded.get(table, 0) > _MOST_EXPANDED:
            raise FileProblem("The view names itself, or is made of too many others.")

    def _described(self, table: str, kind: str) -> TableInfo:
        name = identifier(table)
        with self._bounded(self._seconds):
            columns = self._connection.execute(f"pragma main.table_xinfo({name})").fetchall()
        columns = [row for row in columns if row[6] != 1][:_MOST_COLUMNS]
        found = self._first(table, [str(row[1]) for row in columns], is_view=kind == "view")
        infos = []
        primary = [row for row in columns if row[5]]
        for at, (row, holds) in enumerate(zip(columns, found, strict=True), 1):
            meant = declared(str(row[2]))
            data_type = settled(meant.kind, holds or Held())
            kept = meant if data_type == meant.kind else declared("")
            # The one integer of a primary key is the number of the row, which is never null.
            numbers_rows = len(primary) == 1 and bool(row[5]) and str(row[2]).upper() == "INTEGER"
            infos.append(
                ColumnInfo(
                    str(row[1]),
                    data_type,
                    str(row[2]) or data_type,
                    at,
                    nullable=None if kind == "view" else not (row[3] or numbers_rows),
                    comment=_NOT_FOUND_OUT if holds is None and meant.kind is None else None,
                    precision=kept.precision,
                    scale=kept.scale,
                    data_length=kept.length,
                    default=None if row[4] is None else str(row[4]),
                )
            )
        if kind == "view":
            return TableInfo(table, "VIEW", tuple(infos), definition=_definition(self._found[table][1]))
        key = tuple(str(row[1]) for row in sorted(primary, key=lambda row: int(row[5])))
        keys = self._keys(name, key)
        return TableInfo(table, "TABLE", tuple(infos), tuple(keys), row_count=self._counted(table))

    def _first(self, table: str, columns: Sequence[str], *, is_view: bool) -> list[Held | None]:
        """Return what the first rows hold; None where finding out takes too long."""
        found: list[Held | None] = []
        began = time.monotonic()
        for start in range(0, len(columns), _COLUMNS_AT_ONCE):
            names = [identifier(one) for one in columns[start : start + _COLUMNS_AT_ONCE]]
            asked = [text for at in range(len(names)) for text in aggregates(f"c{at}")]
            given = ", ".join(f"{name} as c{at}" for at, name in enumerate(names))
            statement = (
                f"select {', '.join(asked)} from (select {given} from main.{identifier(table)} limit {_FIRST_ROWS})"
            )
            try:
                with self._bounded(min(self._views_left, _FIRST_SECONDS) if is_view else _FIRST_SECONDS):
                    (answers,) = self._connection.execute(statement).fetchall()
            except _TooLong:
                break
            width = len(asked) // len(names)
            found += [held(answers[at * width : (at + 1) * width]) for at in range(len(names))]
        if is_view:
            self._views_left = max(0.0, self._views_left - (time.monotonic() - began))
        return found + [None] * (len(columns) - len(found))

    def _keys(self, name: str, primary: tuple[str, ...]) -> Iterator[KeyInfo]:
        if primary:
            yield KeyInfo("PRIMARY_KEY", None, primary)
        with self._bounded(self._seconds):
            ask = self._connection.execute
            for _, index, unique, origin, partial in ask(f"pragma main.index_list({name})").fetchall()[::-1]:
                if not unique or partial or origin == "pk":
                    continue
                columns = [row[2] for row in ask(f"pragma main.index_info({identifier(str(index))})").fetchall()]
                if columns and all(columns):  # an expression has no name
                    yield KeyInfo("UNIQUE", None if origin == "u" else str(index), tuple(map(str, columns)))
            foreign: dict[int, list[Any]] = {}
            for row in ask(f"pragma main.foreign_key_list({name})").fetchall():
                foreign.setdefault(int(row[0]), []).append(row)
            for number in sorted(foreign, reverse=True):  # the last one declared has the number 0
                found = self._reference(sorted(foreign[number], key=lambda row: int(row[1])))
                if found is not None:
                    yield found

    def _reference(self, rows: Sequence[Any]) -> KeyInfo | None:
        """A foreign key; None where what it refers to is not there."""
        target = self._spelled.get(str(rows[0][2]).lower())
        if target is None or target in self._virtual:
            return None
        there = self._connection.execute(f"pragma main.table_xinfo({identifier(target)})").fetchall()
        spelled = {str(row[1]).lower(): str(row[1]) for row in there}
        key = [str(row[1]) for row in sorted((row for row in there if row[5]), key=lambda row: int(row[5]))]
        to = [None if row[4] is None else spelled.get(str(row[4]).lower()) for row in rows]
        if all(row[4] is None for row in rows) and len(key) == len(rows):
            to = list(key)  # without columns it refers to the primary key
        if not all(to):
            return None
        own = tuple(str(row[3]) for row in rows)
        return KeyInfo("FOREIGN_KEY", None, own, self._schema, target, tuple(str(one) for one in to))

    def _counted(self, table: str) -> int | None:
        """The rows that SQLite's own statistics tell of, if somebody has gathered them."""
        statement = f"select max(cast(stat as integer)) from main.sqlite_stat1 where tbl = {literal(table)}"
        try:
            with self._bounded(self._seconds):
                ((rows,),) = self._connection.execute(statement).fetchall()
        except FileProblem:
            return None
        return int(rows) if isinstance(rows, int) and rows >= 0 else None

    @contextmanager
    def _bounded(self, seconds: float, steps: int | None = None) -> Iterator[None]:
        """Statements for a bounded time; what goes wrong becomes a FileProblem without any of the file's content."""
        until, late, calls = time.monotonic() + seconds, False, 0

        def check() -> int:
            nonlocal late, calls
            calls += 1
            late = time.monotonic() > until or (steps is not None and calls * _STEPS > steps)
            return int(late or self._stopped())

        problem: FileProblem
        self._connection.set_progress_handler(check, _STEPS)
        try:
            check()
            if self._stopped():
                raise cancelled()
            yield
            return
        except (sqlite3.Error, MemoryError, OverflowError) as error:
            if self._stopped():
                raise cancelled() from None
            problem = _TooLong(f"Reading it took longer than {seconds:g} seconds.") if late else _problem(error)
        finally:
            self._connection.set_progress_handler(None, 0)
        raise problem


class _TooLong(FileProblem):
    """A statement that was stopped."""


def _connected(path: Path, *, writes: bool) -> sqlite3.Connection:
    """A connection that may only select. To take in a write-ahead log, SQLite must be able to write the copy."""
    mode = "mode=rw" if writes else "mode=ro&immutable=1"
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?{mode}", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
    connection.text_factory = _decoded
    for pragma in ("trusted_schema = off", "query_only = on", "cell_size_check = on", "mmap_size = 0"):
        connection.execute(f"pragma {pragma}")
    connection.set_authorizer(_authorized)
    return connection


def _authorized(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Return whether SQLite may do something for a statement, or for a view."""
    if action == sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK if first in _PRAGMAS else sqlite3.SQLITE_DENY
    if action not in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _NEVER):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _unicode(text: bytes) -> bytes:
    """The text in valid UTF-8, and without null characters."""
    with suppress(UnicodeDecodeError):
        text.decode()
        return text.replace(b"\x00", b"")
    return _decoded(text).replace("\x00", "").encode()


def _plain(column: str, *, in_hex: bool) -> str:
    """A value that SQLite prints whole: all digits of a number, bytes in hexadecimal, of long ones the beginning."""
    if in_hex:
        return f"case when {column} is null then null else hex(substr(cast({column} as blob), 1, {_LONGEST_BLOB})) end"
    bits = f"hex(substr({column}, 1, {_LONGEST_BLOB}))"
    return f"case typeof({column}) when 'blob' then {bits} when 'real' then quote({column}) else {column} end"


def _problem(error: Exception) -> FileProblem:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_NOTADB"):
        return FileProblem("It is encrypted, or no SQLite database after all.")
    if name.startswith("SQLITE_CORRUPT"):
        return FileProblem("It is damaged, or its end is missing.")
    if name.startswith("SQLITE_TOOBIG") or isinstance(error, MemoryError | OverflowError | sqlite3.DataError):
        return FileProblem(f"It has a value of more than {_LONGEST_VALUE:,} bytes.")
    if name.startswith("SQLITE_AUTH"):
        return FileProblem("It does what may not be done here, such as reading a virtual table or another file.")
    if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
        return FileProblem("Reading it takes more space on the disk than there is.")
    return FileProblem("SQLite does not read it: it names what is not there, or does what is not trusted here.")


def _module(sql: Any) -> str:
    found = re.search(r"\busing\s+[\"`\[]?(\w{1,40})", str(sql or ""), re.IGNORECASE)
    return found[1] if found else "of an unknown name"


def _is_shadow(name: str, virtual: dict[str, str]) -> bool:
    """Return whether a virtual table keeps its own state in a table."""
    owner, _, part = name.rpartition("_")
    return owner in virtual and bool(_SHADOWS.fullmatch(part))


def _expansions(views: dict[str, str]) -> dict[str, int]:
    """How many views each view comes to when all that it names are put in, as far as it matters."""
    spelled = {name.lower(): name for name in views}
    known: dict[str, int] = {}

    def count(name: str, above: frozenset[str]) -> int:
        if name in above or len(above) > 100:
            return _MOST_EXPANDED + 1
        if name not in known:
            body = _VIEW.sub("", views[name], count=1)
            total = 1
            for word in _WORD.findall(body):
                other = spelled.get((word[1:-1] if word[0] in '"`[' else word).lower())
                if other is not None and total <= _MOST_EXPANDED:
                    total += count(other, above | {name})
            known[name] = total
        return known[name]

    return {name: count(name, frozenset()) for name in views}


def _definition(sql: str) -> str | None:
    """The query of a view, in the dialect in which tables of files are asked; as it stands where that fails."""
    with suppress(SqlglotError, RecursionError, ValueError):
        found = sqlglot.parse_one(sql, dialect="sqlite")
        if isinstance(found, exp.Create) and isinstance(found.expression, exp.Query):
            return found.expression.sql(dialect="duckdb")
    return _VIEW.sub("", sql, count=1).strip() or None
