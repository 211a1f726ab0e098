"""Classes that figures decide by where they lie: passed up to 4.0, high above the upper bound, home when more goals.

A class follows from one figure by a few thresholds, or from which of two or three figures are the greater. A row whose
class is another than its figures say contradicts itself. As a class is set in one place and a slip of a figure hardly
ever crosses a threshold, the class is named, unless a figure of the row is odd by itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.groups import strewn
from resolvers.engines.error_detection.numbers import measured
from resolvers.engines.error_detection.table import MISSING, TableColumn, as_told

FEWEST: Final = 100
"""Rows with the figures and a class, at least."""
FEWEST_OF_CLASS: Final = 8
OF_CLASS: Final = 0.01
"""Rows of a class, and their share, at least, for it to be one."""
MOST_CLASSES: Final = 6
MOST_PIECES: Final = 6
"""Stretches of the figure, at most, that the classes hold."""
FEW: Final = range(FEWEST_OF_CLASS)
"""How many different figures are too few for thresholds between them, and of two that are compared, in both."""
OF_A_PIECE: Final = 2.5
"""Different figures for each of these stretches, at least."""
MOST_COLUMNS: Final = 12
MOST_NUMBERS: Final = 400
"""Different figures that thresholds are looked for between; more are put together."""
HOLDS: Final = 0.9
"""The share of the rows, at least, whose class is what their figures say."""
BETTER: Final = 0.4
"""What is left of the mistakes of always saying the commonest class, at most."""
FEWER: Final = 0.7
"""What each further figure has to leave of the misfits, at most."""
AT_EDGE: Final = 0.05
SHARP: Final = 3.0
"""The part of the rows on either side of a threshold, and how many times as many misfits as elsewhere it may have:
where classes overlap, nearly all misfits lie there."""
TOGETHER: Final = 0.4
"""The share of the misfits, at most, that stand beside another of their class when the figures are in order."""
TRIED: Final = 1200
"""Rows by which rules are looked for; the best is then held against all."""
NUMBERS: Final = 0.75
WEIGHT: Final = 4.3
COMPARED: Final = 3.3
TURNED: Final = 2.6
"""What it weighs for a class that contradicts one figure, several, or two that may as well have been exchanged: any of
several figures may be the wrong one, and a slip of it makes it the greater more often than it crosses a threshold."""

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Rule:
    """What decides a class: for each row the state of its figures, and for each state the class it has."""

    states: Mapping[int, tuple[int, ...]]
    says: Mapping[tuple[int, ...], int]
    figures: tuple[TableColumn, ...]
    misfits: frozenset[int]
    told: str


def class_signs(
    table: Sequence[TableColumn], doubtful: Sequence[Set[int]], odd: Set[Cell] = frozenset()
) -> dict[Cell, Reason]:
    """Cells whose class is another than the figures of their row say.

    `odd` are cells that other signs speak against; what figures among them say is not asked.
    """
    figures = [
        (column, _numbers_of(column, found[0], doubtful[column.index], odd)) for column in table
        if column.is_scalar and column.distinct >= 2 and column.number_share >= NUMBERS
        and (found := measured(column)) is not None
    ][:MOST_COLUMNS]  # fmt: skip
    signs: dict[Cell, Reason] = {}
    for column in table:
        if not column.is_scalar or column.number_share > 0.5 or not figures:
            continue
        for empty in (True, False):
            rule = _rule(column, figures, doubtful[column.index], with_empty=empty)
            if rule is not None:
                signs |= _told(column, rule, table)
                break
    return signs


def _numbers_of(
    column: TableColumn, numbers: Sequence[float | None], doubtful: Set[int], odd: Set[Cell]
) -> list[float | None]:
    """The figure of each row, None where it is odd by itself."""
    return [
        None if code in doubtful or (row, column.index) in odd else numbers[code]
        for row, code in enumerate(column.codes)
    ]


def _told(column: TableColumn, rule: _Rule, table: Sequence[TableColumn]) -> dict[Cell, Reason]:
    found = {}
    for row in strewn(sorted(rule.misfits), column, table):
        meant = column.texts[rule.says[rule.states[row]]]
        told = f"{rule.told} All other such rows have {meant or 'nothing'!r} here."
        if len(rule.figures) == 1:
            weight = WEIGHT
        else:
            is_turned = len(rule.figures) == 2 and _if_exchanged(rule, row) == column.codes[row]
            weight = TURNED if is_turned else COMPARED
        found[row, column.index] = Reason(Sign.DEPENDENCY, weight, told, meant or None)
    return found


def _if_exchanged(rule: _Rule, row: int) -> int | None:
    """The class that a row would have if its two figures stood in one another's place."""
    return rule.says.get(tuple(-sign for sign in rule.states[row]))


