"""Keep what definitions were called before, so that a scorecard of the past reads as it did."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "definition_pasts",
        sa.Column("definition_id", sa.String(length=36), nullable=False),
        sa.Column("until", Moment(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("texts", Json, nullable=False),
        sa.PrimaryKeyConstraint("definition_id", "until", name=op.f("pk_definition_pasts")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("definition_pasts")
