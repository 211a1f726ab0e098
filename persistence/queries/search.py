"""The search index in plain tables, so that both stores find and rank alike.

An entity is found when it has every word of the query, the last one also as a beginning. Its score adds up, for each
word, the weight of the place where the word stands (title 4, subtitle 2, text 1; doubled for the whole word), times the
entity's boost.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final
from uuid import uuid4

import sqlalchemy as sa

from persistence.tables.search import search_entities as entities
from persistence.tables.search import search_queue as queue
from persistence.tables.search import search_words as words
from schema.pagination import Page
from schema.search.entity import IndexEntity, SearchHit, permission_object

MOST_WORDS: Final = 2_000
"""How many different words of one entity can be found; the first ones count."""
MOST_QUERY_WORDS: Final = 16
LONGEST_WORD: Final = 64
DRAINED_AT_ONCE: Final = 500
MOST_OBJECTS: Final = 5_000
"""How many different objects the hits of one query may be checked on."""

_WORD = re.compile(r"\w+")
_LAST = "\U0010ffff"
_WEIGHTS: Final = (("title", 4), ("subtitle", 2), ("embedded_text", 1))


def words_of(text: str) -> list[str]:
    """The words of a text: letters, digits and underscores, without case or compatibility forms."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return [word[:LONGEST_WORD] for word in _WORD.findall(plain)]


@dataclass(frozen=True, slots=True)
class WantedEntities:
    """Holds which entities are looked for: those of a type, of a project; None for any."""

    entity_type: str | None = None
    project_id: str | None = None

    def conditions(self) -> list[sa.ColumnElement[bool]]:
        """Return what that says of an entity's row."""
        said = {"entity_type": self.entity_type, "project_id": self.project_id}
        return [entities.c[name] == value for name, value in said.items() if value is not None]


class SearchRepository:
    """The index over one connection. Every statement names the organization."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def enqueue(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write down what is to be indexed or taken out, in its order."""
        if rows:
            self._connection.execute(queue.insert(), list(rows))

    def waiting(self) -> list[str]:
        """The organizations for which something waits."""
        return list(self._connection.execute(sa.select(queue.c.organization_id).distinct()).scalars())

    def drain(self, organization_id: str, now: datetime) -> int:
        """Apply the oldest waiting operations of an organization in their order; how many they were.

        The rows are locked, so that of two processes the second waits for the first and then sees what is left.
        """
        query = (
            sa.select(queue)
            .where(queue.c.organization_id == organization_id)
            .order_by(queue.c.number)
            .limit(DRAINED_AT_ONCE)
            .with_for_update()
        )
        rows = self._connection.execute(query).all()
        for row in rows:
            self._take_out(row)
            if row.entity is not None:
                self._put_in(row.organization_id, IndexEntity.model_validate(row.entity), now)
        if rows:
            done = queue.c.number.in_([row.number for row in rows])
            self._connection.execute(queue.delete().where(done))
        return len(rows)

    def _take_out(self, row: Any) -> None:
        here = [entities.c[name] == getattr(row, name) for name in _KEY]
        old = self._connection.execute(sa.select(entities.c.id).where(*here)).scalar_one_or_none()
        if old is not None:
            self._connection.execute(words.delete().where(words.c.entity == old))
            self._connection.execute(entities.delete().where(entities.c.id == old))

    def _put_in(self, organization_id: str, entity: IndexEntity, now: datetime) -> None:
        id_, (type_, object_id) = str(uuid4()), permission_object(entity.permission_id)
        shown = entity.model_dump(include={c.name for c in entities.c} - {"organization_id", "permission_id"})
        self._connection.execute(
            entities.insert().values(
                **shown,
                id=id_,
                organization_id=organization_id,
                sort_title=entity.title[:255],
                permission_type=type_,
                permission_id=object_id,
                indexed_at=now,
            )
        )
        found = [
            {"entity": id_, "organization_id": organization_id, "word": word, "weight": weight}
            for word, weight in _weighed(entity).items()
        ]
        if found:
            self._connection.execute(words.insert(), found)

    def objects(self, organization_id: str, q: str, wanted: WantedEntities) -> list[tuple[str, str]]:
        """The objects on which the hits of a query are to be checked."""
        hits = _hits(organization_id, q, wanted.conditions()).subquery()
        query = sa.select(hits.c.permission_type, hits.c.permission_id).distinct().limit(MOST_OBJECTS)
        return [(type_, id_) for type_, id_ in self._connection.execute(query)]

    def find(
        self,
        organization_id: str,
        q: str,
        wanted: WantedEntities,
        readable: Sequence[tuple[str, str]],
        *,
        offset: int,
        limit: int,
    ) -> Page[SearchHit]:
        """One window of the hits that lie on readable objects, best first."""
        by_type: dict[str, list[str]] = {}
        for type_, id_ in readable:
            by_type.setdefault(type_, []).append(id_)
        allowed = [
            sa.and_(entities.c.permission_type == type_, entities.c.permission_id.in_(ids))
            for type_, ids in by_type.items()
        ]
        hits = _hits(organization_id, q, [*wanted.conditions(), sa.or_(sa.false(), *allowed)]).subquery()
        total = self._connection.execute(sa.select(sa.func.count()).select_from(hits)).scalar_one()
        shown = [hits.c[name] for name in SearchHit.model_fields]
        query = sa.select(*shown).order_by(
            hits.c.score.desc(), hits.c.sort_title, hits.c.entity_type, hits.c.entity_id, hits.c.project_id
        )
        rows = self._connection.execute(query.offset(offset).limit(limit)).mappings()
        items = [SearchHit.model_validate(dict(row)) for row in rows]
        return Page[Any].model_construct(items=items, total=total, offset=offset, limit=limit)


_KEY: Final = ("organization_id", "project_id", "entity_type", "entity_id")


def _weighed(entity: IndexEntity) -> dict[str, int]:
    """Each word with the weight of the best place where it stands."""
    found: dict[str, int] = {}
    for field, weight in _WEIGHTS:
        for word in words_of(getattr(entity, field) or ""):
            found.setdefault(word, weight)
    return dict(islice(found.items(), MOST_WORDS))


def _hits(organization_id: str, q: str, filters: Sequence[sa.ColumnElement[bool]]) -> sa.Select[Any]:
    """The entities that have every word of the query, with their score."""
    asked = words_of(q)[:MOST_QUERY_WORDS]
    source: sa.FromClause = entities
    scores: list[sa.ColumnElement[Any]] = []
    for position, word in enumerate(asked):
        fits = words.c.word == word
        if position == len(asked) - 1:
            fits = sa.and_(words.c.word >= word, words.c.word < word + _LAST)
        weight = words.c.weight * sa.case((words.c.word == word, 2), else_=1)
        one = (
            sa.select(words.c.entity, sa.func.max(weight).label("weight"))
            .where(words.c.organization_id == organization_id, fits)
            .group_by(words.c.entity)
            .subquery(f"word_{position}")
        )
        source = source.join(one, one.c.entity == entities.c.id)
        scores.append(one.c.weight)
    score = sum(scores[1:], scores[0]) * entities.c.rank_boost if scores else sa.literal(0.0)
    return (
        sa.select(*entities.c, sa.cast(score, sa.Float).label("score"))
        .select_from(source)
        .where(entities.c.organization_id == organization_id, *filters)
    )
