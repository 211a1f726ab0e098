"""What came about beside what was planned: `started late`, `ended later than planned`, `went over their estimate`.

Two columns of one table hold both, and are called alike but for the words that tell which is which.
"""

from typing import Final

from resolvers.engines.nl2sql.language.plans import ALIKE, DONE, PLAIN, PLANS, REAL, SPENT, Said, said_of_plans
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Comparison, Operator
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.frame import Cond
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_ANOTHER: Final = 0.25
"""What it costs that an estimate is taken for a budget, or the like."""


def beside_the_plan(resolver: Resolver, main: str) -> Comparison | None:
    """The comparison of the column of what came about with that of the plan; None unless just one pair is meant."""
    said = said_of_plans(resolver.cut.linked.tokens)
    if said is None:
        return None
    for table in dict.fromkeys((main, *resolver.mentioned())):
        found = _pairs(resolver.catalog, table, said)
        if len(found) == 1:
            real, plan = found[0]
            if said.plan in ALIKE and not any(
                PLANS.get(root_of(word)) == said.plan for word in resolver.catalog.words(plan)
            ):
                resolver.doubt("one kind of plan is taken for another", _ANOTHER)
            return Comparison(as_column(real), said.operator, (as_column(plan),))
        if found:
            return None
    return None


def _pairs(catalog: Catalog, table: str, said: Said) -> list[tuple[ColumnKey, ColumnKey]]:
    roots = {key: {root_of(word) for word in catalog.words(key)} for key in catalog.of(table)}
    plans = {key: kinds for key in roots if (kinds := {PLANS[one] for one in roots[key] if one in PLANS})}
    kinds = {said.plan} if said.plan != "late" else {root_of("plan"), root_of("due")}
    if not any(kinds & of for of in plans.values()):
        kinds = ALIKE.get(said.plan, set())
    found: list[tuple[int, ColumnKey, ColumnKey]] = []
    for plan in (key for key in plans if plans[key] & kinds):
        rest = _rest(roots[plan])
        for real in (key for key in roots if key not in plans):
            if not _comparable(catalog, real, plan, said):
                continue
            own = _rest(roots[real])
            told = not said.deed or said.deed in own | rest
            if rest and rest <= own and told:
                found.append((len(own - rest), real, plan))
            elif not rest and (said.deed in own if said.deed else own & (DONE if said.is_of_time else SPENT)):
                found.append((len(own), real, plan))
    least = min((one[0] for one in found), default=0)
    return [(real, plan) for far, real, plan in found if far == least]


def _rest(roots: set[str]) -> set[str]:
    return roots - set(PLANS) - REAL - PLAIN


def _comparable(catalog: Catalog, one: ColumnKey, other: ColumnKey, said: Said) -> bool:
    """Return whether both are times, or both amounts, as far as it is said which."""
    times = [catalog.is_time(key) for key in (one, other)]
    if all(times):
        return not said.is_of_amounts
    return not (said.is_of_time or any(times)) and catalog.is_measure(one) and catalog.is_measure(other)


def alike(resolver: Resolver, cond: Cond, main: str) -> Comparison | None:
    """That two columns of a row hold the same, or not; None unless just one pair fits the words best."""
    one, other = cond.values
    found: dict[tuple[ColumnKey, ColumnKey], float] = {}
    for first in one.columns:
        for second in other.columns:
            pair = first.column, second.column
            if pair[0] is None or pair[1] is None or pair[0] == pair[1] or pair[0].table != pair[1].table:
                continue
            fits = first.score + second.score + (0.5 if pair[0].table == main else 0.0)
            found[pair[0], pair[1]] = max(fits, found.get((pair[0], pair[1]), 0.0))
    best = max(found.values(), default=0.0)
    pairs = [pair for pair, fits in found.items() if fits == best]
    if len(pairs) != 1:
        return None
    resolver.used.update((ref.first, ref.last) for ref in cond.values)
    left, right = pairs[0]
    return Comparison(as_column(left), Operator.EQUAL, (as_column(right),), cond.negated)
