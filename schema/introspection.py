"""Defines what a question about the schema costs: counted exactly, because the schema is known before it is asked.

Every object of the answer counts one, and so does every field of it. What a selection comes to on one type is counted
once, however often the answer holds it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    SelectionSetNode,
)

from schema.errors import ValidationError

INTROSPECTION: Final = frozenset({"__schema", "__type"})
A_READ: Final = 10_000
"""How much of the schema is charged as one read."""
APART: Final = 10_000
"""How much of the schema may be asked for beside operations."""
_MOST_STEPS: Final = 50_000
_TOO_MUCH: Final = 2**53


@dataclass(slots=True)
class Introspection:
    """Counts the objects and the fields of answers about one schema."""

    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    included: Callable[[Any], bool]
    steps: int = 0
    _chosen: dict[int, tuple[int, list[FieldNode]]] = field(default_factory=dict)
    _known: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)

    def of(self, node: FieldNode, type_name: Any) -> tuple[int, int]:
        """Objects and fields of `__schema`, or of `__type` with a name. Raises ValidationError for endless ones."""
        if node.selection_set is None:
            return 0, 0
        on = self.schema if node.name.value == "__schema" else self.schema.type_map.get(str(type_name))
        return (0, 0) if on is None else self._one(on, node.selection_set)

    def _one(self, on: Any, selection: SelectionSetNode) -> tuple[int, int]:
        key = (id(on), id(selection))
        if key in self._known:
            return self._known[key]
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise ValidationError("This query asks for too much of the schema. Ask for fewer fields of it.")
        if id(selection) not in self._chosen:
            self._chosen[id(selection)] = self._fields(selection)
        fields, nested = self._chosen[id(selection)]
        objects = 1
        for node in nested:
            assert node.selection_set is not None
            for child in _children(self.schema, on, node.name.value):
                below = self._one(child, node.selection_set)
                objects, fields = min(objects + below[0], _TOO_MUCH), min(fields + below[1], _TOO_MUCH)
        self._known[key] = objects, fields
        return objects, fields

    def _fields(self, selection: SelectionSetNode) -> tuple[int, list[FieldNode]]:
        """Return how many fields a selection chooses, those of its fragments included, and those of them that have
        fields.
        """
        chosen, nested = 0, []
        waiting, seen = [selection], set()
        while waiting:
            for node in waiting.pop().selections:
                self.steps += 1
                if not self.included(node):
                    continue
                if isinstance(node, FieldNode):
                    chosen += 1
                    if node.selection_set is not None:
                        nested.append(node)
                elif not isinstance(node, FragmentSpreadNode):
                    waiting.append(node.selection_set)  # type: ignore[attr-defined]
                elif node.name.value not in seen and node.name.value in self.fragments:
                    seen.add(node.name.value)
                    waiting.append(self.fragments[node.name.value].selection_set)
        return chosen, nested


def _children(schema: GraphQLSchema, on: Any, name: str) -> Iterable[Any]:
    """The objects that a field of the schema's own description leads to."""
    if isinstance(on, GraphQLSchema):
        roots = {"queryType": on.query_type, "mutationType": on.mutation_type, "subscriptionType": on.subscription_type}
        if name in roots:
            return [] if roots[name] is None else [roots[name]]
        return on.type_map.values() if name == "types" else on.directives if name == "directives" else ()
    if name == "type":
        return [on.type]
    if name == "ofType":
        return [on.of_type] if hasattr(on, "of_type") else ()
    if name == "args":
        return list(on.args.values())
    if name == "enumValues":
        return on.values.values() if isinstance(on, GraphQLEnumType) else ()
    if name == "inputFields":
        return on.fields.values() if isinstance(on, GraphQLInputObjectType) else ()
    if name == "fields":
        return on.fields.values() if isinstance(on, GraphQLObjectType | GraphQLInterfaceType) else ()
    if name == "interfaces":
        return on.interfaces if isinstance(on, GraphQLObjectType | GraphQLInterfaceType) else ()
    if name == "possibleTypes" and isinstance(on, GraphQLInterfaceType | GraphQLUnionType):
        return schema.get_possible_types(on)
    return ()
