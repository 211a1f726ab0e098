"""Measures that people defined: as what is asked for, as what rows are ordered by, and as what is compared."""

from collections.abc import Sequence
from decimal import Decimal

from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Aggregate, Comparison, Expression, Figure, Literal, Operator, Term
from resolvers.engines.nl2sql.planner.counting import Item
from resolvers.engines.nl2sql.planner.figures import when_of_rows
from resolvers.engines.nl2sql.planner.frame import Cond, Noun
from resolvers.engines.nl2sql.planner.resolving import Resolver


def expression_of(resolver: Resolver, noun: Noun | None) -> Expression | None:
    """Return what people defined under the name that a noun is, for the plan to use."""
    memory, expression = _found(resolver, noun)
    if expression is not None:
        resolver.memories.add(memory)
    return expression


def rows_of(resolver: Resolver, noun: Noun | None) -> str | None:
    """The table whose rows a measure is computed from."""
    _, expression = _found(resolver, noun)
    return expression.tables[0] if expression is not None else None


def _found(resolver: Resolver, noun: Noun | None) -> tuple[str, Expression | None]:
    for mention in noun.ref.measures if noun is not None and noun.ref is not None else ():
        expression = resolver.catalog.noted.kpi(mention.memory) if mention.memory else None
        if expression is not None:
            return mention.memory or "", expression
    return "", None


def measure(resolver: Resolver, noun: Noun) -> Item | None:
    """A measure as something asked for."""
    expression = expression_of(resolver, noun)
    if expression is None:
        return None
    term: Term = expression
    if expression.aggregates:
        if noun.aggregates not in ((), (Aggregate.SUM,)):
            resolver.doubt("a figure of a measure that is a figure itself", 0.5)
    elif noun.aggregates:
        term = Figure(noun.aggregates[0], expression)
    figures = expression.aggregates or bool(noun.aggregates)
    return Item([term], expression.tables[0], noun, figures=figures)


def compared(resolver: Resolver, cond: Cond) -> Comparison | None:
    """`a revenue above 100`; None where no measure is compared, or with no number."""
    if rows_of(resolver, cond.noun) is None:
        return None
    numbers: list[Literal] = []
    for ref in cond.values:
        said = (one.values[0] for one in ref.literals if one.values and isinstance(one.values[0].value, Decimal))
        numbers += list(said)[:1]
    if len(numbers) != (2 if cond.operator is Operator.BETWEEN else 1):
        return None
    expression = expression_of(resolver, cond.noun)
    if expression is None:
        return None
    resolver.used.update((ref.first, ref.last) for ref in cond.values)
    return Comparison(expression, cond.operator, tuple(numbers), cond.negated)


def when(resolver: Resolver, tables: Sequence[str], hint: Sequence[str], *, year: bool = False) -> ColumnKey | None:
    """The column that tells when: that of the rows of a measure, unless words before the moment name another."""
    column = resolver.time_column(tables, year=year, hint=hint)
    if column is not None and set(hint) & set(resolver.catalog.words(column)):
        return column
    frame = resolver.frame
    nouns = (*frame.items, *(sort.noun for sort in frame.sorts))
    rows = next((table for noun in nouns if (table := rows_of(resolver, noun)) is not None), None)
    if rows is None:
        return column
    return resolver.time_column([rows]) or when_of_rows(resolver, rows) or column
