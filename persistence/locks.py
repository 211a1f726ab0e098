"""Locks of a project that last as long as a transaction."""

import orjson
import sqlalchemy as sa

from persistence.repository import Scope


def lock_in(connection: sa.Connection, scope: Scope, *names: str) -> None:
    """Let one writer at a time change what is named so in a project, until the transaction ends.

    SQLite has one writer anyway.
    """
    if connection.dialect.name == "postgresql":
        key = orjson.dumps([names[0], scope.organization_id, scope.project_id, *names[1:]]).decode()
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(key, 0))))
