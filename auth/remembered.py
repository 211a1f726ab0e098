"""Decisions that were made before, for as long as the relations that they rest on stand unchanged.

Each organization has a revision that every change of its relations makes new, in the same transaction. A decision is
kept with the revision that it was made at, and holds while the store tells that very revision; whoever asks reads it
first. So nothing here is ever late, in whichever process a relation is written or taken away, and nothing expires.
"""

from typing import Protocol

MOST = 50_000
"""Decisions that are kept at once, of all organizations together."""

Question = tuple[tuple[str, ...], str, str]
"""Subjects of whom one must hold it, a relation and an object."""


class Revisions(Protocol):
    """Describes who tells whether relations have changed."""

    async def of(self, store: str) -> str:
        """What the relations of a store are at, as of now."""
        ...


class Remembered:
    """The decisions of a process."""

    def __init__(self, revisions: Revisions, most: int = MOST) -> None:
        self._revisions, self._most = revisions, most
        self._decisions: dict[str, tuple[str, dict[Question, bool]]] = {}
        self._count = 0

    async def revision(self, store: str) -> str:
        """What the relations of a store are at now."""
        return await self._revisions.of(store)

    def at(self, store: str, revision: str) -> dict[Question, bool]:
        """What was decided at a revision; not to be changed."""
        held = self._decisions.get(store)
        return held[1] if held is not None and held[0] == revision else {}

    async def keep(self, store: str, revision: str, decided: dict[Question, bool]) -> None:
        """Remember decisions that were made after a revision was read, unless relations have changed since."""
        if not decided or await self._revisions.of(store) != revision:
            return
        held = self._decisions.get(store)
        if held is None or held[0] != revision:
            if held is not None:
                self._count -= len(held[1])
            held = self._decisions[store] = (revision, {})
        before = len(held[1])
        held[1].update(decided)
        self._count += len(held[1]) - before
        if self._count > self._most:
            self._decisions.clear()
            self._count = 0
