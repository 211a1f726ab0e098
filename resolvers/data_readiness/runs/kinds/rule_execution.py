"""The execution of quality rules: one unit per table, whose active rules are evaluated in the store.

A unit records once, in the transaction that closes it: what each rule came to, one figure for each metric of an asset,
and the violations. A rule that could not be evaluated is told, counts in no score and resolves nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from persistence.store import UnitOfWork
from resolvers.data_readiness.report_building import REPORT
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write, nothing_to_do
from resolvers.data_readiness.runs.falls import record_figures
from resolvers.data_readiness.runs.measuring import (
    CheckInputs,
    check_of,
    measured,
    read_known,
    record_rules,
    table_of,
    with_losses,
)
from resolvers.data_readiness.runs.reading import targets, use_source, use_table
from resolvers.engines.checks.evaluate import evaluate
from resolvers.engines.checks.model import Evaluation, not_evaluated
from schema.data_readiness.rule import RuleState
from schema.data_readiness.source import Source

GONE = "The table is no longer in the catalog. Run service-ingestion, or delete the rule."


class Execution(RunWork):
    """One run of dq-execution."""

    when_failed = "; the rules of the other tables are evaluated, and a retry does only these again"
    reporter = REPORT

    async def units(self) -> Sequence[RunUnit]:
        """One unit per table that has active rules. Raises JobError when there is none."""
        names = targets(self.run)

        def work(uow: UnitOfWork) -> list[tuple[str, str]]:
            rules = uow.quality_rules.under(self.scope, names or [None], state=RuleState.ACTIVE)
            return sorted({(table_of(rule.asset_fqn), rule.resource_uri) for rule in rules})

        found = await self.ctx.store.read(work)
        if not found:
            where = " under " + ", ".join(names[:3]) if names else ""
            raise nothing_to_do(
                f"There is no active quality rule{where}.",
                "Approve rules that dq-rule-generation has proposed, or write one; if there are some, check asset_fqn "
                "and include.",
            )
        return [RunUnit(fqn, {"table": fqn, "resource_uri": uri}) for fqn, uri in found]

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Evaluate the rules of one table."""
        fqn, uri = str(arguments["table"]), str(arguments["resource_uri"])
        known = await self.ctx.store.read(lambda uow: read_known(uow, self.scope, fqn))
        if isinstance(known, CheckInputs):
            rules = known.rules
            # A rule about a table says that it is to be read.
            evaluation = await (
                use_table(self.ctx, known.table, lambda source: self._evaluated(source, known))
                if known.table.columns
                else use_source(self.ctx, uri, lambda source: self._evaluated(source, known))
            )
            evaluation = await with_losses(self.ctx, known, evaluation)
        else:
            rules = known
            evaluation = Evaluation({rule.id: not_evaluated(GONE) for rule in rules}, ())

        def write(uow: UnitOfWork) -> dict[str, int]:
            actor, now = self.ctx.caller.user_id, self.ctx.now()
            findings, checked, counts = record_rules(
                uow, self.scope, self.run.id, rules, evaluation.results, actor=actor, at=now
            )
            counts["measured"] = record_figures(uow, self.scope, self.run.id, fqn, measured(evaluation), at=now)
            done = uow.violations.record(self.scope, self.run.id, findings, checked=checked, actor=actor, at=now)
            return counts | {
                "new_violations": done.new, "seen_again": done.seen_again, "reopened": done.reopened,
                "resolved": done.resolved,
            }  # fmt: skip

        return write

    def _evaluated(self, source: Source, known: CheckInputs) -> Evaluation:
        checks = [check_of(rule) for rule in known.rules]
        return evaluate(
            source,
            known.table,
            checks,
            now=self.ctx.now(),
            how=known.how,
            others=known.others,
            detector=known.detector(),
        )
