"""The tables and columns that words of a question name."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log2
from typing import Final

from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.language.forms import phrase_words
from resolvers.engines.nl2sql.language.verbs import CONTESTS, IRREGULAR_VERBS, OUTCOMES, VERBS
from resolvers.engines.nl2sql.language.words import COMMANDS, SUPERFLUOUS
from resolvers.engines.nl2sql.mention import INITIALS, Mention, MentionKind, Token
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Literal
from resolvers.engines.nl2sql.schema_linking.index import WRITTEN_OUT, IndexMatch
from resolvers.engines.nl2sql.schema_linking.likely import MOST_TABLES, likeliest
from resolvers.engines.nl2sql.schema_linking.question_tokens import INSIDE, TokenizedQuestion, is_thing
from resolvers.engines.nl2sql.schema_linking.roles import PERSONS
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary

_NAMED: Final = 2.0
"""How much more it says that a table is named than that one of its columns is."""
_LONGEST_NAME: Final = 6
"""Tokens that the name of a table or a column takes at most."""
_VARIANT: Final = 0.8
"""How well the columns of a variant of a table fit beside those of the table itself."""
_SHARED: Final = 0.9
"""How well a name of several words must fit where one fits very well."""
_ENOUGH: Final = 0.5
_VERY: Final = 0.98
"""How well a column must be called by several words for others to be left out that they fit only loosely."""
_TYING: Final = frozenset(("in", "for", "at", "to", "on", "from"))
"""Little words between two things, where no column has them in its name."""
_DESCRIBING: Final = 0.8
"""How much of a column of yes and no is meant where an adjective describes rows by it."""
_ROWS: Final = 0.78
"""How well a table must be called by a plural for that to be its rows, and no value."""
_OF_FIGURES: Final = frozenset(("number", "amount", "total", "count", "value", "quantity", "sum", "level", "rate"))
"""Words before `of` that may be left out of a column's name: `number of seats`."""
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


@dataclass
class NameLinking:
    """Finds tables and columns by what they are called."""

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

    def value(self, first: int, last: int, score: float, how: str, column: ColumnKey, *values: Literal) -> None:
        """A mention of a value."""
        if column not in self.vocabulary.known.forbidden:
            self.mentions.append(Mention(first, last, MentionKind.VALUE, score, how, column=column, values=values))

    @cached_property
    def named_rows(self) -> Collection[tuple[int, int]]:
        """The runs that a table is called by well; to be asked for when all tables are found."""
        return {
            (one.first, one.last)
            for one in self.mentions
            if one.table is not None and one.how == "name" and one.score >= _ROWS
        }
