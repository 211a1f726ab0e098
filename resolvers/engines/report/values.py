"""Defines what a report shows, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from schema.data_readiness.action import Action
from schema.data_readiness.classification import Classification
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.rule import RuleOutcome
from schema.data_readiness.scorecard import Scorecard
from schema.data_readiness.suspect import SuspectCell
from schema.data_readiness.violation import Severity


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A score at a moment of the past."""

    at: datetime
    score: float


@dataclass(frozen=True, slots=True)
class RuleResult:
    """Holds how a rule ended when it was executed last."""

    name: str
    asset_fqn: str
    dimension: str
    outcome: RuleOutcome
    numerator: int | None
    denominator: int | None
    reason: str | None = None
    expects: str | None = None
    """What it allows and what was found, in words; None when the rule was deleted."""


@dataclass(frozen=True, slots=True)
class ViolationSummary:
    """One kind of violation of the description: how much lacks it, and where."""

    what: str
    severity: Severity
    count: int
    """How many assets lack it."""
    places: Sequence[str]
    """The dotted names of the first assets at or under which it is missing."""
    places_total: int
    """How many such places there are."""


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """Tables that the last run could not measure, for one and the same reason."""

    why: str
    advice: str
    """What to do about it."""
    count: int
    places: Sequence[str]
    """The dotted names of the first of them."""
    is_old: bool = False
    """Whether the score still counts what was measured of them before."""


@dataclass(frozen=True, slots=True)
class ReportReference:
    """One table refers to another."""

    source: str
    target: str
    label: str
    is_declared: bool


@dataclass(frozen=True, slots=True)
class LineageLine:
    """One table depends on another, or the other way round, by so many edges; all names are FQNs."""

    table: str
    other: str
    steps: int
    columns: tuple[str, ...] = ()
    """The columns of the other table by which it does; none where its rows alone count."""


@dataclass(frozen=True, slots=True)
class ReportLineage:
    """What the tables of a report are made of, and what is made of its one table."""

    made_of: tuple[LineageLine, ...] = ()
    goes_into: tuple[LineageLine, ...] = ()
    hidden: int = 0
    """How many tables of other connections there are besides, which a report does not name."""
    complete: bool = True


@dataclass(frozen=True, slots=True)
class TableLine:
    """One table in the report: what the catalog says, and the profile when there is one."""

    fqn: str
    name: str
    description: str | None
    column_count: int
    row_count: int | None
    profile: TableProfile | None = None


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that stands in a report."""

    asset_fqn: str
    level: str
    """service, database, schema or table."""
    title: str
    description: str | None
    made_at: datetime
    scorecard: Scorecard
    trend: Sequence[TrendPoint] = ()
    """The score of the data over time."""
    metadata_trend: Sequence[TrendPoint] = ()
    """The score of the description over time."""
    tables: Sequence[TableLine] = ()
    tables_total: int = 0
    """How many tables there are; `tables` holds the first of them."""
    classifications: Sequence[Classification] = ()
    rules: Sequence[RuleResult] = ()
    actions: Sequence[Action] = ()
    """What is wrong with the data: what there is most to gain by first."""
    violations_total: int = 0
    """How many violations of the data are open; `actions` holds the first of them."""
    gaps: Sequence[ViolationSummary] = ()
    """What is missing of the description, by kind, the worst first."""
    gaps_total: int = 0
    """How many assets lack something, summed over the kinds."""
    cells: Sequence[SuspectCell] = ()
    """Cells that are probably wrong, those that harm most first."""
    cells_total: int = 0
    """How many there are in all."""
    unmeasured: Sequence[Unmeasured] = ()
    """What stands for nothing in the score, or for what it was before."""
    relations: Sequence[ReportReference] = ()
    lineage: ReportLineage = field(default_factory=ReportLineage)
    previous_score: str | None = None
    """The score of the data after the run that measured them before."""
    previous_metadata: str | None = None
    """The score of the description after the run that measured it before."""
    notes: Sequence[str] = field(default_factory=tuple)
    """What a reader should know about the report itself."""
