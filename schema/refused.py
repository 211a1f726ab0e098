"""Defines why an input was refused, in the words of the operation that it was meant for.

The library reads variables and inputs before an operation sees them, and tells what it refuses in its own way. So the
values are shown once more to the operation's own checks, in the spelling of REST: the same input is refused with the
same code, message and details at both doors.
"""

import re
from collections.abc import Iterator
from typing import Any

import orjson
from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLObjectType,
    OperationDefinitionNode,
    Undefined,
    VariableDefinitionNode,
    get_named_type,
    value_from_ast_untyped,
)
from strawberry.types import ExecutionContext

from resolvers.operation import Operation
from schema.cost import root_fields
from schema.errors import ApiError, MissingRequiredField


def refused_input(error: GraphQLError, context: ExecutionContext | None) -> ApiError | None:
    """Return what the operation says to the input that an error is about; None when it would take it."""
    if context is None or context.graphql_document is None or not error.nodes:
        return None
    node, variables = error.nodes[0], context.variables or {}
    for field, kind in _called(context, variables):
        # A field deeper in the query is no operation, even when it is called like one.
        if field is node or (isinstance(node, VariableDefinitionNode) and _uses(field, node.variable.name.value)):
            failure = None if kind is None else _refusal(field, kind, variables)
            if failure is not None:
                return failure
    return None


def _called(
    context: ExecutionContext, variables: dict[str, Any]
) -> Iterator[tuple[FieldNode, GraphQLObjectType | None]]:
    """The fields at the root of what is asked, each with the type that ought to have it."""
    document = context.graphql_document
    assert document is not None
    fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
    for chosen in document.definitions:
        if isinstance(chosen, OperationDefinitionNode) and (
            context.operation_name is None or (chosen.name and chosen.name.value == context.operation_name)
        ):
            root = context.schema._schema.get_root_type(chosen.operation)
            yield from ((field, root) for field in root_fields(chosen.selection_set, fragments, variables))


def _uses(field: FieldNode, variable: str) -> bool:
    return any(getattr(getattr(a.value, "name", None), "value", None) == variable for a in field.arguments or ())


def _refusal(node: FieldNode, root: GraphQLObjectType, variables: dict[str, Any]) -> ApiError | None:
    field = root.fields.get(node.name.value)
    definition = None if field is None else field.extensions.get("strawberry-definition")
    operation: Operation[..., Any] | None = None if definition is None else definition.metadata.get("operation")
    if field is None or operation is None:
        return None
    given: dict[str, Any] = {}
    for argument in node.arguments or ():
        known = field.args.get(argument.name.value)
        if known is None:
            return None  # the library names it, and what it was taken for
        value = value_from_ast_untyped(argument.value, variables)
        if value is not Undefined:
            given[known.extensions["strawberry-definition"].python_name] = _spelled(known.type, value)
    try:
        _show(operation, given)
    except ApiError as failure:
        return failure
    except (TypeError, ValueError):  # what no JSON body can hold
        return None
    return None


def _show(operation: Operation[..., Any], given: dict[str, Any]) -> None:
    """Check the values as REST does. Raises what it says."""
    if operation.upload is not None:
        given.pop(operation.upload.name, None)
    body = given.pop(operation.body.name, Undefined) if operation.body is not None else Undefined
    strings = {name: _text(value) for name, value in given.items() if value is not None}
    operation.parsed(strings)
    if operation.body is None:
        return
    if body is not Undefined and not (body is None and operation.body.default is None):
        operation.parsed_body(orjson.dumps(body), graph=True)
    elif operation.body.default is operation.body.empty:
        raise MissingRequiredField("A JSON body is required here.", field="body")


def snake(name: str) -> str:
    """A field as REST spells it."""
    return re.sub("(?<=.)([A-Z])", r"_\1", name).lower()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _spelled(kind: Any, value: Any) -> Any:
    """A value of the graph as REST spells it: its fields in snake case, its choices by their values."""
    kind = get_named_type(kind)
    if isinstance(value, list):
        return [_spelled(kind, item) for item in value]
    if isinstance(kind, GraphQLEnumType):
        member = kind.values.get(value) if isinstance(value, str) else None
        return value if member is None else getattr(member.value, "value", member.value)
    if isinstance(kind, GraphQLInputObjectType) and isinstance(value, dict):
        spelled = {}
        for name, item in value.items():
            known = kind.fields.get(name)
            if known is None:
                spelled[snake(name)] = item
            else:
                spelled[known.extensions["strawberry-definition"].python_name] = _spelled(known.type, item)
        return spelled
    return value
