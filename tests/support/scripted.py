"""A kind of run for tests of the frame: its units and what they do are written by the test."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from uuid import uuid4

import pytest

from persistence.jobs.port import JobError, JobOutcome, JobState, JobTask
from persistence.store import UnitOfWork
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.kinds import WORKS
from resolvers.data_readiness.runs.operations import trigger_run
from schema.data_readiness.proposal import Proposal, ProposalKind, ProposalState
from schema.data_readiness.workflow import WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from tests.data_readiness.workflows import URI, configure
from tests.doors import Door
from tests.world import World

Step = Callable[["Scripted", Mapping[str, Any]], Awaitable[None]]


@dataclass
class Script:
    """What there is to do, what is done at which unit, and what has been begun and written."""

    units: list[RunUnit] = field(default_factory=list)
    steps: dict[str, Step] = field(default_factory=dict)
    proposals: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    planned: int = 0
    failed: list[str] = field(default_factory=list)
    again: list[str] = field(default_factory=list)


class Scripted(RunWork):
    """A run by the script."""

    proposes = True
    script: ClassVar[Script]

    async def units(self) -> Sequence[RunUnit]:
        """The script's."""
        self.script.planned += 1
        return self.script.units

    async def carry_out(self, arguments: Mapping[str, Any]) -> Write:
        """Do the script's step, to write what it proposes."""
        label = arguments["label"]
        self.script.begun.append(label)
        if (step := self.script.steps.get(label)) is not None:
            await step(self, arguments)

        def write(uow: UnitOfWork) -> dict[str, int]:
            given = self.script.proposals.get(label, [])
            for one in given:  # one by one, as several parts of a unit would
                self.propose(uow, arguments, [proposal(self.run.id, self.ctx.now(), one)])
            return {"done": 1, "proposals": len(given)}

        return write

    def failed(self, uow: UnitOfWork, units: Sequence[Mapping[str, Any]]) -> None:
        """Keep their names."""
        self.script.failed += [unit["label"] for unit in units]

    def begins_again(self, uow: UnitOfWork, arguments: Mapping[str, Any]) -> None:
        """Keep its name."""
        self.script.again.append(arguments["label"])


def proposal(run_id: str, now: Any, given: Mapping[str, Any]) -> Proposal:
    """A proposal of a run."""
    values: dict[str, Any] = {
        "id": str(uuid4()), "run_id": run_id, "asset_fqn": "svc.db.sch.t1", "resource_uri": URI,
        "kind": ProposalKind.INSIGHT, "field": "insight", "current_value": None, "proposed_value": "It is there.",
        "evidence": {}, "confidence": None, "state": ProposalState.PROPOSED, "decided_by": None, "decided_at": None,
        "created_at": now,
    }  # fmt: skip
    return Proposal.model_validate(values | given)


def fails(message: str) -> Step:
    """A step that fails."""

    async def step(work: Scripted, arguments: Mapping[str, Any]) -> None:
        raise JobError(message)

    return step


async def never_ends(work: Scripted, arguments: Mapping[str, Any]) -> None:
    """A step that hangs until it is cancelled."""
    await asyncio.Event().wait()


@dataclass
class Stage:
    """A run by a script, with the world that it runs in."""

    world: World
    door: Door
    script: Script
    ids: dict[str, str]

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self.ids["run_id"]

    async def call(self, operation: Any, **arguments: Any) -> Any:
        """Call an operation about the run, as the owner."""
        return await self.door(operation, self.world.owner, **(self.ids | arguments))

    async def hands(self, attempt: int = 1) -> Scripted:
        """The work as the worker would make it, to be done by hand."""
        ctx, run, scope = await self.world.app.parts.worker._run(self.run_id)
        return Scripted(ctx, run, scope, attempt)

    async def attempt(self) -> int:
        """Which attempt at the run stands."""
        store = self.world.app.parts.services.store
        return await store.read(lambda uow: uow.workflow_runs.attempt_of(self.run_id))


def outcomes(tasks: Sequence[JobTask], message: str | None = None) -> list[JobOutcome]:
    """How the engine says that tasks have ended."""
    state = JobState.DONE if message is None else JobState.FAILED
    return [JobOutcome(task.key, state, message=message) for task in tasks]


async def staged(
    world: World, door: Door, monkeypatch: pytest.MonkeyPatch, *units: RunUnit, runs: bool = False, **given: Any
) -> Stage:
    """A run of some units that has been triggered; left to the test's hands unless `runs`."""
    script = Script(units=list(units))
    monkeypatch.setattr(Scripted, "script", script, raising=False)
    monkeypatch.setitem(WORKS, WorkflowType.INTELLIGENCE, Scripted)  # type: ignore[arg-type]
    if not runs:
        await world.jobs.stop()
    configuration = await configure(world, door, workflow_type=WorkflowType.INTELLIGENCE)
    run = await door(trigger_run, world.owner, configuration_id=configuration["id"], run=RunCreate(**given))
    assert isinstance(run, dict), run
    return Stage(world, door, script, {"configuration_id": configuration["id"], "run_id": run["id"]})
