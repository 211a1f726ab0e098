"""PostgreSQL's binary COPY as Arrow record batches: all rows of a batch at once, column by column.

Each row is the number of its fields, and each field its length in bytes (-1 for null) and its value, all with the most
significant byte first. Where a field begins is known for every row from the fields before it, so numpy reads it in all
rows together.

Source: PostgreSQL's documentation, COPY, "Binary Format"; Arrow's columnar format, "Variable-size Binary View Layout".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from schema.data_readiness.source import EARLIEST_DAY, LATEST_DAY

SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0"
TRAILER: Final = b"\xff\xff"

_VIEW: Final = 16
_INLINE: Final = 12
"""Bytes of a text that a view holds itself."""

_DAYS: Final = 10_957
_MICROSECONDS: Final = _DAYS * 86_400_000_000
"""From Arrow's epoch (1970) to PostgreSQL's (2000)."""

_FIXED: Final[dict[int, tuple[str, Any]]] = {
    16: ("u1", pa.bool_()),
    20: (">i8", pa.int64()),
    21: (">i2", pa.int16()),
    23: (">i4", pa.int32()),
    26: (">u4", pa.uint32()),
    700: (">f4", pa.float32()),
    701: (">f8", pa.float64()),
    1082: (">i4", pa.date32()),
    1114: (">i8", pa.timestamp("us")),
    1184: (">i8", pa.timestamp("us", "UTC")),
}
"""What values of these types, by their numbers in the server's catalog, are in the row and in a batch."""

_TEXTS: Final = frozenset([25, 1042, 1043])
_EPOCHS: Final = {1082: _DAYS, 1114: _MICROSECONDS, 1184: _MICROSECONDS}
_EARLIEST, _LATEST = (int(np.datetime64(day, "D").astype(np.int64)) for day in (EARLIEST_DAY, LATEST_DAY))


class UnreadableCopy(Exception):
    """Describes what came is no binary COPY of these columns, or holds a text that is not UTF-8."""


def is_known(oid: int) -> bool:
    """Return whether values of a type come as they are; others are to be cast to text by the query."""
    return oid in _FIXED or oid in _TEXTS


def header(first: memoryview) -> int:
    """Return how many bytes come before the first row. Raises Unreadable."""
    start = len(SIGNATURE) + 8
    flags, extension = first[len(SIGNATURE) : start - 4], first[start - 4 : start]
    if bytes(first[: len(SIGNATURE)]) != SIGNATURE or len(extension) < 4 or bytes(flags[:2]) != b"\0\0":
        raise UnreadableCopy
    return start + int.from_bytes(extension, "big")


class Decoder:
    """Makes batches of the rows of one query, whose columns have these names and types, all of them known ones."""

    def __init__(self, names: Sequence[str], oids: Sequence[int]) -> None:
        self._oids = list(oids)
        types = [_FIXED[oid][1] if oid in _FIXED else pa.string() for oid in self._oids]
        self._schema = pa.schema([pa.field(name, kind) for name, kind in zip(names, types, strict=True)])
        self.beyond = _VIEW + _field(oid for oid in self._oids if oid in _FIXED).itemsize
        """Bytes after the last row: one that ends early is read a little further, before its nulls are known."""
        self._gaps: set[int] = set()
        """Places of columns of fixed width that have nulls; they are read one by one, others at once."""

    def batch(self, raw: bytes, starts: Sequence[int], ends: Sequence[int]) -> Any:
        """A record batch of rows that stand at these places of `raw`, of which it keeps nothing. Raises Unreadable."""
        cursor = _Cursor(raw, starts, ends)
        arrays: list[Any] = []
        try:
            while len(arrays) < len(self._oids):
                place = len(arrays)
                if self._oids[place] in _FIXED:
                    arrays += self._fixed(cursor, place)
                else:
                    arrays.append(cursor.texts())
        except (IndexError, pa.ArrowInvalid):
            raise UnreadableCopy from None
        cursor.end()
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _fixed(self, cursor: _Cursor, place: int) -> list[Any]:
        """The columns from a place on that have one width and no nulls; the one of the place at least."""
        if place in self._gaps:
            return [cursor.numbers(self._oids[place])]
        after = place
        while after < len(self._oids) and self._oids[after] in _FIXED and after not in self._gaps:
            after += 1
        found = cursor.many(self._oids[place:after])
        if place + len(found) < after:
            self._gaps.add(place + len(found))
        return found or self._fixed(cursor, place)


