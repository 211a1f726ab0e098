"""What adjectives and verbs measure that name no column: `the oldest`, `earned the most`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from resolvers.engines.nl2sql.joining.names import nouns
from resolvers.engines.nl2sql.language.degrees import PRAISE, Degree, degree_of_action
from resolvers.engines.nl2sql.language.plans import is_foreseen
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.language.verbs import is_participle
from resolvers.engines.nl2sql.mention import Token
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Column, Figure, Plan
from resolvers.engines.nl2sql.planner.atoms import Ref
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import Item, counts_things
from resolvers.engines.nl2sql.planner.frame import DONE_TO, Noun, Sort
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.planner.things import tells_apart

_LEAST: Final = 0.55
"""How well a column must go with a verb for its numbers to be what is done."""


_NEARLY: Final = 0.02
"""How much less than the best a number may fit to be taken before one that was only planned."""
_CALLED: Final = 0.7
"""How well a verb must fit a number that is called by it."""
_CALLS: Final = 0.95
"""How well a verb must fit a table to speak of its rows."""
_TAKING: Final = frozenset(("receive", "raise", "collect"))
"""What is done with money beside what the amounts of rows tell by themselves."""
_PASSIVE: Final = frozenset(("was", "were", "been", "money"))
_WE: Final = frozenset(("we", "they"))
_COMING_TO: Final = frozenset(("amount", "total", "sum", "price", "value", "cost", "fee"))
"""Words of the numbers that tell how much something comes to."""
_SUMMED_UP: Final = frozenset(("amount", "total", "sum"))
"""Those of them that are of all that a row is about, and not of one piece of it."""


def shown_for(catalog: Catalog, degree: Degree, items: Sequence[Item]) -> ColumnKey | None:
    """The one column that is shown and that an adjective speaks of: `years built, from the newest to the oldest`."""
    shown = [one for item in items if not item.figures for one in item.columns]
    fitting = {key for one in shown for key, _ in catalog.vocabulary.measured(degree, [one.table])}
    found = [one for one in dict.fromkeys(shown) if one in fitting and not catalog.is_key(one)]
    return found[0] if len(found) == 1 else None


def done_most(resolver: Resolver, sort: Sort, items: Sequence[Item]) -> ColumnKey | None:
    """The number that a verb speaks of: of the rows asked for, of what is named, or of what belongs to them."""
    if sort.deed is not None and items and (counted := _counting(resolver, sort.deed, items[0].table)) is not None:
        return counted
    degree = degree_of_action(sort.verb, most=bool(sort.descending)) if sort.most and sort.noun is None else None
    if degree is None or not items:
        return None
    catalog, table = resolver.catalog, items[0].table
    rows = rows_of_deed(resolver)
    deeds = [rows] if rows is not None and catalog.refers(rows, table) else []  # invoiced the most
    for tables in ([table], deeds, [one for one in resolver.mentioned() if one != table], catalog.below(table)):
        found = [(fit, key) for one in tables for key, fit in catalog.vocabulary.measured(degree, [one])]
        found = [one for one in found if catalog.is_measure(one[1]) and one[1] not in catalog.known.forbidden]
        best = max((fit for fit, _ in found), default=0.0)
        if best >= _LEAST:
            said, named = resolver.cut.linked.words(), [key for fit, key in found if fit > best - _NEARLY]
            return next((one for one in named if not is_foreseen(catalog.words(one), said)), named[0])
    return None


def _counting(resolver: Resolver, deed: Ref, table: str) -> ColumnKey | None:
    """The number of a table that tells how often a verb was done to its rows: `downloads`, of what was downloaded."""
    named = (one.column for one in deed.columns if one.column is not None and one.score >= _CALLED)
    catalog = resolver.catalog
    found = [key for key in named if key.table == table and catalog.is_measure(key)]
    found = [one for one in found if counts_things(catalog, one) or is_participle(catalog.words(one)[-1])]
    return found[0] if len(found) == 1 else None


def is_of_several(resolver: Resolver, sort: Sort, items: Sequence[Item], column: ColumnKey) -> bool:
    """Return whether rows are praised for numbers that each has several of, which their average tells: the best
    reviews.
    """
    catalog, item = resolver.catalog, items[0] if items else None
    noun = sort.noun
    ref = noun.ref or noun.owner if noun is not None else None
    if item is None or item.figures or ref is None or sort.degree is None or sort.degree.adjective not in PRAISE:
        return False
    if item.table == column.table or catalog.refers(item.table, column.table) or not catalog.is_measure(column):
        return False
    last = resolver.cut.linked.tokens[ref.last - 1]
    low = last.text.lower()
    return not last.is_lemma and (low.endswith("s") or is_participle(low))  # the best reviews, is rated best


def doubt_praise(resolver: Resolver, plan: Plan) -> None:
    """Take note where rows are praised, and by what is a guess: `our best members`, by one rating of a booking."""
    degrees = [one.degree for one in resolver.frame.sorts if one.noun is None or one.noun.ref is None]
    praised = any(one is not None and one.adjective in PRAISE for one in degrees)
    order = plan.orders[0].term if plan.orders else None
    if not praised or not isinstance(order, Column) or order.table == plan.main:
        return
    if not set(resolver.cut.linked.words()) & set(resolver.catalog.words(ColumnKey(order.table, order.column))):
        resolver.doubt("what makes rows the best is guessed", 0.4)


def measured_by_verb(resolver: Resolver, table: str) -> ColumnKey | None:
    """The number of a table that a verb of the question is measured by: what was spent, of purchases with a price."""
    catalog = resolver.catalog
    verbs = dict.fromkeys(token.lemma for token in resolver.cut.linked.tokens)
    degrees = [degree for verb in verbs if (degree := degree_of_action(verb, most=True)) is not None]
    found = [one for degree in degrees for one in catalog.vocabulary.measured(degree, [table])]
    found = [one for one in found if catalog.is_measure(one[0]) and one[0] not in catalog.known.forbidden]
    best = max((fit for _, fit in found), default=0.0)
    named = [key for key, fit in found if fit == best]
    return named[0] if best >= _LEAST and len(set(named)) == 1 else None


def is_of_all(resolver: Resolver) -> bool:
    """`how much was spent on repairs`, `how much did we receive`: whatever was, over all of them."""
    tokens = resolver.cut.linked.tokens
    done = (
        (one.text.lower() in _PASSIVE and (_is_money_deed(other) or other.text.lower() in _PASSIVE))
        or (one.text.lower() in _WE and _is_money_deed(other))
        for one, other in pairwise(tokens)
    )
    return not tells_apart(resolver) and any(done)


def _is_money_deed(token: Token) -> bool:
    """Return whether money changes hands by a verb."""
    degree = degree_of_action(token.lemma, most=True)
    return token.lemma in _TAKING or (degree is not None and "amount" in degree.measures)


def places_of_deeds(resolver: Resolver) -> set[int]:
    """Where verbs of money stand in a question."""
    return {place for place, token in enumerate(resolver.cut.linked.tokens) if _is_money_deed(token)}


def rows_of_deed(resolver: Resolver) -> str | None:
    """The table that a verb of money speaks of, where nothing else is named: how much was invoiced."""
    at = places_of_deeds(resolver)
    said = [one for one in resolver.cut.linked.mentions if one.first in at and one.last == one.first + 1]
    rows = [one.table for one in said if one.table is not None and one.score >= _CALLS]
    columns = [one.column for one in said if one.column is not None and one.score >= _CALLED]
    found = rows or [key.table for key in columns if resolver.catalog.is_measure(key)]
    return found[0] if len(set(found)) == 1 else None


def spent_below(resolver: Resolver, items: Sequence[Item]) -> Item | None:
    """`how much did each buyer spend`: the total of what the verb is measured by, over the rows that belong to one."""
    item = items[0] if len(items) == 1 else None
    if item is None or item.figures or item.entity is None or item.noun.wh != "much":
        return None
    return total_below(resolver, item.table, item.noun)


def total_below(resolver: Resolver, table: str, noun: Noun) -> Item | None:
    """The total of what a verb is measured by, over the rows that belong to those of a table; None without just one."""
    catalog = resolver.catalog
    rows = rows_of_deed(resolver)  # what was invoiced, over other tables too
    below = [rows] if rows is not None and catalog.refers(rows, table) else catalog.below(table)
    found = [key for one in below if (key := measured_by_verb(resolver, one)) is not None]
    done = [one.noun for one in resolver.frame.conditions if one.how == DONE_TO and one.noun is not None]
    told = {key.table for one in done if (key := resolver.column(one, "time")) is not None}
    found = [one for one in found if one.table in told] or found  # paid, of bills with a `paid_on`
    if len(found) != 1:
        return None
    total = Figure(Aggregate.SUM, Column(found[0].table, found[0].column))
    return Item([total], found[0].table, noun, columns=(found[0],), figures=True)


def told_by_verb(resolver: Resolver, items: Sequence[Item]) -> bool:
    """Return whether what is shown may be what `how much does it cost` asks for; other verbs are not judged."""
    said = [token.lemma for token in resolver.cut.linked.tokens if token.lemma in ("cost", "weigh")]
    degree = degree_of_action(said[0], most=True) if said else None
    shown = [key for item in items for key in item.columns if resolver.catalog.is_measure(key)]
    if degree is None or not shown:
        return True
    measures = {root_of(word) for word in degree.measures}
    words = {root_of(word) for key in shown for word in (*resolver.catalog.words(key), key.column.lower())}
    fitting = (key for one in {key.table for key in shown} for key, _ in _fits(resolver, degree, one))
    return bool(measures & words) or any(key in shown for key in fitting)


def _fits(resolver: Resolver, degree: Degree, table: str) -> Sequence[tuple[ColumnKey, float]]:
    return resolver.catalog.vocabulary.measured(degree, [table])


def is_many(resolver: Resolver, sort: Sort) -> Ref | None:
    """`has the highest enrollment`: what is counted, where nothing of it is high."""
    ref = sort.noun.owner if sort.noun is not None and sort.had else None
    table = resolver.table(ref)
    if table is None or sort.degree is None or sort.degree.adjective not in ("high", "low"):
        return None
    if ref is not None and resolver.cut.linked.tokens[ref.last - 1].is_lemma and amount_of(resolver.catalog, table):
        return None  # the highest bill
    return None if resolver.catalog.vocabulary.measured(sort.degree, [table]) else ref


def amount_of(catalog: Catalog, table: str, *, whole: bool = False) -> ColumnKey | None:
    """The one number that tells how much a row of a table comes to: the amount of a bill, the salary of salaries.

    `whole` takes only a number of all that a row is about, and not the price of a piece.
    """
    measures = [key for key in catalog.of(table) if catalog.is_measure(key)]
    own, said = nouns(catalog.tables[table].name), _SUMMED_UP if whole else _COMING_TO
    found = [key for key in measures if tuple(catalog.words(key)) in own]
    found = found or [key for key in measures if said & set(catalog.words(key))]
    return found[0] if len(found) == 1 else None


def is_of_days(catalog: Catalog, degree: Degree, key: ColumnKey) -> bool:
    """Return whether an adjective tells what happened on a day, and not when it was: the coldest day."""
    return bool(degree.measures) and not degree.is_of_time and catalog.is_moment_like(key)
