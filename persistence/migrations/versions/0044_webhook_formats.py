"""Keep in which format a webhook sends to a program."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What stands sends CloudEvents, as before."""
    op.add_column("webhooks", sa.Column("format", sa.String(length=16), server_default="cloudevents", nullable=False))


def downgrade() -> None:
    """Go back. Webhooks of another format are deleted: their receivers would not understand CloudEvents."""
    others = "select id from webhooks where format <> 'cloudevents'"
    op.execute(f"delete from webhook_deliveries where webhook_id in ({others})")
    op.execute(f"delete from secrets where resource_type = 'webhook' and resource_id in ({others})")
    op.execute("delete from webhooks where format <> 'cloudevents'")
    op.drop_column("webhooks", "format")
