"""Context packs and memories: nested fields kept flat, topics counted, deleted ones out of the way."""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from persistence.repository import Expected, Repository, Scope
from persistence.tables.knowledge import context_packs, memories, memory_topics
from schema.pagination import Page
from schema.utils.context_pack import ContextPack, PackStatus
from schema.utils.kept_json import canonical
from schema.utils.memory import Memory, MemoryAccess, MemoryQuality, MemoryStatus, MemoryType

KEY_TOPICS = 10
TOPICS_SHOWN = 50
SEARCH_TEXT_MADE = 10_000
"""How many characters of its content a memory's own search text holds."""

_QUALITY = tuple(MemoryQuality.model_fields)
_ACCESS = tuple(name for name in MemoryAccess.model_fields if name != "success_rate")


def stands_at(now: datetime, status: MemoryStatus) -> sa.ColumnElement[bool]:
    """Return which memories have a status at a moment: an active one counts as archived from its expiry on."""
    kept, expiry = memories.c.status == status, memories.c.expires_at
    if status is MemoryStatus.ACTIVE:
        return sa.and_(kept, sa.or_(expiry.is_(None), expiry > now))
    if status is MemoryStatus.ARCHIVED:
        return sa.or_(kept, sa.and_(memories.c.status == MemoryStatus.ACTIVE, expiry <= now))
    return kept


_LISTED = (memories.c.pinned.desc(), memories.c.created_at.desc())
"""How memories are listed: pinned ones first, then the newest."""


class ContextPackRepository(Repository[ContextPack]):
    """Context packs. They come without topics, which depend on the moment: `with_topics` adds them."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, ContextPack, context_packs, noun="context_pack", order=[context_packs.c.name])

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Leave room for the topics."""
        return values | {"key_topics": [], "topic_distribution": {}}

    def select(self, scope: Scope) -> sa.Select[Any]:
        """Return what is deleted is only found by a list that asks for it."""
        return super().select(scope).where(context_packs.c.status != PackStatus.DELETED)

    def listed(
        self, scope: Scope, *, offset: int, limit: int, status: PackStatus | None = None, **equals: Any
    ) -> Page[ContextPack]:
        """One window of the packs by name: those of a status, or all that are not deleted."""
        where = [context_packs.c.status != PackStatus.DELETED] if status is None else []
        return self.page(scope, offset=offset, limit=limit, where=where, status=status, **equals)

    def named(self, scope: Scope, name: str) -> ContextPack | None:
        """The pack that has a name, whatever its status, if it is not deleted."""
        items = self.listed(scope, offset=0, limit=1, name=name).items
        return items[0] if items else None

    def next_version(self, scope: Scope, id: str, values: Mapping[str, Any], *, expected: Expected) -> ContextPack:
        """Change a pack, as its next version. Raises as `change` does."""
        return self.change(scope, id, {**values, "version": context_packs.c.version + 1}, expected=expected)

    def add(self, item: ContextPack, **hidden: Any) -> ContextPack:
        """Insert a pack. Raises IntegrityError when its name is taken."""
        return super().add(item, standing_name=item.name, **hidden)

    def held(self, scope: Scope, pack_id: str) -> ContextPack:
        """A pack that stays as it is until the transaction ends. Raises NotFound."""
        query = self.select(scope).where(context_packs.c.id == pack_id).with_for_update(read=True)
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else self.get(scope, pack_id)

    def bury(self, pack: ContextPack, values: Mapping[str, Any], now: datetime) -> None:
        """Mark a pack and its memories as deleted. Raises VersionConflict when it was changed meanwhile."""
        buried = self._connection.execute(
            context_packs.update()
            .where(context_packs.c.id == pack.id, context_packs.c.revision == pack._revision)
            .values(
                **values,
                status=PackStatus.DELETED,
                deleted_at=now,
                standing_name=None,
                version=context_packs.c.version + 1,
                revision=context_packs.c.revision + 1,
            )
        )
        if not buried.rowcount:
            raise self._conflict(pack.id)
        mine = sa.and_(memories.c.context_pack_id == pack.id, memories.c.status != MemoryStatus.DELETED)
        self._connection.execute(memory_topics.delete().where(memory_topics.c.context_pack_id == pack.id))
        self._connection.execute(memories.update().where(mine).values(**_buried(now)))

    def with_topics(self, packs: Sequence[ContextPack], now: datetime) -> list[ContextPack]:
        """The packs with what their active memories are about; one statement for all of them."""
        if not packs:
            return []
        pack, topic, many = memory_topics.c.context_pack_id, memory_topics.c.topic, sa.func.count()
        rank = sa.func.row_number().over(partition_by=pack, order_by=(many.desc(), topic))
        counted = (
            sa.select(pack.label("pack"), topic.label("topic"), many.label("many"), rank.label("rank"))
            .join(memories, memories.c.id == memory_topics.c.memory_id)
            .where(pack.in_([item.id for item in packs]), stands_at(now, MemoryStatus.ACTIVE))
            .group_by(pack, topic)
            .subquery()
        )
        query = sa.select(counted).where(counted.c.rank <= TOPICS_SHOWN).order_by(counted.c.pack, counted.c.rank)
        topics: dict[str, dict[str, int]] = defaultdict(dict)
        for row in self._connection.execute(query):
            topics[row.pack][row.topic] = row.many
        made = []
        for item in packs:
            found = topics[item.id]
            made.append(item.model_copy(update={"topic_distribution": found, "key_topics": list(found)[:KEY_TOPICS]}))
        return made


