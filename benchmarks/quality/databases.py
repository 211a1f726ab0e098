"""Databases to ask: each in a DuckDB of its own in memory, with what the platform's catalog and profiles say of it."""

import re
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import duckdb
import sqlglot
from sqlglot import exp

from benchmarks.alike import created, names_of, profiles, targets_of
from persistence.samples import baseball
from persistence.samples import baseball_codebook as codebook
from resolvers.engines.nl2sql.model import ColumnKey, FoundValue, Knowledge
from resolvers.engines.nl2sql.schema_linking.lookups import found_in, query_of
from resolvers.engines.profiling import Header, profile_table
from resolvers.engines.profiling.references import ProfiledTable, foreign_keys
from schema.data_readiness.profile import ProfileTier, TableProfile
from schema.data_readiness.source import ColumnFacts, KnownStatistics, Row, Sample, TableFacts
from schema.identifiers import Fqn

SERVICE, DATABASE, SCHEMA = "source", "memory", "main"
HEADER: Final = Header("questions", "questions", datetime(2026, 1, 1, tzinfo=UTC))
_TYPES: Final = {"DECIMAL": "NUMERIC", "HUGEINT": "NUMERIC", "FLOAT": "REAL", "TIMESTAMP_NS": "TIMESTAMP"}
"""How the catalog calls what DuckDB calls otherwise."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A declared foreign key."""

    table: str
    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]


@dataclass
class Keys:
    """The keys and comments that a database declares, by the name of the table."""

    primary: dict[str, tuple[str, ...]] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    tables: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[tuple[str, str], str] = field(default_factory=dict)


class Here:
    """A `Source` over a DuckDB of this process."""

    dialect = "duckdb"

    def __init__(self, session: duckdb.DuckDBPyConnection) -> None:
        self.session = session

    def relation(self, database: str, schema: str, table: str) -> exp.Table:
        """Return what stands in FROM for a table."""
        return exp.table_(table, db=schema, catalog=database, quoted=True)

    def ask(self, query: exp.Query) -> list[Row]:
        """All rows."""
        return self.session.execute(query.sql("duckdb", identify=True)).fetchall()

    def stream(self, query: exp.Query, size: int = 5000, seconds: float | None = None) -> Generator[list[Row]]:
        """The rows in lists."""
        rows = self.ask(query)
        yield from (rows[at : at + size] for at in range(0, len(rows), size))

    def sample(self, relation: exp.Table, columns: Sequence[str], rows: int) -> Sample:
        """The first rows: nothing here depends on the order of the rows."""
        chosen: list[exp.Expr] = [exp.column(name, quoted=True) for name in columns] or [exp.Literal.number(1)]
        found = self.ask(exp.select(*chosen).from_(relation.copy()).limit(rows + 1))
        return Sample(tuple(columns), tuple(found[:rows]), is_whole=len(found) <= rows)

    def statistics(self, database: str, schema: str, table: str) -> KnownStatistics | None:
        """Nothing."""
        return None

    def arrow_batches(self, query: exp.Query) -> None:
        """No other way."""
        return


