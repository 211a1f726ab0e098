"""Workflow configurations, their runs with tasks, pipelines, proposals and approvals: the truth that the API shows."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata

workflow_configurations = sa.Table(
    "workflow_configurations",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("workflow_type", sa.String(64), nullable=False),
    sa.Column("category", sa.String(64), nullable=False),
    sa.Column("config", Json, nullable=False),
    sa.Column("data_asset_types", Json, nullable=False),
    sa.Column("description", sa.String(1000)),
    sa.Column("is_default", sa.Boolean, nullable=False),
    sa.Column("require_reference_pack", sa.Boolean, nullable=False),
    sa.Column("schedule", Json),
    sa.Column("status", sa.String(32), nullable=False),
    sa.Column("triggers", Json, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("authors", Json),  # who last wrote its config: runs act with their rights at most; not shown
    sa.Column("deleted_at", Moment),  # its runs stay readable, so its row stays
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_workflow_configurations_scope", "organization_id", "project_id", "created_at"),
)

workflow_runs = sa.Table(
    "workflow_runs",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column(
        "configuration_id", sa.String(36), sa.ForeignKey("workflow_configurations.id"), nullable=False, index=True
    ),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("workflow_name", sa.String(255), nullable=False),
    sa.Column("workflow_type", sa.String(64), nullable=False),
    sa.Column("asset_fqn", sa.String(2000)),
    sa.Column("save_all", sa.Boolean, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("started_at", Moment),
    sa.Column("completed_at", Moment),
    sa.Column("error_message", sa.Text),
    sa.Column("input", Json, nullable=False),
    sa.Column("output", Json, nullable=False),
    sa.Column("caller", Json, nullable=False),  # who triggered it, as the worker needs them; not shown
    sa.Column("attempt", sa.Integer, nullable=False, server_default="1"),  # which job carries it out
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_workflow_runs_scope", "organization_id", "project_id", "created_at"),
)

run_tasks = sa.Table(
    "run_tasks",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("run_id", sa.String(36), sa.ForeignKey("workflow_runs.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("name", sa.String(1000), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("started_at", Moment),
    sa.Column("completed_at", Moment),
    sa.Column("error_message", sa.Text),
    sa.Column("counts", Json, nullable=False),  # what the task did to the catalog, for the run's output
    sa.Column("arguments", Json),  # what the task was planned with, so that it can be tried again
    sa.Column("rows_done", sa.BigInteger),
    sa.Column("rows_total", sa.BigInteger),
    sa.Column("waits_for", sa.String(1000)),  # the connection that it has no place at yet
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("run_id", "position"),
)

run_targets = sa.Table(
    "run_targets",
    metadata,
    sa.Column("run_id", sa.String(36), sa.ForeignKey("workflow_runs.id"), nullable=False),
    sa.Column("target_fqn", sa.String(2000), nullable=False),  # the run works on it and on what is below it
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.PrimaryKeyConstraint("run_id", "target_fqn"),
    sa.Index("ix_run_targets_scope", "organization_id", "project_id", "target_fqn"),
)

pipeline_runs = sa.Table(
    "pipeline_runs",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("run_id", sa.String(36), sa.ForeignKey("workflow_runs.id"), nullable=False, unique=True),
    sa.Column("asset_fqn", sa.String(2000), nullable=False),
    sa.Column("status", sa.String(32), nullable=False),
    sa.Column("total_tables", sa.Integer, nullable=False),
    sa.Column("completed_tables", sa.Integer, nullable=False),
    sa.Column("failed_tables", sa.Integer, nullable=False),
    sa.Column("total_schemas", sa.Integer, nullable=False),
    sa.Column("completed_schemas", sa.Integer, nullable=False),
    sa.Column("failed_schemas", sa.Integer, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("completed_at", Moment),
    sa.Column("created_by", sa.String(255)),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_pipeline_runs_scope", "organization_id", "project_id", "created_at"),
)

proposals = sa.Table(
    "proposals",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("run_id", sa.String(36), sa.ForeignKey("workflow_runs.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("asset_fqn", sa.Text, nullable=False),
    sa.Column("resource_uri", sa.Text, nullable=False),
    sa.Column("kind", sa.String(32), nullable=False),
    sa.Column("field", sa.String(64), nullable=False),
    sa.Column("current_value", Json),
    sa.Column("proposed_value", Json),
    sa.Column("evidence", Json, nullable=False),
    sa.Column("confidence", sa.Float),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("group", sa.String(64)),  # what is alike, to be decided as one; none in runs before there were groups
    sa.Column("part_of", sa.String(36)),  # what a steward is asked about as one; none in runs before that
    sa.Column("decided_by", sa.String(255)),
    sa.Column("decided_at", Moment),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("run_id", "position"),
    sa.Index("ix_proposals_group", "run_id", "group"),
    sa.Index("ix_proposals_part_of", "run_id", "part_of"),
    sa.Index("ix_proposals_of_run", "run_id", "state", "position"),
    sa.Index("ix_proposals_asset", "project_id", "asset_fqn"),
)

run_approvals = sa.Table(
    "run_approvals",
    metadata,
    sa.Column("run_id", sa.String(36), sa.ForeignKey("workflow_runs.id"), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("decision", sa.String(16), nullable=False),
    sa.Column("notes", sa.String(1000)),
    sa.Column("decided_by", sa.String(255), nullable=False),
    sa.Column("decided_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
)
