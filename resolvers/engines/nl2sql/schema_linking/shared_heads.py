"""Lists whose names share their last word, written out: `first, middle and last name`."""

from collections.abc import Iterator
from typing import Final

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.schema_linking.question_tokens import TokenizedQuestion
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_CALLED: Final = 0.9
"""How well every name of such a list must fit a column."""
_TYING: Final = ("and", "or", "&")
_BETWEEN: Final = frozenset((*_TYING, ",", "the", "a", "an"))
_LONGEST: Final = 4
"""Words of the last name of such a list at most."""


def written_out(text: str, vocabulary: Vocabulary) -> str:
    """The question with the shared word behind each word of such a list, where columns of one table are called so."""
    question = TokenizedQuestion.of(text)
    for at in range(len(question.tokens) - 2, 0, -1):
        if question.tokens[at].lemma not in _TYING:
            continue
        found = next(_lists(question, at, vocabulary), None)
        if found is None:
            continue
        places, head = found
        for place in sorted(places, reverse=True):
            end = question.tokens[place].end
            text = f"{text[:end]} {head}{text[end:]}"
        question = TokenizedQuestion.of(text)
    return text


def _lists(question: TokenizedQuestion, at: int, vocabulary: Vocabulary) -> Iterator[tuple[list[int], str]]:
    """The places before a tying word that a shared head belongs behind, and that head; the longest last name first."""
    tokens = question.tokens
    start = at + 1
    while start < len(tokens) - 1 and tokens[start].lemma in _BETWEEN:
        start += 1
    for last in range(min(start + _LONGEST, len(tokens)), start + 1, -1):
        if not all(map(question.carries, range(start, last))):
            continue
        lemmas = [token.lemma for token in tokens[start:last]]
        tables = {key.table for key in _called(lemmas, vocabulary)}
        places: list[int] = []
        for place in _before(question, at):
            called = [key for key in _called([tokens[place].lemma, *lemmas[1:]], vocabulary) if key.table in tables]
            if tokens[place].lemma in lemmas or not called or _are_rows(tokens[place].lemma, called, vocabulary):
                break
            places.append(place)
        if places:
            yield places, question.said(start + 1, last)


def _before(question: TokenizedQuestion, at: int) -> Iterator[int]:
    """The single words of a list before a place, the nearest first."""
    tokens = question.tokens
    while True:
        place = at - 1
        while place > 0 and tokens[place].lemma in _BETWEEN:
            place -= 1
        if place < 0 or not question.carries(place):
            return
        yield place
        at = place
        if at < 2 or tokens[at - 1].lemma not in _BETWEEN:
            return


def _are_rows(lemma: str, called: list[ColumnKey], vocabulary: Vocabulary) -> bool:
    """Return whether a word calls a table, of which the whole name would only tell the key: the building and the unit
    number.
    """
    named = any(score >= _CALLED for _, score in vocabulary.tables((lemma,)))
    return named and all(map(vocabulary.is_identifier, called))


def _called(lemmas: list[str], vocabulary: Vocabulary) -> list[ColumnKey]:
    return [key for key, one in vocabulary.found_columns(lemmas, None, None, _CALLED) if one.score >= _CALLED]
