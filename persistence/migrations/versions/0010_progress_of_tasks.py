"""How far a task of a run has come."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("run_tasks") as batch:
        batch.add_column(sa.Column("rows_done", sa.BigInteger(), nullable=True))
        batch.add_column(sa.Column("rows_total", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("run_tasks") as batch:
        batch.drop_column("rows_total")
        batch.drop_column("rows_done")
