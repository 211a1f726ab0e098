"""What a query of the graph will read of an operation's answer: an operation may fetch no more than that."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

Chosen = tuple[Any, Callable[[str], frozenset[str] | None]]
"""The operation whose answer is meant, and what tells the attributes that are read of the objects in a field of it."""

_CHOSEN: Final[ContextVar[Chosen | None]] = ContextVar("chosen", default=None)


def choose(operation: Any, read_in: Callable[[str], frozenset[str] | None]) -> Callable[[], None]:
    """Tell what is read of an operation's answer, until what is returned is called."""
    token = _CHOSEN.set((operation, read_in))
    return lambda: _CHOSEN.reset(token)


def chosen_in(operation: Any, field: str) -> frozenset[str] | None:
    """The attributes that are read of the objects in a field of an operation's answer; None when that is not known.

    Another operation that calls this one reads of its answer whatever it likes.
    """
    chosen = _CHOSEN.get()
    return None if chosen is None or chosen[0] is not operation else chosen[1](field)
