"""What is told of Arrow batches while they go by to DuckDB: rows met by chance, averages, all values of columns of few.

All cost a fraction of what they would cost as aggregates of the pass; and values that repeat are handed on once.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from resolvers.engines.profiling.battery import FEW_VALUES, Wanted, may_have_few
from resolvers.engines.profiling.kinds import type_of
from resolvers.engines.profiling.moments import Moments
from resolvers.engines.profiling.sampling import MOST_CHARACTERS
from resolvers.engines.profiling.values import BLANKS, hashable, moment_of
from schema.data_readiness.profile import ValueKind

_SEED: Final = 42
"""A table that is read again in the same order gives the same rows."""

_BYTES: Final = MOST_CHARACTERS
"""Of rows that are larger than this together, fewer are kept."""

_OFTEN: Final = 8
"""How often the values of a column occur on average in a batch, so that each is worth handing on once."""

_ENOUGH: Final = 1_000
"""A batch of fewer rows tells little of how often values occur."""

_ADDED: Final = ("filled", "blanks", "total_length")
"""The figures that change when a value is handed on once instead of as often as it occurs."""


class Tally:
    """Told every batch once, in their order; used by one thread at a time."""

    def __init__(self, columns: Sequence[Wanted], rows: int) -> None:
        """`columns` are the first ones of the batches, in their order; so many `rows` are kept, with all columns."""
        self._values: dict[str, dict[Any, int]] = {
            one.of.name: {} for one in columns if may_have_few(one.of, 1) and one.staged in (None, "time")
        }
        self._texts = {one.of.name for one in columns if one.kind is ValueKind.TEXT and one.staged is None}
        self._repeated = set(self._texts)
        self._unseen = {name: dict.fromkeys(_ADDED, 0) for name in self._texts | self._values.keys()}
        self._numbers = {
            one.of.name: Moments() for one in columns if one.kind is ValueKind.NUMBER and one.staged is None
        }
        self._places = {one.of.name: at for at, one in enumerate(columns)}
        self._times = {one.of.name for one in columns if type_of(one.of) in ("TIME", "TIMETZ")}
        self._chance = random.Random(_SEED)  # noqa: S311 - a sample, not a secret
        self._most = rows
        self._below = 1.0
        self._rows = 0
        self._keys: list[Any] = []
        self._parts: list[Any] = []
        self._bytes = 0

    def add(self, batch: Any) -> Any:
        """Take from a batch what is to be kept; the batch as DuckDB is to take it in, with what repeats once.

        Extremes and distinct values are the same of it; what else there is to add tells `figures`.
        """
        import pyarrow

        columns = list(batch.columns)
        for name, moments in self._numbers.items():
            moments.add(columns[self._places[name]])
        for name in self._repeated | self._values.keys():
            at = self._places[name]
            columns[at] = self._once(name, columns[at])
        if self._most > 0:
            self._meet(batch)
        return pyarrow.RecordBatch.from_arrays(columns, schema=batch.schema)

    def figures(self) -> dict[str, dict[str, float]]:
        """What is to be added to DuckDB's figures of each column, by their names."""
        found: dict[str, dict[str, float]] = {}
        for name, moments in self._numbers.items():
            told = {"mean": moments.mean, "stddev": moments.stddev}
            found[name] = {figure: value for figure, value in told.items() if value is not None}
        for name, unseen in self._unseen.items():
            there = unseen if name in self._texts else {"filled": unseen["filled"]}
            found.setdefault(name, {}).update({figure: value for figure, value in there.items() if value})
        return found

    def values(self, name: str) -> Mapping[Any, int] | None:
        """Every value of a column and how often it occurs; None when there are many, or when they cannot be told."""
        return self._values.get(name) or None

    def rows(self) -> Any:
        """The rows that were kept, as a table of Arrow; all of them when there were no more than asked for."""
        if self._parts:
            self._keep()
        return self._parts[0] if self._parts else None

    def _once(self, name: str, column: Any) -> Any:
        """A column with each of its values once, and null in place of the others; as it is when few repeat."""
        import pyarrow

        counts = column.value_counts()
        if name in self._values:
            self._count(name, counts)
        rows, values = len(column), counts.field(0)
        if len(values) * _OFTEN > rows:
            if rows >= _ENOUGH:
                self._repeated.discard(name)
            return column
        unseen = self._unseen[name]
        unseen["filled"] += rows - column.null_count - (len(values) - values.null_count)
        if name in self._texts:
            self._measure(values, counts.field(1), unseen)
        return pyarrow.concat_arrays([values, pyarrow.nulls(rows - len(values), values.type)])

    def _measure(self, texts: Any, counts: Any, unseen: dict[str, int]) -> None:
        """Lengths and blanks of the texts that are left out of a batch, for one of each is left in."""
        import pyarrow
        import pyarrow.compute as compute

        left_out = compute.subtract(counts, 1)
        lengths = compute.cast(compute.utf8_length(texts), pyarrow.int64())
        unseen["total_length"] += compute.sum(compute.multiply(lengths, left_out)).as_py() or 0
        # Every blank sorts before the exclamation mark.
        perhaps = compute.less(texts, "!")
        if compute.any(perhaps).as_py():
            blank = compute.equal(compute.utf8_trim(texts.filter(perhaps), characters=BLANKS), "")
            unseen["blanks"] += compute.sum(left_out.filter(perhaps).filter(blank)).as_py() or 0

    def _count(self, name: str, counts: Any) -> None:
        told = self._values[name]
        if len(counts) > FEW_VALUES + 1:  # and null
            del self._values[name]
            return
        try:
            for value, count in zip(*(counts.field(at).to_pylist() for at in (0, 1)), strict=True):
                if value is not None:
                    known = (moment_of(value) or value) if name in self._times else hashable(value)
                    told[known] = told.get(known, 0) + count
        except (ValueError, OverflowError):  # a moment that Python has not
            del self._values[name]
            return
        if len(told) > FEW_VALUES:
            del self._values[name]

    def _meet(self, batch: Any) -> None:
        """Each row draws a number from 0 to 1; those of the least numbers are kept."""
        import pyarrow
        import pyarrow.compute as compute

        keys = compute.random(batch.num_rows, initializer=self._chance.getrandbits(63))
        if self._below < 1.0:
            chosen = compute.indices_nonzero(compute.less(keys, self._below))
            batch, keys = batch.take(chosen), keys.take(chosen)
        if not len(keys):
            return
        self._parts.append(pyarrow.Table.from_batches([batch]))
        self._keys.append(keys)
        self._rows += len(keys)
        self._bytes += batch.nbytes
        if self._rows > 2 * self._most or self._bytes > 2 * _BYTES:
            self._keep()

    def _keep(self) -> None:
        """Let all go but the rows of the least numbers."""
        import pyarrow
        import pyarrow.compute as compute

        table, keys = pyarrow.concat_tables(self._parts), pyarrow.concat_arrays(self._keys)
        if table.nbytes > _BYTES:
            self._most = max(1, min(self._most, table.num_rows * _BYTES // table.nbytes))
        if table.num_rows > self._most:
            order = compute.partition_nth_indices(keys, pivot=self._most)
            self._below = keys[order[self._most].as_py()].as_py()
            least = order[: self._most]
            chosen = least.take(compute.sort_indices(least))
            table, keys = table.take(chosen), keys.take(chosen)
        self._parts, self._keys, self._rows, self._bytes = [table], [keys], len(keys), table.nbytes
