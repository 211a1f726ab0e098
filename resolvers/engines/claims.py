"""A small language of claims about data: what a sentence, a flag or a rule asserts, and what the evidence says to it.

Whatever is proposed goes through here before it is written: a claim that the profile contradicts does not come out.
The evidence only ever contradicts; that nothing speaks against a claim does not prove it. What a sample or a statistic
shows to be broken is broken, so approximate figures count where they can only be too kind.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import prod
from typing import Final

from schema.data_readiness.profile import ColumnProfile, TableProfile

LONGEST: Final = 255
"""Values of a profile are cut off after so many characters, and then say nothing."""


@dataclass(frozen=True, slots=True)
class Unique:
    """No two rows agree in all of the columns; rows without a value in one of them count for nothing."""

    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NeverNull:
    """Every row has a value."""

    column: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """Every value is one of these; blank texts are no values."""

    column: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InRange:
    """No value lies before the first or after the last; None for no bound."""

    column: str
    least: str | None
    most: str | None


@dataclass(frozen=True, slots=True)
class RefersTo:
    """Every value occurs in columns of a table, `target` being the FQN or its last part."""

    columns: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class AsManyAs:
    """A figure comes to a number: rows of the table, or different values of a column."""

    column: str | None
    number: int


@dataclass(frozen=True, slots=True)
class MostCommon:
    """No value occurs more often."""

    column: str
    value: str


Claim = Unique | NeverNull | OneOf | InRange | RefersTo | AsManyAs | MostCommon


def broken_share(claim: Claim, profile: TableProfile) -> float:
    """Return the share of rows that are known to break a claim, 0 to 1; 0 where nothing speaks against it."""
    columns = {one.name: one for one in profile.columns}
    match claim:
        case Unique(names):
            return _repeated(names, columns, profile)
        case RefersTo(names, target):
            return _orphaned(names, target, profile)
        case AsManyAs(None, number):
            return float("row_count" not in profile.approximate and number != profile.row_count)
    figures = columns.get(claim.column or "")
    if figures is None or not figures.row_count:
        return 0.0
    match claim:
        case NeverNull():
            return (figures.null_count or 0) / figures.row_count
        case OneOf(_, values):
            return _beside(figures, values)
        case InRange(_, least, most):
            return _outside(figures, least, most)
        case MostCommon(_, value):
            return float(_is_rarer(figures, value))
        case AsManyAs(_, number):
            known = figures.distinct_count is not None and "distinct_count" not in figures.approximate
            return float(known and number != figures.distinct_count)
    return 0.0


def is_contradicted(claims: Iterable[Claim], profile: TableProfile | None) -> bool:
    """Return whether a profile contradicts any of the claims."""
    return profile is not None and any(broken_share(claim, profile) > 0 for claim in claims)


def _repeated(names: Sequence[str], columns: dict[str, ColumnProfile], profile: TableProfile) -> float:
    """The share of rows that must have their like: more rows than there are different values for them."""
    figures = [columns[name] for name in names if name in columns]
    if len(figures) != len(names) or not figures or not profile.row_count:
        return 0.0
    rows = figures[0].row_count
    exact = all(
        one.distinct_count is not None and one.null_count is not None
        and not {"distinct_count", "null_count"} & set(one.approximate)
        for one in figures
    )  # fmt: skip
    share = 0.0
    if exact and rows:
        filled = rows - min(rows, sum(one.null_count or 0 for one in figures))
        share = max(share, (filled - prod(one.distinct_count or 0 for one in figures)) / rows)
    if len(figures) == 1 and rows:
        share = max(share, sum(count - 1 for count in _seen(figures[0]).values() if count > 1) / rows)
    for key in profile.candidate_keys:
        known = key.is_exact and frozenset(key.columns) == frozenset(names)
        if known and not any(one.null_count for one in figures):
            share = max(share, 1 - key.uniqueness)
    return share


def _seen(figures: ColumnProfile) -> dict[str, int]:
    """The frequent values and in how many rows each was really seen: those of a sample were scaled to the table."""
    seen = 1.0
    if "top_values" in figures.approximate:
        seen = min(1.0, (figures.sample_size or 0) / max(1, figures.row_count))
    counts = {one.value: one.count * seen for one in figures.top_values if len(one.value) <= LONGEST}
    return {value: int(count + 0.1) for value, count in counts.items()}


def _beside(figures: ColumnProfile, values: Sequence[str]) -> float:
    """The share of rows with another value than those."""
    allowed = {_plain(value) for value in values}
    others = [one for one in figures.top_values if one.value.strip() and len(one.value) <= LONGEST]
    share = sum(one.count for one in others if _plain(one.value) not in allowed) / figures.row_count
    blank = 1 if figures.blank_count else 0
    if figures.distinct_count is not None and "distinct_count" not in figures.approximate:
        # Blanks may be written in several ways, so where there are some the number of values says little.
        more = 0 if blank else figures.distinct_count - len(allowed)
        share = max(share, more / figures.row_count)
    ends = [value for value in (figures.minimum, figures.maximum) if value and value.strip() and len(value) <= LONGEST]
    if any(_plain(value) not in allowed for value in ends):
        share = max(share, 1 / figures.row_count)
    return share


def _outside(figures: ColumnProfile, least: str | None, most: str | None) -> float:
    """The share of rows that are known to lie beyond the bounds."""
    count = sum(one.count for one in figures.top_values if _is_outside(one.value, least, most))
    known = [value for value in (figures.minimum, figures.maximum) if value is not None]
    count = max(count, int(any(_is_outside(value, least, most) for value in known)))
    return count / figures.row_count


def _is_outside(value: str, least: str | None, most: str | None) -> bool:
    """Return whether a value lies beyond bounds that it can be compared with: as numbers, or as moments."""
    low, high = (None if bound is None else _order(value, bound) for bound in (least, most))
    return (low is not None and low < 0) or (high is not None and high > 0)


def _order(value: str, bound: str) -> int | None:
    """Return -1, 0 or 1 as a value lies before, at or after a bound; None when they cannot be compared.

    A bound that is written shorter than the value, as a day beside a moment, stands for all that begins so.
    """
    try:
        one, other = float(value), float(bound)
        shown = len(bound.partition(".")[2])
        if abs(one - other) <= 0.5 * 10.0**-shown * bool(shown):
            return 0  # rounded as it is written
        return (one > other) - (one < other)
    except ValueError:
        pass
    short = value[: len(bound)]
    try:
        datetime.fromisoformat(value)
        if len(bound) not in (4, 7):
            datetime.fromisoformat(bound)
    except ValueError:
        return None
    return (short > bound) - (short < bound)


def _orphaned(names: Sequence[str], target: str, profile: TableProfile) -> float:
    found = [
        1 - one.match_rate
        for one in profile.foreign_keys
        if tuple(one.columns) == tuple(names) and target in (one.target_fqn, one.target_fqn.rpartition(".")[2])
    ]
    return min(found, default=0.0)


def _is_rarer(figures: ColumnProfile, value: str) -> bool:
    """Return whether another value occurs more often, by more than a sample may err."""
    if not figures.top_values or "top_values" in figures.approximate:
        return bool(figures.top_values) and _plain(value) not in {_plain(one.value) for one in figures.top_values}
    own = next((one.count for one in figures.top_values if _plain(one.value) == _plain(value)), 0)
    return max(one.count for one in figures.top_values) > own


def _plain(value: str) -> str:
    """A value as it is compared: numbers by what they are worth."""
    try:
        return f"{float(value):.12g}"
    except ValueError:
        return value.strip()


_QUOTED: Final = re.compile(r"`([^`]+)`")
_UNIQUE: Final = re.compile(
    r"(?<!not )(?<!non-)(?<!no longer )\bunique(?:ly)?\b(?! to\b)|\bno two\b|\bno value (?:occurs|is there) twice|"
    r"\bidentif(?:y|ies|ied)\b|\bnever repeat|\bno duplicates?\b|\b(?:different|distinct) (?:in|for) every row",
    re.IGNORECASE,
)
_TOGETHER: Final = re.compile(r"\b(?:together|combin\w+|along) with\b|\bwithin (?:a|an|the|each)\b", re.IGNORECASE)
_FILLED: Final = re.compile(
    r"\bnever (?:null|missing|empty|blank)|\balways (?:filled|present|set|has|have|given)|"
    r"\b(?:held|holds|has|have)\b[^.]*\bin every row\b|"
    r"\bno (?:nulls?|missing values?|empty values?)\b|\bnot null\b|\bwithout (?:nulls|gaps|missing)",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(r"\b(?:one of|either|only|always|held|holds?) (?=`)", re.IGNORECASE)
_EITHER: Final = re.compile(r"\beither (-?[\w.]+) or (-?[\w.]+)\b", re.IGNORECASE)
_BOUND: Final = r"`?(-?\d+(?:\.\d+)?(?:-\d\d(?:-\d\d)?)?)`?"
_RANGE: Final = re.compile(rf"\b(?:from|between) {_BOUND} (?:to|and|until|up to) {_BOUND}(?![\w%])", re.IGNORECASE)
_COMMON: Final = re.compile(r"\bmost (?:common|frequent|often|commonly|frequently)\b[^`.]*`([^`]+)`", re.IGNORECASE)
_REFERS: Final = re.compile(r"\brefers to\b.*`([^`.]+)\.[^`]+`", re.IGNORECASE)
_ROWS: Final = re.compile(r"\b(?:has|have|holds?|of) (?:exactly )?(\d[\d,]*) rows\b", re.IGNORECASE)
_DIFFERENT: Final = re.compile(r"\b(\d[\d,]*) (?:different|distinct|unique) (?:values?|\w+)\b", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z`“])")


def claims_in(text: str, column: str | None) -> list[Claim]:
    """Return what a text claims of a column, or of the table itself for None, as far as its words are known."""
    found: list[Claim] = []
    for said in sentences(text):
        found += _of_column(said, column) if column is not None else _of_table(said)
    return found


def _of_column(said: str, column: str) -> list[Claim]:
    found: list[Claim] = []
    quoted = tuple(_QUOTED.findall(said))
    if different := _DIFFERENT.search(said):
        found.append(AsManyAs(column, _whole(different[1])))
    elif _UNIQUE.search(said):
        if not _TOGETHER.search(said):
            found.append(Unique((column,)))
        elif quoted:
            found.append(Unique((column, *(name for name in quoted if name != column))))
    if _FILLED.search(said):
        found.append(NeverNull(column))
    if either := _EITHER.search(said):
        found.append(OneOf(column, (either[1], either[2])))
    elif quoted and _ONE_OF.search(said):
        found.append(OneOf(column, quoted))
    if "about" not in said and (bounds := _RANGE.search(said)):
        found.append(InRange(column, bounds[1], bounds[2]))
    if common := _COMMON.search(said):
        found.append(MostCommon(column, common[1]))
    if refers := _REFERS.search(said):
        found.append(RefersTo((column,), refers[1]))
    return found


def _of_table(said: str) -> list[Claim]:
    found: list[Claim] = []
    if (by := re.search(r"\bidentified by (.*)", said)) and (names := _QUOTED.findall(by[1])):
        found.append(Unique(tuple(names)))
    if rows := _ROWS.search(said):
        found.append(AsManyAs(None, _whole(rows[1])))
    return found


def _whole(text: str) -> int:
    return int(text.replace(",", ""))


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [one for one in _SENTENCE.split(text.strip()) if one]


def without_claims(text: str) -> str:
    """A text without the sentences that claim something of values: they hold where they were written only."""
    return " ".join(one for one in sentences(text) if not claims_in(one, "") and not _FIGURES.search(one))


_FIGURES: Final = re.compile(r"\d|%|\b(?:blank|missing|values? (?:look|seen|run))\b", re.IGNORECASE)
