"""Keep the cells that the latest assessments hold for wrong, and what people said of them."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def _identifier() -> sa.types.TypeEngine[Any]:
    return sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql")


def _text() -> sa.types.TypeEngine[Any]:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def _marks() -> list[sa.Column[Any]]:
    return [
        sa.Column("value_mark", sa.String(length=64), nullable=False),
        sa.Column("form_mark", sa.String(length=64), nullable=True),
        sa.Column("row_mark", sa.String(length=64), nullable=False),
    ]


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "suspect_cells",
        sa.Column("id", _identifier(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("workflow_run_id", sa.String(length=36), nullable=False),
        sa.Column("measured_at", Moment(), nullable=False),
        sa.Column("service", _text(), nullable=False),
        sa.Column("database", _text(), nullable=True),
        sa.Column("schema", _text(), nullable=True),
        sa.Column("table", _text(), nullable=True),
        sa.Column("column", _text(), nullable=False),
        sa.Column("table_fqn", _text(), nullable=False),
        sa.Column("asset_fqn", _text(), nullable=False),
        sa.Column("row_key", Json, nullable=True),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("further_reasons", Json, nullable=False),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("repair", sa.Text(), nullable=True),
        sa.Column("probability", sa.Double(), nullable=False),
        sa.Column("detected_probability", sa.Double(), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        sa.Column("decided_by", sa.String(length=255), nullable=True),
        sa.Column("decided_at", Moment(), nullable=True),
        sa.Column("suspects_in_table", sa.Integer(), nullable=False),
        *_marks(),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suspect_cells")),
    )
    with op.batch_alter_table("suspect_cells") as batch:
        batch.create_index("ix_suspect_cells_column", ["project_id", "asset_fqn"], unique=False)
        batch.create_index("ix_suspect_cells_scope", ["project_id", "probability"], unique=False)
        batch.create_index("ix_suspect_cells_table", ["project_id", "table_fqn"], unique=False)
    op.create_table(
        "suspect_verdicts",
        sa.Column("id", _identifier(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("table_fqn", _text(), nullable=False),
        sa.Column("asset_fqn", _text(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("verdict", sa.String(length=16), nullable=False),
        *_marks(),
        sa.Column("decided_by", sa.String(length=255), nullable=False),
        sa.Column("decided_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suspect_verdicts")),
    )
    with op.batch_alter_table("suspect_verdicts") as batch:
        batch.create_index("ix_suspect_verdicts_column", ["project_id", "asset_fqn"], unique=False)
        batch.create_index("ix_suspect_verdicts_table", ["project_id", "table_fqn"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("suspect_verdicts")
    op.drop_table("suspect_cells")
