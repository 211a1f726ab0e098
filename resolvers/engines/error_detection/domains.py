"""Values that belong to another column: moved there, exchanged with it, or written together with it."""

import random
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence, Set
from itertools import combinations, permutations
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.shapes import MAIN_SHARE, loose
from resolvers.engines.error_detection.table import MISSING, TableColumn

MOST_VALUES: Final = 50_000
FOREIGN: Final = 5
"""How many times as frequent a value is in its own column as in another that it was moved to, at least."""
MERGED: Final = 0.15
"""The share of the rows, at most, that hold the value of another column beside their own by mistake."""
MOVED: Final = 0.06
"""The share of the rows with a value of both columns from which these hold the same kind of values."""
EXCHANGED: Final = 0.25
"""The same where both cells of a row must be foreign."""
FEWEST_OF_A_VALUE: Final = 5
"""Rows that have a value, at least, for it to be one of a column of few."""
STRAYED: Final = 5
"""How many times as often a value stands behind another where its own cell is empty, at least, to have strayed."""

_WORDS: Final = re.compile(r"[^\W_]+")
_TWO: Final = re.compile(r"(.*\S)(?:\s*[,;/|]\s*|\s+-\s+|\s+\()([^,;/|()]*[^\W_][^,;/|()]*?)\)?")


def domain_signs(table: Sequence[TableColumn]) -> Iterator[tuple[int, int, Reason]]:
    """Columns, codes and reasons of rare values that another, otherwise different column has often."""
    texts = [column for column in table if column.is_scalar and column.present and column.number_share < 0.6]
    at = {column.index: _codes(column) for column in texts}
    for column, other in permutations(texts, 2):
        own, others = at[column.index], at[other.index]
        shared = own.keys() & others.keys()
        if not shared or _is_one_domain(column, other, own, others):
            continue
        few = max(2.0, 0.003 * column.present)
        often = max(3.0, 0.002 * other.present)
        for text in shared:
            here, there = column.counts[own[text]], other.counts[others[text]]
            is_few = (here <= few and there >= FOREIGN * here) or (here <= 3 * few and there >= 4 * FOREIGN * here)
            if is_few and there >= often and len(text) > 1 and not is_stand_in(text):
                told = f"{there} rows have this in {other.name}, and hardly any here."
                yield column.index, own[text], Reason(Sign.DOMAIN, 3.0, told)


def exchange_signs(table: Sequence[TableColumn]) -> dict[tuple[int, int], Reason]:
    """Cells of one row of which each holds what is usual in the other's column, and not in its own."""
    signs: dict[tuple[int, int], Reason] = {}
    texts = [column for column in table if column.is_scalar and column.present and column.number_share < 0.6]
    at = {column.index: _codes(column) for column in texts}
    for one, other in combinations(texts, 2):
        mine, others = at[one.index], at[other.index]
        for row in _turned(one, other):
            told = f"{one.name} and {other.name} hold what is short and what is in full the other way round."
            for column, right in ((one, other), (other, one)):
                signs[(row, column.index)] = Reason(Sign.DOMAIN, 5.0, told, right.texts[right.codes[row]])
        for column, other_one in ((one, other), (other, one)):
            told = f"{column.name} has the form of {other_one.name}, and {other_one.name} a value of {column.name}."
            for row in _exchanged_by_form(column, other_one):
                for this, right in ((one, other), (other, one)):
                    signs[(row, this.index)] = Reason(Sign.DOMAIN, 5.0, told, right.texts[right.codes[row]])
        if len(mine.keys() & others.keys()) < 2 or _is_one_domain(one, other, mine, others, EXCHANGED):
            continue
        moved = {mine[text] for text in mine.keys() & others.keys() if _is_foreign(one, mine[text], other, others)}
        back = {others[text] for text in mine.keys() & others.keys() if _is_foreign(other, others[text], one, mine)}
        for row, pair in enumerate(zip(one.codes, other.codes, strict=True)):
            if pair[0] in moved and pair[1] in back:
                told = f"{one.name} and {other.name} hold what is usual in one another."
                for column, right in ((one, other), (other, one)):
                    signs[(row, column.index)] = Reason(Sign.DOMAIN, 4.6, told, right.texts[right.codes[row]])
    return signs


