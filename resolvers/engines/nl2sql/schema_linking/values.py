"""The values that profiles know, by their words. Of private and of forbidden columns nothing is read."""

import re
import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

from rapidfuzz import fuzz, process

from resolvers.engines.nl2sql.language.tokens import lemma_of, root_of
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_WORD: Final = re.compile(r"[^\W_]+")
MOST_WORDS: Final = 9
"""Longer values are told, not named in a question."""
_MOST_KNOWN: Final = 50
"""Values of one column that are looked at: more than a profile keeps as a rule."""
_ALIKE: Final = 86
_NONE: Final[set[int]] = set()
SIGNS: Final = "+-#*"
"""Signs behind a word that make another value of it."""


_STRAYED_OFTEN: Final = 20
"""How many times as often a text stands in another column of its table, for it to have strayed into this one."""
_STRAYED_SHARE: Final = 0.01
"""Of the rows: what stands in more of them is no slip of whoever wrote it."""


class Held(NamedTuple):
    """A value that a column holds."""

    column: ColumnKey
    value: str


@lru_cache(maxsize=100_000)
def folded(text: str) -> str:
    """A text as values are compared: without case, accents and signs."""
    if not text.isascii():
        text = "".join(one for one in unicodedata.normalize("NFKD", text) if not unicodedata.combining(one))
    return " ".join(_WORD.findall(text.casefold()))


@lru_cache(maxsize=100_000)
def lemmas(text: str) -> str:
    """A folded text with the lemmas of its words."""
    return " ".join(lemma_of(word) for word in text.split(" "))


@lru_cache(maxsize=100_000)
def families(text: str) -> str:
    """A folded text with the roots of its words."""
    return " ".join(root_of(word) for word in text.split(" "))


def _signs_of(value: str) -> str:
    return value[len(value.rstrip(SIGNS)) :]


def is_part(said: str, whole: str) -> bool:
    """Return whether a folded text is a part of a longer one, in whole words."""
    return said != whole and f" {said} " in f" {whole} "


@lru_cache(maxsize=100_000)
def _known_by(value: str) -> tuple[str, str] | None:
    """A value as a profile holds it: folded, and with the lemmas of its words; None where it is told, not named."""
    said = folded(value) if not value.endswith("…") else ""
    return (said, lemmas(said)) if said and said.count(" ") < MOST_WORDS else None


_Places = dict[str, dict[ColumnKey, str]]
"""Where a text stands: by the FQN of the table the columns, each with how it is spelled there."""


