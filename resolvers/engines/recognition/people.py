"""Recognisers of what describes a person: names, dates of birth, gender, beliefs, origin."""
# ruff: noqa: RUF001 - words and patterns of many languages

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from resolvers.engines.recognition import lists
from resolvers.engines.recognition.model import Recognizer, Strength
from resolvers.engines.recognition.words import NOT_IN_NAMES, family_names, fold, given_names

_TITLES: Final = frozenset(
    [
        "mr",
        "mr.",
        "mrs",
        "mrs.",
        "ms",
        "ms.",
        "miss",
        "dr",
        "dr.",
        "prof",
        "prof.",
        "sir",
        "dame",
        "lord",
        "lady",
        "herr",
        "frau",
        "dipl.-ing.",
        "ing.",
        "mag.",
        "univ.prof.",
        "jr",
        "jr.",
        "sr",
        "sr.",
        "ii",
        "iii",
        "iv",
        "phd",
        "md",
        "dds",
        "dvm",
        "m.",
        "mme",
        "mlle",
        "sig.",
        "sig.ra",
        "dott.",
        "dott.ssa",
        "sr.",
        "sra.",
        "srta.",
        "don",
        "doña",
        "sr(a).",
        "dhr.",
        "mevr.",
        "pan",
        "pani",
        "г-н",
        "г-жа",
        "hj.",
        "h.",
        "drs.",
        "b.sc.",
        "mba",
        "b.eng.",
        "mgr",
        "inż.",
    ]
)
_PARTICLES: Final = frozenset(
    [
        "van",
        "von",
        "der",
        "den",
        "de",
        "del",
        "della",
        "di",
        "da",
        "do",
        "dos",
        "das",
        "du",
        "la",
        "le",
        "el",
        "al",
        "bin",
        "ibn",
        "ben",
        "bint",
        "zu",
        "zum",
        "zur",
        "y",
        "e",
        "of",
        "mac",
        "o'",
        "ter",
        "ten",
        "te",
        "af",
        "av",
        "ap",
        "abu",
        "umm",
    ]
)
_WORD = re.compile(r"(?:[^\W\d_]\.|(?:[^\W\d_]['’`.]?)?[^\W\d_]+(?:['’-][^\W\d_]+)*\.?)")
_ENDINGS: Final = re.compile(
    r".{2,}(?:son|sson|sen|ski|ska|cki|cka|wicz|escu|ević|ović|ić|mann|stein|enko|chuk|yan|shvili|opoulos|idis|akis|oğlu|"
    r"ová|ov|ova|ev|eva|vich|vna|ович|евич|овна|евна|ов|ова|ев|ева|ин|ина|ский|ская|енко|чук|όπουλος|ίδης|άκης|ίδου|"
    r"inen|lainen|quist|qvist|ström|gren|lund|berg|dottir|aitė|ienė|auskas|ėnas|pour|zadeh|نژاد|پور|ian|ez|és|"
    r"elli|etti|ini|ucci|aux|eau|ault|sma|stra|nga|ema)$"
)
_FILTERED: Final = re.compile(r"[0-9@#$%^*_=+{}\[\]|\\<>/:;!?~\"]")


def _tokens(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,]+", text) if word and word.lower() not in _TITLES]


def _fold(word: str) -> str:
    return word.lower().strip(".’'`")


def _in_list(word: str, common: frozenset[str], more: frozenset[str]) -> bool:
    folded = _fold(word)
    if folded in common:
        return True
    plain = fold(folded)
    if plain in common or plain in more:
        return True
    return "-" in plain and all(part in common or part in more for part in plain.split("-"))


def is_company(text: str) -> bool:
    """Return whether a word stands in it that companies have in their names."""
    words = text.lower().replace(",", " ").split()
    return (
        len(words) > 1
        and (
            any(word in lists.COMPANY or word.rstrip(".") in lists.COMPANY for word in words)
            or any(word in ("&", "and", "und", "et", "y", "és", "og", "och", "ja") for word in words[1:-1])
        )
    ) or any(sign in text for sign in ("株式会社", "有限会社", "合同会社", "有限公司", "주식회사", "유한회사", "(주)"))


