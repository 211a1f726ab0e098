"""The order of rows: which of them it decides to keep, and the columns that it has no say in."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from resolvers.engines.lineage.facts import fixed_by
from resolvers.engines.lineage.flows import NONE, Flow, Frame, Kind, Relation, as_kind, joined
from resolvers.engines.lineage.holding import Place
from resolvers.engines.lineage.outputs import BY_ROW, Outputs


@dataclass(frozen=True, slots=True)
class Term:
    """One term of an ORDER BY."""

    flow: Flow
    places: frozenset[int]
    """Which columns of the answer it is."""
    by: exp.Expr | None = None
    """What it says, where it can be compared with the columns of the answer."""


def first_of_each(answer: Relation, keys: Sequence[Term], terms: Sequence[Term]) -> Relation:
    """DISTINCT ON: what it groups by is there in any case; of the rest, the order decides which is taken."""
    by = as_kind(joined(one.flow for one in keys), Kind.GROUP_BY)
    kept = frozenset[int]().union(*(one.places for one in keys)) | answer.same
    sorts = _sorts(answer, terms)
    flows = [flow if at in kept else flow | by | sorts[at] for at, flow in enumerate(answer.flows)]
    unique = [frozenset(min(one.places) for one in keys)] if all(one.places for one in keys) else []
    return replace(answer, flows=flows, copies=by, order=[], unique=unique)


def with_settled(terms: Sequence[Term], outputs: Outputs) -> list[Term]:
    """The terms that order anything, each also with the columns that are settled by then."""
    facts = outputs.facts
    found: list[Term] = []
    settled: set[Place] = set()
    for term in terms:
        if term.by is not None and facts.is_fixed(term.by):
            continue
        settled |= {facts.stands_for(one) for one in fixed_by(term.by)}
        found.append(replace(term, places=term.places | outputs.settled_by(settled)))
    return found


def without(at: int, answer: Callable[[], Relation]) -> Relation:
    """An answer of which nothing is said of one column."""
    first = answer()
    return replace(first, flows=[*first.flows[:at], NONE, *first.flows[at + 1 :]])


def numbers_rows(node: exp.Expr) -> bool:
    """Return whether an expression is ROW_NUMBER over a window of its own."""
    return isinstance(node, exp.Window) and isinstance(node.this, exp.RowNumber) and node.args.get("alias") is None


def first_row(condition: exp.Expr) -> exp.Expr | None:
    """The ROW_NUMBER of which a condition says that it is 1."""
    one = condition.unnest()
    if type(one) is not exp.EQ or not isinstance(one.expression, exp.Literal) or one.expression.name != "1":
        return None
    window = one.this.unnest()
    return window if numbers_rows(window) else None


def cut(node: exp.Expr, answer: Relation, terms: Sequence[Term]) -> Relation:
    """ORDER BY and LIMIT."""
    sorts = _sorts(answer, terms)
    if not any(node.args.get(part) is not None for part in ("limit", "offset", "fetch")):
        return replace(answer, order=sorts)
    flows = [
        flow | sort | (as_kind(flow, Kind.SORT) if any(at in term.places for term in terms) else NONE)
        for at, (flow, sort) in enumerate(zip(answer.flows, sorts, strict=True))
    ]
    unique = [*answer.unique, frozenset[int]()] if _is_one(node.args.get("limit")) else answer.unique
    return replace(answer, flows=flows, rows=answer.rows | answer.copies, copies=NONE, order=sorts, unique=unique)


def _sorts(answer: Relation, terms: Sequence[Term]) -> list[Flow]:
    """Return what the order of each column depends on: of one that is ordered by itself, what is ordered by
    before it.
    """
    if frozenset() in answer.unique:
        return [NONE] * len(answer.names)  # one row is in order
    sorts: list[Flow] = []
    for at in range(len(answer.names)):
        until = next((place for place, term in enumerate(terms) if at in term.places), len(terms))
        before = [one for one in terms[:until] if not one.places & answer.same] if at not in answer.same else ()
        sorts.append(as_kind(joined(term.flow for term in before), Kind.SORT))
    return sorts


def is_same_everywhere(node: exp.Expr, frame: Frame) -> bool:
    """Return whether an expression names nothing of the rows that it stands in, so that all of them answer alike."""
    if any(one.table in frame.items and not frame.facts.is_fixed(one) for one in node.find_all(exp.Column)):
        return False
    return not aggregates(node) and node.find(exp.Window, *BY_ROW) is None


def _is_one(limit: exp.Expr | None) -> bool:
    number = limit.args.get("expression") or limit.args.get("count") if limit is not None else None
    return isinstance(number, exp.Literal) and number.name == "1"


def aggregates(root: exp.Expr) -> bool:
    """Return whether an expression aggregates the rows of its own SELECT."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Query):
            continue
        if isinstance(node, exp.Window):
            inner = node.this
            waiting += inner.iter_expressions() if isinstance(inner, exp.AggFunc | exp.Filter) else ()
            waiting += [
                *(node.args.get("partition_by") or ()),
                *([node.args["order"]] if node.args.get("order") else []),
            ]
            continue
        if isinstance(node, exp.AggFunc):
            return True
        waiting += node.iter_expressions()
    return False
