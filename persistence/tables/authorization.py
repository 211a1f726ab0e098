"""Relation tuples: who holds which relation on what, one store per organization; and whether they have changed."""

from typing import Final

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata
from persistence.tables.revised import Log, Revised, log_columns, numbered, token_columns

relation_tuples = sa.Table(
    "relation_tuples",
    metadata,
    sa.Column("store", sa.String(255), nullable=False),
    sa.Column("object_type", sa.String(254), nullable=False),
    sa.Column("object_id", sa.Text, nullable=False),
    sa.Column("relation", sa.String(50), nullable=False),
    sa.Column("user_type", sa.String(254), nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("user_relation", sa.String(50), nullable=False, default=""),
    sa.Column("condition", sa.String(256)),
    sa.Column("context", Json),
    sa.Column("created_at", Moment, nullable=False),
    # In this order the key serves both walks of a check: everything an object leads on to (by the type of the user),
    # and whether one user is named on it, without a look at its other users.
    sa.PrimaryKeyConstraint("store", "object_type", "object_id", "user_type", "user_id", "user_relation", "relation"),
    sa.Index("ix_relation_tuples_user", "store", "user_type", "user_id", "user_relation", "object_type", "object_id"),
)

relation_revisions = sa.Table(
    "relation_revisions",
    metadata,
    sa.Column("store", sa.String(255), nullable=False),
    *token_columns(),
    numbered(),
    sa.PrimaryKeyConstraint("store", "slot"),
)
"""What tells that a store's tuples are still what they were (`revised.py`)."""

relation_changes = sa.Table(
    "relation_changes",
    metadata,
    sa.Column("store", sa.String(255), nullable=False),
    *log_columns(),
    sa.PrimaryKeyConstraint("store", "slot", "place"),
)
"""Which of them were changed lately: a list of `[object_type, object_id, user_type, user_id]` for each new token."""

revised_relations: Final = Revised(
    "relation_tuples",
    ("store",),
    relation_revisions.name,
    Log(relation_changes.name, ("object_type", "object_id", "user_type", "user_id")),
)
