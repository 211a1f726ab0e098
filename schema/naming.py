"""Defines what people call things: names, titles and tags that can be seen, and that cannot pass for another unseen.

A name is read in lists, in logs and beside a button that deletes. So it begins and ends with something that can be
seen, and holds nothing that hides, breaks the line or turns its direction. `Name` and `Tag` are declared here once, and
a test holds every field of every operation to them. Which characters hide is what their Unicode category says, and
why joiners may stand inside of a name tells docs/decisions/0060.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import Field

from schema.grammar import Grammar

LONGEST_NAME: Final = 255

_UNSEEN: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Categories that show nothing: controls, format characters, and what parts lines and paragraphs."""
_SHOWN: Final = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Signs that Unicode counts as format characters although they are written: of numbers and verses in Arabic, say."""
_FILLERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2065\u3164\uffa0") | frozenset(
    map(chr, range(0xFFF0, 0xFFF9))
)
"""Letters and marks without a shape: Unicode lists them as ignorable, and their categories do not tell."""
_BLANK_PATTERN: Final = "\u2800"
"""The pattern of no dots, a symbol by its category."""
_JOINERS: Final = "\u200c\u200d"
_SELECTORS: Final = frozenset(
    map(chr, [0x180B, 0x180C, 0x180D, 0x180F, *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)])
)
"""They choose the shape of the character before them, as emoji have it."""
_JOINING: Final = frozenset({"Lo", "Mn", "Mc", "Me", "So", "Sk"})
"""What a joiner works on: letters without case, as of Persian and Hindi, their marks, and emoji."""


def _hides(letter: str) -> bool:
    """Return whether a character shows nothing and is no blank; joiners do not count here."""
    if letter in _JOINERS or letter in _SHOWN or letter in _SELECTORS:
        return False
    ignorable = "\U000e0000" <= letter <= "\U000e0fff"
    return ignorable or letter in _FILLERS or unicodedata.category(letter) in _UNSEEN


def _is_blank(letter: str) -> bool:
    return letter == _BLANK_PATTERN or unicodedata.category(letter) == "Zs"


def _is_visible(text: str) -> bool:
    """Return whether a text has one character at least that can be seen."""
    return any(not (_hides(one) or _is_blank(one) or one in _JOINERS or one in _SELECTORS) for one in text)


def _joins(text: str, at: int) -> bool:
    """Return whether the joiner at a place has something on both sides, and joins letters or signs that are joined."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if any(not side or _is_blank(side) or side in _JOINERS or _hides(side) for side in (before, after)):
        return False
    return bool(_JOINING & {unicodedata.category(before), unicodedata.category(after)})


def require_name(text: str) -> None:
    """Raise ValueError, in a sentence, for a text that is no name."""
    if text.isascii() and text.isprintable() and text[:1] != " " and text[-1:] != " ":
        return
    if not _is_visible(text):
        raise ValueError("it shows nothing; write at least one character that can be seen")
    for at, letter in enumerate(text):
        if _hides(letter) or (letter in _JOINERS and not _joins(text, at)):
            raise ValueError(
                f"it holds a character that cannot be seen, U+{ord(letter):04X} at position {at}; leave it out"
            )
    if _is_blank(text[0]) or _is_blank(text[-1]):
        raise ValueError("it begins or ends with a blank; leave that out")
    if text[0] in _SELECTORS:
        raise ValueError("it begins with a mark that belongs to a character before it; leave that out")


def require_tag(text: str) -> None:
    """Raise ValueError, in a sentence, for a text that is no tag."""
    require_name(text)
    if "," in text:
        raise ValueError("it holds a comma, which stands between the tags of a filter; write two tags, or another sign")


def _class(letters: Iterable[str]) -> str:
    """The inside of a class of characters, written so that JSON Schema, ECMAScript and Python all read it alike."""
    parts: list[str] = []
    codes = sorted(map(ord, letters))
    while codes:
        count = next((n for n, code in enumerate(codes) if code != codes[0] + n), len(codes))
        first, last = codes[0], codes[count - 1]
        parts.append(f"\\u{first:04x}" if first == last else f"\\u{first:04x}-\\u{last:04x}")
        codes = codes[count:]
    return "".join(parts)


_PLANE: Final = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
_HIDDEN: Final = [*filter(_hides, _PLANE)]
_BLANKS: Final = [*filter(_is_blank, _PLANE)]


def _pattern(besides: str = "") -> str:
    """The pattern that documents tell. Beyond its first plane a class is not read alike everywhere, so it is wider."""
    hidden = [*besides, *_HIDDEN]
    ends = [*hidden, *_BLANKS, *_JOINERS]
    first = [*ends, *(letter for letter in _SELECTORS if letter < "\U00010000")]
    return f"^[^{_class(first)}](?:[^{_class(hidden)}]*[^{_class(ends)}])?$"


NAME_PATTERN: Final = _pattern()
TAG_PATTERN: Final = _pattern(",")

Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=LONGEST_NAME,
        description=f"1 to {LONGEST_NAME} characters that can be seen; no blank begins or ends it.",
    ),
    Grammar(NAME_PATTERN, require_name),
]
"""What people call something. `Annotated[Name, Field(...)]` has another description, or is shorter."""
LongName = Annotated[
    str,
    Field(min_length=1, max_length=1000, description="1 to 1000 characters that can be seen."),
    Grammar(NAME_PATTERN, require_name),
]
"""A name that was always allowed to be longer."""
ShortName = Annotated[
    str,
    Field(min_length=1, max_length=64, description="1 to 64 characters that can be seen."),
    Grammar(NAME_PATTERN, require_name),
]
"""A word that things are sorted by: a unit, a type, a label."""
Tag = Annotated[
    str,
    Field(min_length=1, max_length=LONGEST_NAME, description="As a name, and without a comma."),
    Grammar(TAG_PATTERN, require_tag),
]
"""A label of which filters take several, with commas between them."""
Tags = Annotated[list[Tag], Field(max_length=100, description="Up to 100; none holds a comma.")]


def as_name(text: str, otherwise: str, longest: int = LONGEST_NAME) -> str:
    """A text as a name that the platform gives by itself: blanks for what no name may hold, cut to its length."""
    seen = "".join(
        " " if _hides(one) or (one in _JOINERS and not _joins(text, at)) else one for at, one in enumerate(text)
    )
    for called in (
        text[:longest],
        seen.strip()[:longest].rstrip(),
        re.sub(r"\W+", " ", seen).strip()[:longest].rstrip(),
    ):
        try:
            require_name(called)
        except ValueError:
            continue
        if called:
            return called
    return otherwise
