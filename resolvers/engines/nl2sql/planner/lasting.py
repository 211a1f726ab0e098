"""Times between two moments: how old somebody is, whose birth alone is known, and how long something took."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.lives import BORN
from resolvers.engines.nl2sql.language.measures import measures_of, unit_behind
from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.language.plans import is_planned
from resolvers.engines.nl2sql.language.spans import back
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Comparison, Elapsed, Literal, Operator, Term, Unit
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.frame import Cond, Noun
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind

_AGE: Final = ("age",)
_OF_AGE: Final = frozenset(("old", "young"))
_OLD: Final = degree_of("old")
_OF_LENGTH: Final = frozenset(("long", "short"))
_LASTING: Final = frozenset(("last", "take", "stay"))
"""Verbs that say how long something was."""
_OLDEST: Final = 150
"""Years that nothing which has an age is older than."""
_FITS: Final = 0.85
"""How well the word for an age fits the day of a birth."""
_KNOWN: Final = 0.8
_BEYOND: Final = (["over"], ["under"], ["above"], ["below"], ["between"], ["past"], ["age"])
"""Words right before a number that may be an age."""
_NOTED: Final = word_set("create created update updated modify modified record recorded load loaded insert inserted")
_COMES: Final = word_set(
    "hire hired start started begin join joined employ employed enter member since register enroll"
)
"""Words of the days on which people come."""
_STARTS: Final = word_set("start begin from pickup departure depart check admission admit open in left issue order")
_TURNED: Final = {
    Operator.MORE: Operator.LESS,
    Operator.AT_LEAST: Operator.AT_MOST,
    Operator.LESS: Operator.MORE,
    Operator.AT_MOST: Operator.AT_LEAST,
}
_HOURS: Final = {"minute": Decimal(1) / 60, "min": Decimal(1) / 60, "hour": Decimal(1), "h": Decimal(1)}
_DAYS: Final = {"day": 1, "night": 1, "week": 7, "month": 30, "year": 365}


# How old.


def with_ages(linked: Linked, catalog: Catalog) -> Linked:
    """The mentions, with the days of birth that tell an age where no column is called so."""
    at = [place for place, token in enumerate(linked.tokens) if token.lemma == "age" and not token.quoted]
    known = {one.first for one in linked.mentions if one.column is not None and one.score >= _KNOWN}
    found = [
        Mention(place, place + 1, MentionKind.COLUMN, _FITS, "age", column=key)
        for place in at
        if place not in known
        for key in _births(catalog)
    ]
    return replace(linked, mentions=(*linked.mentions, *found)) if found else linked


def _births(catalog: Catalog) -> Iterator[ColumnKey]:
    yield from (key for table in catalog.tables for key in catalog.of(table) if is_birth(catalog, key))


def is_birth(catalog: Catalog, key: ColumnKey) -> bool:
    """Return whether a column tells the day of a birth."""
    said = BORN & set(catalog.words(key))
    return catalog.kind(key).tells_days and bool(said) and not said & {"death", "die", "dead", "deceased"}


def age_of(resolver: Resolver, noun: Noun, key: ColumnKey) -> Term:
    """Return what a column is asked for as: the years since a birth where it is an age, else the column."""
    ref, today = noun.ref, resolver.cut.linked.today
    said = tuple(resolver.cut.linked.words(ref.first, ref.last)) if ref is not None else ()
    asks = said == _AGE or (ref is None and noun.degree is not None and noun.degree.adjective in _OF_AGE)
    if not asks or today is None or not resolver.catalog.kind(key).tells_days:
        return as_column(key)
    meant = resolver.table(noun.owner) or (resolver.table(noun.near[0]) if noun.near else None)
    if meant is not None and meant != key.table:
        resolver.doubt("an age is asked for, and that of others is known", 0.3)
    return Elapsed(as_column(key), Literal("date", today.isoformat()), Unit.YEAR)


def says_old(resolver: Resolver, cond: Cond) -> bool:
    """Return whether what is compared with are years of age: `at least 40 years old`."""
    last = cond.values[-1].last if cond.values else 0
    behind = resolver.cut.linked.words(last, last + 2) if last else ()
    return len(behind) == 2 and behind[0] in _DAYS and behind[1] == "old"


def old_enough(resolver: Resolver, cond: Cond, tables: Sequence[str], last: ColumnKey | None) -> ColumnKey | None:
    """The column that tells an age, where a number is one: so many years old, or of who was born just a number."""
    catalog, table = resolver.catalog, tables[0] if tables else None
    if says_old(resolver, cond):
        before = resolver.cut.linked.words(0, cond.values[0].first)[-2:]
        if last is not None and before[:1] in (["that"], ["which"], ["who"]):
            tables = [last.table, *tables]  # a dog that is 3 years old
        found = resolver.measured(_OLD, list(tables)) if _OLD is not None else None
        return found[0] if found is not None else None
    numbers = [one for ref in cond.values for one in _whole(ref)]
    unit = unit_behind(resolver.cut.linked.tokens, cond.values[-1].last) if cond.values else ""
    if table is None or measures_of(unit):
        return None
    if not numbers or not all(one <= _OLDEST for one in numbers) or not _is_said_of(resolver, cond):
        return None
    births = [key for key in catalog.of(table) if is_birth(catalog, key)]
    if len(births) == 1:
        resolver.doubt("a number is taken for an age", 0.1)
    return births[0] if len(births) == 1 else None


def _is_said_of(resolver: Resolver, cond: Cond) -> bool:
    """Return whether nothing but people, or what they are, stands right before what is compared: patients over 60.

    What they have or do more than so many of is counted.
    """
    if resolver.cut.linked.words(0, cond.values[0].first)[-1:] not in _BEYOND:
        return False
    before = [atom for atom in resolver.cut.atoms if atom.last <= cond.values[0].first and not atom.is_(Cue.COMPARE)]
    while before and before[-1].is_(Cue.BE, Cue.BETWEEN, Cue.THAN):
        before.pop()
    return bool(before) and before[-1].ref is not None and may_be_table(before[-1].ref)


def aged(resolver: Resolver, cond: Cond, key: ColumnKey, operator: Operator) -> Comparison | None:
    """`older than 40`, `an age of at least 18`: born before or after a day; None where no age is compared."""
    today, noun = resolver.cut.linked.today, cond.noun
    ref = noun.ref if noun is not None else None
    named = ref is not None and tuple(resolver.cut.linked.words(ref.first, ref.last)) == _AGE
    said = cond.degree is not None and cond.degree.adjective in _OF_AGE
    named = named or (cond.degree is None and noun is None and is_birth(resolver.catalog, key))
    if today is None or not (named or said) or not resolver.catalog.kind(key).tells_days or cond.nest is not None:
        return None
    said_of = [_whole(ref) for ref in cond.values]
    numbers = [one for found in said_of for one in found]
    if not all(said_of) or not numbers or max(numbers) > _OLDEST * 12:
        return None
    resolver.cut.turned.update(at for one in cond.values for at in range(one.first, one.last))
    unit = {"month": Unit.MONTH, "week": Unit.WEEK, "day": Unit.DAY}.get(
        unit_behind(resolver.cut.linked.tokens, cond.values[0].last), Unit.YEAR
    )
    resolver.used.update((one.first, one.last) for one in cond.values)
    operator = _TURNED.get(operator, operator) if named and not said else operator
    days = [back(today, number, unit) for number in numbers]
    if operator in (Operator.BETWEEN, Operator.EQUAL, Operator.IN):
        oldest = back(today, max(numbers) + 1, unit) + timedelta(days=1)
        return Comparison(as_column(key), Operator.BETWEEN, (_day(oldest), _day(max(days))), cond.negated)
    if operator is Operator.AT_LEAST:  # 40 at most, and not yet 41
        return Comparison(as_column(key), Operator.MORE, (_day(back(today, numbers[0] + 1, unit)),), cond.negated)
    return Comparison(as_column(key), operator, (_day(days[0]),), cond.negated)


def _whole(ref: Ref) -> list[int]:
    """The whole numbers that words are, one or two."""
    return [int(one) for one in _numbers(ref) if one == int(one)]


def _day(day: date) -> Literal:
    return Literal("date", day.isoformat())


# How long.


def lasting(resolver: Resolver, table: str | None, unit: Unit | None = None) -> Elapsed | None:
    """The time from the beginning to the end of the rows of a table, where two of its columns tell them."""
    catalog = resolver.catalog
    ends = _ends(catalog, table, resolver.cut.linked) if table is not None else None
    if ends is None:
        return None
    first, last = ends
    told = unit or (Unit.DAY if catalog.kind(first) is ColumnKind.DATE else Unit.HOUR)
    if told in (Unit.HOUR, Unit.MINUTE) and catalog.kind(first) is ColumnKind.DATE:
        return None
    return Elapsed(as_column(first), as_column(last), told)


def _ends(catalog: Catalog, table: str, linked: Linked) -> tuple[ColumnKey, ColumnKey] | None:
    """The two columns of a table that tell when its rows begin and end: named, or the only two that may."""
    if linked.length is not None:
        return linked.length if linked.length[0].table == table else None
    times = [key for key in catalog.of(table) if catalog.kind(key).tells_days]
    times = [key for key in times if not (is_planned(words := catalog.words(key)) or set(words) & (_NOTED | BORN))]
    if len(times) != 2 or catalog.kind(times[0]) is not catalog.kind(times[1]):
        return None
    first, last = times
    if set(catalog.words(last)) & _STARTS and not set(catalog.words(first)) & _STARTS:
        return last, first
    return first, last


def with_lengths(linked: Linked, catalog: Catalog) -> Linked:
    """The mentions, with the moments that tell a length where no column is called so."""
    known = {one.first for one in linked.mentions if one.column is not None and one.score >= _NAMED}
    said = [at for at, token in enumerate(linked.tokens) if token.lemma in _DURATIONS and not token.quoted]
    at = [place for place in said if place not in known]
    ends = [pair for table in catalog.tables if (pair := _ends(catalog, table, linked)) is not None] if at else []
    found = [
        Mention(place, place + 1, MentionKind.COLUMN, _NAMED, _LENGTH, column=first)
        for place in at
        for first, _ in ends
    ]
    return replace(linked, mentions=(*linked.mentions, *found)) if found else linked


def is_length(noun: Noun) -> bool:
    """Return whether nothing is called by a noun but moments that a length may lie between."""
    ref = noun.ref
    return ref is not None and bool(ref.columns) and all(one.how == _LENGTH for one in ref.columns) and not ref.tables


_NAMED: Final = 0.75
"""How well words must be what a column is called, and how well a length fits the moments that it lies between."""
_LENGTH: Final = "length"
"""How such a moment is known."""


def says_how_long(resolver: Resolver, adjective: str, table: str | None) -> Elapsed | None:
    """How long rows last by their two moments, where an adjective asks for it and no number of theirs tells it."""
    if adjective not in _OF_LENGTH or table is None or _has_length(resolver, table):
        return None
    tokens = resolver.cut.linked.tokens
    said = [one.lemma for before, one in pairwise(tokens) if before.lemma == "in"]
    unit = next((Unit.DAY if word == "day" else Unit.HOUR for word in said if word in ("day", "hour")), None)
    if resolver.catalog.vocabulary.is_person(table):
        return None  # who has been here the longest came first
    found = lasting(resolver, table, unit)
    happens = any(key.table == table for key in resolver.catalog.keys) or not _LASTING.isdisjoint(
        token.lemma for token in tokens
    )
    if found is not None and not happens:
        resolver.doubt("the time between two dates is taken for a length", 0.25)
    return found


def duration_of(resolver: Resolver, noun: Noun) -> Elapsed | None:
    """`the average length of a visit`, of which only two moments are known: the time between them."""
    ref, tokens = noun.ref, resolver.cut.linked.tokens
    words = resolver.cut.linked.words(ref.first, ref.last) if ref is not None else ()
    if ref is None or len(words) != 1 or words[0] not in _DURATIONS:
        return None
    table = resolver.table(noun.owner) or (resolver.table(noun.near[0]) if noun.near else resolver.subject())
    if (
        table is None
        and len(moments := {one.column.table for one in ref.columns if one.column and is_length(noun)}) == 1
    ):
        table = moments.pop()
    if table is None or _has_length(resolver, table):
        return None
    named = ((at, _IN.get(token.lemma)) for at, token in enumerate(tokens) if at and tokens[at - 1].lemma == "in")
    at, unit = next(((at, unit) for at, unit in named if unit is not None), (0, None))
    found = lasting(resolver, table, unit)
    if found is not None and at:
        resolver.used.add((at, at + 1))
        for left in (resolver.frame.loose, resolver.frame.unknown):
            left[:] = [span for span in left if span != (at, at + 1)]
    return found


_DURATIONS: Final = frozenset(("length", "duration"))
_IN: Final = {"minute": Unit.MINUTE, "hour": Unit.HOUR, "day": Unit.DAY}


def since_when(resolver: Resolver, adjective: str, table: str) -> ColumnKey | None:
    """The day since which people are somewhere, where they are asked for who have been there the longest."""
    catalog = resolver.catalog
    goes_on = any(token.text.lower() == "been" for token in resolver.cut.linked.tokens)
    if adjective not in _OF_LENGTH or not (goes_on or catalog.vocabulary.is_person(table)):
        return None
    times = [key for key in catalog.of(table) if catalog.kind(key).tells_days]
    found = [key for key in times if _COMES & set(catalog.words(key))]
    return found[0] if len(found) == 1 else None


def _has_length(resolver: Resolver, table: str) -> bool:
    """Return whether a number of a table tells how long its rows are, and nobody names two days."""
    if resolver.cut.linked.length is not None:
        return False
    lengths = {"length", "duration", "minute", "min", "second", "millisecond", "hour", "runtime", "day", "night"}
    catalog = resolver.catalog
    return any(catalog.is_measure(key) and set(catalog.words(key)) & lengths for key in catalog.of(table))


def took(resolver: Resolver, cond: Cond, operator: Operator, table: str) -> Comparison | None:
    """`lasted more than 7 days`, `longer than 2 hours`: the time between two moments beside so much of it."""
    verbs = {token.lemma for token in resolver.cut.linked.tokens}
    long = cond.degree is not None and cond.degree.adjective in _OF_LENGTH
    if not (long or (cond.degree is None and cond.noun is None and verbs & _LASTING)):
        return None
    if _has_length(resolver, table) or not cond.values or cond.nest is not None:
        return None
    said = unit_behind(resolver.cut.linked.tokens, cond.values[-1].last)
    numbers = [next(iter(_numbers(ref)), None) for ref in cond.values]
    days = _DAYS.get(said)
    size = Decimal(days) if days is not None else _HOURS.get(said)
    found = lasting(resolver, table, Unit.DAY if days is not None else Unit.HOUR)
    if size is None or found is None or not all(isinstance(one, Decimal) for one in numbers):
        return None
    resolver.used.update((ref.first, ref.last) for ref in cond.values)
    right = tuple(Literal("number", round(one * size, 4).normalize()) for one in numbers if one is not None)
    if len(right) != (2 if operator is Operator.BETWEEN else 1):
        return None
    return Comparison(found, operator, right, cond.negated)


def without_unit(resolver: Resolver, cond: Cond) -> Cond:
    """`older than 5 years`, `lasted more than 7 days`: the unit behind a number is no column that is compared."""
    ref = cond.noun.ref if cond.noun is not None else None
    if ref is None or not cond.values or cond.values[-1].last != ref.first or cond.nest is not None:
        return cond
    words = resolver.cut.linked.words(ref.first, ref.last)
    verbs = {token.lemma for token in resolver.cut.linked.tokens}
    adjective = cond.degree.adjective if cond.degree is not None else ""
    said = adjective in _OF_AGE | _OF_LENGTH if adjective else bool(verbs & _LASTING)
    return replace(cond, noun=None) if said and len(words) == 1 and words[0] in (*_DAYS, *_HOURS) else cond


def _numbers(ref: Ref) -> list[Decimal]:
    """The numbers that words are, one or two."""
    found = (one.values for one in ref.literals if one.values and one.values[0].kind == "number")
    return [one.value for one in next(found, ()) if isinstance(one.value, Decimal)]
