"""A question cut into atoms: phrases with a role, nouns that the catalog knows, values, and words nobody knows.

Of all ways to cut it the one wins that explains most words with the longest and surest pieces.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.language.degrees import Degree, degree_of, degree_of_phrase
from resolvers.engines.nl2sql.language.measures import is_numeric, is_told, is_unit
from resolvers.engines.nl2sql.language.phrases import LONGEST, ORDINALS, PHRASES, Cue
from resolvers.engines.nl2sql.language.words import DOING, NUMBER_WORDS, UNITS
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind, Token
from resolvers.engines.nl2sql.plan import Unit
from resolvers.engines.nl2sql.planner.straying import (
    LIGHTLY,
    is_done_by,
    is_inflected,
    is_ranked,
    is_value_of_rows,
    may_stray,
    strays,
)
from resolvers.engines.nl2sql.planner.verbal import is_sized, is_state_of_a_noun, is_verbal
from resolvers.engines.nl2sql.schema_linking.question_tokens import is_compounded

_SILENT: Final = frozenset((Cue.STOP,))
_ROWS: Final = 0.8
"""How well a table must be called by words for its rows to be meant."""
_CONTAIN: Final = frozenset(("contain", "contains", "containing"))
_KIND: Final = 0.7
"""How well a column must be called by `kind of rooms` to be what is asked for."""
_WEAK: Final = {
    Cue.STOP: 0.05,
    Cue.LIGHT: 0.04,
    Cue.OF: 0.06,
    Cue.PREPOSITION: 0.06,
    Cue.FROM: 0.06,
    Cue.TO: 0.05,
    Cue.WITH: 0.06,
    Cue.BE: 0.05,
    Cue.HAVE: 0.06,
    Cue.AS: 0.05,
    Cue.ALL: 0.07,
    Cue.RELATIVE: 0.06,
    Cue.COMMA: 0.06,
    Cue.POSSESSIVE: 0.06,
    Cue.EVERYTHING: 0.3,
    Cue.AND: 0.07,
    Cue.OR: 0.07,
    Cue.WHERE: 0.3,
    Cue.ASK: 0.3,
    Cue.MATCH: 0.6,
    Cue.COMPARE: 0.8,
    Cue.BY: 0.06,
    Cue.END: 0.06,
    Cue.WHAT: 0.1,
    Cue.WHICH: 0.1,
    Cue.TOP: 0.8,
    Cue.DIRECTION: 0.8,
    Cue.NULL: 0.5,
    Cue.SHARE: 0.8,
    Cue.DIFFERENCE: 0.8,
    Cue.MORE: 0.5,
    Cue.THAN: 0.05,
}
"""How much each word of a phrase counts; 1 when it is not named here."""
_FIRST_ONLY: Final = frozenset(
    ("name", "state", "order", "rank", "list", "report", "count", "output", "display", "describe")
)
_AFTER_COMMA: Final = frozenset(("list", "report", "display", "describe"))
_GOING_ON: Final = frozenset((",", "also", "only", "then", "please", "just"))
"""What stands before another command in the same sentence: `..., also list the id`."""
_SOMEBODY: Final = word_set("someone somebody anyone anybody everyone everybody nobody each one others another it")
_SPANNED: Final = frozenset(("by", "per", "each", "every", "which", "what", "the", "of", "and", "a"))
_ARTICLES: Final = frozenset(("the", "a", "an"))
_NAMED: Final = 0.75
"""How well a column must be named for the unit of its name to be known."""


ROLE: Final = "role"
"""How a noun is linked that is named by the part that it plays: the home team."""
_Kinds = tuple[tuple[Mention, ...], Mapping[MentionKind, tuple[Sequence[Mention], float]]]
"""Mentions, and those of each kind with the best score."""
_NOTHING: Final[tuple[Sequence[Mention], float]] = (), 0.0


@dataclass(slots=True)
class Ref:
    """Words with all that they may stand for."""

    first: int
    last: int
    mentions: tuple[Mention, ...]
    _kinds: _Kinds | None = field(default=None, init=False, repr=False, compare=False)

    def of(self, kind: MentionKind) -> Sequence[Mention]:
        """Return what they may stand for of one kind, best first."""
        return self._of(kind)[0]

    def best(self, kind: MentionKind) -> float:
        """How well the best of a kind fits; 0 when there is none."""
        return self._of(kind)[1]

    def _of(self, kind: MentionKind) -> tuple[Sequence[Mention], float]:
        """Found once for the mentions that they have."""
        kinds = self._kinds
        if kinds is None or kinds[0] is not self.mentions:
            found: dict[MentionKind, list[Mention]] = {}
            for one in self.mentions:
                found.setdefault(one.kind, []).append(one)
            best = {kind: (tuple(ones), max(one.score for one in ones)) for kind, ones in found.items()}
            kinds = self._kinds = self.mentions, best
        return kinds[1].get(kind, _NOTHING)

    @property
    def tables(self) -> Sequence[Mention]:
        """The tables."""
        return self.of(MentionKind.TABLE)

    @property
    def columns(self) -> Sequence[Mention]:
        """The columns."""
        return self.of(MentionKind.COLUMN)

    @property
    def values(self) -> Sequence[Mention]:
        """The values of columns."""
        return self.of(MentionKind.VALUE)

    @property
    def literals(self) -> Sequence[Mention]:
        """Numbers, dates and quoted texts."""
        return self.of(MentionKind.LITERAL)

    @property
    def knowledge(self) -> Sequence[Mention]:
        """Return what memories say."""
        return self.of(MentionKind.KNOWLEDGE)

    @property
    def measures(self) -> list[Mention]:
        """The measures that people defined."""
        return [one for one in self.knowledge if one.how == "kpi"]

    @property
    def patterns(self) -> list[Mention]:
        """The conditions that people gave a name."""
        return [one for one in self.knowledge if one.how in ("textual_pattern", "numeric_pattern")]

    @property
    def is_month(self) -> bool:
        """Return whether it names a month without a year, and no value of the data."""
        return not self.values and any(one.how == "month" for one in self.literals)

    @property
    def is_weekday(self) -> bool:
        """Return whether it names days of the week, and no value of the data."""
        return not self.values and any(one.how == "weekday" for one in self.literals)

    @property
    def recurs(self) -> bool:
        """Return whether it names a month without a year or days of the week, which come again and again."""
        return self.is_month or self.is_weekday

    @property
    def is_noun(self) -> bool:
        """Return whether it may name a table, a column or a measure."""
        return bool(self.tables or self.columns or self.measures)


@dataclass(slots=True)
class Atom:
    """A piece of the question with one role."""

    first: int
    last: int
    cue: Cue | None = None
    said: Any = None
    """What the phrase says beside its role."""
    ref: Ref | None = None
    text: str = ""
    is_unknown: bool = False
    unit: Unit | None = None
    """A span of time that no column is called by: per month."""
    verbal: bool = False
    """Whether it is a verb that only suggests a noun: `hired` for a hire date."""

    @property
    def may_be_verb(self) -> bool:
        """Return whether it tells what somebody or something does, as far as its role tells."""
        return self.verbal or self.is_unknown or self.cue is Cue.LIGHT

    def is_(self, *cues: Cue) -> bool:
        """Return whether it has one of these roles."""
        return self.cue in cues


@dataclass(slots=True)
class Cut:
    """A question in atoms."""

    linked: Linked
    atoms: list[Atom] = field(default_factory=list)
    turned: set[int] = field(default_factory=set)
    """Where numbers stand that the query says otherwise: an age as a day of birth."""
    _spans: dict[tuple[int, int], list[Mention]] = field(default_factory=dict)

    def over(self, span: tuple[int, int]) -> Sequence[Mention]:
        """The mentions over just these words."""
        if not self._spans:
            for one in self.linked.mentions:
                self._spans.setdefault((one.first, one.last), []).append(one)
        return self._spans.get(span, ())

    def text(self, first: int, last: int) -> str:
        """Words of the question as they stand in it."""
        if first >= last:
            return ""
        tokens = self.linked.tokens
        return self.linked.text[tokens[first].start : tokens[last - 1].end]


def cut(linked: Linked) -> Cut:
    """The best cut."""
    tokens = linked.tokens
    size = len(tokens)
    refs: dict[tuple[int, int], list[Mention]] = {}
    named = [one for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= 0.8]
    begun = {(one.first, one.table) for one in named}
    tables = {(one.last, one.table) for one in named}
    sure = {(one.first, one.table) for one in named if one.score >= 0.95}
    valued = {one.first for one in linked.mentions if one.last - one.first == 1 and is_value_of_rows(one)}
    doubtful = may_stray(tokens)
    for mention in linked.mentions:
        first, last = mention.first, mention.last
        if is_state_of_a_noun(mention, tokens):
            continue
        if _tells_how_many(mention, tokens, tables):
            continue
        may = mention.how != ROLE and (last - first > 1 or first in doubtful)
        if may and (strays(mention, tokens, tables, begun, sure) or is_done_by(mention, tokens, valued)):
            continue
        refs.setdefault((first, last), []).append(mention)
    best: list[tuple[float, Atom | None]] = [(float("-inf"), None)] * (size + 1)
    best[0] = (0.0, None)
    for start in range(size):
        so_far = best[start][0]
        for atom, worth in _starting(tokens, start, refs):
            if so_far + worth > best[atom.last][0] + 1e-9:
                best[atom.last] = (so_far + worth, atom)
    atoms: list[Atom] = []
    at = size
    while at:
        reached = best[at][1]
        if reached is None:  # pragma: no cover - every token begins an atom
            break
        atoms.append(reached)
        at = reached.first
    atoms.reverse()
    found = Cut(linked)
    for atom in [piece for whole in atoms for piece in _parted(whole, linked)]:
        atom.text = found.text(atom.first, atom.last)
        if _is_matched(atom, found.atoms, size):
            atom.cue, atom.ref = None, Ref(atom.first, atom.last, ())
        if not atom.is_(*_SILENT):
            atom.verbal = is_verbal(atom, tokens)
            if atom.last - atom.first == 1 and (atom.is_unknown or (atom.cue is Cue.LIGHT and atom.ref is None)):
                atom.unit = UNITS.get(tokens[atom.first].text.lower()) or UNITS.get(tokens[atom.first].lemma)
                if atom.unit is Unit.WEEKDAY and not (atom.first and tokens[atom.first - 1].lemma in _SPANNED):
                    atom.unit = None  # weekday inspections
                if atom.unit is not None and found.atoms and is_numeric(found.atoms[-1].text):
                    continue  # older than 20 years
                if atom.is_unknown and is_unit(
                    [token.text for token in tokens[: atom.first]], tokens[atom.first].lemma
                ):
                    continue  # above 2500 metres
                if atom.is_unknown and _is_told_in(linked, atom.first):
                    continue  # the area in hectares, of `area_ha`
                if atom.unit is not None:
                    atom.is_unknown = False
                    atom.ref, atom.cue = Ref(atom.first, atom.last, ()), None
            found.atoms.append(atom)
    for atom, behind in pairwise(found.atoms):
        if atom.is_(Cue.SUPERLATIVE) and _is_kind(atom, behind):
            atom.cue = None  # first class, where a class is the first
        if atom.is_(Cue.MATCH) and atom.last - atom.first == 1 and atom.text.lower() in _CONTAIN and _is_rows(behind):
            atom.cue, atom.said = Cue.HAVE, None  # wards that contain beds
    return found


def _is_rows(atom: Atom) -> bool:
    """Return whether an atom names rows, or a column with them, and no value or text."""
    ref = atom.ref
    if atom.cue is not None or ref is None or ref.values:
        return False
    return ref.best(MentionKind.TABLE) >= _ROWS or (
        atom.last - atom.first > 1 and ref.best(MentionKind.COLUMN) >= _ROWS
    )


def _tells_how_many(mention: Mention, tokens: Sequence[Token], tables: Container[tuple[int, str | None]]) -> bool:
    """Return whether a name takes in the rows that a number and its kind stand before: `4 bedroom flats`, of
    `bedrooms`.
    """
    if mention.column is None or mention.last - mention.first != 2 or not mention.first:
        return False
    before, kind = tokens[mention.first - 1].text, tokens[mention.first]
    numbered = is_numeric(before) or before.lower() in NUMBER_WORDS
    return numbered and kind.is_lemma and (mention.last, mention.column.table) in tables


def _is_told_in(linked: Linked, at: int) -> bool:
    """Return whether an answer is asked for in a unit that a column of those named is called by."""
    tokens = linked.tokens
    if not at or tokens[at - 1].lemma != "in":
        return False
    named = (one.column.column for one in linked.mentions if one.column is not None and one.score >= _NAMED)
    return any(is_told(tokens[at].lemma, tokens_of(name)) for name in named)


def _is_kind(atom: Atom, behind: Atom) -> bool:
    """Return whether a word is a value of the very column that the word behind it names."""
    if atom.ref is None or behind.ref is None or behind.first != atom.last or behind.cue is not None:
        return False
    named = {one.column for one in behind.ref.columns if one.score >= 0.75}
    return any(one.column in named for one in atom.ref.values if one.score >= 0.9)


def _parted(atom: Atom, linked: Linked) -> list[Atom]:
    """`active customers`, where both together are a pattern: the condition, and the thing; `has the most active
    accounts`, where some are noted as active: the most, and which of them.
    """
    if atom.is_(Cue.SUPERLATIVE) and (had := _had_most(atom, linked)):
        return had
    if atom.ref is None or not atom.ref.patterns:
        return [atom]
    tails = [
        one
        for one in linked.mentions
        if one.kind is MentionKind.TABLE and one.last == atom.last and one.first > atom.first and one.score >= 0.8
    ]
    if not tails:
        return [atom]
    at = min(one.first for one in tails)
    table = Ref(at, atom.last, tuple(one for one in tails if one.first == at))
    return [Atom(atom.first, at, ref=Ref(atom.first, at, tuple(atom.ref.patterns))), Atom(at, atom.last, ref=table)]


def _had_most(atom: Atom, linked: Linked) -> list[Atom]:
    """The most of what is so, where the rows behind hold the word as a value and somebody has the most of them."""
    tokens, first, last = linked.tokens, atom.first, atom.last
    said = [token.text.lower() for token in tokens[first:last]]
    before = [token.lemma for token in tokens[max(0, first - 2) : first]]
    if said[-2:-1] not in (["most"], ["fewest"], ["least"]) or "have" not in before:
        return []
    here = [one for one in linked.mentions if (one.first, one.last) == (last - 1, last)]
    here = [one for one in here if one.score >= 0.9 or one.how == "code"]
    values = tuple(one for one in here if one.kind is MentionKind.VALUE and one.column is not None)
    rows = {one.table for one in linked.mentions if one.first == last and one.table is not None and one.score >= 0.8}
    if not any(one.column is not None and one.column.table in rows for one in values):
        return []
    most = Atom(first, last - 1, Cue.MOST, said[-2] == "most")
    return [most, Atom(last - 1, last, ref=Ref(last - 1, last, values))]


def _is_matched(atom: Atom, before: Sequence[Atom], size: int) -> bool:
    """Return whether any word is a text to look for: `contain the word Live`."""
    if not before or not before[-1].is_(Cue.MATCH) or (atom.ref is not None and (atom.ref.values or atom.ref.literals)):
        return False
    plain = atom.cue is None or atom.is_(Cue.STOP, Cue.LIGHT, Cue.ASK, Cue.DIRECTION, Cue.TOP, Cue.SUPERLATIVE)
    return plain and (atom.text[:1].isupper() or atom.last >= size - 1)


def _starting(
    tokens: Sequence[Token], start: int, refs: dict[tuple[int, int], list[Mention]]
) -> list[tuple[Atom, float]]:
    found: list[tuple[Atom, float]] = []
    spans: set[int] = set()
    for last in range(start + 1, min(len(tokens), start + 8) + 1):
        mentions = refs.get((start, last))
        if last - start > 1 and (last - 1, last) in refs and is_sized(tokens, last - 1):
            continue  # `trips cost` is no column there
        if mentions:
            ref = Ref(start, last, tuple(sorted(mentions, key=lambda one: -one.score)))
            found.append((Atom(start, last, ref=ref), _worth(ref, tokens)))
            spans.add(last)
    for last, cue, said in _phrases(tokens, start):
        words = last - start
        if cue in (Cue.NO, Cue.NOT) and last - start == 1 and is_compounded(tokens, start):
            continue  # no-shows are something
        if cue is Cue.COUNT and _is_named(tokens, start, refs):
            continue  # the plate number of
        if cue is Cue.WHAT and words > 2 and _names_a_kind(start, last, refs):
            continue  # what kinds of rooms, where a column tells them
        if cue is Cue.LIGHT and words > 1 and _names_a_table(start, last, refs):
            continue  # took part, where participations are noted
        whole = words > (2 if cue is Cue.COMPARE else 1)  # `no less than` is not no, and less than
        weight = 1.0 if cue in (Cue.MATCH, Cue.NULL, Cue.COMPARE) and whole else _WEAK.get(cue, 1.0)
        if words == 1 and last in spans and len(tokens[start].text) > 1 and tokens[start].text.isupper() and start:
            continue  # the country code NOR
        worth = weight * words + 0.1 * (words - 1)
        if cue is Cue.LIGHT and words > 1:
            worth = 0.5 * words
        if cue is Cue.STOP and words == 2 and tokens[last - 1].lemma == "old" and _counts(tokens, start):
            worth = 1.5 * words  # 40 years old
        begins = cue is Cue.ASK and (not start or tokens[start - 1].text in (".", "?", "!"))
        if begins:
            worth = 1.2 * words
        atom = Atom(start, last, cue, said)
        if last in spans:
            atom.ref = Ref(start, last, tuple(sorted(refs[(start, last)], key=lambda one: -one.score)))
            if weight >= 0.6 or begins:
                worth = max(worth, _worth(atom.ref, tokens)) + 0.01
        found.append((atom, worth))
    if start + 1 not in spans and not any(atom.last == start + 1 for atom, _ in found):
        token = tokens[start]
        number = NUMBER_WORDS.get(token.text.lower())
        if number == 1 and start and tokens[start - 1].text.lower() in ("which", "that", "this", "the", "what"):
            found.append((Atom(start, start + 1, Cue.STOP), 0.3))  # and which one
        elif token.quoted or number is not None or is_numeric(token.text):
            found.append((Atom(start, start + 1, ref=Ref(start, start + 1, ())), 0.3))
        elif token.lemma in LIGHTLY and not token.is_lemma:
            found.append((Atom(start, start + 1, Cue.LIGHT), -0.4))  # flown, stood
        else:
            found.append((Atom(start, start + 1, is_unknown=any(map(str.isalnum, token.text))), -0.5))
    return found


def _names_a_kind(start: int, last: int, refs: dict[tuple[int, int], list[Mention]]) -> bool:
    """Return whether `kind of` and what stands behind it is well called by a column."""
    behind = (found for (first, end), found in refs.items() if first == start + 1 and end > last)
    return any(one.kind is MentionKind.COLUMN and one.score >= _KIND for found in behind for one in found)


def _counts(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a number stands right before a word."""
    return at > 0 and (is_numeric(tokens[at - 1].text) or tokens[at - 1].text.lower() in NUMBER_WORDS)


