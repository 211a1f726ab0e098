"""Defines where an answer comes from: what was known, what was drafted, what ran, and how good the data was at that
moment.
"""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from schema.base import JsonObject, OptionalJsonObject, OptionalLong, Resource, Size, choice, resource
from schema.data_readiness.scorecard import SCORE
from schema.identifiers import UuidText


@choice
class AnswerKind(StrEnum):
    """What a turn came to."""

    ANSWER = "answer"
    """A query ran, and its rows are the answer."""
    CLARIFICATION = "clarification"
    """The question can be understood in several ways; the asker chooses."""
    UNANSWERABLE = "unanswerable"
    """The data cannot answer it."""
    INFORMATION = "information"
    """It asked about the data, or about the last answer: told from what is known, and no query ran."""
    REFUSED = "refused"
    """A permission, a policy, the guard or the quality of the data stands against it."""


@resource
class UsedColumn(Resource):
    """A column that a query names anywhere."""

    name: str
    version: str | None = Field(description="Its version in the catalog when it was used; null when it has none.")
    open_violations: Size = Field(description="Violations of its data that were not resolved when it was used.")


@resource
class UsedTable(Resource):
    """A table that a query reads."""

    fqn: str = Field(description="The dotted name of the table.")
    version: str | None = Field(description="Its version in the catalog when it was used; null when it has none.")
    quality_score: str | None = Field(
        description=f"The score of its data, not of its metadata, at that moment. {SCORE}"
    )
    open_violations: Size = Field(description="Violations of its data, in all columns, that were not resolved then.")
    columns: list[UsedColumn] = Field(description="Those of its columns that the query names, by name.")


@resource
class UsedMemory(Resource):
    """A memory that shaped a query, or a policy that was applied to it."""

    id: str
    name: str
    version: int
    memory_type: str = Field(description="The kind of knowledge that it is.")


@resource
class FailedDraft(Resource):
    """A draft that the guard refused or that the source could not run."""

    sql: str = Field(description="The query as it was drafted.")
    rule: str | None = Field(description="The rule of the guard that refused it; null when it failed in the source.")
    message: str


@resource
class QuestionReading(Resource):
    """One of several ways to understand a question that was asked back. No two of a question have the same text."""

    id: str = Field(description="What a later turn of the session names in `reading_id` to have this one answered.")
    text: str = Field(description="What the question means, read so.")
    sql: str | None = Field(description="The query that it leads to; null when it is drafted once it was chosen.")
    row_count: OptionalLong = Field(
        description="Rows that it would give, as they are counted in a short time; null when they were not."
    )


@resource
class TurnProvenance(Resource):
    """Where the answer of a turn comes from. Fields about a query are null when none was drafted."""

    turn_id: UuidText
    kind: AnswerKind = Field(description="What the turn came to.")
    message: str | None = Field(description="The answer's text.")
    resource_uri: str | None = Field(description="The data connection that was asked.")
    dialect: str | None = Field(description="The dialect of SQL that it speaks.")
    tables: list[UsedTable] = Field(description="What the query reads, with its quality as of then.")
    memories: list[UsedMemory] = Field(description="The memories that shaped the query.")
    policies: list[UsedMemory] = Field(description="The policies that changed the query, or judged it.")
    drafter: str | None = Field(description="Who drafted the query, with its version.")
    model: str | None = Field(description="The language model behind the drafter, if one is.")
    prompt_hash: str | None = Field(description="SHA-256 of the prompt that the model was given.")
    reading: str | None = Field(description="How the question was understood.")
    confidence: float | None = Field(description="How often such a draft is right, 0 to 1.")
    verified: bool = Field(
        False, description="Whether the query is one that a steward has validated for such questions, and no new draft."
    )
    sql_drafted: str | None = Field(description="The query as it was drafted.")
    sql_run: str | None = Field(
        description="The query as it was sent to the source, after the guard. A limit of its own is sent with one row "
        "more, which is never shown and tells whether the cut is between equals."
    )
    plan: OptionalJsonObject = Field(description="What the planner understood, free of SQL.")
    failed: list[FailedDraft] = Field(description="What was tried before, in its order.")
    row_count: OptionalLong = Field(description="Rows of the answer.")
    truncated: bool = Field(description="Whether the source had more rows than were read.")
    result_hash: str | None = Field(
        description="SHA-256 of the column names and the rows; of rows that the query does not order, in any order."
    )
    warnings: list[str] = Field(description="What the asker was warned of.")
    readings: list[QuestionReading] = Field(
        default_factory=list, description="Of a question that was asked back, the ways to understand it."
    )
    evidence: JsonObject = Field(description="What the drafter noted: words that were linked, words left over, tokens.")
    created_at: datetime = Field(description="When the answer was found.")


@choice
class ChangeKind(StrEnum):
    """What can be different when an old question is asked again."""

    CONNECTION = "connection"
    CATALOG = "catalog"
    QUALITY = "quality"
    VIOLATIONS = "violations"
    MEMORY = "memory"
    POLICY = "policy"
    DRAFTER = "drafter"
    SQL = "sql"
    ANSWER = "answer"
    """What the turn came to, such as an answer then and a refusal now."""
    DATA = "data"
    """The old query answers with other rows than then."""
    RESULT = "result"
    """The new query answers with other rows than the old one then."""


@resource
class ReplayChange(Resource):
    """One thing that is different now."""

    kind: ChangeKind = Field(description="What is different.")
    subject: str | None = Field(description="Which one: a table or column by its dotted name, a memory by its name.")
    before: str | None = Field(description="What stood then; null for what is new.")
    after: str | None = Field(description="What stands now; null for what is gone.")
    message: str = Field(description="A sentence that says it.")


@resource
class ReplayRun(Resource):
    """How a query ran now."""

    sql: str | None = Field(description="What was sent to the source; null when nothing was.")
    row_count: OptionalLong = Field(description="Rows of the answer; null when there is none.")
    truncated: bool = Field(description="Whether the source had more rows than were read.")
    result_hash: str | None = Field(description="As in the provenance; null when there is no answer.")
    rule: str | None = Field(description="The rule of the guard that refused it, if one did.")
    message: str | None = Field(description="Why there is no answer; null when there is one.")


@resource
class TurnReplay(Resource):
    """An old turn that was asked again, with what is known today. Nothing of the turn itself has changed."""

    turn_id: UuidText
    replayed_at: datetime = Field(description="When it was asked again.")
    same: bool = Field(description="Whether the same question leads to the same rows.")
    old: TurnProvenance = Field(description="The answer of then.")
    old_query: ReplayRun = Field(description="The query of then, sent again.")
    kind: AnswerKind = Field(description="What the question comes to now.")
    message: str | None = Field(description="The text of the answer of now.")
    new_query: ReplayRun = Field(description="The query that the question leads to now.")
    reading: str | None = Field(description="How the question is understood now.")
    confidence: float | None = Field(description="How often such a draft is right, 0 to 1.")
    sql_diff: str | None = Field(description="The difference of the two drafts, unified; null when they are the same.")
    changes: list[ReplayChange] = Field(description="What is different, causes before effects.")
