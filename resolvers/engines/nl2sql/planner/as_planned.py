"""What came about beside what was planned: `started late`, `ended later than planned`, `went over their estimate`.

Two columns of one table hold both, and are called alike but for the words that tell which is which.
"""

from typing import Final

from resolvers.engines.nl2sql.language.plans import ALIKE, PLAIN, PLANS, REAL, SPENT, Said, said_of_plans
from resolvers.engines.nl2sql.language.tokens import root_of
from resolvers.engines.nl2sql.model import ColumnKey
from resolvers.engines.nl2sql.plan import Comparison
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.nl2sql.planner.resolving import Resolver, as_column

_ANOTHER: Final = 0.25
"""What it costs that an estimate is taken for a budget, or the like."""


def beside_the_plan(resolver: Resolver, main: str) -> Comparison | None:
    """The comparison of the column of what came about with that of the plan; None unless just one pair is meant."""
    said = said_of_plans(resolver.cut.linked.tokens)
    for table in dict.fromkeys((main, *resolver.mentioned())) if said is not None else ():
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
            elif not rest and (said.deed in own if said.deed else not said.is_of_time and own & SPENT):
                found.append((len(own), real, plan))
    least = min((one[0] for one in found), default=0)
    return [(real, plan) for far, real, plan in found if far == least]


def _rest(roots: set[str]) -> set[str]:
    return roots - set(PLANS) - REAL - PLAIN


def _comparable(catalog: Catalog, one: ColumnKey, other: ColumnKey, said: Said) -> bool:
    """Whether both are times, or both amounts, as far as it is said which."""
    times = [catalog.is_time(key) for key in (one, other)]
    if all(times):
        return not said.is_of_amounts
    return not (said.is_of_time or any(times)) and catalog.is_measure(one) and catalog.is_measure(other)
