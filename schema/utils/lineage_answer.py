"""Kept answers that read what would change: the end of lineage that questions make."""

from datetime import datetime

from pydantic import Field

from schema.base import Resource, resource
from schema.identifiers import UuidText
from schema.utils.lineage_kind import LineageSubtype, LineageType


@resource
class AnswerEdge(Resource):
    """A column of an answer depends on what its query reads."""

    from_fqn: str = Field(description="The column that is read, or the table where its rows as a whole are meant.")
    to_column: str | None = Field(description="The column of the answer; null where its rows, and so all, are meant.")
    type: LineageType = Field(description="Whether values pass by it, or it only decides about them.")
    subtype: LineageSubtype = Field(description="In which way the one depends on the other.")


@resource
class ReachedAnswer(Resource):
    """One of the caller's answers, whose query reads the place that was asked about, or what depends on it."""

    turn_id: UuidText = Field(description="The turn; its provenance has the query.")
    session_id: UuidText = Field(description="The session that the turn is of.")
    question: str = Field(description="The first 1,000 characters of what was asked.")
    resource_uri: str = Field(description="The connection that answered.")
    answered_at: datetime = Field(description="When the answer was found.")
    steps: int = Field(description="How many edges lead to what the query reads; 0 where it reads the place itself.")
    reads: list[str] = Field(
        description="What of it the query reads, by dotted names: columns, or tables of which the rows depend on it."
    )
    edges: list[AnswerEdge] = Field(
        description="How the answer depends on that, by the query as it was drafted; the first 100. What policies add "
        "to a query makes none."
    )
    understood: bool = Field(description="Whether the query was understood; where it was not there are no edges.")


@resource
class LineageAnswers(Resource):
    """The kept answers that a change of a column or a table touches, the nearest first."""

    fqn: str = Field(description="The place that would change.")
    items: list[ReachedAnswer] = Field(description="One page of the caller's own answers.")
    total: int = Field(description="How many of the caller's own answers are touched.")
    hidden: int = Field(
        description="How many more that the caller may not read: those of others, and those over connections whose "
        "metadata the caller may not read."
    )
    complete: bool = Field(
        description="False where a bound left something out: the latest 1,000 answers of the caller, as many of the "
        "others, or a bound of the walk."
    )
