"""Organizations, projects, secrets, and each tenant's own limits."""

import sqlalchemy as sa

from persistence.columns import Moment, Name
from persistence.tables import metadata

organizations = sa.Table(
    "organizations",
    metadata,
    sa.Column("id", sa.String(255), primary_key=True),
    sa.Column("name", Name, nullable=False),
    sa.Column("description", sa.String(1000)),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
)

projects = sa.Table(
    "projects",
    metadata,
    sa.Column("id", sa.String(255), primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("description", sa.String(1000)),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.UniqueConstraint("organization_id", "name"),
)

secrets = sa.Table(
    "secrets",
    metadata,
    sa.Column("organization_id", sa.String(255), primary_key=True),
    sa.Column("resource_type", sa.String(64), primary_key=True),
    sa.Column("resource_id", sa.String(512), primary_key=True),
    sa.Column("name", Name, primary_key=True),
    sa.Column("project_id", sa.String(255)),
    sa.Column("description", sa.String(1000)),
    sa.Column("sealed", sa.Text, nullable=False),  # never selected by the resource, which has no such field
    sa.Column("bound_to", sa.String(64)),  # a digest of where it may be sent, authenticated with the sealed text
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
)

rate_limits = sa.Table(
    "rate_limits",
    metadata,
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), primary_key=True),
    sa.Column("reads", sa.Integer),
    sa.Column("writes", sa.Integer),
    sa.Column("bulk", sa.Integer),
    sa.Column("anonymous", sa.Integer),
    sa.Column("revision", sa.Integer, nullable=False),
)
