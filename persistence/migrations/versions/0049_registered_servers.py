"""Keep servers of tools and APIs that can be called, and a log of the calls."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment, Name
from persistence.tables.catalog import CodePointText, Identifier

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. None is registered yet."""
    op.create_table(
        "registered_servers",
        sa.Column("resource_uri", sa.String(length=800), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("description", sa.String(length=1000)),
        sa.Column("url", sa.String(length=2000), nullable=False),
        sa.Column("document_url", sa.String(length=2000)),
        sa.Column("header_names", Json, nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("status_message", sa.String(length=1000)),
        sa.Column("approved_sha256", sa.String(length=64)),
        sa.Column("approved_by", sa.String(length=255)),
        sa.Column("approved_at", Moment),
        sa.Column("approved_tools", Json),
        sa.Column("seen_sha256", sa.String(length=64)),
        sa.Column("seen_at", Moment),
        sa.Column("seen_tools", Json),
        sa.Column("tool_count", sa.Integer(), nullable=False),
        sa.Column("left_out_count", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("updated_at", Moment, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_registered_servers_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_registered_servers_project_id_projects")),
        sa.PrimaryKeyConstraint("resource_uri", name=op.f("pk_registered_servers")),
    )
    op.create_index("ix_registered_servers_scope", "registered_servers", ["organization_id", "project_id", "name"])
    op.create_table(
        "server_calls",
        sa.Column("id", Identifier, nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("resource_uri", sa.String(length=800), nullable=False),
        sa.Column("tool", CodePointText, nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("error", sa.String(length=1000)),
        sa.Column("tools_sha256", sa.String(length=64), nullable=False),
        sa.Column("milliseconds", sa.Integer()),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("called_by", CodePointText, nullable=False),
        sa.Column("request_id", CodePointText, nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("ended_at", Moment),
        sa.ForeignKeyConstraint(
            ["resource_uri"],
            ["registered_servers.resource_uri"],
            name=op.f("fk_server_calls_resource_uri_registered_servers"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_server_calls")),
    )
    op.create_index("ix_server_calls_log", "server_calls", ["resource_uri", "created_at"])
    op.create_index("ix_server_calls_age", "server_calls", ["created_at"])


def downgrade() -> None:
    """Go back. What is registered is forgotten, with its credentials and what anybody may do with it."""
    op.drop_index("ix_server_calls_age", table_name="server_calls")
    op.drop_index("ix_server_calls_log", table_name="server_calls")
    op.drop_table("server_calls")
    op.drop_index("ix_registered_servers_scope", table_name="registered_servers")
    op.drop_table("registered_servers")
    op.execute("delete from secrets where resource_type = 'registered_server'")
