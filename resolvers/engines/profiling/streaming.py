"""The tier `full`: every row once, through DuckDB, in constant memory.

Files are in a DuckDB already and are asked there. Other sources are read in one stream, as Arrow batches where source
and deployment have them; else rows are put into a temporary table on disk first.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.profiling.basics import is_refused, with_blanks
from resolvers.engines.profiling.battery import (
    COLUMNS_AT_ONCE,
    GREATEST,
    LEAST,
    Passed,
    Told,
    Wanted,
    battery,
    may_have_few,
    read,
    sampled,
    values_query,
)
from resolvers.engines.profiling.columns import Extent, column_profile, with_pass
from resolvers.engines.profiling.distribution import counts_of
from resolvers.engines.profiling.kinds import is_exact_fraction, is_integer, is_plain_text, kind_of, type_of
from resolvers.engines.profiling.sampling import FEWEST_SAMPLED, MOST_CELLS, MOST_CHARACTERS, by_sample, take
from resolvers.engines.profiling.sql import column
from resolvers.engines.profiling.tables import Header, structure, table_profile
from resolvers.engines.profiling.values import Progress
from schema.data_readiness.profile import ProfileTier, TableProfile, ValueKind
from schema.data_readiness.source import ColumnFacts, Row, Sample, Source, TableFacts

ROWS_AT_ONCE: Final = 20_000
ROWS_BEFORE: Final = 3_000
"""Rows that are looked at first, for which columns have few values."""

MEMORY: Final = "512MB"
"""What DuckDB may hold; the rest it keeps on disk."""


def by_stream(source: Source, facts: TableFacts, rows: int, header: Header, progress: Progress) -> TableProfile:
    """Profile a table by reading every row."""
    relation = source.relation(facts.database, facts.schema, facts.name)
    columns = _present(source, relation, facts)
    [(count,)] = source.ask(exp.select(exp.Count(this=exp.Star())).from_(relation.copy()))
    progress(0, int(count))
    if count <= rows:
        # What fits into a sample is told exactly by it, and by a scan that costs nothing.
        profile = by_sample(source, facts, rows, header, progress)
        if profile.sample_size is None:
            return profile.model_copy(update={"tier": ProfileTier.FULL})
    passed = _passes(source, relation, columns, rows, int(count), progress)
    names = tuple(one.of.name for one in sampled([Wanted(of) for of in columns])) if passed.rows else ()
    whole = len(passed.rows) == passed.row_count
    extent = Extent(passed.row_count, len(passed.rows), is_whole=whole)
    sample = Sample(names, tuple(passed.rows), is_whole=whole)
    places = {name: position for position, name in enumerate(names)}
    profiles = []
    for of in columns:
        at, told = places.get(of.name), passed.columns[of.name]
        values = None if at is None else [row[at] for row in passed.rows]
        profiles.append(with_pass(column_profile(of, told.basics, values, extent), told))
    found = structure(facts, sample, {one.name: one for one in profiles}, source.dialect)
    size = None if whole else len(passed.rows)
    return table_profile(header, facts, ProfileTier.FULL, extent, profiles, found, sample_size=size)


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
    source: Source, relation: exp.Table, columns: Sequence[ColumnFacts], rows: int, count: int, progress: Progress
) -> Passed:
    """One pass, or several over a wide table, whose first one then collects the rows of all columns."""
    before = take(source, relation, columns, None, ROWS_BEFORE)
    share = _share(before, columns, rows, count)
    told: dict[str, Told] = {}
    kept: list[Row] = []

    def told_of(done: int) -> None:
        progress(done, max(count, done))

    for start in range(0, len(columns) or 1, COLUMNS_AT_ONCE):
        some = columns[start : start + COLUMNS_AT_ONCE]
        wanted_rows = share if start == 0 else 0.0
        if source.dialect == "duckdb":
            passed = _asked(source, relation, some, columns, wanted_rows)
        else:
            passed = _streamed(source, relation, some, columns if start == 0 else some, before, wanted_rows, told_of)
        count = passed.row_count if start == 0 else count
        kept = passed.rows or kept
        told |= passed.columns
        progress(count, count)
    return Passed(count, told, kept)


def _share(before: Sample, columns: Sequence[ColumnFacts], rows: int, count: int) -> float:
    """Which share of the rows to keep: of a wide table or of long texts fewer than were asked for."""
    wide = max(1, sum(1 for of in columns if kind_of(of) is not ValueKind.OTHER))
    most = min(rows, max(FEWEST_SAMPLED, MOST_CELLS // wide))
    texts = sum(len(value) for row in before.rows for value in row if isinstance(value, str))
    if texts:
        most = max(1, min(most, MOST_CHARACTERS * len(before.rows) // texts))
    return 1.0 if count <= most else most / count


def _streamed(
    source: Source,
    relation: exp.Table,
    some: Sequence[ColumnFacts],
    every: Sequence[ColumnFacts],
    before: Sample,
    share: float,
    progress: Callable[[int], None],
) -> Passed:
    """A pass over the rows of a source; once more with decimals as texts when one is too large for a double."""
    try:
        return _one_pass(source, relation, _wanted(some, before), _wanted(every, before), share, progress)
    except Exception as error:
        if not is_refused(error):
            raise
    plain, wide = _wanted(some, before, as_texts=True), _wanted(every, before, as_texts=True)
    return _one_pass(source, relation, plain, wide, share, progress)


def _wanted(columns: Sequence[ColumnFacts], before: Sample, *, as_texts: bool = False) -> list[Wanted]:
    """How each column comes from a source that is streamed, and whether it seems to have few values."""
    places = {name: position for position, name in enumerate(before.columns)}
    found = []
    for of in columns:
        few = False
        if of.name in places:
            distinct = len(counts_of(row[places[of.name]] for row in before.rows))
            few = may_have_few(of, distinct) and (distinct * 20 <= len(before.rows))
        staged = "time" if type_of(of) in ("TIME", "TIMETZ") else None
        if as_texts and is_exact_fraction(of):
            staged = "double"
        found.append(Wanted(of, staged, has_few=few))
    return found


def _asked(
    source: Source, relation: exp.Table, some: Sequence[ColumnFacts], every: Sequence[ColumnFacts], share: float
) -> Passed:
    """A pass in the source's own DuckDB, and one more over the columns that turn out to have few values."""
    asked = [Wanted(of, counts_blanks=False) for of in some]
    wide = [Wanted(of) for of in every]
    [row] = source.ask(battery(relation, asked, share, rows_of=wide))
    passed = read(asked, row)
    known = {name: one.basics for name, one in passed.columns.items()}
    known |= with_blanks(source, relation, some, known)
    passed = replace(passed, columns={name: replace(one, basics=known[name]) for name, one in passed.columns.items()})
    few = [one for one in asked if may_have_few(one.of, passed.columns[one.of.name].distinct_count)]
    query = values_query(relation, few)
    if query is None:
        return passed
    values: dict[str, dict[Any, int]] = {one.of.name: {} for one in few}
    for position, value, number in source.ask(query):
        values[few[position].of.name][value] = number
    told = {name: replace(one, values=values.get(name)) for name, one in passed.columns.items()}
    return replace(passed, columns=told)


