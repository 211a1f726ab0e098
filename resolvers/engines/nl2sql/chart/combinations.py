"""Rules of figures that are made of figures, and of answers that are put together of two."""

from dataclasses import replace
from typing import Final
from typing import Literal as OneOf

from resolvers.engines.nl2sql.chart.binding import Ground
from resolvers.engines.nl2sql.chart.pieces import (
    Ask,
    Attribute,
    Difference,
    Has,
    Items,
    Joint,
    Open,
    Ratio,
    Rows,
    Shown,
    Sorting,
    Tally,
)
from resolvers.engines.nl2sql.chart.questions import extreme
from resolvers.engines.nl2sql.chart.rules import Built, RuleSet
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.plan import Aggregate

RULES: Final = RuleSet()

# Figures of figures.


@RULES.rule("Ask", "Aggregate count ?link Rows each|per|by|link Rows", "Aggregate Rows each|per Rows")
def count_per(_: Ground, how: Aggregate, rows: Rows, of: Rows) -> Built:
    """`the average number of certificates per firefighter`, `the maximum number of callouts of one station`."""
    if how is Aggregate.AVG:
        yield Ask((Ratio(rows, of),)), {}
    elif how in (Aggregate.MAX, Aggregate.MIN) and of.is_bare:
        tally = Tally(Aggregate.COUNT, rows=rows)
        yield Ask((tally,), groups=(of,), sortings=(Sorting(tally, how is Aggregate.MAX, 1),)), {"grouped": 1.0}


@RULES.rule("Ask", "count ?link Rows ?link each Rows ?link Aggregate")
def count_on_average(_: Ground, rows: Rows, of: Rows, how: Aggregate) -> Built:
    """`how many beers does each brewery make on average`."""
    if how is Aggregate.AVG:
        yield Ask((Ratio(rows, of),)), {}


@RULES.rule("Ask", "Superlative count ?link Rows each|per|by|link Rows")
def extreme_count_per(ground: Ground, degree: Degree, rows: Rows, of: Rows) -> Built:
    """`the highest number of callouts of a station`."""
    yield from count_per(ground, Aggregate.MAX if degree.descending else Aggregate.MIN, rows, of)


@RULES.rule("Items", "difference ?link Superlative ?Attribute and Superlative ?link Attribute")
def difference(ground: Ground, *found: object) -> Built:
    """`the difference between the highest and the lowest salary`."""
    attributes = [one for one in found if isinstance(one, Attribute)]
    degrees = [one for one in found if isinstance(one, Degree)]
    tallies = [tally for degree in degrees for tally, _ in extreme(ground, degree, attributes[-1])]
    if len(tallies) == 2:
        yield from _apart(*tallies)


@RULES.rule("Items", "difference ?link Aggregate ?comma and Aggregate ?link Attribute")
def difference_of(_: Ground, one: Aggregate, other: Aggregate, attribute: Attribute) -> Built:
    """`the difference between the maximum and the average salary`."""
    yield from _apart(Tally(one, attribute), Tally(other, attribute))


def _apart(one: Tally, other: Tally) -> Built:
    if one.aggregate is Aggregate.MIN or other.aggregate is Aggregate.MAX:
        one, other = other, one
    yield Items((Difference(one, other),)), {}


@RULES.rule("Items", "Items ?link Rows")
def difference_among(_: Ground, items: Items, rows: Rows) -> Built:
    """`... salary of captains`: whose figures lie apart."""
    if len(items.items) != 1 or not isinstance(items.items[0], Difference):
        return
    found = items.items[0]
    if found.greater.rows is None:
        greater, less = (replace(one, rows=rows) for one in (found.greater, found.less))
        yield Items((Difference(greater, less),)), {}


# Answers of two questions.


@RULES.rule("Ask", "Attribute ?link both Rows and ?link Rows", combined=1.0)
def in_common(_: Ground, attribute: Attribute, one: Rows, other: Rows) -> Built:
    """`towns that have both a brewery founded before 1900 and one founded after 2000`."""
    yield _of(attribute, one, ("intersect", _of(attribute, other))), {}


@RULES.rule("Ask", "Attribute ?link Rows ?comma and ?link Rows", combined=1.0)
def in_common_too(ground: Ground, attribute: Attribute, one: Rows, other: Rows) -> Built:
    """`towns that have pubs and also breweries`."""
    yield from in_common(ground, attribute, one, other)


@RULES.rule("Ask", "Attribute ?link ?either Rows or ?link Rows", combined=1.0)
def added(_: Ground, attribute: Attribute, one: Rows, other: Rows) -> Built:
    """`towns that have a pub or a guest`."""
    yield _of(attribute, one, ("union", _of(attribute, other))), {}


@RULES.rule("Ask", "Attribute ?link Rows ?comma ?but|and no|not ?link Rows", combined=1.0)
def taken_away(_: Ground, attribute: Attribute, one: Rows, other: Rows) -> Built:
    """`towns that have pubs but no breweries`."""
    yield _of(attribute, one, ("except", _of(attribute, other))), {}


@RULES.rule("Ask", "Attribute ?link no Rows", "Attribute ?link not ?link Rows", combined=1.0)
def none_so(ground: Ground, attribute: Attribute, rows: Rows) -> Built:
    """`towns that have no brewery founded after 2010`."""
    own = {key.table for key, _, away in ground.columns(attribute, rows.table) if not away}
    if rows.where and not rows.orders and own:
        yield _of(attribute, Rows(rows.table), ("except", _of(attribute, rows))), {}


@RULES.rule("Ask", "Attribute ?link Rows ?link Condition", combined=1.0)
def in_common_of(ground: Ground, attribute: Attribute, rows: Rows, cond: Open) -> Built:
    """`makes of engines built before 2010 and also after 2015`: no engine is both."""
    if isinstance(cond, Joint) and len(cond.parts) == 2 and not cond.either and not any(
        isinstance(one, Has) for one in cond.parts
    ):  # fmt: skip
        bound = [ground.bound(one, rows.table) for one in cond.parts]
        if all(bound):
            one, other = (replace(rows, where=(*rows.where, found[0][0])) for found in bound)
            yield _of(attribute, one, ("intersect", _of(attribute, other))), {"rows_apart": 1.0, **bound[0][0][1]}


Taken = tuple[OneOf["union", "intersect", "except"], Ask]


def _of(attribute: Attribute, rows: Rows, combined: Taken | None = None) -> Ask:
    return Ask((Shown(attribute, rows.table),), rows, distinct=combined is None, combined=combined)
