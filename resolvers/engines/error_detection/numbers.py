"""Numbers and days that lie far from all others, and pairs of columns of which one is never less than the other."""

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import pairwise, permutations
from statistics import StatisticsError, correlation
from types import MappingProxyType
from typing import Final

from resolvers.engines.error_detection.days import are_months, days_of, moments_within
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import PLACEHOLDER_NUMBERS, is_placeholder_date
from resolvers.engines.error_detection.order_names import comes_first
from resolvers.engines.error_detection.placeholder_days import exchanged_day_signs, placeholder_day_signs, to_come_signs
from resolvers.engines.error_detection.sentinels import sentinel_signs, short_year_signs
from resolvers.engines.error_detection.signs_and_units import NEGATIVE, beyond_zero, is_other_unit, shifted, zero_signs
from resolvers.engines.error_detection.table import MISSING, TableColumn, as_told

Fences = tuple[float, float, float, float, float]
"""Low end, middle and high end of the usual numbers, and the widths below and above the middle."""

TOGETHER: Final = 0.5
"""The rank correlation from which two columns are taken to be ends of one thing."""
CLOSELY: Final = 0.8
"""That of numbers, which may go together without being ends of one thing, for their order to be a rule."""
FAST: Final = 0.95
"""That of two that hardly part, whose order is a rule whatever breaks it."""
NO_EDGE: Final = 0.1
"""The rows a little beyond an order, as a share of those as little within it, from which it is no rule."""
OFTEN: Final = 10
"""Rows with the very same number, and their share of all, from which it is usual however far it lies: of 709 such
cells that were far off, in tables of which one in 100 cells was spoiled, 12 were wrong, and of 2,765 others 2,338."""
OFTEN_SHARE: Final = 0.002
MANY: Final = 10
MANY_SHARE: Final = 0.01
"""Rows, and their share, beyond an empty stretch, from which they are rather a state of their own, as in a flood, than
mistakes; unless they are the others in another unit."""
FAR_OFF: Final = 2.5
"""Widths from the middle from which a number lies far from all others."""
NEAR_EDGE: Final = 1 / 3
"""The part of how far apart the two mostly are, within which most rows beyond an order lie where it is no rule."""
FEWEST_BEYOND: Final = 4
"""Such rows, at least, for that to be seen."""
MOST_COMPARED: Final = 30
"""Columns whose order is looked at."""
OUT_OF_ORDER: Final = 0.02
"""The share of the rows, at most, that are out of an order."""
OUT_OF_NAMED: Final = 0.12
"""The same where the columns' names say which comes first."""
OUT_OF_EXCHANGED: Final = 0.06
EXCHANGED: Final = 0.8
"""The same where so many of these have the two in each other's place."""
AT_AN_END: Final = 0.1
OFTENER_BESIDE: Final = 3
"""The share of its column, at most, that lies as far out as one of two that are out of order, and how many times as
many lie so as the other, for it to be the wrong one."""
FEWEST_ORDERED: Final = 50
FEWEST_NAMED: Final = 20
"""Rows with both, at least; the second where names say which comes first."""


def measured(column: TableColumn) -> tuple[list[float | None], Set[int] | None] | None:
    """A number for each code of a column of numbers or days; and of days the codes that spell none."""
    if column.number_share >= 0.6:
        return column.numbers, None
    return days_of(column)


def timed(column: TableColumn) -> tuple[Sequence[float | None], Set[int] | None] | None:
    """The same, days with their time where nearly all have one: what comes first may be a matter of hours."""
    found = measured(column)
    return found if found is None or found[1] is None else (moments_within(column, found[0]), found[1])


