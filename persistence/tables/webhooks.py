"""Webhooks, and the deliveries of events to them. Their secrets stand sealed among the others."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier
from persistence.tables.events import Ordinal

webhooks = sa.Table(
    "webhooks",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), sa.ForeignKey("organizations.id"), nullable=False),
    sa.Column("project_id", sa.String(255), sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("name", Name, nullable=False),
    sa.Column("channel", sa.String(16), nullable=False, server_default="webhook"),
    sa.Column("format", sa.String(16), nullable=False, server_default="cloudevents"),
    sa.Column("url", sa.String(2000), nullable=False),  # of a chat the host alone: the address is among the secrets
    sa.Column("header_names", Json, nullable=False, server_default="[]"),  # their values are among the secrets
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("paused_reason", sa.String(1000)),
    sa.Column("types", Json, nullable=False),
    sa.Column("asset_prefix", CodePointText),
    sa.Column("least_severity", sa.String(16)),
    sa.Column("domains", Json, nullable=False),
    sa.Column("score_below", sa.Float, nullable=False, server_default="0.9"),
    sa.Column("digest_minutes", sa.Integer, nullable=False, server_default="0"),
    sa.Column("quiet_hours", Json),
    sa.Column("public_keys", Json, nullable=False),
    sa.Column("old_keys_until", Moment),
    sa.Column("key_version", sa.Integer, nullable=False),  # which of the sealed keys is the newest
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("failing_since", Moment),
    sa.Column("last_delivered_at", Moment),
    sa.Column("is_slow", sa.Boolean, nullable=False),  # whether the receiver took long the last time
    sa.Column("rests_until", Moment),  # after failures
    sa.Column("leased_until", Moment),  # until when one process sends; a moment that has passed: it died
    sa.Column("round", sa.Integer, nullable=False),  # counts the leases
    sa.Column("caller", Json, nullable=False),  # who created or last changed it: events are sent on their behalf
    sa.Column("created_by", sa.String(255), nullable=False),
    sa.Column("updated_by", sa.String(255), nullable=False),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_webhooks_scope", "organization_id", "project_id", "name"),
)

webhook_deliveries = sa.Table(
    "webhook_deliveries",
    metadata,
    sa.Column("ordinal", Ordinal, primary_key=True, autoincrement=True),
    sa.Column("id", Identifier, nullable=False, unique=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("webhook_id", Identifier, sa.ForeignKey("webhooks.id"), nullable=False),
    sa.Column("event_id", Identifier, nullable=False),
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("type", sa.String(32), nullable=False),
    sa.Column("asset_fqn", CodePointText),
    sa.Column("lane", sa.String(64), nullable=False),  # a digest of the asset: what is in one goes out in order
    sa.Column("message_id", Identifier),  # the message to people that tells it: the id of the first that it tells
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("due_at", Moment),
    sa.Column("response_status", sa.Integer),
    sa.Column("error", sa.String(1000)),
    sa.Column("milliseconds", sa.Integer),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("ended_at", Moment),
    sa.Index("ix_webhook_deliveries_lane", "webhook_id", "status", "lane", "ordinal"),
    sa.Index("ix_webhook_deliveries_due", "status", "due_at"),
    sa.Index("ix_webhook_deliveries_age", "created_at"),
)
