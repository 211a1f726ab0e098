"""Defines how each recogniser does on a column's values.

What counts is the column, not the value: of `tested` distinct values `matched` passed, and among other things of the
same form a share of `chance` would. The match's strength is the log-likelihood ratio of what was seen against that
chance, `tested * KL(share || chance)`, less the logarithm of how many recognisers of the tag were tried, so that the
best of fifty does not win by luck. A share below the recogniser's floor speaks against it, by the same measure.
Values that share their beginning (a block of numbers that was counted up) are not independent of one another and count
once. Ratios are cut off at +-`ENOUGH` nats and scaled to +-1: beyond that, more rows of the same tell nothing new.
"""

import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from stdnum import ean, isbn, isin, issn

from resolvers.engines.recognition.contact import CONTACT
from resolvers.engines.recognition.hints import hint
from resolvers.engines.recognition.lists import CITIES, LANGUAGES, SPEECHLESS
from resolvers.engines.recognition.model import (
    FIRST_LOOK,
    LONGEST,
    ColumnValues,
    Recognizer,
    RecognizerMatch,
    Strength,
)
from resolvers.engines.recognition.numbers import NUMBERS
from resolvers.engines.recognition.people import PEOPLE, TRAITS, family_name, given_name, is_company, names_a_thing
from resolvers.engines.recognition.places import PLACES
from resolvers.engines.recognition.secrets import SECRETS
from resolvers.engines.recognition.sentences import MOST_EXAMPLES, example, placed, within_sentences
from resolvers.engines.recognition.wholes import (
    ages,
    births,
    degrees,
    diagnoses,
    few,
    genders,
    is_abbreviation,
    is_dates,
    is_periods,
    loose_phones,
    plates,
    usernames,
)
from schema.data_readiness.source import ColumnFacts

ENOUGH: Final = 8.0
"""Nats of evidence beyond which more rows tell nothing new."""

_LOOKS: Final = (12, FIRST_LOOK)
"""After so many values a recogniser gives up when hardly one has passed."""

SHORT: Final = 6
"""Digits that differ in a column, up to which a region's rules say nothing: too much else is numbered so."""

ENOUGH_TITLES: Final = 8
"""Distinct values from which their number of words tells names of things from those of persons."""

NUMBERS_OF_ONE: Final = frozenset({"NationalId", "TaxId", "HealthId"})
"""Numbers of one person each, whose check digits other numbers have as well."""
KINDS: Final = 50
ROWS_OF_A_KIND: Final = 15
"""Different numbers, at most, and rows for each, at least, that number kinds of things."""

DIGITS: Final = "0123456789"

MOST_PATHS: Final = 60
"""Fields of JSON documents that are looked at."""

RECOGNIZERS: Final[tuple[Recognizer, ...]] = (*CONTACT, *NUMBERS, *SECRETS, *PEOPLE, *TRAITS, *PLACES)
"""Every recogniser of single values."""

_TRIED: Final = {tag: math.log(sum(one.tag == tag for one in RECOGNIZERS)) for tag in {one.tag for one in RECOGNIZERS}}


_NUMBERED: Final = frozenset(one for one in NUMBERS if one.strength in (Strength.CHECKED, Strength.PROOF))
_CHECKS: Final = math.log(len(_NUMBERED))
"""How many schemes of check digits a column of digits is tried for: all of them are one test, whatever their tags."""


def divergence(share: float, chance: float) -> float:
    """Nats that one value tells, of which `share` passed where `chance` would."""
    chance = min(max(chance, 1e-9), 1 - 1e-9)
    told = 0.0
    if share > 0:
        told += share * math.log(share / chance)
    if share < 1:
        told += (1 - share) * math.log((1 - share) / (1 - chance))
    return told


def nats_of(recognizer: Recognizer, tested: int, matched: int, independent: int, chance: float) -> float:
    """Return what a share of a column's values tells, see above; below nought it speaks against the tag."""
    if not tested:
        return 0.0
    share = matched / tested
    counted = min(tested, independent)
    if share < recognizer.floor or share <= chance:
        return -counted * divergence(share, recognizer.floor)
    told = counted * divergence(share, chance)
    if recognizer in _NUMBERED and share < 1:
        # Some of them passed: which ones is as free as which scheme.
        told -= math.log(math.comb(counted, min(counted, round(share * counted))))
    return max(0.0, told - (_CHECKS if recognizer in _NUMBERED else _TRIED[recognizer.tag]))


def strength_of(nats: float) -> float:
    """-1 to 1."""
    return max(-1.0, min(1.0, nats / ENOUGH))


def _filled(recognizer: Recognizer, text: str) -> Iterator[str]:
    yield text
    if text.isdigit():
        for width in recognizer.width:
            if width - 3 <= len(text) < width:
                yield text.zfill(width)


