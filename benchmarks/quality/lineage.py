"""How right the lineage of views is, judged by what moves when a cell of a small database is changed."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality.lineage_handwritten import views
from benchmarks.quality.lineage_oracle import Judged, figures, judge
from benchmarks.quality.lineage_views import SHAPE, Maker
from persistence.samples.postgres import NoPostgres, running_postgres

MADE: Final = {"sqlite": 200, "duckdb": 60, "postgres": 60}
"""How many views are made up in each dialect."""
SEED: Final = 20_261_127


def made_up(dialect: str, count: int, *, seed: int = SEED, url: str | None = None) -> Iterator[Judged]:
    """Judge views that are made up; none is built over one that answers with nothing."""
    maker = Maker(random.Random(f"{seed} {dialect}"), dialect)
    for at in range(count):
        view = maker.view()
        judged = judge(view, SHAPE, dialect, seed=seed + at, url=url)
        if not judged.answered or judged.wrong:
            maker.forget(view)
        yield judged


def by_hand(dialect: str, *, seed: int = SEED, url: str | None = None) -> Iterator[Judged]:
    """Judge the views that were written by hand."""
    for shape, view in views(dialect):
        yield judge(view, shape, dialect, seed=seed, url=url)


def report(console: Console) -> None:
    """Print precision and recall for each dialect and kind of views, and what was wrong."""
    table = Table(title="Lineage, judged by what moves")
    for name in ("views", "dialect", "judged", "gaps", "answer nothing", "pairs", "precision", "recall"):
        table.add_column(name, justify="left" if name in ("views", "dialect") else "right")
    everything: list[Judged] = []
    wrong: list[tuple[str, Judged]] = []
    with ExitStack() as stack:
        for dialect, count in MADE.items():
            url = None
            if dialect == "postgres":
                try:
                    url = stack.enter_context(running_postgres()).create_database()
                except NoPostgres as error:
                    console.print(f"PostgreSQL was not measured: {error}")
                    continue
            for name, judged in (("made up", made_up(dialect, count, url=url)), ("by hand", by_hand(dialect, url=url))):
                some = list(judged)
                everything += some
                wrong += [(dialect, one) for one in some if one.wrong or one.missed or one.gaps or one.refused]
                _add(table, name, dialect, some)
    _add(table, "all", "", everything)
    console.print(table)
    for dialect, one in wrong:
        console.print(f"{dialect}: {one.view.statements[-1]}", markup=False)
        console.print(f"    gaps {one.gaps} {one.refused} missed {one.missed} never seen {one.wrong}", markup=False)


def _add(table: Table, name: str, dialect: str, some: list[Judged]) -> None:
    found = figures(some)
    table.add_row(
        name,
        dialect,
        f"{found.judged} of {found.views}",
        str(found.gaps + found.refused),
        str(found.empty),
        f"{found.right + found.wrong + found.missed}",
        f"{found.precision:.4f}",
        f"{found.recall:.4f}",
    )