def outlier_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that lies far from all others, why."""
    found = measured(column)
    if found is None or column.present < 12:
        return {}
    numbers, impossible = found
    signs: dict[int, Reason] = {}
    are_days = impossible is not None
    if impossible is not None:
        for code in range(1, len(column.texts)):
            if code in impossible:
                signs[code] = Reason(Sign.OUTLIER, 4.5, "There is no such day.", in_itself=True)
            elif is_placeholder_date(column.texts[code]):
                signs[code] = Reason(Sign.STAND_IN, 2.0, "A day that stands for none.")
    weighed = sorted((n, column.counts[code], code) for code, n in enumerate(numbers) if n is not None)
    if len(weighed) < 5:
        return signs
    values = [n for n, count, _ in weighed for _ in range(count)]
    often = {code for _, _, code in weighed if is_often(column, code)}
    if not (are_days and are_months(column)):
        _far(signs, values, weighed, often, are_days)
    if are_days:
        for found_days in (
            placeholder_day_signs(column, weighed),
            to_come_signs(weighed, datetime.now(UTC).date()),
            exchanged_day_signs(values, weighed),
        ):
            signs |= {code: _heavier(signs.get(code), reason) for code, reason in found_days.items()}
    else:
        _stand_apart(signs, values, weighed)
        for found_numbers in (
            beyond_zero(column, values, weighed),
            zero_signs(column, values, weighed),
            shifted(values, weighed),
            sentinel_signs(values, weighed),
            short_year_signs(values, weighed),
        ):
            signs |= {code: _heavier(signs.get(code), reason) for code, reason in found_numbers.items()}
    return signs


def _stand_apart(signs: dict[int, Reason], values: Sequence[float], weighed: Sequence[tuple[float, int, int]]) -> None:
    """Signs that nearly no number of the column has, and figures that stand for none."""
    size = len(values)
    low, middle, high = values[size // 100], values[size // 2], values[-1 - size // 50]
    below = bisect_left(values, 0.0)
    negative = {number for number, _, _ in weighed if number < 0}
    is_mark = len(negative) == 1 and below <= 0.03 * size and values[size // 20] >= 0
    # Where the good numbers begin well above 0, one below it is no end of their tail.
    are_positive = below <= 0.02 * size and low > 0.05 * middle
    meant = sum(count for number, count, _ in weighed if number < 0 and number not in PLACEHOLDER_NUMBERS)
    for number, _, code in weighed:
        # One that would be among the usual ones without its sign has lost no tail: the sign is wrong.
        is_turned = meant <= 0.01 * size and -number >= max(0.0, values[min(size - 1, below + size // 10)]) > 0
        if number < 0 and (are_positive or is_turned):
            signs[code] = _heavier(signs.get(code), Reason(Sign.OUTLIER, 3.6, NEGATIVE))
        spread = max(high - low, abs(middle) / 10)
        is_apart = number < low - spread or number > high + spread
        if number in PLACEHOLDER_NUMBERS and (is_apart or (number in negative and is_mark)):
            weight = max(3.8, signs[code].weight if code in signs else 0.0)
            signs[code] = Reason(Sign.STAND_IN, weight, "A number that stands for none, apart from all others.")


def _far(
    signs: dict[int, Reason],
    values: Sequence[float],
    weighed: Sequence[tuple[float, int, int]],
    often: Set[int],
    are_days: bool,
) -> None:
    """Far by the quantiles, in logarithms too where all numbers are above 0."""
    is_coarse = len(weighed) <= 12
    plain = fences_of(values, is_coarse)
    if plain is None:
        return
    grown = None if are_days else _growing(values)
    logs = None if grown is None else fences_of([grown(value) for value in values if value >= 0], is_coarse)
    size = len(values)
    if not are_days and not is_coarse:
        often = often | _islands(signs, values, weighed, often, plain, (grown, logs))
    for number, count, code in weighed:
        distance = distance_from(number, plain)
        if logs is not None and grown is not None and number >= 0:
            distance = min(distance, distance_from(grown(number), logs))
        if distance <= FAR_OFF or code in often:
            continue
        weight = min(4.8, 1.2 * (distance - 1.5))
        beyond = size - bisect_left(values, number) if number > plain[1] else bisect_right(values, number)
        # Many far values are the tail of how the column is spread, unless they are all the same.
        others = beyond if count < 0.5 * beyond or distance < 5 else beyond - count
        weight *= 1.0 if others <= max(2.0, 0.01 * size) else max(0.0, 1.0 - others / (0.05 * size))
        if weight > 0.3 and beyond <= 0.1 * size:
            told = f"Most lie from {_say(plain[0], are_days)} to {_say(plain[2], are_days)}."
            signs[code] = _heavier(signs.get(code), Reason(Sign.OUTLIER, weight, told))


def _islands(
    signs: dict[int, Reason],
    values: Sequence[float],
    weighed: Sequence[tuple[float, int, int]],
    often: Set[int],
    plain: Fences,
    growing: tuple[Callable[[float], float] | None, Fences | None],
) -> Set[int]:
    """Some numbers with an empty stretch between them and all others: another unit, rather than a tail.

    In a tail that falls off by a factor the k-th number from its end is the less likely to stand off, the greater k is.
    Returns the codes of those that are so many that they are rather a state of their own.
    """
    size = len(values)
    grown, logs = growing
    found: dict[int, Reason] = {}
    usual: set[int] = set()
    for numbers in (weighed, weighed[::-1]):
        beyond = 0
        for place, (one, following) in enumerate(pairwise(numbers)):
            beyond += one[1]
            if beyond > 0.06 * size:
                break
            gap = _gap(one[0], following[0], plain)
            if grown is not None and logs is not None and min(one[0], following[0]) >= 0:
                gap = min(gap, _gap(grown(one[0]), grown(following[0]), logs))
            if gap < 0.7:
                continue
            weight = min(4.2, 1.4 * min(beyond, 4) * gap - 0.5)
            at_end = numbers is not weighed
            if beyond > max(MANY, MANY_SHARE * size) and not is_other_unit(values, beyond, at_end=at_end):
                state = fences_of(values[-beyond:] if at_end else values[:beyond], False)
                usual |= {
                    code for n, _, code in numbers[: place + 1] if state is None or distance_from(n, state) <= FAR_OFF
                }
            low, high = sorted((one[0], following[0]))
            told = f"Between {as_told(low)} and {as_told(high)} there is nothing."
            for code in {code for _, _, code in numbers[: place + 1]} - often:
                found[code] = _heavier(found.get(code), Reason(Sign.OUTLIER, weight, told))
    for code in found.keys() - usual:
        signs[code] = _heavier(signs.get(code), found[code])
    return usual


def is_often(column: TableColumn, code: int) -> bool:
    """Return whether so many rows have a value that no slips made it, and it is none that stands for nothing."""
    if column.counts[code] < max(OFTEN, OFTEN_SHARE * column.present):
        return False
    return column.numbers[code] not in PLACEHOLDER_NUMBERS and not is_placeholder_date(column.texts[code])


def _gap(one: float, following: float, fences: Fences) -> float:
    """The stretch between two neighbours at an end, in widths of that side."""
    return abs(one - following) / (fences[3] if one < following else fences[4])


def _growing(values: Sequence[float]) -> Callable[[float], float] | None:
    """Return how numbers that are hardly ever below 0 compare by factors; those near 0 count as alike."""
    start, above = bisect_left(values, 0.0), bisect_right(values, 0.0)
    if start > 0.02 * len(values) or above == len(values):
        return None
    # A few wrong signs do not keep the others from being looked at as what grows by factors.
    unit = values[above + (len(values) - above) // 20]
    return lambda value: math.log(value + unit * 0.5) if above > start else math.log(max(value, values[above]))


def fences_of(values: Sequence[float], is_coarse: bool) -> Fences | None:
    """Low and high 5 % of sorted values with the middle between, and the width of each side of it.

    Where there are but a few different values, one of them may be the middle and an end at once, and tell no width.
    """
    size = len(values)
    low, middle, high = values[size // 20], values[size // 2], values[-1 - size // 20]
    width = high - low
    if width <= 0:
        return None
    least = width / 2 if is_coarse else width / 10
    return low, middle, high, max(middle - low, least), max(high - middle, least)


def distance_from(number: float, fences: Fences) -> float:
    """Return how far a number lies from the middle, in widths of its side."""
    _, middle, _, below, above = fences
    return (number - middle) / above if number >= middle else (middle - number) / below


def _heavier(one: Reason | None, other: Reason) -> Reason:
    if one is None or other.weight > one.weight:
        return other
    return replace(other, weight=one.weight) if other.by_sign and one.sign is other.sign else one


def _say(number: float, is_day: bool) -> str:
    return date.fromordinal(int(number)).isoformat() if is_day else as_told(number)


def order_signs(
    columns: Sequence[TableColumn],
    doubtful: Sequence[Set[int]],
    spared: Set[tuple[int, int]] = frozenset(),
    kept: Mapping[int, Set[int]] = MappingProxyType({}),
) -> dict[tuple[int, int], Reason]:
    """Cells of two columns of which one is, but for a few rows, never less than the other; not those that are spared.

    Of two of which one is among the `doubtful` codes of its column, or not in step where the other column has its rows
    in order (`kept`), only that one is named.
    """
    broken: dict[int, list[_Broken]] = defaultdict(list)
    for left, low, right, high in _comparable(columns):
        if (order := _order(left, low, right, high)) is not None:
            _ordered(broken, left, low, right, high, order)
    signs: dict[tuple[int, int], Reason] = {}
    tails = _Tails(columns)
    for row, some in broken.items():
        # Where two are exchanged, what lies between them is out of order with both, and right.
        some.sort(key=lambda pair: -pair.width)
        told: set[int] = set()
        for pair in some:
            if not told & set(pair.columns) and not any((row, index) in spared for index in pair.columns):
                told |= set(pair.columns)
                odd = [index for index in pair.columns if columns[index].codes[row] in doubtful[index]]
                odd = odd or [index for index in pair.columns if row not in kept.get(index, ())]
                if not pair.would_do and len(odd) != 1:
                    odd = tails.farther(pair.columns, row)
                signs |= {(row, index): pair.reason for index in odd or pair.columns}
    return signs


class _Tails:
    """How near the ends of its column a number lies."""

    def __init__(self, columns: Sequence[TableColumn]) -> None:
        self._columns = columns
        self._sorted: dict[int, tuple[Sequence[float | None], list[float]]] = {}

    def _share(self, index: int, row: int) -> float:
        """The share of the numbers of a column that lie as far out as that of a row, on its side."""
        column = self._columns[index]
        if index not in self._sorted:
            found = measured(column)
            known = found[0] if found is not None else column.numbers
            self._sorted[index] = known, sorted(n for code in column.codes if (n := known[code]) is not None)
        numbers, ordered = self._sorted[index]
        number = numbers[column.codes[row]] or 0.0
        return min(bisect_right(ordered, number), len(ordered) - bisect_left(ordered, number)) / len(ordered)

    def farther(self, pair: tuple[int, int], row: int) -> list[int]:
        """Of two columns the one whose number is at an end, where that of the other is far from one; else both."""
        shares = [self._share(index, row) for index in pair]
        least = min(shares)
        if least > AT_AN_END or max(shares) < OFTENER_BESIDE * least:
            return list(pair)
        return [pair[shares.index(least)]]


def ordered_pairs(columns: Sequence[TableColumn]) -> list[tuple[int, int]]:
    """The columns of which one is, but for a few rows, never more than the other, where their ranges would allow it."""
    found = set()
    for left, low, right, high in _comparable(columns):
        order = _order(left, low, right, high)
        needed = TOGETHER if left.number_share < 0.6 else CLOSELY
        if order is not None and not order.lie_apart and (order.is_named or order.together >= needed):
            found.add((left.index, right.index))
    found = {(a, b) for a, b in found if (b, a) not in found}
    return sorted((a, b) for a, b in found if not any((a, c) in found and (c, b) in found for _, c in found))


def _comparable(
    columns: Sequence[TableColumn],
) -> Iterator[tuple[TableColumn, Sequence[float | None], TableColumn, Sequence[float | None]]]:
    found = [(column, *one) for column in columns if column.is_scalar and (one := timed(column)) is not None]
    for (left, low, left_days), (right, high, right_days) in permutations(found[:MOST_COMPARED], 2):
        if (left_days is None) is (right_days is None) and left.distinct >= 10 and right.distinct >= 10:
            yield left, low, right, high


@dataclass(frozen=True, slots=True)
class _Order:
    """That one column is never more than another, but for a few rows."""

    rare: bool
    """Whether hardly any row is an exception, or the two go together so fast that any must be."""
    lie_apart: bool
    """Whether the ranges lie apart, so that only an exchange can be told."""
    together: float
    """The rank correlation."""
    is_named: bool
    """Whether they are days, and their names say which comes first."""
    usual: tuple[float, float]
    """How far apart the two are, from the 5th to the 95th of a hundred."""
    ends: tuple[float, float]
    """The low end of the greater column and the high end of the other."""
    ranges: tuple[tuple[float, float], tuple[float, float]]
    """Nearly all numbers of the lesser column lie between these, and of the greater."""


@dataclass(frozen=True, slots=True)
class _Broken:
    """Two cells of a row that are out of order, and by how much."""

    columns: tuple[int, int]
    width: float
    reason: Reason
    would_do: bool
    """Whether each of the two could be of the other's column, so that they may have been exchanged."""


