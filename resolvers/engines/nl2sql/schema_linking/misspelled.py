"""Misspelled words of a question, read as the words that they nearly are: of the catalog, and of questions themselves;
and compound words that end in a table's name, or words that the compound name of a table ends in, read as it.

Values are told apart elsewhere (`values.py`), and so are names that a longer word nearly is (`index.py`).
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import OSA

from resolvers.engines.english.vocabulary import COMMON
from resolvers.engines.nl2sql.language.degrees import ADJECTIVES, degree_of
from resolvers.engines.nl2sql.language.forms import SAME_ROOT
from resolvers.engines.nl2sql.language.phrases import PHRASES
from resolvers.engines.nl2sql.language.tokens import lemma_of, root_of
from resolvers.engines.nl2sql.language.verbs import IRREGULAR_VERBS, VERBS
from resolvers.engines.nl2sql.language.words import COMMANDS, STOP_WORDS, SUPERFLUOUS, UNITS
from resolvers.engines.nl2sql.mention import Correction, Linked, MentionKind, Token
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_SHORTEST: Final = 4
"""Letters of a word that is looked at: shorter ones are nearly too many others."""
_SURE_OF_LETTERS: Final = 6
"""Letters from which on one may be taken for another: in shorter words it may be missing, doubled or misplaced."""
_LONG: Final = 8
"""Letters from which on two slips are forgiven."""
_HALF: Final = 4
"""Letters that each half of a compound word has at least."""
_MODIFIER: Final = 3
"""Letters of what stands before the head of a table's compound name at least: art, of `artworks`."""
_CALLED: Final = 0.98
"""How well a table must be called by the second half of a word."""
_PREFIXES: Final = frozenset(
    ("ante", "anti", "auto", "counter", "inter", "macro", "mega", "meta", "micro", "mini", "mono", "multi", "over",
     "poly", "post", "pseudo", "retro", "semi", "super", "supra", "trans", "ultra", "under")
)  # fmt: skip
"""First halves that turn a word into another: transactions are no actions."""
_EXPLAINED: Final = 0.5
"""How well words must fit something to need no other reading."""


def corrected(linked: Linked, vocabulary: Vocabulary) -> tuple[str, tuple[Correction, ...]]:
    """The text of a question with its misspelled words read otherwise, and what was read as what.

    Looked at are words that nothing in the catalog or its values stands for, and that are no English that is known.
    """
    text, found = linked.text, []
    named, well_named, explained = set[int](), set[int](), set[int]()
    for one in linked.mentions:
        if one.score >= _EXPLAINED:
            is_name = one.kind in (MentionKind.TABLE, MentionKind.COLUMN)
            (named if is_name else explained).update(range(one.first, one.last))
        if one.score >= SAME_ROOT:
            well_named.update(range(one.first, one.last))
    for at in reversed(range(len(linked.tokens))):
        token = linked.tokens[at]
        if at in explained or token.quoted or (at and token.text[:1].isupper()) or vocabulary.is_word(token.lemma):
            continue
        near = _compound(token, vocabulary) if at not in well_named else None
        compound = near is not None
        if near is None and not _may_be_misspelled(token):
            continue
        near = near or _nearest(token.text.lower(), vocabulary) or _second_half(token, vocabulary)
        if near is not None and (compound or at not in named or _differs(token, near, vocabulary)):
            text = f"{text[: token.start]}{near}{text[token.end :]}"
            found.append(Correction(token.text, near))
    return text, tuple(reversed(found))


def is_slip(one: Correction) -> bool:
    """Return whether a long word is read as one that differs by a single slip."""
    return len(one.read) >= _SURE_OF_LETTERS and OSA.distance(one.written.lower(), one.read.lower()) == 1


def _differs(token: Token, near: str, vocabulary: Vocabulary) -> bool:
    """Return whether a word that a name was found for is not just that name's word in another form: enrollment,
    enrolment.
    """
    if not {near, lemma_of(near)} & vocabulary.spoken:
        return False
    forms = [vocabulary.asked((token.lemma,)), vocabulary.asked((lemma_of(near),))]
    return forms[0] != forms[1] and root_of(token.lemma) != root_of(near)


