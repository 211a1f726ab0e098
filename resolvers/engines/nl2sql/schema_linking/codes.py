"""Words that a column holds as codes: electric as `E`, garden centers as `GC`, cancelled as `CANC`."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.verbs import VERBS
from resolvers.engines.nl2sql.mention import Correction, Linked, Mention, MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

AS_CODES: Final = 0.7
"""How sure an answer is at most that takes codes for words."""
_FITS: Final = 0.75
"""How well a word fits a code that it may be spelled out of."""
_CALLED: Final = 0.95
"""The same where the name of its column stands behind."""
_NAMED: Final = 0.8
"""How well words must name a table for its codes to be meant."""
_EXPLAINED: Final = 0.6
_CODE: Final = re.compile(r"[A-Z]{1,4}")
_SHORTEST: Final = 4
"""Letters of a word that may be kept as a code at least."""
_PLACES: Final = word_set("state country province region county st currency language")
"""Words of columns whose codes are those of places and the like, which no other words are short for."""
_DOING: Final = word_set("neither nor not never ever who which that to do also")
"""Words behind which a verb says what is done, and no code stands for that."""
_VOWELS: Final = re.compile(r"[aeiou]")


def as_codes(linked: Linked, vocabulary: Vocabulary, small: Collection[str]) -> Linked | None:
    """The words with those that nothing stands for taken for the codes of tables that are named; None without any.

    `small` are words that are no values of anything.
    """
    covered = {at for one in linked.mentions if one.score >= _EXPLAINED for at in range(one.first, one.last)}
    left = [
        at
        for at, token in enumerate(linked.tokens)
        if at not in covered and token.text.isalpha() and token.lemma not in small
        if not at or token.lemma not in VERBS or linked.tokens[at - 1].lemma not in _DOING
        if len(token.text) >= _SHORTEST or any(one.first == at + 1 and one.score >= _NAMED for one in linked.mentions)
    ]
    spans = [(at, at + 2) for at in left if at + 1 in left] + [(at, at + 1) for at in left]
    tables = {one.table for one in linked.mentions if one.table is not None and one.score >= _NAMED}
    kept = [(key, codes) for table in sorted(tables) for key, codes in _coded(vocabulary, table)]
    found: list[Mention] = []
    read: list[Correction] = []
    taken: set[int] = set()
    for first, last in spans:
        words = [token.text.lower() for token in linked.tokens[first:last]]
        meant = [(key, one) for key, codes in kept if (one := _code_of(words, codes)) is not None]
        if not meant or taken & set(range(first, last)):
            continue
        taken |= set(range(first, last))
        for key, code in meant:
            literal = (Literal("text", code),)
            called = _called_behind(linked, last, key)  # high priority, of a column `prio`
            fits = _FITS if called == last else _CALLED
            found.append(Mention(first, called, MentionKind.VALUE, fits, "code", column=key, values=literal))
        read.append(Correction(" ".join(words), " or ".join(dict.fromkeys(code for _, code in meant))))
    if not found:
        return None
    return replace(linked, mentions=(*linked.mentions, *found), corrections=(*linked.corrections, *read))


def _called_behind(linked: Linked, at: int, key: ColumnKey) -> int:
    """Where the name of a column ends that stands there; the place itself where none does."""
    named = [one.last for one in linked.mentions if one.first == at and one.column == key and one.score >= _NAMED]
    return min(named, default=at)


def _coded(vocabulary: Vocabulary, table: str) -> Iterator[tuple[ColumnKey, Sequence[str]]]:
    """The columns of a table that hold nothing but codes, with all of these."""
    hidden = vocabulary.known.private | vocabulary.known.forbidden
    for key in vocabulary.keys_of(table):
        profile = None if _PLACES & set(vocabulary.words(key)) else vocabulary.profile(key)
        if profile is None or profile.masked or profile.distinct_count is None or key in hidden:
            continue
        codes = [one.value for one in profile.top_values]
        if 1 < len(codes) >= profile.distinct_count and all(map(_CODE.fullmatch, codes)):
            yield key, codes


def _code_of(words: Sequence[str], codes: Sequence[str]) -> str | None:
    """The only one of some codes that words may be spelled out of."""
    fits = [code for code in codes if _stands_for(code.lower(), words)]
    return fits[0] if len(fits) == 1 else None


def _stands_for(code: str, words: Sequence[str]) -> bool:
    """Return whether a code is the first letters of words, of one word, or its first letter and consonants behind."""
    if len(words) > 1:
        return code == "".join(word[0] for word in words)
    word = words[0]
    if word.startswith(code):
        return True
    letters = iter(word)
    return len(code) > 1 and word[0] == code[0] and not _VOWELS.search(code[1:]) and all(one in letters for one in code)
