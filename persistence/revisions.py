"""Whether relations or a catalog are still what they were: one look, shared by all who ask at the same time.

A look counts for whoever asked before it began. So a change that was committed before a request arrived, by whichever
process, is seen by that request; and however many requests arrive together, the store is asked once.
"""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Final

import orjson

from persistence.engine import Database
from persistence.repository import Scope

Key = tuple[str, str | None]
"""An organization's relations, or with its project a catalog."""

Change = tuple[str, str]
"""The object and the user of a tuple that came or went, each as `type:id`: of a group, without the relation to it."""

Asked = Callable[[], Awaitable[str]]
"""A look that has been asked for; called, it is waited for."""

_RELATIONS: Final = "select store, null, slot, token from relation_revisions where store = any(%(stores)s)"
_CATALOGS: Final = """select organization_id, project_id, slot, token from catalog_revisions
    where (organization_id, project_id) in (select * from unnest(%(organizations)s::text[], %(projects)s::text[]))"""

_IN_SQLITE: Final = (
    "select store, null, slot, token from relation_revisions where store = :organization",
    """select organization_id, project_id, slot, token from catalog_revisions
    where organization_id = :organization and project_id = :project""",
)


@functools.cache
def _walk(dialect: str) -> str:
    """Return a walk from the tokens that stand back along their changes, to known ones or to where it breaks off."""
    from persistence.tables.authorization import revised_relations  # the settings need no tables

    steps = 0 if revised_relations.log is None else revised_relations.log.steps
    store, modulo, text, unknown = _DIALECTS[dialect]
    return f"""
    with recursive walked(slot, number, token, changed, step) as (
        select slot, number, token, null{text}, 0 from relation_revisions where store = {store}
        union all
        select w.slot, w.number - 1, c.before, c.changed, w.step + 1 from walked w join relation_changes c
        on c.store = {store} and c.slot = w.slot and c.place = w.number {modulo} {steps} and c.token = w.token
        where {unknown}
    )
    select slot, token, changed, step from walked order by slot, step"""  # noqa: S608 - our own texts


_DIALECTS: Final = {
    "sqlite": (":store", "%", "", "w.token not in (select value from json_each(:known))"),
    "postgresql": ("%(store)s", "%%", "::text", "w.token <> all(%(known)s::text[])"),
}


class _Look:
    """One look at the store, and those who wait for it."""

    def __init__(self) -> None:
        self.keys: set[Key] = set()
        self.found: asyncio.Future[dict[Key, str]] = asyncio.get_running_loop().create_future()


class Revisions:
    """The revisions of all organizations and their catalogs, read from the platform's own store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next: _Look | None = None
        self._looking: asyncio.Task[None] | None = None

    async def of(self, store: str) -> str:
        """Return what the relations of a store are at: the same as long as none of them has changed. Raises
        DatabaseError.
        """
        return await self._asked((store, None))()

    async def since(self, store: str, revision: str) -> tuple[str, frozenset[Change] | None]:
        """Return what the relations of a store are at, and what has changed since they were at a revision; None where
        that may be anything. Raises DatabaseError.
        """
        known = revision.split(" ") if revision else []
        given: Any = orjson.dumps(known).decode() if self._database.dialect == "sqlite" else known
        rows = await self._database.glance(_walk(self._database.dialect), {"store": store, "known": given})
        return _since(rows, set(known))

    def look_at_catalog(self, scope: Scope) -> Asked:
        """Ask what the catalog of a project is at; empty when nothing would tell of its next change.

        What else is asked before the answer is waited for shares the look. Waiting raises DatabaseError.
        """
        return self._asked((scope.organization_id, scope.project_id or ""))

    async def close(self) -> None:
        """End a look that nobody waits for any more."""
        if (looking := self._looking) is not None:
            looking.cancel()
            await asyncio.wait([looking])
            if (look := self._next) is not None:  # it had not even begun
                look.found.cancel()
            self._next = self._looking = None

    def _asked(self, key: Key) -> Asked:
        if self._database.dialect == "sqlite":
            return lambda: self._glanced(key)
        look = self._next
        if look is None:
            look = self._next = _Look()
            if self._looking is None:
                self._looking = asyncio.create_task(self._look())
        look.keys.add(key)
        found = look.found

        async def told() -> str:
            return (await asyncio.shield(found)).get(key, "")

        return told

    async def _glanced(self, key: Key) -> str:
        organization, project = key
        values = {"organization": organization, "project": project}
        return _told(await self._database.glance(_IN_SQLITE[project is not None], values)).get(key, "")

    async def _look(self) -> None:
        """Look until nobody waits, as a task of its own: a caller who goes away takes it from nobody."""
        try:
            while (look := self._next) is not None:
                self._next = None  # who comes from now on waits for the next one
                try:
                    rows = await self._database.glance(*_statement(look.keys))
                except Exception as failure:
                    look.found.set_exception(failure)
                    look.found.exception()  # those who asked may be gone
                except BaseException:  # the server ends: let nobody wait for what will not come
                    for one in (look, self._next):
                        if one is not None:
                            one.found.cancel()
                    self._next = None
                    raise
                else:
                    look.found.set_result(_told(rows))
        finally:
            self._looking = None


def _statement(keys: Iterable[Key]) -> tuple[str, dict[str, list[str]]]:
    """One statement of PostgreSQL for all that is asked, with its values."""
    stores = sorted(organization for organization, project in keys if project is None)
    catalogs = sorted((organization, project) for organization, project in keys if project is not None)
    halves = [half for half, asked in ((_RELATIONS, stores), (_CATALOGS, catalogs)) if asked]
    values = {
        "stores": stores,
        "organizations": [organization for organization, _ in catalogs],
        "projects": [project for _, project in catalogs],
    }
    return f"{' union all '.join(halves)} order by 1, 2, 3", values


def _told(rows: list[Any]) -> dict[Key, str]:
    found: dict[Key, str] = {}
    for organization, project, _, token in rows:
        key = (organization, project)
        found[key] = f"{found[key]} {token}" if key in found else token
    return found


def _since(rows: Sequence[Any], known: set[str]) -> tuple[str, frozenset[Change] | None]:
    """Read a walk: what stands, and what changed if each token was followed to a known one or to its very beginning."""
    ends: dict[str, str] = {}
    changes: set[Change] = set()
    whole = bool(known)
    for slot, token, changed, step in rows:
        ends[slot] = token
        if step and changed is None:
            whole = False
        elif step:
            changes.update([(f"{of}:{object_}", f"{by}:{user}") for of, object_, by, user in orjson.loads(changed)])
    whole = whole and {end for end in ends.values() if end} == known
    return " ".join([token for _, token, _, step in rows if step == 0]), frozenset(changes) if whole else None
