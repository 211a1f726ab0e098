"""Columns whose values decide those of others, but for a few rows; and what the others say of each cell.

A dependency is judged by how well the other rows of a group foretell each row's value, against always foretelling the
column's most frequent one. Groups of one row say nothing. So neither a column of keys nor one of a single value makes
dependencies of everything.
"""

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from rapidfuzz.distance import OSA

from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.table import MISSING, TableColumn
from resolvers.engines.error_detection.texts import is_list, known_lists, parts_of

ROWS_TRIED: Final = 4000
"""Rows on which a pair of columns is tried."""
MOST_OF_A_GROUP: Final = 40
MOST_DETERMINANTS: Final = 6
"""How many columns are asked about one other."""
WEAKEST: Final = 0.5
MANY: Final = 20
"""Different numbers from which they may decide by how large they are."""
SMOOTH: Final = 0.4
"""How much more often than by chance the next number decides the same, 0 to 1, where size decides."""
BESIDE: Final = 5
"""The next numbers on each side that are asked."""
FEW_GROUPS: Final = 3
"""Groups up to which two columns may go together without a rule."""
SEARCHED: Final = 0.71
"""How sure at most is a dependency of so few groups, or of two columns that were sought out among all: of their
exceptions that were taken for nearly sure, 87 of 122 were errors, on tables of which one in 100 cells was spoiled."""
MOST_EXPECTED: Final = 0.5
"""Exceptions that a group may have by how many all have, for two in it to say that they are none of chance."""
NEARLY_ALL_TELL: Final = 4
"""Rows of a group with a value for each without, for an empty cell to be odd in a column that is mostly empty."""
FEWEST_UNFORETOLD: Final = 5
"""Groups in which a value that leads in none is an exception, at least, for it to have another cause than slips."""
FEWEST_STOOD_FOR: Final = 3
"""Different values that it is an exception to, at least, where no value prevails."""
OF_THINGS: Final = 0.1
"""Different values for each row from which a column tells things apart, of which each has a few rows."""
FEWEST_TOLD: Final = 3
MOSTLY_MEANT: Final = 0.8
"""The share of the exceptions, at least, that are what other things mostly have, for a column to tell a habit."""
FEW_MEANT: Final = 0.04
"""The share of the rows up to which they are taken for slips; from twice as many on they are none."""
PREVAILS: Final = 0.8
"""The share of the rows with a value from which the most frequent one is expected anyway."""
NEARLY_ALL: Final = 0.8
"""The share of its rows, at least, that are exceptions."""
ALIKE: Final = 0.6
"""How like the usual value another is, at least, that may be a slip of it, 0 to 1."""
OWN: Final = 2.5
"""The mercy for what rather is of its own than wrong."""
SECOND: Final = 8
HERE: Final = 0.7
"""Rows of a second code of one thing, at least, and how many of its rows are of that thing."""
_FIGURES: Final = re.compile(r"[0-9]+")
KNOWN: Final = 6.0
"""The mercy for a list of values that the column has anyway, with the expected one among them."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Rows that agree in one column agree in another, but for a few."""

    determinant: int
    dependent: int
    strength: float
    """How much better than the most frequent value the group foretells, 0 to 1."""
    holds: float
    """The share of rows foretold rightly."""
    purity: float
    """The share of rows that have the most frequent value of their group."""
    unevenness: float
    """How much more the groups differ in that than chance would have them: about 1 where errors are strewn."""


@dataclass(slots=True)
class Votes:
    """Holds what one dependency says of each pair of values of its two columns."""

    dependency: Dependency
    against: dict[tuple[int, int], tuple[float, int, int]]
    """Log odds that the dependent value is wrong, the value of most others, and how many they are."""
    support: dict[tuple[int, int], float]
    """Negative log odds where the others agree."""


def find_dependencies(
    columns: Sequence[TableColumn], doubtful: Sequence[Set[int]] = (), seed: int = 7
) -> list[Dependency]:
    """The dependencies between single columns that hold for most rows.

    `doubtful` are the codes of each column that look wrong by themselves: they are not asked whether they depend.
    """
    found: dict[int, list[Dependency]] = defaultdict(list)
    usable = [column for column in columns if column.is_scalar and column.distinct >= 2]
    for left in usable:
        if left.distinct >= 0.95 * left.present or _measures(left):
            continue
        groups = _groups(left, seed)
        rows = sum(map(len, groups))
        if rows < max(12, 0.02 * left.present) or len(groups) < 2:
            continue
        for right in usable:
            odd = doubtful[right.index] if doubtful else frozenset()
            if right is not left and (one := _judge(left, right, groups, odd)):
                found[right.index].append(one)
    best = []
    for some in found.values():
        some.sort(key=lambda one: (-one.strength, one.determinant))
        best += some[:MOST_DETERMINANTS]
    return best


