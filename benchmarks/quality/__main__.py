"""`python -m benchmarks.quality`: how often the engines are right, on data that a reader can get."""

import argparse
import importlib
import sys
from typing import Final

from rich.console import Console

REPORTS: Final = {"pii": "benchmarks.quality.pii", "errors": "benchmarks.quality.errors"}
"""What can be measured; each module has a `report(console)`; that of errors takes the hospital table's folder."""


def main() -> None:
    """Measure what is asked for, or everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    for name in REPORTS:
        parser.add_argument(f"--{name}", action="store_true", help=f"only {name}")
    parser.add_argument("--hospital", metavar="FOLDER", help="where dirty.csv and clean.csv of the hospital table are")
    parser.add_argument("--calibrate", action="store_true", help="fit the weights of the recognisers and print them")
    given = parser.parse_args()
    if given.calibrate:
        importlib.import_module("benchmarks.quality.calibrate").main()
        return
    wanted = [name for name in REPORTS if getattr(given, name)] or list(REPORTS)
    console = Console(width=None if sys.stdout.isatty() else 160)
    for name in wanted:
        told = {"hospital": given.hospital} if name == "errors" else {}
        importlib.import_module(REPORTS[name]).report(console, **told)


if __name__ == "__main__":
    main()
