"""Tags that engines find, with what people decided."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "classifications",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("asset_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("resource_uri", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("tag_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("confidence", sa.Double(), nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("recognizer_version", sa.String(length=64), nullable=False),
        sa.Column("data_fingerprint", sa.String(length=64), nullable=False),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=False),
        sa.Column("decided_by", sa.String(length=255), nullable=True),
        sa.Column("decided_at", Moment(), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_classifications")),
    )
    with op.batch_alter_table("classifications") as batch:
        batch.create_index("ix_classifications_asset", ["project_id", "asset_fqn"], unique=False)
        batch.create_index("ix_classifications_found", ["project_id", "kind", "state"], unique=False)
    op.create_table(
        "recognitions",
        sa.Column(
            "id", sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql"), nullable=False
        ),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("asset_fqn", sa.Text().with_variant(sa.Text(collation="C"), "postgresql"), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("recognizer_version", sa.String(length=64), nullable=False),
        sa.Column("data_fingerprint", sa.String(length=64), nullable=False),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=False),
        sa.Column("looked_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_recognitions")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("recognitions")
    op.drop_table("classifications")
