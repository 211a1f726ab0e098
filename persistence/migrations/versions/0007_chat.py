"""The tables of chat."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "chat_sessions",
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=True),
        sa.Column("turn_count", sa.Integer(), nullable=False),
        sa.Column("message_count", sa.Integer(), nullable=False),
        sa.Column("artifact_count", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_chat_sessions_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_chat_sessions_project_id_projects")),
        sa.PrimaryKeyConstraint("session_id", name=op.f("pk_chat_sessions")),
    )
    with op.batch_alter_table("chat_sessions") as batch:
        batch.create_index(
            "ix_chat_sessions_owner", ["organization_id", "project_id", "created_by", "created_at"], unique=False
        )
    op.create_table(
        "turns",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("session_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("task_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("caller", Json, nullable=False),
        sa.Column("last_sequence", sa.Integer(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["chat_sessions.session_id"],
            name=op.f("fk_turns_session_id_chat_sessions"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_turns")),
        sa.UniqueConstraint("session_id", "position", name=op.f("uq_turns_session_id_position")),
        sa.UniqueConstraint("task_id", name=op.f("uq_turns_task_id")),
    )
    with op.batch_alter_table("turns") as batch:
        batch.create_index(batch.f("ix_turns_state"), ["state"], unique=False)
    op.create_table(
        "turn_messages",
        sa.Column("message_id", sa.String(length=36), nullable=False),
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("message_type", sa.String(length=16), nullable=False),
        sa.Column("task_id", sa.String(length=36), nullable=False),
        sa.Column("generated_artifacts", Json, nullable=False),
        sa.Column("context", Json, nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        _of_turn("turn_messages"),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_turn_messages")),
        sa.UniqueConstraint("turn_id", "position", name=op.f("uq_turn_messages_turn_id_position")),
    )
    op.create_table(
        "turn_events",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("task_id", sa.String(length=36), nullable=False),
        sa.Column("event", sa.String(length=16), nullable=False),
        sa.Column("final", sa.Boolean(), nullable=False),
        sa.Column("data", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        _of_turn("turn_events"),
        sa.PrimaryKeyConstraint("turn_id", "sequence", name=op.f("pk_turn_events")),
    )
    op.create_table(
        "turn_artifacts",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("resource_uri", sa.String(length=800), nullable=False),
        sa.Column("artifact_type", sa.String(length=64), nullable=False),
        sa.Column("artifact_title", sa.String(length=255), nullable=True),
        sa.Column("artifact_description", sa.String(length=2000), nullable=True),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        _of_turn("turn_artifacts"),
        sa.PrimaryKeyConstraint("turn_id", "position", name=op.f("pk_turn_artifacts")),
    )
    op.create_table(
        "turn_feedback",
        sa.Column("turn_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("rating", sa.String(length=16), nullable=False),
        sa.Column("comment", sa.String(length=2000), nullable=True),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        _of_turn("turn_feedback"),
        sa.PrimaryKeyConstraint("turn_id", name=op.f("pk_turn_feedback")),
    )


def _of_turn(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["turn_id"], ["turns.turn_id"], name=op.f(f"fk_{table}_turn_id_turns"), ondelete="CASCADE"
    )


def downgrade() -> None:
    """Go back."""
    for table in ("turn_feedback", "turn_artifacts", "turn_events", "turn_messages", "turns", "chat_sessions"):
        op.drop_table(table)