def _try(recognizer: Recognizer, column: ColumnValues) -> RecognizerMatch | None:
    test, numeric = recognizer.test, column.is_number
    tested = matched = 0
    for text in column.distinct[: recognizer.most]:
        tested += 1
        if len(text) <= recognizer.longest and (
            any(test(one) for one in _filled(recognizer, text)) if numeric else test(text)
        ):
            matched += 1
        if tested in _LOOKS and matched < 2 and matched < 0.5 * recognizer.floor * tested:
            break
        if tested == FIRST_LOOK and matched < 0.5 * recognizer.floor * tested and recognizer.floor > 0.6:
            break
    independent, chance = tested, recognizer.chance
    if recognizer.shuffled and matched >= recognizer.floor * tested:
        chance = max(chance, _by_chance(recognizer, column))
        if column.share_of(_is_short) > 0.5:
            chance = max(chance, _redrawn(recognizer, column))
    formed = recognizer.strength in (Strength.SHAPE, Strength.FORM) or recognizer.tag == "PhoneNumber"
    if formed and column.length >= 6:
        independent = max(1, min(tested, column.prefixes))
    nats = nats_of(recognizer, tested, matched, independent, chance)
    if not tested:
        return None
    if recognizer.ceiling < 1:
        nats = min(nats, ENOUGH * recognizer.ceiling)
    return RecognizerMatch(recognizer, tested, matched, matched / tested, strength_of(nats), nats)


