"""Keep which columns depend on which, by the statements that say so."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment

revision = "0030"
down_revision = "0035"
branch_labels = None
depends_on = None


def _identifier() -> sa.types.TypeEngine[Any]:
    return sa.String(length=36).with_variant(sa.String(length=36, collation="C"), "postgresql")


def _text() -> sa.types.TypeEngine[Any]:
    return sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "lineage_statements",
        sa.Column("id", _identifier(), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("key", _text(), nullable=False),
        sa.Column("resource_uri", _text(), nullable=False),
        sa.Column("target_fqn", _text(), nullable=True),
        sa.Column("statement", sa.Text(), nullable=True),
        sa.Column("dialect", sa.String(length=32), nullable=True),
        sa.Column("gaps", Json, nullable=False),
        sa.Column("edge_count", sa.Integer(), nullable=False),
        sa.Column("recorded_by", sa.String(length=255), nullable=False),
        sa.Column("began_at", Moment(), nullable=False),
        sa.Column("ended_at", Moment(), nullable=True),
        sa.Column("content_mark", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lineage_statements")),
    )
    with op.batch_alter_table("lineage_statements") as batch:
        batch.create_index("ix_lineage_statements_key", ["project_id", "source", "key", "ended_at"], unique=False)
        batch.create_index("ix_lineage_statements_target", ["project_id", "target_fqn"], unique=False)
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "lineage_edges",
        sa.Column("row_number", number, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("statement_id", _identifier(), nullable=False),
        sa.Column("from_table", _text(), nullable=False),
        sa.Column("from_column", _text(), nullable=False),
        sa.Column("to_table", _text(), nullable=False),
        sa.Column("to_column", _text(), nullable=False),
        sa.Column("subtype", sa.String(length=16), nullable=False),
        sa.Column("began_at", Moment(), nullable=False),
        sa.Column("ended_at", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("row_number", name=op.f("pk_lineage_edges")),
    )
    with op.batch_alter_table("lineage_edges") as batch:
        batch.create_index("ix_lineage_edges_from", ["project_id", "from_table"], unique=False)
        batch.create_index("ix_lineage_edges_statement", ["statement_id"], unique=False)
        batch.create_index("ix_lineage_edges_to", ["project_id", "to_table"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("lineage_edges")
    op.drop_table("lineage_statements")
