"""Keep to whom a webhook sends, and which events a message to people tells together."""

import sqlalchemy as sa
from alembic import op

from persistence.tables.catalog import Identifier

revision = "0040"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What stands sends CloudEvents, as before."""
    op.add_column(
        "webhooks", sa.Column("channel", sa.String(length=16), server_default="webhook", nullable=False)
    )
    op.add_column("webhook_deliveries", sa.Column("message_id", Identifier, nullable=True))


def downgrade() -> None:
    """Go back. Webhooks to people are deleted: sent as CloudEvents, their events would reach nobody."""
    people = "select id from webhooks where channel <> 'webhook'"
    op.execute(f"delete from webhook_deliveries where webhook_id in ({people})")
    op.execute(f"delete from secrets where resource_type = 'webhook' and resource_id in ({people})")
    op.execute("delete from webhooks where channel <> 'webhook'")
    op.drop_column("webhook_deliveries", "message_id")
    op.drop_column("webhooks", "channel")
