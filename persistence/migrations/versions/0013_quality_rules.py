"""Quality rules and their executions, and the totals that scorecards are read from."""

from typing import Any, Final

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_PARTS: Final = ("service", "database", "schema", "table")


def _identifier() -> sa.types.TypeEngine[Any]:
    return sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql")


def _name() -> sa.types.TypeEngine[Any]:
    return sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql")


def _text() -> sa.types.TypeEngine[Any]:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _asset() -> list[sa.Column[Any]]:
    """The columns of an asset's dotted name."""
    return [
        sa.Column("asset_fqn", _text(), nullable=False),
        sa.Column("service", _text(), nullable=False),
        *(sa.Column(name, _text(), nullable=True) for name in ("database", "schema", "table", "column")),
    ]


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "quality_rules",
        sa.Column("id", _identifier(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("rule_key", sa.String(length=36), nullable=False),
        sa.Column("name", _name(), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        *_asset(),
        sa.Column("resource_uri", sa.String(length=1024), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("metric", sa.String(length=64), nullable=True),
        sa.Column("arguments", Json, nullable=False),
        sa.Column("operator", sa.String(length=32), nullable=False),
        sa.Column("threshold", Json, nullable=False),
        sa.Column("unit", sa.String(length=16), nullable=False),
        sa.Column("query", sa.Text(), nullable=True),
        sa.Column("dimension_id", sa.String(length=36), nullable=False),
        sa.Column("metric_definition_id", sa.String(length=36), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("expected_false_positive_rate", sa.Float(), nullable=True),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quality_rules")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "rule_key",
            name=op.f("uq_quality_rules_organization_id_project_id_rule_key"),
        ),
    )
    with op.batch_alter_table("quality_rules") as batch:
        batch.create_index("ix_quality_rules_scope", ["project_id", "service", "database", "schema", "table"])

    op.create_table(
        "rule_executions",
        sa.Column("id", _identifier(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("rule_id", _identifier(), nullable=False),
        sa.Column("rule_name", _name(), nullable=False),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=False),
        sa.Column("metric_definition_id", sa.String(length=36), nullable=False),
        *_asset(),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("numerator", sa.BigInteger(), nullable=True),
        sa.Column("denominator", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(length=1000), nullable=True),
        sa.Column("details", Json, nullable=False),
        sa.Column("executed_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_executions")),
    )
    with op.batch_alter_table("rule_executions") as batch:
        batch.create_index("ix_rule_executions_rule", ["rule_id", "executed_at"])
        batch.create_index("ix_rule_executions_run", ["workflow_run_id"])
        batch.create_index("ix_rule_executions_scope", ["project_id", "metric_definition_id", "service", "executed_at"])

    totals = op.create_table(
        "metric_totals",
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("scope_fqn", _text(), nullable=False),
        sa.Column("metric_definition_id", sa.String(length=36), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("numerator", sa.BigInteger(), nullable=False),
        sa.Column("denominator", sa.BigInteger(), nullable=False),
        sa.Column("asset_count", sa.BigInteger(), nullable=False),
        sa.Column("by_run_id", sa.String(length=36), nullable=False),
        sa.PrimaryKeyConstraint(
            "project_id", "run_id", "scope_fqn", "metric_definition_id", "at", name=op.f("pk_metric_totals")
        ),
    )
    with op.batch_alter_table("metric_results") as batch:
        batch.create_index(
            "ix_metric_results_asset", ["project_id", "asset_fqn", "metric_definition_id", "measured_at"]
        )
    _add_up(totals)


def _add_up(totals: sa.Table) -> None:
    """Add up what has been measured so far, moment by moment."""
    results = sa.table(
        "metric_results",
        *(
            sa.column(name)
            for name in (
                "id", "organization_id", "project_id", "metric_definition_id", "asset_fqn", *_PARTS,
                "workflow_run_id", "numerator", "denominator",
            )
        ),
        sa.column("measured_at", Moment()),
    )  # fmt: skip
    latest: dict[tuple[str, str, str, str], tuple[int, int]] = {}
    sums: dict[tuple[str, str, str, str], tuple[int, int, int]] = {}
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    connection = op.get_bind()
    # Of two results of one moment the one with the smaller id stands, and so comes last here.
    order = (results.c.measured_at, results.c.id.desc())
    for one in connection.execute(sa.select(results).order_by(*order)).mappings().all():
        project, metric = one["project_id"], one["metric_definition_id"]
        parts = [one[name] for name in _PARTS if one[name] is not None]
        scopes = ["", *(_dotted(parts[:end]) for end in range(1, len(parts) + 1))]
        for run in ("", one["workflow_run_id"]):
            key = (project, run, one["asset_fqn"], metric)
            before = latest.get(key)
            latest[key] = (one["numerator"], one["denominator"])
            good, of = before or (0, 0)
            for scope in scopes:
                place = (project, run, scope, metric)
                numerator, denominator, count = sums.get(place, (0, 0, 0))
                sums[place] = (
                    numerator + one["numerator"] - good,
                    denominator + one["denominator"] - of,
                    count + (before is None),
                )
                rows[(*place, one["measured_at"])] = {
                    "project_id": project, "run_id": run, "scope_fqn": scope, "metric_definition_id": metric,
                    "at": one["measured_at"], "organization_id": one["organization_id"],
                    "numerator": sums[place][0], "denominator": sums[place][1], "asset_count": sums[place][2],
                    "by_run_id": one["workflow_run_id"],
                }  # fmt: skip
    if rows:
        op.bulk_insert(totals, list(rows.values()))


def _dotted(parts: list[str]) -> str:
    from schema.identifiers import join_fqn

    return join_fqn(parts)


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("metric_results") as batch:
        batch.drop_index("ix_metric_results_asset")
    op.drop_table("metric_totals")
    op.drop_table("rule_executions")
    op.drop_table("quality_rules")
