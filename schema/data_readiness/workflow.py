"""A workflow configuration says what kind of work to do, on what, and when (contract 2.6, 4.3)."""

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import strawberry
from pydantic import Field, PrivateAttr

from schema.base import (
    Change,
    Info,
    JsonObject,
    Maybe,
    OptionalJsonObject,
    Resource,
    absent,
    change,
    choice,
    edge,
    resource,
)
from schema.identifiers import UuidText
from schema.naming import Name, ShortName
from schema.node import entity
from schema.pagination import Connection
from schema.windows import Listing, Window, asked_of, chosen, listed

if TYPE_CHECKING:
    from schema.data_readiness.workflow_run import RunStatus, WorkflowRun


@choice
class WorkflowType(StrEnum):
    """The kinds of work that the platform does on data."""

    GENERATE_TABLE_DESCRIPTION = "generate-table-description"
    GENERATE_PII_TAGS = "generate-pii-tags"
    GENERATE_DQ_TAGS = "generate-dq-tags"
    GENERATE_SENSITIVITY_TAGS = "generate-sensitivity-tags"
    ENRICH_TABLE_COLUMNS = "enrich-table-columns"
    SERVICE_INGESTION = "service-ingestion"
    PROFILING = "profiling"
    DQ_RULE_GENERATION = "dq-rule-generation"
    DQ_EXECUTION = "dq-execution"
    METADATA_ASSESSMENT = "metadata-assessment"
    DQ_ASSESSMENT = "dq-assessment"
    DQ_TAG_GENERATION = "dq-tag-generation"
    INTELLIGENCE = "intelligence"
    METADATA_ENRICHMENT = "metadata-enrichment"
    RUN_ALL_ENRICHMENT = "run-all-enrichment"


CATEGORIES = {
    WorkflowType.SERVICE_INGESTION: "ingestion",
    WorkflowType.PROFILING: "profiling",
    WorkflowType.GENERATE_PII_TAGS: "classification",
    WorkflowType.GENERATE_SENSITIVITY_TAGS: "classification",
    WorkflowType.GENERATE_DQ_TAGS: "data_quality",
    WorkflowType.DQ_TAG_GENERATION: "data_quality",
    WorkflowType.DQ_RULE_GENERATION: "data_quality",
    WorkflowType.DQ_EXECUTION: "data_quality",
    WorkflowType.DQ_ASSESSMENT: "data_quality",
}
"""The category of each type; what is not listed is enrichment."""


def category_of(kind: WorkflowType) -> str:
    """The category that a workflow type belongs to."""
    return CATEGORIES.get(kind, "enrichment")


@choice
class ConfigurationStatus(StrEnum):
    """Whether a configuration may run; an inactive one neither fires nor is triggered."""

    ACTIVE = "active"
    INACTIVE = "inactive"


@resource
class ConfigurationSchedule(Resource):
    """When a configuration runs by itself."""

    cron_expression: str = Field(description="Five cron fields.")
    enabled: bool
    timezone: str = Field(description="IANA time zone.")


@entity(kept_in="workflow_configurations")
class WorkflowConfiguration(Resource):
    """A named set-up of one workflow type; each trigger of it is a run."""

    id: UuidText
    name: str
    workflow_type: WorkflowType
    category: str
    config: JsonObject
    data_asset_types: list[str]
    description: str | None
    is_default: bool = Field(description="Whether it is the one to use for its type in the project.")
    require_reference_pack: bool = Field(
        description="Whether a run needs a context pack, named by `context_pack_id` in the config or its parameters."
    )
    schedule: ConfigurationSchedule | None
    status: ConfigurationStatus
    triggers: list[str]
    created_at: datetime
    updated_at: datetime

    _authors: dict[str, Any] | None = PrivateAttr(default=None)

    @edge
    async def runs(
        self, info: Info
    ) -> list[Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")]]:
        """The runs of this configuration, newest first, the first 200; `runsConnection` has them all."""
        return await info.context.load.runs_of_configuration(self.id)

    @listed
    async def runs_connection(
        self,
        info: Info,
        window: Window,
        status: list[Annotated["RunStatus", strawberry.lazy("schema.data_readiness.workflow_run")]] | None = None,
    ) -> Connection[Annotated["WorkflowRun", strawberry.lazy("schema.data_readiness.workflow_run")]]:
        """The runs of this configuration, newest first."""
        listing = Listing(window, (chosen(status),))
        return await info.context.load.runs_of_one_configuration(asked_of(self.id, listing))


@change
class WorkflowSchedule(Change):
    """When a configuration runs by itself."""

    cron_expression: Annotated[str, Field(min_length=9, max_length=200, description="Five cron fields.")]
    enabled: bool = True
    timezone: Annotated[str, Field(min_length=1, max_length=64, description="IANA time zone.")] = "UTC"


Label = ShortName
Labels = Annotated[list[Label], Field(max_length=50)]


@change
class WorkflowConfigurationCreate(Change):
    """A configuration of one workflow type; `workflow_definition_id` may name the type instead."""

    name: Name
    workflow_type: WorkflowType | None = None
    workflow_definition_id: (
        Annotated[str, Field(min_length=1, max_length=64, description="The id of a workflow definition.")] | None
    ) = None
    config: JsonObject = Field(default_factory=dict)
    data_asset_types: Labels = Field(default_factory=list, description="The types of assets that it is meant for.")
    description: Annotated[str, Field(max_length=1000)] | None = None
    schedule: WorkflowSchedule | None = None
    triggers: Labels = Field(default_factory=list, description="What may start it, in the words of the clients.")
    is_default: bool = Field(False, description="Makes it the one to use for its type, in the place of another.")
    require_reference_pack: bool = Field(
        False, description="Whether a run needs a context pack, named by `context_pack_id`."
    )


@change
class WorkflowConfigurationUpdate(Change):
    """What may change. A field left out stays, `config` and `schedule` are replaced whole; the type is for ever."""

    name: Maybe[Name] = None
    config: OptionalJsonObject = absent()
    data_asset_types: Maybe[Labels] = None
    description: Maybe[Annotated[str, Field(max_length=1000)] | None] = None
    schedule: Maybe[WorkflowSchedule | None] = None
    triggers: Maybe[Labels] = None
    is_default: Maybe[bool] = None
    require_reference_pack: Maybe[bool] = None
    status: Maybe[ConfigurationStatus] = None
