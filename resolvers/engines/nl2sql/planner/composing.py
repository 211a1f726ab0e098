"""A plan from the parts of a question."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Both,
    Column,
    Combined,
    Comparison,
    Condition,
    Figure,
    Literal,
    Member,
    Nested,
    Operator,
    Order,
    Output,
    Plan,
    Related,
    Share,
    Span,
    Term,
)
from resolvers.engines.nl2sql.planner.catalog import FAR
from resolvers.engines.nl2sql.planner.conditions import Conditions, Part, conjoined
from resolvers.engines.nl2sql.planner.frame import Noun, Sort
from resolvers.engines.nl2sql.planner.items import Item, Items
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.planner.sets import across
from resolvers.engines.nl2sql.uses import columns_in


@dataclass(slots=True)
class Composer:
    """Composes one plan; `None` when what is asked for is not in the catalog."""

    resolver: Resolver
    items: list[Item] = field(default_factory=list)
    shown: list[Item] = field(default_factory=list)
    """What to show, when that is said apart from what is asked for."""
    groups: list[Column | Span] = field(default_factory=list)
    also: list[str] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    limit: int | None = None
    having: list[Condition] = field(default_factory=list)
    first: Condition | None = None
    """That a row belongs to the first of something."""

    def plan(self) -> Plan | None:
        """The plan."""
        frame, resolver = self.resolver.frame, self.resolver
        if (found := across(resolver)) is not None:
            return found
        maker = Items(resolver)
        for noun in frame.items:
            item = maker.item(noun)
            if item is None:
                resolver.doubt("something asked for was not found", 0.5)
                if noun.ref is not None:
                    frame.loose.append((noun.ref.first, noun.ref.last))
                continue
            self.items.append(item)
        for noun in frame.shown:
            if (item := maker.item(noun)) is not None:
                self.shown.append(item)
        if not self.items:
            return self._without_items(maker)
        return self._made(maker)

    def _without_items(self, maker: Items) -> Plan | None:
        table = self.resolver.subject() or next(iter(self.resolver.mentioned()), None)
        if table is None:
            return None
        self.items = [maker._entity(table, Noun())]
        self.resolver.doubt("nothing is named to show", 0.1)
        return self._made(maker)

    def _made(self, maker: Items) -> Plan | None:
        frame, catalog = self.resolver.frame, self.resolver.catalog
        main = self._main()
        grouped = self._grouped(maker, main)
        conditions = Conditions(self.resolver, main)
        parts = conditions.parts(frame.conditions)
        self._sorts(maker, main)
        self._mixed()
        related = self._related(parts, main)
        if frame.dangling:
            related += self._denied(main)
        where_extra = [*related, *self._counts(conditions, main)]
        if conditions.figures:
            self.having += conditions.figures
            plain = next((item for item in self.items if not item.figures), None)
            if plain is not None and not self.groups:
                self._group_by(plain)
        if self.groups and self.shown:
            for item in self.shown:
                if not item.figures:
                    self.groups += [term for term in item.terms if isinstance(term, Column)]
        outputs = self._outputs(grouped, maker)
        if any(catalog.distance(main, table) >= FAR for table in self._tables(outputs)):
            self.resolver.doubt("tables that no key connects", 0.5)
        plan = Plan(
            main=main,
            outputs=tuple(outputs),
            groups=tuple(dict.fromkeys(self.groups)),
            having=_all(self.having),
            orders=tuple(self.orders),
            limit=self.limit,
            distinct=self._distinct(),
            also=tuple(dict.fromkeys(table for table in self.also if table != main)),
            via=tuple(conditions.via),
        )
        if self.limit is not None and self.orders and not self.groups and all(item.figures for item in self.items):
            plan = self._about_the_first(plan)
        return self._with_sets(plan, parts, where_extra)

    def _about_the_first(self, plan: Plan) -> Plan:
        """Figures of the rows that belong to the first of something: `of the department with the largest budget`."""
        order = plan.orders[0]
        if not isinstance(order.term, Column):
            return plan
        table = order.term.table
        key = self.resolver.catalog.key(table)
        if key is None:
            return plan
        first = Plan(table, (Output(as_column(key)),), orders=plan.orders, limit=plan.limit)
        self.first = Member(as_column(key), first)
        return replace(plan, orders=(), limit=None)

    def _denied(self, main: str) -> list[Condition]:
        """`that were never sold`: whatever the only other table notes of such rows."""
        catalog = self.resolver.catalog
        users = [one for one in catalog.links.get(main, ()) if main in catalog.above.get(one, ())]
        if len(users) != 1 or self.resolver.frame.conditions:
            self.resolver.doubt("something is denied, and nothing says what", 0.9)
            return []
        self.resolver.doubt("what is denied is guessed", 0.2)
        return [Related(main, Plan(users[0], ()), True)]

    def _related(self, parts: list[Part], main: str) -> list[Condition]:
        """Tables that are named only as what a row has: it must have some."""
        catalog = self.resolver.catalog
        used = {term.table for item in (*self.items, *self.shown) for term in _columns(item.terms)}
        used |= {
            part.column.table for part in parts if part.column is not None and not isinstance(part.condition, Related)
        }
        used |= {term.table for term in _columns([order.term for order in self.orders])} | set(self.also)
        used |= {item.counted for item in self.items if item.counted is not None}
        used |= {term.table for term in _columns(self.groups)}
        found: list[Condition] = []
        for table in dict.fromkeys(table for part in parts for table in part.tables):
            if table in used or catalog.distance(main, table) >= FAR:
                continue
            if any(one != main and catalog.distance(main, one) > catalog.distance(table, one) for one in used):
                continue
            found.append(Related(main, Plan(table, ())))
        return found

    def _tables(self, outputs: list[Output]) -> set[str]:
        return {item.table for item in self.items}

    def _main(self) -> str:
        for item in self.items:
            if item.counted is not None:
                return item.counted
        for item in self.items:
            if item.figures:
                return item.table
        return self.items[0].table

    def _distinct(self) -> bool:
        frame = self.resolver.frame
        plain = not any(item.figures for item in self.items)
        said = frame.distinct or any(item.noun.distinct for item in (*self.items, *self.shown))
        return plain and not self.groups and (said or self._of_a_kind())

    def _of_a_kind(self) -> bool:
        """`Which countries ...`: kinds are asked for, each once, where rows have no name of their own."""
        item = self.items[0]
        if not self.resolver.frame.which or len(self.items) > 1 or self.shown or self.limit is not None or self.orders:
            return False
        catalog = self.resolver.catalog
        return (
            item.entity is None
            and bool(item.columns)
            and item.noun.owner is None
            and not catalog.is_key(item.columns[0])
            and not catalog.is_measure(item.columns[0])
        )

    # Groups.

    def _grouped(self, maker: Items, main: str) -> list[Item]:
        """The groups that the question names, as items to show."""
        frame = self.resolver.frame
        figures = any(item.figures for item in self.items)
        by_count = any(sort.by_count or sort.most for sort in frame.sorts)
        found: list[Item] = []
        for noun in frame.groups:
            if noun.ref is None:
                continue
            noun.aggregates, noun.count = (), False
            item = maker.item(noun)
            if item is None:
                self.resolver.doubt("a group was not found", 0.4)
                continue
            if not figures and not by_count:
                if item.entity is not None and self.items[0].table != item.table:
                    self.also.append(item.table)
                continue
            found.append(item)
            self._group_by(item)
        return found

    def _group_by(self, item: Item) -> None:
        catalog = self.resolver.catalog
        if item.entity is not None:
            for key in catalog.whole_key(item.table):
                if key not in self.resolver.catalog.known.forbidden:
                    self.groups.append(as_column(key))
        self.groups += [term for term in item.terms if isinstance(term, Column | Span)]

    def _mixed(self) -> None:
        """Plain columns beside figures are what the figures are grouped by."""
        figures = any(item.figures for item in self.items)
        if figures or self.groups:
            counted = {item.counted for item in self.items if item.counted}
            for item in self.items:
                if not item.figures and not all(term in self.groups for term in item.terms):
                    if (
                        item.table in counted
                        and item.entity is not None
                        and not self.resolver.frame.groups
                        and item.columns
                        and item.columns[0] != self.resolver.catalog.key(item.table)
                    ):
                        self.groups += [term for term in item.terms if isinstance(term, Column)]
                    else:
                        self._group_by(item)

    def _outputs(self, grouped: list[Item], maker: Items) -> list[Output]:
        frame = self.resolver.frame
        shown = list(self.items)
        named = [term for item in self.items for term in item.terms]
        extra = [item for item in grouped if not any(term in named for term in item.terms)]
        if any(not item.figures and item.table in {one.table for one in extra} for item in self.items):
            extra = [
                one
                for one in extra
                if not any(not item.figures and item.table == one.table and one.entity for item in self.items)
            ]
        shown = [*extra, *shown] if frame.grouped_first else [*shown, *extra]
        shown = self.shown or shown
        outputs: list[Output] = []
        for item in shown:
            for term in item.terms:
                if item.noun.share and isinstance(term, Figure):
                    term = Share(term) if self.groups else _percent(term, item.table)
                if item.noun.minus is not None and isinstance(term, Figure) and (other := maker.item(item.noun.minus)):
                    term = Arithmetic("-", term, other.terms[0])
                if not any(one.term == term for one in outputs):
                    outputs.append(Output(term))
        return outputs

    # Counts of things had.

    def _counts(self, conditions: Conditions, main: str) -> list[Condition]:
        """`with more than two courses`."""
        catalog = self.resolver.catalog
        found: list[Condition] = []
        for table, operator, number in conditions.having:
            right = (Literal("number", Decimal(number)),)
            item = next((one for one in self.items if not one.figures), None)
            counts = [one for one in self.items if one.counted == table]
            subject = item.table if item is not None else main
            owner = item.entity if item is not None else subject
            if counts or (item is not None and item.entity is None and item.table == table):
                if item is not None and not self.groups:
                    self._group_by(item)
                self.having.append(Comparison(Figure(Aggregate.COUNT, rows_of=table), operator, right))
                continue
            if table == subject and self.groups:
                self.having.append(Comparison(Figure(Aggregate.COUNT, rows_of=table), operator, right))
                continue
            if table == subject:
                item_columns = item.columns if item is not None else ()
                if item is not None and item_columns and item.entity is None:
                    self._group_by(item)
                    self.having.append(Comparison(Figure(Aggregate.COUNT, rows_of=table), operator, right))
                    continue
                self.resolver.doubt("a count of the rows asked for", 0.4)
                continue
            holder = owner or subject
            key = catalog.key(holder) or next(iter(catalog.entity(holder)), None)
            if key is None or catalog.distance(holder, table) >= FAR:
                self.resolver.doubt("a count of what no key connects", 0.4)
                continue
            if number == 0 and operator in (Operator.EQUAL, Operator.AT_MOST):
                found.append(Related(holder, Plan(table, ()), True))
                continue
            if (number == 0 and operator is Operator.MORE) or (number == 1 and operator is Operator.AT_LEAST):
                found.append(Related(holder, Plan(table, ())))
                continue
            counting = Plan(
                table,
                (Output(as_column(key)),),
                groups=(as_column(key),),
                having=Comparison(Figure(Aggregate.COUNT, rows_of=table), operator, right),
            )
            found.append(Member(as_column(key), counting))
        return found

    # Orders.

    def _sorts(self, maker: Items, main: str) -> None:
        frame = self.resolver.frame
        for sort in frame.sorts:
            if not sort.common and any(item.noun is sort.noun and item.figures for item in self.items):
                continue
            if sort.limit is not None and self.limit is None:
                self.limit = frame.limit if sort.limit == 1 and frame.limit else sort.limit
            term, descending = self._term(sort, maker, main)
            if term is None:
                self.resolver.doubt("an order was not understood", 0.8)
                continue
            self.orders.append(Order(term, descending))
        if self.limit is None:
            self.limit = frame.limit

    def _term(self, sort: Sort, maker: Items, main: str) -> tuple[Term | None, bool]:
        resolver = self.resolver
        descending = bool(sort.descending)
        if sort.common:
            return self._common(maker, main), descending
        if sort.by_count or (sort.most and sort.noun is not None):
            return self._by_count(sort, maker, main), descending if sort.degree is None else sort.degree.descending
        if (
            sort.noun is not None
            and sort.noun.ref is not None
            and not (sort.noun.ref.columns == [] and may_be_table(sort.noun.ref))
        ):
            figure = self._shown_figure(sort.noun)
            if figure is not None:
                return figure, descending
            column = resolver.column(
                sort.noun, "number" if sort.degree is not None and not sort.degree.measures else ""
            )
            if column is None:
                return None, False
            if sort.degree is not None:
                descending = resolver.direction(sort.degree, column)
            term: Term = as_column(column)
            if sort.noun.aggregates:
                term = Figure(sort.noun.aggregates[0], term)
                if not self.groups and self.items and not self.items[0].figures:
                    self._group_by(self.items[0])
            return self._many_side(term, column, descending), descending
        if sort.degree is not None:
            figure = next((one.terms[0] for one in self.items if one.figures), None)
            if self.groups and figure is not None and sort.limit is None:
                return figure, sort.degree.descending
            around = [self.items[0].table, *resolver.mentioned()]
            if sort.noun is not None and (owner := resolver.table(sort.noun.owner)) is not None:
                around = [owner, *around]
            found = resolver.measured(sort.degree, list(dict.fromkeys(around)))
            if found is None:
                item = next(
                    (one for one in self.items if one.columns and resolver.catalog.is_measure(one.columns[0])), None
                )
                if item is not None and not item.figures:
                    return as_column(item.columns[0]), sort.degree.descending
                return None, False
            return self._many_side(as_column(found[0]), found[0], found[1]), found[1]
        if sort.noun is not None and sort.noun.ref is not None:
            item = maker.item(sort.noun)
            if item is not None:
                return item.terms[0], descending
            return None, False
        # An order without a noun: of what is shown, the figure when there is one.
        if sort.most:
            self.resolver.doubt("the most of what is not said", 0.6)
        if self.items:
            figure = next((one.terms[0] for one in self.items if one.figures), None)
            if self.groups and figure is not None:
                return figure, descending
            plain = next((one for one in self.items if one.terms), None)
            if plain is not None:
                return plain.terms[-1 if len(plain.terms) > 1 and plain.entity is None else 0], descending
        return None, False

    def _many_side(self, term: Term, column: ColumnKey, descending: bool) -> Term:
        return term

    def _shown_figure(self, noun: Noun) -> Term | None:
        """A figure that is shown already and ordered by: `ordered by the average price`."""
        for item in self.items:
            if item.figures and self._same(item.noun, noun):
                return item.terms[0]
        return None

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
                users = [one for one in catalog.links.get(item.table, ()) if item.table in catalog.above.get(one, ())]
                if len(users) == 1:
                    counted = users[0]
                elif users:
                    self.resolver.doubt("several tables may be counted", 0.3)
                    counted = users[0]
        for one in self.items:
            if not one.figures:
                self._group_by(one)
        if counted != item.table:
            self.also.append(counted)
        return Figure(Aggregate.COUNT, rows_of=counted)

    def _by_count(self, sort: Sort, maker: Items, main: str) -> Term | None:
        """The most of something: of a number, or of rows."""
        resolver, catalog = self.resolver, self.resolver.catalog
        noun = sort.noun
        plain = next((one for one in self.items if not one.figures), None)
        if noun is None or noun.ref is None:
            return next((one.terms[0] for one in self.items if one.figures), None)
        noun.aggregates = ()
        target = maker.target(noun)
        if target is None:
            return None
        if isinstance(target, ColumnKey):
            if catalog.is_measure(target) and not noun.distinct:
                if plain is None or catalog.refers(plain.table, target.table) or plain.table == target.table:
                    if (
                        plain is not None
                        and plain.entity is None
                        and plain.table == target.table
                        and not self.groups
                        and resolver.subject() != plain.table
                    ):
                        self._group_by(plain)
                        return Figure(Aggregate.SUM, as_column(target))
                    return as_column(target)
                self._group_by(plain)
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
            self._group_by(plain)
        if target != main:
            self.also.append(target)
        return Figure(Aggregate.COUNT, rows_of=target)

    # Set operations.

    def _with_sets(self, plan: Plan, parts: list[Part], extra: list[Condition]) -> Plan:
        """Conditions that no row can meet at once are met by different rows: what they have in common is asked for."""
        frame = self.resolver.frame
        if self.first is not None:
            extra = [*extra, self.first]
        if (without := self._without(plan, parts, extra)) is not None:
            return without
        clash = self._clash(parts, frame.both)
        if clash is None:
            return replace(plan, where=_all([*_parts(conjoined(parts)), *extra]))
        one, other = clash
        common = [part for part in parts if part not in (one, other)]
        column = one.column
        catalog = self.resolver.catalog
        if column is not None and column.table != plan.main and not catalog.refers(plan.main, column.table):
            beside = [Related(plan.main, Plan(column.table, (), where=part.condition)) for part in (one, other)]
            also = tuple(table for table in plan.also if catalog.refers(plan.main, table))
            return replace(plan, also=also, where=_all([*_parts(conjoined(common)), *beside, *extra]))
        entity = self.items[0].entity
        if not frame.both and entity == plan.main and _is_equal(one) and _is_equal(other):
            other.cond.joined = "or"
            return replace(plan, where=_all([*_parts(conjoined(parts)), *extra]))
        base = _parts(conjoined(common))
        first = _all([*base, *_parts(one.condition), *extra])
        second = _all([*base, *_parts(other.condition), *extra])
        return replace(
            plan, where=first, combined=Combined("intersect", replace(plan, where=second, orders=(), limit=None))
        )

    def _without(self, plan: Plan, parts: list[Part], extra: list[Condition]) -> Plan | None:
        """`cities that have no employees who ...`: the cities but those of such employees."""
        item = self.items[0]
        for part in parts:
            if not isinstance(part.condition, Related) or part.condition.to == plan.main:
                continue
            if part.condition.plan.main != plan.main or item.entity is not None:
                continue
            others = [one for one in parts if one is not part]
            taken = replace(plan, where=part.condition.plan.where, also=part.condition.plan.also, orders=(), limit=None)
            whole = replace(plan, where=_all([*_parts(conjoined(others)), *extra]))
            return replace(whole, combined=Combined("except", taken))
        return None

    def _clash(self, parts: list[Part], both: bool) -> tuple[Part, Part] | None:
        for at, one in enumerate(parts):
            for other in parts[at + 1 :]:
                if one.column is None or one.column != other.column or other.cond.joined == "or":
                    continue
                if _contradict(one.condition, other.condition):
                    return one, other
        return None


def _percent(figure: Figure, table: str) -> Term:
    """How many of a hundred rows fit."""
    whole = Nested(Plan(table, (Output(Figure(Aggregate.COUNT)),)))
    return Arithmetic("*", Literal("number", Decimal(100)), Arithmetic("/", figure, whole))


def _columns(terms: Sequence[Term]) -> list[Column]:
    """The columns that terms are made of."""
    return [column for term in terms for column in columns_in(term)]


def _is_equal(part: Part) -> bool:
    return isinstance(part.condition, Comparison) and part.condition.operator in (Operator.EQUAL, Operator.IN)


def _contradict(one: Condition | None, other: Condition | None) -> bool:
    if not isinstance(one, Comparison) or not isinstance(other, Comparison) or one.negated or other.negated:
        return False
    if one.left != other.left:
        return False
    equal = (Operator.EQUAL, Operator.IN)
    if one.operator in equal and other.operator in equal:
        return not set(one.right) & set(other.right)
    up, down = (Operator.MORE, Operator.AT_LEAST), (Operator.LESS, Operator.AT_MOST)
    low, high = (one, other) if one.operator in up else (other, one)
    if low.operator in up and high.operator in down:
        left, right = low.right[0], high.right[0]
        if isinstance(left, Literal) and isinstance(right, Literal):
            return type(left.value) is type(right.value) and left.value >= right.value  # type: ignore[operator]
    return False


def _parts(condition: Condition | None) -> list[Condition]:
    if condition is None:
        return []
    return list(condition.parts) if isinstance(condition, Both) else [condition]


def _all(conditions: list[Condition]) -> Condition | None:
    if not conditions:
        return None
    return conditions[0] if len(conditions) == 1 else Both(tuple(conditions))
