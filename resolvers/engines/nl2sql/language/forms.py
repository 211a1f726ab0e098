"""Words as names and questions are compared by: rewritten to one spelling, and with what else may be meant by them."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from resolvers.engines.english.grammar import singular
from resolvers.engines.english.identifiers import shared_prefix, table_name, tokens_of, words_of
from resolvers.engines.english.vocabulary import ABBREVIATIONS, COMMON, UNITS
from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.spellings import REWRITTEN, SHORT
from resolvers.engines.nl2sql.language.synonyms import GROUPS, WIDER
from resolvers.engines.nl2sql.language.tokens import lemma_of, root_of
from resolvers.engines.nl2sql.language.verbs import FAMILIES

SAME_ROOT: Final = 0.88
SYNONYM: Final = 0.82
FAMILY: Final = 0.8
WIDENED: Final = 0.65
"""How near words are to those of the same root, to synonyms, to their family, and to what may answer them."""

LITTLE: Final = frozenset(
    ("a", "an", "the", "of", "for", "in", "to", "and", "at", "by", "'s", "or", "with", "per", "on")
)
"""Words of phrases that are not compared."""

_WEIGHTS: Final = {
    **dict.fromkeys(("id", "code", "number", "date", "type", "key", "year", "time", "level", "status"), 0.6),
    **dict.fromkeys(("title", "total", "amount", "value", "description", "text", "count", "full"), 0.5),
    **dict.fromkeys(("name", "detail", "info", "information", "data"), 0.4),
    **dict.fromkeys(("be", "have", "flag", "indicator", "yn", "do"), 0.0),
    **dict.fromkeys(("million", "billion", "thousand", "usd", "dollar", "eur", "euro", "cm", "kg", "km", "feet", "foot",
                     "inch", "mile", "meter", "minute", "hour", "second", "lb", "pound", "percent", "unit"), 0.25),
}  # fmt: skip
_ALWAYS: Final = {**dict.fromkeys(UNITS, 0.15)}
_OF_ID: Final = 1.5
_MOST_WORDS: Final = 12

SPLITTERS: Final = frozenset(
    word
    for word in (
        *(one for group in (*GROUPS, *FAMILIES) for one in group),
        *(one for said in ABBREVIATIONS.values() for one in said.split()),
        *(one for one in ABBREVIATIONS if len(one) > 3),
        *("emp", "stu", "mgr", "qty", "amt"),
    )
    if len(word) > 2 and word.isalpha()
)  # fmt: skip
"""Words along which names in one piece are split, besides the common ones."""


@lru_cache(maxsize=50_000)
def canonical(words: tuple[str, ...]) -> tuple[str, ...]:
    """Lemmas without little words, in the spelling that stands for all."""
    lemmas = [lemma for lemma in (lemma_of(word) for word in words) if lemma not in LITTLE] or [
        lemma_of(word) for word in words
    ]
    found: list[str] = []
    at = 0
    while at < len(lemmas):
        for length in (4, 3, 2, 1):
            said = tuple(lemmas[at : at + length])
            if len(said) == length and said in _REWRITTEN:
                found += _REWRITTEN[said]
                at += length
                break
        else:
            found.append(lemmas[at])
            at += 1
    return tuple(found)


_REWRITTEN: Final = {
    tuple(lemma_of(word) for word in said if word not in LITTLE): tuple(map(lemma_of, meant))
    for said, meant in REWRITTEN.items()
}  # fmt: skip


def squeezed(words: Iterable[str]) -> str:
    """Words in one piece, marked as such: `=horsepower`."""
    return "=" + "".join(words)


def bases_of(word: str) -> tuple[str, ...]:
    """The nouns and adjectives that a word in -y, -ly or -ing may be made of: sun of sunny, poor of poorly, engineer of
    engineering.
    """
    low = word.lower()
    if not low.isalpha() or len(low) < _LEAST_MADE:
        return ()
    if low.endswith("ing"):
        return (low[:-3], f"{low[:-3]}e") if len(low) > _LEAST_MADE + 1 else ()
    if not low.endswith("y"):
        return ()
    bases = [low[:-2]] if low.endswith("ly") else [low[:-1]]
    if len(low) > _LEAST_MADE - 1 and low[-2] == low[-3]:
        bases.append(low[:-2])
    return tuple(bases)


_LEAST_MADE: Final = 5
"""Letters of such a word, at least."""


@lru_cache(maxsize=20_000)
def related(word: str) -> tuple[tuple[str, float], ...]:
    """Return what else may be meant by a word, with how near it is; the word itself first. Same roots are not among
    them.
    """
    found = {word: 1.0}
    for near, groups in ((SYNONYM, _GROUPS), (FAMILY, _FAMILIES)):
        for group in groups.get(word, ()):
            for other in group:
                found[other] = max(found.get(other, 0.0), near)
    for other in _WIDER.get(word, ()):
        found[other] = max(found.get(other, 0.0), WIDENED)
    found[word] = 1.0
    return tuple(found.items())


def _by_word(groups: Iterable[Collection[str]]) -> dict[str, list[frozenset[str]]]:
    found: dict[str, list[frozenset[str]]] = {}
    for group in groups:
        said = frozenset(_one(word) for word in group)
        for word in said:
            found.setdefault(word, []).append(said)
    return found


def _one(word: str) -> str:
    """A word of the tables in the spelling that stands for all, when that is one word."""
    words = canonical((word,))
    return words[0] if len(words) == 1 else lemma_of(word)


_GROUPS: Final = _by_word(GROUPS)
_FAMILIES: Final = _by_word(FAMILIES)
_WIDER: Final = {_one(word): tuple(_one(other) for other in others) for word, others in WIDER.items()}


@dataclass(frozen=True, slots=True)
class NameForm:
    """One way to call a table or a column: its words, each with how much it matters that it is said."""

    words: tuple[str, ...]
    weights: tuple[float, ...]
    score: float
    """What it is worth when all of it is said."""
    how: str
    """name, display_name, description, glossary, memory."""
    memory: str | None = None


_FIRST_AND_LAST: Final = ({("first",): "first", ("last",): "last"}, {("fn",): "first", ("ln",): "last"})
"""Columns that hold the first and the last name of people where a table has both of a pair, and which they are."""
NAME_PARTS: Final = frozenset(
    (one,)
    for one in ("first", "last", "middle", "give", "given", "family", "full", "short", "long", "common", "display")
)
"""Words behind `name` that say which one it is."""


@dataclass(frozen=True, slots=True)
class ColumnWords:
    """Holds what the names of a column say."""

    words: tuple[str, ...]
    """Canonical, the words of its table included where they are part of its name."""
    own: tuple[str, ...]
    """Without what it shares with its table or its siblings."""
    phrase: str
    plain: tuple[str, ...] = ()
    """The words as the name separates them, when it can be split further: `bedroom` beside `bed room`."""


@dataclass(frozen=True, slots=True)
class NamedTable:
    """Holds what the names of a table and its columns say."""

    words: tuple[str, ...]
    noun: str
    columns: tuple[ColumnWords, ...]


def _whole(word: str) -> str:
    """A short word in the plural written out: `appts` are appointments."""
    one = singular(word)
    short = one != word and len(one) >= _LEAST_SHORT and one in ABBREVIATIONS and one not in COMMON
    return ABBREVIATIONS[one] if short else word


_LEAST_SHORT: Final = 4
"""Letters of a short word that is read in the plural too: `cats` are no categories."""
_LASTING: Final = frozenset(("duration", "length", "delay", "time", "runtime", "run", "wait", "travel", "long", "late"))


def _spelled(words: Sequence[str]) -> tuple[str, ...]:
    spelled = tuple(piece for word in words for piece in SHORT.get(word, _whole(word)).split())
    if spelled[-1:] == ("minimum",) and _LASTING & set(spelled):  # duration_min
        return (*spelled[:-1], "minute")
    return spelled


def _is_short_for(token: str, noun: str) -> bool:
    """Return whether a token before the words of a column is its table's name cut off: `drv` of drivers."""
    if len(token) < 2 or token == noun or len(noun) < 4:
        return False
    if token in COMMON:  # skip of skipper, but not order of orders
        return len(token) > 3 and noun.startswith(token) and len(noun) - len(token) > 1
    if noun.startswith(token):
        return len(token) > 2 or len(noun) > 4
    if len(token) >= 4 and noun.endswith(token):  # planet of exoplanets
        return True
    if token[0] != noun[0] or len(token) < 3 or set(token[1:]) & set("aeiou"):
        return False
    at = 0
    for sign in token:
        at = noun.find(sign, at) + 1
        if not at:
            return False
    return True


