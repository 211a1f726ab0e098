"""Nouns and the verbs beside them: `pubs ordered` names no table of pub orders, and orders are no `ordered_on`."""

from collections.abc import Iterator, Sequence
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.language.tokens import lemma_of
from resolvers.engines.nl2sql.language.verbs import IRREGULAR_VERBS, VERBS, is_participle
from resolvers.engines.nl2sql.mention import Mention, MentionKind, Token
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_CALLED: Final = 0.95
"""How well a noun must call a table for a verb behind it to say what its rows did."""
_ROWS: Final = 0.6
"""How well a plural must call a table for its rows to be meant, rather than when something was done."""
_AS_DONE: Final = 0.75
"""What a time is still worth to a plural that only says what was done then."""
_MEANT: Final = 0.85
"""How well that plural calls the table whose rows it means, at least."""


def without_deeds(mentions: Sequence[Mention], tokens: Sequence[Token], vocabulary: Vocabulary) -> Iterator[Mention]:
    """Yields the mentions, without names of a noun with a verb, and with times that a plural calls by a verb for less.

    A name that has the verb in the same form, as `tickets_sold` has, is meant by it, and so is one of its noun:
    students enrolled are an `enrolment`.
    """
    rows = {(one.first, one.last): one for one in sorted(mentions, key=lambda one: one.score)
            if one.table is not None and one.kind is MentionKind.TABLE}  # fmt: skip
    called = {span: one.score for span, one in rows.items()}
    times = {(one.first, one.last) for one in mentions if _tells_when(one, tokens, vocabulary)}
    meant = {rows[span] for span in times & rows.keys() if called[span] >= _ROWS}
    for one in mentions:
        span, last = (one.first, one.last), tokens[one.last - 1]
        if one in meant:
            yield one._replace(score=max(one.score, _MEANT))
        elif one.how != "name":
            yield one
        elif span in times and called.get(span, 0.0) >= _ROWS and _tells_when(one, tokens, vocabulary):
            yield one._replace(score=_AS_DONE * one.score)
        elif called.get((one.first, one.last - 1), 0.0) < _CALLED or not _has_deed(one, last):
            yield one


def _has_deed(one: Mention, last: Token) -> bool:
    """Return whether a name has the verb that is said last, and in another form."""
    words = _words(one)
    return _is_past(last) and last.lemma in words and last.text.lower() not in words


def _words(one: Mention) -> list[str]:
    return tokens_of(one.column.column if one.column is not None else (one.table or "").rpartition(".")[2])


def _tells_when(one: Mention, tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """Return whether one word in the plural calls a column that tells when something was done."""
    last = tokens[one.last - 1]
    if one.column is None or one.how != "name" or one.last - one.first > 1 or not _is_plural(last):
        return False
    return vocabulary.column_kind(one.column).is_temporal and any(_is_done(word, last.lemma) for word in _words(one))


def _is_past(token: Token) -> bool:
    """Return whether a word is a verb in the past: ordered, led."""
    low = token.text.lower()
    return not token.is_lemma and is_participle(low) and (low in IRREGULAR_VERBS or token.lemma in VERBS)


def _is_plural(token: Token) -> bool:
    return not token.is_lemma and token.text.lower().endswith("s")


def _is_done(word: str, lemma: str) -> bool:
    """Return whether a word of a name is a verb in the past, of this lemma."""
    return word != lemma and lemma_of(word) == lemma and is_participle(word)
