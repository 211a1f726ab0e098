"""Precision, recall and F1 of the detector of wrong cells, without labels, and how many generated rules hold.

Two sides on the same tables: our detector, and a naive one that takes a value for wrong when it occurs once in a column
that otherwise repeats, or lies three standard deviations off. Tables that others made are public (the Raha benchmark,
Apache 2.0): `--hospital FOLDER` and `--table FOLDER` name folders with their `dirty.csv` and `clean.csv`. The made
tables need nothing. What others made has two truths: every cell that differs from its twin, and those that differ
beyond how numbers and nothing are written; and how many suspects its clean twin gives.
"""

import csv
import math
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality.spoiling import Made
from benchmarks.quality.tables import made_tables
from benchmarks.quality.twins import judge
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.missing import is_stand_in

WHERE: Final = "https://github.com/BigDaMa/raha/tree/master/datasets/hospital"
_MEASURE: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*[^\W\d_.]*\.?(?:\s[\w -]+)?")
SEEDS: Final = (11, 12, 13)
"""Chances that nothing was set on."""

Cells = Set[tuple[int, ...]]


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
    found: set[tuple[int, ...]] = set()
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


def beyond_writing(made: Made) -> Cells:
    """The cells that differ from their twins in more than how a plain number, or nothing, is written."""
    return {(row, at) for row, at in made.errors if not _is_writing(made.dirty[row][at], made.clean[row][at])}


def _is_writing(value: Any, right: Any) -> bool:
    """Return whether a value says the number that is right with a unit behind it, or nothing in other words."""
    text, so = str(value or "").strip(), str(right or "").strip()
    if not so or is_stand_in(so):
        return not text or is_stand_in(text)
    match = _MEASURE.fullmatch(text)
    return _is_number(so) and match is not None and float(match[1]) == float(so)


def detected(made: Made) -> Cells:
    """The cells that our detector calls wrong."""
    places = {name: at for at, name in enumerate(made.columns)}
    return {(one.row, places[one.column]) for one in find_errors(made.columns, made.dirty)}


def scores(found: Cells, errors: Cells) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    right = len(found & errors)
    precision, recall = right / len(found) if found else 0.0, right / len(errors) if errors else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def report(console: Console, hospital: str | None = None, tables: Sequence[str] = ()) -> None:
    """Print what was measured; made tables of one kind, with different chances, are taken together."""
    others = [read(Path(folder)) for folder in tables]
    if others:
        _of_others(console, others)
    kinds: dict[str, list[Made]] = {one.name: [one] for one in others}
    for one in _tables(console, hospital, is_alone=not others):
        kinds.setdefault(one.name, []).append(one)
    table = Table(title="Wrong cells, found without labels and without rules")
    for head in ("table", "rows x columns", "wrong", "precision", "recall", "F1", "naive F1", "seconds"):
        table.add_column(head, justify="left" if head == "table" else "right")
    for name, made in kinds.items():
        began = time.perf_counter()
        ours = _summed([(detected(one), one.errors) for one in made])
        seconds = (time.perf_counter() - began) / len(made)
        plain = _summed([(naive(one), one.errors) for one in made])
        wrong = sum(len(one.errors) for one in made) / sum(len(one.clean) * len(one.columns) for one in made)
        table.add_row(
            _called(name, made), f"{len(made[0].clean):,} x {len(made[0].columns)}", f"{wrong:.1%}",
            f"{ours[0]:.3f}", f"{ours[1]:.3f}", f"{ours[2]:.3f}", f"{plain[2]:.3f}", f"{seconds:.2f}",
        )  # fmt: skip
    console.print(table)
    _rules(console, kinds)


def _of_others(console: Console, tables: Sequence[Made]) -> None:
    """Print what was found in tables that others made, by both truths."""
    table = Table(title="Tables that others made")
    heads = ("precision", "recall", "F1", "beyond writing", "precision", "recall", "F1", "repairs right", "clean twin")
    for head in ("table", "wrong cells", *heads):
        table.add_column(head, justify="left" if head == "table" else "right")
    for made in tables:
        places = {name: at for at, name in enumerate(made.columns)}
        found = {(one.row, places[one.column]): one for one in find_errors(made.columns, made.dirty)}
        beyond = beyond_writing(made)
        # What is only written otherwise counts for nothing by the second truth, found or not.
        narrow = scores(found.keys() - (made.errors - beyond), beyond)
        repairs = [made.clean[row][at] == one.repair for (row, at), one in found.items() if one.repair is not None]
        spared = len(find_errors(made.columns, made.clean))
        table.add_row(
            made.name, f"{len(made.errors):,}", *(f"{one:.3f}" for one in scores(found.keys(), made.errors)),
            f"{len(beyond):,}", *(f"{one:.3f}" for one in narrow),
            f"{sum(repairs):,} of {len(repairs):,}", f"{spared:,} of {len(made.clean) * len(made.columns):,}",
        )  # fmt: skip
    console.print(table)


def _called(name: str, made: Sequence[Made]) -> str:
    return name if len(made) == 1 else f"{name} (made, {len(made)} times)"


def _summed(judged: Sequence[tuple[Cells, Cells]]) -> tuple[float, float, float]:
    """Precision, recall and F1 over several tables."""
    found = {(at, *cell) for at, (cells, _) in enumerate(judged) for cell in cells}
    errors = {(at, *cell) for at, (_, cells) in enumerate(judged) for cell in cells}
    return scores(found, errors)


def _tables(console: Console, hospital: str | None, *, is_alone: bool) -> Iterator[Made]:
    if hospital is None and is_alone:
        console.print(f"The hospital table is left out: get its dirty.csv and clean.csv from {WHERE},")
        console.print("then name their folder with --hospital FOLDER.")
    elif hospital is not None:
        yield read(Path(hospital))
    for seed in SEEDS:
        yield from made_tables(seed)


def _rules(console: Console, kinds: Mapping[str, Sequence[Made]]) -> None:
    table = Table(title="Rules that are drawn up from a table with errors, and evaluated on its clean twin")
    for head in ("table", "rules", "hold on the clean twin", "of these, find errors", "seconds"):
        table.add_column(head, justify="left" if head == "table" else "right")
    drawn = holding = 0
    for name, made in kinds.items():
        began = time.perf_counter()
        twins = [judge(one.columns, one.dirty, one.clean) for one in made]
        rules, hold = sum(len(twin.drafts) for twin in twins), sum(twin.holding for twin in twins)
        drawn, holding = drawn + rules, holding + hold
        table.add_row(
            _called(name, made), str(rules), f"{hold / max(1, rules):.1%}",
            str(sum(twin.catching for twin in twins)), f"{(time.perf_counter() - began) / len(made):.2f}",
        )  # fmt: skip
    table.add_row("all", str(drawn), f"{holding / max(1, drawn):.1%}", "", "")
    console.print(table)
