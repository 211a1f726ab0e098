"""Defines what a profile says about a table and its columns: figures, each exact or marked as approximate (contract
2.6).
"""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from schema.base import OptionalLong, Resource, Size, choice, resource
from schema.identifiers import UuidText


@choice
class ProfileTier(StrEnum):
    """How much of a table was looked at."""

    STATISTICS = "statistics"
    """What the database knows already: no row is read."""
    SAMPLE = "sample"
    """One scan in the source for the exact basics, and a sample of rows for the rest."""
    FULL = "full"
    """Every row."""


@choice
class ValueKind(StrEnum):
    """Which figures a column can have."""

    NUMBER = "number"
    TEXT = "text"
    TEMPORAL = "temporal"
    BOOLEAN = "boolean"
    OTHER = "other"
    """Documents, arrays, binary data: only counted."""


@resource
class ValueCount(Resource):
    """A value and how often it occurs."""

    value: str = Field(description="As text; cut off with an ellipsis after 255 characters.")
    count: Size = Field(description="How many rows have it; of a sample, scaled to the whole.")


@resource
class Quantile(Resource):
    """The value below which a share of the values lies."""

    fraction: float = Field(description="From 0 to 1.")
    value: str = Field(description="As text, such as `12.5` or `2026-01-31`.")


@resource
class HistogramBin(Resource):
    """How many values lie from `lower` (included) to `upper` (excluded, but in the last bin)."""

    lower: str = Field(description="The least value that counts here.")
    upper: str = Field(description="The first value that counts in the next bin.")
    count: Size = Field(description="How many rows; of a sample, scaled to the whole.")


@resource
class PatternCount(Resource):
    """A shape of texts, and how many have it."""

    pattern: str = Field(description="`A` stands for a letter, `9` for a digit, a sign for itself; runs are counted.")
    count: Size = Field(description="How many rows have it; of a sample, scaled to the whole.")


@resource
class ColumnProfile(Resource):
    """What is known of the values of one column. Personal data is masked: tagged, or suggested and not yet rejected."""

    column_fqn: str = Field(description="The dotted name of the column.")
    name: str
    ordinal_position: int = Field(description="Its place in the table, from 1.")
    data_type: str | None = Field(description="The neutral name of its type.")
    kind: ValueKind = Field(description="Which figures it can have.")
    row_count: Size = Field(description="The rows that the counts are out of.")
    null_count: OptionalLong = Field(description="Rows without a value.")
    blank_count: OptionalLong = Field(description="Texts that are empty or white space only; null for other kinds.")
    distinct_count: OptionalLong = Field(description="Different values, null not counted.")
    minimum: str | None = Field(description="The least value as text, of texts the first by code point.")
    maximum: str | None = Field(description="The greatest value as text.")
    mean: float | None = Field(description="The average of numbers.")
    stddev: float | None = Field(description="Standard deviation of the sample.")
    quantiles: list[Quantile] = Field(
        description="Values at shares of all values in their order, of numbers and moments."
    )
    histogram: list[HistogramBin] = Field(
        description="How numbers and moments are distributed between the least and the greatest. Bins are as wide as "
        "one another, but for one at either end that holds what lies far off."
    )
    top_values: list[ValueCount] = Field(description="The most frequent values, the first first.")
    min_length: int | None = Field(description="Characters of the shortest text.")
    max_length: int | None = Field(description="Characters of the longest text.")
    mean_length: float | None = Field(description="Characters of a text on average.")
    patterns: list[PatternCount] = Field(description="The most frequent shapes of texts, the first first.")
    approximate: list[str] = Field(description="Which of these figures are approximate, by the name of the field.")
    sample_size: OptionalLong = Field(description="Rows of the sample behind the approximate figures, if any.")
    masked: bool = Field(False, description="Whether values are left out because the column holds personal data.")


@resource
class CandidateKey(Resource):
    """Columns whose values together occur once, or nearly."""

    columns: list[str] = Field(description="The names of the columns.")
    uniqueness: float = Field(description="Share of rows whose values occur once, 0 to 1.")
    is_declared: bool = Field(description="Whether the source declares it.")
    is_exact: bool = Field(description="Whether every row was looked at, or the source keeps to the key.")


@resource
class FunctionalDependency(Resource):
    """Rows that agree in the determinant agree in the dependent, but for a few."""

    determinant: list[str] = Field(description="The names of the columns that settle the other.")
    dependent: str = Field(description="The name of the column that is settled.")
    holds: float = Field(description="Share of rows that keep to it, 0 to 1.")
    is_exact: bool = Field(description="Whether every row was looked at.")


@resource
class ForeignKeyCandidate(Resource):
    """A column whose values occur in a key of another table."""

    columns: list[str] = Field(description="The names of the columns that refer.")
    target_fqn: str = Field(description="The dotted name of the table that is referred to.")
    target_columns: list[str] = Field(description="The names of the columns that are referred to, in the same order.")
    match_rate: float = Field(description="Share of the values that are not null that have a target, 0 to 1.")
    is_declared: bool = Field(description="Whether the source declares it.")
    is_exact: bool = Field(description="Whether every row was matched, and not a sample of values.")


@resource
class TableProfile(Resource):
    """What one run has measured of a table."""

    id: UuidText
    workflow_run_id: UuidText = Field(description="The run that measured it.")
    asset_fqn: str = Field(description="The dotted name of the table or view.")
    resource_uri: str = Field(description="The connection that it was read through.")
    tier: ProfileTier = Field(description="How much was looked at.")
    measured_at: datetime = Field(description="When it was recorded.")
    row_count: Size = Field(description="Rows of the table.")
    column_count: int = Field(description="Columns that the catalog knows of.")
    sample_size: OptionalLong = Field(description="Rows of the sample behind the approximate figures, if any.")
    approximate: list[str] = Field(description="Which figures of the table are approximate, by the name of the field.")
    freshness_column: str | None = Field(description="The column that tells how recent the table is.")
    newest: str | None = Field(description="The latest moment in that column, ISO 8601.")
    candidate_keys: list[CandidateKey] = Field(
        description="Columns that tell all rows apart, or nearly all, declared ones first."
    )
    functional_dependencies: list[FunctionalDependency] = Field(description="Columns that settle others.")
    foreign_keys: list[ForeignKeyCandidate] = Field(
        description="References to keys of other tables, declared ones first."
    )
    duration_seconds: float = Field(description="How long it took.")
    columns: list[ColumnProfile] = Field(description="The columns that could be read, in their order.")


@resource
class ProfileEntry(Resource):
    """One profile in a history: what it is about and how it was made, without its columns."""

    id: UuidText
    workflow_run_id: UuidText = Field(description="The run that measured it.")
    asset_fqn: str = Field(description="The dotted name of the table or view.")
    resource_uri: str = Field(description="The connection that it was read through.")
    tier: ProfileTier = Field(description="How much was looked at.")
    measured_at: datetime = Field(description="When it was recorded.")
    row_count: Size = Field(description="Rows of the table.")
    column_count: int = Field(description="Columns that the catalog knows of.")
    sample_size: OptionalLong = Field(description="Rows of the sample behind the approximate figures, if any.")
    duration_seconds: float = Field(description="How long it took.")
