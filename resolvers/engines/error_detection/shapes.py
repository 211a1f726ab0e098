"""Values that have another form than nearly all of their column."""

import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from typing import Final

from resolvers.engines.error_detection.encodings import has_lost_letter, is_broken, unescaped
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.minority_formats import (
    dated_signs,
    lettered_manners,
    numbered_manners,
    own_series,
    without_groups,
)
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.table import TableColumn
from resolvers.engines.error_detection.texts import are_sentences

_LETTERS: Final = re.compile(
    r"[^\W\d_]+(?:(?<![^\W\d_]{5})['\u2019](?=[^\W\d_]{2})[^\W\d_]+)*(?:['\u2019]s(?![^\W\d_]))?"
)
"""A word, with what an apostrophe joins to it as in a name: O'Brien, dell'Orto, Cooper's."""
_DIGITS: Final = re.compile(r"\d+")
_DIGIT: Final = re.compile(r"\d")
_WORDS: Final = re.compile(r"a(?:[ ]+a)+")
_SEVERAL: Final = re.compile(r"\ba(?: a)+\b")

_CHECKED: Final = re.compile(r"\d[\d -]{5,16}[Xx]")
MOST_CHECKED: Final = 0.15
"""The share of the rows, at most, whose check digit is an X: a ninth and a third of it."""
_COMPOSED: Final = re.compile(r"9(?:[/-]9)+")
_LETTERED: Final = re.compile(r"\d{1,5} ?[^\W\d_]")
ONE_LETTER: Final = 0.8
"""The share of the numbers with a letter, at most, that have the same one."""
MOST_ESCAPED: Final = 0.2
"""The share of the rows, at most, with characters as HTML names them: a column of more is written for pages."""
MAIN_SHARE: Final = 0.05
"""A form that this share of the rows has is one of the column's main forms."""
OTHER_LENGTHS: Final = 0.05
"""So much of the rows of the usual number of digits must have another, for digits to be a number: half of a ninth."""


def loose(text: str) -> str:
    """The form of a text: runs of letters and of digits as one sign each, any number of words as one."""
    return _WORDS.sub("a a", _DIGITS.sub("9", _LETTERS.sub("a", text)))


def strict(text: str) -> str:
    """The form of a text with the number of its digits."""
    return _WORDS.sub("a a", _DIGIT.sub("9", _LETTERS.sub("a", text)))


def counted(column: TableColumn) -> Callable[[str], str]:
    """The strict form, but for numbers within the texts of a column: those may have any number of digits.

    Digits are a number, and no code of so many digits, where none of several begins with 0, and another number of
    digits than the usual is about as frequent as it is of numbers from 0 to any end: a ninth or more of the usual. So
    are digits before a word that is the same in nearly all texts: that is a unit.
    """
    lengths: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
    padded: set[tuple[str, int]] = set()
    units: dict[str, Counter[str]] = defaultdict(Counter)
    for text, count in zip(column.texts[1:], column.counts[1:], strict=True):
        own = loose(text)
        if text[0].isdigit():
            units[own][_DIGITS.sub("", text)] += count
        for at, digits in enumerate(_DIGITS.findall(text)):
            lengths[own, at][len(digits)] += count
            if len(digits) > 1 and digits[0] == "0":
                padded.add((own, at))
    numbers = {
        place
        for place, found in lengths.items()
        if place not in padded
        and (
            found.total() >= (1 + OTHER_LENGTHS) * max(found.values()) or (place[1] == 0 and _is_unit(units[place[0]]))
        )
    }
    if not numbers:
        return strict

    def form(text: str) -> str:
        own, at = loose(text), itertools.count()
        digits = _DIGITS.sub(lambda run: "9" if (own, next(at)) in numbers else "9" * len(run[0]), text)
        return _WORDS.sub("a a", _LETTERS.sub("a", digits))

    return form


def _is_unit(behind: Counter[str]) -> bool:
    """Return whether nearly all numbers at the beginning of texts have the same word behind them."""
    if not behind:
        return False
    word, rows = behind.most_common(1)[0]
    return rows >= 0.9 * behind.total() and any(map(str.isalpha, word))


def case(text: str) -> str:
    """Return how a text is written: upper, lower, first letters upper, or none of these."""
    if not any(character.isalpha() for character in text):
        return "none"
    if text.islower():
        return "lower"
    if text.isupper():
        return "upper"
    return "title" if text[:1].isupper() or not text[:1].isalpha() else "mixed"


