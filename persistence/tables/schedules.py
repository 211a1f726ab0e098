"""Schedules and the records of their firings."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata

schedules = sa.Table(
    "schedules",
    metadata,
    sa.Column("schedule_id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("schedule_name", Name, nullable=False),
    sa.Column("schedule", Json, nullable=False),
    sa.Column("reference_id", sa.String(255)),
    sa.Column("config", Json),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("configuration_id", sa.String(36), unique=True),  # of the configuration that it is a part of
    sa.Column("next_run_at", Moment, index=True),
    sa.Column("last_run_at", Moment),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("caller", Json, nullable=False),  # who created or last changed it: firings act for them; not shown
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_schedules_scope", "organization_id", "project_id", "schedule_name"),
)

schedule_runs = sa.Table(
    "schedule_runs",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("schedule_id", sa.String(36), sa.ForeignKey("schedules.schedule_id"), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("schedule", Json, nullable=False),
    sa.Column("scheduled_for", Moment, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("started_at", Moment),
    sa.Column("completed_at", Moment),
    sa.Column("error", sa.Text),
    sa.Column("notification", Json),
    sa.Column("workflow_run_id", sa.String(36)),
    sa.Column("caller", Json, nullable=False),
    sa.UniqueConstraint("schedule_id", "scheduled_for"),  # no moment is fired for twice
    sa.Index("ix_schedule_runs_status", "status", "created_at"),
)
