"""What a resolver is given: variables and arguments of one field, read by steps that a document tells once.

The library looks at each definition of a variable and of an argument in every request, and Strawberry at the Python
type of each. Most of both always comes to the same: a text that is a text stands as it is, a literal is its value, an
argument that is left out has its default. What is more than that is read by the library's own functions, at the moment
that they would be asked. Whatever does not fit raises `Unfit`: the library then reads it anew, and tells what is wrong.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from graphql import (
    FieldNode,
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLError,
    GraphQLField,
    GraphQLID,
    GraphQLSchema,
    GraphQLString,
    ListValueNode,
    ObjectValueNode,
    Undefined,
    VariableDefinitionNode,
    VariableNode,
    is_leaf_type,
    is_non_null_type,
    is_required_argument,
)
from graphql.execution.get_variable_signature import GraphQLVariableSignature, get_variable_signature
from graphql.execution.values import VariableValues, VariableValueSource, input_is_nested_too_deeply
from graphql.utilities.coerce_input_value import coerce_default_value, coerce_input_literal, coerce_input_value
from strawberry.relay.types import GlobalID
from strawberry.types.arguments import StrawberryArgument, convert_argument
from strawberry.types.base import StrawberryMaybe, StrawberryOptional
from strawberry.types.field import StrawberryField

from schema.plan.projection import Unfit

_AS_IT_STANDS: Final[dict[Any, type]] = {GraphQLString: str, GraphQLID: str, GraphQLBoolean: bool}
"""Scalars that take a value of this very class without a change."""

_Given = Callable[[VariableValues], Any]
"""What an argument has been given; `Undefined` where it was left out and has no default."""


class Variables:
    """The variables of an operation."""

    def __init__(self, signatures: list[GraphQLVariableSignature]) -> None:
        self._signatures = [(one, one.name, _AS_IT_STANDS.get(_inner(one.type))) for one in signatures]

    @classmethod
    def of(cls, schema: GraphQLSchema, definitions: Iterable[VariableDefinitionNode]) -> "Variables":
        """Read their definitions. Raises Unfit."""
        found = [get_variable_signature(schema, one) for one in definitions]
        signatures = [one for one in found if not isinstance(one, GraphQLError)]
        if len(signatures) < len(found):
            raise Unfit
        return cls(signatures)

    def __call__(self, sent: Mapping[str, Any]) -> VariableValues:
        """The values of a request. Raises Unfit, and whatever the library raises."""
        sources: dict[str, VariableValueSource] = {}
        coerced: dict[str, Any] = {}
        for signature, name, plain in self._signatures:
            value = sent.get(name, Undefined)
            sources[name] = VariableValueSource(signature, value)
            if value.__class__ is plain:
                coerced[name] = value
                continue
            if value is Undefined:
                if signature.default is not None:
                    coerced[name] = coerce_default_value(signature)
                    continue
                if not is_non_null_type(signature.type):
                    continue
            if input_is_nested_too_deeply(value, signature.type):
                raise Unfit
            coerced[name] = coerce_input_value(value, signature.type)
            if coerced[name] is Undefined:
                raise Unfit
        return VariableValues(sources, coerced)


class _Argument(NamedTuple):
    """One argument of a field."""

    name: str
    """As the document spells it."""
    python_name: str
    given: _Given
    type: Any
    """What Strawberry has to make a value of; None where it stays as the library gives it."""


class Arguments:
    """The arguments of one field as it stands in a document."""

    def __init__(self, field: GraphQLField, definition: StrawberryField, node: FieldNode, converter: Any) -> None:
        """Find out how each argument is read. Raises Unfit."""
        nodes = {one.name.value: one for one in node.arguments or ()}
        known = {converter.config.name_converter.from_argument(one): one for one in definition.arguments}
        if not field.args.keys() >= nodes.keys() or field.args.keys() != known.keys():
            raise Unfit
        self._arguments = [
            _Argument(
                name,
                known[name].python_name,
                _given(argument, nodes[name].value if name in nodes else None),
                _made_of(argument, known[name]),
            )
            for name, argument in field.args.items()
        ]
        self._converter = converter

    def __call__(self, variables: VariableValues, info: Any) -> dict[str, Any]:
        """What the resolver is given. Raises Unfit, and whatever the library raises."""
        named: dict[str, Any] = {}
        for name, python_name, given, type_ in self._arguments:
            value = given(variables)
            if value is Undefined:
                continue
            if type_ is not None:
                value = convert_argument(
                    value, type_, self._converter.scalar_registry, self._converter.config, info, path=(name,)
                )
            named[python_name] = value
        return named


def _given(argument: GraphQLArgument, node: Any) -> _Given:
    """How the library gets at the value of an argument. Raises Unfit for what it refuses."""
    if argument.out_name is not None or (node is None and is_required_argument(argument)):
        raise Unfit
    if node is None:
        default = coerce_default_value(argument)
        return lambda _: default
    if isinstance(node, VariableNode):
        return _of_variable(argument, node.name.value)
    if isinstance(node, ListValueNode | ObjectValueNode) or not is_leaf_type(_inner(argument.type)):
        return lambda variables: _fit(coerce_input_literal(node, argument.type, variables))
    value = _fit(coerce_input_literal(node, argument.type))
    if not isinstance(value, str | int | float | bool | Enum | None):  # an object could be changed by whoever gets it
        return lambda _: _fit(coerce_input_literal(node, argument.type))
    return lambda _: value


def _of_variable(argument: GraphQLArgument, name: str) -> _Given:
    default = Undefined if is_required_argument(argument) else coerce_default_value(argument)
    nullable, required = not is_non_null_type(argument.type), is_required_argument(argument)

    def given(variables: VariableValues) -> Any:
        value = variables.coerced.get(name, Undefined)
        if value is Undefined and not required:
            return default
        if value is Undefined or (value is None and not nullable):
            raise Unfit
        return value

    return given


def _made_of(argument: GraphQLArgument, known: StrawberryArgument) -> Any:
    """The type that Strawberry makes a value of; None where it is a leaf, which it hands on."""
    type_ = known.type
    if isinstance(type_, StrawberryMaybe) or not is_leaf_type(_inner(argument.type)):
        return type_
    inner: Any = type_.of_type if isinstance(type_, StrawberryOptional) else type_
    return type_ if inner is GlobalID or isinstance(inner, StrawberryMaybe) else None


def _inner(type_: Any) -> Any:
    return type_.of_type if is_non_null_type(type_) else type_


def _fit(value: Any) -> Any:
    if value is Undefined:
        raise Unfit
    return value
