"""run-all-enrichment: a pipeline over a service, database or schema, made of the units of the other kinds of work.

First what is stale is profiled, then every table is tagged, then every schema is enriched; each unit is one task, so
that any number of workers share them, and a retry does again what failed and nothing else. A table counts twice, when
it is tagged for personal data and when it is tagged for sensitivity; a schema once, when its words are there and
everything before them. Those units count in the transaction that closes them, and fail when something that they stand
on has failed.

A pipeline of which a part fails completes with errors: what the others found is there to be approved.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final

from persistence.jobs.port import JobError
from persistence.queries.pipelines import profiled_since
from persistence.store import UnitOfWork
from resolvers.data_readiness.report_building import REPORT
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.kinds.descriptions import MetadataEnrichment
from resolvers.data_readiness.runs.kinds.intelligence import Intelligence
from resolvers.data_readiness.runs.kinds.profiling import Profiling
from resolvers.data_readiness.runs.kinds.rule_generation import RulesAndDimensions
from resolvers.data_readiness.runs.kinds.tagging import PiiTagging, SensitivityTagging
from resolvers.data_readiness.runs.reading import tables_of
from schema.data_readiness.workflow_run import RunStatus
from schema.identifiers import Fqn

FRESH: Final = timedelta(hours=24)
"""A table that was profiled so recently is not profiled again."""

TABLE, SCHEMA = "table", "schema"
"""What a unit counts as when it is done."""


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """One kind of work in the pipeline."""

    name: str
    title: str
    """What its tasks are called, before what each works on."""
    work: type[RunWork]


PROFILES: Final = PipelineStage("profiling", "Profile", Profiling)
TAGS: Final = (
    PipelineStage("pii", "Look for personal data in", PiiTagging),
    PipelineStage("sensitivity", "Judge the sensitivity of", SensitivityTagging),
)
"""What tags tables, one after the other; each counts its table."""
WORDS: Final = PipelineStage("enrichment", "Enrich", MetadataEnrichment)
"""What enriches schemas; its unit about a schema counts it."""
BESIDE: Final = (
    PipelineStage("quality", "Draw up rules for", RulesAndDimensions),
    PipelineStage("intelligence", "Relate", Intelligence),
)
"""What else is found out about the tables of a schema, at the same time."""


class Pipeline(RunWork):
    """One run of run-all-enrichment."""

    proposes = True
    when_failed = "; the others are done, and a retry does only these again"
    reporter = REPORT

    async def units(self) -> Sequence[RunUnit]:
        """The units of every part, in their phases. Raises JobError when there is no table."""
        tables = [fqn for fqn, _ in await tables_of(self)]
        since = self.ctx.now() - FRESH
        fresh = await self.ctx.store.read(lambda uow: profiled_since(uow.connection, self.scope, tables, since))
        plan = _Plan()
        stale = [unit for unit in await self._units_of(PROFILES) if not fresh.issuperset(_tables(unit))]
        plan.add(PROFILES, stale)
        for part in TAGS:
            plan.add(part, await self._units_of(part), counts=TABLE)
        plan.forget()  # a schema can be enriched although one of its tables was not tagged
        words = await self._units_of(WORDS)
        start = plan.phase
        ends = [
            plan.add(part, units, phase=start)
            for part, units in [
                *[(part, await self._units_of(part)) for part in BESIDE],
                (WORDS, [unit for unit in words if "container" not in unit.arguments]),
            ]
        ]
        plan.phase = max(ends)
        schemas = [unit for unit in words if len(_container(unit)) == 3]
        plan.add(WORDS, schemas, counts=SCHEMA)
        plan.add(WORDS, [unit for unit in words if "container" in unit.arguments and unit not in schemas])
        return plan.units

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Carry out a unit of a part; one that counts says so as it closes."""
        await self._check(arguments.get("needs", ()))
        part = next(one for one in (PROFILES, *TAGS, WORDS, *BESIDE) if one.name == arguments["part"])
        write = await self._work(part).carry_out(arguments)
        counts = arguments.get("counts")

        def both(uow: UnitOfWork) -> dict[str, int]:
            told = {name if name == "proposals" else f"{part.name}_{name}": n for name, n in write(uow).items()}
            if counts is not None and not uow.pipeline_runs.advance(
                self.scope, self._pipeline, **{f"completed_{counts}s": 1}
            ):
                raise RuntimeError("the pipeline does not count what belongs to it")
            return told

        return both

    def planned(self, uow: UnitOfWork, units: Sequence[Mapping[str, Any]]) -> None:
        """Say how much there is to do, as it was planned."""
        of = Counter(unit.get("counts") for unit in units)
        uow.pipeline_runs.plan(self.scope, self._pipeline, tables=of[TABLE], schemas=of[SCHEMA])

    def failed(self, uow: UnitOfWork, units: Sequence[Mapping[str, Any]]) -> None:
        """Count the tables and schemas that have failed."""
        of = Counter(unit.get("counts") for unit in units)
        uow.pipeline_runs.advance(self.scope, self._pipeline, failed_tables=of[TABLE], failed_schemas=of[SCHEMA])

    def begins_again(self, uow: UnitOfWork, arguments: Mapping[str, Any]) -> None:
        """Count a table or schema as failed no longer."""
        if (counts := arguments.get("counts")) is not None:
            uow.pipeline_runs.take_back(self.scope, self._pipeline, f"failed_{counts}s")

    def conclude(self, uow: UnitOfWork, output: dict[str, Any], failed: int) -> None:
        """Let every part add what it says at its own end."""
        for part in (PROFILES, *TAGS, WORDS, *BESIDE):
            self._work(part).conclude(uow, output, failed)

    def ends(self, failed: int) -> RunStatus:
        """Completed with errors, as something is done."""
        return RunStatus.COMPLETED

    @property
    def _pipeline(self) -> str:
        return str(self.run.output["pipeline_id"])

    def _work(self, part: PipelineStage) -> RunWork:
        return part.work(self.ctx, self.run, self.scope, self.attempt)

    async def _units_of(self, part: PipelineStage) -> Sequence[RunUnit]:
        return await self._work(part).units()

    async def _check(self, needs: Sequence[int]) -> None:
        """Raise JobError when something that a unit stands on has failed."""
        if not needs:
            return
        failed = await self.ctx.store.read(lambda uow: uow.run_tasks.failed_of(self.run.id, needs))
        if failed:
            more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
            raise JobError(f"What it stands on failed: {failed[0]}{more}.")


