"""How right the lineage of views is, judged by what moves when a cell of a small database is changed: of queries that
others have published, of views that were written by hand, and of some that are made up by chance. The system views of a
PostgreSQL server are judged by the server itself.
"""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality.lineage_catalog import SystemView, system_views
from benchmarks.quality.lineage_handwritten import views
from benchmarks.quality.lineage_oracle import Judged, figures, judge
from benchmarks.quality.lineage_public import DIALECTS, as_view, published
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


def by_others(url: str | None, *, every: int = 1, seed: int = SEED) -> Iterator[tuple[str, str, Judged]]:
    """Judge what others have published, each in the first of its dialects that takes it as it stands; the set, the
    dialect and what became of it. `every` takes a part of them: each second, each third.
    """
    for one in islice(published(), 0, None, every):
        last: tuple[str, Judged] | None = None
        for dialect in DIALECTS[one.of]:
            made = as_view(one, dialect) if dialect != "postgres" or url is not None else None
            if made is not None:
                last = dialect, judge(*made, dialect, seed=seed, url=url if dialect == "postgres" else None)
                if not last[1].refused:
                    break
        if last is not None:
            yield one.of, *last


def report(console: Console) -> None:
    """Print precision and recall for each dialect and kind of views, and what was wrong."""
    table = Table(title="Lineage, judged by what moves")
    for name in ("views", "dialect", "judged", "gaps", "refused", "nothing moved", "right", "wrong", "missed"):
        table.add_column(name, justify="left" if name in ("views", "dialect") else "right")
    for name in ("precision", "recall"):
        table.add_column(name, justify="right")
    found: dict[tuple[str, str], list[Judged]] = {}
    with ExitStack() as stack:
        url = None
        try:
            url = stack.enter_context(running_postgres()).create_database()
        except NoPostgres as error:
            console.print(f"PostgreSQL was not measured: {error}")
        by_server = [] if url is None else list(system_views(url))
        for of, dialect, one in by_others(url):
            found.setdefault((f"published, {of}", dialect), []).append(one)
        for dialect, count in MADE.items():
            if dialect != "postgres" or url is not None:
                here = url if dialect == "postgres" else None
                found["by hand", dialect] = list(by_hand(dialect, url=here))
                found["made up", dialect] = list(made_up(dialect, count, url=here))
    for (name, dialect), some in found.items():
        _add(table, name, dialect, some)
    for kind in ("published", "by hand", "made up"):
        _add(
            table,
            f"{kind}, all",
            "",
            [one for (name, _), some in found.items() if name.startswith(kind) for one in some],
        )
    console.print(table)
    _report_system(console, by_server)
    for (_, dialect), some in found.items():
        for one in some:
            if one.wrong or one.missed or one.gaps or one.refused:
                console.print(f"{dialect}: {one.view.statements[-1]}", markup=False)
                console.print(
                    f"    gaps {one.gaps} {one.refused} missed {one.missed} never seen {one.wrong}", markup=False
                )


def _report_system(console: Console, views: list[SystemView]) -> None:
    """Print how right it was of the views of a server, by the columns that they read."""
    judged = [one for one in views if one.known and not one.gaps]
    right = sum(len(one.said & one.known) for one in judged)
    wrong, unsaid = sum(len(one.wrong) for one in judged), sum(len(one.unsaid) for one in judged)
    console.print(
        f"Of {len(views)} system views of PostgreSQL {sum(bool(one.gaps) for one in views)} were not understood; of "
        f"{len(judged)} that read a table, {right} columns that they read are said, {wrong} wrongly, {unsaid} not."
    )
    for one in views:
        if one.gaps or one.wrong or one.unsaid:
            console.print(
                f"    {one.name}: gaps {one.gaps} wrong {sorted(one.wrong)} unsaid {sorted(one.unsaid)}", markup=False
            )


def _add(table: Table, name: str, dialect: str, some: list[Judged]) -> None:
    found = figures(some)
    numbers = (found.gaps, found.refused, found.empty, found.right, found.wrong, found.missed)
    table.add_row(
        name,
        dialect,
        f"{found.judged} of {found.views}",
        *map(str, numbers),
        f"{found.precision:.4f}",
        f"{found.recall:.4f}",
    )
