"""Files and artifacts: what is known of them, and the name of the blob that holds their bytes."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata


def _columns() -> list[sa.Column[object]]:
    """Return what files and artifacts have in common."""
    return [
        sa.Column("resource_uri", sa.String(800), primary_key=True),
        sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
        sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("description", sa.String(1000)),
        sa.Column("tags", Json, nullable=False),
        sa.Column("content_type", sa.String(255)),
        sa.Column("size", sa.BigInteger),
        sa.Column("owner_id", sa.String(255), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("updated_at", Moment, nullable=False),
        sa.Column("created_by", sa.String(255), nullable=False),
        sa.Column("updated_by", sa.String(255), nullable=False),
        sa.Column("blob", sa.String(100), nullable=False, unique=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
    ]


files = sa.Table(
    "files",
    metadata,
    *_columns(),
    sa.Column("key", sa.String(1024), nullable=False),
    sa.Column("key_hash", sa.String(64), nullable=False),  # a key of 1024 letters is too long for an index
    sa.UniqueConstraint("organization_id", "project_id", "key_hash"),
    sa.Index("ix_files_scope", "organization_id", "project_id", "name"),
)

artifacts = sa.Table(
    "artifacts",
    metadata,
    *_columns(),
    sa.Column("key", sa.String(1024), nullable=False),
    sa.Column("artifact_type", sa.String(32), nullable=False),
    sa.Column("source", Json),  # what made it: a turn or a run; null when a caller did
    sa.Index("ix_artifacts_scope", "organization_id", "project_id", "name"),
)
