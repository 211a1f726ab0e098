"""A plan from the parts of a question."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.mention import MentionKind
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Column,
    Comparison,
    Condition,
    Figure,
    Member,
    Operator,
    Output,
    Plan,
    Related,
    Share,
)
from resolvers.engines.nl2sql.planner.above import above, columns_among, doubt_above, items_above, items_behind
from resolvers.engines.nl2sql.planner.asked_unit import in_asked_unit
from resolvers.engines.nl2sql.planner.bridges import over_bridges
from resolvers.engines.nl2sql.planner.catalog import FAR
from resolvers.engines.nl2sql.planner.clashes import Clashes, everything
from resolvers.engines.nl2sql.planner.conditions import Conditions
from resolvers.engines.nl2sql.planner.counting import doubt_counts_of_one, group_amounts, number_of_rows
from resolvers.engines.nl2sql.planner.dated import doubt_years
from resolvers.engines.nl2sql.planner.denied import noted_of
from resolvers.engines.nl2sql.planner.frame import Cond, Noun
from resolvers.engines.nl2sql.planner.items import Item, Items
from resolvers.engines.nl2sql.planner.kept import all_kept
from resolvers.engines.nl2sql.planner.measuring import doubt_praise, spent_below, told_by_verb
from resolvers.engines.nl2sql.planner.nouns import may_be_table, value_first
from resolvers.engines.nl2sql.planner.of_one_time import of_one_time
from resolvers.engines.nl2sql.planner.one_figure import one_figure
from resolvers.engines.nl2sql.planner.other_end import at_the_other_end
from resolvers.engines.nl2sql.planner.parts import Held, Part, about, conjoined, take_counted
from resolvers.engines.nl2sql.planner.present import at_present
from resolvers.engines.nl2sql.planner.resolving import as_column
from resolvers.engines.nl2sql.planner.roles import in_both
from resolvers.engines.nl2sql.planner.running import added_up
from resolvers.engines.nl2sql.planner.sets import across
from resolvers.engines.nl2sql.planner.shares import of_a_base, percent_of, within_groups
from resolvers.engines.nl2sql.planner.shown import doubt_shown
from resolvers.engines.nl2sql.planner.things import asked_value, doubt_strangers, several_of, tells_apart
from resolvers.engines.nl2sql.planner.unlike import doubt_unlike, of_those_told
from resolvers.engines.nl2sql.schema_linking.roles import says_who
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, figures_in, parts_of, terms_in

_UNNAMED: Final = 0.4
"""What is doubted where rows are shown and nothing says which: of such answers to strangers most were wrong."""

_UNTOLD: Final = 0.3
"""The same where a table is named that every row has one of, and nothing is said of it: most were misread."""


@dataclass(slots=True)
class Composer(Clashes):
    """Composes one plan; `None` when what is asked for is not in the catalog."""

    def plan(self) -> Plan | None:
        """The plan."""
        frame, resolver = self.resolver.frame, self.resolver
        if (found := across(resolver)) is not None:
            return found
        maker = Items(resolver)
        for noun in frame.items:
            unnamed = bool(self.items) and noun.count and noun.ref is None
            again = self._shown_again(noun) if unnamed else None
            if unnamed and again is None and not frame.groups and all(one.entity for one in self.items):
                resolver.doubt("rows and their number are asked for at once", 0.5)
            item = again or maker.item(noun)
            if item is None:
                resolver.doubt("something asked for was not found", 0.5)
                if noun.ref is not None:
                    frame.loose.append((noun.ref.first, noun.ref.last))
                continue
            self.items.append(item)
        self._with_rows_of_a_kind(maker)
        if (found := in_both(resolver, self.items) or at_the_other_end(resolver, self.items)) is not None:
            return found
        group_amounts(resolver, self.items, maker.item)
        if (total := spent_below(resolver, self.items)) is not None:
            self.items = [*(self.items if tells_apart(resolver) else []), total]
        asks_much = any(item.noun.wh == "much" for item in self.items)
        if asks_much and not any(
            item.figures or any(map(resolver.catalog.is_measure, item.columns)) for item in self.items
        ):
            resolver.doubt("an amount is asked for, and none is shown", 0.9)
        doubt_strangers(resolver, self.items)
        if asks_much and not told_by_verb(resolver, self.items):
            resolver.doubt("what is shown is not what the verb asks for", 0.6)
        self.via = [*items_above(resolver, self.items), *items_behind(resolver, self.items)]
        self._by_role(self.items)
        bare: list[Noun] = []
        for noun in frame.shown:
            if (item := self._shown_again(noun) or maker.item(noun)) is not None:
                self.shown.append(above(self._as_figure(noun, item), self.items, self.via))
            elif noun.aggregates:
                bare.append(noun)
        found = self._made(maker) if self.items else self._without_items(maker)
        if found is not None:
            found = self._with_compared(found, bare)
            doubt_above(resolver, self.items, found)
            doubt_counts_of_one(resolver, found)
            doubt_shown(resolver, self.items, found)
            doubt_unlike(resolver, found)
            doubt_praise(resolver, found)
            found = of_those_told(resolver, over_bridges(one_figure(resolver, self.items, found), resolver))
            found = all_kept(resolver, of_one_time(resolver, in_asked_unit(resolver, found)))
        return found

    def _with_rows_of_a_kind(self, maker: Items) -> None:
        """`plumbers and their rates`: rows that are named by their kind are told as well as what is theirs."""
        atoms = [one for one in self.resolver.cut.atoms if not one.is_(Cue.ASK, Cue.STOP, Cue.ALL)]
        if len(atoms) < 3 or not atoms[1].is_(Cue.AND) or atoms[1].text.lower().split()[-1] not in ("their", "its"):
            return
        kind = atoms[0].ref
        found = self.resolver.value(kind, ()) if kind is not None and value_first(kind) else None
        plain = bool(self.items) and all(not one.figures and one.entity is None for one in self.items)
        if found is not None and plain and self.items[0].table == found[0].table:
            self.items.insert(0, maker._entity(found[0].table, Noun()))

    def _with_compared(self, plan: Plan, bare: Sequence[Noun]) -> Plan:
        """`spent more than 45; show the name and the total`: the figure that is compared is shown as well."""
        terms = [term for condition in parts_of(plan.having) for term in terms_in(condition)]
        figures = [figure for term in terms for figure in figures_in(term)]
        for noun in bare:
            meant = [one for one in figures if one.aggregate in noun.aggregates]
            if len(meant) == 1 and noun.ref is None:
                plan = replace(plan, outputs=(*plan.outputs, Output(meant[0])))
            else:
                self.resolver.doubt("a figure is to be shown, and nothing says of what", 0.5)
        return plan

    def _shown_again(self, noun: Noun) -> Item | None:
        """`... and the number`, `and how many each`: what is counted by a condition, or else what rows are said to
        have.
        """
        resolver, ref = self.resolver, noun.ref
        words = resolver.cut.linked.words(ref.first, ref.last) if ref is not None else ["number"]
        if list(words) not in (["number"], ["count"]) or (ref is None and not noun.count):
            return None
        if any(item.figures for item in self.items):
            return None
        counted = [cond for cond in resolver.frame.conditions if cond.kind == "exists" and cond.count is not None]
        most = [one.noun.ref for one in resolver.frame.sorts if one.most and one.noun is not None]
        refs = [cond.table for cond in counted] or most
        tables = [resolver.table(one) for one in refs if one is not None and may_be_table(one)]
        if not refs and ref is None and self.items:
            rows = self.items[0].table
            named = dict.fromkeys([*resolver.mentioned(), *self._tables_of_conditions()])
            tables = [one for one in named if one != rows and resolver.catalog.refers(one, rows)]
        return number_of_rows(tables[0], noun) if len(tables) == 1 and tables[0] is not None else None

    def _tables_of_conditions(self) -> Iterator[str]:
        """The tables of the columns that conditions name, or that hold the values which they are."""
        for cond in self.resolver.frame.conditions:
            held = self.resolver.value(cond.values[0], cond.near) if cond.kind == "value" and cond.values else None
            column = self.resolver.column(cond.noun) if cond.noun is not None else held[0] if held else None
            if column is not None:
                yield column.table

    def _as_figure(self, noun: Noun, item: Item) -> Item:
        """Return what was computed already and is named again: its column, or the numbers of what was counted."""
        if item.figures or item.noun.ref is None or len(item.columns) != 1:
            return item
        catalog, ref = self.resolver.catalog, item.noun.ref
        words = self.resolver.cut.linked.words(ref.first, ref.last)
        for one in self.items:
            if one.figures and one.columns == item.columns and one.counted is None and len(one.terms) == 1:
                return one
            if one.counted == item.table and item.columns[0] == catalog.key(item.table) and words[0] == "number":
                return one
        return item

    def _ranked_by(self) -> None:
        """`the region with the highest total cost, and that cost`: the figure that rows are put in order by.

        Groups are put in order by the figure of a column that is shown of them, and never by the column itself.
        """
        shown = {
            term.of: term for item in self.items if item.figures for term in item.terms if isinstance(term, Figure)
        }
        for at, one in enumerate(self.orders if self.groups else ()):
            if isinstance(one.term, Column) and one.term in shown and one.term not in self.groups:
                self.orders[at] = replace(one, term=shown[one.term])
        figures = [one.term for one in self.orders if isinstance(one.term, Figure) and one.term.of is not None]
        for items in (self.items, self.shown):
            for at, item in enumerate(items):
                columns = [as_column(one) for one in item.columns]
                for figure in figures if not item.figures and len(columns) == 1 else ():
                    if figure.of == columns[0]:
                        self.groups = [one for one in self.groups if one != figure.of]
                        items[at] = Item([figure], item.table, item.noun, columns=item.columns, figures=True)

    def _without_items(self, maker: Items) -> Plan | None:
        asked = asked_value(self.resolver)
        told = bool(asked or self.shown or self.resolver.frame.sorts)
        table = asked or self.resolver.subject()
        table = table or next(iter(self.resolver.mentioned()), None) or self._of_values()
        if table is None:
            return None
        self.items = [maker._entity(table, Noun())]
        self.resolver.doubt("nothing is named to show", 0.1 if told else _UNNAMED)
        return self._made(maker)

    def _of_values(self) -> str | None:
        """The table of the values that stand for its rows: `female jugglers`."""
        resolver = self.resolver
        refs = [ref for cond in resolver.frame.conditions for ref in cond.values]
        tables = resolver.alone(refs, MentionKind.VALUE)
        named = {one.column for ref in refs for one in ref.values} & {
            *(resolver.catalog.names(tables[0]) if tables else ())
        }
        if len(tables) != 1 or (named and not resolver.frame.shown):
            return None
        resolver.doubt("rows are named by a value only", 0.1)
        return tables[0]

    def _made(self, maker: Items) -> Plan | None:
        frame, catalog = self.resolver.frame, self.resolver.catalog
        main = self._main()
        grouped = self._grouped(maker, main)
        self._sorts(maker, main)
        figured = any(item.figures and main in (item.counted, item.table) for item in self.items)
        conditions = Conditions(self.resolver, main, self._counted(main), figured=figured)
        parts = conditions.parts(frame.conditions)
        doubt_years(self.resolver, parts_of(conjoined(parts)))
        self._mixed()
        self._ranked_by()
        self._of_the_first_above(parts)
        grouped += self._first_of_each(maker)
        related = self._related(maker, parts, main)
        if frame.dangling:
            related += self._denied(main)
        related += at_present(self.resolver, main, parts)
        where_extra = [*related, *self._counts(conditions, main, parts)]
        if conditions.figures:
            self.having += conditions.figures
            plain = next((item for item in self.items if not item.figures), None)
            if plain is not None and not self.groups:
                self._group_by(plain)
        if self.groups and self.shown:
            for item in self.shown:
                if not item.figures:
                    self.groups += [term for term in item.terms if isinstance(term, Column)]
        outputs = self._outputs([] if frame.hidden else grouped, maker)
        shared = next((item.noun for item in self.items if item.noun.share), None)
        if shared is not None and self.groups:
            outputs = within_groups(self.resolver, outputs, parts, shared, main)
        elif shared is not None:
            outputs = of_a_base(self.resolver, outputs, parts)
        if any(catalog.distance(main, item.table) >= FAR for item in self.items):
            self.resolver.doubt("tables that no key connects", 0.5)
        plan = Plan(
            main=main,
            outputs=tuple(outputs),
            groups=tuple(dict.fromkeys(self.groups)),
            having=everything(self.having),
            orders=tuple(self.orders),
            limit=self.limit,
            offset=self._skipped(),
            distinct=self._distinct(),
            also=tuple(dict.fromkeys(table for table in (*self.also, *self._owners()) if table != main)),
            via=tuple(dict.fromkeys([*self.via, *conditions.via])),
        )
        if frame.groups and self.limit is not None and self.orders and not self.groups:
            if not (each := self._kinds_of_rows(maker)):
                self.resolver.doubt("the first of each is asked for, and one is shown", 0.9)
            plan = replace(plan, each=each)
        elif self.limit and frame.groups and self.orders and not self.items[0].figures and not frame.per:
            plan = replace(plan, each=self._each(grouped))
        if self.limit == 1 and not self.groups and self._tells_the_first():
            plan = replace(plan, orders=(), limit=None, offset=0)
        elif self.limit is not None and self.orders and not self.groups and self._many_of_the_first():
            plan = self._about_the_first(plan, parts)
        plan, standing = self._preferred(plan, [part.condition for part in parts if part.condition is not None])
        return self.with_sets(plan, parts, [*where_extra, *standing])

    def _counted(self, main: str) -> list[str]:
        """The tables of whose rows figures are made that are shown, or that rows are ordered by, but the main one."""
        terms = [term for item in self.items if item.figures for term in item.terms]
        terms += [order.term for order in self.orders]
        figures = [one for term in terms for one in figures_in(term)]
        named = [one.rows_of for one in figures if one.rows_of is not None]
        named += [column.table for one in figures for column in columns_in(one)]
        return [table for table in dict.fromkeys(named) if table != main]

    def _preferred(self, plan: Plan, said: list[Condition]) -> tuple[Plan, list[Condition]]:
        """Return what people prefer where the question says nothing: an order, a limit, rows left out."""
        noted, resolver = self.resolver.catalog.noted, self.resolver
        spoken = {column for condition in said for term in terms_in(condition) for column in columns_in(term)}
        used = {plan.main} | {item.table for item in self.items}
        found: list[Condition] = []
        for one in noted.standing:
            if not one.columns & spoken and {column.table for column in one.columns} <= used:
                resolver.memories.add(one.memory)
                found.append(one.condition)
        lists = not plan.groups and not any(item.figures for item in self.items)
        preferred = noted.preferred.get(plan.main) or noted.preferred.get("")
        if preferred is not None and lists and not resolver.frame.sorts:
            if preferred.orders and not plan.orders:
                resolver.memories.add(preferred.memory)
                plan = replace(plan, orders=preferred.orders)
            if preferred.limit is not None and plan.limit is None:
                resolver.memories.add(preferred.memory)
                plan = replace(plan, limit=preferred.limit)
        return plan, found

    def _tells_the_first(self) -> bool:
        """Return whether all that is asked for is the very figure that rows come first by: when the last visit was."""
        order = self.orders[0] if len(self.orders) == 1 else None
        if order is None or not isinstance(order.term, Column) or self._skipped():
            return False
        first = Figure(Aggregate.MAX if order.descending else Aggregate.MIN, order.term)
        return bool(self.items) and all(term == first for item in self.items for term in item.terms)

    def _many_of_the_first(self) -> bool:
        """Return whether more is asked for of the first of something than one row of its own."""
        if all(item.figures for item in self.items):
            return True
        term, catalog = self.orders[0].term, self.resolver.catalog
        if not isinstance(term, Column) or self.items[0].table != term.table or len(self.orders) > 1:
            return False
        return any(not item.figures and not catalog.refers(term.table, item.table) for item in self.items[1:])

    def _about_the_first(self, plan: Plan, parts: list[Part]) -> Plan:
        """Figures of the rows that belong to the first of something: `of the department with the largest budget`."""
        order = plan.orders[0]
        if not isinstance(order.term, Column):
            return plan
        table = order.term.table
        key = self.resolver.catalog.key(table)
        if key is None:
            return plan
        first = Plan(table, (Output(as_column(key)),), orders=plan.orders, limit=plan.limit, offset=plan.offset)
        first = replace(first, where=about(parts, table))
        self.first = Member(as_column(key), first)
        return replace(plan, orders=(), limit=None, offset=0)

    def _denied(self, main: str) -> list[Condition]:
        """`that were never sold`: whatever the only other table notes of such rows."""
        noted = noted_of(self.resolver, main)
        if noted is None or self.resolver.frame.conditions:
            self.resolver.doubt("something is denied, and nothing says what", 0.9)
            return []
        self.resolver.doubt("what is denied is guessed", noted[1])
        return [Related(main, Plan(noted[0], ()), True)]

    def _related(self, maker: Items, parts: list[Part], main: str) -> list[Condition]:
        """Tables that are named only as what a row has: it must have some."""
        catalog = self.resolver.catalog
        used = {term.table for item in (*self.items, *self.shown) for term in columns_among(item.terms)}
        used |= {
            part.column.table for part in parts if part.column is not None and not isinstance(part.condition, Related)
        }
        used |= {term.table for term in columns_among([order.term for order in self.orders])} | set(self.also)
        used |= {item.counted for item in self.items if item.counted is not None}
        used |= {term.table for term in columns_among(self.groups)}
        used |= {one.column.table for one in parts_of(self.first) if isinstance(one, Member)}
        found: list[Condition] = []
        told = {table: part.cond for part in reversed(parts) for table in part.tables}
        for table in dict.fromkeys(table for part in parts for table in part.tables):
            if table in used or catalog.distance(main, table) >= FAR:
                continue
            if any(one != main and catalog.distance(main, one) > catalog.distance(table, one) for one in used):
                continue
            if not catalog.always_has(main, table):
                found.append(Related(main, Plan(table, ())))
            elif told[table].how != "verb" and not self._beside_rows(maker, told[table], table):
                self.resolver.doubt("a table is named, and tells no rows from others", _UNTOLD)
        return found

    def _beside_rows(self, maker: Items, cond: Cond, table: str) -> bool:
        """`batches with the plant`, of which each has one: it is shown, as rows are not told apart by having it."""
        tokens, ref = self.resolver.cut.linked.tokens, cond.table
        before = [one.text.lower() for one in tokens[max(0, ref.first - 2) : ref.first]] if ref is not None else []
        if "with" not in before or any(item.figures for item in self.items):
            return False
        self.items.append(maker._entity(table, Noun(ref)))
        return True

    def _owners(self) -> list[str]:
        """Tables whose rows are asked for something that stands in another: the airport names of all flights."""
        owners = [(item, self.resolver.table(item.noun.owner)) for item in self.items]
        near, others = self.resolver.catalog.distance, [(item, one) for item, one in owners if one != item.table]
        return [
            one
            for item, one in others
            if one is not None and near(one, item.table) < FAR and (not item.figures or self._are_doers(one, item))
        ]

    def _are_doers(self, owner: str, item: Item) -> bool:
        """Return whether a figure of people is told of those who did what other rows are: the height of pitchers."""
        catalog, ref = self.resolver.catalog, item.noun.owner
        if (
            ref is None
            or not catalog.vocabulary.is_person(item.table)
            or item.table not in catalog.above.get(owner, ())
        ):
            return False
        return says_who(self.resolver.cut.linked.tokens[ref.last - 1].lemma, catalog.table_words(owner))

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
        """`Which countries ...`, `list the countries`: kinds are asked for, each once, and not one for each row.

        Rows are those of a table that is named, and those that have a name of their own.
        """
        item = self.items[0]
        if len(self.items) > 1 or self.shown or self.limit is not None or self.orders or not item.columns:
            return False
        catalog, column = self.resolver.catalog, item.columns[0]
        if item.entity is not None or not (self.resolver.frame.which or self._names_no_rows(item)):
            return False
        if catalog.is_year(column):
            return column != catalog.key(column.table)
        return not catalog.is_key(column) and not catalog.is_measure(column)

    def _names_no_rows(self, item: Item) -> bool:
        """Return whether a column is asked for in the plural, and neither its table nor a condition speaks of rows."""
        if (
            item.noun.ref is None
            or self.resolver.frame.conditions
            or item.noun.owner is not None
            or self.resolver.mentioned()
        ):
            return False
        token = self.resolver.cut.linked.tokens[item.noun.ref.last - 1]
        return not token.is_lemma

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
        extra = [one for one in extra if not self._is_told(one)]
        shown = [*extra, *shown] if frame.grouped_first else [*shown, *extra]
        if self.shown and not any(item.figures for item in self.shown):
            shown = [*self.shown, *(item for item in self.items if item.figures)]
        elif self.shown:
            # Which five did the most? Give the number: of whom, has to be told as well.
            rows = [item for item in self.items if not item.figures and item.entity is not None]
            shown = [*(rows if all(item.figures for item in self.shown) else ()), *self.shown]
        outputs: list[Output] = []
        for item in shown:
            for term in item.terms:
                if item.noun.share and isinstance(term, Figure):
                    term = Share(term) if self.groups else percent_of(term, item.table)
                if item.noun.minus is not None and isinstance(term, Figure) and (other := maker.item(item.noun.minus)):
                    term = Arithmetic("-", term, other.terms[0])
                term = added_up(self.resolver.cut.linked.tokens, term, self.groups, self.resolver.catalog)
                if not any(one.term == term for one in outputs):
                    outputs.append(Output(term))
        return outputs

    def _is_told(self, group: Item) -> bool:
        """Return whether the key of what is grouped by is shown already: `the city code and the number for
        each city`.
        """
        catalog = self.resolver.catalog
        told = [column for item in self.items if not item.figures for column in item.columns]
        ties = [catalog.reference(column) for column in told]
        keys = [tie.to for tie in ties if tie is not None] + [
            one.table for one in told if one == catalog.key(one.table)
        ]
        return group.entity is not None and group.table in keys

    def _is_value(self, item: Item) -> bool:
        """Return whether a column is asked for by its name, which several rows may share: `last names of
        two wardens`.
        """
        noun, key = item.noun, self.resolver.catalog.key(item.table)
        return noun.ref is not None and not may_be_table(noun.ref) and noun.owner is None and key not in item.columns

    def _is_shared(self, item: Item, table: str) -> bool:
        """`cities with more than one applicant`: rows of a table beside are counted for a value that rows share."""
        catalog = self.resolver.catalog
        beside = table != item.table and catalog.refers(table, item.table)
        shared = item.entity is None and len(item.columns) == 1 and not catalog.is_key(item.columns[0])
        return beside and shared and not catalog.is_measure(item.columns[0])

    def _counts(self, conditions: Conditions, main: str, parts: list[Part]) -> list[Condition]:
        """`with more than two courses`."""
        catalog = self.resolver.catalog
        found: list[Condition] = []
        for one in conditions.having:
            table, operator, number = one.table, one.operator, one.number
            compared = Comparison(one.figure, operator, one.right)
            item = next((shown for shown in self.items if not shown.figures), None)
            counts = [shown for shown in self.items if shown.counted == table]
            subject = item.table if item is not None else main
            owner = item.entity if item is not None else subject
            if counts or (item is not None and item.entity is None and item.table == table):
                if item is not None and not self.groups:
                    self._group_by(item)
                elif item is None and not self.groups:
                    self.resolver.doubt("the number of all rows is compared with one", 0.9)
                self.having.append(compared)
                continue
            if item is not None and self._is_shared(item, table) and len(self.items) == 1 and not self.groups:
                self.groups += [term for term in item.terms if isinstance(term, Column)]
                self.also.append(table)
                self.having.append(compared)
                continue
            if table == subject and self.groups:
                self.having.append(compared)
                continue
            if item is not None and len(self.items) == 1 and (key := several_of(catalog, item, table)) is not None:
                self.groups += [term for term in item.terms if isinstance(term, Column)]
                several = Figure(Aggregate.COUNT, as_column(key), distinct=True)
                self.having.append(Comparison(several, operator, one.right))
                continue
            if table == subject:
                item_columns = item.columns if item is not None else ()
                if item is not None and item_columns and (item.entity is None or self._is_value(item)):
                    self.groups += [term for term in item.terms if isinstance(term, Column)]
                    self.having.append(compared)
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
                where=take_counted(parts, one.cond, Held(table, holder, self.items[0].noun.first), catalog),
                groups=(as_column(key),),
                having=compared,
            )
            many = Member(as_column(key), counting)
            at = next((at for at, part in enumerate(parts) if part.cond is one.cond and part.condition is None), None)
            if at is not None and any(part.cond.joined == "or" for part in parts):
                parts[at] = replace(parts[at], condition=many)  # have more than 3 courses, or are on leave
            else:
                found.append(many)
        return found
