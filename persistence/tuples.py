"""Relation tuples in the store: the walks that a check needs, and writing them inside any transaction.

The functions that take a `Connection` are synchronous and belong into a unit of work, so that a row and its tuples
are written together: none or all. `StoredTuples` is the asynchronous face that the authorization engine reads
through. Users are spelled `type:id`, `type:*` or `type:id#relation`, objects `type:id`.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple, Protocol, TypeVar

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from persistence.engine import Database
from persistence.tables.authorization import relation_tuples as t
from schema.errors import AlreadyExists, NotFound

T = TypeVar("T")

AT_ONCE = 400
"""Names per statement; SQLite and PostgreSQL both bind several thousand values at most comfortably."""

MOST_LEVELS = 27
"""Levels that are followed: two more than the evaluator allows, which then knows that there were too many."""


class WritableTuple(Protocol):
    """Describes what is written: any object with these attributes."""

    @property
    def user(self) -> str: ...
    @property
    def relation(self) -> str: ...
    @property
    def object(self) -> str: ...
    @property
    def condition(self) -> str | None: ...
    @property
    def context(self) -> Mapping[str, Any] | None: ...


class StoredTuple(NamedTuple):
    """A tuple as it was read."""

    user: str
    relation: str
    object: str
    condition: str | None = None
    context: Mapping[str, Any] | None = None


# The walk upwards from some objects; then what stands on each of them, of everybody or of the named users. Left to
# themselves, both planners read all groups and parents of the store and join them to the few objects asked about. So
# each is told the way, which is one look into the primary key for each object and type of user: SQLite by the name of
# the index and the order of the join, PostgreSQL by lateral queries that `offset 0` keeps whole. It is text because
# building and recognising a statement costs more than running this one.
_WALKS = {
    "sqlite": (
        """
        with recursive reached(type, id, level) as (
            select json_extract(value, '$[0]'), json_extract(value, '$[1]'), 0 from json_each(:objects)
            union
            select t.user_type, t.user_id, r.level + 1 from reached r cross join json_each(:nodes) n
            cross join relation_tuples t indexed by sqlite_autoindex_relation_tuples_1
            where t.store = :store and t.object_type = r.type and t.object_id = r.id and t.user_type = n.value
            and t.user_id <> '*' and r.level < :levels
        ), objects as (select distinct type, id from reached)
        """,
        """
        select t.object_type, t.object_id, t.user_type, t.user_id, t.user_relation, t.relation, t.condition, t.context
        from objects r cross join relation_tuples t indexed by sqlite_autoindex_relation_tuples_1
        where t.store = :store and t.object_type = r.type and t.object_id = r.id
        """,
        """
        select t.object_type, t.object_id, t.user_type, t.user_id, t.user_relation, t.relation, t.condition, t.context
        from objects r cross join json_each(:nodes) n
        cross join relation_tuples t indexed by sqlite_autoindex_relation_tuples_1
        where t.store = :store and t.object_type = r.type and t.object_id = r.id and t.user_type = n.value
        union all
        select t.object_type, t.object_id, t.user_type, t.user_id, t.user_relation, t.relation, t.condition, t.context
        from objects r cross join json_each(:users) n
        cross join relation_tuples t indexed by sqlite_autoindex_relation_tuples_1
        where t.store = :store and t.object_type = r.type and t.object_id = r.id
        and t.user_type = json_extract(n.value, '$[0]') and t.user_id = json_extract(n.value, '$[1]')
        """,
    ),
    "postgresql": (
        """
        with recursive reached(type, id, level) as (
            select a.type, a.id, 0 from unnest(%(types)s::text[], %(ids)s::text[]) a(type, id)
            union
            select f.user_type::text, f.user_id, r.level + 1
            from reached r cross join unnest(%(nodes)s::text[]) n(type) cross join lateral (
                select t.user_type, t.user_id from relation_tuples t
                where t.store = %(store)s and t.object_type = r.type and t.object_id = r.id and t.user_type = n.type
                offset 0
            ) f
            where f.user_id <> '*' and r.level < %(levels)s
        ), objects as (select distinct type, id from reached)
        """,
        """
        select f.object_type, f.object_id, f.user_type, f.user_id, f.user_relation, f.relation, f.condition,
            f.context::text
        from objects r cross join lateral (
            select * from relation_tuples t
            where t.store = %(store)s and t.object_type = r.type and t.object_id = r.id
            offset 0
        ) f
        """,
        """
        select f.object_type, f.object_id, f.user_type, f.user_id, f.user_relation, f.relation, f.condition,
            f.context::text
        from objects r cross join unnest(%(nodes)s::text[]) n(type) cross join lateral (
            select * from relation_tuples t
            where t.store = %(store)s and t.object_type = r.type and t.object_id = r.id and t.user_type = n.type
            offset 0
        ) f
        union all
        select f.object_type, f.object_id, f.user_type, f.user_id, f.user_relation, f.relation, f.condition,
            f.context::text
        from objects r cross join unnest(%(user_types)s::text[], %(user_ids)s::text[]) n(type, id) cross join lateral (
            select * from relation_tuples t
            where t.store = %(store)s and t.object_type = r.type and t.object_id = r.id
            and t.user_type = n.type and t.user_id = n.id
            offset 0
        ) f
        """,
    ),
}

# The walk downwards from some users, through the types that lead to the one wanted; then the tuples that were walked.
# Both planners are told the way here as well, by the other index.
_TOWARDS = {
    "sqlite": """
        with recursive reached(type, id) as (
            select json_extract(value, '$[0]'), json_extract(value, '$[1]') from json_each(:users)
            union
            select t.object_type, t.object_id
            from reached r cross join relation_tuples t indexed by ix_relation_tuples_user
            where r.type in (select value from json_each(:leading)) and t.store = :store and t.user_type = r.type
            and t.user_id = r.id and t.object_type in (select value from json_each(:kept))
        ), told(token) as (
            select group_concat(token, ' ')
            from (select token from relation_revisions where store = :store order by slot)
        ), found as (
            select t.* from reached r cross join relation_tuples t indexed by ix_relation_tuples_user
            where r.type in (select value from json_each(:leading)) and t.store = :store and t.user_type = r.type
            and t.user_id = r.id and t.object_type in (select value from json_each(:kept))
        )
        select token, object_type, object_id, user_type, user_id, user_relation, relation, condition, context
        from told left join found on true
        """,
    "postgresql": """
        with recursive reached(type, id) as (
            select a.type, a.id from unnest(%(types)s::text[], %(ids)s::text[]) a(type, id)
            union
            select f.object_type::text, f.object_id from reached r cross join lateral (
                select t.object_type, t.object_id from relation_tuples t
                where t.store = %(store)s and t.user_type = r.type and t.user_id = r.id
                and t.object_type = any(%(kept)s::text[])
                offset 0
            ) f
            where r.type = any(%(leading)s::text[])
        ), told(token) as (
            select string_agg(token, ' ' order by slot) from relation_revisions where store = %(store)s
        ), found as (
            select f.* from reached r cross join lateral (
                select * from relation_tuples t
                where t.store = %(store)s and t.user_type = r.type and t.user_id = r.id
                and t.object_type = any(%(kept)s::text[])
                offset 0
            ) f
            where r.type = any(%(leading)s::text[])
        )
        select token, object_type, object_id, user_type, user_id, user_relation, relation, condition, context::text
        from told left join found on true
        """,
}

_Key = tuple[str, str, str, str, str, str]
_KEY = (t.c.object_type, t.c.object_id, t.c.user_type, t.c.user_id, t.c.user_relation, t.c.relation)
_ROW = (*_KEY, t.c.condition, t.c.context)


def write_tuples(
    connection: sa.Connection,
    store: str,
    writes: Sequence[WritableTuple] = (),
    deletes: Sequence[WritableTuple] = (),
    *,
    lenient: bool = False,
) -> None:
    """Write and delete tuples of one store, all or nothing as far as the surrounding transaction goes.

    Raises AlreadyExists for a write that stands and NotFound for a delete that does not; `lenient` takes both as
    done. The same tuple with another condition is AlreadyExists either way: delete it first.
    """
    wanted: dict[_Key, WritableTuple] = {}
    for item in writes:
        if wanted.setdefault(_key(item.object, item.relation, item.user), item) is not item and not lenient:
            raise _stands(item)
    unwanted = {_key(item.object, item.relation, item.user): item for item in deletes}
    if both := wanted.keys() & unwanted.keys():
        raise ValueError(f"{_spelled(wanted[min(both)])} is to be written and deleted at once; choose one.")
    standing = _standing(connection, store, [*wanted, *unwanted])
    for key, item in wanted.items():
        if key in standing and (not lenient or standing[key] != (item.condition, _plain(item.context))):
            raise _stands(item)
    for key, item in unwanted.items():
        if key not in standing and not lenient:
            raise NotFound("relation", _spelled(item))
    _delete(connection, store, [key for key in unwanted if key in standing], lenient)
    _insert(connection, store, {key: item for key, item in wanted.items() if key not in standing}, lenient)


def delete_object_tuples(connection: sa.Connection, store: str, object: str) -> int:
    """Delete every tuple on the object and every tuple that names it as user or parent; says how many."""
    type_, id_ = _object(object)
    on_it = sa.delete(t).where(t.c.store == store, t.c.object_type == type_, t.c.object_id == id_)
    naming_it = sa.delete(t).where(t.c.store == store, t.c.user_type == type_, t.c.user_id == id_)
    return connection.execute(on_it).rowcount + connection.execute(naming_it).rowcount


def read_tuples(
    connection: sa.Connection,
    store: str,
    *,
    object: str | None = None,
    relation: str | None = None,
    user: str | None = None,
    limit: int = 100,
    after: WritableTuple | None = None,
) -> list[StoredTuple]:
    """List tuples in the order of their key. `object` may be a bare `type:` for every object of a type."""
    statement = sa.select(*_ROW).where(t.c.store == store).order_by(*_KEY).limit(limit)
    if object is not None:
        type_, _, id_ = object.partition(":")
        statement = statement.where(t.c.object_type == type_)
        if id_:
            statement = statement.where(t.c.object_id == id_)
    if relation is not None:
        statement = statement.where(t.c.relation == relation)
    if user is not None:
        for column, value in zip((t.c.user_type, t.c.user_id, t.c.user_relation), _user(user), strict=True):
            statement = statement.where(column == value)
    if after is not None:
        last = _key(after.object, after.relation, after.user)
        bound = [sa.literal(value, column.type) for value, column in zip(last, _KEY, strict=True)]
        statement = statement.where(sa.tuple_(*_KEY) > sa.tuple_(*bound))
    return [_read(row) for row in connection.execute(statement)]


def tuples_around(
    connection: sa.Connection,
    store: str,
    objects: Sequence[str],
    users: Sequence[str] | None,
    node_types: Sequence[str],
) -> list[StoredTuple]:
    """Collect all that a check of these objects can meet, in one statement however many levels and groups there are.

    From each object it follows the tuples whose user is of a node type (a parent, a group), as far as they lead, or
    to MOST_LEVELS. Of the other users only `users` and the wildcards are read, so that the many users of a large
    project cost nothing; None reads them all.
    """
    plain: list[tuple[str, str]] = []
    if users is not None:  # groups are of a node type and read anyway
        bare = {_user(user)[:2] for user in users if "#" not in user}
        wanted = sorted(bare | {(type_, "*") for type_, _ in bare})
        plain = [user for user in wanted if user[0] not in node_types]
    asked = sorted(set(map(_object, objects)))
    if connection.dialect.name == "sqlite":
        values: dict[str, Any] = {
            "objects": orjson.dumps(asked).decode(),
            "users": orjson.dumps(plain).decode(),
            "nodes": orjson.dumps(list(node_types)).decode(),
        }
    else:
        values = {
            "types": [type_ for type_, _ in asked],
            "ids": [id_ for _, id_ in asked],
            "user_types": [type_ for type_, _ in plain],
            "user_ids": [id_ for _, id_ in plain],
            "nodes": list(node_types),
        }
    walk, everybody, named = _WALKS[connection.dialect.name]
    values |= {"store": store, "levels": MOST_LEVELS - 1}
    return [
        _read_text(row) for row in connection.exec_driver_sql(walk + (everybody if users is None else named), values)
    ]


def tuples_towards(
    connection: sa.Connection, store: str, users: Sequence[str], object_type: str, leading: Sequence[str]
) -> tuple[str, list[StoredTuple]]:
    """Collect every tuple of each chain that joins one of the users, or all of their type, to an object of a type.

    Nothing else can give any of the users anything on such an object. `leading` are the types that may stand on the way
    there: what hangs from other types is not read, however much it is. In the same statement it tells what the
    relations of the store are at, as `persistence/revisions.py` spells it; empty when nothing would tell of a change.
    """
    bare = {_user(user)[:2] for user in users}
    start = sorted(bare | {(type_, "*") for type_, _ in bare})
    kept = sorted({*leading, object_type})
    values: dict[str, Any] = {"store": store}
    if connection.dialect.name == "sqlite":
        given = {"users": start, "leading": list(leading), "kept": kept}
        values |= {name: orjson.dumps(value).decode() for name, value in given.items()}
    else:
        values |= {"types": [type_ for type_, _ in start], "ids": [id_ for _, id_ in start]}
        values |= {"leading": list(leading), "kept": kept}
    rows = connection.exec_driver_sql(_TOWARDS[connection.dialect.name], values).all()
    return rows[0][0] or "", [_read_text(row[1:]) for row in rows if row[1] is not None]


class StoredTuples:
    """The tuples of all stores, through the platform's database: one hop for every call."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def around(
        self, store: str, objects: Sequence[str], users: Sequence[str] | None, node_types: Sequence[str]
    ) -> list[StoredTuple]:
        """See `tuples_around`."""
        return await self._database.read(lambda c: tuples_around(c, store, objects, users, node_types))

    async def towards(
        self, store: str, users: Sequence[str], object_type: str, leading: Sequence[str]
    ) -> tuple[str, list[StoredTuple]]:
        """See `tuples_towards`."""
        return await self._database.read(lambda c: tuples_towards(c, store, users, object_type, leading))

    async def read(
        self,
        store: str,
        *,
        object: str | None = None,
        relation: str | None = None,
        user: str | None = None,
        limit: int = 100,
        after: WritableTuple | None = None,
    ) -> list[StoredTuple]:
        """See `read_tuples`."""
        return await self._database.read(
            lambda c: read_tuples(c, store, object=object, relation=relation, user=user, limit=limit, after=after)
        )

    async def write(
        self, store: str, writes: Sequence[WritableTuple], deletes: Sequence[WritableTuple], *, lenient: bool
    ) -> None:
        """See `write_tuples`; one transaction."""
        await self._database.write(lambda c: write_tuples(c, store, writes, deletes, lenient=lenient))

    async def delete_object(self, store: str, object: str) -> int:
        """See `delete_object_tuples`; one transaction."""
        return await self._database.write(lambda c: delete_object_tuples(c, store, object))


