"""What is kept of batches while they go by."""

import math
import statistics
from dataclasses import replace
from datetime import date, time
from fractions import Fraction
from statistics import fmean

import duckdb
import pyarrow
import pytest
from sqlglot import exp

from resolvers.engines.profiling import tally as module
from resolvers.engines.profiling.battery import Passed, Wanted, battery, read
from resolvers.engines.profiling.lengths import Lengths
from resolvers.engines.profiling.moments import Moments
from resolvers.engines.profiling.tally import Tally
from resolvers.engines.profiling.values import is_blank
from schema.data_readiness.source import ColumnFacts

ROWS, BATCH = 40_000, 700


def column(name: str, data_type: str) -> Wanted:
    return Wanted(ColumnFacts(fqn=name, name=name, ordinal_position=1, data_type=data_type))


COLUMNS = [column("id", "BIGINT"), column("state", "VARCHAR"), column("day", "DATE"), column("late", "INTEGER")]


def told(rows: int, kept: int) -> Tally:
    tally = Tally(COLUMNS, kept)
    for start in range(0, rows, BATCH):
        ids = range(start, min(rows, start + BATCH))
        tally.add(
            pyarrow.RecordBatch.from_pydict(
                {
                    "id": list(ids),
                    "state": [None if at % 10 == 0 else ("new", "paid", "sent")[at % 3] for at in ids],
                    "day": pyarrow.array([at % 150 for at in ids], pyarrow.date32()),
                    "late": [0 if at < rows / 2 else at for at in ids],
                }
            )
        )
    return tally


def test_values_of_columns_that_have_few_are_counted_and_of_no_others() -> None:
    tally = told(ROWS, 100)
    states = tally.values("state")
    assert states is not None
    assert states == {
        name: sum(1 for at in range(ROWS) if at % 10 and at % 3 == place)
        for place, name in enumerate(("new", "paid", "sent"))
    }
    days = tally.values("day")
    assert days is not None
    assert (len(days), days[date(1970, 1, 1)]) == (150, len(range(0, ROWS, 150)))
    # What has few values at first and many later is given up.
    assert (tally.values("id"), tally.values("late"), tally.values("other")) == (None, None, None)


