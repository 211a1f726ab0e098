"""Tell which proposals of a run are alike, so that one decision can be about all of them."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What was proposed before is in no group, and listed as one of its own."""
    op.add_column("proposals", sa.Column("group", sa.String(length=64), nullable=True))
    op.create_index("ix_proposals_group", "proposals", ["run_id", "group"])


def downgrade() -> None:
    """Go back."""
    op.drop_index("ix_proposals_group", table_name="proposals")
    with op.batch_alter_table("proposals") as batch:
        batch.drop_column("group")
