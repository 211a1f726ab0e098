"""Links the words of a question to all that they may stand for. It finds; the planner chooses.

How a mention is known stands in its `how`:
TABLE and COLUMN: name, display_name, description, glossary, memory, fuzzy. VALUE: value (as a profile knows it), lemma
(another form of its words), demonym (`French` for France), gender, flag (an adjective that a column of yes and no is
called by), memory, lookup, fuzzy, part (the words stand inside of longer values, which are named).
LITERAL: see `literals.py`. KNOWLEDGE: the type of the memory.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from math import log2
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.forms import bases_of, phrase_words
from resolvers.engines.nl2sql.language.literals import literals_of
from resolvers.engines.nl2sql.language.numbers import number_of
from resolvers.engines.nl2sql.language.places import gender_values, other_names
from resolvers.engines.nl2sql.language.spellings import CALENDAR
from resolvers.engines.nl2sql.language.verbs import CONTESTS, IRREGULAR_VERBS, OUTCOMES, VERBS
from resolvers.engines.nl2sql.language.words import COMMANDS, SUPERFLUOUS
from resolvers.engines.nl2sql.mention import INITIALS, Linked, Mention, MentionKind, Token
from resolvers.engines.nl2sql.model import ColumnKey, FoundValue, Lookup, no_lookup
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.schema_linking.index import WRITTEN_OUT, IndexMatch
from resolvers.engines.nl2sql.schema_linking.kinds_of_rows import kinds_of_rows
from resolvers.engines.nl2sql.schema_linking.likely import MOST_TABLES, likeliest
from resolvers.engines.nl2sql.schema_linking.lookups import LONGEST, MOST_COLUMNS, MOST_PARTS, MOST_TEXTS, may_be_part
from resolvers.engines.nl2sql.schema_linking.question_tokens import INSIDE, TokenizedQuestion, is_thing
from resolvers.engines.nl2sql.schema_linking.roles import PERSONS
from resolvers.engines.nl2sql.schema_linking.states import with_states
from resolvers.engines.nl2sql.schema_linking.unknown import Wanted, left_over, unknown
from resolvers.engines.nl2sql.schema_linking.values import SIGNS, Held, ValueIndex, folded, is_part
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_NAMED: Final = 2.0
"""How much more it says that a table is named than that one of its columns is."""
_LONGEST_NAME: Final = 6
"""Tokens that the name of a table or a column takes at most."""
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
_VARIANT: Final = 0.8
"""How well the columns of a variant of a table fit beside those of the table itself."""
_NEARLY: Final = 0.75
"""How sure a misspelled value is at best."""
_SHARED: Final = 0.9
"""How well a name of several words must fit where one fits very well."""
_OTHER_CASE: Final = 0.1
"""How much less a key in small letters fits a name in capitals."""
_ENOUGH: Final = 0.5
_VERY: Final = 0.98
"""How well a column must be called by several words for others to be left out that they fit only loosely."""
_TYING: Final = frozenset(("in", "for", "at", "to", "on", "from"))
"""Little words between two things, where no column has them in its name."""
_DESCRIBING: Final = 0.8
"""How much of a column of yes and no is meant where an adjective describes rows by it."""
_STRAYED: Final = 0.6
"""How sure a value is in a column where it is probably a slip of whoever wrote it."""
_ROWS: Final = 0.78
"""How well a table must be called by a plural for that to be its rows, and no value."""
_OF_FIGURES: Final = frozenset(("number", "amount", "total", "count", "value", "quantity", "sum", "level", "rate"))
"""Words before `of` that may be left out of a column's name: `number of seats`."""
_ASKING: Final = frozenset(("which", "what", "each", "every"))
"""Words before what rows are called."""
_LIGHT_VERBS: Final = frozenset(("make", "do", "take", "give", "get", "put", "go", "come", "have", "hold", "keep"))
"""Verbs that say little; as they stand alone no table is called by what they are related to."""
_NUMBERED: Final = re.compile(r"[^0-9]([0-9]{1,2})$")
"""The number that a name ends in: line_1, phone2."""
_SPELLED_OUT: Final = 0.9
"""How well two words fit a column whose name is their first letters; more of them are no chance."""
_MOST_EACH: Final = 16
_MOST_OF_MANY: Final = 8
"""Mentions of one kind over the same tokens; fewer where the catalog is so large that only the likeliest tables are
looked into. Many of them have columns of the same name, and the planner asks for what it needs beside."""


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


