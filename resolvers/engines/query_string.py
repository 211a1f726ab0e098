"""The language of `q`: field:value, trailing *, "phrases", AND OR NOT, parentheses, ranges, _exists_:field.

luqum reads the grammar; this module bounds it, checks every field and value against the vocabulary of
`schema/utils/search_query.py` and answers with its neutral tree. Whatever cannot be understood raises
SearchQueryInvalid with the position, so a string either parses or is refused, and nothing is guessed.

Decisions: a space between two expressions means AND, and so does `&&`; `||` means OR; `-x` and `!x` mean NOT x and `+x`
means x; a bare `*` is everything; `field:*` asks whether the field has a value. A bare word without any letter or digit
(the `&` of `a & b`) asks for nothing: beside others it is passed over, and where it would stand alone it is refused.
Fuzzy terms (~), boosts (^), regular expressions and wildcards other than one at the end are refused.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from math import ceil, floor
from typing import Any, Final, NoReturn

from luqum import tree
from luqum.exceptions import ParseError
from luqum.thread import parse as parse_lucene

from schema.errors import SearchQueryInvalid
from schema.utils.search_query import (
    ALIASES,
    EVERYTHING,
    FIELDS,
    All,
    Between,
    Dotted,
    Exists,
    FieldKind,
    Flag,
    Never,
    Query,
    Some,
    Text,
    split_words,
)

MAX_LENGTH: Final = 2_000
MAX_DEPTH: Final = 20
MAX_TERMS: Final = 100
"""SQLite refuses expressions that are deeper than 1,000; a hundred terms stay clear of every such limit."""

_POSITION = re.compile(r"at position (\d+)")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_PIECE = re.compile(r'\\.|"(?:[^"\\]|\\.)*"?|&&|\|\||.', re.DOTALL)
"""What an operator stands out from: whatever is escaped or quoted is none."""
_OPERATORS: Final = {"&&": " AND ", "||": " OR "}
_DOTTED = re.compile(r"[^\s.]+(\.[^\s.]+)+")
_DOTTED_START = re.compile(r"([^\s.]+\.)+[^\s.]*")
_NUMBER = re.compile(r"-?[0-9]{1,30}(\.[0-9]{1,30})?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TRAILING_STAR = re.compile(r"(?<!\\)(?:\\\\)*\*$")
_WILDCARD = re.compile(r"(?<!\\)(?:\\\\)*[*?]")

_SHORT: Final = 200
"""Up to how many characters a query is parsed once for all who ask it: their trees take a few megabytes at most."""


def parse_query(text: str | None) -> Query:
    """Parse a `q` string; None and blanks ask for everything. Raises SearchQueryInvalid with `position`."""
    if text is None or not text.strip():
        return EVERYTHING
    return _remembered(text) if len(text) <= _SHORT else _parsed(text)


def _parsed(text: str) -> Query:
    if len(text) > MAX_LENGTH:
        _refuse(f"The query is longer than {MAX_LENGTH:,} characters.", MAX_LENGTH)
    if bad := _UNSTORABLE.search(text):
        _refuse("The query holds a character that no text can hold.", bad.start())
    spelled, origin = _spelled_out(text)
    try:
        parsed = parse_lucene(spelled)
    except InvalidOperation:  # luqum takes whatever follows ^ or ~ for a number
        position = min(text.find(mark) for mark in "^~" if mark in text)
        _refuse(f"Boosts (^) and fuzzy terms (~) are not understood; one stands at position {position}.", position)
    except ParseError as error:
        found = _POSITION.search(str(error))
        position = origin[int(found[1])] if found else len(text)
        _refuse(_explained(text, position), position)
    try:
        return _Reader().whole(parsed)
    except SearchQueryInvalid as refusal:
        refusal.details["position"] = origin[refusal.details["position"]]
        raise


_remembered: Final = lru_cache(512)(_parsed)


def _spelled_out(text: str) -> tuple[str, list[int]]:
    """The text with its operators in the words that luqum knows, and where each of its characters stood before."""
    spelled = ""
    origin: list[int] = []
    for found in _PIECE.finditer(text):
        piece, at = found[0], found.start()
        word = _OPERATORS.get(piece)
        if piece == "!" and (not spelled or spelled[-1].isspace() or spelled[-1] in "(:+-"):
            word = " NOT "
        spelled += word or piece
        origin += [at] * len(word) if word else range(at, found.end())
    return spelled, [*origin, len(text)]


def _explained(text: str, position: int) -> str:
    if position >= len(text):
        return (
            "The query ends too early: a word after an operator (AND, OR, NOT, &&, ||, !), a closing parenthesis or a "
            "bracket is missing. Put a backslash before a sign to search for it."
        )
    if text[position] == '"':
        return f"The quotation mark at position {position} is never closed."
    return (
        f"The query cannot be read at position {position}, near {text[position : position + 20]!r}. "
        "Put a backslash before a special character, or quotation marks around the text."
    )


def _refuse(sentence: str, position: int, **details: Any) -> NoReturn:
    raise SearchQueryInvalid(sentence, position=position, **details)


@dataclass(frozen=True, slots=True)
class _Nothing:
    """A bare word that asks for nothing."""

    position: int


class _Reader:
    """Walks luqum's tree once, counting terms and depth."""

    def __init__(self) -> None:
        self._terms = 0

    def whole(self, node: tree.Item) -> Query:
        """Return what a whole query asks for."""
        return self._asking(node, None, -1)

    def _asking(self, node: tree.Item, field: str | None, depth: int) -> Query:
        """A part that has to ask for something: to leave it out would turn the meaning of the whole."""
        part = self._read(node, field, depth + 1)
        if isinstance(part, _Nothing):
            _refuse("A word here has no letter or digit to look for. Leave it out, or name one.", part.position)
        return part

    def _all(self, node: tree.Item, field: str | None, depth: int) -> "Query | _Nothing":
        parts = [self._read(part, field, depth + 1) for part in node.children]
        asking = tuple(part for part in parts if not isinstance(part, _Nothing))
        if len(asking) == len(parts) or len(asking) > 1:
            return All(asking)
        return asking[0] if asking else parts[0]

    def _read(self, node: tree.Item, field: str | None, depth: int) -> "Query | _Nothing":
        if depth > MAX_DEPTH:
            _refuse(f"The query is nested deeper than {MAX_DEPTH} levels.", _at(node))
        match node:
            case tree.AndOperation() | tree.UnknownOperation():
                return self._all(node, field, depth)
            case tree.OrOperation():
                return Some(tuple(self._asking(part, field, depth) for part in node.children))
            case tree.Not():
                return Never(self._asking(node.a, field, depth))
            case tree.Prohibit():
                if field is not None and FIELDS[field] is FieldKind.NUMBER:
                    return self._value(node, field)  # row_count:-5 is a negative number
                return Never(self._asking(node.a, field, depth))
            case tree.Plus():
                return self._read(node.a, field, depth + 1)
            case tree.Group() | tree.FieldGroup():
                return self._read(node.expr, field, depth + 1)
            case tree.SearchField():
                return self._field(node, field, depth)
            case _:
                self._terms += 1
                if self._terms > MAX_TERMS:
                    _refuse(f"The query has more than {MAX_TERMS} terms.", _at(node))
                return self._value(node, field)

    def _field(self, node: tree.SearchField, outer: str | None, depth: int) -> "Query | _Nothing":
        if outer is not None:
            _refuse(
                f"A field cannot stand inside the field {outer}. To search for a colon, put a backslash before it.",
                _at(node),
            )
        if node.name == "_exists_":
            self._terms += 1
            if type(node.expr) not in (tree.Word, tree.Phrase):
                _refuse("_exists_ takes the name of one field.", _at(node.expr))
            return Exists(_known(_plain(node.expr), _at(node.expr)))
        return self._read(node.expr, _known(node.name, _at(node)), depth + 1)

    def _value(self, node: tree.Item, field: str | None) -> "Query | _Nothing":
        kind = FIELDS[field] if field is not None else None
        if isinstance(node, tree.Range | tree.From | tree.To):
            return _range(node, field, kind)
        if isinstance(node, tree.Word) and node.value == "*":
            return EVERYTHING if field is None else Exists(field)
        if field is None:
            return _free(node)
        if kind is FieldKind.KEYWORD or kind is FieldKind.WORDS:
            return _text(node, field)
        text = _literal(node)
        if kind is FieldKind.FLAG:
            if text.lower() not in ("true", "false"):
                _refuse(f"{field} is true or false, not {text[:40]!r}.", _at(node), field=field)
            return Flag(field, text.lower() == "true")
        if kind is FieldKind.NUMBER:
            number = _number(text, field, node)
            return _whole(field, number, number, True, True)
        first, after = _span(text, field, node)
        return Between(field, first, after, include_high=first == after)


