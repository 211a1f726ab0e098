"""Defines what executing rules and assessing tables have in common: what checks need, and how results are recorded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from persistence.queries.catalog_rows import chunks
from persistence.queries.metric_results import Measured
from persistence.queries.rules import Executed
from persistence.queries.source_facts import read_facts, tables_called, versions_of
from persistence.queries.violations import Finding
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.runs.reading import columns_gone, lost_columns
from resolvers.engines.checks.examples import ExampleStyle, key_of
from resolvers.engines.checks.model import Check, CheckResult, Evaluation, not_evaluated
from resolvers.engines.checks.suspects import Detector
from resolvers.engines.error_detection.verdicts import Verdicts
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.quality_builtin import VIOLATIONS
from schema.data_readiness.rule import QualityRule, RuleOutcome, RuleState
from schema.data_readiness.source import TableFacts
from schema.data_readiness.violation import ViolationDefinition
from schema.identifiers import Fqn

_KIND: Final = {one.name: one for one in VIOLATIONS}

KINDS: Final[Mapping[str | None, str]] = {
    "rowCount": "missing_rows",
    "nullValues": "null_values",
    "missingValues": "missing_values",
    "invalidValues": "invalid_values",
    "duplicateValues": "duplicate_values",
    "nearDuplicates": "duplicate_values",
    "brokenReferences": "broken_references",
    "inconsistentRows": "inconsistent_rows",
    "brokenFormulas": "inconsistent_rows",
    "staleData": "stale_data",
    "outlierValues": "implausible_values",
    "suspectValues": "implausible_values",
}
"""The kind of violation that breaking each metric is."""

MOST_NAMED: Final = 200
"""Tables that the SQL of one table's rules may name."""


@dataclass(frozen=True, slots=True)
class CheckInputs:
    """Holds what the checks of one table need beside its data."""

    table: TableFacts
    rules: tuple[QualityRule, ...]
    others: Mapping[str, TableFacts]
    profile: TableProfile | None
    how: ExampleStyle
    verdicts: Verdicts
    """What people have said of cells of the table that were held for wrong."""

    def detector(self) -> Detector:
        """Return what looks for wrong cells in the table."""
        return Detector(self.how, self.verdicts)


def table_of(asset_fqn: str) -> str:
    """The table that an asset is, or is a column of."""
    return str(Fqn.of(*Fqn.parse(asset_fqn).parts[:4]))


def read_known(
    uow: UnitOfWork, scope: Scope, table_fqn: str, given: Sequence[QualityRule] | None = None
) -> CheckInputs | tuple[QualityRule, ...]:
    """Return what is known of a table and its rules, the active ones if none are given.

    The rules alone when the catalog has no such table any more.
    """
    rules = tuple(uow.quality_rules.about(scope, table_fqn) if given is None else given)
    found = read_facts(uow.connection, scope, [table_fqn])
    if not found:
        return rules
    (table,) = found
    profile = uow.table_profiles.latest(scope, [table_fqn]).get(table_fqn)
    wanted = {str(rule.arguments.get("targetFqn")) for rule in rules if rule.arguments.get("targetFqn")}
    wanted |= {one.target_fqn for one in profile.foreign_keys} if profile is not None else set()
    wanted |= {column.references[0] for column in table.columns if column.references is not None}
    for rule in rules:
        if rule.query is not None:
            wanted.update(named_tables(uow, scope, table.resource_uri, rule.query))
    wanted.discard(table_fqn)
    others = {
        one.fqn: one
        for one in read_facts(uow.connection, scope, sorted(wanted))
        if one.resource_uri == table.resource_uri
    }
    verdicts = Verdicts(uow.suspect_verdicts.of_table(scope, table_fqn))
    return CheckInputs(table, rules, others, profile, _shown(uow, scope, table, others.values(), profile), verdicts)


async def with_losses(ctx: Context, known: CheckInputs, found: Evaluation) -> Evaluation:
    """Return what the checks of a table came to, told of those that could not be evaluated because their column is
    gone.
    """
    checks = {rule.id: check_of(rule) for rule in known.rules}
    failed = [key for key in checks if found.results[key].outcome is RuleOutcome.NOT_EVALUATED]
    if not any(checks[key].columns for key in failed):
        return found
    lost = await lost_columns(ctx, known.table)
    if len(lost) == len(known.table.columns):
        return found  # the table may be there and forbidden, which is what its own error says
    results = dict(found.results)
    for key in failed:
        if mine := [name for name in lost if name in checks[key].columns]:
            results[key] = not_evaluated(columns_gone(known.table, mine))
    return replace(found, results=results)


def named_tables(uow: UnitOfWork, scope: Scope, uri: str, query: str, dialect: str | None = None) -> list[str]:
    """The live tables of a connection that have a name which a text of SQL mentions in FROM."""
    try:
        names = {
            node.name.lower()
            for one in sqlglot.parse(query, dialect=dialect)
            if one is not None
            for node in one.find_all(exp.Table)
        }
    except (SqlglotError, RecursionError):
        return []
    return tables_called(uow.connection, scope, uri, sorted(names)[:MOST_NAMED], MOST_NAMED)


