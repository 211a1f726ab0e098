"""Keep what became true as events, written in the transaction that makes it true."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment
from persistence.tables.catalog import CodePointText, Identifier

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "events",
        sa.Column(
            "ordinal",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            primary_key=True,
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", Identifier, nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("sequence", sa.BigInteger()),
        sa.Column("type", sa.String(length=32), nullable=False),
        sa.Column("asset_fqn", CodePointText),
        sa.Column("severity", sa.String(length=16)),
        sa.Column("domain", sa.String(length=255)),
        sa.Column("occurred_at", Moment, nullable=False),
        sa.Column("data", Json, nullable=False),
        sa.Column("only_for", sa.String(length=36)),
        sa.PrimaryKeyConstraint("ordinal", name=op.f("pk_events")),
        sa.UniqueConstraint("id", name=op.f("uq_events_id")),
        sa.UniqueConstraint(
            "organization_id", "project_id", "sequence", name=op.f("uq_events_organization_id_project_id_sequence")
        ),
    )
    op.create_index("ix_events_waiting", "events", ["sequence", "ordinal"])
    op.create_index("ix_events_age", "events", ["occurred_at"])
    op.create_table(
        "event_heads",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("last_sequence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "project_id", name=op.f("pk_event_heads")),
    )


def downgrade() -> None:
    """Go back."""
    op.drop_table("event_heads")
    op.drop_index("ix_events_age", table_name="events")
    op.drop_index("ix_events_waiting", table_name="events")
    op.drop_table("events")
