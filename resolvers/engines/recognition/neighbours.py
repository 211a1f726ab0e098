"""Defines what columns of one table tell of one another: rows that agree, parts of one date, places that stand
together.
"""

import math
import re
from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from resolvers.engines.recognition.hints import words
from resolvers.engines.recognition.model import ColumnValues, Recognizer, RecognizerMatch, Strength, text_of
from resolvers.engines.recognition.people import family_name, given_name, name_shape
from resolvers.engines.recognition.unmistakable import SUFFIXES, by_name
from resolvers.engines.recognition.wholes import year_of
from resolvers.engines.recognition.words import fold

MOST_ROWS: Final = 300
"""Rows that are compared."""

MOST_COLUMNS: Final = 12
"""Columns of one kind that others are compared with."""

ENOUGH_ROWS: Final = 8
"""Rows below which an agreement may be chance."""

FEW_NAMES: Final = 3
"""Words from which it tells something that all of them are names in another column."""

PLACES: Final = frozenset({"StreetAddress", "City", "Postcode", "Country"})

OF_PERSONS: Final = frozenset(
    {"PersonName", "Email", "PhoneNumber", "DateOfBirth", "NationalId", "StreetAddress", "Gender", "Age",
     "MaritalStatus", "Ethnicity"}
)  # fmt: skip
"""Tags that show that a table is about persons."""


_OF_ONE: Final = frozenset({"PersonName", "Email", "PhoneNumber", "NationalId", "Gender", "MaritalStatus", "Ethnicity"})
"""Tags of which three columns leave no doubt that each row is a person."""


def rule(name: str, tag: str, reason: str, strength: Strength = Strength.CHECKED) -> Recognizer:
    """One way in which a column's neighbours speak for a tag; it tells how often, where values are no test."""
    return Recognizer(name, tag, strength, bool, 0.05, 0.5, reason)


_IN_MAIL: Final = rule("name-in-email", "PersonName", "words that stand in the e-mail address of the same row")
_IN_NAME: Final = rule("part-of-name", "PersonName", "words that stand in the name of the same row")
_LOGIN: Final = rule("username-of-person", "Username", "words made of the name or e-mail address of the same row")
_YEARS: Final = rule("age-by-birth", "Age", "years between the date of birth of the same row and one day")
_POSTCODE: Final = rule("postcode-by-place", "Postcode", "codes of one length beside streets or towns")
_TOWN: Final = rule("city-by-place", "City", "capitalised words between a street and a postcode")
_DEGREES: Final = rule("latitude-and-longitude", "Coordinates",
                        "two columns of degrees, one as latitudes are and one as longitudes are")  # fmt: skip
_PARTS: Final = rule("birth-parts", "DateOfBirth",
                      "year, month and day in three columns, days of the calendar, spread as births are")  # fmt: skip
_BEHIND: Final = rule("name-suffix", "PersonName", "what stands behind a family name, beside names")
_INITIALS: Final = rule("name-initials", "PersonName", "single capital letters beside names")
_HALF: Final = rule("family-beside-given", "PersonName", "single words, some of them known names, beside given names")
_SHARED: Final = rule("names-of-others", "PersonName", "words that are names in another column of the table")
_LINE: Final = rule("address-second-line", "StreetAddress", "flats, floors and boxes beside a street")
_TELEPHONE: Final = rule("telephone-of-one-form", "PhoneNumber",
                          "digits as telephone numbers are formed, beside names or addresses")  # fmt: skip
_BIRTH_YEAR: Final = rule("birth-years", "DateOfBirth",
                           "years spread as births are, none of them of children, in a table of persons")  # fmt: skip
_PART: Final = rule("birth-part", "DateOfBirth", "whole numbers within the range of a part of a date", Strength.SHAPE)