def dependency_of(left: TableColumn, right: TableColumn, odd: Set[int], seed: int = 7) -> Dependency | None:
    """The dependency of one column on another, None if it does not hold for most rows."""
    groups = _groups(left, seed)
    return _judge(left, right, groups, odd) if len(groups) >= 2 else None


def _measures(column: TableColumn) -> bool:
    """Return whether a column holds numbers with fractions of many values: they agree by chance, and decide nothing."""
    fractions = sum(
        count
        for number, count in zip(column.numbers, column.counts, strict=True)
        if number is not None and number != int(number)
    )
    return fractions > 0.3 * column.present and column.distinct > 50


def _groups(column: TableColumn, seed: int) -> list[list[int]]:
    rows: dict[int, list[int]] = defaultdict(list)
    for row, code in enumerate(column.codes):
        if code != MISSING and column.counts[code] > 1:
            rows[code].append(row)
    codes = [code for code in rows if not is_stand_in(column.texts[code])]
    chooser = random.Random(seed)  # noqa: S311 - which groups are looked at is no secret, and must repeat
    chooser.shuffle(codes)
    chosen, total = [], 0
    for code in codes:
        group = rows[code]
        if len(group) > MOST_OF_A_GROUP:
            group = chooser.sample(group, MOST_OF_A_GROUP)
        chosen.append(group)
        total += len(group)
        if total >= ROWS_TRIED:
            break
    return chosen


def _judge(left: TableColumn, right: TableColumn, groups: Sequence[Sequence[int]], odd: Set[int]) -> Dependency | None:
    codes = right.codes
    asked = right_ones = 0
    clear = 0
    told: list[tuple[int, int]] = []
    overall: Counter[int] = Counter()
    for group in groups:
        values: dict[int, int] = {}  # by hand: a counter costs more than it saves on a few rows
        for row in group:
            code = codes[row]
            if code != MISSING and code not in odd:
                values[code] = values.get(code, 0) + 1
        size = sum(values.values())
        if size < 2:
            continue
        for code, count in values.items():
            overall[code] += count
        asked += size
        first, second = sorted((*values.values(), 0), reverse=True)[:2]
        # Leaving one out: the row is foretold rightly if its value still leads without it.
        if first - 1 > second:
            right_ones += first
        if size >= 3:
            told.append((size, first))
            clear += first > 2 * second
    if asked < 12:
        return None
    base = max(overall.values()) / asked
    accuracy = right_ones / asked
    if base > 0.985 or accuracy <= base:
        return None
    margin = math.sqrt(accuracy * (1 - accuracy) / asked)
    strength = (accuracy - margin - base) / (1 - base)
    if strength < WEAKEST or (len(told) >= 3 and clear < 0.7 * len(told)):
        return None
    purity, unevenness = _evenness(told)
    return Dependency(left.index, right.index, strength, accuracy, purity, unevenness)


