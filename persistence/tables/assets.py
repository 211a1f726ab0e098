"""Data connections."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata

data_connections = sa.Table(
    "data_connections",
    metadata,
    sa.Column("resource_uri", sa.String(800), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id")),  # null: the whole organization's
    sa.Column("name", Name, nullable=False),
    sa.Column("connection_type", sa.String(32), nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("status_message", sa.String(1000)),
    sa.Column("description", sa.String(1000)),
    sa.Column("tags", Json, nullable=False),
    sa.Column("owner_id", sa.String(255), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("database_config", Json),
    sa.Column("storage_config", Json),
    sa.Column("filesystem_config", Json),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_data_connections_scope", "organization_id", "project_id", "name"),
)