class MemoryRepository(Repository[Memory]):
    """Memories. What they hold is hashed, so that a pack keeps the same thing once."""

    def __init__(self, connection: sa.Connection) -> None:
        super().__init__(connection, Memory, memories, noun="memory", order=_LISTED)
        flat = [*_QUALITY, *_ACCESS]
        self._names += flat
        self._columns[-1:] = [*(memories.c[name] for name in flat), memories.c.revision]

    def completed(self, values: dict[str, Any]) -> dict[str, Any]:
        """Gather what is kept flat into the nested fields."""
        quality = {name: values.pop(name) for name in _QUALITY}
        access = {name: values.pop(name) for name in _ACCESS}
        used = access["success_count"] + access["failure_count"]
        access["success_rate"] = access["success_count"] / used if used else None
        return values | {"quality": quality, "access": access}

    def listed(
        self,
        scope: Scope,
        *,
        now: datetime,
        status: MemoryStatus,
        words: Sequence[str] = (),
        offset: int,
        limit: int,
        **equals: Any,
    ) -> Page[Memory]:
        """One window of the memories that have a status now and hold all of some words, pinned first, then newest."""
        where = [stands_at(now, status), *(memories.c.words.contains(word, autoescape=True) for word in words)]
        return self.page(scope, offset=offset, limit=limit, where=where, **equals)

    def active_of_packs(
        self, scope: Scope, pack_ids: Sequence[str], now: datetime, most: int
    ) -> list[tuple[str, str | None, Memory]]:
        """The first memories of each pack that are active now, as `first_of_each` tells them."""
        where = [stands_at(now, MemoryStatus.ACTIVE)]
        return self.first_of_each(scope, "context_pack_id", pack_ids, where=where, most=most)

    def select(self, scope: Scope) -> sa.Select[Any]:
        """Return what is deleted is only found by a list that asks for it."""
        return super().select(scope).where(memories.c.status != MemoryStatus.DELETED)

    def same(self, pack_id: str, hashed: str) -> Memory | None:
        """The memory of a pack that holds the same."""
        query = sa.select(*self._columns).where(
            memories.c.context_pack_id == pack_id, memories.c.content_hash == hashed
        )
        found = self.resources(self._connection.execute(query).all())
        return found[0] if found else None

    def keep(self, item: Memory) -> Memory | None:
        """Insert a memory; None when the pack keeps the same already, be it since this very moment."""
        values = item.model_dump(mode="python", exclude={"quality", "access"})
        values |= item.quality.model_dump() | item.access.model_dump(exclude={"success_rate"})
        with self._connection.begin_nested() as attempt:
            try:
                self._connection.execute(memories.insert().values(**values, **derived(item), revision=1))
            except sa.exc.IntegrityError:
                attempt.rollback()
                return None
        item._revision = 1
        self._file(item)
        return item

    def rewrite(self, scope: Scope, item: Memory, values: Mapping[str, Any], *, expected: Expected) -> Memory:
        """Change what a memory says. Raises IntegrityError when the pack keeps the same already."""
        changed = self.change(
            scope,
            item.id,
            {**values, **derived(item), "version": memories.c.version + 1},
            expected=expected,
        )
        if changed._as_it_stood:
            return changed
        self._connection.execute(memory_topics.delete().where(memory_topics.c.memory_id == item.id))
        self._file(item)
        return changed

    def bury(self, memory: Memory, now: datetime) -> None:
        """Mark a memory as deleted. Raises VersionConflict when it was changed meanwhile."""
        self._connection.execute(memory_topics.delete().where(memory_topics.c.memory_id == memory.id))
        values = _buried(now) | {"archived_at": memory.archived_at}  # when it expired, if it did
        mine = sa.and_(memories.c.id == memory.id, memories.c.revision == memory._revision)
        if not self._connection.execute(memories.update().where(mine).values(**values)).rowcount:
            raise self._conflict(memory.id)

    def note_access(self, scope: Scope, memory_id: str, now: datetime) -> None:
        """Count one read; it is no change, so the revision stays."""
        mine = [*self._within(scope), memories.c.id == memory_id, memories.c.status != MemoryStatus.DELETED]
        counted = {"count": memories.c["count"] + 1, "last_accessed": now}
        self._connection.execute(memories.update().where(*mine).values(**counted))

    def note_help(self, scope: Scope, memory_ids: Sequence[str], *, helped: int, failed: int) -> None:
        """Add to how often memories helped and did not; it is no change, so the revision stays.

        One by one in the order of their ids, so that two at it never wait for each other.
        """
        for memory_id in sorted(set(memory_ids)):
            mine = [*self._within(scope), memories.c.id == memory_id, memories.c.status != MemoryStatus.DELETED]
            counted = {
                "success_count": memories.c.success_count + helped,
                "failure_count": memories.c.failure_count + failed,
            }
            self._connection.execute(memories.update().where(*mine).values(**counted))

    def _file(self, item: Memory) -> None:
        topics = {item.classification.domain, *item.classification.tags} - {None}
        rows = [
            {"memory_id": item.id, "topic": topic, "context_pack_id": item.context_pack_id}
            for topic in sorted(topics)  # type: ignore[type-var]
        ]
        if rows:
            self._connection.execute(memory_topics.insert(), rows)


def _buried(now: datetime) -> dict[str, Any]:
    return {
        "status": MemoryStatus.DELETED,
        "deleted_at": now,
        "updated_at": now,
        "content_hash": None,
        "revision": memories.c.revision + 1,
    }


def content_hash(memory_type: MemoryType, content: Mapping[str, Any], asset_fqn: str | None) -> str:
    """Return what makes two memories the same: the type, the content whatever the order of its keys, and the asset."""
    return hashlib.sha256(canonical([memory_type.value, content, asset_fqn])).hexdigest()


def text_of(content: Any) -> str | None:
    """The texts in a content, in its order, as a search text."""
    return " ".join(_texts(content))[:SEARCH_TEXT_MADE] or None


def derived(item: Memory) -> dict[str, Any]:
    """The columns that follow from what a memory says."""
    words = (item.name, item.search_text or "", *_texts(item.content))
    return {
        "content_hash": content_hash(item.memory_type, item.content, item.asset_fqn),
        "words": " ".join(words).casefold(),
    }


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for key in sorted(value) if isinstance(value, Mapping) else range(len(value)):
            if key != "type":  # names the kind of the content
                yield from _texts(value[key])
