"""Tags that engines find on columns and tables, with what people decided; and what was looked at."""

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.catalog import CodePointText, Identifier

classifications = sa.Table(
    "classifications",
    metadata,
    # Made of the asset and the tag, so that the same tag of an asset stays one row however often it is found.
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("resource_uri", CodePointText, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("tag_fqn", CodePointText, nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("confidence", sa.Double, nullable=False),
    sa.Column("evidence", Json, nullable=False),
    sa.Column("recognizer_version", sa.String(64), nullable=False),
    sa.Column("data_fingerprint", sa.String(64), nullable=False),
    sa.Column("workflow_run_id", sa.String(36), nullable=False),
    sa.Column("decided_by", sa.String(255)),
    sa.Column("decided_at", Moment),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("updated_at", Moment, nullable=False),
    sa.Column("revision", sa.Integer, nullable=False),
    sa.Index("ix_classifications_asset", "project_id", "asset_fqn"),
    sa.Index("ix_classifications_found", "project_id", "kind", "state"),
)

recognitions = sa.Table(
    "recognitions",
    metadata,
    # Made of the table and the kind: what was looked at last, also where nothing was found.
    sa.Column("id", Identifier, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("asset_fqn", CodePointText, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("recognizer_version", sa.String(64), nullable=False),
    sa.Column("data_fingerprint", sa.String(64), nullable=False),
    sa.Column("workflow_run_id", sa.String(36), nullable=False),
    sa.Column("looked_at", Moment, nullable=False),
)
