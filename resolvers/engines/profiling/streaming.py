"""The tier `full`: every row once, through DuckDB, in constant memory.

Files are in a DuckDB already and are asked there. Other sources are read in one stream, as Arrow batches where source
and deployment have them; else rows are put into a temporary table on disk first.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.profiling.basics import is_refused, scan
from resolvers.engines.profiling.battery import COLUMNS_AT_ONCE, Told, Wanted, battery, read, wanted
from resolvers.engines.profiling.columns import Extent, column_profile, with_pass
from resolvers.engines.profiling.kinds import is_exact_fraction, is_integer, is_plain_text, type_of
from resolvers.engines.profiling.sampling import take
from resolvers.engines.profiling.sql import column
from resolvers.engines.profiling.tables import Header, structure, table_profile
from resolvers.engines.profiling.values import Progress
from schema.data_readiness.profile import ProfileTier, TableProfile, ValueKind
from schema.data_readiness.source import ColumnFacts, Row, Sample, Source, TableFacts

ROWS_AT_ONCE: Final = 20_000
MEMORY: Final = "512MB"
"""What DuckDB may hold; the rest it keeps on disk."""


def by_stream(source: Source, facts: TableFacts, rows: int, header: Header, progress: Progress) -> TableProfile:
    """Profile a table by reading every row."""
    relation = source.relation(facts.database, facts.schema, facts.name)
    columns = _present(source, relation, facts)
    sample = take(source, relation, columns, None, rows)
    if sample.is_whole and sample.columns:
        # A table that the sample holds is told exactly by the sample, and by one scan that costs nothing.
        return _whole(source, relation, facts, columns, sample, header)
    places = {name: position for position, name in enumerate(sample.columns)}
    of_sample = {of.name: [row[places[of.name]] for row in sample.rows] if of.name in places else [] for of in columns}
    row_count, told = _passes(source, relation, columns, of_sample, progress, facts.row_count)
    extent = Extent(row_count, len(sample.rows), is_whole=False)
    profiles = [
        with_pass(column_profile(of, told[of.name].basics, of_sample[of.name], extent), told[of.name])
        for of in columns
        if of.name in told
    ]
    found = structure(facts, sample, {one.name: one for one in profiles}, source.dialect)
    return table_profile(header, facts, ProfileTier.FULL, extent, profiles, found, sample_size=len(sample.rows))


def _whole(
    source: Source,
    relation: exp.Table,
    facts: TableFacts,
    columns: Sequence[ColumnFacts],
    sample: Sample,
    header: Header,
) -> TableProfile:
    scanned = scan(source, relation, columns)
    extent = Extent(scanned.row_count, len(sample.rows), is_whole=True)
    profiles = []
    for of in columns:
        if of.name in scanned.columns:
            at = sample.columns.index(of.name) if of.name in sample.columns else None
            values = None if at is None else [row[at] for row in sample.rows]
            profiles.append(column_profile(of, scanned.columns[of.name], values, extent))
    found = structure(facts, sample, {one.name: one for one in profiles}, source.dialect)
    return table_profile(header, facts, ProfileTier.FULL, extent, profiles, found, sample_size=None)


def _present(source: Source, relation: exp.Table, facts: TableFacts) -> list[ColumnFacts]:
    """The columns that the source still has: all of them, unless a query for none of their rows is refused."""

    def stands(some: Sequence[ColumnFacts]) -> bool:
        query = exp.select(*(column(of.name) for of in some)).from_(relation.copy()).limit(0)
        try:
            source.ask(query)
        except Exception as error:
            if not is_refused(error):
                raise
            return False
        return True

    if not facts.columns or stands(facts.columns):
        return list(facts.columns)
    return [of for of in facts.columns if stands([of])]


def _passes(
    source: Source,
    relation: exp.Table,
    columns: Sequence[ColumnFacts],
    of_sample: dict[str, list[Any]],
    progress: Progress,
    rows: int | None,
) -> tuple[int, dict[str, Told]]:
    told: dict[str, Told] = {}
    row_count = 0
    for start in range(0, len(columns) or 1, COLUMNS_AT_ONCE):
        some = columns[start : start + COLUMNS_AT_ONCE]
        if source.dialect == "duckdb":
            asked = [wanted(of, of_sample[of.name]) for of in some]
            [row] = source.ask(battery(relation, asked))
        else:
            asked = [wanted(of, of_sample[of.name], staged=staged_as(of)) for of in some]
            row = _one_pass(source, relation, asked, progress, rows)
        row_count, found = read(asked, row)
        told |= found
        progress(row_count, row_count)
    return row_count, told


def staged_as(of: ColumnFacts) -> str | None:
    """The type that a column's values are read as in DuckDB, when they come as texts."""
    name = type_of(of)
    if name in ("TIME", "TIMETZ"):
        return "time"
    return None


