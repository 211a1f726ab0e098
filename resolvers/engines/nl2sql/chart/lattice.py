"""The lattice of segments: every way to take some words of a question together, each with a category and a piece.

Segments come from the mentions that schema linking found, and from the phrases of `language/`. Words between segments
may be skipped, at a cost that is told by what they are; every segment is found again with the words behind it skipped.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from resolvers.engines.nl2sql.chart.pieces import Attribute, Quantity, Rows, Time, Value
from resolvers.engines.nl2sql.chart.rules import Features
from resolvers.engines.nl2sql.language.degrees import degree_of, degree_of_action, degree_of_phrase
from resolvers.engines.nl2sql.language.phrases import LONGEST, ORDINALS, PHRASES, Cue
from resolvers.engines.nl2sql.language.words import STOP_WORDS, SUPERFLUOUS, UNITS
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind
from resolvers.engines.nl2sql.plan import Operator

NAMED: Final = 0.6
"""How well words must fit a table or a column to be a segment."""
HELD: Final = 0.7
"""The same of a value."""
MOST_TABLES: Final = 3
"""Tables that the same words may name."""
SPOKEN: Final = 0.8
"""How well words must fit something for it to be a loss that they are skipped."""
MOST_SKIPPED: Final = 6
"""Words that are skipped between two segments at most."""

_PAYLOAD: Final[Mapping[Cue, str]] = {
    Cue.AGGREGATE: "Aggregate",
    Cue.MORE: "More",
    Cue.MOST: "Most",
    Cue.COMMON: "Common",
    Cue.MATCH: "Match",
    Cue.DIRECTION: "Direction",
}
"""Phrases that say something beside their role."""
_LINKS: Final = frozenset(
    (Cue.OF, Cue.PREPOSITION, Cue.FROM, Cue.TO, Cue.WITH, Cue.RELATIVE, Cue.WHOSE, Cue.HAVE, Cue.BE, Cue.LIGHT,
     Cue.BY, Cue.POSSESSIVE, Cue.WHICH, Cue.AS, Cue.WHO)
)  # fmt: skip
"""Phrases that tie what is behind them to what is before them."""
_SIGNALS: Final = frozenset(
    (Cue.COUNT, Cue.AGGREGATE, Cue.DISTINCT, Cue.MOST, Cue.COMMON, Cue.TOP, Cue.COMPARE, Cue.BETWEEN, Cue.MATCH,
     Cue.EACH, Cue.PER, Cue.ORDER, Cue.DIRECTION, Cue.NOT, Cue.NO, Cue.NEITHER, Cue.NULL, Cue.BOTH, Cue.OR, Cue.MORE,
     Cue.SHARE, Cue.DIFFERENCE, Cue.ONLY, Cue.SAME, Cue.BUT)
)  # fmt: skip
"""Phrases that a query must answer to."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Words from `first` up to `last` as one constituent."""

    first: int
    last: int
    category: str
    piece: Any = None
    features: Features = field(default_factory=dict)


def segments(linked: Linked) -> list[Segment]:
    """All segments of a question, each also with the words behind it that are skipped."""
    found = [*_named(linked), *_literals(linked), *_phrases(linked), *_matched(linked)]
    found += [*_degrees(linked), *_deeds(linked), *_units(linked)]
    skipped = skips(linked)
    return [longer for one in found for longer in _with_skipped(one, skipped)]


def _with_skipped(one: Segment, skipped: Sequence[str]) -> Iterator[Segment]:
    """A segment, and the same with up to so many words behind it."""
    yield one
    features = dict(one.features)
    for last in range(one.last, min(len(skipped), one.last + MOST_SKIPPED)):
        features[skipped[last]] = features.get(skipped[last], 0.0) + 1
        yield Segment(one.first, last + 1, one.category, one.piece, dict(features))


def skips(linked: Linked) -> list[str]:
    """The feature that each token adds when it is skipped."""
    found = []
    signals = {at for one in _cues(linked) if one[2] in _SIGNALS for at in range(one[0], one[1])}
    light = {at for one in _cues(linked) if one[2] in (Cue.LIGHT, Cue.STOP, Cue.ASK) for at in range(one[0], one[1])}
    said = {at for one in linked.mentions if one.score >= SPOKEN for at in range(one.first, one.last)}
    literal = {one.first for one in linked.mentions if one.kind is MentionKind.LITERAL and one.how != "ordinal"}
    for at, token in enumerate(linked.tokens):
        degree = degree_of(token.text)
        is_degree = degree is not None and degree.superlative
        is_small = token.lemma in STOP_WORDS or token.lemma in SUPERFLUOUS
        if at in literal:
            found.append("lost_values")
        elif (at in signals or is_degree) and token.lemma not in ("the", "a", "of", "in", "be"):
            found.append("lost_signals")
        elif not token.text.isalnum() and len(token.text) == 1:
            found.append("small_words")
        elif at in said and not is_small:
            found.append("lost_verbs" if at in light else "lost_nouns")
        elif at in said and token.lemma not in STOP_WORDS:
            found.append("lost_names")
        elif is_small or at in light:
            found.append("small_words")
        else:
            found.append("lost_words")
    return found


