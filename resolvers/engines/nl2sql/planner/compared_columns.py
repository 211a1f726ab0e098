"""What conditions compare: which tables they speak of, values as columns hold them, keys, counts and spans."""

from collections.abc import Sequence
from decimal import Decimal

from resolvers.engines.nl2sql.language.lives import BORN as LIVES
from resolvers.engines.nl2sql.language.words import IDENTIFYING
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Both,
    Comparison,
    Condition,
    Literal,
    Operator,
    Plan,
    Related,
)
from resolvers.engines.nl2sql.planner.along import Along
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.dated import dated, denied, on_weekdays
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.operands import equal_to
from resolvers.engines.nl2sql.planner.parts import (
    Part,
    either_of,
)
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.planner.texts import looked_for
from resolvers.engines.nl2sql.planner.totals import Compared, count_of
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind

_NUMBERS = IDENTIFYING | {"num"}
"""Words of keys by which the key itself is meant."""
BORN = frozenset(("birth", "born", "bear", "dob", "birthday", "found", "establish", "build", "open", "start"))
"""Words of the columns that tell when somebody was born or something began, and of questions for it."""
_HELD = 0.9
"""How sure words must be a value of a column for that column to be meant."""
BOUNDS = (Operator.AT_LEAST, Operator.AT_MOST)