class _Cursor:
    """Stands before one field in every row of a batch."""

    def __init__(self, raw: bytes, starts: Sequence[int], ends: Sequence[int]) -> None:
        self._buffer = pa.py_buffer(raw)
        self._bytes = np.frombuffer(raw, np.uint8)
        self._ends = np.array(ends, np.int64)
        self._at = np.array(starts, np.int64) + 2  # the number of fields, which the end of the row tells as well

    def many(self, oids: Sequence[int]) -> list[Any]:
        """The next columns of these types, up to the first one that has a null."""
        fields = _field(oids)
        block = self._here(fields.itemsize)
        values = block.view(fields)
        found, start = [], 0
        for at, oid in enumerate(oids):
            width = np.dtype(_FIXED[oid][0]).itemsize
            # The last byte of the length tells it from that of a null, which is -1.
            if (block.view(np.uint8).reshape(-1, fields.itemsize)[:, start + 3] != width).any():
                break
            found.append(_numbers(values[f"v{at}"], oid, None))
            start += 4 + width
        self._at = self._at + start
        return found

    def numbers(self, oid: int) -> Any:
        """The next column, of a type of fixed width, which may have nulls."""
        fields = _field([oid])
        block = self._here(fields.itemsize).view(fields)
        there = block["l0"] >= 0
        width = fields.itemsize - 4
        if (there & (block["l0"] != width)).any():
            raise UnreadableCopy
        self._at = self._at + np.where(there, 4 + width, 4)
        return _numbers(block["v0"], oid, there)

    def texts(self) -> Any:
        """The next column, of texts in UTF-8, which may have nulls."""
        # The length and the first twelve bytes are where a view of Arrow has them, which then needs no more when that
        # is all; else it tells where the text is.
        views = self._here(_VIEW).view("<u4").reshape(-1, 4)
        lengths = views[:, 0].byteswap().view(np.int32)
        there = lengths >= 0
        bits = None
        if not there.all():
            bits = _bits(there)
            lengths = np.where(there, lengths, 0)
        begin = self._at + 4
        self._at = begin + lengths
        if (self._at > self._ends).any():
            raise UnreadableCopy
        views[:, 0] = lengths
        outside = lengths > _INLINE
        np.copyto(views[:, 2], 0, where=outside)
        np.copyto(views[:, 3], begin, where=outside, casting="unsafe")
        buffers = [bits, pa.py_buffer(views), self._buffer]
        found = pa.Array.from_buffers(pa.string_view(), len(lengths), buffers).cast(pa.string())
        if not _is_ascii(found):
            found.validate(full=True)  # that it is UTF-8, which a database without an encoding does not promise
        return found

    def end(self) -> None:
        """Check that every row has ended. Raises Unreadable."""
        if not np.array_equal(self._at, self._ends):
            raise UnreadableCopy

    def _here(self, size: int) -> Any:
        """So many bytes of every row."""
        places = np.ndarray((len(self._bytes) - size + 1,), f"V{size}", self._bytes, strides=(1,))
        return places[self._at]


def _field(oids: Iterable[int]) -> Any:
    """Lengths (l0, l1, ...) and values (v0, v1, ...) of columns of these types that follow each other."""
    return np.dtype([one for at, oid in enumerate(oids) for one in ((f"l{at}", ">i4"), (f"v{at}", _FIXED[oid][0]))])


def _numbers(values: Any, oid: int, there: Any) -> Any:
    """Values as an array of Arrow; `there` tells which are not null, when some are."""
    bits = None if there is None or there.all() else _bits(there)
    kind = _FIXED[oid][1]
    if pa.types.is_boolean(kind):
        return pa.Array.from_buffers(kind, len(values), [bits, _bits(values != 0)])
    numbers = values.astype(values.dtype.newbyteorder("="))
    epoch = _EPOCHS.get(oid)
    if epoch is not None:
        known = numbers if bits is None else np.where(there, numbers, 0)
        first, last = (day * (epoch // _DAYS) - epoch for day in (_EARLIEST, _LATEST))
        if known.min() < first or known.max() > last:
            known = np.clip(known, first, last)
        numbers = known + numbers.dtype.type(epoch)
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(numbers)])


def _is_ascii(texts: Any) -> bool:
    data = texts.buffers()[2]
    return data is None or not data.size or int(np.frombuffer(data, np.uint8).max()) < 128


def _bits(flags: Any) -> Any:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
