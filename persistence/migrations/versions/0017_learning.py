"""Keep what people say about answers, and how a project wants to be answered."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Moment

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "chat_settings",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("drafter", sa.String(length=16), nullable=False),
        sa.Column("llm_model", sa.String(length=255), nullable=True),
        sa.Column("provider", sa.String(length=255), nullable=True),
        sa.Column("api_base", sa.String(length=1000), nullable=True),
        sa.Column("api_version", sa.String(length=255), nullable=True),
        sa.Column("credentials_secret", sa.String(length=255), nullable=True),
        sa.Column("candidates", sa.Integer(), nullable=False),
        sa.Column("window", sa.Integer(), nullable=True),
        sa.Column("unsure_below", sa.Float(), nullable=False),
        sa.Column("warn_below", sa.String(length=8), nullable=True),
        sa.Column("refuse_below", sa.String(length=8), nullable=True),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_chat_settings")),
    )
    op.create_table(
        "answer_notes",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("sql", sa.Text(), nullable=True),
        sa.Column("comment", sa.String(length=2000), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("resolution", sa.String(length=2000), nullable=True),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("closed_by", sa.String(length=255), nullable=True),
        sa.Column("closed_at", Moment(), nullable=True),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.turn_id"], name=op.f("fk_answer_notes_turn_id_turns"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_answer_notes")),
        sa.UniqueConstraint("turn_id", name=op.f("uq_answer_notes_turn_id")),
    )
    with op.batch_alter_table("answer_notes") as batch:
        batch.create_index(
            "ix_answer_notes_project", ["organization_id", "project_id", "status", "created_at"], unique=False
        )


def downgrade() -> None:
    """Go back."""
    op.drop_table("answer_notes")
    op.drop_table("chat_settings")
