"""Keep assets as they are answered, ready-made, for as long as they stand unchanged."""

import sqlalchemy as sa
from alembic import op

from persistence.tables.catalog import documents_ddl, documents_ddl_down

revision = "0032"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "asset_documents",
        sa.Column("row_number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("rendered_by", sa.String(length=16), nullable=False),
        sa.Column("digest", sa.String(length=16), nullable=False),
        sa.Column("document", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("row_number", name=op.f("pk_asset_documents")),
    )
    for statement in documents_ddl(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    """Go back."""
    for statement in documents_ddl_down(op.get_bind().dialect.name):
        op.execute(statement)
    op.drop_table("asset_documents")
