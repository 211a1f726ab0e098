"""Operations on schedules: create, get, list, update, delete, read the run records.

Decisions where the contract is silent: a schedule acts for whoever created or last changed it, with what they may do at
the moment of firing; changing when it fires, or switching it on, counts from now, so nothing that went by meanwhile is
made up for; a schedule that is a part of a workflow configuration is shown here and changed there.
"""

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

import orjson
from pydantic import Field

from auth.rate_limit import CallKind
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.recurrence import BadTiming, check_timing, firings, moment_of, zone_of
from resolvers.operation import operation
from schema.data_readiness.workflow import WorkflowConfiguration
from schema.errors import MissingRequiredField, ValidationError
from schema.governance.permission import Done, Permission
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.schedule import (
    MAX_EXTRA_DATA,
    CreatedSchedule,
    ReferenceId,
    Schedule,
    ScheduleConfig,
    ScheduleConfigInput,
    ScheduleCreate,
    ScheduleRun,
    ScheduleRunStatus,
    ScheduleTiming,
    ScheduleTimingInput,
    ScheduleType,
    ScheduleUpdate,
)

ScheduleId = Annotated[UUID, Field(description="The schedule's id.")]


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_schedule(ctx: Context, *, schedule: ScheduleCreate) -> CreatedSchedule:
    """Create a schedule in the selected project. It fires from now on, unless `enabled` is false.

    When `reference_id` is the id of a workflow configuration of the project, each firing triggers a run of it; a
    `config` keeps its notification in the run record. Firings act for who created or last changed the schedule.
    """
    now, user = ctx.now(), ctx.caller.user_id
    timing = _timing(schedule.schedule, now)
    new = Schedule(
        schedule_id=str(uuid4()),
        schedule_name=schedule.schedule_name,
        schedule=timing,
        reference_id=schedule.reference_id,
        config=_config(schedule.config),
        enabled=schedule.enabled,
        configuration_id=None,
        organization_id=ctx.organization_id,
        project_id=ctx.project_id,
        next_run_at=_next(timing, now) if schedule.enabled else None,
        last_run_at=None,
        created_at=now,
        updated_at=now,
        created_by=user,
        updated_by=user,
    )
    _check_purpose(new.reference_id, new.config)
    created = CreatedSchedule(schedule_id=new.schedule_id)
    await ctx.store.write(lambda uow: uow.schedules.add(new, caller=ctx.caller.to_dict()), told=lambda _: created)
    return created


@operation(needs=Permission.CAN_READ)
async def get_schedule(ctx: Context, *, schedule_id: ScheduleId) -> Schedule:
    """Get a schedule."""
    return await ctx.store.read(lambda uow: uow.schedules.get(ctx.scope, str(schedule_id)))


@operation(needs=Permission.CAN_READ)
async def list_schedules(
    ctx: Context,
    *,
    enabled: Annotated[bool, Field(description="Only schedules that fire, or only those that do not.")] | None = None,
    reference_id: ReferenceId | None = None,
    search: Annotated[str, Field(max_length=255, description="Part of the name.")] | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[Schedule]:
    """List the schedules of the selected project by name."""
    return await ctx.store.read(
        lambda uow: uow.schedules.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            search=search,
            enabled=enabled,
            reference_id=reference_id,
        )
    )


