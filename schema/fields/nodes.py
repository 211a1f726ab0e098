"""Entities by their global id, whatever their type and service."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Union

import strawberry

from auth.rate_limit import CallKind
from resolvers.entities import ENTITIES
from schema.base import Info
from schema.errors import InvalidParameter, Unauthenticated
from schema.node import decode

MOST_NODES = 100
_BY_NAME = {model.__name__: entity for model, entity in ENTITIES.items()}

if TYPE_CHECKING:
    Node = Any
else:
    Node = Annotated[
        Union[tuple(sorted(ENTITIES, key=lambda model: model.__name__))],  # noqa: UP007 (made of a list)
        strawberry.union("Node", description="A resource that can be read again by its nodeId."),
    ]


async def _read(info: Info, ids: list[strawberry.ID], field: str) -> list[Any]:
    """The entities in the order of their ids; null for what is not there or not for the caller."""
    if info.context.caller.anonymous:
        raise Unauthenticated("Send an access token: Authorization: Bearer <token>.")
    named = [decode(str(id)) for id in ids]
    wanted: dict[str, dict[str, None]] = {}
    for name, key in named:
        if name not in _BY_NAME or not key:
            raise InvalidParameter("This is no nodeId that this service answered with.", field=field)
        wanted.setdefault(name, {})[key] = None
    reads = [_BY_NAME[name].read(info.context, list(keys)) for name, keys in wanted.items()]
    found = dict(zip(wanted, await asyncio.gather(*reads), strict=True))
    return [found[name].get(key) for name, key in named]


async def _node(
    info: Info, id: Annotated[strawberry.ID, strawberry.argument(description="The nodeId of the entity.")]
) -> Node | None:
    (found,) = await _read(info, [id], "id")
    return found


async def _nodes(
    info: Info,
    ids: Annotated[list[strawberry.ID], strawberry.argument(description="The nodeIds, 100 at most.")],
) -> list[Node | None]:
    if len(ids) > MOST_NODES:
        raise InvalidParameter(f"ids takes {MOST_NODES} at most; this names {len(ids)}.", field="ids")
    if len(ids) > 1:  # the field itself was charged as one read
        await info.context.charge({CallKind.READ.value: len(ids) - 1}, most=MOST_NODES)
    return await _read(info, ids, "ids")


@strawberry.type(name="Query")
class NodesQuery:
    """Entities by their global id."""

    node: Node | None = strawberry.field(
        resolver=_node,
        description="Get an entity by its nodeId; null when it does not exist or the caller may not read it.",
        metadata={"charges": CallKind.READ},
    )
    nodes: list[Node | None] = strawberry.field(
        resolver=_nodes,
        description="Get many entities by their nodeIds, in their order, with null where `node` answers null. "
        "Each is charged as one read; those of one type are read at once.",
        metadata={"charges": CallKind.READ},
    )