def _exchanged_by_form(words: TableColumn, written: TableColumn) -> list[int]:
    """The rows in which a column of few values and one of codes that are written in a form are the other way round."""
    forms = _main_forms(written)
    usual = {
        words.texts[code]
        for code in range(1, len(words.texts))
        if words.counts[code] >= FEWEST_OF_A_VALUE and loose(words.texts[code]) not in forms
    }
    if not forms or sum(words.counts[code] for code, text in enumerate(words.texts) if text in usual) < (
        (1 - MERGED) * words.present
    ):
        return []
    here = {code for code, text in enumerate(words.texts) if code and loose(text) in forms}
    there = {code for code, text in enumerate(written.texts) if text in usual}
    return [
        row for row, pair in enumerate(zip(words.codes, written.codes, strict=True))
        if pair[0] in here and pair[1] in there
    ]  # fmt: skip


def _main_forms(column: TableColumn) -> Set[str]:
    """The forms with digits that nearly all of a column of many values have; none where other forms are usual."""
    if column.distinct < 0.2 * column.present:
        return frozenset()
    rows: Counter[str] = Counter()
    for text, count in zip(column.texts[1:], column.counts[1:], strict=True):
        rows[loose(text)] += count
    main = {form for form, count in rows.items() if "9" in form and count >= MAIN_SHARE * column.present}
    return main if sum(rows[form] for form in main) >= (1 - MERGED) * column.present else frozenset()


def _turned(one: TableColumn, other: TableColumn) -> list[int]:
    """The rows in which two columns are the other way round, of which one is short for the other."""
    rows = range(len(one.codes))
    # Not every so many rows: what is wrong may be wrong every so many.
    asked = random.Random(7).sample(rows, min(len(rows), 120))  # noqa: S311 - it must repeat
    ways = Counter(_way(one, other, row) for row in asked)
    usual = 1 if ways[1] > ways[-1] else -1
    if ways[usual] < max(10, 0.6 * len(asked)) or ways[-usual] > MERGED * len(asked):
        return []
    return [row for row in rows if _way(one, other, row) == -usual]


def _way(one: TableColumn, other: TableColumn, row: int) -> int:
    """1 where the second is short for the first, -1 where the first is for the second, else 0."""
    a, b = one.texts[one.codes[row]], other.texts[other.codes[row]]
    return _is_short(b, a) - _is_short(a, b)


def _is_short(text: str, full: str) -> bool:
    """Return whether the words of a text are the beginnings of words of another, one after another."""
    if not text or len(text) >= len(full) or " " not in full:
        return False
    words = iter(_WORDS.findall(full.casefold()))
    return all(any(word.startswith(own) for word in words) for own in _WORDS.findall(text.casefold()) or ("\0",))


def _is_foreign(column: TableColumn, code: int, other: TableColumn, others: dict[str, int]) -> bool:
    here, there = column.counts[code], other.counts[others[column.texts[code]]]
    return there >= 2 and there > here and here <= max(2.0, 0.01 * column.present)


def _codes(column: TableColumn) -> dict[str, int]:
    return {text: code for code, text in enumerate(column.texts[: MOST_VALUES + 1]) if code}


def _is_one_domain(
    column: TableColumn, other: TableColumn, own: dict[str, int], others: dict[str, int], most: float = MOVED
) -> bool:
    """Return whether two columns hold the same kind of values: many occur in both about as often."""
    shared = own.keys() & others.keys()
    alike = moved = 0
    for text in shared:
        here, there = column.counts[own[text]], other.counts[others[text]]
        alike += FOREIGN * here > there and FOREIGN * there > here
        moved += min(here, there)
    return alike > 0.2 * min(len(own), len(others)) or moved > most * min(column.present, other.present)