def shape_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code of the column whose form is odd, why."""
    signs: dict[int, Reason] = {}
    if column.present < 8:
        return signs
    numeric = column.number_share
    is_text = are_sentences(column)
    if numeric < 0.6:
        column = without_groups(column)
    for code in range(1, len(column.texts)):
        text = column.texts[code]
        if is_broken(text):
            signs[code] = Reason(Sign.PATTERN, 4.0, "It holds characters of a broken encoding.", in_itself=True)
    _keep(signs, _escaped(column))
    lost = [code for code in range(1, len(column.texts)) if has_lost_letter(column.texts[code])]
    if sum(column.counts[code] for code in lost) <= 0.1 * column.present:
        _keep(signs, dict.fromkeys(lost, Reason(Sign.PATTERN, 3.6, "A question mark stands for a letter.")))
    meant = numbered_manners(column) if numeric >= 0.4 else lettered_manners(column)
    right = _checked(column) | _with_a_letter(column)
    if numeric >= 0.6:
        _keep(signs, _no_numbers(column, numeric, meant))
    elif not is_text:
        _keep(signs, _odd(column, loose, meant))
    _keep(signs, dated_signs(column))
    _keep(signs, _written_otherwise(column, meant))
    if column.distinct > 2:
        if not is_text:
            _keep(signs, _odd(column, counted(column), meant, only_narrow=True))
            _keep(signs, _odd_unit(column))
        _keep(signs, _odd_case(column))
    return {code: reason for code, reason in signs.items() if code not in right}


def _escaped(column: TableColumn) -> dict[int, Reason]:
    """Texts with characters written as HTML names them, where hardly any are: they were meant for a page."""
    said = {
        code: plain
        for code in range(1, len(column.texts))
        if "&" in column.texts[code] and (plain := unescaped(column.texts[code])) is not None
    }
    if sum(column.counts[code] for code in said) > MOST_ESCAPED * column.present:
        return {}
    told = "It names characters as HTML does."
    return {code: Reason(Sign.PATTERN, 4.6, told, plain, in_itself=True) for code, plain in said.items()}


def _checked(column: TableColumn) -> frozenset[int]:
    """The codes that end in an X for the check digit 10, as one in eleven does, among numbers of one length."""
    found = {code for code in range(1, len(column.texts)) if _CHECKED.fullmatch(column.texts[code])}
    rows = sum(column.counts[code] for code in found)
    if not found or rows > MOST_CHECKED * column.present:
        return frozenset()
    lengths: Counter[int] = Counter()
    for text, count in zip(column.texts, column.counts, strict=True):
        if text[-1:].isdigit():
            lengths[len(text)] += count
    (usual, most), *_ = lengths.most_common(1) or [(0, 0)]
    if most < 0.75 * column.present:
        return frozenset()
    return frozenset(code for code in found if len(column.texts[code]) == usual)


def _with_a_letter(column: TableColumn) -> frozenset[int]:
    """The codes that are a number with a letter, as of houses, where that is one of the column's main forms.

    The letter is one of several: where all have the same it is a unit.
    """
    found = {code: text[-1].casefold() for code, text in enumerate(column.texts) if _LETTERED.fullmatch(text)}
    rows = Counter[str]()
    for code, letter in found.items():
        rows[letter] += column.counts[code]
    most = max(rows.values(), default=0)
    is_form = rows.total() >= MAIN_SHARE * column.present and most <= ONE_LETTER * rows.total()
    return frozenset(found) if rows and is_form else frozenset()


def _keep(signs: dict[int, Reason], more: dict[int, Reason]) -> None:
    for code, reason in more.items():
        if code not in signs or signs[code].weight < reason.weight:
            signs[code] = reason


def _no_numbers(column: TableColumn, share: float, meant: Set[int]) -> dict[int, Reason]:
    """Texts among numbers. Units, signs and the like weigh more than words, which may be values of their own."""
    found = {}
    frequent = max(3.0, 0.03 * column.present)
    # A span of numbers that is used again and again is rather a code of its own; a number gone wrong has many values.
    kinds = Counter(loose(text) for text in column.texts)
    has_few = [kinds[loose(text)] <= 3 for text in column.texts]
    composed = _composed(column)
    for code in range(1, len(column.texts)):
        if column.numbers[code] is None and not is_stand_in(column.texts[code]):
            has_digit = bool(_DIGIT.search(column.texts[code]))
            weight = 4.2 * share**2 + (0.8 if has_digit else 0.0)
            if code in meant or code in composed:
                weight *= 0.5
            elif column.counts[code] > frequent and not has_digit:
                weight *= 0.3
            elif column.counts[code] >= 5 and len(_DIGITS.findall(column.texts[code])) > 1 and has_few[code]:
                weight *= 0.5
            found[code] = Reason(Sign.PATTERN, weight, f"{share:.0%} of the column are numbers, and this is none.")
    return found


def _composed(column: TableColumn) -> frozenset[int]:
    """The codes of several whole numbers with a sign between, where that is one of the column's main forms."""
    rows: Counter[str] = Counter()
    for text, count in zip(column.texts, column.counts, strict=True):
        rows[loose(text)] += count
    main = {form for form in rows if _COMPOSED.fullmatch(form) and rows[form] >= MAIN_SHARE * column.present}
    return frozenset(code for code, text in enumerate(column.texts) if main and loose(text) in main)


