"""Walks over lineage as one caller may see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from persistence.queries.lineage import Node, ReadEdge
from persistence.store import UnitOfWork
from resolvers.context import Context
from schema.errors import InvalidParameter, NotFound
from schema.governance.permission import Permission
from schema.identifiers import Fqn, parse_fqn
from schema.pagination import Page
from schema.utils.lineage import (
    LineageDirection,
    LineageEdge,
    LineageImpact,
    LineageImpactedTable,
    LineageNode,
    LineagePath,
    LineagePathStep,
    LineageReach,
    LineageSource,
)
from schema.utils.lineage_kind import LineageType, type_of

MOST_NODES: Final = 10_000
"""Nodes that one walk visits."""
MOST_EDGES: Final = 200_000
"""Edges that one walk reads."""
MOST_COLUMNS: Final = 500
"""Columns that an impact names of one table."""
DEEPEST: Final = 50


@dataclass(frozen=True, slots=True)
class Place:
    """A column or a table, as a caller names it."""

    table: str
    column: str | None

    @property
    def fqn(self) -> str:
        """Its dotted name."""
        return fqn_of((self.table, self.column or ""))


def parse_place(text: str, *, field: str = "fqn") -> Place:
    """Read the dotted name of a table or a column. Raises InvalidParameter."""
    parts = parse_fqn(text, field=field).parts
    if len(parts) not in (4, 5):
        raise InvalidParameter(f"{field} names a table or a column: four or five dotted parts.", field=field)
    return Place(str(Fqn(parts[:4])), parts[4] if len(parts) == 5 else None)


def fqn_of(node: Node) -> str:
    """The dotted name of a node; that of the table, where its rows are meant."""
    table, column = node
    return str(Fqn.parse(table).child(column)) if column else table


@dataclass(slots=True)
class _Found:
    """What a walk visited."""

    steps: dict[Node, int] = field(default_factory=dict)
    direct: set[Node] = field(default_factory=set)
    came_by: dict[Node, ReadEdge] = field(default_factory=dict)
    complete: bool = True


@dataclass(slots=True)
class Walk:
    """Walks of one caller over lineage as it stands at a time."""

    ctx: Context
    at: datetime | None = None
    source: LineageSource | None = None
    direct_only: bool = False

    async def reach(
        self, place: Place, uri: str, direction: LineageDirection, depth: int, *, offset: int, limit: int
    ) -> LineageReach:
        """What can be reached, as the caller may see it."""
        upstream = direction is LineageDirection.UPSTREAM
        found, resources = await self._walked(place, uri, depth, upstream=upstream)
        readable = await self._readable(resources.values(), uri)
        shown = [node for node in found.steps if resources.get(node[0]) in readable]
        shown.sort(key=lambda node: (found.steps[node], node))
        items = [
            LineageNode(
                fqn=fqn_of(node),
                table_fqn=node[0],
                column=node[1] or None,
                resource_uri=resources[node[0]],
                steps=found.steps[node],
                direct=node in found.direct,
            )
            for node in shown[offset : offset + limit]
        ]
        return LineageReach(
            fqn=place.fqn,
            direction=direction,
            items=items,
            total=len(shown),
            hidden=len(found.steps) - len(shown),
            complete=found.complete,
        )

    async def impact(self, place: Place, uri: str, depth: int, *, offset: int, limit: int) -> LineageImpact:
        """The tables that would break, as the caller may see them."""
        found, resources = await self._walked(place, uri, depth, upstream=False)
        readable = await self._readable(resources.values(), uri)
        tables: dict[str, list[Node]] = {}
        for node in found.steps:
            if node[0] != place.table:
                tables.setdefault(node[0], []).append(node)
        shown = [table for table in tables if resources.get(table) in readable]
        nearest = {table: min(found.steps[node] for node in nodes) for table, nodes in tables.items()}
        shown.sort(key=lambda table: (nearest[table], table))
        items = [
            LineageImpactedTable(
                table_fqn=table,
                resource_uri=resources[table],
                steps=nearest[table],
                columns=sorted(column for _, column in tables[table] if column)[:MOST_COLUMNS],
                rows=(table, "") in found.steps,
            )
            for table in shown[offset : offset + limit]
        ]
        return LineageImpact(
            fqn=place.fqn,
            items=items,
            total=len(shown),
            hidden=len(tables) - len(shown),
            complete=found.complete,
        )

    async def edges(
        self, place: Place, uri: str, direction: LineageDirection, *, offset: int, limit: int
    ) -> Page[LineageEdge]:
        """The edges at one place, of which the caller may read the other end."""
        upstream = direction is LineageDirection.UPSTREAM

        def work(uow: UnitOfWork) -> tuple[list[ReadEdge], dict[str, str]]:
            self._standing(uow, place, uri)
            read = uow.lineage.edges_at(self.ctx.scope, [place.table], upstream=upstream, at=self.at, most=MOST_EDGES)
            starts = set(_starts(place, read, upstream=upstream))
            read = [one for one in self._meant(read) if _near(one, upstream=upstream) in starts]
            ends = [_far(one, upstream=upstream)[0] for one in read]
            return read, uow.lineage.resources_of(self.ctx.scope, ends)

        read, resources = await self.ctx.store.read(work)
        readable = await self._readable(resources.values(), uri)
        shown = [one for one in read if resources.get(_far(one, upstream=upstream)[0]) in readable]
        items = [
            LineageEdge(
                from_fqn=fqn_of(_far(one, upstream=True)),
                to_fqn=fqn_of(_far(one, upstream=False)),
                type=type_of(one.edge.subtype),
                subtype=one.edge.subtype,
                source=one.source,
                statement_id=one.statement_id,
                began_at=one.began_at,
                ended_at=one.ended_at,
            )
            for one in shown[offset : offset + limit]
        ]
        return Page(items=items, total=len(shown), offset=offset, limit=limit)

    async def path(self, start: Place, uri: str, end: Place) -> LineagePath:
        """The shortest way downstream, through what the caller may read where there is one."""

        def work(uow: UnitOfWork) -> tuple[_Found, dict[str, str], str | None]:
            self._standing(uow, start, uri)
            found = self._visited(uow, start, DEEPEST, upstream=False)
            tables = {table for table, _ in found.steps} | {start.table, end.table}
            resources = uow.lineage.resources_of(self.ctx.scope, tables)
            return found, resources, resources.get(end.table)

        found, resources, there = await self.ctx.store.read(work)
        readable = await self._readable(resources.values(), uri)
        if there not in readable:
            raise NotFound("metadata_asset", end.fqn)
        seen = {table for table, one in resources.items() if one in readable}
        through = await self.ctx.store.read(lambda uow: self._visited(uow, start, DEEPEST, upstream=False, within=seen))
        ends = [node for node in _ends(end, found) if node in through.steps]
        way = _way(through, ends) or _way(found, _ends(end, found))
        hidden = {node for edge in way for node in (_far(edge, upstream=True), _far(edge, upstream=False))}
        hidden = {node for node in hidden if node[0] not in seen}
        return LineagePath(
            from_fqn=start.fqn,
            to_fqn=end.fqn,
            found=bool(way),
            items=[_step(one, hidden) for one in way],
            hidden=len(hidden),
            complete=found.complete,
        )

    # The walk

    async def _walked(self, place: Place, uri: str, depth: int, *, upstream: bool) -> tuple[_Found, dict[str, str]]:
        def work(uow: UnitOfWork) -> tuple[_Found, dict[str, str]]:
            self._standing(uow, place, uri)
            found = self._visited(uow, place, depth, upstream=upstream)
            return found, uow.lineage.resources_of(self.ctx.scope, {table for table, _ in found.steps})

        return await self.ctx.store.read(work)

    def _standing(self, uow: UnitOfWork, place: Place, uri: str) -> None:
        """Raises NotFound for a place that the catalog does not have on this resource."""
        if uow.lineage.resources_of(self.ctx.scope, [place.table]).get(place.table) != uri:
            raise NotFound("metadata_asset", place.fqn)

    def _meant(self, read: Iterable[ReadEdge]) -> list[ReadEdge]:
        return [
            one
            for one in read
            if (self.source is None or one.source is self.source)
            and (not self.direct_only or type_of(one.edge.subtype) is LineageType.DIRECT)
        ]

    def _visited(
        self, uow: UnitOfWork, place: Place, depth: int, *, upstream: bool, within: set[str] | None = None
    ) -> _Found:
        """Everything within so many steps, the nearest first. It ends, whatever circles there are."""
        known: dict[str, list[ReadEdge]] = {}
        read = self._read(uow, {place.table}, known, upstream=upstream)
        found = _Found(complete=read)
        front = _starts(place, known[place.table], upstream=upstream)
        starts = set(front)
        for step in range(1, depth + 1):
            found.complete &= self._read(uow, {table for table, _ in front}, known, upstream=upstream)
            further: list[Node] = []
            for one in _leaving(front, known, upstream=upstream):
                node = _far(one, upstream=upstream)
                if node in found.steps or node in starts or (within is not None and node[0] not in within):
                    continue
                if len(found.steps) == MOST_NODES:
                    found.complete = False
                    break
                found.steps[node], found.came_by[node] = step, one
                further.append(node)
            front = further
            if not front:
                break
        else:
            found.complete &= self._ends_here(uow, front, known, found, starts, upstream=upstream)
        found.direct = _passed(starts, known, upstream=upstream)
        return found

    def _ends_here(
        self,
        uow: UnitOfWork,
        front: list[Node],
        known: dict[str, list[ReadEdge]],
        found: _Found,
        starts: set[Node],
        *,
        upstream: bool,
    ) -> bool:
        """Return whether nothing lies beyond the last step."""
        whole = self._read(uow, {table for table, _ in front}, known, upstream=upstream)
        beyond = (_far(one, upstream=upstream) for one in _leaving(front, known, upstream=upstream))
        return whole and all(node in found.steps or node in starts for node in beyond)

    def _read(self, uow: UnitOfWork, tables: set[str], known: dict[str, list[ReadEdge]], *, upstream: bool) -> bool:
        """Read the edges of some tables, unless they are known; whether none was left out."""
        new = tables - known.keys()
        if not new:
            return True
        left = max(MOST_EDGES - sum(map(len, known.values())), 0)
        read = uow.lineage.edges_at(self.ctx.scope, new, upstream=upstream, at=self.at, most=left) if left else []
        known |= {table: [] for table in new}
        for one in self._meant(read):
            known[_near(one, upstream=upstream)[0]].append(one)
        return len(read) < left

    async def _readable(self, uris: Iterable[str], asked: str) -> set[str]:
        """Those of some resources whose metadata the caller may read. The one that is asked about they may: by the
        permission of the operation, which knows its type; what else the catalog describes are data connections.
        """
        others = sorted(set(uris) - {asked})
        allowed = await self.ctx.guard.allows_many(
            self.ctx.caller, Permission.CAN_READ_METADATA, "data_connection", others
        )
        return {asked} | {uri for uri, may in allowed.items() if may}


def _near(one: ReadEdge, *, upstream: bool) -> Node:
    """The end of an edge that a walk comes from."""
    return _far(one, upstream=not upstream)


def _far(one: ReadEdge, *, upstream: bool) -> Node:
    """The end of an edge that a walk leads to."""
    edge = one.edge
    return (edge.from_table, edge.from_column) if upstream else (edge.to_table, edge.to_column)


def _starts(place: Place, read: Sequence[ReadEdge], *, upstream: bool) -> list[Node]:
    """Where a walk begins: at the column, upstream also at the rows of its table; at everything of a table."""
    if place.column is None:
        own = {_near(one, upstream=upstream) for one in read} | {(place.table, "")}
        return sorted(node for node in own if node[0] == place.table)
    return [(place.table, place.column), *([(place.table, "")] if upstream else [])]


def _leaving(front: Iterable[Node], known: dict[str, list[ReadEdge]], *, upstream: bool) -> Iterable[ReadEdge]:
    wanted = set(front)
    for table in sorted({table for table, _ in wanted}):
        for one in known.get(table, ()):
            if _near(one, upstream=upstream) in wanted:
                yield one


def _passed(starts: set[Node], known: dict[str, list[ReadEdge]], *, upstream: bool) -> set[Node]:
    """The nodes that values pass to, or come from."""
    leaving: dict[Node, list[Node]] = {}
    for edges in known.values():
        for one in edges:
            if type_of(one.edge.subtype) is LineageType.DIRECT:
                leaving.setdefault(_near(one, upstream=upstream), []).append(_far(one, upstream=upstream))
    found: set[Node] = set()
    waiting = list(starts)
    while waiting:
        for node in leaving.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found


def _ends(end: Place, found: _Found) -> list[Node]:
    """The nodes of a walk that are the place, or of it, the nearest first. A column depends on its table's rows too."""
    if end.column is not None:
        nodes = [(end.table, end.column), (end.table, "")]
        return sorted((node for node in nodes if node in found.steps), key=lambda node: found.steps[node])
    nodes = [node for node in found.steps if node[0] == end.table]
    return sorted(nodes, key=lambda node: (found.steps[node], node))


def _way(found: _Found, ends: Sequence[Node]) -> list[ReadEdge]:
    """The edges to the first of some nodes, from where the walk began."""
    way: list[ReadEdge] = []
    node = ends[0] if ends else None
    while node is not None and node in found.came_by:
        edge = found.came_by[node]
        way.append(edge)
        node = _far(edge, upstream=True)
    return way[::-1]


def _step(one: ReadEdge, hidden: set[Node]) -> LineagePathStep:
    start, end = _far(one, upstream=True), _far(one, upstream=False)
    return LineagePathStep(
        from_fqn=None if start in hidden else fqn_of(start),
        to_fqn=None if end in hidden else fqn_of(end),
        type=type_of(one.edge.subtype),
        subtype=one.edge.subtype,
        source=one.source,
        statement_id=None if start in hidden or end in hidden else one.statement_id,
    )
