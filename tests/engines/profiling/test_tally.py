"""What is kept of batches while they go by."""

from datetime import date
from statistics import fmean

import pyarrow
import pytest

from resolvers.engines.profiling import tally as module
from resolvers.engines.profiling.battery import Wanted
from resolvers.engines.profiling.tally import Tally
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
