"""Numbers with a decimal comma, as most of Europe writes them: 1.234,50.

To the detector they are the numbers that they would be with a decimal point. So it is given them with both signs
exchanged, and what it says of them is turned back.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any, Final

from resolvers.engines.error_detection.evidence import Suspect
from resolvers.engines.error_detection.table import MOST_COLUMNS

FEWEST: Final = 12
"""Rows with a decimal comma, at least."""
MOST_LOOKED_AT: Final = 2000
"""Rows, spread over the table, by which it is told how a column writes numbers."""
NEARLY_ALL: Final = 0.8
"""The share of the values that are such numbers, at least."""
MANY: Final = 0.3
"""The share of the values that have a comma, at least."""
MOST_OF_THREE: Final = 0.5
"""The share of those with three digits behind it, below which it stands before no thousands: 1,234."""

_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d+))?")
_TURN: Final = str.maketrans(".,", ",.")
_FIGURE: Final = re.compile(r"\d[\d.,]*\d(?!\d*%)")
"""A number within a sentence, but for shares, which the sentence itself tells."""


def decimal_commas(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> frozenset[int]:
    """The columns of texts of which nearly all are numbers, many of them with a decimal comma."""
    some = rows[:: max(1, len(rows) // MOST_LOOKED_AT)]
    return frozenset(at for at in range(min(len(columns), MOST_COLUMNS)) if _is_of_commas(at, some))


def _is_of_commas(at: int, rows: Sequence[Sequence[Any]]) -> bool:
    texts = [value for row in rows if at < len(row) and isinstance(value := row[at], str) and value.strip()]
    if not any("," in text for text in texts[:100]):
        return False
    matches = [match for text in texts if (match := _NUMBER.fullmatch(text.strip()))]
    behind = [len(match[1]) for match in matches if match[1]]
    return (
        len(behind) >= max(FEWEST, MANY * len(texts))
        and len(matches) >= NEARLY_ALL * len(texts)
        and behind.count(3) < MOST_OF_THREE * len(behind)
    )


def with_points(rows: Sequence[Sequence[Any]], commas: Set[int]) -> list[list[Any]]:
    """The rows with points and commas exchanged in some columns."""
    return [
        [value.translate(_TURN) if at in commas and isinstance(value, str) else value for at, value in enumerate(row)]
        for row in rows
    ]


def turned_back(found: Suspect) -> Suspect:
    """Return what is said of a cell whose column was turned, as the column writes numbers."""
    reasons = tuple(
        replace(
            one,
            told=_FIGURE.sub(lambda figure: figure[0].translate(_TURN), one.told),
            repair=None if one.repair is None else one.repair.translate(_TURN),
        )
        for one in found.reasons
    )
    return replace(
        found,
        value=None if found.value is None else found.value.translate(_TURN),
        reasons=reasons,
        repair=None if found.repair is None else found.repair.translate(_TURN),
    )
