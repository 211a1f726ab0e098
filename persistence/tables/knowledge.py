"""Context packs, their memories, and the topics of memories."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata

context_packs = sa.Table(
    "context_packs",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("pack_type", sa.String(16), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("description", sa.String(1000)),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("summary_text", sa.Text),
    sa.Column("summary_version", sa.Integer, nullable=False),
    sa.Column("meta_data", Json, nullable=False),
    sa.Column("config", Json, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("archived_at", Moment),
    sa.Column("deprecated_at", Moment),
    sa.Column("deleted_at", Moment),
    sa.Column("reactivated_at", Moment),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("standing_name", Name),  # the name, null once deleted: a deleted pack gives its name back
    sa.Index("ix_context_packs_scope", "organization_id", "project_id", "name"),
    sa.UniqueConstraint("organization_id", "project_id", "standing_name"),
)

memories = sa.Table(
    "memories",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("context_pack_id", sa.String(36), sa.ForeignKey("context_packs.id"), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("content", Json, nullable=False),
    sa.Column("memory_type", sa.String(32), nullable=False),
    sa.Column("source", Json, nullable=False),
    sa.Column("classification", Json, nullable=False),
    sa.Column("meta_data", Json, nullable=False),
    sa.Column("validation_status", sa.String(16), nullable=False),
    sa.Column("confidence_score", sa.Double),
    sa.Column("validated_by", sa.String(255)),
    sa.Column("validated_at", Moment),
    sa.Column("count", sa.BigInteger, nullable=False),
    sa.Column("last_accessed", Moment),
    sa.Column("success_count", sa.BigInteger, nullable=False),
    sa.Column("failure_count", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("pinned", sa.Boolean, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("asset_fqn", sa.String(1000)),
    sa.Column("content_url", sa.String(2048)),
    sa.Column("search_text", sa.Text),
    sa.Column("superseded_by", sa.String(36)),
    sa.Column("supersedes", sa.String(36), unique=True),  # a memory is replaced by one other, so a chain never forks
    sa.Column("pinned_at", Moment),
    sa.Column("unpinned_at", Moment),
    sa.Column("archived_at", Moment),
    sa.Column("deleted_at", Moment),
    sa.Column("superseded_at", Moment),
    sa.Column("reactivated_at", Moment),
    sa.Column("expires_at", Moment),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Column("content_hash", sa.String(64)),  # null once deleted: what is deleted may be added again
    sa.Column("words", sa.Text, nullable=False),  # what a search looks through, case folded
    sa.Index("ix_memories_scope", "organization_id", "project_id", "status", "pinned", "created_at"),
    sa.Index("ix_memories_asset_fqn", "organization_id", "project_id", "asset_fqn"),
    sa.UniqueConstraint("context_pack_id", "content_hash"),
)

memory_topics = sa.Table(
    "memory_topics",
    metadata,
    sa.Column("memory_id", sa.String(36), sa.ForeignKey("memories.id"), primary_key=True),
    sa.Column("topic", Name, primary_key=True),
    sa.Column("context_pack_id", sa.String(36), nullable=False),
    sa.Index("ix_memory_topics_context_pack_id", "context_pack_id", "topic"),
)
