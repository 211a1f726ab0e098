"""What rules expect and what breaks them, in words: those of the report."""

from collections.abc import Sequence

from persistence.queries.catalog_rows import chunks
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.masking import hides_values
from resolvers.engines.report.expectations import Measure, breach_in_words, in_words
from resolvers.loaders.base import batched
from resolvers.loaders.ones import SingleLoaders
from schema.data_readiness.rule import QualityRule, RuleExecution
from schema.data_readiness.violation import Violation
from schema.utils.metadata_asset import table_of


class RuleLoaders(SingleLoaders):
    """Describes what is told of rules. No value of personal data is, as the catalog's tags stand when it is told."""

    async def words_of_violation(self, violation: Violation) -> str | None:
        """Return what the rule behind a violation allows, and what the execution that found it counted; or what was
        counted without a rule.
        """
        if violation.dq_rule_execution_id is None:
            return _counted(violation)
        execution = await self._execution(violation.dq_rule_execution_id)
        return None if execution is None else await self.words_of_execution(execution)

    async def words_of_execution(self, execution: RuleExecution) -> str | None:
        """Return what a rule allows, and what an execution counted; None when the rule was deleted."""
        rule = await self.rule(execution.rule_id)
        return None if rule is None else await self.words_of_rule(rule, execution.numerator, execution.denominator)

    async def words_of_rule(self, rule: QualityRule, good: int | None = None, of: int | None = None) -> str:
        """Return what a rule allows, and how many of how many keep to it where that was counted."""
        return in_words(rule, good, of, hides_values=await self._hides_values((rule.id, rule.asset_fqn)))

    @batched
    async def _hides_values(self, rules: Sequence[tuple[str, str]]) -> list[bool]:
        """Return whether rules, each told by its id and what it is about, may be told with values out of the data."""

        def work(uow: UnitOfWork) -> dict[tuple[str, str], bool]:
            about: dict[str, list[tuple[str, str]]] = {}
            for some in chunks([id for id, _ in rules]):
                projects = uow.quality_rules.projects_of(self._scope, some)
                for rule in rules:
                    if rule[0] in projects:
                        about.setdefault(projects[rule[0]], []).append(rule)
            hidden: dict[tuple[str, str], bool] = {}
            for project, those in about.items():
                tables = sorted({table for _, fqn in those if (table := table_of(fqn)) is not None})
                personal = uow.table_profiles.personal(Scope(self._scope.organization_id, project), tables)
                hidden |= {rule: hides_values(rule[1], personal) for rule in those}
            return hidden

        found = await self._store.read(work)
        return [found.get(rule, True) for rule in rules]


def _counted(violation: Violation) -> str | None:
    """Return what a metric counted; None for a violation of which nothing was counted."""
    told = violation.details
    metric, good, of = (told.get(name) for name in ("metric", "numerator", "denominator"))
    if not isinstance(metric, str) or not isinstance(good, int) or not isinstance(of, int):
        return None
    return breach_in_words(Measure(metric, violation.asset_fqn, told.get("arguments") or {}), of - good, of)
