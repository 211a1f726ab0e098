"""Keep which headers the requests of a webhook carry; their values are among the secrets."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What stands carries none."""
    op.add_column("webhooks", sa.Column("header_names", Json, server_default="[]", nullable=False))


def downgrade() -> None:
    """Go back. What is secret of headers is deleted, as nothing would send it any more."""
    op.execute("delete from secrets where resource_type = 'webhook' and name = 'headers'")
    op.drop_column("webhooks", "header_names")
