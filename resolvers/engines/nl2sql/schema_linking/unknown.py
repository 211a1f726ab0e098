"""The words of a question to look up in the source: they stand for nothing that is known, or look like a name.

A name that a profile knows of one column is looked up as well: it may be that of others, whose values nobody keeps.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from resolvers.engines.english.vocabulary import words
from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.numbers import number_of
from resolvers.engines.nl2sql.language.places import other_names
from resolvers.engines.nl2sql.language.words import (
    AGGREGATES,
    ASCENDING_WORDS,
    COMMANDS,
    DESCENDING_WORDS,
    OPERATORS,
    ORDERING_VERBS,
    STOP_WORDS,
    SUPERFLUOUS,
    UNITS,
)
from resolvers.engines.nl2sql.mention import Mention, MentionKind
from resolvers.engines.nl2sql.schema_linking.lookups import MOST_TEXTS
from resolvers.engines.nl2sql.schema_linking.question_tokens import TokenizedQuestion

_LONGEST: Final = 9
_BEYOND: Final = 3
"""How many known words may stand beside an unknown one in the same value."""
_SURE: Final = 0.85
_JOINING: Final = words(
    "of the de la and & - 's in von van el le du del to a for on with at from by . / my your no not or"
)
"""Words in small letters that may stand inside of a name in capitals."""

_WORKING: Final = (
    STOP_WORDS
    | COMMANDS
    | SUPERFLUOUS
    | ASCENDING_WORDS
    | DESCENDING_WORDS
    | ORDERING_VERBS
    | frozenset(UNITS)
    | frozenset(word for phrase in (*AGGREGATES, *OPERATORS) for word in phrase)
)
"""Words that ask, compare, count and order; as they stand alone they are no values."""

Wanted = dict[tuple[int, int], list[str]]
"""Runs of tokens, each with the texts that it may be spelled as, as it was written first."""


def unknown(question: TokenizedQuestion, mentions: Sequence[Mention]) -> Wanted:
    """Return what to look up, the most promising runs first: quoted texts, names in capitals, words that are left
    over.
    """
    found: Wanted = {}
    known = {(one.first, one.last) for one in mentions if one.kind is MentionKind.VALUE and one.score >= 0.9}

    def add(first: int, last: int) -> None:
        # A profile keeps the commonest values only: that it knows a name of one column does not tell whose it is else.
        is_known = any(one != (first, last) and one[0] <= first and last <= one[1] for one in known)
        if (first, last) not in found and len(found) < MOST_TEXTS and not is_known:
            found[first, last] = _spelled(question, first, last)

    for at, token in enumerate(question.tokens):
        if token.quoted:
            add(at, at + 1)
    capitals = list(_capitals(question))
    for first, last in capitals:
        for one in _names(question, first, last):
            add(*one)
    covered = {at for first, last in capitals for at in range(first, last)}
    left = left_over(question, mentions) - covered
    for first, last in _rows(left):
        for one in _within(question, first, last):
            add(*one)
    for at in sorted(left):
        for one in _around(question, at):
            add(*one)
    for one in _bracketed(question, left | covered):
        add(*one)
    return found


def _spelled(question: TokenizedQuestion, first: int, last: int) -> list[str]:
    said = question.said(first, last)
    token = question.tokens[first]
    found = [said]
    if token.quoted:
        return found
    if first > 0 and token.text[:1].isupper():  # names have no plural
        return [*found, *other_names(said)[:5]]
    if last - first == 1 and token.lemma != said.lower() and any(map(str.isalpha, token.lemma)):
        found.append(token.lemma)
    elif last - first > 1 and not question.tokens[last - 1].is_lemma:
        head = question.tokens[last - 1]
        found.append(said[: head.start - question.tokens[first].start] + head.lemma)
    return [*found, *other_names(said)[:5]]


def _names(question: TokenizedQuestion, first: int, last: int) -> Iterator[tuple[int, int]]:
    """All runs inside of a name in capitals, and that with an apostrophe behind it: McDonald's is no possessive."""
    if last < len(question.tokens) and question.tokens[last].lemma == "'s":
        yield first, last + 1
    yield from _within(question, first, last)