def test_every_row_is_as_likely_to_be_kept() -> None:
    kept = told(ROWS, 1_000).rows().column("id").to_pylist()
    assert len(set(kept)) == len(kept) == 1_000
    assert kept == sorted(kept)
    # The mean of so many of so many lies within 4 % but for one time in ten thousand.
    assert fmean(kept) == pytest.approx(ROWS / 2, rel=0.08)
    tenths = [sum(1 for at in kept if at * 10 // ROWS == tenth) for tenth in range(10)]
    assert 60 < min(tenths) <= max(tenths) < 145
    assert told(ROWS, 1_000).rows().column("id").to_pylist() == kept


@pytest.mark.parametrize(("rows", "kept"), [(0, 0), (1, 1), (999, 999), (1_000, 1_000), (1_001, 1_000)])
def test_all_rows_are_kept_while_there_are_no_more_than_asked_for(rows: int, kept: int) -> None:
    found = told(rows, 1_000).rows()
    assert (0 if found is None else found.num_rows) == kept


def test_of_large_rows_fewer_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BYTES", 3_000)
    tally = told(ROWS, 1_000)
    assert 20 < tally.rows().num_rows < 300
    assert tally.rows().nbytes <= 3_500


TEXTS = (None, "", " \t", "a", "Ünï", "longer than twelve signs", "!")


def test_values_that_repeat_are_handed_on_once_and_every_figure_stays() -> None:
    columns = [column("text", "VARCHAR"), column("number", "INTEGER"), replace(column("hour", "TIME"), staged="time")]
    # First each value often, then hardly any twice, then often again, and a last batch of a few rows.
    texts = [TEXTS[at % 7] for at in range(2_000)] + [f"text {at}" for at in range(1_500)] + ["a"] * 1_500 + ["b"] * 3
    numbers = [None if at % 5 == 0 else at % 9 for at in range(len(texts))]
    hours = [None if at % 4 == 0 else f"0{at % 9}:30:00" for at in range(len(texts))]
    arrays = [pyarrow.array(texts), pyarrow.array(numbers, pyarrow.int32()), pyarrow.array(hours)]
    whole = pyarrow.RecordBatch.from_arrays(arrays, ["text", "number", "hour"])
    sizes = ((0, 1_000), (1_000, 1_000), (2_000, 1_500), (3_500, 1_500), (5_000, 3))
    parts = [whole.slice(start, size) for start, size in sizes]
    tally = Tally(columns, 0)
    handed = [tally.add(part) for part in parts]
    assert [part.num_rows for part in handed] == [size for _, size in sizes]
    assert [part.column("text").null_count > 900 for part in handed] == [True, True, False, False, False]
    with duckdb.connect() as session:

        def passed(batches: list[pyarrow.RecordBatch], asked: list[Wanted], tally: Tally | None) -> Passed:
            session.register("staged", pyarrow.Table.from_batches(batches))
            query = battery(exp.table_("staged"), asked, 0.0).sql("duckdb")
            [row] = session.execute(query).fetchall()
            return read(asked, row, None if tally is None else tally.figures())

        plain = passed([whole], columns, None)
        less = passed(handed, [replace(one, is_tallied=one.staged is None) for one in columns], tally)
    assert less.row_count == plain.row_count
    assert less.columns["text"] == plain.columns["text"]
    assert less.columns["hour"] == plain.columns["hour"]
    assert (tally.values("hour") or {})[time(8, 30)] == sum(1 for hour in hours if hour == "08:30:00")
    assert less.columns["text"].basics.blanks == 2 * len(range(1, 2_000, 7))
    one, other = less.columns["number"].basics, plain.columns["number"].basics
    assert [one.mean, one.stddev] == pytest.approx([other.mean, other.stddev], rel=1e-12)
    assert replace(one, mean=None, stddev=None) == replace(other, mean=None, stddev=None)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        [None, None],
        [""],
        ["", None, ""],
        ["one", "three", None],
        [" ", "\t\n", " a", "!", "", None, "ü", "日本", "😀!"],
        [None, "\x00", "\x1f", " \x00", "a long text of more than twelve signs", " " * 40],
        ["ä"] * 5 + [None],
    ],
)
@pytest.mark.parametrize("start", [0, 1])
def test_lengths_and_blanks_are_those_of_a_plain_loop(texts: list[str | None], start: int) -> None:
    lengths = Lengths()
    array = pyarrow.array(texts, pyarrow.string())
    lengths.add(array.slice(start))
    counts = array.value_counts()
    lengths.add(counts.field(0), counts.field(1))
    there = [text for text in [*texts[start:], *texts] if text is not None]
    assert lengths.figures() == {
        "min_length": min(map(len, there), default=None),
        "max_length": max(map(len, there), default=None),
        "total_length": sum(map(len, there)) if there else None,
        "blanks": sum(1 for text in there if is_blank(text)),
    }


@pytest.mark.parametrize(
    "numbers",
    [
        [1e9 + at % 3 for at in range(3_000)],
        [float(at) if at < 1_000 else 1e15 + at for at in range(3_000)],
        [math.nan if at % 7 == 0 else math.inf if at % 11 == 0 else at / 8 for at in range(3_000)],
        [math.nan] * 1_500 + [2.0, 4.0],
        [2**62 + at * 2**40 for at in range(3_000)],
    ],
)
def test_averages_of_parts_are_those_of_the_whole(numbers: list[float]) -> None:
    moments = Moments()
    for start in range(0, len(numbers), BATCH):
        moments.add(pyarrow.array([*numbers[start : start + BATCH], None]))
    finite = [Fraction(number) for number in numbers if math.isfinite(number)]
    assert moments.mean == pytest.approx(float(statistics.mean(finite)), rel=1e-14)
    assert moments.stddev == pytest.approx(float(statistics.stdev(finite)), rel=1e-9)


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ([], (None, None)),
        ([None], (None, None)),
        ([math.nan, math.inf], (None, None)),
        ([3.0], (3.0, None)),
        ([1e308, 1e308], (None, None)),
        ([1e-300, 3e-300], (2e-300, 0.0)),
        ([1e-150, 3e-150], (2e-150, 0.0)),
    ],
)
def test_where_sums_or_squares_are_none_the_source_is_to_be_asked(
    numbers: list[float | None], told: tuple[float | None, float | None]
) -> None:
    moments = Moments()
    moments.add(pyarrow.array(numbers, pyarrow.float64()))
    assert (moments.mean, moments.stddev) == told