@operation(needs=Permission.CAN_READ)
async def list_schedule_runs(
    ctx: Context,
    *,
    schedule_id: ScheduleId,
    status: ScheduleRunStatus | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[ScheduleRun]:
    """List what a schedule has fired, the latest first. The last 1000 records are kept."""

    def work(uow: UnitOfWork) -> Page[ScheduleRun]:
        schedule = uow.schedules.get(ctx.scope, str(schedule_id))
        return uow.schedule_runs.page(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            schedule_id=schedule.schedule_id,
            status=status,
        )

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_schedule(ctx: Context, *, schedule_id: ScheduleId, changes: ScheduleUpdate) -> Schedule:
    """Update a schedule; only the fields that are sent change. From now on it acts for who changed it."""
    given, now = changes.given(), ctx.now()
    timing = None if given.get("schedule") is None else ScheduleTimingInput.model_validate(given["schedule"])
    config = None if given.get("config") is None else ScheduleConfigInput.model_validate(given["config"])
    if "schedule" in given and timing is not None:
        given["schedule"] = _timing(timing, now)
    if config is not None:
        given["config"] = _config(config)

    def work(uow: UnitOfWork) -> Schedule:
        current = uow.schedules.get(ctx.scope, str(schedule_id))
        _refuse_part(current)
        new = current.model_copy(update=given)
        _check_purpose(new.reference_id, new.config)
        values = {name: getattr(new, name) for name in given}
        if "schedule" in given or new.enabled != current.enabled:
            values["next_run_at"] = _next(_still_to_come(new, now), now) if new.enabled else None
        expected = ctx.expected_of(current)
        return uow.schedules.change(
            ctx.scope, current.schedule_id, _row(values) | _changed(ctx, now), expected=expected
        )

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_schedule(ctx: Context, *, schedule_id: ScheduleId) -> Done:
    """Delete a schedule and its run records. What it has triggered stays."""

    def work(uow: UnitOfWork) -> None:
        _refuse_part(uow.schedules.get(ctx.scope, str(schedule_id)))
        uow.schedules.remove_with_records(ctx.scope, str(schedule_id), expected=ctx.expected_revision)

    done = Done(message="The schedule is deleted.")
    await ctx.store.write(work, told=lambda _: done)
    return done


def sync_configuration_schedule(uow: UnitOfWork, ctx: Context, configuration: WorkflowConfiguration) -> None:
    """Make the schedule of a workflow configuration what the configuration says, in the transaction that writes it.

    One that is the same as before keeps its next moment; one that is null is removed, with its run records. A
    configuration that is not active does not fire. Raises 422 for a cron or a time zone that means nothing.
    """
    said, now, user = configuration.schedule, ctx.now(), ctx.caller.user_id
    current = uow.schedules.of_configuration(ctx.scope, configuration.id)
    if said is None:
        if current is not None:
            uow.schedules.remove_with_records(ctx.scope, current.schedule_id)
        return
    timing = ScheduleTiming(type=ScheduleType.CRON, cron=said.cron_expression, timezone=said.timezone)
    _check(timing, now, {"cron": "schedule.cron_expression", "timezone": "schedule.timezone"})
    enabled = said.enabled and configuration.status == "active"
    coming = _next(timing, now) if enabled else None
    if current is None:
        new = Schedule(
            schedule_id=str(uuid4()),
            schedule_name=configuration.name,
            schedule=timing,
            reference_id=configuration.id,
            config=None,
            enabled=enabled,
            configuration_id=configuration.id,
            organization_id=ctx.organization_id,
            project_id=ctx.project_id,
            next_run_at=coming,
            last_run_at=None,
            created_at=now,
            updated_at=now,
            created_by=user,
            updated_by=user,
        )
        uow.schedules.add(new, caller=ctx.caller.to_dict())
        return
    values: dict[str, Any] = {"schedule_name": configuration.name}
    if (timing, enabled) != (current.schedule, current.enabled):
        values |= {"schedule": timing, "enabled": enabled, "next_run_at": coming}
    if any(getattr(current, name) != value for name, value in values.items()):
        uow.schedules.change(ctx.scope, current.schedule_id, _row(values) | _changed(ctx, now))


def remove_configuration_schedule(uow: UnitOfWork, scope: Scope, configuration_id: str) -> None:
    """Delete the schedule of a workflow configuration that is being deleted, in the same transaction."""
    current = uow.schedules.of_configuration(scope, configuration_id)
    if current is not None:
        uow.schedules.remove_with_records(scope, current.schedule_id)


def _timing(given: ScheduleTimingInput, now: datetime) -> ScheduleTiming:
    """The timing as it is kept: checked, and its one moment in UTC. Raises 422."""
    moment = given.run_at
    try:
        if moment is not None and moment.tzinfo is None:
            moment = moment_of(moment, zone_of(given.timezone))
    except BadTiming as bad:
        raise ValidationError(str(bad), status=422, field=f"schedule.{bad.field}") from None
    except OverflowError:
        raise ValidationError("run_at is beyond all calendars.", status=422, field="schedule.run_at") from None
    moment = None if moment is None else moment.astimezone(UTC)
    timing = ScheduleTiming(type=given.type, cron=given.cron, timezone=given.timezone, run_at=moment)
    _check(timing, now, {})
    return timing


def _check(timing: ScheduleTiming, now: datetime, names: dict[str, str]) -> None:
    try:
        check_timing(timing, now)
    except BadTiming as bad:
        field = names.get(bad.field, f"schedule.{bad.field}")
        if getattr(timing, bad.field) is None:
            raise MissingRequiredField(str(bad), status=422, field=field) from None
        raise ValidationError(str(bad), status=422, field=field) from None


def _next(timing: ScheduleTiming, now: datetime) -> datetime | None:
    return next(firings(timing, now), None)


def _still_to_come(schedule: Schedule, now: datetime) -> ScheduleTiming:
    """The timing of a schedule that is switched on. Raises 422 when its one moment has gone by."""
    if _next(schedule.schedule, now) is None:
        raise ValidationError(
            "The moment of this schedule has gone by. Name a new run_at to switch it on.",
            status=422,
            field="schedule.run_at",
        )
    return schedule.schedule


def _config(given: ScheduleConfigInput | None) -> ScheduleConfig | None:
    if given is None:
        return None
    if len(orjson.dumps(given.extra_data)) > MAX_EXTRA_DATA:
        raise ValidationError(
            f"extra_data takes at most {MAX_EXTRA_DATA} bytes of JSON. Keep a reference instead of the data itself.",
            status=422,
            field="config.extra_data",
        )
    return ScheduleConfig(type=given.type, topic=given.topic, extra_data=given.extra_data)


def _check_purpose(reference_id: str | None, config: ScheduleConfig | None) -> None:
    if reference_id is None and config is None:
        raise MissingRequiredField(
            "The schedule would have nothing to do: name a reference_id or a config.", status=422, field="config"
        )


def _refuse_part(schedule: Schedule) -> None:
    if schedule.configuration_id is not None:
        raise ValidationError(
            f"This schedule is a part of the workflow configuration {schedule.configuration_id}. Change its `schedule` "
            "there.",
            status=422,
            field="schedule_id",
            configuration_id=schedule.configuration_id,
        )


def _row(values: dict[str, Any]) -> dict[str, Any]:
    """Values as the columns hold them."""
    return {
        name: value.model_dump(mode="json") if isinstance(value, ScheduleTiming | ScheduleConfig) else value
        for name, value in values.items()
    }


def _changed(ctx: Context, now: datetime) -> dict[str, Any]:
    return {"updated_at": now, "updated_by": ctx.caller.user_id, "caller": ctx.caller.to_dict()}
