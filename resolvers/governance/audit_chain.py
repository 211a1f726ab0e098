"""Walks through an audit log: to show that nothing in it was changed or removed, and to write it to a file."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Final, NamedTuple

from persistence.store import Store
from schema.governance.audit import FIRST_HASH, AuditEntry

AT_ONCE: Final = 500
HASH_LENGTH: Final = 64


class Verified(NamedTuple):
    """What a walk through one organization's log has found."""

    organization_id: str
    entries: int
    """How many entries it has, up to the first that is wrong."""
    last_hash: str
    broken: str | None
    """What is wrong first, in words; None where the log is whole."""


class KnownEnd(NamedTuple):
    """An entry that was noted earlier, outside of the store: its place and its hash."""

    sequence: int
    hash: str

    @classmethod
    def parse(cls, text: str) -> "KnownEnd":
        """Read `sequence:hash`, as the verification prints it. Raises ValueError."""
        sequence, _, hash_ = text.partition(":")
        if not (sequence.isdecimal() and len(hash_) == HASH_LENGTH):
            raise ValueError(f"{text!r} is no end of a log. It is written SEQUENCE:HASH: see `stoa audit verify`.")
        return cls(int(sequence), hash_)


async def organization_ids(store: Store) -> list[str]:
    """Every organization that has a log, in order."""
    return await store.read(lambda uow: uow.audit.organization_ids())


async def entries_of(
    store: Store, organization_id: str, *, since: datetime | None = None, until: datetime | None = None, **equals: Any
) -> AsyncIterator[AuditEntry]:
    """The entries of one organization in the order of the chain, read a few hundred at a time."""
    place = 0
    while True:
        some = await store.read(
            lambda uow: uow.audit.after(organization_id, place, AT_ONCE, since=since, until=until, **equals)  # noqa: B023
        )
        for entry in some:
            yield entry
        if len(some) < AT_ONCE:
            return
        place = some[-1].sequence


async def verified(store: Store, organization_id: str, known: KnownEnd | None = None) -> Verified:
    """Walk through a log from its beginning to its end, and say what is wrong first.

    Where the chain ends is told by the store itself, so somebody who writes to all of it could cut entries off the end
    and move that too: `known`, an end that was noted elsewhere, shows this.
    """
    last, last_hash = await store.read(lambda uow: uow.audit.end(organization_id))  # before: more may come meanwhile
    place, before = 0, FIRST_HASH

    def told(broken: str | None) -> Verified:
        return Verified(organization_id, place, before, broken)

    async for entry in entries_of(store, organization_id):
        if entry.sequence != place + 1:
            return told(f"entry {place + 1} is missing")
        if entry.previous_hash != before or entry.hash != entry.expected_hash():
            return told(f"entry {entry.sequence} was changed, or the one before it")
        if known is not None and entry.sequence == known.sequence and entry.hash != known.hash:
            return told(f"entry {entry.sequence} is another than the one that was noted")
        if entry.sequence == last and entry.hash != last_hash:
            return told(f"entry {entry.sequence} is another than the one that the log ended with")
        place, before = entry.sequence, entry.hash
    if place and not last:
        return told("nothing says where the log ends")
    if (missing := max(last, known.sequence if known else 0) - place) > 0:
        return told(f"{missing} at its end {'is' if missing == 1 else 'are'} missing")
    return told(None)
