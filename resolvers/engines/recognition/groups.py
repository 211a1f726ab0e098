"""Defines what is told by the company that it is kept in: the number of a card with its expiry, a hash beside the name
that signs in, plates with the makes of cars.

Alone, each of these columns could be of anything. What a group means is asked of all its columns at once, and only
where each row is one person's, or where the other half of the group leaves no doubt.
"""
# ruff: noqa: SIM905 - lists of words

import re
from collections.abc import Iterable, Iterator
from typing import Final

from resolvers.engines.recognition.hints import names_other, words
from resolvers.engines.recognition.model import ColumnValues, Recognizer, RecognizerMatch
from resolvers.engines.recognition.neighbours import ENDS, ENOUGH_ROWS, Judge, NeighbourColumns, agreement_of, rule
from resolvers.engines.recognition.words import fold

Found = list[tuple[int, RecognizerMatch]]

_CARD: Final = rule("card-with-expiry", "PaymentCard",
                    "digits as the networks of cards give them out, beside the month in which a card ends")  # fmt: skip
_CODE: Final = rule("card-code", "Secret", "three or four digits beside the number of a card and its end")
_HASHED: Final = rule("hash-of-each-person", "PasswordHash",
                      "a hash of its own in every row, beside what each person signs in with")  # fmt: skip
_PASSWORD: Final = rule("passwords-beside-logins", "Secret",
                        "words that most people choose as passwords, beside what they sign in with")  # fmt: skip
_MIXED: Final = rule("mixed-signs-beside-logins", "Secret",
                     "short words of mixed signs, no two alike in form, beside what people sign in with")  # fmt: skip
_LETTERS: Final = rule("census-letters", "Ethnicity",
                       "letters with which authorities code the ethnic origin, in a table of persons")  # fmt: skip
_PLATE: Final = rule("plates-of-cars", "LicensePlate", "few letters and digits beside the makes of vehicles")
_BORN: Final = rule("births-of-few-rows", "DateOfBirth",
                    "dates spread as births are, in a table of persons")  # fmt: skip

_OF_ONE: Final = ("PersonName", "Email", "Username", "PhoneNumber", "NationalId", "StreetAddress", "DateOfBirth",
                  "Gender", "MaritalStatus", "Ethnicity")  # fmt: skip

REACH: Final = 3
"""How many columns apart the parts of a group stand at most."""

OWN: Final = 0.75
"""The share of rows with a person of their own from which each row is one; who writes orders comes again oftener."""


def _rows_of_persons(around: NeighbourColumns, least: int) -> list[int]:
    """The columns that tell each row's person; none where fewer than `least` do, or where persons come again.

    Those who write commits or place orders come again: what stands beside them is the commit's.
    """
    places = around.of(*_OF_ONE)
    if len(places) < least:
        return []
    persons = list(zip(*(around.texts(place) for place in places), strict=True))
    some = [one for one in persons if any(one)]
    return places if len(set(some)) >= OWN * len(some) >= ENOUGH_ROWS * OWN else []


def _free(around: NeighbourColumns, least: int = ENOUGH_ROWS) -> Iterator[tuple[int, ColumnValues]]:
    """Columns of which nothing is sure, with enough different values that were not counted up."""
    for place, column in enumerate(around.columns):
        if around.sure[place] or len(column.distinct) < least or column.is_boolean or column.is_sequence:
            continue
        yield place, column


def _near(place: int, others: Iterable[int], reach: int = REACH) -> bool:
    return any(0 < abs(place - one) <= reach for one in others)


_NETWORKS: Final = re.compile(
    r"(?:4[0-9]{15}|5[1-5][0-9]{14}|2[2-7][0-9]{14}|6(?:011|5[0-9]{2}|4[4-9][0-9])[0-9]{12}|3[47][0-9]{13}"
    r"|3(?:0[0-5]|[68][0-9])[0-9]{11}|35[0-9]{14})"
)
"""Visa, Mastercard, Discover, American Express, Diners Club and JCB, by their published ranges."""
_EXPIRY: Final = re.compile(r"(?:0?[1-9]|1[0-2])\s?[/-]\s?(?:20)?[1-4][0-9]|20[1-4][0-9][/-](?:0[1-9]|1[0-2])")