class ComparedColumns(Along):
    """Finds what a condition compares, and with what."""

    def __init__(self, resolver: Resolver, main: str, counted: Sequence[str] = (), *, figured: bool = False) -> None:
        super().__init__(resolver)
        self.main = main
        self._counted, self._figured = counted, figured
        """The tables of whose rows figures are made: a time behind an amount is theirs; and whether one that is asked
        for is made of the main table's."""
        self.deed: str | None = None
        """The table of the last verb: when it was done is told there."""
        self.figures: list[Condition] = []
        """Conditions on figures."""
        self.having: list[Compared] = []
        """Figures of tables that the caller makes into HAVING or a nested plan."""

    def _equal(self, cond: Cond, column: ColumnKey, literals: list[Literal], main: str) -> Part:
        return self._signed(equal_to(as_column(column), literals), cond, column, main)

    def _signed_like(self, cond: Cond, column: ColumnKey, main: str) -> Part:
        """That a text has something in it, or one of several: `begins with A or B`."""
        resolver, found = self.resolver, list[Comparison]()
        for ref in cond.values:
            resolver.used.add((ref.first, ref.last))
            text = looked_for(resolver, cond.how, ref)
            pattern = {"starts": f"{text}%", "ends": f"%{text}"}.get(cond.how, f"%{text}%")
            found.append(Comparison(as_column(column), Operator.LIKE, (Literal("text", pattern),)))
        if len(found) > 1 and not cond.negated:
            return Part(either_of([*found]), cond, column)
        return self._signed(found[0], cond, column, main)

    def _signed(self, comparison: Comparison, cond: Cond, column: ColumnKey, main: str) -> Part:
        """The comparison, or that there is none such among rows of which there may be several."""
        comparison = self.by_way(comparison, cond, column, main)
        if not cond.negated:
            return Part(comparison, cond, column)
        if self._is_below(column, cond, main):
            plan = Plan(column.table, (), where=comparison)
            return Part(Related(main, plan, True), cond, column)
        turned = Comparison(comparison.left, comparison.operator, comparison.right, True)
        return Part(turned, cond, column)

    def _is_below(self, column: ColumnKey, cond: Cond, main: str) -> bool:
        """Return whether a row has several of those that a condition is said of, none of which may be such. Of rows
        that are counted it is denied of each of them: the most orders, leaving out orders from France.
        """
        if column.table == main or self.catalog.refers(main, column.table):
            return False
        said_of = self.resolver.table(cond.near[0]) if cond.near else None
        return not (column.table in self._counted and said_of == column.table)

    def _when_it_happened(self, tables: Sequence[str], begun: ColumnKey) -> ColumnKey | None:
        """The time of rows beside those of which only the beginning is known: operations in a ward that was opened."""
        beside = [one for one in tables if one != begun.table]
        column = self.resolver.time_column(beside) if beside else None
        return column if column is not None and not BORN & set(self.catalog.words(column)) else None

    def _is_of_the_thing(self, column: ColumnKey, ref: Ref) -> bool:
        """Return whether a year of rows is taken though a verb before it is what another table notes: cars rented in
        2024.
        """
        if not self.catalog.is_year(column):
            return False
        verbs = [atom.ref for atom in self.resolver.cut.atoms if atom.verbal and atom.last <= ref.first and atom.ref]
        done = {one.table for each in verbs for one in each.tables if one.table is not None and one.score >= 0.8}
        return any(
            self.catalog.is_time(key) for table in done if table != column.table for key in self.catalog.of(table)
        )

    def _happens(self, column: ColumnKey) -> bool:
        """Return whether the beginning of rows is when they were: of a meeting, and not of a person or a firm."""
        catalog, table = self.catalog, column.table
        if catalog.vocabulary.is_person(table) or LIVES & set(catalog.words(column)):
            return False
        refers = {key.to for key in catalog.keys if key.table == table}
        return catalog.kind(column) is ColumnKind.MOMENT or len(refers) > 1

    def _tables(self, cond: Cond, main: str, last: ColumnKey | None) -> list[str]:
        found = [table for ref in cond.near if (table := self.resolver.table(ref)) is not None]
        found += [one.table for one in self.having if one.figure.of is not None]  # 500 points since 2019
        mentioned = self.resolver.mentioned()
        if main not in mentioned:  # who scored most in 2010: the year of the scores, not of the people
            ranked = self.resolver.tables_of_numbers(sort.noun for sort in self.resolver.frame.sorts)
            found += [*ranked, *mentioned]
            if last is not None and self.resolver.frame.asks_who:
                found.append(last.table)  # who won a prize in 2015: the year of the prize, too
        return list(dict.fromkeys([*found, main, *mentioned]))

    def _is_of_the_row_above(self, cond: Cond, column: ColumnKey) -> bool:
        """`whose home port is in Kent`: a value of the row that a key refers to, rather than of the key."""
        tie = self.catalog.reference(column)
        if tie is None or cond.nest is not None or not cond.values:
            return False
        held = {one.column for one in cond.values[0].values if one.score >= _HELD}
        return column not in held and any(key is not None and key.table == tie.to for key in held)

    def _and_so(self, column: ColumnKey | None, when: Part | None) -> Part | None:
        """A time, and what is said before it of yes and no: of union members in 1987."""
        flag = self.catalog.vocabulary.flag(column) if column is not None else None
        if column is not None and flag is not None and when is not None and when.condition is not None:
            when.condition = Both((Comparison(as_column(column), Operator.EQUAL, (flag[0],)), when.condition))
        return when

    def _keyed(self, cond: Cond, main: str) -> Part | None:
        """`order 103`, `flight 'LH12'`: the key of a table, or its name."""
        table = self.resolver.table(cond.noun.ref) if cond.noun is not None else None
        if table is None:
            return None
        number = any(one.values and one.values[0].kind == "number" for one in cond.values[0].literals)
        for column, _, values in self.resolver.value_options(cond.values[0], ()):
            if column.table == table and not number:
                self.resolver.used.add((cond.values[0].first, cond.values[0].last))
                return self._equal(cond, column, list(values[:1]), main)
        key = self.catalog.key(table)
        names = self.catalog.names(table)
        text = self.resolver.text(cond.values[0])
        columns = [key] if number and key is not None and self.catalog.is_number(key) else []
        for column in [*columns, *names[:1], *([key] if key else [])]:
            if column is not None and (column in columns or not self.catalog.is_number(column)):
                operand = self.resolver.operand(column, Operator.EQUAL, cond.values[0])
                if operand is not None:
                    literal = operand[1][0] if column in columns else Literal("text", text)
                    return self._signed(Comparison(as_column(column), Operator.EQUAL, (literal,)), cond, column, main)
        return None

    def _turned(self, cond: Cond, column: ColumnKey) -> Operator:
        if cond.degree is None:
            return cond.operator
        if self.catalog.is_key(column):
            self.resolver.doubt("rows are compared by a key where an adjective says by what", 0.6)
        return Operator.MORE if self.resolver.direction(cond.degree, column) else Operator.LESS

    def _counts_rows(self, cond: Cond, column: ColumnKey) -> bool:
        """`grades with at least 4 pupils`, where only a key is called so: what it refers to is counted.

        How one number of a row compares with another says nothing, unless the number itself is named.
        """
        tie, number, noun = self.catalog.reference(self.part_of(cond) or column), self._whole(cond), cond.noun
        if tie is None or number is None or noun is None or noun.ref is None or noun.aggregates or cond.degree:
            return False
        said = self.resolver.cut.linked.words(noun.ref.first, noun.ref.last)
        if cond.nest is not None or cond.operator is Operator.BETWEEN or _NUMBERS & set(said):
            return False
        self.having.append(count_of(tie.to, cond.operator, (number,), cond))
        return True

    def _is_of_groups(self, cond: Cond) -> bool:
        """`how many tracks per genre, only those with more than 100`: a number of nothing is that which is counted."""
        frame, number = self.resolver.frame, self._whole(cond)
        first = frame.items[0] if frame.items else None
        if first is None or not first.count or not (frame.groups or frame.per) or cond.noun is not None:
            return False
        table = self.resolver.table(first.ref)
        if table is None or number is None or cond.operator is Operator.BETWEEN:
            return False
        self.having.append(count_of(table, cond.operator, (number,), cond))
        return True

    def _whole(self, cond: Cond) -> int | None:
        for ref in cond.values:
            for one in ref.literals:
                if one.values and isinstance(one.values[0].value, Decimal):
                    return int(one.values[0].value)
        return None

    def _dated(self, cond: Cond, column: ColumnKey, operator: Operator, main: str) -> Part | None:
        """Months and days that no single value of a column tells."""
        found = dated(self.resolver, column, operator, cond.values)
        if found is None and operator in (Operator.EQUAL, Operator.IN):
            found = on_weekdays(self.resolver, column, cond.values)
        if found is None:
            return None
        if isinstance(found, Comparison):
            return self._signed(found, cond, column, main)
        if cond.negated and self._is_below(column, cond, main):
            return Part(Related(main, Plan(column.table, (), where=found), True), cond, column)
        return Part(denied(found) if cond.negated else found, cond, column)

    def _between(self, cond: Cond, column: ColumnKey, main: str) -> Part | None:
        resolver = self.resolver
        if len(cond.values) == 1:
            spans = [one for one in cond.values[0].literals if len(one.values) == 2]
            if self.catalog.is_measure(column) and not self.catalog.is_year(column):
                spans.sort(key=lambda one: one.values[0].kind != "number")
            literal = spans[0] if spans else None
            if literal is None:
                return None
            resolver.used.add((cond.values[0].first, cond.values[0].last))
            ends = resolver.in_unit(column, cond.values[0], literal.values)
            return self._signed(Comparison(as_column(column), Operator.BETWEEN, ends), cond, column, main)
        low = resolver.operand(column, Operator.AT_LEAST, cond.values[0])
        high = resolver.operand(column, Operator.AT_MOST, cond.values[1])
        if low is None or high is None:
            return None
        return self._signed(
            Comparison(as_column(column), Operator.BETWEEN, (low[1][0], high[1][0])), cond, column, main
        )
