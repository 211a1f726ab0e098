"""Events: written in the transaction that makes them true, and given their place in the project's order after it."""

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

Ordinal: sa.types.TypeEngine[int] = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""Counts up by itself, in the order in which rows are written; SQLite does that for its own integers alone."""

events = sa.Table(
    "events",
    metadata,
    sa.Column("ordinal", Ordinal, primary_key=True, autoincrement=True),
    sa.Column("id", Identifier, nullable=False, unique=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("sequence", sa.BigInteger),  # null until it has its place among the events of its project
    sa.Column("type", sa.String(32), nullable=False),
    sa.Column("asset_fqn", CodePointText),
    sa.Column("severity", sa.String(16)),
    sa.Column("domain", sa.String(255)),
    sa.Column("occurred_at", Moment, nullable=False),
    sa.Column("data", Json, nullable=False),
    sa.Column("only_for", sa.String(36)),  # the one webhook that it goes to; none goes to all whose filter it passes
    sa.UniqueConstraint("organization_id", "project_id", "sequence"),
    sa.Index("ix_events_waiting", "sequence", "ordinal"),
    sa.Index("ix_events_age", "occurred_at"),
)

event_heads = sa.Table(
    "event_heads",
    metadata,
    sa.Column("organization_id", sa.String(255), primary_key=True),
    sa.Column("project_id", sa.String(255), primary_key=True),
    sa.Column("last_sequence", sa.BigInteger, nullable=False),
)
"""How far each project's events have come. It stays when old events are removed, so that no place is given twice."""
