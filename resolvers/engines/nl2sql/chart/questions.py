"""Rules of figures, of what is shown, and of whole questions."""

from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.chart.binding import Ground, chosen
from resolvers.engines.nl2sql.chart.pieces import (
    Ask,
    Attribute,
    Item,
    Items,
    Open,
    Rows,
    Shown,
    Tally,
)
from resolvers.engines.nl2sql.chart.rules import Built, RuleSet
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.plan import Aggregate

RULES: Final = RuleSet()

# Figures.


@RULES.rule("Tally", "count ?link Rows", "count ?link distinct Rows")
def count(_: Ground, rows: Rows) -> Built:
    """`how many firefighters`."""
    yield Tally(Aggregate.COUNT, rows=rows), {}


@RULES.rule("Tally", "count ?link distinct Attribute", "distinct count ?link Attribute")
def count_distinct(_: Ground, attribute: Attribute) -> Built:
    """`how many different majors`."""
    yield Tally(Aggregate.COUNT, attribute, distinct=True), {}


@RULES.rule("Tally", "count ?link Attribute", counted_values=1.0)
def count_values(ground: Ground, attribute: Attribute) -> Built:
    """`how many countries`, where those are values: each counts once; `how many seats`, which are added up."""
    if attribute.options and ground.catalog.is_measure(attribute.options[0][0]):
        yield Tally(Aggregate.SUM, attribute), {"added_up": 1.0}
    yield Tally(Aggregate.COUNT, attribute, distinct=True), {}


@RULES.rule("Attribute", "count ?link Property", named_counts=1.0)
def number_named(ground: Ground, attribute: Attribute) -> Built:
    """`the number of minutes`, where a column tells it."""
    if attribute.options and ground.catalog.is_measure(attribute.options[0][0]):
        yield attribute, {}


@RULES.rule("Tally", "Aggregate ?link Attribute")
def aggregate(_: Ground, how: Aggregate, attribute: Attribute) -> Built:
    """`the average salary`."""
    yield Tally(how, attribute), {}


_ENDS: Final = {True: Aggregate.MAX, False: Aggregate.MIN}


_PLAIN: Final = frozenset(("high", "low", "big", "large", "great", "small", "long", "short"))
"""Adjectives of any number."""


@RULES.rule("Aggregate", "Superlative", extreme=1.0)
def as_aggregate(_: Ground, degree: Degree) -> Built:
    """`the highest`, of a number."""
    if degree.adjective in _PLAIN:
        yield _ENDS[degree.descending], {}


@RULES.rule("Tally", "number", "count", bare_figures=1.0)
def that_number(_: Ground) -> Built:
    """`... and the number`: of what was asked for before."""
    yield Tally(Aggregate.COUNT), {}


@RULES.rule("Tally", "Superlative Attribute", extreme=1.0)
def extreme(ground: Ground, degree: Degree, attribute: Attribute) -> Built:
    """`the highest salary`."""
    best = attribute.options[0][0] if attribute.options else None
    if best is not None and ground.catalog.kind(best).is_ordered:
        yield Tally(_ENDS[ground.descends(degree, best)], attribute), {}


@RULES.rule("Tally", "Tally ?link Rows")
def of_rows(_: Ground, tally: Tally, rows: Rows) -> Built:
    """`the average age of students`."""
    if tally.rows is None:
        yield replace(tally, rows=rows), {}


@RULES.rule("Tally", "Tally ?link Condition")
def of_chosen(ground: Ground, tally: Tally, cond: Open) -> Built:
    """`the number of bids higher than 10000`, `the total amount in 2010`."""
    rows = tally.rows
    if rows is not None or tally.of is None:
        return
    for table in dict.fromkeys(key.table for key, _ in tally.of.options[:2]):
        for condition, features in ground.bound(cond, table):
            yield replace(tally, rows=chosen(Rows(table), condition)), features


# What is shown.


@RULES.rule("Items", "Attribute")
def shown(_: Ground, attribute: Attribute) -> Built:
    """`the name`."""
    yield Items((Shown(attribute),)), {}


@RULES.rule("Items", "Tally")
def figure(_: Ground, tally: Tally) -> Built:
    """`the average salary`."""
    yield Items((tally,)), {}


@RULES.rule("Items", "Aggregate ?comma and Aggregate ?link Attribute")
def two_figures(_: Ground, one: Aggregate, other: Aggregate, attribute: Attribute) -> Built:
    """`the minimum and maximum mileage`."""
    yield Items((Tally(one, attribute), Tally(other, attribute))), {}


