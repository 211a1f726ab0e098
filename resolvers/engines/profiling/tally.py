"""What is kept of Arrow batches while they go by to DuckDB: rows met by chance, and every value of columns of few.

Both cost a fraction of what they would cost as aggregates of the pass, which makes a row and a map of every row.
"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from resolvers.engines.profiling.battery import FEW_VALUES, Wanted, may_have_few
from resolvers.engines.profiling.kinds import type_of
from resolvers.engines.profiling.sampling import MOST_CHARACTERS
from resolvers.engines.profiling.values import hashable, moment_of

_SEED: Final = 42
"""A table that is read again in the same order gives the same rows."""

_BYTES: Final = MOST_CHARACTERS
"""Of rows that are larger than this together, fewer are kept."""


class Tally:
    """Told every batch once, in their order; used by one thread at a time."""

    def __init__(self, columns: Sequence[Wanted], rows: int) -> None:
        """`columns` are the first ones of the batches, in their order; so many `rows` are kept, with all columns."""
        self._values: dict[str, dict[Any, int]] = {
            one.of.name: {} for one in columns if may_have_few(one.of, 1) and one.staged in (None, "time")
        }
        self._places = {one.of.name: at for at, one in enumerate(columns) if one.of.name in self._values}
        self._times = {one.of.name for one in columns if type_of(one.of) in ("TIME", "TIMETZ")}
        self._chance = random.Random(_SEED)  # noqa: S311 - a sample, not a secret
        self._most = rows
        self._below = 1.0
        self._next = 0
        self._keys: list[float] = []
        self._parts: list[Any] = []
        self._bytes = 0

    def add(self, batch: Any) -> None:
        """Take from a batch what is to be kept."""
        for name in tuple(self._values):
            self._count(name, batch.column(self._places[name]))
        if self._most > 0:
            self._meet(batch)

    def values(self, name: str) -> Mapping[Any, int] | None:
        """Every value of a column and how often it occurs; None when there are many, or when they cannot be told."""
        return self._values.get(name) or None

    def rows(self) -> Any:
        """The rows that were kept, as a table of Arrow; all of them when there were no more than asked for."""
        if self._parts:
            self._keep()
        return self._parts[0] if self._parts else None

    def _count(self, name: str, column: Any) -> None:
        counts = column.value_counts()
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
        """Each row draws a number from 0 to 1; those of the least numbers are kept. Rows in between are leapt over."""
        import pyarrow

        chosen: list[int] = []
        while self._next < batch.num_rows:
            chosen.append(self._next)
            self._keys.append(self._chance.random() * self._below)
            self._next += 1 + self._leap()
        self._next -= batch.num_rows
        if chosen:
            part = pyarrow.Table.from_batches([batch.take(pyarrow.array(chosen))])
            self._parts.append(part)
            self._bytes += part.nbytes
        if len(self._keys) > 2 * self._most or self._bytes > 2 * _BYTES:
            self._keep()

    def _leap(self) -> int:
        """How many rows draw too large a number before one does not."""
        if self._below >= 1.0:
            return 0
        return int(math.log(1.0 - self._chance.random()) / math.log1p(-self._below))

    def _keep(self) -> None:
        """Let all go but the rows of the least numbers."""
        import pyarrow

        table = pyarrow.concat_tables(self._parts)
        if table.nbytes > _BYTES:
            self._most = max(1, min(self._most, table.num_rows * _BYTES // table.nbytes))
        if table.num_rows > self._most:
            order = sorted(range(table.num_rows), key=self._keys.__getitem__)
            self._below = self._keys[order[self._most]]
            order = sorted(order[: self._most])
            table = table.take(pyarrow.array(order))
            self._keys = [self._keys[at] for at in order]
        self._parts, self._bytes = [table], table.nbytes