def _shown(
    uow: UnitOfWork, scope: Scope, table: TableFacts, others: Iterable[TableFacts], profile: TableProfile | None
) -> ExampleStyle:
    every = [table, *others]
    personal = uow.table_profiles.personal(scope, [one.fqn for one in every])
    names = {column.fqn: (one.fqn, column.name) for one in every for column in one.columns}
    hidden: dict[str, set[str]] = {}
    for one in every:
        columns = personal.get(one.fqn)
        for fqn in (column.fqn for column in one.columns) if columns is None else columns:
            if fqn in names:
                hidden.setdefault(one.fqn, set()).add(names[fqn][1])
    candidates = (
        [key.columns for key in profile.candidate_keys if key.uniqueness == 1.0 and key.is_exact] if profile else []
    )
    return ExampleStyle(
        key=key_of(table, candidates),
        masked=frozenset(hidden.get(table.fqn, ())),
        elsewhere=frozenset((fqn, name) for fqn, some in hidden.items() if fqn != table.fqn for name in some),
    )


def check_of(rule: QualityRule) -> Check:
    """A rule, as the evaluation takes it."""
    return Check(
        key=rule.id,
        metric=rule.metric,
        asset_fqn=rule.asset_fqn,
        counts_in=rule.metric_definition_id,
        arguments=rule.arguments,
        operator=rule.operator,
        threshold=tuple(rule.threshold),
        unit=rule.unit,
        query=rule.query,
    )


def rule_check(rule_id: str) -> str:
    """The name of the check behind the violations of a rule."""
    return f"rule:{rule_id}"


def kind_of(definitions: Sequence[ViolationDefinition], metric: str | None, dimension_id: str) -> ViolationDefinition:
    """The kind of violation that a broken check is: one of its dimension, the metric's own if that fits."""
    own = _KIND.get(KINDS.get(metric, "invalid_values"), _KIND["invalid_values"])
    if own.dimension.id == dimension_id:
        return own
    return next((one for one in definitions if one.dimension.id == dimension_id and one.is_active), own)


def told(result: CheckResult, **more: Any) -> dict[str, Any]:
    """Return what an execution and a violation say of a result."""
    found: dict[str, Any] = {"value": result.value, **more, **result.notes}
    if result.examples:
        found["examples"] = [dict(one) for one in result.examples]
    return found


def expected(rule: QualityRule) -> dict[str, Any]:
    """Return what a rule expected when it was executed."""
    return {"operator": rule.operator.value, "threshold": list(rule.threshold), "unit": rule.unit.value}


def record_rules(
    uow: UnitOfWork,
    scope: Scope,
    run_id: str,
    rules: Sequence[QualityRule],
    results: Mapping[str, CheckResult],
    *,
    actor: str,
    at: datetime,
) -> tuple[list[Finding], list[str], dict[str, int]]:
    """Write executions down; the findings, the checks that were evaluated, and counts. Rules that ceased are left."""
    standing = {
        rule.id
        for some in chunks([rule.id for rule in rules])
        for rule in uow.quality_rules.where_in(scope, "id", some)
        if rule.state is RuleState.ACTIVE
    }
    live = [rule for rule in rules if rule.id in standing]
    executed = [
        Executed(
            rule,
            results[rule.id].outcome,
            results[rule.id].numerator,
            results[rule.id].denominator,
            results[rule.id].reason,
            told(results[rule.id], **expected(rule)),
        )
        for rule in live
    ]
    ids = uow.rule_executions.record(scope, run_id, executed, at=at)
    definitions = uow.violation_definitions.standing(scope)
    versions = versions_of(uow.connection, scope, {rule.asset_fqn for rule in live})
    findings: list[Finding] = []
    checked: list[str] = []
    counts = {"rules": len(live), "passed": 0, "failed": 0, "not_evaluated": 0}
    for rule in live:
        result = results[rule.id]
        counts[result.outcome.value] += 1
        if result.outcome is RuleOutcome.NOT_EVALUATED:
            continue
        checked.append(rule_check(rule.id))
        kind = kind_of(definitions, rule.metric, rule.dimension_id)
        if result.outcome is RuleOutcome.FAILED and kind.is_active:
            findings.append(
                Finding(
                    check=rule_check(rule.id),
                    definition_id=kind.id,
                    asset_fqn=rule.asset_fqn,
                    severity=rule.severity,
                    metric_definition_id=rule.metric_definition_id,
                    display_name=rule.name,
                    asset_version=versions.get(rule.asset_fqn),
                    details=told(
                        result,
                        **expected(rule),
                        rule_id=rule.id,
                        numerator=result.numerator,
                        denominator=result.denominator,
                    ),
                    dq_rule_execution_id=ids[rule.id],
                )
            )
    return findings, checked, counts


def measured(evaluation: Evaluation) -> list[Measured]:
    """The figures of an evaluation, one for each metric of an asset."""
    return [
        Measured(one.counts_in, one.asset_fqn, one.numerator, one.denominator, {"checks": list(one.checks)[:50]})
        for one in evaluation.counted
    ]
