"""The edges from the assets of the catalog to what was measured of them."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.engines.masking import masked_column, masked_table
from resolvers.loaders.base import LoadersBase, batched
from schema.data_readiness.profile import ColumnProfile, TableProfile
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.utils.metadata_asset import AssetType, MetadataAsset

ProfileT = TypeVar("ProfileT", TableProfile, ColumnProfile)


class ProfileLoaders(LoadersBase):
    """Describes what hangs on tables and columns: their latest profiles, without the values of personal data."""

    async def profile_of_table(self, asset: MetadataAsset) -> TableProfile | None:
        """The latest profile of a table."""
        if asset.type is not AssetType.TABLE:
            return None
        return await self._table_profile((asset.project_id, asset.fully_qualified_name))

    async def profile_of_column(self, asset: MetadataAsset) -> ColumnProfile | None:
        """The latest profile of a column."""
        if asset.type is not AssetType.COLUMN:
            return None
        return await self._column_profile((asset.project_id, asset.fully_qualified_name))

    @batched
    async def _table_profile(self, asked: Sequence[tuple[str, str]]) -> list[TableProfile | None]:
        def work(uow: UnitOfWork, scope: Scope, fqns: list[str]) -> dict[str, TableProfile]:
            personal = uow.table_profiles.personal(scope, fqns)
            found = uow.table_profiles.latest(scope, list(personal))
            return {fqn: masked_table(profile, personal[fqn]) for fqn, profile in found.items()}

        return await self._profiles(asked, work)

    @batched
    async def _column_profile(self, asked: Sequence[tuple[str, str]]) -> list[ColumnProfile | None]:
        def work(uow: UnitOfWork, scope: Scope, fqns: list[str]) -> dict[str, ColumnProfile]:
            tables = {fqn: str(Fqn.of(*Fqn.parse(fqn).parts[:4])) for fqn in fqns}
            personal = uow.table_profiles.personal(scope, list(tables.values()))
            standing = {fqn: table for fqn, table in tables.items() if table in personal}
            found = uow.table_profiles.latest_columns(scope, standing)
            return {fqn: masked_column(profile, personal[tables[fqn]]) for fqn, profile in found.items()}

        return await self._profiles(asked, work)

    async def _profiles(
        self, asked: Sequence[tuple[str, str]], work: Callable[[UnitOfWork, Scope, list[str]], dict[str, ProfileT]]
    ) -> list[ProfileT | None]:
        """Profiles of assets by project and name; none of a project whose metadata the caller may not read."""
        readable = await self._readable("project", [project for project, _ in asked], Permission.CAN_READ_METADATA)
        names: dict[str, list[str]] = {}
        for project, fqn in asked:
            if readable[project]:
                names.setdefault(project, []).append(fqn)

        def read(uow: UnitOfWork) -> dict[tuple[str, str], ProfileT]:
            organization = self._scope.organization_id
            return {
                (project, fqn): profile
                for project, fqns in names.items()
                for fqn, profile in work(uow, Scope(organization, project), fqns).items()
            }

        found = await self._store.read(read)
        return [found.get(one) for one in asked]
