"""What rows are put in order by: a column, a figure of the rows that belong to each, or their number."""

from dataclasses import dataclass, replace

from resolvers.engines.nl2sql.language.degrees import Degree, degree_of
from resolvers.engines.nl2sql.language.words import COMMANDS, STOP_WORDS, SUPERFLUOUS
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Column,
    Comparison,
    Condition,
    Figure,
    Operator,
    Span,
    Term,
)
from resolvers.engines.nl2sql.planner.catalog import FAR
from resolvers.engines.nl2sql.planner.counting import counts_things, is_amount
from resolvers.engines.nl2sql.planner.frame import Noun, Sort
from resolvers.engines.nl2sql.planner.grouping import Grouping
from resolvers.engines.nl2sql.planner.items import Item, Items
from resolvers.engines.nl2sql.planner.resolving import as_column
from resolvers.engines.nl2sql.planner.unsaid import is_deed

_OF_ONE_ROW = 0.1
"""What is doubted of the greatest number of one of the rows that belong to each."""
MOST_ROWS_FIRST = 0.25
"""What is doubted of taking the most rows for what comes first, where nothing says by what."""
_WORKING = STOP_WORDS | COMMANDS | SUPERFLUOUS
_AMOUNTS = frozenset(("quantity", "qty", "amount", "units", "sold", "total"))


