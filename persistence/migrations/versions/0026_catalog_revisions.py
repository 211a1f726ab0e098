"""Keep a token of each project's catalog, so that answers made of it can be kept while it stands."""

import sqlalchemy as sa
from alembic import op

from persistence.tables.catalog import revised_catalog

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "catalog_revisions",
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("slot", sa.String(length=36), nullable=False),
        sa.Column("token", sa.String(length=36), nullable=False),
        sa.PrimaryKeyConstraint("organization_id", "project_id", "slot", name=op.f("pk_catalog_revisions")),
    )
    dialect = op.get_bind().dialect.name
    for statement in (*revised_catalog.created(dialect), revised_catalog.seeded(dialect)):
        op.execute(statement)


def downgrade() -> None:
    """Go back."""
    for statement in revised_catalog.dropped(op.get_bind().dialect.name):
        op.execute(statement)
    op.drop_table("catalog_revisions")
