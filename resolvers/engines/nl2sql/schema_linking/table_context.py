"""Defines what the words of tables add where they are said beside those of a column."""

from collections.abc import Sequence
from typing import Final

Said = tuple[dict[int, float], float]
"""Tables by number with how much each says, and how much one says at most."""
_NOTHING: Final[Said] = {}, 0.0


class Beside:
    """Describes what tables say of the words beside their columns."""

    def __init__(self, each: Sequence[Said]) -> None:
        """`each` of the words, with the tables that say it."""
        self._each = each
        self._without: dict[tuple[int, ...], Said] = {}
        self.most = sum(most for said, most in each if said)
        """How much that adds at most."""

    def without(self, places: tuple[int, ...]) -> Said:
        """Return how much each table says of the words but for some of them, by their place; and how much one says at
        most.
        """
        if not self.most:
            return _NOTHING
        known = self._without.get(places)
        if known is None:
            found: dict[int, float] = {}
            for place, (said, _) in enumerate(self._each):
                for owner, more in said.items() if place not in places else ():
                    found[owner] = found.get(owner, 0.0) + more
            known = self._without[places] = with_most(found)
        return known


def with_most(said: dict[int, float]) -> Said:
    """Tables with what each says, and the most of it."""
    return (said, max(said.values())) if said else _NOTHING
