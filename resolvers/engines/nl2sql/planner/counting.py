"""What is asked for, and figures of counts: the average number of orders per customer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from resolvers.engines.english.grammar import singular
from resolvers.engines.english.identifiers import tokens_of
from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Arithmetic, Column, Figure, Plan, Term
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.frame import Noun, Sort
from resolvers.engines.nl2sql.planner.nouns import may_be_table
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column
from resolvers.engines.nl2sql.sql_writing.uses import figures_in

_ADDED: Final = word_set(
    "quantity qty amount total sum count units sales sale revenue turnover income profit spend spent paid sold "
    "expense minutes hours goals points visitors passengers donation budget population attendance enrollment votes "
    "cases deaths births production"
)
"""Words of columns whose numbers are added where rows are put together."""
_OF_ONE: Final = frozenset(
    ("per", "unit", "rate", "average", "avg", "hourly", "daily", "price", "percent", "score", "rating", "grade")
)
"""Words of columns whose numbers say nothing when they are added."""
_AMOUNTS: Final = frozenset(("total", "amount", "value", "price", "cost", "sum", "quantity"))
_RATES: Final = frozenset(
    ("per", "pct", "percent", "percentage", "rate", "ratio", "average", "avg", "mean", "score", "rating")
)
"""Words of figures that do not add up."""
LOOSE_TABLE: Final = 0.8
"""Below this, words fit a table so loosely that a number of the same name is rather meant."""


@dataclass(slots=True)
class Item:
    """One thing asked for."""

    terms: list[Term]
    table: str
    noun: Noun
    entity: str | None = None
    """The table whose rows it stands for, when it is shown by its name."""
    columns: tuple[ColumnKey, ...] = ()
    figures: bool = False
    counted: str | None = None
    """The table whose rows are counted."""


def per_group(resolver: Resolver, noun: Noun, counted: str) -> Item | None:
    """The average, the greatest or the least number of rows that belong to one of something."""
    frame = resolver.frame
    group = frame.groups[0] if frame.groups else Noun(noun.owner) if noun.owner is not None else None
    if group is None or group.ref is None or len(noun.aggregates) != 1:
        return None
    found = _by(resolver, group, counted)
    if found is None or noun.aggregates == (Aggregate.MEDIAN,):  # of counts, which takes a query within a query
        return None
    rows, column = found
    aggregate = noun.aggregates[0]
    count = Figure(Aggregate.COUNT, rows_of=rows)
    if aggregate is Aggregate.AVG:
        frame.groups = frame.groups[1:]
        resolver.doubt("those that have none may count or not", 0.25)
        term: Term = Arithmetic("/", count, Figure(Aggregate.COUNT, as_column(column), distinct=True))
        return Item([term], rows, noun, figures=True, counted=rows)
    frame.groups = frame.groups or [group]
    frame.hidden = True
    frame.sorts.append(Sort(descending=aggregate is Aggregate.MAX, by_count=True, limit=1))
    return Item([count], rows, noun, figures=True, counted=rows)


def is_per_one(resolver: Resolver) -> bool:
    """`how many orders per customer does each country have`: a number for one, on average."""
    groups = [(one.ref, resolver.cut.linked.words(0, one.ref.first)) for one in resolver.frame.groups if one.ref]
    if len(groups) != 2:
        return False
    (one, before), (_, each) = groups
    return may_be_table(one) and before[-1:] == ["per"] and each[-1:] in (["each"], ["every"])


def _by(resolver: Resolver, group: Noun, counted: str) -> tuple[str, ColumnKey] | None:
    """The table whose rows are counted, and its column that tells to what each of them belongs."""
    catalog, ref = resolver.catalog, group.ref
    table = resolver.table(ref) if ref is not None and may_be_table(ref) else None
    if table is None:
        column = resolver.column(group)
        return (counted, column) if column is not None and column.table == counted else None
    tied = [key for key in catalog.keys if len(key.columns) == 1 and key.to == table and key.table != table]
    own = [key for key in tied if key.table == counted]
    between = [key for key in tied if any(one.table == key.table and one.to == counted for one in catalog.keys)]
    ties = own or between
    if len(ties) != 1:
        return None
    return ties[0].table, ColumnKey(ties[0].table, ties[0].columns[0])


def number_of_rows(table: str, noun: Noun) -> Item:
    """How many rows a table has."""
    return Item([Figure(Aggregate.COUNT, rows_of=table)], table, noun, figures=True, counted=table)


def as_figure(resolver: Resolver, item: Item, group: Item | None) -> Item:
    """Return what is asked for per group: of rows their number, of amounts their sum, where a group has several."""
    catalog, ref = resolver.catalog, item.noun.ref
    if item.figures or group is None or (ref is None and item.noun.wh != "much"):
        return item
    # Where rows are tied to groups by a third table only, a group has several of them as well.
    alone = catalog.refers(group.table, item.table) and not catalog.refers(item.table, group.table)
    tied = not alone and not resolver.frame.which
    several = group.table != item.table and (tied or catalog.refers(item.table, group.table))
    several = several or (group.table == item.table and group.entity is None)
    if not several or any(term in item.terms for term in group.terms):
        return item
    if item.entity is not None and item.noun.owner is None and ref is not None and may_be_table(ref):
        return number_of_rows(item.table, item.noun)
    if item.entity is None and len(item.columns) == 1 and catalog.is_measure(item.columns[0]):
        if not is_amount(catalog, item.columns[0]) and item.noun.wh != "much":
            resolver.doubt("a number may be meant or its sum", 0.25)
        total = Figure(Aggregate.SUM, as_column(item.columns[0]))
        return Item([total], item.table, item.noun, columns=item.columns, figures=True)
    return item


def is_amount(catalog: Catalog, column: ColumnKey) -> bool:
    """Return whether the numbers of a column are there to be added, as a quantity is, and a price of one is not."""
    said = catalog.name_words(column)
    return bool(said & _ADDED) and not said & _OF_ONE


def counts_things(catalog: Catalog, column: ColumnKey) -> bool:
    """Return whether a number is called by what there is in the plural, as downloads are, or a count: how many there
    are.
    """
    last = tokens_of(column.column)[-1]
    many = last != singular(last) or (catalog.words(column)[-1] == "count" and len(catalog.words(column)) > 1)
    return catalog.is_measure(column) and many and not catalog.name_words(column) & _OF_ONE


def is_of_one(resolver: Resolver, column: ColumnKey, noun: Noun) -> bool:
    """Return whether a column tells what a piece or an hour costs, and the question does not say so: price
    per night.
    """
    said = resolver.cut.linked.words(noun.first, noun.ref.last if noun.ref is not None else noun.first)
    return bool({"per", "unit", "hourly", "daily", "rate"} & resolver.catalog.name_words(column) - set(said))


def amount_in(resolver: Resolver, table: str | None, noun: Noun) -> ColumnKey | None:
    """Return what a table's rows amount to: the column that is named before it, or the only one that says so.

    The total of a word that is no plural, such as a harvest, is that of the only figure that adds up: the tonnes.
    """
    if table is None or noun.ref is None:
        return None
    catalog, said = resolver.catalog, resolver.cut.linked.words(noun.first, noun.ref.first)
    figures = [
        key for key in catalog.of(table) if catalog.is_measure(key) and _RATES.isdisjoint(catalog.name_words(key))
    ]
    found = [key for key in figures if set(catalog.words(key)) & _AMOUNTS]
    named = [key for key in found if set(catalog.words(key)) & (set(said) - {"total"})]
    found = named if named else found
    together = noun.aggregates == (Aggregate.SUM,) and resolver.cut.linked.tokens[noun.ref.last - 1].is_lemma
    if not found and len(figures) == 1 and together:
        resolver.doubt("the only figure of the rows is taken for what they amount to", 0.15)
        found = figures
    return found[0] if len(found) == 1 else None


def group_amounts(resolver: Resolver, items: list[Item], item_of: Callable[[Noun], Item | None]) -> None:
    """`quantity sold by product`, `average speed by phase`: a figure for each, rather than rows in an order."""
    frame, bare = resolver.frame, [sort for sort in resolver.frame.sorts if sort.bare]
    nouns = [sort.noun for sort in bare if sort.noun is not None]
    if not bare or len(items) != 1 or frame.groups or len(bare) != len(frame.sorts):
        return
    made = as_figure(resolver, items[0], item_of(nouns[0])) if items[0].entity is None else items[0]
    if made.figures:
        items[0], frame.sorts, frame.groups, frame.per = made, [], nouns, True


def doubt_counts_of_one(resolver: Resolver, plan: Plan) -> None:
    """Rows, or what each has one of, that are counted for each of themselves: their number is always one."""
    terms = [*(output.term for output in plan.outputs), *(order.term for order in plan.orders)]
    counts = [one for term in terms for one in figures_in(term) if one.aggregate is Aggregate.COUNT]
    counted = {one.of.table if isinstance(one.of, Column) else one.rows_of for one in counts}
    for one in plan.groups:
        if isinstance(one, Column) and not one.instance and one.table in counted:
            keys = [facts.name for facts in resolver.catalog.tables[one.table].columns if facts.is_primary_key]
            if keys == [one.column]:
                resolver.doubt("each row is counted by itself", 0.8)
