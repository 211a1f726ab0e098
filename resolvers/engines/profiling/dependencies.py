"""Keys and functional dependencies, out of the rows of a sample."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import combinations, count
from operator import itemgetter
from typing import Any, Final

from schema.data_readiness.profile import FunctionalDependency

FEWEST_ROWS: Final = 10
"""Of fewer rows nothing is concluded: in a handful everything is a key."""

LEAST_UNIQUE: Final = 0.95
"""From this share of rows on, columns that are nearly a key are told."""

LEAST_HOLDS: Final = 0.95
MOST_KEY_PARTS: Final = 3
MOST_KEYS: Final = 20
MOST_DEPENDENCIES: Final = 200
MOST_COLUMNS: Final = 48
"""Columns of one table among which dependencies are looked for."""

MOST_ROWS: Final = 8_000
"""Rows that dependencies are looked for in."""

_FEW: Final = 600
"""Rows that most pairs are turned down by."""

_MET_AGAIN: Final = 1_000
"""Rows of values that occur more than once, by which others are turned down whose values hardly repeat among few."""

_MOST_WORK: Final = 3_000_000
"""Rows times sets of columns that are looked at, for keys and for dependencies each."""


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of a sample: each value by a number, null by -1."""

    name: str
    codes: tuple[int, ...]
    distinct: int
    nulls: int
    is_key_like: bool
    """Whether its values name things rather than measure them."""


def coded(name: str, values: Sequence[Any], *, is_key_like: bool) -> Coded | None:
    """A column by numbers; None when its values cannot be compared. NaN counts as null."""
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    numbers[None] = -1
    try:
        codes = tuple(map(numbers.__getitem__, values))
    except TypeError:
        return None
    if not _FRACTIONS.isdisjoint(map(type, numbers)):
        odd = {code for value, code in numbers.items() if value != value}
        if odd:
            codes = tuple(-1 if code in odd else code for code in codes)
            return Coded(name, codes, len(numbers) - 1 - len(odd), codes.count(-1), is_key_like)
    return Coded(name, codes, len(numbers) - 1, codes.count(-1), is_key_like)


_FRACTIONS: Final = frozenset({float, Decimal})


def unique_share(columns: Sequence[Coded], rows: int) -> float:
    """The share of rows whose values together occur once; rows with a null count as rows that do not."""
    if not rows:
        return 1.0
    if len(columns) == 1:
        if columns[0].distinct == rows - columns[0].nulls:
            return columns[0].distinct / rows
        counts: Counter[Any] = Counter(columns[0].codes)
        counts.pop(-1, None)
    else:
        counts = Counter(zip(*(column.codes for column in columns), strict=True))
        counts = Counter({codes: count for codes, count in counts.items() if -1 not in codes})
    return sum(1 for count in counts.values() if count == 1) / rows


def found_keys(
    columns: Sequence[Coded], rows: int, declared: Sequence[Sequence[str]], *, of: int | None = None
) -> list[tuple[list[str], float]]:
    """Smallest sets of columns that are a key of a table, or nearly, with the share of its rows that are unique.

    `of` is how many rows the table has of which `rows` are a sample; None when they are all. Of the rows that have
    their like a sample shows `rows / of` only, as it must hold both.
    """
    times = max(1.0, (of or 0) / rows) if rows else 1.0
    if rows < FEWEST_ROWS:
        return []
    taken = [frozenset(names) for names in declared]
    found: list[tuple[list[str], float]] = []
    # What is unique by itself, or has nulls, or measures, is no part of a larger key.
    loose: list[Coded] = []
    for column in columns:
        if not column.is_key_like or column.nulls:
            continue
        share = max(0.0, 1 - times * (1 - unique_share([column], rows)))
        if frozenset([column.name]) not in taken and share >= LEAST_UNIQUE:
            found.append(([column.name], share))
        if share < LEAST_UNIQUE and column.distinct > 1 and frozenset([column.name]) not in taken:
            loose.append(column)
    if not any(len(names) == 1 for names in taken) and not any(share == 1.0 for _, share in found):
        found += _joint_keys(loose, rows, taken)
    found.sort(key=lambda one: (-one[1], len(one[0])))
    return found[:MOST_KEYS]


