"""A schedule fires at a moment or again and again; each firing leaves a run record (contract 4.4)."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from schema.base import Change, JsonObject, Maybe, OptionalJsonObject, Resource, change, choice, resource
from schema.naming import Name
from schema.node import entity
from schema.pagination import Moment

MAX_EXTRA_DATA = 16_384

ReferenceId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=255,
        description="What the schedule is about; the id of a workflow configuration makes each firing a run of it.",
    ),
]


@choice
class ScheduleType(StrEnum):
    """CRON fires again and again, ONE_OFF once."""

    CRON = "CRON"
    ONE_OFF = "ONE_OFF"


@choice
class ScheduleAction(StrEnum):
    """What a firing does by itself: NOTIFICATION keeps a notification in the run record."""

    NOTIFICATION = "NOTIFICATION"


@choice
class ScheduleRunStatus(StrEnum):
    """Where a firing stands: PENDING until it has been carried out."""

    PENDING = "PENDING"
    SUCCESS = "SUCCESS"
    FAILURE = "FAILURE"


@resource
class ScheduleTiming(Resource):
    """When a schedule fires."""

    type: ScheduleType
    cron: str | None = Field(None, description="Five cron fields, read in `timezone`; null for ONE_OFF.")
    timezone: str = Field("UTC", description="IANA time zone.")
    run_at: datetime | None = Field(None, description="The one moment of a ONE_OFF schedule.")


@resource
class ScheduleConfig(Resource):
    """What a firing does by itself."""

    type: ScheduleAction
    topic: str = Field(description="What the notification is about.")
    extra_data: JsonObject = Field(description="What it carries.")


@entity("schedule_id")
class Schedule(Resource):
    """When something is to be done, and what."""

    schedule_id: str
    schedule_name: str
    schedule: ScheduleTiming
    reference_id: str | None
    config: ScheduleConfig | None
    enabled: bool
    configuration_id: str | None = Field(
        description="The workflow configuration that this schedule is a part of; it is changed there."
    )
    organization_id: str
    project_id: str
    next_run_at: datetime | None = Field(description="When it fires next; null when it does not.")
    last_run_at: datetime | None = Field(description="The moment that it last fired for.")
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str


@resource
class CreatedSchedule(Resource):
    """The id of a new schedule."""

    schedule_id: str


@resource
class ScheduleRun(Resource):
    """One firing of a schedule: what the schedule was then, and what came of it."""

    id: str
    schedule_id: str
    status: ScheduleRunStatus
    schedule: JsonObject = Field(description="The schedule as it was when it fired.")
    scheduled_for: datetime
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    error: str | None = Field(description="Why it failed, or why it was passed over.")
    notification: OptionalJsonObject = Field(description="The notification: `topic` and `extra_data`.")
    workflow_run_id: str | None = Field(description="The workflow run that the firing triggered.")


@change
class ScheduleTimingInput(Change):
    """When a schedule fires: `cron` for CRON, `run_at` for ONE_OFF."""

    type: ScheduleType
    cron: (
        Annotated[
            str,
            Field(
                min_length=9, max_length=200, description="Five fields: minute, hour, day of month, month, day of week."
            ),
        ]
        | None
    ) = None
    timezone: Annotated[str, Field(min_length=1, max_length=64, description="IANA time zone.")] = "UTC"
    run_at: (
        Annotated[Moment, Field(description="The moment; without an offset it is a local time of `timezone`.")] | None
    ) = None


@change
class ScheduleConfigInput(Change):
    """A notification that each firing keeps in its run record. This version sends nothing anywhere."""

    type: ScheduleAction
    topic: Annotated[Name, Field(description="What the notification is about.")]
    extra_data: JsonObject = Field(default_factory=dict, description="What it carries, at most 16 KiB of JSON.")


@change
class ScheduleCreate(Change):
    """A schedule to create; it needs a `reference_id` or a `config`, or it would have nothing to do."""

    schedule_name: Name
    schedule: ScheduleTimingInput
    reference_id: ReferenceId | None = None
    config: ScheduleConfigInput | None = None
    enabled: Annotated[bool, Field(description="Whether it fires.")] = True


@change
class ScheduleUpdate(Change):
    """What may change. A field left out stays; `schedule` and `config` are replaced whole."""

    schedule_name: Maybe[Name] = None
    schedule: Maybe[ScheduleTimingInput] = None
    reference_id: Maybe[ReferenceId | None] = None
    config: Maybe[ScheduleConfigInput | None] = None
    enabled: Maybe[bool] = None
