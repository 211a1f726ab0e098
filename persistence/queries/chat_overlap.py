"""Defines which rows were behind the answers that somebody was given from a protected table, as sketches of their
sets.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import uuid4

import sqlalchemy as sa

from persistence.repository import Scope
from persistence.tables.governance import projects
from persistence.tables.talk2data import answered_sets

MOST_KEPT: Final = 300
"""How many queries of one user are remembered for one table, the newest."""

Sets = Sequence[Sequence[int]]
"""For each set of rows its sketch: how many rows, and the sums that tell differences."""


def hash_of(text: str) -> str:
    """Return what stands for a text that is compared and never shown."""
    return hashlib.sha256(text.encode()).hexdigest()


class AnsweredRepository:
    """Describes what each user was told of the rows of protected tables."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def hold(self, scope: Scope) -> None:
        """Let nobody else of the project compare until the commit, so that two answers at once see one another."""
        mine = sa.select(projects.c.id).where(projects.c.id == scope.project_id)
        self._connection.execute(mine.with_for_update(key_share=True)).all()

    def others(self, scope: Scope, user_id: str, subject: str, query: str) -> list[Sets]:
        """The sets behind the answers to other queries, the newest first."""
        c = answered_sets.c
        found = (
            sa.select(c.sets)
            .where(*_mine(scope, user_id, subject), c.query_hash != query)
            .order_by(c.created_at.desc(), c.id)
            .limit(MOST_KEPT)
        )
        return [row["sets"] for row in self._connection.execute(found).scalars()]

    def keep(self, scope: Scope, user_id: str, subject: str, query: str, sets: Sets, now: datetime) -> None:
        """Keep the sets behind an answer, in place of those of the same query, and forget the oldest."""
        c = answered_sets.c
        mine = _mine(scope, user_id, subject)
        values = {"sets": {"sets": [list(one) for one in sets]}, "created_at": now}
        standing = answered_sets.update().where(*mine, c.query_hash == query).values(**values)
        if self._connection.execute(standing).rowcount:
            return
        self._connection.execute(
            answered_sets.insert().values(
                id=str(uuid4()),
                organization_id=scope.organization_id,
                project_id=scope.project_id,
                user_id=user_id,
                subject_hash=subject,
                query_hash=query,
                **values,
            )
        )
        old = sa.select(c.id).where(*mine).order_by(c.created_at.desc(), c.id).offset(MOST_KEPT)
        gone = list(self._connection.execute(old).scalars())
        if gone:
            self._connection.execute(answered_sets.delete().where(c.id.in_(gone)))


def _mine(scope: Scope, user_id: str, subject: str) -> list[sa.ColumnElement[bool]]:
    c = answered_sets.c
    return [
        c.organization_id == scope.organization_id,
        c.project_id == scope.project_id,
        c.user_id == user_id,
        c.subject_hash == subject,
    ]