def _is_network(text: str) -> bool:
    return bool(_NETWORKS.fullmatch(re.sub(r"[ -]", "", text)))


def _is_code(text: str) -> bool:
    return len(text) in (3, 4) and text.isdigit()


def _cards(around: NeighbourColumns) -> Found:
    """Numbers whose check digit was drawn or blacked out are cards where the month in which they end stands beside."""
    known = around.of("PaymentCard")
    ends = [
        place for place, column in enumerate(around.columns)
        if not column.is_number and column.share_of(lambda text: bool(_EXPIRY.fullmatch(text))) > 0.95
    ]  # fmt: skip
    found: Found = []
    for place, column in _free(around, 5):
        share = column.share_of(_is_network)
        if share > 0.98 and _near(place, ends):
            found.append((place, agreement_of(_CARD, len(column.distinct), int(share * len(column.distinct)), 0.7)))
    cards = [*known, *(place for place, _ in found)]
    for place, column in _free(around):
        coded = column.share_of(_is_code)
        # Digits that fill their range are drawn by a machine; amounts and counts crowd at its lower end.
        if coded > 0.98 and _near(place, cards, 2) and _near(place, ends, 2) and _fills(column):
            found.append((place, agreement_of(_CODE, len(column.distinct), int(coded * len(column.distinct)), 0.7)))
    return found


