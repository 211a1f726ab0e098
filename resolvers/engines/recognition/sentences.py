"""Personal data within sentences: names, telephone numbers and streets in free text.

A note that names a person is personal data though the column holds none as such. What is told is the share of rows, how
many places there are, and where the first of them stand, with their form in place of their letters and digits.
E-mail addresses, cards, numbers of identities and keys are looked for within text by their own recognisers.
"""

# ruff: noqa: RUF001 - words and marks of many languages

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Final

from resolvers.engines.recognition import lists
from resolvers.engines.recognition.contact import is_telephone
from resolvers.engines.recognition.model import LONGEST, ColumnValues, Recognizer, RecognizerMatch, Strength
from resolvers.engines.recognition.people import is_company
from resolvers.engines.recognition.places import street
from resolvers.engines.recognition.words import NOT_IN_NAMES, family_names, fold, given_names

MOST_TEXTS: Final = 400
"""Distinct texts that are read."""

MOST_PLACES: Final = 20
"""Places of one text that are counted."""

MOST_EXAMPLES: Final = 3

BY_CHANCE: Final = 0.02
"""The share of capitalised words behind one another that are names by chance: lists of names hold words for things."""

_CAPITAL: Final = r"[^\W\d_a-zß-ÿ][^\W\d_]*(?:['’-][^\W\d_]+)*"
_TITLES: Final = frozenset(
    ("mr", "mrs", "ms", "dr", "prof", "sir", "herr", "herrn", "frau", "mme", "mlle", "sr", "sra", "srta", "senor",
     "senora", "sig", "signora", "dhr", "mevr")
)  # fmt: skip
_IN_FULL: Final = frozenset(("sir", "herr", "herrn", "frau", "senor", "senora", "signora"))
"""Titles that no dot follows."""
_PARTICLES: Final = r"(?:(?:van|von|de|der|den|del|da|di|la|le|dos|al|bin)\s){0,2}"
_RUN: Final = re.compile(rf"(?<![\w'’])(?:{_CAPITAL}|[A-Z])\.?(?:\s{_PARTICLES}(?:{_CAPITAL}|[A-Z])\.?)+(?!\w)")
"""Capitalised words behind one another, also with initials and with small words of names between them."""
_TELEPHONE: Final = re.compile(r"(?<![\w.+#/-])\+?\(?[0-9][0-9()\s./-]{6,18}[0-9](?![\w/-])")
_STREET: Final = re.compile(
    rf"(?<![\w.])[0-9]{{1,5}}[a-zA-Z]?,?\s(?:{_CAPITAL}\s){{1,3}}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Terrace|Parkway|Highway|Hwy|Square|"
    r"Crescent|Place|Pl|Way|Close|Grove|Mews)\b\.?"
    rf"|(?<!\w){_CAPITAL}(?:straße|strasse|gasse|allee|platz|straat|laan|gatan|vägen|katu|weg)\s[0-9]{{1,4}}[a-z]?\b"
    rf"|(?<!\w)(?:[0-9]{{1,4}},?\s)?(?:[Rr]ue|[Aa]venue|[Bb]oulevard|[Cc]alle|[Aa]venida|[Vv]ia|[Pp]iazza|[Rr]ua|[Uu]l\.)\s"
    rf"(?:de\s|la\s|del\s|des\s|du\s){{0,2}}{_CAPITAL}(?:\s{_CAPITAL}){{0,2}},?\s[0-9]{{1,4}}\b"
    r"|(?<!\w)[0-9]{1,4},?\s(?:rue|avenue|boulevard|chemin|place)\s(?:de\s|la\s|du\s|des\s){0,2}[^\W\d_]+(?:\s[^\W\d_]+)?"
)


@cache
def _known() -> tuple[frozenset[str], frozenset[str]]:
    """Given and family names."""
    return lists.GIVEN | given_names(), lists.FAMILY | family_names()