def _is_named(tokens: Sequence[Token], at: int, refs: dict[tuple[int, int], list[Mention]]) -> bool:
    """Return whether `number` or `count` is the last word of what a column is called, with the word before it."""
    if not at or tokens[at].lemma not in ("number", "count") or not tokens[at - 1].text[:1].isalpha():
        return False
    behind = next((one for one in tokens[at + 1 :] if one.lemma not in ("of", "the", "a", "an", "our", "'s")), None)
    of_one = behind is not None and behind.is_lemma and behind.text.isalpha()  # the phone number of the guest
    least = 0.75 if of_one else 0.95
    return any(one.kind is MentionKind.COLUMN and one.score >= least for one in refs.get((at - 1, at + 1), ()))


def _names_a_table(first: int, last: int, refs: dict[tuple[int, int], list[Mention]]) -> bool:
    """Return whether words inside may be a table."""
    return any(
        one.kind is MentionKind.TABLE and one.score >= 0.5
        for (begin, end), mentions in refs.items()
        if first <= begin and end <= last
        for one in mentions
    )


def _worth(ref: Ref, tokens: Sequence[Token]) -> float:
    score = ref.mentions[0].score
    words = ref.last - ref.first
    if ref.mentions[0].kind is MentionKind.VALUE and not any(
        token.quoted or token.text[:1].isupper() or token.text[:1].isdigit() for token in tokens[ref.first : ref.last]
    ):
        score *= 0.92
    if tokens[ref.first].quoted:
        return 1.5 + score
    return score * words + 0.15 * (words - 1) + 0.2 * (score - 0.5)


