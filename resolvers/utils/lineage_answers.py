"""The end of lineage that questions make: which kept answers a change of a column or a table touches.

What a query reads was proven by the guard when it ran, and is kept with the turn. A turn is its asker's own, so of
those of others only the number is told.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from persistence.queries.answer_reads import AnswerReads, AskedQuery, answer_reads, asked_queries
from persistence.queries.lineage import Node
from persistence.queries.lineage_walks import Place, fqn_of
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.lineage import StatementLineage, lineage_of
from resolvers.engines.sql_guard.tables import Table
from resolvers.operation import operation
from resolvers.utils.lineage import Depth
from resolvers.utils.lineage_walking import Walk, parse_place
from resolvers.utils.metadata import RESOURCE, DottedName, Uri
from schema.governance.permission import Permission, TypeName
from schema.identifiers import Fqn
from schema.pagination import PageNumber, PageSize
from schema.utils.lineage_answer import AnswerEdge, LineageAnswers, ReachedAnswer
from schema.utils.lineage_kind import type_of

MOST_ANSWERS: Final = 1000
"""The latest answers that are looked at, of the caller and of everybody else."""
MOST_EDGES: Final = 100
LONGEST_QUESTION: Final = 1000


@dataclass(frozen=True, slots=True)
class Touched:
    """An answer with what it reads of what would change: each node with the steps to it."""

    answer: AnswerReads
    nodes: Mapping[Node, int]

    @property
    def steps(self) -> int:
        """The steps to the nearest of them."""
        return min(self.nodes.values())


@operation(needs=Permission.CAN_READ_METADATA, on=RESOURCE)
async def get_lineage_answers(
    ctx: Context,
    *,
    resource_type: TypeName,
    resource_uri: Uri,
    fqn: DottedName,
    depth: Depth = 50,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> LineageAnswers:
    """Say which kept answers a change of a column or a table touches: what their queries read is it, or depends on it.

    The caller's own are shown, each with what it reads and how its columns depend on that; those of others are counted
    in `hidden`. An answer is kept as long as its turn.
    """
    place = parse_place(fqn)
    walk = Walk(ctx)
    found, resources = await walk.walked(place, resource_uri, depth, upstream=False)

    def work(uow: UnitOfWork) -> tuple[tuple[list[AnswerReads], bool], tuple[list[AnswerReads], bool]]:
        user, read = ctx.caller.user_id, uow.connection
        return (
            answer_reads(read, ctx.scope, user, own=True, most=MOST_ANSWERS),
            answer_reads(read, ctx.scope, user, own=False, most=MOST_ANSWERS),
        )

    (own, all_own), (others, all_others) = await ctx.store.read(work)
    mine = touched(place, found.steps, own)
    uris = {*resources.values(), *(one.answer.resource_uri for one in mine)}
    readable = await walk.readable(uris, resource_uri)
    shown = sorted(
        (one for one in mine if one.answer.resource_uri in readable),
        key=lambda one: (one.steps, -one.answer.answered_at.timestamp(), one.answer.turn_id),
    )
    window = shown[(page - 1) * limit : page * limit]
    ids = [one.answer.turn_id for one in window]
    asked = await ctx.store.read(lambda uow: asked_queries(uow.connection, ctx.scope, ids, LONGEST_QUESTION))
    # A turn may have been deleted meanwhile.
    standing = [one for one in window if one.answer.turn_id in asked]
    items = await asyncio.to_thread(lambda: [_told(one, asked[one.answer.turn_id]) for one in standing])
    return LineageAnswers(
        fqn=place.fqn,
        items=items,
        total=len(shown),
        hidden=len(mine) - len(shown) + len(touched(place, found.steps, others)),
        complete=found.complete and all_own and all_others,
    )


def touched(place: Place, reached: Mapping[Node, int], answers: Sequence[AnswerReads]) -> list[Touched]:
    """Those of some answers that read a place, or what a walk from it has reached."""
    found: list[Touched] = []
    for one in answers:
        nodes: dict[Node, int] = {}
        for table, columns in one.tables.items():
            for node in ((table, ""), *((table, column) for column in columns)):
                if table == place.table and place.column in (None, node[1] or None):
                    nodes[node] = 0
                elif node in reached:
                    nodes[node] = reached[node]
        if nodes:
            found.append(Touched(one, nodes))
    return found


def _told(one: Touched, asked: AskedQuery) -> ReachedAnswer:
    lineage = _lineage(one.answer, asked)
    whole = {table for table, column in one.nodes if not column}
    edges = [
        AnswerEdge(
            from_fqn=fqn_of((edge.from_table, edge.from_column)),
            to_column=edge.to_column or None,
            type=type_of(edge.subtype),
            subtype=edge.subtype,
        )
        for edge in lineage.edges
        if (edge.from_table, edge.from_column) in one.nodes or edge.from_table in whole
    ]
    return ReachedAnswer(
        turn_id=one.answer.turn_id,
        session_id=asked.session_id,
        question=asked.question,
        resource_uri=one.answer.resource_uri,
        answered_at=one.answer.answered_at,
        steps=one.steps,
        reads=sorted(fqn_of(node) for node in one.nodes),
        edges=edges[:MOST_EDGES],
        understood=asked.sql is not None and not lineage.gaps,
    )


def _lineage(answer: AnswerReads, asked: AskedQuery) -> StatementLineage:
    """How the columns of an answer depend on those that its query names."""
    if asked.sql is None:
        return StatementLineage()
    tables: list[Table] = []
    for fqn, columns in answer.tables.items():
        _, database, schema, name = Fqn.parse(fqn).parts
        tables.append(Table(fqn, database, schema, name, tuple(columns)))
    return lineage_of(asked.sql, dialect=asked.dialect or "duckdb", tables=tables)
