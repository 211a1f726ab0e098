"""What a query will read of the objects of a list, told to the resolver that fetches them: it needs no more."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any, Final
from weakref import WeakKeyDictionary

from graphql import (
    FieldNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    InlineFragmentNode,
    get_named_type,
)

from schema.plan.projection import LARGEST, Projections

MOST_NODES: Final = 1000
"""Fields of parsed documents whose answer is remembered, for one schema."""

_Found = frozenset[str] | None
_FOUND: WeakKeyDictionary[GraphQLSchema, OrderedDict[int, tuple[Any, _Found]]] = WeakKeyDictionary()


def attributes_read(info: GraphQLResolveInfo[Any], field: str, projections: Projections) -> _Found:
    """The attributes that are read of the objects in a field of what is being resolved.

    None when something else than reading attributes is chosen of them. What a directive may leave out is among them,
    and what is chosen of objects further down is not.
    """
    node = info.field_nodes[0]
    kept = _FOUND.setdefault(info.schema, OrderedDict())
    one = len(info.field_nodes) == 1
    if one and (known := kept.get(id(node))) is not None:
        return known[1]
    found = _read(info, field, projections)
    if one:
        kept[id(node)] = (node, found)  # kept, so that its identity cannot be used again
        if len(kept) > MOST_NODES:
            kept.popitem(last=False)
    return found


def _read(info: GraphQLResolveInfo[Any], field: str, projections: Projections) -> _Found:
    outer = get_named_type(info.return_type)
    if not isinstance(outer, GraphQLObjectType) or field not in outer.fields:
        return None
    inner = get_named_type(outer.fields[field].type)
    if not isinstance(inner, GraphQLObjectType):
        return None
    attributes: set[str] = set()
    lists = [node for node in _fields(info, info.field_nodes) if node.name.value == field]
    for number, node in enumerate(_fields(info, lists)):
        plain = projections.plain(inner, node.name.value)
        if plain is None or number > LARGEST:
            return None
        if plain.attribute is not None:
            attributes.add(plain.attribute)
    return frozenset(attributes)


def _fields(info: GraphQLResolveInfo[Any], nodes: Iterable[FieldNode]) -> Iterator[FieldNode]:
    """The fields that are chosen below some, through every fragment, each of which is looked into once."""
    seen: set[str] = set()
    waiting: list[Any] = [node.selection_set for node in nodes if node.selection_set is not None]
    while waiting:
        for selection in waiting.pop().selections:
            if isinstance(selection, FieldNode):
                yield selection
            elif isinstance(selection, InlineFragmentNode):
                waiting.append(selection.selection_set)
            elif isinstance(selection, FragmentSpreadNode) and selection.name.value not in seen:
                seen.add(selection.name.value)
                waiting.append(info.fragments[selection.name.value].selection_set)