def _phrases(tokens: Sequence[Token], start: int) -> list[tuple[int, Cue, Any]]:
    if tokens[start].quoted:
        return []
    found: list[tuple[int, Cue, Any]] = []
    if (place := ORDINALS.get(tokens[start].text.lower())) is not None and is_ranked(tokens, start + 1):
        found.append((start + 1, Cue.NTH, place))
    said: list[str] = []
    at = start
    while at < len(tokens) and len(said) < LONGEST:
        token = tokens[at]
        if token.quoted:
            break
        word = token.text.lower().replace("\u2019", "'")
        if said and word in _ARTICLES and (*said, word) not in _STARTS:
            at += 1
            continue
        said.append(word)
        at += 1
        if tuple(said) not in _STARTS:
            break
        entry = PHRASES.get(tuple(said))
        if entry is not None:
            cue, what = entry
            begins = not start or tokens[start - 1].text in (".", "?", "!", ";")
            begins = begins or (word in _AFTER_COMMA and tokens[start - 1].text.lower() in _GOING_ON)
            if cue is Cue.ASK and not begins and word in _FIRST_ONLY and len(said) == 1:
                continue
            if cue is Cue.LIGHT and word == "last" and _is_ranked_last(tokens, start):
                continue
            if cue is Cue.STOP and len(said) == 1 and token.lemma in UNITS and _tells_groups(tokens, start):
                continue
            if cue is Cue.ORDER and word == "order" and at < len(tokens) and tokens[at].text.isdigit():
                continue
            behind = tokens[at].text.lower() if at < len(tokens) else ""
            if cue is Cue.MATCH and word == "like" and behind in _SOMEBODY:
                continue  # who like someone
            if cue is Cue.ORDER and word == "ordered" and len(said) == 1 and not _puts_in_order(tokens, at):
                continue
            found.append((at, cue, what))
    return found + _degrees(tokens, start, {last for last, _, _ in found})


