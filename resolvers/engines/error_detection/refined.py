"""Dependencies that two columns make together: the price of an article in a currency, the fee of a plan in a country.

One of the two seems to decide the value, with many exceptions; but rows that agree in the other as well agree again.
Then the exceptions are none, and the pair of columns is asked instead.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Final

from resolvers.engines.error_detection.dependencies import SEARCHED, Votes, dependency_of, vote
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 8
"""Exceptions, at least, that a second column is sought for; and their share of the rows."""
SHARE: Final = 0.01
ASKED: Final = 0.4
"""The share of the exceptions that have other rows like them in both columns."""
FORETOLD: Final = 0.7
"""The share of these whose value the others like them have."""
PURE: Final = 0.93
"""The share of all rows like others in both columns whose value these have."""
RULED: Final = 0.5
"""The share of the rows with a value of the second column that are exceptions, if that is why."""
MANY: Final = 0.1
"""The share of the rows from which exceptions are no errors that repeat by chance."""
MOST_VALUES: Final = 0.05
"""Different values of the second column, as a share of its rows."""


@dataclass(frozen=True, slots=True)
class Refined:
    """Dependencies of which those that two columns make are told apart from those that one makes."""

    table: list[TableColumn]
    """The columns, and after them the pairs as columns of their own."""
    votes: list[Votes]
    parts: dict[int, tuple[int, int]] = field(default_factory=dict)
    """The two columns of each pair."""

    def decided(self) -> set[int]:
        """The columns that two others decide together."""
        return {one.dependency.dependent for one in self.votes if one.dependency.determinant in self.parts}

    def places(self, column: int) -> tuple[int, ...]:
        """The columns of the table that a determinant is made of."""
        return self.parts.get(column, (column,))


def refined(table: Sequence[TableColumn], votes: Sequence[Votes], doubtful: Sequence[Set[int]]) -> Refined:
    """The dependencies, where a second column explains the exceptions of one with that column beside it."""
    found = Refined(list(table), [])
    made: set[tuple[int, int, int]] = set()
    alone = {(one.dependency.determinant, one.dependency.dependent) for one in votes}
    for one in votes:
        # What a column tells alone is no matter of two.
        others = [column for column in table if (column.index, one.dependency.dependent) not in alone]
        is_pure = one.dependency.purity > 1 - SHARE
        second = None if is_pure else _second(table, others, one, doubtful[one.dependency.dependent])
        if second is None:
            found.votes.append(one)
            continue
        left, dependent = one.dependency.determinant, one.dependency.dependent
        low, high = sorted((left, second.index))
        if (low, high, dependent) in made:
            continue
        made.add((low, high, dependent))
        pair = _pair(table[left], second, len(found.table))
        odd = doubtful[dependent]
        dependency = dependency_of(pair, table[dependent], odd)
        if dependency is not None:
            found.table.append(pair)
            found.parts[pair.index] = left, second.index
            found.votes.append(vote(found.table, dependency, odd, SEARCHED))
    return found


def _second(
    table: Sequence[TableColumn], others: Sequence[TableColumn], votes: Votes, odd: Set[int]
) -> TableColumn | None:
    """The column that tells, beside the determinant, what the exceptions are; None where they are strewn."""
    left, right = table[votes.dependency.determinant], table[votes.dependency.dependent]
    size = len(left.codes)
    against = {pair for pair in votes.against if pair[1] != MISSING and pair[1] not in odd}
    if not against:
        return None
    rows, exceptions = _rows_of(left, right, against)
    if len(exceptions) < max(FEWEST, SHARE * size):
        return None
    best: tuple[int, TableColumn] | None = None
    for column in others:
        if column is right or not column.is_scalar or not 2 <= column.distinct <= MOST_VALUES * column.present:
            continue
        codes = column.codes
        like = Counter((left.codes[row], codes[row]) for some in rows.values() for row in some)
        same = Counter((left.codes[row], codes[row], right.codes[row]) for some in rows.values() for row in some)
        asked = foretold = 0
        for row in exceptions:
            a, c = left.codes[row], codes[row]
            peers = like[a, c] - 1
            if peers and c != MISSING:
                asked += 1
                foretold += 2 * (same[a, c, right.codes[row]] - 1) > peers
        if asked < max(FEWEST, ASKED * len(exceptions)) or foretold < FORETOLD * asked:
            continue
        within = Counter(codes[row] for row in exceptions)
        right_ones = sum(
            count
            for (a, c, y), count in same.items()
            if like[a, c] > 1 and 2 * (count - 1) > like[a, c] - 1 and y != MISSING
        )
        if right_ones < PURE * sum(count for count in like.values() if count > 1):
            continue
        every = Counter(codes[row] for some in rows.values() for row in some)
        ruled = sum(count for code, count in within.items() if count >= RULED * every[code])
        if len(exceptions) > MANY * size or ruled > 0.5 * len(exceptions):
            best = max(best, (foretold, column), key=lambda one: one[0]) if best else (foretold, column)
    return best[1] if best else None


def _rows_of(
    left: TableColumn, right: TableColumn, against: Set[tuple[int, int]]
) -> tuple[dict[int, list[int]], list[int]]:
    """The rows of each determinant that has exceptions, and the rows that are exceptions."""
    rows: dict[int, list[int]] = defaultdict(list)
    exceptions = []
    groups = {pair[0] for pair in against}
    for row, pair in enumerate(zip(left.codes, right.codes, strict=True)):
        if pair[0] in groups and pair[1] != MISSING:
            rows[pair[0]].append(row)
            if pair in against:
                exceptions.append(row)
    return rows, exceptions


def _pair(left: TableColumn, second: TableColumn, index: int) -> TableColumn:
    known: dict[tuple[int, int], int] = {}
    texts, counts, codes = [""], [0], []
    for pair in zip(left.codes, second.codes, strict=True):
        code = MISSING
        if MISSING not in pair:
            code = known.setdefault(pair, len(texts))
            if code == len(texts):
                texts.append(f"{left.texts[pair[0]]}, {second.texts[pair[1]]}")
                counts.append(0)
        codes.append(code)
        counts[code] += 1
    return TableColumn(index, f"{left.name}, {second.name}", codes, texts, counts, numbers=[None] * len(texts))
