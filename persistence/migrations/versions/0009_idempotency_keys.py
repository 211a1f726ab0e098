"""The keys under which writes are done once."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Moment

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "idempotency_keys",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("principal", sa.String(length=600), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("operation", sa.String(length=100), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("owner", sa.String(length=36), nullable=False),
        sa.Column("claimed_at", Moment(), nullable=False),
        sa.Column("expires_at", Moment(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("organization_id", "principal", "key", name=op.f("pk_idempotency_keys")),
    )
    with op.batch_alter_table("idempotency_keys") as batch:
        batch.create_index(batch.f("ix_idempotency_keys_expires_at"), ["expires_at"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("idempotency_keys")
