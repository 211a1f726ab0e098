"""The search index: its entities, the words they are found by, and what waits to be indexed."""

import sqlalchemy as sa

from persistence.columns import Json, Moment, Name
from persistence.tables import metadata

Word: sa.types.TypeEngine[str] = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")

search_entities = sa.Table(
    "search_entities",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("entity_type", sa.String(64), nullable=False),
    sa.Column("entity_id", sa.String(512), nullable=False),
    sa.Column("title", sa.String(1000), nullable=False),
    sa.Column("sort_title", Name, nullable=False),
    sa.Column("subtitle", sa.String(1000)),
    sa.Column("url", sa.String(2000)),
    sa.Column("rank_boost", sa.Float, nullable=False),
    sa.Column("search_attributes", Json, nullable=False),
    sa.Column("extra_metadata", Json, nullable=False),
    sa.Column("permission_type", sa.String(64), nullable=False),
    sa.Column("permission_id", sa.String(300), nullable=False),
    sa.Column("indexed_at", Moment, nullable=False),
    sa.UniqueConstraint("organization_id", "project_id", "entity_type", "entity_id"),
    sa.Index("ix_search_entities_title", "organization_id", "sort_title"),
)

search_words = sa.Table(
    "search_words",
    metadata,
    sa.Column("entity", sa.String(36), sa.ForeignKey("search_entities.id"), primary_key=True),
    sa.Column("word", Word, primary_key=True),
    sa.Column("organization_id", sa.String(255), nullable=False),
    sa.Column("weight", sa.SmallInteger, nullable=False),
    sa.Index("ix_search_words_word", "organization_id", "word", "entity", "weight"),
)

search_queue = sa.Table(
    "search_queue",
    metadata,
    sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True),
    sa.Column("organization_id", sa.String(255), nullable=False, index=True),
    sa.Column("project_id", sa.String(255), nullable=False),
    sa.Column("entity_type", sa.String(64), nullable=False),
    sa.Column("entity_id", sa.String(512), nullable=False),
    sa.Column("entity", Json),  # null: take it out of the index
    sa.Column("queued_at", Moment, nullable=False),
)
