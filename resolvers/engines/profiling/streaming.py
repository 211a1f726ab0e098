"""The tier `full`: every row once, through DuckDB, in constant memory.

Files are in a DuckDB already and are asked there. Other sources are read in one stream, as Arrow batches where source
and deployment have them; else rows are put into a temporary table on disk first.
"""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, Final

from sqlglot import exp, parse_one

from resolvers.engines.profiling.basics import is_refused, with_blanks, with_extreme_numbers
from resolvers.engines.profiling.battery import (
    COLUMNS_AT_ONCE,
    ColumnFigures,
    Passed,
    Wanted,
    battery,
    in_row,
    read,
    sampled,
    with_values,
)
from resolvers.engines.profiling.columns import Extent, column_profile, with_key, with_pass
from resolvers.engines.profiling.kinds import is_exact_fraction, is_integer, is_plain_text, kind_of, type_of
from resolvers.engines.profiling.sampling import FEWEST_SAMPLED, MOST_CELLS, MOST_CHARACTERS, by_sample
from resolvers.engines.profiling.sql import column, spelled
from resolvers.engines.profiling.tables import ENFORCED, Header, structure, table_profile
from resolvers.engines.profiling.tally import Tally
from resolvers.engines.profiling.values import Progress
from schema.data_readiness.profile import ProfileTier, TableProfile, ValueKind
from schema.data_readiness.source import ColumnFacts, Row, Sample, Source, TableFacts

ROWS_AT_ONCE: Final = 20_000
PLACES: Final = 4
ROWS_AT_PLACE: Final = 500
"""How many rows of a table are looked at in how many places for the length of its texts."""

_STAGED: Final = exp.table_("staged", quoted=True)
_ZERO: Final = exp.Literal.number(0)

MEMORY: Final = "512MB"
"""What DuckDB may hold; the rest it keeps on disk."""


def by_stream(source: Source, facts: TableFacts, rows: int, header: Header, progress: Progress) -> TableProfile:
    """Profile a table by reading every row."""
    relation = source.relation(facts.database, facts.schema, facts.name)
    columns = _present(source, relation, facts)
    count, expected = _counted(source, relation, facts, rows)
    progress(0, expected)
    if count is not None and count <= rows:
        # What fits into a sample is told exactly by it, and by a scan that costs nothing.
        profile = by_sample(source, facts, rows, header, progress)
        if profile.sample_size is None:
            return profile.model_copy(update={"tier": ProfileTier.FULL})
    passed = _passes(source, relation, columns, rows, expected, progress)
    names = tuple(one.of.name for one in sampled([Wanted(of) for of in columns])) if passed.rows else ()
    whole = len(passed.rows) == passed.row_count
    extent = Extent(passed.row_count, len(passed.rows), is_whole=whole)
    sample = Sample(names, tuple(passed.rows), is_whole=whole)
    values = sample.by_column()
    keys = {key[0] for key in facts.key_sets if len(key) == 1 and source.dialect in ENFORCED}
    profiles = []
    for of in columns:
        told = passed.columns[of.name]
        made = with_pass(column_profile(of, told.basics, values.get(of.name), extent), told)
        profiles.append(with_key(made) if of.name in keys else made)
    found = structure(facts, sample, {one.name: one for one in profiles}, source.dialect)
    size = None if whole else len(passed.rows)
    return table_profile(header, facts, ProfileTier.FULL, extent, profiles, found, sample_size=size)


def _counted(source: Source, relation: exp.Table, facts: TableFacts, rows: int) -> tuple[int | None, int | None]:
    """Return how many rows a table has, None when more than a sample; and how many to expect, when somebody knows.

    Files know it by themselves. A database would read the table for it, and the stream tells it anyway.
    """
    counted: exp.Select = exp.select(exp.Count(this=exp.Star()))
    if source.dialect == "duckdb":
        [(count,)] = source.ask(counted.from_(relation.copy()))
        return int(count), int(count)
    some = exp.select(exp.alias_(exp.Literal.number(1), "n", quoted=True)).from_(relation.copy()).limit(rows + 1)
    [(count,)] = source.ask(counted.from_(some.subquery("some")))
    if count <= rows:
        return int(count), int(count)
    return None, None if facts.row_count is None else max(facts.row_count, int(count))


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
    rows: int,
    expected: int | None,
    progress: Progress,
) -> Passed:
    """One pass, or several over a wide table, whose first one then collects the rows of all columns."""
    count = 0
    told: dict[str, ColumnFigures] = {}
    kept: list[Row] = []

    def told_of(done: int) -> None:
        progress(done, None if expected is None else max(expected, done))

    for start in range(0, len(columns) or 1, COLUMNS_AT_ONCE):
        some = columns[start : start + COLUMNS_AT_ONCE]
        wide = columns if start == 0 else some
        most = _most_rows(columns, rows) if start == 0 else 0
        if source.dialect == "duckdb":
            passed = _asked(source, relation, some, wide, _share(source.ask, relation, wide, most, expected or 0))
        else:
            passed = _streamed(source, relation, some, wide, most, told_of)
        passed = _with_extremes(source, relation, some, passed)
        count = passed.row_count if start == 0 else count
        kept = passed.rows or kept
        told |= passed.columns
        progress(count, count)
    return Passed(count, told, kept)


