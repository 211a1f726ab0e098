"""Registered servers, and the log of calls to them. Their credentials stand sealed among the other secrets."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

registered_servers = sa.Table(
    "registered_servers",
    metadata,
    sa.Column("resource_uri", sa.String(800), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("description", sa.String(1000)),
    sa.Column("url", sa.String(2000), nullable=False),
    sa.Column("document_url", sa.String(2000)),
    sa.Column("header_names", Json, nullable=False),  # their values are among the secrets
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("status_message", sa.String(1000)),
    sa.Column("approved_sha256", sa.String(64)),
    sa.Column("approved_by", sa.String(255)),
    sa.Column("approved_at", Moment),
    sa.Column("approved_tools", Json),  # the whole list, which calls are checked against
    sa.Column("seen_sha256", sa.String(64)),
    sa.Column("seen_at", Moment),
    sa.Column("seen_tools", Json),
    sa.Column("tool_count", sa.Integer, nullable=False),
    sa.Column("left_out_count", sa.Integer, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_registered_servers_scope", "organization_id", "project_id", "name"),
)

server_calls = sa.Table(
    "server_calls",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("resource_uri", sa.String(800), sa.ForeignKey("registered_servers.resource_uri"), nullable=False),
    sa.Column("tool", CodePointText, nullable=False),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("error", sa.String(1000)),
    sa.Column("tools_sha256", sa.String(64), nullable=False),
    sa.Column("milliseconds", sa.Integer),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("called_by", CodePointText, nullable=False),
    sa.Column("request_id", CodePointText, nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("ended_at", Moment),
    sa.Index("ix_server_calls_log", "resource_uri", "created_at"),
    sa.Index("ix_server_calls_age", "created_at"),
)
