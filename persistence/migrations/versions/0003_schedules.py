"""The tables of schedules."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment, Name

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "schedules",
        sa.Column("schedule_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("schedule_name", Name, nullable=False),
        sa.Column("schedule", Json, nullable=False),
        sa.Column("reference_id", sa.String(length=255), nullable=True),
        sa.Column("config", Json, nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("configuration_id", sa.String(length=36), nullable=True),
        sa.Column("next_run_at", Moment(), nullable=True),
        sa.Column("last_run_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("caller", Json, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_schedules_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_schedules_project_id_projects")),
        sa.PrimaryKeyConstraint("schedule_id", name=op.f("pk_schedules")),
        sa.UniqueConstraint("configuration_id", name=op.f("uq_schedules_configuration_id")),
    )
    with op.batch_alter_table("schedules") as batch:
        batch.create_index(batch.f("ix_schedules_next_run_at"), ["next_run_at"], unique=False)
        batch.create_index("ix_schedules_scope", ["organization_id", "project_id", "schedule_name"], unique=False)
    op.create_table(
        "schedule_runs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("schedule_id", sa.String(length=36), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("schedule", Json, nullable=False),
        sa.Column("scheduled_for", Moment(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("started_at", Moment(), nullable=True),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("notification", Json, nullable=True),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=True),
        sa.Column("caller", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["schedule_id"], ["schedules.schedule_id"], name=op.f("fk_schedule_runs_schedule_id_schedules")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule_runs")),
        sa.UniqueConstraint("schedule_id", "scheduled_for", name=op.f("uq_schedule_runs_schedule_id_scheduled_for")),
    )
    with op.batch_alter_table("schedule_runs") as batch:
        batch.create_index("ix_schedule_runs_status", ["status", "created_at"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("schedule_runs")
    op.drop_table("schedules")
