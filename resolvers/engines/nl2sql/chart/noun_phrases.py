"""Rules of noun phrases: the rows that are meant, chosen by conditions, put in order and cut off."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from resolvers.engines.nl2sql.chart.binding import Ground, chosen, column_of, plus
from resolvers.engines.nl2sql.chart.pieces import (
    Attribute,
    Holds,
    Joint,
    Many,
    Open,
    Ranking,
    Rows,
    Sorting,
    Tally,
    Value,
)
from resolvers.engines.nl2sql.chart.rules import Built, Features, RuleSet
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Column,
    Comparison,
    Condition,
    Figure,
    Literal,
    Operator,
    Order,
)
from resolvers.engines.nl2sql.sql_writing.uses import parts_of

RULES: Final = RuleSet()


@RULES.rule("Rows", "Entity", "all Entity")
def named(_: Ground, rows: Rows) -> Built:
    """`the firefighters`."""
    yield rows, {}


@RULES.rule("Rows", "Value", assumed_tables=1.0)
def of_value(ground: Ground, value: Value) -> Built:
    """`the captains`: rows that only a value of theirs names."""
    if value.flag:
        return
    for key, _, _ in value.options[:2]:
        for condition, features in ground.bound(Holds(value), key.table)[:1]:
            yield chosen(Rows(key.table), condition), features


@RULES.rule("Rows", "Entity Number")
def numbered(ground: Ground, rows: Rows, number: Literal) -> Built:
    """`parcel 504`."""
    key = ground.catalog.key(rows.table)
    if key is not None and ground.catalog.is_number(key):
        yield chosen(rows, Comparison(column_of(key), Operator.EQUAL, (number,))), {"numbered": 1.0}


@RULES.rule("Rows", "distinct Rows", "all distinct Rows")
def distinct(_: Ground, rows: Rows) -> Built:
    """`different firefighters`."""
    yield replace(rows, distinct=True), {}


@RULES.rule("Rows", "Value Rows", "all Value Rows")
def described(ground: Ground, value: Value, rows: Rows) -> Built:
    """`red cars`."""
    if rows.limit is None:
        for condition, features in ground.bound(Holds(value), rows.table):
            yield chosen(rows, condition), features


@RULES.rule("Rows", "Rows ?comma ?link Condition", "Rows and link Condition")
def where(ground: Ground, rows: Rows, cond: Open) -> Built:
    """`firefighters hired before 2002`. What is cut off is chosen from first, as far as it is said behind."""
    for condition, features in ground.bound(cond, rows.table):
        if not _contradicts(condition, rows.where):
            yield chosen(rows, condition), features


def _contradicts(condition: Condition, others: tuple[Condition, ...]) -> bool:
    """Whether a column would have to be two values at once."""
    if isinstance(condition, Both):
        return any(_contradicts(one, others) for one in condition.parts)
    if not isinstance(condition, Comparison) or condition.operator is not Operator.EQUAL or condition.negated:
        return False
    parts = [part for one in others for part in parts_of(one)]
    same = (one for one in parts if isinstance(one, Comparison) and one.operator is Operator.EQUAL and not one.negated)
    return any(one.left == condition.left for one in same)


@RULES.rule("Rows", "who ?link Condition", "who ?link ?be Condition", asked_who=1.0)
def who(ground: Ground, cond: Open) -> Built:
    """`who made more than two observations`: people."""
    catalog = ground.catalog
    for table in [one for one in catalog.tables if catalog.vocabulary.is_person(one)][:4]:
        for condition, features in ground.bound(cond, table)[:1]:
            yield chosen(Rows(table), condition), features


@RULES.rule("Rows", "Value ?comma and|or ?all Value Rows", "all Value ?comma and|or all Value Rows")
def of_either(ground: Ground, one: Value, other: Value, rows: Rows) -> Built:
    """`all fruit and dairy products`."""
    if rows.is_bare:
        for condition, features in ground.bound(Joint((Holds(one), Holds(other)), either=True), rows.table)[:1]:
            yield chosen(rows, condition), features


# Rankings.


@RULES.rule("Ranking", "Superlative")
def ranking(_: Ground, degree: Degree) -> Built:
    """`the oldest`."""
    yield Ranking(degree), {}


@RULES.rule("Ranking", "Nth Superlative")
def nth(_: Ground, place: int, degree: Degree) -> Built:
    """`the third highest`."""
    yield Ranking(degree, 1, place - 1), {}


@RULES.rule("Ranking", "Number Superlative", "top Number Superlative")
def several(_: Ground, number: Literal, degree: Degree) -> Built:
    """`the five oldest`."""
    if (limit := whole(number)) is not None:
        yield Ranking(degree, limit), {}


@RULES.rule("Ranking", "Superlative Number")
def first_several(ground: Ground, degree: Degree, number: Literal) -> Built:
    """`the oldest five`."""
    yield from several(ground, number, degree)


def whole(number: Literal) -> int | None:
    """A small whole number; None for any other."""
    value = number.value
    return int(value) if isinstance(value, Decimal) and value == int(value) and 0 < value <= 1000 else None


@RULES.rule("Rows", "Ranking Rows", ranked=1.0)
def ranked(ground: Ground, ranking: Ranking, rows: Rows) -> Built:
    """`the oldest student`."""
    if rows.limit is None:
        for key, score in ground.catalog.vocabulary.measured(ranking.degree, [rows.table])[:2]:
            yield _cut(ground, rows, ranking, Column(key.table, key.column)), {"unfit": 1 - score}


@RULES.rule("Rows", "Rows ?comma ?link Ranking", ranked=1.0)
def ranked_behind(ground: Ground, rows: Rows, ranking: Ranking) -> Built:
    """`which student is the oldest`."""
    yield from ranked(ground, ranking, rows)


@RULES.rule("Rows", "Rows ?comma ?link Ranking Attribute", ranked=1.0)
def ranked_by(ground: Ground, rows: Rows, ranking: Ranking, attribute: Attribute) -> Built:
    """`the firefighter with the third highest salary`."""
    if rows.limit is None:
        for key, features in ground.near(attribute, rows.table):
            if ground.catalog.kind(key).is_ordered or ground.catalog.is_moment_like(key):
                yield _cut(ground, rows, ranking, column_of(key)), features


@RULES.rule("Rows", "Number Rows ?link Ranking Attribute", ranked=1.0)
def several_ranked_by(ground: Ground, number: Literal, rows: Rows, ranking: Ranking, attribute: Attribute) -> Built:
    """`the two clerks with the highest pay`."""
    if (limit := whole(number)) is not None:
        yield from ranked_by(ground, rows, replace(ranking, limit=limit), attribute)


@RULES.rule("Rows", "Number Rows ?link Many ?link Rows", ranked=1.0)
def several_with_most(ground: Ground, number: Literal, rows: Rows, many: Many, counted: Rows) -> Built:
    """`the two stations with the most callouts`."""
    if (limit := whole(number)) is not None:
        yield from with_most(ground, rows, replace(many, limit=limit), counted)


@RULES.rule("Rows", "Ranking Attribute Rows", ranked=1.0)
def ranked_before(ground: Ground, ranking: Ranking, attribute: Attribute, rows: Rows) -> Built:
    """`the highest paid employee`."""
    yield from ranked_by(ground, rows, ranking, attribute)


def _cut(ground: Ground, rows: Rows, ranking: Ranking, column: Column) -> Rows:
    descending = ground.descends(ranking.degree, ColumnKey(column.table, column.column))
    return replace(rows, orders=(Order(column, descending),), limit=ranking.limit, offset=ranking.offset)


# The most of something.


@RULES.rule("Many", "Most")
def many(_: Ground, descending: object) -> Built:
    """`the most`, `the fewest`."""
    yield Many(descending is not False), {}


@RULES.rule("Many", "Number Most")
def several_many(_: Ground, number: Literal, descending: object) -> Built:
    """`the three with the most`, said as one."""
    if (limit := whole(number)) is not None:
        yield Many(descending is not False, limit), {}


@RULES.rule("Many", "Nth Most")
def nth_many(_: Ground, place: int, descending: object) -> Built:
    """`the second most`."""
    yield Many(descending is not False, 1, place - 1), {}


@RULES.rule("Rows", "Rows ?link Many Rows", "Rows ?link Many link Rows", ranked=1.0)
def with_most(ground: Ground, rows: Rows, many: Many, counted: Rows) -> Built:
    """`the station with the most callouts`."""
    away = ground.reaches(rows.table, counted.table)
    if rows.limit is None and away and not counted.orders:
        figure = Figure(Aggregate.COUNT, rows_of=counted.table)
        found = replace(rows, where=(*rows.where, *counted.where), orders=(Order(figure, many.descending),))
        yield replace(found, limit=many.limit, offset=many.offset), {"far": float(away - 1), "counted": 1.0}


@RULES.rule("Rows", "Rows ?link Many Attribute", ranked=1.0)
def with_most_of(ground: Ground, rows: Rows, many: Many, attribute: Attribute) -> Built:
    """`the car with the most horsepower`."""
    if rows.limit is None:
        for key, features in ground.near(attribute, rows.table):
            if ground.catalog.is_measure(key):
                order = Order(column_of(key), many.descending)
                yield replace(rows, orders=(order,), limit=many.limit, offset=many.offset), features


@RULES.rule("Rows", "Rows ?link Many Attribute ?link Aggregate", ranked=1.0)
def with_most_in_all(ground: Ground, rows: Rows, many: Many, attribute: Attribute, how: Aggregate) -> Built:
    """`the vendor who sold the largest quantity in total`."""
    if rows.limit is not None:
        return
    for term, conditions, features in figures(ground, Tally(how, attribute), rows.table):
        found = replace(rows, where=(*rows.where, *conditions), orders=(Order(term, many.descending),))
        yield replace(found, limit=many.limit, offset=many.offset), {**features, "counted": 1.0}


@RULES.rule("Rows", "Rows ?link Ranking Tally", ranked=1.0)
def with_highest_figure(ground: Ground, rows: Rows, ranking: Ranking, tally: Tally) -> Built:
    """`the make with the largest average tank size`."""
    if rows.limit is not None:
        return
    for term, conditions, features in figures(ground, tally, rows.table):
        order = Order(term, ranking.degree.descending)
        found = replace(rows, where=(*rows.where, *conditions), orders=(order,))
        yield replace(found, limit=ranking.limit, offset=ranking.offset), {**features, "counted": 1.0}


def figures(ground: Ground, tally: Tally, table: str) -> Iterator[tuple[Figure, tuple[Condition, ...], Features]]:
    """A figure of the rows that belong to one of a table, with the conditions that it brings."""
    if tally.of is None:
        counted = tally.rows
        away = ground.reaches(table, counted.table) if counted is not None else None
        if counted is not None and away is not None and not counted.orders:
            yield Figure(Aggregate.COUNT, rows_of=counted.table), counted.where, {"far": float(max(0, away - 1))}
        return
    owner = tally.rows.table if tally.rows is not None else table
    for key, features in ground.near(tally.of, owner):
        if tally.aggregate is Aggregate.COUNT or ground.catalog.is_measure(key):
            conditions = tally.rows.where if tally.rows is not None else ()
            yield Figure(tally.aggregate, column_of(key), tally.distinct), conditions, features


# Orders.


@RULES.rule("Rows", "top Number Rows", ranked=1.0)
def top(_: Ground, number: Literal, rows: Rows) -> Built:
    """`the top 5 cars by horsepower`: by what, is told behind."""
    if (limit := whole(number)) is not None and rows.limit is None and rows.orders:
        orders = tuple(replace(one, descending=True) for one in rows.orders)
        yield replace(rows, orders=orders, limit=limit), {}


@RULES.rule("Rows", "Rows ?comma Sorting")
def sorted_rows(ground: Ground, rows: Rows, sorting: Sorting) -> Built:
    """`students ordered by age`."""
    if rows.limit is not None or rows.orders or isinstance(sorting.by, Tally) or sorting.by is None:
        return
    for key, features in ground.measured(sorting.by, rows.table):
        descending = sorting.descending
        if isinstance(sorting.by, Degree):
            descending = ground.descends(sorting.by, key)
        yield replace(rows, orders=(Order(column_of(key), descending),)), plus(features)