def staged_select(relation: exp.Table, columns: Sequence[Wanted], *, as_texts: bool, dialect: str = "") -> exp.Select:
    """What is read of a source: values that DuckDB takes as they are, of the others only whether they are there."""
    chosen: list[exp.Expr] = []
    for one in columns:
        of, name = one.of, column(one.of.name)
        value: exp.Expr = name
        if one.kind is ValueKind.OTHER:
            there = exp.Not(this=exp.Is(this=name, expression=exp.Null()))
            value = exp.Case().when(there, exp.Literal.number(1))
        elif _needs_text(one, as_texts=as_texts):
            value = exp.cast(name, "text")
        elif is_exact_fraction(of):
            value = exp.cast(name, "double")
        elif one.kind is ValueKind.TEMPORAL and dialect == "postgres":
            # Infinity does not survive the way through Arrow.
            kind = {"DATE": "date", "TIMESTAMPTZ": "timestamptz"}.get(type_of(of), "timestamp")
            bounds = [exp.cast(exp.Literal.string(text), kind) for text in (LEAST, GREATEST)]
            value = exp.Least(this=exp.Greatest(this=name, expressions=[bounds[0]]), expressions=[bounds[1]])
        chosen.append(exp.alias_(value, of.name, quoted=True))
    return exp.select(*(chosen or [exp.Literal.number(1)])).from_(relation.copy())


