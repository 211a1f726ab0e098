"""Defines what a fragment of a question says of the things that the earlier question was about."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.followup.revising import (
    all_conditions,
    conditions_of,
    is_listed,
    is_single,
)
from resolvers.engines.nl2sql.joining.joins import joins_of
from resolvers.engines.nl2sql.joining.names import family
from resolvers.engines.nl2sql.language.followup_patterns import (
    ALSO,
    ASKS,
    BESIDE,
    LEAD,
    MANY,
    NARROW,
    SIGNS,
    WORDS,
)
from resolvers.engines.nl2sql.mention import Linked, MentionKind
from resolvers.engines.nl2sql.model import Asked, Knowledge, Lookup, no_lookup
from resolvers.engines.nl2sql.paraphrase import called_many
from resolvers.engines.nl2sql.plan import (
    Column,
    Comparison,
    Condition,
    Literal,
    Operator,
    Plan,
    Share,
    Span,
    Term,
    Unit,
)
from resolvers.engines.nl2sql.schema_linking.link import link
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from resolvers.engines.nl2sql.sql_writing.uses import aggregates, columns_in, figures_in
from schema.data_readiness.source import ColumnFacts

Parse = Callable[[str], Plan | None]
"""The plan of a question that stands alone; None when it is not understood for sure, or words are left over."""


@dataclass(slots=True)
class Fragment:
    """A question that leans on an earlier one, and ways to tell what it says."""

    asked: Asked
    known: Knowledge
    parse: Parse
    plan: Plan
    lookup: Lookup = no_lookup
    text: str = ""
    marked: bool = False
    """Whether it begins with a word that goes on: and, but, also."""
    also: bool = False
    linked: dict[str, Linked] = field(default_factory=dict)
    """What was linked already."""

    def __post_init__(self) -> None:
        text = re.sub(r"\s+", " ", self.asked.text).strip().strip("?!. ")
        text = re.sub(r"^\.\.\.\s*", "", text)
        bare = LEAD.sub("", text)
        self.marked = bare != text
        self.also = ALSO.search(text) is not None
        self.text = bare.strip(" ,")

    def _names_table(self, text: str) -> bool:
        return bool(self._tables_named(text))

    def _tables_named(self, text: str) -> list[tuple[int, int]]:
        """Return where tables are named, in characters, those that overlap once."""
        linked = self._linked(text)
        found: list[tuple[int, int]] = []
        for one in linked.over(0, len(linked.tokens), MentionKind.TABLE):
            place = (linked.tokens[one.first].start, linked.tokens[one.last - 1].end)
            if one.score >= 0.85 and all(place[1] <= start or end <= place[0] for start, end in found):
                found.append(place)
        return sorted(found)

    def _names_value(self) -> bool:
        """Return whether it names a value, a number or a day."""
        linked = self._linked(self.text)
        return any(
            one.score >= 0.8 for one in linked.over(0, len(linked.tokens), MentionKind.VALUE, MentionKind.LITERAL)
        )

    def _linked(self, text: str) -> Linked:
        if text not in self.linked:
            self.linked[text] = link(text, Vocabulary.of(self.known), self.asked.now, self.lookup)
        return self.linked[text]

    @property
    def things(self) -> str:
        """Return what the earlier question was about, in the plural."""
        return called_many(self.known, self.plan.main)

    def _counted(self) -> str:
        for one in self.plan.outputs:
            for figure in figures_in(one.term):
                if figure.rows_of is not None:
                    return called_many(self.known, figure.rows_of)
                if figure.of is not None and (column := next(columns_in(figure.of), None)) is not None:
                    return called_many(self.known, column.table)
        return self.things

    def _moment(self) -> Column | None:
        """The column of time that is meant: one that the question has named, or the only one of the table."""
        tables = dict.fromkeys(self._tables())
        named = [
            one
            for one in (
                *self._columns_of_conditions(),
                *(column for out in self.plan.outputs for column in columns_in(out.term)),
            )
            if self._is_moment(one)
        ]
        if len(set(named)) == 1:
            return named[0]
        for fqn in tables:
            facts = next((one for one in self.known.tables if one.fqn == fqn), None)
            found = [
                Column(fqn, one.name)
                for one in (facts.columns if facts else ())
                if self._is_moment(Column(fqn, one.name))
            ]
            if found:
                return found[0] if len(found) == 1 else None
        joins = joins_of(self.known)
        near = [key.to for fqn in tables for key in joins.keys_of(fqn) if key.table == fqn and key.to not in tables]
        found = [Column(fqn, name) for fqn in dict.fromkeys(near) for name in joins.finder.columns[fqn]]
        found = [one for one in found if self._is_moment(one)]
        return found[0] if len(found) == 1 else None

    def _tables(self) -> Iterator[str]:
        for one in self.plan.outputs:
            for figure in figures_in(one.term):
                if figure.rows_of is not None:
                    yield figure.rows_of
                if figure.of is not None:
                    yield from (column.table for column in columns_in(figure.of))
        yield self.plan.main

    def _columns_of_conditions(self) -> Iterator[Column]:
        for one in all_conditions(self.plan):
            yield from columns_in(one.left)

    def _facts(self, column: Column) -> ColumnFacts | None:
        facts = next((one for one in self.known.tables if one.fqn == column.table), None)
        return next((one for one in facts.columns if one.name == column.column), None) if facts else None

    def _is_moment(self, column: Column) -> bool:
        of = self._facts(column)
        return of is not None and family(of.data_type) == "moment"

    def _is_number(self, term: Term) -> bool:
        """Return whether a term is a column of numbers that are no keys."""
        of = self._facts(term) if isinstance(term, Column) else None
        return of is not None and family(of.data_type) == "number" and not of.is_primary_key and of.references is None

    def _figures_of(self, fragment: str) -> list[Condition]:
        """`with more than 5`, where the answer has one figure."""
        match = MANY.match(BESIDE.sub("", fragment).strip())
        figures = [one.term for one in self.plan.outputs if aggregates(one.term) and not isinstance(one.term, Share)]
        if match is None or len(figures) != 1 or is_single(self.plan):
            return []
        many = Decimal(match["many"]) if match["many"][0].isdigit() else Decimal(WORDS[match["many"].lower()])
        return [Comparison(figures[0], SIGNS[match["sign"].lower()], (Literal("number", many),))]

    # What a fragment says of the things.

    def _conditions(self, fragment: str, bare: str | None = None) -> list[Condition]:
        """Return what a fragment says that the things must be like."""
        if ASKS.match(fragment):
            return []
        fragment = BESIDE.sub("", fragment).strip(" ,")
        value = BESIDE.sub("", bare or fragment).strip(" ,")
        if same := self._same_columns(value):
            return list(same)
        tries = [fragment] if NARROW.match(fragment) else []
        tries += [f"in {fragment}", f"with {fragment}", f"that are {fragment}"] if not tries else []
        for text in tries:
            found = self.parse(f"show the {self.things} {text}")
            if found is not None and is_listed(found) and (conditions := conditions_of(found)):
                return conditions
        return []

    def _same_columns(self, fragment: str) -> list[Comparison]:
        """A value of a column that the earlier question has a condition on already."""
        linked = self._linked(fragment)
        many = len(linked.tokens)
        first = next((at for at, one in enumerate(linked.tokens) if one.lemma not in _LITTLE), many)
        for old in all_conditions(self.plan):
            column = old.left.of if isinstance(old.left, Span) else old.left
            if not isinstance(column, Column) or first == many:
                continue
            for one in linked.over(first, many, MentionKind.VALUE):
                key = one.column
                if (
                    (one.first, one.last) == (first, many)
                    and key is not None
                    and (key.table, key.column) == (column.table, column.column)
                ):
                    return (
                        [replace(old, operator=Operator.EQUAL, right=one.values[:1], negated=False)]
                        if one.values
                        else []
                    )
            for one in linked.over(first, many, MentionKind.LITERAL):
                if (one.first, one.last) == (first, many) and one.values and (right := _alike(old, one.values)):
                    return [replace(old, right=right)]
        for one in linked.over(first, many, MentionKind.LITERAL) if first < many else ():
            span = len(one.values) == 2 and all(value.kind == "date" for value in one.values)
            if (one.first, one.last) == (first, many) and span and (moment := self._moment()) is not None:
                return [Comparison(moment, Operator.BETWEEN, one.values)]
        shown = [*self.plan.groups, *(one.term for one in self.plan.outputs)]
        for one in linked.over(first, many, MentionKind.VALUE) if first < many else ():
            here = Column(one.column.table, one.column.column) if one.column is not None else None
            if (one.first, one.last) == (first, many) and here is not None and here in shown and one.values:
                return [Comparison(here, Operator.EQUAL, one.values[:1])]
        return []


_LITTLE: Final = frozenset(("the", "a", "an", "of", "in", "for", "from", "year"))


def _alike(old: Comparison, values: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """The values in the form in which the earlier condition has its own; none when they do not fit."""
    kinds = {one.kind for one in old.right if isinstance(one, Literal)}
    if old.operator == Operator.BETWEEN and len(values) == 2 and kinds <= {"date", "moment"}:
        return values
    if len(old.right) != 1 or old.operator in (Operator.LIKE, Operator.IN, Operator.IS_NULL):
        return ()
    if kinds == {values[0].kind} and (len(values) == 1 or isinstance(old.left, Span)):
        return values[:1]
    if kinds == {"number"} and len(values) == 2 and isinstance(old.left, Span) and old.left.unit == Unit.YEAR:
        return (Literal("number", Decimal(str(values[0].value)[:4])),)
    return ()
