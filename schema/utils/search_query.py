"""The neutral tree of a parsed catalog search, the fields that it may name, and the words that free text is made of.

`resolvers/engines/query_string.py` makes the tree from a `q` string; `persistence/queries/metadata_search.py` turns it
into SQL. Both take the vocabulary of this file, so a query means the same wherever it runs:

* a *keyword* field (`name:orders`, `type:table`) is equal to the value, letters a-z in either case; a trailing `*`
  asks for a prefix;
* a *words* field (`description:"late order"`, `owners:ann`) holds the words of the value, one after the other; a
  trailing `*` makes the last one a prefix;
* a bare word is looked for in the words of name, display_name, description, summary_text, business_definition and,
  for a table, the names of its columns;
* a bare dotted name (`shop.public.orders`) is that, or the asset whose dotted name it is or ends: a trailing `*` makes
  its last part the beginning of the asset's name;
* *number* and *moment* fields take a value, a range or a comparison; a date without a time is the whole day in UTC;
* `columns.x` holds for a table when one of its columns fits.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Final


class FieldKind(StrEnum):
    """How a field is compared."""

    KEYWORD = "keyword"
    WORDS = "words"
    NUMBER = "number"
    MOMENT = "moment"
    FLAG = "flag"


OWN_FIELDS: Final[dict[str, FieldKind]] = {
    "id": FieldKind.KEYWORD,
    "name": FieldKind.KEYWORD,
    "fully_qualified_name": FieldKind.KEYWORD,
    "resource_uri": FieldKind.KEYWORD,
    "service_name": FieldKind.KEYWORD,
    "type": FieldKind.KEYWORD,
    "table_type": FieldKind.KEYWORD,
    "data_type": FieldKind.KEYWORD,
    "data_type_display": FieldKind.KEYWORD,
    "created_by": FieldKind.KEYWORD,
    "updated_by": FieldKind.KEYWORD,
    "display_name": FieldKind.WORDS,
    "description": FieldKind.WORDS,
    "summary_text": FieldKind.WORDS,
    "business_definition": FieldKind.WORDS,
    "business_rules": FieldKind.WORDS,
    "owners": FieldKind.WORDS,
    "tags": FieldKind.WORDS,
    "row_count": FieldKind.NUMBER,
    "column_count": FieldKind.NUMBER,
    "table_count": FieldKind.NUMBER,
    "children_total": FieldKind.NUMBER,
    "ordinal_position": FieldKind.NUMBER,
    "precision": FieldKind.NUMBER,
    "scale": FieldKind.NUMBER,
    "data_length": FieldKind.NUMBER,
    "version_major": FieldKind.NUMBER,
    "version_minor": FieldKind.NUMBER,
    "created_at": FieldKind.MOMENT,
    "updated_at": FieldKind.MOMENT,
    "deleted_at": FieldKind.MOMENT,
    "is_dq_tagged": FieldKind.FLAG,
    "is_pii_tagged": FieldKind.FLAG,
    "is_sensitivity_tagged": FieldKind.FLAG,
    "nullable": FieldKind.FLAG,
}

COLUMN_FIELDS: Final = ("name", "description", "data_type", "tags", "is_pii_tagged", "is_sensitivity_tagged")
"""What `columns.` may be followed by."""

FIELDS: Final[dict[str, FieldKind]] = OWN_FIELDS | {f"columns.{name}": OWN_FIELDS[name] for name in COLUMN_FIELDS}
"""Every field that a query may name."""

ALIASES: Final = {"fqn": "fully_qualified_name", "asset_type": "type", "columns": "columns.name"}
"""Other spellings of a field."""

WORD_TAGS: Final = {
    "display_name": "t",
    "description": "d",
    "summary_text": "s",
    "business_definition": "b",
    "business_rules": "r",
    "owners": "o",
    "tags": "g",
}
"""The letter that marks the words of one field in an asset's stored words: `d_order` is "order" in a description."""


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds; without parts, everything does."""

    parts: tuple["Query", ...] = ()


@dataclass(frozen=True, slots=True)
class Some:
    """One part holds at least."""

    parts: tuple["Query", ...]


@dataclass(frozen=True, slots=True)
class Never:
    """The part does not hold."""

    part: "Query"


@dataclass(frozen=True, slots=True)
class Text:
    """Free text, or the text of one keyword or words field."""

    value: str
    prefix: bool = False
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Dotted:
    """The dotted name of an asset, or its last parts."""

    value: str
    prefix: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """A yes or no field."""

    field: str
    value: bool


@dataclass(frozen=True, slots=True)
class Between:
    """A number or moment inside bounds; an open end is None."""

    field: str
    low: int | datetime | None = None
    high: int | datetime | None = None
    include_low: bool = True
    include_high: bool = True


@dataclass(frozen=True, slots=True)
class Exists:
    """The field has a value; an empty list is none."""

    field: str


Query = All | Some | Never | Text | Dotted | Flag | Between | Exists

EVERYTHING: Final = All()
"""The query that was not given."""


def names_field(query: Query, field: str) -> bool:
    """Return whether a query speaks of a field anywhere."""
    match query:
        case All(parts) | Some(parts):
            return any(names_field(part, field) for part in parts)
        case Never(part):
            return names_field(part, field)
        case Dotted():
            return False
        case _:
            return query.field == field


_RUN = re.compile(r"[^\W_]+")
_ASCII = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else ord(" ") for code in range(256))
"""What each ASCII character of a text becomes: a small letter, a digit, or a gap."""
_TURN = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_MAX_WORD = 200
_REMEMBERED = 100
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxy0123456789")


def split_words(text: str) -> list[str]:
    """The words of a text: split at everything but letters and digits and where camelCase turns, case folded.

    Every word comes out in the letters a-z and 0-9, one by one, so that a prefix stays a prefix: other letters are
    written as `z` and six hexadecimal digits, `z` itself as `zz`. No tokenizer of a store then has anything to decide.
    """
    return list(_words(text)[0])


def _split(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of a text, and the runs of it that were taken apart, each as one word."""
    runs = [(run, _turns(run)) for run in _runs(text)]
    whole = tuple([_encoded(run) for run, parts in runs if len(parts) > 1])
    return tuple([_encoded(part) for _, parts in runs for part in parts]), whole


