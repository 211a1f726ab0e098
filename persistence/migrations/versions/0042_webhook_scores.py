"""Keep from which score on a fall is told to a webhook."""

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.add_column("webhooks", sa.Column("score_below", sa.Float(), server_default="0.9", nullable=False))


def downgrade() -> None:
    """Go back. Falls of scores that were told stay among the events, where nothing reads them any more."""
    op.execute("delete from webhook_deliveries where type = 'score.fell'")
    op.execute("delete from events where type = 'score.fell'")
    op.drop_column("webhooks", "score_below")
