"""The ledger beside the job engine: how often each call was begun, and what was canceled.

Units of work for `Database.read` and `Database.write`, the same on SQLite and PostgreSQL.
"""

from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from persistence.tables.jobs import job_ledger


def _insert(connection: sa.Connection) -> "sqlite.Insert | postgresql.Insert":
    if connection.dialect.name == "postgresql":
        return postgresql.insert(job_ledger)
    return sqlite.insert(job_ledger)


class Beginning(NamedTuple):
    """Holds what `begin` found. `times` 0 without `canceled`: begun before, so ask again when it can run alone."""

    times: int
    canceled: bool


def begin(connection: sa.Connection, key: str, guards: Sequence[str], *, alone: bool) -> Beginning:
    """Count one beginning of `key`.

    Nothing is counted when one of `guards` was canceled, for then the call does not begin, nor when it was begun
    before and is not `alone`.
    """
    if canceled(connection, guards):
        return Beginning(0, True)
    before = connection.execute(sa.select(job_ledger.c.begun).where(job_ledger.c.key == key)).scalar()
    if before and not alone:
        return Beginning(0, False)
    insert = _insert(connection).values(key=key, begun=1)
    counted = insert.on_conflict_do_update(index_elements=[job_ledger.c.key], set_={"begun": job_ledger.c.begun + 1})
    return Beginning(int(connection.execute(counted.returning(job_ledger.c.begun)).scalar_one()), False)


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
    """Return which of `keys` were canceled."""
    asked = job_ledger.c.key.in_(list(keys)) & job_ledger.c.canceled_at.is_not(None)
    return list(connection.execute(sa.select(job_ledger.c.key).where(asked)).scalars())