def _measured(phrase: str) -> str:
    """`length m` as people say it."""
    before, _, last = phrase.rpartition(" ")
    return f"{before} in {last}" if before and (last in UNITS or last == "m") and len(last) < 6 else phrase


_PIECE: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+|\d+")


@lru_cache(maxsize=20_000)
def _plain(name: str, words: tuple[str, ...]) -> tuple[str, ...]:
    pieces = canonical(tuple(piece.lower() for piece in _PIECE.findall(name)))
    return pieces if len(pieces) < len(words) and set(pieces) - set(words) else ()


_HEADS: Final = frozenset(("id", "no", "nr"))
_REFERRING: Final = frozenset(("id", "no", "nr", "code", "cd", "key", "number", "fk"))


_TAILS: Final = ("name", "date", "amount", "number", "status", "address", "price")
_FRONTS: Final = ("hours", "years", "date", "amount", "number", "price")
_WHOLE: Final = word_set(
    "surname forename nickname filename rename candidate update mandate validate liquidate accommodate intimidate "
    "consolidate paramount tantamount predate postdate outdate"
)
"""Words that only end like two."""
_LEAST_REST: Final = 4


def _in_one_piece(token: str, tables: frozenset[str]) -> list[str]:
    """`judgename`, `hoursbilled`: along the name of a table, or a word that names of columns end or begin with."""
    if len(token) < 2 * _LEAST_REST - 1 or not token.isalpha() or token in _WHOLE or token in COMMON:
        return [token]
    for front in tables:
        rest = token.removeprefix(front)
        if rest != token and (rest in _HEADS or rest in _TAILS or rest in COMMON or rest in SPLITTERS):
            return [front, rest]
    for known in _TAILS:
        rest = token.removesuffix(known)
        if rest != token and len(rest) >= _LEAST_REST:
            return [rest, known]
    for known in _FRONTS:
        rest = token.removeprefix(known)
        if rest != token and len(rest) >= _LEAST_REST:
            return [known, *(["in", rest[2:]] if rest.startswith("in") and rest[2:] in COMMON | SPLITTERS else [rest])]
    return [token]


