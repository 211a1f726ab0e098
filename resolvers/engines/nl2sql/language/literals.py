"""Numbers, dates and spans of time, truth values and quoted texts of a question. They belong to no column yet.

A LITERAL mention says by `how` what it is:
 `number`, `percent` (10 for 10 %), `ordinal` ("third"), `range` (two numbers),
`date` (first and last day, both included), `moment` (first and last moment), `month` (3 for a March of no year),
`weekday` (its name), `time`, `boolean`, `quote`. A year is given twice, as a number and as a span. With words of
comparison a span is meant by one of its ends: "since 2010" from its first day, "after 2010" behind its last day,
"before" in front of its first, "until" up to its last.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.language.numbers import numbers_at
from resolvers.engines.nl2sql.language.spans import BEGINNINGS, times_at
from resolvers.engines.nl2sql.language.words import FALSE_WORDS, TRUE_WORDS
from resolvers.engines.nl2sql.mention import Mention, MentionKind, Token
from resolvers.engines.nl2sql.plan import Literal

_TRUTHS: Final = TRUE_WORDS | FALSE_WORDS


def literals_of(tokens: Sequence[Token], now: datetime) -> list[Mention]:
    """All literals, in the order of the question; they may overlap, the longest is meant as a rule."""
    found: list[Mention] = []
    for at, token in enumerate(tokens):
        if token.quoted:
            found.append(_mention(at, at + 1, 1.0, "quote", _text(token.text)))
            continue
        low = token.text.lower()
        if token.lemma in BEGINNINGS or low in BEGINNINGS or not (low.isalpha() and token.lemma.isalpha()):
            found += numbers_at(tokens, at)
            found += times_at(tokens, at, now)
        if token.lemma in _TRUTHS and len(token.lemma) > 1 and token.lemma not in ("on", "off", "no"):
            found.append(_mention(at, at + 1, 0.7, "boolean", Literal("boolean", token.lemma in TRUE_WORDS)))
    found += _between(tokens, found)
    return found


def _mention(first: int, last: int, score: float, how: str, *values: Literal) -> Mention:
    return Mention(first, last, MentionKind.LITERAL, score, how, values=values)


def _text(text: str) -> Literal:
    return Literal("text", text)


def _between(tokens: Sequence[Token], found: Sequence[Mention]) -> Iterator[Mention]:
    """`between A and B`, `from A to B`, `A - B`, of numbers and of days."""
    for one in found:
        if one.how not in ("number", "date", "percent"):
            continue
        link = tokens[one.last].lemma if one.last < len(tokens) else ""
        before = tokens[one.first - 1].lemma if one.first else ""
        told = (before, link) in (
            ("between", "and"),
            ("from", "to"),
            ("from", "until"),
            ("from", "till"),
            ("from", "-"),
        )
        if not told and link not in ("-", "–", "—"):  # noqa: RUF001 - dashes
            continue
        first = one.first - 1 if told else one.first
        for other in found:
            if other.first != one.last + 1 or other.how != one.how or other.values[0].kind != one.values[0].kind:
                continue
            low, high = one.values[0], other.values[-1]
            score = min(one.score, other.score) if told else 0.5
            if one.how == "date" and str(low.value) <= str(high.value):
                yield _mention(first, other.last, score, "date", low, high)
            elif one.how != "date" and Decimal(low.value) <= Decimal(high.value):
                yield _mention(first, other.last, score, "range", low, high)