def _rule(
    column: TableColumn,
    figures: Sequence["_Figure"],
    doubtful: Set[int],
    *,
    with_empty: bool,
) -> _Rule | None:
    """The rule by which figures decide the classes of a column best; None where none does."""
    least = max(FEWEST_OF_CLASS, OF_CLASS * len(column.codes))
    classes = {
        code for code, count in enumerate(column.counts)
        if count >= least and (code or with_empty) and code not in doubtful
    }  # fmt: skip
    if with_empty and MISSING not in classes:
        return None
    if not 2 <= len(classes) <= MOST_CLASSES or sum(column.counts[code] for code in classes) < HOLDS * column.present:
        return None
    rows = range(0, len(column.codes), max(1, len(column.codes) // TRIED))
    best: tuple[int, _Columns] | None = None
    for some in _candidates(column, classes, figures, rows):
        found = _tried(column, classes, some, rows)
        if found is not None and (best is None or len(found.misfits) < FEWER ** (len(some) - 1) * best[0]):
            best = len(found.misfits), some
    return None if best is None else _tried(column, classes, best[1], range(len(column.codes)))


_Figure = tuple[TableColumn, Sequence[float | None]]
_Columns = tuple[_Figure, ...]


def _candidates(
    column: TableColumn, classes: Set[int], figures: Sequence[_Figure], rows: Sequence[int]
) -> Iterator[_Columns]:
    """Yield one figure, whose thresholds may decide, and two or three of which it is asked how they compare."""
    yield from ((one,) for one in figures if one[0].distinct >= FEWEST_OF_CLASS)
    pairs = [(one, other) for one, other in combinations(figures, 2) if {one[0].distinct, other[0].distinct} - {*FEW}]
    yield from pairs
    for pair in pairs:
        rule = _by_states(column, classes, pair, rows)
        if rule is not None and _is_telling(column, rule):
            yield from ((*pair, other) for other in figures if other not in pair)


def _is_telling(column: TableColumn, rule: _Rule) -> bool:
    """Return whether how two figures compare says half of what there is to say."""
    counted = Counter(column.codes[row] for row in rule.states)
    return len(rule.misfits) <= 0.75 * (len(rule.states) - max(counted.values()))


def _tried(column: TableColumn, classes: Set[int], figures: _Columns, rows: Sequence[int]) -> _Rule | None:
    if len(figures) == 1:
        return _by_thresholds(column, classes, *figures[0], rows)
    return _accepted(column, _by_states(column, classes, figures, rows))


def _by_states(column: TableColumn, classes: Set[int], figures: _Columns, rows: Sequence[int]) -> _Rule | None:
    """The commonest class of each way in which the first figure compares with the others; None where all do alike."""
    states: dict[int, tuple[int, ...]] = {}
    within: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for row in rows:
        if (code := column.codes[row]) in classes:
            first, *others = (numbers[row] for _, numbers in figures)
            if first is None or any(one is None for one in others):
                continue
            states[row] = tuple((first > one) - (first < one) for one in others if one is not None)
            within[states[row]][code] += 1
    if len(states) < FEWEST or len(within) < 2:
        return None
    says = {state: counted.most_common(1)[0][0] for state, counted in within.items()}
    if len(set(says.values())) < 2:
        return None
    misfits = frozenset(row for row, state in states.items() if says[state] != column.codes[row])
    names = " and ".join(one.name for one, _ in figures)
    return _Rule(states, says, tuple(one for one, _ in figures), misfits, f"It follows from how {names} compare.")


def _accepted(column: TableColumn, rule: _Rule | None) -> _Rule | None:
    """The rule, where it holds for nearly all rows and says far more than the commonest class does."""
    if rule is None:
        return None
    size = len(rule.states)
    counted = Counter(column.codes[row] for row in rule.states)
    if set(rule.says.values()) != {code for code, count in counted.items() if count >= OF_CLASS * size}:
        return None
    other = size - max(counted.values())
    misfits = len(rule.misfits)
    if size < FEWEST or misfits > (1 - HOLDS) * size or misfits > BETTER * other:
        return None
    # Each class is told for most of its rows: what hardly any state says is no class of these figures.
    right = Counter(column.codes[row] for row in rule.states if row not in rule.misfits)
    return rule if all(right[code] >= 0.6 * counted[code] for code in rule.says.values()) else None


def _by_thresholds(
    column: TableColumn, classes: Set[int], figure: TableColumn, numbers: Sequence[float | None], rows: Sequence[int]
) -> _Rule | None:
    """The classes by a few stretches of one figure, each of which has one class."""
    told = sorted(
        (number, row) for row in rows
        if (number := numbers[row]) is not None and column.codes[row] in classes
    )  # fmt: skip
    if len(told) < FEWEST:
        return None
    blocks = _blocks(told, column)
    pieces = _pieces([counted for _, counted in blocks], sorted(classes))
    if not 2 <= len(pieces) <= figure.distinct / OF_A_PIECE:
        return None  # numbers that are codes each have a class of their own
    ends = [blocks[end - 1][0] for end, _ in pieces[:-1]]
    states: dict[int, tuple[int, ...]] = {}
    at = 0
    for number, row in told:
        while at < len(ends) and number > ends[at]:
            at += 1
        states[row] = (at,)
    says: dict[tuple[int, ...], int] = {(place,): code for place, (_, code) in enumerate(pieces)}
    misfits = frozenset(row for row, state in states.items() if says[state] != column.codes[row])
    between = ", ".join(as_told(end) for end in ends[:3])
    rule = _accepted(
        column, _Rule(states, says, (figure,), misfits, f"It goes by {figure.name}, with an edge behind {between}."),
    )  # fmt: skip
    return rule if rule is not None and _is_sharp(column, [row for _, row in told], states, misfits) else None


def _blocks(told: Sequence[tuple[float, int]], column: TableColumn) -> list[tuple[float, Counter[int]]]:
    """The figures in order, each with how many rows of each class have it; several together where there are many."""
    least = len(told) / MOST_NUMBERS
    found: list[tuple[float, Counter[int]]] = []
    for number, row in told:
        if not found or (number != found[-1][0] and found[-1][1].total() >= least):
            found.append((number, Counter()))
        found[-1] = number, found[-1][1]
        found[-1][1][column.codes[row]] += 1
    return found


def _pieces(counted: Sequence[Counter[int]], classes: Sequence[int]) -> list[tuple[int, int]]:
    """The stretches with the fewest misfits, as their ends and classes; each further one has to save some rows."""
    size = sum(one.total() for one in counted)
    toll = max(4.0, 0.005 * size)
    costs: dict[tuple[int, int], float] = {(1, code): 0.0 for code in classes}
    came: list[dict[tuple[int, int], tuple[int, int]]] = []
    for one in counted:
        nearest = {
            count: min((costs[count, code], code) for code in classes if (count, code) in costs)
            for count in {count for count, _ in costs}
        }
        fresh: dict[tuple[int, int], float] = {}
        back: dict[tuple[int, int], tuple[int, int]] = {}
        for count in range(1, MOST_PIECES + 1):
            for code in classes:
                stay = costs.get((count, code))
                before = nearest.get(count - 1)
                turn = None if before is None or before[1] == code or not came else before[0] + toll
                if stay is None and turn is None:
                    continue
                if turn is not None and before is not None and (stay is None or turn < stay):
                    fresh[count, code], back[count, code] = turn, (count - 1, before[1])
                else:
                    fresh[count, code], back[count, code] = stay or 0.0, (count, code)
                fresh[count, code] += one.total() - one[code]
        costs = fresh
        came.append(back)
    state = min(costs, key=lambda key: costs[key])
    pieces: list[tuple[int, int]] = []
    end = len(counted)
    for place in range(len(counted) - 1, -1, -1):
        before = came[place][state]
        if before != state:
            pieces.append((end, state[1]))
            end = place
        state = before
    pieces.append((end, state[1]))
    return pieces[::-1]


def _is_sharp(
    column: TableColumn, rows: Sequence[int], states: Mapping[int, tuple[int, ...]], misfits: Set[int]
) -> bool:
    """Return whether the misfits are strewn over the figure, and not where one class goes over into another."""
    reach = max(5, int(AT_EDGE * len(rows)))
    edges = [place for place in range(1, len(rows)) if states[rows[place]] != states[rows[place - 1]]]
    near = {place for edge in edges for place in range(max(0, edge - reach), min(len(rows), edge + reach))}
    beside = sum(rows[place] in misfits for place in near)
    far = len(misfits) - beside
    share = far / max(1, len(rows) - len(near))
    together = sum(
        {one, other} <= misfits and column.codes[one] == column.codes[other] for one, other in pairwise(rows)
    )
    return together <= TOGETHER * len(misfits) and beside <= SHARP * max(share, 0.01) * len(near) + 2
