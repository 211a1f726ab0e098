"""Chat sessions: whose each is, and how much has happened in it."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from persistence.repository import Repository, Scope
from persistence.tables.talk2data import chat_sessions
from schema.talk2data.session import ChatSession


class SessionRepository(Repository[ChatSession]):
    """Chat sessions."""

    def __init__(self, connection: sa.Connection) -> None:
        order = [chat_sessions.c.created_at.desc()]
        super().__init__(connection, ChatSession, chat_sessions, key="session_id", noun="chat_session", order=order)

    def own(self, scope: Scope, session_ids: Sequence[str], user_id: str) -> list[str]:
        """Those of some sessions that are a user's own."""
        query = sa.select(chat_sessions.c.session_id).where(
            *self._within(scope), chat_sessions.c.created_by == user_id, chat_sessions.c.session_id.in_(session_ids)
        )
        return list(self._connection.execute(query).scalars())

    def owner_of(self, scope: Scope, session_id: str) -> str | None:
        """Return whose session it is; None when there is none in the scope."""
        query = sa.select(chat_sessions.c.created_by).where(
            *self._within(scope), chat_sessions.c.session_id == session_id
        )
        return self._connection.execute(query).scalar_one_or_none()

    def count(
        self, session_id: str, now: datetime, *, turns: int = 0, messages: int = 0, artifacts: int = 0
    ) -> int | None:
        """Add to a session's counts and hold its row until the commit: how many turns it has; None when it is gone."""
        c = chat_sessions.c
        counted = (
            chat_sessions.update()
            .where(c.session_id == session_id)
            .values(
                turn_count=c.turn_count + turns,
                message_count=c.message_count + messages,
                artifact_count=c.artifact_count + artifacts,
                updated_at=now,
                revision=c.revision + 1,
            )
            .returning(c.turn_count)
        )
        return self._connection.execute(counted).scalar_one_or_none()

    def entitle(self, session_id: str, title: str) -> None:
        """Give a session a title unless it has one."""
        c = chat_sessions.c
        self._connection.execute(
            chat_sessions.update().where(c.session_id == session_id, c.title.is_(None)).values(title=title)
        )
