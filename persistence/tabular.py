"""Tables as Parquet, written and read with DuckDB, whose session reaches one private folder and nothing else.

What DuckDB says about broken data may quote that data, so its messages are not passed on.
"""

import base64
import contextlib
import math
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import orjson

from persistence.parquet import TooDeep, require_shallow

SECONDS = 20.0
"""How long one table may take."""
_BEYOND = 2**63


class NotATable(Exception):
    """The bytes cannot be read as Parquet. The text is a sentence without any of the content."""


@dataclass(frozen=True, slots=True)
class RowWindow:
    """Some rows of a table that follow one another."""

    columns: list[str]
    types: list[str]
    rows: list[list[Any]]
    total: int
    """How many rows the table has."""


class Scratch:
    """A temporary folder and a DuckDB session that can see nothing else. Blocks: use it in a thread."""

    def __init__(self) -> None:
        import duckdb

        self._duckdb = duckdb
        self._folder = tempfile.TemporaryDirectory(prefix="stoa-table-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name).resolve()
        self._session = duckdb.connect(
            ":memory:",
            config={
                "autoinstall_known_extensions": "false",
                "autoload_known_extensions": "false",
                "allow_community_extensions": "false",
                "allow_persistent_secrets": "false",
                "threads": 1,
                "memory_limit": "256MB",
            },
        )
        quoted = str(self.folder).replace("'", "''")
        for statement in (
            f"set temp_directory = '{quoted}/spill'",
            f"set allowed_directories = ['{quoted}/']",
            "set enable_external_access = false",
            "set enable_progress_bar = false",  # it would write into the log
            "set lock_configuration = true",
        ):
            self._session.execute(statement)

    def __enter__(self) -> "Scratch":
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()
        self._folder.cleanup()

    def write(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], types: Sequence[str] | None = None) -> Path:
        """Write a table of JSON values as Parquet.

        Each column has the type that is given, with values that can be read as one, or the narrowest that holds all its
        values.
        """
        source, made = self.folder / "rows", self.folder / "table"
        with source.open("wb") as file:
            for row in rows:
                file.write(orjson.dumps({f"c{at}": value for at, value in enumerate(row)}) + b"\n")
        types = types or [_type_of([row[at] for row in rows]) for at in range(len(columns))]
        named = ", ".join(f"c{at} as {_quoted(name)}" for at, name in enumerate(columns))
        read = ", ".join(f"c{at}: '{kind}'" for at, kind in enumerate(types))
        if rows:
            table = f"select {named} from read_json('{source}', format='newline_delimited', columns={{{read}}})"  # noqa: S608 (quoted)
        else:
            nothing = (f"null::{kind} as {_quoted(name)}" for name, kind in zip(columns, types, strict=True))
            table = "select " + ", ".join(nothing) + " where false"
        with self._bounded():
            self._session.execute(f"copy ({table}) to '{made}' (format parquet)")
        return made

    def window(self, path: Path, *, offset: int, limit: int, max_bytes: int) -> RowWindow:
        """The rows of a Parquet file behind the first `offset`, as many as fit. Raises NotATable."""
        with self._bounded():
            require_shallow(self._session, [str(path)])
            described = self._session.execute("describe select * from read_parquet(?)", [str(path)]).fetchall()
            counted = self._session.execute("select count(*) from read_parquet(?)", [str(path)]).fetchone()
            columns, types = [row[0] for row in described], [row[1] for row in described]
            shown = ", ".join(_shown(name, kind) for name, kind in zip(columns, types, strict=True))
            query = f"select {shown} from read_parquet(?) limit {limit} offset {offset}"  # noqa: S608 (quoted)
            answer = self._session.execute(query, [str(path)])
            rows: list[list[Any]] = []
            room = max_bytes
            while found := answer.fetchmany(256):
                for row in found:
                    values = [_plain(value) for value in row]
                    room -= len(orjson.dumps(values))
                    if room < 0:
                        return RowWindow(columns, types, rows, counted[0] if counted else 0)
                    rows.append(values)
        return RowWindow(columns, types, rows, counted[0] if counted else 0)

    @contextlib.contextmanager
    def _bounded(self) -> Iterator[None]:
        alarm = threading.Timer(SECONDS, self._session.interrupt)
        alarm.start()
        try:
            yield
        except TooDeep as problem:
            raise NotATable(str(problem)) from None
        except self._duckdb.Error:
            raise NotATable("It could not be read as Parquet.") from None
        finally:
            alarm.cancel()
            alarm.join()


def _type_of(values: Sequence[Any]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return "VARCHAR"
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE" if kinds <= {int, float} else "JSON"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _shown(name: str, kind: str) -> str:
    # A moment with a zone would need a library of zones to come out as a Python value.
    return f"{_quoted(name)}::varchar" if "WITH TIME ZONE" in kind else _quoted(name)


def _plain(value: Any) -> Any:
    """A value as JSON holds it; what JSON cannot hold comes as text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if -_BEYOND <= value < _BEYOND else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    return str(value)
