"""Columns whose name leaves no doubt, and whose values do not contradict it: a password that is a word or a hash, a card
whose check digit was blacked out, a table of two rows.

A hint of a name is not enough for a tag, since `name`, `card` and `code` mean many things. The phrases here hardly ever
mean something else, and only count where they end the name, so that `password_attempts`, `zip_size` and
`race_condition` are none of them. What the values have to be is asked of each by its own test.
"""

# ruff: noqa: E501 - words of many languages

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from resolvers.engines.recognition.hints import STRONG, plain, words
from resolvers.engines.recognition.model import ColumnValues, Recognizer, RecognizerMatch, Strength
from resolvers.engines.recognition.numbers import masked_card
from resolvers.engines.recognition.people import ethnic, name_shape
from resolvers.engines.recognition.wholes import is_abbreviation, is_dates, year_of

STRENGTH: Final = 0.6
"""How much such a name says where the values go with it: with it alone a column is sure, and a proof outweighs it."""

BEHIND: Final = frozenset(
    [
        "number",
        "numbers",
        "num",
        "no",
        "nr",
        "code",
        "cd",
        "lbl",
        "label",
        "desc",
        "description",
        "txt",
        "text",
        "hash",
        "hashed",
        "digest",
        "value",
        "group",
        "category",
        "cat",
        "1",
        "2",
        "3",
        "masked",
        "encrypted",
        "enc",
        "raw",
    ]
)
"""Words behind the phrase that change nothing about what it names."""

_HEX: Final = re.compile(r"[0-9a-fA-F]{32,128}")
_SHORT_HASH: Final = re.compile(r"[0-9a-fA-F]{16}|[0-9a-zA-Z./]{13}")
"""Hashes of old: of databases, and of `crypt`."""
_WORD: Final = re.compile(r"(?:^|\s)[^\W\d_]{3,}(?![^\W_])")
_DIGITS_GROUPED: Final = re.compile(r"[0-9][0-9 ./-]*[0-9]")


def _secret(text: str) -> bool:
    return (
        4 <= len(text) <= 300
        and not re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]+)+", text)
        and not re.search(r"\s", text)
        and text.lower() not in _FLAGS
    )


def _hash(text: str) -> bool:
    return bool(_HEX.fullmatch(text) or _SHORT_HASH.fullmatch(text)) or (
        len(text) >= 24 and (text[0] in "${*" or text[-1] == "=") and " " not in text
    )