def _with_extremes(source: Source, relation: exp.Table, columns: Sequence[ColumnFacts], passed: Passed) -> Passed:
    known = {name: one.basics for name, one in passed.columns.items()}
    better = with_extreme_numbers(source, relation, columns, known)
    if not better:
        return passed
    told = {name: replace(one, basics=better.get(name, one.basics)) for name, one in passed.columns.items()}
    return replace(passed, columns=told)


def _most_rows(columns: Sequence[ColumnFacts], rows: int) -> int:
    """Return how many rows to keep: of a wide table fewer than were asked for."""
    wide = max(1, sum(1 for of in columns if kind_of(of) is not ValueKind.OTHER))
    return min(rows, max(FEWEST_SAMPLED, MOST_CELLS // wide))


def _share(
    ask: Callable[[exp.Query], list[Row]], relation: exp.Table, columns: Sequence[ColumnFacts], rows: int, count: int
) -> float:
    """Return which share of the rows of DuckDB's table to keep: of long texts fewer than were asked for.

    How long they are is looked up in a few places, for the rows are kept by the pass that first sees them all.
    """
    texts = [exp.Length(this=exp.cast(column(of.name), "text")) for of in columns if kind_of(of) is ValueKind.TEXT]
    if rows <= 0 or count <= 0:
        return 0.0
    longest = 0.0
    for place in range(PLACES if texts else 0):
        some = exp.select(*(exp.alias_(one.copy(), f"l{at}", quoted=True) for at, one in enumerate(texts)))
        some = some.from_(relation.copy()).limit(ROWS_AT_PLACE).offset(place * count // PLACES)
        sums = [exp.Coalesce(this=exp.Sum(this=column(f"l{at}")), expressions=[_ZERO]) for at in range(len(texts))]
        [(met, *found)] = ask(exp.select(exp.Count(this=exp.Star()), *sums).from_(some.subquery("some")))
        longest = max(longest, float(sum(found)) / met if met else 0.0)
    most = max(1, min(rows, int(MOST_CHARACTERS / longest))) if longest else rows
    return 1.0 if count <= most else most / count


def _streamed(
    source: Source,
    relation: exp.Table,
    some: Sequence[ColumnFacts],
    every: Sequence[ColumnFacts],
    rows: int,
    progress: Callable[[int], None],
) -> Passed:
    """A pass over the rows of a source; once more with decimals as texts when one is too large for a double."""
    try:
        return _one_pass(source, relation, _wanted(some), _wanted(every), rows, progress)
    except Exception as error:
        if not is_refused(error):
            raise
    plain, wide = _wanted(some, as_texts=True), _wanted(every, as_texts=True)
    return _one_pass(source, relation, plain, wide, rows, progress)


def _wanted(columns: Sequence[ColumnFacts], *, as_texts: bool = False) -> list[Wanted]:
    """Return how each column comes from a source that is streamed."""
    found = []
    for of in columns:
        staged = "time" if type_of(of) in ("TIME", "TIMETZ") else None
        if as_texts and is_exact_fraction(of):
            staged = "double"
        found.append(Wanted(of, staged))
    return found


def _asked(
    source: Source, relation: exp.Table, some: Sequence[ColumnFacts], every: Sequence[ColumnFacts], share: float
) -> Passed:
    """A pass in the source's own DuckDB, and one more over the columns that turn out to have few values."""
    asked = [Wanted(of, counts_blanks=False) for of in some]
    [row] = source.ask(battery(relation, asked, share, rows_of=[Wanted(of) for of in every]))
    passed = read(asked, row)
    known = {name: one.basics for name, one in passed.columns.items()}
    known |= with_blanks(source, relation, some, known)
    passed = replace(passed, columns={name: replace(one, basics=known[name]) for name, one in passed.columns.items()})
    return with_values(source.ask, relation, asked, passed)


def staged_select(relation: exp.Table, columns: Sequence[Wanted], *, as_texts: bool, dialect: str = "") -> exp.Select:
    """Return what is read of a source: values that DuckDB takes as they are, of the others only whether they are
    there.
    """
    chosen: list[exp.Expr] = []
    for one in columns:
        of, name = one.of, column(one.of.name)
        value: exp.Expr = name
        if one.kind is ValueKind.OTHER:
            there = exp.Not(this=exp.Is(this=name, expression=exp.Null()))
            value = exp.Case().when(there, exp.Literal.number(1))
        elif _needs_text(one, as_texts=as_texts):
            value = spelled(name, type_of(of), dialect)
        elif is_exact_fraction(of):
            value = exp.cast(name, "double")
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
    rows: int,
    progress: Callable[[int], None],
) -> Passed:
    import duckdb

    read_of = wide if rows > 0 else columns
    with (
        tempfile.TemporaryDirectory(prefix="stoa-profile-", ignore_cleanup_errors=True) as folder,
        closing(duckdb.connect(f"{folder}/rows.duckdb", config={"memory_limit": MEMORY})) as session,
    ):
        session.execute(f"set temp_directory = '{folder}/spill'")
        session.execute("set enable_progress_bar = false")  # it would write into the log
        batches = source.arrow_batches(staged_select(relation, read_of, as_texts=False, dialect=source.dialect))
        if batches is not None:
            with closing(batches):  # before the session, and not some time later, when what failed holds on to it
                first = next(batches, None)
                if first is not None:
                    return _of_batches(session, first, batches, columns, read_of, rows, progress)
        ask = partial(_answer, session)
        asked, read_of = [_texts(one) for one in columns], [_texts(one) for one in read_of]
        count = _stage(session, source, staged_select(relation, read_of, as_texts=True), read_of, progress)
        share = _share(ask, _STAGED, [one.of for one in read_of], rows, count)
        [row] = ask(battery(_STAGED, asked, share, rows_of=read_of))
        return with_values(ask, _STAGED, asked, read(asked, row))


def _of_batches(
    session: Any,
    first: Any,
    batches: Iterator[Any],
    columns: Sequence[Wanted],
    read_of: Sequence[Wanted],
    rows: int,
    progress: Callable[[int], None],
) -> Passed:
    """One pass over batches, which one thread adds up while the source decodes the next ones in another."""
    import duckdb

    broken: list[Exception] = []
    columns = [replace(one, is_tallied=one.staged is None) for one in columns]
    tally = Tally(columns, rows)  # which come first in the batches
    session.execute("set threads = 1")  # more would only wait for the next batch, and get in the way of the source
    session.register("staged", _reader(first, batches, tally, progress, broken))
    rows_told: list[Row] = []
    try:
        rows_told = _answer(session, battery(_STAGED, columns, 0.0))
    except duckdb.Error:
        if not broken:
            raise
    if broken:
        raise broken[0]  # what the source said, which comes out of DuckDB as the text of a traceback
    passed = read(columns, rows_told[0], tally.figures())
    kept, held = tally.rows(), sampled(read_of)
    values = {name: replace(one, values=tally.values(name)) for name, one in passed.columns.items()}
    if kept is None or not held:
        return replace(passed, columns=values)
    session.register("kept", kept)
    chosen = parse_one(f"select {', '.join(in_row(one.of) for one in held)}", read="duckdb", into=exp.Select)
    return replace(passed, columns=values, rows=_answer(session, chosen.from_(exp.table_("kept", quoted=True))))


def _answer(session: Any, query: exp.Query) -> list[Row]:
    return list(session.execute(query.sql(dialect="duckdb", identify=True)).fetchall())


def _texts(one: Wanted) -> Wanted:
    """A column as it is read where moments come as texts."""
    if one.kind is not ValueKind.TEMPORAL or one.staged is not None:
        return one
    return replace(one, staged={"DATE": "date", "TIMESTAMPTZ": "timestamptz"}.get(type_of(one.of), "timestamp"))


def _reader(
    first: Any, batches: Iterator[Any], tally: Tally, progress: Callable[[int], None], broken: list[Exception]
) -> Any:
    """Batches as DuckDB takes them in, tallied as they go by; what breaks them off is kept in `broken`."""
    import pyarrow

    def counted() -> Iterator[Any]:
        done = 0
        batch = first
        try:
            while batch is not None:
                yield tally.add(batch)
                done += batch.num_rows
                progress(done)
                batch = next(batches, None)
        except Exception as error:
            broken.append(error)
            raise

    return pyarrow.RecordBatchReader.from_batches(first.schema, counted())


def _stage(
    session: Any, source: Source, query: exp.Select, columns: Sequence[Wanted], progress: Callable[[int], None]
) -> int:
    """Put the rows of a source into a table on disk, some thousand at a time; how many there are."""
    types = [_staged_type(one) for one in columns] or ["integer"]
    names = [one.of.name for one in columns] or ["none"]
    declared = ", ".join(f'"{_doubled(name)}" {kind}' for name, kind in zip(names, types, strict=True))
    session.execute(f"create table staged ({declared})")
    lists = ", ".join(f"unnest(${at + 1}::{kind}[])" for at, kind in enumerate(types))
    done = 0
    with closing(source.stream(query, ROWS_AT_ONCE)) as batches:
        for batch in batches:
            turned = [list(values) for values in zip(*batch, strict=True)]
            for at, kind in enumerate(types):
                if kind == "varchar":
                    turned[at] = [None if value is None else str(value) for value in turned[at]]
            session.execute(f"insert into staged select {lists}", turned)
            done += len(batch)
            progress(done)
    return done


def _doubled(name: str) -> str:
    return name.replace('"', '""')


def _staged_type(one: Wanted) -> str:
    if one.staged is not None:
        return "varchar"
    if one.kind is ValueKind.NUMBER:
        return "hugeint" if is_integer(one.of) else "double"
    return {ValueKind.BOOLEAN: "boolean", ValueKind.OTHER: "integer"}.get(one.kind, "varchar")
