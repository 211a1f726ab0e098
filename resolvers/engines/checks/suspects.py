"""Checks that need the rows themselves: cells that look wrong, and rows that nearly repeat one another.

Both look at the whole table when it is small, and else at a sample that is spread over it; the result says which.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rapidfuzz import fuzz

from resolvers.engines.checks.counting import MOST_LOOKED_AT, CheckedTable, columns_of
from resolvers.engines.checks.examples import ExampleStyle
from resolvers.engines.checks.model import MOST_EXAMPLES, CannotEvaluate, Check, CheckResult, judged, shown
from resolvers.engines.checks.row_places import RowPlaces
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Sign, Suspect
from resolvers.engines.error_detection.near_duplicates import near_repeats
from resolvers.engines.error_detection.verdicts import Judgement, Verdicts, marks_of
from schema.data_readiness.source import Sample, TableFacts
from schema.data_readiness.suspect import CellMarks

MOST_ROWS: Final = 10_000
MOST_COMPARED: Final = 200
"""Rows with a near twin among which pairs to show are looked for."""


LEAST: Final = 0.5
"""How probable it must be that a cell is wrong, that it is a suspect."""
LEAST_LOOKED_AT: Final = 0.35
"""The same before verdicts are heard, which may make the detector surer."""


@dataclass(frozen=True, slots=True)
class JudgedCell:
    """A cell that the detector holds for wrong, and what people have said of it."""

    suspect: Suspect
    kind: Sign
    marks: CellMarks
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Looked:
    """What the detector found among some columns of a table."""

    names: tuple[str, ...]
    sample: Sample
    found: tuple[JudgedCell, ...]
    """All cells that verdicts may move, those that people call fine included."""

    @property
    def suspects(self) -> list[JudgedCell]:
        """The cells that are held for wrong, the most probable first."""
        some = [one for one in self.found if one.judgement.probability >= LEAST]
        return sorted(some, key=lambda one: (-one.judgement.probability, one.suspect.row, one.suspect.column))

    def judged_by(self, verdicts: Verdicts, table: TableFacts) -> "Looked":
        """The same, after other verdicts were heard."""
        columns = {column.name: column.fqn for column in table.columns}
        found = tuple(
            replace(one, judgement=verdicts.judge(columns[one.suspect.column], one.kind, one.marks, one.suspect.score))
            for one in self.found
        )
        return replace(self, found=found)


class Detector:
    """Looks for wrong cells in one table, once for the same columns, and hears what people have said of them."""

    def __init__(self, how: ExampleStyle, verdicts: Verdicts) -> None:
        self._how, self._verdicts = how, verdicts
        self._looked: dict[tuple[str, ...], Looked] = {}

    def look(self, place: CheckedTable, names: tuple[str, ...]) -> Looked:
        """Return what is wrong among some columns; of a large table in a sample."""
        if names not in self._looked:
            self._looked[names] = self._look(place, names)
        return self._looked[names]

    def _look(self, place: CheckedTable, names: tuple[str, ...]) -> Looked:
        sample = _rows(names, place, self._how)
        at = [sample.columns.index(name) for name in names]
        rows = [tuple(row[index] for index in at) for row in sample.rows]
        known_by = [sample.columns.index(name) for name in self._how.key] or at
        columns = {column.name: column.fqn for column in place.table.columns}
        found = []
        for one in find_errors(names, rows, least=LEAST_LOOKED_AT, in_order=sample.in_order) if rows else []:
            if not one.reasons:
                continue  # nothing could be said of it to anybody
            fqn, kind = columns[one.column], one.reasons[0].sign
            row = sample.rows[one.row]
            marks = marks_of(fqn, kind, one.value, [shown(row[index]) for index in known_by])
            found.append(JudgedCell(one, kind, marks, self._verdicts.judge(fqn, kind, marks, one.score)))
        return Looked(names, sample, tuple(found))


def _rows(names: tuple[str, ...], place: CheckedTable, how: ExampleStyle) -> Sample:
    """Rows of the key and of the columns that are looked at."""
    wanted = (*(name for name in how.key if name not in names), *names)
    return place.source.sample(place.relation(), wanted, MOST_ROWS)


def _notes(sample: Sample) -> dict[str, Any]:
    return {} if sample.is_whole else {"sample_size": len(sample.rows), "is_sample": True}


def suspect_values(check: Check, place: CheckedTable, how: ExampleStyle, detector: Detector) -> CheckResult:
    """Cells that the error detector does not call wrong, of all cells of the columns."""
    looked = detector.look(place, columns_of(check, place.table, most=MOST_LOOKED_AT))
    found = [one for one in looked.suspects if check.column in (None, one.suspect.column)]
    width = 1 if check.column is not None else len(looked.names)
    told = suspect_examples(how, looked.sample, found)
    return judged(check, len(found), len(looked.sample.rows) * width, examples=told, notes=_notes(looked.sample))


def suspect_examples(how: ExampleStyle, sample: Sample, found: Sequence[JudgedCell]) -> tuple[dict[str, Any], ...]:
    """The first few suspects with their rows' keys, masked where they are personal data."""
    places = RowPlaces(sample, how.masked)
    return tuple(
        row_key(how if how.key else replace(how, key=places.of(one.row)), sample, one.row)
        | {"values": {one.column: how.value(one.column, one.value)}, "score": round(cell.judgement.probability, 2)}
        | ({} if one.repair is None else {"repair": how.value(one.column, one.repair)})
        for cell in found[:MOST_EXAMPLES]
        for one in (cell.suspect,)
    )


