"""Defines what a name says: its words, what the short ones stand for, and how a reader would like to see it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from resolvers.engines.english.grammar import singular
from resolvers.engines.english.vocabulary import ABBREVIATIONS, ACRONYMS, COMMON, IN_CONTEXT, UNITS
from resolvers.engines.english.vocabulary import words as word_set

_TOKEN: Final = re.compile(r"[^\W_]+")
_HEADS: Final = ("id", "ids", "no", "nr", "key", "ref", "date", "time", "name", "code", "type", "status", "number")
_WITH_DIGITS: Final = frozenset(
    ("md5", "sha1", "sha256", "ipv4", "ipv6", "s3", "h3", "b2b", "b2c", "co2", "utf8", "m2", "m3", "km2")
)
_SMALL: Final = word_set("a an and as at by for from in of on or per the to via vs with")
_AT_THE_END: Final = {"no": "number", "desc": "description", "min": "minimum", "max": "maximum"}
"""Read so as the last of several words only."""
_STARTS: Final = (["st", "dt"], ["st", "date"], ["st", "tm"], ["st", "time"], ["st", "ts"])
"""Where `st` stands before a date, it is the start."""
_INITIALS: Final = {"f": "first", "l": "last", "m": "middle"}
"""What one letter before `name` stands for."""

PREFIXES: Final = {
    "tbl": "", "tb": "", "tab": "", "t": "", "vw": "view", "v": "view", "mv": "view", "dim": "dimension", "d": "",
    "fact": "fact", "fct": "fact", "f": "", "stg": "staging", "staging": "staging", "raw": "raw", "src": "raw",
    "int": "intermediate", "mart": "", "rpt": "report", "tmp": "temporary", "temp": "temporary", "bak": "backup",
    "bkp": "backup", "backup": "backup", "old": "backup", "lkp": "lookup", "lu": "lookup", "ref": "lookup",
    "agg": "aggregate", "hist": "history", "archive": "archive", "arch": "archive", "ods": "", "dw": "", "dwh": "",
    "edw": "", "brz": "raw", "bronze": "raw", "silver": "", "gold": "", "z": "", "x": "",
}  # fmt: skip
"""First words of a table's name that say what sort of table it is, or nothing."""
SUFFIXES: Final = {
    "tbl": "", "table": "", "tab": "", "dim": "dimension", "dimension": "dimension", "fact": "fact", "facts": "fact",
    "fct": "fact", "stg": "staging", "raw": "raw", "tmp": "temporary", "temp": "temporary", "bak": "backup",
    "bkp": "backup", "backup": "backup", "old": "backup", "hist": "history", "history": "history", "hst": "history",
    "log": "log", "logs": "log", "audit": "log", "archive": "archive", "arch": "archive", "master": "", "mstr": "",
    "mst": "", "data": "", "info": "", "dataset": "", "view": "view", "vw": "view", "lookup": "lookup", "lkp": "lookup",
    "xref": "bridge", "map": "bridge", "mapping": "bridge", "rel": "bridge", "bridge": "bridge", "link": "bridge",
    "summary": "aggregate", "agg": "aggregate", "snapshot": "snapshot", "snap": "snapshot",
}  # fmt: skip
"""Last words of a table's name that say what sort of table it is, or nothing."""


@dataclass(frozen=True, slots=True)
class Words:
    """A name in words: lower case, acronyms in capitals, abbreviations written out."""

    words: tuple[str, ...]
    expanded: Mapping[str, str] = field(default_factory=dict)
    """The abbreviations of the name, each with what it was taken for."""

    @property
    def phrase(self) -> str:
        """The words in a row."""
        return " ".join(self.words)

    @property
    def head(self) -> str:
        """The last word, in the singular and in lower case: what kind of thing it names."""
        return singular(self.words[-1]).lower() if self.words else ""

    @property
    def is_familiar(self) -> bool:
        """Return whether every word is one that names of data are often made of."""
        return bool(self.words) and all(map(_is_familiar, self.words))


