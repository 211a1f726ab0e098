"""What relations are at while somebody asks several things of one moment: looked at, or assumed and found out later.

Whoever asks about access at the arrival of a request has to know what relations are at by then. That may be found out
together with what the request reads: until then, decisions that memory holds are taken as if their revision still
stood. Nothing may leave the process before some look, or some statement of the work itself, has told that very
revision after the request had arrived. As revisions never come back, everything that was decided by it was right then.
Where another one is told, what was decided may stand for all that: relations may have changed that it does not rest on.
"""

from collections.abc import Sequence
from typing import Protocol

Question = tuple[tuple[str, ...], str, str]
"""Subjects of whom one must hold it, a relation and an object."""


class Judge(Protocol):
    """Describes who finds out what was assumed."""

    async def revision(self, store: str) -> str:
        """Return what the relations of a store are at now."""
        ...

    async def still(self, store: str, revision: str, asked: Sequence[Question]) -> bool:
        """Return whether all of it is known to be a yes at a revision that was just told, or at a later one."""
        ...


class Outdated(Exception):
    """Relations are no longer what they were assumed to be: all that was decided so far has to be asked again."""


class Seen:
    """What the relations of each store are seen to be at by one who asks."""

    def __init__(self, *, assumes: bool = False) -> None:
        self._assumes = assumes
        self._at: dict[str, str] = {}
        self._assumed: dict[str, str] = {}
        self._asked: dict[str, list[Question]] = {}
        self._told: set[tuple[str, str]] = set()
        self._last_told: dict[str, str] = {}
        self._judge: Judge | None = None

    @property
    def unsure(self) -> bool:
        """Return whether anything was assumed that nothing has told since."""
        return not self._told.issuperset(self._assumed.items())

    def at(self, store: str) -> str | None:
        """Return what a look has found; None where nobody has looked yet."""
        return self._at.get(store)

    def saw(self, store: str, revision: str) -> None:
        """Take in what a look has found. Raises Outdated where something else was assumed."""
        self._at[store] = revision
        self.tell(store, revision)
        if self._assumed.get(store, revision) != revision:
            raise Outdated

    def may_assume(self, store: str, revision: str) -> bool:
        """Return whether a revision may be taken as the one that stands: nobody has looked, or assumed another one."""
        return self._assumes and store not in self._at and self._assumed.get(store, revision) == revision

    def assume(self, store: str, revision: str, asked: Sequence[Question], judge: Judge) -> None:
        """Take a revision as the one that stands, at which all of it was a yes; `judge` finds out when nothing else
        does.
        """
        self._assumed[store], self._judge = revision, judge
        self._asked.setdefault(store, []).extend(asked)

    def tell(self, store: str, revision: str) -> None:
        """Take in what was found at some moment since the request has arrived."""
        self._told.add((store, revision))
        self._last_told[store] = revision

    async def confirmed(self) -> bool:
        """Find out about what was assumed and not told since; whether all of it stood when the request had arrived.

        Raises DatabaseError.
        """
        for store, revision in [one for one in self._assumed.items() if one not in self._told]:
            assert self._judge is not None
            if store not in self._last_told:
                self.tell(store, await self._judge.revision(store))
            told = self._last_told[store]
            if told != revision and await self._judge.still(store, told, self._asked[store]):
                self._told.add((store, revision))  # as good as if it had been
        return not self.unsure
