"""The average and the deviation of numbers that come in parts."""

import math
from typing import Any, Final

_LEAST: Final = 1e-280
"""A variance below this has lost digits, as the squares that it was made of had."""


class Moments:
    """Told Arrow arrays of numbers, one after the other; nulls and what is not finite are passed over."""

    def __init__(self) -> None:
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0
        """The sum of the squares of what lies between each number and the mean."""

    def add(self, numbers: Any) -> None:
        """Take in an array: it is averaged by itself, in two passes, and joined with what came before.

        Source: Chan, Golub and LeVeque, Algorithms for Computing the Sample Variance, 1983.
        """
        import pyarrow
        import pyarrow.compute as compute

        count, mean, variance = _of(numbers)
        if not math.isfinite(mean + variance) and pyarrow.types.is_floating(numbers.type):
            count, mean, variance = _of(numbers.filter(compute.is_finite(numbers)))
        if not count:
            return
        if not self._count:
            self._count, self._mean, self._squares = count, mean, variance * count
            return
        whole = self._count + count
        between = mean - self._mean
        self._squares += variance * count + between * between * (self._count * (count / whole))
        self._mean += between * (count / whole)
        self._count = whole

    @property
    def mean(self) -> float | None:
        """The average; None without numbers, and where their sum was too large for one."""
        return self._mean if self._count and math.isfinite(self._mean) else None

    @property
    def stddev(self) -> float | None:
        """The deviation of a sample; None without two numbers, or where squares were too large, 0 where too small."""
        if self._count < 2 or not math.isfinite(self._squares):
            return None
        variance = self._squares / (self._count - 1)
        return 0.0 if variance < _LEAST else math.sqrt(variance)


def _of(numbers: Any) -> tuple[int, float, float]:
    """Return how many numbers an array holds, their mean and their variance."""
    import pyarrow.compute as compute

    count = len(numbers) - numbers.null_count
    if not count:
        return 0, 0.0, 0.0
    return count, compute.mean(numbers).as_py(), compute.variance(numbers, ddof=0).as_py()