def _joint_keys(columns: Sequence[Coded], rows: int, taken: list[frozenset[str]]) -> Iterator[tuple[list[str], float]]:
    likeliest = sorted(columns, key=lambda column: -column.distinct)[:14]
    places = {column.name: at for at, column in enumerate(columns)}
    work, exact = 0, list(taken)
    for size in range(2, MOST_KEY_PARTS + 1):
        for some in combinations(likeliest, size):
            names = frozenset(column.name for column in some)
            possible = 1
            for column in some:
                possible *= column.distinct
            if possible < rows or any(key <= names for key in exact):
                continue
            work += rows
            if work > _MOST_WORK:
                return
            share = unique_share(some, rows)
            if share == 1.0:
                exact.append(names)
                yield sorted(names, key=lambda name: places[name]), share


def found_dependencies(columns: Sequence[Coded], rows: int, *, is_exact: bool) -> list[FunctionalDependency]:
    """Return which columns settle others, but for few rows; pairs of columns where no single one of them does.

    What says nothing is left out: a determinant that hardly repeats, and a dependent that hardly varies.
    """
    if rows < FEWEST_ROWS:
        return []
    usable = [column for column in columns if column.distinct > 1][:MOST_COLUMNS]
    used = min(rows, MOST_ROWS, max(_FEW, _MOST_WORK // max(1, len(usable) ** 2)))
    places = itemgetter(*(int(at * rows / used) for at in range(used)))
    some = max(1, used // _FEW)
    tables = {}
    for column in usable:
        codes = column.codes if used == rows else places(column.codes)
        tables[column.name] = _Table(codes, codes[::some])
    is_exact = is_exact and used == rows
    names = [column.name for column in usable]
    singles: dict[str, set[str]] = {name: set() for name in names}
    found: list[FunctionalDependency] = []
    for determinant in names:
        for dependent, share in _settled(tables[determinant], names, {determinant}, tables):
            singles[determinant].add(dependent)
            found.append(_dependency([determinant], dependent, share, is_exact))
    found += _of_pairs(names, singles, tables, is_exact=is_exact)
    found.sort(key=lambda one: (len(one.determinant), -one.holds))
    return found[:MOST_DEPENDENCIES]


def _dependency(determinant: list[str], dependent: str, share: float, is_exact: bool) -> FunctionalDependency:
    return FunctionalDependency(determinant=determinant, dependent=dependent, holds=share, is_exact=is_exact)


class _Table:
    """The codes of a column, or of several together, and those of few rows spread over all."""

    def __init__(self, codes: Sequence[int], few: Sequence[int] = ()) -> None:
        self.codes = codes
        self._few = few

    @cached_property
    def few(self) -> "_Table":
        """Few rows spread over all."""
        return _Table(self._few)

    @cached_property
    def counts(self) -> Counter[int]:
        """Return how often each value occurs."""
        counts = Counter(self.codes)
        counts.pop(-1, None)
        return counts

    @cached_property
    def filled(self) -> int:
        """Return how many rows have a value."""
        return self.counts.total()

    @cached_property
    def commonest(self) -> float:
        """The share of the most frequent value in all of them."""
        return max(self.counts.values()) / self.filled

    @cached_property
    def again(self) -> tuple[Sequence[int], int]:
        """Rows of values that occur more than once, all rows of each, and how many values these are."""
        chosen: set[int] = set()
        rows = 0
        for code, times in self.counts.items():
            if times > 1:
                chosen.add(code)
                rows += times
                if rows >= _MET_AGAIN:
                    break
        return [row for row, code in enumerate(self.codes) if code in chosen], len(chosen)


def _of_pairs(
    names: Sequence[str],
    singles: Mapping[str, set[str]],
    tables: Mapping[str, _Table],
    *,
    is_exact: bool,
) -> Iterator[FunctionalDependency]:
    # A pair of columns of which one settles the other says no more than that one.
    pairs = [(a, b) for a, b in combinations(names, 2) if b not in singles[a] and a not in singles[b]]
    work = 0
    for a, b in pairs:
        few = _Table(_joined(tables[a].few.codes, tables[b].few.codes))
        # Where hardly any of few rows repeats, pairs are not cheap to judge, and say little.
        if few.filled - len(few.counts) < max(FEWEST_ROWS, 0.2 * len(few.codes)):
            continue
        work += len(few.codes) * len(names)
        if work > _MOST_WORK:
            return
        known = {a, b} | singles[a] | singles[b]
        likely = [
            name
            for name in names
            if name not in known and _plausible(few, tables[name].few) and len(tables[name].counts) > 1
        ]
        if likely:
            work += len(tables[a].codes) * (1 + len(likely))
            joined = _Table(_joined(tables[a].codes, tables[b].codes), few.codes)
            for dependent, share in _settled(joined, likely, known, tables):
                yield _dependency([a, b], dependent, share, is_exact)


def _joined(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """Pairs of codes by one code, -1 where either is null."""
    factor = max(other, default=0) + 1
    return [-1 if a < 0 or b < 0 else a * factor + b for a, b in zip(one, other, strict=True)]


def _settled(
    determinant: _Table, names: Sequence[str], but: set[str], tables: Mapping[str, _Table]
) -> Iterator[tuple[str, float]]:
    """The columns that a determinant settles, each with the share of rows that keep to it."""
    # Each row beyond the first of its group could have spoken against it. A determinant that hardly ever repeats
    # settles everything and says nothing.
    least = max(FEWEST_ROWS, 0.05 * len(determinant.codes))
    if len(determinant.counts) < 2 or determinant.filled - len(determinant.counts) < least:
        return
    for name in names:
        dependent = tables[name]
        if name in but or len(dependent.counts) < 2:
            continue
        if len(determinant.few.codes) < len(determinant.codes) and not _plausible(determinant.few, dependent.few):
            continue
        if _is_broken(determinant, dependent):
            continue
        share, tested = _holds(determinant, dependent, LEAST_HOLDS)
        if share < LEAST_HOLDS or tested < least:
            continue
        # By how much the determinant is better than always to say the commonest value.
        if (share - dependent.commonest) / (1 - dependent.commonest) >= 0.8:
            yield name, share


def _plausible(determinant: _Table, dependent: _Table) -> bool:
    if determinant.filled - len(determinant.counts) < FEWEST_ROWS:
        return True
    least = LEAST_HOLDS - 0.08
    share, tested = _holds(determinant, dependent, least)
    return tested < FEWEST_ROWS or share >= least


def _is_broken(determinant: _Table, dependent: _Table) -> bool:
    """Return whether some rows alone speak against a dependency so often that it cannot hold."""
    rows, groups = determinant.again
    allowed = (1 - LEAST_HOLDS) * determinant.filled + 1e-6
    if len(rows) - groups <= allowed:
        return False
    at = itemgetter(*rows)
    pairs = set(zip(at(determinant.codes), at(dependent.codes), strict=True))
    nulls = sum(1 for _, b in pairs if b < 0) if len(pairs) - groups > allowed else 0
    return len(pairs) - nulls - groups > allowed


def _holds(determinant: _Table, dependent: _Table, least: float) -> tuple[float, int]:
    """The share of the rows that keep to the dependency, and how many of them could have spoken against it.

    A share below `least` may be told as 0, which is cheaper.
    """
    total, groups = len(determinant.codes), len(determinant.counts)
    if determinant.filled == dependent.filled == total:
        # Each pair beyond the first of its group is of one row at least that does not keep to it.
        others = len(set(zip(determinant.codes, dependent.codes, strict=True))) - groups
        if others == 0 or total - others < (least - 1e-9) * total:
            return 0.0 if others else 1.0, total - groups
    best: dict[int, int] = {}
    total = 0
    for (a, b), times in Counter(zip(determinant.codes, dependent.codes, strict=True)).items():
        if a < 0 or b < 0:
            continue
        total += times
        if times > best.get(a, 0):
            best[a] = times
    return (sum(best.values()) / total if total else 0.0), total - len(best)