def _known(name: str, position: int) -> str:
    name = _ESCAPED.sub(r"\1", name)
    field = ALIASES.get(name, name)
    if field not in FIELDS:
        _refuse(
            f"The catalog has no field {name[:100]!r} to search in. Use one of: {', '.join(FIELDS)}.",
            position,
            allowed=list(FIELDS),
        )
    return field


def _free(node: tree.Item) -> Query | _Nothing:
    """Return what a bare word or phrase asks for: its words, or the asset that has it for a dotted name."""
    text = _text(node, None)
    if not split_words(text.value):
        return _Nothing(_at(node))
    if (_DOTTED_START if text.prefix else _DOTTED).fullmatch(text.value):
        return Some((text, Dotted(text.value, text.prefix)))
    return text


def _text(node: tree.Item, field: str | None) -> Text:
    if isinstance(node, tree.Phrase):
        return Text(_plain(node), prefix=False, field=field)
    if not isinstance(node, tree.Word):
        _refuse(_UNSUPPORTED.get(type(node), "This part of the query is not understood."), _at(node))
    raw = node.value
    prefix = _TRAILING_STAR.search(raw) is not None
    stem = raw[:-1] if prefix else raw
    if _WILDCARD.search(stem):
        _refuse("A wildcard is one * at the end of a word. Put a backslash before it to search for it.", _at(node))
    return Text(_ESCAPED.sub(r"\1", stem), prefix=prefix, field=field)