class NeighbourColumns:
    """The columns of a table with their rows, and the tags that are sure of each."""

    def __init__(
        self,
        columns: Sequence[ColumnValues],
        rows: Sequence[Sequence[Any]],
        matched: Sequence[Sequence[RecognizerMatch]],
        sure: Sequence[frozenset[str]],
        now: datetime,
    ) -> None:
        self.columns, self.matched, self.sure, self.now = columns, matched, sure, now
        self.rows = rows[:MOST_ROWS]
        self._texts: dict[int, list[str | None]] = {}

    def texts(self, place: int) -> list[str | None]:
        """The values of a column as text, row by row."""
        if place not in self._texts:
            self._texts[place] = [text_of(row[place]) for row in self.rows]
        return self._texts[place]

    def of(self, *tags: str) -> list[int]:
        """The places of the columns that surely hold one of the tags."""
        return [place for place, held in enumerate(self.sure) if held & set(tags)][:MOST_COLUMNS]

    def has_persons_beside(self, place: int) -> bool:
        """Return whether another column surely holds what only persons have."""
        return any(held & OF_PERSONS for other, held in enumerate(self.sure) if other != place)

    def agreement(self, one: int, other: int, test: Callable[[str, str], bool]) -> tuple[int, int]:
        """Return how many rows have both values, and how many of them pass; rows that say the same count once."""
        pairs = {pair for pair in zip(self.texts(one), self.texts(other), strict=True) if pair[0] and pair[1]}
        return len(pairs), sum(test(str(left), str(right)) for left, right in pairs)

    def passed(self, place: int, name: str) -> bool:
        """Return whether a recogniser spoke for the column."""
        return any(match.recognizer.name == name and match.strength > 0 for match in self.matched[place])


Judge = Callable[[NeighbourColumns], list[tuple[int, RecognizerMatch]]]
"""What one kind of neighbourhood says: the places of the columns that it speaks for, each with its match."""


def told(around: NeighbourColumns, judges: Sequence[Judge]) -> dict[int, list[RecognizerMatch]]:
    """Return what the neighbours of each column say for it, by the column's place; empty where they say nothing."""
    found: dict[int, list[RecognizerMatch]] = {}
    for judge in judges:
        for place, match in judge(around):
            found.setdefault(place, []).append(match)
    return found


def agreement_of(judge: Recognizer, tested: int, matched: int, strength: float) -> RecognizerMatch:
    """Return what a column's neighbours say for it, 0 to 1, by how many of its values or rows."""
    return RecognizerMatch(judge, tested, matched, matched / tested, strength, 8.0 * strength, "rows")


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", fold(text))


def _agreeing(
    around: NeighbourColumns,
    judge: Recognizer,
    place: int,
    others: Sequence[int],
    test: Callable[[str, str], bool],
    least: float,
) -> RecognizerMatch | None:
    for other in others:
        if other != place:
            tested, passed = around.agreement(place, other, test)
            if tested >= ENOUGH_ROWS and passed >= least * tested:
                return agreement_of(judge, tested, passed, 0.8)
    return None


def _in_mail(name: str, mail: str) -> bool:
    local = _plain(mail.rsplit("@", 1)[0].rsplit("<", 1)[-1])
    return any(len(word) >= 3 and word in local for word in map(_plain, re.split(r"[\s,-]+", name)))


def _in_name(part: str, name: str) -> bool:
    spoken = {fold(word) for word in re.split(r"[\s,]+", name)}
    return len(part) >= 2 and part != name and all(fold(word) in spoken for word in part.split())


