"""A data asset is a catalog asset as Data Readiness sees it: what is known of it, and what has been run on it."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import strawberry
from pydantic import Field

from schema.base import Info, OptionalLong, Resource, choice, edge, resource
from schema.data_readiness.suspect import SuspectCell
from schema.utils.metadata_asset import AssetOwner, AssetType

if TYPE_CHECKING:
    from schema.utils.metadata_asset import MetadataAsset


@choice
class Readiness(StrEnum):
    """How far an asset has come; each is derived from completed runs that covered it."""

    CATALOGED = "cataloged"
    """It is in the catalog, and nothing has measured it."""
    PROFILED = "profiled"
    """It was profiled, by whatever run, or a table of it was."""
    ASSESSED = "assessed"
    """Its quality or its metadata was executed or assessed by a completed run."""


@resource
class DataAsset(Resource):
    """A database, schema, table or column with its figures, its tags and the runs that covered it."""

    id: str
    name: str
    fqn: str = Field(description="The dotted name.")
    asset_type: AssetType
    resource_uri: str
    service: str = Field(description="The first part of the dotted name.")
    database: str | None = Field(description="The second part of the dotted name.")
    schema_name: str | None = Field(description="The third part of the dotted name.")
    table: str | None = Field(description="The fourth part of the dotted name.")
    column: str | None = Field(description="The fifth part of the dotted name.")
    display_name: str | None = Field(description="What people call it, when they have said so.")
    description: str | None
    row_count: OptionalLong = Field(
        description="How many rows it has: what its source said or a profile measured, whichever came last."
    )
    column_count: int | None = Field(description="How many columns it has.")
    table_count: int | None = Field(description="How many tables it has.")
    data_type: str | None = Field(description="The type of a column.")
    is_dq_tagged: bool = Field(description="Whether it was tagged for data quality.")
    is_pii_tagged: bool = Field(description="Whether it was tagged for personal data.")
    is_sensitivity_tagged: bool = Field(description="Whether it was tagged for sensitivity.")
    is_described: bool = Field(description="Whether it has a description.")
    is_owned: bool = Field(description="Whether somebody answers for it, or for what it is in.")
    owners: list[AssetOwner] = Field(
        default_factory=list, description="Who answers for it: its own owners, or those of the nearest that it is in."
    )
    owners_from: str | None = Field(None, description="The dotted name of the asset whose owners these are.")
    sensitivity: str | None = Field(
        None, description="Its level of sensitivity, as a tag: its own, or that of the nearest that it is in."
    )
    sensitivity_from: str | None = Field(None, description="The dotted name of the asset whose level this is.")
    readiness: Readiness
    last_ingested_at: datetime | None = Field(description="When a completed ingestion last covered it.")
    last_profiled_at: datetime | None = Field(
        description="When its latest profile, or that of any of its tables, was measured."
    )
    last_assessed_at: datetime | None = Field(
        description="When a completed execution or assessment of quality or metadata last covered it."
    )
    version: str = Field(description="The version of the catalog asset.")
    updated_at: datetime

    @edge
    async def metadata_asset(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The asset as the catalog describes it, with everything that leads on from there."""
        return await info.context.load.asset(self.id)

    @edge
    async def suspect_cells(self, info: Info) -> list[SuspectCell]:
        """The cells of a table or column that its latest assessment holds for wrong, the first 200."""
        return await info.context.load.suspects_of_asset((info.context.project_id, self.fqn))
