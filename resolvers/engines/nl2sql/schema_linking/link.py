"""Links the words of a question to all that they may stand for. It finds; the planner chooses.

How a mention is known stands in its `how`:
TABLE and COLUMN: name, display_name, description, glossary, memory, fuzzy. VALUE: value (as a profile knows it), lemma
(another form of its words), demonym (`French` for France), gender, flag (an adjective that a column of yes and no is
called by), memory, lookup, fuzzy, part (the words stand inside of longer values, which are named).
LITERAL: see `literals.py`. KNOWLEDGE: the type of the memory.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.forms import bases_of
from resolvers.engines.nl2sql.language.literals import literals_of
from resolvers.engines.nl2sql.language.numbers import number_of
from resolvers.engines.nl2sql.language.places import gender_values, other_names
from resolvers.engines.nl2sql.language.spellings import CALENDAR
from resolvers.engines.nl2sql.language.verbs import IRREGULAR_VERBS, VERBS
from resolvers.engines.nl2sql.mention import Linked, Mention, MentionKind, Token
from resolvers.engines.nl2sql.model import ColumnKey, FoundValue, Lookup, no_lookup
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.schema_linking.deeds import without_deeds
from resolvers.engines.nl2sql.schema_linking.kinds_of_rows import kinds_of_rows
from resolvers.engines.nl2sql.schema_linking.linked_names import NameLinking
from resolvers.engines.nl2sql.schema_linking.lookups import LONGEST, MOST_COLUMNS, MOST_PARTS, MOST_TEXTS, may_be_part
from resolvers.engines.nl2sql.schema_linking.question_tokens import TokenizedQuestion
from resolvers.engines.nl2sql.schema_linking.states import with_states
from resolvers.engines.nl2sql.schema_linking.unknown import Wanted, left_over, unknown
from resolvers.engines.nl2sql.schema_linking.values import SIGNS, Held, ValueIndex, folded, is_part
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_LONGEST_VALUE: Final = 9
_PARTS: Final = 0.9
_PART: Final = 0.8
"""How sure it is that a value is meant of which several words are said, or one."""
_WHOLE: Final = 0.93
_LEMMA: Final = 0.86
"""How sure a value is of which another form of its words is said."""
_AKIN: Final = 0.78
"""How sure it is where its words are only of the same families as those that are said."""
_BESIDE_WHOLE: Final = 0.75
"""How sure words must be a whole value for the longer ones that they stand in to be less likely, and how much less."""
_DESCRIBED: Final = 0.82
"""How sure a value is meant by an adjective of it: sunny, of sun."""
_NEARLY: Final = 0.75
"""How sure a misspelled value is at best."""
_OTHER_CASE: Final = 0.1
"""How much less a key in small letters fits a name in capitals."""
_STRAYED: Final = 0.6
"""How sure a value is in a column where it is probably a slip of whoever wrote it."""
_ASKING: Final = frozenset(("which", "what", "each", "every"))
"""Words before what rows are called."""


def link(text: str, vocabulary: Vocabulary, now: datetime, lookup: Lookup = no_lookup) -> Linked:
    """All mentions of a question, in the order of their tokens. `lookup` is called once at most."""
    question = TokenizedQuestion.of(text)
    if not vocabulary.has_full_names:
        question = question.without_full()
    work = _Work(question, vocabulary)
    work.find_tables()
    work.settle_described()
    work.find_knowledge()
    work.settle()
    work.find_columns()
    work.mentions += kinds_of_rows(work.mentions, work.tokens, vocabulary)
    work.settle_flags()
    work.settle_variants()
    work.mentions = list(without_deeds(work.mentions, work.tokens, vocabulary))
    work.find_values()
    work.mentions += literals_of(question.tokens, now)
    work.find_misspelled()
    work.look_up(lookup)
    work.settle_parts()
    work.mentions = with_states(work.mentions, question.tokens, vocabulary)
    work.settle_full_names()
    return Linked(text, question.tokens, tuple(_best(work.mentions, work.most)), today=now.date())


def _best(mentions: Sequence[Mention], most: int) -> Iterator[Mention]:
    """Each thing once over the same tokens; the best of each kind; by place, then length, then score."""
    best: dict[tuple[object, ...], Mention] = {}
    for one in mentions:
        said = tuple([(value.kind, value.value) for value in one.values]) if one.values else ()
        key = (one.first, one.last, one.kind, one.table, one.column, said, one.memory if not one.column else None)
        known = best.get(key)
        if known is None or known.score < one.score:
            best[key] = one
    many: dict[tuple[int, int, MentionKind], int] = {}
    for one in sorted(best.values(), key=_in_order):
        place = (one.first, one.last, one.kind)
        many[place] = many.get(place, 0) + 1
        if many[place] <= most:
            yield one


def _in_order(one: Mention) -> tuple[object, ...]:
    values = tuple([str(value.value) for value in one.values]) if one.values else ()
    return (one.first, -one.last, -one.score, one.kind, one.table or "", one.column or ("", ""), values)


class _Work(NameLinking):
    """Links the words of one question."""

    # --- values

    def find_values(self) -> None:
        """Values that profiles know."""
        values = self.vocabulary.values
        values.read(self.plausible)
        within = frozenset(self.plausible) if len(self.plausible) < len(self.vocabulary.fqns) else None
        for first in range(len(self.tokens)):
            for last in range(first + 1, min(first + _LONGEST_VALUE, len(self.tokens)) + 1):
                if last - first > 1 and self.tokens[last - 1].quoted:
                    break
                if self.question.may_be_value(first, last):
                    self.find_value(first, last, values, within)
                else:
                    self.find_value_with_little(first, last, values, within)
                if self.tokens[first].quoted:
                    break
        for at, token in enumerate(self.tokens):
            for key in self.gendered(token):
                known = {one.value.lower(): one.value for one in self.held(key)}
                for spelled in gender_values(token.lemma):
                    if spelled.lower() in known:
                        self.value(at, at + 1, 0.9, "gender", key, _text(known[spelled.lower()]))
                        break

    def find_value_with_little(self, first: int, last: int, values: ValueIndex, within: Collection[str] | None) -> None:
        """The values that a run with a small word at its end is: `in progress`, `wrote off`."""
        said = self.question.said(first, last)
        if self.question.begins_little(first, last):
            for one in values.named(said, within):
                self.value(first, last, _WHOLE, "value", one.column, _text(one.value))
        elif self.question.ends_little(first, last):
            for one in values.like(said, within):
                self.value(first, last, _LEMMA, "lemma", one.column, _text(one.value))

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

    def find_value(self, first: int, last: int, values: ValueIndex, within: Collection[str] | None) -> None:
        """The values that a run of tokens is, in one way or another."""
        said, quoted = self.question.said(first, last), self.tokens[first].quoted
        capital = said[:1].isupper() and first > 0
        number = last - first == 1 and number_of(self.tokens[first].lemma) is not None
        named, like = values.named(said, within), [] if number or quoted else values.like(said, within)
        rows = bool(named or like) and self.is_rows(first, last)
        named, like = self.without_signed(first, last, named, values), [one for one in like if not values.signed(one)]
        for one in named:
            exact = one.value == said
            score = 1.0 if exact and (quoted or capital) else 0.97 if exact or quoted or capital else 0.93
            unsure = number or (rows and not (quoted or capital))
            score = _STRAYED if values.has_strayed(one) else 0.7 if unsure else score
            score -= _OTHER_CASE * self.is_lower_code(one, said)
            self.value(first, last, score, "value", one.column, _text(one.value))
        if number:
            return
        if not quoted:
            for one in like:
                score = _STRAYED if values.has_strayed(one) else 0.7 if rows else _LEMMA
                self.value(first, last, score, "lemma", one.column, _text(one.value))
            described = bases_of(said) if last - first == 1 and not (named or like) else ()
            for one in (held for base in described for held in values.named(base, within)):
                self.value(first, last, _DESCRIBED, "lemma", one.column, _text(one.value))
            for one in (held for day in CALENDAR.get(said.lower(), ()) for held in values.named(day, within)):
                self.value(first, last, 0.9, "demonym", one.column, _text(one.value))
            for other in other_names(said):
                for one in values.named(other, within):
                    if len(other) > 2 or (one.value == other and self.is_of_place(one.column)):
                        self.value(first, last, 0.87, "demonym", one.column, _text(one.value))
        if quoted or (self.question.is_capital(first) and self.question.carries(first)):
            for column, held in values.containing(said, within).items():
                self.part(first, last, column, held)

    def without_signed(self, first: int, last: int, named: Sequence[Held], values: ValueIndex) -> list[Held]:
        """The values that no other of their column differs from in signs only; what the others are is noted."""
        found = []
        for one in named:
            if signed := values.signed(one):
                self.signed(first, last, one.column, signed)
            else:
                found.append(one)
        return found

    def signed(self, first: int, last: int, column: ColumnKey, values: Mapping[str, str]) -> None:
        """Of values that differ in the signs behind them the one that is said, or all: O-, and not O+."""
        end = last
        while (
            end < len(self.tokens)
            and self.tokens[end].text in SIGNS
            and self.tokens[end].start == self.tokens[end - 1].end
        ):
            end += 1
        said = self.question.text[self.tokens[last - 1].end : self.tokens[end - 1].end]
        if said in values:
            self.value(first, end, 1.0 if end > last else _WHOLE, "value", column, _text(values[said]))
        else:
            self.part(first, last, column, list(values.values()))

    def part(self, first: int, last: int, column: ColumnKey, values: Sequence[str]) -> None:
        """The values that a run is a part of: `Red Sox` of the Boston Red Sox."""
        if len(values) <= MOST_PARTS:
            self.value(first, last, _PARTS if last - first > 1 else _PART, "part", column, *map(_text, values))

    def settle_parts(self) -> None:
        """`San Mateo`, where a county is called so: no part of the longer names that it stands in."""
        whole = {
            (one.first, one.last)
            for one in self.mentions
            if one.kind is MentionKind.VALUE and one.how != "part" and one.score >= _WHOLE
        }
        for at, one in enumerate(self.mentions):
            if one.how == "part" and any(first <= one.first and one.last <= last for first, last in whole):
                self.mentions[at] = one._replace(score=_BESIDE_WHOLE * one.score)

    def is_rows(self, first: int, last: int) -> bool:
        """`members`, `a member of`: what a table is called by says its rows rather than a value."""
        head = self.tokens[last - 1]
        is_of = last < len(self.tokens) and self.tokens[last].lemma == "of"
        is_of = is_of or (first > 0 and self.asks_for(first - 1, last))
        return (is_of or not head.is_lemma) and (first, last) in self.named_rows

    def asks_for(self, before: int, last: int) -> bool:
        """`which animal`, `the heaviest animal`: rows are asked for, where no noun stands behind."""
        degree = degree_of(self.tokens[before].text)
        asks = self.tokens[before].lemma in _ASKING or (degree is not None and degree.superlative)
        return asks and (last >= len(self.tokens) or not self.is_noun(last))

    def is_noun(self, at: int) -> bool:
        """Return whether some table or column is called by a word there, that is none of a verb."""
        token = self.tokens[at]
        if token.lemma in VERBS or token.text.lower() in IRREGULAR_VERBS:
            return False
        return any(one.first <= at < one.last and one.table is not None for one in self.mentions)

    def find_misspelled(self) -> None:
        """Values that words which stand for nothing else are nearly, or are of one family with: `partly paid`."""
        left = left_over(self.question, self.mentions)
        for at in sorted(left):
            for first, last in ((at, at + 1), (at, at + 2), (at - 1, at + 1)):
                if first >= 0 and last <= len(self.tokens) and self.question.may_be_value(first, last):
                    for held in self.vocabulary.values.akin(self.question.said(first, last), self.plausible):
                        self.value(first, last, _AKIN, "lemma", held.column, _text(held.value))
            for held, alike in self.vocabulary.values.alike(self.tokens[at].text, self.plausible):
                self.value(at, at + 1, _NEARLY * alike, "fuzzy", held.column, _text(held.value))

    def is_of_place(self, key: ColumnKey) -> bool:
        """Return whether a column tells a country or a state, which short codes are taken for there only."""
        return bool({"country", "state", "nation", "nationality", "code", "region"} & set(self.vocabulary.words(key)))

    def is_lower_code(self, held: Held, said: str) -> bool:
        """Return whether a name in capitals is only by chance a key in small letters: Texas, and the school `texas`."""
        return said[:1].isupper() and held.value.islower() and self.vocabulary.is_identifier(held.column)

    # --- what people noted

    def find_knowledge(self) -> None:
        """Values that people gave a name, and memories whose name the question says."""
        named = self.vocabulary.memories_named
        longest = max((len(words) for words in (*self.vocabulary.noted, *named)), default=0)
        if not longest:
            return
        for first, last, lemmas in self.question.spans(longest + 3):
            words = self.vocabulary.asked(lemmas)
            for note in self.vocabulary.noted.get(words, ()):
                column = self.vocabulary.resolved(note.asset) if note.asset and note.values else None
                hidden = self.vocabulary.known.forbidden | self.vocabulary.known.private
                if isinstance(column, ColumnKey) and column not in hidden:
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
        wanted = unknown(self.question, self.mentions)
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
        self.take_found(wanted, lookup(columns, asked), set(columns))

    def take_found(self, wanted: Wanted, found: Sequence[FoundValue], allowed: Collection[ColumnKey]) -> None:
        """The values that the source has of words, whole or as a part."""
        by_text: dict[str, list[Held]] = {}
        spelled: dict[ColumnKey, dict[str, str]] = {}
        for one in found:
            if one.column in allowed:
                by_text.setdefault(one.value.strip().casefold(), []).append(Held(one.column, one.value))
                spelled.setdefault(one.column, {})[one.value] = folded(one.value)
        for (first, last), said in wanted.items():
            if may_be_part(said[0]):
                text = folded(said[0])
                for column, values in spelled.items():
                    if inside := [value for value, whole in values.items() if is_part(text, whole)]:
                        self.part(first, last, column, inside)
            for place, text in enumerate(said):
                for held in by_text.get(text.casefold(), ()):
                    sure = self.tokens[first].quoted or self.tokens[first].text[:1].isupper()
                    is_named_so = place and len(text) == 2 and self.is_of_place(held.column)  # TX, where states stand
                    score = (0.97 if sure else 0.88) - (0.0 if is_named_so else 0.05 * min(place, 2))
                    score -= _OTHER_CASE * self.is_lower_code(held, said[0])
                    self.value(first, last, score, "lookup", held.column, _text(held.value))

    def settle_full_names(self) -> None:
        """`Derek Jeter`: a first and a last name of the same people, rather than what each word may be by itself."""
        values = [one for one in self.mentions if one.kind is MentionKind.VALUE]
        held = {(one.first, one.last, one.column) for one in values}
        # A whole name is that of one row; of two parts nobody knows here whether any row has both.
        whole = {(one.first, one.last) for one in values if one.score >= _WHOLE}
        sure: set[tuple[int, int, ColumnKey]] = set()
        for first, last, column in held:
            names = self.vocabulary.name_columns(column.table) if column is not None else ()
            if len(names) == 2 and column == names[0]:
                sure |= {
                    (at, end, key)
                    for begin, end, key in held
                    if begin == last and key == names[1] and (first, end) not in whole
                    for at, end, key in ((first, last, names[0]), (begin, end, names[1]))
                }
        told = {(first, last, column.table) for first, last, column in sure}
        for at, one in enumerate(self.mentions):
            if one.kind is not MentionKind.VALUE or one.column is None:
                continue
            if (one.first, one.last, one.column) in sure:
                self.mentions[at] = one._replace(score=1.0)
            elif (one.first, one.last, one.column.table) in told:
                self.mentions[at] = one._replace(score=_NEARLY * one.score)

    def searchable(self) -> list[ColumnKey]:
        """The columns to look texts up in, the likeliest first."""
        values = self.vocabulary.values
        mentioned: dict[str, float] = {}
        for one in self.mentions:
            fqn = one.table or (one.column.table if one.column else None)
            if fqn is not None:
                mentioned[fqn] = max(mentioned.get(fqn, 0.0), one.score)
        naming: list[ColumnKey] = []
        others: list[ColumnKey] = []
        for fqn in sorted(self.plausible, key=lambda fqn: -mentioned.get(fqn, 0.0)):
            if len(naming) >= MOST_COLUMNS:
                break
            names = self.vocabulary.name_columns(fqn)
            for key in self.vocabulary.text_columns(fqn):
                if not values.is_complete(key):
                    (naming if key in names else others).append(key)
        return [*naming, *others][:MOST_COLUMNS]  # by their names rows are asked about


def _text(text: str) -> Literal:
    return Literal("text", text)
