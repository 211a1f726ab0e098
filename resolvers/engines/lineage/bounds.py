"""What ends the following of a query: something that is not followed, or more work than one statement may be."""

from collections.abc import Iterable, Sized
from typing import Final

MOST_WORK: Final = 5_000_000
"""Things that are looked at to follow one statement: parts of expressions, and what each value depends on. It is
counted and not timed, so that the same statement is understood everywhere or nowhere."""


class NotFollowed(Exception):
    """A query that cannot be followed: the name of the gap, and a sentence."""

    def __init__(self, gap: str, reason: str) -> None:
        super().__init__(reason)
        self.gap, self.reason = gap, reason


class Work:
    """The work that is left for one statement."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST_WORK

    def spend(self, number: int) -> None:
        """Count some work. Raises NotFollowed when there was too much of it."""
        self._left -= number
        if self._left < 0:
            raise NotFollowed("size", "Too much of the statement depends on too much else.")

    def spend_on(self, flows: Iterable[Sized]) -> None:
        """Count looking at all that some values depend on. Raises NotFollowed when there was too much of it."""
        self.spend(sum(1 + len(one) for one in flows))
