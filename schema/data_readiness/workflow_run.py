"""A run carries a workflow configuration out, as tasks (contract 2.6)."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from schema.base import Change, Info, JsonObject, OptionalLong, Resource, change, choice, edge, resource
from schema.data_readiness.profile import ProfileTier
from schema.data_readiness.workflow import WorkflowType
from schema.grammar import UP_TO_TABLE
from schema.identifiers import Fqn, UuidText
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, chosen, listed

if TYPE_CHECKING:
    from schema.data_readiness.classification import Classification, ClassificationState
    from schema.data_readiness.profile import ProfileEntry
    from schema.data_readiness.proposal import Proposal, ProposalKind, ProposalState
    from schema.data_readiness.quality import MetricResult
    from schema.data_readiness.rule import RuleExecution, RuleOutcome
    from schema.data_readiness.violation import Violation, ViolationOrder, ViolationStatus
    from schema.data_readiness.workflow import WorkflowConfiguration

MOST_INCLUDED = 1000
MOST_PARTS = 4
TASKS_SHOWN = 100
"""How many tasks stand inside a run; the paged list has them all."""


@choice
class RunStatus(StrEnum):
    """Where a run stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"


@choice
class TaskStatus(StrEnum):
    """Where a task of a run stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"
    SKIPPED = "skipped"


@resource
class RunTask(Resource):
    """One piece of a run."""

    id: UuidText
    run_id: UuidText
    name: str
    status: TaskStatus
    started_at: datetime | None
    completed_at: datetime | None
    error_message: str | None = Field(description="Why it failed or was skipped.")
    rows_done: OptionalLong = Field(description="Rows that it has worked on so far; null when it does not count them.")
    rows_total: OptionalLong = Field(description="Rows that there are for it, if that is known.")
    waits_for: str | None = Field(
        description="The data connection that it waits for: as many tasks as may already use it; null when it does not."
    )


@resource
class RunProgress(Resource):
    """How far a run has come, over all of its tasks; more tasks may begin while it runs."""

    tasks: int = Field(description="How many tasks there are.")
    pending: int = Field(description="How many of them wait for their turn.")
    running: int = Field(description="How many are being worked on.")
    waiting: int = Field(description="How many of these wait for a place at a data connection.")
    completed: int = Field(description="How many are done.")
    failed: int = Field(description="How many have failed; a retry of the run does them again.")
    skipped: int = Field(description="How many were skipped, because what they are about cannot be read.")
    rows_done: OptionalLong = Field(description="Rows that the tasks have worked on; null when none counts them.")
    rows_total: OptionalLong = Field(description="Rows that there are for the tasks that know, of those begun so far.")


@entity(kept_in="workflow_runs")
class WorkflowRun(Resource):
    """One execution of a configuration; it goes on after a restart, and ends in a final status whatever happens."""

    id: UuidText
    configuration_id: UuidText
    status: RunStatus
    workflow_name: str
    workflow_type: WorkflowType
    asset_fqn: str | None
    started_at: datetime | None
    completed_at: datetime | None
    service_name: str | None
    database_name: str | None
    schema_name: str | None
    table_name: str | None
    duration_seconds: float | None
    error_message: str | None
    input: JsonObject
    output: JsonObject
    progress: RunProgress
    tasks: list[RunTask] = Field(description="Its first 100 tasks; `tasksConnection` of the graph has them all.")

    @edge
    async def configuration(
        self, info: Info
    ) -> Annotated["WorkflowConfiguration", strawberry.lazy("schema.data_readiness.workflow")] | None:
        """The configuration that it carries out; null when it was deleted."""
        return await info.context.load.configuration(self.configuration_id)

    @listed
    async def tasks_connection(
        self, info: Info, window: Window, status: list[TaskStatus] | None = None
    ) -> Connection[RunTask]:
        """The tasks of this run, in their order."""
        return await info.context.load.tasks_of_run(asked_of(self.id, Listing(window, (chosen(status),))))

    @listed
    async def proposals(
        self,
        info: Info,
        window: Window,
        state: list[Annotated["ProposalState", strawberry.lazy("schema.data_readiness.proposal")]] | None = None,
        kind: list[Annotated["ProposalKind", strawberry.lazy("schema.data_readiness.proposal")]] | None = None,
    ) -> Connection[Annotated["Proposal", strawberry.lazy("schema.data_readiness.proposal")]]:
        """What it proposes to change in the catalog, in its order; what was approved has been carried out."""
        listing = Listing(window, (chosen(state), chosen(kind)))
        return await info.context.load.proposals_of_run(asked_of(self.id, listing))

    @listed
    async def violations(
        self,
        info: Info,
        window: Window,
        status: list[Annotated["ViolationStatus", strawberry.lazy("schema.data_readiness.violation")]] | None = None,
        order: Annotated["ViolationOrder", strawberry.lazy("schema.data_readiness.violation")] | None = None,
    ) -> Connection[Annotated["Violation", strawberry.lazy("schema.data_readiness.violation")]]:
        """The violations that this run saw last, the worst first."""
        return await info.context.load.violations_of_run(asked_of(self.id, Listing(window, (chosen(status), order))))

    @listed
    async def rule_executions(
        self,
        info: Info,
        window: Window,
        outcome: list[Annotated["RuleOutcome", strawberry.lazy("schema.data_readiness.rule")]] | None = None,
    ) -> Connection[Annotated["RuleExecution", strawberry.lazy("schema.data_readiness.rule")]]:
        """What evaluating the rules came to in this run."""
        return await info.context.load.executions_of_run(asked_of(self.id, Listing(window, (chosen(outcome),))))

    @listed
    async def metric_results(
        self, info: Info, window: Window
    ) -> Connection[Annotated["MetricResult", strawberry.lazy("schema.data_readiness.quality")]]:
        """What this run measured."""
        return await info.context.load.results_of_run(asked_of(self.id, Listing(window)))

    @listed
    async def profiles(
        self, info: Info, window: Window
    ) -> Connection[Annotated["ProfileEntry", strawberry.lazy("schema.data_readiness.profile")]]:
        """The tables that this run profiled, the newest first."""
        return await info.context.load.profiles_of_run(asked_of(self.id, Listing(window)))

    @listed
    async def classifications(
        self,
        info: Info,
        window: Window,
        state: list[Annotated["ClassificationState", strawberry.lazy("schema.data_readiness.classification")]]
        | None = None,
    ) -> Connection[Annotated["Classification", strawberry.lazy("schema.data_readiness.classification")]]:
        """The tags that this run was the last to find."""
        return await info.context.load.tags_of_run(asked_of(self.id, Listing(window, (chosen(state),))))


DottedName = Annotated[str, Field(min_length=1, max_length=2000)]


def _dotted(name: str) -> str:
    if len(Fqn.parse(name).parts) > MOST_PARTS:
        raise ValueError("it has four parts at most: service.database.schema.table")
    return name


class Sampling(BaseModel):
    """How many rows of a table an engine looks at: the fewer of both when both are given."""

    model_config = ConfigDict(extra="allow")

    rows: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    percent: Annotated[float, Field(gt=0, le=100)] | None = None
    """Of the rows that the table has when it is looked at."""


class RunParameters(BaseModel):
    """The parameters that every engine understands alike. Engines may take further ones."""

    model_config = ConfigDict(extra="allow")

    include: (
        Annotated[list[Annotated[DottedName, AfterValidator(_dotted)]], Field(min_length=1, max_length=MOST_INCLUDED)]
        | None
    ) = None
    industry_info: Annotated[str, Field(max_length=10_000)] | None = None
    use_validation: bool | None = None
    sampling: Sampling | None = None
    tier: ProfileTier | None = None
    context_pack_id: Annotated[str, Field(min_length=1, max_length=255)] | None = None
    timeout_seconds: Annotated[int, Field(ge=1, le=86_400)] | None = None


@change
class RunCreate(Change):
    """What a run works on."""

    asset_fqn: (
        Annotated[
            str,
            Field(min_length=1, max_length=2000, description="Dotted service[.database[.schema[.table]]]."),
            UP_TO_TABLE,
        ]
        | None
    ) = None
    parameters: JsonObject = Field(
        default_factory=dict,
        description="`include` (1 to 1000 dotted names of tables, or of what they are in), `industry_info` (text), "
        "`use_validation`, `sampling` (`rows` and `percent` of a table), `tier` (of profiling: statistics, "
        "sample or full), `context_pack_id`, `timeout_seconds` (1 to 86400: how long each task may work, never longer "
        "than the deployment allows), and what the engine takes besides.",
    )
    save_all: bool = Field(False, description="Whether all proposals of the run are approved as soon as it completes.")


@resource
class StartedRun(Resource):
    """The answer to a trigger: the run is queued."""

    id: UuidText
    configuration_id: UuidText
    asset_fqn: str | None
    save_all: bool
    started_at: datetime | None
    status: RunStatus
