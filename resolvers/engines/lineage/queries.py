"""What a bound query answers with: values and rows followed through joins, groups, unions and the queries inside.

What decides which rows there are is kept apart from what decides only how often equal rows stand there. A LEFT JOIN
never loses a row of its left side, so what it meets changes how often these stand there, and nothing at all when it
meets one row at most; a MAX or a DISTINCT does not see how often. So a column is not said to depend on what cannot
change it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from sqlglot import exp

from resolvers.engines.lineage.bounds import NotFollowed, Work
from resolvers.engines.lineage.facts import Facts, conjuncts, facts_of, is_filled
from resolvers.engines.lineage.flows import NONE, Aggregating, Flow, Frame, Kind, Relation, Values, as_kind, joined
from resolvers.engines.lineage.names import CALLED, TABLE, TakenFunction
from resolvers.engines.lineage.ordering import (
    Term,
    aggregates,
    cut,
    first_of_each,
    first_row,
    is_same_everywhere,
    numbers_rows,
    with_settled,
    without,
)
from resolvers.engines.lineage.outputs import BY_ROW, Outputs
from resolvers.engines.sql_guard.tables import Table

MOST_ROUNDS: Final = 200
"""How often a recursive query is followed through itself, until nothing new is found."""


@dataclass(slots=True)
class _From:
    """What a FROM comes to, join by join."""

    names: list[str]
    rows: Flow
    copies: Flow


class Queries:
    """Evaluates queries whose names are bound."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._common: list[dict[str, Relation]] = [{}]
        self.work = Work()

    def answer(self, node: exp.Expr, frame: Frame | None = None) -> Relation:
        """Return what a query answers with; `frame` is what it may name of the queries around it."""
        if isinstance(node, exp.Select):
            return self._within(node, lambda: self._select(node, frame))
        if isinstance(node, exp.SetOperation):
            return self._within(node, lambda: self._set_operation(node, frame))
        if isinstance(node, exp.Subquery):
            return self._within(node, lambda: self._ordered(node, self.answer(node.this, frame)))
        if isinstance(node, exp.Values):
            return self._values(node, frame)
        raise NotFollowed("constructs", f"{type(node).__name__} is no query that can be followed.")

    # WITH

    def _within(self, node: exp.Expr, work: Callable[[], Relation]) -> Relation:
        clause = node.args.get("with_")
        if clause is None:
            return work()
        self._common.append(dict(self._common[-1]))
        try:
            for one in clause.expressions:
                alias: exp.TableAlias = one.args["alias"]
                name = alias.this.name
                if clause.args.get("recursive") and isinstance(one.this, exp.SetOperation):
                    self._common[-1][name] = self._recursive(one.this, alias, name)
                else:
                    self._common[-1][name] = _renamed(self.answer(one.this, None), alias)
            return work()
        finally:
            self._common.pop()

    def _recursive(self, node: exp.SetOperation, alias: exp.TableAlias, name: str) -> Relation:
        """Follow a query through itself until nothing new is found."""
        first = node.this
        while isinstance(first, exp.SetOperation) and _reads(first.expression, name):
            first = first.this
        if _reads(first, name):
            if not _reads(node, name):
                return _renamed(self.answer(node, None), alias)
            raise NotFollowed("recursion", f"{name} reads itself in its first part.")
        standing = _renamed(self.answer(first, None), alias)
        for _ in range(MOST_ROUNDS):
            self._common[-1][name] = replace(standing, unique=[], filled=frozenset(), firsts={})
            further = _renamed(self.answer(node, None), alias)
            grown = Relation(
                standing.names,
                [a | b for a, b in zip(standing.flows, further.flows, strict=True)],
                standing.rows | further.rows,
                standing.copies | further.copies,
            )
            if (grown.flows, grown.rows, grown.copies) == (standing.flows, standing.rows, standing.copies):
                return grown
            standing = grown
        raise NotFollowed("recursion", f"{name} reads itself in more ways than are followed.")

    # Unions

    def _set_operation(self, node: exp.SetOperation, frame: Frame | None) -> Relation:
        parts: list[exp.SetOperation] = []
        first: exp.Expr = node
        while isinstance(first, exp.SetOperation) and (first is node or first.args.get("with_") is None):
            parts.append(first)
            first = first.this
        answer = self.answer(first, frame)
        for one in reversed(parts):
            further = self.answer(one.expression, frame)
            self.work.spend_on((*answer.flows, *further.flows))
            answer = self._ordered(one, _set(one, answer, further))
        return answer

    def _ordered(self, node: exp.Expr, answer: Relation) -> Relation:
        """ORDER BY and LIMIT behind a query, which name its columns."""
        order = node.args.get("order")
        terms = [self._by_output(one.this, answer) for one in order.expressions] if order is not None else []
        return cut(node, answer, terms)

    @staticmethod
    def _by_output(by: exp.Expr, answer: Relation) -> Term:
        if isinstance(by, exp.Literal) and not by.is_string:
            at = int(by.name) - 1
            return Term(answer.flows[at], frozenset({at}))
        if isinstance(by, exp.Column):
            at = answer.names.index(by.name)
            return Term(answer.flows[at], frozenset({at}))
        return Term(NONE, frozenset())

    @staticmethod
    def _values(node: exp.Values, frame: Frame | None) -> Relation:
        width = max(len(one.expressions) for one in node.expressions)
        if any(one.find(exp.Column, exp.Query) for one in node.expressions):
            raise NotFollowed("constructs", "VALUES that are not constants are not followed.")
        return Relation([f"_{at}" for at in range(width)], [NONE] * width)

    # One SELECT

    def _select(self, node: exp.Select, around: Frame | None) -> Relation:
        group = node.args.get("group")
        # Where sets are grouped by, columns are null in rows that the conditions never saw.
        frame = Frame(around, self.work, Facts() if _grouping_sets(group) else facts_of(node, self._dialect))
        values = Values(frame, self.answer, Outputs(node.expressions, frame.facts))
        start = self._from(node, frame, values)
        where = node.args.get("where")
        rows = start.rows | as_kind(values.flow(where.this if where is not None else None), Kind.FILTER)
        copies = start.copies
        values.windows = {one.name.casefold(): one for one in node.args.get("windows") or ()}
        keys = _keys(group, node) if group is not None else []
        grouped = group is not None or _aggregates_anywhere(node)
        unique: list[frozenset[int]] = []
        if grouped:
            deciding = keys if _grouping_sets(group) else _deciding(keys, frame)
            by = as_kind(joined(values.flow(one) for one in deciding), Kind.GROUP_BY)
            values.aggregating = Aggregating(rows | by, copies)
            rows, copies = (rows, by) if keys else (NONE, NONE)
            unique = _unique_by(keys, node, plain=not _grouping_sets(group))
        else:
            values.aggregating = Aggregating(NONE, copies)
            unique = _still_unique(node.expressions, frame)
        flows = [values.flow(one) for one in node.expressions]
        self.work.spend_on(flows)
        having = node.args.get("having")
        rows |= as_kind(values.flow(having.this if having is not None else None), Kind.FILTER)
        names = [one.alias_or_name for one in node.expressions]
        same = frozenset(at for at, one in enumerate(node.expressions) if is_same_everywhere(one, frame))
        filled = frozenset(at for at, one in enumerate(node.expressions) if is_filled(one.unalias(), frame.is_filled))
        answer = Relation(names, flows, rows, copies, [], unique, same, filled)
        return self._finished(node, values, self._numbered(node, values, answer))

    def _numbered(self, node: exp.Select, values: Values, answer: Relation) -> Relation:
        """QUALIFY; and what remains of the rows where a number of theirs is 1, should an outer query ask for it."""
        qualify = node.args.get("qualify")
        if qualify is not None:
            window = first_row(qualify.this)
            if window is not None:
                return self._first_by(window, node, values, answer)()
            rows = answer.rows | as_kind(values.flow(qualify.this), Kind.FILTER)
            return replace(answer, rows=rows)
        if any(node.args.get(part) is not None for part in ("distinct", "limit", "offset", "fetch")):
            return answer
        windows = {at: one.unalias() for at, one in enumerate(node.expressions)}
        firsts: dict[int, Callable[[], Relation]] = {
            at: partial(without, at, self._first_by(window, node, values, answer))
            for at, window in windows.items()
            if numbers_rows(window)
        }
        return replace(answer, firsts=firsts)

    def _first_by(self, window: exp.Expr, node: exp.Select, values: Values, answer: Relation) -> Callable[[], Relation]:
        """Return what remains of the rows of which ROW_NUMBER is 1, to be worked out when it is asked for."""
        order = window.args.get("order")
        terms = [one.this for one in order.expressions] if order is not None else []
        keys = [self._term(one, node, values, answer, in_window=True) for one in window.args.get("partition_by") or ()]
        found = [self._term(one, node, values, answer, in_window=True) for one in terms]
        return partial(first_of_each, answer, keys, with_settled(found, values.outputs))

    def _finished(self, node: exp.Select, values: Values, answer: Relation) -> Relation:
        """DISTINCT, ORDER BY and LIMIT."""
        order = node.args.get("order")
        terms = [self._term(one.this, node, values, answer) for one in order.expressions] if order is not None else []
        terms = with_settled(terms, values.outputs)
        distinct = node.args.get("distinct")
        if distinct is not None:
            on = distinct.args.get("on")
            if on is not None:
                keys = on.expressions if isinstance(on, exp.Tuple) else [on]
                first = first_of_each(answer, [self._term(one, node, values, answer) for one in keys], terms)
                return cut(node, first, terms)
            told = (flow for at, flow in enumerate(answer.flows) if at not in answer.same)
            by = as_kind(joined(told), Kind.GROUP_BY)
            answer = replace(answer, copies=by, unique=[*answer.unique, frozenset(range(len(answer.names)))])
        return cut(node, answer, terms)

    def _term(
        self, by: exp.Expr, node: exp.Select, values: Values, answer: Relation, *, in_window: bool = False
    ) -> Term:
        """A term of ORDER BY; a number in a window is no place of a column."""
        by = by.unnest()
        if not in_window and ((isinstance(by, exp.Column) and not by.args.get("table")) or isinstance(by, exp.Literal)):
            term = self._by_output(by, answer)
            by = next((node.expressions[at].unalias() for at in term.places), by)
        else:
            term = Term(values.flow(by), frozenset())
        return replace(term, places=term.places | values.outputs.places(by), by=by)

    # FROM

    def _from(self, node: exp.Select, frame: Frame, values: Values) -> _From:
        start = node.args.get("from_")
        here = _From([], NONE, NONE)
        if start is not None:
            here = self._item(start.this, frame, values)
        for join in (*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())):
            here = self._joined(here, join, frame, values)
        return here

    def _item(self, node: exp.Expr, frame: Frame, values: Values) -> _From:
        """One thing in a FROM, with the joins that stand in brackets with it."""
        if isinstance(node, exp.Subquery) and _in_brackets(node):
            here = self._item(node.this, frame, values)
        else:
            relation = self._relation(node, frame, values)
            name = node.args["alias"].this.name
            for at, first in relation.firsts.items():
                if (name, relation.names[at]) in frame.facts.first:
                    relation = replace(first(), names=relation.names)
                    break
            frame.items[name] = relation
            here = _From([name], relation.rows, relation.copies)
        for join in node.args.get("joins") or ():
            here = self._joined(here, join, frame, values)
        return here

    def _relation(self, node: exp.Expr, frame: Frame, values: Values) -> Relation:
        table = node.meta.get(TABLE)
        if isinstance(table, Table):
            return _of_table(table, node.args["alias"])
        taken = node.meta.get(TakenFunction.NAME)
        if isinstance(taken, TakenFunction):
            flow = as_kind(joined(values.flow(one) for one in taken.arguments), Kind.TRANSFORMATION)
            return Relation(list(taken.columns), [flow] * len(taken.columns), as_kind(flow, Kind.FILTER))
        called = node.meta.get(CALLED)
        if isinstance(called, str):
            return _renamed(self._common[-1][called], node.args["alias"])
        if isinstance(node, exp.Lateral):
            return _renamed(self.answer(node.this, frame), node.args["alias"])
        return _renamed(self.answer(node, frame.around), node.args.get("alias"))

    def _joined(self, left: _From, join: exp.Expr, frame: Frame, values: Values) -> _From:
        if not isinstance(join, exp.Join):
            return _cross(left, self._item(join, frame, values))
        right = self._item(join.this, frame, values)
        on = join.args.get("on")
        met = as_kind(values.flow(on), Kind.JOIN)
        side = str(join.args.get("side") or "").upper()
        kind = str(join.args.get("kind") or "").upper()
        if kind in ("SEMI", "ANTI"):
            return _From(left.names, left.rows | right.rows | met, left.copies)
        if side == "LEFT":
            return _kept(left, right, met, on, frame)
        if side == "RIGHT":
            turned = _kept(right, left, met, on, frame)
            return _From([*left.names, *right.names], turned.rows, turned.copies)
        if side == "FULL":
            _spread(frame, left.names, met | left.rows)
            _spread(frame, right.names, met | right.rows)
        crossed = _cross(left, right)
        return _From(crossed.names, crossed.rows | met, crossed.copies)


