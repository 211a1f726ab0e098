"""Defines which of two cells that do not go together is wrong, where other columns speak for the one."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from resolvers.engines.error_detection.dependencies import Votes
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import MISSING, TableColumn

STRONG: Final = 0.75
"""How strong a dependency is whose exceptions are looked at."""
SPOKEN: Final = -1.5
"""The log odds from which a column speaks for the value of another."""
SURE: Final = 0.5
"""The score from which a cell is taken for wrong, and is neither blamed once more nor heard."""
MOST_ROWS: Final = 0.04
"""The share of the rows that may be blamed for one dependency."""


def blamed_signs(
    table: Sequence[TableColumn], votes: Sequence[Votes], scores: Mapping[tuple[int, int], float]
) -> dict[tuple[int, int], Reason]:
    """Cells that decide another wrongly: its value is another, and a third column says that this one is right."""
    asked: dict[int, list[Votes]] = defaultdict(list)
    for one in votes:
        asked[one.dependency.dependent].append(one)
    signs: dict[tuple[int, int], Reason] = {}
    for one in votes:
        left, right = table[one.dependency.determinant], table[one.dependency.dependent]
        if one.dependency.strength < STRONG:
            continue
        witnesses = [other for other in asked[right.index] if other.dependency.determinant != left.index]
        found: dict[int, tuple[int, float, int, int]] = {}
        for row, pair in enumerate(zip(left.codes, right.codes, strict=True)):
            if pair[1] == MISSING or pair not in one.against:
                continue
            odds, top, most = one.against[pair]
            if odds < 1.0 or most < 3 or scores.get((row, left.index), 0.0) >= SURE:
                continue
            if scores.get((row, right.index), 0.0) < 0.5 and _spoken_for(table, witnesses, row, right, scores):
                found[row] = (pair[0], odds, top, most)
        if len(found) > max(2.0, MOST_ROWS * len(left.codes)):
            continue
        often = Counter(code for code, *_ in found.values())
        for row, (code, odds, top, most) in found.items():
            if often[code] > 0.1 * left.counts[code] + 1 or _spoken_for(table, asked[left.index], row, left, scores):
                continue  # that value goes with several, or others say that it is right
            told = f"{most} other rows with {left.texts[code]!r} have {right.texts[top]!r} in {right.name}."
            signs[(row, left.index)] = Reason(Sign.DEPENDENCY, min(4.2, 2.6 + odds / 3), told)
    return signs


def _spoken_for(
    table: Sequence[TableColumn],
    asked: Sequence[Votes],
    row: int,
    column: TableColumn,
    scores: Mapping[tuple[int, int], float],
) -> bool:
    """Return whether a trusted cell of another column says that the one of this is right."""
    code = column.codes[row]
    return any(
        one.support.get((table[one.dependency.determinant].codes[row], code), 0.0) <= SPOKEN
        and scores.get((row, one.dependency.determinant), 0.0) < SURE
        for one in asked
    )
