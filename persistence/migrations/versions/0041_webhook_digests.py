"""Keep how long events for people are gathered, and when people are told nothing."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What stands tells at once, at any hour."""
    op.add_column("webhooks", sa.Column("digest_minutes", sa.Integer(), server_default="0", nullable=False))
    op.add_column("webhooks", sa.Column("quiet_hours", Json, nullable=True))


def downgrade() -> None:
    """Go back. What waits is told as it is due."""
    op.drop_column("webhooks", "quiet_hours")
    op.drop_column("webhooks", "digest_minutes")
