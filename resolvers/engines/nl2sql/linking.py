"""Links the words of a question to all that they may stand for. It finds; the planner chooses.

How a mention is known stands in its `how`:
TABLE and COLUMN: name, display_name, description, glossary, memory, fuzzy. VALUE: value (as a profile knows it), lemma
(another form of its words), demonym (`French` for France), gender, flag (an adjective that a column of yes and no is
called by), memory, lookup, fuzzy, part (the words stand inside of longer values: to be compared with LIKE).
LITERAL: see `literals.py`. KNOWLEDGE: the type of the memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import log2
from typing import Final

from resolvers.engines.nl2sql.kinds import ColumnKind
from resolvers.engines.nl2sql.language import COMMANDS, STOP_WORDS, SUPERFLUOUS
from resolvers.engines.nl2sql.language_degrees import degree_of
from resolvers.engines.nl2sql.language_places import gender_values, other_names
from resolvers.engines.nl2sql.literals import literals_of
from resolvers.engines.nl2sql.lookups import LONGEST, MOST_COLUMNS, MOST_TEXTS, is_text
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind, Token
from resolvers.engines.nl2sql.model import ColumnKey, Lookup, no_lookup
from resolvers.engines.nl2sql.numbers import number_of
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.tokens import tokenize
from resolvers.engines.nl2sql.values import Held, Values
from resolvers.engines.nl2sql.vocabulary import Vocabulary

MOST_TABLES: Final = 40
"""In a larger catalog, columns and values are looked for in the likeliest tables only, and what is tied to them."""
_NAMED: Final = 2.0
"""How much more it says that a table is named than that one of its columns is."""
_LONGEST_NAME: Final = 6
"""Tokens that the name of a table or a column takes at most."""
_LONGEST_VALUE: Final = 9
_SHARED: Final = 0.9
"""How well both names must fit that share their last word."""
_ENOUGH: Final = 0.5
_MOST_EACH: Final = 16
"""Mentions of one kind over the same tokens."""
_INSIDE: Final = frozenset(("of", "the", "a", "an", "for", "in", "to", "'s", "by", "at", "per", "-", "on"))
"""Little words that may stand inside of a name."""
_JOINING: Final = frozenset(
    ("of", "the", "de", "la", "and", "&", "-", "'s", "in", "von", "van", "el", "le", "du", "del")
)
"""Words in small letters that may stand inside of a name in capitals."""


def link(text: str, vocabulary: Vocabulary, now: datetime, lookup: Lookup = no_lookup) -> Linked:
    """All mentions of a question, in the order of their tokens. `lookup` is called once at most."""
    tokens = tokenize(text)
    work = _Work(tokens, vocabulary, now)
    work.find_tables()
    work.find_knowledge()
    work.settle()
    work.find_columns()
    work.find_values()
    work.mentions += literals_of(tokens, now)
    work.look_up(lookup)
    return Linked(text, tokens, tuple(_best(work.mentions)))


def _best(mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Each thing once over the same tokens; the best of each kind; by place, then length, then score."""
    best: dict[tuple[object, ...], Mention] = {}
    for one in mentions:
        key = (one.first, one.last, one.kind, one.table, one.column, one.values, one.memory if not one.column else None)
        if key not in best or best[key].score < one.score:
            best[key] = one
    many: dict[tuple[int, int, MentionKind], int] = {}
    for one in sorted(best.values(), key=_in_order):
        place = (one.first, one.last, one.kind)
        many[place] = many.get(place, 0) + 1
        if many[place] <= _MOST_EACH:
            yield one


def _in_order(one: Mention) -> tuple[object, ...]:
    named = (one.table or "", one.column.table if one.column else "", one.column.column if one.column else "")
    return (one.first, -one.last, -one.score, one.kind.value, *named, str(one.values))


