"""Defines how many values the variables of a request hold that the library takes up one by one."""

from collections.abc import Mapping
from typing import Any, Final

from graphql import (
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    OperationDefinitionNode,
    is_input_type,
    type_from_ast,
)

from schema.errors import ValidationError

MOST_VALUES: Final = 100_000
"""A thousand entities of a hundred values each; what stands inside of a JSON value is not counted."""


def holds_several(given: Mapping[str, Any]) -> bool:
    """Return whether a variable is more than one value."""
    return any(isinstance(value, list | dict) for value in given.values())


def require_values(schema: GraphQLSchema, operation: OperationDefinitionNode, given: Mapping[str, Any]) -> None:
    """Raise ValidationError for variables that would keep the library busy."""
    waiting: list[tuple[Any, Any]] = []
    for definition in operation.variable_definitions or ():
        kind = type_from_ast(schema, definition.type)
        if is_input_type(kind):
            waiting.append((kind, given.get(definition.variable.name.value)))
    counted = len(waiting)
    while waiting:
        kind, value = waiting.pop()
        if isinstance(kind, GraphQLNonNull):
            kind = kind.of_type
        if isinstance(kind, GraphQLList) and isinstance(value, list):
            counted += len(value)
            if counted <= MOST_VALUES:
                waiting.extend((kind.of_type, item) for item in value)
        elif isinstance(kind, GraphQLList):
            waiting.append((kind.of_type, value))
        elif isinstance(kind, GraphQLInputObjectType) and isinstance(value, dict):
            counted += len(value)
            if counted <= MOST_VALUES:
                waiting.extend((kind.fields[name].type, item) for name, item in value.items() if name in kind.fields)
        if counted > MOST_VALUES:
            raise ValidationError(
                f"The variables hold more than {MOST_VALUES} values. Send them in several requests.", field="variables"
            )
