"""The life of a memory as one table: what may be done in which state, where it leads, and which moment it stamps.

Expiry is read from the clock, and nothing has to run for it: from `expires_at` on an active memory stands as archived
since that moment, in answers, lists and moves alike. Reactivating it lifts the expiry, and so does a new `expires_at`.
A superseded memory is history: its one replacement is its future, so it is neither changed nor reactivated. What is
deleted is out of every answer but the list of deleted memories.
"""

from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from schema.errors import NotFound, ValidationError
from schema.utils.memory import Memory, MemoryStatus

ACTIVE, SUPERSEDED, ARCHIVED, DELETED = MemoryStatus


class Action(StrEnum):
    """Describes what can be done with a memory that stands."""

    UPDATE = "update"
    PIN = "pin"
    UNPIN = "unpin"
    VALIDATE = "validate"
    ARCHIVE = "archive"
    REACTIVATE = "reactivate"
    SUPERSEDE = "supersede"
    DELETE = "delete"


class Move(NamedTuple):
    """Holds where an action leads, and the field that holds when it was done."""

    to: MemoryStatus
    stamp: str | None = None


MOVES: Final[dict[tuple[MemoryStatus, Action], Move]] = {
    (ACTIVE, Action.UPDATE): Move(ACTIVE),
    (ACTIVE, Action.PIN): Move(ACTIVE, "pinned_at"),
    (ACTIVE, Action.UNPIN): Move(ACTIVE, "unpinned_at"),
    (ACTIVE, Action.VALIDATE): Move(ACTIVE),
    (ACTIVE, Action.ARCHIVE): Move(ARCHIVED, "archived_at"),
    (ACTIVE, Action.SUPERSEDE): Move(SUPERSEDED, "superseded_at"),
    (ACTIVE, Action.DELETE): Move(DELETED, "deleted_at"),
    (ARCHIVED, Action.UPDATE): Move(ARCHIVED),
    (ARCHIVED, Action.UNPIN): Move(ARCHIVED, "unpinned_at"),
    (ARCHIVED, Action.REACTIVATE): Move(ACTIVE, "reactivated_at"),
    (ARCHIVED, Action.DELETE): Move(DELETED, "deleted_at"),
    (SUPERSEDED, Action.UNPIN): Move(SUPERSEDED, "unpinned_at"),
    (SUPERSEDED, Action.DELETE): Move(DELETED, "deleted_at"),
}
"""What is not here is refused."""


def move(memory: Memory, action: Action) -> Move:
    """The move of an action on a memory as it is shown. Raises 422 with what may be done instead."""
    if memory.status is DELETED:
        raise NotFound("memory", memory.id)
    found = MOVES.get((memory.status, action))
    if found is None:
        possible = ", ".join(other for status, other in MOVES if status is memory.status)
        raise ValidationError(
            f"A memory that is {memory.status} takes no {action}; it takes {possible}.", status=422, field="status"
        )
    return found


def expired(memory: Memory, now: datetime) -> bool:
    """Return whether a memory that was never archived has outlived its moment."""
    return memory.status is ACTIVE and memory.expires_at is not None and memory.expires_at <= now


def as_shown(memory: Memory, now: datetime) -> Memory:
    """The memory as it stands at this moment."""
    if not expired(memory, now):
        return memory
    return memory.model_copy(update={"status": ARCHIVED, "archived_at": memory.expires_at})