def _odd(
    column: TableColumn, form: Callable[[str], str], meant: Set[int], *, only_narrow: bool = False
) -> dict[int, Reason]:
    forms = [""] + [form(text) for text in column.texts[1:]]
    rows, kinds, spoken = _counted(column, forms)
    if spoken < 8:
        return {}
    main = {one: count for one, count in rows.items() if count >= MAIN_SHARE * spoken}
    covered = sum(main.values()) / spoken
    top, top_rows = rows.most_common(1)[0]
    top_share = top_rows / spoken
    if covered < 0.8 or (only_narrow and top_share < 0.9):
        return {}
    if only_narrow and column.number_share >= 0.6 and (top_share < 0.97 or len(top) < 5 or not top.isdigit()):
        return {}  # how many digits a number has says nothing, unless it is rather a code
    # What has digits or signs and one form only is written by a rule; words are not.
    is_structured = "9" in top and top_share >= 0.6
    # So are words of a few letters each: a sign among them is no word.
    usual = _usual_signs(rows, spoken)
    meant = meant | own_series(column, forms, main.keys()) if is_structured else meant
    of_letters = top == "a" and top_share >= 0.95 and column.distinct <= 60
    found = {}
    for code in range(1, len(forms)):
        own = forms[code]
        share = rows[own] / spoken
        if own == top or is_stand_in(column.texts[code]):
            continue
        if own not in main:
            rarity = min(1.0, max(0.0, math.log(MAIN_SHARE / share) / math.log(20)))
            certain = min(1.0, (covered - 0.75) / 0.2)
            by_rule = is_structured or (of_letters and not any(map(str.isalpha, column.texts[code])))
            weight = (3.4 + 1.2 * rarity) * certain if by_rule else (0.6 + 2.6 * rarity) * certain**2
            if not by_rule and set(own) <= usual:
                weight *= 0.7  # words and signs as the column has them, only put together in a way of their own
        elif is_structured and share < 0.45 * top_share and _one_word(own) != _one_word(top):
            # The usual form with something else beside it is that value written otherwise, and no value of its own.
            weight = 2.2 + 1.6 * (top_share - 0.6) / 0.4 + (0.8 if len(top) > 1 and top in own else 0.0)
            weight -= 0.6 if own in top and not only_narrow else 0.0  # one of the parts alone is a shorter value
        else:
            continue
        each = rows[own] / kinds[own]
        if code in meant:
            weight *= 0.5
        is_used = kinds[own] == 1 or (each >= 5 and each >= 0.5 * top_rows / kinds[top])
        if is_used and column.counts[code] >= 5 and any(map(str.isalnum, column.texts[code])):
            weight *= 0.5  # values that are used again and again, as good ones are, are rather some of their own
        told = f"{top_share:.0%} of the column look like {top!r}, and only {share:.1%} like {own!r}."
        found[code] = Reason(Sign.PATTERN, weight, told)
    return found


def _counted(column: TableColumn, forms: Sequence[str]) -> tuple[Counter[str], Counter[str], int]:
    """Return how many rows and how many values each form has, and how many rows say anything: stand-ins do not."""
    rows: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    spoken = column.present
    for code in range(1, len(forms)):
        if is_stand_in(column.texts[code]):
            spoken -= column.counts[code]
            continue
        rows[forms[code]] += column.counts[code]
        kinds[forms[code]] += 1
    return rows, kinds, spoken


def _usual_signs(forms: Mapping[str, int], rows: int) -> Set[str]:
    """The signs of forms that a hundredth of the rows have, in whatever form."""
    seen: Counter[str] = Counter()
    for form, count in forms.items():
        for sign in set(form):
            seen[sign] += count
    return {sign for sign, count in seen.items() if count >= 0.01 * rows}


def _one_word(form: str) -> str:
    """A form with one word for any number of them, where digits do not touch them: how many it takes is no form."""
    return _SEVERAL.sub("a", form)


