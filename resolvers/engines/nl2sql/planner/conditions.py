"""Conditions as they were said, made into conditions of a plan."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from decimal import Decimal

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Both,
    Comparison,
    Condition,
    Expression,
    Figure,
    Literal,
    Operator,
    Plan,
    Related,
)
from resolvers.engines.nl2sql.planner.as_planned import alike, beside_the_plan
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import FAR
from resolvers.engines.nl2sql.planner.clocks import by_clock, clock_column, says_clock
from resolvers.engines.nl2sql.planner.compared_columns import BORN, BOUNDS, ComparedColumns
from resolvers.engines.nl2sql.planner.dated import month_of
from resolvers.engines.nl2sql.planner.defined import compared, when
from resolvers.engines.nl2sql.planner.denied import noted_of
from resolvers.engines.nl2sql.planner.every import EVERY, every
from resolvers.engines.nl2sql.planner.figures import (
    is_when,
    may_equal,
    measured_in,
    none_of,
    only_number,
    says_an_amount,
    split_aggregate,
    when_counted,
    when_farther,
)
from resolvers.engines.nl2sql.planner.fractions import of_a_part
from resolvers.engines.nl2sql.planner.frame import ALIKE, ALIKE_OTHERS, BESIDE, DONE_TO, OF_OTHERS, Cond, Noun
from resolvers.engines.nl2sql.planner.held import by_verb, held_by, kept_number, may_be_empty, never_empty, says_when
from resolvers.engines.nl2sql.planner.lasting import aged, old_enough, says_old, took, without_unit
from resolvers.engines.nl2sql.planner.like_others import tied_to_others
from resolvers.engines.nl2sql.planner.nesting import nested, of_the_same_time
from resolvers.engines.nl2sql.planner.nouns import may_be_table, surely_table
from resolvers.engines.nl2sql.planner.occasions import guessed_of_people, occasion
from resolvers.engines.nl2sql.planner.operands import number_in
from resolvers.engines.nl2sql.planner.others import others
from resolvers.engines.nl2sql.planner.parts import (
    Part,
    also_of,
    conjoined,
    denies,
    either_of,
    instead,
    of_one_kind,
    whole_names,
)
from resolvers.engines.nl2sql.planner.resolving import as_column
from resolvers.engines.nl2sql.planner.targets import LOOSE
from resolvers.engines.nl2sql.planner.texts import text_asked_for
from resolvers.engines.nl2sql.planner.totals import count_beside, count_of, total

_MISSING = frozenset(("missing", "unknown", "null", "empty", "blank"))
"""Words by which a value is not there, where its row is."""


class Conditions(ComparedColumns):
    """Makes conditions for a plan about one table."""

    def parts(self, conds: Sequence[Cond], main: str | None = None) -> list[Part]:
        """Every condition that can be made."""
        found: list[Part] = []
        last: ColumnKey | None = None
        of_one_kind(conds)
        for cond in conds:
            if cond.kind == "exists" and cond.how == "verb" and not cond.negated and cond.count is None:
                self.deed = self.resolver.table(cond.table)
            if cond.kind == "exists" and not (cond.apart or cond.negated or cond.count) and denies(found):
                continue  # no departure port of any crossing
            part = self._part(cond, main or self.main, last)
            if part is None:
                self.resolver.frame.loose.append((cond.first, cond.first))
                self.resolver.doubt("a condition could not be made", 0.8)
                continue
            last = part.column or last
            found.append(part)
        if main is None and (other := others(self.resolver, found, self.main)) is not None:
            found.append(other)
        whole_names(found, self.catalog)
        instead(found, main or self.main, self.catalog)
        return found

    def _part(self, cond: Cond, main: str, last: ColumnKey | None) -> Part | None:
        if cond.how == ALIKE:
            pair = alike(self.resolver, cond, main)
            return Part(pair, cond) if pair is not None else None
        if cond.how in (ALIKE_OTHERS, OF_OTHERS):
            tied = tied_to_others(self.resolver, cond, main)
            return Part(tied[0], cond, tied[1]) if tied is not None else None
        if cond.how == BESIDE:
            came = beside_the_plan(self.resolver, main)
            return Part(came if not cond.negated else replace(came, negated=True), cond) if came is not None else None
        if cond.part is not None:
            table = self.resolver.table(cond.table)
            member = of_a_part(self.resolver, cond, table, main, self.parts(cond.inner, table)) if table else None
            return Part(member, cond) if member is not None else None
        if cond.kind == "exists":
            return self._exists(cond, main)
        if cond.kind == "value":
            return self._value(cond, main, last)
        if cond.kind == "null":
            column = (
                self.resolver.column(cond.noun, "time" if cond.how in ("verb", DONE_TO) else "")
                if cond.noun is not None
                else None
            )
            column = self.part_of(cond) or column
            if column is None:
                return None
            if cond.how == DONE_TO:
                if not self.catalog.is_time(column):
                    self.resolver.doubt("what was done is told by no time", 0.35)
                    return Part(None, cond)
                return Part(Comparison(as_column(column), Operator.IS_NULL, (), True), cond, column)  # paid bills
            below = self._is_below(column, cond, main)
            if cond.how == "verb" and cond.negated and below and may_be_empty(self.catalog, column):
                return Part(Comparison(as_column(column), Operator.IS_NULL, (), True), cond, column)  # were discharged
            if cond.how == "verb" and cond.negated and below:
                return Part(None, cond, None, (column.table,))  # titles that were rated
            if cond.how == "verb" and cond.negated and not may_be_empty(self.catalog, column):
                return Part(None, cond)
            if not cond.negated and below:
                said = {token.text.lower() for token in self.resolver.cut.linked.tokens}
                if said & _MISSING and cond.noun is not None and cond.noun.ref is not None:  # profits are missing
                    empty = Comparison(as_column(column), Operator.IS_NULL, ())
                    return Part(Related(main, Plan(column.table, (), where=empty), False), cond, column)
                if cond.how == "verb" and may_be_empty(
                    self.catalog, column
                ):  # who have not paid, of bills that are paid
                    open_yet = Comparison(as_column(column), Operator.IS_NULL, ())
                    return Part(Related(main, Plan(column.table, (), where=open_yet)), cond, column)
                return Part(Related(main, Plan(column.table, ()), True), cond, column)
            if (flag := self.catalog.vocabulary.flag(column)) is not None and cond.how != "verb":
                yes = Comparison(as_column(column), Operator.EQUAL, (flag[0],))
                return self._signed(yes, replace(cond, negated=not cond.negated), column, main)  # have a licence
            if cond.negated and never_empty(self.catalog, column):
                some = Comparison(as_column(column), Operator.MORE, (Literal("number", Decimal(0)),))
                return Part(some, cond, column)  # with a discount
            return Part(Comparison(as_column(column), Operator.IS_NULL, (), cond.negated), cond, column)
        return self._compare(cond, main, last)

    # Things had.

    def _exists(self, cond: Cond, main: str) -> Part | None:
        table = self.resolver.table(cond.table)
        own = self._own_column(cond, table, main)
        if own is not None:
            return Part(none_of(self.resolver, own), cond, own)
        if table is None and cond.count is not None and cond.noun is not None and cond.noun.ref is None:
            shown = self.resolver.frame.items[0] if self.resolver.frame.items else None
            key = self.resolver.column(shown) if shown is not None else None
            table = key.table if key is not None else None  # reasons that occurred more than once
        if table is None and cond.negated and cond.noun is not None and not cond.inner:
            held = self.resolver.column(cond.noun)  # have logged no hours, which rows of theirs tell
            table = held.table if held is not None and held.table in self.catalog.below(main) else None
        if table is None:
            return None
        if cond.count is not None:
            kept = kept_number(self.resolver, cond, table, main) or held_by(self.resolver, cond, table, main)
            if kept is not None:
                return kept
            self.having.append(count_of(table, *cond.count, cond))
            return Part(None, cond, None)
        if not cond.negated:
            if cond.how == EVERY:
                return every(self.resolver, cond, table, main, conjoined(self.parts(cond.inner, table)))
            if cond.how == "verb" and self._is_said_besides(cond, {main, table}):
                return Part(None, cond)  # what is named besides says it: who enrolled in a course
            if cond.how == "of":
                return Part(None, cond)
            return Part(None, cond, None, (table,) if table != main else ())
        if table == main and not cond.inner and cond.how == "" and (noted := noted_of(self.resolver, main)) is not None:
            self.resolver.doubt("what is denied is guessed", noted[1])
            return Part(Related(main, Plan(noted[0], ()), True), cond)  # tasters who have not tasted anything
        if self.catalog.distance(main, table) >= FAR or (table == main and not cond.inner):
            return None
        inner = self.parts(cond.inner, table)
        plan = Plan(table, (), where=conjoined(inner), also=also_of(inner, table))
        if table == main:
            return Part(Related("", plan, True), cond)
        return Part(Related(main, plan, True), cond, None)

    def _is_said_besides(self, cond: Cond, tables: Collection[str | None]) -> bool:
        """Return whether what a verb says is told by what is named besides; not what something is said to have none of,
        nor what it has besides: have a boat and are insured.
        """
        told = self.resolver.frame.conditions
        counted = (sort.noun for sort in self.resolver.frame.sorts if sort.noun is not None and sort.noun.count)
        besides = {*self.resolver.mentioned(), *(self.resolver.table(noun.ref) for noun in counted)} - {None, *tables}
        besides -= {self.resolver.table(one.table) for one in told if one.negated}
        if any(one.first > cond.first and not one.apart for one in told):
            return bool(besides)
        had = (one for one in told if one.kind == "exists" and not one.how and one.first < cond.first)
        return bool(besides - {self.resolver.table(one.table) for one in had if cond.apart})

    # Values.

    def _value(self, cond: Cond, main: str, last: ColumnKey | None) -> Part | None:
        resolver = self.resolver
        ref = cond.values[0]
        for mention in ref.patterns:
            condition = self.catalog.noted.pattern(mention.memory) if mention.memory else None
            if condition is not None:
                resolver.memories.add(mention.memory or "")
                resolver.used.add((ref.first, ref.last))
                if cond.negated and isinstance(condition, Comparison):
                    condition = replace(condition, negated=not condition.negated)
                return Part(condition, cond)
        found = resolver.value(ref, cond.near)
        if found is not None:
            column, values = found
            literals = list(values)
            for other in cond.values[1:]:
                operand = resolver.operand(column, Operator.EQUAL, other)
                if operand is not None:
                    literals += operand[1][:1]
            return self._equal(cond, column, literals, main)
        if ref.literals or not ref.mentions:
            return self._literal(cond, ref, main, last)
        return None

    def _literal(self, cond: Cond, ref: Ref, main: str, last: ColumnKey | None) -> Part | None:
        """A number, date or text that belongs to no column yet."""
        resolver, catalog = self.resolver, self.catalog
        tables = self._tables(cond, main, last)
        moments = [one for one in ref.literals if one.values and one.values[0].kind in ("date", "moment")]
        if moments:
            hint = resolver.cut.linked.words(max(0, ref.first - 4), ref.first)
            column = occasion(resolver, ref, last, self.deed) or self._when_counted(ref, main)
            column = column or when(resolver, tables, hint, year=True) or when_farther(resolver, main)
            if column is not None and self._is_of_the_thing(column, ref):
                resolver.doubt("a year is said of what was done, and that of a thing is taken", 0.35)
            if column is not None:
                begins = BORN & set(catalog.words(column)) and not BORN & set(resolver.cut.linked.words(0, ref.first))
                if begins and not self._happens(column):
                    if (happened := self._when_it_happened(tables, column)) is not None:
                        column = happened
                    else:
                        resolver.doubt("a year is said, and only that of a beginning is known", 0.5)
                elif guessed_of_people(resolver, column):
                    resolver.doubt("a time is said of people, and not what happened then", 0.35)
                if (said := self._dated(cond, column, Operator.EQUAL, main)) is not None:
                    return said
                operands = [resolver.operand(column, Operator.EQUAL, one) for one in cond.values]
                made = [Comparison(as_column(column), *one) for one in operands if one is not None]
                if len(made) == 1:
                    return self._signed(made[0], cond, column, main)
                if made and not cond.negated:
                    return Part(either_of(list(made)), cond, column)
        if ref.recurs:
            column = self._with_months(ref, tables, main, last)
            return self._dated(cond, column, Operator.EQUAL, main) if column is not None else None
        if says_old(resolver, cond) or says_clock(cond):
            return self._compare(replace(cond, kind="compare"), main, last)
        number = next((one.values[0] for one in ref.literals if one.values and one.values[0].kind == "number"), None)
        if number is not None:
            if last is not None and catalog.is_number(last):
                return self._signed(Comparison(as_column(last), Operator.EQUAL, (number,)), cond, last, main)
            return None
        texts = [one for one in ref.literals if one.values and one.values[0].kind == "text"]
        if texts or not ref.mentions:
            for table in tables:
                names = catalog.names(table)
                if len(names) == 1:
                    resolver.doubt("a text is taken for a name", 0.2)
                    literal = Literal("text", resolver.text(ref))
                    return self._signed(
                        Comparison(as_column(names[0]), Operator.EQUAL, (literal,)), cond, names[0], main
                    )
        return None

    def _with_months(self, ref: Ref, tables: Sequence[str], main: str, last: ColumnKey | None) -> ColumnKey | None:
        """The column that tells the month: one that holds nothing else, or the date."""
        resolver = self.resolver
        hint = resolver.cut.linked.words(max(0, ref.first - 4), ref.first)
        column = (
            occasion(resolver, ref, last, self.deed) or self._when_counted(ref, main) or when(resolver, tables, hint)
        )
        if column is None:
            own = month_of(self.catalog, tables) if ref.is_month else None
            return own or when_farther(resolver, main)
        return (month_of(self.catalog, [column.table]) if ref.is_month else None) or column

    def _when_counted(self, ref: Ref, main: str) -> ColumnKey | None:
        return when_counted(self.resolver, ref, main, self._counted, figured=self._figured)

    # Comparisons.

    def _compare(self, cond: Cond, main: str, last: ColumnKey | None) -> Part | None:
        resolver, catalog = self.resolver, self.catalog
        cond = without_unit(resolver, cond)
        operator = cond.operator
        column: ColumnKey | None = None
        if cond.noun is not None and cond.noun.count:
            return self._count_compared(cond)
        if (defined := compared(resolver, cond)) is not None:
            if not isinstance(defined.left, Expression) or not defined.left.aggregates:
                return Part(defined, cond)
            self.figures.append(defined)
            return Part(None, cond)
        tables = self._tables(cond, main, last)
        sized = operator in (Operator.MORE, Operator.LESS, Operator.AT_LEAST, Operator.AT_MOST, Operator.BETWEEN)
        is_time = cond.how == "time" or (
            sized
            and bool(cond.values)
            and any(one.values and one.values[0].kind != "number" for one in cond.values[0].literals)
            and not says_an_amount(resolver, cond.values[0])
        )
        if says_clock(cond):
            named = resolver.column(cond.noun, "time") if cond.noun is not None else None
            clock = clock_column(resolver, cond, named, tables)
            told = by_clock(resolver, cond, clock, operator) if clock is not None else None
            return Part(told, cond, clock) if told is not None else None
        if sized and (so_long := took(resolver, cond, operator, main)) is not None:
            return Part(so_long, cond)
        if cond.noun is None and cond.degree is None and (sized or says_old(resolver, cond)) and cond.nest is None:
            column = old_enough(resolver, cond, tables, last) or measured_in(resolver, cond.values, tables)
            is_time = is_time and column is None
        if cond.how == "key" and cond.noun is not None:
            return self._keyed(cond, main)
        if cond.noun is not None:
            want = "time" if cond.how == "time" else "number" if sized and not is_time else ""
            ref, beside = cond.noun.ref, cond.nest is not None and sized
            if ref is not None and (surely_table(ref) if beside else may_be_table(ref) and not ref.columns):
                return self._table_compared(cond, main)
            column = self._split(cond, want, main) or resolver.column(cond.noun, want)
            if column is not None and column.table != main and cond.values and cond.values[-1].last == cond.noun.first:
                column = measured_in(resolver, cond.values, [main]) or column  # trips shorter than 100 minutes
            if want == "time" and column is not None and not catalog.is_moment_like(column) and says_when(cond):
                column = resolver.time_column(tables) or column  # made after June 2021
            if cond.how == "verb" and column is not None and says_when(cond):
                column = self._own_time(cond.noun, column, main)
            if sized and column is not None and self._counts_rows(cond, column):
                return Part(None, cond)
            misfit = cond.how == "verb" and column is not None and not may_equal(catalog, column, cond.values[0])
            if misfit or (column is not None and is_when(resolver, cond, column)):
                return self._and_so(column, self._literal(cond, cond.values[0], main, last))
            if column is not None and cond.degree is not None:
                operator = self._turned(cond, column)
        elif cond.degree is not None and column is None:
            number = number_in(resolver.text(cond.values[0])) if operator in BOUNDS and cond.values else None
            measured = resolver.measured(cond.degree, tables, number)
            if measured is not None:
                column = measured[0]
                more, less = (Operator.MORE, Operator.LESS) if operator not in BOUNDS else BOUNDS
                operator = more if measured[1] else less
        elif column is None and is_time and (said := cond.values or (cond.nest.said if cond.nest else ())):
            hint = resolver.cut.linked.words(max(0, said[0].first - 5), said[0].first)
            column = self._when_counted(said[0], main) or when(resolver, tables, hint)
            column = column or (when_farther(resolver, main) if cond.how == "time" else None)
        elif cond.values and cond.values[0].recurs:
            column = self._with_months(cond.values[0], tables, main, last)
        if column is None and cond.noun is None and cond.operator is Operator.LIKE:
            column = text_asked_for(resolver) or next(
                (names[0] for table in tables if (names := catalog.names(table))), None
            )
        if column is None and cond.noun is None:
            column = by_verb(self.resolver, cond, tables) if sized else None
        if column is None and last is None and sized and self._is_of_groups(cond):
            return Part(None, cond)
        if column is None and cond.noun is None:
            column = (
                last if last is not None and (not sized or catalog.is_number(last)) else only_number(resolver, tables)
            )
            if operator is Operator.LIKE and column is not None and not catalog.is_text(column):
                return None
        if column is not None and (born := aged(resolver, cond, column, operator)) is not None:
            return Part(born, cond, column)
        if column is not None and operator is Operator.EQUAL and self._is_of_the_row_above(cond, column):
            return self._value(cond, main, last)
        made = self._made(cond, column, operator, main) if column is not None else None
        if made is None and cond.values and cond.values[0].values and cond.nest is None and operator is Operator.EQUAL:
            return self._value(cond, main, last)
        return made

    def _own_time(self, noun: Noun, column: ColumnKey, main: str) -> ColumnKey:
        """When the rows asked for were made, rather than a time elsewhere that a verb fits only loosely."""
        fits = max((one.score for one in noun.ref.columns if one.column == column), default=0.0) if noun.ref else 1.0
        if column.table == main or fits >= LOOSE or not any(map(self.catalog.is_time, self.catalog.of(main))):
            return column
        return self.resolver.time_column([main]) or column

    def _split(self, cond: Cond, want: str, main: str) -> ColumnKey | None:
        """`with total beds more than 100`: the sum over the rows that belong to one, where `beds` is the column."""
        noun = cond.noun
        if noun is None or noun.aggregates or want != "number":
            return None
        other = replace(noun)
        split_aggregate(self.resolver, other)
        column = self.resolver.column(other, want) if other.aggregates else None
        if column is None or column.table == main or self.catalog.refers(main, column.table):
            return None
        noun.ref, noun.aggregates = other.ref, other.aggregates
        return column

    def _table_compared(self, cond: Cond, main: str) -> Part | None:
        """`whose department is 'Sales'`: the table's name column, or whichever of its columns holds the value."""
        table = self.resolver.table(cond.noun.ref) if cond.noun is not None else None
        if table is not None and (compared_with := count_beside(self, cond, table, main)) is not None:
            self.having.append(compared_with)
            return Part(None, cond)
        return None

    def _count_compared(self, cond: Cond) -> Part | None:
        table = self.resolver.table(cond.noun.ref) if cond.noun is not None else None
        number = self._whole(cond)
        if table is None or number is None or cond.operator is Operator.BETWEEN:
            return None
        self.having.append(count_of(table, cond.operator, (number,), cond))
        return Part(None, cond)

    def _made(self, cond: Cond, column: ColumnKey, operator: Operator, main: str) -> Part | None:
        resolver = self.resolver
        aggregates = cond.noun.aggregates if cond.noun is not None and cond.noun.ref is not None else ()
        for aggregate in (*aggregates, *([cond.figure] if cond.figure else []))[:1] if cond.values else ():
            operand = resolver.operand(column, operator, cond.values[0])
            if operand is None or (operand[0] is Operator.BETWEEN and len(operand[1]) < 2):
                return None
            figure = Figure(aggregate, as_column(column))
            self.figures.append(Comparison(figure, operand[0], operand[1], cond.negated))
            return Part(None, cond, column)
        if (compared_total := total(self, cond, column, operator, main)) is not None:
            self.having.append(compared_total)
            return Part(None, cond, column)
        left = as_column(column)
        if cond.nest is not None:
            value = nested(self, cond.nest, column, operator, main)
            if value is None:
                return None
            if aggregates:  # an average price above the average of all
                self.figures.append(Comparison(Figure(aggregates[0], left), operator, (value,), cond.negated))
                return Part(None, cond, column)
            compared_with: Condition = Comparison(left, operator, (value,), cond.negated)
            if (same := of_the_same_time(self.catalog, cond.nest, value, left)) is not None:
                compared_with = Both((compared_with, same))
            return Part(compared_with, cond, column)
        if (said := self._dated(cond, column, operator, main)) is not None:
            return said
        if operator is Operator.LIKE:
            return self._signed_like(cond, column, main)
        if operator is Operator.BETWEEN:
            return self._between(cond, column, main)
        literals: list[Literal] = []
        for ref in cond.values:
            operand = resolver.operand(column, operator, ref)
            if operand is None:
                return None
            if operand[0] is Operator.BETWEEN:
                spans = [resolver.operand(column, operator, one) for one in cond.values]
                made = [Comparison(left, *one) for one in spans if one is not None]
                if len(made) == 1 or cond.negated:
                    return self._signed(made[0], cond, column, main) if len(made) == 1 else None
                return Part(either_of(list(made)), cond, column)
            literals += operand[1][:1]
        if not literals:
            return None
        if len(literals) > 1:
            operator = Operator.IN
        return self._signed(Comparison(left, operator, tuple(literals)), cond, column, main)
