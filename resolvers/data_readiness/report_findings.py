"""What a report tells of what is wrong: what to do first, the worst cells, what rules expect, what is not described."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from persistence.queries.catalog_rows import chunks
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.weighing import MOST_WEIGHED, actions, uses_of, weighed
from resolvers.engines.first_steps import counted
from resolvers.engines.masking import hides_values, masked_cells
from resolvers.engines.report.expectations import in_words
from resolvers.engines.report.values import RuleResult, ViolationSummary
from schema.data_readiness.action import Action
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.suspect import FINE, SuspectCell
from schema.data_readiness.violation import Severity, Violation
from schema.utils.metadata_asset import table_of

MOST_RULES: Final = 2000
MOST_ACTIONS: Final = 15
MOST_PLACES: Final = 3
MOST_CELLS: Final = 25
MOST_ALIKE: Final = 3
"""Cells of one kind in one column that are named: more of them would tell the same."""
MOST_OF_TABLE: Final = 8
"""Cells of one table that are named, where there are more."""
MOST_READ: Final = 1000
FEWEST_READ: Final = 40
"""Suspects that are read, over all tables, and of one table at least."""


def what_to_do_first(
    uow: UnitOfWork, scope: Scope, parts: Sequence[str], as_of: datetime | None
) -> tuple[list[Action], int]:
    """The violations of the data that there is most to gain by, and how many are open in all."""
    found = uow.violations.unresolved(
        scope, parts, as_of, _dimensions(uow, scope, AssessmentType.DATA_QUALITY), most=MOST_WEIGHED
    )
    some = weighed(uow, scope, found.items)[:MOST_ACTIONS]
    return actions(uow, scope, some), found.total


def not_described(
    uow: UnitOfWork, scope: Scope, parts: Sequence[str], as_of: datetime | None
) -> tuple[list[ViolationSummary], int]:
    """Return what is missing of the description, summed up by kind, the worst first; and how many assets lack
    something.
    """
    found = uow.violations.unresolved(
        scope, parts, as_of, _dimensions(uow, scope, AssessmentType.METADATA), most=MOST_WEIGHED
    )
    kinds: dict[tuple[str, Severity], list[Violation]] = {}
    for one in found.items:
        kinds.setdefault((one.name, one.severity), []).append(one)
    gaps = []
    for (name, severity), some in kinds.items():
        places = sorted({one.asset_fqn for one in some})
        number = sum(_lacking(one) for one in some)
        label = name.replace("_", " ").capitalize()
        gaps.append(ViolationSummary(label, severity, number, places[:MOST_PLACES], len(places)))
    gaps.sort(key=lambda one: (-list(Severity).index(one.severity), -one.count, one.what))
    return gaps, sum(one.count for one in gaps)


def _lacking(violation: Violation) -> int:
    number = counted(violation)
    return 1 if number is None else number[0]


def _dimensions(uow: UnitOfWork, scope: Scope, kind: AssessmentType) -> list[str]:
    return [one.id for one in uow.dimensions.standing(scope) if one.assessment_type is kind]


def worst_cells(
    uow: UnitOfWork, scope: Scope, tables: Sequence[str], as_of: datetime | None
) -> tuple[list[SuspectCell], int]:
    """The suspect cells that do most harm, by probability times use, a few of a kind; and how many there are in all.

    They are those of the latest assessment of each table, so none is told of a moment before it.
    """
    each = max(FEWEST_READ, MOST_READ // max(1, len(tables)))
    read = uow.suspect_cells.first_of_assets(scope, "table_fqn", tables, each)
    standing = {
        fqn: some
        for fqn, held in read.items()
        if (some := [one for one in held if one.verdict not in FINE and (as_of is None or one.measured_at <= as_of)])
    }
    total = sum(some[0].suspects_in_table for some in standing.values())
    uses = uses_of(uow, scope, standing)
    found = [one for some in standing.values() for one in some]
    found.sort(key=lambda one: (-one.probability * uses[one.table_fqn].factor(), one.asset_fqn, one.id))
    personal = uow.table_profiles.personal(scope, sorted(standing))
    chosen = told_once(found, personal, MOST_OF_TABLE if len(standing) > 1 else MOST_CELLS)
    return masked_cells(chosen, personal), total


def told_once(
    found: Sequence[SuspectCell], personal: Mapping[str, frozenset[str] | None], most_of_table: int
) -> list[SuspectCell]:
    """Return the first of some suspect cells that each tell something else; `personal` is as for `hides_values`.

    The same value in another row is told already, and of values that may not be shown one says as much as three.
    """
    alike: Counter[tuple[str, str]] = Counter()
    of_table: Counter[str] = Counter()
    told: set[tuple[str | None, ...]] = set()
    chosen: list[SuspectCell] = []
    for one in found:
        kind = (one.asset_fqn, one.kind.value)
        same = kind if hides_values(one.asset_fqn, personal) else (*kind, one.value, one.repair)
        if same in told or alike[kind] == MOST_ALIKE or of_table[one.table_fqn] == most_of_table:
            continue
        told.add(same)
        alike[kind] += 1
        of_table[one.table_fqn] += 1
        chosen.append(one)
    return chosen[:MOST_CELLS]


def rule_results(uow: UnitOfWork, scope: Scope, parts: Sequence[str], as_of: datetime | None) -> list[RuleResult]:
    """The latest execution of each rule at or under a name; of the past those of rules that stood then, too."""
    rows = uow.rule_executions.latest(scope, parts, MOST_RULES, as_of=as_of, standing=as_of is None)
    metrics = uow.metric_definitions.of_ids(scope, {one.metric_definition_id for one in rows})
    dimensions = uow.dimensions.of_ids(scope, {one.dimension_id for one in metrics.values()})
    labels = {
        id: dimensions[one.dimension_id].display_name or dimensions[one.dimension_id].name
        for id, one in metrics.items()
    }
    rules = {
        rule.id: rule
        for some in chunks([one.rule_id for one in rows])
        for rule in uow.quality_rules.where_in(scope, "id", some)
    }
    tables = {fqn for one in rows if (fqn := table_of(one.asset_fqn)) is not None}
    personal = uow.table_profiles.personal(scope, sorted(tables))
    return [
        RuleResult(
            name=one.rule_name,
            asset_fqn=one.asset_fqn,
            dimension=labels.get(one.metric_definition_id, "other"),
            outcome=one.outcome,
            numerator=one.numerator,
            denominator=one.denominator,
            reason=one.reason,
            expects=None
            if (rule := rules.get(one.rule_id)) is None
            else in_words(rule, one.numerator, one.denominator, hides_values=hides_values(rule.asset_fqn, personal)),
        )
        for one in rows
    ]