def _within(question: TokenizedQuestion, first: int, last: int) -> Iterator[tuple[int, int]]:
    """All runs inside of a run, the longest first."""
    for length in range(last - first, 0, -1):
        for start in range(first, last - length + 1):
            if question.may_be_value(start, start + length):
                yield start, start + length


def _capitals(question: TokenizedQuestion) -> Iterator[tuple[int, int]]:
    """Runs of tokens that look like a name by their capitals."""
    at, end_of_all = 0, len(question.tokens)
    while at < end_of_all:
        if not question.is_capital(at):
            at += 1
            continue
        end = at + 1
        while end < end_of_all and end - at < _LONGEST:
            inside = end
            while inside < end_of_all - 1 and inside - end < 3 and _joins(question, inside):
                inside += 1
            dashed = inside > end and question.tokens[inside - 1].lemma == "-"
            numbered = inside == end < end_of_all and question.tokens[end].text.isdigit()  # Crew Lift 2
            if inside >= end_of_all or not (question.is_capital(inside) or dashed or numbered):
                break
            end = inside + 1
        yield at - 1 if at and question.tokens[at - 1].text[:1].isdigit() else at, end  # 20th Century Fox
        at = end


def _joins(question: TokenizedQuestion, at: int) -> bool:
    """Return whether a small word stands there, and no letter that ends a name: Gate A."""
    return question.tokens[at].lemma in _JOINING and not question.is_letter(at)


def left_over(question: TokenizedQuestion, mentions: Sequence[Mention]) -> set[int]:
    """The tokens that stand for nothing that is known."""
    strong: set[int] = set()
    for one in mentions:
        if one.score >= _SURE and one.how != "fuzzy":
            strong.update(range(one.first, one.last))
    return {at for at in range(len(question.tokens)) if at not in strong and _may_be_left(question, at)}


def _may_be_left(question: TokenizedQuestion, at: int) -> bool:
    token = question.tokens[at]
    if token.quoted or not any(map(str.isalnum, token.text)) or number_of(token.lemma) is not None:
        return False
    if token.lemma in _WORKING:
        return False
    degree = degree_of(token.text)
    return degree is None or not (degree.superlative or degree.comparative)


def _rows(places: set[int]) -> Iterator[tuple[int, int]]:
    """Places in a row as runs, of five at most."""
    first: int | None = None
    for at in sorted(places):
        if first is None:
            first = at
        if at + 1 not in places or at + 1 - first >= 5:
            yield first, at + 1
            first = None


def _around(question: TokenizedQuestion, at: int) -> Iterator[tuple[int, int]]:
    """Runs of a few words that a word stands in, known ones among them: `student union` where student is a table."""
    tokens = question.tokens
    for first in range(max(0, at - _BEYOND), at + 1):
        for last in range(at + 1, min(len(tokens), at + 1 + _BEYOND) + 1):
            inside = tokens[first:last]
            plain = all(one.text[:1].isalnum() and not one.quoted and one.lemma not in _ENDING for one in inside)
            if plain and 1 < last - first <= 4 and question.may_be_value(first, last):
                yield first, last


def _bracketed(question: TokenizedQuestion, places: set[int]) -> Iterator[tuple[int, int]]:
    """Runs that end in brackets and stand for nothing yet: `amber lodge (old)`."""
    signs = [token.text for token in question.tokens]
    for opens in (at for at, sign in enumerate(signs) if sign == "(" and at and ")" in signs[at : at + _BEYOND + 3]):
        closes = signs.index(")", opens)
        for first in range(max(0, opens - _LONGEST), opens):
            plain = all(sign[:1].isalnum() for sign in signs[first:opens])
            if plain and places.intersection(range(first, closes)) and question.may_be_value(first, opens):
                yield first, closes + 1


_ENDING: Final = STOP_WORDS - frozenset(("of", "the", "and", "in", "for", "'s"))
"""Words that a value in small letters does not go across."""
