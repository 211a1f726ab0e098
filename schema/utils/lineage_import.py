"""What other systems know of lineage: the manifest of dbt, and the events of OpenLineage."""

from typing import Annotated

from pydantic import Field

from schema.base import Change, JsonObject, JsonObjects, OptionalJsonObject, Resource, absent, change, resource
from schema.utils.lineage import LineageSource


@change
class DbtImport(Change):
    """The files that dbt writes into `target/`, as `dbt compile`, `dbt run` or `dbt build` left them."""

    manifest: Annotated[
        JsonObject,
        Field(
            description="The content of manifest.json, in version 9 to 12 of its schema. Only `metadata` and `nodes` "
            "are read; the rest may be left out."
        ),
    ]
    catalog: Annotated[
        OptionalJsonObject,
        Field(
            description="The content of catalog.json, which `dbt docs generate` writes. Columns that the catalog of "
            "Stoa does not have yet are taken from it."
        ),
    ] = absent()


@change
class OpenLineageEvent(Change):
    """An event of OpenLineage, as its clients send it: of a run, or of a job alone. Its names are OpenLineage's."""

    eventType: Annotated[
        str | None,
        Field(
            max_length=100,
            description="COMPLETE or RUNNING, for their outputs are written; other events change nothing. Without one "
            "it is an event of a job alone.",
        ),
    ] = None
    job: Annotated[JsonObject, Field(description="Its namespace and its name, and the facet `sql`, where it has one.")]
    inputs: Annotated[JsonObjects, Field(description="The datasets that it reads.")] = []
    outputs: Annotated[
        JsonObjects, Field(description="The datasets that it writes, each with the facet `columnLineage`.")
    ] = []
    eventTime: Annotated[
        str | None,
        Field(
            max_length=100,
            description="When it was so, in ISO 8601. What was told before, of a later time, is not undone by it. "
            "Now, where it is left out, cannot be read, or lies in the future.",
        ),
    ] = None
    run: Annotated[OptionalJsonObject, Field(description="Not read.")] = absent()
    producer: Annotated[str | None, Field(max_length=4000, description="Not read.")] = None
    schemaURL: Annotated[str | None, Field(max_length=4000, description="Not read.")] = None


@resource
class LineageImportGap(Resource):
    """Something of what was handed in that was not understood, and of which no edge was made."""

    key: str = Field(description="What it is known by in its source, such as the unique id of a model.")
    target_fqn: str | None = Field(description="The table or view that it fills, where the catalog has it.")
    name: str = Field(description="Its kind: compiled, language, target, tables, columns, syntax, ...")
    reason: str = Field(description="What was not understood, in a sentence.")


@resource
class LineageImported(Resource):
    """What became of lineage that was taken in as a whole."""

    source: LineageSource = Field(description="Who told of it.")
    family: str = Field(description="What was told anew: the name of the dbt project, or the job of an event.")
    statements: int = Field(
        description="How many statements it tells of, one for each model that is in the database, or each output."
    )
    new: int = Field(description="How many of them are new, or other than before.")
    unchanged: int = Field(description="How many stood as they are.")
    ended: int = Field(description="How many that stood before have ended: told otherwise now, or not any more.")
    late: int = Field(description="How many were so before what stands already, and so change nothing.")
    not_understood: int = Field(description="How many have gaps. A model of dbt has no edges then.")
    gaps: list[LineageImportGap] = Field(description="The gaps, the first 100.")
