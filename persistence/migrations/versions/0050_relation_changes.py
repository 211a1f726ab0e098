"""Tell which relations have changed, so that decisions which rest on others stay remembered."""

import sqlalchemy as sa
from alembic import op

from persistence.tables.authorization import revised_relations
from persistence.tables.revised import Revised

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

before = Revised(revised_relations.table, revised_relations.key, revised_relations.tokens)


def upgrade() -> None:
    """Go forward. Tokens stay what they are; what led to them is not known."""
    op.add_column("relation_revisions", sa.Column("number", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_table(
        "relation_changes",
        sa.Column("store", sa.String(length=255), nullable=False),
        sa.Column("slot", sa.String(length=36), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("before", sa.String(length=36), nullable=False),
        sa.Column("token", sa.String(length=36), nullable=False),
        sa.Column("changed", sa.Text()),
        sa.PrimaryKeyConstraint("store", "slot", "place", name=op.f("pk_relation_changes")),
    )
    _keep(revised_relations)


def downgrade() -> None:
    """Go back."""
    _keep(before)
    op.drop_table("relation_changes")
    op.drop_column("relation_revisions", "number")


def _keep(revised: Revised) -> None:
    dialect = op.get_bind().dialect.name
    for statement in (*revised.dropped(dialect), *revised.created(dialect)):
        op.execute(statement)
