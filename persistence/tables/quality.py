"""Dimensions, metrics and kinds of violation of a project's own; what was measured; what is wrong, with its history.

What is built in stands in the code (`schema/data_readiness/quality_builtin.py`) and has no rows.
"""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

dimensions = sa.Table(
    "quality_dimensions",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("fqn", Name, nullable=False),
    sa.Column("taken_fqn", Name),  # null once it is deleted, so that the name is free again
    sa.Column("assessment_type", sa.String(16), nullable=False),
    sa.Column("display_name", sa.String(255)),
    sa.Column("purpose", sa.String(1000)),
    sa.Column("description", sa.String(1000)),
    sa.Column("weight", sa.String(20), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("deleted_at", Moment),  # a scorecard of the past still shows it
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("organization_id", "project_id", "taken_fqn"),
)

metric_definitions = sa.Table(
    "metric_definitions",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("dimension_id", sa.String(36), nullable=False),  # built-in ones have no row
    sa.Column("name", Name, nullable=False),
    sa.Column("fqn", Name, nullable=False),
    sa.Column("taken_fqn", Name),
    sa.Column("display_name", sa.String(255)),
    sa.Column("unit", sa.String(64)),
    sa.Column("purpose", sa.String(1000)),
    sa.Column("description", sa.String(1000)),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("deleted_at", Moment),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("organization_id", "project_id", "taken_fqn"),
)

definition_pasts = sa.Table(
    "definition_pasts",
    metadata,
    sa.Column("definition_id", Identifier, primary_key=True),
    sa.Column("until", Moment, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("texts", Json, nullable=False),
)
"""What dimensions and metrics were called and said to be until a moment, for scorecards of the past."""

violation_definitions = sa.Table(
    "violation_definitions",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("dimension_id", sa.String(36), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("fqn", Name, nullable=False),
    sa.Column("taken_fqn", Name),
    sa.Column("default_severity", sa.String(16), nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("display_name", sa.String(255)),
    sa.Column("description", sa.String(1000)),
    sa.Column("applicable_asset_types", Json, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("deleted_at", Moment),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("organization_id", "project_id", "taken_fqn"),
)

metric_results = sa.Table(
    "metric_results",
    metadata,
    # Made of the run, the metric and the asset, so that a task that is carried out twice records once.
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("metric_definition_id", sa.String(36), nullable=False),
    sa.Column("dimension_id", sa.String(36), nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("service", CodePointText, nullable=False),
    sa.Column("database", CodePointText),
    sa.Column("schema", CodePointText),
    sa.Column("table", CodePointText),
    sa.Column("column", CodePointText),
    sa.Column("workflow_run_id", sa.String(36), nullable=False),
    sa.Column("numerator", sa.BigInteger, nullable=False),
    sa.Column("denominator", sa.BigInteger, nullable=False),
    sa.Column("measured_at", Moment, nullable=False),
    sa.Column("details", Json, nullable=False),
    sa.Index("ix_metric_results_scope", "project_id", "service", "measured_at"),
    sa.Index("ix_metric_results_run", "workflow_run_id"),
    sa.Index("ix_metric_results_asset", "project_id", "asset_fqn", "metric_definition_id", "measured_at"),
)

metric_totals = sa.Table(
    "metric_totals",
    metadata,
    # The latest results of a metric at or under a dotted name, added up: one row for each moment at which that changed.
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("run_id", sa.String(36), nullable=False),  # only what this run has measured; empty for all runs
    sa.Column("scope_fqn", CodePointText, nullable=False),  # empty for the whole project
    sa.Column("metric_definition_id", sa.String(36), nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("numerator", sa.BigInteger, nullable=False),
    sa.Column("denominator", sa.BigInteger, nullable=False),
    sa.Column("asset_count", sa.BigInteger, nullable=False),
    sa.Column("by_run_id", sa.String(36), nullable=False),  # the run whose result made the row
    sa.PrimaryKeyConstraint("project_id", "run_id", "scope_fqn", "metric_definition_id", "at"),
)

violations = sa.Table(
    "violations",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("definition_id", sa.String(36), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("fqn", CodePointText, nullable=False),
    sa.Column("dimension_id", sa.String(36), nullable=False),
    sa.Column("metric_definition_id", sa.String(36)),  # the metric whose score it lowers
    sa.Column("check_key", sa.String(300), nullable=False),  # the rule that found it
    sa.Column("fingerprint", sa.String(64), nullable=False),  # of the rule, the asset and what is wrong
    sa.Column("service", CodePointText, nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("asset_version", sa.String(24)),
    sa.Column("severity", sa.String(16), nullable=False),
    sa.Column("severity_rank", sa.Integer, nullable=False),  # the worst sort first
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("workflow_run_id", sa.String(36), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("display_name", sa.String(255)),
    sa.Column("database", CodePointText),
    sa.Column("schema", CodePointText),
    sa.Column("table", CodePointText),
    sa.Column("column", CodePointText),
    sa.Column("details", Json, nullable=False),
    sa.Column("dq_rule_execution_id", sa.String(36)),
    sa.Column("resolved_by", sa.String(255)),
    sa.Column("resolution_notes", sa.String(1000)),
    sa.Column("resolved_at", Moment),
    sa.Column("assigned_to", sa.String(255)),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("last_seen_at", Moment, nullable=False),
    sa.Column("seen_count", sa.Integer, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("organization_id", "project_id", "fingerprint"),
    sa.Index("ix_violations_scope", "project_id", "service", "created_at"),
    sa.Index("ix_violations_check", "project_id", "check_key"),
    sa.Index("ix_violations_metric", "project_id", "metric_definition_id"),
)

violation_events = sa.Table(
    "violation_events",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("violation_id", Identifier, sa.ForeignKey("violations.id"), nullable=False),
    sa.Column("at", Moment, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),  # the violation's revision that it led to
    sa.Column("from_status", sa.String(16)),
    sa.Column("to_status", sa.String(16), nullable=False),
    sa.Column("actor", sa.String(255), nullable=False),
    sa.Column("workflow_run_id", sa.String(36)),
    sa.Column("notes", sa.String(1000)),
    sa.UniqueConstraint("violation_id", "position"),
)
