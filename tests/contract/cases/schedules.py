"""Schedules and their run records, checked on their project."""

from typing import Any
from uuid import uuid4

from schema.utils.schedule import ScheduleCreate, ScheduleUpdate
from tests.contract.stage import MARK, Case, Place, Stage


async def new_schedule(stage: Stage, place: Place) -> dict[str, Any]:
    """A schedule to create."""
    body = {"schedule_name": "fresh", "schedule": {"type": "CRON", "cron": "0 0 1 1 *"}, "reference_id": "fresh"}
    return {"schedule": ScheduleCreate.model_validate(body)}


async def nothing(stage: Stage, place: Place) -> dict[str, Any]:
    """No arguments."""
    return {}


async def schedule(stage: Stage, place: Place) -> dict[str, Any]:
    """A schedule that stands."""
    body = {
        "schedule_name": f"{MARK} times",
        "schedule": {"type": "CRON", "cron": "0 0 1 1 *"},
        "reference_id": f"{MARK}-{uuid4().hex}",
        "config": {"type": "NOTIFICATION", "topic": f"{MARK} topic", "extra_data": {"note": MARK}},
    }
    return {"schedule_id": (await stage.made(place, "POST", "/utils/schedules", body))["schedule_id"]}


async def changed_schedule(stage: Stage, place: Place) -> dict[str, Any]:
    """A schedule, and a new name."""
    return await schedule(stage, place) | {"changes": ScheduleUpdate.model_validate({"schedule_name": "new"})}


CASES = [
    Case("create_schedule", "project", "can_create_resources", new_schedule),
    Case("list_schedules", "project", "can_read", nothing),
    Case("get_schedule", "project", "can_read", schedule, "schedule_id"),
    Case("list_schedule_runs", "project", "can_read", schedule, "schedule_id"),
    Case("update_schedule", "project", "can_write", changed_schedule, "schedule_id"),
    Case("delete_schedule", "project", "can_delete", schedule, "schedule_id"),
]
