"""A benchmark asks a customer's own questions, and tells which of them are answered as they should be."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

import strawberry
from pydantic import AfterValidator, Field
from strawberry.scalars import JSON

from schema.base import Change, Resource, change, choice, resource
from schema.data_readiness.workflow_run import RunStatus
from schema.identifiers import UuidText
from schema.naming import Name
from schema.node import entity
from schema.talk2data.turn import Reference, not_blank

MOST_QUESTIONS: Final = 500
"""How many questions one benchmark asks."""
MOST_ROWS: Final = 1000
"""How many rows a right answer that is written out has."""
MOST_CELLS: Final = 100
"""How many columns it has."""


@choice
class MissRule(StrEnum):
    """In which way the rows of an answer are other ones than the right rows."""

    MISSING_ROWS = "missing_rows"
    """Rows of the right answer are not there."""
    EXTRA_ROWS = "extra_rows"
    """Rows are there that the right answer does not have."""
    MISSING_COLUMNS = "missing_columns"
    """It shows fewer columns than the right answer."""
    EXTRA_COLUMNS = "extra_columns"
    """It shows more columns than the right answer, where that counts as a miss."""
    OTHER_ORDER = "other_order"
    """The rows are right, and come in another order than the one that was asked for."""
    OTHER_VALUES = "other_values"
    """The rows are right as to some of their columns, and hold other values in the rest."""


@choice
class BenchmarkVerdict(StrEnum):
    """What a question of a benchmark came to."""

    RIGHT = "right"
    """The rows are those of the right answer."""
    WRONG = "wrong"
    """The rows are other ones; the reasons tell in which way."""
    ASKED_BACK = "asked_back"
    """It was asked what is meant."""
    SAID_NO = "said_no"
    """It was said that the data cannot answer this, or may not."""
    FAILED = "failed"
    """There was no answer, or nothing to compare it with: the message tells why."""


@choice
class BenchmarkChange(StrEnum):
    """How the verdict on a question differs from that of the run before."""

    NEW = "new"
    """The run before did not ask it, or came to no verdict."""
    SAME = "same"
    """It was the same."""
    NEWLY_RIGHT = "newly_right"
    """It is right now, and was not."""
    NEWLY_WRONG = "newly_wrong"
    """It is wrong now, and was not."""
    NO_LONGER_RIGHT = "no_longer_right"
    """It was right; now it is asked back, said no to, or failed."""
    OTHER = "other"
    """It was neither right nor is it wrong now, and yet it is another one."""


@resource
class MissReason(Resource):
    """One way in which an answer misses."""

    rule: MissRule
    count: int
    """How many rows or columns it concerns."""
    message: str
    """A sentence about it. It quotes no value of the data."""


@resource
class BenchmarkDifference(Resource):
    """What has changed since the run before: how many questions, of those that both have asked."""

    benchmark_id: UuidText
    """The run before: the latest of the same name that was completed when this one was begun."""
    newly_right: int
    """Right now, and not then."""
    newly_wrong: int
    """Wrong now, and not then."""
    no_longer_right: int
    """Right then, and now asked back, said no to, or failed."""


@entity(kept_in="benchmarks")
class Benchmark(Resource):
    """Questions whose right answers are known, asked once. It belongs to who began it, as their questions do.

    Begun again under its name, it is compared with its run before.
    """

    id: UuidText
    name: str
    datasource: str
    """The data that is asked: a resource URI or a dotted name."""
    extra_columns: bool
    """Whether a right answer may show more columns than it was asked for."""
    status: RunStatus
    status_message: str | None
    questions: int
    """How many questions it asks."""
    right: int
    """How many were answered with the right rows, so far."""
    wrong: int
    """How many were answered with other rows."""
    wrong_unwarned: int
    """How many of those that are wrong said nothing of being unsure."""
    asked_back: int
    """How many were answered with a question."""
    said_no: int
    """How many were not answered because the data cannot, or may not."""
    failed: int
    """How many came to nothing, or have no right answer to compare with."""
    difference: BenchmarkDifference | None
    """What has changed since the run before; null for the first of its name."""
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


@resource
class BenchmarkResult(Resource):
    """A question of a benchmark, and what it came to."""

    id: UuidText
    position: int
    """Its place among the questions, from 1."""
    question: str
    """What is asked."""
    sql: str | None
    """The query that gives the right answer; null where its rows are written out."""
    verdict: BenchmarkVerdict | None
    """What it came to; null while it has not been asked."""
    verdict_before: BenchmarkVerdict | None
    """What it came to in the run before; null when that did not ask it."""
    change: BenchmarkChange | None
    """How the two differ; null while it has not been asked."""
    reasons: list[MissReason]
    """In which ways the rows are wrong; empty when they are right, or when there are none."""
    message: str | None
    """What was said in the place of rows, or why it failed."""
    reading: str | None
    """How the question was understood."""
    confidence: float | None
    """How sure the answer is, 0 to 1."""
    unsure: bool
    """Whether the answer itself said that it is not sure."""
    verified: bool
    """Whether it was answered by a query that a steward has validated. Where one fits, it is used first."""
    answer_sql: str | None
    """The query that was drafted for it, without what policies add to it."""
    right_rows: int | None
    """How many rows the right answer has; null where it was not needed."""
    answer_rows: int | None
    """How many rows the answer has; null where it has none to show."""
    answered_at: datetime | None
    """When its verdict was reached; null while it has not been asked."""


Cells = Annotated[list[Any], Field(min_length=1, max_length=MOST_CELLS)]
RightRows = Annotated[list[Cells] | None, strawberry.field(graphql_type=list[JSON] | None)]


@change
class BenchmarkQuestion(Change):
    """A question and its right answer: the query that gives it, or its rows."""

    question: Annotated[
        str,
        Field(min_length=1, max_length=2000, description="1 to 2,000 characters, not only white space."),
        AfterValidator(not_blank),
    ]
    sql: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=20_000,
                description="A query that gives the right rows, in the dialect of the source. It runs under the same "
                "guard as every answer, with the permissions and policies of who begins the benchmark. Its ORDER BY "
                "is part of the answer.",
            ),
        ]
        | None
    ) = None
    rows: RightRows = Field(
        default_factory=lambda: None,
        max_length=MOST_ROWS,
        description="The right rows, each a list of cells, in the place of a query. Moments are texts such as "
        "2026-11-02T09:30:00Z.",
    )
    ordered: bool = Field(
        False, description="Whether the order of `rows` is part of the answer; with `sql`, its ORDER BY says so."
    )


@change
class BenchmarkCreate(Change):
    """Questions to ask, of which data."""

    name: Annotated[
        Name, Field(description="What it is called; a run is compared with the one before under the same name.")
    ]
    datasource: Annotated[
        Reference, Field(description="The data to ask: the resource URI of a connection, or a dotted name in one.")
    ]
    questions: (
        Annotated[
            list[BenchmarkQuestion],
            Field(
                min_length=1,
                max_length=MOST_QUESTIONS,
                description="1 to 500, each question once; left out, those of the last run under this name.",
            ),
        ]
        | None
    ) = None
    extra_columns: bool = Field(
        True,
        description="Whether an answer with the right rows is right that shows more columns than they have, such as "
        "the figure that it is ordered by.",
    )
