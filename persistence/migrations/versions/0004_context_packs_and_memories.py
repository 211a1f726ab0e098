"""The tables of context packs and memories."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment, Name

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "context_packs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("pack_type", sa.String(length=16), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("description", sa.String(length=1000), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("summary_text", sa.Text(), nullable=True),
        sa.Column("summary_version", sa.Integer(), nullable=False),
        sa.Column("meta_data", Json, nullable=False),
        sa.Column("config", Json, nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("archived_at", Moment(), nullable=True),
        sa.Column("deprecated_at", Moment(), nullable=True),
        sa.Column("deleted_at", Moment(), nullable=True),
        sa.Column("reactivated_at", Moment(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("standing_name", Name, nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_context_packs_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_context_packs_project_id_projects")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_context_packs")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "standing_name",
            name=op.f("uq_context_packs_organization_id_project_id_standing_name"),
        ),
    )
    with op.batch_alter_table("context_packs", schema=None) as batch_op:
        batch_op.create_index("ix_context_packs_scope", ["organization_id", "project_id", "name"], unique=False)

    op.create_table(
        "memories",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("context_pack_id", sa.String(length=36), nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("content", Json, nullable=False),
        sa.Column("memory_type", sa.String(length=32), nullable=False),
        sa.Column("source", Json, nullable=False),
        sa.Column("classification", Json, nullable=False),
        sa.Column("meta_data", Json, nullable=False),
        sa.Column("validation_status", sa.String(length=16), nullable=False),
        sa.Column("confidence_score", sa.Double(), nullable=True),
        sa.Column("validated_by", sa.String(length=255), nullable=True),
        sa.Column("validated_at", Moment(), nullable=True),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("last_accessed", Moment(), nullable=True),
        sa.Column("success_count", sa.BigInteger(), nullable=False),
        sa.Column("failure_count", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("created_at", Moment(), nullable=False),
        sa.Column("updated_at", Moment(), nullable=False),
        sa.Column("asset_fqn", sa.String(length=1000), nullable=True),
        sa.Column("content_url", sa.String(length=2048), nullable=True),
        sa.Column("search_text", sa.Text(), nullable=True),
        sa.Column("superseded_by", sa.String(length=36), nullable=True),
        sa.Column("supersedes", sa.String(length=36), nullable=True),
        sa.Column("pinned_at", Moment(), nullable=True),
        sa.Column("unpinned_at", Moment(), nullable=True),
        sa.Column("archived_at", Moment(), nullable=True),
        sa.Column("deleted_at", Moment(), nullable=True),
        sa.Column("superseded_at", Moment(), nullable=True),
        sa.Column("reactivated_at", Moment(), nullable=True),
        sa.Column("expires_at", Moment(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(length=64), nullable=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["context_pack_id"], ["context_packs.id"], name=op.f("fk_memories_context_pack_id_context_packs")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_memories_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_memories_project_id_projects")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_memories")),
        sa.UniqueConstraint("context_pack_id", "content_hash", name=op.f("uq_memories_context_pack_id_content_hash")),
        sa.UniqueConstraint("supersedes", name=op.f("uq_memories_supersedes")),
    )
    with op.batch_alter_table("memories", schema=None) as batch_op:
        batch_op.create_index("ix_memories_asset_fqn", ["organization_id", "project_id", "asset_fqn"], unique=False)
        batch_op.create_index(
            "ix_memories_scope", ["organization_id", "project_id", "status", "pinned", "created_at"], unique=False
        )

    op.create_table(
        "memory_topics",
        sa.Column("memory_id", sa.String(length=36), nullable=False),
        sa.Column("topic", Name, nullable=False),
        sa.Column("context_pack_id", sa.String(length=36), nullable=False),
        sa.ForeignKeyConstraint(["memory_id"], ["memories.id"], name=op.f("fk_memory_topics_memory_id_memories")),
        sa.PrimaryKeyConstraint("memory_id", "topic", name=op.f("pk_memory_topics")),
    )
    with op.batch_alter_table("memory_topics", schema=None) as batch_op:
        batch_op.create_index("ix_memory_topics_context_pack_id", ["context_pack_id", "topic"], unique=False)


def downgrade() -> None:
    """Go back."""
    for table in ("memory_topics", "memories", "context_packs"):
        op.drop_table(table)
