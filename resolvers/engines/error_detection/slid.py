"""Rows of which a part slid by a column, as where a separator too many or too few was read.

In each cell of that part stands what is usual in the column beside it, and not in its own. One such cell may be a
chance or an exchange; several of them one beside another are none.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.shapes import strict
from resolvers.engines.error_detection.table import MISSING, TableColumn

FEWEST: Final = 3
"""Cells one beside another that hold what is usual in the column beside them, and not in their own."""
FEWEST_ROWS: Final = 50
USUAL: Final = 0.02
"""The share of the rows with a value like it from which one is usual in a column."""
ODD: Final = 0.04
"""The same up to which it may be odd in its own: others slid as well, or are wrong otherwise."""
OFTENER: Final = 8
"""How many times as usual it is in the column beside, at least."""
NEAR: Final = 0.2
"""How far apart numbers are that are like one another, as a share of them."""
MOSTLY: Final = 0.8
"""The share of the values that are numbers from which a column is one of numbers."""
MANY: Final = 0.2
"""Different values for each row from which a column is known by their forms, and not by its values."""
MOST: Final = 0.05
"""The share of the rows, at most, that slid: of more, nobody knows what is usual."""
WEIGHT: Final = 5.5


class _Usual:
    """How usual values are in a column: as values where these are few, by form where they are many, or as numbers."""

    def __init__(self, column: TableColumn) -> None:
        self._rows = column.present
        self._is_number = column.number_share > MOSTLY
        self._of_many = column.distinct > MANY * column.present
        self._counts: Counter[str] = Counter()
        for text, count in zip(column.texts[1:], column.counts[1:], strict=True):
            self._counts[strict(text) if self._of_many else text] += count
        pairs = zip(column.numbers[1:], column.counts[1:], strict=True)
        self._ordered = sorted(number for number, count in pairs if number is not None for _ in range(count))

    def share(self, text: str, number: float | None) -> float:
        """The share of the rows that have a value like that."""
        if self._is_number:
            if number is None:
                return 0.0
            reach = NEAR * abs(number)
            near = bisect_right(self._ordered, number + reach) - bisect_left(self._ordered, number - reach)
            return near / self._rows
        return self._counts[strict(text) if self._of_many else text] / self._rows


def slid_signs(table: Sequence[TableColumn]) -> dict[tuple[int, int], Reason]:
    """Cells of rows of which a part slid by a column, with what belongs there where the row still holds it."""
    if not table or len(table[0].codes) < FEWEST_ROWS or len(table) <= FEWEST:
        return {}
    usual = [_Usual(column) if column.is_scalar and column.present else None for column in table]
    signs: dict[tuple[int, int], Reason] = {}
    for step in (1, -1):
        runs = _runs(table, usual, step)
        if len(runs) > MOST * len(table[0].codes):
            continue
        for row, run in runs.items():
            _told(table, row, run, step, signs)
    return signs


def _runs(table: Sequence[TableColumn], usual: Sequence[_Usual | None], step: int) -> dict[int, list[int]]:
    """The columns of each row, one beside another, that hold what is usual a column before (1) or behind (-1)."""
    fits = [_codes_of(table, usual, at, step) for at in range(len(table))]
    rows: dict[int, list[int]] = defaultdict(list)
    for at, codes in enumerate(fits):
        if codes:
            for row, code in enumerate(table[at].codes):
                if code in codes:
                    rows[row].append(at)
    found = {}
    for row, places in rows.items():
        run: list[int] = []
        best: list[int] = []
        for at in places:
            run = [*run, at] if run and at == run[-1] + 1 else [at]
            best = max(best, run, key=len)
        if len(best) >= FEWEST:
            found[row] = best
    return found


def _codes_of(table: Sequence[TableColumn], usual: Sequence[_Usual | None], at: int, step: int) -> set[int]:
    """The codes of a column that are odd in it, and usual in the column that they would have come from."""
    own, source = usual[at], usual[at - step] if 0 <= at - step < len(table) else None
    if own is None or source is None:
        return set()
    column = table[at]
    found = set()
    for code, (text, number) in enumerate(zip(column.texts, column.numbers, strict=True)):
        here = own.share(text, number) if code and column.counts[code] else 1.0
        if here <= ODD and source.share(text, number) >= max(USUAL, OFTENER * here):
            found.add(code)
    return found


def _told(
    table: Sequence[TableColumn], row: int, run: Sequence[int], step: int, signs: dict[tuple[int, int], Reason]
) -> None:
    """Say of each cell of a run, and of the cell from which it slid if that is empty, where its value is."""
    start = run[0] - 1 if step == 1 else run[-1] + 1
    cells = list(run)
    if 0 <= start < len(table) and table[start].codes[row] == MISSING:
        cells.append(start)
    told = f"{len(run)} cells of the row hold what is usual in the column {'before' if step == 1 else 'behind'} them."
    for at in cells:
        beside = at + step
        held = beside in run
        code = table[beside].codes[row] if held else MISSING
        repair = table[beside].texts[code] if code != MISSING else None
        signs[row, at] = Reason(Sign.DOMAIN, WEIGHT, told, repair)
