"""Parts of the lists of many parents, read in one statement however many parents there are."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

import sqlalchemy as sa

from persistence.repository import Scope

T = TypeVar("T")


class Listable(Protocol[T]):
    """What parts of lists can be read of: a repository."""

    @property
    def table(self) -> sa.Table: ...
    @property
    def connection(self) -> sa.Connection: ...
    def select(self, scope: Scope) -> sa.Select[Any]: ...
    def resources(self, rows: Iterable[Sequence[Any]]) -> list[T]: ...
    def ordered(self, order: Sequence[sa.ColumnElement[Any]] | None = None) -> list[sa.ColumnElement[Any]]: ...


PARENTS_AT_ONCE: Final = 500
"""How many parents one statement takes."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Which places of a list are read, from 1: those in any of the ranges, and the last ones."""

    ranges: tuple[tuple[int, int], ...]
    last: int = 0

    def among(self, items: Sequence[T]) -> dict[int, T]:
        """Those of a whole list that stand at these places, and the first one, by their place."""
        shown = (*self.ranges, (len(items) - self.last + 1, len(items)), (1, 1))
        return {rank: item for rank, item in enumerate(items, 1) if any(low <= rank <= high for low, high in shown)}


@dataclass(slots=True)
class Ranked(Generic[T]):
    """What was read of the list of one parent: items by their place from 1, how many there are in all, and where."""

    items: dict[int, T] = field(default_factory=dict)
    total: int = 0
    project_id: str | None = None
    """The project of the items."""


Parent = tuple[str, ...]
"""What tells a parent from others: texts, as many for each."""
Joined = Callable[[Any], Sequence[sa.ColumnElement[bool]]]
"""What makes a row an item of a parent, of which the columns `k0`, `k1`, ... hold the texts."""


def windows_of(
    repository: Listable[T],
    scope: Scope,
    parents: Sequence[Parent],
    joined: Joined,
    ranks: Ranks,
    *,
    where: Sequence[sa.ColumnElement[bool]] = (),
    order: Sequence[sa.ColumnElement[Any]] | None = None,
) -> dict[Parent, Ranked[T]]:
    """The items at some places of the list of each parent, and how long each list is; in one statement.

    `where` narrows the lists, `order` orders them, as the repository does where nothing is said. A parent without any
    items is left out.
    """
    found: dict[Parent, Ranked[T]] = {}
    distinct = list(dict.fromkeys(parents))
    for start in range(0, len(distinct), PARENTS_AT_ONCE):
        some = distinct[start : start + PARENTS_AT_ONCE]
        rows = repository.connection.execute(_query(repository, scope, some, joined, ranks, where, order)).all()
        for row, item in zip(rows, repository.resources(rows), strict=True):
            of = found.setdefault(some[row.of_parent], Ranked(total=row.of_total, project_id=row.of_project))
            of.items[row.of_rank] = item
    return found


def _query(
    repository: Listable[Any],
    scope: Scope,
    parents: Sequence[Parent],
    joined: Joined,
    ranks: Ranks,
    where: Sequence[sa.ColumnElement[bool]],
    order: Sequence[sa.ColumnElement[Any]] | None,
) -> sa.Select[Any]:
    names = [f"k{place}" for place in range(len(parents[0]))]
    columns: list[Any] = [sa.column("number", sa.Integer()), *(sa.column(name, sa.Text()) for name in names)]
    rows = [(number, *parent) for number, parent in enumerate(parents)]
    wanted = sa.values(*columns, name="asked").data(rows).cte("wanted")
    by = wanted.c.number
    key = repository.table.primary_key.columns
    # Only keys are ranked: a list may be long and its rows wide, and few of them are asked for.
    ranked = (
        repository.select(scope)
        .where(*where, *joined(wanted.c))
        .with_only_columns(
            *(column.label(f"key_{column.key}") for column in key),
            by.label("of_parent"),
            repository.table.c.project_id.label("of_project"),
            sa.func.row_number().over(partition_by=by, order_by=repository.ordered(order)).label("of_rank"),
            sa.func.count().over(partition_by=by).label("of_total"),
        )
        .subquery()
    )
    rank = ranked.c.of_rank
    # The first place is always read: it tells how long a list is of which no other place is asked for.
    chosen = [rank == 1, *(rank.between(low, high) for low, high in ranks.ranges)]
    if ranks.last:
        chosen.append(rank > ranked.c.of_total - ranks.last)
    same = [column == ranked.c[f"key_{column.key}"] for column in key]
    told = [ranked.c[name] for name in ("of_parent", "of_project", "of_rank", "of_total")]
    return repository.select(scope).add_columns(*told).where(*same, sa.or_(*chosen)).order_by(ranked.c.of_parent, rank)