def table_words(names: Iterable[str]) -> frozenset[str]:
    """The words that columns may begin with which are written in one piece: names of tables, in the singular."""
    return frozenset(word for name in names if len(word := singular(name.lower())) > 3 and word.isalpha())


def _pieces(column: str, letter: str, tables: frozenset[str]) -> list[str]:
    """The pieces of a column's name; a first letter that stands for the table is one: `ename`, `sid`, `pcity`."""
    tokens = tokens_of(column, SPLITTERS)
    if len(tokens) == 1:
        tokens = _in_one_piece(tokens[0], tables)
    if len(tokens) == 1 and tokens[0].startswith(letter) and tokens[0] not in ABBREVIATIONS:
        whole, rest = tokens[0], tokens[0][1:]
        known = rest in _HEADS or (len(rest) > 2 and (rest in COMMON or rest in ABBREVIATIONS or rest in SPLITTERS))
        if known and whole not in COMMON and whole not in SPLITTERS:
            return [letter, rest]
    return tokens


def _as_name(made: ColumnWords, which: str) -> ColumnWords:
    """The words of a column that is called by one word as those of the first or the last name."""
    phrase = f"{made.phrase.rpartition(' ')[0]} {which} name".strip()
    return replace(made, words=(*made.words[:-1], which, "name"), own=(which, "name"), phrase=phrase)