def _names(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    mails, names = around.of("Email"), around.of("PersonName")
    found = []
    for place, column in enumerate(around.columns):
        if not around.passed(place, "person-name-shape") or len(column.distinct) < ENOUGH_ROWS:
            continue
        match = _agreeing(around, _IN_MAIL, place, mails, _in_mail, 0.5)
        match = match or _agreeing(around, _IN_NAME, place, names, _in_name, 0.8)
        if match is not None:
            found.append((place, match))
    return found


def _login(text: str, other: str) -> bool:
    login = _plain(text.rsplit("@", 1)[0])
    if "@" in other:
        local = _plain(other.rsplit("@", 1)[0].rsplit("<", 1)[-1])
        return len(login) >= 4 and (login[:5] in local or local[:5] in login)
    return any(len(word) >= 3 and word[:6] in login for word in map(_plain, re.split(r"[\s,-]+", other)))


def _logins(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    others = around.of("Email", "PersonName")
    found = []
    for place, column in enumerate(around.columns):
        single = column.share_of(lambda text: " " not in text and text[:1].isalpha() and text == text.lower())
        if "Email" in around.sure[place] or len(column.distinct) < 0.8 * column.rows or single < 0.9:
            continue
        match = _agreeing(around, _LOGIN, place, others, _login, 0.5)
        if match is not None:
            found.append((place, match))
    return found


def _ages(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """The year in which an age was counted is the same for most rows, give or take the birthday."""
    found = []
    for place in range(len(around.columns)):
        if not around.passed(place, "age-range"):
            continue
        for other in around.of("DateOfBirth"):
            pairs = zip(around.texts(place), around.texts(other), strict=True)
            counted = Counter(
                int(age) + year for age, born in pairs if age and age.isdigit() and born and (year := year_of(born))
            )
            tested = sum(counted.values())
            top = max(counted, key=lambda year: counted[year] + counted[year + 1], default=0)
            together = counted[top] + counted[top + 1]
            if tested >= ENOUGH_ROWS and together >= 0.9 * tested:
                found.append((place, agreement_of(_YEARS, tested, together, 1.0)))
                break
    return found


def _postcodes(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    found = []
    places = around.of("StreetAddress", "City")
    for place, column in enumerate(around.columns):
        codes = [one for one in around.matched[place] if one.recognizer.tag == "Postcode" and one.strength > 0]
        codes = [one for one in codes if one.recognizer.name != "postcode-prefixed"]  # articles are numbered so
        # Each address has one postcode: what stands beside a place that has its own numbers something else.
        near = [abs(other - place) for other in places if other != place and _is_addressed(around, other, place)]
        if not codes or not near or len(column.distinct) < ENOUGH_ROWS or around.sure[place]:
            continue
        form = any(match.recognizer.strength is not Strength.SHAPE for match in codes)
        # A number is counted with more often than written on an envelope, unless it has a letter or a nought before.
        written = form or (not column.is_number and len(set(map(len, column.distinct))) <= 2)
        zeros = any(text[0] == "0" for text in column.distinct)
        strength = 0.5 if form else 0.36 if zeros else 0.32 if written else 0.0
        strength += 0.12 if min(near) <= 1 else 0.05 if min(near) <= 3 else 0.0
        if not written and min(near) <= 1:
            strength = 0.4
        if strength >= 0.4:
            best = max(codes, key=lambda match: match.nats)
            found.append((place, agreement_of(_POSTCODE, best.tested, best.matched, min(0.6, strength))))
    return found


def _is_addressed(around: NeighbourColumns, street: int, place: int) -> bool:
    """Return whether a code could be of a street's or town's address: it has no other code as near, and nothing that
    surely belongs to no address stands between them.
    """
    between = around.sure[min(street, place) + 1 : max(street, place)]
    own = any(abs(code - street) <= abs(place - street) for code in around.of("Postcode") if code != place)
    return not own and all(not held or held & PLACES for held in between)


def _towns(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """A form for addresses names the town beside the postcode or behind the street."""
    found = []
    last = len(around.columns) - 1
    for place, column in enumerate(around.columns):
        if around.sure[place] or not around.passed(place, "city-shape") or len(column.distinct) < ENOUGH_ROWS:
            continue
        coded = any(0 <= near <= last and _coded(around, near) for near in (place - 1, place + 1))
        behind = place > 0 and "StreetAddress" in around.sure[place - 1]
        spoken = column.share_of(lambda text: len(text.split()) <= 3)
        if (coded or behind) and spoken > 0.9 and len(column.distinct) > 0.1 * column.rows:
            share = column.share_of(lambda text: text[:1].isupper())
            tested = len(column.distinct)
            found.append((place, agreement_of(_TOWN, tested, int(share * tested), 0.5 if coded and behind else 0.4)))
    return found


def _coordinates(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """Latitudes stay within 90 degrees; longitudes go beyond, or lie west, where few other figures are below nought."""
    found = []
    for place in range(len(around.columns) - 1):
        if not (around.passed(place, "coordinate") and around.passed(place + 1, "coordinate")):
            continue
        sides = [[float(text) for text in around.columns[at].distinct] for at in (place, place + 1)]
        for one, other in (sides, sides[::-1]):
            north = max(map(abs, one)) <= 90 and len(one) >= ENOUGH_ROWS
            if north and (max(map(abs, other)) > 90 or max(other) < 0 < max(one)):
                found += [(at, agreement_of(_DEGREES, len(one), len(one), 0.6)) for at in (place, place + 1)]
                break
    return found


def _coded(around: NeighbourColumns, place: int) -> bool:
    return "Postcode" in around.sure[place] or any(
        match.recognizer.tag == "Postcode" and match.strength > 0 and match.recognizer.strength is not Strength.SHAPE
        for match in around.matched[place]
    )


_PARTS_IN_WORDS: Final = (
    "month months monat mois mes mese maand mm day days tag jour dia giorno dag dd "
    "year years jahr annee ano anno jaar yyyy yy yob yr"
)
_UNITS: Final = frozenset(_PARTS_IN_WORDS.split(" "))
"""Words for the parts of a date."""

ENDS: Final = frozenset({"death", "died", "dead", "deceased", "hire", "hired", "start", "end", "expiry", "created"})


def _birth_parts(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """Years, months and days in columns of their own: three that are dates together, or one whose name says birth."""
    years, months, days = (
        [place for place, column in enumerate(around.columns) if _within(column, *bounds)]
        for bounds in ((1800, 2100, 5), (1, 12, 6), (1, 31, 13))
    )
    found: dict[int, RecognizerMatch] = {}
    triples = []
    for year in years[:MOST_COLUMNS]:
        for month in months[:MOST_COLUMNS]:
            for day in days[:MOST_COLUMNS]:
                if len({year, month, day}) == 3 and max(year, month, day) - min(year, month, day) <= 3:
                    tested, passed = _dates(around, year, month, day)
                    if tested >= 20 and passed == tested and _born(around.columns[year], around.now):
                        triples.append((around.columns[year].integers[0], (year, month, day), tested))
    for _, parts, tested in sorted(triples)[:1]:
        if not any(set(words(around.columns[place].facts.name)) & ENDS for place in parts):
            found |= {place: agreement_of(_PARTS, tested, tested, 0.8) for place in parts}
    for place in {*years, *months, *days} - set(found):
        spoken = set(words(around.columns[place].facts.name))
        if spoken & ENDS or (place not in years and not spoken & _UNITS):
            continue
        if place not in years or around.columns[place].integers[-1] <= around.now.year:
            tested = len(around.columns[place].integers)
            found[place] = replace(agreement_of(_PART, tested, tested, 0.5), nats=0.0)
    return list(found.items())


def _birth_years(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """Years alone, where three other columns say that each row is a person: firms and films have years as well."""
    found: list[tuple[int, RecognizerMatch]] = []
    if len(around.of(*_OF_ONE)) < 3:
        return found
    for place, column in enumerate(around.columns):
        named = set(words(column.facts.name)) & ENDS
        if not named and _within(column, 1800, around.now.year - 16, 20) and _born(column, around.now):
            tested = len(column.integers)
            found.append((place, agreement_of(_BIRTH_YEAR, tested, tested, 0.5)))
    return found


def _named(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """Return what the names say beyond doubt; of what a proof says is something else, a name says nothing."""
    found = []
    for place, column in enumerate(around.columns):
        match = by_name(column, around.has_persons_beside(place), around.now.year)
        if match is not None and not _contradicted(match.recognizer.tag, around.matched[place]):
            found.append((place, match))
    return found


_MISTAKEN: Final = {
    "StreetAddress": frozenset({"PersonName", "City", "Postcode", "Username"}),
    "PersonName": frozenset({"City", "Country", "StreetAddress"}),
    "Username": frozenset({"PersonName", "City"}),
    "PasswordHash": frozenset({"Secret", "Biometric"}), "Secret": frozenset({"PasswordHash", "Username"}),
}  # fmt: skip
"""Of what is named so, what its values are taken for without their name: streets are named after people."""


def _contradicted(tag: str, matched: Sequence[RecognizerMatch]) -> bool:
    """Return whether the values speak for another tag, which values of the one that is named hardly ever do."""
    return any(
        one.strength > 0.5
        and one.where == "values"
        and one.recognizer.strength in (Strength.PROOF, Strength.CHECKED, Strength.LISTED)
        and one.recognizer.tag not in {tag, *_MISTAKEN.get(tag, ())}
        and (one.recognizer.strength is Strength.PROOF or tag not in _NUMBERED)
        for one in matched
    )


_NUMBERED: Final = frozenset({"NationalId", "Passport", "BankAccount", "PaymentCard", "PhoneNumber", "Postcode"})
"""Numbers, of which some pass the check of another scheme."""


def _parts_of_names(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """Initials and suffixes beside names, and words of which most are other persons' names: of birth, of the mother."""
    found: list[tuple[int, RecognizerMatch]] = []
    names = around.of("PersonName")
    for place, column in enumerate(around.columns):
        if around.sure[place] or not column.distinct or column.is_number or not any(one != place for one in names):
            continue
        tested = len(column.distinct)
        near = min(abs(one - place) for one in names if one != place) == 1
        behind = sum(text.lower() in SUFFIXES for text in column.distinct)
        initials = column.share_of(lambda text: bool(re.fullmatch(r"[^\W\d_]\.?(?:\s?[^\W\d_]\.?)?", text)))
        if behind == tested >= 2 and near:
            found.append((place, agreement_of(_BEHIND, tested, behind, 0.7)))
        elif near and initials > 0.95 and tested >= 8 and column.share_of(str.isupper) > 0.9:
            found.append((place, agreement_of(_INITIALS, tested, int(initials * tested), 0.45)))
        elif near and _is_other_half(around, place):
            found.append((place, agreement_of(_HALF, tested, tested, 0.6)))
        elif tested >= FEW_NAMES and (around.passed(place, "person-name-shape") or column.share_of(name_shape) == 1):
            shared = max(
                sum(fold(text) in {fold(word) for word in around.columns[one].distinct} for text in column.distinct)
                for one in names if one != place
            )  # fmt: skip
            # Of a few words all have to be names, as in a column of birth names that most rows leave empty.
            if shared >= (0.6 if tested >= ENOUGH_ROWS else 1.0) * tested:
                found.append((place, agreement_of(_SHARED, tested, shared, 0.6)))
    return found


def _is_other_half(around: NeighbourColumns, place: int) -> bool:
    """Return whether single words, of which some are known names, stand right beside the only column of given names."""
    names, column = around.of("PersonName"), around.columns[place]
    beside = [one for one in names if abs(one - place) == 1]
    if names != beside or not around.passed(place, "person-name-shape") or len(column.distinct) < 5:
        return False
    halves = all(around.columns[one].share_of(given_name) >= 0.5 and _are_single(around.columns[one]) for one in beside)
    return halves and _are_single(column) and column.share_of(family_name) >= 0.25


def _are_single(column: ColumnValues) -> bool:
    return column.share_of(lambda text: " " not in text) > 0.9


_SECOND_LINE: Final = re.compile(
    r"(?:apt|apartment|unit|suite|ste|floor|fl|flr|bldg|building|rm|room|p\.?\s?o\.?\s?box|box|c/o|att[n:]|lot|dept|"
    r"trlr|penthouse|ph|flat|block|bâtiment|batiment|bât|appt|appartement|résidence|residence|escalier|esc|porte|"
    r"chez|wohnung|whg|etage|stock|hinterhaus|postfach|piso|puerta|planta|portal|depto|departamento|interno|scala|"
    r"piano|andar|bloco|sala|bus|lgh|m\.|lok)\b.*|#\s?[0-9]{1,4}[a-z]?(?:[\s,].*)?|[0-9]{1,3}\s?(?:er|e|ème|nd|rd|st|th|º|°|\.)\s?"
    r"(?:étage|etage|floor|stock|piso|og|eg)\b.*|c/o .*", re.I,
)  # fmt: skip


def _second_lines(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """The flat or the floor behind the street."""
    found = []
    streets = around.of("StreetAddress")
    for place, column in enumerate(around.columns):
        if around.sure[place] or column.is_number or not column.distinct:
            continue
        share = column.share_of(lambda text: bool(_SECOND_LINE.fullmatch(text)))
        # A room or a desk is of one kind; where flats, floors and houses stand, it is where people live.
        kinds = {word[0].lower() for text in column.distinct if (word := re.match(r"[^\W\d_]+", text))}
        behind = any(0 < place - one <= 2 for one in streets)
        if share >= 0.6 and (behind or (share >= 0.95 and len(kinds) >= 3 and around.of("PersonName"))):
            tested = len(column.distinct)
            found.append((place, agreement_of(_LINE, tested, int(share * tested), 0.7)))
    return found


_TELEPHONE_FORMS: Final = (
    (re.compile(r"[2-9][0-9]{2}[2-9][0-9]{6}|0[1-9][0-9]{8,9}"), 0.64),
    (re.compile(r"0[1-9][0-9]{1,4}[ /-][0-9]{2,4}[ -]?[0-9]{2,4}(?:[ -]?[0-9]{2,3})?"), 0.2),
    (re.compile(r"[1-9][0-9]{2}([.-])[0-9]{3}\1[0-9]{4}(?:x[0-9]{1,5})?"), 0.2),
    (re.compile(r"\([2-9][0-9]{2}\) ?[0-9]{3}-[0-9]{4}(?: ?x[0-9]{1,5})?"), 0.05),
)
"""Forms of telephone numbers, each with the share of other numbers of its length and grouping that have it as well."""


def _telephones(around: NeighbourColumns) -> list[tuple[int, RecognizerMatch]]:
    """One form of telephone numbers in every row, where addresses or names stand in the table."""
    found = []
    for place, column in enumerate(around.columns):
        tested = len(column.distinct)
        others = around.of("StreetAddress", "PersonName", "Email", "NationalId")
        if around.sure[place] or tested < 3 or column.is_sequence or not any(one != place for one in others):
            continue
        for form, chance in _TELEPHONE_FORMS:
            passed = sum(bool(form.fullmatch(text)) for text in column.distinct)
            areas = len({re.sub(r"[^0-9]", "", text)[:3] for text in column.distinct})
            if passed >= 0.98 * tested and tested * -math.log(chance) >= 6 and areas >= 3:
                found.append((place, agreement_of(_TELEPHONE, tested, passed, 0.6)))
                break
    return found


def _within(column: ColumnValues, least: int, most: int, distinct: int) -> bool:
    numbers = column.integers
    return len(numbers) >= distinct and numbers[0] >= least and numbers[-1] <= most


JUDGES: Final[tuple[Judge, ...]] = (
    _names, _logins, _ages, _postcodes, _towns, _coordinates, _birth_parts, _birth_years, _named, _parts_of_names,
    _second_lines, _telephones,
)  # fmt: skip
"""What the neighbours of names, addresses and births tell; `groups` has those of what is kept together."""


def _dates(around: NeighbourColumns, *parts: int) -> tuple[int, int]:
    """Rows that have all three numbers, and those of them that are days of the calendar."""
    tested = passed = 0
    for some in zip(*(around.texts(part) for part in parts), strict=True):
        if all(text is not None and text.isdigit() for text in some):
            year, month, day = (int(str(text)) for text in some)
            tested += 1
            passed += 1 <= month <= 12 and 1 <= year <= 9999 and 1 <= day <= monthrange(year, month)[1]
    return tested, passed


def _born(column: ColumnValues, now: datetime) -> bool:
    """Years spread as births are: over decades, and few in the latest ones."""
    years = sorted(int(text) for text, count in column.counted.items() for _ in range(count))
    count = len(years)
    low, middle, high = years[count // 20], years[count // 2], years[count - 1 - count // 20]
    return high - low >= 15 and middle <= now.year - 15 and high <= now.year - 4