def _puts_in_order(tokens: Sequence[Token], at: int) -> bool:
    """Return whether what stands behind `ordered` says which way, rather than who ordered what, how often, or when."""
    behind = [token.text.lower() for token in tokens[at : at + LONGEST]]
    ways = (PHRASES.get(tuple(behind[:last])) for last in range(1, len(behind) + 1))
    return behind[:1] == ["by"] or "first" in behind or any(way is not None and way[0] is Cue.DIRECTION for way in ways)


def _is_ranked_last(tokens: Sequence[Token], at: int) -> bool:
    """`was born last`, `the last invoice`: an adverb or an adjective, and no verb."""
    if at and tokens[at - 1].text.lower() in ("the", "whose", "their", "its"):
        return True
    ends = at + 1 == len(tokens) or tokens[at + 1].text in (".", "?", "!", ",")
    if not ends or not at:
        return False
    did = any(token.text.lower() in DOING for token in tokens[: at - 1])
    return did or tokens[at - 1].text.lower() in ("born", "done") or is_inflected(tokens[at - 1])


def _tells_groups(tokens: Sequence[Token], at: int) -> bool:
    """`by hour`, `which hour`: no unit of a number."""
    return at > 0 and tokens[at - 1].lemma in ("by", "each", "every", "which", "what")


