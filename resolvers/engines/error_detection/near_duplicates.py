"""Rows that nearly say the same: compared are those that share a rare word or stand side by side when sorted."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from rapidfuzz import fuzz

MOST_ROWS: Final = 10_000
MOST_PAIRS: Final = 300_000
MOST_OF_A_WORD: Final = 20
BESIDE: Final = 5


def near_repeats(texts: Sequence[str], similarity: float) -> set[int]:
    """The rows, by number, of which another says nearly or exactly the same."""
    plain = [" ".join(text.casefold().split()) for text in texts[:MOST_ROWS]]
    found: set[int] = set()
    seen: set[tuple[int, int]] = set()
    for row, other in _pairs(plain):
        pair = (row, other) if row < other else (other, row)
        if pair in seen:
            continue
        seen.add(pair)
        if len(seen) > MOST_PAIRS:
            break
        if fuzz.token_sort_ratio(plain[row], plain[other], score_cutoff=similarity * 100):
            found.update(pair)
    return found


def _pairs(texts: Sequence[str]) -> "list[tuple[int, int]]":
    by_word: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(texts):
        for word in set(text.split()):
            if len(word) >= 3:
                by_word[word].append(row)
    pairs = [
        (rows[one], rows[other])
        for rows in by_word.values()
        if 1 < len(rows) <= MOST_OF_A_WORD
        for one in range(len(rows))
        for other in range(one + 1, len(rows))
    ]
    order = sorted((row for row in range(len(texts)) if texts[row]), key=lambda row: texts[row])
    pairs += [(row, other) for at, row in enumerate(order) for other in order[at + 1 : at + 1 + BESIDE]]
    return pairs
