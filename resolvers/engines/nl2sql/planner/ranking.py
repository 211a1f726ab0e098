"""Orders of a plan: which rows come first."""

from dataclasses import dataclass, replace

from resolvers.engines.nl2sql.language.degrees import BUSY, PRAISE, Degree
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Column,
    Comparison,
    Condition,
    Either,
    Elapsed,
    Figure,
    Member,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Span,
    Term,
)
from resolvers.engines.nl2sql.planner.catalog import FAR
from resolvers.engines.nl2sql.planner.counting import counts_things, is_amount
from resolvers.engines.nl2sql.planner.defined import expression_of
from resolvers.engines.nl2sql.planner.each import first_of_each
from resolvers.engines.nl2sql.planner.frame import Noun, Sort
from resolvers.engines.nl2sql.planner.items import Item, Items
from resolvers.engines.nl2sql.planner.lasting import age_of, says_how_long, since_when
from resolvers.engines.nl2sql.planner.measuring import (
    amount_of,
    done_most,
    is_many,
    is_of_days,
    is_of_several,
    shown_for,
)
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.order_terms import MOST_ROWS_FIRST, OrderTerms, also
from resolvers.engines.nl2sql.planner.parts import Part, about
from resolvers.engines.nl2sql.planner.resolving import as_column
from resolvers.engines.nl2sql.planner.things import place_in_order

_KIND_MOST = 0.1
"""What is doubted of a kind that is used the most: how many rows are of it may not be what is meant."""
_SEVERAL = 10
"""How many come first where several are asked for, and no number is said: `our best customers`."""


