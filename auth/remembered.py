"""Decisions that were made before, for as long as the relations that they rest on stand unchanged.

Each organization has a revision that every change of its relations makes new, in the same transaction. Decisions are
kept with the revision that they are known to be right at, and hold while the store tells that very revision; whoever
asks reads it first. Where it tells another one, it is asked which relations have changed meanwhile: decisions that rest
on one of those are dropped, all others are right at the new revision as well. So nothing here is ever late, in
whichever process a relation is written or taken away, and nothing expires.

A decision rests on the objects that lead to it: the one that was asked about, and all parents and groups on the way up.
It reads their tuples that name something which leads further, and those that name its own subjects; another user's
grant is none of either.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter
from typing import Final, NamedTuple, Protocol

import orjson

from auth.model import TupleLike
from auth.seen import Question

MOST_BYTES: Final = 50_000_000
"""What all decisions that are kept may take of memory, of all organizations together: some 50,000 of callers with a
few groups, and as many fewer as they have more of them."""

_RESTS: Final = 150
"""About what it takes to note that a decision rests on an object."""

_TRIES: Final = 3
"""How often it is asked what has changed while others take in changes; after that, it is decided anew."""

LISTS_PART: Final = 5
"""Whole lists of objects take a fifth of that beside it."""

_KEY: Final = itemgetter(0, 1, 2)
"""What makes it one tuple: its object, relation and user."""


Change = tuple[str, str]
"""The object and the user of a tuple that came or went, each as `type:id`: of a group, without the relation to it."""

Known = Mapping[Question, bool]


class Revisions(Protocol):
    """Describes who tells whether relations have changed."""

    async def of(self, store: str) -> str:
        """Return what the relations of a store are at, as of now; empty when nothing would tell of their
        next change.
        """
        ...

    async def since(self, store: str, revision: str) -> tuple[str, Collection[Change] | None]:
        """Return the same as `of`, and what has changed since it was another revision; None where that may be
        anything.
        """
        ...


class Held(NamedTuple):
    """The objects of a type that somebody holds something on."""

    revision: str
    """What relations were at when this was last known to be right."""
    rest: bytes
    """The digest of all that it rests on."""
    names: tuple[str, ...]
    reach: frozenset[str]
    """Whoever a tuple would have to name to lead to more of them, or to fewer."""


def digest(items: Iterable[TupleLike]) -> bytes:
    """Tell whether the tuples that an answer rests on are still the same."""
    tuples = sorted([(one.object, one.relation, one.user, one.condition, one.context) for one in items], key=_KEY)
    return hashlib.blake2b(orjson.dumps(tuples, option=orjson.OPT_SORT_KEYS), digest_size=32).digest()


class _Decided:
    """What was decided of one organization, and is right at one revision."""

    def __init__(self, revision: str) -> None:
        self.revision, self.bytes = revision, 0
        self.decisions: dict[Question, bool] = {}
        self._rests: dict[Question, tuple[str, ...]] = {}
        self._on: dict[str, set[Question]] = {}
        """The decisions that rest on each object."""

    def keep(self, question: Question, answer: bool, rests: Collection[str]) -> None:
        """Add a decision, or have it stand in place of what was decided before."""
        self.drop(question)
        self.decisions[question], self._rests[question] = answer, tuple(rests)
        for name in rests:
            self._on.setdefault(name, set()).add(question)
        self.bytes += _bytes(question) + _RESTS * len(rests)

    def drop(self, question: Question) -> None:
        """Forget a decision, if there is one."""
        if question not in self.decisions:
            return
        del self.decisions[question]
        rests = self._rests.pop(question)
        for name in rests:
            self._on[name].discard(question)
            if not self._on[name]:
                del self._on[name]
        self.bytes -= _bytes(question) + _RESTS * len(rests)

    def take_in(self, changes: Iterable[Change], leading: Collection[str]) -> None:
        """Forget what rests on something that has changed."""
        for change in changes:
            for question in [one for one in self._on.get(change[0], ()) if _concerns(change, one, leading)]:
                self.drop(question)


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

    async def known(self, store: str, revision: str, leading: Collection[str]) -> tuple[str, Known]:
        """Return what was decided that is right at a revision that was just told, or at one that came after it; and
        which one.

        `leading` are the types of which a tuple that names one leads further.
        """
        for _ in range(_TRIES):
            held = self._held.get(store)
            if held is None or held.revision == revision or not revision:
                break
            known = held.revision
            revision, changes = await self._revisions.since(store, known)
            if self._held.get(store) is not held or held.revision != known:
                continue  # somebody else has taken in what they saw
            if changes is None or not revision:
                self._drop(store)
            else:
                self._bytes -= held.bytes
                held.take_in(changes, leading)
                held.revision = revision
                self._bytes += held.bytes
        return revision, self.at(store, revision)

    async def keep(
        self,
        store: str,
        revision: str,
        decided: Mapping[Question, bool],
        rests: Mapping[Question, Collection[str]],
        leading: Collection[str],
    ) -> None:
        """Remember decisions that were made after a revision was read, but those of which something they rest on has
        changed since.
        """
        if not decided or not revision:
            return
        changes: Collection[Change] | None = ()
        now = await self._revisions.of(store)
        if now != revision:
            now, changes = await self._revisions.since(store, revision)
        if changes is None or not now:
            return
        now, _ = await self.known(store, now, leading) if store in self._held else (now, {})
        held = self._held.setdefault(store, _Decided(now))
        if held.revision != now:
            return
        self._bytes -= held.bytes
        for question, answer in decided.items():
            objects = rests[question]
            if not any(change[0] in objects and _concerns(change, question, leading) for change in changes):
                held.keep(question, answer, objects)
        self._bytes += held.bytes
        if self._bytes > self._most_bytes:
            self._held.clear()
            self._bytes = 0

    def _drop(self, store: str) -> None:
        self._bytes -= self._held.pop(store).bytes

    async def since(self, store: str, revision: str) -> tuple[str, Collection[Change] | None]:
        """See `Revisions.since`."""
        return await self._revisions.since(store, revision)

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


def _concerns(change: Change, question: Question, leading: Collection[str]) -> bool:
    """Return whether a decision that rests on the object of a change may turn out otherwise after it."""
    type_, _, id_ = change[1].partition(":")
    return type_ in leading or id_ == "*" or change[1] in question[0]


def _list_bytes(question: Question, held: Held) -> int:
    return _bytes(question) + sum(60 + len(name) for names in (held.names, held.reach) for name in names)


def _bytes(question: Question) -> int:
    """About what a decision takes: its place, and the texts that belong to it alone."""
    subjects, _, object_ = question
    return 300 + len(object_) + sum(60 + len(subject) for subject in subjects)
