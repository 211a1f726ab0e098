"""Answers that are kept for as long as the catalog that they were made of stands unchanged.

A catalog has a revision that every change of its assets makes new, in the same transaction
(`persistence/revisions.py`). An answer is kept with the revision that was read before the answer was made, and is given
again only while the store tells that very revision; whoever asks reads it first. So nothing here is ever late, in
whichever process a catalog is written, and nothing expires. Whether a caller may have the answer is decided before, for
each call.
"""

from collections import Counter, OrderedDict
from collections.abc import Hashable, Mapping
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, Field

from persistence.repository import Scope
from persistence.revisions import Asked, Revisions

LARGEST_PART: Final = 8
"""One answer may take an eighth of the room, so that a few large ones do not push out all others."""

_OWN_BYTES: Final = 2000
"""About what an entry takes beside its content and the text of its key: its places, headers and arguments."""


class AnswerSettings(BaseModel):
    """How much of memory answers may take that could be asked for again."""

    answer_cache_bytes: int = Field(
        64_000_000,
        ge=0,
        le=100_000_000_000,
        description="Memory for answers about the catalog that are given again while it stands unchanged; 0: none.",
    )


Calls = tuple[tuple[Any, Mapping[str, Any]], ...]
"""Operations, each with its arguments."""


class KeptAnswer(NamedTuple):
    """An answer as a door sends it, and what has to be asked before it is given again."""

    content: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    calls: Calls
    """What made it: a caller must be allowed every one of them."""


class Key(NamedTuple):
    """Whose catalog an answer is made of, and everything that was asked for, the door included."""

    scope: Scope
    asked: Hashable


class AnswerCache:
    """The answers that one process keeps, the least recently given of them dropped first."""

    def __init__(self, revisions: Revisions, most_bytes: int) -> None:
        self._revisions, self._most_bytes = revisions, most_bytes
        self._kept: OrderedDict[Key, tuple[str, KeptAnswer, int]] = OrderedDict()
        self._asked: Counter[Hashable] = Counter()
        """For how many scopes something that is asked for has been answered."""
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """Return about how much the answers take."""
        return self._bytes

    @property
    def open(self) -> bool:
        """Return whether anything is kept at all."""
        return self._most_bytes > 0

    def was_asked(self, asked: Hashable) -> bool:
        """Return whether an answer is kept for anybody: what costs no look at who asks."""
        return asked in self._asked

    def calls_of(self, key: Key) -> Calls | None:
        """Return what made the answer that is kept, of whichever revision; None where none is."""
        found = self._kept.get(key)
        return None if found is None else found[1].calls

    def look(self, scope: Scope) -> Asked:
        """Begin to look at which revision a catalog is; call what comes back to wait for it."""
        return self._revisions.look_at_catalog(scope)

    def at(self, key: Key, revision: str) -> KeptAnswer | None:
        """Return what was answered at a revision, if it is kept."""
        found = self._kept.get(key)
        if found is None:
            return None
        if found[0] != revision:
            self._drop(key)
            return None
        self._kept.move_to_end(key)
        return found[1]

    def keep(self, key: Key, revision: str, answer: KeptAnswer) -> None:
        """Keep an answer that was made after the revision was read. One that nothing would end is not kept."""
        size = _OWN_BYTES + len(answer.content) + _length(key.asked)
        if not revision or size * LARGEST_PART > self._most_bytes:
            return
        self._drop(key)
        self._kept[key] = (revision, answer, size)
        self._asked[key.asked] += 1
        self._bytes += size
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        found = self._kept.pop(key, None)
        if found is not None:
            self._bytes -= found[2]
            self._asked[key.asked] -= 1
            if not self._asked[key.asked]:
                del self._asked[key.asked]


def _length(asked: Any) -> int:
    """About how many bytes the texts in a key take."""
    if isinstance(asked, str | bytes):
        return len(asked)
    return sum(map(_length, asked)) if isinstance(asked, tuple) else 8