def _is_familiar(word: str) -> bool:
    if word.isupper() or word.isdigit() or word in _SMALL or word in _KNOWN or singular(word) in COMMON:
        return True
    for ending in ("ing", "ed"):  # metering, updated
        stem = word.removesuffix(ending)
        if stem != word and (stem in COMMON or f"{stem}e" in COMMON or stem[:-1] in COMMON):
            return True
    return False


_KNOWN: Final = frozenset(word for said in ABBREVIATIONS.values() for word in said.split())


def tokens_of(name: str, known: Collection[str] = ()) -> list[str]:
    """The pieces of a name: at signs, between lower and upper case, and along known words where it is in one piece."""
    found: list[str] = []
    for token in _TOKEN.findall(name):
        for piece in _humps(token):
            found += _segments(piece.lower(), frozenset(known))
    return found


@lru_cache(maxsize=20_000)
def _humps(token: str) -> tuple[str, ...]:
    """`orderDate`, `OrderID`, `HTTPStatus2` at their humps; what is all upper or all lower case stays."""
    if token.lower() in _WITH_DIGITS:
        return (token,)
    pieces: list[str] = []
    start = 0
    for at in range(1, len(token)):
        before, here = token[at - 1], token[at]
        following = token[at + 1] if at + 1 < len(token) else ""
        hump = (
            (before.islower() and here.isupper())
            or (before.isupper() and here.isupper() and following.islower() and following != "s")
            or (before.isdigit() != here.isdigit())
        )
        if hump:
            pieces.append(token[start:at])
            start = at
    return (*pieces, token[start:])


@lru_cache(maxsize=20_000)
def _segments(word: str, known: frozenset[str]) -> tuple[str, ...]:
    """A word that is written in one piece, along known words; itself when it cannot be split without a rest."""
    if len(word) < 5 or word in ABBREVIATIONS or word in known or _is_word(word, known):
        return (word,)
    best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
    for end in range(3, len(word) + 1):
        for start in range(0, end - 1):
            piece, before = word[start:end], best[start]
            if before is None or not (
                (len(piece) > 2 and _is_word(piece, known)) or (start and end == len(word) and piece in _HEADS)
            ):
                continue
            if best[end] is None or len(before) + 1 < len(best[end] or ()):
                best[end] = (*before, piece)
    whole = best[len(word)]
    return whole if whole is not None and len(whole) <= 4 else (word,)


def _is_word(piece: str, known: frozenset[str]) -> bool:
    return len(piece) > 2 and bool({piece, singular(piece)} & known or piece in COMMON or singular(piece) in COMMON)


def words_of(
    name: str,
    extra: Mapping[str, str] | None = None,
    known: Collection[str] = (),
    context: Collection[str] = (),
) -> Words:
    """A name in words. `extra` are abbreviations of the deployment, which stand over the common ones.

    `context` are words beside the name, which tell what an abbreviation of several meanings stands for.
    """
    tokens = tokens_of(name, known)
    beside = {*tokens, *context}
    words: list[str] = []
    expanded: dict[str, str] = {}
    for at, token in enumerate(tokens):
        said = _expanded(token, at, tokens, extra or {}, beside)
        if said != token and token.upper() != said:
            expanded[token] = said
        words += said.split(" ")
    return Words(tuple(words), expanded)


def _expanded(token: str, at: int, tokens: Sequence[str], extra: Mapping[str, str], beside: Collection[str]) -> str:
    of = len(tokens)
    if token in extra:
        return extra[token]
    if of > 1 and at == of - 1 and token in _AT_THE_END:
        return _AT_THE_END[token]
    if token in _INITIALS and tokens[at + 1 : at + 2] == ["name"]:
        return _INITIALS[token]
    if tokens[at : at + 2] in _STARTS:
        return "start"
    for telling, said in IN_CONTEXT.get(token, ()):
        if telling & (set(beside) - {token}):
            return said
    if token in ACRONYMS:
        return token.upper()
    if token.endswith("s") and token[:-1] in ACRONYMS:
        return token[:-1].upper() + "s"
    if token in ABBREVIATIONS:
        return ABBREVIATIONS[token]
    # Two to four consonants are no word.
    initials = token.isalpha() and 2 <= len(token) <= 4 and not set(token) & set("aeiouy") and token.isascii()
    return token.upper() if initials and token not in UNITS and token not in _SMALL else token