@dataclass
class Loaded:
    """A database that can be asked."""

    name: str
    session: duckdb.DuckDBPyConnection
    tables: tuple[TableFacts, ...]
    profiles: dict[str, TableProfile] = field(default_factory=dict)
    made: dict[str, TableProfile] = field(default_factory=dict)
    """Profiles that are known without looking at the data."""
    file: sqlite3.Connection | None = None
    """What it was copied from."""

    def rows(self, sql: str) -> list[Row]:
        """The rows of a query. Raises duckdb.Error."""
        return self.session.execute(sql).fetchall()

    def original_rows(self, sql: str) -> list[Row]:
        """The rows of a query to the file that it was copied from. Raises sqlite3.Error."""
        assert self.file is not None
        return self.file.execute(sql).fetchall()

    def without_keys(self) -> "Loaded":
        """The same data, as of a database that declares no foreign keys; what profiles find out stays."""
        tables = tuple(
            replace(
                table,
                keys=tuple(key for key in table.keys if key["type"] != "FOREIGN_KEY"),
                columns=tuple(replace(column, references=None) for column in table.columns),
            )
            for table in self.tables
        )
        return Loaded(self.name, self.session, tables, made=self.made, file=self.file)

    def profiled(self, tier: ProfileTier = ProfileTier.SAMPLE) -> "Loaded":
        """With a profile of every table and the references that values speak for, as a run of the platform gives."""
        if self.made:
            self.profiles = self.made
            return self
        source = Here(self.session)
        by_table = {table.fqn: profile_table(source, table, HEADER, tier=tier) for table in self.tables}
        known = [ProfiledTable(table, by_table[table.fqn]) for table in self.tables]
        for one in known:
            others = [other for other in known if other is not one]
            references = foreign_keys(source, one, others)
            by_table[one.facts.fqn] = by_table[one.facts.fqn].model_copy(update={"foreign_keys": references})
        self.profiles = by_table
        return self

    def found(self, columns: Sequence[ColumnKey], texts: Sequence[str]) -> Sequence[FoundValue]:
        """A lookup as the platform gives it: texts that columns hold, without regard to case."""
        source = Here(self.session)
        query = query_of(columns, texts, Knowledge(self.tables), source.relation)
        return found_in(source.ask(query), columns) if query is not None else []


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def described(name: str, session: duckdb.DuckDBPyConnection, keys: Keys) -> Loaded:
    """A loaded database with the facts of its tables."""
    listed = session.execute(
        "select table_name, column_name, data_type, is_nullable from duckdb_columns() "
        "where schema_name = 'main' and not internal order by table_oid, column_index"
    ).fetchall()
    columns: dict[str, list[ColumnFacts]] = {}
    for table, column, kind, nullable in listed:
        target = next(
            (
                (_fqn(one.target), one.target_columns[0])
                for one in keys.references
                if (one.table, one.columns) == (table, (column,))
            ),
            None,
        )
        bare = str(kind).partition("(")[0]
        columns.setdefault(table, []).append(
            ColumnFacts(
                fqn=f"{_fqn(table)}.{column}",
                name=column,
                ordinal_position=len(columns[table]) + 1 if table in columns else 1,
                data_type=_TYPES.get(bare, bare),
                nullable=nullable,
                description=keys.columns.get((table, column)),
                is_primary_key=column in keys.primary.get(table, ()),
                references=target,
            )
        )
    views = {name for (name,) in session.execute("select view_name from duckdb_views() where not internal").fetchall()}
    tables = [
        TableFacts(
            fqn=_fqn(table),
            resource_uri="source",
            database=DATABASE,
            schema=SCHEMA,
            name=table,
            columns=tuple(of),
            table_type="VIEW" if table in views else "TABLE",
            row_count=session.execute(f"select count(*) from {_quoted(table)}").fetchall()[0][0],
            description=keys.tables.get(table),
            keys=tuple(_keys(table, keys)),
        )
        for table, of in columns.items()
    ]
    return Loaded(name, session, tuple(tables))


def _fqn(table: str) -> str:
    return str(Fqn.of(SERVICE, DATABASE, SCHEMA, table))


def _keys(table: str, keys: Keys) -> Iterator[dict[str, Any]]:
    if table in keys.primary:
        yield {"type": "PRIMARY_KEY", "columns": list(keys.primary[table])}
    for one in keys.references:
        if one.table == table:
            yield {
                "type": "FOREIGN_KEY",
                "columns": list(one.columns),
                "target_schema": SCHEMA,
                "target_table": one.target,
                "target_columns": list(one.target_columns),
            }


def from_script(name: str, script: str) -> Loaded:
    """A database from CREATE TABLE and INSERT statements in DuckDB's dialect; keys are read, and not enforced."""
    session = duckdb.connect(config={"threads": 1})
    keys = Keys()
    for statement in sqlglot.parse(script, dialect="duckdb"):
        if isinstance(statement, exp.Create):
            _strip(statement, keys)
        if statement is not None:
            session.execute(statement.sql("duckdb"))
    names = {
        table.casefold(): table for (table,) in session.execute("select table_name from duckdb_tables()").fetchall()
    }
    keys.references = [replace(one, target=names[one.target.casefold()]) for one in keys.references]
    return described(name, session, keys)


def _strip(create: exp.Create, keys: Keys) -> None:
    """Take the keys out of a definition, into `keys`."""
    definition = create.this
    table = definition.this.name
    left = []
    for part in definition.expressions:
        if isinstance(part, exp.PrimaryKey):
            keys.primary[table] = tuple(one.name for one in part.expressions)
        elif isinstance(part, exp.ForeignKey):
            _refer(keys, table, tuple(one.name for one in part.expressions), part.args["reference"])
        else:
            left.append(part)
        for constraint in list(part.args.get("constraints") or ()) if isinstance(part, exp.ColumnDef) else ():
            if isinstance(constraint.kind, exp.PrimaryKeyColumnConstraint):
                keys.primary[table] = (part.name,)
            if isinstance(constraint.kind, exp.Reference):
                _refer(keys, table, (part.name,), constraint.kind)
                constraint.pop()
    definition.set("expressions", left)


def _refer(keys: Keys, table: str, columns: tuple[str, ...], reference: exp.Reference) -> None:
    target = reference.this
    name, to = target.this.name, tuple(one.name for one in target.expressions)
    keys.references.append(Reference(table, columns, name, to or keys.primary.get(name, ("id",))))


def chinook(folder: Path) -> Loaded:
    """The music shop, from its SQLite file."""
    return from_sqlite(folder / "chinook.sqlite")


