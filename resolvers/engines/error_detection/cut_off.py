"""Texts that end within a word which other texts of the column go on with: cut off where a field was too short."""

import re
from collections import Counter
from itertools import takewhile
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import TableColumn

FEWEST: Final = 30
"""Rows with a value, at least."""
SHORTEST: Final = 8
"""Characters of a text, at least, for that to be no chance."""
OFTENER: Final = 2
"""How many times as many rows go on in the same way, at least; but for texts that are cut off at one place as many."""
MOST: Final = 0.1
"""The share of the rows, at most, that are cut off."""
FEWEST_OF_A_LENGTH: Final = 3
"""Texts that end at the same place, which are then cut off there."""
AT_ONE_LENGTH: Final = 0.8
"""The share of the texts that end in points, at least, that do so after as many characters."""
MOST_LOOKED_AT: Final = 200
"""Texts with the same beginning that are looked at."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_PLURAL: Final = ("s", "es")
_LAST: Final = re.compile(r"[^\W\d_]+$")


def cut_off_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that ends within a word, why, with what it goes on as where that is the same in all."""
    if column.present < FEWEST or column.number_share > 0.3:
        return {}
    ranked = sorted((column.texts[code].casefold(), code) for code in range(1, len(column.texts)))
    words: Counter[str] = Counter()
    for text, code in ranked:
        for word in set(_WORD.findall(text)):
            words[word] += column.counts[code]
    found: dict[int, tuple[int, str, str | None]] = {}
    for at, (text, code) in enumerate(ranked):
        last = _LAST.search(text)
        # A word that others have as well is one of its own.
        if last is None or len(text) < SHORTEST or last[0] == text or words[last[0]] > column.counts[code]:
            continue
        longer = list(takewhile(lambda one, text=text: one[0].startswith(text), ranked[at + 1 : at + MOST_LOOKED_AT]))  # type: ignore[misc]
        going_on = [other for one, other in longer if one[len(text)].isalpha() and one[len(text) :] not in _PLURAL]
        if going_on and len(going_on) == len(longer):
            rows = sum(column.counts[other] for other in going_on)
            whole = column.texts[max(going_on, key=column.counts.__getitem__)]
            found[code] = rows, whole, whole if len(going_on) == 1 else None
    lengths = Counter(len(column.texts[code]) for code in found)
    signs = {}
    for code, (rows, whole, repair) in found.items():
        is_usual_length = lengths[len(column.texts[code])] >= FEWEST_OF_A_LENGTH
        if rows >= (1 if is_usual_length else OFTENER) * column.counts[code]:
            told = f"It ends within a word, where others go on as {whole!r}."
            signs[code] = Reason(Sign.VARIANT, 5.2 if is_usual_length else 3.9, told, repair)
    signs |= _with_points(column)
    return signs if sum(column.counts[code] for code in signs) <= MOST * column.present else {}


def _with_points(column: TableColumn) -> dict[int, Reason]:
    """The codes that end in points at the length at which nearly all do that end so, while others are longer.

    Who leaves something out by hand does so where the sense allows it, and not where a field ends.
    """
    signs: dict[int, Reason] = {}
    for points in ("…", "..."):
        ending = [code for code in range(1, len(column.texts)) if column.texts[code].endswith(points)]
        lengths = Counter(len(column.texts[code]) for code in ending)
        length, number = max(lengths.items(), key=lambda one: one[1], default=(0, 0))
        if number < max(FEWEST_OF_A_LENGTH, AT_ONE_LENGTH * len(ending)):
            continue
        longer = [code for code in range(1, len(column.texts)) if len(column.texts[code]) > length]
        if len(longer) < number:
            continue
        for code in ending:
            begun = column.texts[code].removesuffix(points).rstrip()
            whole = [other for other in longer if column.texts[other].startswith(begun)]
            told = (
                f"It ends in points, as {number} do after {length - len(points)} characters, where others are longer."
            )
            repair = column.texts[whole[0]] if len(whole) == 1 else None
            if len(column.texts[code]) == length:
                signs[code] = Reason(Sign.VARIANT, 5.2, told, repair)
    return signs
