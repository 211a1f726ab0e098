"""Conventions of writing that a column keeps but for a few values: decimals, signs between thousands, between parts."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Set
from typing import Final

from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.minority_formats import lettered_manners
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.numbers import MANY, MANY_SHARE, TOGETHER, rank_correlation
from resolvers.engines.error_detection.signs_and_units import is_other_unit
from resolvers.engines.error_detection.table import TableColumn
from resolvers.engines.error_detection.texts import BETWEEN, are_sentences, parts_of

KEPT: Final = 0.9
"""The share of the rows in question that keep to a convention."""
MIXED: Final = 0.6
"""The same for what nobody mixes on purpose."""
NEEDED: Final = 0.95
"""The share of the rows that have a sign, for the others to lack it."""
ENDING: Final = 0.8
"""The share of the rows with the most decimals that rounded numbers have: nine of ten do not end in 0."""
FEWEST: Final = 20
"""Rows that have to keep to it, at least."""

_PLAIN_NUMBER: Final = re.compile(r"[+-]?\d+(?:\.(\d+))?")
_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_INNER: Final = re.compile(r"\D*?(?:(\d{1,3}(?:,\d{3})+)|\d{4,12})(?:\.\d+)?[^\d,]*")
_SPAN: Final = re.compile(r"(\d+)\s?[-\u2013]\s?(\d+)")
_TWICE: Final = re.compile(r"([^\w\s])\1")
_FREE: Final = frozenset(".,'-\u2019")
"""Signs that running text may have or not."""
_GAP: Final = re.compile(r"\S(?:\s{2,}|\t)\S")


def format_signs(column: TableColumn) -> dict[int, Reason]:
    """For each code that breaks a convention of its column, why; the heaviest reason."""
    found: dict[int, Reason] = {}
    if column.present < FEWEST:
        return found
    looks = [_separators, _gaps, _doubled, _needed, _spans, _inner_thousands]
    if column.number_share >= 0.6:
        looks = [_decimals, _thousands]
    elif are_sentences(column):
        looks = [_gaps]  # a sentence has the signs that it needs
    for look in looks:
        for code, reason in look(column).items():
            if code not in found or found[code].weight < reason.weight:
                found[code] = reason
    return found


def _minority(
    column: TableColumn, kinds: Mapping[int, str], told: str, weight: float, kept: float = KEPT
) -> dict[int, Reason]:
    """The codes of another kind than nearly all of those that have one."""
    rows: Counter[str] = Counter()
    for code, kind in kinds.items():
        rows[kind] += column.counts[code]
    if len(rows) < 2:
        return {}
    (top, most), *_ = rows.most_common(1)
    share = most / rows.total()
    if share < kept or most < FEWEST:
        return {}
    reason = Reason(Sign.PATTERN, weight, f"{share:.1%} of the values like it {told} {top!r}.")
    return {code: reason for code, kind in kinds.items() if kind != top}


def _decimals(column: TableColumn) -> dict[int, Reason]:
    """Fractions among whole numbers, and another number of decimals where zeros at the end are written too."""
    kinds: dict[int, str] = {}
    zeros = rows = 0
    for code in range(1, len(column.texts)):
        match = _PLAIN_NUMBER.fullmatch(column.texts[code])
        if match is None:
            continue
        decimals = match[1] or ""
        kinds[code] = str(len(decimals))
        if decimals:
            rows += column.counts[code]
            zeros += column.counts[code] * decimals.endswith("0")
    found = _minority(column, kinds, "have so many decimals:", 3.5)
    for code, reason in found.items():
        # A fraction that several rows have is one of few numbers; a slip makes another each time.
        if column.counts[code] >= 5 and (column.numbers[code] or 0.0) % 1:
            found[code] = Reason(reason.sign, 0.5 * reason.weight, reason.told)
    whole = found and next(kind for code, kind in kinds.items() if code not in found) == "0"
    for code in _coarse(column, found.keys()):
        del found[code]
    # Where numbers drop their zeros, fewer decimals say nothing, and more only where the others end at one place.
    return found if whole or zeros > 0.03 * rows else _finer(column, {code: int(kind) for code, kind in kinds.items()})


def _coarse(column: TableColumn, codes: Set[int]) -> Set[int]:
    """Of numbers with other decimals those that are greater than nearly all others, where they are many: three figures
    of a large number leave none. In another unit, or without their point, they would be spread as the others.
    """
    others = sorted(
        abs(number)
        for code, number in enumerate(column.numbers)
        if number is not None and code not in codes
        for _ in range(column.counts[code])
    )
    if not others:
        return frozenset()
    great = {code for code in codes if abs(column.numbers[code] or 0.0) > others[-1 - len(others) // 50]}
    those = sorted(abs(column.numbers[code] or 0.0) for code in great for _ in range(column.counts[code]))
    if len(those) <= max(MANY, MANY_SHARE * (len(those) + len(others))):
        return frozenset()
    return frozenset() if is_other_unit([*others, *those], len(those), at_end=True) else great


def _finer(column: TableColumn, decimals: Mapping[int, int]) -> dict[int, Reason]:
    """Numbers with more decimals than nearly all, of which most have as many as there may be."""
    rows: Counter[int] = Counter()
    for code, places in decimals.items():
        rows[places] += column.counts[code]
    usual, most = rows.most_common(1)[0] if rows else (0, 0)
    finer = sum(count for places, count in rows.items() if places > usual)
    if most < max(FEWEST, ENDING * rows.total()) or not 0 < finer <= 0.01 * rows.total():
        return {}
    reason = Reason(Sign.PATTERN, 3.6, f"Nearly all end at {usual} decimals.")
    return {code: reason for code, places in decimals.items() if places > usual and column.counts[code] < 3}


def _thousands(column: TableColumn) -> dict[int, Reason]:
    """Large numbers that nearly all have, or have not, a sign between the thousands."""
    kinds = {
        code: "9,999" if _THOUSANDS.fullmatch(column.texts[code]) else "9999"
        for code, number in enumerate(column.numbers)
        if number is not None and abs(number) >= 1000
    }
    return _minority(column, kinds, "are written as", 3.8, kept=MIXED)


def _inner_thousands(column: TableColumn) -> dict[int, Reason]:
    """The same for the one large number in a text."""
    if not any("," in text for text in column.texts):
        return {}
    kinds = {
        code: "9,999" if match[1] else "9999"
        for code in range(1, len(column.texts))
        if (match := _INNER.fullmatch(column.texts[code]))
    }
    return _minority(column, kinds, "have their number written as", 3.8)


def _within_each(text: str, between: Set[str]) -> str | None:
    """Return what stands within each of several values that another sign parts: two names with a comma each.

    A few may have nothing within: and others.
    """
    for outer in between:
        inner: list[frozenset[str]] = [frozenset(BETWEEN.findall(part)) for part in text.split(outer)]
        parted = [one for one in inner if one]
        if len(set(parted)) == 1 and len(parted[0]) == 1 and 2 * len(parted) > len(inner):
            return next(iter(parted[0]))
    return None


def _separators(column: TableColumn) -> dict[int, Reason]:
    """Lists whose parts stand apart by another sign than those of nearly all lists of the column."""
    split = {
        code: parts
        for code in range(1, len(column.texts))
        if not is_stand_in(column.texts[code]) and len(parts := parts_of(column.texts[code])) > 1
    }
    seen: Counter[str] = Counter()
    for code in range(1, len(column.texts)):
        for part in set(split.get(code, (column.texts[code],))):
            seen[part] += 1
    kinds: dict[int, str] = {}
    for code, parts in split.items():
        # Only what other values hold as well is a part, and not a sign within a value.
        if sum(seen[part] > 1 and any(map(str.isalpha, part)) for part in parts) > 0.5 * len(parts):
            between = set(BETWEEN.findall(column.texts[code]))
            kinds[code] = between.pop() if len(between) == 1 else _within_each(column.texts[code], between) or "mixed"
    return _minority(column, kinds, "have between their parts", 3.8, kept=MIXED)


def _gaps(column: TableColumn) -> dict[int, Reason]:
    """Two spaces in a row, where hardly any value has them."""
    wide = [code for code in range(1, len(column.texts)) if _GAP.search(column.texts[code])]
    rows = sum(column.counts[code] for code in wide)
    if rows > 0.05 * column.present:
        return {}
    reason = Reason(Sign.WRITING, 3.5, "It has white space more than once in a row.")
    return dict.fromkeys(wide, reason)


def _doubled(column: TableColumn) -> dict[int, Reason]:
    """A sign twice in a row, which most values have once and hardly any twice."""
    twice: dict[int, set[str]] = {}
    rows: Counter[str] = Counter()
    for code in range(1, len(column.texts)):
        if found := set(_TWICE.findall(column.texts[code])):
            twice[code] = found
            for sign in found:
                rows[sign] += column.counts[code]
    signs = {sign for sign, count in rows.items() if count <= 0.03 * column.present}
    for sign in list(signs):
        with_it = sum(count for text, count in zip(column.texts, column.counts, strict=True) if sign in text)
        if with_it < 0.5 * column.present:
            signs.discard(sign)
    reason = Reason(Sign.WRITING, 3.6, "It has a sign twice in a row that others have once.")
    return {code: reason for code, found in twice.items() if found & signs and not is_stand_in(column.texts[code])}


def _needed(column: TableColumn) -> dict[int, Reason]:
    """Values without a sign that nearly all of the column have as often: the @ of an address, the { of a list."""
    codes = [code for code in range(1, len(column.texts)) if not is_stand_in(column.texts[code])]
    spoken = sum(column.counts[code] for code in codes)
    if spoken < FEWEST:
        return {}
    words = sum(column.texts[code].count(" ") * column.counts[code] for code in codes) / spoken
    seen: dict[str, Counter[int]] = defaultdict(Counter)
    for code in codes:
        text = column.texts[code]
        for sign in set(text):
            if not sign.isalnum() and not sign.isspace() and sign != "_" and (words < 3 or sign not in _FREE):
                seen[sign][text.count(sign)] += column.counts[code]
    if seen["@"][1] >= NEEDED * spoken:  # names in an address are written with points or without
        seen = defaultdict(Counter, {"@": seen["@"]})
    found: dict[int, Reason] = {}
    for sign, times in ((sign, times) for sign, times in seen.items() if times):
        often, most = times.most_common(1)[0]
        if most < NEEDED * spoken:
            continue
        lacking = {code for code in codes if column.texts[code].count(sign) < often}
        share = sum(column.counts[code] for code in lacking) / spoken
        weight = 3.4 + 1.2 * min(1.0, max(0.0, math.log(0.05 / share) / math.log(20))) if share else 0.0
        told = f"{most / spoken:.0%} of the column have {sign!r} {often} times."
        for code in lacking:
            own = weight * (0.5 if column.counts[code] >= 5 else 1.0)  # used again and again: a value of its own
            if code not in found or found[code].weight < own:
                found[code] = Reason(Sign.PATTERN, own, told)
    meant = lettered_manners(column) if found else ()
    return {code: reason for code, reason in found.items() if code not in meant}


def _spans(column: TableColumn) -> dict[int, Reason]:
    """Spans that end before they begin, where hardly any does."""
    ends = {}
    for code in range(1, len(column.texts)):
        match = _SPAN.fullmatch(column.texts[code])
        # What ends with fewer digits leaves out those before: 283-90 ends at 290. With more, it is in order anyway.
        if match is not None and len(match[1]) == len(match[2]) and match[1][0] != "0":
            ends[code] = (int(match[1]), int(match[2]))
    rows = sum(column.counts[code] for code in ends)
    turned = {code for code, (first, last) in ends.items() if first > last}
    if rows < max(FEWEST, 0.3 * column.present) or sum(column.counts[code] for code in turned) > 0.06 * rows:
        return {}
    # A span that begins later ends later. Two numbers that have nothing to do with one another are parts of a code.
    if not turned or rank_correlation(list(ends.values())) < TOGETHER:
        return {}
    return dict.fromkeys(turned, Reason(Sign.ORDER, 3.8, "It ends before it begins, as hardly any other."))
