"""Keep a token of each organization's relations, so that decisions about them can be remembered while it stands."""

import sqlalchemy as sa
from alembic import op

from persistence.tables.revised import Revised

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

revised_relations = Revised("relation_tuples", ("store",), "relation_revisions")
"""As it was here: 0050 has changes told as well."""


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "relation_revisions",
        sa.Column("store", sa.String(length=255), nullable=False),
        sa.Column("slot", sa.String(length=36), nullable=False),
        sa.Column("token", sa.String(length=36), nullable=False),
        sa.PrimaryKeyConstraint("store", "slot", name=op.f("pk_relation_revisions")),
    )
    dialect = op.get_bind().dialect.name
    for statement in (*revised_relations.created(dialect), revised_relations.seeded(dialect)):
        op.execute(statement)


def downgrade() -> None:
    """Go back."""
    for statement in revised_relations.dropped(op.get_bind().dialect.name):
        op.execute(statement)
    op.drop_table("relation_revisions")