@dataclass(slots=True)
class Ranking(OrderTerms):
    """Puts rows in order, and takes the first of them."""

    def _sorts(self, maker: Items, main: str) -> None:
        frame = self.resolver.frame
        for sort in frame.sorts:
            if not sort.common and any(item.noun is sort.noun and item.figures for item in self.items):
                continue
            if sort.common and (most := self._of_the_most_common(sort)) is not None:
                self.first = most
                continue
            if self._is_above(sort, maker):
                continue
            if sort.limit is not None and self.limit is None:
                self.limit = frame.limit if sort.limit == 1 and frame.limit else sort.limit
            term, descending = self._term(sort, maker, main)
            if term is None:
                self.resolver.doubt("an order was not understood", 0.8)
                continue
            if sort.summed and not (isinstance(term, Figure) and term.aggregate is Aggregate.SUM):
                self.resolver.doubt("a total is asked for, and none is computed", 0.4)
            said = next((one for one in self.orders if one.term == term), None)
            if said is not None and said.descending != descending and sort.limit == 1 and isinstance(term, Column):
                self._both_ends(said)
                continue
            if said is not None and sort.limit is None:
                self.orders[self.orders.index(said)] = Order(term, descending)  # by the year, newest first
                continue
            self.orders.append(Order(term, descending))
            if sort.limit == 1:
                self.extremes.append(self.orders[-1])
        if self.limit is None:
            self.limit = frame.limit

    def _both_ends(self, order: Order) -> None:
        """`with the lowest and the highest price`: the rows at either end."""
        column = order.term
        if not isinstance(column, Column):
            return
        ends = (Figure(Aggregate.MIN, column), Figure(Aggregate.MAX, column))
        values = [Nested(Plan(column.table, (Output(end),))) for end in ends]
        self.first = also(self.first, Either(tuple(Comparison(column, Operator.EQUAL, (one,)) for one in values)))
        self.orders.remove(order)
        self.limit = None

    def _of_the_first_above(self, parts: list[Part]) -> None:
        """`languages of the largest country`: all rows of what comes first, rather than one of them."""
        item, catalog = self.items[0], self.resolver.catalog
        if self.limit != 1 or self.groups or self.resolver.frame.skipped or any(one.figures for one in self.items):
            return
        own = [one for one in self.orders if isinstance(one.term, Column) and one.term.table == item.table]
        for order in [one for one in self.extremes if one not in own]:
            term = order.term
            key = catalog.key(term.table) if isinstance(term, Column) else None
            if not isinstance(term, Column) or key is None or catalog.refers(term.table, item.table):
                continue
            within = about(parts, term.table)  # the largest country of Asia
            best = Plan(term.table, (Output(as_column(key)),), within, orders=(order,), limit=1)
            self.first = also(self.first, Member(as_column(key), best))
            self.orders.remove(order)
            self.limit = self.limit if own else None
        self._all_of_the_first(parts)

    def _all_of_the_first(self, parts: list[Part]) -> None:
        """`all courses with the highest number of credits`: every row of the greatest value, and not one of them."""
        noun, order = self.items[0].noun, self.orders[0] if len(self.orders) == 1 else None
        ref = noun.owner or noun.ref
        before = self.resolver.cut.linked.words(max(0, ref.first - 2), ref.first) if ref is not None else ()
        column = order.term if order in self.extremes and order is not None else None
        if "all" not in before or parts or self.limit != 1 or not isinstance(column, Column):
            return
        if order is None or column.table != self.items[0].table or column.instance:
            return
        end = Figure(Aggregate.MAX if order.descending else Aggregate.MIN, column)
        value = Nested(Plan(column.table, (Output(end),)))
        self.first = also(self.first, Comparison(column, Operator.EQUAL, (value,)))
        self.orders, self.limit = [], None

    def _is_above(self, sort: Sort, maker: Items) -> bool:
        noun = sort.noun
        if not sort.most or noun is None or noun.ref is None or self.resolver.frame.skipped:
            return False
        target = maker.target(noun)
        if isinstance(target, ColumnKey) and self.resolver.catalog.is_time(target) and not may_be_table(noun.ref):
            target = target.table  # the most departures, which a column tells
        return isinstance(target, str) and self._most_above(sort, target)

    def _first_of_each(self, maker: Items) -> list[Item]:
        """`the oldest animal of each zone`: the first row of each group, shown with its group."""
        frame, item = self.resolver.frame, self.items[0]
        if len(frame.groups) != 1 or self.groups or not self.limit or len(self.orders) != 1 or frame.skipped:
            return []
        group = maker.item(frame.groups[0]) if not any(one.figures for one in self.items) else None
        first = (
            first_of_each(self.resolver.catalog, item.table, group, self.orders[0], self.limit)
            if group is not None
            else None
        )
        if group is None or first is None:
            return []
        self.first, self.orders, self.limit = also(self.first, first), [], None
        return [group]

    def _each(self, grouped: list[Item]) -> tuple[Column | Span, ...]:
        """`which customer has the most orders in each country`: what tells the groups in which rows come first."""
        catalog, main = self.resolver.catalog, self.items[0]
        found: list[Column | Span] = []
        for item in grouped:
            if item.terms == main.terms or (item.entity is not None and item.entity == main.entity):
                continue
            found += [as_column(key) for key in catalog.whole_key(item.table) if item.entity is not None]
            found += [term for term in item.terms if isinstance(term, Column | Span)]
        found = [one for one in dict.fromkeys(found) if one in self.groups]
        if not found or any(not isinstance(one.term, Figure | Arithmetic) for one in self.orders):
            self.resolver.doubt("the first of each is asked for, and the first of all is shown", 0.6)
        return tuple(found)

    def _kinds_of_rows(self, maker: Items) -> tuple[Column | Span, ...]:
        """What rows are ranked within that are put together by nothing: `for each genre, the two dearest copies`."""
        plain = not any(item.figures for item in self.items) and not self.resolver.frame.skipped
        if not plain or not all(isinstance(one.term, Column) for one in self.orders):
            return ()
        kinds = [item for noun in self.resolver.frame.groups if (item := maker.item(noun)) is not None]
        found = [term for item in kinds if item.entity is None for term in item.terms if isinstance(term, Column)]
        if any(one.term in found for one in self.orders):
            return ()  # a list of what to show stands behind what they are of
        return tuple(dict.fromkeys(found))

    def _is_plural(self, item: Item) -> bool:
        """Return whether several rows are asked for: `the names of the songs`, `which languages`."""
        ref = item.noun.owner or item.noun.ref
        token = self.resolver.cut.linked.tokens[ref.last - 1] if ref is not None else None
        return token is not None and not token.is_lemma and token.text.lower().endswith("s")

    def _most_above(self, sort: Sort, target: str) -> bool:
        """`students of the dorm with the most pets`: what comes first is none of what is asked for, but above it."""
        resolver, catalog = self.resolver, self.resolver.catalog
        noun = sort.noun
        holder = resolver.table(noun.near[0]) if noun is not None and noun.near else None
        shown = {item.table for item in self.items} | {resolver.table(one.ref) for one in resolver.frame.groups}
        if holder is None or holder == target or holder in shown or sort.limit != 1 or self.groups:
            return False
        if any(catalog.refers(holder, item.table) for item in self.items):
            return False  # the owner whose pets had the most visits, all of them together
        key = catalog.key(holder)
        if key is None or catalog.distance(holder, target) >= FAR:
            return False
        order = Order(Figure(Aggregate.COUNT, rows_of=target), bool(sort.descending))
        value = as_column(key)
        self.first = also(
            self.first, Member(value, Plan(target, (Output(value),), groups=(value,), orders=(order,), limit=1))
        )
        return True

    def _of_the_most_common(self, sort: Sort) -> Condition | None:
        """`players with the most common hand`: all rows that hold that value."""
        frame, noun = self.resolver.frame, sort.noun
        if noun is None or noun.ref is None or any(item.noun is noun for item in self.items):
            return None
        column = None if may_be_table(noun.ref) else self.resolver.column(noun)
        if column is None:
            return None
        value = as_column(column)
        order = Order(Figure(Aggregate.COUNT, rows_of=column.table), bool(sort.descending))
        skipped, frame.skipped = frame.skipped, 0
        return Member(
            value, Plan(column.table, (Output(value),), groups=(value,), orders=(order,), limit=1, offset=skipped)
        )

    def _skipped(self) -> int:
        """The rows passed over before the second or third of an order."""
        skipped = self.resolver.frame.skipped
        if skipped and (self.limit is None or len(self.orders) != 1):
            self.resolver.doubt("the second or third of what is not said", 0.9)
            return 0
        return skipped

    def _term(self, sort: Sort, maker: Items, main: str) -> tuple[Term | None, bool]:
        resolver = self.resolver
        descending = bool(sort.descending)
        if sort.common:
            return self._common(maker, main), descending
        if (expression := expression_of(resolver, sort.noun)) is not None:
            if expression.aggregates and not self.groups and not any(one.figures for one in self.items):
                for one in self.items:
                    self._group_by(one)
            return expression, descending if sort.degree is None else sort.degree.descending
        if sort.noun is not None and sort.degree is not None and _is_done_when(sort.noun, sort.degree):
            sort = replace(sort, noun=Noun(None, owner=sort.noun.ref, near=sort.noun.near))
        most = sort.degree is None and sort.limit is not None
        of_rows = sort.noun is not None and (sort.most or (most and maker.names_rows(sort.noun)))
        if sort.by_count or (of_rows and sort.noun is not None and Aggregate.AVG not in sort.noun.aggregates):
            return self._by_count(sort, maker, main), descending if sort.degree is None else sort.degree.descending
        if (
            sort.noun is not None
            and sort.noun.ref is not None
            and not (sort.noun.ref.columns == [] and may_be_table(sort.noun.ref))
        ):
            figure = self._shown_figure(sort.noun)
            if figure is not None:
                return figure, descending if sort.degree is None else self._direction(sort.degree, figure)
            column = resolver.column(
                sort.noun, "number" if sort.degree is not None and not sort.degree.measures else ""
            )
            if column is None:
                return None, False
            column = self._shown_so(sort.noun, column)
            if sort.degree is not None and is_of_days(resolver.catalog, sort.degree, column):
                column = self._of_a_day(sort.degree, column)
            self._may_group(sort, column)
            if sort.degree is not None:
                descending = resolver.direction(sort.degree, column)
            term = age_of(resolver, sort.noun, column)
            if isinstance(term, Elapsed) and not sort.noun.aggregates:
                return term, descending != (sort.degree is not None)
            if sort.noun.aggregates:
                term = Figure(sort.noun.aggregates[0], term)
                if not self.groups and self.items and not self.items[0].figures:
                    self._group_by(self.items[0])
            adds = is_amount(resolver.catalog, column) or counts_things(resolver.catalog, column)
            if sort.degree is None and sort.limit is not None and adds and not sort.noun.aggregates:
                return self._of_those(column), descending  # the top three products by quantity
            if isinstance(term, Column) and is_of_several(resolver, sort, self.items, column):
                return self._average(column), descending
            return self._many_side(term, column, descending), descending
        if sort.degree is not None:
            figure = next((one.terms[0] for one in self.items if one.figures), None)
            if self.groups and figure is not None and sort.limit is None:
                return figure, sort.degree.descending
            if (column := shown_for(resolver.catalog, sort.degree, self.items)) is not None:
                return as_column(column), resolver.direction(sort.degree, column)
            around = [self.items[0].table, *resolver.mentioned()]
            if sort.noun is not None and (owner := resolver.table(sort.noun.owner)) is not None:
                around = [owner, *around]
            if (many := is_many(resolver, sort)) is not None:
                return self._by_count(Sort(Noun(many), most=True), maker, main), sort.degree.descending
            came = since_when(resolver, sort.degree.adjective, self.items[0].table) if sort.noun is None else None
            if came is not None and not self.items[0].figures:
                return as_column(came), not sort.degree.descending  # who has been with us the longest came first
            lasts = says_how_long(resolver, sort.degree.adjective, self.items[0].table)
            owned = resolver.table(sort.noun.owner) if sort.noun is not None else None
            own = owned is None or owned == self.items[0].table  # and not: which club has the longest matches
            if lasts is not None and own and (sort.noun is None or sort.noun.ref is None) and not self.items[0].figures:
                return lasts, sort.degree.descending
            found = resolver.measured(sort.degree, list(dict.fromkeys(around)))
            if owned is not None and sort.degree.adjective in ("high", "low"):
                comes_to = amount_of(resolver.catalog, owned)
                if comes_to is not None and not self.groups and not self.items[0].figures:
                    return as_column(comes_to), sort.degree.descending  # the highest bill
            if found is None:
                if figure is not None and sort.noun is None and sort.limit is None:
                    return figure, sort.degree.descending
                item = next(
                    (one for one in self.items if one.columns and resolver.catalog.is_measure(one.columns[0])), None
                )
                if item is not None and not item.figures:
                    if resolver.catalog.is_year(item.columns[0]):
                        resolver.doubt("years are put in order by an adjective that says nothing of them", 0.5)
                    return as_column(item.columns[0]), sort.degree.descending
                praised = sort.noun is None and sort.degree.adjective in PRAISE
                busy = sort.noun is None and sort.degree.adjective in BUSY
                counted = self._rows_of_most(main, taken=MOST_ROWS_FIRST) if praised or busy else None
                counted = self._rows_of_each() if counted is None and busy else counted
                return counted, sort.degree.descending
            if sort.averaged or is_of_several(resolver, sort, self.items, found[0]):
                return self._average(found[0]), found[1]
            return self._many_side(as_column(found[0]), found[0], found[1]), found[1]
        if (column := done_most(resolver, sort, self.items)) is not None:
            return self._of_those(column), descending
        if sort.noun is not None and sort.noun.ref is not None:
            item = maker.item(sort.noun)
            if item is not None and (place := place_in_order(resolver.catalog, item.table)) is not None:
                return as_column(place), descending  # in the order of the stops
            if item is not None:
                return item.terms[0], descending
            return None, False
        if sort.most and (counted := self._rows_of_most(main)) is not None:
            return counted, descending
        # An order without a noun: of what is shown, the figure when there is one.
        if sort.most:
            self.resolver.doubt("the most of what is not said", 0.6)
        if self.items:
            figure = next((one.terms[0] for one in self.items if one.figures), None)
            if figure is not None and (self.groups or sort.sized):
                return figure, descending
            in_order = sort.descending is None and sort.limit is None and not sort.most and figure is None
            if in_order and (place := place_in_order(resolver.catalog, self.items[0].table)) is not None:
                return as_column(place), False  # the stops in order
            plain = next((one for one in self.items if one.terms), None)
            sizes = [one for one in self.items if one.columns and resolver.catalog.is_measure(one.columns[0])]
            plain = sizes[0] if sort.sized and sizes else plain
            if plain is not None and sort.limit is not None and sort.descending and not sort.most:
                comes_to = amount_of(resolver.catalog, plain.table, whole=True)
                if comes_to is not None and plain.entity == plain.table and not self.groups:
                    if resolver.frame.groups:
                        resolver.doubt("the first are asked for, of each or of all", 0.4)
                    return as_column(comes_to), descending  # the top three bills
                if (counted := self._rows_of_most(main, taken=MOST_ROWS_FIRST)) is not None:
                    return counted, descending
                resolver.doubt("the first are asked for, and not by what", 0.5)
            if plain is not None and sort.most and not any(map(resolver.catalog.is_measure, plain.columns)):
                resolver.doubt("names are put in order where the most is asked for", 0.4)
            if plain is not None:
                return plain.terms[-1 if len(plain.terms) > 1 and plain.entity is None else 0], descending
        return None, False

    def _rows_of_most(self, main: str, *, taken: float = 0.0) -> Term | None:
        """`which shipper is used most`: whatever the verb says, the rows that refer to a thing tell how often it was.

        Rows with a time tell what happened; only where none have one, others are counted. `taken` is what is doubted
        beside, where no verb is said: `our best customers`.
        """
        resolver, catalog = self.resolver, self.resolver.catalog
        item = self.items[0] if self.items else None
        if item is None or self.groups or any(one.figures or one.table != item.table for one in self.items):
            return None
        if any(map(catalog.is_measure, item.columns)):
            return None
        if not self._says_nothing_else(item):  # the most concerts, which nobody knows
            return None
        users = [one for one in catalog.below(item.table) if not catalog.only_ties(one)]
        told = [one for one in users if any(map(catalog.is_moment_like, catalog.of(one)))] or users
        if not told or self._is_of_named_rows(item):
            return self._rows_of_each(_KIND_MOST)
        resolver.doubt("what is counted is taken from the keys", taken + (0.25 if len(told) == 1 else 0.45))
        for one in self.items:
            self._group_by(one, told[0])
        if taken and self.limit == 1 and self._is_plural(item):
            self.limit = _SEVERAL
        if told[0] != main:
            self.also.append(told[0])
        return Figure(Aggregate.COUNT, rows_of=told[0])

    def _is_of_named_rows(self, item: Item) -> bool:
        """Return whether a kind is asked for and the rows that it is one of are named: a city, of buildings."""
        head = self.resolver.catalog.table_words(item.table)[-1:]
        return item.entity is None and any(token.lemma in head for token in self.resolver.cut.linked.tokens)


def _is_done_when(noun: Noun, degree: Degree) -> bool:
    """Return whether rows are told apart by when they came: who `ordered most recently`."""
    if noun.ref is None or noun.aggregates or not degree.is_of_time:
        return False
    return noun.ref.best(MentionKind.TABLE) > noun.ref.best(MentionKind.COLUMN)