@dataclass(slots=True)
class OrderTerms(Grouping):
    """Finds what rows are put in order by."""

    def _of_those(self, column: ColumnKey) -> Term:
        """A column of the rows that are shown, or its total over those that belong to each."""
        item, term = self.items[0], as_column(column)
        if len({one.table for one in self.items}) > 1:
            self.resolver.doubt("the most is asked for of rows of several tables", 0.4)
        if item.figures or self.groups or self.resolver.catalog.refers(item.table, column.table):
            return term
        if item.entity == column.table:
            return term  # each row has one such number
        self._group_by(item)
        return Figure(Aggregate.SUM, term)

    def _average(self, column: ColumnKey) -> Term:
        """The average of a column over the rows that belong to each of what is asked for, or are of its kind."""
        item, catalog = self.items[0], self.resolver.catalog
        if {"average", "avg", "mean"} & set(catalog.words(column)):
            return as_column(column)
        if item.figures or self.groups or len({one.table for one in self.items}) > 1:
            self.resolver.doubt("the average of what is not said", 0.4)
            return as_column(column)
        if item.entity == column.table or (item.table != column.table and catalog.refers(item.table, column.table)):
            self.resolver.doubt("the average of one number", 0.4)
            return as_column(column)
        for one in self.items:
            self._group_by(one)
        return Figure(Aggregate.AVG, as_column(column))

    def _many_side(self, term: Term, column: ColumnKey, descending: bool) -> Term:
        """The term, with a doubt where numbers of single rows are compared that may be meant together; a total that is
        asked for of a column that is called so.
        """
        catalog = self.resolver.catalog
        item = self.items[0] if self.items else None
        if item is None or self.groups or not isinstance(term, Column) or item.figures:
            return term
        if item.table == column.table or catalog.refers(item.table, column.table):
            return term
        if catalog.words(column)[0] == "total" and {"total", "overall"} & set(self.resolver.cut.linked.words()):
            return self._of_those(column)
        amount = set(catalog.words(column)) & _AMOUNTS or is_amount(catalog, column)
        if amount or catalog.is_measure(column):
            self.resolver.doubt("the largest or the largest total may be meant", 0.3 if amount else _OF_ONE_ROW)
        return term

    def _of_a_day(self, degree: Degree, column: ColumnKey) -> ColumnKey:
        """The figure by which a day is the coldest; the day itself, with a doubt, where none is known."""
        found = self.resolver.measured(degree, [column.table])
        if found is None:
            self.resolver.doubt("days are put in order by an adjective that says nothing of them", 0.5)
        return found[0] if found is not None else column

    def _shown_so(self, noun: Noun, column: ColumnKey) -> ColumnKey:
        """The column that is shown and bears the words that rows are ordered by: `each start year, ordered by year`."""
        catalog, ref = self.resolver.catalog, noun.ref
        shown = [one for item in self.items for one in item.columns]
        shown += [ColumnKey(one.table, one.column) for one in self.groups if isinstance(one, Column)]
        if column in shown or noun.owner is not None or ref is None or column.table in {one.table for one in shown}:
            return column
        words = set(self.resolver.cut.linked.words(ref.first, ref.last))
        found = [one for one in dict.fromkeys(shown) if words <= set(catalog.words(one))]
        return found[0] if len(found) == 1 else column

    def _may_group(self, sort: Sort, column: ColumnKey) -> None:
        """Doubts an order by what many rows share, and one by the letters of a text where its size is asked for."""
        catalog, profile = self.resolver.catalog, self.resolver.catalog.profile(column)
        is_text = catalog.is_text(column) and not catalog.is_numeric_text(column) and not catalog.is_moment_like(column)
        shared = (
            profile is not None and profile.distinct_count is not None and profile.distinct_count < profile.row_count
        )
        if sort.bare and is_text and shared and column not in catalog.names(column.table):
            self.resolver.doubt("rows may be counted by a kind or put in order", 0.35)
        sized = sort.degree is not None and sort.degree.adjective not in ("first", "last")
        if is_text and (sized or sort.most):
            self.resolver.doubt("texts are compared by their letters", 0.5)

    def _shown_figure(self, noun: Noun) -> Term | None:
        """A figure that is shown already and ordered by: `ordered by the average price`."""
        for item in self.items:
            if item.figures and self._same(item.noun, noun):
                return item.terms[0]
        return None

    def _direction(self, degree: Degree, figure: Term) -> bool:
        """Which way an adjective points on a figure: that of its column, or the number's own."""
        column = figure.of if isinstance(figure, Figure) else figure
        if not isinstance(column, Column):
            return degree.descending
        return self.resolver.direction(degree, ColumnKey(column.table, column.column))

    def _same(self, one: Noun, other: Noun) -> bool:
        if one.ref is None or other.ref is None:
            return False
        cut = self.resolver.cut
        return cut.linked.words(one.ref.first, one.ref.last) == cut.linked.words(other.ref.first, other.ref.last) and (
            bool(other.aggregates) or bool(self.groups)
        )

    def _common(self, maker: Items, main: str) -> Term | None:
        """The most common value, or the thing that most others refer to."""
        item = self.items[0]
        counted = item.table
        if item.entity is not None and item.columns != () and item.noun.ref is not None:
            catalog = self.resolver.catalog
            others = [one for one in self.resolver.mentioned() if one != item.table]
            near = [one for one in others if catalog.distance(one, item.table) < FAR]
            if near:
                counted = near[0]
            else:
                users = catalog.below(item.table)
                if len(users) == 1:
                    counted = users[0]
                elif users:
                    self.resolver.doubt("several tables may be counted", 0.3)
                    counted = users[0]
        for one in self.items:
            if not one.figures:
                self._group_by(one, counted)
        if counted != item.table:
            self.also.append(counted)
        return Figure(Aggregate.COUNT, rows_of=counted)

    def _rows_of_each(self, doubt: float = MOST_ROWS_FIRST) -> Term | None:
        """`the busiest day`: the one with the most rows, where no number of a table tells how busy it was.

        So is the payment method that is used the most: the one of most payments.
        """
        item = self.items[0] if len(self.items) == 1 else None
        if item is None or item.figures or item.entity is not None or self.groups:
            return None
        self.resolver.doubt("the most is counted in rows", doubt)
        self._group_by(item, item.table)
        return Figure(Aggregate.COUNT, rows_of=item.table)

    def _says_nothing_else(self, item: Item) -> bool:
        """Return whether a question names nothing beside the thing asked for and values: verbs and working
        words apart.
        """
        resolver = self.resolver
        refs = [ref for ref in (item.noun.ref, item.noun.owner) if ref is not None]
        refs += [ref for cond in resolver.frame.conditions for ref in (*cond.values, *cond.near)]
        told = {at for ref in refs for at in range(ref.first, ref.last)}
        called = set(resolver.catalog.table_words(item.table))
        tokens = resolver.cut.linked.tokens
        return all(
            at in told
            or token.lemma in called
            or token.lemma in _WORKING
            or not token.text.isalpha()
            or degree_of(token.text) is not None
            or (is_deed(tokens, at) and not self._is_named_behind(at))
            for at, token in enumerate(tokens)
        )

    def _is_of_many(self, item: Item) -> bool:
        """Return whether rows share what is asked for, and are not called by it: the inspector of
        several inspections.
        """
        catalog, column = self.resolver.catalog, item.columns[0] if len(item.columns) == 1 else None
        profile = catalog.profile(column) if column is not None else None
        if column is None or profile is None or profile.distinct_count is None or column in catalog.names(item.table):
            return False
        return profile.distinct_count < profile.row_count

    def _is_named_behind(self, at: int) -> bool:
        """Return whether a word stands right behind a superlative, so that it is a noun, unless its form is
        a verb's.
        """
        tokens = self.resolver.cut.linked.tokens
        degree = degree_of(tokens[at - 1].text) if at else None
        return degree is not None and degree.superlative and not tokens[at].text.lower().endswith(("ing", "ed"))

    def _by_count(self, sort: Sort, maker: Items, main: str) -> Term | None:
        """The most of something: of a number, or of rows."""
        resolver, catalog = self.resolver, self.resolver.catalog
        noun = sort.noun
        plain = next((one for one in self.items if not one.figures), None)
        if noun is None or noun.ref is None:
            return next((one.terms[0] for one in self.items if one.figures), None)
        noun.aggregates = ()
        only_rows = noun.count and noun.ref.tables and not noun.ref.columns
        if maker.names_rows(noun):
            noun = replace(noun, count=True)
        target = resolver.table(noun.ref) if only_rows else maker.target(noun)
        if target is None:
            return None
        if isinstance(target, ColumnKey) and not noun.distinct and (flag := catalog.vocabulary.flag(target)):
            # the most cancellations: of bookings that were `cancelled`
            self.first = also(self.first, Comparison(as_column(target), Operator.EQUAL, (flag[0],)))
            target = target.table
        if isinstance(target, ColumnKey):
            if catalog.is_measure(target) and not noun.distinct:
                if plain is None or catalog.refers(plain.table, target.table) or plain.table == target.table:
                    if (
                        plain is not None
                        and plain.entity is None
                        and plain.table == target.table
                        and not self.groups
                        and (
                            resolver.subject() != plain.table
                            or isinstance(plain.terms[0], Span)
                            or (counts_things(catalog, target) and self._is_of_many(plain))
                        )
                    ):
                        self._group_by(plain)
                        return Figure(Aggregate.SUM, as_column(target))
                    return as_column(target)
                self._group_by(plain)
                if not maker.together():
                    resolver.doubt("the largest or the largest total may be meant", 0.2)
                return Figure(Aggregate.SUM, as_column(target))
            counted = Figure(Aggregate.COUNT, as_column(target), distinct=noun.distinct)
            if plain is not None and not self.groups:
                self._group_by(plain)
            if target.table != main:
                self.also.append(target.table)
            return counted
        for item in self.items:
            if item.figures and item.counted == target:
                return item.terms[0]
        if plain is not None and not (self.groups and not resolver.frame.groups):
            self._group_by(plain, target)
        if target != main:
            self.also.append(target)
        return Figure(Aggregate.COUNT, rows_of=target)


def also(one: Condition | None, other: Condition) -> Condition:
    return other if one is None else Both((one, other))
