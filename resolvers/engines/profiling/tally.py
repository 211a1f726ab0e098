"""Defines what is told of Arrow batches while they go by to DuckDB: rows met by chance, counts, averages, lengths,
few values.

All cost a fraction of what they would cost as aggregates of the pass; and values that repeat are handed on once.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from resolvers.engines.profiling.battery import FEW_VALUES, Wanted, may_have_few
from resolvers.engines.profiling.kinds import type_of
from resolvers.engines.profiling.lengths import Lengths
from resolvers.engines.profiling.moments import Moments
from resolvers.engines.profiling.sampling import MOST_CHARACTERS
from resolvers.engines.profiling.values import hashable, moment_of
from schema.data_readiness.profile import ValueKind

_SEED: Final = 42
"""A table that is read again in the same order gives the same rows."""

_BYTES: Final = MOST_CHARACTERS
"""Of rows that are larger than this together, fewer are kept."""

_OFTEN: Final = 8
"""How often the values of a column occur on average in a batch, so that each is worth handing on once."""

_ENOUGH: Final = 1_000
"""A batch of fewer rows tells little of how often values occur."""

_PARTS: Final = 50
"""Batches whose counts of values are added up together."""


class Tally:
    """Told every batch once, in their order; used by one thread at a time."""

    def __init__(self, columns: Sequence[Wanted], rows: int) -> None:
        """`columns` are the first ones of the batches, in their order; so many `rows` are kept, with all columns."""
        self._values: dict[str, list[Any]] = {
            one.of.name: [] for one in columns if may_have_few(one.of, 1) and one.staged in (None, "time")
        }
        plain = {one.of.name: one.kind for one in columns if one.staged is None}
        self._texts = {name: Lengths() for name, kind in plain.items() if kind is ValueKind.TEXT}
        self._numbers = {name: Moments() for name, kind in plain.items() if kind is ValueKind.NUMBER}
        self._repeated = set(self._texts)
        self._places = {one.of.name: at for at, one in enumerate(columns)}
        self._filled = dict.fromkeys(self._places, 0)
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

        Extremes and distinct values are the same of it; what else there is tells `figures`.
        """
        import pyarrow

        columns = list(batch.columns)
        for name, at in self._places.items():
            self._filled[name] += len(columns[at]) - columns[at].null_count
        for name, moments in self._numbers.items():
            moments.add(columns[self._places[name]])
        for name in self._texts.keys() | self._values.keys():
            at = self._places[name]
            columns[at] = self._once(name, columns[at])
        if self._most > 0:
            self._meet(batch)
        return pyarrow.RecordBatch.from_arrays(columns, schema=batch.schema)

    def figures(self) -> dict[str, dict[str, float | None]]:
        """Return what DuckDB is not asked for: the figures of each column by their names."""
        found: dict[str, dict[str, float | None]] = {name: {"filled": count} for name, count in self._filled.items()}
        for name, moments in self._numbers.items():
            found[name] |= {"mean": moments.mean, "stddev": moments.stddev}
        for name, lengths in self._texts.items():
            found[name] |= lengths.figures()
        return found

    def values(self, name: str) -> Mapping[Any, int] | None:
        """Every value of a column and how often it occurs; None when there are many, or when they cannot be told."""
        told: dict[Any, int] = {}
        try:
            for part in self._values.get(name, []):
                for value, count in zip(part.field(0).to_pylist(), part.field(1).to_pylist(), strict=True):
                    if value is not None:
                        known = (moment_of(value) or value) if name in self._times else hashable(value)
                        told[known] = told.get(known, 0) + count
        except (ValueError, OverflowError):  # a moment that Python has not
            return None
        return told if 0 < len(told) <= FEW_VALUES else None

    def rows(self) -> Any:
        """The rows that were kept, as a table of Arrow; all of them when there were no more than asked for."""
        if self._parts:
            self._keep()
        return self._parts[0] if self._parts else None

    def _once(self, name: str, column: Any) -> Any:
        """A column with each of its values once, and null in place of the others; as it is when few repeat."""
        import pyarrow

        values, counts = column, None
        if name in self._values or name in self._repeated:
            found = column.value_counts()
            if name in self._values:
                self._count(name, found)
            if len(found) * _OFTEN <= len(column):
                values, counts = found.field(0), found.field(1)
            elif len(column) >= _ENOUGH:
                self._repeated.discard(name)
        if name in self._texts:
            self._texts[name].add(values, counts)
        if counts is None:
            return column
        return pyarrow.concat_arrays([values, pyarrow.nulls(len(column) - len(values), values.type)])

    def _count(self, name: str, counts: Any) -> None:
        parts = [*self._values[name], counts]
        if len(parts) > _PARTS:
            parts = [_joined(parts)]
        self._values[name] = parts
        if len(parts[-1]) > FEW_VALUES + 1:  # and null
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
            least = compute.less(keys, self._below)
            table, keys = table.filter(least), keys.filter(least)
        self._parts, self._keys, self._rows, self._bytes = [table], [keys], len(keys), table.nbytes


def _joined(parts: Sequence[Any]) -> Any:
    """Several counts of values as one."""
    import pyarrow

    whole = pyarrow.concat_arrays(parts)
    table = pyarrow.table({"values": whole.field(0), "counts": whole.field(1)})
    summed = table.group_by("values").aggregate([("counts", "sum")]).combine_chunks()
    return pyarrow.StructArray.from_arrays(
        [summed.column(name).combine_chunks() for name in ("values", "counts_sum")], whole.type.names
    )