def _card(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return masked_card(text) or (12 <= digits <= 19 and bool(_DIGITS_GROUPED.fullmatch(text)))


def _identity(text: str) -> bool:
    compact = re.sub(r"[ ./-]", "", text)
    decimal = re.fullmatch(r"-?[0-9]+\.[0-9]+", text)
    return not decimal and 6 <= len(compact) <= 20 and compact.isalnum() and sum(map(str.isdigit, compact)) >= 4


def _passport(text: str) -> bool:
    """No travel document has a longer number, and none has dots in it."""
    compact = re.sub(r"[ -]", "", text)
    return _identity(text) and len(compact) <= 10 and compact.isalnum()


def _account(text: str) -> bool:
    """Digits alone, or behind the letters of a bank: then no country's are shorter than Norway's eleven."""
    compact = re.sub(r"[ ./-]", "", text)
    return _identity(text) and (compact.isdigit() or len(compact) >= 11)


def _login(text: str) -> bool:
    return (
        not _HEX.fullmatch(text) and 2 <= len(text) <= 64 and not re.search(r"\s", text) and any(map(str.isalpha, text))
    )


def _postcode(text: str) -> bool:
    compact = re.sub(r"[ -]", "", text)
    return 3 <= len(compact) <= 9 and compact.isalnum() and any(map(str.isdigit, compact)) and text.upper() == text


def _birth(text: str) -> bool:
    return year_of(text) is not None or bool(re.fullmatch(r"(?:18|19|20)[0-9]{2}", text))


def _trait(text: str) -> bool:
    return len(text) <= 80 and not re.search(r"[@/\\:]", text)


def _race(text: str) -> bool:
    return len(text) <= 3 or ethnic(text)


def _address(text: str) -> bool:
    return 2 <= len(text) <= 200 and not re.search(r"@|://|^[0-9a-f:.]+$", text) and bool(_WORD.search(text))


def _initials(text: str) -> bool:
    return bool(re.fullmatch(r"(?:[^\W\d_]\.?[ -]?){1,4}", text))


def _telephone(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return 7 <= digits <= 16 and bool(re.fullmatch(r"[0-9+()\s./-]+(?:\s*(?:x|ext\.?)\s*[0-9]{1,6})?", text, re.I))


_FLAGS: Final = frozenset({"yes", "no", "true", "false", "none", "null", "n/a", "set", "unset"})
SUFFIXES: Final = frozenset(
    [
        "jr",
        "sr",
        "ii",
        "iii",
        "iv",
        "v",
        "phd",
        "md",
        "esq",
        "dds",
        "cpa",
        "rn",
        "jr.",
        "sr.",
        "ph.d.",
        "m.d.",
        "esq.",
        "junior",
        "senior",
    ]
)
"""What stands behind a family name."""


@dataclass(frozen=True, slots=True)
class Unmistakable:
    """One thing that a name can say beyond doubt, and what its values are then like."""

    tag: str
    phrases: tuple[str, ...]
    test: Callable[[str], bool]
    reason: str
    most: int | None = None
    """The most distinct values, where it has few."""
    repeats: bool = True
    """Whether a value may stand in many rows."""
    among: bool = False
    """Whether it counts only where other columns of the table are surely of persons: the name means other things too."""


def _all(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.split(",") if phrase.strip())


_PASSWORDS: Final = _all(
    "password, passwd, pwd, passphrase, user pass, passwort, kennwort, mot de passe, contrasena, clave de acceso, senha, "
    "wachtwoord, haslo, losenord, salasana, adgangskode, parola, sifre, password salt"
)
KINDS: Final = (
    Unmistakable("PasswordHash", _PASSWORDS, _hash, "named as a password, with values as hashes are"),
    Unmistakable("Secret", (*_PASSWORDS, *_all("api key, apikey, secret key, access key, private key, client secret, "
                 "access token, refresh token, auth token, api token, security answer")), _secret,
                 "named as a secret, without a space in the values"),
    Unmistakable("Secret", _all("cvv, cvc, cvv2, cvc2, card verification, security code"),
                 lambda text: bool(re.fullmatch(r"[0-9]{2,4}|[*x]{3,4}", text)),
                 "named as the security code of a card, three or four digits"),
    Unmistakable("PaymentCard", _all("credit card, creditcard, debit card, payment card, card number, cardnumber, cc number, "
                 "cc num, kreditkarte, kreditkartennummer, carte bancaire, carte de credit, tarjeta de credito, "
                 "carta di credito, cartao de credito"), _card, "named as a payment card, as many digits as one has"),
    Unmistakable("NationalId", _all("ssn, social security, social insurance, national id, national identity, national insurance, "
                 "nationalid, personnummer, fodselsnummer, henkilotunnus, codice fiscale, sozialversicherungsnummer, "
                 "personalausweis, aadhaar, pesel, cpf, curp, dni, bsn, cedula, carte identite, nino"), _identity,
                 "named as a number that a state gives to a person, in a form that such numbers have", repeats=False),
    Unmistakable("NationalId", _all("ssn, social security"), lambda text: bool(re.fullmatch(r"[0-9]{3,9}", text)),
                 "named as a social security number, in digits of which some may be lost", repeats=False),
    Unmistakable("NationalId", _all("ssn, social security, social insurance, national id, national identity, national insurance, "
                 "nationalid, personnummer, codice fiscale, sozialversicherungsnummer, aadhaar, pesel, cpf, curp, dni, bsn"), _hash,
                 "named as a number that a state gives to a person, with values as hashes are"),
    Unmistakable("PaymentCard", _all("credit card, creditcard, debit card, payment card, card number, cardnumber, cc number, cc num"),
                 _hash, "named as a payment card, with values as hashes are"),
    Unmistakable("Passport", _all("passport, reisepass, passeport, pasaporte, passaporto, passaporte, paspoort"), _passport,
                 "named as a passport, in a form that such numbers have", repeats=False),
    Unmistakable("BankAccount", _all("bank account, kontonummer, bankkonto, cuenta bancaria, conto corrente, "
                 "rekeningnummer, numero de compte, routing, sort code"), _account,
                 "named as a bank account, in a form that such numbers have"),
    Unmistakable("Username", _all("username, user name, userid, login, login name, logon, logon name, screen name, screenname, "
                 "benutzername, nombre de usuario, nom utilisateur, gebruikersnaam, nome utente, nickname"), _login,
                 "named as what somebody signs in with, single words", repeats=False),
    Unmistakable("Postcode", _all("zip, zipcode, postcode, postal, postalcode, plz, postleitzahl, code postal, codigo postal, "
                 "postnummer, postnr, kod pocztowy, zip5, zip postcode, cep, psc"), _postcode,
                 "named as a postcode, short codes with digits"),
    Unmistakable("Ethnicity", _all("ethnicity, ethnic, ethnic group, ethnie, etnia, ethnic origin, hispanic, hispanic origin, "
                 "race ethnicity"), _trait, "named as the ethnic origin, with few values", most=40),
    Unmistakable("Ethnicity", _all("race, raza, raca"), _race,
                 "named as the race of a person, with few values, in a table of persons", most=20, among=True),
    Unmistakable("Religion", _all("religion, faith, konfession, religione, religiao, religious affiliation"), _trait,
                 "named as the religion, with few values", most=40, among=True),
    Unmistakable("DateOfBirth", _all("date of birth, birth date, birthdate, dob, birthday, geburtsdatum, date de naissance, "
                 "date naissance, fecha nacimiento, fecha de nacimiento, data di nascita, data nascimento, geboortedatum, "
                 "fodselsdato, fodelsedatum, birth year, year of birth, yob, geburtsjahr"), _birth,
                 "named as the date of birth, with dates of the past"),
    Unmistakable("PersonName", _all("first name, firstname, last name, lastname, surname, given name, family name, forename, "
                 "vorname, nachname, familienname, prenom, nom de famille, apellido, apellidos, apellido paterno, "
                 "apellido materno, primer apellido, segundo apellido, cognome, sobrenome, voornaam, achternaam, imie, "
                 "nazwisko, fornamn, efternamn, etternavn, middle name, middlename, maiden name, geburtsname, "
                 "nom de jeune fille, nom de naissance, cardholder, card holder, cardholder name, lname, fname"), name_shape,
                 "named as a part of a person's name, written as names are"),
    Unmistakable("PersonName", _all("middle initial, initial, initials, middle init, mi"), _initials,
                 "named as initials, single letters, in a table of persons", among=True),
    Unmistakable("PersonName", _all("suffix, name suffix, suffx"), lambda text: text.lower() in SUFFIXES,
                 "what stands behind a name, in a table of persons", among=True),
    Unmistakable("StreetAddress", _all("street, street address, street name, address line, address, addr, strasse, rue, calle, "
                 "direccion, anschrift, indirizzo, endereco, adresse, complement adresse, adresszusatz, addr line"), _address,
                 "named as the street or a line of an address, written in words", among=True),
    Unmistakable("PhoneNumber", _all("phone, telephone, mobile phone, cell phone, phone number, fax, telefon, telefono, "
                 "telefone, telefoonnummer, mobilnummer, handynummer"), _telephone,
                 "named as a telephone number, with as many digits as one has", repeats=False),
)  # fmt: skip
"""What a name can say beyond doubt; of one tag the first whose values go with it."""

_COMPACT: Final = tuple((kind, frozenset(phrase.replace(" ", "") for phrase in kind.phrases)) for kind in KINDS)
_TAGS_OF: Final = {
    compact: frozenset(tag for tag, others in STRONG.items() if compact in {one.replace(" ", "") for one in others})
    for phrases in STRONG.values()
    for compact in (phrase.replace(" ", "") for phrase in phrases)
}
"""The tags that a phrase names, written together."""
_LONGEST: Final = max(len(phrase.split()) for kind in KINDS for phrase in kind.phrases)


@lru_cache(maxsize=4096)
def said(name: str) -> tuple[Unmistakable, ...]:
    """Return what a column's name says beyond doubt: the phrase ends it, but for words that change nothing."""
    spoken = list(words(plain(name)))
    ends: set[str] = set()
    while spoken:
        ends |= {"".join(spoken[-many:]) for many in range(1, min(_LONGEST, len(spoken)) + 1)}
        if spoken[-1] not in BEHIND:
            break
        spoken.pop()
    # The longer phrase is what the name says: a `mac_address` is no address.
    longest = max(ends & _TAGS_OF.keys(), key=len, default="")
    tags = _TAGS_OF.get(longest, frozenset())
    return tuple(
        kind
        for kind, phrases in _COMPACT
        if ends & phrases and (kind.tag in tags or max(map(len, ends & phrases)) >= len(longest))
    )


def by_name(column: ColumnValues, among_persons: bool, now_year: int) -> RecognizerMatch | None:
    """Return what the column's name says, when the values go with it; they must be of one kind, and not flags or
    moments.
    """
    if not column.distinct or column.is_boolean or column.is_binary:
        return None
    for kind in said(column.facts.name):
        if (kind.among and not among_persons) or (kind.most is None and _says_nothing(column)):
            continue
        if kind.test in (name_shape, _address) and is_abbreviation(column):
            continue
        if kind.tag != "DateOfBirth" and is_dates(column):
            continue
        if kind.test is _secret and _was_issued(column):
            continue
        if column.is_moment is not (kind.tag == "DateOfBirth") and column.is_moment:
            continue
        if not kind.repeats and column.rows >= 10 and len(column.counted) < 0.3 * column.rows:
            continue
        if kind.most is not None and (len(column.counted) > kind.most or len(column.counted) == column.rows > 3):
            continue
        fits = sum(map(kind.test, column.distinct))
        if fits < 0.9 * len(column.distinct) or (kind.tag == "DateOfBirth" and _is_future(column, now_year)):
            continue
        rule = Recognizer("unmistakable-name", kind.tag, Strength.CHECKED, kind.test, 0.05, 0.9, kind.reason)
        tested = len(column.distinct)
        return RecognizerMatch(rule, tested, fits, fits / tested, STRENGTH, 8 * STRENGTH, "name")
    return None


def _was_issued(column: ColumnValues) -> bool:
    """Return whether all have one form with digits in it, as numbers that somebody gave out have: chosen words and
    random signs differ in theirs.
    """
    return len(column.distinct) >= 10 and column.shapes == 1 and any(map(str.isdigit, column.distinct[0]))


def _says_nothing(column: ColumnValues) -> bool:
    """Return whether they were counted up, share their letters (`SKU-10037`), or are the same in all rows."""
    if column.is_sequence or (column.rows >= 10 and len(column.counted) == 1):
        return True
    beginnings = {re.sub(r"[0-9]+$", "", text) for text in column.distinct}
    [first, *others] = sorted(beginnings)
    return not others and len(column.distinct) >= 3 and any(map(str.isalpha, first)) and first != column.distinct[0]


def _is_future(column: ColumnValues, now_year: int) -> bool:
    years = [year_of(text) or int(text[:4]) for text in column.distinct if _birth(text)]
    return not years or max(years) > now_year or min(years) < now_year - 130
