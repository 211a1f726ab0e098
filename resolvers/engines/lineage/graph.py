"""What depends on what over many statements: walks over edges that end, whatever circles they make."""

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

Node = tuple[str, str | None]
"""The FQN of a table, and the name of a column or None for its rows as a whole."""

MOST_NODES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Reach:
    """What can be reached from a node."""

    nodes: dict[Node, int]
    """Each with the number of steps to it."""
    complete: bool
    """Whether nothing was left out because of a bound."""


def reach(start: Node, step: Callable[[Node], Iterable[Node]], *, deepest: int, most: int = MOST_NODES) -> Reach:
    """Return what can be reached from a node in so many steps, the nearest first; the node itself is left out."""
    found: dict[Node, int] = {}
    waiting = deque([(start, 0)])
    while waiting:
        node, steps = waiting.popleft()
        for further in step(node):
            if further == start or further in found:
                continue
            if steps == deepest or len(found) == most:
                return Reach(found, complete=False)
            found[further] = steps + 1
            waiting.append((further, steps + 1))
    return Reach(found, complete=True)
