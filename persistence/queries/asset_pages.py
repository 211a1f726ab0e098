"""From what a search asks for to one page of assets and the exact number of all, in time that a large catalog bounds.

Three ways lead there; what they answer is the same.

1. What was found before is given again (`Hits`): the numbers of the rows that a search found, in their order, are kept
   for as long as the catalog's revision stands. Such a page is read by its numbers, in a statement that finds rows
   only while that revision still stands, so it is never late, however many others write.
2. What finds little enough to be kept is gathered by the index that leads to it, counted and sorted in one statement.
3. What finds more is counted, and its page looked for along the index of names, for no more than `WALKED` rows. Hits
   that are spread evenly fill a page soon. Where they do not, they are gathered and sorted as well: a planner left to
   itself would go on along the index for hits that all stand at its end.
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

MOST_HITS: Final = 20_000
"""Up to how many hits are sorted whole and kept."""

WALKED: Final = 5_000
"""How many rows of the index of names are looked at for a page, before hits are gathered instead."""

MOST_BYTES: Final = 16_000_000
"""What the hits that a process keeps may take of memory."""

MOST_GLANCED: Final = 100
"""Up to how many documents are read beside the pools, where short questions wait for one another."""

_OWN_BYTES: Final = 2_000
"""About what an entry takes beside its numbers: its places, and the tree of its query."""

Row = Sequence[Any]


class Found(NamedTuple):
    """What a search found at a revision: how many, and the numbers of their rows in their order, if they are few."""

    revision: str
    total: int
    numbers: "array[int] | None"

    @property
    def bytes(self) -> int:
        """Return about how much this takes."""
        return _OWN_BYTES + (0 if self.numbers is None else self.numbers.itemsize * len(self.numbers))


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
    """What is searched for: `conditions(indexed)` gives what hits fulfil, with or without the free-text index.

    `key` names all of it but the order, to keep what was found. `narrow` says that the conditions hold more than the
    scope and a parent, so that the order of an index does not lead to the page by itself. `total` is the number of all,
    where that is known already.
    """

    scope: Scope
    key: Hashable
    conditions: Callable[[bool], list[Condition]]
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
        hits.keep(key, found)
        return rows, found.total
    # Somebody writes just now, or nothing would tell of it: one statement finds the rows as they are when it runs.
    if found.total <= window.offset:
        return [], found.total
    return _along_names(connection, search, window, found) or _sorted(connection, search, window), found.total


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
    if found is None or found.numbers is None or window.limit > MOST_GLANCED:
        return None
    wanted = found.numbers[window.offset : window.offset + window.limit]
    if not wanted:
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
    count = sa.select(sa.func.count()).select_from(metadata_assets).where(*search.conditions(True))
    return int(connection.execute(count).scalar_one())


def _keys(search: Search, window: Window) -> sa.CTE:
    """All hits with what they are sorted by, gathered by the best index whatever order is wanted."""
    assets = metadata_assets
    keys = dict.fromkeys((assets.c.row_number, sort_key(assets, window), assets.c.name, assets.c.id))
    return sa.select(*keys).where(*search.conditions(True)).cte("found").prefix_with("MATERIALIZED")


def _gathered(connection: sa.Connection, search: Search, window: Window) -> Found:
    """Count the hits and, where they can be kept, sort them; with the revision that was read before."""
    revision = _now(connection, search.scope)
    found = _keys(search, window)
    count = sa.select(sa.func.count().label("total")).select_from(found).subquery("counted")
    order = search_order(found, window)
    query = (
        sa.select(count.c.total, found.c.row_number)
        .select_from(count.outerjoin(found, count.c.total <= MOST_HITS))
        .order_by(*order)
    )
    rows = connection.execute(query).all()
    total = int(rows[0][0])
    return Found(revision, total, array("q", [row[1] for row in rows] if total else ()) if total <= MOST_HITS else None)


def _rows_of(
    connection: sa.Connection,
    search: Search,
    window: Window,
    found: Found,
) -> list[Row] | None:
    """The page of what was found; None unless the catalog still is what it was then."""
    if found.total <= window.offset:
        return [] if _now(connection, search.scope) == found.revision else None
    if found.numbers is None:
        stands = catalog_revision(search.scope) == found.revision
        rows = _along_names(connection, search, window, found, stands) or _sorted(connection, search, window, stands)
        return rows or None
    wanted = found.numbers[window.offset : window.offset + window.limit]
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
    query = sa.select(*answer_columns).where(*search.conditions(True)).order_by(*search_order(metadata_assets, window))
    return list(connection.execute(query.limit(window.limit).offset(window.offset)))


def _sorted(
    connection: sa.Connection,
    search: Search,
    window: Window,
    *conditions: Condition,
) -> list[Row]:
    """The page of all hits, of which the keys alone are sorted."""
    found, assets = _keys(search, window), metadata_assets
    page = (
        sa.select(found.c.row_number)
        .order_by(*search_order(found, window))
        .limit(window.limit)
        .offset(window.offset)
        .subquery("page")
    )
    query = sa.select(*answer_columns).join(page, page.c.row_number == assets.c.row_number).where(*conditions)
    return list(connection.execute(query.order_by(*search_order(assets, window))))


def _along_names(
    connection: sa.Connection,
    search: Search,
    window: Window,
    found: Found,
    *conditions: Condition,
) -> list[Row]:
    """The page, if the first rows by name fill it or are all; else nothing."""
    if window.sort_by != "name" or found.total <= MOST_HITS:
        return []
    assets, scope = metadata_assets, search.scope
    own = (assets.c.organization_id == scope.organization_id, assets.c.project_id == scope.project_id)
    first = sa.select(assets.c.row_number).where(*own).order_by(*search_order(assets, window)).limit(WALKED)
    query = (
        sa.select(*answer_columns)
        .where(assets.c.row_number.in_(first), *search.conditions(False), *conditions)
        .order_by(*search_order(assets, window))
        .limit(window.limit)
        .offset(window.offset)
    )
    rows: list[Row] = list(connection.execute(query))
    return rows if len(rows) == min(window.limit, found.total - window.offset) else []