def _written_otherwise(column: TableColumn, meant: Set[int]) -> dict[int, Reason]:
    """The same numbers with a unit or sign beside them, or days written in another order, by a minor part of rows."""
    if column.number_share >= 0.4:
        usual = {number for number in column.numbers if number is not None}
        told, low, high = "number", min(usual), max(usual)
        inner = {
            code: number
            for code in range(1, len(column.texts))
            if column.numbers[code] is None and (number := _number_within(column.texts[code])) is not None
        }
        same = {code for code, number in inner.items() if low <= number <= high and code not in meant}
        known = sum(column.counts[code] for code, number in inner.items() if number in usual)
        share = column.number_share
        if known < 0.3 * max(1, sum(column.counts[code] for code in same)):
            return {}
    else:
        days = {code: form for code in range(1, len(column.texts)) if (form := _day_form(column.texts[code]))}
        forms: Counter[str] = Counter()
        for code, form in days.items():
            forms[form] += column.counts[code]
        if len(forms) < 2:
            return {}
        (told, top), *_ = forms.most_common(1)
        share = top / column.present
        same = {code for code, form in days.items() if form != told}
        told = "day of the form " + told
    others: Counter[str] = Counter()
    for code in same:
        others[loose(column.texts[code])] += column.counts[code]
    # The usual writing is the one that no other comes near, though all others together may.
    minor = max(others.values(), default=0) / column.present
    if not same or share < 0.4 or minor > 0.75 * share:
        return {}
    weight = 3.9 if minor < 0.5 * share else 3.4
    reason = Reason(Sign.PATTERN, weight, f"{share:.0%} of the column write it as a plain {told}.")
    return dict.fromkeys(same, reason)


_MEASURE: Final = re.compile(r"([+-]?\d[\d.,]*)(\s*[^\W\d_][^\d]{0,14})")
MINOR_UNITS: Final = 0.06
"""The share of the rows up to which another unit than the column's is rather wrong than one of several."""
_WITHIN: Final = re.compile(r"[^\d.,+-]*([+-]?\d{1,12}(?:\.\d{1,20})?)[^\d,]*")
_DAYS: Final = (
    ("9999-99-99", re.compile(r"\d{4}-\d{1,2}-\d{1,2}")),
    ("9999/99/99", re.compile(r"\d{4}/\d{1,2}/\d{1,2}")),
    ("99/99/9999", re.compile(r"\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})")),
    ("99.99.9999", re.compile(r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})")),
    ("99-99-9999", re.compile(r"\d{1,2}-\d{1,2}-(?:\d{4}|\d{2})")),
    ("99 a 9999", re.compile(r"\d{1,2}[ -][^\W\d_]{3,9}[ -](?:\d{4}|\d{2})")),
    ("a 99, 9999", re.compile(r"[^\W\d_]{3,9} \d{1,2},? \d{4}")),
)


def _number_within(text: str) -> float | None:
    """The one number in a text that has something else beside it."""
    match = _WITHIN.fullmatch(text)
    return None if match is None else float(match[1])


def _day_form(text: str) -> str | None:
    """Return how a day is written, None for what is none."""
    return next((form for form, pattern in _DAYS if pattern.fullmatch(text)), None)


def _odd_unit(column: TableColumn) -> dict[int, Reason]:
    """Numbers with other words behind them than nearly all of a column of such."""
    forms = {
        code: _DIGITS.sub("9", match[1]).replace("9,9", "9").replace("9.9", "9") + match[2].lower()
        for code in range(1, len(column.texts))
        if (match := _MEASURE.fullmatch(column.texts[code]))
    }
    rows: Counter[str] = Counter()
    for code, form in forms.items():
        rows[form] += column.counts[code]
    if len(rows) < 2 or rows.total() < 0.8 * column.present or rows.total() < 20:
        return {}
    (top, most), *_ = rows.most_common(1)
    minor = column.present - most
    if minor > MINOR_UNITS * column.present:
        return {}
    told = f"{most / column.present:.0%} of the column are like {top!r}."
    return {code: Reason(Sign.PATTERN, 3.8, told) for code, form in forms.items() if form != top}


def _odd_case(column: TableColumn) -> dict[int, Reason]:
    written = [""] + [case(text) for text in column.texts[1:]]
    rows: Counter[str] = Counter()
    for code in range(1, len(written)):
        if written[code] != "none" and not is_stand_in(column.texts[code]):
            rows[written[code]] += column.counts[code]
    spoken = rows.total()
    if spoken < 20:
        return {}
    top, top_rows = rows.most_common(1)[0]
    if top_rows < 0.95 * spoken or top == "mixed":
        return {}
    # Among words with capitals, one of capitals only is often a short form.
    weight = (top_rows / spoken - 0.9) / 0.1 * (2.2 if top == "title" else 3.8)
    # None of several words with a capital, where nearly all have one, is no name of its own.
    plain = min(1.0, (top_rows / spoken - 0.9) / 0.06) * 3.6 if top == "title" else weight
    return {
        code: Reason(
            Sign.PATTERN,
            plain if written[code] == "lower" and " " in column.texts[code] else weight,
            f"{top_rows / spoken:.0%} of the column are in {top} case.",
        )
        for code in range(1, len(written))
        if written[code] not in ("none", top, "mixed")
        and sum(character.isalpha() for character in column.texts[code]) >= 3
        and not is_stand_in(column.texts[code])
    }
