"""Precision, recall and F1 of the detector of wrong cells, without labels, and how many generated rules hold.

Two sides on the same tables: our detector, and a naive one that takes a value for wrong when it occurs once in a column
that otherwise repeats, or lies three standard deviations off. The hospital table is public (the Raha benchmark, Apache
2.0): `--hospital FOLDER` names a folder with its `dirty.csv` and `clean.csv`. The made tables need nothing.
"""

import csv
import math
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality.spoiling import Made
from benchmarks.quality.tables import made_tables
from benchmarks.quality.twins import judge
from resolvers.engines.errors.detect import find_errors

WHERE: Final = "https://github.com/BigDaMa/raha/tree/master/datasets/hospital"
SEEDS: Final = (11, 12, 13)
"""Chances that nothing was set on."""

Cells = set[tuple[int, int]]


def read(folder: Path) -> Made:
    """A table and its twin from two files. Raises OSError and ValueError."""
    tables = []
    for name in ("dirty.csv", "clean.csv"):
        with (folder / name).open(newline="", encoding="utf-8") as file:
            tables.append(list(csv.reader(file)))
    (columns, *dirty), (_, *clean) = tables
    if len(dirty) != len(clean):
        raise ValueError("dirty.csv and clean.csv have the same rows in the same order.")
    return Made(folder.name, tuple(columns), [list(row) for row in dirty], [list(row) for row in clean])


def naive(made: Made) -> Cells:
    """Values that occur once where others repeat, and numbers three standard deviations off."""
    found: Cells = set()
    for at in range(len(made.columns)):
        values = [row[at] for row in made.dirty]
        counts = Counter(values)
        repeats = len(counts) < 0.5 * len(values)
        numbers = [float(value) for value in values if _is_number(value)]
        middle, spread = (statistics.fmean(numbers), statistics.pstdev(numbers)) if len(numbers) > 2 else (0.0, 0.0)
        for row, value in enumerate(values):
            is_far = _is_number(value) and spread > 0 and abs(float(value) - middle) > 3 * spread  # type: ignore[arg-type]
            if (repeats and counts[value] == 1) or is_far or value in (None, ""):
                found.add((row, at))
    return found


def _is_number(value: Any) -> bool:
    try:
        return math.isfinite(float(value))
    except (TypeError, ValueError):
        return False


def detected(made: Made) -> Cells:
    """The cells that our detector calls wrong."""
    places = {name: at for at, name in enumerate(made.columns)}
    return {(one.row, places[one.column]) for one in find_errors(made.columns, made.dirty)}


def scores(found: Cells, errors: Cells) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    right = len(found & errors)
    precision, recall = right / len(found) if found else 0.0, right / len(errors) if errors else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def report(console: Console, hospital: str | None = None) -> None:
    """Print what was measured."""
    made: list[Made] = list(_tables(console, hospital))
    table = Table(title="Wrong cells, found without labels and without rules")
    for head in ("table", "rows x columns", "wrong", "precision", "recall", "F1", "naive F1", "seconds"):
        table.add_column(head, justify="left" if head == "table" else "right")
    ours: list[float] = []
    for one in made:
        began = time.perf_counter()
        found = detected(one)
        seconds = time.perf_counter() - began
        precision, recall, f1 = scores(found, one.errors)
        ours.append(f1)
        cells = len(one.clean) * len(one.columns)
        table.add_row(
            one.name, f"{len(one.clean):,} x {len(one.columns)}", f"{len(one.errors) / cells:.1%}", f"{precision:.3f}",
            f"{recall:.3f}", f"{f1:.3f}", f"{scores(naive(one), one.errors)[2]:.3f}", f"{seconds:.2f}",
        )  # fmt: skip
    console.print(table)
    _rules(console, made)


def _tables(console: Console, hospital: str | None) -> Iterator[Made]:
    if hospital is None:
        console.print(f"The hospital table is left out: get its dirty.csv and clean.csv from {WHERE},")
        console.print("then name their folder with --hospital FOLDER.")
    else:
        yield read(Path(hospital))
    for seed in SEEDS:
        yield from made_tables(seed)


def _rules(console: Console, made: Sequence[Made]) -> None:
    table = Table(title="Rules that are drawn up from a table with errors, and evaluated on its clean twin")
    for head in ("table", "rules", "hold on the clean twin", "of these, find errors", "seconds"):
        table.add_column(head, justify="left" if head == "table" else "right")
    drawn = holding = 0
    for one in made:
        began = time.perf_counter()
        twin = judge(one.columns, one.dirty, one.clean)
        drawn, holding = drawn + len(twin.drafts), holding + twin.holding
        table.add_row(
            one.name, str(len(twin.drafts)), f"{twin.holding / max(1, len(twin.drafts)):.1%}", str(twin.catching),
            f"{time.perf_counter() - began:.2f}",
        )  # fmt: skip
    table.add_row("all", str(drawn), f"{holding / max(1, drawn):.1%}", "", "")
    console.print(table)
