"""Tell which proposals of a run are parts of one, so that a steward is asked once about one thing."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What was proposed before is part of nothing, and listed one by one."""
    op.add_column("proposals", sa.Column("part_of", sa.String(length=36), nullable=True))
    op.create_index("ix_proposals_part_of", "proposals", ["run_id", "part_of"])


def downgrade() -> None:
    """Go back."""
    op.drop_index("ix_proposals_part_of", table_name="proposals")
    with op.batch_alter_table("proposals") as batch:
        batch.drop_column("part_of")