def staged_select(relation: exp.Table, columns: Sequence[Wanted], *, as_texts: bool) -> exp.Select:
    """What is read of a source: values that DuckDB takes as they are, of the others only whether they are there."""
    chosen: list[exp.Expr] = []
    for one in columns:
        of, name = one.of, column(one.of.name)
        value: exp.Expr = name
        if one.kind is ValueKind.OTHER:
            there = exp.Not(this=exp.Is(this=name, expression=exp.Null()))
            value = exp.Case().when(there, exp.Literal.number(1))
        elif is_exact_fraction(of):
            value = exp.cast(name, "double")
        elif _needs_text(one, as_texts=as_texts):
            value = exp.cast(name, "text")
        chosen.append(exp.alias_(value, of.name, quoted=True))
    return exp.select(*(chosen or [exp.Literal.number(1)])).from_(relation.copy())


def _needs_text(one: Wanted, *, as_texts: bool) -> bool:
    if one.kind is ValueKind.TEXT:
        return not is_plain_text(one.of)
    return one.staged is not None or (one.kind is ValueKind.TEMPORAL and as_texts)


def _one_pass(
    source: Source, relation: exp.Table, columns: Sequence[Wanted], progress: Progress, rows: int | None
) -> Row:
    import duckdb

    with (
        tempfile.TemporaryDirectory(prefix="stoa-profile-", ignore_cleanup_errors=True) as folder,
        closing(duckdb.connect(f"{folder}/rows.duckdb", config={"memory_limit": MEMORY})) as session,
    ):
        session.execute(f"set temp_directory = '{folder}/spill'")
        batches = source.arrow_batches(staged_select(relation, columns, as_texts=False))
        if batches is not None:
            session.register("staged", _reader(batches, progress, rows))
            asked: Sequence[Wanted] = columns
        else:
            asked = [_texts(one) for one in columns]
            _stage(session, source, staged_select(relation, asked, as_texts=True), asked, progress, rows)
        query = battery(exp.table_("staged", quoted=True), asked).sql(dialect="duckdb", identify=True)
        row: Row | None = session.execute(query).fetchone()
        assert row is not None
        return row


def _texts(one: Wanted) -> Wanted:
    """A column as it is read where moments come as texts."""
    if one.kind is not ValueKind.TEMPORAL or one.staged is not None:
        return one
    return replace(one, staged={"DATE": "date", "TIMESTAMPTZ": "timestamptz"}.get(type_of(one.of), "timestamp"))


def _reader(batches: Iterator[Any], progress: Progress, rows: int | None) -> Any:
    """Batches as DuckDB takes them in, counted as they go by."""
    import pyarrow

    first = next(batches, None)
    if first is None:
        return pyarrow.table({})

    def counted() -> Iterator[Any]:
        done = 0
        batch = first
        while batch is not None:
            yield batch
            done += batch.num_rows
            progress(done, None if rows is None or rows < done else rows)
            batch = next(batches, None)

    return pyarrow.RecordBatchReader.from_batches(first.schema, counted())


def _stage(
    session: Any,
    source: Source,
    query: exp.Select,
    columns: Sequence[Wanted],
    progress: Progress,
    rows: int | None,
) -> None:
    """Put the rows of a source into a table on disk, some thousand at a time."""
    types = [_staged_type(one) for one in columns] or ["integer"]
    names = [one.of.name for one in columns] or ["none"]
    declared = ", ".join(
        f'"{name.replace(chr(34), chr(34) * 2)}" {kind}' for name, kind in zip(names, types, strict=True)
    )
    session.execute(f"create table staged ({declared})")
    lists = ", ".join(f"unnest(${at + 1}::{kind}[])" for at, kind in enumerate(types))
    done = 0
    for batch in source.stream(query, ROWS_AT_ONCE):
        turned = [list(values) for values in zip(*batch, strict=True)]
        for at, kind in enumerate(types):
            if kind == "varchar":
                turned[at] = [None if value is None else str(value) for value in turned[at]]
        session.execute(f"insert into staged select {lists}", turned)
        done += len(batch)
        progress(done, None if rows is None or rows < done else rows)


def _staged_type(one: Wanted) -> str:
    if one.kind is ValueKind.NUMBER:
        return "hugeint" if is_integer(one.of) else "double"
    return {ValueKind.BOOLEAN: "boolean", ValueKind.OTHER: "integer"}.get(one.kind, "varchar")