def _degrees(tokens: Sequence[Token], start: int, taken: set[int]) -> list[tuple[int, Cue, Any]]:
    """Comparatives before `than`, superlatives, and adjectives behind `how`."""
    said = [token.text.lower() for token in tokens[start : start + 3]]
    if said[:1] in (["most"], ["least"]) and len(said) > 1:
        said[1] = said[1].removesuffix("ly")
    if said[:1] == ["the"]:
        return []
    found: list[tuple[int, Cue, Any]] = []
    for words in (1, 2):
        degree: Degree | None = degree_of_phrase(said[:words]) if len(said) >= words else None
        if degree is None or degree.adjective in ("many", "few", "much"):
            continue
        if degree.adjective in ("first", "last") and said[words : words + 1] in (["name"], ["names"]):
            continue
        if degree.superlative and start + words not in taken:
            found.append((start + words, Cue.SUPERLATIVE, degree))
        elif said[words : words + 1] == ["than"] and start + words + 1 not in taken:
            found.append((start + words + 1, Cue.COMPARE, degree))
    before = tokens[start - 1].text.lower() if start else ""
    plain = degree_of(said[0]) if before in ("from", "to") else None
    if (
        plain is not None
        and not plain.superlative
        and not plain.comparative
        and (before == "to" or said[1:2] == ["to"])
    ):
        found.append((start + 1, Cue.SUPERLATIVE, plain))
    how = degree_of(said[1]) if said[:1] == ["how"] and len(said) > 1 else None
    if how is not None and how.adjective not in ("many", "few", "much"):
        found.append((start + 2, Cue.MUCH, how))
    return found


_STARTS: Final = frozenset(phrase[:length] for phrase in PHRASES for length in range(1, len(phrase) + 1))
