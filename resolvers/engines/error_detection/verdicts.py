"""What people have said of suspect cells, applied to those that the detector finds: who is asked no more, who is surer.

A verdict on a cell holds for that cell; `always_fine` holds for all of its column that have the value, or its form
where the form was odd. Beside that every verdict is a trial of the detector: of cells of one kind in one column, how
often was it right? A score `p` counts as `TRIALS` trials that went that way, and verdicts as one each, so that the
probability is the mean of a Beta distribution.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from resolvers.engines.error_detection.evidence import Sign
from schema.data_readiness.suspect import FINE, CellMarks, GivenVerdict, SuspectVerdict

TRIALS: Final = 4.0
"""How many verdicts a score of the detector outweighs."""

_RUN: Final = re.compile(r"\d+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What stands of a cell: the verdict that holds for it, and how probable it is that it is wrong."""

    verdict: SuspectVerdict
    probability: float
    decided_by: str | None = None
    decided_at: datetime | None = None


def marks_of(column_fqn: str, kind: Sign, value: str | None, row: Sequence[str | None]) -> CellMarks:
    """The digests by which a cell is known again; `row` is its key, or the whole row."""
    form = None
    if kind is Sign.PATTERN and value is not None:
        form = _digest(column_fqn, "form", _RUN.sub(lambda run: "9" if run[0][0].isdigit() else "a", value))
    return CellMarks(_digest(column_fqn, "value", value), form, _digest(column_fqn, "row", *row))


def _digest(*parts: str | None) -> str:
    # Each part with its length, so that no two lists of parts read alike.
    text = "".join("-" if part is None else f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


class Verdicts:
    """What was said of the cells of some columns."""

    def __init__(self, given: Iterable[GivenVerdict] = ()) -> None:
        self._of_cell: dict[tuple[str, str, str], GivenVerdict] = {}
        self._always: dict[tuple[str, Sign, str], GivenVerdict] = {}
        self._trials: dict[tuple[str, Sign], Counter[bool]] = defaultdict(Counter)
        for one in sorted(given, key=lambda one: one.decided_at):
            asset, marks = one.asset_fqn, one.marks
            self._of_cell[asset, marks.value, marks.row] = one
            if one.verdict is SuspectVerdict.ALWAYS_FINE:
                self._always[asset, one.kind, marks.value] = one
                if marks.form is not None:
                    self._always[asset, one.kind, marks.form] = one
            self._trials[asset, one.kind][one.verdict not in FINE] += 1

    def judge(self, column_fqn: str, kind: Sign, marks: CellMarks, score: float) -> Judgement:
        """Return what stands of a cell that the detector holds for wrong with a probability of `score`."""
        said = [self._of_cell.get((column_fqn, marks.value, marks.row))]
        said += [self._always.get((column_fqn, kind, mark)) for mark in (marks.value, marks.form) if mark is not None]
        found = [one for one in said if one is not None]
        if not found:
            trials = self._trials.get((column_fqn, kind), Counter())
            probability = (TRIALS * score + trials[True]) / (TRIALS + trials[True] + trials[False])
            return Judgement(SuspectVerdict.UNDECIDED, round(probability, 4))
        last = max(found, key=lambda one: one.decided_at)
        return Judgement(last.verdict, float(last.verdict not in FINE), last.decided_by, last.decided_at)
