"""Keep how many assets each project has, by resource and type: counting them takes as long as there are many."""

import sqlalchemy as sa
from alembic import op

from persistence.tables.catalog import CodePointText, counted_catalog

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "catalog_counts",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("resource_uri", CodePointText, nullable=False),
        sa.Column("type", CodePointText, nullable=False),
        sa.Column("slot", sa.String(length=36), nullable=False),
        sa.Column("counted", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "organization_id", "project_id", "resource_uri", "type", "slot", name=op.f("pk_catalog_counts")
        ),
    )
    for statement in (*counted_catalog.created(op.get_bind().dialect.name), counted_catalog.seeded()):
        op.execute(statement)


def downgrade() -> None:
    """Go back."""
    for statement in counted_catalog.dropped(op.get_bind().dialect.name):
        op.execute(statement)
    op.drop_table("catalog_counts")