@RULES.rule("Items", "Superlative ?comma and Superlative ?link Attribute")
def two_ends(ground: Ground, one: Degree, other: Degree, attribute: Attribute) -> Built:
    """`the oldest and the newest model year`."""
    found = [tally for degree in (one, other) for tally, _ in extreme(ground, degree, attribute)]
    if len(found) == 2:
        yield Items(tuple(found)), {}


@RULES.rule("Items", "Aggregate ?comma Aggregate ?comma and Aggregate ?link Attribute")
def three_figures(_: Ground, *found: object) -> Built:
    """`the minimum, average and maximum mileage`."""
    attribute = found[-1]
    if isinstance(attribute, Attribute):
        yield Items(tuple(Tally(one, attribute) for one in found if isinstance(one, Aggregate))), {}


@RULES.rule("Items", "Items ?comma and Items", "Items comma Items", "Items link Items")
def list_of(_: Ground, one: Items, other: Items) -> Built:
    """`the names and salaries`."""
    if len(one.items) + len(other.items) <= 6 and len(other.items) == 1:
        yield Items((*one.items, *other.items), one.distinct or other.distinct), {}


@RULES.rule("Items", "distinct Items")
def different(_: Ground, items: Items) -> Built:
    """`the different makes`."""
    yield replace(items, distinct=True), {}


# Questions.


@RULES.rule("Ask", "Rows", bare_entities=1.0)
def ask_rows(_: Ground, rows: Rows) -> Built:
    """`which firefighters ...`: they are shown by their names."""
    yield Ask((replace(rows, where=(), orders=(), limit=None, offset=0),), rows, distinct=rows.distinct), {}


@RULES.rule("Ask", "Items")
def ask_items(_: Ground, items: Items) -> Built:
    """`what is the highest reserve price`."""
    listed = all(isinstance(one, Shown) for one in items.items)  # each once, where nothing says of which rows
    yield Ask(items.items, distinct=items.distinct or listed), {}


@RULES.rule("Ask", "which Items ?link Rows", asked_which=1.0)
def which_of(_: Ground, items: Items, rows: Rows) -> Built:
    """`which sites have a telescope with first light after 1980`: each once."""
    if all(isinstance(one, Shown) for one in items.items):
        yield Ask(said_of(items, rows.table), rows, distinct=True), {}


@RULES.rule("Ask", "Items ?link each Rows")
def ask_items_of_each(ground: Ground, items: Items, rows: Rows) -> Built:
    """`the name of each firefighter`."""
    if all(isinstance(one, Shown) for one in items.items):
        yield from ask_items_of(ground, items, rows)


@RULES.rule("Ask", "Ask ?comma and Items link Attribute")
def ask_referred(ground: Ground, asked: Ask, items: Items, attribute: Attribute) -> Built:
    """`... and the name of their chief`: of the row that a column refers to."""
    if asked.rows is None or not all(isinstance(one, Shown) for one in items.items):
        return
    for column, features in ground.near(attribute, asked.rows.table)[:1]:
        key = ground.catalog.reference(column)
        if key is not None and column.table == asked.rows.table:
            more = tuple(Shown(one.attribute, key.to, column) for one in items.items if isinstance(one, Shown))
            yield replace(asked, items=(*asked.items, *more)), features


@RULES.rule("Ask", "Items ?link Rows", "Items link all Rows")
def ask_items_of(_: Ground, items: Items, rows: Rows) -> Built:
    """`the names and salaries of all firefighters`."""
    yield Ask(said_of(items, rows.table), rows, distinct=items.distinct or rows.distinct), {}


@RULES.rule("Ask", "Rows possessive Items", "Rows ?comma link Items", "Rows and Items")
def ask_of_items(_: Ground, rows: Rows, items: Items) -> Built:
    """`the stations' names`, `stations and their names`."""
    yield Ask(said_of(items, rows.table), rows, distinct=items.distinct), {}


@RULES.rule("Ask", "How ?link Rows", "How Rows")
def how_old(ground: Ground, degree: Degree, rows: Rows) -> Built:
    """`how old is the youngest student`."""
    for key, features in ground.measured(degree, rows.table):
        yield Ask((Shown(Attribute(((key, 1.0),)), rows.table),), rows), features


@RULES.rule("Ask", "Rows ?comma and Figures", "Rows link Figures")
def rows_with_figures(_: Ground, rows: Rows, items: Items) -> Built:
    """`the stations and the number of engines of each`."""
    yield Ask((Rows(rows.table), *items.items), rows, groups=(rows,)), {"grouped": 1.0}


@RULES.rule("Figures", "Items")
def only_figures(_: Ground, items: Items) -> Built:
    """Items that are figures."""
    if all(isinstance(one, Tally) for one in items.items):
        yield items, {}


