"""The ledger beside the job engine: how often each call was begun, and what was canceled.

Units of work for `Database.read` and `Database.write`, the same on SQLite and PostgreSQL.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from persistence.tables.jobs import job_ledger


def _insert(connection: sa.Connection) -> "sqlite.Insert | postgresql.Insert":
    if connection.dialect.name == "postgresql":
        return postgresql.insert(job_ledger)
    return sqlite.insert(job_ledger)


def begin(connection: sa.Connection, key: str, guards: Sequence[str]) -> tuple[int, bool]:
    """Count one beginning of `key`: how many there are now, and whether one of `guards` was canceled.

    Nothing is counted when it was canceled, for then the call does not begin.
    """
    if canceled(connection, guards):
        return 0, True
    insert = _insert(connection).values(key=key, begun=1)
    counted = insert.on_conflict_do_update(index_elements=[job_ledger.c.key], set_={"begun": job_ledger.c.begun + 1})
    return int(connection.execute(counted.returning(job_ledger.c.begun)).scalar_one()), False


def give_back(connection: sa.Connection, key: str) -> None:
    """Take one beginning back: the process stopped by order, which says nothing about the work."""
    mine = (job_ledger.c.key == key) & (job_ledger.c.begun > 0)
    connection.execute(sa.update(job_ledger).where(mine).values(begun=job_ledger.c.begun - 1))


def mark_canceled(connection: sa.Connection, key: str) -> None:
    """Remember that `key` was canceled."""
    insert = _insert(connection).values(key=key, begun=0, canceled_at=sa.func.now())
    connection.execute(
        insert.on_conflict_do_update(index_elements=[job_ledger.c.key], set_={"canceled_at": sa.func.now()})
    )


def canceled(connection: sa.Connection, keys: Sequence[str]) -> list[str]:
    """Which of `keys` were canceled."""
    asked = job_ledger.c.key.in_(list(keys)) & job_ledger.c.canceled_at.is_not(None)
    return list(connection.execute(sa.select(job_ledger.c.key).where(asked)).scalars())
