"""What a profile says about a table and its columns: figures, each exact or marked as approximate (contract 2.6)."""

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

    value: str
    count: Size


@resource
class Quantile(Resource):
    """The value below which a share of the values lies."""

    fraction: float = Field(description="From 0 to 1.")
    value: str


@resource
class HistogramBin(Resource):
    """How many values lie from `lower` (included) to `upper` (excluded, but in the last bin)."""

    lower: str
    upper: str
    count: Size


@resource
class PatternCount(Resource):
    """A shape of texts, and how many have it."""

    pattern: str = Field(description="`A` stands for a letter, `9` for a digit, a sign for itself; runs are counted.")
    count: Size


@resource
class ColumnProfile(Resource):
    """What is known of the values of one column. Values of columns tagged as personal data are masked."""

    column_fqn: str
    name: str
    ordinal_position: int
    data_type: str | None
    kind: ValueKind
    row_count: Size = Field(description="The rows that the counts are out of.")
    null_count: OptionalLong
    blank_count: OptionalLong = Field(description="Texts that are empty or white space only; null for other kinds.")
    distinct_count: OptionalLong
    minimum: str | None
    maximum: str | None
    mean: float | None
    stddev: float | None = Field(description="Standard deviation of the sample.")
    quantiles: list[Quantile]
    histogram: list[HistogramBin]
    top_values: list[ValueCount] = Field(description="The most frequent values, the first first.")
    min_length: int | None
    max_length: int | None
    mean_length: float | None
    patterns: list[PatternCount]
    approximate: list[str] = Field(description="Which of these figures are approximate, by the name of the field.")
    sample_size: OptionalLong = Field(description="Rows of the sample behind the approximate figures, if any.")
    masked: bool = Field(False, description="Whether values are left out because the column holds personal data.")


@resource
class CandidateKey(Resource):
    """Columns whose values together occur once, or nearly."""

    columns: list[str]
    uniqueness: float = Field(description="Share of rows whose values occur once, 0 to 1.")
    is_declared: bool = Field(description="Whether the source declares it.")
    is_exact: bool


@resource
class FunctionalDependency(Resource):
    """Rows that agree in the determinant agree in the dependent, but for a few."""

    determinant: list[str]
    dependent: str
    holds: float = Field(description="Share of rows that keep to it, 0 to 1.")
    is_exact: bool


@resource
class ForeignKeyCandidate(Resource):
    """A column whose values occur in a key of another table."""

    columns: list[str]
    target_fqn: str = Field(description="The dotted name of the table that is referred to.")
    target_columns: list[str]
    match_rate: float = Field(description="Share of the values that are not null that have a target, 0 to 1.")
    is_declared: bool
    is_exact: bool


@resource
class TableProfile(Resource):
    """What one run has measured of a table."""

    id: UuidText
    workflow_run_id: UuidText
    asset_fqn: str
    resource_uri: str
    tier: ProfileTier
    measured_at: datetime
    row_count: Size
    column_count: int
    sample_size: OptionalLong = Field(description="Rows of the sample behind the approximate figures, if any.")
    approximate: list[str] = Field(description="Which figures of the table are approximate, by the name of the field.")
    freshness_column: str | None = Field(description="The column that tells how recent the table is.")
    newest: str | None = Field(description="The latest moment in that column, ISO 8601.")
    candidate_keys: list[CandidateKey]
    functional_dependencies: list[FunctionalDependency]
    foreign_keys: list[ForeignKeyCandidate]
    duration_seconds: float
    columns: list[ColumnProfile]


@resource
class ProfileEntry(Resource):
    """One profile in a history: what it is about and how it was made, without its columns."""

    id: UuidText
    workflow_run_id: UuidText
    asset_fqn: str
    resource_uri: str
    tier: ProfileTier
    measured_at: datetime
    row_count: Size
    column_count: int
    sample_size: OptionalLong = Field(description="Rows of the sample behind the approximate figures, if any.")
    duration_seconds: float
