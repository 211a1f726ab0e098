"""The tables of the first release."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment
from persistence.tables.catalog import catalog_ddl, catalog_ddl_down

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "job_ledger",
        sa.Column("key", sa.String(length=512), nullable=False),
        sa.Column("begun", sa.Integer(), nullable=False),
        sa.Column("canceled_at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_job_ledger")),
    )
    op.create_table(
        "metadata_assets",
        sa.Column(
            "row_number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("resource_uri", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("type", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("name", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("fully_qualified_name", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("parent_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column(
            "parent_id",
            sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"),
            nullable=True,
        ),
        sa.Column("service_name", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("version_major", sa.Integer(), nullable=False),
        sa.Column("version_minor", sa.Integer(), nullable=False),
        sa.Column("version_change_reason", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("updated_by", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("deleted_at", Moment(), nullable=True),
        sa.Column("display_name", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("summary_text", sa.Text(), nullable=True),
        sa.Column("schema_definition", sa.Text(), nullable=True),
        sa.Column("owners", Json, nullable=True),
        sa.Column("extension", Json, nullable=False),
        sa.Column("is_dq_tagged", sa.Boolean(), nullable=False),
        sa.Column("is_pii_tagged", sa.Boolean(), nullable=False),
        sa.Column("is_sensitivity_tagged", sa.Boolean(), nullable=False),
        sa.Column("tags", Json, nullable=True),
        sa.Column("children_total", sa.Integer(), nullable=False),
        sa.Column("table_type", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("row_count", sa.BigInteger(), nullable=True),
        sa.Column("column_count", sa.Integer(), nullable=True),
        sa.Column("table_count", sa.Integer(), nullable=True),
        sa.Column("data_type", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("data_type_display", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("ordinal_position", sa.Integer(), nullable=True),
        sa.Column("nullable", sa.Boolean(), nullable=True),
        sa.Column("constraint", Json, nullable=False),
        sa.Column("column_relationships", Json, nullable=True),
        sa.Column("precision", sa.Integer(), nullable=True),
        sa.Column("scale", sa.Integer(), nullable=True),
        sa.Column("data_length", sa.BigInteger(), nullable=True),
        sa.Column("business_definition", sa.Text(), nullable=True),
        sa.Column("business_rules", sa.Text(), nullable=True),
        sa.Column("change_description", Json, nullable=False),
        sa.Column("change_summary", Json, nullable=False),
        sa.Column("changed_by", Json, nullable=True),
        sa.Column("source_description", sa.Text(), nullable=True),
        sa.Column("source_hash", sa.String(length=32), nullable=True),
        sa.Column("people_fields", Json, nullable=False),
        sa.Column("search_words", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("row_number", name=op.f("pk_metadata_assets")),
        sa.UniqueConstraint("id", name=op.f("uq_metadata_assets_id")),
        sa.UniqueConstraint(
            "organization_id", "project_id", "fully_qualified_name", name="uq_metadata_assets_fully_qualified_name"
        ),
    )
    with op.batch_alter_table("metadata_assets", schema=None) as batch_op:
        batch_op.create_index("ix_metadata_assets_by_name", ["project_id", "name", "id"], unique=False)
        batch_op.create_index("ix_metadata_assets_by_parent", ["parent_id"], unique=False)
        batch_op.create_index("ix_metadata_assets_by_type", ["project_id", "type", "name", "id"], unique=False)
        batch_op.create_index(
            "ix_metadata_assets_children_by_age", ["project_id", "parent_fqn", "created_at", "id"], unique=False
        )
        batch_op.create_index(
            "ix_metadata_assets_children_by_name", ["project_id", "parent_fqn", "name", "id"], unique=False
        )
        batch_op.create_index(
            "ix_metadata_assets_children_by_position",
            ["project_id", "parent_fqn", "ordinal_position", "name"],
            unique=False,
        )

    op.create_table(
        "metadata_versions",
        sa.Column(
            "asset_id",
            sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("version_major", sa.Integer(), nullable=False),
        sa.Column("version_minor", sa.Integer(), nullable=False),
        sa.Column("document", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("asset_id", "version_major", "version_minor", name=op.f("pk_metadata_versions")),
    )
    op.create_table(
        "organizations",
        sa.Column("id", sa.String(length=255), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_organizations")),
    )
    op.create_table(
        "relation_tuples",
        sa.Column("store", sa.String(length=255), nullable=False),
        sa.Column("object_type", sa.String(length=254), nullable=False),
        sa.Column("object_id", sa.Text(), nullable=False),
        sa.Column("relation", sa.String(length=50), nullable=False),
        sa.Column("user_type", sa.String(length=254), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("user_relation", sa.String(length=50), nullable=False),
        sa.Column("condition", sa.String(length=256), nullable=True),
        sa.Column("context", Json, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint(
            "store",
            "object_type",
            "object_id",
            "user_type",
            "user_id",
            "user_relation",
            "relation",
            name=op.f("pk_relation_tuples"),
        ),
    )
    with op.batch_alter_table("relation_tuples", schema=None) as batch_op:
        batch_op.create_index(
            "ix_relation_tuples_user",
            ["store", "user_type", "user_id", "user_relation", "object_type", "object_id"],
            unique=False,
        )

    op.create_table(
        "secrets",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("resource_type", sa.String(length=64), nullable=False),
        sa.Column("resource_id", sa.String(length=512), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "resource_type", "resource_id", "name", name=op.f("pk_secrets")),
    )
    op.create_table(
        "workers",
        sa.Column("executor_id", sa.String(length=80), nullable=False),
        sa.Column("heartbeat_at", Moment(), nullable=False),
        sa.Column("started_at", Moment(), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("version", sa.String(length=40), nullable=False),
        sa.Column("leader", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("executor_id", name=op.f("pk_workers")),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.String(length=255), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_projects_organization_id_organizations")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_projects")),
        sa.UniqueConstraint("organization_id", "name", name=op.f("uq_projects_organization_id_name")),
    )
    op.create_table(
        "rate_limits",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("reads", sa.Integer(), nullable=True),
        sa.Column("writes", sa.Integer(), nullable=True),
        sa.Column("bulk", sa.Integer(), nullable=True),
        sa.Column("anonymous", sa.Integer(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_rate_limits_organization_id_organizations")
        ),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("pk_rate_limits")),
    )
    op.create_table(
        "data_connections",
        sa.Column("resource_uri", sa.String(length=800), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=True),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("connection_type", sa.String(length=32), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("status_message", sa.String(length=1000), nullable=True),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("tags", Json, nullable=False),
        sa.Column("owner_id", sa.String(length=255), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("database_config", Json, nullable=True),
        sa.Column("storage_config", Json, nullable=True),
        sa.Column("filesystem_config", Json, nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_data_connections_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_data_connections_project_id_projects")),
        sa.PrimaryKeyConstraint("resource_uri", name=op.f("pk_data_connections")),
    )
    with op.batch_alter_table("data_connections", schema=None) as batch_op:
        batch_op.create_index("ix_data_connections_scope", ["organization_id", "project_id", "name"], unique=False)

    op.create_table(
        "workflow_configurations",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column(
            "name",
            sa.String(length=255).with_variant(sa.String(length=255, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("workflow_type", sa.String(length=64), nullable=False),
        sa.Column("category", sa.String(length=64), nullable=False),
        sa.Column("config", Json, nullable=False),
        sa.Column("data_asset_types", Json, nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("require_reference_pack", sa.Boolean(), nullable=False),
        sa.Column("schedule", Json, nullable=True),
        sa.Column("status", sa.String(length=32), nullable=False),
        sa.Column("triggers", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_workflow_configurations_organization_id_organizations"),
        ),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name=op.f("fk_workflow_configurations_project_id_projects")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workflow_configurations")),
    )
    with op.batch_alter_table("workflow_configurations", schema=None) as batch_op:
        batch_op.create_index(
            "ix_workflow_configurations_scope", ["organization_id", "project_id", "created_at"], unique=False
        )

    op.create_table(
        "workflow_runs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("configuration_id", sa.String(length=36), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("workflow_name", sa.String(length=255), nullable=False),
        sa.Column("workflow_type", sa.String(length=64), nullable=False),
        sa.Column("asset_fqn", sa.String(length=2000), nullable=True),
        sa.Column("save_all", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("started_at", Moment(), nullable=True),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("input", Json, nullable=False),
        sa.Column("output", Json, nullable=False),
        sa.Column("caller", Json, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["configuration_id"],
            ["workflow_configurations.id"],
            name=op.f("fk_workflow_runs_configuration_id_workflow_configurations"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workflow_runs")),
    )
    with op.batch_alter_table("workflow_runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_workflow_runs_configuration_id"), ["configuration_id"], unique=False)
        batch_op.create_index("ix_workflow_runs_scope", ["organization_id", "project_id", "created_at"], unique=False)

    op.create_table(
        "run_tasks",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("run_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=1000), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("started_at", Moment(), nullable=True),
        sa.Column("completed_at", Moment(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("counts", Json, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["workflow_runs.id"], name=op.f("fk_run_tasks_run_id_workflow_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_tasks")),
        sa.UniqueConstraint("run_id", "position", name=op.f("uq_run_tasks_run_id_position")),
    )

    op.create_index("ix_metadata_assets_by_folded_name", "metadata_assets", ["project_id", sa.text("lower(name)")])
    for statement in catalog_ddl(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    """Go back."""
    for statement in catalog_ddl_down(op.get_bind().dialect.name):
        op.execute(statement)
    op.drop_table("run_tasks")
    with op.batch_alter_table("workflow_runs", schema=None) as batch_op:
        batch_op.drop_index("ix_workflow_runs_scope")
        batch_op.drop_index(batch_op.f("ix_workflow_runs_configuration_id"))

    op.drop_table("workflow_runs")
    with op.batch_alter_table("workflow_configurations", schema=None) as batch_op:
        batch_op.drop_index("ix_workflow_configurations_scope")

    op.drop_table("workflow_configurations")
    with op.batch_alter_table("data_connections", schema=None) as batch_op:
        batch_op.drop_index("ix_data_connections_scope")

    op.drop_table("data_connections")
    op.drop_table("rate_limits")
    op.drop_table("projects")
    op.drop_table("workers")
    op.drop_table("secrets")
    with op.batch_alter_table("relation_tuples", schema=None) as batch_op:
        batch_op.drop_index("ix_relation_tuples_user")

    op.drop_table("relation_tuples")
    op.drop_table("organizations")
    op.drop_table("metadata_versions")
    with op.batch_alter_table("metadata_assets", schema=None) as batch_op:
        batch_op.drop_index("ix_metadata_assets_children_by_position")
        batch_op.drop_index("ix_metadata_assets_children_by_name")
        batch_op.drop_index("ix_metadata_assets_children_by_age")
        batch_op.drop_index("ix_metadata_assets_by_type")
        batch_op.drop_index("ix_metadata_assets_by_parent")
        batch_op.drop_index("ix_metadata_assets_by_name")

    op.drop_table("metadata_assets")
    op.drop_table("job_ledger")
