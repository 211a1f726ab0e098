"""What the words of one question stand for: what nouns do, and the moments and values that are compared."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.joining.keys import Key
from resolvers.engines.nl2sql.language.lives import BORN, of_life
from resolvers.engines.nl2sql.language.measures import measures_of, rounded, scale, unit_behind
from resolvers.engines.nl2sql.language.numbers import plain
from resolvers.engines.nl2sql.language.plans import is_planned
from resolvers.engines.nl2sql.language.words import FALSE_WORDS, HELPING, SCALES, TRUE_WORDS
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Column, Literal, Operator
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.operands import in_time, number_in, year_in
from resolvers.engines.nl2sql.planner.targets import Choice, Target, Targets, spelled
from resolvers.engines.nl2sql.planner.ways import contrary, sided

_DONE: Final = 0.04
"""How much better a value fits the rows that the verb speaks of than others that hold it as well."""
SAID_SO: Final = 0.25
"""What words that tell one end of a way add to its column."""
_DOER: Final = 0.3
"""How much less what is done fits who does it."""
_SEVERAL: Final = "several columns tell when"


@dataclass(slots=True)
class Resolver(Targets):
    """Resolves the words of one question."""

    ends: list[Key] = field(default_factory=list)
    """The keys that several uses of one table are told apart by, each in its place."""

    def time_column(self, tables: Iterable[str], year: bool = False, hint: Iterable[str] = ()) -> ColumnKey | None:
        """The column that tells when, of the first table that has one."""
        hints = set(hint)
        hints |= of_life(hints)
        told: dict[str, list[ColumnKey]] = {}
        for table in tables:
            times = [key for key in self.catalog.of(table) if self.catalog.is_moment_like(key)]
            told[table] = [key for key in times if hints & BORN or not set(self.catalog.words(key)) & BORN] or times
        born = [table for table, times in told.items() if any(set(self.catalog.words(key)) & BORN for key in times)]
        for table in (*(one for one in told if one not in born), *born):
            times = told[table]
            if year:
                times = [
                    key
                    for key in times
                    if self.catalog.is_time(key) or self.catalog.is_year(key) or "date" in self.catalog.words(key)
                ]
            if not times:
                continue
            if len(times) > 1:
                named = [key for key in times if hints & set(self.catalog.words(key))]
                if named:
                    return named[0]
                self._doubt_when()
            times.sort(key=lambda key: self._when_order(key, year=year))
            return times[0]
        return None

    def _doubt_when(self) -> None:
        """Doubt once what is taken for the time of all that a question says: of its months, and of its year."""
        if not any(why == _SEVERAL for why, _ in self.trouble):
            self.doubt(_SEVERAL, 0.12)

    def _when_order(self, key: ColumnKey, *, year: bool) -> tuple[bool, bool, bool]:
        """Years where one is said, then times; and what came about before what was planned."""
        catalog = self.catalog
        planned = is_planned(catalog.words(key))
        return not (year and catalog.is_year(key)), not catalog.is_time(key), planned

    def value_options(self, ref: Ref, near: Iterable[Ref]) -> list[tuple[ColumnKey, float, tuple[Literal, ...]]]:
        """The columns that hold a value, best first."""
        subject = self.subject()
        found: dict[ColumnKey, tuple[float, tuple[Literal, ...]]] = {}
        near = tuple(near)
        done = {self.table(one.table) for one in self.frame.conditions if one.kind == "exists" and one.how == "verb"}
        for mention in ref.values:
            key = mention.column
            if key is None or key not in self.catalog.columns:
                continue
            score = mention.score + self.context(key.table, None, near, subject)
            if key.table == subject and key in self.catalog.names(key.table):
                score -= 0.02
            if self.catalog.reference(key) is not None:
                score -= 0.03
            if key.table in done:
                score += _DONE
            if key not in found or found[key][0] < score:
                found[key] = (score, mention.values)
        tables = [table for one in (*near[:1], self.frame.subject) if (table := self.table(one)) is not None]
        if found and not any(key.table in tables for key in found):
            for key, literal in self._held(ref, tables):
                found[key] = (1.0 + self.context(key.table, None, near, subject), (literal,))
        if self._does(ref):
            people = any(self.catalog.vocabulary.is_person(key.table) for key in found)
            for key in found:
                found[key] = (found[key][0] + self._as_doer(key, subject, among_people=people), found[key][1])
        before = self.cut.linked.words(max(0, ref.first - 5), ref.first)
        for key in sided(self.catalog, found, before):
            found[key] = (found[key][0] + SAID_SO, found[key][1])
        for key, (score, values) in found.items():
            found[key] = score + self._of_that_life(key, before), values
        for key in contrary(self.catalog, found, before):
            found[key] = (found[key][0] - SAID_SO, found[key][1])
        ranked = sorted(found.items(), key=lambda item: (-item[1][0], spelled(item[0])))
        return [(key, score, values) for key, (score, values) in ranked]

    def _of_that_life(self, key: ColumnKey, before: Iterable[str]) -> float:
        """How well a column tells of the birth or the death that is said before a value: born in Cuba."""
        said = of_life(set(before))
        told = of_life(set(self.catalog.words(key)))
        return SAID_SO if said & told else -SAID_SO if said and told else 0.0

    def does_what_is_asked(self, ref: Ref | None) -> bool:
        """Return whether a noun is who did something that is asked for: `what did the skipper S17 steer`."""
        tokens = self.cut.linked.tokens
        asks = len(tokens) > 2 and tokens[0].lemma == "what" and tokens[1].text.lower() in HELPING
        return asks and ref is not None and ref.first in (2, 3)

    def _does(self, ref: Ref) -> bool:
        """Return whether a value is who does what is asked about: `which albums did Kyuss record`, `albums
        by Kyuss`.
        """
        tokens = self.cut.linked.tokens
        first = ref.first - (1 if ref.first and tokens[ref.first - 1].text.lower() == "the" else 0)
        before = tokens[first - 1].text.lower() if first > 0 else ""
        return before == "by" or (before in HELPING and ref.last < len(tokens) and tokens[ref.last].lemma.isalpha())

    def _as_doer(self, key: ColumnKey, asked: str | None, *, among_people: bool) -> float:
        """How well a column holds those who do something: what names people, or rows of their own, and not what is
        done.
        """
        catalog = self.catalog
        if asked is None or key not in catalog.names(key.table):
            return 0.0
        if key.table == asked or catalog.refers(key.table, asked):
            return -_DOER
        if among_people:
            return _DOER if catalog.vocabulary.is_person(key.table) else 0.0
        return _DOER / 3 if catalog.is_unique(key) else 0.0

    def _held(self, ref: Ref, tables: Iterable[str]) -> Iterator[tuple[ColumnKey, Literal]]:
        """Columns of the tables at hand that hold a text, as their profiles know."""
        wanted = self.text(ref).casefold()
        for table in dict.fromkeys(tables):
            for key in self.catalog.of(table):
                profile = self.catalog.profile(key) if self.catalog.is_text(key) else None
                if profile is None or profile.masked or key in self.catalog.known.private:
                    continue
                for one in profile.top_values:
                    if one.value.casefold() == wanted:
                        yield key, Literal("text", one.value)

    def value(self, ref: Ref, near: Iterable[Ref]) -> tuple[ColumnKey, tuple[Literal, ...]] | None:
        """The column that holds a value, with the value as it stands there."""
        options = self.value_options(ref, near)
        taken = self.choose(ref, "value", [(key, score) for key, score, _ in options])
        return next(((key, values) for key, _, values in options if key == taken), None)

    def text(self, ref: Ref) -> str:
        """Words as they stand in the question, without quotes."""
        tokens = self.cut.linked.tokens[ref.first : ref.last]
        if len(tokens) == 1:
            return tokens[0].text
        return self.cut.text(ref.first, ref.last).strip("\"'\u201c\u201d\u2018\u2019")

    def operand(self, column: ColumnKey, operator: Operator, ref: Ref) -> tuple[Operator, tuple[Literal, ...]] | None:
        """A value as a column can be compared with it."""
        self.used.add((ref.first, ref.last))
        catalog = self.catalog
        mine = [one for one in ref.values if one.column == column]
        numbers = [one for one in ref.literals if one.values and one.values[0].kind == "number"]
        moments = [one for one in ref.literals if one.values and one.values[0].kind in ("date", "moment")]
        if mine and operator in (Operator.EQUAL, Operator.IN) and not catalog.is_number(column):
            return operator, mine[0].values[:1]
        if catalog.is_year(column):
            years = [int(str(one.value)[:4]) for one in moments[0].values] if moments else []
            if len(set(years)) == 2 and operator in (Operator.EQUAL, Operator.BETWEEN):
                made = [
                    Literal("number", Decimal(one)) if catalog.is_number(column) else Literal("text", str(one))
                    for one in years
                ]
                return Operator.BETWEEN, tuple(made)
            year = year_in(self.text(ref), moments)
            if year is not None:
                if catalog.is_number(column):
                    return operator, (Literal("number", Decimal(year)),)
                return operator, (Literal("text", str(year)),)
        if moments and (catalog.is_dated(column) or (not numbers and catalog.is_moment_like(column))):
            return in_time(operator, moments[0])
        if catalog.is_number(column) or catalog.is_numeric_text(column):
            if numbers and len(numbers[0].values) == 2 and operator in (Operator.EQUAL, Operator.BETWEEN):
                return Operator.BETWEEN, self.in_unit(column, ref, numbers[0].values)
            if numbers:
                return operator, self.in_unit(column, ref, numbers[0].values[:1])
            if (found := number_in(self.text(ref))) is not None:
                return operator, (Literal("number", found),)
        if moments and catalog.is_moment_like(column):
            return in_time(operator, moments[0])
        if catalog.is_boolean(column):
            text = self.text(ref).lower()
            if text in TRUE_WORDS or text in FALSE_WORDS:
                return operator, (Literal("boolean", text in TRUE_WORDS),)
            return None
        if catalog.is_number(column):
            if mine and mine[0].values:
                return operator, mine[0].values[:1]
            return None
        if mine:
            return operator, mine[0].values[:1]
        text = self.text(ref)
        if operator not in (Operator.EQUAL, Operator.IN, Operator.LIKE):
            if numbers:
                self.doubt("a text is compared with a number", 0.15)
                return operator, numbers[0].values[:1]
            if catalog.is_text(column) and not catalog.is_moment_like(column):
                self.doubt("a text is compared by size", 0.2)
        elif not self.may_hold(column, text):
            elsewhere = ref.best(MentionKind.VALUE) >= 0.9
            self.doubt("no such value is known of the column", 0.4 if elsewhere else 0.3)
        return operator, (Literal("text", text),)

    def in_unit(self, column: ColumnKey, ref: Ref, values: tuple[Literal, ...]) -> tuple[Literal, ...]:
        """Numbers in the unit that a column is measured in: `more than 2 hours` of a column of minutes is 120."""
        tokens = self.cut.linked.tokens
        by_name = next((SCALES[word] for word in self.catalog.words(column) if word in SCALES and len(word) > 3), 1)
        if by_name > 1 and tokens[ref.last - 1].lemma in SCALES:  # 40 million, of a column of millions
            return tuple(
                Literal("number", plain(one.value / by_name)) if isinstance(one.value, Decimal) else one
                for one in values
            )
        if tokens[ref.last - 1].lemma in SCALES and (kept := self._as_kept(column, tokens[ref.last - 1].lemma, values)):
            return kept  # 20 thousand, where prices are kept in thousands
        said = unit_behind(tokens, ref.last)
        by, measured = scale(said, self.catalog.words(column)), measures_of(said)
        if by is None and measured and measured.isdisjoint(self.catalog.words(column)):
            self.doubt("a number has a unit that the column is not called after", 0.2)
        if by is None or by == 1:
            return values
        return tuple(
            Literal("number", plain(rounded(one.value * by))) if isinstance(one.value, Decimal) else one
            for one in values
        )

    def _as_kept(self, column: ColumnKey, scale_word: str, values: tuple[Literal, ...]) -> tuple[Literal, ...] | None:
        """Numbers without their scale, where a column holds such and none near them with it."""
        numbers = [one.value for one in values if isinstance(one.value, Decimal)]
        profile = self.catalog.profile(column)
        if (
            profile is None
            or profile.minimum is None
            or profile.maximum is None
            or len(numbers) < len(values)
            or any(self.catalog.may_reach(column, one) for one in numbers)
        ):
            return None
        bare = [one / SCALES[scale_word] for one in numbers]
        if not all(self.catalog.may_reach(column, one) for one in bare) or not _nearer(bare, numbers, profile.mean):
            return None
        self.doubt("a number is taken in the scale of the column", 0.1)
        return tuple(Literal("number", plain(one)) for one in bare)

    def may_hold(self, column: ColumnKey, text: str) -> bool:
        """Return whether a text may be among the values of a column: it is, or a profile does not know them all."""
        profile = self.catalog.profile(column)
        if profile is None or profile.masked or profile.distinct_count is None:
            return True
        whole = profile.distinct_count <= len(profile.top_values)
        known = {one.value.lower() for one in profile.top_values}
        return not whole or text.lower() in known


def _nearer(some: Sequence[Decimal], others: Sequence[Decimal], mean: float | None) -> bool:
    """Return whether numbers are of the size of a mean rather than others are; True where no mean can tell."""
    if mean is None or mean <= 0 or any(one <= 0 for one in (*some, *others)):
        return True

    def away(numbers: Sequence[Decimal]) -> float:
        return max(abs(math.log(float(one) / mean)) for one in numbers)

    return away(some) < away(others)


def as_column(key: ColumnKey, instance: int = 0) -> Column:
    """A column as plans name it."""
    return Column(key.table, key.column, instance)


__all__ = ["Choice", "Resolver", "Target", "as_column", "replace"]
