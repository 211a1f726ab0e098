"""Walks over lineage as one caller may see it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from persistence.queries.lineage import Node, ReadEdge
from persistence.queries.lineage_walks import (
    DEEPEST,
    MOST_EDGES,
    Found,
    Place,
    Walker,
    far,
    fqn_of,
    impact_of,
    near,
    place_of,
    starts,
)
from persistence.store import UnitOfWork
from resolvers.context import Context
from schema.errors import InvalidParameter, NotFound
from schema.governance.permission import Permission
from schema.identifiers import parse_fqn
from schema.pagination import Page
from schema.utils.lineage import (
    LineageDirection,
    LineageEdge,
    LineageImpact,
    LineageNode,
    LineagePath,
    LineagePathStep,
    LineageReach,
    LineageSource,
)
from schema.utils.lineage_kind import type_of


def parse_place(text: str, *, field: str = "fqn") -> Place:
    """Read the dotted name of a table or a column. Raises InvalidParameter."""
    place = place_of(parse_fqn(text, field=field))
    if place is None:
        raise InvalidParameter(f"{field} names a table or a column: four or five dotted parts.", field=field)
    return place


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
        """Return what can be reached, as the caller may see it."""
        upstream = direction is LineageDirection.UPSTREAM
        found, resources = await self.walked(place, uri, depth, upstream=upstream)
        readable = await self.readable(resources.values(), uri)
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
        found, resources = await self.walked(place, uri, depth, upstream=False)
        readable = await self.readable(resources.values(), uri)
        return impact_of(place, found, resources, readable, offset=offset, limit=limit)

    async def edges(
        self, place: Place, uri: str, direction: LineageDirection, *, offset: int, limit: int
    ) -> Page[LineageEdge]:
        """The edges at one place, of which the caller may read the other end."""
        upstream = direction is LineageDirection.UPSTREAM

        def work(uow: UnitOfWork) -> tuple[list[ReadEdge], dict[str, str]]:
            self._standing(uow, place, uri)
            read = uow.lineage.edges_at(self.ctx.scope, [place.table], upstream=upstream, at=self.at, most=MOST_EDGES)
            begun = set(starts(place, read, upstream=upstream))
            read = [one for one in self._walker(uow).meant(read) if near(one, upstream=upstream) in begun]
            ends = [far(one, upstream=upstream)[0] for one in read]
            return read, uow.lineage.resources_of(self.ctx.scope, ends)

        read, resources = await self.ctx.store.read(work)
        readable = await self.readable(resources.values(), uri)
        shown = [one for one in read if resources.get(far(one, upstream=upstream)[0]) in readable]
        items = [
            LineageEdge(
                from_fqn=fqn_of(far(one, upstream=True)),
                to_fqn=fqn_of(far(one, upstream=False)),
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

        def work(uow: UnitOfWork) -> tuple[Found, dict[str, str], str | None]:
            self._standing(uow, start, uri)
            found = self._walker(uow).visited(start, DEEPEST, upstream=False)
            tables = {table for table, _ in found.steps} | {start.table, end.table}
            resources = uow.lineage.resources_of(self.ctx.scope, tables)
            return found, resources, resources.get(end.table)

        found, resources, there = await self.ctx.store.read(work)
        readable = await self.readable(resources.values(), uri)
        if there not in readable:
            raise NotFound("metadata_asset", end.fqn)
        seen = {table for table, one in resources.items() if one in readable}
        through = await self.ctx.store.read(
            lambda uow: self._walker(uow).visited(start, DEEPEST, upstream=False, within=seen)
        )
        ends = [node for node in _ends(end, found) if node in through.steps]
        way = _way(through, ends) or _way(found, _ends(end, found))
        hidden = {node for edge in way for node in (far(edge, upstream=True), far(edge, upstream=False))}
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

    async def walked(self, place: Place, uri: str, depth: int, *, upstream: bool) -> tuple[Found, dict[str, str]]:
        """Return what a walk visits, and the resource of each of its tables, whoever may read them."""

        def work(uow: UnitOfWork) -> tuple[Found, dict[str, str]]:
            self._standing(uow, place, uri)
            found = self._walker(uow).visited(place, depth, upstream=upstream)
            return found, uow.lineage.resources_of(self.ctx.scope, {table for table, _ in found.steps})

        return await self.ctx.store.read(work)

    def _walker(self, uow: UnitOfWork) -> Walker:
        return Walker(uow.lineage, self.ctx.scope, self.at, self.source, self.direct_only)

    def _standing(self, uow: UnitOfWork, place: Place, uri: str) -> None:
        """Raises NotFound for a place that the catalog does not have on this resource."""
        if uow.lineage.resources_of(self.ctx.scope, [place.table]).get(place.table) != uri:
            raise NotFound("metadata_asset", place.fqn)

    async def readable(self, uris: Iterable[str], asked: str) -> set[str]:
        """Return those of some resources whose metadata the caller may read.

        The one that is asked about they may: by the permission of the operation, which knows its type. What else the
        catalog describes are data connections.
        """
        others = sorted(set(uris) - {asked})
        allowed = await self.ctx.guard.allows_many(
            self.ctx.caller, Permission.CAN_READ_METADATA, "data_connection", others
        )
        return {asked} | {uri for uri, may in allowed.items() if may}


def _ends(end: Place, found: Found) -> list[Node]:
    """The nodes of a walk that are the place, or of it, the nearest first. A column depends on its table's rows too."""
    if end.column is not None:
        nodes = [(end.table, end.column), (end.table, "")]
        return sorted((node for node in nodes if node in found.steps), key=lambda node: found.steps[node])
    nodes = [node for node in found.steps if node[0] == end.table]
    return sorted(nodes, key=lambda node: (found.steps[node], node))


def _way(found: Found, ends: Sequence[Node]) -> list[ReadEdge]:
    """The edges to the first of some nodes, from where the walk began."""
    way: list[ReadEdge] = []
    node = ends[0] if ends else None
    while node is not None and node in found.came_by:
        edge = found.came_by[node]
        way.append(edge)
        node = far(edge, upstream=True)
    return way[::-1]


def _step(one: ReadEdge, hidden: set[Node]) -> LineagePathStep:
    start, end = far(one, upstream=True), far(one, upstream=False)
    return LineagePathStep(
        from_fqn=None if start in hidden else fqn_of(start),
        to_fqn=None if end in hidden else fqn_of(end),
        type=type_of(one.edge.subtype),
        subtype=one.edge.subtype,
        source=one.source,
        statement_id=None if start in hidden or end in hidden else one.statement_id,
    )
