"""Values of few rows that stand for a frequent one in short or in full: `pa` for `paid`, English for eng, U.S.A."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.table import TableColumn

OFTEN: Final = 0.02
"""The share of the rows from which a value is one of the few of its column."""
COVERED: Final = 0.85
"""The share of the rows, at least, that have one of these."""
MOST_ROWS: Final = 0.06
"""The share of the rows, at most, that are written otherwise."""
MOST_VALUES: Final = 80
OFTENER: Final = 4
"""How many times as often the usual writing is there, at least."""

FEWEST_SHORT: Final = 2
"""Words that are shortened, at least, for the short ones to be codes for them."""
MOST_SHORT: Final = 0.25
"""The rows with a short one, at most, as a share of those that write the same out."""
SECOND: Final = 2
"""How many times as often each word is written out as it is shortened, at least."""

_SKELETON: Final = re.compile(r"([b-df-hj-np-tv-xz]{2,6})\.?", re.IGNORECASE)
_DOTS: Final = re.compile(r"[.\s]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SMALL: Final = frozenset(["of", "the", "and", "for", "de", "und", "der", "et", "la", "y", "e", "&"])


def alias_signs(column: TableColumn) -> dict[int, Reason]:
    """For each rare code that stands for a frequent one, why."""
    if column.present < 50 or column.number_share > 0.3:
        return {}
    least = max(5.0, OFTEN * column.present)
    codes = [code for code in range(1, len(column.texts)) if not is_stand_in(column.texts[code])]
    frequent = [code for code in codes if column.counts[code] >= least]
    if not frequent or sum(column.counts[code] for code in frequent) < COVERED * column.present:
        return _codes_beside(column, codes)
    short = [code for code in frequent if len(column.texts[code]) <= 3]
    is_code = len(short) > 1 and sum(column.counts[code] for code in short) >= COVERED * column.present
    found = _first_letters(column, codes, frequent)
    for code in codes:
        if column.counts[code] > MOST_ROWS * column.present or len(found) > MOST_VALUES:
            continue
        for other in frequent:
            one, full = column.texts[code], column.texts[other]
            if column.counts[other] > OFTENER * column.counts[code] and _is_alias(one, full, is_code):
                told = f"It stands for {full!r}, which {column.counts[other]} rows have."
                found[code] = Reason(Sign.WRITING, 3.7, told, full)
                break
    rows = sum(column.counts[code] for code in found)
    found = found if rows <= MOST_ROWS * column.present else {}
    return _consonants(column, codes, frequent) | found | _codes_beside(column, codes)


def _first_letters(column: TableColumn, codes: Sequence[int], frequent: Sequence[int]) -> dict[int, Reason]:
    """Single letters that one of the usual values begins with, and no other: Y and N, where most write yes and no."""
    begun: dict[str, list[int]] = defaultdict(list)
    for code in frequent:
        begun[column.texts[code][0].casefold()].append(code)
    if len(frequent) < FEWEST_SHORT or any(len(some) > 1 for some in begun.values()):
        return {}
    if any(len(column.texts[code]) == 1 for code in frequent):
        return {}
    found = {}
    for code in codes:
        text = column.texts[code].casefold()
        if len(text) == 1 and text in begun and column.counts[begun[text][0]] > OFTENER * column.counts[code]:
            full = column.texts[begun[text][0]]
            told = f"It is short for {full!r}, which {column.counts[begun[text][0]]} rows write out."
            found[code] = Reason(Sign.WRITING, 4.0, told, full)
    return found


def _consonants(column: TableColumn, codes: Sequence[int], frequent: Sequence[int]) -> dict[int, Reason]:
    """Consonants that one of the usual values is written with, and no other: Mgmt for Management, dbl. for double."""
    found = {}
    words = {code: column.texts[code].casefold() for code in frequent if len(column.texts[code]) >= 4}
    if any(_SKELETON.fullmatch(column.texts[code]) for code in frequent):
        return {}  # such are codes of their own here
    for code in codes:
        if code in words or column.counts[code] > MOST_ROWS * column.present:
            continue
        if (match := _SKELETON.fullmatch(column.texts[code])) is None:
            continue
        short = match[1].casefold()
        meant = [other for other, word in words.items() if _is_within(short, word)]
        if len(meant) == 1 and column.counts[meant[0]] > SECOND * column.counts[code]:
            full = column.texts[meant[0]]
            told = f"It is short for {full!r}, which {column.counts[meant[0]]} rows write out."
            found[code] = Reason(Sign.WRITING, 4.0, told, full)
    rows = sum(column.counts[code] for code in found)
    return found if rows <= MOST_ROWS * column.present else {}


def _is_within(short: str, word: str) -> bool:
    """Return whether a word begins and goes on with some letters, in their order, others between them."""
    if short[0] != word[0] or len(short) >= len(word):
        return False
    letters = iter(word)
    return all(letter in letters for letter in short)


def _codes_beside(column: TableColumn, codes: Sequence[int]) -> dict[int, Reason]:
    """Codes that stand beside the words that they are the beginnings of: A and R, where most write Awarded, Rejected.

    One that begins as a word does may be anything; several of which each is short for another word are a second way.
    """
    ranked = sorted(codes, key=lambda code: -column.counts[code])[:MOST_VALUES]
    short_for: dict[int, int] = {}
    for code in ranked:
        short = column.texts[code].casefold()
        longer = [
            other for other in ranked
            if len(column.texts[other]) >= max(4, len(short) + 2) and column.texts[other].casefold().startswith(short)
            and column.texts[other][len(short)].isalpha()
        ]  # fmt: skip
        meant = [other for other in longer if column.counts[other] > SECOND * column.counts[code]]
        if (
            short.isalpha()
            and meant
            and all(column.counts[meant[0]] > OFTENER * column.counts[one] for one in meant[1:])
        ):
            short_for[code] = meant[0]
    fulls = set(short_for.values())
    many = sum(column.counts[code] for code in short_for)
    written_out = sum(column.counts[code] for code in fulls)
    if len(fulls) < FEWEST_SHORT or many > MOST_SHORT * written_out or fulls & short_for.keys():
        return {}
    if written_out < 0.5 * column.present:
        return {}
    return {
        code: Reason(
            Sign.WRITING, 4.0, f"It is short for {column.texts[other]!r}, which {column.counts[other]} rows write out.",
            column.texts[other],
        )
        for code, other in short_for.items()
    }  # fmt: skip


def _is_alias(one: str, usual: str, is_code: bool) -> bool:
    small, large = one.casefold(), usual.casefold()
    if _DOTS.sub("", small) == _DOTS.sub("", large) or _is_initials(one, usual) or _is_initials(usual, one):
        return True
    if not one[-1].isalpha():
        return False
    if (
        2 <= len(small) <= len(large) - 2
        and len(large) >= 4
        and large.startswith(small)
        and large[len(small)].isalpha()
    ):
        return True  # cut within a word
    # A word for the code that it begins with; of another case, or it may be a longer code.
    return is_code and len(one) > 3 and small.startswith(large) and one[1:].islower() and one[:3] != usual


def _is_initials(short: str, full: str) -> bool:
    """Return whether a text is the first letters of another's words, in capitals."""
    letters = _DOTS.sub("", short)
    words = [word for word in _WORD.findall(full) if word.casefold() not in _SMALL]
    return len(words) >= 2 and letters.isupper() and letters == "".join(word[0] for word in words).upper()
