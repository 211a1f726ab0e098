"""What an assessment does with the cells of a table that the detector holds for wrong: keep them, and tell of many."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from persistence.queries.metric_results import Measured
from persistence.queries.suspects import MarkedCell, lock_suspects
from persistence.queries.violations import Finding
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.data_readiness.runs.measuring import KINDS, CheckInputs
from resolvers.engines.checks.counting import MOST_LOOKED_AT, CheckedTable
from resolvers.engines.checks.evaluate import of_the_check
from resolvers.engines.checks.examples import ExampleStyle
from resolvers.engines.checks.model import shown
from resolvers.engines.checks.row_places import RowPlaces
from resolvers.engines.checks.suspects import LEAST, Detector, JudgedCell, Looked, suspect_examples
from resolvers.engines.error_detection.verdicts import Verdicts
from resolvers.engines.masking import masked_cell
from resolvers.engines.rules.severity import of_suspects
from schema.data_readiness.quality_builtin import METRICS, VIOLATIONS
from schema.data_readiness.source import Source
from schema.data_readiness.suspect import SuspectCell
from schema.data_readiness.violation import ViolationDefinition
from schema.identifiers import Fqn

MOST_KEPT: Final = 5000
"""Suspects of one table that are kept, the most probable."""
MANY: Final = 3.0
"""Cells that are wrong, as far as probabilities add up, from which a table's suspects are a violation."""
LONGEST_REASON: Final = 1000
MOST_REASONS: Final = 5
METRIC: Final = "suspectValues"
FEWEST_ROWS: Final = 50
"""Rows from which a table tells what is usual in it: of fewer, that nothing looks wrong says nothing."""
SURE: Final = 0.9
"""How probable it is that a cell is wrong that is nearly sure to be."""
COUNTS_IN: Final = next(one.id for one in METRICS if one.name == "plausible_values")
_KIND: Final = next(one for one in VIOLATIONS if one.name == KINDS[METRIC])


@dataclass(frozen=True, slots=True)
class Suspicions:
    """The suspects of one table, as they are judged in the transaction that keeps them."""

    looked: Looked
    suspects: Sequence[JudgedCell]

    @property
    def cells(self) -> int:
        """How many cells were looked at."""
        return len(self.looked.sample.rows) * len(self.looked.names)

    @property
    def expected(self) -> float:
        """How many cells are wrong: what people call wrong counts whole, others as far as they are probable."""
        return sum(one.judgement.probability for one in self.suspects)

    def figure(self, table_fqn: str, check: str) -> Measured | None:
        """The cells that are no suspects, of all, as the score counts them; None of a table of few rows."""
        if len(self.looked.sample.rows) < FEWEST_ROWS:
            return None
        return Measured(COUNTS_IN, table_fqn, self.cells - len(self.suspects), self.cells, {"checks": [check]})


def look(source: Source, known: CheckInputs, detector: Detector) -> Looked | None:
    """Look at all columns of a table; None where they cannot be read. Raises what says so of the connection."""
    names = tuple(column.name for column in known.table.columns)[:MOST_LOOKED_AT]
    if len(names) < 2:
        return None  # a cell is judged beside others
    try:
        return detector.look(CheckedTable(source, known.table, known.others), names)
    except Exception as error:
        if not of_the_check(error):
            raise
        return None


