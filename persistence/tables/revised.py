"""Tables of tokens that tell whether the rows of another table are still what they were.

The rows of a table belong together by some of its columns, its *key*: an organization, or a project of one. For each
key there are tokens, one of which is new after every change of such a row. Triggers write it in the transaction that
changes the row, whoever does so. Tokens are made at random and not counted, so that rows which were put back from a
copy have the tokens of that copy. On PostgreSQL a transaction takes whichever token of the key nobody else holds, or
adds one: writers of one organization do not wait for each other.

Where a `Log` is kept, each new token also tells which one it took the place of and which rows were changed then, for a
bounded number of tokens. Who knows some tokens finds out what has changed since: from those that stand, the log leads
back to the known ones, or breaks off before, and then it may be anything. Since every step names both of its tokens,
nothing that was put back, cut or written by hand can be taken for a step.
"""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

_EVENTS: Final = (("insert", ("new",)), ("delete", ("old",)), ("update", ("old", "new")))


def token_columns() -> tuple[sa.Column[str], ...]:
    """Return what a table of tokens has beside its key."""
    return sa.Column("slot", sa.String(36), nullable=False), sa.Column("token", sa.String(36), nullable=False)


def log_columns() -> tuple[sa.Column[str], sa.Column[int], sa.Column[str], sa.Column[str], sa.Column[str | None]]:
    """Return what a table of changes has beside its key."""
    return (
        sa.Column("slot", sa.String(36), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("before", sa.String(36), nullable=False),
        sa.Column("token", sa.String(36), nullable=False),
        sa.Column("changed", sa.Text),
    )


def numbered() -> sa.Column[int]:
    """Return how often a token was made new: what a table of tokens has beside, where changes are told."""
    return sa.Column("number", sa.BigInteger, nullable=False, server_default="0")


@dataclass(frozen=True, slots=True)
class Log:
    """Names the table of changes, and the columns of a changed row that it tells.

    It keeps the latest `steps` of each slot, and each tells at most `rows` rows: of more it says that it may be any.
    """

    table: str
    columns: tuple[str, ...]
    steps: int = 256
    rows: int = 100


@dataclass(frozen=True, slots=True)
class Revised:
    """Names a table, the columns by which its rows belong together, and the table of their tokens."""

    table: str
    key: tuple[str, ...]
    tokens: str
    log: Log | None = None

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

        logged = self._logged_in_sqlite if self.log is not None else renewed
        return tuple(
            f"""CREATE TRIGGER IF NOT EXISTS {self.table}_{event} AFTER {event.upper()} ON {self.table} BEGIN
                {" ".join(logged(row) for row in rows)}
            END"""
            for event, rows in _EVENTS
        )

    def _logged_in_sqlite(self, row: str) -> str:
        # No `insert or replace`: how the statement at hand treats conflicts would count in its triggers as well.
        assert self.log is not None
        log, values = self.log, ", ".join(f"{row}.{name}" for name in self.key)
        own = f"({self._names}, slot) = ({values}, '')"
        step = f"(log.{', log.'.join(self.key)}, log.slot) = ({values}, '')"
        told = ", ".join(f"{row}.{name}" for name in log.columns)
        return f"""INSERT INTO {self.tokens}({self._names}, slot, token, number)
            SELECT {values}, '', '', 0 WHERE NOT EXISTS (SELECT 1 FROM {self.tokens} WHERE {own});
            INSERT INTO {log.table}({self._names}, slot, place, before, token, changed)
            SELECT {self._names}, slot, (number + 1) % {log.steps}, token, lower(hex(randomblob(16))),
                json_array(json_array({told})) FROM {self.tokens} WHERE {own}
            ON CONFLICT({self._names}, slot, place) DO UPDATE
            SET before = excluded.before, token = excluded.token, changed = excluded.changed;
            UPDATE {self.tokens} SET number = number + 1, token = (
                SELECT log.token FROM {log.table} AS log
                WHERE {step} AND log.place = ({self.tokens}.number + 1) % {log.steps}
            ) WHERE {own};"""  # noqa: S608 - our own names

    def _in_postgresql(self) -> tuple[str, ...]:
        return (
            self._plain_function() if self.log is None else self._logging_function(self.log),
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

    @property
    def _same(self) -> str:
        return " AND ".join(f"{name} = changed.{name}" for name in self.key)

    def _plain_function(self) -> str:
        values = ", ".join(f"changed.{name}" for name in self.key)
        return f"""CREATE OR REPLACE FUNCTION {self.table}_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE changed record;
            BEGIN
                FOR changed IN SELECT DISTINCT {self._names} FROM touched LOOP
                    UPDATE {self.tokens} SET token = gen_random_uuid()::text WHERE ({self._names}, slot) = (
                        SELECT {self._names}, slot FROM {self.tokens} WHERE {self._same} LIMIT 1 FOR UPDATE SKIP LOCKED
                    );
                    IF NOT FOUND THEN
                        INSERT INTO {self.tokens}({self._names}, slot, token)
                        VALUES ({values}, gen_random_uuid()::text, gen_random_uuid()::text);
                    END IF;
                END LOOP;
                RETURN NULL;
            END $$"""  # noqa: S608 - our own names

    def _logging_function(self, log: Log) -> str:
        values = ", ".join(f"changed.{name}" for name in self.key)
        own = f"({self._names}, slot) = ({values}, own_slot)"
        told = ", ".join(log.columns)
        return f"""CREATE OR REPLACE FUNCTION {self.table}_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE
                changed record;
                own_slot text;
                own_token text;
                own_number bigint;
                renewed text;
                rows text;
            BEGIN
                FOR changed IN SELECT {self._names}, count(*) AS many FROM touched GROUP BY {self._names} LOOP
                    renewed := gen_random_uuid()::text;
                    SELECT slot, token, number + 1 INTO own_slot, own_token, own_number
                    FROM {self.tokens} WHERE {self._same} LIMIT 1 FOR UPDATE SKIP LOCKED;
                    IF FOUND THEN
                        UPDATE {self.tokens} SET token = renewed, number = own_number WHERE {own};
                    ELSE
                        own_slot := gen_random_uuid()::text;
                        own_token := '';
                        own_number := 1;
                        INSERT INTO {self.tokens}({self._names}, slot, token, number)
                        VALUES ({values}, own_slot, renewed, own_number);
                    END IF;
                    rows := NULL;
                    IF changed.many <= {log.rows} THEN
                        SELECT json_agg(json_build_array({told}))::text INTO rows FROM touched WHERE {self._same};
                    END IF;
                    INSERT INTO {log.table}({self._names}, slot, place, before, token, changed)
                    VALUES ({values}, own_slot, mod(own_number, {log.steps}), own_token, renewed, rows)
                    ON CONFLICT ({self._names}, slot, place) DO UPDATE
                    SET before = excluded.before, token = excluded.token, changed = excluded.changed;
                END LOOP;
                RETURN NULL;
            END $$"""  # noqa: S608 - our own names
