"""Keep where an answer comes from."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "turn_provenance",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("draft", Json, nullable=True),
        sa.Column("kind", sa.String(length=16), nullable=True),
        sa.Column("resource_uri", sa.String(length=800), nullable=True),
        sa.Column("provenance", Json, nullable=True),
        sa.Column("events", Json, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.turn_id"], name=op.f("fk_turn_provenance_turn_id_turns"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_turn_provenance")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("turn_provenance")
