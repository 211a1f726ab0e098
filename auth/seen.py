"""What relations are at while somebody asks several things of one moment: looked at, or assumed and found out later.

Whoever asks about access at the arrival of a request has to know what relations are at by then. That may be found out
together with what the request reads: until then, decisions that memory holds are taken as if their revision still
stood. Nothing may leave the process before some look, or some statement of the work itself, has told that very
revision after the request had arrived. As revisions never come back, everything that was decided by it was right then.
"""

from collections.abc import Awaitable, Callable

Look = Callable[[str], Awaitable[str]]
"""What tells the revision of a store as of now."""


class Outdated(Exception):
    """Relations are no longer what they were assumed to be: all that was decided so far has to be asked again."""


class Seen:
    """What the relations of each store are seen to be at by one who asks."""

    def __init__(self, *, assumes: bool = False) -> None:
        self._assumes = assumes
        self._at: dict[str, str] = {}
        self._assumed: dict[str, str] = {}
        self._told: set[tuple[str, str]] = set()
        self._look: Look | None = None

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

    def assume(self, store: str, revision: str, look: Look) -> None:
        """Take a revision as the one that stands; `look` finds out when nothing else does."""
        self._assumed[store], self._look = revision, look

    def tell(self, store: str, revision: str) -> None:
        """Take in what was found at some moment since the request has arrived."""
        self._told.add((store, revision))

    async def confirmed(self) -> bool:
        """Look at what was assumed and not told since; whether all of it stood when the request had arrived.

        Raises DatabaseError.
        """
        for one in [one for one in self._assumed.items() if one not in self._told]:
            assert self._look is not None
            self.tell(one[0], await self._look(one[0]))
        return not self.unsure