@dataclass
class _Work:
    question: TokenizedQuestion
    vocabulary: Vocabulary
    mentions: list[Mention] = field(default_factory=list)
    plausible: list[str] = field(default_factory=list)
    """The tables that columns and values are looked for in, the likeliest first."""
    tokens: tuple[Token, ...] = field(init=False)
    most: int = field(init=False)
    _called: dict[tuple[str, ...], Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tokens = self.question.tokens
        self.most = _MOST_EACH if len(self.vocabulary.fqns) <= MOST_TABLES else _MOST_OF_MANY

    def fits(self, first: int, last: int, score: float) -> float:
        """A score, less where the words have another part to play in a question."""
        if last - first > 1:
            return score
        asks, compares = self.parts[first]
        if score < 0.9 and asks:
            return 0.0
        if compares:
            return score * 0.85 if score > 0.95 else 0.0
        return score

    @cached_property
    def parts(self) -> Sequence[tuple[bool, bool]]:
        """Of each token whether it asks for something, or adds nothing, and whether it compares."""
        degrees = [degree_of(token.text) for token in self.tokens]
        return [
            (
                (token.lemma in SUPERFLUOUS or token.lemma in COMMANDS) and not is_thing(self.tokens, at),
                degree is not None and (degree.superlative or degree.comparative),
            )
            for at, (token, degree) in enumerate(zip(self.tokens, degrees, strict=True))
        ]

    # --- tables

    def find_tables(self) -> None:
        """Tables by their names."""
        for first, last, lemmas in self.question.spans(_LONGEST_NAME):
            for fqn, one in self.vocabulary.found_tables(lemmas, self.most, _ENOUGH):
                score = self.fits(first, last, one.score)
                if score < 0.8 and last - first == 1 and lemmas[0] in _LIGHT_VERBS:
                    continue
                if score >= _ENOUGH and not (one.how == "name" and self.is_of_table(first, last, fqn, one.score)):
                    self.mentions.append(
                        Mention(first, last, MentionKind.TABLE, score, one.how, table=fqn, memory=one.memory)
                    )

    def settle_described(self) -> None:
        """Return what a table is described by, where another is called by a part of it: `players went` to schools."""
        named = [one for one in self.mentions if one.table is not None and one.how == "name" and one.score >= _ROWS]
        self.mentions = [
            one
            for one in self.mentions
            if one.how != "description"
            or one.last - one.first == 1
            or not any(one.first <= other.first and other.last <= one.last for other in named)
        ]

    def is_of_table(self, first: int, last: int, fqn: str, score: float) -> bool:
        """`units of the track`: what stands before `of` is asked for, and no table is called by it."""
        ofs = [at for at in range(first + 1, last - 1) if self.tokens[at].lemma == "of"]
        if not ofs:
            return False
        before, behind = (
            [token.lemma for token in tokens if token.lemma not in INSIDE]
            for tokens in (self.tokens[first : ofs[0]], self.tokens[ofs[0] : last])
        )
        if self.called(behind).get(fqn, 0.0) >= score:
            return True
        return not any(fqn in self.called((lemma,)) for lemma in before)

    def called(self, lemmas: Sequence[str]) -> Mapping[str, float]:
        """The tables that are called so, with how well; found once."""
        words = tuple(lemmas)
        if words not in self._called:
            self._called[words] = dict(self.vocabulary.tables(words))
        return self._called[words]

    def settle(self) -> None:
        """Chooses the tables to look into."""
        every = list(self.vocabulary.fqns)
        if len(every) <= MOST_TABLES:
            self.plausible = every
            return
        named: dict[str, float] = {}
        for one in self.mentions:
            if one.table is not None:
                named[one.table] = max(named.get(one.table, 0.0), _NAMED * one.score**2 * (one.last - one.first))
        words = dict.fromkeys(token.lemma for at, token in enumerate(self.tokens) if self.question.carries(at))
        spread = [self.vocabulary.tables_with(word) for word in words]
        said = [(found, highest, 1 / log2(1 + len(found))) for found, highest in spread if found]
        self.plausible = best = likeliest(named, said, MOST_TABLES // 2)
        there = set(best)
        for fqn in tuple(best):
            if len(best) >= MOST_TABLES:
                break
            for other in sorted(self.vocabulary.neighbours(fqn)):
                if len(best) < MOST_TABLES and other not in there:
                    there.add(other)
                    best.append(other)

    # --- columns

    def find_columns(self) -> None:
        """Columns by their names, and columns of yes and no by what they say of a row."""
        self.find_initialisms()
        for first, last, lemmas in self.question.spans(_LONGEST_NAME):
            found = self.vocabulary.found_columns(lemmas, self.plausible, self.most, _ENOUGH)
            self.find_numbered(first, last, found)
            least = _SHARED if len(lemmas) > 1 and found and found[0][1].score >= _VERY else _ENOUGH
            inside, before = self.tying(first, last) if found else ((), None)
            for key, one in found:
                score = self.fits(first, last, one.score)
                if score < least:
                    break
                tells = self.vocabulary.flag(key)
                flag = tells if score > 0.6 else None
                if (one.how == "name" and self.is_of_another(key, inside, before)) or (
                    flag is not None and self.names_rows(first, last, key)
                ):
                    continue
                if one.how in WRITTEN_OUT and last - first == 1 and self.is_deed(first):
                    continue
                if self.counts_rows(first, last) and self.vocabulary.tells_rows_apart(key):
                    continue  # the number of units, and not what each is numbered by
                if (
                    last - first == 1
                    and score < _SHARED
                    and self.question.asks_for_span(first)
                    and self.is_no_time(key)
                ):
                    continue  # which month, and not the monthly price
                sure = score * (_DESCRIBING if flag is not None and self.describes(last, key) else 1)
                # Who `won the series` is said to have done so: whether it was done is not asked for.
                if tells is None or last - first == 1 or not self.is_deed(first):
                    self.mentions.append(
                        Mention(first, last, MentionKind.COLUMN, sure, one.how, column=key, memory=one.memory)
                    )
                if flag is not None:
                    self.value(first, last, score, "flag", key, flag[0])

    def counts_rows(self, first: int, last: int) -> bool:
        """Return whether words ask how many there are of something: `number of units`."""
        head = self.tokens[last - 1]
        asks = last - first > 2 and self.tokens[first].lemma in ("number", "count") and not head.is_lemma
        return asks and self.tokens[first + 1].lemma == "of"

    def is_no_time(self, key: ColumnKey) -> bool:
        """Return whether a column tells no time, so that it is none of the spans that rows fall into."""
        return not self.vocabulary.column_kind(key).is_temporal

    def settle_flags(self) -> None:
        """Takes out flags that are called by a part of their names only, where that tells no single one.

        `won` says neither of a won division nor of a won league; and what calls a table better says what was done.
        """
        flags = [(one, one.column) for one in self.mentions if one.how == "flag" and one.score < _VERY and one.column]
        rows = {(one.first, one.last): one.score for one in sorted(self.mentions, key=lambda one: one.score)
                if one.table is not None and one.how == "name"}  # fmt: skip
        alike = Counter((one.first, one.last, key.table, one.score) for one, key in flags)
        vague = {
            (one.first, one.last, key)
            for one, key in flags
            if self.tokens[one.last - 1].lemma in PERSONS  # people are rows, and nothing that is said of them
            or alike[one.first, one.last, key.table, one.score] > 1
            or rows.get((one.first, one.last), 0) > one.score
        }
        self.mentions = [one for one in self.mentions if (one.first, one.last, one.column) not in vague]

    def find_initialisms(self) -> None:
        """`miles per gallon` for a column `mpg`: its name is the first letters of the words, spelled out."""
        names = self.vocabulary.initialisms
        for length, score in ((2, _SPELLED_OUT), (3, 1.0), (4, 1.0)) if names else ():
            for first in range(len(self.tokens) - length + 1):
                words = self.tokens[first : first + length]
                keys = names.get("".join(word.text[:1].lower() for word in words), ())
                ends = self.question.carries(first) and self.question.carries(first + length - 1)
                if not keys or not ends or any(word.quoted or len(word.text) < 3 for word in words):
                    continue
                if any(map(self.says_how, range(first, first + length))):
                    continue
                for key in keys:
                    if key.table in self.plausible and self.may_be_short(key, words):
                        self.mentions.append(
                            Mention(first, first + length, MentionKind.COLUMN, score, INITIALS, column=key)
                        )

    def may_be_short(self, key: ColumnKey, words: Sequence[Token]) -> bool:
        """Return whether a column may be the initials of words: not where it is described, and by none of them."""
        meaning = phrase_words(self.vocabulary.facts(key).description or "")
        return not meaning or bool(set(meaning) & set(self.vocabulary.asked([word.lemma for word in words])))

    def says_how(self, at: int) -> bool:
        """Return whether a word there compares, asks, names or is what rows are called: no column TP is `tallest
        player`.
        """
        asks, compares = self.parts[at]
        return (
            asks
            or compares
            or self.question.is_capital(at)
            or any(first == at and last == at + 1 for first, last in self.named_rows)
        )

    def tying(self, first: int, last: int) -> tuple[Collection[str], Sequence[str] | None]:
        """The little words in a run that tie two things, and what stands before an `of` in it; None without one."""
        inside = [token.lemma for token in self.tokens[first + 1 : last - 1]]
        if "of" not in inside or self.tokens[first].lemma in _OF_FIGURES:
            return _TYING.intersection(inside), None
        before = self.tokens[first : first + 1 + inside.index("of")]
        return _TYING.intersection(inside), [token.lemma for token in before if token.lemma not in INSIDE]

    def is_of_another(self, key: ColumnKey, inside: Collection[str], before: Sequence[str] | None) -> bool:
        """`names of the insured`, `crossing in minutes`: a little word that ties two things, and is not in the name."""
        if inside and not set(tokens_of(key.column)).issuperset(inside):
            return True
        return before is not None and not any(self.vocabulary.says(key, lemma) for lemma in before)

    def describes(self, last: int, key: ColumnKey) -> bool:
        """Return whether the rows of its table are named right behind: `active` employees."""
        rows = self.vocabulary.words(key.table)
        lemmas = [token.lemma for token in self.tokens[last : last + len(rows)]]
        return any(self.vocabulary.asked(lemmas[:size]) == rows[-size:] for size in range(1, len(lemmas) + 1))

    def is_deed(self, at: int) -> bool:
        """Return whether a word says what somebody does: `hit` is none of the hits that a column counts. Games that
        were won are what wins count.
        """
        token = self.tokens[at]
        if token.lemma in OUTCOMES and any(one.lemma in CONTESTS for one in self.tokens):
            return False
        return (token.lemma in VERBS or token.lemma in IRREGULAR_VERBS) and not (
            token.text.lower().endswith("s") and not token.is_lemma
        )

    def names_rows(self, first: int, last: int, key: ColumnKey) -> bool:
        """`insured patients`, `clubs won the cup`: what a column of yes and no says, and the rows it is said of."""
        rows = self.vocabulary.words(key.table)[-1:]
        ends = [self.tokens[at].lemma for at in (first, last - 1)]
        return last - first > 1 and any(
            self.vocabulary.asked((end,)) == rows and not self.vocabulary.says(key, end) for end in ends
        )

    def settle_variants(self) -> None:
        """A table beside its variant: `orders` rather than `orders_2019`, where no word says which."""
        spans: dict[tuple[int, int], dict[str, float]] = {}
        for one in self.mentions:
            if one.table is not None:
                spans.setdefault((one.first, one.last), {})[one.table] = one.score
        variants = self.vocabulary.variants
        named = {
            table
            for tables in spans.values()
            for table, score in tables.items()
            if table in variants and tables.get(variants[table], 0.0) < score
        }
        best: dict[tuple[int, int, str], dict[str, float]] = {}
        for one in self.mentions:
            if one.kind is MentionKind.COLUMN and one.column is not None:
                fits = best.setdefault((one.first, one.last, one.column.column), {})
                fits[one.column.table] = max(fits.get(one.column.table, 0.0), one.score)
        for at, one in enumerate(self.mentions):
            if one.kind is not MentionKind.COLUMN or one.column is None or one.column.table in named:
                continue
            base = variants.get(one.column.table)
            beside = best[one.first, one.last, one.column.column]
            if base is not None and beside.get(base, 0.0) >= one.score:
                self.mentions[at] = one._replace(score=_VARIANT * one.score)

    def find_numbered(self, first: int, last: int, found: Sequence[tuple[ColumnKey, IndexMatch]]) -> None:
        """`line 1`: a column that ends in the number behind what it is called by."""
        number = self.tokens[last].text if last < len(self.tokens) else ""
        for key, one in found if number.isdigit() else ():
            ends = _NUMBERED.search(key.column)
            if ends is not None and ends[1] == number:
                self.mentions.append(Mention(first, last + 1, MentionKind.COLUMN, 0.97, one.how, column=key))

    # --- values

    def value(self, first: int, last: int, score: float, how: str, column: ColumnKey, *values: Literal) -> None:
        """A mention of a value."""
        if column not in self.vocabulary.known.forbidden:
            self.mentions.append(Mention(first, last, MentionKind.VALUE, score, how, column=column, values=values))

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

    @cached_property
    def named_rows(self) -> Collection[tuple[int, int]]:
        """The runs that a table is called by well; to be asked for when all tables are found."""
        return {
            (one.first, one.last)
            for one in self.mentions
            if one.table is not None and one.how == "name" and one.score >= _ROWS
        }

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