def _standing(
    connection: sa.Connection, store: str, keys: Sequence[_Key]
) -> dict[_Key, tuple[str | None, dict[str, Any] | None]]:
    found = {}
    for some in _in_parts(keys):
        statement = sa.select(*_ROW).where(t.c.store == store, sa.tuple_(*_KEY).in_(some))
        for row in connection.execute(statement):
            found[_key_of(row)] = (row.condition, row.context)
    return found


def _delete(connection: sa.Connection, store: str, keys: Sequence[_Key], lenient: bool) -> None:
    for some in _in_parts(keys):
        gone = connection.execute(sa.delete(t).where(t.c.store == store, sa.tuple_(*_KEY).in_(some))).rowcount
        if gone < len(some) and not lenient:  # somebody else was faster
            raise NotFound("relation", "one of several")


def _insert(connection: sa.Connection, store: str, items: Mapping[_Key, WritableTuple], lenient: bool) -> None:
    if not items:
        return
    now = datetime.now(UTC)
    names = [column.key for column in _KEY]
    rows: list[dict[str, Any]] = [
        dict[str, Any](zip(names, key, strict=True))
        | {"store": store, "condition": item.condition, "context": _plain(item.context), "created_at": now}
        for key, item in items.items()
    ]
    insert = postgresql.insert(t) if connection.dialect.name == "postgresql" else sqlite.insert(t)
    try:
        connection.execute(insert.on_conflict_do_nothing() if lenient else insert, rows)
    except sa.exc.IntegrityError as error:  # somebody else was faster
        raise _stands(next(iter(items.values()))) from error


