"""Names with what comes last put first, behind which a comma stands: Krüger, Maria among Maria Krüger.

That they are turned round is told by their parts: each stands in other names of the column at the other end.
"""

import re
from collections import Counter
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 50
"""Rows with a value, at least."""
PLAIN: Final = 0.8
"""The share of the rows, at least, that are words with no comma."""
MOST: Final = 0.1
"""The share of the rows, at most, that are turned round."""
KNOWN: Final = 2
"""Other rows with a part at the other end, at least."""

_TURNED: Final = re.compile(r"([^\W\d_][^,]*), ([^\W\d_][^,]*)")


def turned_round_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that is turned round, why, with how the others are written."""
    if column.present < FEWEST or column.number_share > 0.1:
        return {}
    first: Counter[str] = Counter()
    last: Counter[str] = Counter()
    plain = 0
    turned: dict[int, tuple[str, str]] = {}
    for code in range(1, len(column.texts)):
        words = column.texts[code].split()
        if match := _TURNED.fullmatch(column.texts[code]):
            turned[code] = match[1], match[2]
        elif len(words) > 1 and "," not in column.texts[code]:
            plain += column.counts[code]
            first[words[0]] += column.counts[code]
            last[words[-1]] += column.counts[code]
    if not turned or plain < PLAIN * column.present:
        return {}
    meant = {
        code: f"{given} {family}"
        for code, (family, given) in turned.items()
        if last[family.split()[-1]] >= KNOWN and first[given.split()[0]] >= KNOWN
    }
    if sum(column.counts[code] for code in meant) > MOST * column.present:
        return {}
    told = "What comes last in other rows is put first, with a comma behind it."
    return {code: Reason(Sign.WRITING, 4.4, told, written) for code, written in meant.items()}
