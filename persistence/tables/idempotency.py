"""Defines which write was asked for under which key, and what it answered."""

import sqlalchemy as sa

from persistence.columns import Moment
from persistence.tables import metadata

idempotency_keys = sa.Table(
    "idempotency_keys",
    metadata,
    sa.Column("organization_id", sa.String(255), primary_key=True),
    sa.Column("principal", sa.String(600), primary_key=True),
    sa.Column("key", sa.String(255), primary_key=True),
    sa.Column("operation", sa.String(100), nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),  # sealed: a short body could be guessed from its hash
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("owner", sa.String(36), nullable=False),
    sa.Column("claimed_at", Moment, nullable=False),
    sa.Column("expires_at", Moment, nullable=False, index=True),
    sa.Column("answer", sa.Text),  # sealed
)
