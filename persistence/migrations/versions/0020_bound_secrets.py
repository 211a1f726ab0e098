"""Bind secrets to where they may be sent, and keep who last wrote what later runs and answers do."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What stands is bound when it is next used or saved; who wrote it is not known before."""
    op.add_column("secrets", sa.Column("bound_to", sa.String(length=64)))
    op.add_column("workflow_configurations", sa.Column("authors", Json))
    op.add_column("chat_settings", sa.Column("authors", Json))


def downgrade() -> None:
    """Go back. Secrets that are bound do not open any more: the version before knows nothing of what they are for."""
    for table, column in (
        ("chat_settings", "authors"),
        ("workflow_configurations", "authors"),
        ("secrets", "bound_to"),
    ):
        with op.batch_alter_table(table) as batch:
            batch.drop_column(column)