def _cross(left: _From, right: _From) -> _From:
    return _From([*left.names, *right.names], left.rows | right.rows, left.copies | right.copies)


def _kept(kept: _From, met: _From, on_flow: Flow, on: exp.Expr | None, frame: Frame) -> _From:
    """A join that keeps every row of one side."""
    _spread(frame, met.names, on_flow | met.rows)
    copies = kept.copies
    if not _meets_one(met.names, on, frame):
        copies = copies | met.rows | met.copies | on_flow
    return _From([*kept.names, *met.names], kept.rows, copies)


def _spread(frame: Frame, names: Iterable[str], flow: Flow) -> None:
    """Let every column of some relations depend on something."""
    for name in names:
        frame.work.spend_on(frame.items[name].flows)
        frame.work.spend(len(flow) * len(frame.items[name].flows))
        frame.items[name] = frame.items[name].with_flow(flow)


def _meets_one(names: list[str], on: exp.Expr | None, frame: Frame) -> bool:
    """Return whether a row meets one row at most of the side that a join may add to it."""
    if len(names) != 1:
        return False
    (name,) = names
    item = frame.items[name]
    met: set[int] = set()
    for one in conjuncts(on):
        if isinstance(one, exp.EQ):
            for here, there in ((one.this, one.expression), (one.expression, one.this)):
                here = here.unnest()
                if isinstance(here, exp.Column) and here.table == name and not _names_table(there, name):
                    met.add(item.names.index(here.name))
    return any(some <= met for some in item.unique)


