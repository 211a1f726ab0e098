"""The tables of quality and glossary."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "metric_results",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("metric_definition_id", sa.String(length=36), nullable=False),
        sa.Column("dimension_id", sa.String(length=36), nullable=False),
        sa.Column("asset_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("service", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("database", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("schema", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("table", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("column", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=False),
        sa.Column("numerator", sa.BigInteger(), nullable=False),
        sa.Column("denominator", sa.BigInteger(), nullable=False),
        sa.Column("measured_at", Moment(), nullable=False),
        sa.Column("details", Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metric_results")),
    )
    with op.batch_alter_table("metric_results") as batch:
        batch.create_index("ix_metric_results_run", ["workflow_run_id"], unique=False)
        batch.create_index("ix_metric_results_scope", ["project_id", "service", "measured_at"], unique=False)

    op.create_table(
        "violations",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("definition_id", sa.String(length=36), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("dimension_id", sa.String(length=36), nullable=False),
        sa.Column("metric_definition_id", sa.String(length=36), nullable=True),
        sa.Column("check_key", sa.String(length=300), nullable=False),
        sa.Column("fingerprint", sa.String(length=64), nullable=False),
        sa.Column("service", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("asset_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("asset_version", sa.String(length=24), nullable=True),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("severity_rank", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("display_name", sa.String(length=255), nullable=True),
        sa.Column("database", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("schema", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("table", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("column", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("details", Json, nullable=False),
        sa.Column("dq_rule_execution_id", sa.String(length=36), nullable=True),
        sa.Column("resolved_by", sa.String(length=255), nullable=True),
        sa.Column("resolution_notes", sa.String(length=1000), nullable=True),
        sa.Column("resolved_at", Moment(), nullable=True),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("last_seen_at", Moment(), nullable=False),
        sa.Column("seen_count", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_violations")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "fingerprint",
            name=op.f("uq_violations_organization_id_project_id_fingerprint"),
        ),
    )
    with op.batch_alter_table("violations") as batch:
        batch.create_index("ix_violations_check", ["project_id", "check_key"], unique=False)
        batch.create_index("ix_violations_metric", ["project_id", "metric_definition_id"], unique=False)
        batch.create_index("ix_violations_scope", ["project_id", "service", "created_at"], unique=False)

    op.create_table(
        "violation_events",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column(
            "violation_id",
            sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("from_status", sa.String(length=16), nullable=True),
        sa.Column("to_status", sa.String(length=16), nullable=False),
        sa.Column("actor", sa.String(length=255), nullable=False),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=True),
        sa.Column("notes", sa.String(length=1000), nullable=True),
        sa.ForeignKeyConstraint(
            ["violation_id"], ["violations.id"], name=op.f("fk_violation_events_violation_id_violations")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_violation_events")),
        sa.UniqueConstraint("violation_id", "position", name=op.f("uq_violation_events_violation_id_position")),
    )
    op.create_table(
        "glossary_terms",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("display_name", sa.String(length=255), nullable=True),
        sa.Column("definition", sa.Text(), nullable=True),
        sa.Column("synonyms", Json, nullable=False),
        sa.Column("related_terms", Json, nullable=False),
        sa.Column(
            "parent_term_id",
            sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"),
            nullable=True,
        ),
        sa.Column("owners", Json, nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reviewed_by", sa.String(length=255), nullable=True),
        sa.Column("reviewed_at", Moment(), nullable=True),
        sa.Column("review_notes", sa.String(length=1000), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("asset_count", sa.Integer(), nullable=False),
        sa.Column("search_words", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_glossary_terms_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_glossary_terms_project_id_projects")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_glossary_terms")),
        sa.UniqueConstraint(
            "organization_id", "project_id", "name", name=op.f("uq_glossary_terms_organization_id_project_id_name")
        ),
    )
    with op.batch_alter_table("glossary_terms") as batch:
        batch.create_index(batch.f("ix_glossary_terms_parent_term_id"), ["parent_term_id"], unique=False)

    op.create_table(
        "metric_definitions",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("dimension_id", sa.String(length=36), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "fqn",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "taken_fqn",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=True,
        ),
        sa.Column("display_name", sa.String(length=255), nullable=True),
        sa.Column("unit", sa.String(length=64), nullable=True),
        sa.Column("purpose", sa.String(length=1000), nullable=True),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("deleted_at", Moment(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_metric_definitions_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_metric_definitions_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_metric_definitions")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "taken_fqn",
            name=op.f("uq_metric_definitions_organization_id_project_id_taken_fqn"),
        ),
    )
    op.create_table(
        "quality_dimensions",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "fqn",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "taken_fqn",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=True,
        ),
        sa.Column("assessment_type", sa.String(length=16), nullable=False),
        sa.Column("display_name", sa.String(length=255), nullable=True),
        sa.Column("purpose", sa.String(length=1000), nullable=True),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("weight", sa.String(length=20), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("deleted_at", Moment(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_quality_dimensions_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_quality_dimensions_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_quality_dimensions")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "taken_fqn",
            name=op.f("uq_quality_dimensions_organization_id_project_id_taken_fqn"),
        ),
    )
    op.create_table(
        "violation_definitions",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("dimension_id", sa.String(length=36), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "fqn",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "taken_fqn",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=True,
        ),
        sa.Column("default_severity", sa.String(length=16), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("display_name", sa.String(length=255), nullable=True),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("applicable_asset_types", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("deleted_at", Moment(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_violation_definitions_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_violation_definitions_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_violation_definitions")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "taken_fqn",
            name=op.f("uq_violation_definitions_organization_id_project_id_taken_fqn"),
        ),
    )
    op.create_table(
        "glossary_term_assets",
        sa.Column(
            "term_id",
            sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column(
            "asset_id",
            sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("asset_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("asset_type", sa.String(length=32), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.ForeignKeyConstraint(
            ["term_id"], ["glossary_terms.id"], name=op.f("fk_glossary_term_assets_term_id_glossary_terms")
        ),
        sa.PrimaryKeyConstraint("term_id", "asset_id", name=op.f("pk_glossary_term_assets")),
    )
    with op.batch_alter_table("glossary_term_assets") as batch:
        batch.create_index("ix_glossary_term_assets_asset", ["project_id", "asset_id"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("glossary_term_assets")
    op.drop_table("violation_definitions")
    op.drop_table("quality_dimensions")
    op.drop_table("metric_definitions")
    op.drop_table("glossary_terms")
    op.drop_table("violation_events")
    op.drop_table("violations")
    op.drop_table("metric_results")
