"""Defines how projects want to be answered, and what people found wrong with answers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from persistence.repository import Repository, Scope
from persistence.tables.talk2data import answer_notes, chat_settings
from schema.talk2data.answer_note import AnswerNote, NoteStatus
from schema.talk2data.chat_settings import ChatSettings


class ChatSettingsRepository(Repository[ChatSettings]):
    """The settings of projects; one row at most for each."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, ChatSettings, chat_settings, key="project_id", noun="chat_settings")
        self._columns.append(chat_settings.c.authors)

    def resources(self, rows: Iterable[Sequence[Any]]) -> list[ChatSettings]:
        """Make settings of rows, each with who set them as its row says."""
        taken = list(rows)
        made = super().resources(taken)
        for settings, row in zip(made, taken, strict=True):
            settings._authors = row[len(self._names) + 1]
        return made

    def of(self, scope: Scope) -> ChatSettings:
        """The settings of a project; the defaults, with revision 0, when it has set nothing."""
        found = self.find(scope, str(scope.project_id))
        if found is None:
            found = ChatSettings()
            found._revision = 0
        return found


class AnswerNoteRepository(Repository[AnswerNote]):
    """Notes about answers; one at most for each turn."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(
            connection, AnswerNote, answer_notes, noun="answer_note", order=[answer_notes.c.created_at.desc()]
        )

    def put(self, scope: Scope, note: AnswerNote, now: datetime) -> None:
        """Open a note about a turn; one that stands says the new comment, and is open again."""
        values: Mapping[str, Any] = {
            "comment": note.comment,
            "status": NoteStatus.OPEN,
            "resolution": None,
            "closed_by": None,
            "closed_at": None,
            "updated_at": now,
        }
        changed = self._connection.execute(
            answer_notes.update()
            .where(*self._within(scope), answer_notes.c.turn_id == note.turn_id)
            .where(sa.or_(answer_notes.c.comment != note.comment, answer_notes.c.status == NoteStatus.OPEN))
            .values(**values, revision=answer_notes.c.revision + 1)
        )
        mine = sa.select(answer_notes.c.id).where(*self._within(scope), answer_notes.c.turn_id == note.turn_id)
        if not changed.rowcount and self._connection.execute(mine).one_or_none() is None:
            self.add(note, organization_id=scope.organization_id, project_id=scope.project_id)

    def withdraw(self, scope: Scope, turn_id: str) -> None:
        """Take an open note about a turn away: its asker thinks better of the answer."""
        self._connection.execute(
            answer_notes.delete().where(
                *self._within(scope), answer_notes.c.turn_id == turn_id, answer_notes.c.status == NoteStatus.OPEN
            )
        )
