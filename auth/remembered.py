"""Decisions that were made before, for as long as the relations that they rest on stand unchanged.

Each organization has a revision that every change of its relations makes new, in the same transaction. A decision is
kept with the revision that it was made at, and holds while the store tells that very revision; whoever asks reads it
first. So nothing here is ever late, in whichever process a relation is written or taken away, and nothing expires.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from operator import itemgetter
from typing import Final, NamedTuple, Protocol

import orjson

from auth.model import TupleLike

MOST_BYTES: Final = 50_000_000
"""What all decisions that are kept may take of memory, of all organizations together: some 50,000 of callers with a
few groups, and as many fewer as they have more of them."""

LISTS_PART: Final = 5
"""Whole lists of objects take a fifth of that beside it."""

_KEY: Final = itemgetter(0, 1, 2)
"""What makes it one tuple: its object, relation and user."""

Question = tuple[tuple[str, ...], str, str]
"""Subjects of whom one must hold it, a relation and an object."""


class Revisions(Protocol):
    """Describes who tells whether relations have changed."""

    async def of(self, store: str) -> str:
        """Return what the relations of a store are at, as of now; empty when nothing would tell of their
        next change.
        """
        ...


class Held(NamedTuple):
    """The objects of a type that somebody holds something on."""

    revision: str
    """What relations were at when this was last found."""
    rest: bytes
    """The digest of all that it rests on."""
    names: tuple[str, ...]


def digest(items: Iterable[TupleLike]) -> bytes:
    """Tell whether the tuples that an answer rests on are still the same."""
    tuples = sorted([(one.object, one.relation, one.user, one.condition, one.context) for one in items], key=_KEY)
    return hashlib.blake2b(orjson.dumps(tuples, option=orjson.OPT_SORT_KEYS), digest_size=32).digest()


class _Decided:
    """What was decided of one organization at one revision."""

    def __init__(self, revision: str) -> None:
        self.revision, self.bytes = revision, 0
        self.decisions: dict[Question, bool] = {}


class Remembered:
    """The decisions of a process."""

    def __init__(self, revisions: Revisions, most_bytes: int = MOST_BYTES) -> None:
        self._revisions, self._most_bytes = revisions, most_bytes
        self._held: dict[str, _Decided] = {}
        self._lists: OrderedDict[tuple[str, Question], Held] = OrderedDict()
        self._list_bytes = 0
        self._bytes = 0

    async def revision(self, store: str) -> str:
        """Return what the relations of a store are at now."""
        return await self._revisions.of(store)

    def last(self, store: str) -> str:
        """The revision that decisions are kept of; empty where there are none."""
        held = self._held.get(store)
        return "" if held is None else held.revision

    def at(self, store: str, revision: str) -> dict[Question, bool]:
        """Return what was decided at a revision; not to be changed."""
        held = self._held.get(store)
        return held.decisions if held is not None and held.revision == revision else {}

    async def keep(self, store: str, revision: str, decided: dict[Question, bool]) -> None:
        """Remember decisions that were made after a revision was read, unless relations have changed since."""
        if not decided or not revision or await self._revisions.of(store) != revision:
            return
        held = self._held.get(store)
        if held is None or held.revision != revision:
            if held is not None:
                self._bytes -= held.bytes
            held = self._held[store] = _Decided(revision)
        new = sum(_bytes(question) for question in decided if question not in held.decisions)
        held.decisions.update(decided)
        held.bytes += new
        self._bytes += new
        if self._bytes > self._most_bytes:
            self._held.clear()
            self._bytes = 0

    def held(self, store: str, question: Question) -> Held | None:
        """The objects of a type that were held, at whichever revision; the question names the type alone."""
        found = self._lists.get((store, question))
        if found is not None:
            self._lists.move_to_end((store, question))
        return found

    def keep_held(self, store: str, question: Question, held: Held) -> None:
        """Remember a list, of tuples that were read no sooner than its revision was."""
        if not held.revision:
            return
        key = (store, question)
        before = self._lists.pop(key, None)
        self._lists[key] = held
        self._list_bytes += _list_bytes(question, held) - (0 if before is None else _list_bytes(question, before))
        while self._list_bytes > self._most_bytes // LISTS_PART:
            (_, dropped), found = self._lists.popitem(last=False)
            self._list_bytes -= _list_bytes(dropped, found)


def _list_bytes(question: Question, held: Held) -> int:
    return _bytes(question) + sum(60 + len(name) for name in held.names)


def _bytes(question: Question) -> int:
    """About what a decision takes: its place, and the texts that belong to it alone."""
    subjects, _, object_ = question
    return 300 + len(object_) + sum(60 + len(subject) for subject in subjects)