def _names_table(node: exp.Expr, name: str) -> bool:
    return node.find(exp.Query) is not None or any(one.table == name for one in node.find_all(exp.Column))


def _set(node: exp.SetOperation, left: Relation, right: Relation) -> Relation:
    distinct = node.args.get("distinct") is not False
    rows, copies = left.rows | right.rows, left.copies | right.copies
    flows = [a | b for a, b in zip(left.flows, right.flows, strict=True)]
    if not isinstance(node, exp.Union):
        rows |= as_kind(joined((*left.flows, *right.flows)), Kind.FILTER)
        flows = list(left.flows) if isinstance(node, exp.Except) else flows
        if not distinct:
            rows, copies = rows | copies, NONE
    unique = []
    if distinct:
        copies = as_kind(joined(flows), Kind.GROUP_BY)
        unique = [frozenset(range(len(flows)))]
    filled = left.filled & right.filled if isinstance(node, exp.Union) else left.filled
    return Relation(list(left.names), flows, rows, copies, [], unique, filled=filled)


def _renamed(answer: Relation, alias: exp.Expr | None) -> Relation:
    columns = alias.args.get("columns") if alias is not None else None
    if not columns:
        return replace(answer, order=[])
    names = [one.name for one in columns]
    return replace(answer, names=[*names, *answer.names[len(names) :]], order=[])