def merged_signs(table: Sequence[TableColumn]) -> Iterator[tuple[int, int, Reason]]:
    """Columns, codes and reasons of values with the value of another column written behind their own."""
    texts = [column for column in table if column.is_scalar and column.distinct > 1 and column.number_share < 0.6]
    tails = {
        column.index: {
            text: code for text, code in _codes(column).items() if column.counts[code] >= 3 and len(text) > 1
        }
        for column in texts
    }
    numbers = [column for column in table if column.is_scalar and column.number_share >= 0.6 and column.distinct >= 5]
    for column in texts:
        split = {
            code: (match[1], match[2])
            for code in range(1, len(column.texts))
            if (match := _TWO.fullmatch(column.texts[code]))
        }
        rows = sum(column.counts[code] for code in split)
        if not split or rows > MERGED * column.present:
            continue
        known = _codes(column)
        for other in (*texts, *numbers):
            if other.index not in tails:
                tails[other.index] = {text: code for text, code in _codes(other).items() if len(text) > 2}
            ends = tails[other.index]
            if other is column or not ends:
                continue
            # What is more frequent in this column than in the other is a second value of its own.
            held = {
                code: ends[end]
                for code, (_, end) in split.items()
                if end in ends and (end not in known or column.counts[known[end]] < other.counts[ends[end]])
            }
            if sum(column.counts[code] for code in held) < 3:
                continue
            # A number is behind many a name: only that of the same row has strayed there.
            is_number = other.number_share >= 0.6
            alone = 0 if is_number else sum(column.counts[code] for code in held if split[code][0] in known)
            if 2 * alone < sum(column.counts[code] for code in held) and not _goes_with(column, other, held):
                continue
            for code in held:
                told = f"Behind its own it has {split[code][1]!r}, a value of {other.name}."
                yield column.index, code, Reason(Sign.DOMAIN, 4.0, told, split[code][0])


def strayed_signs(table: Sequence[TableColumn]) -> dict[tuple[int, int], Reason]:
    """Cells that are empty, and those of the same row behind whose own value stands the one that is missed."""
    texts = [column for column in table if column.is_scalar and column.distinct > 1 and column.number_share < 0.6]
    # Not the one usual value of a column: that may be a word of any other.
    known = {
        column.index: {column.texts[code] for code in _codes(column).values() if column.counts[code] >= 2}
        for column in texts
        if 0 < column.counts[MISSING] <= MERGED * len(column.codes)
    }
    signs: dict[tuple[int, int], Reason] = {}
    for other in texts:
        ends = known.get(other.index, ())
        for column in texts if len(ends) >= 3 else ():
            if column is other:
                continue
            told = {row: _split_end(column.texts[column.codes[row]], ends) for row in _empty(other)}
            some = {row: parts for row, parts in told.items() if parts is not None}
            # Where a value is not missed, hardly any other of that column ends in one.
            full = other.present
            by_chance = sum(
                _split_end(column.texts[code], ends) is not None
                for code, gap in zip(column.codes, other.codes, strict=True)
                if gap != MISSING
            )
            if len(some) < 2 or len(some) * full < STRAYED * max(1, by_chance) * len(told):
                continue
            for row, (own, end) in some.items():
                why = f"{end!r} stands behind the value of {column.name}, and is missed here."
                signs[row, other.index] = Reason(Sign.DOMAIN, 5.5, why, end)
                why = f"Behind its own it has {end!r}, which is missed in {other.name}."
                signs[row, column.index] = Reason(Sign.DOMAIN, 5.5, why, own)
    return signs


def _empty(column: TableColumn) -> list[int]:
    return [row for row, code in enumerate(column.codes) if code == MISSING or is_stand_in(column.texts[code])]


def _split_end(text: str, ends: Container[str]) -> tuple[str, str] | None:
    """A text without its last words, and these, if they are one of some values."""
    words = text.split(" ")
    for at in range(max(1, len(words) - 3), len(words)):
        end = " ".join(words[at:]).strip("()")
        if end in ends:
            return " ".join(words[:at]).rstrip(" ,;/|-"), end
    return None


def _goes_with(column: TableColumn, other: TableColumn, held: dict[int, int]) -> bool:
    """Return whether the other column's cell of the same row is empty or has the same."""
    same: dict[bool, int] = defaultdict(int)
    for row, code in enumerate(column.codes):
        if code in held:
            same[other.codes[row] in (MISSING, held[code])] += 1
    return same[True] >= 4 * same[False]
