"""Lineage: which columns depend on which, told by views, by people, by dbt and by the events of OpenLineage."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from schema.base import Change, Resource, change, choice, resource
from schema.identifiers import UuidText
from schema.naming import LongName
from schema.node import entity
from schema.utils.lineage_kind import LineageSubtype, LineageType

LONGEST_STATEMENT: Final = 200_000


@choice
class LineageSource(StrEnum):
    """Who told of it. Sources stand side by side; none overwrites another."""

    VIEW = "view"
    """The definition of a view, as its database gave it when the catalog was ingested."""
    SQL = "sql"
    """A statement that somebody handed in."""
    DBT = "dbt"
    """A model of a dbt manifest."""
    OPENLINEAGE = "openlineage"
    """An event of OpenLineage."""


@choice
class LineageDirection(StrEnum):
    """Which way lineage is followed."""

    UPSTREAM = "upstream"
    """To what it depends on."""
    DOWNSTREAM = "downstream"
    """To what depends on it."""


@resource
class LineageGap(Resource):
    """Something that was not understood, and of which no edge was made."""

    name: str = Field(description="Its kind: syntax, tables, columns, constructs, statement, target, size, ...")
    reason: str = Field(description="What was not understood, in a sentence.")


@entity(kept_in="lineage")
class LineageStatement(Resource):
    """A statement that tells of lineage, as it stood from `began_at` until `ended_at`."""

    id: UuidText
    source: LineageSource = Field(description="Who told of it: the database's view, or a statement handed in, ...")
    key: str = Field(description="What it is known by in its source. The same key told anew ends what stood before.")
    resource_uri: str = Field(description="The connection whose tables it speaks of.")
    target_fqn: str | None = Field(description="The table or view that it fills; null for a query that fills none.")
    statement: str | None = Field(description="Its text, where its source gave one.")
    dialect: str | None = Field(
        description="The SQL dialect that it was read in, such as postgres; null without a text."
    )
    gaps: list[LineageGap] = Field(description="What was not understood; empty where all was.")
    edge_count: int = Field(description="How many edges it tells of.")
    recorded_by: str = Field(description="The id of the user for whom it was told.")
    began_at: datetime = Field(description="Since when it stands.")
    ended_at: datetime | None = Field(description="When something else took its place; null while it stands.")


@resource
class LineageEdge(Resource):
    """One column depends on another, by one statement."""

    from_fqn: str = Field(description="The column, or the table where its rows as a whole are meant.")
    to_fqn: str = Field(description="The column, or the table where its rows, and so all of its columns, are meant.")
    type: LineageType = Field(description="Whether values pass by it, or it only decides about them.")
    subtype: LineageSubtype = Field(description="In which way the one depends on the other.")
    source: LineageSource = Field(description="Who told of it.")
    statement_id: UuidText = Field(description="The statement that says so.")
    began_at: datetime = Field(description="Since when it is said.")
    ended_at: datetime | None = Field(description="Until when it was said; null while it is.")


@resource
class LineageNode(Resource):
    """A column, or the rows of a table as a whole, that lineage leads to."""

    fqn: str = Field(description="The dotted name of the column; that of the table, where its rows are meant.")
    table_fqn: str = Field(description="The dotted name of the table or view that it is of.")
    column: str | None = Field(description="Null where the rows of the table as a whole are meant.")
    resource_uri: str = Field(description="The connection that the table is of.")
    steps: int = Field(description="How many edges lead to it, by the shortest way.")
    direct: bool = Field(description="Whether values pass all the way; false where some edge only decides about rows.")


@resource
class LineageReach(Resource):
    """What lineage leads to from one place, the nearest first."""

    fqn: str = Field(description="The place that was asked about.")
    direction: LineageDirection = Field(description="Which way was followed.")
    items: list[LineageNode] = Field(description="One page of the nodes, the nearest first.")
    total: int = Field(description="How many nodes there are that the caller may read.")
    hidden: int = Field(description="How many more there are that the caller may not read. They are not named.")
    complete: bool = Field(description="False where a bound left something out: `depth`, or 10,000 nodes.")


@resource
class LineageImpactedTable(Resource):
    """A table or view that would change, or could not be made any more."""

    table_fqn: str = Field(description="The dotted name of the table or view.")
    resource_uri: str = Field(description="The connection that the table is of.")
    steps: int = Field(description="How many edges lead to it, by the shortest way.")
    columns: list[str] = Field(description="Its columns that depend on it by themselves, the first 500, sorted.")
    rows: bool = Field(description="Whether its rows, and so all of its columns, depend on it.")


@resource
class LineageImpact(Resource):
    """What breaks, or comes out otherwise, if a column or a table goes."""

    fqn: str = Field(description="The place that would go.")
    items: list[LineageImpactedTable] = Field(description="One page of the tables and views, the nearest first.")
    total: int = Field(description="How many tables and views that the caller may read are reached.")
    hidden: int = Field(description="How many more that the caller may not read. They are not named.")
    complete: bool = Field(description="False where a bound left something out.")


@resource
class LineagePathStep(Resource):
    """One edge of a path. What the caller may not read is null."""

    from_fqn: str | None = Field(description="Where the edge begins; null where the caller may not read it.")
    to_fqn: str | None = Field(description="Where the edge ends; null where the caller may not read it.")
    type: LineageType = Field(description="Whether values pass by it, or it only decides about them.")
    subtype: LineageSubtype = Field(description="In which way the one depends on the other.")
    source: LineageSource = Field(description="Who told of it.")
    statement_id: str | None = Field(description="Null beside what the caller may not read.")


@resource
class LineagePath(Resource):
    """The shortest way from one place to another, upstream first; through what the caller may read, where there is."""

    from_fqn: str = Field(description="Where the way begins, upstream.")
    to_fqn: str = Field(description="Where the way ends, downstream.")
    found: bool = Field(description="Whether there is a way.")
    items: list[LineagePathStep] = Field(description="Its edges, in their order; empty where there is no way.")
    hidden: int = Field(description="How many places on the way the caller may not read.")
    complete: bool = Field(description="False where a bound ended the search; then not found is not known.")


@change
class LineageStatementCreate(Change):
    """A statement to read lineage from: CREATE VIEW, CREATE TABLE AS, INSERT ... SELECT, or a SELECT with a target."""

    statement: Annotated[
        str,
        Field(
            min_length=1,
            max_length=LONGEST_STATEMENT,
            description="One statement, in the SQL dialect of the connection. Nothing of it is run.",
        ),
    ]
    target_fqn: Annotated[
        str | None,
        Field(max_length=1000, description="The dotted name of the table that a bare SELECT fills."),
    ] = None
    name: Annotated[
        LongName | None,
        Field(description="What the statement is known by. Without one it is the table that it fills."),
    ] = None
