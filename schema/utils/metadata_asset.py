"""A metadata asset is one database, schema, table or column that the catalog knows about (contract 2.5)."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import strawberry
from pydantic import Field, PrivateAttr, ValidationInfo, field_validator
from strawberry.scalars import JSON

from schema.base import (
    LARGEST_LONG,
    Change,
    Info,
    JsonObject,
    Maybe,
    OptionalJsonObject,
    OptionalLong,
    Resource,
    absent,
    change,
    choice,
    edge,
    resource,
)
from schema.grammar import ANY_NAME
from schema.identifiers import VERSION_PATTERN, Fqn
from schema.naming import LongName, Name
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, chosen, listed

if TYPE_CHECKING:
    from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
    from schema.data_readiness.data_asset import DataAsset
    from schema.data_readiness.glossary import GlossaryTerm, TermStatus
    from schema.data_readiness.profile import ColumnProfile, TableProfile
    from schema.data_readiness.proposal import Proposal, ProposalKind, ProposalState
    from schema.data_readiness.rule import QualityRule, RuleState
    from schema.data_readiness.scorecard import Scorecard
    from schema.data_readiness.suspect import SuspectCell, SuspectKind, SuspectVerdict
    from schema.data_readiness.violation import Severity, Violation, ViolationOrder, ViolationStatus
    from schema.data_readiness.workflow import WorkflowType
    from schema.data_readiness.workflow_run import RunStatus, WorkflowRun
    from schema.governance.project import Project
    from schema.talk2data.turn import Turn

MAX_CHILDREN: Final = 500
"""How many direct children one answer holds; `children_total` tells how many there are."""


@choice
class AssetType(StrEnum):
    """The four levels of the catalog."""

    DATABASE = "database"
    DATABASE_SCHEMA = "database_schema"
    TABLE = "table"
    COLUMN = "column"


MARKS: Final = {
    "pii": "is_pii_tagged",
    "sensitivity": "is_sensitivity_tagged",
    "dataquality": "is_dq_tagged",
}
"""The categories of tags that an asset is marked for having, in small letters, each with its mark."""

OptionalJsonObjects = Annotated[list[dict[str, Any]] | None, strawberry.field(graphql_type=list[JSON] | None)]


LEVEL: Final = {AssetType.DATABASE: 2, AssetType.DATABASE_SCHEMA: 3, AssetType.TABLE: 4, AssetType.COLUMN: 5}
"""How many parts the dotted name of each type has; the first part is the service."""


def table_of(asset_fqn: str) -> str | None:
    """The table that an asset is, or is a column of; None for what is above tables."""
    parts = Fqn.parse(asset_fqn).parts
    return str(Fqn.of(*parts[: LEVEL[AssetType.TABLE]])) if len(parts) >= LEVEL[AssetType.TABLE] else None


@choice
class AssetSort(StrEnum):
    """What a catalog search may be sorted by."""

    NAME = "name"
    CREATED_AT = "created_at"
    ORDINAL_POSITION = "ordinal_position"
    RELEVANCE = "relevance"
    """How well the name fits what is looked for: ascending order begins with the best. By name without words in `q`."""


@choice
class SortOrder(StrEnum):
    """Which end of the order comes first."""

    ASC = "asc"
    DESC = "desc"


@resource
class AssetOwner(Resource):
    """Who answers for an asset: a user or a team."""

    name: str
    type: str
    id: str


@resource
class AssetTag(Resource):
    """One tag of an asset, with the category that it comes from."""

    tag_id: str
    tag_fqn: str
    category_name: str
    tag_name: str
    tag_description: str


@resource
class ChangedField(Resource):
    """One field that a version changed; a column's field reads `columns.<column>.<field>`."""

    field_name: str


@resource
class ChangeDescription(Resource):
    """How a version differs from the one before; `previous_version` is empty on the first."""

    fields_added: list[ChangedField]
    fields_updated: list[ChangedField]
    fields_deleted: list[ChangedField]
    previous_version: str


