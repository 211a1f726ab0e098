"""Composes the plan of a whole question: resolves what is shown, the groups and the orders against one another."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from resolvers.engines.nl2sql.chart.binding import Ground, both, column_of, plus
from resolvers.engines.nl2sql.chart.pieces import Ask, Attribute, Difference, Item, Ratio, Rows, Shown, Sorting, Tally
from resolvers.engines.nl2sql.chart.rules import Features
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Arithmetic,
    Column,
    Combined,
    Comparison,
    Condition,
    Figure,
    Member,
    Nested,
    Order,
    Output,
    Plan,
    Span,
    Term,
)


class Unfit(Exception):
    """The pieces of a question do not go together."""


def composed(asked: Ask, ground: Ground) -> tuple[Plan, Features] | None:
    """The plan of a question with the features that resolving it adds; None where its pieces do not go together."""
    try:
        composer = _Composer(asked, ground)
        plan, features = composer.plan(), composer.features
    except Unfit:
        return None
    if asked.combined is None:
        return plan, features
    how, other = asked.combined
    second = composed(other, ground)
    if second is None or len(second[0].outputs) != len(plan.outputs) or plan.limit is not None:
        return None
    return replace(plan, combined=Combined(how, second[0])), plus(features, second[1])


@dataclass(slots=True)
class _Composer:
    asked: Ask
    ground: Ground
    features: dict[str, float] = field(default_factory=dict)
    where: list[Condition] = field(default_factory=list)
    groups: list[Column | Span] = field(default_factory=list)
    via: list[tuple[Column, Column]] = field(default_factory=list)

    def plan(self) -> Plan:
        asked = self.asked
        main = self.main()
        rows = asked.rows
        if rows is not None and rows.limit is not None and self.tallies():
            self.where.append(self.among(rows))
            rows = Rows(rows.table)
        if rows is not None:
            self.where += rows.where
        for group in asked.groups:
            self.group(group, main)
        outputs = [term for item in asked.items for term in self.terms(item, main)]
        if not outputs:
            raise Unfit
        if not asked.groups and any(isinstance(one, Figure) for one in outputs):
            self.add({"mixed": float(any(isinstance(one, Column | Span) for one in outputs))})
        having = [Comparison(self.figure(tally, main), one.operator, one.numbers) for tally, one in asked.having]
        orders = list(rows.orders) if rows is not None else []
        limit, offset = (rows.limit, rows.offset) if rows is not None else (None, 0)
        for sorting in asked.sortings:
            orders.append(self.order(sorting, outputs, main))
            limit = sorting.limit or limit
        if rows is not None and any(isinstance(one.term, Figure) for one in orders) and not self.groups:
            key = self.ground.catalog.key(rows.table)
            self.groups += [column_of(key)] if key is not None else []
        return Plan(
            main,
            tuple(map(Output, dict.fromkeys(outputs))),
            both(dict.fromkeys(self.where)),
            tuple(dict.fromkeys(self.groups)),
            both(having),
            tuple(orders),
            limit,
            offset,
            distinct=asked.distinct and not self.groups,
            via=tuple(self.via),
        )

    def tallies(self) -> list[Tally]:
        """Every figure of the question."""
        asked = self.asked
        found = [one for one in asked.items if isinstance(one, Tally)]
        found += [one.greater for one in asked.items if isinstance(one, Difference)]
        found += [Tally(Aggregate.COUNT, rows=one.rows) for one in asked.items if isinstance(one, Ratio)]
        found += [one.by for one in asked.sortings if isinstance(one.by, Tally)]
        return found + [tally for tally, _ in asked.having]

    def main(self) -> str:
        """The table that the query is about: that of the figure, or that of the rows."""
        counted = [one for one in self.tallies() if one.of is None and one.rows is not None]
        if counted and counted[0].rows is not None:
            return counted[0].rows.table
        for tally in self.tallies():
            if tally.rows is not None:
                return tally.rows.table
        if self.asked.rows is not None:
            return self.asked.rows.table
        groups = [one.table for one in self.asked.groups if isinstance(one, Rows)]
        for tally in self.tallies():
            if tally.of is not None and tally.of.options:
                near = self.ground.columns(tally.of, groups[0]) if groups else ()
                return near[0][0].table if near else tally.of.options[0][0].table
        shown = [one for one in self.asked.items if isinstance(one, Shown)]
        if shown and shown[0].attribute.options:
            return shown[0].attribute.options[0][0].table
        raise Unfit

    def among(self, rows: Rows) -> Condition:
        """That rows are those that a cut leaves."""
        key = self.ground.key(rows.table)
        if key is None:
            raise Unfit
        inner = Plan(rows.table, (Output(column_of(key)),), both(rows.where), orders=rows.orders, limit=rows.limit,
                     offset=rows.offset)  # fmt: skip
        return Member(column_of(key), inner)

    def group(self, group: Shown | Rows, main: str) -> None:
        if isinstance(group, Shown):
            self.groups += [one for one in self.terms(group, main) if isinstance(one, Column | Span)]
            return
        if group.table != main and not self.ground.reaches(main, group.table):
            raise Unfit
        key = self.ground.catalog.key(group.table)
        self.groups += [column_of(key)] if key is not None else list(self.ground.entity(group.table))
        self.where += group.where

    def terms(self, item: Item, main: str) -> list[Term]:
        """What an item shows."""
        match item:
            case Shown(attribute, table, by) if by is not None and table is not None:
                return [self.referred(attribute, table, by)]
            case Shown(attribute, table):
                term = self.column(attribute, table or self.anchor(main), main)
                return self.whole_name(attribute, term) or [term]
            case Rows(table):
                if table != main and self.ground.reaches(main, table) is None:
                    raise Unfit
                return list(self.ground.entity(table))
            case Tally():
                return [self.figure(item, main)]
            case Ratio(rows, of):
                return [self.ratio(rows, of)]
            case Difference(greater, less):
                return [self.difference(greater, less, main)]

    def whole_name(self, attribute: Attribute, term: Term) -> list[Term]:
        """All parts of a name of which one was found; none where it has but one."""
        if attribute.words not in (("name",), ("full", "name")) or not isinstance(term, Column):
            return []
        parts = self.ground.catalog.names(term.table)
        return list(map(column_of, parts)) if any(one.column == term.column for one in parts) else []

    def referred(self, attribute: Attribute, table: str, by: ColumnKey) -> Term:
        """A column of the row that another column refers to."""
        key, near = self.ground.catalog.reference(by), self.ground.near(attribute, table)
        if key is None or not near or near[0][0].table != table:
            raise Unfit
        instance = int(by.table == table)
        self.add(near[0][1])
        self.via.append((column_of(by), Column(table, key.to_columns[0], instance)))
        return Column(table, near[0][0].column, instance)

    def ratio(self, rows: Rows, of: Rows) -> Term:
        """The count of rows for each of those that they refer to."""
        keys = [key for key in self.ground.catalog.keys if (key.table, key.to) == (rows.table, of.table)]
        if len(keys) != 1 or len(keys[0].columns) != 1 or not of.is_bare or rows.orders:
            raise Unfit
        self.where += rows.where
        each = Figure(Aggregate.COUNT, Column(rows.table, keys[0].columns[0]), distinct=True)
        return Arithmetic("/", Figure(Aggregate.COUNT, rows_of=rows.table), each)

    def difference(self, greater: Tally, less: Tally, main: str) -> Term:
        """How far two figures lie apart, the second taken of the same rows."""
        figure = self.figure(greater, main)
        conditions = both(dict.fromkeys(self.where))
        other = Plan(main, (Output(self.figure(less, main)),), conditions)
        return Arithmetic("-", figure, Nested(other))

    def anchor(self, main: str) -> str:
        """The table that a property belongs to where none is told."""
        rows = [one.table for one in self.asked.groups if isinstance(one, Rows)]
        return self.asked.rows.table if self.asked.rows is not None else rows[0] if rows else main

    def column(self, attribute: Attribute, table: str, main: str) -> Term:
        """The column that a property is, or the span of time that it falls into."""
        if attribute.unit is not None and not attribute.words:
            found = list(self.ground.dated(None, main))
            if not found:
                raise Unfit
            key, features = found[0]
            self.add(features)
            year = self.ground.catalog.is_year(key)
            return column_of(key) if year else Span(column_of(key), attribute.unit)
        near = list(self.ground.near(attribute, table))
        if not near:
            raise Unfit
        key, features = near[0]
        self.add(features)
        if key.table != main and self.ground.reaches(main, key.table) is None:
            raise Unfit
        return self.ground.term(attribute, key)

    def figure(self, tally: Tally, main: str) -> Figure:
        if tally.rows is not None and tally.rows is not self.asked.rows:
            rows = tally.rows
            self.where += [self.among(rows)] if rows.limit is not None else list(rows.where)
        if tally.of is None:
            return self.count(tally)
        near = list(self.ground.near(tally.of, tally.rows.table if tally.rows is not None else self.anchor(main)))
        fitting = [
            one for one in near if tally.aggregate is Aggregate.COUNT or self.ground.catalog.kind(one[0]).is_ordered
        ]
        if tally.aggregate in (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN):
            fitting = [one for one in fitting if self.ground.catalog.is_measure(one[0])]
        if not fitting:
            raise Unfit
        self.add(fitting[0][1])
        return Figure(tally.aggregate, column_of(fitting[0][0]), tally.distinct)

    def count(self, tally: Tally) -> Figure:
        """A count of rows; where none are told, that of another figure of the question."""
        if tally.rows is not None:
            return Figure(Aggregate.COUNT, rows_of=tally.rows.table)
        rows = self.asked.rows
        orders = [one.term for one in rows.orders if isinstance(one.term, Figure)] if rows is not None else []
        told = [Figure(Aggregate.COUNT, rows_of=one.rows.table) for one in self.tallies() if one.rows is not None]
        if not orders and not told:
            raise Unfit
        return (orders or told)[0]

    def order(self, sorting: Sorting, outputs: Sequence[Term], main: str) -> Order:
        match sorting.by:
            case Tally():
                return Order(self.figure(sorting.by, main), sorting.descending)
            case Attribute():
                return Order(self.column(sorting.by, self.anchor(main), main), sorting.descending)
            case Degree():
                for key, features in self.ground.measured(sorting.by, self.anchor(main)):
                    self.add(features)
                    return Order(column_of(key), self.ground.descends(sorting.by, key))
                raise Unfit
        figures = [one for one in outputs if isinstance(one, Figure)]
        return Order(figures[0] if figures else outputs[0], sorting.descending)

    def add(self, features: Features) -> None:
        self.features = plus(self.features, features)