def _may_be_misspelled(token: Token) -> bool:
    word = token.text
    if len(word) < _SHORTEST or not word.isalpha() or not word.isascii() or word[1:] != word[1:].lower():
        return False
    return not {word.lower(), token.lemma, *_done_by(token.lemma)} & _english() and degree_of(word) is None


def _done_by(word: str) -> tuple[str, ...]:
    """The verbs that a word may be made of which says who or what does something: compute, of computer."""
    return (word[:-1], word[:-2]) if word.endswith(("er", "or")) else ()


def _second_half(token: Token, vocabulary: Vocabulary) -> str | None:
    """The name of a table that a compound word ends in: parks, of `ballparks`."""
    word = token.lemma
    for first in range(_HALF, len(word) - _HALF + 1):
        half = word[first:]
        called = half in vocabulary.spoken and word[:first] not in _PREFIXES
        if called and any(score >= _CALLED for _, score in vocabulary.tables((half,))):
            return token.text[first:].lower()
    return None


def _compound(token: Token, vocabulary: Vocabulary) -> str | None:
    """The name of the only table that is a compound of another word and this one: strikes, of `birdstrikes`."""
    word = token.text.lower()
    if len(word) <= _HALF or not word.isalpha() or token.is_lemma:
        return None  # a plural, so that rows are meant
    names = {one.name.lower() for one in vocabulary.known.tables}
    found = {
        name
        for name in names
        for whole in (name, f"{name}s")
        if whole.isalpha() and whole.endswith(word)
        if len(whole) - len(word) >= _MODIFIER and whole[: -len(word)] not in _PREFIXES
    }
    return found.pop() if len(found) == 1 else None


def _nearest(word: str, vocabulary: Vocabulary) -> str | None:
    """The word that another nearly is; None where none is, or several are just as near."""
    slips = 2 if len(word) >= _LONG else 1
    best: dict[str, tuple[int, bool]] = {}
    for known, ours in _known(vocabulary):
        if abs(len(known) - len(word)) > slips or len(known) < _SHORTEST - 1:
            continue
        far = OSA.distance(word, known, score_cutoff=slips)
        exchanged = len(known) == len(word) and sorted(known) != sorted(word)
        if exchanged and len(word) < _SURE_OF_LETTERS:
            continue  # a toll is not told
        if exchanged and far > 1 and not ours:
            continue  # nor is infected inverted: two other letters make another word
        if far <= slips and (known[0] == word[0] or known[:2] == word[1::-1]):
            best[known] = (far, not ours)
    ranked = sorted(best, key=lambda known: (best[known], known))
    if len(ranked) > 1 and best[ranked[0]] == best[ranked[1]] and lemma_of(ranked[0]) != lemma_of(ranked[1]):
        return None
    return ranked[0] if ranked else None


def _known(vocabulary: Vocabulary) -> Iterator[tuple[str, bool]]:
    """Every word that one may be read as, and whether the catalog has it in a name."""
    for word in vocabulary.spoken:
        yield word, True
        yield f"{word}s", True
    for word in _of_questions():
        yield word, False


@lru_cache(maxsize=1)
def _of_questions() -> frozenset[str]:
    return frozenset(
        word for phrase in PHRASES for word in phrase if word.isascii() and word.isalpha() and len(word) >= _SHORTEST
    )


@lru_cache(maxsize=1)
def _english() -> frozenset[str]:
    """Words that are spelled rightly, as far as they are known."""

    def plain(words: Iterable[str]) -> set[str]:
        return {word.lower() for word in words}

    return frozenset(
        plain(COMMON) | plain(COMMANDS) | plain(STOP_WORDS) | plain(SUPERFLUOUS) | plain(VERBS) | plain(UNITS)
        | plain(IRREGULAR_VERBS) | plain(ADJECTIVES) | _of_questions()
    )  # fmt: skip
