"""Let a user be told to look after a violation."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.add_column("violations", sa.Column("assigned_to", sa.String(length=255), nullable=True))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("violations") as batch:
        batch.drop_column("assigned_to")
