"""The work that proposes relationships between tables, and insights about them.

Groups of tables first: foreign keys that nobody declared, what joins come to, bridges, subtypes, and what is remarkable
about one table by itself. Then what is remarkable about tables beside one another, in a task of its own. The insights
stand in the run's output too, the weightiest first, whether they are news or were proposed before.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from persistence.queries.enrichment import StandingWords, keys_in, open_violations, standing_words
from persistence.store import UnitOfWork
from resolvers.data_readiness.approval.enrichments import identity_of
from resolvers.data_readiness.approval.proposing import ProposalDraft, basis_of, put_new
from resolvers.data_readiness.runs.description_context import configuration_of, subjects_of, told
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.reading import tables_of, targets
from resolvers.engines.intelligence.insights import ENGINE as INSIGHTS
from resolvers.engines.intelligence.insights import Brief, Insight, brief_of, scope_insights, table_insights
from resolvers.engines.intelligence.relations import ENGINE as RELATIONS
from resolvers.engines.intelligence.relations import KeyOf, ProposedRelationship, keys_of, relations_of
from schema.data_readiness.proposal import ProposalKind

TABLES_AT_ONCE: Final = 20
READ_AT_ONCE: Final = 200
"""How many tables are held at once while all of them are compared."""
MOST_SHOWN: Final = 100
"""How many insights a run's output lists."""
MOST_KEPT: Final = 500
"""How many insights one task keeps for the output."""


class Intelligence(RunWork):
    """intelligence."""

    proposes = True
    when_failed = "; what the others found is proposed"

    async def units(self) -> Sequence[RunUnit]:
        """Some tables each, and then all of them beside one another."""
        names = [fqn for fqn, _ in await tables_of(self)]
        groups = [names[start : start + TABLES_AT_ONCE] for start in range(0, len(names), TABLES_AT_ONCE)]
        units = [
            RunUnit(
                f"Tables {at * TABLES_AT_ONCE + 1} to {at * TABLES_AT_ONCE + len(some)}", {"tables": some, "number": at}
            )
            for at, some in enumerate(groups)
        ]
        return [*units, RunUnit("All tables", {"number": len(units)}, phase=1)]

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Find what there is to say; it is written down as the task closes."""
        if "tables" in arguments:
            relations, insights = await self._of_tables(arguments)
        else:
            relations, insights = [], await self._of_scope(arguments)
        fqns = [one.asset_fqn for one in relations]
        standing = await self.ctx.store.read(lambda uow: standing_words(uow.connection, self.scope, fqns))
        drafts = [draft for one in relations if (draft := _relation_draft(one, standing.get(one.asset_fqn)))]
        drafts += [_insight_draft(one) for one in insights]

        def write(uow: UnitOfWork) -> Mapping[str, int]:
            made = put_new(self, uow, drafts, arguments)
            self._keep(uow, arguments, insights)
            return {"proposals": made, "relationships_found": len(relations), "insights_found": len(insights)}

        return write

    def conclude(self, uow: UnitOfWork, output: dict[str, Any], failed: int) -> None:
        """Show the weightiest insights in the run's output."""
        kept = [one for _, arguments in uow.run_tasks.planned(self.run.id) for one in arguments.get("insights", ())]
        kept.sort(key=lambda one: (-one["weight"], one["asset_fqn"], one["kind"]))
        output["insights"] = kept[:MOST_SHOWN]

    async def _of_tables(self, arguments: Mapping[str, Any]) -> tuple[list[ProposedRelationship], list[Insight]]:
        known = await told(self, await configuration_of(self))
        subjects = await subjects_of(self.ctx, arguments["tables"], known)
        schemas = sorted({subject.schema_fqn for subject in subjects})
        found = await self.ctx.store.read(lambda uow: keys_in(uow.connection, self.scope, schemas))
        relations: list[ProposedRelationship] = []
        insights: list[Insight] = []
        if subjects:
            keys = keys_of((KeyOf(*one) for one in found), subjects[0].around)
            for subject in subjects:
                relations += relations_of(subject, keys)
                insights += table_insights(subject)
        await self.progress(arguments, len(subjects), len(subjects))
        return relations, insights

    async def _of_scope(self, arguments: Mapping[str, Any]) -> list[Insight]:
        known = await told(self, await configuration_of(self))
        names = [fqn for fqn, _ in await tables_of(self)]
        briefs: list[Brief] = []
        for start in range(0, len(names), READ_AT_ONCE):
            briefs += map(brief_of, await subjects_of(self.ctx, names[start : start + READ_AT_ONCE], known))
            await self.progress(arguments, len(briefs), len(names))
        below = targets(self.run)
        found = await self.ctx.store.read(lambda uow: open_violations(uow.connection, self.scope, below))
        return scope_insights(briefs, found)

    def _keep(self, uow: UnitOfWork, arguments: Mapping[str, Any], insights: Sequence[Insight]) -> None:
        """Write the insights down with their task, where the run's end finds them."""
        heaviest = sorted(insights, key=lambda one: (-one.weight, one.asset_fqn))[:MOST_KEPT]
        kept = [_shown(one) | {"asset_fqn": one.asset_fqn, "weight": one.weight} for one in heaviest]
        uow.run_tasks.keep_arguments(arguments["task_id"], {**arguments, "insights": kept})


def _shown(one: Insight) -> dict[str, Any]:
    return {"kind": one.kind, "sentence": one.sentence, "figures": one.figures, "confidence": one.confidence}


def _relation_draft(one: ProposedRelationship, standing: StandingWords | None) -> ProposalDraft | None:
    """The proposal of a relationship that does not stand yet."""
    if standing is None or any(_says(known, one.value) for known in standing.column_relationships):
        return None
    current = [dict(known) for known in standing.column_relationships] or None
    return ProposalDraft(
        one.asset_fqn, ProposalKind.RELATIONSHIP, "column_relationships", one.value, one.evidence, one.confidence,
        basis_of(RELATIONS, one.value), current=current,
    )  # fmt: skip


def _says(known: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """Return whether what stands is the relationship itself, or tells of a join what it comes to."""
    if identity_of(known) == identity_of(value):
        return True
    told = value["type"] == "JOIN" and known.get("cardinality") is not None
    return told and identity_of({**known, "type": "JOIN"}) == identity_of(value)


def _insight_draft(one: Insight) -> ProposalDraft:
    evidence = {"engine": INSIGHTS, "from": ["figures"], **one.figures}
    basis = basis_of(INSIGHTS, one.kind, one.key)
    value = _shown(one)
    return ProposalDraft(one.asset_fqn, ProposalKind.INSIGHT, one.kind, value, evidence, one.confidence, basis)
