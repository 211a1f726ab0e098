"""Tables of counts that are exact at every commit, so that nobody has to count many rows.

The rows of a table that count are counted by some of their columns, the *key*. Triggers write the counts in the
transaction that changes the rows, whoever does so. A key may have several rows of counts, and its count is their sum:
on PostgreSQL a transaction adds to the one that it holds already, else to whichever nobody holds, or makes a new one.
So writers do not wait for each other, and there are no more such rows than there were writers at once.
"""

from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

_EVENTS: Final = ("insert", "update", "delete")


def count_columns() -> tuple[sa.Column[str], sa.Column[int]]:
    """Return what a table of counts has beside its key."""
    return sa.Column("slot", sa.String(36), nullable=False), sa.Column("counted", sa.BigInteger, nullable=False)


@dataclass(frozen=True, slots=True)
class Counted:
    """Names a table, the columns by which its rows are counted, and the table of their counts.

    A row counts while the column `unless` is null.
    """

    table: str
    key: tuple[str, ...]
    unless: str
    counts: str

    def created(self, dialect: str) -> tuple[str, ...]:
        """Return what keeps the counts, for migrations: run it after both tables stand.

        A migration that makes the first table anew, as SQLite does to change a column, has to run it again.
        """
        return self._in_sqlite() if dialect == "sqlite" else self._in_postgresql()

    def seeded(self) -> str:
        """Return what counts the rows that stand already."""
        return f"""INSERT INTO {self.counts}({self._names}, slot, counted)
            SELECT {self._names}, '', count(*) FROM {self.table} WHERE {self.unless} IS NULL GROUP BY {self._names}"""  # noqa: S608 - our own names

    def dropped(self, dialect: str) -> tuple[str, ...]:
        """Return what takes it away again."""
        if dialect == "sqlite":
            return tuple(f"DROP TRIGGER IF EXISTS {self.counts}_{event}" for event in _EVENTS)
        return tuple(f"DROP FUNCTION IF EXISTS {self.counts}_{event}() CASCADE" for event in (*_EVENTS, "truncate"))

    @property
    def _names(self) -> str:
        return ", ".join(self.key)

    def _in_sqlite(self) -> tuple[str, ...]:
        def added(row: str, by: int) -> str:
            values = ", ".join(f"{row}.{name}" for name in self.key)
            return f"""INSERT INTO {self.counts}({self._names}, slot, counted)
                SELECT {values}, '', {by} WHERE {row}.{self.unless} IS NULL
                ON CONFLICT({self._names}, slot) DO UPDATE SET counted = counted + excluded.counted;"""

        moved = " OR ".join(f"old.{name} IS NOT new.{name}" for name in self.key)
        turned = f"(old.{self.unless} IS NULL) <> (new.{self.unless} IS NULL)"
        new, old = added("new", 1), added("old", -1)
        return (
            f"CREATE TRIGGER IF NOT EXISTS {self.counts}_insert AFTER INSERT ON {self.table} BEGIN {new} END",
            f"CREATE TRIGGER IF NOT EXISTS {self.counts}_delete AFTER DELETE ON {self.table} BEGIN {old} END",
            f"""CREATE TRIGGER IF NOT EXISTS {self.counts}_update AFTER UPDATE OF {self._names}, {self.unless}
            ON {self.table} WHEN {moved} OR {turned} BEGIN {old} {new} END""",
        )

    def _in_postgresql(self) -> tuple[str, ...]:
        return (
            *(self._function(event) for event in _EVENTS),
            f"""CREATE OR REPLACE FUNCTION {self.counts}_truncate() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                DELETE FROM {self.counts};
                RETURN NULL;
            END $$""",  # noqa: S608 - our own names
            *(
                f"""CREATE TRIGGER {self.counts}_{event} AFTER {event.upper()} ON {self.table}
                REFERENCING {" ".join(f"{side.upper()} TABLE AS {side}_rows" for side in _sides(event))}
                FOR EACH STATEMENT EXECUTE FUNCTION {self.counts}_{event}()"""
                for event in _EVENTS
            ),
            f"""CREATE TRIGGER {self.counts}_truncate AFTER TRUNCATE ON {self.table}
            FOR EACH STATEMENT EXECUTE FUNCTION {self.counts}_truncate()""",
        )

    def _function(self, event: str) -> str:
        touched = " UNION ALL ".join(
            f"SELECT {self._names}, {1 if side == 'new' else -1} AS change FROM {side}_rows WHERE {self.unless} IS NULL"  # noqa: S608 - our own names
            for side in _sides(event)
        )
        same = " AND ".join(f"{name} = changed.{name}" for name in self.key)
        values = ", ".join(f"changed.{name}" for name in self.key)
        return f"""CREATE OR REPLACE FUNCTION {self.counts}_{event}() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE changed record;
            BEGIN
                FOR changed IN
                    SELECT {self._names}, sum(change)::bigint AS change FROM ({touched}) AS touched
                    GROUP BY {self._names} HAVING sum(change) <> 0
                LOOP
                    UPDATE {self.counts} SET counted = counted + changed.change WHERE ({self._names}, slot) = (
                        SELECT {self._names}, slot FROM {self.counts} WHERE {same}
                        ORDER BY xmin = pg_current_xact_id()::xid DESC LIMIT 1 FOR UPDATE SKIP LOCKED
                    );
                    IF NOT FOUND THEN
                        INSERT INTO {self.counts}({self._names}, slot, counted)
                        VALUES ({values}, gen_random_uuid()::text, changed.change);
                    END IF;
                END LOOP;
                RETURN NULL;
            END $$"""  # noqa: S608 - our own names


def _sides(event: str) -> tuple[str, ...]:
    return {"insert": ("new",), "delete": ("old",)}.get(event, ("old", "new"))
