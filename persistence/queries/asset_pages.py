"""From what a search asks for to one page of assets and the exact number of all, in time that a large catalog bounds.

Three ways lead there; what they answer is the same.

1. What was found before is given again (`Hits`): the numbers of the first rows that a search found, in their order, are
   kept for as long as the catalog's revision stands. Such a page is read by its numbers, in a statement that finds rows
   only while that revision still stands, so it is never late, however many others write.
2. What is not kept is gathered by the index that leads to it. One statement counts all hits and brings the numbers of
   the first `FIRST_HITS`, which a heap of that size finds without sorting the rest. Who reads on beyond them has the
   first `MOST_HITS` sorted and kept; a page still further on is gathered by itself.
3. Where the catalog changes meanwhile, the page is read in one statement of its own.
"""

from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from persistence.engine import Database
from persistence.queries.asset_documents import WITH_DOCUMENTS
from persistence.queries.asset_view import WIDTH, HotStatement, WrittenAsset, answer_columns
from persistence.queries.metadata_search import Condition, Window, search_order, sort_key
from persistence.queries.standing import STANDING, Told, catalog_revision, tell
from persistence.repository import Scope
from persistence.tables.catalog import asset_documents, metadata_assets

FIRST_HITS: Final = 500
"""How many hits a search sorts and keeps at first: ten pages of fifty."""

MOST_HITS: Final = 20_000
"""How many it sorts and keeps for who reads on."""

MOST_BYTES: Final = 16_000_000
"""What the hits that a process keeps may take of memory."""

MOST_GLANCED: Final = 100
"""Up to how many documents are read beside the pools, where short questions wait for one another."""

_OWN_BYTES: Final = 2_000
"""About what an entry takes beside its numbers: its places, and the tree of its query."""

Row = Sequence[Any]


class Found(NamedTuple):
    """What a search found at a revision: how many, and the numbers of some rows in their order, from `start` on."""

    revision: str
    total: int
    numbers: "array[int]"
    start: int = 0

    @property
    def bytes(self) -> int:
        """Return about how much this takes."""
        return _OWN_BYTES + self.numbers.itemsize * len(self.numbers)

    def page(self, window: Window) -> "array[int] | None":
        """Return the numbers of a window's rows; None where it reaches beyond those that are known."""
        if window.offset >= self.total:
            return array("q")
        begin, end = window.offset - self.start, min(window.end, self.total) - self.start
        return self.numbers[begin:end] if begin >= 0 and end <= len(self.numbers) else None


class Hits:
    """What searches found, those asked for longest ago dropped first. Any thread may use it."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes, self._bytes = most_bytes, 0
        self._found: OrderedDict[Hashable, Found] = OrderedDict()
        self._lock = Lock()

    @property
    def bytes(self) -> int:
        """Return about how much it takes."""
        return self._bytes

    def of(self, key: Hashable) -> Found | None:
        """Return what was found by a search, at whichever revision."""
        with self._lock:
            if (found := self._found.get(key)) is not None:
                self._found.move_to_end(key)
            return found

    def keep(self, key: Hashable, found: Found) -> None:
        """Keep what was found at a revision that still stood when all of it had been read."""
        with self._lock:
            if (before := self._found.pop(key, None)) is not None:
                self._bytes -= before.bytes
            self._found[key] = found
            self._bytes += found.bytes
            while self._bytes > self._most_bytes:
                self._bytes -= self._found.popitem(last=False)[1].bytes


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for: `conditions` gives what hits fulfil.

    `key` names all of it but the order, to keep what was found. `narrow` says that the conditions hold more than the
    scope and a parent, so that the order of an index does not lead to the page by itself. `total` is the number of all,
    where that is known already.
    """

    scope: Scope
    key: Hashable
    conditions: Callable[[], list[Condition]]
    narrow: bool
    total: int | None = None


def page_and_total(connection: sa.Connection, search: Search, window: Window, hits: Hits) -> tuple[list[Row], int]:
    """The rows of a window and the exact number of all that were found."""
    if not search.narrow:
        total = _counted(connection, search) if search.total is None else search.total
        return ([] if total <= window.offset else _in_order(connection, search, window)), total
    key = (search.scope, search.key, window.sort_by, window.descending)
    found = hits.of(key)
    if found is not None and (rows := _rows_of(connection, search, window, found)) is not None:
        return rows, found.total
    found = _gathered(connection, search, window)
    if found.revision and (rows := _rows_of(connection, search, window, found)) is not None:
        if found.start == 0:
            hits.keep(key, found)
        return rows, found.total
    # Somebody writes just now, or nothing would tell of it: one statement finds the rows as they are when it runs.
    return ([] if found.total <= window.offset else _sorted(connection, search, window)), found.total


def _numbered(dialect: str) -> sa.ColumnElement[bool]:
    """The rows whose numbers are given, as one text with commas, so that the statement is the same for any many."""
    numbers: sa.BindParameter[str] = sa.bindparam("numbers", type_=sa.Text())
    own = metadata_assets.c.row_number
    if dialect == "sqlite":
        return own.in_(sa.select(sa.func.json_each("[" + numbers + "]").table_valued("value").c.value))
    return own == sa.func.any(sa.cast(sa.func.string_to_array(numbers, ","), postgresql.ARRAY(sa.BigInteger)))


