"""`python -m benchmarks.quality`: how often the engines are right, on data that a reader can get."""

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any, Final

from rich.console import Console

ROWS: Final = 1_000_000
"""Rows whose profile is timed; `make bench` times ten times as many."""

REPORTS: Final = {
    "pii": "benchmarks.quality.pii",
    "errors": "benchmarks.quality.errors",
    "steward": "benchmarks.quality.steward",
    "asking": "benchmarks.quality.asking",
    "speed": "benchmarks.quality.speed",
    "lineage": "benchmarks.quality.lineage",
}
"""What can be measured; each module has a `report(console)`, some of them with folders and choices of their own."""


def main() -> None:
    """Measure what is asked for, or everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    for name in REPORTS:
        parser.add_argument(f"--{name}", action="store_true", help=f"only {name}")
    parser.add_argument("--hospital", metavar="FOLDER", help="where dirty.csv and clean.csv of the hospital table are")
    parser.add_argument(
        "--table", metavar="FOLDER", action="append", default=[], help="errors: another table's dirty.csv and clean.csv"
    )
    parser.add_argument("--clean", metavar="FOLDER", help="only suspects in CSV files that are taken to be clean")
    parser.add_argument("--rows", type=int, default=ROWS, help="speed: rows of the profiled table")
    parser.add_argument("--calibrate", action="store_true", help="fit the weights and print them")
    parser.add_argument("--databases", metavar="FOLDER", help="where the folders chinook, northwind and questions are")
    parser.add_argument("--use-keys", choices=("yes", "no"), default="yes", help="asking: declared foreign keys")
    parser.add_argument("--profiles", choices=("yes", "no"), default="yes", help="asking: profiles of the tables")
    parser.add_argument("--only", action="append", help="asking, steward: chinook, northwind, strangers, ...")
    parser.add_argument("--show", action="append", help="asking: list the questions that ended so (wrong, asked, ...)")
    parser.add_argument("--drafter", metavar="MODULE:CLASS", help="asking: what drafts, the planner when not given")
    given = parser.parse_args()
    for folder in given.table:
        if not all(Path(folder, f"{name}.csv").is_file() for name in ("dirty", "clean")):
            parser.error(f"{folder} holds no dirty.csv and clean.csv. Name the folder that does with --table.")
    if given.hospital and not all(Path(given.hospital, f"{name}.csv").is_file() for name in ("dirty", "clean")):
        parser.error(f"{given.hospital} holds no dirty.csv and clean.csv. Name the folder that does with --hospital.")
    if given.databases and not Path(given.databases, "chinook").is_dir():
        parser.error(f"{given.databases} holds no folder chinook. Name the folder that does with --databases.")
    if given.clean and not Path(given.clean).is_dir():
        parser.error(f"There is no folder {given.clean}. Name one that holds CSV files with --clean.")
    console = Console(width=None if sys.stdout.isatty() else 160)
    if _is_alone(console, given):
        return
    wanted = [name for name in REPORTS if getattr(given, name)] or list(REPORTS)
    for name in wanted:
        told: dict[str, Any] = {"hospital": given.hospital, "tables": given.table} if name == "errors" else {}
        if name == "steward":
            told = {"folder": given.databases, "only": given.only or ()}
        if name == "asking":
            told = {"folder": given.databases, "keys": given.use_keys == "yes", "profiles": given.profiles == "yes"}
            told |= {"shown": given.show or (), "only": given.only or ()}
            told |= {"drafter": given.drafter} if given.drafter else {}
        if name == "speed":
            told = {"rows": given.rows}
        importlib.import_module(REPORTS[name]).report(console, **told)


def _is_alone(console: Console, given: argparse.Namespace) -> bool:
    """Measure what is measured alone; return whether that was asked for."""
    if given.clean:
        importlib.import_module("benchmarks.quality.taken_clean").report(console, given.clean)
    elif given.calibrate and given.asking:
        importlib.import_module("benchmarks.quality.calibrate_asking").report(console, given.databases)
    elif given.calibrate:
        importlib.import_module("benchmarks.quality.calibrate").main()
    return bool(given.clean or given.calibrate)


if __name__ == "__main__":
    main()