def near_duplicates(check: Check, place: CheckedTable, how: ExampleStyle) -> CheckResult:
    """Rows that are unlike all others, of all rows: alike are those whose words agree to `similarity` at least."""
    try:
        least = float(check.arguments.get("similarity", 0.9))
    except (TypeError, ValueError):
        least = 2.0
    if not 0 < least <= 1:
        raise CannotEvaluate("nearDuplicates takes a `similarity` above 0, and 1 at most.")
    names = columns_of(check, place.table, most=MOST_LOOKED_AT)
    sample = _rows(names, place, how)
    at = [sample.columns.index(name) for name in names]
    texts = [" ".join(" ".join((shown(row[index]) or "").casefold().split()) for index in at) for row in sample.rows]
    rows = near_repeats(texts, least)
    pairs = _alike(texts, sorted(rows), least * 100)
    told = tuple(
        {
            "rows": [
                row_key(how, sample, row) | {"values": how.values(names, [sample.rows[row][index] for index in at])}
                for row in pair
            ],
            "similarity": round(score / 100, 3),
        }
        for pair, score in sorted(pairs.items(), key=lambda one: (-one[1], one[0]))[:MOST_EXAMPLES]
    )
    return judged(check, len(rows), len(texts), examples=told, notes=_notes(sample))


def _alike(texts: Sequence[str], rows: Sequence[int], least: float) -> dict[tuple[int, int], float]:
    """Pairs among rows that have a near twin, to be shown: the first few."""
    found: dict[tuple[int, int], float] = {}
    some = rows[:MOST_COMPARED]
    for at, row in enumerate(some):
        for other in some[at + 1 :]:
            if (score := fuzz.token_sort_ratio(texts[row], texts[other], score_cutoff=least)) > 0:
                found[row, other] = score
    return found


def row_key(how: ExampleStyle, sample: Sample, row: int) -> dict[str, Any]:
    """The key of a row as examples tell it, under `key`; nothing where nothing tells a row apart."""
    if not how.key:
        return {}
    values = dict(zip(sample.columns, sample.rows[row], strict=True))
    return {"key": {name: how.value(name, values[name]) if values[name] is not None else None for name in how.key}}
