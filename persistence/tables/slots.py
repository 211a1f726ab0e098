"""Defines who uses a connection just now, and who waits to."""

import sqlalchemy as sa

from persistence.columns import Moment
from persistence.tables import metadata

connection_slots = sa.Table(
    "connection_slots",
    metadata,
    sa.Column("id", sa.String(100), primary_key=True),  # of what uses it: a task that is begun again finds its place
    sa.Column("token", sa.String(36), nullable=False),  # of this beginning of it
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("resource_uri", sa.String(1000), nullable=False),
    sa.Column("asked_at", Moment, nullable=False),
    sa.Column("held_at", Moment),  # null while it waits
    sa.Column("expires_at", Moment, nullable=False),
    sa.Index("ix_connection_slots_queue", "organization_id", "resource_uri", "asked_at"),
)
"""One row per use of a connection by a task; the moments are the store's clock. Whose lease is over is gone."""
