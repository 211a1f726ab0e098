"""Who uses a connection just now, and which task waits for one."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Moment

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "connection_slots",
        sa.Column("id", sa.String(length=100), nullable=False),
        sa.Column("token", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("resource_uri", sa.String(length=1000), nullable=False),
        sa.Column("asked_at", Moment(), nullable=False),
        sa.Column("held_at", Moment(), nullable=True),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connection_slots")),
    )
    with op.batch_alter_table("connection_slots") as batch:
        batch.create_index("ix_connection_slots_queue", ["organization_id", "resource_uri", "asked_at"])
    with op.batch_alter_table("run_tasks") as batch:
        batch.add_column(sa.Column("waits_for", sa.String(length=1000), nullable=True))


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("run_tasks") as batch:
        batch.drop_column("waits_for")
    op.drop_table("connection_slots")