class _Plan:
    """The units of a pipeline, put behind one another phase by phase."""

    def __init__(self) -> None:
        self.units: list[RunUnit] = []
        self.phase = 0
        self._of_table: dict[str, list[int]] = {}
        """The positions of the units that work on each table."""

    def add(
        self, part: PipelineStage, units: Sequence[RunUnit], *, counts: str | None = None, phase: int | None = None
    ) -> int:
        """Take units in, behind all that stand there or in a phase; the phase behind them."""
        start, end = (self.phase if phase is None else phase), self.phase
        for unit in units:
            arguments = {**unit.arguments, "part": part.name}
            if counts is not None:
                arguments |= {"counts": counts, "needs": self._needs(unit)}
            if part is not PROFILES:
                for table in _tables(unit):
                    self._of_table.setdefault(table, []).append(len(self.units))
            self.units.append(
                replace(unit, label=f"{part.title} {unit.label}", arguments=arguments, phase=start + unit.phase)
            )
            end = max(end, start + unit.phase + 1)
        if phase is None:
            self.phase = end
        return end

    def forget(self) -> None:
        """Let what comes stand on nothing that stands there."""
        self._of_table.clear()

    def _needs(self, unit: RunUnit) -> list[int]:
        """The positions of what must have been done before a unit counts: what was done on its tables."""
        schema = _container(unit)
        below = [table for table in self._of_table if Fqn.parse(table).parts[:3] == schema] if schema else _tables(unit)
        return sorted({position for table in below for position in self._of_table.get(table, ())})


def _tables(unit: RunUnit) -> list[str]:
    one = unit.arguments.get("table")
    return [str(fqn) for fqn in ([one] if one else unit.arguments.get("tables", ()))]


def _container(unit: RunUnit) -> tuple[str, ...]:
    container = unit.arguments.get("container")
    return Fqn.parse(container).parts if container else ()
