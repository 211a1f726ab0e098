"""One figure that is asked for, where several rows have one: their total, or a doubt that one of them is meant."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from resolvers.engines.nl2sql.language.words import AGGREGATES
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Column, Comparison, Figure, Literal, Operator, Output, Plan
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import is_amount
from resolvers.engines.nl2sql.planner.items import Item
from resolvers.engines.nl2sql.planner.resolving import Resolver
from resolvers.engines.nl2sql.sql_writing.uses import parts_of

_ADDED: Final = 0.12
"""What is doubted of a total that was not asked for in so many words."""
_ONE_OF_SEVERAL: Final = 0.3
"""What is doubted of several numbers where one is asked for."""


def one_figure(resolver: Resolver, items: Sequence[Item], plan: Plan) -> Plan:
    """The plan with a total, where the total of a column is asked for, or one number of what has several rows.

    The `total cost` is a column of strikes, and that of all strikes of a year is its sum; the population of a
    continent is that of its countries together. Where numbers cannot be added, the answer is doubted.
    """
    column = _number(resolver.catalog, items, plan)
    if column is None or is_of_one_row(resolver.catalog, plan):
        return plan
    noun, tokens = items[0].noun, resolver.cut.linked.tokens
    if noun.ref is None or not tokens[noun.ref.last - 1].is_lemma:
        return plan  # the costs of strikes
    total = AGGREGATES.get((tokens[noun.ref.first].text.lower(),)) is Aggregate.SUM
    if not total and plan.main in resolver.mentioned():
        return plan
    if not total and (plan.where is None or not is_amount(resolver.catalog, column)):
        if plan.where is not None:
            resolver.doubt("one number is asked for, and several rows have one", _ONE_OF_SEVERAL)
        return plan
    if not total:
        resolver.doubt("one number is asked for, and those of several rows are added up", _ADDED)
    return replace(plan, outputs=(Output(Figure(Aggregate.SUM, plan.outputs[0].term)),))


def _number(catalog: Catalog, items: Sequence[Item], plan: Plan) -> ColumnKey | None:
    """The column of numbers of the plan's own rows, where nothing else is shown, and all rows are."""
    if len(items) != 1 or items[0].figures or len(plan.outputs) != 1 or plan.combined is not None:
        return None
    if plan.groups or plan.having or plan.orders or plan.distinct or plan.limit is not None:
        return None
    term = plan.outputs[0].term
    if not isinstance(term, Column) or term.table != plan.main or term.instance:
        return None
    key = ColumnKey(term.table, term.column)
    return key if catalog.is_measure(key) and not catalog.is_year(key) else None


def is_of_one_row(catalog: Catalog, plan: Plan) -> bool:
    """Return whether the conditions leave one row, as far as keys and names tell; true where no key is known."""
    said = {
        ColumnKey(one.left.table, one.left.column)
        for one in parts_of(plan.where)
        if isinstance(one, Comparison) and isinstance(one.left, Column) and not one.negated
        if one.operator is Operator.EQUAL and all(isinstance(value, Literal) for value in one.right)
    }
    if said & {*catalog.names(plan.main)} or any(key.table == plan.main and catalog.is_unique(key) for key in said):
        return True
    whole = catalog.whole_key(plan.main)
    return all(key in said or _is_told(catalog, key, said) for key in whole)


def _is_told(catalog: Catalog, key: ColumnKey, said: set[ColumnKey]) -> bool:
    """Return whether a key refers to a row that is told by its own key or name."""
    tie = catalog.reference(key)
    return tie is not None and (catalog.key(tie.to) in said or bool({*catalog.names(tie.to)} & said))
