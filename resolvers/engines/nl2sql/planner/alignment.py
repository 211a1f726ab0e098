"""How a query and its question account for one another: words that nothing in the query stands for, and parts of the
query that no word asks for. Each kind of gap is a named feature, counted; `confidence.py` weighs them.

What is denied, ordered or compared in a question and not in its query is told in `unsaid.py`, with what it costs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from resolvers.engines.nl2sql.language.phrases import Cue
from resolvers.engines.nl2sql.mention import Mention
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import (
    Aggregate,
    Both,
    Column,
    Comparison,
    Condition,
    Either,
    Figure,
    Member,
    Plan,
    Related,
)
from resolvers.engines.nl2sql.planner.atoms import Atom, Cut
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.nouns import value_first
from resolvers.engines.nl2sql.sql_writing.uses import aggregates, columns_in, figures_in, parts_of, terms_in

if TYPE_CHECKING:
    from resolvers.engines.nl2sql.planner.resolving import Choice, Resolver

_SPOKEN: Final = 0.6
"""How well words must fit something to speak of it."""
_NEARLY: Final = 0.12
"""How much better a column must fit a value than another to be the one that is meant."""
_HELD: Final = 0.8
"""How well words must fit a value to call the rows that hold it."""
_DONE: Final = 0.9
"""How well a verb must fit the time at which something was done."""
_ANSWERED_BY: Final[Mapping[Cue, tuple[str, tuple[type[exp.Expr], ...]]]] = {
    Cue.COUNT: ("lost_figures", (exp.Count, exp.Sum)),
    Cue.AGGREGATE: ("lost_figures", (exp.AggFunc, exp.Div)),
    Cue.AVERAGE_THAN: ("lost_figures", (exp.Avg,)),
    Cue.SHARE: ("lost_figures", (exp.Div,)),
    Cue.DIFFERENCE: ("lost_figures", (exp.Sub, exp.Except)),
    Cue.EACH: ("lost_groups", (exp.Group, exp.Partition, exp.Window)),
    Cue.PER: ("lost_groups", (exp.Group, exp.Div)),
}
"""The feature of phrases that go unanswered, and what in a query answers to them."""
_FIGURED: Final = (
    Cue.COUNT,
    Cue.AGGREGATE,
    Cue.MOST,
    Cue.SUPERLATIVE,
    Cue.COMMON,
    Cue.SHARE,
    Cue.MUCH,
    Cue.TOP,
    Cue.PER,
)
"""Phrases of figures and ranks, which there may be one of for each of something."""
_ASKING: Final = (Cue.ASK, Cue.COUNT, Cue.WHAT, Cue.WHICH, Cue.WHO, Cue.MUCH)
"""Phrases that what is asked for begins with."""


def aligned(plan: Plan, nodes: Sequence[exp.Expr], resolver: "Resolver", had: set[ColumnKey]) -> dict[str, float]:
    """The features of a query, by its nodes and the columns that it has, beside its question: counts, 0 where nothing
    is odd; `words` in tens, and `loose_fit` as a share. Of `conjunctions` those count that join nothing in the plan.
    """
    pieces = resolver.cut
    tables = {node.name for node in nodes if isinstance(node, exp.Table)}
    used = {fqn for fqn, facts in resolver.catalog.tables.items() if facts.name in tables}
    literals = [str(node.this).lower() for node in nodes if isinstance(node, exp.Literal)]

    def is_used(one: Mention) -> bool:
        return (
            (one.table is not None and one.table in used)
            or (one.column is not None and one.column in had)
            or any(str(value.value).lower() in literals for value in one.values)
            or one.memory is not None
        )

    def is_done(one: Mention) -> bool:
        """Return whether a verb says of rows what a column of theirs says of each of them: `sold_at`, of tickets."""
        key = one.column
        return key is not None and key.table in used and one.score >= _DONE and _is_of_each(resolver.catalog, key)

    found = {
        "joins": float(max(0, sum(isinstance(node, exp.Table) for node in nodes) - 1)),
        "selects": float(max(0, sum(isinstance(node, exp.Select) for node in nodes) - 1)),
        "conjunctions": float(max(0, _joined(pieces.atoms) - _beside(plan))),
        "words": len(pieces.linked.tokens) / 10,
        "loose_fit": _loose_fit(resolver),
        "names_beside": float(_has_names_beside(plan, resolver)),
        "times_of_others": float(_takes_times_of_others(plan, resolver)),
        "rows_as_value": float(any(_is_value_for_rows(one, resolver) for one in resolver.choices.values())),
        "counts_others": float(_counts_others(plan, resolver)),
        "values_twice": float(any(map(_is_held_twice, resolver.choices.values()))),
    }
    kinds = {type(node) for node in nodes}
    figured = not plan.each and any(atom.is_(*_FIGURED) for atom in pieces.atoms)
    for name in (_lost(atom, pieces, kinds, is_used, is_done) for atom in pieces.atoms):
        if name and (figured or name != "lost_groups"):  # each of rows that are listed stands for all of them
            found[name] = found.get(name, 0.0) + 1
    return found


def _joined(atoms: Sequence[Atom]) -> int:
    """How often one thing is said beside another: a comma behind what a question begins with does not do so."""
    asks = next((at for at, atom in enumerate(atoms) if atom.is_(*_ASKING)), 0)
    front = asks > 0 and atoms[asks - 1].is_(Cue.COMMA)
    return sum(atom.is_(Cue.AND, Cue.COMMA) for atom in atoms) - front


def _is_of_each(catalog: Catalog, key: ColumnKey) -> bool:
    """Return whether a column tells of every row when something was done with it."""
    profile = catalog.profile(key)
    return catalog.is_moment_like(key) and profile is not None and not profile.null_count


def _lost(
    atom: Atom,
    pieces: Cut,
    kinds: set[type[exp.Expr]],
    is_used: Callable[[Mention], bool],
    is_done: Callable[[Mention], bool],
) -> str:
    """The feature of a piece of the question that the query does not account for; empty where it does."""
    if atom.cue is not None and atom.cue in _ANSWERED_BY:
        name, answers = _ANSWERED_BY[atom.cue]
        return "" if any(issubclass(kind, answers) for kind in kinds) else name
    if atom.cue is Cue.LIGHT:
        inside = (one for one in pieces.linked.mentions if atom.first <= one.first and one.last <= atom.last)
        named = [one for one in inside if one.table is not None and one.score >= _SPOKEN]
        return "lost_verbs" if named and not any(map(is_used, named)) else "passed_verbs"
    if atom.cue is None and atom.ref is not None and not any(map(is_used, atom.ref.mentions)):
        if atom.verbal:
            return "" if any(map(is_done, atom.ref.mentions)) else "lost_verbs"
        return "lost_nouns"
    return ""


def _loose_fit(resolver: "Resolver") -> float:
    """How much is missing on average for words to be the very names that they were taken for."""
    fits = [max((one.score for one in resolver.cut.over(key[:2])), default=0.5) for key in resolver.choices]
    return 1 - sum(fits) / len(fits) if fits else 0.5


def _beside(plan: Plan) -> int:
    """How often a plan sets one thing beside another, as `and` and commas do: outputs, conditions, an order, and what
    it is combined with.
    """
    conditions = _conditions(plan.where) + _conditions(plan.having)
    combined = 1 + _beside(plan.combined.plan) if plan.combined is not None else 0
    return max(0, len(plan.outputs) - 1) + max(0, conditions - 1) + len(plan.orders) + combined


def _conditions(condition: Condition | None) -> int:
    """How many conditions rows must meet, those of related rows and each of several values among them."""
    match condition:
        case Both() | Either():
            return sum(map(_conditions, condition.parts))
        case Comparison():
            return max(1, len(condition.right))
        case Member() | Related():
            return max(1, _conditions(condition.plan.where) + _conditions(condition.plan.having))
    return 0


def _takes_times_of_others(plan: Plan, resolver: "Resolver") -> bool:
    """Return whether rows are chosen or put in order by a time of other rows, which nothing names."""
    mentions = resolver.cut.linked.mentions
    named = {plan.main} | {one.table for one in mentions if one.table is not None and one.score >= _SPOKEN}
    terms = [order.term for order in plan.orders]
    waiting = list(parts_of(plan.where))
    while waiting:
        part = waiting.pop()
        terms += terms_in(part)
        if isinstance(part, Related):
            waiting += parts_of(part.plan.where)
    keys = {ColumnKey(one.table, one.column) for term in terms for one in columns_in(term)}
    catalog = resolver.catalog
    return any(key.table not in named and (catalog.is_moment_like(key) or catalog.is_year(key)) for key in keys)


def _is_value_for_rows(choice: "Choice", resolver: "Resolver") -> bool:
    """Return whether a plain word that calls the rows of a table is taken for a value of another: `player`."""
    taken = choice.options[choice.taken][0]
    if choice.kind != "value" or not isinstance(taken, ColumnKey) or choice.last - choice.first != 1:
        return False
    token = resolver.cut.linked.tokens[choice.first]
    rows = (one.table for one in resolver.cut.over((choice.first, choice.last)) if one.score >= _HELD)
    return token.text.islower() and not token.quoted and any(one not in (None, taken.table) for one in rows)


def _counts_others(plan: Plan, resolver: "Resolver") -> bool:
    """Return whether what is counted is named by a value alone, and rows are counted that do not hold it or that it
    hardly fits: `how many athletes`, of clubs of athletics.
    """
    for count, value, behind in zip(atoms := resolver.cut.atoms, atoms[1:], [*atoms[2:], None], strict=False):
        if not count.is_(Cue.COUNT) or value.ref is None or value.cue is not None or not value_first(value.ref):
            continue
        if behind is not None and behind.ref is not None and behind.ref.is_noun and behind.first == value.last:
            continue  # Canadian customers
        figures = [one for output in plan.outputs for one in figures_in(output.term) if isinstance(one, Figure)]
        counts = [one for one in figures if one.aggregate is Aggregate.COUNT]
        rows = {one.of.table if isinstance(one.of, Column) else one.rows_of or plan.main for one in counts}
        held = {one.column.table for one in value.ref.values if one.column is not None and one.score >= _HELD}
        return bool(rows) and not rows & held
    return False


def _is_held_twice(choice: "Choice") -> bool:
    """Return whether a value is held by columns of two tables, and hardly anything tells which of them is meant."""
    if choice.kind != "value" or len(choice.options) < 2:
        return False
    (one, best), (other, second) = choice.options[:2]
    if not isinstance(one, ColumnKey) or not isinstance(other, ColumnKey):
        return False
    return one.table != other.table and best - second < _NEARLY


def _has_names_beside(plan: Plan, resolver: "Resolver") -> bool:
    """Return whether what a row is called is shown beside other columns though nobody asked for it."""
    if any(atom.is_(Cue.EVERYTHING) for atom in resolver.cut.atoms):
        return False
    mentions = resolver.cut.linked.mentions
    said = {one.column for one in mentions if one.column is not None and one.score >= _SPOKEN}
    shown = {
        ColumnKey(one.table, one.column)
        for output in plan.outputs
        for one in columns_in(output.term)
        if not aggregates(output.term)
    }
    names = {key for key in shown - said if key in resolver.catalog.entity(key.table)}
    return bool(names) and len(names) < len(shown)