@entity()
class MetadataAsset(Resource):
    """A database, schema, table or column with its description, shape, tags, owners and version."""

    id: str
    name: str
    fully_qualified_name: str
    resource_uri: str
    organization_id: str
    project_id: str
    type: AssetType
    version: str
    version_major: int
    version_minor: int
    version_change_reason: str
    created_at: datetime
    updated_at: datetime
    created_by: str
    updated_by: str
    display_name: str | None
    description: str | None
    summary_text: str | None
    service_name: str | None
    schema_definition: str | None
    owners: list[AssetOwner] | None
    extension: JsonObject
    deleted_at: datetime | None
    is_dq_tagged: bool = False
    is_pii_tagged: bool = False
    is_sensitivity_tagged: bool = False
    tags: list[AssetTag] | None
    children: list[Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")]] | None
    children_total: int | None
    table_type: str | None
    row_count: OptionalLong
    column_count: int | None
    table_count: int | None
    data_type: str | None
    data_type_display: str | None
    ordinal_position: int | None
    nullable: bool | None
    constraint: JsonObject
    column_relationships: OptionalJsonObjects
    precision: int | None
    scale: int | None
    data_length: OptionalLong
    business_definition: str | None
    business_rules: str | None
    change_description: ChangeDescription
    change_summary: JsonObject
    changed_by: list[str] | None

    @edge
    async def members(self, info: Info) -> Annotated["AssetMembers", strawberry.lazy("schema.utils.metadata_asset")]:
        """The assets directly below this one, the first 500: schemas, tables or columns. A column has none."""
        return await info.context.load.members_of_asset(self)

    @edge
    async def profile(
        self, info: Info
    ) -> Annotated["TableProfile", strawberry.lazy("schema.data_readiness.profile")] | None:
        """What was measured last of a table or view; null for other assets, and where nothing was measured."""
        return await info.context.load.profile_of_table(self)

    @edge
    async def column_profile(
        self, info: Info
    ) -> Annotated["ColumnProfile", strawberry.lazy("schema.data_readiness.profile")] | None:
        """What was measured last of a column; null for other assets, and where nothing was measured."""
        return await info.context.load.profile_of_column(self)

    @edge
    async def classifications(
        self, info: Info
    ) -> list[Annotated["Classification", strawberry.lazy("schema.data_readiness.classification")]]:
        """The tags that engines have found on it, the surest first, with their evidence and what was decided."""
        return await info.context.load.classifications_of_asset(self)

    @edge
    async def scorecard(
        self, info: Info
    ) -> Annotated["Scorecard", strawberry.lazy("schema.data_readiness.scorecard")] | None:
        """How good the data and their description are, each with its change; null for a column.

        Null too where the caller may not read it.
        """
        return await info.context.load.scorecard_of_asset(self)

    @edge
    async def data_asset(
        self, info: Info
    ) -> Annotated["DataAsset", strawberry.lazy("schema.data_readiness.data_asset")] | None:
        """The asset as Data Readiness sees it: how far it has come, its owners and its level, its own or inherited."""
        return await info.context.load.data_asset_of(self)

    @edge
    async def project(self, info: Info) -> Annotated["Project", strawberry.lazy("schema.governance.project")] | None:
        """The project that it is in; null when the caller may not read it."""
        return await info.context.load.project(self.project_id)

    @edge
    async def parent(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The asset that it is in: a column's table, a table's schema, a schema's database."""
        return await info.context.load.parent_of_asset(self)

    @listed
    async def members_connection(
        self, info: Info, window: Window
    ) -> Connection[Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")]]:
        """The assets directly below this one, in the order of the catalog."""
        return await info.context.load.members_by_cursor(self, Listing(window))

    @listed
    async def runs(
        self,
        info: Info,
        window: Window,
        status: list[Annotated["RunStatus", strawberry.lazy("schema.data_readiness.workflow_run")]] | None = None,
        workflow_type: list[Annotated["WorkflowType", strawberry.lazy("schema.data_readiness.workflow")]] | None = None,
    ) -> Connection[Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")]]:
        """The runs that covered it, on it or on what it is in, the newest first."""
        listing = Listing(window, (chosen(status), chosen(workflow_type)))
        return await info.context.load.runs_of_asset(self, listing)

    @listed
    async def violations(
        self,
        info: Info,
        window: Window,
        status: list[Annotated["ViolationStatus", strawberry.lazy("schema.data_readiness.violation")]] | None = None,
        severity: list[Annotated["Severity", strawberry.lazy("schema.data_readiness.violation")]] | None = None,
        order: Annotated["ViolationOrder", strawberry.lazy("schema.data_readiness.violation")] | None = None,
    ) -> Connection[Annotated["Violation", strawberry.lazy("schema.data_readiness.violation")]]:
        """What is wrong with it and with what is under it, the worst first."""
        listing = Listing(window, (chosen(status), chosen(severity), order))
        return await info.context.load.violations_of_asset(self, listing)

    @listed
    async def suspect_cells(
        self,
        info: Info,
        window: Window,
        verdict: list[Annotated["SuspectVerdict", strawberry.lazy("schema.data_readiness.suspect")]] | None = None,
        kind: list[Annotated["SuspectKind", strawberry.lazy("schema.data_readiness.suspect")]] | None = None,
    ) -> Connection[Annotated["SuspectCell", strawberry.lazy("schema.data_readiness.suspect")]]:
        """The cells of it that the latest assessment holds for wrong, the most probable first."""
        return await info.context.load.suspect_list_of_asset(self, Listing(window, (chosen(verdict), chosen(kind))))

    @listed
    async def rules(
        self,
        info: Info,
        window: Window,
        state: list[Annotated["RuleState", strawberry.lazy("schema.data_readiness.rule")]] | None = None,
    ) -> Connection[Annotated["QualityRule", strawberry.lazy("schema.data_readiness.rule")]]:
        """The quality rules about it and what is under it, by what they are about."""
        return await info.context.load.rules_of_asset(self, Listing(window, (chosen(state),)))

    @listed
    async def proposals(
        self,
        info: Info,
        window: Window,
        state: list[Annotated["ProposalState", strawberry.lazy("schema.data_readiness.proposal")]] | None = None,
        kind: list[Annotated["ProposalKind", strawberry.lazy("schema.data_readiness.proposal")]] | None = None,
    ) -> Connection[Annotated["Proposal", strawberry.lazy("schema.data_readiness.proposal")]]:
        """What runs propose about it and what is under it, the newest run's first, beside what stands there now."""
        return await info.context.load.proposals_of_asset(self, Listing(window, (chosen(state), chosen(kind))))

    @listed
    async def classifications_connection(
        self,
        info: Info,
        window: Window,
        state: list[Annotated["ClassificationState", strawberry.lazy("schema.data_readiness.classification")]]
        | None = None,
        kind: list[Annotated["ClassificationKind", strawberry.lazy("schema.data_readiness.classification")]]
        | None = None,
    ) -> Connection[Annotated["Classification", strawberry.lazy("schema.data_readiness.classification")]]:
        """The tags that engines have found on it and on what is under it, the surest first, with their evidence."""
        return await info.context.load.tags_of_asset(self, Listing(window, (chosen(state), chosen(kind))))

    @listed
    async def glossary_terms(
        self,
        info: Info,
        window: Window,
        status: list[Annotated["TermStatus", strawberry.lazy("schema.data_readiness.glossary")]] | None = None,
    ) -> Connection[Annotated["GlossaryTerm", strawberry.lazy("schema.data_readiness.glossary")]]:
        """The glossary terms that it is linked to, by name."""
        return await info.context.load.terms_of_asset(self, Listing(window, (chosen(status),)))

    @listed
    async def questions(
        self, info: Info, window: Window
    ) -> Connection[Annotated["Turn", strawberry.lazy("schema.talk2data.turn")]]:
        """The caller's own questions whose answers read this table, the newest first, of their latest 500 answers."""
        return await info.context.load.questions_of_asset(self, Listing(window))

    @edge
    async def references(
        self, info: Info
    ) -> list[Annotated["AssetReference", strawberry.lazy("schema.utils.metadata_asset")]]:
        """The columns of other tables that this table or column refers to, the first 200."""
        return await info.context.load.references_of_asset(self)

    @edge
    async def referenced_by(
        self, info: Info
    ) -> list[Annotated["AssetReference", strawberry.lazy("schema.utils.metadata_asset")]]:
        """The columns of the same database that refer to this table or column, the first 200."""
        return await info.context.load.references_to_asset(self)


@resource
class AssetReference(Resource):
    """A column that refers to a column of another table."""

    from_fqn: str = Field(description="The dotted name of the column that refers.")
    to_fqn: str = Field(description="The dotted name of the column that is referred to.")

    _project_id: str = PrivateAttr(default="")

    @edge
    async def from_asset(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The column that refers; null when the catalog does not hold it."""
        return await info.context.load.asset_named((self._project_id, self.from_fqn))

    @edge
    async def to_asset(
        self, info: Info
    ) -> Annotated["MetadataAsset", strawberry.lazy("schema.utils.metadata_asset")] | None:
        """The column that is referred to; null when the catalog does not hold it."""
        return await info.context.load.asset_named((self._project_id, self.to_fqn))


@resource
class AssetMembers(Resource):
    """What stands directly below a connection or an asset: at most 500 items, and how many there are in all."""

    items: list[MetadataAsset]
    total: int


ShortText = Annotated[str, Field(max_length=1000)]
LongText = Annotated[str, Field(max_length=100_000)]
NamePart = Annotated[str, Field(min_length=1, max_length=255)]
Position = Annotated[int, Field(ge=0, le=2**31 - 1)]
OptionalCount = Annotated[OptionalLong, Field(ge=0, le=LARGEST_LONG)]


@change
class AssetOwnerInput(Change):
    """An owner to set."""

    name: Name
    type: Name
    id: Name


@change
class AssetTagInput(Change):
    """A tag to set."""

    tag_id: Name
    tag_fqn: LongName
    category_name: Annotated[str, Field(max_length=255)] = ""
    tag_name: Name
    tag_description: ShortText = ""


Owners = Annotated[list[AssetOwnerInput], Field(max_length=100)]
Tags = Annotated[list[AssetTagInput], Field(max_length=200)]


@change
class MetadataAssetCreate(Change):
    """An asset written by hand. Its parent must stand already, unless it is a database."""

    type: AssetType
    fully_qualified_name: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1000,
            description='Dotted: service.database.schema.table.column; a part with a dot is quoted, "a.b".',
        ),
        ANY_NAME,
    ]
    name: NamePart | None = Field(
        None, description="Must be the last part of the dotted name; taken from it if absent."
    )
    display_name: LongName | None = None
    description: LongText | None = None
    summary_text: LongText | None = None
    schema_definition: LongText | None = None
    owners: Owners | None = None
    extension: JsonObject = Field(default_factory=dict)
    is_dq_tagged: bool = False
    is_pii_tagged: bool = False
    is_sensitivity_tagged: bool = False
    tags: Tags | None = None
    table_type: Annotated[str, Field(max_length=64)] | None = None
    row_count: OptionalCount = None
    data_type: Annotated[str, Field(max_length=255)] | None = None
    data_type_display: ShortText | None = None
    ordinal_position: Position | None = None
    nullable: bool | None = None
    constraint: JsonObject = Field(default_factory=dict)
    column_relationships: OptionalJsonObjects = None
    precision: Position | None = None
    scale: Annotated[int, Field(ge=-(2**31), le=2**31 - 1)] | None = None
    data_length: OptionalCount = None
    business_definition: LongText | None = None
    business_rules: LongText | None = None

    @field_validator("fully_qualified_name")
    @classmethod
    def _of_its_type(cls, fqn: str, info: ValidationInfo) -> str:
        kind, parts = info.data.get("type"), Fqn.parse(fqn).parts
        if kind is not None and len(parts) != LEVEL[kind]:
            raise ValueError(f"the name of a {kind} has {LEVEL[kind]} dotted parts, not {len(parts)}")
        return fqn

    @field_validator("name")
    @classmethod
    def _is_the_last_part(cls, name: str | None, info: ValidationInfo) -> str | None:
        fqn = info.data.get("fully_qualified_name")
        if name is not None and fqn is not None and name != Fqn.parse(fqn).parts[-1]:
            raise ValueError("name must be the last part of fully_qualified_name")
        return name


@change
class MetadataAssetUpdate(Change):
    """What people may say about an asset. A field left out stays; null clears it.

    A cleared description falls back to the comment that the source itself carries, if it has one.
    """

    display_name: Maybe[LongName | None] = None
    description: Maybe[LongText | None] = None
    summary_text: Maybe[LongText | None] = None
    owners: Maybe[Owners | None] = None
    extension: OptionalJsonObject = absent()
    is_dq_tagged: Maybe[bool] = None
    is_pii_tagged: Maybe[bool] = None
    is_sensitivity_tagged: Maybe[bool] = None
    tags: Maybe[Tags | None] = None
    business_definition: Maybe[LongText | None] = None
    business_rules: Maybe[LongText | None] = None
    version_change_reason: Maybe[Annotated[str, Field(min_length=1, max_length=1000)]] = None
    expected_version: Maybe[Annotated[str, Field(pattern=VERSION_PATTERN)]] = None


DocumentVersion = Annotated[
    str, Field(pattern=VERSION_PATTERN, max_length=21, description="One stored version, such as 1.4.")
]


@change
class RelationshipCreate(Change):
    """What a column refers to, as people say it."""

    target_fqn: Annotated[
        str,
        Field(min_length=1, max_length=4000, description="The dotted name of another column of the same database."),
        ANY_NAME,
    ]
