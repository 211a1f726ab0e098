"""A question as its tokens stand: which of them may name something, and which may be a value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from resolvers.engines.nl2sql.language.measures import is_unit
from resolvers.engines.nl2sql.language.tokens import tokenize
from resolvers.engines.nl2sql.language.words import COMMANDS, STOP_WORDS, SUPERFLUOUS, UNITS
from resolvers.engines.nl2sql.mention import Token

INSIDE: Final = frozenset(("of", "the", "a", "an", "for", "in", "to", "'s", "by", "at", "per", "-", "on"))
"""Little words that may stand inside of a name."""
PARTICLES: Final = frozenset(("off", "out", "up", "down", "in", "on", "away", "back", "through", "over"))
"""Little words that end verbs of two words."""
_ASKING_SPANS: Final = frozenset(("which", "what", "each", "every", "per", "by"))


@dataclass(frozen=True)
class TokenizedQuestion:
    """The text of a question with its tokens."""

    text: str
    tokens: tuple[Token, ...]

    @classmethod
    def of(cls, text: str) -> "TokenizedQuestion":
        """A question by its text."""
        return cls(text, tokenize(text))

    def without_full(self) -> "TokenizedQuestion":
        """`full name` as `name`, for where nothing is called by the one only."""
        said = [token.lemma for token in (*self.tokens, *self.tokens[-1:])]
        kept = (
            token
            for at, token in enumerate(self.tokens)
            if not (token.lemma in ("full", "whole", "complete") and said[at + 1] == "name" and not token.quoted)
        )
        return TokenizedQuestion(self.text, tuple(kept))

    def carries(self, at: int) -> bool:
        """Return whether a token may begin or end a name."""
        return self._carrying[at]

    @cached_property
    def _carrying(self) -> tuple[bool, ...]:
        return tuple(map(self._may_carry, range(len(self.tokens))))

    def _may_carry(self, at: int) -> bool:
        token = self.tokens[at]
        if token.quoted or (token.lemma in STOP_WORDS and not self.is_code(at)) or not token.lemma.strip("'-_."):
            return False
        if at == 0 and token.lemma in COMMANDS and token.is_lemma:  # "Name all ...", "List ..."
            return False
        return any(map(str.isalpha, token.lemma))

    def is_code(self, at: int) -> bool:
        """Return whether it is a small word in capitals that is no beginning: `OR` in a question of small letters."""
        token = self.tokens[at]
        return at > 0 and len(token.text) > 1 and token.text.isupper() and not self.shouts

    def is_letter(self, at: int) -> bool:
        """Return whether it is a single letter in capitals: `grade A`, `vitamin C`."""
        token = self.tokens[at]
        letter = len(token.text) == 1 and token.text.isupper() and not self.shouts
        return letter and at > 0 and (token.text != "I" or at == len(self.tokens) - 1)

    @cached_property
    def shouts(self) -> bool:
        """Return whether the question is written in capitals."""
        return sum(token.text.isupper() for token in self.tokens) > len(self.tokens) / 2

    def spans(self, longest: int) -> Sequence[tuple[int, int, tuple[str, ...]]]:
        """The runs of tokens that may be a name, with their lemmas."""
        if longest not in self._spans:
            self._spans[longest] = list(self._runs(longest))
        return self._spans[longest]

    @cached_property
    def _spans(self) -> dict[int, Sequence[tuple[int, int, tuple[str, ...]]]]:
        return {}

    def _runs(self, longest: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        carrying = self._carrying
        for first in range(len(self.tokens)):
            if not carrying[first]:
                continue
            said: tuple[str, ...] = ()
            for last in range(first + 1, min(first + longest, len(self.tokens)) + 1):
                token = self.tokens[last - 1]
                if token.quoted or not (carrying[last - 1] or token.lemma in INSIDE):
                    break
                if token.lemma not in INSIDE:
                    said = (*said, token.lemma)
                if carrying[last - 1]:
                    yield first, last, said

    def said(self, first: int, last: int) -> str:
        """The words as they were written."""
        if last - first == 1:
            return self.tokens[first].text
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        return self.text[start:end]

    def may_be_value(self, first: int, last: int) -> bool:
        """Return whether a run of tokens is worth looking up: not made of small words and numbers alone."""
        if last - first == 1:
            token = self.tokens[first]
            before = [one.text for one in self.tokens[max(0, first - 2) : first]]
            if not token.quoted and is_unit(before, token.lemma):
                return False  # 90 seconds
            named = first > 0 and token.text[:1].isupper() and token.text.lower() not in STOP_WORDS  # Willie Mays
            small = token.lemma in STOP_WORDS and not (named or self.is_code(first) or self.is_letter(first))
            return token.quoted or not (small or not any(map(str.isalnum, token.text)))
        return not (self._little[first] or self._little[last - 1])

    def asks_for_span(self, at: int) -> bool:
        """Return whether a span of time is asked for, or told for each: `which month`, `by hour`, `per week`."""
        before = self.tokens[at - 1].text.lower() if at else ""
        return self.tokens[at].text.lower() in UNITS and before in _ASKING_SPANS and not self.tokens[at].quoted

    def begins_little(self, first: int, last: int) -> bool:
        """Return whether a run of tokens begins with a small word, and may be a value as a whole: `in progress`."""
        little = self._little[first] and self.tokens[first].text.isalpha()
        return last - first > 1 and little and not self._little[last - 1]

    def ends_little(self, first: int, last: int) -> bool:
        """Return whether a run of tokens is a verb with its particle, and may be a value as a whole: `wrote off`."""
        particle = self.tokens[last - 1].text.lower() in PARTICLES
        return last - first == 2 and particle and not self._little[first] and self.tokens[first].text.isalpha()

    @cached_property
    def _little(self) -> tuple[bool, ...]:
        """Of each token whether it is a small word in small letters, and no part of a compound such as no-shows."""
        return tuple(
            one.lemma in STOP_WORDS and not one.text[:1].isupper() and not is_compounded(self.tokens, at)
            for at, one in enumerate(self.tokens)
        )

    def is_capital(self, at: int) -> bool:
        """Return whether a token is a name by its capital letter."""
        token = self.tokens[at]
        if token.quoted or not token.text[:1].isupper() or self.shouts:
            return False
        if len(token.text) == 1:
            return self.is_letter(at)
        begins = at == 0 or self.tokens[at - 1].lemma in (".", "?", "!")
        return not (begins and (token.lemma in STOP_WORDS or token.lemma in COMMANDS))


def is_compounded(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a hyphen ties a word to another without a space: `no-show`, `walk-in`."""
    runs = (tokens[first : first + 3] for first in (at, at - 2) if first >= 0)
    return any(len(run) == 3 and run[1].text == "-" and _touch(*run) for run in runs)


def _touch(first: Token, between: Token, last: Token) -> bool:
    """Return whether nothing stands between words and what ties them."""
    tied = first.end == between.start and between.end == last.start
    return tied and first.text.isalpha() and last.text.isalpha()


def is_thing(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a word that may be a command is a noun by what it ends in or stands behind: `any order`,
    `orders`. Nobody commands in the plural, so it is one at the beginning too.
    """
    token, before = tokens[at], tokens[at - 1].text.lower() if at else ""
    several = (not at or before.isalpha()) and token.text.lower() == f"{token.lemma}s"
    if token.lemma in _FIGURED or (token.lemma in SUPERFLUOUS and token.lemma not in _THINGS):
        return False
    return several or (before in _BEFORE_THINGS and token.lemma in _THINGS)


_BEFORE_THINGS: Final = frozenset(("a", "an", "any", "no", "every", "each", "per", "single", "their", "his", "her"))
"""Words before nouns."""
_THINGS: Final = frozenset(("order", "item", "report", "state"))
"""Words that command or add nothing, and that rows are called by as often."""
_FIGURED: Final = frozenset(("number", "name", "list", "count", "total"))
"""Nouns that ask for something themselves."""
