"""Rules of groups, and of orders that are said apart from the rows."""

from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.chart.binding import Ground
from resolvers.engines.nl2sql.chart.noun_phrases import whole
from resolvers.engines.nl2sql.chart.pieces import (
    Ask,
    Attribute,
    Items,
    Many,
    Quantity,
    Ranking,
    Rows,
    Shown,
    Sorting,
    Tally,
)
from resolvers.engines.nl2sql.chart.questions import said_of
from resolvers.engines.nl2sql.chart.rules import Built, RuleSet
from resolvers.engines.nl2sql.language.degrees import Degree
from resolvers.engines.nl2sql.plan import Aggregate, Literal, Unit

RULES: Final = RuleSet()

# Groups.


@RULES.rule("Grouping", "each Attribute", "per Attribute", "by Attribute")
def by_attribute(_: Ground, attribute: Attribute) -> Built:
    """`for each rank title`."""
    yield Ask(groups=(Shown(attribute),)), {"grouped": 1.0}


@RULES.rule("Grouping", "each Rows", "per Rows", "by Rows")
def by_rows(_: Ground, rows: Rows) -> Built:
    """`for each station with at least two engines`."""
    if not rows.orders:
        yield Ask(groups=(rows,)), {"grouped": 1.0}


@RULES.rule("Grouping", "each Attribute link Quantity Rows")
def by_attribute_of_many(_: Ground, attribute: Attribute, quantity: Quantity, rows: Rows) -> Built:
    """`for each policy type with at least 2 policies`."""
    if not rows.orders:
        group = Shown(attribute, rows.table)
        yield Ask(groups=(group,), having=((Tally(Aggregate.COUNT, rows=rows), quantity),)), {"grouped": 1.0}


@RULES.rule("Grouping", "each Unit", "per Unit", "by Unit")
def by_unit(_: Ground, unit: Unit) -> Built:
    """`in each year`."""
    yield Ask(groups=(Shown(Attribute((), (), unit)),)), {"grouped": 1.0}


@RULES.rule("Ask", "Figures ?link Grouping")
def grouped(_: Ground, items: Items, grouping: Ask) -> Built:
    """`the average salary for each rank title`."""
    yield Ask((*grouping.groups, *items.items), groups=grouping.groups, having=grouping.having), {}


@RULES.rule("Ask", "Grouping ?comma Figures", "link Grouping ?comma Figures", "Grouping ?comma ask Figures")
def grouped_before(ground: Ground, grouping: Ask, items: Items) -> Built:
    """`for each rank title, the average salary`."""
    yield from grouped(ground, items, grouping)


@RULES.rule("Ask", "Grouping ?comma ?ask Items", "link Grouping ?comma ?ask Items")
def grouped_with_names(_: Ground, grouping: Ask, items: Items) -> Built:
    """`for each station, its name and the average salary`."""
    shown = [one for one in items.items if isinstance(one, Shown)]
    group = grouping.groups[0]
    if shown and len(shown) < len(items.items) and isinstance(group, Rows):
        yield Ask(said_of(items, group.table), groups=grouping.groups), {}


@RULES.rule("Ask", "Items ?link Grouping")
def grouped_by_shown(_: Ground, items: Items, grouping: Ask) -> Built:
    """`the country and the number of makers of each country`."""
    figures = [one for one in items.items if isinstance(one, Tally)]
    if figures and len(figures) < len(items.items):
        group = grouping.groups[0]
        yield Ask(said_of(items, group.table) if isinstance(group, Rows) else items.items, groups=grouping.groups), {}


@RULES.rule("Ask", "Attribute ?link Many ?link Rows", "Attribute link Many Rows", ranked=1.0)
def group_with_most(_: Ground, attribute: Attribute, many: Many, rows: Rows) -> Built:
    """`which district has the most stations`."""
    if not rows.orders:
        group = Shown(attribute, rows.table)
        sorting = Sorting(Tally(Aggregate.COUNT, rows=rows), many.descending, many.limit)
        yield Ask((group,), rows, groups=(group,), sortings=(sorting,)), {"grouped": 1.0}


@RULES.rule("Ask", "Attribute ?link Many Attribute ?link Aggregate", ranked=1.0)
def group_with_most_of(_: Ground, group: Attribute, many: Many, attribute: Attribute, how: Aggregate) -> Built:
    """`which town has the fewest seats in total`."""
    shown = Shown(group)
    sorting = Sorting(Tally(how, attribute), many.descending, many.limit)
    yield Ask((shown,), groups=(shown,), sortings=(sorting,)), {"grouped": 1.0}


@RULES.rule(
    "Ask",
    "Common Attribute",
    "Common Attribute link Rows",
    "Attribute ?link Common ?link Rows",
    "Attribute ?link Common",
    ranked=1.0,
)
def most_common(_: Ground, *found: object) -> Built:
    """`the most common kind of callouts`."""
    attribute = next(one for one in found if isinstance(one, Attribute))
    rows = next((one for one in found if isinstance(one, Rows)), None)
    descending = next(one for one in found if isinstance(one, bool))
    table = rows.table if rows is not None else attribute.options[0][0].table if attribute.options else None
    if table is None or (rows is not None and rows.orders):
        return
    rows = rows or Rows(table)
    group = Shown(attribute, table)
    sorting = Sorting(Tally(Aggregate.COUNT, rows=rows), descending, 1)
    yield Ask((group,), rows, groups=(group,), sortings=(sorting,)), {"grouped": 1.0}