_DOCUMENTS_BY_NUMBERS: Final = {
    dialect: HotStatement(
        sa.select(metadata_assets.c.row_number, asset_documents.c.document, *STANDING)
        .select_from(WITH_DOCUMENTS)
        .where(_numbered(dialect), catalog_revision() == sa.bindparam("revision"))
    )
    for dialect in ("sqlite", "postgresql")
}
_REVISION: Final = HotStatement(sa.select(catalog_revision()))
_BY_NUMBERS: Final = {
    dialect: HotStatement(
        sa.select(*answer_columns, metadata_assets.c.row_number).where(
            _numbered(dialect), catalog_revision() == sa.bindparam("revision")
        )
    )
    for dialect in ("sqlite", "postgresql")
}


def _now(connection: sa.Connection, scope: Scope) -> str:
    """The revision of the catalog; empty where nothing would tell of its next change."""
    [row] = _REVISION.rows(connection, organization_id=scope.organization_id, project_id=scope.project_id)
    return row[0] or ""


async def kept_page(
    database: Database, search: Search, window: Window, hits: Hits, told: Told, missing: Callable[[list[int]], None]
) -> tuple[list[WrittenAsset], int] | None:
    """A page of hits that are kept, as documents, by one short statement; None where one of these is not to be had.

    `told` is given what relations and the catalog were at then, `missing` the rows that have no document.
    """
    found = hits.of((search.scope, search.key, window.sort_by, window.descending)) if search.narrow else None
    if found is None or window.limit > MOST_GLANCED or not (wanted := found.page(window)):
        return None
    rows = await _DOCUMENTS_BY_NUMBERS[database.dialect].glanced(
        database,
        binary=True,
        numbers=",".join(map(str, wanted)),
        organization_id=search.scope.organization_id,
        project_id=search.scope.project_id,
        revision=found.revision,
    )
    if len(rows) != len(wanted):  # the catalog has changed
        return None
    if without := [row[0] for row in rows if row[1] is None]:
        missing(without)
        return None
    tell(told, rows)
    by_number = {row[0]: row[1] for row in rows}
    return [WrittenAsset(by_number[number]) for number in wanted], found.total


def _counted(connection: sa.Connection, search: Search) -> int:
    count = sa.select(sa.func.count()).select_from(metadata_assets).where(*search.conditions())
    return int(connection.execute(count).scalar_one())


def _keys(search: Search, window: Window) -> sa.CTE:
    """All hits with what they are sorted by, gathered by the best index whatever order is wanted."""
    assets = metadata_assets
    keys = dict.fromkeys((assets.c.row_number, sort_key(assets, window), assets.c.name, assets.c.id))
    return sa.select(*keys).where(*search.conditions()).cte("found").prefix_with("MATERIALIZED")


def _gathered(connection: sa.Connection, search: Search, window: Window) -> Found:
    """Count the hits and find the first of them, or those of a page far on; with the revision that was read before."""
    revision = _now(connection, search.scope)
    start, many = 0, FIRST_HITS if window.end <= FIRST_HITS else MOST_HITS
    if window.end > MOST_HITS:
        start, many = window.offset, window.limit
    found = _keys(search, window)
    count = sa.select(sa.func.count().label("total")).select_from(found).subquery("counted")
    first = sa.select(found).order_by(*search_order(found, window)).limit(many).offset(start).subquery("first")
    query = (
        sa.select(count.c.total, first.c.row_number)
        .select_from(count.outerjoin(first, sa.true()))
        .order_by(*search_order(first, window))
    )
    rows = connection.execute(query).all()
    numbers = array("q", [number for _, number in rows if number is not None])
    return Found(revision, int(rows[0][0]), numbers, start if numbers else 0)  # beyond all: the total is worth keeping


def _rows_of(
    connection: sa.Connection,
    search: Search,
    window: Window,
    found: Found,
) -> list[Row] | None:
    """The page of what was found; None where it reaches further, or the catalog is not what it was then."""
    if (wanted := found.page(window)) is None:
        return None
    if not wanted:
        return [] if _now(connection, search.scope) == found.revision else None
    by_number = {
        row[WIDTH]: row[:WIDTH]
        for row in _BY_NUMBERS[connection.dialect.name].rows(
            connection,
            numbers=",".join(map(str, wanted)),
            organization_id=search.scope.organization_id,
            project_id=search.scope.project_id,
            revision=found.revision,
        )
    }
    return [by_number[number] for number in wanted] if len(by_number) == len(wanted) else None


def _in_order(connection: sa.Connection, search: Search, window: Window) -> list[Row]:
    """The page where the order of an index leads to it."""
    query = sa.select(*answer_columns).where(*search.conditions()).order_by(*search_order(metadata_assets, window))
    return list(connection.execute(query.limit(window.limit).offset(window.offset)))


def _sorted(connection: sa.Connection, search: Search, window: Window) -> list[Row]:
    """The page of all hits, of which the keys alone are sorted."""
    found, assets = _keys(search, window), metadata_assets
    page = (
        sa.select(found.c.row_number)
        .order_by(*search_order(found, window))
        .limit(window.limit)
        .offset(window.offset)
        .subquery("page")
    )
    query = sa.select(*answer_columns).join(page, page.c.row_number == assets.c.row_number)
    return list(connection.execute(query.order_by(*search_order(assets, window))))