def _needs_text(one: Wanted, *, as_texts: bool) -> bool:
    if one.kind is ValueKind.TEXT:
        return not is_plain_text(one.of)
    return one.staged is not None or (one.kind is ValueKind.TEMPORAL and as_texts)


def _one_pass(
    source: Source,
    relation: exp.Table,
    columns: Sequence[Wanted],
    wide: Sequence[Wanted],
    share: float,
    progress: Callable[[int], None],
) -> Passed:
    import duckdb

    read_of = wide if share > 0 else columns
    broken: list[Exception] = []
    with (
        tempfile.TemporaryDirectory(prefix="stoa-profile-", ignore_cleanup_errors=True) as folder,
        closing(duckdb.connect(f"{folder}/rows.duckdb", config={"memory_limit": MEMORY})) as session,
    ):
        session.execute(f"set temp_directory = '{folder}/spill'")
        batches = source.arrow_batches(staged_select(relation, read_of, as_texts=False, dialect=source.dialect))
        asked: Sequence[Wanted]
        if batches is not None:
            asked = columns
            session.register("staged", _reader(batches, progress, broken))
        else:
            asked, read_of = [_texts(one) for one in columns], [_texts(one) for one in read_of]
            _stage(session, source, staged_select(relation, read_of, as_texts=True), read_of, progress)
        query = battery(exp.table_("staged", quoted=True), asked, share, rows_of=read_of)
        row: Row | None = None
        try:
            row = session.execute(query.sql(dialect="duckdb", identify=True)).fetchone()
        except duckdb.Error:
            if not broken:
                raise
        if broken:
            raise broken[0]  # what the source said, which comes out of DuckDB as the text of a traceback
        assert row is not None
        return read(asked, row)


def _texts(one: Wanted) -> Wanted:
    """A column as it is read where moments come as texts."""
    if one.kind is not ValueKind.TEMPORAL or one.staged is not None:
        return one
    return replace(one, staged={"DATE": "date", "TIMESTAMPTZ": "timestamptz"}.get(type_of(one.of), "timestamp"))


def _reader(batches: Iterator[Any], progress: Callable[[int], None], broken: list[Exception]) -> Any:
    """Batches as DuckDB takes them in, counted as they go by; what breaks them off is kept in `broken`."""
    import pyarrow

    first = next(batches, None)
    if first is None:
        return pyarrow.table({})

    def counted() -> Iterator[Any]:
        done = 0
        batch = first
        try:
            while batch is not None:
                yield batch
                done += batch.num_rows
                progress(done)
                batch = next(batches, None)
        except Exception as error:
            broken.append(error)
            raise

    return pyarrow.RecordBatchReader.from_batches(first.schema, counted())


def _stage(
    session: Any, source: Source, query: exp.Select, columns: Sequence[Wanted], progress: Callable[[int], None]
) -> None:
    """Put the rows of a source into a table on disk, some thousand at a time."""
    types = [_staged_type(one) for one in columns] or ["integer"]
    names = [one.of.name for one in columns] or ["none"]
    declared = ", ".join(f'"{_doubled(name)}" {kind}' for name, kind in zip(names, types, strict=True))
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
        progress(done)


def _doubled(name: str) -> str:
    return name.replace('"', '""')


def _staged_type(one: Wanted) -> str:
    if one.staged is not None:
        return "varchar"
    if one.kind is ValueKind.NUMBER:
        return "hugeint" if is_integer(one.of) else "double"
    return {ValueKind.BOOLEAN: "boolean", ValueKind.OTHER: "integer"}.get(one.kind, "varchar")
