"""What the other cells of a row say of one, each as far as it is likely to be right itself.

Where a number decides a name and a row has another name, either may be wrong: one witness makes no certainty. So what
speaks against a cell counts at most as far as its witnesses cannot be wrong in its place. A witness is the surer the
more of the row it goes together with, what is said of the cell in question left out.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from resolvers.engines.error_detection.dependencies import Votes
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.refined import Refined
from resolvers.engines.error_detection.table import MISSING

ALSO: Final = 0.35
"""What each further column that goes together with a cell counts beside the first."""

NEW: Final = 0.5
"""The share of the errors that make a value which the column hardly has; the others put a usual one elsewhere."""
DOUBT: Final = 1.2
"""The weight of its own signs from which a cell is not cleared by what it decides."""
MOST_VOTERS: Final = 20
"""Rows that agree on a value, of which it is asked whether they were heard before."""
STRONG: Final = 0.75
"""How strong a dependency is by which what decides is accused."""
LIKELY: Final = 1.0
"""The log odds from which an exception accuses what decides, and the rows that must agree on what it should be."""
AGREED: Final = 3
RATHER_THE_OTHER: Final = 0.53
"""What speaks for a cell that decides but one other wrongly, beside that it may be either: of such, 30 of 81 were
wrong, on tables of which one in 100 cells was spoiled, and of the others 82 of 164."""
MOST_ROWS: Final = 0.04
"""The share of the rows that may be exceptions to such a dependency."""

Cell = tuple[int, int]
"""A row and a column."""
Doubt = Callable[[int], float]
"""How probable it is that the cell of a column is wrong, in the row in question."""


@dataclass(slots=True)
class _Heard:
    """What was said of one cell."""

    usual: float = 1.0
    """How much likelier a right cell has a value of so few rows than a wrong one, 0 to 1."""
    total: float = 0.0
    weight: float = 0.0
    against: list[tuple[float, Votes]] = field(default_factory=list)
    """What speaks against the cell."""
    others: list[frozenset[int]] = field(default_factory=list)
    """For each that speaks against it, the columns of which one is wrong in the row if the cell is right."""
    best: tuple[float, Reason] | None = None
    agreed: list[float] = field(default_factory=list)
    """For each column that the cell decides as in other rows, the log of how likely that is by chance."""


class Witnesses:
    """Hears the dependencies on single cells."""

    def __init__(
        self, refined: Refined, own: Mapping[Cell, float], named: Mapping[Cell, Set[int]], prior: float
    ) -> None:
        """`own` is what the signs of each cell weigh, `named` the other names of things by column and code."""
        self._refined, self._own, self._named, self._prior = refined, own, named, prior
        self._table = refined.table
        self._asked: dict[int, list[Votes]] = defaultdict(list)
        self._decides: dict[int, list[Votes]] = defaultdict(list)
        for one in refined.votes:
            self._asked[one.dependency.dependent].append(one)
            self._decides[one.dependency.determinant].append(one)
        self._accusing = {id(one): one for one in refined.votes if self._may_accuse(one)}
        self._rows: dict[tuple[int, int], dict[tuple[int, int], list[int]]] = {}
        self._rarer: dict[int, dict[int, float]] = {}
        self._known: dict[tuple[int, int, int], float] = {}

    def accused(self) -> Iterator[Cell]:
        """Yield the cells of each row that decide another otherwise than elsewhere, some more than once."""
        for one in self._accusing.values():
            left, right = one.dependency.determinant, one.dependency.dependent
            for row, pair in enumerate(zip(self._table[left].codes, self._table[right].codes, strict=True)):
                if pair[1] != MISSING and pair in one.against and one.against[pair][0] >= LIKELY:
                    yield row, left

    def _may_accuse(self, one: Votes) -> bool:
        """Return whether a dependency of one column has so few exceptions that they speak against what decides too."""
        left, right = one.dependency.determinant, one.dependency.dependent
        if one.dependency.strength < STRONG or left in self._refined.parts:
            return False
        codes = zip(self._table[left].codes, self._table[right].codes, strict=True)
        exceptions = sum(pair in one.against and pair[1] != MISSING for pair in codes)
        return exceptions <= MOST_ROWS * len(self._table[left].codes)

    def hear(self, cell: Cell) -> tuple[float, Reason | None]:
        """Return what the row says of a cell, as log odds beside those of its own signs; and the heaviest of it.

        The reason weighs what it would if its witness were right: it tells people most, also where it is not sure.
        """
        row, index = cell
        heard = self._hear(cell, None, lambda place: self._doubted(row, place, index))
        weight = self._weigh(heard, lambda place: self._doubted(row, place, index))
        if heard.best is None or weight <= 0:
            return weight, None
        reason = heard.best[1]
        if reason.repair is None and len(heard.others) == 1:
            weight -= RATHER_THE_OTHER
        return weight, Reason(reason.sign, max(weight, _damped(heard)), reason.told, reason.repair)

    def _plainly(self, row: int, place: int) -> float:
        """How probable it is that a cell is wrong by its own signs."""
        return probability(self._prior + self._own.get((row, place), 0.0))

    def _doubted(self, row: int, place: int, without: int) -> float:
        """How probable it is that a cell is wrong, by all but what it has to do with one other column."""
        key = (row, place, without)
        if key not in self._known:
            plainly = lambda other: self._plainly(row, other)  # noqa: E731
            weight = self._weigh(self._hear((row, place), without, plainly), plainly)
            self._known[key] = probability(self._prior + self._own.get((row, place), 0.0) + weight)
        return self._known[key]

    def _usual(self, cell: Cell) -> float:
        """How much likelier it is that a right cell has a value of so few rows than that a wrong one has, up to 1.

        Where hardly any value is so rare, a wrong witness beside one that is were two rare things at once.
        """
        row, index = cell
        column = self._table[index]
        if index not in self._rarer:
            rows = Counter(column.counts[code] for code in column.codes if code != MISSING)
            so_far = 0
            self._rarer[index] = {}
            for count in sorted(rows):
                so_far += rows[count]
                self._rarer[index][count] = so_far / column.present
        share = self._rarer[index].get(column.counts[column.codes[row]], 1.0) if column.codes[row] else 1.0
        return share / (NEW + (1 - NEW) * share)

    def _hear(self, cell: Cell, without: int | None, doubt: Doubt) -> _Heard:
        row, index = cell
        heard = _Heard(usual=self._usual(cell))
        code = self._table[index].codes[row]
        names = self._named.get((index, code), ())
        told_by = set()
        for one in self._asked.get(index, ()):
            other = one.dependency.determinant
            places = self._refined.places(other)
            if without in places or (names and other not in names):
                continue  # named in another way, what others beside the thing have tells nothing of it
            pair = (self._table[other].codes[row], code)
            trust = 1 - max(doubt(place) for place in places)
            if (against := one.against.get(pair)) is not None:
                odds, top, most = against
                said = max(0.0, odds - self._prior)
                if said > 0:
                    told_by.add(other)
                    heard.others.append(frozenset(places))
                    heard.against.append((said, one))
                    self._told(heard, one, row, said * trust, top, most)
                    continue
            elif (support := one.support.get(pair)) is not None:
                said = support
            else:
                continue
            heard.total += trust * said
            heard.weight += trust
        self._count(heard, cell)
        if code != MISSING:
            self._hear_decided(heard, cell, without, told_by, doubt)
        return heard

    def _count(self, heard: _Heard, cell: Cell) -> None:
        """Count what speaks against a cell, the heaviest first, as far as other rows tell it than told it before."""
        row, index = cell
        before: list[tuple[Sequence[int], int]] = []
        for said, one in sorted(heard.against, key=lambda some: -some[0]):
            codes = self._table[one.dependency.determinant].codes
            fresh = 1.0
            if before:
                _, top, _ = one.against[codes[row], self._table[index].codes[row]]
                voters = self._voters(one, codes[row], top)
                fresh = sum(all(some[voter] != code for some, code in before) for voter in voters) / len(voters)
            heard.total += said * fresh
            heard.weight += fresh
            before.append((codes, codes[row]))

    def _voters(self, one: Votes, code: int, top: int) -> Sequence[int]:
        """Some rows with a value of the determinant and a value of the dependent."""
        left, right = one.dependency.determinant, one.dependency.dependent
        if (left, right) not in self._rows:
            rows: dict[tuple[int, int], list[int]] = defaultdict(list)
            for row, pair in enumerate(zip(self._table[left].codes, self._table[right].codes, strict=True)):
                rows[pair].append(row)
            self._rows[left, right] = rows
        rows_of = self._rows[left, right][code, top]
        return rows_of[:: max(1, len(rows_of) // MOST_VOTERS)][:MOST_VOTERS]

    def _hear_decided(self, heard: _Heard, cell: Cell, without: int | None, told_by: Set[int], doubt: Doubt) -> None:
        """Hear what a cell decides: all of it otherwise than elsewhere, it is the cell that is wrong."""
        row, index = cell
        for one in self._decides.get(index, ()):
            left, right = one.dependency.determinant, one.dependency.dependent
            if right == without or right in told_by:
                continue
            pair = (self._table[left].codes[row], self._table[right].codes[row])
            if pair[1] == MISSING:
                continue
            against = one.against.get(pair)
            rest = frozenset((right,))
            if against is None:
                # A value that is odd by itself agrees with the copies of itself.
                if pair in one.support and self._own.get(cell, 0.0) < DOUBT:
                    column = self._table[right]
                    heard.agreed.append(math.log(column.counts[pair[1]] / column.present))
                continue
            said = against[0] - self._prior
            if id(one) in self._accusing and against[0] >= LIKELY and against[2] >= AGREED:
                trust = 1 - max(doubt(place) for place in rest)
                heard.total += said
                heard.weight += 1
                heard.others.append(rest)
                self._told_of_decided(heard, one, row, said * trust, against[1], against[2])

    def _weigh(self, heard: _Heard, doubt: Doubt) -> float:
        weight = _damped(heard)
        if heard.others and weight > 0:
            weight = -math.log(math.exp(-weight) + heard.usual * _otherwise(heard.others, doubt))
        agreed = sorted(heard.agreed)
        return weight + (agreed[0] + ALSO * sum(agreed[1:]) if agreed else 0.0)

    def _told(self, heard: _Heard, one: Votes, row: int, said: float, top: int, most: int) -> None:
        if heard.best is not None and heard.best[0] >= said:
            return
        left, right = self._table[one.dependency.determinant], self._table[one.dependency.dependent]
        better = right.texts[top]
        told = f"{most} other rows with {left.name} {left.texts[left.codes[row]]!r} have {better!r}."
        heard.best = said, Reason(Sign.DEPENDENCY, said, told, better)

    def _told_of_decided(self, heard: _Heard, one: Votes, row: int, said: float, top: int, most: int) -> None:
        if heard.best is not None and (heard.best[1].repair is not None or heard.best[0] >= said):
            return
        left, right = self._table[one.dependency.determinant], self._table[one.dependency.dependent]
        told = f"{most} other rows with {left.texts[left.codes[row]]!r} have {right.texts[top]!r} in {right.name}."
        heard.best = said, Reason(Sign.DEPENDENCY, said, told)


def _damped(heard: _Heard) -> float:
    """Return what is said of a cell: what comes together of several counts less than its sum."""
    return heard.total / max(1.0, math.sqrt(heard.weight))


def _otherwise(others: Sequence[frozenset[int]], doubt: Doubt) -> float:
    """How probable it is that other cells of the row are wrong, one of each of these sets, and explain all of it."""
    places = sorted(frozenset().union(*others))
    alone = [place for place in places if all(place in some for some in others)]
    found = sum(doubt(place) for place in alone)
    for one, other in combinations([place for place in places if place not in alone], 2):
        if all(one in some or other in some for some in others):
            found += doubt(one) * doubt(other)
    return min(1.0, found)


def probability(odds: float) -> float:
    """The probability of log odds."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
