"""Defines how schedules are watched."""

from pydantic import BaseModel, Field


class ScheduleSettings(BaseModel):
    """How schedules are watched."""

    schedule_tick_seconds: float = Field(
        1.0, gt=0, le=3600, description="How often each process looks for schedules that are due."
    )
    schedule_catch_up_seconds: float = Field(
        3600.0,
        ge=0,
        le=86_400,
        description="How late the latest firing that was missed while the platform stood still is made up for.",
    )