def _by_chance(recognizer: Recognizer, column: ColumnValues) -> float:
    """The share of values that pass though their digits stand in another order: what the form alone is worth."""
    passed = tried = 0
    for text in column.distinct[:40]:
        places = [place for place, character in enumerate(text) if character.isdigit()]
        for turn in (len(places) // 2, len(places) // 3 + 1):
            moved = list(text)
            for place, other in zip(places, places[turn:] + places[:turn], strict=True):
                moved[place] = text[other]
            tried += 1
            passed += recognizer.test("".join(moved))
    return (passed + 1) / (tried + 2)


def _is_short(text: str) -> bool:
    """Return whether it has as few digits as the numbers of small countries, where nearly any of them is valid."""
    return sum(map(str.isdigit, text)) <= 8


def _redrawn(recognizer: Recognizer, column: ColumnValues) -> float:
    """The share of numbers that pass though all their digits are drawn anew: as any, or as others have at that place.

    What stands at a place in every number stays, and where few digits stand there, such as those that areas are
    numbered with, a region may let all of these pass and hardly any other.
    """
    texts = column.distinct[:40]
    shortest = min(map(len, texts))
    seen = [sorted({text[place] for text in texts} & set(DIGITS)) for place in range(shortest)]
    drawn = random.Random(len(texts))  # noqa: S311 - a simulation, the same each time
    return max(_passing(recognizer, texts, seen, drawn, alike) for alike in (False, True))


def _passing(
    recognizer: Recognizer, texts: Sequence[str], seen: Sequence[Sequence[str]], drawn: random.Random, alike: bool
) -> float:
    """The share of texts that pass with other digits: those seen at the place, or any where several were seen."""
    passed = tried = 0
    for text in texts:
        for _ in range(2):
            anew = "".join(
                drawn.choice(seen[place] if place < len(seen) and (alike or len(seen[place]) == 1) else DIGITS)
                if sign.isdigit() else sign
                for place, sign in enumerate(text)
            )  # fmt: skip
            tried += 1
            passed += recognizer.test(anew)
    return (passed + 1) / (tried + 2)


def _within(recognizer: Recognizer, column: ColumnValues) -> RecognizerMatch | None:
    """Candidates that stand in longer text: what counts is how many of them pass, and in how many values."""
    assert recognizer.embedded is not None
    candidates = passed = hits = rows = tested = 0
    examples: list[str] = []
    for text in column.distinct:
        tested += 1
        hit = False
        for number, found in enumerate(recognizer.embedded.finditer(text[:LONGEST])):
            if number == 20:
                break
            candidates += 1
            good = recognizer.test(found.group())
            passed += good
            if good and not hit and len(examples) < MOST_EXAMPLES:
                examples.append(example(text, *found.span()))
            hit = hit or good
        hits += hit
        rows += column.counted[text] if hit else 0
    if not hits or passed < 0.5 * candidates or (hits < 2 and hits < 0.02 * tested):
        return None
    chance = max(
        recognizer.chance, 0.3 if recognizer.strength is Strength.SHAPE or recognizer.tag == "IpAddress" else 0.01
    )
    nats = passed * divergence(passed / candidates, chance)
    share = rows / sum(column.counted[text] for text in column.distinct)
    told = replace(recognizer, reason=placed(recognizer.reason, passed, examples))
    return RecognizerMatch(told, tested, hits, share, strength_of(nats), nats, "text")


def matches(column: ColumnValues, now: datetime) -> list[RecognizerMatch]:
    """Return how every recogniser that could apply did on the column, those that speak against it as well."""
    if not column.distinct or column.is_boolean:
        return []
    found: list[RecognizerMatch] = []
    if column.documents:
        return _documents(column, now)
    if column.is_moment or is_dates(column):
        found += births(column, now)
        if column.is_moment:
            return found
    meaningless = column.is_uuid or column.is_sequence or is_epoch(column) or is_periods(column)
    other = _other_code(column)
    for recognizer in RECOGNIZERS:
        if not _may_apply(recognizer, column, meaningless):
            continue
        match = _try(recognizer, column) if column.length <= recognizer.longest + 20 else None
        if match is not None and recognizer.strength is Strength.CHECKED and other > match.share + 0.03:
            continue  # a code of trade has the same check digit
        if match is not None:
            found.append(match)
        if recognizer.embedded is not None and (match is None or match.strength <= 0) and column.length > 15:
            inner = _within(recognizer, column)
            if inner is not None:
                found.append(inner)
    return [*_column_wide(column, found), *within_sentences(column)]


def _may_apply(recognizer: Recognizer, column: ColumnValues, meaningless: bool) -> bool:
    """Return whether values of this type and length could be what a recogniser looks for."""
    if column.is_number and not recognizer.digits_only and recognizer.tag != "Coordinates":
        return False
    if column.is_binary and recognizer.tag not in ("Biometric", "PasswordHash"):
        return False
    if meaningless and recognizer.strength is not Strength.PROOF:
        return False
    if recognizer.tag in NUMBERS_OF_ONE and _numbers_kinds(column) and not hint(column.facts.name, recognizer.tag):
        return False
    return bool(column.length <= recognizer.longest + 20 or recognizer.embedded)


def is_epoch(column: ColumnValues) -> bool:
    """Return whether they are seconds or milliseconds since 1970, of the years 2000 to 2033."""
    numbers = column.integers
    if len(numbers) < 3:
        return False
    return (numbers[0] >= 946_000_000 and numbers[-1] < 2_000_000_000) or (
        numbers[0] >= 946_000_000_000 and numbers[-1] < 2_000_000_000_000
    )


def is_years(column: ColumnValues) -> bool:
    """Return whether they are years of the calendar."""
    numbers = column.integers
    return bool(numbers) and numbers[0] >= 1700 and numbers[-1] <= 2100


def _other_code(column: ColumnValues) -> float:
    """The share of values that are codes of goods, papers or securities."""
    kinds = (isbn.is_valid, ean.is_valid, isin.is_valid, issn.is_valid)
    return max(column.share_of(lambda text, kind=kind: bool(kind(text))) for kind in kinds)  # type: ignore[misc]


def _column_wide(column: ColumnValues, found: list[RecognizerMatch]) -> list[RecognizerMatch]:
    """Drop what the column as a whole speaks against, though its values pass one by one."""
    things = _is_of_things(column) or (_are_titles(column) and not hint(column.facts.name, "PersonName"))
    bare = column.share_of(str.isdigit)
    no_telephones = _has_check_digits(found) or (_is_too_short(column) and not hint(column.facts.name, "PhoneNumber"))
    kept = []
    for match in found:
        tag = match.recognizer.tag
        if tag == "PersonName" and things:
            continue
        if match.recognizer.name == "nationality" and _are_languages(column):
            continue
        if tag == "PhoneNumber" and no_telephones and match.recognizer.strength is not Strength.PROOF:
            continue  # no telephone number has a check digit, or so few digits
        if tag in ("Gender", "BloodType", "MaritalStatus", "Religion", "Ethnicity") and not few(column, tag):
            continue
        if tag == "Coordinates" and match.recognizer.name == "coordinate" and (decimals := degrees(column)) < 4:
            continue
        if tag == "Coordinates" and match.recognizer.name == "coordinate" and decimals < 5:
            match = replace(match, strength=0.5 * match.strength)
        if match.recognizer.shuffled and bare > 0.6:
            # Digits without any grouping could number anything.
            match = replace(match, recognizer=replace(match.recognizer, strength=Strength.SHAPE))
        if tag == "PersonName" and match.recognizer.strength is Strength.SHAPE and is_abbreviation(column):
            continue
        if tag == "Postcode" and _are_no_postcodes(column, match.recognizer):
            continue
        kept.append(match)
    kept += ages(column) + usernames(column)
    for judge in (diagnoses, plates, loose_phones, genders):
        kept = judge(column, kept)
    return _without_rivals(kept)


def _numbers_kinds(column: ColumnValues) -> bool:
    """Return whether a few numbers come again in very many rows: those of kinds of things, such as tests and goods."""
    return len(column.counted) <= KINDS and column.rows >= ROWS_OF_A_KIND * len(column.counted)


def _are_languages(column: ColumnValues) -> bool:
    """Return whether they are languages: some that no nation is named after, or no nation that has none of its own."""
    if column.share_of(lambda text: text.lower() in LANGUAGES):
        return True
    return not hint(column.facts.name, "Country") and not column.share_of(lambda text: text.lower() in SPEECHLESS)


def _are_no_postcodes(column: ColumnValues, recognizer: Recognizer) -> bool:
    """Return whether the column is one of years, or of numbers that are too few or rarely as long as a postcode."""
    if column.is_number and column.share_of(recognizer.test) < 0.5:
        return True  # few postcodes begin with noughts
    numbers = column.integers
    return is_years(column) or (bool(numbers) and len(numbers) < 3)


def _has_check_digits(found: Sequence[RecognizerMatch]) -> bool:
    """Return whether nearly all values have the check digits of something other than a telephone number."""
    return any(
        one.recognizer.strength in (Strength.CHECKED, Strength.PROOF) and one.tested >= 20 and one.share >= 0.95
        for one in found
        if one.recognizer.tag != "PhoneNumber"
    )


def _is_of_things(column: ColumnValues) -> bool:
    """Return whether they are companies, places, works or goods, of which many bear the names of persons."""
    if column.share_of(is_company) > 0.12 or column.share_of(names_a_thing) > 0.15:
        return True
    words = [text.split() for text in column.distinct[:200]]
    several = [some for some in words if len(some) > 1]
    if len(several) < 0.5 * len(words):
        return False
    towns = sum(" ".join(some[:count]).lower() in CITIES for some in several for count in (1, 2) if len(some) > count)
    return towns > 0.4 * len(several)


def _is_too_short(column: ColumnValues) -> bool:
    """Return whether six digits differ at most: codes of occupations, which some region's numbers fit."""
    digits = [re.sub(r"[^0-9]", "", text) for text in column.distinct[:200]]
    if len(digits) < ENOUGH_TITLES or len(set(map(len, digits))) > 1:
        return False
    return sum(len(set(place)) > 1 for place in zip(*digits, strict=True)) <= SHORT


def _are_titles(column: ColumnValues) -> bool:
    """Return whether some are single words and some several, of which few end in a name: films, stations and halls.

    People are written in one way, with their family name or without it; those with two given names have two known ones.
    """
    several = [text for text in column.distinct[:200] if " " in text]
    single = 1 - len(several) / len(column.distinct[:200])
    if len(column.distinct) < ENOUGH_TITLES or not 0.1 <= single <= 0.9:
        return False
    ends = [text.rsplit(None, 1)[-1] for text in several]
    return sum(bool(family_name(end) or given_name(end)) for end in ends) < 0.4 * len(ends)


def _without_rivals(found: list[RecognizerMatch]) -> list[RecognizerMatch]:
    """Of each kind the tag that explains the values best: towns are named after people, and people after towns."""
    dropped: set[int] = set()
    for kind in (Strength.LISTED, Strength.CHECKED, Strength.FORM):
        rivals = [one for one in found if one.recognizer.strength is kind and one.where == "values" and one.nats > 0]
        if rivals:
            # How many recognisers a tag has is no reason against it where another's says the same of the same values.
            tried = _TRIED if kind is Strength.CHECKED else {}
            winner = max(rivals, key=lambda match: match.nats + tried.get(match.recognizer.tag, 0.0)).recognizer.tag
            dropped |= {id(match) for match in rivals if match.recognizer.tag != winner}
    return [match for match in found if id(match) not in dropped]


def _documents(column: ColumnValues, now: datetime) -> list[RecognizerMatch]:
    """The fields of JSON documents, each as a column of its own; its name in the document is a hint like any other."""
    fields: dict[str, list[Any]] = {}
    for document in column.documents:
        _walk(document, "", fields, 0)
    found: list[RecognizerMatch] = []
    for path, values in list(fields.items())[:MOST_PATHS]:
        name = path.rsplit(".", 1)[-1]
        inner = ColumnValues(ColumnFacts(column.facts.fqn, name, 0), values)
        share = min(1.0, len(values) / max(1, len(column.documents)))
        for match in matches(inner, now):
            if match.strength > 0:
                found.append(
                    replace(match, share=match.share * share, where=f"json:{name}")
                )  # fmt: skip
    return found


def _walk(value: Any, path: str, fields: dict[str, list[Any]], depth: int) -> None:
    if depth > 5 or len(fields) > 4 * MOST_PATHS:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            _walk(inner, f"{path}.{key}", fields, depth + 1)
    elif isinstance(value, list):
        for inner in value[:20]:
            _walk(inner, path, fields, depth + 1)
    elif value is not None:
        fields.setdefault(path, []).append(value)
