"""Defines what runs have measured of tables and columns. A profile is written once per run and table, and kept as
history.
"""

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

table_profiles = sa.Table(
    "table_profiles",
    metadata,
    # Made of the run and the table, so that a task that is carried out twice records once.
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("workflow_run_id", sa.String(36), nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("resource_uri", CodePointText, nullable=False),
    sa.Column("tier", sa.String(16), nullable=False),
    sa.Column("measured_at", Moment, nullable=False),
    sa.Column("row_count", sa.BigInteger, nullable=False),
    sa.Column("column_count", sa.Integer, nullable=False),
    sa.Column("sample_size", sa.BigInteger),
    sa.Column("approximate", Json, nullable=False),
    sa.Column("freshness_column", CodePointText),
    sa.Column("newest", sa.Text),
    sa.Column("candidate_keys", Json, nullable=False),
    sa.Column("functional_dependencies", Json, nullable=False),
    sa.Column("foreign_keys", Json, nullable=False),
    sa.Column("duration_seconds", sa.Double, nullable=False),
    sa.Index("ix_table_profiles_asset", "project_id", "asset_fqn", "measured_at"),
    sa.Index("ix_table_profiles_run", "workflow_run_id", "asset_fqn"),
)

column_profiles = sa.Table(
    "column_profiles",
    metadata,
    sa.Column("profile_id", Identifier, sa.ForeignKey("table_profiles.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True),  # among the columns of the profile, from 0
    sa.Column("column_fqn", CodePointText, nullable=False),
    sa.Column("figures", Json, nullable=False),  # the whole ColumnProfile: it is never searched within
    sa.Index("ix_column_profiles_column", "profile_id", "column_fqn"),
)
