"""The audit log: one chain of entries for each organization, and where each chain ends."""

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

audit_entries = sa.Table(
    "audit_entries",
    metadata,
    sa.Column("organization_id", sa.String(255), primary_key=True),
    sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("id", Identifier, nullable=False, unique=True),
    sa.Column("project_id", sa.String(255)),
    sa.Column("occurred_at", Moment, nullable=False),
    sa.Column("user_id", CodePointText, nullable=False),
    sa.Column("client_id", CodePointText),
    sa.Column("door", sa.String(16), nullable=False),
    sa.Column("operation", sa.String(64), nullable=False),
    sa.Column("outcome", sa.String(16), nullable=False),
    sa.Column("error_code", sa.String(64)),
    sa.Column("object_type", sa.String(64)),
    sa.Column("object_id", CodePointText),
    sa.Column("result_id", CodePointText),
    sa.Column("arguments", Json, nullable=False),
    sa.Column("changed_fields", Json, nullable=False),
    sa.Column("request_id", CodePointText, nullable=False),
    sa.Column("previous_hash", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Index("ix_audit_entries_user", "organization_id", "user_id", "sequence"),
    sa.Index("ix_audit_entries_object", "organization_id", "object_id", "sequence"),
    sa.Index("ix_audit_entries_time", "organization_id", "occurred_at"),
)

audit_heads = sa.Table(
    "audit_heads",
    metadata,
    sa.Column("organization_id", sa.String(255), primary_key=True),
    sa.Column("last_sequence", sa.BigInteger, nullable=False),
    sa.Column("last_hash", sa.String(64), nullable=False),
)
"""The end of each organization's chain. Who writes the next entry holds this row until their transaction ends."""
