"""The tables of the search index."""

import sqlalchemy as sa
from alembic import op

from persistence.columns import Json, Moment, Name
from persistence.tables.search import Word

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "search_entities",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("entity_type", sa.String(length=64), nullable=False),
        sa.Column("entity_id", sa.String(length=512), nullable=False),
        sa.Column("title", sa.String(length=1000), nullable=False),
        sa.Column("sort_title", Name, nullable=False),
        sa.Column("subtitle", sa.String(length=1000), nullable=True),
        sa.Column("url", sa.String(length=2000), nullable=True),
        sa.Column("rank_boost", sa.Float(), nullable=False),
        sa.Column("search_attributes", Json, nullable=False),
        sa.Column("extra_metadata", Json, nullable=False),
        sa.Column("permission_type", sa.String(length=64), nullable=False),
        sa.Column("permission_id", sa.String(length=300), nullable=False),
        sa.Column("indexed_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search_entities")),
        sa.UniqueConstraint(
            "organization_id",
            "project_id",
            "entity_type",
            "entity_id",
            name=op.f("uq_search_entities_organization_id_project_id_entity_type_entity_id"),
        ),
    )
    with op.batch_alter_table("search_entities") as batch:
        batch.create_index("ix_search_entities_title", ["organization_id", "sort_title"], unique=False)
    op.create_table(
        "search_queue",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("project_id", sa.String(length=255), nullable=False),
        sa.Column("entity_type", sa.String(length=64), nullable=False),
        sa.Column("entity_id", sa.String(length=512), nullable=False),
        sa.Column("entity", Json, nullable=True),
        sa.Column("queued_at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_search_queue")),
    )
    with op.batch_alter_table("search_queue") as batch:
        batch.create_index(batch.f("ix_search_queue_organization_id"), ["organization_id"], unique=False)
    op.create_table(
        "search_words",
        sa.Column("entity", sa.String(length=36), nullable=False),
        sa.Column("word", Word, nullable=False),
        sa.Column("organization_id", sa.String(length=255), nullable=False),
        sa.Column("weight", sa.SmallInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entity"], ["search_entities.id"], name=op.f("fk_search_words_entity_search_entities")
        ),
        sa.PrimaryKeyConstraint("entity", "word", name=op.f("pk_search_words")),
    )
    with op.batch_alter_table("search_words") as batch:
        batch.create_index("ix_search_words_word", ["organization_id", "word", "entity", "weight"], unique=False)


def downgrade() -> None:
    """Go back."""
    op.drop_table("search_words")
    op.drop_table("search_queue")
    op.drop_table("search_entities")
