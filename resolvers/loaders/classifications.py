"""The edge from the assets of the catalog to the tags that engines have found on them."""

from collections.abc import Sequence

from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.loaders.base import LoadersBase, batched
from schema.data_readiness.classification import Classification
from schema.governance.permission import Permission
from schema.utils.metadata_asset import MetadataAsset


class ClassificationLoaders(LoadersBase):
    """Describes what hangs on assets: their classifications."""

    async def classifications_of_asset(self, asset: MetadataAsset) -> list[Classification]:
        """The classifications of an asset, the surest first."""
        return await self._classifications((asset.project_id, asset.fully_qualified_name))

    @batched
    async def _classifications(self, asked: Sequence[tuple[str, str]]) -> list[list[Classification]]:
        """By project and name; none of a project whose metadata the caller may not read."""
        readable = await self._readable("project", [project for project, _ in asked], Permission.CAN_READ_METADATA)
        names: dict[str, list[str]] = {}
        for project, fqn in asked:
            if readable[project]:
                names.setdefault(project, []).append(fqn)

        def read(uow: UnitOfWork) -> dict[tuple[str, str], list[Classification]]:
            organization = self._scope.organization_id
            return {
                (project, fqn): found
                for project, fqns in names.items()
                for fqn, found in uow.classifications.of_assets(Scope(organization, project), fqns).items()
            }

        found = await self._store.read(read)
        return [found.get(one, []) for one in asked]
