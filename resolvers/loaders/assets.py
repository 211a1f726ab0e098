"""The edges of Assets, and from a connection into the catalog."""

from collections.abc import Sequence

from persistence.queries.catalog_edges import CatalogParent, members_of
from resolvers.loaders.base import LoadersBase, batched
from schema.assets.data_connection import DataConnection
from schema.governance.permission import Permission
from schema.utils.metadata_asset import MAX_CHILDREN, AssetMembers, MetadataAsset


class AssetsLoaders(LoadersBase):
    """Describes what hangs on projects, on data connections, and on the assets of the catalog."""

    @batched
    async def data_connections_of_project(self, ids: Sequence[str]) -> list[list[DataConnection]]:
        """The project's data connections; empty when the caller may not read the project."""
        return await self._of_parents(lambda uow: uow.data_connections, "project_id", ids)

    async def catalog_of(self, connection: DataConnection) -> AssetMembers:
        """The databases of a connection; one of the whole organization shows those of the selected project."""
        project = connection.project_id or self._caller.project_id
        if project is None:
            return AssetMembers(items=[], total=0)
        return await self._members(CatalogParent(project, connection.resource_uri))

    async def members_of_asset(self, asset: MetadataAsset) -> AssetMembers:
        """The assets directly below one."""
        return await self._members(CatalogParent(asset.project_id, asset.resource_uri, asset.fully_qualified_name))

    @batched
    async def _members(self, parents: Sequence[CatalogParent]) -> list[AssetMembers]:
        """The assets directly below each parent, the first 500, and how many there are in all."""
        readable = await self._readable(
            "project", [parent.project_id for parent in parents], Permission.CAN_READ_METADATA
        )
        shown = [parent for parent in parents if readable[parent.project_id]]
        found = await self._store.read(
            lambda uow: members_of(uow.connection, self._scope.organization_id, shown, MAX_CHILDREN)
        )
        nothing = AssetMembers(items=[], total=0)
        return [found.get(parent, nothing) for parent in parents]
