"""The oracle of lineage: change one cell of a small database, and see which columns of a view move.

A column of a view has moved when its values are no longer the same ones, in their order where the view orders its rows;
or when they stand beside other values of a column that itself has not moved and that is a key of the rows, as a rank
does that passes from one row to another. What moves is what depends on the changed column: nobody has to say so. What
never moves, in several databases and under every value of a small domain, is taken not to depend on it.
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

from benchmarks.quality.lineage_pools import Pools, Wish, pools_of, wishes_of
from benchmarks.quality.lineage_sources import (
    KEPT,
    Cell,
    Failed,
    Keep,
    Rows,
    Shape,
    Source,
    TooMuch,
    fitting,
    fresh,
    never,
    prepare,
)
from resolvers.engines.lineage import StatementLineage, lineage_of, reach
from resolvers.engines.sql_guard.tables import Table

ROWS: Final = 8
"""Rows of each table."""
NUMBERS: Final = (None, 0, 1, 2, 3, 4)
TEXTS: Final = (None, "p", "q", "r", "s")
DAYS: Final = (None, "2001-01-01", "2001-01-02", "2001-02-01", "2002-03-04")
VALUES: Final[Mapping[str, tuple[Any, ...]]] = {
    "int": NUMBERS,
    "num": NUMBERS,
    "text": TEXTS,
    "date": DAYS,
    "timestamp": DAYS,
    "bool": (None, True, False),
}
_FURTHER: Final = {"int": 9, "num": 9, "text": "zz", "date": "2009-09-09", "timestamp": "2009-09-09 09:09:09"}
"""A value that no table has at first."""
DEEPEST: Final = 50
LEAST_DATABASES: Final = 3
"""Databases in which every column is changed."""
LEAST_EMPTY: Final = 2
"""Databases after which a view is given up in which nothing has moved."""
MOST_DATABASES: Final = {"sqlite": 40, "duckdb": 16, "postgres": 16}
"""Databases in which what is said and has not moved yet is looked for; SQLite is quick."""
STEPS: Final = {"sqlite": 500, "duckdb": 60, "postgres": 60}
"""Changes, one after the other, in each of the databases in which what has not moved yet is looked for."""
EMPTY: Final = 80
"""Databases in which a view answers nothing that are passed over, in the search of one where it does."""
DRIVEN: Final = 0.3
"""How often a database is made by what the query asks for, also where others have answered."""
DRAWS: Final = 60
"""Times that the rows of a table are drawn, in the search of some that do what is asked of them."""
FEW_TRIES: Final = 20
BACK: Final = 0.3
"""How often a change is kept that takes rows from the view."""
SEVERAL: Final = 24
"""How often several cells of a column are changed at once."""

Pair = tuple[str, str, str]
"""A table, a column of it, and a column of the view."""


@dataclass(frozen=True, slots=True)
class View:
    """A view, with those that it is made of."""

    name: str
    statements: tuple[str, ...]
    """CREATE VIEW statements, its own last."""
    ordered_by: tuple[int, ...] = ()
    """Places of the columns that it orders its rows by."""
    keys: Mapping[int, str] = field(default_factory=dict)
    """Places of the columns that tell its rows apart, each with `table.column` of where its values come from."""
    pools: Pools = field(default_factory=dict)
    """Values that columns take beside those that every column may have."""
    wishes: Mapping[str, tuple[Wish, ...]] = field(default_factory=dict)
    """What is asked of the rows of a table alone."""


@dataclass(slots=True)
class Judged:
    """What became of one view."""

    view: View
    gaps: tuple[str, ...] = ()
    refused: str = ""
    """What the database said of it."""
    answered: bool = False
    """Whether anything in it moved in any of the databases. Where nothing did, its conditions never held all at once,
    and the oracle has seen nothing.
    """
    right: int = 0
    missed: list[Pair] = field(default_factory=list)
    wrong: list[Pair] = field(default_factory=list)


def judge(view: View, shape: Shape, dialect: str, *, seed: int, url: str | None = None) -> Judged:
    """Compare what is said of a view with what moves."""
    judged = Judged(view)
    said, columns, gaps = predicted(view, shape, dialect)
    if gaps:
        judged.gaps = gaps
        return judged
    texts = view.statements
    view = replace(view, pools=pools_of(texts, dialect, shape), wishes=wishes_of(texts, dialect, shape))
    moved: set[Pair] = set()
    rng = random.Random(seed)
    at, empty = 0, 0
    while at < MOST_DATABASES[dialect] and (at < LEAST_DATABASES or not said <= moved):
        if at == LEAST_EMPTY and said and not moved:
            break
        with fresh(dialect, url) as source:
            driven, few = empty > EMPTY // 6 or rng.random() < DRIVEN, _few(rng)
            if driven:
                few["int"] = few["int"][: rng.choice((1, 1, 2))]
            data = _data(shape, rng, view.pools, few, driven=driven)
            if driven:
                _fulfil(source, view, shape, data, rng, few)
            prepare(source, shape, data)
            try:
                for one in view.statements:
                    source.run(one)
                standing = source.rows(f"select * from {view.name}")
            except TooMuch:
                standing = []
            except Failed as error:
                judged.refused = str(error).splitlines()[0]
                return judged
            if not _tells(standing) and empty < EMPTY:
                empty += 1
                continue
            empty = min(empty, EMPTY // 2)
            counts = {table: len(rows) for table, rows in data.items()}
            moving = _Moving(source, view, columns, standing, counts, rng)
            wanted = {(table, column, one) for table, names in shape.items() for column in names for one in columns}
            moving.move(shape, (wanted if at < LEAST_DATABASES else said) - moved, said, moved)
            if at >= LEAST_DATABASES:
                moving.wander(shape, said, moved, STEPS[dialect])
            at += 1
    judged.answered = bool(moved) or not said
    judged.right = len(said & moved)
    judged.missed, judged.wrong = sorted(moved - said), sorted(said - moved)
    return judged


@dataclass(slots=True)
class _Moving:
    """Changes cells of one database, and writes down what moves."""

    source: Source
    view: View
    columns: Sequence[str]
    standing: Rows
    counts: Mapping[str, int]
    """Rows of each table."""
    rng: random.Random

    def move(self, shape: Shape, wanted: set[Pair], said: Set[Pair], moved: set[Pair]) -> None:
        """Change one cell after the other, and now and then several of a column; add what moves."""
        for table, names in shape.items():
            for column, kind in names.items():
                open_pairs = {pair for pair in wanted if pair[:2] == (table, column)}
                tries = self._tries(table, column, kind)
                if not any(pair in said for pair in open_pairs):
                    tries = tries[:FEW_TRIES]  # nothing is expected here, so what moves would show soon
                for cells in tries:
                    if not open_pairs:
                        break
                    found = self._found(cells, said)
                    moved |= found
                    open_pairs -= found

    def wander(self, shape: Shape, said: Collection[Pair], moved: set[Pair], steps: int) -> None:
        """Change one cell after the other and keep the changes, rather those that leave the view its rows.

        So it comes to databases that hardly any chance makes, in which several conditions hold together.
        """
        places = sorted({pair[:2] for pair in said})
        standing = self.standing
        for _ in range(steps):
            open_places = sorted({pair[:2] for pair in said if pair not in moved})
            if not open_places:
                break
            table, column = self.rng.choice(open_places if self.rng.random() < 0.5 else places)
            cell = (table, column, self.rng.randrange(self.counts[table]))
            least = 0 if self.rng.random() < BACK else len(standing)
            value = self.rng.choice(self._values(table, column, shape[table][column]))
            after = self._after([(*cell, value)], keep=_at_least(least))
            if after is None:
                continue
            told = self._told(standing, after, table, column, said, by_key=True)
            moved |= told & set(said) if self.source.dialect == "postgres" else told  # which moves what it writes
            standing = after if len(after) >= least else standing

    def _tries(self, table: str, column: str, kind: str) -> list[list[Cell]]:
        values = self._values(table, column, kind)
        count = self.counts[table]
        tries: list[list[Cell]] = [[(table, column, row, value)] for row in range(count) for value in values]
        for _ in range(SEVERAL):
            rows = self.rng.sample(range(count), k=self.rng.choice((2, min(4, count), count)))
            tries.append([(table, column, row, self.rng.choice(values)) for row in rows])
        self.rng.shuffle(tries)
        return tries

    def _values(self, table: str, column: str, kind: str) -> tuple[Any, ...]:
        further = () if kind == "bool" else (_FURTHER[kind],)
        return tuple(dict.fromkeys((*VALUES[kind], *further, *self.view.pools.get((table, column), ()))))

    def _found(self, cells: Sequence[Cell], said: Set[Pair]) -> set[Pair]:
        after = self._after(cells)
        if after is None:
            return set()
        found = self._told(self.standing, after, *cells[0][:2], said, by_key=len(cells) == 1)
        return found if found <= said else found - self._by_place(cells, found - said)

    def _by_place(self, cells: Sequence[Cell], found: set[Pair]) -> set[Pair]:
        """Return what moves as well where the cells keep their values: a database may move a row that is written, and
        take another of those that are ordered alike.
        """
        after = self._after([(*cell[:3], KEPT) for cell in cells])
        return set() if after is None else found & self._told(self.standing, after, *cells[0][:2], (), by_key=False)

    def _after(self, cells: Sequence[Cell], keep: Keep = never) -> Rows | None:
        return self.source.changed(f"select * from {self.view.name}", cells, keep)

    def _told(
        self, before: Rows, after: Rows, table: str, column: str, said: Collection[Pair], *, by_key: bool
    ) -> set[Pair]:
        width = len(self.columns)
        places = _moved(self.view, before, after, width, by_key=by_key)
        expected = {at for at in range(width) if (table, column, self.columns[at]) in said}
        rest = tuple(sorted(set(range(width)) - expected - places))
        places |= _moved_beside(before, after, rest, expected - places) if rest else set()
        return {(table, column, self.columns[at]) for at in places}


def _tells(rows: Rows) -> bool:
    """Return whether there is anything in an answer: an aggregate over no row is a row as well."""
    return any(value not in (None, 0) for row in rows for value in row)


def _at_least(count: int) -> Keep:
    return lambda rows: len(rows) >= count


def _few(rng: random.Random) -> dict[str, Sequence[Any]]:
    """The values of each kind that there are in one database."""
    widths = {"int": (1, 2, 3, 5), "num": (1, 2, 3, 5)}
    return {
        kind: rng.sample(values[1:], k=min(len(values) - 1, rng.choice(widths.get(kind, (2, 3)))))
        for kind, values in VALUES.items()
    }


def _data(
    shape: Shape, rng: random.Random, pools: Pools, few: Mapping[str, Sequence[Any]], *, driven: bool = False
) -> dict[str, Rows]:
    """Rows of few values: now keys tell them apart, now most of them are alike, as DISTINCT and INTERSECT want it.

    `driven` is for a view that answered nothing so far: everything meets, and columns have what they are compared with.
    """
    nulls, keyed, alike = rng.choice((0, 0.1, 0.25)), rng.random() < 0.5, rng.random() < 0.5
    pooled, likeness = rng.choice((0.5, 0.8, 1.0)), rng.choice((0.8, 0.8, 0.95))
    if driven:
        nulls, keyed, pooled = rng.choice((0, 0, 0.2)), False, rng.choice((0.7, 0.9, 1.0))
    found: dict[str, Rows] = {}
    for table, columns in shape.items():
        rows: Rows = []
        for at in range(rng.choice((2, 3, 4) if driven else (2, 4, ROWS, ROWS))):
            row: list[Any] = []
            like = rng.choice(rows) if rows and alike else None
            for place, (name, kind) in enumerate(columns.items()):
                if keyed and name in ("id", "code"):
                    row.append(at if kind == "int" else f"c{at}")
                elif like is not None and rng.random() < likeness:
                    row.append(like[place])
                else:
                    own = pools.get((table, name), ())
                    values = own if own and rng.random() < pooled else few[kind]
                    row.append(None if rng.random() < nulls else rng.choice(values))
            rows.append(tuple(row))
        found[table] = rows
    return found


def _fulfil(
    source: Source,
    view: View,
    shape: Shape,
    data: dict[str, Rows],
    rng: random.Random,
    few: Mapping[str, Sequence[Any]],
) -> None:
    """Give the tables rows that do what a query asks of each alone, beside one of those that they have."""
    for table, wishes in view.wishes.items():
        found: Rows = []
        alone = {table: shape[table]}
        for wish in wishes:
            drawn = [row for _ in range(DRAWS) for row in _data(alone, rng, view.pools, few, driven=True)[table]]
            with suppress(Failed):
                fit = source.rows(fitting(source.dialect, wish, shape[table], drawn))
                found += rng.sample(fit, k=min(len(fit), rng.choice((1, 2, 2))))
                found += [_but_one(found[0], rng.choice(fit), rng) for _ in range(rng.choice((0, 1, 3))) if fit]
        if found:
            data[table] = [*found, data[table][0]][:ROWS]


def _but_one(row: tuple[Any, ...], other: tuple[Any, ...], rng: random.Random) -> tuple[Any, ...]:
    """Return a row as it is but for one value, as what orders rows last tells only such rows apart."""
    at = rng.randrange(len(row))
    return (*row[:at], other[at], *row[at + 1 :])


def _moved(view: View, before: Rows, after: Rows, width: int, *, by_key: bool) -> set[int]:
    """Places of the columns that have moved."""
    alone = {at for at in range(width) if _values(view, before, at) != _values(view, after, at)}
    found = set(alone)
    for key in view.keys if by_key else ():
        kept = _as_often(before, after, key)
        if kept:
            for at in set(range(width)) - found - {key}:
                if _beside(before, key, at, kept) != _beside(after, key, at, kept):
                    found.add(at)
    return found


def _moved_beside(before: Rows, after: Rows, rest: tuple[int, ...], expected: Iterable[int]) -> set[int]:
    """Places of the columns whose values stand beside others of those that neither are said to move nor have moved."""
    then, now = (Counter(tuple(row[at] for at in rest) for row in rows) for rows in (before, after))
    kept = {value for value, times in then.items() if now[value] == times}

    def beside(rows: Rows, at: int) -> Counter[Any]:
        pairs = ((tuple(row[place] for place in rest), row[at]) for row in rows)
        return Counter(pair for pair in pairs if pair[0] in kept)

    return {at for at in expected if beside(before, at) != beside(after, at)}


def _as_often(before: Rows, after: Rows, key: int) -> set[Any]:
    """The values of a key that are there as often as before, so that they are those of rows which are there still."""
    then, now = Counter(row[key] for row in before), Counter(row[key] for row in after)
    return {value for value, times in then.items() if now[value] == times}


def _beside(rows: Rows, key: int, at: int, kept: Collection[Any]) -> Counter[Any]:
    return Counter((row[key], row[at]) for row in rows if row[key] in kept)


def _values(view: View, rows: Rows, at: int) -> Any:
    """The values of a column; where rows are ordered, those of rows that are ordered alike stand together.

    A column of one value has no order that could be seen.
    """
    if not view.ordered_by or len({row[at] for row in rows}) == 1:
        return Counter(row[at] for row in rows)
    groups: list[tuple[Any, Counter[Any]]] = []
    # What the column itself is ordered by before it: rows alike in that may stand in any order.
    places = view.ordered_by
    for row in rows:
        key = tuple(row[place] for place in places)
        if not groups or groups[-1][0] != key:
            groups.append((key, Counter()))
        groups[-1][1][row[at]] += 1
    # One after the other, since a column does not show where the rows that are ordered alike end.
    return [one for _, group in groups for one in _sequence(group)] if at not in places else [row[at] for row in rows]


def _sequence(values: Counter[Any]) -> list[str]:
    return sorted(repr(value) for value in values.elements())


# What is said


def predicted(view: View, shape: Shape, dialect: str) -> tuple[set[Pair], tuple[str, ...], tuple[str, ...]]:
    """Every pair of a base column and a column of the view that depends on it; the view's columns; the gaps."""
    tables = [Table(name, "d", "main", name, tuple(columns)) for name, columns in shape.items()]
    edges: dict[tuple[str, str | None], set[tuple[str, str | None]]] = {}
    columns: tuple[str, ...] = ()
    for statement in view.statements:
        lineage = lineage_of(statement, dialect=dialect, tables=tables)
        if lineage.gaps:
            return set(), (), tuple(f"{gap.name}: {gap.reason}" for gap in lineage.gaps)
        name, columns = lineage.target[-1], lineage.columns
        tables.append(Table(name, "d", "main", name, columns))
        _add(edges, name, lineage)
    said = set()
    for column in columns:
        for start in ((view.name, column), (view.name, None)):
            found = reach(start, lambda node: edges.get(node, ()), deepest=DEEPEST)
            said |= {(table, name, column) for table, name in found.nodes if table in shape and name is not None}
    return said, columns, ()