def from_sqlite(path: Path) -> Loaded:
    """A SQLite file, copied with its keys. The right queries to it run on the file itself, in SQLite's dialect."""
    session, keys = duckdb.connect(config={"threads": 1}), Keys()
    file = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = [name for (name,) in file.execute("select name from sqlite_master where type = 'table' order by name")]
    for table in tables:
        columns = file.execute(f"pragma table_info({_quoted(table)})").fetchall()
        rows = file.execute(f"select * from {_quoted(table)}").fetchall()
        told = [_kind(kind, (row[at] for row in rows)) for at, (_, _, kind, *_) in enumerate(columns)]
        kinds = ", ".join(f"{_quoted(name)} {kind}" for (_, name, *_), kind in zip(columns, told, strict=True))
        session.execute(f"create table {_quoted(table)} ({kinds})")
        keys.primary[table] = tuple(name for _, name, _, _, _, key in columns if key)
        for _, _, target, column, to, *_ in file.execute(f"pragma foreign_key_list({_quoted(table)})"):
            keys.references.append(Reference(table, (column,), target, (to,)))
        _insert(session, table, [name for _, name, *_ in columns], rows)
    loaded = described(path.stem, session, keys)
    loaded.file = file
    return loaded


def _kind(declared: str, values: Iterable[object]) -> str:
    """The type for a column's values: SQLite's whole numbers have 64 bits, and it keeps texts among them."""
    kind = declared.upper().replace("NVARCHAR", "VARCHAR").replace("DATETIME", "TIMESTAMP")
    if kind not in ("INTEGER", "INT"):
        return kind
    return "VARCHAR" if any(isinstance(value, str) for value in values) else "BIGINT"


def _insert(session: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Many rows at once: DuckDB is slow with single ones."""
    import pyarrow as pa

    texts = [[None if row[at] is None else str(row[at]) for row in rows] for at in range(len(columns))]
    batch = pa.table({name: pa.array(values, pa.string()) for name, values in zip(columns, texts, strict=True)})
    name = f"rows of {table}"  # names fold their case, and a table may be called anything
    session.register(name, batch)
    session.execute(f"insert into {_quoted(table)} select * from {_quoted(name)}")
    session.unregister(name)


_COPIED: Final = re.compile(r"^INSERT INTO (\w+) VALUES (\(.*\));$", re.MULTILINE)
_PRIMARY: Final = re.compile(r"ALTER TABLE ONLY (\w+)\s+ADD CONSTRAINT \w+ PRIMARY KEY \(([^)]*)\)")
_FOREIGN: Final = re.compile(
    r"ALTER TABLE ONLY (\w+)\s+ADD CONSTRAINT \w+ FOREIGN KEY \(([^)]*)\) REFERENCES (\w+)\s*(?:\(([^)]*)\))?"
)


def northwind(folder: Path) -> Loaded:
    """The trading company, from the SQL of its PostgreSQL database."""
    script = (folder / "northwind_postgres.sql").read_text()
    session, keys = duckdb.connect(config={"threads": 1}), Keys()
    for definition in re.findall(r"^CREATE TABLE .*?^\);", script, flags=re.MULTILINE | re.DOTALL):
        session.execute(definition)
    rows: dict[str, list[str]] = {}
    for table, values in _COPIED.findall(script):
        rows.setdefault(table, []).append(values.replace(r"'\x'", "null"))
    for table, values in rows.items():
        session.execute(f"insert into {table} values {', '.join(values)}")
    for table, names in _PRIMARY.findall(script):
        keys.primary[table] = _split(names)
    for table, names, target, to in _FOREIGN.findall(script):
        keys.references.append(Reference(table, _split(names), target, _split(to) or keys.primary[target]))
    return described("northwind", session, keys)


def _split(names: str) -> tuple[str, ...]:
    return tuple(name.strip(' "') for name in names.split(",") if name.strip())


def lahman() -> Loaded:
    """Baseball, as the demo loads it. Raises NoSample without the `demo` extra."""
    session = duckdb.connect(config={"threads": 1})
    meanings: dict[tuple[str, str], str] = {}
    for file in baseball.source_files():
        described_columns = session.execute("describe select * from read_parquet(?)", [str(file)]).fetchall()
        table = file.stem.lower()
        names = [name for name, *_ in described_columns]
        meanings |= {(table, name): said for name, said in codebook.columns_of(table, names).items()}
        columns = ", ".join(
            f"{_quoted(name)}::timestamp as {_quoted(name)}" if str(kind).startswith("TIMESTAMP") else _quoted(name)
            for name, kind, *_ in described_columns
        )
        session.execute(f"create table {table} as select {columns} from read_parquet('{file}')")
    session.execute(baseball.VIEW.format(""))
    keys = Keys(
        dict(baseball.PRIMARY_KEYS),
        [Reference(*one) for one in baseball.FOREIGN_KEYS],
        codebook.TABLES,
        meanings,
    )
    return described("baseball", session, keys)


def alike(tables: int = 500) -> Loaded:
    """The large catalog of tables that are all alike."""
    session, keys = duckdb.connect(config={"threads": 1}), Keys()
    names = names_of(tables)
    for at, name in enumerate(names):
        session.execute(created(at, names))
        keys.primary[name] = ("id",)
        keys.references += [Reference(name, (f"{to}_id",), to, ("id",)) for to in targets_of(at, names)]
    loaded = described("alike", session, keys)
    loaded.made = profiles(loaded.tables)
    return loaded