_known_split = lru_cache(maxsize=16_384)(_split)  # a column's name is split for itself, for its table, and ever again


def _words(text: str) -> tuple[Sequence[str], Sequence[str]]:
    """As `_split`. Ordinary text, which is most of what a source says, needs no look at its single letters."""
    if text.isascii() and len(text) <= _MAX_WORD and (text[1:] == text[1:].lower() or not _TURN.search(text)):
        return text.encode().translate(_ASCII).decode().replace("z", "zz").split(), ()
    return _known_split(text) if len(text) <= _REMEMBERED else _split(text)


def _runs(text: str) -> list[str]:
    return _RUN.findall(unicodedata.normalize("NFKC", text))


def _turns(run: str) -> list[str]:
    if run.islower() or run.isupper() or run.isdigit():
        return [run]
    parts: list[str] = []
    start = 0
    for at in range(1, len(run)):
        before, here = run[at - 1], run[at]
        rises = here.isupper() and not before.isupper()
        ends_capitals = (
            before.isupper() and here.isupper() and at + 1 < len(run) and run[at + 1].islower()
        )  # the last capital of HTTPServer begins the next word
        if rises or ends_capitals:
            parts.append(run[start:at])
            start = at
    parts.append(run[start:])
    return parts


def _encoded(word: str) -> str:
    folded = word.casefold()[:_MAX_WORD]
    if _PLAIN.issuperset(folded):
        return folded
    return "".join(
        letter if letter in _PLAIN else "zz" if letter == "z" else f"z{ord(letter):06x}" for letter in folded
    )


def stored_words(free: Iterable[str | None], tagged: Iterable[tuple[str, str | None]]) -> str:
    """Return what is stored of an asset for search: its free-text words, then those of single fields with their
    letters.

    Texts are parted by `|`, so that a phrase never runs from one into the next; the whole begins and ends in a space.
    """
    sections: list[str] = []
    whole: list[str] = []  # customerOrders is also found as customerorders
    known: dict[str, Sequence[str]] = {}  # a description is said twice, as free text and as a field
    for text in free:
        if text:
            words, taken_apart = _words(text)
            known[text] = words
            sections.append(" ".join(words))
            whole += taken_apart
    for field, text in tagged:
        if text and (words := known.get(text) or _words(text)[0]):
            letter = WORD_TAGS[field]
            sections.append(f"{letter}_" + f" {letter}_".join(words))
    filled = [section for section in (*sections, *dict.fromkeys(whole)) if section]
    return f" {' | '.join(filled)} " if filled else " "
