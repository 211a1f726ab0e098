"""The assessments: how good the data are, rules or not, and how well the catalog describes them.

dq-assessment executes the active rules of every table and, in the same scans, the checks that are built in, so that a
table without rules is measured too. A metric of an asset is counted once in a run: where a rule was evaluated it
counts, and the built-in check of the same metric and asset does not. metadata-assessment reads the catalog alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from persistence.queries.metric_results import Measured
from persistence.queries.source_facts import versions_of
from persistence.queries.violations import Finding
from persistence.store import UnitOfWork
from resolvers.data_readiness.report_building import REPORT
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.falls import record_figures
from resolvers.data_readiness.runs.measuring import (
    CheckInputs,
    check_of,
    kind_of,
    measured,
    read_known,
    record_rules,
    told,
    with_losses,
)
from resolvers.data_readiness.runs.reading import tables_of, use_source, use_table
from resolvers.data_readiness.runs.suspicions import COUNTS_IN, METRIC, check_key, finding, keep, look
from resolvers.engines.checks.builtin import Builtin, builtin_checks, uncovered
from resolvers.engines.checks.evaluate import evaluate
from resolvers.engines.checks.impossible import named_so
from resolvers.engines.checks.model import Evaluation, MetricCount
from resolvers.engines.checks.predicates import TEXTS, type_of
from resolvers.engines.checks.suspects import Looked
from schema.data_readiness.quality_builtin import METRICS
from schema.data_readiness.rule import RuleOutcome
from schema.data_readiness.source import Source
from schema.data_readiness.violation import guessed_severity

SAMPLED_ROWS: Final = 1000
"""Rows that the form of texts is concluded from."""

BUILTIN: Final = "builtin:"
_DIMENSION: Final = {metric.id: metric.dimension_id for metric in METRICS}


class DataAssessment(RunWork):
    """One run of dq-assessment."""

    when_failed = "; the other tables are measured, and a retry does only these again"
    reporter = REPORT

    async def units(self) -> Sequence[RunUnit]:
        """One unit per table. Raises JobError when there is none."""
        return [RunUnit(fqn, {"table": fqn, "resource_uri": uri}) for fqn, uri in await tables_of(self)]

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Evaluate the rules and the built-in checks of one table."""
        fqn, uri = str(arguments["table"]), str(arguments["resource_uri"])
        known = await self.ctx.store.read(lambda uow: read_known(uow, self.scope, fqn))
        if not isinstance(known, CheckInputs):
            return lambda uow: {"vanished": 1}
        # A rule about a table says that it is to be read.
        evaluation, builtins, looked = await (
            use_source(self.ctx, uri, lambda source: self._evaluated(source, known))
            if known.rules and not known.table.columns
            else use_table(self.ctx, known.table, lambda source: self._evaluated(source, known))
        )

        evaluation = await with_losses(self.ctx, known, evaluation)

        def write(uow: UnitOfWork) -> dict[str, int]:
            actor, now = self.ctx.caller.user_id, self.ctx.now()
            findings, checked, counts = record_rules(
                uow, self.scope, self.run.id, known.rules, evaluation.results, actor=actor, at=now
            )
            own, checked_too = self._found(uow, known, evaluation, builtins)
            suspected, figures, counts["suspects"] = self._suspected(uow, known, evaluation, looked)
            own += suspected
            if looked is None:
                checked_too.discard(check_key(fqn, BUILTIN))
            counts["measured"] = record_figures(uow, self.scope, self.run.id, fqn, figures, at=now)
            done = uow.violations.record(
                self.scope,
                self.run.id,
                [*findings, *own],
                checked=[*checked, *sorted(checked_too)],
                actor=actor,
                at=now,
            )
            return counts | {
                "tables": 1, "new_violations": done.new, "seen_again": done.seen_again, "reopened": done.reopened,
                "resolved": done.resolved,
            }  # fmt: skip

        return write

    def _evaluated(self, source: Source, known: CheckInputs) -> tuple[Evaluation, list[Builtin], Looked | None]:
        table = known.table
        read = [column.name for column in table.columns if type_of(column) in TEXTS or named_so(column)]
        relation = source.relation(table.database, table.schema, table.name)
        sample = source.sample(relation, read, SAMPLED_ROWS) if read else None
        within = (self.run.input.get("parameters") or {}).get("fresh_within_seconds")
        builtins = builtin_checks(
            table, known.profile, sample, fresh_within=float(within) if isinstance(within, int | float) else None
        )
        rules = [check_of(rule) for rule in known.rules]
        builtins = uncovered(builtins, rules)
        checks = [*rules, *(one.check for one in builtins)]
        detector = known.detector()
        found = evaluate(
            source, table, checks, now=self.ctx.now(), how=known.how, others=known.others, detector=detector
        )
        return found, builtins, look(source, known, detector)

    def _suspected(
        self, uow: UnitOfWork, known: CheckInputs, evaluation: Evaluation, looked: Looked | None
    ) -> tuple[list[Finding], list[Measured], int]:
        """Keep the suspect cells of a table; the violation that many of them are, all figures, and how many there are.

        Where a rule about them is broken, its own violation says so, and where one was counted, the score goes by it.
        """
        figures = measured(evaluation)
        if looked is None:
            return [], figures, 0
        kept = keep(uow, self.scope, self.run.id, known, looked, self.ctx.now())
        is_told = any(
            rule.metric == METRIC and evaluation.results[rule.id].outcome is RuleOutcome.FAILED for rule in known.rules
        )
        fqn = known.table.fqn
        check = check_key(fqn, BUILTIN)
        figure = kept.figure(fqn, check)
        if figure is not None and (COUNTS_IN, fqn) not in {
            (one.metric_definition_id, one.asset_fqn) for one in figures
        }:
            figures.append(figure)
        version = versions_of(uow.connection, self.scope, {fqn}).get(fqn)
        definitions = uow.violation_definitions.standing(self.scope)
        stood = uow.violations.stood_before(self.scope, fqn, check, self.run.id)
        found = None if is_told else finding(known, kept, definitions, check, version, stood_before=stood)
        return [] if found is None else [found], figures, len(kept.suspects)

    def _found(
        self, uow: UnitOfWork, known: CheckInputs, evaluation: Evaluation, builtins: Sequence[Builtin]
    ) -> tuple[list[Finding], set[str]]:
        """Return what built-in checks found, and which of them were looked at, those that no longer apply included."""
        by_check = {key: one for one in evaluation.counted for key in one.checks}
        definitions = uow.violation_definitions.standing(self.scope)
        versions = versions_of(uow.connection, self.scope, {one.check.asset_fqn for one in builtins if one.finds})
        findings: list[Finding] = []
        unknown: set[str] = set()
        for one in builtins:
            check, result = one.check, evaluation.results[one.check.key]
            if result.outcome is RuleOutcome.NOT_EVALUATED:
                unknown.add(check.key)
            counted: MetricCount | None = by_check.get(check.key)
            if result.outcome is not RuleOutcome.FAILED or not one.finds or counted is None:
                continue  # where a rule speaks of the same, its own violation says so
            kind = kind_of(definitions, check.metric, _DIMENSION[check.counts_in])
            findings.append(
                Finding(
                    check=check.key,
                    definition_id=kind.id,
                    asset_fqn=check.asset_fqn,
                    severity=guessed_severity(kind.default_severity) if one.is_guess else None,
                    metric_definition_id=check.counts_in,
                    asset_version=versions.get(check.asset_fqn),
                    details=told(
                        result,
                        metric=check.metric,
                        arguments=dict(check.arguments),
                        why=one.why,
                        numerator=result.numerator,
                        denominator=result.denominator,
                    ),
                )
            )
        standing = uow.violations.unresolved_checks(self.scope, known.table.fqn, BUILTIN)
        return findings, standing - unknown