_UNSUPPORTED: Final[dict[type, str]] = {
    tree.Fuzzy: "Fuzzy terms with ~ are not offered. Put a backslash before ~ to search for it.",
    tree.Proximity: "Proximity with ~ is not offered; words in quotation marks stand next to each other.",
    tree.Boost: "Boosts with ^ are not offered. Put a backslash before ^ to search for it.",
    tree.Regex: "Regular expressions are not offered. Put a backslash before / to search for it.",
}


def _literal(node: tree.Item) -> str:
    """The plain text of a word, a phrase or a negative number."""
    if isinstance(node, tree.Prohibit):
        return "-" + _literal(node.a)
    if not isinstance(node, tree.Word | tree.Phrase):
        _refuse(_UNSUPPORTED.get(type(node), "A plain value is expected here."), _at(node))
    return _plain(node)


def _plain(node: tree.Item) -> str:
    value: str = node.value[1:-1] if isinstance(node, tree.Phrase) else node.value
    return _ESCAPED.sub(r"\1", value)


def _number(text: str, field: str, node: tree.Item) -> Decimal:
    if not _NUMBER.fullmatch(text):
        _refuse(f"{field} is a number, which {text[:40]!r} is not.", _at(node), field=field)
    return Decimal(text)


def _whole(field: str, low: Decimal | None, high: Decimal | None, with_low: bool, with_high: bool) -> Between:
    """Bounds in whole numbers, as all number fields are: above 1.5 is from 2 on, and nothing is equal to 1.5."""
    first, last = (None if low is None else ceil(low)), (None if high is None else floor(high))
    return Between(field, first, last, with_low or first != low, with_high or last != high)


def _span(text: str, field: str, node: tree.Item) -> tuple[datetime, datetime]:
    """The first moment that a text names and the first after it; the same twice when it names one moment."""
    try:
        if _DAY.fullmatch(text):
            day = datetime.fromisoformat(text).replace(tzinfo=UTC)
            return day, day + timedelta(days=1)
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        _refuse(
            f"{field} is a moment such as 2026-01-31 or 2026-01-31T08:00:00Z, which {text[:40]!r} is not.",
            _at(node),
            field=field,
        )
    return moment, moment


def _range(node: tree.Item, field: str | None, kind: FieldKind | None) -> Between:
    if field is None or kind not in (FieldKind.NUMBER, FieldKind.MOMENT):
        _refuse("A range or comparison needs a number or date field before it, such as row_count:>10.", _at(node))
    if isinstance(node, tree.Range):
        low, high, with_low, with_high = node.low, node.high, node.include_low, node.include_high
    elif isinstance(node, tree.From):
        low, high, with_low, with_high = node.a, None, node.include, True
    else:
        low, high, with_low, with_high = None, node.a, True, node.include
    low_text, high_text = _bound(low), _bound(high)
    if kind is FieldKind.NUMBER:
        lowest = None if low_text is None else _number(low_text, field, node)
        highest = None if high_text is None else _number(high_text, field, node)
        return _whole(field, lowest, highest, with_low, with_high)
    return _moments(field, low_text, high_text, with_low, with_high, node)


def _moments(
    field: str, low: str | None, high: str | None, with_low: bool, with_high: bool, node: tree.Item
) -> Between:
    """Bounds of whole days: `>2026-01-31` begins on the first of February, `<=2026-01-31` ends there."""
    first = last = None
    if low is not None:
        start, after = _span(low, field, node)
        first, with_low = (start, with_low) if start == after or with_low else (after, True)
    if high is not None:
        start, after = _span(high, field, node)
        last, with_high = (start, with_high) if start == after or not with_high else (after, False)
    return Between(field, first, last, with_low, with_high)


def _bound(node: tree.Item | None) -> str | None:
    """The text of one end of a range; None when it is open."""
    if node is None or (isinstance(node, tree.Word) and node.value == "*"):
        return None
    return _literal(node)


def _at(node: tree.Item) -> int:
    position: int | None = node.pos
    return 0 if position is None else position