class ValueIndex:
    """An index of values. Tables are read when they are first asked about."""

    def __init__(self, vocabulary: "Vocabulary") -> None:
        self._vocabulary = vocabulary
        self._known: Knowledge = vocabulary.known
        self._read: dict[str, set[str]] = {}
        self._whole: dict[str, _Places] = {}
        self._lemmas: dict[str, _Places] = {}
        self._long: list[tuple[ColumnKey, str, str]] = []
        """Values of several words, folded and as they stand, with the column that holds each."""
        self._words: dict[str, set[int]] = {}
        """The places of those with a word."""
        self._by_words = 0
        """So many of them are among those by their words."""
        self._lock = Lock()
        self._complete: set[ColumnKey] = set()
        self._strayed: set[tuple[ColumnKey, str]] = set()
        self._akin: dict[str, dict[str, list[Held]]] = {}
        self._signed: dict[tuple[ColumnKey, str], dict[str, str]] = {}
        """The values of a column that have the same words and end in signs, by those."""

    def read(self, tables: Collection[str]) -> None:
        """Takes the values of tables in, once each."""
        for fqn in tables:
            if fqn not in self._read:
                self._read[fqn] = set()
                self._read_table(fqn)

    def _read_table(self, fqn: str) -> None:
        read, whole, long = self._read[fqn], self._whole, self._long
        counts: dict[str, dict[ColumnKey, int]] = {}
        for key in self._vocabulary.keys_of(fqn):
            profile = self._vocabulary.profile(key)
            if profile is None or profile.masked or key in self._known.private or key in self._known.forbidden:
                continue
            if self._vocabulary.column_kind(key) is not ColumnKind.TEXT:
                continue
            if profile.distinct_count is not None and profile.distinct_count <= len(profile.top_values):
                self._complete.add(key)
            for one in profile.top_values[:_MOST_KNOWN]:
                value = one.value
                known = _known_by(value)
                if known is None:
                    continue
                said, base = known
                if said in read:
                    here = counts.setdefault(said, {})
                    here[key] = here.get(key, 0) + one.count
                else:
                    counts[said] = {key: one.count}
                read.add(said)
                if not value[-1:].isalnum() or (key, said) in self._signed:
                    self._signed.setdefault((key, said), {}).setdefault(_signs_of(value), value)
                if said in whole:
                    _put(whole, said, key, value)
                else:
                    whole[said] = {fqn: {key: value}}
                if base != said:
                    _put(self._lemmas, base, key, value)
                if " " in said:
                    long.append((key, said, value))
        self._find_strayed({said: columns for said, columns in counts.items() if len(columns) > 1})

    def _find_strayed(self, counts: dict[str, dict[ColumnKey, int]]) -> None:
        """Note the texts of a table that stand in a few rows of one column, and belong to another: `Dog` as a breed."""
        for said, columns in counts.items():
            most = max(columns.values())
            for key, count in columns.items():
                profile = self._vocabulary.profile(key)
                rows = profile.row_count if profile is not None else None
                if rows and count * _STRAYED_OFTEN <= most and count <= rows * _STRAYED_SHARE:
                    self._strayed.add((key, said))

    def has_strayed(self, held: Held) -> bool:
        """Return whether a value belongs to another column of the same table, where it stands far more often."""
        return (held.column, folded(held.value)) in self._strayed

    def signed(self, held: Held) -> dict[str, str]:
        """The values of a column that differ from a value in the signs that they end in, and itself, by those signs:
        O+ and O-; nothing where it is the only one.
        """
        found = self._signed.get((held.column, folded(held.value)), {})
        found = {_signs_of(held.value): held.value, **found}
        return found if len(found) > 1 else {}

    def _by_word(self) -> dict[str, set[int]]:
        """The values of several words by each of them: read for the questions only that ask for a part of a value."""
        words, long = self._words, self._long
        with self._lock:
            while self._by_words < len(long):
                for word in long[self._by_words][1].split(" "):
                    places = words.get(word)
                    if places is None:
                        words[word] = {self._by_words}
                    else:
                        places.add(self._by_words)
                self._by_words += 1
        return words

    def is_complete(self, key: ColumnKey) -> bool:
        """Return whether the profile knows every value of a column that has been read."""
        return key in self._complete

    def named(self, text: str, within: Collection[str] | None = None) -> list[Held]:
        """The values that are this text, but for case, accents and signs; only those of the tables `within`."""
        said = folded(text)
        places = self._whole.get(said)
        if places is None and " " in said:  # North Carolina, held as NorthCarolina
            places = self._whole.get(said.replace(" ", ""))
        return [Held(key, value) for key, value in _held(places, within)] if places is not None else []

    def like(self, text: str, within: Collection[str] | None = None) -> list[Held]:
        """The values that are this text in another form of its words: `dogs` for `Dog`."""
        base = lemmas(folded(text))
        others, places = self._lemmas.get(base), self._whole.get(base)
        if others is None and places is None:
            return []
        found = {**dict(_held(others, within)), **dict(_held(places, within))}
        return [Held(key, value) for key, value in found.items()]

    def akin(self, text: str, within: Collection[str]) -> list[Held]:
        """The values of tables whose words are of the same families as those of this text: `part_paid` for `partly
        paid`.
        """
        found: dict[ColumnKey, str] = {}
        for fqn in within:
            places = self._families(fqn).get(families(folded(text)), ())
            found.update((held.column, held.value) for held in places)
        return [Held(key, value) for key, value in found.items()]

    def _families(self, fqn: str) -> dict[str, list[Held]]:
        """The values of one table by the families of their words; made once."""
        if fqn not in self._akin:
            made: dict[str, list[Held]] = {}
            for said in self._read.get(fqn, ()):
                for key, value in self._whole[said].get(fqn, {}).items():
                    made.setdefault(families(said), []).append(Held(key, value))
            self._akin[fqn] = made
        return self._akin[fqn]

    def containing(self, text: str, within: Collection[str] | None = None) -> dict[ColumnKey, list[str]]:
        """The longer values that contain the words of this text in a row, of columns whose values are all known."""
        said = folded(text)
        if not said:
            return {}
        words = self._by_word()
        places = set.intersection(*(words.get(word, _NONE) for word in said.split(" ")))
        found: dict[ColumnKey, list[str]] = {}
        for at in sorted(places):
            column, whole, value = self._long[at]
            if column not in self._complete or (within is not None and column.table not in within):
                continue
            if is_part(said, whole):
                found.setdefault(column, []).append(value)
        return found

    def alike(self, text: str, within: Collection[str]) -> Iterator[tuple[Held, float]]:
        """The values of tables that are this text but for a misspelling."""
        said = folded(text)
        if len(said) < 5 or not any(map(str.isalpha, said)):
            return
        texts = sorted(set().union(*(self._read.get(fqn, ()) for fqn in within)))
        for other, alike, _ in process.extract(said, texts, scorer=fuzz.ratio, score_cutoff=_ALIKE, limit=3):
            if other != said and other[0] == said[0]:
                for key, value in _held(self._whole[other], within):
                    yield Held(key, value), alike / 100


def _put(texts: dict[str, _Places], text: str, key: ColumnKey, value: str) -> None:
    """Note where a text stands; of two spellings in one column the first."""
    places = texts.get(text)
    if places is None:
        texts[text] = {key.table: {key: value}}
    elif (here := places.get(key.table)) is None:
        places[key.table] = {key: value}
    elif key not in here:
        here[key] = value


def _held(places: _Places | None, within: Collection[str] | None) -> Iterator[tuple[ColumnKey, str]]:
    if places is not None:
        for table in places if within is None else [table for table in within if table in places]:
            yield from places[table].items()
