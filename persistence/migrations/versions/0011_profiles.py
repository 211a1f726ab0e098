"""Profiles of tables and columns."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "table_profiles",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=False),
        sa.Column("asset_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("resource_uri", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("tier", sa.String(length=16), nullable=False),
        sa.Column("measured_at", Moment(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
        sa.Column("column_count", sa.Integer(), nullable=False),
        sa.Column("sample_size", sa.BigInteger(), nullable=True),
        sa.Column("approximate", Json, nullable=False),
        sa.Column("freshness_column", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=True),
        sa.Column("newest", sa.Text(), nullable=True),
        sa.Column("candidate_keys", Json, nullable=False),
        sa.Column("functional_dependencies", Json, nullable=False),
        sa.Column("foreign_keys", Json, nullable=False),
        sa.Column("duration_seconds", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_table_profiles")),
    )
    with op.batch_alter_table("table_profiles") as batch:
        batch.create_index("ix_table_profiles_asset", ["project_id", "asset_fqn", "measured_at"], unique=False)
        batch.create_index("ix_table_profiles_run", ["workflow_run_id", "asset_fqn"], unique=False)
    op.create_table(
        "column_profiles",
        sa.Column(
            "profile_id",
            sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("column_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("figures", Json, nullable=False),
        sa.ForeignKeyConstraint(
            ["profile_id"],
            ["table_profiles.id"],
            name=op.f("fk_column_profiles_profile_id_table_profiles"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("profile_id", "position", name=op.f("pk_column_profiles")),
    )
    with op.batch_alter_table("column_profiles") as batch:
        batch.create_index("ix_column_profiles_column", ["profile_id", "column_fqn"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("column_profiles")
    op.drop_table("table_profiles")
