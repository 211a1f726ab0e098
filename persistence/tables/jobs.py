"""Processes that run jobs, and how often each piece of work was begun."""

import sqlalchemy as sa

from persistence.columns import Moment
from persistence.tables import metadata

workers = sa.Table(
    "workers",
    metadata,
    sa.Column("executor_id", sa.String(80), primary_key=True),
    sa.Column("heartbeat_at", Moment, nullable=False),
    sa.Column("started_at", Moment, nullable=False),
    sa.Column("host", sa.String(255), nullable=False),
    sa.Column("version", sa.String(40), nullable=False),
    sa.Column("leader", sa.Boolean, nullable=False, default=False),
)
"""One row per living process that runs jobs on PostgreSQL; the moments are the database's clock."""

job_ledger = sa.Table(
    "job_ledger",
    metadata,
    sa.Column("key", sa.String(512), primary_key=True),
    sa.Column("begun", sa.Integer, nullable=False, default=0),
    sa.Column("canceled_at", Moment, nullable=True),
)
"""How often a call was begun (`<job>/<task>`, `<job>#plan`, `<job>#finish`), and which jobs were canceled."""