def keep(uow: UnitOfWork, scope: Scope, run_id: str, known: CheckInputs, looked: Looked, at: datetime) -> Suspicions:
    """Keep what was found in the place of what an earlier run found; what people call fine is left out."""
    table = known.table.fqn
    lock_suspects(uow.connection, scope, [table])
    # What was said while the run looked is heard too.
    found = looked.judged_by(Verdicts(uow.suspect_verdicts.of_table(scope, table)), known.table)
    suspects = found.suspects
    kept = suspects[:MOST_KEPT]
    numbers: Counter[tuple[str, str, str]] = Counter()
    places = RowPlaces(found.sample, known.how.masked)
    cells = []
    for one in kept:
        column = str(Fqn.of(*Fqn.parse(table).parts, one.suspect.column))
        place = (column, one.marks.row, one.marks.value)
        numbers[place] += 1
        apart = ":".join((scope.organization_id, str(scope.project_id), *place, str(numbers[place])))
        cell = SuspectCell(
            id=str(uuid5(NAMESPACE_URL, f"stoa:suspect:{apart}")),
            asset_fqn=column,
            table_fqn=table,
            column=one.suspect.column,
            row_key=_key(known.how, found, one, places),
            kind=one.kind,
            reason=_said(one.suspect.reasons[0].told),
            further_reasons=[_said(reason.told) for reason in one.suspect.reasons[1:MOST_REASONS]],
            value=_shown(one.suspect.value),
            repair=_shown(one.suspect.repair),
            probability=one.judgement.probability,
            detected_probability=one.suspect.score,
            verdict=one.judgement.verdict,
            decided_by=one.judgement.decided_by,
            decided_at=one.judgement.decided_at,
            workflow_run_id=run_id,
            measured_at=at,
            suspects_in_table=len(suspects),
        )
        cells.append(MarkedCell(masked_cell(cell, known.how.masked), one.marks))
    uow.suspect_cells.replace(scope, table, cells)
    return Suspicions(found, suspects)


def _key(how: ExampleStyle, looked: Looked, one: JudgedCell, places: RowPlaces) -> dict[str, str | None] | None:
    names = how.key or places.of(one.suspect.row)
    if not names:
        return None
    values = dict(zip(looked.sample.columns, looked.sample.rows[one.suspect.row], strict=True))
    return {name: _shown(shown(values[name])) for name in names}


def _shown(text: str | None) -> str | None:
    return None if text is None else _storable(shown(text) or "")


def _said(text: str) -> str:
    text = _storable(text.replace("\x00", ""))
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"


def _storable(text: str) -> str:
    return text.encode(errors="replace").decode()


def check_key(table_fqn: str, prefix: str) -> str:
    """The name of the check behind the violation that a table's suspects are."""
    return f"{prefix}{uuid5(NAMESPACE_URL, f'stoa:suspects:{table_fqn}')}"


def finding(
    known: CheckInputs,
    found: Suspicions,
    definitions: Sequence[ViolationDefinition],
    check: str,
    version: str | None,
    *,
    stood_before: bool,
) -> Finding | None:
    """Return what is wrong with a table that has many suspects; None for one that has few.

    `stood_before` is whether an earlier run found the same.
    """
    kind = next((one for one in definitions if one.id == _KIND.id), _KIND)
    if found.expected < MANY or not kind.is_active:
        return None
    number = len(found.suspects)
    sure = sum(one.judgement.probability >= SURE for one in found.suspects)
    details = {
        "metric": METRIC,
        "value": str(number),
        "suspects": number,
        "expected_wrong": round(found.expected, 1),
        "nearly_sure": sure,
        "numerator": found.cells - number,
        "denominator": found.cells,
        "by_kind": dict(Counter(one.kind.value for one in found.suspects).most_common()),
        "by_column": dict(Counter(one.suspect.column for one in found.suspects).most_common(20)),
        "why": f"{number} cells are wrong with a probability of {LEAST} at least.",
        "examples": [dict(one) for one in suspect_examples(known.how, found.looked.sample, found.suspects)],
    }
    if not found.looked.sample.is_whole:
        details |= {"sample_size": len(found.looked.sample.rows), "is_sample": True}
    return Finding(
        check=check,
        definition_id=kind.id,
        asset_fqn=known.table.fqn,
        metric_definition_id=COUNTS_IN if len(found.looked.sample.rows) >= FEWEST_ROWS else None,
        severity=of_suspects(found.cells, found.expected, sure, stood_before=stood_before),
        display_name=f"{number:,} suspect cells",
        asset_version=version,
        details=details,
    )
