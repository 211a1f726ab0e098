"""Values that hardly ever come together, in columns of which one allows but a few values of the other.

Where a state has three rates, a rate of another state is wrong though no single column decides the rate. Such columns
show it by how many pairs of frequent values never occur: chance alone would have brought nearly all of them together.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import pairwise
from typing import Final

from resolvers.engines.error_detection.dependencies import Votes
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import MISSING, TableColumn

MOST_VALUES: Final = 200
"""Different values of a column that is looked at."""
MOST_COLUMNS: Final = 30
EXPECTED: Final = 3.0
"""Rows in which chance would have a pair, at least, for its absence to tell something."""
NEVER: Final = 0.5
"""The share of such pairs that never occur, at least, for the columns to be bound to one another."""
SPREAD: Final = 8
"""Different numbers in a group of rows, from which they are a measure that varies, and no choice of a few."""
DENSE: Final = 0.6
"""The share of the different numbers that are one step above the next, of what is measured or counted."""
NEXT: Final = 2
"""How many steps from another of its group a number may be to be the end of what the group has."""
MOST_ROWS: Final = 0.03
"""The share of the rows with a pair that should not be; more are no errors."""


def pair_signs(
    table: Sequence[TableColumn], votes: Sequence[Votes], doubtful: Sequence[Set[int]]
) -> dict[tuple[int, int], Reason]:
    """Cells whose value hardly ever comes with that of another cell, which other columns confirm."""
    decided = {(one.dependency.determinant, one.dependency.dependent) for one in votes}
    asked: dict[int, list[Votes]] = defaultdict(list)
    for one in votes:
        asked[one.dependency.dependent].append(one)
    few = [column for column in table if column.is_scalar and column.distinct - len(doubtful[column.index]) >= 3]
    few = [column for column in few if column.distinct - len(doubtful[column.index]) <= MOST_VALUES][:MOST_COLUMNS]
    signs: dict[tuple[int, int], Reason] = {}
    for left in few:
        if not asked[left.index]:
            continue  # nothing could confirm its cells
        for right in few:
            if right is left or (left.index, right.index) in decided:
                continue
            odd = _odd_pairs(left, right, doubtful)
            for row, pair in enumerate(zip(left.codes, right.codes, strict=True) if odd else ()):
                if pair in odd and _is_confirmed(table, asked, row, left, right):
                    value, other = left.texts[pair[0]], right.texts[pair[1]]
                    told = f"{other!r} hardly ever comes with {left.name} {value!r}."
                    signs[(row, right.index)] = Reason(Sign.DEPENDENCY, 3.8, told)
    return signs


def _odd_pairs(left: TableColumn, right: TableColumn, doubtful: Sequence[Set[int]]) -> Set[tuple[int, int]]:
    """The pairs of codes that should not be, none if the columns are not bound to one another."""
    pairs = Counter(zip(left.codes, right.codes, strict=True))
    size = len(left.codes)
    never = between = known = rows = 0
    odd = set()
    lefts, rights = (
        [code for code in range(1, len(one.texts)) if code not in doubtful[one.index] and one.counts[code] >= 5]
        for one in (left, right)
    )
    for a in lefts:
        for b in rights:
            expected = left.counts[a] * right.counts[b] / size
            if expected < EXPECTED:
                continue
            known += 1
            count = pairs.get((a, b), 0)
            if not count:
                never += 1
            elif count <= max(1.0, 0.1 * expected):
                odd.add((a, b))
                rows += count
            elif count < 0.5 * expected:
                between += 1
    is_bound = known >= 10 and never >= NEVER * known and between <= 0.1 * known
    if not is_bound or rows > MOST_ROWS * size:
        return frozenset()
    return _without_measures(odd, pairs, right) if odd and right.number_share >= 0.9 else odd


def _without_measures(
    odd: Set[tuple[int, int]], pairs: Mapping[tuple[int, int], int], right: TableColumn
) -> Set[tuple[int, int]]:
    """Leave out numbers of a measure beside others of their group: those at its ends are rare in each, and right."""
    ordered = sorted({number for number in right.numbers if number is not None})
    steps = Counter(round(b - a, 9) for a, b in pairwise(ordered))
    step, times = steps.most_common(1)[0] if steps else (0.0, 0)
    if times < DENSE * len(ordered) or step <= 0 or math.log10(step) % 1:  # it is one of a decimal place
        return odd
    groups: dict[int, list[float]] = defaultdict(list)
    for a, b in pairs:
        if (number := right.numbers[b]) is not None:
            groups[a].append(number)

    def is_beside(a: int, b: int) -> bool:
        number = right.numbers[b]
        if number is None or len(groups[a]) < SPREAD:
            return False
        return any(0 < abs(number - one) <= (NEXT + 0.5) * step for one in groups[a])

    return {pair for pair in odd if not is_beside(*pair)}


def _is_confirmed(
    table: Sequence[TableColumn], asked: dict[int, list[Votes]], row: int, left: TableColumn, right: TableColumn
) -> bool:
    """Return whether other columns speak for the one cell, and none for the other."""

    def spoken_for(of: TableColumn, without: TableColumn) -> bool:
        return any(
            (table[one.dependency.determinant].codes[row], of.codes[row]) in one.support
            for one in asked[of.index]
            if one.dependency.determinant != without.index
        )

    return left.codes[row] != MISSING and spoken_for(left, right) and not spoken_for(right, left)
