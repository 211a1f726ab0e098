"""Figures made of what does not belong together: amounts in several currencies, averages of averages; and the most
common of what rows tell, which those that tell nothing are no part of.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.language.words import AGGREGATES
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Column, Comparison, Figure, Operator, Plan
from resolvers.engines.nl2sql.planner.clashes import everything
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.sql_writing.uses import columns_in, figures_in, parts_of, terms_in

_CURRENCIES: Final = 0.45
"""What is doubted where amounts in several currencies are made one figure."""
_TWICE: Final = 0.45
"""What is doubted where an average is taken of averages, which are of more rows or fewer."""
_MONEY: Final = frozenset(("currency", "ccy", "curr"))
"""Words of the columns that tell in which money an amount is."""
_CODE: Final = re.compile(r"[A-Z]{3}|[$€£¥]")
_ADDED: Final = (Aggregate.SUM, Aggregate.AVG, Aggregate.MEDIAN)


def doubt_unlike(resolver: Resolver, plan: Plan) -> None:
    """Take note where a figure is made of unlike things."""
    if any(_currency_beside(resolver, plan, key) for key in _added(plan, _ADDED)):
        resolver.doubt("amounts in several currencies are added up", _CURRENCIES)
    if any(_is_average(resolver, key) for key in _added(plan, (Aggregate.AVG,))):
        resolver.doubt("an average of averages is taken", _TWICE)


def _added(plan: Plan, aggregates: tuple[Aggregate, ...]) -> Iterator[ColumnKey]:
    """The columns that figures are made of which a plan shows or puts rows in order by."""
    for term in (*(one.term for one in plan.outputs), *(one.term for one in plan.orders)):
        for figure in figures_in(term):
            if isinstance(figure, Figure) and figure.aggregate in aggregates and isinstance(figure.of, Column):
                yield ColumnKey(figure.of.table, figure.of.column)


def _currency_beside(resolver: Resolver, plan: Plan, key: ColumnKey) -> bool:
    """Return whether rows tell of each amount in which currency it is, there are several, and a plan keeps them not
    apart.
    """
    catalog = resolver.catalog
    if not catalog.is_measure(key):
        return False
    told = {column for condition in parts_of(plan.where) for term in terms_in(condition) for column in columns_in(term)}
    told |= {column for group in plan.groups for column in columns_in(group)}
    for beside in catalog.of(key.table):
        if not _MONEY & set(catalog.words(beside)) or Column(beside.table, beside.column) in told:
            continue
        profile = catalog.profile(beside)
        codes = [one.value for one in profile.top_values if _CODE.fullmatch(one.value)] if profile is not None else []
        if len(codes) > 1:
            return True
    return False


def _is_average(resolver: Resolver, key: ColumnKey) -> bool:
    """Return whether the rows of a column are averages, as its name says."""
    return AGGREGATES.get((resolver.catalog.words(key)[0],)) is Aggregate.AVG


def of_those_told(resolver: Resolver, plan: Plan) -> Plan:
    """A plan for the most common values of a column, or for those of many rows, without rows that have none."""
    order = plan.orders[0].term if plan.orders else None
    counted = order if plan.limit is not None else None
    if isinstance(plan.having, Comparison) and isinstance(plan.having.left, Figure):
        counted = plan.having.left
    if not isinstance(counted, Figure) or counted.aggregate is not Aggregate.COUNT or len(plan.groups) != 1:
        return plan
    group = plan.groups[0]
    if not isinstance(group, Column) or counted.rows_of != group.table:
        return plan
    profile = resolver.catalog.profile(ColumnKey(group.table, group.column))
    if profile is None or not profile.null_count:
        return plan
    told = Comparison(group, Operator.IS_NULL, (), True)
    said = parts_of(plan.where)
    return plan if told in said else replace(plan, where=everything([*said, told]))
