"""Sentences about the values of a column, from its profile. Of private columns only counts are told, never a value."""

import re
from typing import Final

from resolvers.engines.describing.known import Statement
from resolvers.engines.english.grammar import listed
from resolvers.engines.english.vocabulary import words
from schema.data_readiness.profile import ColumnProfile, ValueKind

MOST_VALUES: Final = 10
"""How many values make a set that is worth listing."""
LONGEST_VALUE: Final = 40
FEW_ROWS: Final = 20
"""Fewer rows say nothing about what a column may hold."""

_CODES: Final = words("code status type flag class grade category state kind stage priority")
_LOOKS_PERSONAL: Final = re.compile(r"@|\d{6,}|\d[\d ()./-]{6,}\d")
_UNQUOTABLE: Final = re.compile(r"[`\n\r\t\x00-\x1f<>]")


def statements_of(profile: ColumnProfile, *, private: bool, head: str, is_key: bool, refers: bool) -> list[Statement]:
    """Return what the profile of a column says that a reader would want to know."""
    rows, nulls, distinct = profile.row_count, profile.null_count, profile.distinct_count
    if not rows:
        return []
    found: list[Statement] = []
    filled = rows - (nulls or 0)
    if nulls is not None and nulls >= rows and "null_count" not in profile.approximate:
        return [_said("It was empty in every row when it was measured.")]
    constant = distinct == 1 and filled > 1 and "distinct_count" not in profile.approximate
    if constant:
        found.append(_constant(profile, private))
    elif not private and (values := _value_set(profile, filled, head)):
        found.append(values)
    elif not private and not is_key and not refers and (span := _range(profile)):
        found.append(span)
    countable = profile.kind in (ValueKind.TEXT, ValueKind.NUMBER) and "distinct_count" not in profile.approximate
    if countable and not is_key and not constant and filled >= FEW_ROWS and distinct == filled:
        found.append(_said("No value occurs twice."))
    if not private and not is_key and not constant and (shape := _shape(profile, filled)):
        found.append(shape)
    found += _gaps(profile, rows, nulls)
    return found


def _said(text: str, sure: float = 0.9) -> Statement:
    return Statement(text, "statistics", sure)


def _constant(profile: ColumnProfile, private: bool) -> Statement:
    value = profile.top_values[0].value if profile.top_values else profile.minimum
    where = "wherever it was filled" if profile.null_count else "in every row"
    what = "the same value" if private or value is None or not _quotable(value) else f"`{value}`"
    return _said(f"It held {what} {where} when it was measured.")


def _quotable(value: str) -> bool:
    short = 0 < len(value) <= LONGEST_VALUE and value == value.strip()
    return short and not _UNQUOTABLE.search(value) and not _LOOKS_PERSONAL.search(value)


def _value_set(profile: ColumnProfile, filled: int, head: str) -> Statement | None:
    """The values of a column that has a few only, each occurring often."""
    distinct = profile.distinct_count
    if distinct is None or not 2 <= distinct <= MOST_VALUES or filled < max(FEW_ROWS, 4 * distinct):
        return None
    if profile.kind is ValueKind.BOOLEAN or (profile.kind is ValueKind.NUMBER and head not in _CODES):
        return None
    if profile.kind not in (ValueKind.TEXT, ValueKind.NUMBER):
        return None
    values = [one.value for one in profile.top_values[:MOST_VALUES]]
    covered = sum(one.count for one in profile.top_values[:MOST_VALUES])
    if len(values) < 2 or not all(map(_quotable, values)):
        return None
    quoted = [f"`{value}`" for value in sorted(values, key=_in_order)]
    sampled = bool({"distinct_count", "top_values"} & set(profile.approximate))
    if not sampled and len(values) == distinct and covered >= filled:
        return Statement(f"One of {listed(quoted, MOST_VALUES, 'or')}.", "values", 0.9)
    return Statement(f"Values seen are {listed(quoted, MOST_VALUES)}.", "values", 0.8)


def _in_order(value: str) -> tuple[float, str]:
    """Numbers by their size, before texts."""
    try:
        return float(value), value
    except ValueError:
        return float("inf"), value


def is_flag(profile: ColumnProfile) -> bool:
    """Return whether a number is nothing but 0 and 1."""
    both = (profile.minimum, profile.maximum) == ("0", "1")
    return profile.kind is ValueKind.NUMBER and both and profile.distinct_count == 2


def _range(profile: ColumnProfile) -> Statement | None:
    low, high = profile.minimum, profile.maximum
    if low is None or high is None or low == high:
        return None
    if profile.kind is ValueKind.TEMPORAL:
        low, high = low[:10], high[:10]
    elif profile.kind is not ValueKind.NUMBER:
        return None
    if is_flag(profile):
        return _said("Either 0 or 1.")
    if low == high or _UNQUOTABLE.search(low + high) is not None:
        return None
    about = "about " if {"minimum", "maximum"} & set(profile.approximate) else ""
    return _said(f"Values run from {about}{low} to {about}{high}.", 0.85 if about else 0.9)


def _shape(profile: ColumnProfile, filled: int) -> Statement | None:
    """The one shape that nearly all texts have, when it is more than a run of letters or digits."""
    if profile.kind is not ValueKind.TEXT or not profile.patterns or filled < FEW_ROWS:
        return None
    first = profile.patterns[0]
    of = sum(one.count for one in profile.patterns)
    mixed = "9" in first.pattern and any(not sign.isdigit() for sign in first.pattern)
    if not mixed or len(first.pattern) > LONGEST_VALUE or _UNQUOTABLE.search(first.pattern):
        return None
    if first.count < 0.95 * max(of, 1) or (profile.distinct_count or 0) < FEW_ROWS:
        return None
    return _said(f"Values look like `{first.pattern}` (A a letter, 9 a digit).", 0.8)


def _gaps(profile: ColumnProfile, rows: int, nulls: int | None) -> list[Statement]:
    if nulls is None:
        return []
    found: list[Statement] = []
    if percent := round(100 * nulls / rows):
        found.append(_said(f"It is missing in about {min(percent, 99)} % of the rows."))
    elif nulls:
        found.append(_said("It is missing in fewer than 1 % of the rows."))
    if profile.blank_count and (percent := round(100 * profile.blank_count / rows)):
        found.append(_said(f"It is blank in about {min(percent, 99)} %."))
    return found
