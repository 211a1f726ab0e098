"""How far two figures lie apart: one plan's number less that of another."""

from dataclasses import replace
from decimal import Decimal

from resolvers.engines.nl2sql.language.degrees import degree_of
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Arithmetic, Column, Figure, Literal, Nested, Output, Plan, Term
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.counting import is_amount
from resolvers.engines.nl2sql.planner.one_figure import is_of_one_row
from resolvers.engines.nl2sql.sql_writing.uses import aggregates


def as_one_number(plan: Plan, catalog: Catalog, *, added: bool) -> Plan | None:
    """Return a plan that answers with one number: itself, or the total or average of the numbers that it shows.

    None where it answers with something else. `added` says that a total is asked for.
    """
    if len(plan.outputs) != 1 or plan.groups or plan.having is not None or plan.combined is not None:
        return None
    term = plan.outputs[0].term
    if aggregates(term):
        return plan if plan.limit is None else None
    if not isinstance(term, Column) or not catalog.is_measure(ColumnKey(term.table, term.column)):
        return None
    if plan.limit == 1 or (plan.limit is None and not plan.orders and is_of_one_row(catalog, plan)):
        return plan
    if plan.orders or plan.limit is not None or plan.distinct:
        return None
    added = added or is_amount(catalog, ColumnKey(term.table, term.column))
    return replace(plan, outputs=(Output(Figure(Aggregate.SUM if added else Aggregate.AVG, term)),))


def is_turned(plan: Plan, text: str, catalog: Catalog) -> bool:
    """Return whether a question such as `How old is Ann?` is answered by what is less the more it is so: her birth."""
    term, degree = plan.outputs[0].term, degree_of(text.split()[1])
    if not isinstance(term, Column) or degree is None:
        return False
    return catalog.vocabulary.is_reversed(degree, ColumnKey(term.table, term.column))


def minus(plan: Plan, other: Plan, whole: Plan | None = None) -> Plan:
    """Return a plan that answers with its number less that of another plan; in percent of a `whole`, where one is."""
    apart: Term = Arithmetic("-", plan.outputs[0].term, Nested(other))
    if whole is None:
        return replace(plan, outputs=(Output(apart, "difference"),))
    hundred = Literal("number", Decimal(100))
    apart = Arithmetic("*", hundred, Arithmetic("/", apart, Nested(whole)))
    return replace(plan, outputs=(Output(apart, "percentage"),))
