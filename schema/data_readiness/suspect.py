"""A suspect cell is a value that an assessment holds for wrong; people say whether it is, and it learns from that."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from schema.base import Change, OptionalJsonObject, Resource, change, choice, resource
from schema.data_readiness.selecting import AssetsLike, AtOrUnder
from schema.identifiers import UuidText
from schema.naming import Name
from schema.node import entity

MASKED: Final = "***"
"""Stands in the place of a value that is personal data."""


@choice
class SuspectKind(StrEnum):
    """What a cell shows that speaks against it."""

    DEPENDENCY = "dependency"
    """Rows that agree elsewhere have another value here."""
    VARIANT = "variant"
    """A rare value that is nearly a frequent one, or that was cut off."""
    WRITING = "writing"
    """A frequent value, with other case, spaces or signs."""
    WORD = "word"
    """A rare word that is nearly a frequent one."""
    PATTERN = "pattern"
    """Another form than nearly all of the column."""
    LETTERS = "letters"
    """A sequence of characters that the column has nowhere else."""
    RARE = "rare"
    """A rare value among few that are frequent."""
    OUTLIER = "outlier"
    """Far from all other values."""
    STAND_IN = "stand_in"
    """A text or number that stands for a missing value."""
    MISSING = "missing"
    """No value, where nearly all rows have one."""
    DOMAIN = "domain"
    """A value of another column."""
    ORDER = "order"
    """Less than a column that it is never less than."""
    FORMULA = "formula"
    """Another than what it is worked out of, or is worked out with, comes to."""
    REPEATED = "repeated"
    """A key that another row has as well."""


@choice
class SuspectVerdict(StrEnum):
    """What people have said of a suspect cell."""

    UNDECIDED = "undecided"
    """Nobody has said anything, or what was said was taken back."""
    WRONG = "wrong"
    """The cell is wrong."""
    FINE = "fine"
    """The cell is right as it is. It is no suspect again while its value and its row stay."""
    ALWAYS_FINE = "always_fine"
    """Such a value is right in this column. No cell that has it, or its form where the form was odd, is a suspect of
    this kind again."""


FINE: frozenset[SuspectVerdict] = frozenset({SuspectVerdict.FINE, SuspectVerdict.ALWAYS_FINE})
"""The verdicts that say that nothing is wrong."""


@dataclass(frozen=True, slots=True)
class CellMarks:
    """By what a cell is known again without its values: digests of them."""

    value: str
    form: str | None
    """Of the way in which the value is written; None where it was not that which was odd."""
    row: str
    """Of the row's key, or of the whole row where it has none."""


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """What somebody said of a cell of a column, or of all cells like it."""

    asset_fqn: str
    kind: SuspectKind
    marks: CellMarks
    verdict: SuspectVerdict
    decided_by: str
    decided_at: datetime


@entity(kept_in="suspect_cells")
class SuspectCell(Resource):
    """A cell that the latest assessment of its table holds for wrong, with the reason and what probably belongs there.

    Values of columns that hold personal data are shown as `***`, as the tags stand when they are read.
    """

    id: UuidText = Field(description="The same in every assessment that finds the cell as it is.")
    asset_fqn: str = Field(description="The dotted name of the column.")
    table_fqn: str = Field(description="The dotted name of the table.")
    column: str
    row_key: OptionalJsonObject = Field(
        description="The values that tell its row apart, by column; null where nothing is known that does."
    )
    kind: SuspectKind
    reason: str = Field(description="What speaks most against it, with the rows that it was judged by.")
    further_reasons: list[str] = Field(description="What else speaks against it, the heaviest first.")
    value: str | None = Field(description="What stands there, 100 signs at most; null where nothing does.")
    repair: str | None = Field(description="What probably belongs there; null where that cannot be told.")
    probability: float = Field(
        description="How probable it is that the cell is wrong, 0 to 1: what the detector found, moved by what people "
        "have said of cells of this kind in this column."
    )
    detected_probability: float = Field(description="The same as the detector found it, whatever people have said.")
    verdict: SuspectVerdict
    decided_by: str | None = Field(description="The id of the user who said so.")
    decided_at: datetime | None = Field(description="When it was said; null while nothing is.")
    workflow_run_id: UuidText = Field(description="The assessment that found it.")
    measured_at: datetime
    suspects_in_table: int = Field(
        description="How many suspects this assessment found in the table. The most probable 5000 of them are kept."
    )


@resource
class SuspectCellGroup(Resource):
    """Suspect cells of a column that have the same value and the same spoken against it, to be decided as one thing.

    Of a column that holds personal data, all cells of a kind are one group.
    """

    asset_fqn: str = Field(description="The dotted name of the column.")
    table_fqn: str = Field(description="The dotted name of the table.")
    column: str
    kind: SuspectKind
    reason: str = Field(description="What speaks most against them.")
    value: str | None = Field(description="What stands in each of them, 100 signs at most; null where nothing does.")
    cells: int = Field(description="How many suspect cells they are.")
    undecided: int = Field(description="Of how many of them nobody has said anything.")
    lowest_probability: float = Field(description="How probable it is that the least suspect of them is wrong.")
    highest_probability: float = Field(description="The same of the most suspect one.")
    sample: list[SuspectCell] = Field(description="The first 3 of them, the most probable first.")
    ids: list[UuidText] = Field(
        description="The ids of the 200 most probable, which `only.ids` of a decision takes; where `cells` is more, "
        "list the undecided ones anew after deciding these."
    )


ProbabilityAtLeast = Annotated[float, Field(ge=0, le=1, description="Only those that are wrong as probably as this.")]


@change
class SuspectCellFilter(Change):
    """Which suspect cells are meant: those that match all of this."""

    ids: Annotated[list[UUID], Field(min_length=1, max_length=1000, description="Some of these.")] | None = None
    under: AtOrUnder | None = None
    assets_like: AssetsLike | None = None
    kinds: Annotated[list[SuspectKind], Field(min_length=1, max_length=20)] | None = None
    verdicts: Annotated[list[SuspectVerdict], Field(min_length=1, max_length=4)] | None = None
    probability_at_least: ProbabilityAtLeast | None = None


@change
class SuspectCellsDecision(Change):
    """One verdict on all suspect cells that match."""

    only: Annotated[SuspectCellFilter, Field(description="Those that match all of this; `{}` is every one.")]
    verdict: SuspectVerdict
    dry_run: Annotated[bool, Field(description="Say what would be decided, and write nothing.")] = False


@resource
class SuspectCellsDecided(Resource):
    """What a verdict on suspect cells came to."""

    matched: int = Field(description="How many suspect cells match the filter.")
    decided: int = Field(description="How many of them got the verdict by this; in a dry run, would get it.")
    stand_already: int = Field(description="How many had it already.")
    waiting: int = Field(description="How many are left: one call decides 1000. Make the same call again.")
    dry_run: bool = Field(description="Whether nothing was changed, since it was only asked what would be.")
    sample: list[SuspectCell] = Field(description="The first 20 that are decided, as they stood before.")


@change
class SuspectCellsExport(Change):
    """Which suspect cells become a file, and what it is called."""

    only: SuspectCellFilter | None = None
    name: Name | None = None