def _persons(text: str) -> Iterator[tuple[int, int]]:
    """Where a title stands before a name, a known given name before a known family name, or an initial between them."""
    given, family = _known()
    for run in _RUN.finditer(text):
        words = [one for one in re.finditer(r"[^\s.]+\.?", run.group()) if one.group()[0].isupper()]
        if is_company(run.group()) or any(_plain(one) in NOT_IN_NAMES for one in words[-1:]):
            continue
        for place, one in enumerate(words[:-1]):
            last = min(place + 2, len(words) - 1)
            initial = last > place + 1 and len(_plain(words[place + 1])) == 1
            behind = words[last if initial else place + 1]
            if any(_ends(word) for word in words[place : words.index(behind)]):
                continue
            titled = _plain(one) in _TITLES and len(_plain(behind)) > 1
            if titled or (_plain(one) in given and _plain(behind) in family):
                end = words[last] if titled and len(words) > place + 2 else behind
                yield run.start() + one.start(), run.start() + end.start() + len(end.group().rstrip("."))
                break


def _ends(word: re.Match[str]) -> bool:
    """Return whether a sentence ends with the word: its dot is none of an initial or a title that is cut short."""
    return word.group().endswith(".") and len(_plain(word)) > 1 and _plain(word) not in _TITLES - _IN_FULL


def _plain(word: re.Match[str]) -> str:
    return fold(word.group().rstrip("."))


def _by(form: re.Pattern[str], test: Callable[[str], bool] = bool) -> Callable[[str], Iterator[tuple[int, int]]]:
    return lambda text: (found.span() for found in form.finditer(text) if test(found.group()))


@dataclass(frozen=True, slots=True)
class Inner:
    """One kind of personal data that sentences hold."""

    recognizer: Recognizer
    places: Callable[[str], Iterator[tuple[int, int]]]
    varied: bool = False
    """Whether the same one in all of them is something else: the name of a product or a hall."""


def _kind(name: str, tag: str, reason: str, strength: Strength = Strength.FORM) -> Recognizer:
    return Recognizer(name, tag, strength, bool, 0.01, 0.02, reason, longest=LONGEST)


INNER: Final = (
    Inner(_kind("person-in-text", "PersonName", "names of persons within sentences", Strength.LISTED), _persons,
          varied=True),
    Inner(_kind("telephone-in-text", "PhoneNumber", "telephone numbers within sentences"),
          _by(_TELEPHONE, is_telephone)),
    Inner(_kind("street-in-text", "StreetAddress", "streets with their numbers within sentences"),
          _by(_STREET, street)),
)  # fmt: skip
"""What is looked for within sentences."""


def masked(text: str) -> str:
    """The form of a text: its letters and digits stand for others."""
    return re.sub(r"[0-9]", "0", re.sub(r"[^\W\d_]", lambda letter: "X" if letter[0].isupper() else "x", text))


def example(text: str, start: int, end: int) -> str:
    """One place of a text: the form of what stands there, and where, counted from 1."""
    return f"{masked(text[start:end])} at {start + 1}-{end}"


def placed(reason: str, places: int, examples: Sequence[str]) -> str:
    """A reason with how many places there are and the first of them."""
    return f"{reason}, {places} {'place' if places == 1 else 'places'} in all, such as {'; '.join(examples)}"


def within_sentences(column: ColumnValues) -> Iterator[RecognizerMatch]:
    """Return what the sentences of a column hold, with the share of rows, and where the first of it stands."""
    if not column.is_text:
        return
    texts = column.distinct[:MOST_TEXTS]
    rows = sum(column.counted[text] for text in texts)
    for kind in INNER:
        hits = inside = places = 0
        examples: list[str] = []
        said: set[str] = set()
        for text in texts:
            found = list(islice(kind.places(text[:LONGEST]), MOST_PLACES))
            if not found:
                continue
            hits, inside, places = hits + 1, inside + column.counted[text], places + len(found)
            said |= {text[start:end] for start, end in found}
            if len(examples) < MOST_EXAMPLES:
                examples.append(example(text, *found[0]))
        enough = 2 if kind.varied else 1
        if len(said) < enough or hits < 0.01 * len(texts):
            continue
        if kind.varied and places < BY_CHANCE * sum(len(_RUN.findall(text[:LONGEST])) for text in texts):
            continue
        strength = min(1.0, 0.62 + 0.04 * hits)
        told = replace(kind.recognizer, reason=placed(kind.recognizer.reason, places, examples))
        yield RecognizerMatch(told, len(texts), hits, inside / rows, strength, 8 * strength, "text")