def restates(title: str, name: str) -> bool:
    """Return whether a title spells the name's own letters and digits, so that a reader learns nothing new from it."""
    return _letters(title) == _letters(name)


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def title_of(words: Sequence[str]) -> str:
    """The words as a title: `Date of Birth`, `Customer ID`."""
    said = [
        word
        if any(letter.isupper() for letter in word) or (0 < at < len(words) - 1 and word in _SMALL)
        else word[:1].upper() + word[1:]
        for at, word in enumerate(words)
    ]
    return " ".join(said)


@dataclass(frozen=True, slots=True)
class TableName:
    """Holds what the name of a table says."""

    words: Words
    """Without what says only that it is a table."""
    role: str
    """What sort of table it is: dimension, fact, history, ...; empty for a plain one."""

    @property
    def noun(self) -> str | None:
        """Return what one row is, in the singular; None when the name does not tell."""
        words = self.words.words
        if not words or all(len(word) < 3 or not word.isalpha() for word in words):
            return None
        if not any(vowel in words[-1].lower() for vowel in "aeiouyáéíóúäöüåøæ") and not words[-1].isupper():
            return None
        return " ".join([*words[:-1], singular(words[-1])])


def table_name(
    name: str,
    shared: str | None = None,
    extra: Mapping[str, str] | None = None,
    context: Collection[str] = (),
) -> TableName:
    """Return what a table's name says, without the prefix that the tables of its schema share."""
    tokens = tokens_of(name)
    if shared is not None and len(tokens) > 1 and tokens[0] == shared:
        tokens = tokens[1:]
    role = ""
    while len(tokens) > 1 and tokens[0] in PREFIXES and tokens[0] not in (extra or {}):
        role = PREFIXES[tokens[0]] or role
        tokens = tokens[1:]
    while len(tokens) > 1 and (tokens[-1] in SUFFIXES or tokens[-1].isdigit() or re.fullmatch(r"v\d*", tokens[-1])):
        role = SUFFIXES.get(tokens[-1], "") or role
        tokens = tokens[:-1]
    return TableName(words_of(" ".join(tokens), extra, context=context), role)


def shared_prefix(names: Collection[str]) -> str | None:
    """The first word that most of a schema's tables begin with, such as the name of an application."""
    return _shared(tuple(names))


@lru_cache(maxsize=256)
def _shared(names: tuple[str, ...]) -> str | None:
    firsts: dict[str, int] = {}
    many = 0
    for name in names:
        tokens = tokens_of(name)
        if tokens:
            many += 1
        if len(tokens) > 1:
            firsts[tokens[0]] = firsts.get(tokens[0], 0) + 1
    if not firsts or many < 4:
        return None
    first, count = max(firsts.items(), key=lambda item: (item[1], item[0]))
    return first if count >= 4 and count >= 0.6 * many and first not in PREFIXES else None


_MEANS: Final = re.compile(r"\b([A-Za-z]{2,8})\b\s*(?:=|means|stands for)\s*[\"'“]?([A-Za-z][A-Za-z ]{2,40})")
_IN_BRACKETS: Final = re.compile(r"\b((?:[A-Za-z][a-z]+[ -]){1,5}[A-Za-z][a-z]+) \(([A-Z]{2,6})\)")


def abbreviations_in(text: str) -> dict[str, str]:
    """The abbreviations that a text explains: `PLU = price look-up`, `general ledger (GL)`. Bounded by the text."""
    found: dict[str, str] = {}
    for short, said in _MEANS.findall(text[:20_000]):
        found[short.lower()] = said.strip().lower()
    for said, short in _IN_BRACKETS.findall(text[:20_000]):
        words = said.replace("-", " ").split()[-len(short) :]
        if "".join(word[0] for word in words).upper() == short:
            found[short.lower()] = " ".join(words).lower()
    return found