def _named(linked: Linked) -> Iterator[Segment]:
    """Tables, columns and values by the mentions of them."""
    spans: dict[tuple[int, int, MentionKind, bool], list[Mention]] = {}
    for one in linked.mentions:
        spans.setdefault((one.first, one.last, one.kind, one.how == "flag"), []).append(one)
    light = {(first, last) for first, last, cue, _ in _cues(linked) if cue is Cue.LIGHT}
    for (first, last, kind, is_flag), found in spans.items():
        found = sorted(found, key=lambda one: -one.score)
        best, words = found[0].score, last - first
        features = {"unfit": (1 - best) * words, "segments": 1.0}
        if kind is MentionKind.TABLE:
            for one in found[:MOST_TABLES]:
                if one.score >= NAMED and one.table is not None:
                    fit = {"unfit": (1 - one.score) * words, "segments": 1.0}
                    fit |= {"verbs": 1.0} if (first, last) in light else {}
                    yield Segment(first, last, "Entity", Rows(one.table), fit)
        elif kind is MentionKind.COLUMN and best >= NAMED:
            options = tuple((one.column, one.score) for one in found if one.column is not None)
            lemmas = tuple(linked.words(first, last))
            yield Segment(first, last, "Property", Attribute(options, lemmas), features)
        elif kind is MentionKind.VALUE and best >= HELD:
            held = tuple((one.column, one.values, one.score) for one in found if one.column is not None)
            yield Segment(first, last, "Value", Value(held, is_flag), features)
    named = [one for one in linked.mentions if one.kind is MentionKind.COLUMN]
    if all(linked.words(one.first, one.last) != ["name"] for one in named):
        for at, token in enumerate(linked.tokens):
            if token.lemma == "name":
                yield Segment(at, at + 1, "Property", Attribute((), ("name",)), {"segments": 1.0})


def _literals(linked: Linked) -> Iterator[Segment]:
    """Numbers, spans of time and quoted texts."""
    for one in linked.mentions:
        if one.kind is not MentionKind.LITERAL:
            continue
        features = {"segments": 1.0}
        match one.how:
            case "number" | "percent":
                yield Segment(one.first, one.last, "Number", one.values[0], features)
            case "range":
                yield Segment(one.first, one.last, "Range", Quantity(Operator.BETWEEN, one.values), features)
            case "date" if len(one.values) > 1:
                yield Segment(one.first, one.last, "Time", Time(one.values[0], one.values[-1], one.unit), features)
            case "date":
                yield Segment(one.first, one.last, "Time", Time(one.values[0], one.values[0], one.unit), features)
            case "quote":
                yield Segment(one.first, one.last, "Text", str(one.values[0].value), features)


def _cues(linked: Linked) -> Iterator[tuple[int, int, Cue, Any]]:
    """Every phrase of the language, wherever it stands."""
    tokens = linked.tokens
    words = [token.text.lower().replace("\u2019", "'") for token in tokens]
    for first in range(len(tokens)):
        said: list[str] = []
        for at in range(first, len(tokens)):
            if tokens[at].quoted or len(said) == LONGEST:
                break
            if words[at] in ("the", "a", "an") and said and (*said, words[at]) not in _STARTS:
                continue
            said.append(words[at])
            if tuple(said) not in _STARTS:
                break
            entry = PHRASES.get(tuple(said))
            if entry is not None:
                yield first, at + 1, entry[0], entry[1]


_STARTS: Final = frozenset(phrase[:length] for phrase in PHRASES for length in range(1, len(phrase) + 1))


def _phrases(linked: Linked) -> Iterator[Segment]:
    """Phrases with their role, and those that tie."""
    cues = list(_cues(linked))
    signals = [(first, last) for first, last, cue, _ in cues if cue in _SIGNALS and last - first > 1]
    for first, last, cue, said in cues:
        if cue in _LINKS:
            inside = any(one <= first and last <= other and (one, other) != (first, last) for one, other in signals)
            yield Segment(first, last, "link", features={"lost_signals": 1.0} if inside else {})
        if cue is Cue.COMPARE:
            operator, how = said if isinstance(said, tuple) else (said, "")
            yield Segment(first, last, "When" if how == "time" else "Compare", operator)
        elif cue in _PAYLOAD:
            yield Segment(first, last, _PAYLOAD[cue], said)
        else:
            yield Segment(first, last, cue.value)
    for at, token in enumerate(linked.tokens):
        if (place := ORDINALS.get(token.text.lower())) is not None:
            yield Segment(at, at + 1, "Nth", place)
        if token.lemma in ("number", "count"):
            yield Segment(at, at + 1, "number")


def _degrees(linked: Linked) -> Iterator[Segment]:
    """Superlatives, comparatives with their `than`, and adjectives behind `how`."""
    words = [token.text.lower() for token in linked.tokens]
    for first in range(len(words)):
        for length in (1, 2):
            said = words[first : first + length]
            degree = degree_of_phrase(said) if len(said) == length and said[0] != "the" else None
            if degree is None or degree.adjective in ("many", "few", "much"):
                continue
            if degree.superlative:
                yield Segment(first, first + length, "Superlative", degree)
            elif words[first + length : first + length + 1] == ["than"]:
                yield Segment(first, first + length + 1, "Comparative", degree)
            elif first and words[first - 1] == "how":
                yield Segment(first - 1, first + length, "How", degree)


def _matched(linked: Linked) -> Iterator[Segment]:
    """Single words behind `starts with` and the like, as they are written."""
    for _, last, cue, _ in _cues(linked):
        if cue is Cue.MATCH and last < len(linked.tokens) and linked.tokens[last].text.isalnum():
            yield Segment(last, last + 1, "Text", linked.tokens[last].text, {"segments": 1.0, "unquoted": 1.0})


def _deeds(linked: Linked) -> Iterator[Segment]:
    """Verbs that tell what is measured: earns, weighs."""
    for at, token in enumerate(linked.tokens):
        degree = degree_of_action(token.lemma, most=True)
        if degree is not None:
            yield Segment(at, at + 1, "Deed", degree)


def _units(linked: Linked) -> Iterator[Segment]:
    """Spans of time that rows are grouped by."""
    for at, token in enumerate(linked.tokens):
        unit = UNITS.get(token.lemma)
        if unit is not None:
            yield Segment(at, at + 1, "Unit", unit)
