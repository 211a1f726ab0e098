"""Defines how a reply to a question back is understood: by the number of a reading, by its place, or by words of it.

What is not clearly a choice is none, and is read as a question of its own.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from resolvers.engines.english.vocabulary import words as word_set

LONGEST_REPLY: Final = 300
_WORD: Final = re.compile(r"[^\W_]+")
_PLACES: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS: Final = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_AROUND: Final = word_set(
    "a an the i we me you it is was be this that these those there mean meant want wanted would like prefer choose "
    "take pick use go try give show let s d ll m please option reading answer choice version variant number no nr with "
    "for of by in on to and then rather thanks sorry ok okay yes yeah just"
)
"""Words that choose nothing by themselves."""
_YES: Final = re.compile(
    r"(?:yes|yeah|yep|sure|ok|okay|exactly|correct|right|true|it is|that is it|thats it|that one|this one)"
    r"(?: (?:please|it is|that is right|that one|exactly|thanks|do|do that))*"
)
_NO: Final = re.compile(
    r"(?:no|nope|neither|none|not? (?:it is not|that|those))(?: (?:of (?:them|these|those)|thanks))*"
)


class Unchosen(Enum):
    """What a reply is that answers a question back and chooses no reading."""

    NONE = auto()
    """None of them is meant."""
    BEYOND = auto()
    """A number that no reading has."""


def choice_of(reply: str, readings: Sequence[str]) -> int | Unchosen | None:
    """Return which reading a reply chooses, from 0; None when it is a question of its own."""
    if not readings or len(reply) > LONGEST_REPLY:
        return None
    words = _words(reply)
    same = [at for at, text in enumerate(readings) if _words(text) == words]
    if len(same) == 1:
        return same[0]
    spoken = " ".join(words)
    if len(readings) == 1 and _YES.fullmatch(spoken):
        return 0
    if _NO.fullmatch(spoken):
        return Unchosen.NONE
    placed = _placed(words, len(readings))
    return placed if placed is not None else _by_words(words, readings)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _placed(words: Sequence[str], many: int) -> int | Unchosen | None:
    """The reading of a number or a place, said with nothing else that chooses."""
    left = [word for word in words if word not in _AROUND]
    if len(left) == 2 and left[1] in ("one", "ones"):
        left = left[:1]
    if len(left) != 1:
        return None
    word = left[0]
    if word in ("last", "latter"):
        return many - 1
    if word == "former":
        return 0
    number = _number(word)
    if number is None:
        return None
    return number - 1 if 1 <= number <= many else Unchosen.BEYOND


def _number(word: str) -> int | None:
    for names in (_PLACES, _NUMBERS):
        if word in names:
            return names.index(word) + 1
    digits = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)?", word, re.ASCII)
    return int(digits[1]) if digits else None


def _by_words(words: Sequence[str], readings: Sequence[str]) -> int | None:
    """The one reading that holds every word of the reply."""
    said = {_stem(word) for word in words if word not in _AROUND} - {"one"}
    if not said:
        return None
    holding = [at for at, text in enumerate(readings) if said <= {_stem(word) for word in _words(text)}]
    return holding[0] if len(holding) == 1 else None


def _stem(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word.removesuffix("s") if len(word) > 3 else word
