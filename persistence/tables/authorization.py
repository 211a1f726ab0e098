"""Relation tuples: who holds which relation on what, one store per organization; and whether they have changed."""

from typing import Final

import sqlalchemy as sa

from persistence.columns import Json, Moment
from persistence.tables import metadata

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
    sa.Column("slot", sa.String(36), nullable=False),
    sa.Column("token", sa.String(36), nullable=False),
    sa.PrimaryKeyConstraint("store", "slot"),
)
"""What tells that a store's tuples are still what they were: its tokens, one of which is new after every change.

Triggers write it in the transaction that changes the tuples, whoever does so. Tokens are made at random and not
counted, so that tuples which were put back from a copy have the tokens of that copy. On PostgreSQL a transaction takes
whichever row of the store nobody else holds, or adds one: writers of one organization do not wait for each other.
"""

_ONE_ROW: Final = """INSERT INTO relation_revisions(store, slot, token)
        VALUES ({row}.store, '', lower(hex(randomblob(16))))
        ON CONFLICT(store, slot) DO UPDATE SET token = excluded.token;"""
_SQLITE_DDL: Final = tuple(
    f"""CREATE TRIGGER IF NOT EXISTS relation_tuples_{event} AFTER {event.upper()} ON relation_tuples BEGIN
        {" ".join(_ONE_ROW.format(row=row) for row in rows)}
    END"""
    for event, rows in (("insert", ("new",)), ("delete", ("old",)), ("update", ("old", "new")))
)

_POSTGRES_DDL: Final = (
    """CREATE OR REPLACE FUNCTION relation_tuples_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE changed text;
    BEGIN
        FOR changed IN SELECT DISTINCT store FROM touched LOOP
            UPDATE relation_revisions SET token = gen_random_uuid()::text WHERE (store, slot) = (
                SELECT store, slot FROM relation_revisions WHERE store = changed LIMIT 1 FOR UPDATE SKIP LOCKED
            );
            IF NOT FOUND THEN
                INSERT INTO relation_revisions(store, slot, token)
                VALUES (changed, gen_random_uuid()::text, gen_random_uuid()::text);
            END IF;
        END LOOP;
        RETURN NULL;
    END $$""",
    """CREATE OR REPLACE FUNCTION relation_tuples_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE relation_revisions SET token = gen_random_uuid()::text;
        RETURN NULL;
    END $$""",
    *(
        f"""CREATE TRIGGER relation_tuples_{event}_{side} AFTER {event.upper()} ON relation_tuples
        REFERENCING {side.upper()} TABLE AS touched FOR EACH STATEMENT EXECUTE FUNCTION relation_tuples_changed()"""
        for event, side in (("insert", "new"), ("delete", "old"), ("update", "old"), ("update", "new"))
    ),
    """CREATE TRIGGER relation_tuples_truncate AFTER TRUNCATE ON relation_tuples
    FOR EACH STATEMENT EXECUTE FUNCTION relation_tuples_emptied()""",
)

_POSTGRES_DROPPED: Final = (
    "DROP FUNCTION IF EXISTS relation_tuples_changed() CASCADE",
    "DROP FUNCTION IF EXISTS relation_tuples_emptied() CASCADE",
)


_SEEDED: Final = {
    "sqlite": """INSERT INTO relation_revisions(store, slot, token)
        SELECT store, '', lower(hex(randomblob(16))) FROM (SELECT DISTINCT store FROM relation_tuples) AS standing""",
    "postgresql": """INSERT INTO relation_revisions(store, slot, token)
        SELECT store, '', gen_random_uuid()::text FROM (SELECT DISTINCT store FROM relation_tuples) AS standing""",
}


def revisions_ddl(dialect: str) -> tuple[str, ...]:
    """Return what keeps the tokens, for migrations: run it after both tables stand.

    A migration that makes the tuples' table anew, as SQLite does to change a column, has to run it again.
    """
    return _SQLITE_DDL if dialect == "sqlite" else _POSTGRES_DDL


def revisions_seeded(dialect: str) -> str:
    """Return what gives a token to each store that has tuples already: nothing is remembered of one that has none."""
    return _SEEDED[dialect]


def revisions_dropped(dialect: str) -> tuple[str, ...]:
    """Return what takes it away again."""
    if dialect == "sqlite":
        return tuple(f"DROP TRIGGER IF EXISTS relation_tuples_{event}" for event in ("insert", "delete", "update"))
    return _POSTGRES_DROPPED
