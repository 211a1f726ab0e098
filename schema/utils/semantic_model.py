"""Semantic models of other tools: what is handed in and out, and what became of it."""

from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import Field

from schema.base import Change, Resource, change, choice, resource
from schema.utils.memory import Memory

MOST_SHOWN = 100


@choice
class SemanticFormat(StrEnum):
    """Formats that semantic models are read in."""

    DBT = "dbt"
    """Semantic models and metrics in dbt's properties files, or `target/semantic_manifest.json`."""
    CUBE = "cube"
    """A data model of Cube, in YAML."""
    OSSIE = "ossie"
    """Apache Ossie, formerly OSI, in YAML or JSON."""


@choice
class SemanticExportFormat(StrEnum):
    """Formats that semantic models are written in."""

    OSSIE = "ossie"
    """Apache Ossie 0.2.0, in YAML."""
    ODCS = "odcs"
    """A data contract of ODCS 3.1, in YAML."""


@change
class SemanticModelImport(Change):
    """A file with a semantic model, the connection whose tables it is about, and the pack that it goes to."""

    format: SemanticFormat
    text: Annotated[str, Field(min_length=1, max_length=1_000_000, description="The file, YAML or JSON.")]
    resource_uri: Annotated[
        str,
        Field(
            min_length=1,
            max_length=800,
            pattern=r"^[^\s\x85\ufeff#*\x00]+$",
            description="The data connection whose tables its names mean.",
        ),
    ]
    context_pack_id: UUID = Field(description="The pack that its memories go to; it must be active.")


@resource
class SemanticNote(Resource):
    """Something of a model that was not taken over, or not all of it."""

    where: str = Field(description="The place in the file, or the name of a memory.")
    reason: str = Field(description="Why, as a sentence.")


@resource
class SemanticModelImported(Resource):
    """What importing a semantic model came to."""

    format: SemanticFormat
    created: int = Field(description="How many memories are new, or active again.")
    kept: int = Field(description="How many stood already, and stay as they are.")
    ended: int = Field(description="How many that the model told before were archived, as it tells them no more.")
    memories: list[Memory] = Field(description="The first 100 of its memories, new or not, in the order of the file.")
    dropped: list[SemanticNote] = Field(description="What became no memory, each with the reason; 500 at most.")


@resource
class SemanticModelExported(Resource):
    """Memories as a semantic model."""

    format: SemanticExportFormat
    text: str = Field(description="The file, YAML.")
    memories: int = Field(description="How many memories it holds.")
    dropped: list[SemanticNote] = Field(description="What the format has no words for, by name; 500 at most.")