def _stands(item: WritableTuple) -> AlreadyExists:
    return AlreadyExists(f"{_spelled(item)} stands already; nothing was written.", tuple=_spelled(item))


def _spelled(item: WritableTuple) -> str:
    return f"{item.object}#{item.relation}@{item.user}"


def _plain(context: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return dict(context) if context else None


def _object(name: str) -> tuple[str, str]:
    type_, _, id_ = name.partition(":")
    return type_, id_


def _user(name: str) -> tuple[str, str, str]:
    whole, _, relation = name.partition("#")
    type_, _, id_ = whole.partition(":")
    return type_, id_, relation


def _key(object_: str, relation: str, user: str) -> _Key:
    return (*_object(object_), *_user(user), relation)


def _key_of(row: Any) -> _Key:
    return (row[0], row[1], row[2], row[3], row[4], row[5])


def _read(row: Any) -> StoredTuple:
    object_type, object_id, user_type, user_id, user_relation, relation, condition, context = row
    user = f"{user_type}:{user_id}#{user_relation}" if user_relation else f"{user_type}:{user_id}"
    return StoredTuple(user, relation, f"{object_type}:{object_id}", condition, context)


def _read_text(row: Sequence[Any]) -> StoredTuple:
    """A row whose context is the text of JSON, as the statements that are text give it."""
    return _read(row if row[7] is None else (*row[:7], orjson.loads(row[7])))


def _in_parts(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), AT_ONCE):
        yield items[start : start + AT_ONCE]
