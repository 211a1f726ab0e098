"""Keep when a source says that its lineage was so, by which what comes late is known."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Moment

revision = "0047"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. Of what stands it is not known; whatever is told of it next is not late."""
    op.add_column("lineage_statements", sa.Column("told_at", Moment(), nullable=True))


def downgrade() -> None:
    """Go back."""
    op.drop_column("lineage_statements", "told_at")
