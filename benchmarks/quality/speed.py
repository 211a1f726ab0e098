"""Defines how fast a table is profiled, beside a profiler that asks a query per column, and beside DuckDB's SUMMARIZE.

The same measurement as `python -m benchmarks.profiling`, on fewer rows, so that accuracy and speed stand in one run.
"""

from rich.console import Console

from benchmarks import profiling


def report(console: Console, *, rows: int) -> None:
    """Measure a made-up table of so many rows and print."""
    for table in profiling.run(rows, 1, lambda line: console.print(f"[dim]speed: {line}[/dim]")):
        console.print(table)
