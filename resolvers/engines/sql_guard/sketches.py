"""Sketches of sets of rows: small, and still they tell exactly whether sums and differences of sets are few rows.

Each row is a number x of a prime field, and a set is kept as its power sums: how many rows, the sum of x, of x squared,
and so on. Sketches add and subtract as the figures of an answer do. When a few rows remain in such a sum, they are the
rank of the Hankel matrix of its power sums (de Prony 1795; sets that differ little are reconciled in this way:
Minsky, Trachtenberg and Zippel, "Set reconciliation with nearly optimal communication complexity", IEEE Transactions on
Information Theory 49(9), 2003). No row can be read from the sketch of a large set, and none is kept.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Final

PRIME: Final = (1 << 61) - 1
MOST_FEW: Final = 16
"""Differences of fewer rows than this are found, also where a policy's minimum is larger."""
MOST_TRIED: Final = 5_000
"""How many sums of three sets are compared for one answer."""

Sketch = tuple[int, ...]
"""How many rows, and their power sums; the number alone where there were too many to read them."""


def point_of(row: Sequence[object]) -> int:
    """The number that stands for a row: the same for the same key, in whatever query."""
    digest = blake2b(repr(tuple(row)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) % (PRIME - 1) + 1


def sketch_of(points: Iterable[int], few: int) -> Sketch:
    """The sketch of a set that tells differences of fewer than `few` rows, and of fewer than MOST_FEW."""
    terms = 2 * min(few, MOST_FEW) - 1
    sums = [0] * terms
    for x in points:
        power = 1
        for at in range(terms):
            sums[at] += power
            power = power * x % PRIME
    return (sums[0], *(one % PRIME for one in sums[1:]))


def whole_of(sketches: Sequence[Sketch]) -> Sketch:
    """The sketch of all rows of some sets together."""
    return combined([(1, one) for one in sketches])


def combined(parts: Sequence[tuple[int, Sketch]]) -> Sketch:
    """The sketch of a sum of sets, each with its sign; only what all of them tell."""
    terms = min(len(one) for _, one in parts)
    sums = [sum(sign * one[at] for sign, one in parts) for at in range(terms)]
    return (sums[0], *(one % PRIME for one in sums[1:]))


def is_few(sketch: Sketch, few: int) -> bool:
    """Return whether a sum of sets comes down to some rows, yet to fewer than `few`. None at all are not few.

    Of a sketch that holds the number alone, a number is told as few in doubt.
    """
    most = min(few, MOST_FEW)
    if len(sketch) == 1 or not any(sketch):
        return 0 < abs(sketch[0]) < most
    size = min((len(sketch) + 1) // 2, most)
    return _is_singular([[value % PRIME for value in sketch[at : at + size]] for at in range(size)])


def _is_singular(matrix: list[list[int]]) -> bool:
    size = len(matrix)
    for at in range(size):
        pivot = next((row for row in range(at, size) if matrix[row][at]), None)
        if pivot is None:
            return True
        matrix[at], matrix[pivot] = matrix[pivot], matrix[at]
        inverse = pow(matrix[at][at], -1, PRIME)
        for row in range(at + 1, size):
            factor = matrix[row][at] * inverse % PRIME
            if factor:
                matrix[row] = [(a - factor * b) % PRIME for a, b in zip(matrix[row], matrix[at], strict=True)]
    return False


def tell_few(new: Sequence[Sketch], old: Sequence[Sketch], few: int) -> bool:
    """Return whether a new set, with one or two other sets of which an old one is, comes down to fewer rows than
    `few`.
    """
    told = _Sizes(old, few)
    if any(is_few(combined([(1, one), (-1, other)]), few) for one in new for other in told.near(one[0])):
        return True
    threes = islice(_threes(new, old, _Sizes([*old, *new], few)), MOST_TRIED)
    return any(is_few(combined(three), few) for three in threes)


def _threes(new: Sequence[Sketch], old: Sequence[Sketch], every: "_Sizes") -> Iterator[list[tuple[int, Sketch]]]:
    for one in new:
        for other in old:
            for third in every.near(one[0] - other[0]):
                yield [(1, one), (-1, other), (-1, third)]
            for third in every.near(one[0] + other[0]):
                yield [(1, one), (1, other), (-1, third)]
            for third in every.near(other[0] - one[0]):
                yield [(1, other), (-1, one), (-1, third)]


class _Sizes:
    """Sets in the order of their sizes."""

    def __init__(self, sketches: Sequence[Sketch], few: int) -> None:
        self._sorted = sorted(sketches, key=_size)
        self._sizes = [one[0] for one in self._sorted]
        self._within = 2 * min(few, MOST_FEW)  # a row that is left counts once or twice

    def near(self, size: int) -> Iterator[Sketch]:
        """The sets whose size is so near that few rows may make the difference."""
        for at in range(bisect_left(self._sizes, size - self._within + 1), len(self._sizes)):
            if self._sizes[at] >= size + self._within:
                return
            yield self._sorted[at]


def _size(sketch: Sketch) -> int:
    return sketch[0]