def names_a_thing(text: str) -> float:
    """1 for words of which one names a place, a body, a work or goods; 0.4 when it may name a person too, else 0."""
    words = [word.strip(".,!?").lower() for word in text.split()]
    if len(words) < 2:
        return 0.0
    told = [word for word in words if word in NOT_IN_NAMES or (word[-2:] in ("'s", "’s"))]
    if not told:
        return 0.0
    given = words[0] in lists.GIVEN or words[0] in given_names()
    return 0.4 if given or all(word in lists.FAMILY or word in lists.GIVEN for word in told) else 1.0


def name_shape(text: str) -> bool:
    """One to five capitalised words without digits or signs, as names are written."""
    if len(text) > 60 or _FILTERED.search(text) or is_company(text):
        return False
    words = _tokens(text)
    if not 1 <= len(words) <= 6:
        return False
    for word in words:
        if not _WORD.fullmatch(word):
            return False
        if word.lower() not in _PARTICLES and word[0].islower():
            return False
    return True


def _east_asian(text: str) -> bool:
    compact = re.sub(r"[\s\u3000·]", "", text)
    if re.fullmatch(r"[\u4e00-\u9fff々]{2,3}", compact) and compact[0] in lists.CHINESE:
        return True
    if re.fullmatch(r"[\u4e00-\u9fff々ぁ-んァ-ヶー]{3,8}", compact) and compact.startswith(lists.JAPANESE):
        return True
    return bool(re.fullmatch(r"[가-힣]{2,4}", compact)) and len(compact) == 3 and compact[0] in lists.KOREAN


def full_name(text: str) -> bool:
    """Two or more words of which one is a known given or family name and the other could be."""
    if _east_asian(text):
        return True
    if not name_shape(text):
        return False
    words = [word for word in _tokens(text) if word.lower() not in _PARTICLES]
    if len(words) < 2:
        return False
    if words[-1].lower() in NOT_IN_NAMES and _fold(words[-1]) not in lists.FAMILY:
        return False
    return any(
        _in_list(word, lists.GIVEN, given_names()) or _in_list(word, lists.FAMILY, family_names()) for word in words
    )


def given_name(text: str) -> bool:
    """A known given name, alone or with a second one."""
    words = _tokens(text)
    return 1 <= len(words) <= 2 and name_shape(text) and _in_list(words[0], lists.GIVEN, given_names())


def family_name(text: str) -> bool:
    """A known family name, alone or one of two."""
    words = [word for word in _tokens(text) if word.lower() not in _PARTICLES]
    return (
        1 <= len(words) <= 2
        and name_shape(text)
        and any(_in_list(word, lists.FAMILY, family_names()) for word in words)
    )


def _family_ending(text: str) -> bool:
    words = [word for word in _tokens(text) if word.lower() not in _PARTICLES]
    return 1 <= len(words) <= 4 and name_shape(text) and bool(_ENDINGS.match(_fold(words[-1])))


_USER = re.compile(r"[a-z][a-z0-9]{1,24}(?:[._][a-z0-9]{1,20}){0,2}")


@cache
def _names() -> frozenset[str]:
    """Given and family names that a user name may hold."""
    known = lists.GIVEN | lists.FAMILY | given_names() | family_names()
    return frozenset(name for name in known if len(name) >= 4 and name.isascii())


def username(text: str) -> bool:
    """Lower-case letters and digits with a person's name within, as many choose to sign in."""
    bare = text.removeprefix("@")
    if not _USER.fullmatch(bare) or bare in _names():
        return False
    return any(_named(part) for part in re.sub(r"[^a-z]+", " ", bare).split())