def _fills(column: ColumnValues) -> bool:
    leading = {text[0] for text in column.distinct}
    return len(leading) >= min(6, len(column.distinct) // 2) and len(column.distinct) >= 0.6 * min(column.rows, 300)


_HASH: Final = re.compile(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128}", re.I)


def _are_hashes(column: ColumnValues) -> bool:
    """Hexadecimal of one hash's length, which are no random UUIDs without their dashes."""
    if len(column.distinct) < ENOUGH_ROWS or len({len(text) for text in column.distinct}) > 1:
        return False
    random = column.share_of(lambda text: len(text) == 32 and text[12] == "4" and text[16] in "89abAB")
    return random < 0.5 and column.share_of(lambda text: bool(_HASH.fullmatch(text))) > 0.98


def _hashes(around: NeighbourColumns) -> Found:
    """The only hash of a person's row, beside what signs in: checksums are of files, and keys of rows come first."""
    hashes = [place for place, column in enumerate(around.columns) if _are_hashes(column)]
    if len(hashes) != 1 or hashes[0] == 0 or around.sure[hashes[0]] or not _rows_of_persons(around, 1):
        return []
    [place] = hashes
    column = around.columns[place]
    beside = _near(place, around.of("Username", "Email"), 1)
    issued = column.facts.is_primary_key or names_other(column.facts.name)
    if not beside or issued or column.present < 0.5 * len(around.rows):
        return []
    return [(place, agreement_of(_HASHED, len(column.distinct), len(column.distinct), 0.6))]


COMMON: Final = frozenset(
    "password passwort passw0rd p@ssw0rd motdepasse contrasena senha parola qwerty qwertz azerty qwertyuiop asdfgh "
    "asdfghjkl zxcvbn zxcvbnm qazwsx letmein iloveyou welcome welkom willkommen admin administrator root guest login "
    "default changeme secret test monkey dragon sunshine princess football baseball basketball soccer hockey shadow "
    "master superman batman trustno hello freedom whatever ninja mustang starwars pokemon jordan michael jennifer "
    "ashley charlie daniel jessica nicole hunter killer pepper ginger cookie summer winter flower chocolate cheese "
    "computer internet access matrix abc abcd abcdef letme loveme lovely qqqq aaaa schatz hallo azertyuiop "
    "doudou soleil bonjour chouchou tequiero estrella realmadrid barcelona liverpool arsenal chelsea".split()
)
"""The words that published lists of leaked passwords begin with, without their digits."""


def _is_common(text: str) -> bool:
    """A word that many choose, with whatever digits and signs stand around it, or a row of digits in order."""
    folded = fold(text)
    bare = re.sub(r"^[0-9\W_]+|[0-9\W_]+$", "", folded)
    return folded in COMMON or bare in COMMON or (len(folded) >= 4 and folded in "12345678901234567890")


def _is_mixed(text: str) -> bool:
    """Six to twenty signs of three kinds at least: small letters, capitals, digits and others."""
    kinds = (str.islower, str.isupper, str.isdigit, lambda sign: not sign.isalnum())
    several = sum(any(map(test, text)) for test in kinds)
    return 6 <= len(text) <= 20 and several >= 3 and not re.search(r"[\s@./:]", text[1:-1].replace("@", "", 1))


def _passwords(around: NeighbourColumns) -> Found:
    """Return what stands beside a login, and is none itself: words that many choose, or signs mixed as rules ask for
    it.
    """
    logins = around.of("Username", "Email")
    found: Found = []
    for place, column in _free(around, 5):
        if (
            column.is_number
            or not logins
            or column.share_of(lambda text: " " not in text and 4 <= len(text) <= 40) < 0.98
        ):
            continue
        tested = len(column.distinct)
        common, mixed = column.share_of(_is_common), column.share_of(_is_mixed)
        if common >= 0.3 and sum(map(_is_common, column.distinct)) >= 3:
            found.append((place, agreement_of(_PASSWORD, tested, int(common * tested), 0.6)))
        elif mixed >= 0.6 and tested >= 0.8 * column.rows and column.shapes >= 0.5 * min(tested, 200):
            found.append((place, agreement_of(_MIXED, tested, int(mixed * tested), 0.6)))
    return found


_RACES: Final = frozenset("WBAHIOUMNPTX")
"""White, black, Asian, Hispanic, Indian, other, unknown or undesignated, multiple, native, Pacific, two, not told."""


def _census_letters(around: NeighbourColumns) -> Found:
    found: Found = []
    for place, column in enumerate(around.columns):
        letters = set(column.counted)
        coded = {"W", "B"} <= letters <= _RACES and len(letters) >= 4 and column.rows >= 4 * len(letters)
        if coded and not around.sure[place] and len(around.of(*_OF_ONE)) >= 2:
            found.append((place, agreement_of(_LETTERS, len(letters), len(letters), 0.6)))
    return found


_MAKES: Final = frozenset(
    "audi bmw chevrolet chrysler citroen dacia dodge fiat ford gmc honda hyundai infiniti isuzu jaguar jeep kia "
    "lada lancia lexus mazda mercedes mercedes-benz mini mitsubishi nissan opel peugeot porsche ram renault saab "
    "seat skoda smart subaru suzuki tesla toyota vauxhall volkswagen volvo vw yamaha kawasaki ducati man scania "
    "iveco daf".split()
)


def _plates(around: NeighbourColumns) -> Found:
    makes = [
        place for place, column in enumerate(around.columns)
        if len(column.distinct) >= 3 and column.share_of(lambda text: fold(text.split(" ")[0]) in _MAKES) >= 0.6
    ]  # fmt: skip
    found: Found = []
    for place, column in _free(around):
        bare = around.passed(place, "plate-characters") or any(
            match.recognizer.tag == "LicensePlate" and match.strength > 0 for match in around.matched[place]
        )
        whole = column.share_of(lambda text: any(map(str.isalpha, text)) and any(map(str.isdigit, text)))
        varied = len(column.distinct) >= 0.6 * column.rows and column.prefixes >= 0.3 * len(column.distinct)
        if bare and whole > 0.9 and varied and _near(place, makes) and not names_other(column.facts.name):
            found.append((place, agreement_of(_PLATE, len(column.distinct), len(column.distinct), 0.6)))
    return found


def _births_of_few(around: NeighbourColumns) -> Found:
    """Dates spread as births are tell little in a few rows, unless two other columns say that the rows are persons."""
    found: Found = []
    for place, column in enumerate(around.columns):
        if (
            around.sure[place]
            or not around.passed(place, "birth-dates-of-adults")
            or set(words(column.facts.name)) & ENDS
        ):
            continue
        if len([one for one in around.of(*_OF_ONE) if one != place]) >= 2 and len(column.distinct) < 10:
            found.append((place, agreement_of(_BORN, len(column.distinct), len(column.distinct), 0.45)))
    return found


GROUPS: Final[tuple[Judge, ...]] = (_cards, _hashes, _passwords, _census_letters, _plates, _births_of_few)
"""What the columns of a group tell of one another."""

JUDGED: Final[tuple[Recognizer, ...]] = (_CARD, _CODE, _HASHED, _PASSWORD, _MIXED, _LETTERS, _PLATE, _BORN)
"""What they say, each with its reason."""
