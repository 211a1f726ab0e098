"""Quality rules, and what evaluating each of them once came to."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

quality_rules = sa.Table(
    "quality_rules",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    # What the same conclusion always has: a later run that concludes it again finds the rule by it.
    sa.Column("rule_key", sa.String(36), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("description", sa.String(1000)),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("service", CodePointText, nullable=False),
    sa.Column("database", CodePointText),
    sa.Column("schema", CodePointText),
    sa.Column("table", CodePointText),
    sa.Column("column", CodePointText),
    sa.Column("resource_uri", sa.String(1024), nullable=False),
    sa.Column("type", sa.String(16), nullable=False),
    sa.Column("metric", sa.String(64)),
    sa.Column("arguments", Json, nullable=False),
    sa.Column("operator", sa.String(32), nullable=False),
    sa.Column("threshold", Json, nullable=False),
    sa.Column("unit", sa.String(16), nullable=False),
    sa.Column("query", sa.Text),
    sa.Column("dimension_id", sa.String(36), nullable=False),
    sa.Column("metric_definition_id", sa.String(36), nullable=False),
    sa.Column("severity", sa.String(16), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("origin", sa.String(16), nullable=False),
    sa.Column("evidence", Json, nullable=False),
    sa.Column("confidence", sa.Float),
    sa.Column("expected_false_positive_rate", sa.Float),
    sa.Column("workflow_run_id", sa.String(36)),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("organization_id", "project_id", "rule_key"),
    sa.Index("ix_quality_rules_scope", "project_id", "service", "database", "schema", "table"),
)

rule_executions = sa.Table(
    "rule_executions",
    metadata,
    # Made of the run and the rule, so that a task that is carried out twice records once.
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("rule_id", Identifier, nullable=False),  # no foreign key: it stays when the rule is deleted
    sa.Column("rule_name", Name, nullable=False),
    sa.Column("workflow_run_id", sa.String(36), nullable=False),
    sa.Column("metric_definition_id", sa.String(36), nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("service", CodePointText, nullable=False),
    sa.Column("database", CodePointText),
    sa.Column("schema", CodePointText),
    sa.Column("table", CodePointText),
    sa.Column("column", CodePointText),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("numerator", sa.BigInteger),
    sa.Column("denominator", sa.BigInteger),
    sa.Column("reason", sa.String(1000)),
    sa.Column("details", Json, nullable=False),
    sa.Column("executed_at", Moment, nullable=False),
    sa.Index("ix_rule_executions_rule", "rule_id", "executed_at"),
    sa.Index("ix_rule_executions_run", "workflow_run_id"),
    sa.Index("ix_rule_executions_scope", "project_id", "metric_definition_id", "service", "executed_at"),
)