def _add(
    edges: dict[tuple[str, str | None], set[tuple[str, str | None]]], view: str, lineage: StatementLineage
) -> None:
    for edge in lineage.edges:
        edges.setdefault((view, edge.to_column or None), set()).add((edge.from_table, edge.from_column or None))


@dataclass(frozen=True, slots=True)
class Figures:
    """How right it was over many views."""

    views: int
    judged: int
    gaps: int
    refused: int
    empty: int
    right: int
    missed: int
    wrong: int

    @property
    def precision(self) -> float:
        """The part of what is said that moves."""
        return self.right / max(self.right + self.wrong, 1)

    @property
    def recall(self) -> float:
        """The part of what moves that is said, in views that are understood."""
        return self.right / max(self.right + self.missed, 1)


def figures(judged: Iterable[Judged]) -> Figures:
    """Sum up."""
    all_of_them = list(judged)
    fine = [one for one in all_of_them if one.answered]
    return Figures(
        views=len(all_of_them),
        judged=len(fine),
        gaps=sum(bool(one.gaps) for one in all_of_them),
        refused=sum(bool(one.refused) for one in all_of_them),
        empty=sum(not (one.gaps or one.refused or one.answered) for one in all_of_them),
        right=sum(one.right for one in fine),
        missed=sum(len(one.missed) for one in fine),
        wrong=sum(len(one.wrong) for one in fine),
    )
