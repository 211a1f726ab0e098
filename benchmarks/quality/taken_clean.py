"""Suspects in tables that are taken to be clean, and in the same with errors planted: is 0.9 really 90 of 100?

`--clean FOLDER` names a folder with CSV files, in folders of any depth. Tables of fewer than 100 rows or 3 columns are
left out, of larger ones than 10,000 rows a sample is read, as an assessment does; a first column without a name, the
numbers of the rows, is dropped. Every second table is left as it is. In the others one cell in 100 is spoiled: a slip
of the pen or a shifted decimal point, the value of another row, another value of the column, or nothing.

What a clean table shows at 0.9 is counted as false, so it is the least that can be said: such tables have errors too.
"""

import csv
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality.spoiling import Cell, Made, Rows, typo
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Suspect

FEWEST_ROWS: Final = 100
FEWEST_COLUMNS: Final = 3
MOST_ROWS: Final = 10_000
SPOILED: Final = 0.01
SURE: Final = 0.9
LISTED: Final = 0.5
WAYS: Final = ("slip", "other row", "other value", "shift", "nothing")


def report(console: Console, folder: str) -> None:
    """Print how many suspects clean tables have, by kind, and of how many that are said how many are wrong."""
    tables = list(_read(Path(folder)))
    sure: Counter[str] = Counter()
    listed: Counter[str] = Counter()
    tenths: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    for place, clean in enumerate(tables):
        suspects = find_errors(clean.columns, clean.dirty)
        sure.update(one.reasons[0].sign.value for one in suspects if one.reasons and one.score >= SURE)
        listed.update(one.reasons[0].sign.value for one in suspects if one.reasons)
        ways: dict[tuple[int, int], str] = {}
        if place % 2:
            made, ways = spoiled(clean)
            suspects = find_errors(made.columns, made.dirty)
        planted.update(ways.values())
        for one in suspects:
            way = ways.get((one.row, clean.columns.index(one.column)))
            _count(tenths, one, way)
            found.update([way] if way else [])
    _print(console, len(tables), sure, listed)
    _print_planted(console, tenths, planted, found)


def _count(tenths: dict[int, list[int]], one: Suspect, way: str | None) -> None:
    tenth = tenths[min(9, int(one.score * 10))]
    tenth[0] += way is not None
    tenth[1] += 1


def _read(folder: Path) -> Iterator[Made]:
    """Yield each file as a table without errors."""
    for path in sorted(folder.rglob("*.csv")):
        try:
            with path.open(newline="", encoding="utf-8") as file:
                head, *rows = list(csv.reader(file))
        except (UnicodeDecodeError, ValueError, csv.Error):
            continue  # no table, or none of this kind
        start = 1 if head and not head[0] else 0
        columns = tuple(head[start:])
        rows = [row[start:] for row in rows if len(row) == len(head)]
        if len(rows) < FEWEST_ROWS or len(columns) < FEWEST_COLUMNS or len(set(columns)) < len(columns):
            continue
        if len(rows) > MOST_ROWS:
            rows = [rows[at] for at in sorted(random.Random(3).sample(range(len(rows)), MOST_ROWS))]
        turned = [_typed(list(values)) for values in zip(*rows, strict=True)]
        typed = [list(row) for row in zip(*turned, strict=True)]
        yield Made(path.stem, columns, typed, typed)


def _typed(texts: Sequence[str]) -> list[Cell]:
    """Texts as numbers where all of a column are, and what R writes for nothing as nothing."""
    present = [text for text in texts if text not in ("", "NA")]
    for kind in (int, float):
        try:
            known: dict[str, Cell] = {text: kind(text) for text in set(present)}
        except ValueError:
            continue
        return [known.get(text) for text in texts]
    return [text if text not in ("", "NA") else None for text in texts]


def spoiled(clean: Made) -> tuple[Made, dict[tuple[int, int], str]]:
    """A table with errors, and by row and column how each was made."""
    chance = random.Random(clean.name)
    rows: Rows = [list(row) for row in clean.clean]
    ways: dict[tuple[int, int], str] = {}
    for place in range(len(clean.columns)):
        values = [row[place] for row in clean.clean if row[place] is not None]
        different = sorted(set(values), key=repr)
        for row, cells in enumerate(rows if len(different) > 1 else ()):
            value = cells[place]
            if value is None or chance.random() >= SPOILED:
                continue
            way = chance.choice(WAYS)
            if way in ("slip", "shift"):
                way = "slip" if isinstance(value, str) else "shift"
            cells[place] = _wrong(chance, way, value, values, different)
            if cells[place] != value:
                ways[row, place] = way
    return Made(clean.name, clean.columns, rows, clean.clean), ways


def _wrong(chance: random.Random, way: str, value: Cell, values: list[Cell], different: list[Cell]) -> Cell:
    if way == "slip":
        return typo(chance, value, [])
    if way == "shift" and not isinstance(value, str | None):
        return value * chance.choice([10, 100, 1000, -1])
    return None if way == "nothing" else chance.choice(values if way == "other row" else different)


def _print(console: Console, tables: int, sure: Counter[str], listed: Counter[str]) -> None:
    table = Table(title=f"Suspects in {tables} tables that are taken to be clean")
    for head in ("kind", "at 0.9 and more", "at 0.5 and more"):
        table.add_column(head, justify="left" if head == "kind" else "right")
    for kind, number in listed.most_common():
        table.add_row(kind, str(sure[kind]), str(number))
    table.add_row("all", str(sure.total()), str(listed.total()))
    table.add_row("for 10 tables", *(f"{10 * one.total() / max(1, tables):.1f}" for one in (sure, listed)))
    console.print(table)


def _print_planted(console: Console, tenths: dict[int, list[int]], planted: Counter[str], found: Counter[str]) -> None:
    table = Table(title="The same, with errors planted in every second: what is said, and what is wrong of it")
    for head in ("said", "wrong", "of"):
        table.add_column(head, justify="left" if head == "said" else "right")
    for tenth in sorted(tenths):
        table.add_row(f"{tenth / 10:.1f}", *(f"{number:,}" for number in tenths[tenth]))
    console.print(table)
    table = Table(title="Planted errors that are found, at 0.5 and more")
    for head in ("error", "planted", "found"):
        table.add_column(head, justify="left" if head == "error" else "right")
    for way, number in planted.most_common():
        table.add_row(way, f"{number:,}", f"{found[way]:,}")
    table.add_row("all", f"{planted.total():,}", f"{found.total():,}")
    console.print(table)
