"""Keep webhooks, and the deliveries of events to them."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment, Name
from persistence.tables.catalog import CodePointText, Identifier

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "webhooks",
        sa.Column("id", Identifier, nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("url", sa.String(length=2000), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("paused_reason", sa.String(length=1000)),
        sa.Column("types", Json, nullable=False),
        sa.Column("asset_prefix", CodePointText),
        sa.Column("least_severity", sa.String(length=16)),
        sa.Column("domains", Json, nullable=False),
        sa.Column("public_keys", Json, nullable=False),
        sa.Column("old_keys_until", Moment),
        sa.Column("key_version", sa.Integer(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", Moment),
        sa.Column("last_delivered_at", Moment),
        sa.Column("is_slow", sa.Boolean(), nullable=False),
        sa.Column("rests_until", Moment),
        sa.Column("leased_until", Moment),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("caller", Json, nullable=False),
        sa.Column("created_by", sa.String(length=255), nullable=False),
        sa.Column("updated_by", sa.String(length=255), nullable=False),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("updated_at", Moment, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_webhooks_organization_id_organizations")
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_webhooks_project_id_projects")),
    )
    op.create_index("ix_webhooks_scope", "webhooks", ["organization_id", "project_id", "name"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("ordinal", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), primary_key=True, autoincrement=True, nullable=False),
        sa.Column("id", Identifier, nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("webhook_id", Identifier, nullable=False),
        sa.Column("event_id", Identifier, nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("asset_fqn", CodePointText),
        sa.Column("lane", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", Moment),
        sa.Column("response_status", sa.Integer()),
        sa.Column("error", sa.String(length=1000)),
        sa.Column("milliseconds", sa.Integer()),
        sa.Column("created_at", Moment, nullable=False),
        sa.Column("ended_at", Moment),
        sa.PrimaryKeyConstraint("ordinal", name=op.f("pk_webhook_deliveries")),
        sa.UniqueConstraint("id", name=op.f("uq_webhook_deliveries_id")),
        sa.ForeignKeyConstraint(
            ["webhook_id"], ["webhooks.id"], name=op.f("fk_webhook_deliveries_webhook_id_webhooks")
        ),
    )
    op.create_index("ix_webhook_deliveries_lane", "webhook_deliveries", ["webhook_id", "status", "lane", "ordinal"])
    op.create_index("ix_webhook_deliveries_due", "webhook_deliveries", ["status", "due_at"])
    op.create_index("ix_webhook_deliveries_age", "webhook_deliveries", ["created_at"])


def downgrade() -> None:
    """Go back."""
    op.drop_table("webhook_deliveries")
    op.drop_table("webhooks")
