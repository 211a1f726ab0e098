"""Lineage: statements that somebody told the platform, and which columns depend on which by them.

Each source keeps its own statements side by side with those of others. What is told anew ends what the same source told
before under the same key; it is never overwritten, so that lineage can be asked for as it stood.
"""

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier, RowNumber

lineage_statements = sa.Table(
    "lineage_statements",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("source", sa.String(16), nullable=False),
    sa.Column("key", CodePointText, nullable=False),
    sa.Column("resource_uri", CodePointText, nullable=False),  # the connection whose tables it speaks of
    sa.Column("target_fqn", CodePointText),  # null: a query that fills nothing
    sa.Column("statement", sa.Text),
    sa.Column("dialect", sa.String(32)),
    sa.Column("gaps", Json, nullable=False),
    sa.Column("edge_count", sa.Integer, nullable=False),
    sa.Column("recorded_by", sa.String(255), nullable=False),
    sa.Column("began_at", Moment, nullable=False),
    sa.Column("ended_at", Moment),
    sa.Column("told_at", Moment),  # when its source says that it was so, where what it tells may come late
    sa.Column("content_mark", sa.String(64), nullable=False),  # by which a statement that is told again is known
    sa.Index("ix_lineage_statements_key", "project_id", "source", "key", "ended_at"),
    sa.Index("ix_lineage_statements_target", "project_id", "target_fqn"),
)

lineage_edges = sa.Table(
    "lineage_edges",
    metadata,
    sa.Column("row_number", RowNumber, primary_key=True, autoincrement=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("statement_id", Identifier, nullable=False),
    sa.Column("from_table", CodePointText, nullable=False),
    sa.Column("from_column", CodePointText, nullable=False),  # empty: its rows as a whole
    sa.Column("to_table", CodePointText, nullable=False),
    sa.Column("to_column", CodePointText, nullable=False),
    sa.Column("subtype", sa.String(16), nullable=False),
    sa.Column("began_at", Moment, nullable=False),
    sa.Column("ended_at", Moment),
    sa.Index("ix_lineage_edges_from", "project_id", "from_table"),
    sa.Index("ix_lineage_edges_to", "project_id", "to_table"),
    sa.Index("ix_lineage_edges_statement", "statement_id"),
)
