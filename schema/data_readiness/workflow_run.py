"""A run carries a workflow configuration out, as tasks (contract 2.6)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from schema.base import JsonObject, Resource, change, choice, resource
from schema.data_readiness.workflow import WorkflowType
from schema.node import entity
from schema.storable import Storable

TASKS_SHOWN = 100
"""How many tasks stand inside a run; the paged list has them all."""


@choice
class RunStatus(StrEnum):
    """Where a run or a task stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELED = "canceled"
    SKIPPED = "skipped"


@resource
class RunTask(Resource):
    """One piece of a run."""

    id: str
    run_id: str
    name: str
    status: RunStatus
    started_at: datetime | None
    completed_at: datetime | None


@entity()
class WorkflowRun(Resource):
    """One execution of a configuration; it goes on after a restart, and ends in a final status whatever happens."""

    id: str
    configuration_id: str
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
    tasks: list[RunTask]


@change
class RunCreate(Storable):
    """What a run works on."""

    asset_fqn: (
        Annotated[str, Field(min_length=1, max_length=2000, description="Dotted service[.database[.schema[.table]]].")]
        | None
    ) = None
    parameters: JsonObject = Field(default_factory=dict)
    save_all: bool = False


@resource
class StartedRun(Resource):
    """The answer to a trigger: the run is queued."""

    id: str
    configuration_id: str
    asset_fqn: str | None
    save_all: bool
    started_at: datetime | None
    status: RunStatus
