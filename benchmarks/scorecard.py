"""`python -m benchmarks.scorecard`: what a scorecard over many tables costs, beside one over few, at any past time.

Both stores are filled with results as runs record them: every table is measured by each of several runs. Then the sums
of a card are read in turns, of the small project and of the large one: now, in the middle of the history, at its
beginning, of one run, and of one schema. Printed is the ratio of the medians; at most 5 is wanted.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from rich.table import Table

from persistence.migrations.run import upgrade
from persistence.queries.quality import Measured, MetricResultShelf
from persistence.repository import Scope
from persistence.samples.postgres import running_postgres
from schema.data_readiness.quality_builtin import METRICS

WANTED = 5.0
START = datetime(2026, 1, 1, tzinfo=UTC)
METRICS_EACH = 4
TABLES_AT_ONCE = 250
LARGE, SMALL = "large", "small"


@dataclass(frozen=True)
class Card:
    """One question about a project."""

    name: str
    parts: tuple[str, ...]
    at: datetime
    run: str | None = None


def fill(connection: sa.Connection, scope: Scope, tables: int, runs: int) -> None:
    """Let runs measure tables, each run a day after the one before."""
    shelf = MetricResultShelf(connection)
    for run in range(runs):
        for start in range(0, tables, TABLES_AT_ONCE):
            at = START + timedelta(days=run, seconds=start)
            results = [
                Measured(metric.id, f"svc.db.s{number % 10}.t{number}", number % (7 + run), 7 + run)
                for number in range(start, min(start + TABLES_AT_ONCE, tables))
                for metric in METRICS[:METRICS_EACH]
            ]
            shelf.record(scope, f"run-{run}", results, at=at)


def cards(runs: int) -> list[Card]:
    """The questions, the same for both sizes."""
    end = START + timedelta(days=runs)
    return [
        Card("now", (), end),
        Card("in the middle", (), START + timedelta(days=runs / 2)),
        Card("at the beginning", (), START + timedelta(seconds=1)),
        Card("of one run", (), end, "run-1"),
        Card("of one schema", ("svc", "db", "s1"), end),
    ]


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@contextmanager
def stores(names: list[str]) -> Iterator[dict[str, str]]:
    """The addresses of empty stores."""
    with tempfile.TemporaryDirectory() as folder:
        found = {"sqlite": f"sqlite:///{Path(folder) / 'bench.sqlite'}"} if "sqlite" in names else {}
        if "postgresql" not in names:
            yield found
            return
        with running_postgres() as server:
            url = server.create_database().replace("postgresql://", "postgresql+psycopg://", 1)
            yield found | {"postgresql": url}


def measured(url: str, large: int, small: int, runs: int, rounds: int) -> list[tuple[str, float, float]]:
    """Each question with the median seconds of the small and of the large project."""
    upgrade(url)
    engine = sa.create_engine(url)
    scopes = {LARGE: Scope("acme", LARGE), SMALL: Scope("acme", SMALL)}
    for name, tables in ((LARGE, large), (SMALL, small)):
        with engine.begin() as connection:
            fill(connection, scopes[name], tables, runs)
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(sa.text("analyze"))
    found = []
    with engine.connect() as connection:
        shelf = MetricResultShelf(connection)
        for card in cards(runs):
            took: dict[str, list[float]] = {LARGE: [], SMALL: []}
            for _ in range(rounds):
                for name, scope in scopes.items():

                    def read(scope: Scope = scope, card: Card = card) -> object:
                        return shelf.latest(scope, card.parts, at=card.at, run_id=card.run)

                    took[name].append(seconds(read))
            found.append((card.name, statistics.median(took[SMALL]), statistics.median(took[LARGE])))
    engine.dispose()
    return found


def main() -> None:
    """Fill, measure and print."""
    reader = argparse.ArgumentParser(prog="python -m benchmarks.scorecard", description=__doc__)
    reader.add_argument("--quick", action="store_true", help="little data, to see that it runs")
    reader.add_argument("--store", action="append", choices=["sqlite", "postgresql"], help="only this store")
    asked = reader.parse_args()
    large, small, runs, rounds = (200, 20, 2, 5) if asked.quick else (10_000, 100, 2, 40)
    table = Table("store", "scorecard", f"{small} tables", f"{large} tables", "ratio", f"wanted: ≤ {WANTED:g}")
    with stores(asked.store or ["sqlite", "postgresql"]) as urls:
        for store, url in urls.items():
            for name, few, many in measured(url, large, small, runs, rounds):
                ratio = many / few
                verdict = "yes" if ratio <= WANTED else "no"
                table.add_row(store, name, f"{few * 1000:.2f} ms", f"{many * 1000:.2f} ms", f"{ratio:.2f}", verdict)
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
