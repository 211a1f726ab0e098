"""Defines which tables a plan uses by which of its parts, and which of its figures stand where."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from resolvers.engines.nl2sql.joining.joins import Use
from resolvers.engines.nl2sql.plan import (
    Arithmetic,
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Elapsed,
    Expression,
    Figure,
    Literal,
    Member,
    Nested,
    Operator,
    Plan,
    Related,
    Running,
    Share,
    Span,
    Term,
)


def columns_in(term: Term) -> Iterator[Column]:
    """The columns that a term names itself; those of nested plans are not its own."""
    match term:
        case Column():
            yield term
        case Span():
            yield term.of
        case Elapsed():
            yield term.since
            if isinstance(term.until, Column):
                yield term.until
        case Figure():
            if term.of is not None:
                yield from columns_in(term.of)
        case Share():
            yield from columns_in(term.of)
        case Running():
            for one in (term.of, term.along, *term.within):
                yield from columns_in(one)
        case Arithmetic():
            yield from columns_in(term.left)
            yield from columns_in(term.right)


def figures_in(term: Term) -> Iterator[Figure]:
    """The figures that a term holds."""
    match term:
        case Figure():
            yield term
        case Share():
            yield term.of
        case Running():
            yield from figures_in(term.of)
        case Arithmetic():
            yield from figures_in(term.left)
            yield from figures_in(term.right)


def aggregates(term: Term) -> bool:
    """Return whether a term is computed of many rows."""
    match term:
        case Figure() | Share() | Running():
            return True
        case Expression():
            return term.aggregates
        case Arithmetic():
            return aggregates(term.left) or aggregates(term.right)
    return False


def uses_in(term: Term, main: str) -> Iterator[Use]:
    """The tables that a term needs in FROM."""
    match term:
        case Expression():
            yield from (Use(table) for table in term.tables)
        case Arithmetic():
            yield from uses_in(term.left, main)
            yield from uses_in(term.right, main)
        case Share():
            yield from uses_in(term.of, main)
        case Running():
            for one in (term.of, term.along, *term.within):
                yield from uses_in(one, main)
        case Figure():
            if term.when is not None:
                yield from sorted(uses_of(term.when, main))
            if term.of is not None:
                yield from uses_in(term.of, main)
            if term.of is None or term.rows_of is not None:
                yield Use(term.rows_of or main)
        case _:
            yield from (Use(one.table, one.instance) for one in columns_in(term))


def percentage_of(term: Term) -> tuple[Figure, Plan] | None:
    """The figure and the whole of which a term is the percentage; None where it is none."""
    match term:
        case Arithmetic("*", Literal(value=hundred), Arithmetic("/", Figure() as figure, Nested(whole))):
            return (figure, whole) if hundred == 100 else None
    return None


def share_within(term: Term) -> Figure | None:
    """The figure of some rows of which a term is the percentage in the same figure of all; None where it is none."""
    match term:
        case Arithmetic("*", Literal(value=hundred), Arithmetic("/", Figure() as some, Figure() as whole)):
            return some if hundred == 100 and some.when is not None and whole.when is None else None
    return None


def parts_of(condition: Condition | None) -> list[Condition]:
    """Return what must hold together, one by one."""
    match condition:
        case None:
            return []
        case Both():
            return [one for part in condition.parts for one in parts_of(part)]
    return [condition]


def terms_in(condition: Condition) -> Iterator[Term]:
    """The terms that a condition compares."""
    match condition:
        case Comparison():
            yield condition.left
            yield from condition.right
        case Member():
            yield condition.column
        case Both() | Either():
            for part in condition.parts:
                yield from terms_in(part)


def uses_of(condition: Condition, main: str) -> set[Use]:
    """The tables that a condition needs in FROM."""
    found = {use for term in terms_in(condition) for use in uses_in(term, main)}
    match condition:
        case Related():
            found.add(Use(condition.to))
        case Both() | Either():
            for part in condition.parts:
                found |= uses_of(part, main)
    return found


def on_figures(condition: Condition) -> bool:
    """Return whether a condition can only be told of groups."""
    return any(aggregates(term) for term in terms_in(condition))


def uses_of_plan(plan: Plan, having: Sequence[Condition]) -> list[Use]:
    """The tables that the answer itself needs, without those that only rows are chosen by; `main` first if it is."""
    terms = [*(one.term for one in plan.outputs), *plan.groups, *(one.term for one in plan.orders)]
    terms += [term for condition in having for term in terms_in(condition)]
    found = [use for term in terms for use in uses_in(term, plan.main)]
    found += [use for condition in having for use in uses_of(condition, plan.main)]
    found += [Use(table) for table in (*plan.also, *plan.keep)]
    return list(dict.fromkeys(found))


def best_of_kind(one: Related) -> tuple[Column, Column, bool] | None:
    """Return what rows are the first of their kind by, what tells the kind, and whether the greatest is first.

    So is said that no other row of the same table and kind comes before a row.
    """
    better = one.plan.where
    if not one.negated or one.to != one.plan.main or len(one.plan.via) != 1 or not isinstance(better, Comparison):
        return None
    value, kind = better.left, one.plan.via[0][1]
    if not isinstance(value, Column) or better.right != (replace(value, instance=1),) or kind.table != one.to:
        return None
    return value, kind, better.operator is Operator.MORE


def nodes_of(query: exp.Expr) -> list[exp.Expr]:
    """All nodes of a query, level by level: as `walk` tells them, in a fraction of its time."""
    found = [query]
    for node in found:
        for child in node.args.values():
            if isinstance(child, exp.Expr):
                found.append(child)
            elif isinstance(child, list):
                found += [one for one in child if isinstance(one, exp.Expr)]
    return found
