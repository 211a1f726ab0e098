"""Defines how values are distributed: distinct ones, quantiles, histogram, the most frequent, patterns. Out of plain
values.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate, pairwise
from typing import Any, Final
from uuid import UUID

from resolvers.engines.profiling.values import (
    hashable,
    moment_text,
    number_text,
    numbers_of,
    pattern_of_shape,
    seconds_of_each,
    shapes_of,
    text_of,
)
from schema.data_readiness.profile import HistogramBin, PatternCount, Quantile, ValueCount, ValueKind

FRACTIONS: Final = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""The quantiles that a profile tells."""

MOST_BINS: Final = 20
MOST_VALUES: Final = 20
MOST_PATTERNS: Final = 10


def counts_of(values: Iterable[Any]) -> Counter[Hashable]:
    """Return how often each value occurs; null is none. What has no equal, NaN, and what others write alike is one
    value.
    """
    kept = list(values)
    try:
        counts: Counter[Hashable] = Counter(kept)
    except TypeError:  # a signalling NaN cannot be counted as it is
        counts = Counter(hashable(value) for value in kept)
    counts.pop(None, None)
    types = set(map(type, counts))
    if not _ODD.isdisjoint(types):
        odd = [value for value in counts if type(value) in _ODD and hashable(value) is not value]
    elif float in types:
        odd = [value for value in counts if value != value]
    else:
        odd = []
    if odd:
        for value in odd:
            counts[hashable(value)] += counts.pop(value)
    return counts


_ODD: Final = frozenset({Decimal, UUID})


def estimated_distinct(counts: Mapping[Hashable, int], rows: int) -> int:
    """Return how many distinct values there are among `rows` values of which the counts are a sample.

    The estimator of Haas and Stokes, which PostgreSQL uses too: n·d / (n - f1 + f1·n/N), where f1 of the d values
    of the sample occur once in it.
    """
    often = list(counts.values())
    n, d = sum(often), len(counts)
    if n == 0 or n >= rows:
        return d
    once = often.count(1)
    estimate = n * d / (n - once + once * n / rows)
    return max(d, min(rows, round(estimate)))


def scaled(count: int, of: int, to: int) -> int:
    """A count of a sample as a count of the whole; never nothing where there was something."""
    return count if of == to or of == 0 else max(1, round(count * to / of))


def top_values(counts: Mapping[Hashable, int], rows: int) -> list[ValueCount]:
    """The most frequent values, those of equal count by their text; values that are seen once in many tell nothing."""
    n = sum(counts.values())
    few = len(counts) <= MOST_VALUES
    if len(counts) == n and not few:
        return []
    most = sorted((count for count in counts.values() if few or count > 1), reverse=True)[:MOST_VALUES]
    least = most[-1] if most else n + 1
    kept = [(text_of(value), count) for value, count in counts.items() if count >= least]
    kept.sort(key=lambda one: (-one[1], one[0]))
    return [ValueCount(value=value, count=scaled(count, n, rows)) for value, count in kept[:MOST_VALUES]]


