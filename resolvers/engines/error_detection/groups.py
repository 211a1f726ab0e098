"""Numbers judged among the rows that they should be like: those with the same value of the column that tells most.

A length of 60 is nothing odd among lengths from 5 to 90, and is wrong for what is 20 long in all other rows. The column
that explains most of how the numbers differ groups the rows; how far a number lies from the middle of its group is
measured in widths of that group, plainly and by factors. Where columns tell nearly the same, a number must be odd by
each of them, for one of them may itself be wrong in the row.
"""

import math
import random
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.numbers import Fences, distance_from, fences_of, is_often
from resolvers.engines.error_detection.table import MISSING, TableColumn, as_told

ROWS_TRIED: Final = 800
EXPLAINED: Final = 0.5
"""How much of the variance of the ranks a column must explain."""
AS_GOOD: Final = 0.85
"""What another explains beside the best, as a share of that, to be asked too."""
MOST_ASKED: Final = 3
FEWEST: Final = 8
"""Rows of a group in which a number is judged."""
MANY: Final = 30
"""Rows from which a group tells by itself how wide it is; smaller ones are taken to be no narrower than others."""
COVERED: Final = 0.6
"""The share of the rows that are in groups of such a size."""
FAR: Final = 2.5
"""The widths from which a number is far off."""
APART: Final = 5.0
"""The widths from which it cannot be of the tail, which falls off either plainly or by factors."""
NEAR: Final = 1.6
"""The widths up to which a number is usual in its group."""
MOST_MEASURED: Final = 1000
"""Rows that tell how groups spread."""
OF_A_KIND: Final = 0.5
"""The share of the rows with one value elsewhere that may be far off; with more, that value is the cause."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class GroupSigns:
    """Holds what groups say of numbers."""

    signs: dict[Cell, Reason]
    """Cells far from the others of their group."""
    usual: dict[int, set[int]]
    """By column the rows whose number is as those of its group mostly are."""


@dataclass(frozen=True, slots=True)
class _Group:
    middle: float
    width: float
    log_middle: float
    log_width: float
    low: float
    high: float


def grouped(table: Sequence[TableColumn], bound: Set[tuple[int, int]]) -> GroupSigns:
    """The numbers of a table that are far off, and those that are usual, among the rows of their group.

    Columns that are `bound` to one another by a formula do not group one another: the formula tells better.
    """
    found = GroupSigns({}, {})
    causes = [one for one in table if one.is_scalar and 2 <= one.distinct <= one.present / FEWEST]
    if not causes:
        return found
    size = len(table[0].codes)
    chooser = random.Random(7)  # noqa: S311 - which rows are looked at is no secret, and must repeat
    rows = list(range(size)) if size <= ROWS_TRIED else sorted(chooser.sample(range(size), ROWS_TRIED))
    for column in table:
        if column.is_scalar and column.number_share >= 0.6 and column.distinct >= FEWEST and column.present >= 60:
            free = [cause for cause in causes if cause is not column and (cause.index, column.index) not in bound]
            asked = _explaining(column, free, rows)
            if asked:
                _judge(column, asked, table, found)
    return found


def _explaining(column: TableColumn, causes: Sequence[TableColumn], rows: Sequence[int]) -> list[TableColumn]:
    """The columns that explain most of how the numbers of a column differ, the best first."""
    numbers = column.numbers
    there = [row for row in rows if numbers[column.codes[row]] is not None]
    if len(there) < 60:
        return []
    ordered = sorted(numbers[column.codes[row]] or 0.0 for row in there)
    place: dict[int, float] = {}
    for row in there:
        code = column.codes[row]
        if code not in place:
            number = numbers[code] or 0.0
            place[code] = (bisect_left(ordered, number) + bisect_left(ordered, math.nextafter(number, math.inf))) / 2
    ranks = [place[column.codes[row]] for row in there]
    mean = sum(ranks) / len(ranks)
    spread = sum((rank - mean) ** 2 for rank in ranks)
    if not spread:
        return []
    told: list[tuple[float, int, TableColumn]] = []
    for cause in causes:
        sums: dict[int, float] = defaultdict(float)
        counts: Counter[int] = Counter()
        codes = cause.codes
        for row, rank in zip(there, ranks, strict=True):
            sums[codes[row]] += rank
            counts[codes[row]] += 1
        if len(counts) > len(there) / 3:
            continue
        between = sum(total * total / counts[code] for code, total in sums.items()) - mean * mean * len(ranks)
        within = (spread - between) / (len(there) - len(counts)) * (len(there) - 1) / spread
        if 1 - within >= EXPLAINED:
            told.append((1 - within, cause.index, cause))
    told.sort(key=lambda one: (-one[0], one[1]))
    return [cause for explained, _, cause in told[:MOST_ASKED] if explained >= AS_GOOD * told[0][0]]


def _judge(column: TableColumn, asked: Sequence[TableColumn], table: Sequence[TableColumn], found: GroupSigns) -> None:
    best: dict[int, tuple[float, TableColumn, _Group]] = {}
    rows: Sequence[int] = range(len(column.codes))
    for cause in asked:
        groups = _groups(column, cause)
        if not groups:
            continue
        for row, distance in _distances(column, cause, groups, rows):
            if row not in best or abs(distance) < abs(best[row][0]):
                best[row] = distance, cause, groups[cause.codes[row]]
        # What is usual by one column need not be asked of another.
        rows = [row for row in rows if row not in best or abs(best[row][0]) > NEAR]
    if not best:
        return
    ordered = sorted(column.numbers[column.codes[row]] or 0.0 for row in best)
    middle = ordered[len(ordered) // 2]
    found.usual[column.index] = {
        row
        for row, (distance, _, group) in best.items()
        # The group as a whole is off with it, and not some of it.
        if abs(distance) <= NEAR
        and abs((column.numbers[column.codes[row]] or 0.0) - middle) <= 2 * abs(group.middle - middle)
    }
    sides = [sorted(side * distance for distance, *_ in best.values() if side * distance > 0) for side in (-1, 1)]
    often = {code for code in range(1, len(column.texts)) if is_often(column, code)}
    far = [row for row, (distance, *_) in best.items() if abs(distance) > FAR and column.codes[row] not in often]
    for row in strewn(far, column, table):
        distance, cause, group = best[row]
        side = sides[distance > 0]
        beyond = len(side) - bisect_left(side, abs(distance))
        weight = min(4.8, 1.2 * (abs(distance) - 1.5))
        if abs(distance) < APART:
            # In a tail there are more half as far; what is wrong stands off.
            between = len(side) - beyond - bisect_left(side, abs(distance) / 2)
            weight *= min(1.0, (beyond + 1) / max(1, between))
        if weight > 0.3:
            value = cause.texts[cause.codes[row]]
            told = f"Rows with {cause.name} {value!r} mostly lie from {as_told(group.low)} to {as_told(group.high)}."
            found.signs[row, column.index] = Reason(Sign.OUTLIER, weight, told)


def _groups(column: TableColumn, cause: TableColumn) -> dict[int, _Group]:
    """The groups of a size to judge in, none where they are too few or mostly hold one number each."""
    members: dict[int, list[float]] = defaultdict(list)
    for code, own in zip(cause.codes, column.codes, strict=True):
        number = column.numbers[own]
        if number is not None and code != MISSING:
            members[code].append(number)
    large = {code: sorted(some) for code, some in members.items() if len(some) >= FEWEST}
    judged = sum(map(len, large.values()))
    ends = {code: (some[len(some) // 10], some[-1 - len(some) // 10]) for code, some in large.items()}
    narrow = sum(len(some) for code, some in large.items() if ends[code][0] == ends[code][1])
    if judged < COVERED * column.present or narrow > 0.5 * judged:
        return {}
    shares, factors = [], []
    for code, some in large.items():
        low, high = ends[code]
        middle = some[len(some) // 2]
        if len(some) >= MANY or len(large) < 3:
            shares.append((high - low) / abs(middle) if middle else 0.0)
            factors.append(math.log(high / low) if low > 0 else 0.0)
    share, factor = (sorted(some)[len(some) // 2] if some else 0.0 for some in (shares, factors))
    groups = {}
    for code, some in large.items():
        low, high = ends[code]
        middle = some[len(some) // 2]
        is_small = len(some) < MANY
        width, log_width = high - low, math.log(high / low) if low > 0 else 0.0
        if is_small or not width:
            width = max(width, share * abs(middle))
            log_width = max(log_width, factor)
        if width > 0:
            log_middle = math.log(middle) if low > 0 and log_width > 0 else math.nan
            groups[code] = _Group(middle, width, log_middle, log_width, low, high)
    return groups


def _distances(
    column: TableColumn, cause: TableColumn, groups: dict[int, _Group], rows: Sequence[int]
) -> Iterator[tuple[int, float]]:
    """Yield how far the numbers of some rows lie from the middle of their group, as the groups of all rows spread."""
    spread = _spread(column, cause, groups)
    if spread is None:
        return
    by_width, by_factor = spread
    numbers = column.numbers
    for row in rows:
        number, group = numbers[column.codes[row]], groups.get(cause.codes[row])
        if number is None or group is None:
            continue
        place = (number - group.middle) / group.width
        distance = distance_from(place, by_width)
        if distance > NEAR and by_factor is not None and number > 0 and not math.isnan(group.log_middle):
            by_log = distance_from((math.log(number) - group.log_middle) / group.log_width, by_factor)
            distance = min(distance, by_log)
        yield row, distance if place >= by_width[1] else -distance


def _spread(column: TableColumn, cause: TableColumn, groups: dict[int, _Group]) -> tuple[Fences, Fences | None] | None:
    """Return how far from the middle of their group numbers usually lie, in widths of it: plainly, and by factors."""
    plain: list[float] = []
    logs: list[float] = []
    for row in range(0, len(column.codes), max(1, len(column.codes) // MOST_MEASURED)):
        number, group = column.numbers[column.codes[row]], groups.get(cause.codes[row])
        if number is not None and group is not None:
            plain.append((number - group.middle) / group.width)
            if number > 0 and not math.isnan(group.log_middle):
                logs.append((math.log(number) - group.log_middle) / group.log_width)
    by_width = fences_of(sorted(plain), is_coarse=False) if plain else None
    if by_width is None:
        return None
    return by_width, fences_of(sorted(logs), is_coarse=False) if logs else None


def strewn(far: Sequence[int], column: TableColumn, table: Sequence[TableColumn]) -> list[int]:
    """Leave out rows far off that nearly fill a group of another column: what they have in common is the cause."""
    spared: set[int] = set()
    for other in table if far else ():
        if other is column or not 2 <= other.distinct <= 0.2 * other.present:
            continue
        within = Counter(other.codes[row] for row in far)
        whole = {code for code, count in within.items() if code and count >= max(3, OF_A_KIND * other.counts[code])}
        if whole:
            spared |= {row for row in far if other.codes[row] in whole}
    return [row for row in far if row not in spared]
