"""The edges around an asset that are no plain lists: its members, what it refers to, what was asked of it."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from persistence.queries.catalog_edges import AssetRows, members_joined, named_below
from persistence.queries.data_assets import data_assets_of
from persistence.queries.enrichment import references_in
from persistence.queries.nested_lists import changed, of_column
from persistence.queries.windows import Parent, Ranked, Ranks, windows_of
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.loaders.base import MOST_PER_PARENT, batched
from resolvers.loaders.windows import WindowLoaders
from schema.data_readiness.data_asset import DataAsset
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.pagination import Connection
from schema.talk2data.turn import TurnOrder
from schema.utils.metadata_asset import AssetReference, AssetType, MetadataAsset
from schema.windows import Asked, Listing

LATEST_ANSWERS: Final = 500
"""How many of the caller's latest answers are looked at for the tables that they read."""


class AroundAssetsLoaders(WindowLoaders):
    """Describes what stands around assets."""

    async def members_by_cursor(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """The assets directly below one, in the order of the catalog."""
        parent = (asset.project_id, asset.resource_uri, asset.fully_qualified_name)
        return await self._members_by_cursor(Asked(asset.project_id, parent, listing))

    @batched
    async def _members_by_cursor(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            return windows_of(AssetRows(uow.connection), self._scope, parents, members_joined, ranks)

        return await self._windows("members", asked, read, Permission.CAN_READ_METADATA)

    async def data_asset_of(self, asset: MetadataAsset) -> DataAsset | None:
        """The asset as Data Readiness sees it."""
        return await self._data_asset((asset.project_id, asset.id))

    @batched
    async def _data_asset(self, asked: Sequence[tuple[str, str]]) -> list[DataAsset | None]:
        readable = await self._readable("project", [project for project, _ in asked], Permission.CAN_READ_METADATA)
        ids: dict[str, list[str]] = defaultdict(list)
        for project, id in asked:
            if readable[project]:
                ids[project].append(id)

        def work(uow: UnitOfWork) -> dict[str, DataAsset]:
            organization = self._scope.organization_id
            return {
                one.id: one
                for project, some in ids.items()
                for one in data_assets_of(uow.connection, Scope(organization, project), some)
            }

        found = await self._store.read(work)
        return [found.get(id) for _, id in asked]

    async def references_of_asset(self, asset: MetadataAsset) -> list[AssetReference]:
        """Return what a table or column refers to."""
        return await self._around(asset, outward=True)

    async def references_to_asset(self, asset: MetadataAsset) -> list[AssetReference]:
        """Return what refers to a table or column."""
        return await self._around(asset, outward=False)

    async def _around(self, asset: MetadataAsset, *, outward: bool) -> list[AssetReference]:
        if asset.type not in (AssetType.TABLE, AssetType.COLUMN):
            return []
        name = asset.fully_qualified_name
        database = str(Fqn.of(*Fqn.parse(name).parts[:2]))
        found = await self._references((asset.project_id, database))
        return found[outward].get(name, [])[:MOST_PER_PARENT]

    @batched
    async def _references(
        self, asked: Sequence[tuple[str, str]]
    ) -> list[tuple[dict[str, list[AssetReference]], dict[str, list[AssetReference]]]]:
        """Return what refers to each table and column of a database, and what each refers to; by project
        and database.
        """
        readable = await self._readable("project", [project for project, _ in asked], Permission.CAN_READ_METADATA)
        organization = self._scope.organization_id

        def work(uow: UnitOfWork) -> dict[tuple[str, str], Any]:
            return {
                (project, database): references_in(uow.connection, Scope(organization, project), [database])
                for project, database in asked
                if readable[project]
            }

        found = await self._store.read(work)
        return [_both_ways(project, found.get((project, database), {})) for project, database in asked]

    async def questions_of_asset(self, asset: MetadataAsset, listing: Listing) -> Connection[Any]:
        """The caller's own questions whose answers read a table."""
        parent = (asset.project_id, asset.fully_qualified_name)
        return await self._questions_of_asset(Asked(asset.project_id, parent, listing))

    @batched
    async def _questions_of_asset(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            asked_of: dict[Parent, list[str]] = defaultdict(list)
            for project in {parent[0] for parent in parents}:
                scope = Scope(self._scope.organization_id, project)
                for turn, tables in uow.turn_provenance.tables_read(scope, self._caller.user_id, LATEST_ANSWERS):
                    for table in tables:
                        asked_of[project, table].append(turn)
            placed = {parent: ranks.among(asked_of[parent]) for parent in parents if asked_of.get(parent)}
            wanted = list(dict.fromkeys(id for some in placed.values() for id in some.values()))
            found = uow.turns.filled(uow.turns.where_in(self._scope, "turn_id", wanted)) if wanted else []
            turns = {turn.turn_id: turn for turn in found}
            return {
                parent: Ranked(
                    {rank: turns[id] for rank, id in some.items() if id in turns}, len(asked_of[parent]), parent[0]
                )
                for parent, some in placed.items()
            }

        return await self._windows("questions_of_asset", asked, read)

    @batched
    async def turns_in_session(self, asked: Sequence[Asked]) -> list[Connection[Any]]:
        """The turns of the caller's own session; filters: order."""

        def read(uow: UnitOfWork, parents: Sequence[Parent], ranks: Ranks, filters: tuple[Any, ...]) -> Any:
            own = set(uow.chat_sessions.own(self._scope, [id for (id,) in parents], self._caller.user_id))
            mine = [parent for parent in parents if parent[0] in own]
            if not mine:
                return {}
            order = uow.turns.by_position(filters[0] or TurnOrder.ASC)
            found = windows_of(uow.turns, self._scope, mine, of_column(uow.turns, "session_id"), ranks, order=order)
            return changed(found, uow.turns.filled)

        return await self._windows("turns_in_session", asked, read)


def _both_ways(
    project: str, found: dict[str, list[tuple[str, str, str]]]
) -> tuple[dict[str, list[AssetReference]], dict[str, list[AssetReference]]]:
    """Return what refers to each table and column, and what each of them refers to, in the order of names."""
    inward: dict[str, list[AssetReference]] = defaultdict(list)
    outward: dict[str, list[AssetReference]] = defaultdict(list)
    lines = sorted(
        {
            (named_below(table, column), named_below(target, other), table, target)
            for target, some in found.items()
            for table, column, other in some
        }
    )
    for origin, other, table, target in lines:
        one = AssetReference(from_fqn=origin, to_fqn=other)
        one._project_id = project
        for name in (target, other):
            inward[name].append(one)
        for name in (table, origin):
            outward[name].append(one)
    return inward, outward
