"""A pipeline is one run-all-enrichment over a service, database or schema (contract 2.7)."""

from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic import Field

from schema.base import Resource, choice, resource
from schema.identifiers import UuidText


@choice
class PipelineStatus(StrEnum):
    """Where a pipeline stands; the last four are final unless its run is tried again."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    COMPLETED_WITH_ERRORS = "completed_with_errors"
    FAILED = "failed"
    CANCELED = "canceled"


TERMINAL: Final = frozenset(
    {
        PipelineStatus.COMPLETED,
        PipelineStatus.COMPLETED_WITH_ERRORS,
        PipelineStatus.FAILED,
        PipelineStatus.CANCELED,
    }
)
"""Reaching one of these sets `completed_at`."""

PIPELINE_MOVES: Final[dict[PipelineStatus, frozenset[PipelineStatus]]] = {
    PipelineStatus.PENDING: frozenset({PipelineStatus.RUNNING, PipelineStatus.FAILED, PipelineStatus.CANCELED}),
    PipelineStatus.RUNNING: TERMINAL,
    PipelineStatus.COMPLETED: frozenset(),
    PipelineStatus.COMPLETED_WITH_ERRORS: frozenset({PipelineStatus.PENDING}),
    PipelineStatus.FAILED: frozenset({PipelineStatus.PENDING}),
    PipelineStatus.CANCELED: frozenset(),
}
"""The moves that are allowed; only a retry of its run takes back a pipeline of which something failed."""


TAGGINGS_OF_TABLE: Final = 2
"""How often a table counts: its tagging for personal data, and its tagging for sensitivity."""


@resource
class PipelineRun(Resource):
    """How far a run-all-enrichment has come, counted in taggings of tables and in schemas of the catalog."""

    id: UuidText
    asset_fqn: str = Field(description="What is worked on, with everything below it: a dotted name.")
    status: PipelineStatus
    total_tables: int = Field(
        description="Taggings of tables to do: each table counts twice, for personal data and for sensitivity."
    )
    completed_tables: int = Field(description="Taggings of tables that are done, for personal data or for sensitivity.")
    failed_tables: int = Field(
        description="Taggings of tables that could not be done, for personal data or for sensitivity."
    )
    total_schemas: int = Field(description="Schemas whose metadata is to be enriched.")
    completed_schemas: int = Field(description="Schemas that were enriched.")
    failed_schemas: int = Field(description="Schemas that could not be enriched.")
    created_at: datetime
    completed_at: datetime | None
    created_by: str | None = Field(description="The id of the user who triggered it.")
