"""Defines what kind of texts a column holds: sentences, or lists of values."""

import re
from collections import Counter
from typing import Final

from resolvers.engines.error_detection.table import TableColumn

MOST_LOOKED_AT: Final = 200
"""Different texts from which it is told whether they are sentences."""
FEWEST_WORDS: Final = 5
"""Words of a sentence, on average."""
OF_A_PART: Final = 3
"""Words between two signs of a sentence, on average; parts of lists are shorter."""
MANNER: Final = 0.01
"""The share of the rows that are lists, at least, for lists to be a manner of the column."""
OTHERS: Final = 3
"""Other rows that have a part, at least, for it to be known."""

_SIGN: Final = re.compile(r"[,;|/&]")
_PART: Final = re.compile(r"[,;:|/&.!?()]\s*")
BETWEEN: Final = re.compile(r"\s*[,;|/&]\s*")
"""What stands between the parts of a list."""


def are_sentences(column: TableColumn) -> bool:
    """Return whether nearly all texts are running text: many words between signs, most of them beginning small."""
    texts = column.texts[1 :: max(1, column.distinct // MOST_LOOKED_AT)]
    if not texts or column.number_share > 0.1:
        return False
    words = small = parts = 0
    for text in texts:
        own = text.split()
        words += len(own)
        small += sum(word[0].islower() for word in own)
        parts += sum(map(bool, _PART.split(text)))
    return words >= FEWEST_WORDS * len(texts) and words >= OF_A_PART * parts and 2 * small > words


def is_list(text: str) -> bool:
    """Return whether a text has a sign that stands between the parts of lists."""
    return _SIGN.search(text) is not None


def parts_of(text: str) -> list[str]:
    """The parts of a text that is a list, or the text alone."""
    return BETWEEN.split(text)


def known_lists(column: TableColumn) -> frozenset[int]:
    """The codes that are lists of values which other rows have too: made of what is known, they are not odd."""
    split = {code: parts_of(column.texts[code]) for code in range(1, len(column.texts)) if is_list(column.texts[code])}
    if sum(column.counts[code] for code in split) < MANNER * column.present:
        return frozenset()
    alone = {text: column.counts[code] for code, text in enumerate(column.texts) if code not in split}
    rows = Counter(alone)
    for code, parts in split.items():
        for part in set(parts):
            rows[part] += column.counts[code]
    return frozenset(
        code
        for code, parts in split.items()
        if all(rows[part] >= column.counts[code] + OTHERS and any(map(str.isalpha, part)) for part in parts)
        and 2 * sum(alone.get(part, 0) >= OTHERS for part in parts) >= len(parts)
    )