def patterns(counts: Mapping[Hashable, int], rows: int) -> list[PatternCount]:
    """The most frequent shapes of texts."""
    told = shapes_of(list(map(str, counts)))
    n = sum(counts.values())
    shapes = Counter(told)
    if n > len(told):
        for shape, count in zip(told, counts.values(), strict=True):
            shapes[shape] += count - 1
    kept = sorted(((pattern_of_shape(shape), count) for shape, count in shapes.most_common(2 * MOST_PATTERNS)))
    kept.sort(key=lambda one: -one[1])
    return [PatternCount(pattern=pattern, count=scaled(count, n, rows)) for pattern, count in kept[:MOST_PATTERNS]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """Values in their order."""

    places: Sequence[float] = ()
    """Where each lies."""
    values: Sequence[Any] = ()
    upto: Sequence[int] = ()
    """How often the values up to each one occur together, that one too."""


def quantiles(ordered: Ranked) -> list[Quantile]:
    """The value at each share of the values in their order: one that occurs, the nearest by rank."""
    n = ordered.upto[-1] if ordered.upto else 0
    ranks = [max(1, math.ceil(fraction * n)) for fraction in FRACTIONS] if n else []
    found = [ordered.values[bisect_left(ordered.upto, rank)] for rank in ranks]
    return [
        Quantile(fraction=fraction, value=text_of(value)) for fraction, value in zip(FRACTIONS, found, strict=False)
    ]


def ranked(counts: Mapping[Hashable, int], kind: ValueKind) -> Ranked:
    """The values that can be placed on a line, in order."""
    place = _PLACES.get(kind)
    if place is None:
        return Ranked()
    values: Sequence[Any] = list(counts)
    found_places = place(values)
    placed = [where for where in found_places if where is not None]
    if len(placed) < len(values):
        values = [value for where, value in zip(found_places, values, strict=True) if where is not None]
    found = dict(zip(placed, values, strict=True))
    if len(found) == len(placed):
        places = sorted(found)
        values = list(map(found.__getitem__, places))
    else:  # numbers that no double can tell apart
        order = sorted(range(len(placed)), key=placed.__getitem__)
        places, values = [placed[at] for at in order], [values[at] for at in order]
    once = sum(counts.values()) == len(counts)
    upto = range(1, len(values) + 1) if once else list(accumulate(map(counts.__getitem__, values)))
    return Ranked(places, values, upto)


_PLACES: Final[dict[ValueKind, Callable[[Sequence[Any]], Sequence[float | None]]]] = {
    ValueKind.NUMBER: numbers_of,
    ValueKind.TEMPORAL: seconds_of_each,
}


def edges(lowest: float, highest: float, *, whole: bool, most: int = MOST_BINS) -> list[float]:
    """The bounds of a histogram from the least to the greatest value: bins of equal width, one more bound than bins.

    Whole numbers and days get bins of whole width, so that none of them has one value more to hold than its neighbour.
    """
    span = highest - lowest
    if not math.isfinite(span) or not math.isfinite(span / most):
        return [lowest, highest]
    if span <= 0:
        return [lowest, highest]
    if whole:
        width = max(1, math.ceil((span + 1) / most))
        bins = math.ceil((span + 1) / width)
        return [lowest + width * position for position in range(bins)] + [highest]
    made = [lowest + span * position / most for position in range(most)] + [highest]
    # Neighbouring floats may be too near for so many bins.
    kept = [bound for position, bound in enumerate(made) if position == 0 or bound > made[position - 1]]
    return kept if len(kept) > 1 else [lowest, highest]


def crowded(ordered: Ranked, lowest: float, highest: float) -> tuple[float, float]:
    """Between which bounds nearly all values lie, where they would else share a few bins; the ends themselves if not.

    Nine of ten values in the middle, and as far again on either side, are taken for what is usual.
    """
    n = ordered.upto[-1]
    if n < FEWEST_CROWDED or not math.isfinite(highest - lowest):
        return lowest, highest
    for share in (0.05, 0.01):
        ranks = max(1, math.ceil(share * n)), max(1, math.ceil((1 - share) * n))
        first, last = (ordered.places[bisect_left(ordered.upto, rank)] for rank in ranks)
        if last > first:
            low, high = max(lowest, 2 * first - last), min(highest, 2 * last - first)
            return (low, high) if (highest - lowest) > FAR_OFF * (high - low) else (lowest, highest)
    return lowest, highest


FEWEST_CROWDED: Final = 20
FAR_OFF: Final = 4.0
"""How many times as wide as what is usual the whole must be, that what lies beyond is counted apart."""


def bin_counts(ordered: Ranked, bounds: Sequence[float]) -> list[int]:
    """Return how many of the values lie in each bin; those out of bounds count in the first and the last."""
    below = [bisect_left(ordered.places, bound) for bound in bounds[1:-1]]
    upto = [0, *(ordered.upto[at - 1] if at else 0 for at in below), ordered.upto[-1] if ordered.upto else 0]
    return [more - less for less, more in pairwise(upto)]


def histogram(
    ordered: Ranked, kind: ValueKind, n: int, rows: int, *, whole: bool, limits: tuple[Any, Any] | None = None
) -> list[HistogramBin]:
    """Return how many values lie in each of up to twenty bins between the least and the greatest value.

    Where few values lie so far off that all others would share a few bins, what lies below or above the others is one
    bin of its own, and the rest are as wide as one another.

    The values are out of a sample of `n`, which stands for `rows`; `limits` are the least and the greatest when more is
    known of them than the sample tells. What is no place on a line, such as infinity, lies in no bin.
    """
    if not ordered.places:
        return []
    lowest, highest = ordered.places[0], ordered.places[-1]
    like = ordered.values[0]
    if limits is not None:
        known = [where for where in _PLACES[kind](limits) if where is not None]
        lowest, highest = min([lowest, *known]), max([highest, *known])
    unit = 86400 if kind is ValueKind.TEMPORAL and whole else 1
    low, high = (bound / unit for bound in crowded(ordered, lowest, highest))
    if whole:
        low, high = math.floor(low), math.ceil(high)
    apart = (low > lowest / unit) + (high < highest / unit)
    bounds = [bound * unit for bound in edges(low, high, whole=whole, most=MOST_BINS - apart)]
    bounds = [*([lowest] if lowest < bounds[0] else []), *bounds, *([highest] if highest > bounds[-1] else [])]
    found = bin_counts(ordered, bounds)
    return bins_of(bounds, [scaled(count, n, rows) if count else 0 for count in found], kind, like)


def bins_of(bounds: Sequence[float], counts: Sequence[int], kind: ValueKind, like: Any) -> list[HistogramBin]:
    """Bins out of their bounds, written as the values are."""
    texts = [_bound_text(bound) if kind is ValueKind.NUMBER else moment_text(bound, like) for bound in bounds]
    return [
        HistogramBin(lower=texts[position], upper=texts[position + 1], count=count)
        for position, count in enumerate(counts)
    ]


def _bound_text(bound: float) -> str:
    # Twelve digits are more than a picture shows, and hide what adding floats leaves behind.
    short = float(f"{bound:.12g}")
    return number_text(short if short.is_integer() or abs(bound) < 1e11 else bound)


def mean_of(values: Sequence[float]) -> float | None:
    """The average."""
    unit = unit_of(values)
    return math.fsum(value / unit for value in values) / len(values) * unit if values else None


def stddev_of(values: Sequence[float]) -> float | None:
    """The standard deviation of a sample; None where it is beyond the greatest number."""
    if len(values) < 2:
        return None
    unit = unit_of(values)
    middle = math.fsum(value / unit for value in values) / len(values)
    squares = math.fsum((value / unit - middle) ** 2 for value in values)
    found = math.sqrt(squares / (len(values) - 1)) * unit
    return found if math.isfinite(found) else None


def unit_of(values: Iterable[float]) -> float:
    """The power of two to divide numbers by whose sums or squares a double cannot hold: too large, or too small."""
    largest = max(map(abs, values), default=0.0)
    return 1.0 if largest == 0.0 or _SMALL < largest < _LARGE else math.ldexp(1.0, math.frexp(largest)[1] - 1)


_SMALL, _LARGE = 2.0**-400, 2.0**400