def _order(
    left: TableColumn, low: Sequence[float | None], right: TableColumn, high: Sequence[float | None]
) -> _Order | None:
    is_named = left.number_share < 0.6 and comes_first(left.name, right.name)
    both = above = 0
    step = max(1, len(left.codes) // 2000)
    seen: list[tuple[float, float]] = []
    for row in range(0, len(left.codes), step):
        a, b = low[left.codes[row]], high[right.codes[row]]
        if a is not None and b is not None:
            both += 1
            above += a > b
            seen.append((a, b))
    if both < (FEWEST_NAMED if is_named else FEWEST_ORDERED):
        return None
    if above > (OUT_OF_NAMED if is_named else OUT_OF_ORDER) * both:
        if not _are_exchanged(seen, above):
            return None
        seen = [(a, b) for a, b in seen if a <= b]
    # Two columns whose ranges lie apart are in order by nature; where they overlap, the order is a rule. Of those
    # that lie apart only an exchange can be told.
    lows = sorted(value for code in left.codes[::step] if (value := low[code]) is not None)
    highs = sorted(value for code in right.codes[::step] if (value := high[code]) is not None)
    lie_apart = lows[-1 - len(lows) // 10] <= highs[len(highs) // 10]
    # Two that have nothing to do with one another may be in order by chance, up to where their tails meet.
    together = rank_correlation(seen)
    if lie_apart and together < TOGETHER:
        return None
    gaps = sorted(b - a for a, b in seen)
    usual = gaps[len(gaps) // 20], gaps[-1 - len(gaps) // 20]
    ends = highs[len(highs) // 20], lows[-1 - len(lows) // 20]
    lesser, greater = ((some[len(some) // 100], some[-1 - len(some) // 100]) for some in (lows, highs))
    is_rare = above <= 0.015 * both or together >= FAST
    return _Order(is_rare, lie_apart, together, is_named, usual, ends, (lesser, greater))


def _are_exchanged(seen: Sequence[tuple[float, float]], above: int) -> bool:
    """Return whether the rows that break an order are a few that have the two in each other's place.

    Such lie as far apart as nearly all rows do, the other way round, and hardly any row lies between.
    """
    if above > OUT_OF_EXCHANGED * len(seen):
        return False
    gaps = sorted(b - a for a, b in seen if a <= b)
    least, most = gaps[len(gaps) // 20], gaps[-1 - len(gaps) // 20]
    return least > 0 and sum(least <= a - b <= most for a, b in seen) >= EXCHANGED * above


def _ordered(
    broken: dict[int, list[_Broken]],
    left: TableColumn,
    low: Sequence[float | None],
    right: TableColumn,
    high: Sequence[float | None],
    order: _Order,
) -> None:
    out: list[tuple[int, float, float]] = []
    kept: list[float] = []
    for row, (a_code, b_code) in enumerate(zip(left.codes, right.codes, strict=True)):
        a, b = low[a_code], high[b_code]
        if a is None or b is None or MISSING in (a_code, b_code):
            continue
        if a > b:
            out.append((row, a, b))
        elif a < b:
            kept.append(b - a)
    if not out or (not order.is_named and _thins_out([a - b for _, a, b in out], kept)):
        return
    for row, a, b in out:
        if order.lie_apart and (a < order.ends[0] or b > order.ends[1]):
            continue  # one of them is off by itself
        told = f"{left.name} is more than {right.name} in hardly any other row."
        # As far apart as others are, but the other way round: the two were exchanged. Else one is wrong, and which
        # of them cannot be told from these two.
        is_exchanged = order.usual[0] <= a - b <= order.usual[1]
        would_do = all(
            low - (high - low) / 2 <= number <= high + (high - low) / 2
            for number, (low, high) in zip((b, a), order.ranges, strict=True)
        )
        weight = 2.2 if order.together < TOGETHER else 4.0 if is_exchanged else 3.3 if order.rare else 2.2
        weight = max(weight, 3.4) if order.is_named else weight
        reason = Reason(Sign.ORDER, weight, told)
        broken[row].append(_Broken((left.index, right.index), a - b, reason, would_do))


def _thins_out(over: Sequence[float], kept: Sequence[float]) -> bool:
    """Return whether an order has no edge: those beyond it are near it, and about as many as those as near within.

    A rule has many rows up to its edge, and errors beyond lie anywhere. Two counts of which one is nearly always the
    greater come near one another ever more rarely, and now and then a little beyond.
    """
    near = sorted(over)[len(over) // 2]
    if len(over) >= FEWEST_BEYOND and kept and near < NEAR_EDGE * sorted(kept)[len(kept) // 2]:
        return True
    beyond = sum(1 for one in over if one <= near)
    return beyond > NO_EDGE * sum(1 for one in kept if one <= near)


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Return how far one of two numbers is the greater, the greater the other is (Spearman's rank correlation)."""
    first, second = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    try:
        return correlation(first, second)
    except StatisticsError:  # all are the same
        return 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    return [(bisect_left(ordered, value) + bisect_right(ordered, value)) / 2 for value in values]
