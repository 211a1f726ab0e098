"""Find what was proposed about an asset before."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("proposals") as batch:
        batch.create_index("ix_proposals_asset", ["project_id", "asset_fqn"], unique=False)


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("proposals") as batch:
        batch.drop_index("ix_proposals_asset")