@RULES.rule("Ask", "much ?link Rows Deed", "much Deed ?link Rows")
def how_much(ground: Ground, one: Rows | Degree, other: Rows | Degree) -> Built:
    """`how much does Ivy earn`."""
    rows, degree = (one, other) if isinstance(one, Rows) else (other, one)
    if isinstance(rows, Rows) and isinstance(degree, Degree):
        yield from how_old(ground, degree, rows)


@RULES.rule("Ask", "when ?link Rows ?link Attribute")
def when_done(ground: Ground, rows: Rows, attribute: Attribute) -> Built:
    """`when was Ivy hired`."""
    for key, features in ground.dated(attribute, rows.table):
        yield Ask((Shown(Attribute(((key, 1.0),)), rows.table),), rows), features


@RULES.rule("Ask", "Ask ?comma and Items")
def ask_these_too(_: Ground, asked: Ask, items: Items) -> Built:
    """`the names of the beers poured at the Plough and their prices`."""
    plain = all(isinstance(one, Shown) for one in (*asked.items, *items.items))
    if plain and asked.rows is not None and not asked.groups:
        yield replace(asked, items=(*asked.items, *said_of(items, asked.rows.table))), {}


@RULES.rule("Ask", "Ask ?comma and Items link Rows")
def ask_more(_: Ground, asked: Ask, items: Items, rows: Rows) -> Built:
    """`the names of firefighters and the names of their stations`."""
    if rows.is_bare and asked.rows is not None and asked.rows.table != rows.table:
        yield replace(asked, items=(*asked.items, *said_of(items, rows.table))), {}


@RULES.rule("Ask", "Ask ?comma and Figures", "Ask ?comma and Figures ?link each", "Ask ?comma link Figures each")
def with_figures(_: Ground, asked: Ask, items: Items) -> Built:
    """`the stations with more than one engine and the number of engines of each`."""
    rows = asked.rows
    if rows is None or any(isinstance(one, Tally) for one in asked.items):
        return
    if asked.groups:
        yield replace(asked, items=(*asked.items, *items.items)), {}
    else:
        yield replace(asked, items=(*asked.items, *items.items), groups=(Rows(rows.table),)), {"grouped": 1.0}


@RULES.rule("Told", "Items")
def told(_: Ground, items: Items) -> Built:
    """What a second sentence says to show."""
    yield items, {}


@RULES.rule("Told", "Items ?link Rows")
def told_of(_: Ground, items: Items, rows: Rows) -> Built:
    """`Show the name of the star.`"""
    if rows.is_bare and any(isinstance(one, Shown) for one in items.items):
        yield replace(items, items=said_of(items, rows.table)), {}


@RULES.rule("Told", "Rows possessive Items")
def told_of_owner(ground: Ground, rows: Rows, items: Items) -> Built:
    """`Give the holder's name.`"""
    yield from told_of(ground, items, rows)


@RULES.rule("Told", "Told ?comma and Items")
def told_more(_: Ground, one: Items, other: Items) -> Built:
    """`Show the name of the star and the number.`"""
    if len(one.items) + len(other.items) <= 6:
        yield replace(one, items=(*one.items, *other.items)), {}


@RULES.rule("Ask", "Ask end ?ask Told", "Ask ?comma ask Told")
def and_show(_: Ground, asked: Ask, items: Items) -> Built:
    """`Which firefighter ...? Show the name.`"""
    if asked.groups or asked.having:
        figures = tuple(one for one in asked.items if isinstance(one, Tally))
        taken = {one.of.options[:1] for one in figures if one.of is not None}  # the premium, of the highest premium
        shown = tuple(
            one for one in items.items if isinstance(one, Shown) and one.attribute.options[:1] not in taken - {()}
        )
        bare = all(one == Tally(Aggregate.COUNT) for one in items.items if isinstance(one, Tally))
        if bare and shown:
            yield replace(asked, items=(*shown, *figures)), {"asked_again": 1.0}
    elif asked.rows is not None:
        table = asked.rows.table
        if any(isinstance(one, Tally) for one in items.items):
            if any(isinstance(one, Shown) for one in items.items):
                found = said_of(items, table)
                yield replace(asked, items=found, groups=(Rows(table),)), {"asked_again": 1.0, "grouped": 1.0}
            return
        yield replace(asked, items=said_of(items, table), distinct=items.distinct), {"asked_again": 1.0}


def said_of(items: Items, table: str) -> tuple[Item, ...]:
    return tuple(
        replace(one, table=table) if isinstance(one, Shown) and one.table is None else one for one in items.items
    )


@RULES.rule("Question", "Ask", "Ask end")
def question(_: Ground, asked: Ask) -> Built:
    """A whole question."""
    yield asked, {}