def _of_table(table: Table, alias: exp.Expr) -> Relation:
    flows: list[Flow] = [frozenset({(table.fqn, column, Kind.IDENTITY)}) for column in table.columns]
    unique = [frozenset({table.columns.index(table.key)})] if table.key in table.columns else []
    rows = frozenset({(table.fqn, None, Kind.ROWS)})
    return _renamed(Relation(list(table.columns), flows, rows, NONE, [], unique), alias)


def _reads(node: exp.Expr, name: str) -> bool:
    return any(one.meta.get(CALLED) == name for one in node.find_all(exp.Table))


def _in_brackets(node: exp.Subquery) -> bool:
    inner = node.this
    return isinstance(inner, exp.Table) or (isinstance(inner, exp.Subquery) and bool(inner.args.get("joins")))


def _keys(group: exp.Group, node: exp.Select) -> list[exp.Expr]:
    """Return what a SELECT groups by, with its numbers looked up."""
    found: list[exp.Expr] = []
    for one in group.expressions:
        if isinstance(one, exp.Literal) and not one.is_string:
            found.append(node.expressions[int(one.name) - 1].unalias())
        else:
            found.append(one)
    for part in ("rollup", "cube", "grouping_sets"):
        for one in group.args.get(part) or ():
            found += one.expressions if isinstance(one, exp.Rollup | exp.Cube | exp.GroupingSets) else [one]
    return found


