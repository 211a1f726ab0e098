"""Runs that can be tried again, what they cover, pipelines, proposals and approvals."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("workflow_configurations") as batch:
        batch.add_column(sa.Column("deleted_at", Moment(), nullable=True))
    with op.batch_alter_table("workflow_runs") as batch:
        batch.add_column(sa.Column("attempt", sa.Integer(), server_default="1", nullable=False))
    with op.batch_alter_table("run_tasks") as batch:
        batch.add_column(sa.Column("arguments", Json, nullable=True))
    op.create_table(
        "run_targets",
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("target_fqn", sa.String(length=2000), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], name=op.f("fk_run_targets_run_id_workflow_runs")),
        sa.PrimaryKeyConstraint("run_id", "target_fqn", name=op.f("pk_run_targets")),
    )
    with op.batch_alter_table("run_targets") as batch:
        batch.create_index("ix_run_targets_scope", ["organization_id", "project_id", "target_fqn"], unique=False)
    op.execute(
        "INSERT INTO run_targets (run_id, target_fqn, organization_id, project_id) "
        "SELECT id, asset_fqn, organization_id, project_id FROM workflow_runs WHERE asset_fqn IS NOT NULL"
    )
    op.create_table(
        "pipeline_runs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("asset_fqn", sa.String(length=2000), nullable=False),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("total_tables", sa.Integer(), nullable=False),
        sa.Column("completed_tables", sa.Integer(), nullable=False),
        sa.Column("failed_tables", sa.Integer(), nullable=False),
        sa.Column("total_schemas", sa.Integer(), nullable=False),
        sa.Column("completed_schemas", sa.Integer(), nullable=False),
        sa.Column("failed_schemas", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("created_by", sa.String(length=255), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], name=op.f("fk_pipeline_runs_run_id_workflow_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pipeline_runs")),
        sa.UniqueConstraint("run_id", name=op.f("uq_pipeline_runs_run_id")),
    )
    with op.batch_alter_table("pipeline_runs") as batch:
        batch.create_index("ix_pipeline_runs_scope", ["organization_id", "project_id", "created_at"], unique=False)
    op.create_table(
        "proposals",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("asset_fqn", sa.Text(), nullable=False),
        sa.Column("resource_uri", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("field", sa.String(length=64), nullable=False),
        sa.Column("current_value", Json, nullable=True),
        sa.Column("proposed_value", Json, nullable=True),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("decided_by", sa.String(length=255), nullable=True),
        sa.Column("decided_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], name=op.f("fk_proposals_run_id_workflow_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposals")),
        sa.UniqueConstraint("run_id", "position", name=op.f("uq_proposals_run_id_position")),
    )
    with op.batch_alter_table("proposals") as batch:
        batch.create_index("ix_proposals_of_run", ["run_id", "state", "position"], unique=False)
    op.create_table(
        "run_approvals",
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=False),
        sa.Column("notes", sa.String(length=1000), nullable=True),
        sa.Column("decided_by", sa.String(length=255), nullable=False),
        sa.Column("decided_at", Moment(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], name=op.f("fk_run_approvals_run_id_workflow_runs")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_approvals")),
    )


def downgrade() -> None:
    """Go back."""
    for table in ("run_approvals", "proposals", "pipeline_runs", "run_targets"):
        op.drop_table(table)
    with op.batch_alter_table("run_tasks") as batch:
        batch.drop_column("arguments")
    with op.batch_alter_table("workflow_runs") as batch:
        batch.drop_column("attempt")
    with op.batch_alter_table("workflow_configurations") as batch:
        batch.drop_column("deleted_at")
