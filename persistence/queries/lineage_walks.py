"""Walks over edges of lineage, in bounded work. What of it a caller may see is for those who walk."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from persistence.queries.lineage import LineageRepository, Node, ReadEdge
from persistence.repository import Scope
from schema.identifiers import Fqn
from schema.utils.lineage import LineageImpact, LineageImpactedTable, LineageSource
from schema.utils.lineage_kind import LineageType, type_of

MOST_NODES: Final = 10_000
"""Nodes that one walk visits."""
MOST_EDGES: Final = 200_000
"""Edges that one walk reads."""
DEEPEST: Final = 50
MOST_COLUMNS: Final = 500
"""Columns that an impact names of one table."""


@dataclass(frozen=True, slots=True)
class Place:
    """A column or a table, as a caller names it."""

    table: str
    column: str | None

    @property
    def fqn(self) -> str:
        """Its dotted name."""
        return fqn_of((self.table, self.column or ""))


def fqn_of(node: Node) -> str:
    """The dotted name of a node; that of the table, where its rows are meant."""
    table, column = node
    return str(Fqn.parse(table).child(column)) if column else table


def place_of(fqn: Fqn) -> Place | None:
    """The table or column of a dotted name; None for one that names neither."""
    parts = fqn.parts
    if len(parts) not in (4, 5):
        return None
    return Place(str(Fqn(parts[:4])), parts[4] if len(parts) == 5 else None)


@dataclass(slots=True)
class Found:
    """What a walk visited."""

    steps: dict[Node, int] = field(default_factory=dict)
    direct: set[Node] = field(default_factory=set)
    came_by: dict[Node, ReadEdge] = field(default_factory=dict)
    complete: bool = True


@dataclass(slots=True)
class Walker:
    """Walks over lineage as it stands at a time. What it has read serves all of its walks in one direction."""

    lineage: LineageRepository
    scope: Scope
    at: datetime | None = None
    source: LineageSource | None = None
    direct_only: bool = False
    _known: dict[str, list[ReadEdge]] = field(default_factory=dict)
    _cut: set[str] = field(default_factory=set)
    """Tables of which a bound has left edges out."""

    def meant(self, read: Iterable[ReadEdge]) -> list[ReadEdge]:
        """Those of some edges that are followed."""
        return [
            one
            for one in read
            if (self.source is None or one.source is self.source)
            and (not self.direct_only or type_of(one.edge.subtype) is LineageType.DIRECT)
        ]

    def visited(self, place: Place, depth: int, *, upstream: bool, within: set[str] | None = None) -> Found:
        """Everything within so many steps, the nearest first. It ends, whatever circles there are."""
        known = self._known
        read = self._read({place.table}, upstream=upstream)
        found = Found(complete=read)
        front = starts(place, known[place.table], upstream=upstream)
        begun = set(front)
        for step in range(1, depth + 1):
            found.complete &= self._read({table for table, _ in front}, upstream=upstream)
            further: list[Node] = []
            for one in _leaving(front, known, upstream=upstream):
                node = far(one, upstream=upstream)
                if node in found.steps or node in begun or (within is not None and node[0] not in within):
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
            found.complete &= self._ends_here(front, found, begun, upstream=upstream)
        found.direct = _passed(begun, known, upstream=upstream)
        return found

    def _ends_here(self, front: list[Node], found: Found, begun: set[Node], *, upstream: bool) -> bool:
        """Return whether nothing lies beyond the last step."""
        whole = self._read({table for table, _ in front}, upstream=upstream)
        known = self._known
        beyond = (far(one, upstream=upstream) for one in _leaving(front, known, upstream=upstream))
        return whole and all(node in found.steps or node in begun for node in beyond)

    def _read(self, tables: Collection[str], *, upstream: bool) -> bool:
        """Read the edges of some tables, unless they are known; whether none was left out."""
        known = self._known
        new = set(tables) - known.keys()
        if not new:
            return self._cut.isdisjoint(tables)
        left = max(MOST_EDGES - sum(map(len, known.values())), 0)
        read = self.lineage.edges_at(self.scope, new, upstream=upstream, at=self.at, most=left) if left else []
        known |= {table: [] for table in new}
        for one in self.meant(read):
            known[near(one, upstream=upstream)[0]].append(one)
        if len(read) >= left:
            self._cut |= new
        return self._cut.isdisjoint(tables)

    def read_around(self, tables: Collection[str], depth: int, *, upstream: bool) -> None:
        """Read what walks from some tables come by, in a statement for each step and not for each walk."""
        front = set(tables)
        for _ in range(depth + 1):
            new = front - self._known.keys()
            if not new or len(self._known) > MOST_NODES:
                return
            self._read(new, upstream=upstream)
            front = {far(one, upstream=upstream)[0] for table in new for one in self._known[table]}


def impact_of(
    place: Place, found: Found, resources: Mapping[str, str], readable: Collection[str], *, offset: int, limit: int
) -> LineageImpact:
    """Return what a walk downstream has visited, table by table, as somebody may see it who may read some resources."""
    tables = tables_of(found, without=place.table)
    shown = [one for one in tables if resources.get(one[0]) in readable]
    items = [
        LineageImpactedTable(
            table_fqn=table,
            resource_uri=resources[table],
            steps=steps,
            columns=columns[:MOST_COLUMNS],
            rows=(table, "") in found.steps,
        )
        for table, steps, columns in shown[offset : offset + limit]
    ]
    return LineageImpact(
        fqn=place.fqn,
        items=items,
        total=len(shown),
        hidden=len(tables) - len(shown),
        complete=found.complete,
    )


def tables_of(found: Found, *, without: str) -> list[tuple[str, int, list[str]]]:
    """The tables that a walk has visited, the nearest first: each with the steps to it, and its columns, sorted."""
    tables: dict[str, list[Node]] = {}
    for node in found.steps:
        if node[0] != without:
            tables.setdefault(node[0], []).append(node)
    nearest = {table: min(found.steps[node] for node in nodes) for table, nodes in tables.items()}
    return [
        (table, nearest[table], sorted(column for _, column in tables[table] if column))
        for table in sorted(tables, key=lambda table: (nearest[table], table))
    ]


def near(one: ReadEdge, *, upstream: bool) -> Node:
    """The end of an edge that a walk comes from."""
    return far(one, upstream=not upstream)


def far(one: ReadEdge, *, upstream: bool) -> Node:
    """The end of an edge that a walk leads to."""
    edge = one.edge
    return (edge.from_table, edge.from_column) if upstream else (edge.to_table, edge.to_column)


def starts(place: Place, read: Sequence[ReadEdge], *, upstream: bool) -> list[Node]:
    """Where a walk begins: at the column, upstream also at the rows of its table; at everything of a table."""
    if place.column is None:
        own = {near(one, upstream=upstream) for one in read} | {(place.table, "")}
        return sorted(node for node in own if node[0] == place.table)
    return [(place.table, place.column), *([(place.table, "")] if upstream else [])]


def _leaving(front: Iterable[Node], known: dict[str, list[ReadEdge]], *, upstream: bool) -> Iterable[ReadEdge]:
    wanted = set(front)
    for table in sorted({table for table, _ in wanted}):
        for one in known.get(table, ()):
            if near(one, upstream=upstream) in wanted:
                yield one


def _passed(starts: set[Node], known: dict[str, list[ReadEdge]], *, upstream: bool) -> set[Node]:
    """The nodes that values pass to, or come from."""
    leaving: dict[Node, list[Node]] = {}
    for edges in known.values():
        for one in edges:
            if type_of(one.edge.subtype) is LineageType.DIRECT:
                leaving.setdefault(near(one, upstream=upstream), []).append(far(one, upstream=upstream))
    found: set[Node] = set()
    waiting = list(starts)
    while waiting:
        for node in leaving.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.append(node)
    return found