@dataclass
class _Work:
    tokens: tuple[Token, ...]
    vocabulary: Vocabulary
    now: datetime
    mentions: list[Mention] = field(default_factory=list)
    plausible: list[str] = field(default_factory=list)
    """The tables that columns and values are looked for in, the likeliest first."""

    # --- which tokens may name something

    def carries(self, at: int) -> bool:
        """Whether a token may begin or end a name."""
        token = self.tokens[at]
        if token.quoted or (token.lemma in STOP_WORDS and not self.is_code(at)) or not token.lemma.strip("'-_."):
            return False
        if at == 0 and token.lemma in COMMANDS and token.text.lower() == token.lemma:  # "Name all ...", "List ..."
            return False
        return any(map(str.isalpha, token.lemma))

    def is_code(self, at: int) -> bool:
        """Whether it is a small word in capitals that is no beginning: `OR` in a question of small letters."""
        token = self.tokens[at]
        return at > 0 and len(token.text) > 1 and token.text.isupper() and not self.shouts

    def is_letter(self, at: int) -> bool:
        """Whether it is a single letter in capitals: `grade A`, `vitamin C`."""
        token = self.tokens[at]
        letter = len(token.text) == 1 and token.text.isupper() and not self.shouts
        return letter and at > 0 and (token.text != "I" or at == len(self.tokens) - 1)

    @property
    def shouts(self) -> bool:
        """Whether the question is written in capitals."""
        return sum(token.text.isupper() for token in self.tokens) > len(self.tokens) / 2

    def spans(self, longest: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """The runs of tokens that may be a name, with their lemmas."""
        for first in range(len(self.tokens)):
            if not self.carries(first):
                continue
            for last in range(first + 1, min(first + longest, len(self.tokens)) + 1):
                token = self.tokens[last - 1]
                if token.quoted or not (self.carries(last - 1) or token.lemma in _INSIDE):
                    break
                if self.carries(last - 1):
                    yield first, last, tuple(one.lemma for one in self.tokens[first:last] if one.lemma not in _INSIDE)

    def fits(self, first: int, last: int, score: float) -> float:
        """A score, less where the words have another part to play in a question."""
        if last - first > 1:
            return score
        token = self.tokens[first]
        low = token.text.lower()
        if score < 0.9 and (token.lemma in SUPERFLUOUS or token.lemma in COMMANDS):
            return 0.0
        degree = degree_of(low)
        if degree is not None and (degree.superlative or degree.comparative):
            return score * 0.85 if score > 0.95 else 0.0
        return score

    # --- tables

    def find_tables(self) -> None:
        """Tables by their names."""
        for first, last, lemmas in self.spans(_LONGEST_NAME):
            for fqn, one in self.vocabulary.found_tables(lemmas)[:_MOST_EACH]:
                score = self.fits(first, last, one.score)
                if score >= _ENOUGH:
                    self.mentions.append(
                        Mention(first, last, MentionKind.TABLE, score, one.how, table=fqn, memory=one.memory)
                    )

    def settle(self) -> None:
        """Chooses the tables to look into."""
        every = list(self.vocabulary.fqns)
        if len(every) <= MOST_TABLES:
            self.plausible = every
            return
        scores: dict[str, float] = {}
        for one in self.mentions:
            if one.table is not None:
                scores[one.table] = max(scores.get(one.table, 0.0), _NAMED * one.score**2 * (one.last - one.first))
        words = dict.fromkeys(token.lemma for at, token in enumerate(self.tokens) if self.carries(at))
        for lemma in words:
            found = self.vocabulary.tables_with(lemma)
            rare = 1 / log2(1 + len(found)) if found else 0.0
            for fqn, near in found.items():
                scores[fqn] = scores.get(fqn, 0.0) + near * rare
        best = sorted(scores, key=lambda fqn: (-scores[fqn], fqn))[: MOST_TABLES // 2]
        self.plausible = best
        for fqn in best:
            for other in sorted(self.vocabulary.neighbours(fqn)):
                if other not in self.plausible and len(self.plausible) < MOST_TABLES:
                    self.plausible.append(other)

    # --- columns

    def find_columns(self) -> None:
        """Columns by their names, and columns of yes and no by what they say of a row."""
        self.find_shared_heads()
        for first, last, lemmas in self.spans(_LONGEST_NAME):
            for key, one in self.vocabulary.found_columns(lemmas, self.plausible, _MOST_EACH):
                score = self.fits(first, last, one.score)
                if score < _ENOUGH:
                    break
                self.mentions.append(
                    Mention(first, last, MentionKind.COLUMN, score, one.how, column=key, memory=one.memory)
                )
                flag = self.vocabulary.flag(key) if score > 0.6 else None
                if flag is not None:
                    self.value(first, last, score, "flag", key, flag[0])

    def find_shared_heads(self) -> None:
        """`first and last name`, `billing or shipping address`: the first ones go with the last word too."""
        for at, token in enumerate(self.tokens):
            if token.lemma not in ("and", "or", ",") or at == 0 or not self.carries(at - 1):
                continue
            start = at + 1
            while start < len(self.tokens) and self.tokens[start].lemma in ("and", "or", "the", ","):
                start += 1
            for head in range(start + 1, min(start + 4, len(self.tokens))):
                if not (self.carries(head) and self.carries(head - 1)):
                    break
                said = tuple(one.lemma for one in self.tokens[start : head + 1])
                whole = self.vocabulary.found_columns(said, self.plausible, 1)
                if not whole or whole[0][1].score < _SHARED:
                    continue
                words = (self.tokens[at - 1].lemma, self.tokens[head].lemma)
                for key, one in self.vocabulary.found_columns(words, self.plausible, _MOST_EACH):
                    if one.score >= _SHARED and key != whole[0][0]:
                        self.mentions.append(
                            Mention(at - 1, at, MentionKind.COLUMN, 0.97 * one.score, one.how, column=key)
                        )

    # --- values

    def value(self, first: int, last: int, score: float, how: str, column: ColumnKey, *values: Literal) -> None:
        """A mention of a value."""
        if column not in self.vocabulary.known.forbidden:
            self.mentions.append(Mention(first, last, MentionKind.VALUE, score, how, column=column, values=values))

    def said(self, first: int, last: int) -> str:
        """The words as they were written."""
        if last - first == 1:
            return self.tokens[first].text
        start, end = self.tokens[first].start, self.tokens[last - 1].end
        return self.text[start:end]

    @property
    def text(self) -> str:
        """The question, put together from its tokens."""
        found = ""
        for token in self.tokens:
            found = found.ljust(token.start)
            found += token.text.ljust(token.end - token.start) if not token.quoted else f'"{token.text}"'
        return found

    def find_values(self) -> None:
        """Values that profiles know."""
        values = self.vocabulary.values
        values.read(self.plausible)
        for first in range(len(self.tokens)):
            for last in range(first + 1, min(first + _LONGEST_VALUE, len(self.tokens)) + 1):
                if last - first > 1 and self.tokens[last - 1].quoted:
                    break
                if self.may_be_value(first, last):
                    self.find_value(first, last, values)
                if self.tokens[first].quoted:
                    break
        for at, token in enumerate(self.tokens):
            for key in self.gendered(token):
                known = {one.value.lower(): one.value for one in self.held(key)}
                for spelled in gender_values(token.lemma):
                    if spelled.lower() in known:
                        self.value(at, at + 1, 0.9, "gender", key, _text(known[spelled.lower()]))
                        break

    def gendered(self, token: Token) -> list[ColumnKey]:
        """The columns of gender, when the word says one."""
        if not gender_values(token.lemma):
            return []
        found = self.vocabulary.found_columns(("gender",), self.plausible)
        return [key for key, one in found if one.score > 0.75]

    def held(self, key: ColumnKey) -> list[Held]:
        """The values of a column that may be quoted."""
        profile = self.vocabulary.profile(key)
        known = self.vocabulary.known
        if profile is None or profile.masked or key in known.private or key in known.forbidden:
            return []
        return [Held(key, one.value) for one in profile.top_values]

    def may_be_value(self, first: int, last: int) -> bool:
        """Whether a run of tokens is worth looking up: not made of small words and numbers alone."""
        ends = (self.tokens[first], self.tokens[last - 1])
        if last - first == 1:
            token = ends[0]
            small = token.lemma in STOP_WORDS and not self.is_code(first) and not self.is_letter(first)
            return token.quoted or not (small or not any(map(str.isalnum, token.text)))
        return not any(one.lemma in STOP_WORDS and not one.text[:1].isupper() for one in ends)

    def find_value(self, first: int, last: int, values: Values) -> None:
        """The values that a run of tokens is, in one way or another."""
        said, quoted = self.said(first, last), self.tokens[first].quoted
        capital = said[:1].isupper() and first > 0
        number = last - first == 1 and number_of(self.tokens[first].lemma) is not None
        for one in values.named(said):
            exact = one.value == said
            score = 1.0 if exact and (quoted or capital) else 0.97 if exact or quoted or capital else 0.93
            self.value(first, last, 0.7 if number else score, "value", one.column, _text(one.value))
        if number:
            return
        if not quoted:
            for one in values.like(said):
                self.value(first, last, 0.86, "lemma", one.column, _text(one.value))
            for other in other_names(said):
                for one in values.named(other):
                    if len(other) > 2 or (one.value == other and self.is_of_place(one.column)):
                        self.value(first, last, 0.87, "demonym", one.column, _text(one.value))
        if quoted or (capital and self.carries(first)):
            inside = values.containing(said)
            for column in dict.fromkeys(one.column for one in inside[:60]):
                self.value(first, last, 0.55 if quoted else 0.5, "part", column, _text(said))

    def is_of_place(self, key: ColumnKey) -> bool:
        """Whether a column tells a country or a state, which short codes are taken for there only."""
        return bool({"country", "state", "nation", "nationality", "code", "region"} & set(self.vocabulary.words(key)))

    # --- what people noted

    def find_knowledge(self) -> None:
        """Values that people gave a name, and memories whose name the question says."""
        named = self.vocabulary.memories_named
        longest = max((len(words) for words in (*self.vocabulary.noted, *named)), default=0)
        if not longest:
            return
        for first, last, lemmas in self.spans(longest + 3):
            words = self.vocabulary.asked(lemmas)
            for note in self.vocabulary.noted.get(words, ()):
                column = self.vocabulary.resolved(note.asset) if note.asset and note.values else None
                if isinstance(column, ColumnKey) and column not in self.vocabulary.known.forbidden:
                    values = tuple(map(_text, note.values))
                    self.mentions.append(
                        Mention(
                            first, last, MentionKind.VALUE, 0.95 * note.score, "memory", column=column, values=values,
                            memory=note.id,
                        )
                    )  # fmt: skip
            for memory, how, about in named.get(words, ()):
                self.mentions.append(Mention(first, last, MentionKind.KNOWLEDGE, 0.95, how, table=about, memory=memory))

    # --- what nobody knows yet

    def look_up(self, lookup: Lookup) -> None:
        """Asks the source for words that stand for nothing yet, or for a name that may be a value as well."""
        wanted = self.unknown()
        if not wanted:
            return
        texts: dict[str, None] = {}
        for said in wanted.values():
            for text in said:
                if len(text) <= LONGEST:
                    texts.setdefault(text)
        columns = self.searchable()
        if not columns or not texts:
            return
        asked = list(texts)[:MOST_TEXTS]
        found = lookup(columns, asked)
        allowed = set(columns)
        by_text: dict[str, list[Held]] = {}
        for one in found:
            if one.column in allowed:
                by_text.setdefault(one.value.strip().casefold(), []).append(Held(one.column, one.value))
        for (first, last), said in wanted.items():
            for place, text in enumerate(said):
                for held in by_text.get(text.casefold(), ()):
                    sure = self.tokens[first].quoted or self.tokens[first].text[:1].isupper()
                    score = (0.97 if sure else 0.88) - 0.05 * min(place, 2)
                    self.value(first, last, score, "lookup", held.column, _text(held.value))

    def unknown(self) -> dict[tuple[int, int], list[str]]:
        """The runs of tokens to look up, each with the texts that it may be spelled as, most promising runs first."""
        found: dict[tuple[int, int], list[str]] = {}
        for at, token in enumerate(self.tokens):
            if token.quoted and not self.is_known(at, at + 1):
                found[at, at + 1] = [token.text]
        runs = list(self.runs())
        for first, last in runs:
            for length in range(last - first, 0, -1):
                for start in range(first, last - length + 1):
                    end = start + length
                    if (start, end) in found or not self.may_be_value(start, end) or self.is_known(start, end):
                        continue
                    said = self.said(start, end)
                    variants = [said]
                    single = self.tokens[end - 1].lemma
                    if length == 1 and single != said.lower() and any(map(str.isalpha, single)):
                        variants.append(single)
                    variants += other_names(said)[:5]
                    found[start, end] = variants
                    if len(found) >= MOST_TEXTS:
                        return found
        return found

    def runs(self) -> Iterator[tuple[int, int]]:
        """Runs of tokens that look like a name in capitals, then those that stand for nothing."""
        at = 0
        covered: set[int] = set()
        while at < len(self.tokens):
            if not self.is_capital(at):
                at += 1
                continue
            end = at + 1
            while end < len(self.tokens) and end - at < _LONGEST_VALUE:
                inside = end
                while inside < len(self.tokens) - 1 and inside - end < 3 and self.tokens[inside].lemma in _JOINING:
                    inside += 1
                dashed = inside > end and self.tokens[inside - 1].lemma == "-"
                if not self.is_capital(inside) and not dashed:
                    break
                end = inside + 1
            yield at, end
            covered.update(range(at, end))
            at = end
        strong = self.strongly_linked()
        at = 0
        while at < len(self.tokens):
            end = at
            while end < len(self.tokens) and end - at < 5 and end not in covered and self.is_left(end, strong):
                end += 1
            if end > at:
                yield at, end
            at = max(end, at + 1)

    def is_capital(self, at: int) -> bool:
        """Whether a token is a name by its capital letter."""
        token = self.tokens[at]
        if token.quoted or not token.text[:1].isupper() or self.shouts:
            return False
        if len(token.text) == 1:
            return self.is_letter(at)
        begins = at == 0 or self.tokens[at - 1].lemma in (".", "?", "!")
        return not (begins and (token.lemma in STOP_WORDS or token.lemma in COMMANDS))

    def is_left(self, at: int, strong: set[int]) -> bool:
        """Whether a token stands for nothing that is known."""
        token = self.tokens[at]
        if at in strong or token.quoted or not any(map(str.isalnum, token.text)):
            return False
        if number_of(token.lemma) is not None:
            return False
        small = token.lemma in STOP_WORDS or token.lemma in COMMANDS or token.lemma in SUPERFLUOUS
        return not small and degree_of(token.text) is None

    def strongly_linked(self) -> set[int]:
        """The tokens that the name of a table or column, a value or a literal stands for beyond doubt."""
        return {
            at for one in self.mentions if one.score >= 0.85 and one.how != "fuzzy" for at in range(one.first, one.last)
        }

    def is_known(self, first: int, last: int) -> bool:
        """Whether a value over these tokens, or a longer run of them, is known already."""
        return any(
            one.kind is MentionKind.VALUE and one.score >= 0.9 and one.first <= first and last <= one.last
            for one in self.mentions
        )

    def searchable(self) -> list[ColumnKey]:
        """The columns to look texts up in, the likeliest first."""
        values = self.vocabulary.values
        mentioned: dict[str, float] = {}
        for one in self.mentions:
            fqn = one.table or (one.column.table if one.column else None)
            if fqn is not None:
                mentioned[fqn] = max(mentioned.get(fqn, 0.0), one.score)
        order = sorted(self.plausible, key=lambda fqn: -mentioned.get(fqn, 0.0))
        found = []
        for fqn in order:
            for key in self.vocabulary.keys_of(fqn):
                if key in self.vocabulary.known.forbidden or values.is_complete(key):
                    continue
                if is_text(self.vocabulary.facts(key)) and self.vocabulary.column_kind(key) is ColumnKind.TEXT:
                    found.append(key)
        return found[:MOST_COLUMNS]


def _text(text: str) -> Literal:
    return Literal("text", text)
