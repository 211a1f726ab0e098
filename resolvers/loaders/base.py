"""Defines what the loaders of every service are made of: `batched` methods, and reads grouped by parent."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar, overload

from aiodataloader import DataLoader

from auth.caller import Caller
from auth.guard import Guard
from auth.relations import Relations
from persistence.repository import Repository, Scope
from persistence.store import Store, UnitOfWork
from schema.base import Resource
from schema.governance.permission import Permission

KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")
ResourceT = TypeVar("ResourceT", bound=Resource)

MOST_PER_PARENT = 200
"""How many items an edge answers with for one parent; the paged list has them all."""


class LoadersBase:
    """The caller's view of the store, and the batches that one request has open."""

    def __init__(self, store: Store, relations: Relations, guard: Guard, caller: Caller) -> None:
        self._store, self._relations, self._guard, self._caller = store, relations, guard, caller
        self._scope = Scope(caller.organization_id)
        self._batches: dict[str, DataLoader[Any, Any]] = {}

    async def _readable(
        self, type_name: str, ids: Sequence[str], needs: Permission = Permission.CAN_READ
    ) -> dict[str, bool]:
        """Return which of the objects the caller holds the permission on; asked in one round trip."""
        return await self._guard.allows_many(self._caller, needs, type_name, list(dict.fromkeys(ids)))

    async def _of_parents(
        self,
        repository_of: Callable[[UnitOfWork], Repository[ResourceT]],
        column: str,
        parents: Sequence[str],
        *,
        most: int = MOST_PER_PARENT,
        needs: Permission = Permission.CAN_READ,
    ) -> list[list[ResourceT]]:
        """The first items of each parent in their order, in one statement; none of what the caller may not read.

        That is asked of their projects. `column` names the parent in the table, which must have a `project_id` column
        too.
        """
        found = await self._store.read(
            lambda uow: repository_of(uow).first_of_each(self._scope, column, parents, most=most)
        )
        return await self._grouped(parents, found, needs)

    async def _grouped(
        self,
        parents: Sequence[str],
        found: Sequence[tuple[str, str | None, ResourceT]],
        needs: Permission = Permission.CAN_READ,
    ) -> list[list[ResourceT]]:
        """Return what was found by parent and project as one list for each parent; without what the caller may not
        read.
        """
        projects = [project for _, project, _ in found if project is not None]
        readable = await self._readable("project", projects, needs)
        of: dict[str, list[ResourceT]] = defaultdict(list)
        for parent, project, item in found:
            if project is not None and readable[project]:
                of[parent].append(item)
        return [of[parent] for parent in parents]


class batched(Generic[KeyT, ValueT]):
    """Makes a method that loads many keys one that loads a single key: all that a tick asks for become one call.

    The method takes the distinct keys and answers with one value for each, in their order.
    """

    def __init__(self, load: Callable[[Any, Sequence[KeyT]], Awaitable[Sequence[ValueT]]]) -> None:
        self._load = load
        self.__doc__ = load.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, loaders: None, owner: type) -> "batched[KeyT, ValueT]": ...
    @overload
    def __get__(self, loaders: LoadersBase, owner: type) -> Callable[[KeyT], Awaitable[ValueT]]: ...
    def __get__(self, loaders: LoadersBase | None, owner: type) -> Any:
        """The method that loads one key for this request."""
        if loaders is None:
            return self
        batches = loaders._batches
        if self._name not in batches:

            async def load(keys: list[KeyT]) -> list[ValueT]:
                return list(await self._load(loaders, keys))

            batches[self._name] = DataLoader(load)
        return batches[self._name].load
