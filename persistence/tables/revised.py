"""Tables of tokens that tell whether the rows of another table are still what they were.

The rows of a table belong together by some of its columns, its *key*: an organization, or a project of one. For each
key there are tokens, one of which is new after every change of such a row. Triggers write it in the transaction that
changes the row, whoever does so. Tokens are made at random and not counted, so that rows which were put back from a
copy have the tokens of that copy. On PostgreSQL a transaction takes whichever token of the key nobody else holds, or
adds one: writers of one organization do not wait for each other.
"""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

_EVENTS: Final = (("insert", ("new",)), ("delete", ("old",)), ("update", ("old", "new")))


def token_columns() -> tuple[sa.Column[str], ...]:
    """Return what a table of tokens has beside its key."""
    return sa.Column("slot", sa.String(36), nullable=False), sa.Column("token", sa.String(36), nullable=False)


@dataclass(frozen=True, slots=True)
class Revised:
    """Names a table, the columns by which its rows belong together, and the table of their tokens."""

    table: str
    key: tuple[str, ...]
    tokens: str

    def created(self, dialect: str) -> tuple[str, ...]:
        """Return what keeps the tokens, for migrations: run it after both tables stand.

        A migration that makes the first table anew, as SQLite does to change a column, has to run it again.
        """
        return self._in_sqlite() if dialect == "sqlite" else self._in_postgresql()

    def seeded(self, dialect: str) -> str:
        """Return what gives a token to each key that has rows already: nothing is remembered of one without tokens."""
        token = "lower(hex(randomblob(16)))" if dialect == "sqlite" else "gen_random_uuid()::text"
        return f"""INSERT INTO {self.tokens}({self._names}, slot, token)
            SELECT {self._names}, '', {token} FROM (SELECT DISTINCT {self._names} FROM {self.table}) AS standing"""  # noqa: S608 - our own names

    def dropped(self, dialect: str) -> tuple[str, ...]:
        """Return what takes it away again."""
        if dialect == "sqlite":
            return tuple(f"DROP TRIGGER IF EXISTS {self.table}_{event}" for event, _ in _EVENTS)
        return tuple(f"DROP FUNCTION IF EXISTS {self.table}_{what}() CASCADE" for what in ("changed", "emptied"))

    @property
    def _names(self) -> str:
        return ", ".join(self.key)

    def _in_sqlite(self) -> tuple[str, ...]:
        def renewed(row: str) -> str:
            values = ", ".join(f"{row}.{name}" for name in self.key)
            return f"""INSERT INTO {self.tokens}({self._names}, slot, token)
                VALUES ({values}, '', lower(hex(randomblob(16))))
                ON CONFLICT({self._names}, slot) DO UPDATE SET token = excluded.token;"""  # noqa: S608 - our own names

        return tuple(
            f"""CREATE TRIGGER IF NOT EXISTS {self.table}_{event} AFTER {event.upper()} ON {self.table} BEGIN
                {" ".join(renewed(row) for row in rows)}
            END"""
            for event, rows in _EVENTS
        )

    def _in_postgresql(self) -> tuple[str, ...]:
        same = " AND ".join(f"{name} = changed.{name}" for name in self.key)
        values = ", ".join(f"changed.{name}" for name in self.key)
        return (
            f"""CREATE OR REPLACE FUNCTION {self.table}_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE changed record;
            BEGIN
                FOR changed IN SELECT DISTINCT {self._names} FROM touched LOOP
                    UPDATE {self.tokens} SET token = gen_random_uuid()::text WHERE ({self._names}, slot) = (
                        SELECT {self._names}, slot FROM {self.tokens} WHERE {same} LIMIT 1 FOR UPDATE SKIP LOCKED
                    );
                    IF NOT FOUND THEN
                        INSERT INTO {self.tokens}({self._names}, slot, token)
                        VALUES ({values}, gen_random_uuid()::text, gen_random_uuid()::text);
                    END IF;
                END LOOP;
                RETURN NULL;
            END $$""",  # noqa: S608 - our own names
            f"""CREATE OR REPLACE FUNCTION {self.table}_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                UPDATE {self.tokens} SET token = gen_random_uuid()::text;
                RETURN NULL;
            END $$""",  # noqa: S608 - our own names
            *(
                f"""CREATE TRIGGER {self.table}_{event}_{side} AFTER {event.upper()} ON {self.table}
                REFERENCING {side.upper()} TABLE AS touched
                FOR EACH STATEMENT EXECUTE FUNCTION {self.table}_changed()"""
                for event, sides in _EVENTS
                for side in sides
            ),
            f"""CREATE TRIGGER {self.table}_truncate AFTER TRUNCATE ON {self.table}
            FOR EACH STATEMENT EXECUTE FUNCTION {self.table}_emptied()""",
        )