def _evenness(groups: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """The share of rows with their group's leading value, and how unevenly that is spread over the groups."""
    if len(groups) < 3:
        return 1.0, 1.0
    pure = sum(first for _, first in groups) / sum(size for size, _ in groups)
    chance = min(pure, 0.98)
    spread = sum((first - size * chance) ** 2 / (size * chance * (1 - chance)) for size, first in groups)
    return pure, spread / len(groups)


def meant(dependency: Dependency) -> float:
    """Return how probable it is that a dependency is a rule of the data, and its exceptions errors."""
    sure = min(0.97, max(0.05, 0.2 + 0.8 * (dependency.strength - 0.45) / 0.45))
    # Where some groups are of one value and others mixed, the mixed ones are no errors but another kind of thing.
    return sure * min(1.0, 2.5 / max(dependency.unevenness, 0.1))


def vote(
    columns: Sequence[TableColumn], dependency: Dependency, doubtful: Set[int] = frozenset(), surest: float = 1.0
) -> Votes:
    """Return what the groups of a dependency say of the values in them; a single doubtful value says nothing of
    others. No exception is an error with more than the probability `surest`.
    """
    left, right = columns[dependency.determinant], columns[dependency.dependent]
    pairs = Counter(zip(left.codes, right.codes, strict=True))
    groups: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (a, b), count in pairs.items():
        if a != MISSING and left.counts[a] > 1:
            groups[a].append((b, count))
    votes = Votes(dependency, {}, {})
    sure = meant(dependency)
    if dependency.strength < 0.85 and min(left.number_share, right.number_share) > 0.9:
        sure *= 0.6  # two figures that go together need not follow a rule
    sure = min(sure, SEARCHED if left.distinct <= FEW_GROUPS else surest)
    sure *= _strewn(left, right, pairs, doubtful)
    if left.distinct >= OF_THINGS * left.present:
        sure *= _kept(groups, doubtful)
    usual = max(range(1, len(right.counts)), key=right.counts.__getitem__, default=MISSING)
    prevails = right.counts[usual] > PREVAILS * max(1, right.present) and dependency.strength < 0.9
    for a, values in groups.items():
        if not is_stand_in(left.texts[a]):
            values.sort(key=lambda one: -one[1])
            how_sure = sure * _governed(values, dependency)
            _vote_in_group(votes, a, values, how_sure, usual if prevails else MISSING, doubtful)
    _spare_own(votes, right, pairs, doubtful)
    _spare_unforetold(votes, right, pairs, groups, usual)
    _spare_runs(votes, left, right, pairs, doubtful)
    if right.counts[MISSING] > right.present:  # to tell nothing is usual: it is odd only where nearly all others tell
        for a, values in groups.items():
            told = sum(count for b, count in values if b != MISSING)
            if told < NEARLY_ALL_TELL * pairs[a, MISSING]:
                votes.against.pop((a, MISSING), None)
    if left.number_share > 0.9 and left.distinct >= MANY:
        _spare_overlaps(votes, left, groups)
    _spare_frequent(votes, pairs, len(left.codes))
    return votes


def _strewn(left: TableColumn, right: TableColumn, pairs: Mapping[tuple[int, int], int], doubtful: Set[int]) -> float:
    """The share of the rows alone in their dissent that errors explain, and not what makes others dissent together.

    Two errors hardly ever make one group agree on another value. Where people move, some have lived elsewhere for two
    years; then one year elsewhere is no error either, and such are at least as many. Groups are asked that are so small
    that none should have two exceptions by chance; what chance has nevertheless is taken off.
    """
    sizes: Counter[int] = Counter()
    first: dict[int, int] = {}
    for (a, b), count in pairs.items():
        if MISSING not in (a, b) and b not in doubtful:
            sizes[a] += count
            first[a] = max(first.get(a, 0), count)
    rows = sum(size for size in sizes.values() if size > 1)
    share = sum(sizes[a] - first[a] for a in sizes) / max(1, rows)
    small = {a for a, size in sizes.items() if size >= 4 and size * share <= MOST_EXPECTED and 2 * first[a] > size}
    alone = together = 0
    for (a, b), count in pairs.items():
        if a in small and b != MISSING and b not in doubtful and count < first[a]:
            alone += count == 1
            together += count > 1
    by_chance = sum((sizes[a] * share) ** 2 / 2 for a in small)
    return max(0.05, 1 - max(0.0, together - by_chance) / max(1, alone)) if together else 1.0


def _kept(groups: Mapping[int, Sequence[tuple[int, int]]], doubtful: Set[int]) -> float:
    """How far things keep to one value rather than mostly have one, as a patient mostly goes to one practice.

    Then the exceptions are many, and each has what other things mostly have. Slips are fewer, or are no such values.
    """
    leads = {values[0][0] for values in groups.values() if values and values[0][0] != MISSING and values[0][1] > 1}
    rows = exceptions = meant = 0
    for values in groups.values():
        told = [(b, count) for b, count in values if b != MISSING]
        if sum(count for _, count in told) < FEWEST_TOLD or told[0][1] == 1:
            continue
        rows += sum(count for _, count in told)
        for b, count in told[1:]:
            exceptions += count
            meant += count if b in leads and b not in doubtful else 0
    if not rows or meant < MOSTLY_MEANT * exceptions:
        return 1.0
    return max(0.1, min(1.0, 1 - (meant / rows - FEW_MEANT) / FEW_MEANT))


def _governed(values: Sequence[tuple[int, int]], dependency: Dependency) -> float:
    """Return how far a group is ruled by the dependency: one with far more exceptions than others have is not."""
    size = sum(count for value, count in values if value != MISSING)
    lead = next((count for value, count in values if value != MISSING), 0)
    expected = size * (1 - min(dependency.purity, 0.98))
    return 1.0 if size - lead <= expected + 3 * math.sqrt(expected) + 1 else 0.3


def _spare_frequent(votes: Votes, pairs: Mapping[tuple[int, int], int], rows: int) -> None:
    """A value that is an exception in many rows is one of its own, for which the dependency does not hold."""
    exceptions: Counter[int] = Counter()
    for pair in votes.against:
        if pair[1] != MISSING:
            exceptions[pair[1]] += pairs[pair]
    for pair, (odds, top, most) in list(votes.against.items()):
        share = exceptions[pair[1]] / rows
        if share > 0.015 and exceptions[pair[1]] > 5:
            votes.against[pair] = (odds - 200 * (share - 0.015), top, most)


def _spare_unforetold(
    votes: Votes,
    right: TableColumn,
    pairs: Mapping[tuple[int, int], int],
    groups: Mapping[int, Sequence[tuple[int, int]]],
    usual: int,
) -> None:
    """A value that leads in no group, and is an exception in all, has another cause where nearly all rows have one
    value, or where it stands for several: the group tells of it no more than that it is rare.

    What came there from elsewhere by mistake is usual elsewhere. A slip is near what is usual, and so always stands for
    the same; and a stand-in for none is a mistake that repeats.
    """
    prevails = right.counts[usual] > PREVAILS * right.present
    if not prevails and right.number_share > 0.5:
        return  # a figure that is filled in by default is an exception anywhere
    leads = {next((b for b, _ in values if b != MISSING), MISSING) for values in groups.values()}
    exceptions: Counter[int] = Counter()
    rows: Counter[int] = Counter()
    stands_for: dict[int, set[int]] = defaultdict(set)
    for (a, b), (_, top, _) in votes.against.items():
        exceptions[b] += 1
        rows[b] += pairs[a, b]
        stands_for[b].add(top)
    own = {
        b
        for b, count in exceptions.items()
        if count >= FEWEST_UNFORETOLD and b not in leads and b != MISSING
        and rows[b] >= NEARLY_ALL * right.counts[b] and not is_stand_in(right.texts[b])
        and (prevails or (len(stands_for[b]) >= FEWEST_STOOD_FOR and any(map(str.isalpha, right.texts[b]))))
        and not any(
            _is_written_like(right.texts[b], right.texts[lead]) for lead in (leads if prevails else stands_for[b])
        )
    }  # fmt: skip
    for pair, (odds, top, most) in list(votes.against.items()):
        if pair[1] in own:
            votes.against[pair] = (odds - KNOWN, top, most)


def _is_written_like(text: str, other: str) -> bool:
    """Return whether a text may be a slip of another, or short for it."""
    one, usual = text.casefold(), other.casefold()
    return usual.startswith(one[:2]) or OSA.distance(one, usual) == 1 or OSA.normalized_similarity(one, usual) >= ALIKE


def _spare_overlaps(votes: Votes, left: TableColumn, groups: Mapping[int, Sequence[tuple[int, int]]]) -> None:
    """Where numbers decide by how large they are, a value that the next ones have is none of a wrong row.

    So the lengths of two kinds overlap at their ends. Numbers that are names have nothing to do with the next ones.
    """
    leads = [
        (number, code, next((b for b, _ in groups[code] if b != MISSING), MISSING))
        for code, number in enumerate(left.numbers)
        if number is not None and code in groups
    ]
    leads.sort()
    often = Counter(lead for *_, lead in leads)
    by_chance = sum(count * count for count in often.values()) / max(1, len(leads)) ** 2
    same = sum(one[2] == other[2] for one, other in pairwise(leads)) / max(1, len(leads) - 1)
    if same - by_chance < SMOOTH * (1 - by_chance):
        return
    for at, (_, code, _) in enumerate(leads):
        beside = {lead for *_, lead in leads[max(0, at - BESIDE) : at + BESIDE + 1]}
        for b, _ in groups[code]:
            if b in beside and b != MISSING and (code, b) in votes.against:
                odds, top, most = votes.against[code, b]
                votes.against[code, b] = odds - KNOWN, top, most


def _spare_runs(
    votes: Votes,
    left: TableColumn,
    right: TableColumn,
    pairs: Mapping[tuple[int, int], int],
    doubtful: Set[int],
) -> None:
    """Spare exceptions that follow one another in the rows of their group: for a while it was so.

    The fewer ways there are by chance for so many rows of the group to be neighbours, the less it is chance; errors are
    strewn. But rows that were written at once are neighbours too, so what looks miswritten is spared less.
    """
    asked = {pair for pair, (odds, *_) in votes.against.items() if pair[1] != MISSING and pairs[pair] > 1 and odds > -3}
    groups = {a for a, _ in asked}
    sizes: Counter[int] = Counter()
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    for pair in zip(left.codes, right.codes, strict=True) if asked else ():
        if pair[0] in groups and pair[1] != MISSING:
            if pair in asked:
                ends[pair] = ends.get(pair, (sizes[pair[0]], 0))[0], sizes[pair[0]]
            sizes[pair[0]] += 1
    for pair, (begin, end) in ends.items():
        count, size = pairs[pair], sizes[pair[0]]
        if end - begin + 1 == count:
            odds, top, most = votes.against[pair]
            ways = math.lgamma(size + 1) - math.lgamma(count + 1) - math.lgamma(size - count + 1)
            mercy = ways - math.log(size - count + 1)
            most_spared = OWN if pair[1] in doubtful else KNOWN
            votes.against[pair] = (odds - min(most_spared, mercy), top, most)


def _spare_own(votes: Votes, right: TableColumn, pairs: Mapping[tuple[int, int], int], doubtful: Set[int]) -> None:
    """A well-formed exception that occurs in this group only: rather two things share the group than one is wrong.

    A value from elsewhere occurs elsewhere too, and against many rows a few are rather copies of one error. One of a
    single row may be either, as such values are usual or not; and so may a list that holds what is expected beside
    something else.
    """
    sound = [code for code in range(1, len(right.texts)) if code not in doubtful]
    single = sum(1 for code in sound if right.counts[code] == 1) / max(1, len(sound))
    lists = sum(right.counts[code] for code in sound if is_list(right.texts[code]))
    known: Set[int] | None = None
    for (a, b), (odds, top, most) in list(votes.against.items()):
        if b == MISSING:
            continue
        mercy = 0.0
        if b not in doubtful and pairs[(a, b)] == right.counts[b] and most <= 4 * right.counts[b]:
            mercy = OWN if right.counts[b] > 1 else OWN * single
        if b not in doubtful and _is_second_code(right.texts[b], right.texts[top], pairs[a, b], right.counts[b]):
            mercy = KNOWN
        if lists and is_list(right.texts[b]) and right.texts[top] in parts_of(right.texts[b]):
            known = known_lists(right) if known is None else known
            mercy = KNOWN if b in known else max(mercy, OWN if lists > 0.08 * right.present else 0.0)
        if mercy:
            votes.against[(a, b)] = (odds - mercy, top, most)


def _is_second_code(text: str, usual: str, count: int, rows: int) -> bool:
    """Return whether a code of so many rows is another one of the same thing: a town has several postcodes.

    A slip that is made so often would be near the usual one, and what was copied from elsewhere occurs elsewhere.
    """
    if count < SECOND or count < HERE * rows or not any(map(str.isdigit, text)) or len(text) != len(usual):
        return False
    return _FIGURES.sub("9", text) == _FIGURES.sub("9", usual) and OSA.distance(text, usual) > 1


def _vote_in_group(
    votes: Votes, a: int, values: list[tuple[int, int]], sure: float, usual: int, doubtful: Set[int]
) -> None:
    """Judge each value of a group by the others; a value that is the column's usual one anyway tells half."""
    is_weak = votes.dependency.strength < 0.75
    present = [one for one in values if one[0] != MISSING]
    for b, count in values:
        rivals = [one for one in present if one[0] != b and (one[1] > 1 or one[0] not in doubtful)]
        top, most = rivals[0] if rivals else (b, 0)
        # Rows without a value do not speak for one another.
        others = count - 1 if b != MISSING else (rivals[1][1] if len(rivals) > 1 else 0)
        # Where more rows of a group tell nothing than tell anything, that is usual there.
        if rivals and (
            most > others if b != MISSING else most > max(1, others) and sum(n for _, n in present) >= count
        ):
            lead = most - 3 * others - 4 if is_weak else most - 2 * others - 1
            right = 1 / (1 + 0.2**lead) if lead > -8 else 0.0
            probability = max(0.02, sure * right * (0.5 if top == usual else 1.0))
            votes.against[(a, b)] = (math.log(probability / (1 - probability)), top, most)
        elif b != MISSING and others > most:
            votes.support[(a, b)] = -5.0 * sure * min(1.0, (others - most) / 3)