def _named(part: str) -> bool:
    """A name, with an initial before or behind it, or two names in one."""
    if part in _names() or part[1:] in _names() or part[:-1] in _names():
        return True
    return any(part[:cut] in _names() and part[cut:] in _names() for cut in range(4, len(part) - 3))


def _handle(text: str) -> bool:
    return bool(_USER.fullmatch(text)) and 3 <= len(text) <= 30 and not text.isdigit()


def _one_of(words: frozenset[str]) -> Callable[[str], bool]:
    return lambda text: text.strip().lower() in words


_CENSUS: Final = re.compile(
    r"\b(?:white|black|african|asian|hispanics?|latin[oax]s?|caucasian|native|indigenous|aboriginal|islander|"
    r"hawaiian|multiracial|biracial|mestizo|roma|non-?hispanic|two or more races|(?:some )?other race|mixed race)\b",
    re.I,
)
_CENSUS_REST: Final = re.compile(
    r"(?:other|unknown|mixed|refused|declined|prefer not|not (?:stated|reported|known|specified)|undesignated|none).*",
    re.I,
)


def ethnic(text: str) -> bool:
    """An ethnic group, also in the wordings of a census (`White alone`, `Not Hispanic or Latino`)."""
    folded = text.strip().lower()
    return (
        folded in lists.ETHNICITIES
        or (len(folded) <= 80 and bool(_CENSUS.search(folded)))
        or bool(_CENSUS_REST.fullmatch(folded))
    )


def _clearly_ethnic(text: str) -> bool:
    """Words that only ethnic groups have: colours are white and black too, and anything is native or other."""
    folded = text.strip().lower()
    return bool(_CENSUS.search(folded)) and folded not in ("white", "black", "native") and len(folded) <= 80


PEOPLE: Final = (
    Recognizer("person-full-name", "PersonName", Strength.LISTED, full_name, 0.08, 0.15,
               "two or more words, one of them a common given or family name", longest=60),
    Recognizer("person-given-name", "PersonName", Strength.LISTED, given_name, 0.08, 0.15,
               "common given names", longest=40),
    Recognizer("person-family-name", "PersonName", Strength.LISTED, family_name, 0.1, 0.2,
               "common family names", longest=40),
    Recognizer("person-name-ending", "PersonName", Strength.LISTED, _family_ending, 0.15, 0.35,
               "endings that family names have", longest=60),
    Recognizer("person-name-shape", "PersonName", Strength.SHAPE, name_shape, 0.7, 0.9,
               "capitalised words without digits", longest=60),
    Recognizer("username-with-name", "Username", Strength.LISTED, username, 0.08, 0.2,
               "lower-case words with a person's name within", longest=40),
    Recognizer("username-form", "Username", Strength.SHAPE, _handle, 0.6, 0.9,
               "lower-case letters, digits and dots", longest=30),
)  # fmt: skip
"""What names people."""


def _set(name: str, tag: str, words: frozenset[str], reason: str, chance: float, floor: float = 0.8) -> Recognizer:
    return Recognizer(name, tag, Strength.LISTED, _one_of(words), chance, floor, reason, longest=48)


TRAITS: Final = (
    _set("gender-words", "Gender", lists.GENDERS, "only words for genders", 0.03, 0.95),
    _set("marital-words", "MaritalStatus", lists.MARITAL | {"unknown", "other"}, "words for marital status", 0.01),
    _set("religion-words", "Religion", lists.RELIGIONS, "names of religions", 0.01),
    Recognizer("ethnicity-census", "Ethnicity", Strength.LISTED, _clearly_ethnic, 0.02, 0.4,
               "ethnic groups in the wordings of a census", longest=80),
    _set("ethnicity-words", "Ethnicity", lists.ETHNICITIES | {"other", "unknown"}, "names of ethnic groups", 0.02),
    _set("blood-groups", "BloodType", lists.BLOOD, "blood groups", 0.005, 0.9),
)  # fmt: skip
"""What describes people by a few words; a column of them has few distinct values."""