def _deciding(keys: Sequence[exp.Expr], frame: Frame) -> list[exp.Expr]:
    """Of what a SELECT groups by, what decides on the groups: a name does not where it stands beside its own key."""
    columns = [one for key in keys if isinstance(one := key.unnest(), exp.Column)]
    follows: set[exp.Expr] = set()
    for table, item in frame.items.items():
        if table not in frame.facts.met:
            continue  # a row that a join has left empty is none of its own
        own = {item.names.index(one.name): one for one in columns if one.table == table}
        for unique in item.unique:
            if unique <= own.keys():
                follows = {*follows, *(one for at, one in own.items() if at not in unique)}
                break
    return [one for one in keys if one.unnest() not in follows]


def _grouping_sets(group: exp.Expr | None) -> bool:
    sets = (exp.Rollup, exp.Cube, exp.GroupingSets)
    return group is not None and (
        any(group.args.get(part) for part in ("rollup", "cube", "grouping_sets", "totals"))
        or any(isinstance(one, sets) for one in group.expressions)
    )


def _unique_by(keys: Collection[exp.Expr], node: exp.Select, *, plain: bool) -> list[frozenset[int]]:
    """By which columns of its answer the rows of a grouped SELECT can be told apart."""
    if not plain:
        return []
    answers = [one.unalias() for one in node.expressions]
    places = [next((at for at, one in enumerate(answers) if one == key), None) for key in keys]
    return [] if None in places else [frozenset(at for at in places if at is not None)]


def _still_unique(answers: Sequence[exp.Expr], frame: Frame) -> list[frozenset[int]]:
    """By which columns of its answer the rows of a SELECT from one relation can be told apart, as they could there."""
    if len(frame.items) != 1 or any(one.find(*BY_ROW) for one in answers):
        return []
    ((name, item),) = frame.items.items()
    shown: dict[str, int] = {}
    for at, one in enumerate(answers):
        column = one.unalias()
        if isinstance(column, exp.Column) and column.table == name:
            shown[column.name] = at
    found = [[shown.get(item.names[at]) for at in places] for places in item.unique]
    return [frozenset(at for at in places if at is not None) for places in found if None not in places]


def _aggregates_anywhere(node: exp.Select) -> bool:
    having = node.args.get("having")
    return any(aggregates(one) for one in (*node.expressions, *([having] if having is not None else [])))