@RULES.rule("Ask", "Attribute ?link Quantity Rows")
def group_with_many(_: Ground, attribute: Attribute, quantity: Quantity, rows: Rows) -> Built:
    """`the majors with more than one student`."""
    if not rows.orders:
        group = Shown(attribute, rows.table)
        yield Ask((group,), rows, (group,), ((Tally(Aggregate.COUNT, rows=rows), quantity),)), {"grouped": 1.0}


@RULES.rule("Ask", "Attribute ?link Quantity Attribute ?link Aggregate")
def group_with_so_much(_: Ground, attribute: Attribute, quantity: Quantity, of: Attribute, how: Aggregate) -> Built:
    """`the regions that have more than 4 platforms in total`."""
    group = Shown(attribute)
    yield Ask((group,), None, (group,), ((Tally(how, of), quantity),)), {"grouped": 1.0}


@RULES.rule("Ask", "Attribute ?link Tally ?link Quantity")
def group_with_figure(_: Ground, attribute: Attribute, tally: Tally, quantity: Quantity) -> Built:
    """`the sections with a total rent of more than 100`."""
    group = Shown(attribute)
    yield Ask((group,), tally.rows, (group,), ((tally, quantity),)), {"grouped": 1.0}


@RULES.rule("Ask", "Rows ?link Tally ?link Quantity", "Rows ?link Tally link Quantity")
def rows_with_figure(_: Ground, rows: Rows, tally: Tally, quantity: Quantity) -> Built:
    """`the vendors with a total quantity above 50`."""
    if not rows.orders and tally.of is not None:
        yield Ask((Rows(rows.table),), rows, (rows,), ((tally, quantity),)), {"grouped": 1.0}


@RULES.rule("Ask", "Attribute ?link Ranking Tally", ranked=1.0)
def group_with_highest(_: Ground, attribute: Attribute, ranking: Ranking, tally: Tally) -> Built:
    """`which make has the largest average tank size`."""
    group = Shown(attribute)
    sorting = Sorting(tally, ranking.degree.descending, ranking.limit)
    yield Ask((group,), tally.rows, groups=(group,), sortings=(sorting,)), {"grouped": 1.0}


# Orders that are said apart.


@RULES.rule("Sorting", "order Attribute", "order by Attribute", "by Attribute", "link Direction link Attribute",
            "Direction Attribute")  # fmt: skip
def by_property(_: Ground, attribute: object, *more: object) -> Built:
    """`ordered by age`."""
    found = next(one for one in (attribute, *more) if isinstance(one, Attribute))
    yield Sorting(found, "desc" in (attribute, *more)), {}


@RULES.rule("Sorting", "order ?by Tally", "order ?by Figures")
def by_figure(_: Ground, found: Tally | Items) -> Built:
    """`sorted by the number of stations`."""
    if isinstance(found, Tally):
        yield Sorting(found), {}


@RULES.rule("Sorting", "order Direction", "link Direction", "Direction", unsaid_orders=1.0)
def by_shown(_: Ground, direction: str) -> Built:
    """`in descending order`: of what is shown."""
    yield Sorting(None, direction == "desc"), {}


@RULES.rule("Sorting", "from Superlative to Superlative")
def between_ends(_: Ground, degree: Degree, other: Degree) -> Built:
    """`from the strongest to the weakest`."""
    if degree.descending != other.descending:
        yield Sorting(degree), {}


@RULES.rule("Direction", "from Superlative to Superlative")
def from_to(_: Ground, degree: Degree, other: Degree) -> Built:
    """`from longest to shortest`."""
    if degree.descending != other.descending:
        yield "desc" if degree.descending else "asc", {}


@RULES.rule("Sorting", "Sorting ?link ?comma Direction")
def turned(_: Ground, sorting: Sorting, direction: str) -> Built:
    """`by age in descending order`."""
    if not sorting.descending and sorting.by is not None:
        yield replace(sorting, descending=direction == "desc"), {}


@RULES.rule("Sorting", "Superlative Superlative", "order Superlative Superlative")
def richest_first(_: Ground, degree: Degree, first: Degree) -> Built:
    """`richest first`."""
    if first.adjective == "first":
        yield Sorting(degree), {}


@RULES.rule("Ask", "Ask ?comma and ?link Sorting")
def sorted_further(_: Ground, asked: Ask, sorting: Sorting) -> Built:
    """`sorted by constellation and then by name`."""
    ordered = bool(asked.sortings) or (asked.rows is not None and bool(asked.rows.orders) and asked.rows.limit is None)
    if ordered and sorting.by is not None and len(asked.sortings) < 2:
        yield replace(asked, sortings=(*asked.sortings, sorting)), {}


@RULES.rule("Ask", "Ask ?comma Sorting", "Ask and Sorting", "Ask end Sorting")
def sorted_ask(_: Ground, asked: Ask, sorting: Sorting) -> Built:
    """A question with the order of its answer."""
    if not asked.sortings and (asked.rows is None or not asked.rows.orders):
        yield replace(asked, sortings=(sorting,)), {}


@RULES.rule("Ask", "Ask ?comma ?link Common|Most Superlative")
def frequent_first(_: Ground, asked: Ask, descending: object, first: Degree) -> Built:
    """`with the most frequent first`."""
    if asked.groups and not asked.sortings and first.adjective == "first":
        yield replace(asked, sortings=(Sorting(None, descending is not False),)), {}


@RULES.rule("Ask", "top Number Ask")
def top_ask(_: Ground, number: Literal, asked: Ask) -> Built:
    """`top 5 countries by number of cities`."""
    limit = whole(number)
    if limit is not None and asked.sortings and asked.sortings[0].limit is None:
        yield replace(asked, sortings=(replace(asked.sortings[0], descending=True, limit=limit),)), {}
