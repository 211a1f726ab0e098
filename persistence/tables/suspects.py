"""Defines cells that the latest assessments hold for wrong, and what people said of such cells."""

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

suspect_cells = sa.Table(
    "suspect_cells",
    metadata,
    # Made of the column, the row and the value, so that a cell has the same id in every run that finds it.
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("workflow_run_id", sa.String(36), nullable=False),
    sa.Column("measured_at", Moment, nullable=False),
    sa.Column("service", CodePointText, nullable=False),
    sa.Column("database", CodePointText),
    sa.Column("schema", CodePointText),
    sa.Column("table", CodePointText),
    sa.Column("column", CodePointText, nullable=False),
    sa.Column("table_fqn", CodePointText, nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("row_key", Json),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("further_reasons", Json, nullable=False),
    sa.Column("value", sa.Text),
    sa.Column("repair", sa.Text),
    sa.Column("probability", sa.Double, nullable=False),
    sa.Column("detected_probability", sa.Double, nullable=False),
    sa.Column("verdict", sa.String(16), nullable=False),
    sa.Column("decided_by", sa.String(255)),
    sa.Column("decided_at", Moment),
    sa.Column("suspects_in_table", sa.Integer, nullable=False),
    # Digests by which verdicts find the cell again, also where its values are not kept.
    sa.Column("value_mark", sa.String(64), nullable=False),
    sa.Column("form_mark", sa.String(64)),
    sa.Column("row_mark", sa.String(64), nullable=False),
    sa.Index("ix_suspect_cells_scope", "project_id", "probability"),
    sa.Index("ix_suspect_cells_table", "project_id", "table_fqn"),
    sa.Index("ix_suspect_cells_column", "project_id", "asset_fqn"),
)

suspect_verdicts = sa.Table(
    "suspect_verdicts",
    metadata,
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("table_fqn", CodePointText, nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("verdict", sa.String(16), nullable=False),
    sa.Column("value_mark", sa.String(64), nullable=False),
    sa.Column("form_mark", sa.String(64)),
    sa.Column("row_mark", sa.String(64), nullable=False),
    sa.Column("decided_by", sa.String(255), nullable=False),
    sa.Column("decided_at", Moment, nullable=False),
    sa.Index("ix_suspect_verdicts_table", "project_id", "table_fqn"),
    sa.Index("ix_suspect_verdicts_column", "project_id", "asset_fqn"),
)
