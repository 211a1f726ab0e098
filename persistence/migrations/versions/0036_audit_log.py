"""Keep an audit log: one chain of entries for each organization."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment
from persistence.tables.catalog import CodePointText, Identifier

revision = "0036"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward. What was done before was not written down, so each log begins now."""
    op.create_table(
        "audit_entries",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("id", Identifier, nullable=False),
        sa.Column("project_id", sa.String(length=255)),
        sa.Column("occurred_at", Moment, nullable=False),
        sa.Column("user_id", CodePointText, nullable=False),
        sa.Column("client_id", CodePointText),
        sa.Column("door", sa.String(length=16), nullable=False),
        sa.Column("operation", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("error_code", sa.String(length=64)),
        sa.Column("object_type", sa.String(length=64)),
        sa.Column("object_id", CodePointText),
        sa.Column("result_id", CodePointText),
        sa.Column("arguments", Json, nullable=False),
        sa.Column("changed_fields", Json, nullable=False),
        sa.Column("request_id", CodePointText, nullable=False),
        sa.Column("previous_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "sequence", name=op.f("pk_audit_entries")),
        sa.UniqueConstraint("id", name=op.f("uq_audit_entries_id")),
    )
    op.create_index("ix_audit_entries_user", "audit_entries", ["organization_id", "user_id", "sequence"])
    op.create_index("ix_audit_entries_object", "audit_entries", ["organization_id", "object_id", "sequence"])
    op.create_index("ix_audit_entries_time", "audit_entries", ["organization_id", "occurred_at"])
    op.create_table(
        "audit_heads",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("last_sequence", sa.BigInteger(), nullable=False),
        sa.Column("last_hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", name=op.f("pk_audit_heads")),
    )


def downgrade() -> None:
    """Go back. What the log holds is lost."""
    op.drop_table("audit_heads")
    op.drop_index("ix_audit_entries_time", table_name="audit_entries")
    op.drop_index("ix_audit_entries_object", table_name="audit_entries")
    op.drop_index("ix_audit_entries_user", table_name="audit_entries")
    op.drop_table("audit_entries")
