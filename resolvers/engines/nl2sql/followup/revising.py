"""Plans made from earlier plans: narrowed, counted, grouped otherwise, taken as a set."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from resolvers.engines.nl2sql.joining.joins import Joins
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Figure,
    Literal,
    Member,
    Operator,
    Order,
    Output,
    Plan,
    Related,
    Span,
    Term,
)
from resolvers.engines.nl2sql.sql_writing.uses import aggregates, columns_in, figures_in, on_figures, parts_of


def conditions_of(plan: Plan) -> list[Condition]:
    """Return what rows and groups of a plan must be like, one by one."""
    return [*parts_of(plan.where), *parts_of(plan.having)]


def all_conditions(plan: Plan) -> Iterator[Comparison]:
    """Every comparison of a plan, those of rows tied to it too."""
    for one in conditions_of(plan):
        yield from leaves(one)


def leaves(condition: Condition) -> Iterator[Comparison]:
    """The comparisons that a condition is made of."""
    match condition:
        case Comparison():
            yield condition
        case Both() | Either():
            for part in condition.parts:
                yield from leaves(part)
        case Related():
            yield from all_conditions(condition.plan)


def both(conditions: Sequence[Condition]) -> Condition | None:
    """All of these."""
    found = list(dict.fromkeys(conditions))
    return None if not found else found[0] if len(found) == 1 else Both(tuple(found))


def is_listed(plan: Plan) -> bool:
    """Return whether a plan lists rows and chooses them by nothing but conditions."""
    return plan.limit is None and plan.combined is None and not any(aggregates(one.term) for one in plan.outputs)


def _has_figures(plan: Plan) -> bool:
    return any(aggregates(one.term) for one in plan.outputs)


def is_single(plan: Plan) -> bool:
    """Return whether a plan answers with one row of figures."""
    return bool(plan.outputs) and not plan.groups and all(aggregates(one.term) for one in plan.outputs)


def _tables(plan: Plan) -> set[str]:
    terms: list[Term] = [*(one.term for one in plan.outputs), *plan.groups]
    return {plan.main, *(column.table for term in terms for column in columns_in(term))}


# An earlier answer as a set.


def answer_of(plan: Plan, joins: Joins) -> Condition | None:
    """Return what the rows of the main table that a plan answers with have in common; None when it cannot be said."""
    if is_single(plan) and plan.combined is None:
        return both(conditions_of(plan)) or Both(())
    groups = {one for one in plan.groups if isinstance(one, Column)}
    key = joins.key(plan.main)
    by_row = not plan.groups or all(Column(plan.main, name) in groups for name in key)
    if plan.groups and not by_row:
        return None
    chosen = plan.limit is not None or plan.combined is not None or any(map(on_figures, conditions_of(plan)))
    if not chosen:
        return both(conditions_of(plan)) or Both(())
    if len(key) != 1 or plan.combined is not None:
        return None
    column = Column(plan.main, key[0])
    return Member(column, replace(plan, outputs=(Output(column),), ties=plan.ties, distinct=False, keep=()))


def restricted(found: Plan, earlier: Plan, joins: Joins) -> Plan | None:
    """A whole plan about those things only that the earlier plan answered with."""
    inside = answer_of(earlier, joins)
    if inside is None:
        return None
    own = parts_of(inside)
    if found.main == earlier.main:
        via = found.via or earlier.via
        return replace(found, where=both([*own, *parts_of(found.where)]), via=via)
    within = Plan(earlier.main, (), both(own), via=earlier.via)
    if joins.distance(found.main, earlier.main) == float("inf"):
        return None
    return replace(found, where=both([*parts_of(found.where), Related(found.main, within)]))


# Changes.


def added(plan: Plan, conditions: Sequence[Condition], joins: Joins | None = None) -> Plan | None:
    """The plan with further conditions; of the first few rows, those of them that meet these."""
    fitted = [_as_rows(one, plan, joins) for one in conditions]
    if joins is not None and plan.limit is not None:
        inside = answer_of(plan, joins)
        if inside is None:
            return None
        return replace(plan, where=both([inside, *fitted]), having=None, limit=None, ties=False)
    return replace(plan, where=both([*parts_of(plan.where), *fitted]))


def _as_rows(condition: Condition, plan: Plan, joins: Joins | None) -> Condition:
    """A condition on figures of rows, where the plan has figures of its own."""
    key = joins.key(plan.main) if joins is not None else ()
    own = [one.term for one in plan.outputs if aggregates(one.term)]
    if isinstance(condition, Comparison) and condition.left in own:
        return condition
    if not on_figures(condition) or len(key) != 1 or not own:
        return condition
    column = Column(plan.main, key[0])
    return Member(column, Plan(plan.main, (Output(column),), having=condition))


def denied(condition: Condition, plan: Plan | None = None) -> Condition:
    """The opposite; rows tied to others that fit are left out whole."""
    match condition:
        case Comparison() if plan is not None and not isinstance(condition.left, Figure):
            columns = list(columns_in(condition.left))
            if columns and all(one.table not in _tables(plan) for one in columns):
                return Related(plan.main, Plan(columns[0].table, (), condition), negated=True)
            return replace(condition, negated=not condition.negated)
        case Comparison() | Member() | Related():
            return replace(condition, negated=not condition.negated)
        case Both():
            return Either(tuple(denied(part, plan) for part in condition.parts))
        case Either():
            return Both(tuple(denied(part, plan) for part in condition.parts))


def replaced(plan: Plan, conditions: Sequence[Condition]) -> Plan:
    """The plan with these conditions in the place of those on the same columns; others are added.

    A day or a year takes the place of the one that is there, whichever column of time it was found in.
    """
    for one in conditions:
        for new in leaves(one):
            where = _swapped(plan.where, new)
            having = _swapped(plan.having, new)
            if (where, having) != (plan.where, plan.having) or new in all_conditions(plan):
                plan = replace(plan, where=where, having=having)
            else:
                plan = replace(plan, where=both([*parts_of(plan.where), one]))
                break
    return plan


def widened(plan: Plan, conditions: Sequence[Condition]) -> Plan | None:
    """The plan of the rows that it has and of those that meet these; None where the question may mean other rows."""
    if len(conditions) != 1 or plan.where is None:
        return None
    new, old = conditions[0], plan.where
    if isinstance(new, Comparison) and new.operator is Operator.EQUAL and not new.negated:
        where = _listed_with(old, new)
        if where != old:
            return replace(plan, where=where)
    single = isinstance(old, Comparison | Related | Member | Either)
    return replace(plan, where=Either((old, new))) if single and not on_figures(new) else None


def _listed_with(condition: Condition, new: Comparison) -> Condition:
    """A condition with one more value for the column of the new one."""
    match condition:
        case Comparison(operator=Operator.EQUAL | Operator.IN, negated=False) if condition.left == new.left:
            right = tuple(dict.fromkeys([*condition.right, *new.right]))
            return replace(condition, operator=Operator.IN, right=right)
        case Both():
            return Both(tuple(_listed_with(part, new) for part in condition.parts))
        case Related() if condition.plan.where is not None and not condition.negated:
            return replace(condition, plan=replace(condition.plan, where=_listed_with(condition.plan.where, new)))
    return condition


def _swapped(condition: Condition | None, new: Comparison) -> Condition | None:
    match condition:
        case Comparison() if _of(condition) == _of(new) and _of(new) is not None:
            return new
        case Comparison() if is_time(condition) and is_time(new) and type(condition.left) is type(new.left):
            return replace(new, left=condition.left)
        case Both():
            parts = [_swapped(part, new) for part in condition.parts]
            return both([part for part in parts if part is not None])
        case Either() if all(isinstance(part, Comparison) and _of(part) == _of(new) for part in condition.parts):
            return new
        case Related():
            return replace(condition, plan=replace(condition.plan, where=_swapped(condition.plan.where, new)))
    return condition


def _of(condition: Comparison) -> Term | None:
    left = condition.left
    if isinstance(left, Span):
        return left.of
    return left if isinstance(left, Column | Figure) else None


def is_time(condition: Comparison) -> bool:
    return any(isinstance(one, Literal) and one.kind in ("date", "moment") for one in condition.right)


def counted(plan: Plan, joins: Joins) -> Plan | None:
    """Return how many rows a plan answers with."""
    bare = Plan(plan.main, (), via=plan.via, also=plan.also)
    rows = [one.term for one in plan.outputs if not aggregates(one.term)]
    if (
        plan.distinct
        and len(rows) == 1
        and isinstance(rows[0], Column)
        and plan.limit is None
        and not _has_figures(plan)
    ):
        figure = Figure(Aggregate.COUNT, rows[0], distinct=True)
        return replace(bare, outputs=(Output(figure),), where=plan.where)
    inside = answer_of(plan, joins)
    if inside is not None:
        return replace(bare, outputs=(Output(Figure(Aggregate.COUNT)),), where=both(parts_of(inside)))
    groups = [one for one in plan.groups if isinstance(one, Column)]
    plain = plan.limit is None and plan.combined is None and not any(map(on_figures, conditions_of(plan)))
    if len(groups) == 1 == len(plan.groups) and plain:
        figure = Figure(Aggregate.COUNT, groups[0], distinct=True)
        return replace(bare, outputs=(Output(figure),), where=plan.where)
    return None


def grouped_by(plan: Plan, terms: Sequence[Column | Span], add: bool) -> Plan:
    """The figures of a plan for each of these; of a list, how many there are."""
    figures = [one for one in plan.outputs if aggregates(one.term)]
    rows = [one for one in plan.outputs if not aggregates(one.term)] if figures and add else []
    figures = figures or [Output(Figure(Aggregate.COUNT))]
    old = tuple(one for one in plan.groups if one not in terms) if add else ()
    new = [Output(term) for term in terms if term not in [one.term for one in rows]]
    orders = tuple(one for one in plan.orders if aggregates(one.term))
    return replace(
        plan,
        outputs=(*rows, *new, *figures),
        groups=(*old, *terms),
        orders=orders,
        limit=plan.limit if orders else None,
        distinct=False,
        keep=(),
    )


def refocused(plan: Plan, terms: Sequence[Term], add: bool) -> Plan:
    """The plan with other figures in the place of its own; of a list, figures of all of it."""
    figures = [one for one in plan.outputs if aggregates(one.term)]
    new = tuple(Output(term) for term in terms)
    if not figures:
        return replace(plan, outputs=new, orders=(), limit=None, ties=False, distinct=False)
    rows = tuple(one for one in plan.outputs if not aggregates(one.term))
    if add:
        return replace(plan, outputs=(*plan.outputs, *(one for one in new if one not in plan.outputs)))
    olds = [figure for one in figures for figure in figures_in(one.term)]
    orders = tuple(
        Order(terms[0], one.descending) if isinstance(one.term, Figure) and one.term in olds else one
        for one in plan.orders
    )
    return replace(plan, outputs=(*rows, *new), orders=orders)


def shown(plan: Plan, outputs: Sequence[Output], joins: Joins, instead: bool) -> Plan | None:
    """The plan with further columns, or with these alone; of a single figure, the rows that it was made of."""
    if is_single(plan):
        inside = answer_of(plan, joins)
        if inside is None:
            return None
        return Plan(plan.main, tuple(outputs), both(parts_of(inside)), also=plan.also, via=plan.via)
    terms = [one.term for one in plan.outputs]
    further = [one for one in outputs if one.term not in terms]
    if instead:
        return replace(plan, outputs=tuple(outputs))
    return replace(plan, outputs=(*plan.outputs, *further)) if further else None
