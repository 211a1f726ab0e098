"""Keep which rows were behind answers from tables with a minimum group size, as sketches."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "answered_sets",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("subject_hash", sa.String(length=64), nullable=False),
        sa.Column("query_hash", sa.String(length=64), nullable=False),
        sa.Column("sets", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answered_sets")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "user_id",
            "subject_hash",
            "query_hash",
            name=op.f("uq_answered_sets_query"),
        ),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("answered_sets")