@lru_cache(maxsize=8_192)
def named(
    name: str, columns: tuple[str, ...], siblings: str | None, tables: frozenset[str] = frozenset()
) -> NamedTable:
    """The words of a table and its columns. `siblings` is the word that most tables of its schema begin with, `tables`
    those that its tables are called by.
    """
    pieces = [tokens_of(name, SPLITTERS), *(_pieces(one, name[:1].lower(), tables) for one in columns)]
    beside = frozenset(piece for tokens in pieces[:200] for piece in tokens)
    called = table_name(" ".join(pieces[0]) or name, siblings, context=beside)
    table = canonical(_spelled(_lower(called.words.words))) or canonical(tuple(pieces[0])) or (name.lower(),)
    shared = _shared(pieces[1:])
    found = []
    for one, tokens in zip(columns, pieces[1:], strict=True):
        said = words_of(" ".join(tokens), known=SPLITTERS, context=beside)
        words = canonical(_spelled(_lower(said.words))) or (one.lower(),)
        own = _without(words, table)
        phrase = " ".join(_spelled(_lower(said.words))) or one
        if len(tokens) > 1 and own == words:
            letter = len(tokens[0]) == 1 and name[:1].lower() == tokens[0] and not tokens[1][0].isdigit()
            short = any(_is_short_for(tokens[0], noun) for noun in table)
            initials = "".join(word[0] for word in table) if len(table) > 1 else ""
            short = short or tokens[0] == initials  # wo_no of work orders
            refers = tokens[0] in COMMON and tokens[1] in _REFERRING  # book_id of booking
            if tokens[0] == shared or letter or (short and not refers):
                rest = words_of(" ".join(tokens[1:]), known=SPLITTERS, context=beside)
                own = canonical(_spelled(_lower(rest.words))) or words
                own = ("number",) if own == ("no",) else own
                if own != words or letter:
                    phrase = " ".join(_spelled(_lower(rest.words)))
                    words = (*table, *own)
        if own[:1] == ("name",) and own[1:] in NAME_PARTS:  # nameLast is the last name
            turned = (*own[1:], *own[:1])
            words, own, phrase = (*words[: len(words) - len(own)], *turned), turned, " ".join(turned)
        found.append(ColumnWords(words, own, _measured(phrase), _plain(one, words)))
    owns = [one.own for one in found]
    for pair in _FIRST_AND_LAST:  # baker_first and baker_last are names
        if pair.keys() <= set(owns):
            found = [_as_name(made, pair[made.own]) if made.own in pair else made for made in found]
    for at, made in enumerate(found):
        if len(made.own) == 1 and made.own != made.words and owns.count(made.own) > 1:  # `singer id`, `concert id`
            found[at] = replace(made, own=made.words)
    return NamedTable(table, called.noun or " ".join(table), tuple(found))


def _lower(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _without(words: tuple[str, ...], table: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a column without the table's own before them: `student name` of student is `name`."""
    at = 0
    while at < len(words) - 1 and words[at] in table:
        at += 1
    return words[at:]


def _shared(names: Sequence[Sequence[str]]) -> str | None:
    """The first token that nearly all columns of a table begin with."""
    firsts = [tokens[0] for tokens in names if len(tokens) > 1]
    if len(names) < 3 or not firsts:
        return None
    best = max(set(firsts), key=lambda one: (firsts.count(one), one))
    return best if firsts.count(best) >= max(3, 0.7 * len(names)) else None


def schema_prefix(names: Collection[str]) -> str | None:
    """The word that most tables of a schema begin with."""
    return shared_prefix(names)


def weights_of(words: Sequence[str], own: Sequence[str]) -> tuple[float, ...]:
    """Return how much it matters that each word of a column's name is said. The first ones, of the table, need not
    be.
    """
    skipped = len(words) - len(own) if tuple(words[len(words) - len(own) :]) == tuple(own) else 0
    found = [0.0 if at < skipped else _ALWAYS.get(word, _WEIGHTS.get(word, 1.0)) for at, word in enumerate(words)]
    if len(own) > 1 and own[-1] == "id":  # `singer id` is no singer
        found[-1] = _OF_ID
    if not any(weight >= 0.4 for weight in found):  # nothing else to go by
        found = [0.0 if at < skipped else 1.0 for at in range(len(words))]
    return tuple(found)


def weight_of(word: str) -> float:
    """Return how much a word of a question must be found in a name."""
    return max(_WEIGHTS.get(word, 1.0), 0.3)


_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")  # noqa: RUF001 - an apostrophe


LONGEST_MEANING: Final = 4
"""Words of a description that is as short as a name."""
_CLAUSE_ENDS: Final = re.compile(r"[,;:.(]")


def first_clause(description: str | None) -> str:
    """Return what a description says before its first sign: it may be what a column is called."""
    return _CLAUSE_ENDS.split((description or "").strip(), maxsplit=1)[0]


@lru_cache(maxsize=20_000)
def phrase_words(text: str) -> tuple[str, ...]:
    """The canonical words of a phrase that people wrote, such as a synonym."""
    return canonical(tuple(_WORD.findall(text.lower()))[:_MOST_WORDS])


@lru_cache(maxsize=50_000)
def asked_words(lemma: str) -> tuple[str, ...]:
    """The words of one token of a question; of an identifier such as `stu_id` all that it is made of."""
    if any(sign in lemma for sign in "_-") or (lemma.isalnum() and any(map(str.isdigit, lemma))):
        words = words_of(lemma, known=SPLITTERS).words
        if words:
            return _lower(words)
    return (lemma,)


def same_root(word: str) -> str:
    """Return what stands for all words of a root; marked, so that it is never taken for a word."""
    return "~" + root_of(word)
