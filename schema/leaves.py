"""Cheaper execution of what most of an answer consists of: objects of which only plain fields are asked.

The library resolves each field of each object through a dozen calls. For an object all of whose chosen fields are
attributes and leaves, this executor does what those calls come to: read the attribute, check for null, write the leaf.
Whatever is not so plain, and whatever goes wrong, is executed by the library itself, so that every error, its path and
every null stand where the specification wants them.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from graphql import (
    GraphQLObjectType,
    Undefined,
    is_enum_type,
    is_leaf_type,
    is_non_null_type,
    is_specified_scalar_type,
)
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext
from strawberry.types.field import StrawberryField

_NO_VALUES = (Awaitable, Exception)


class Leaf(NamedTuple):
    """A plain field: what it is called in the answer, where its value is, and how that is written."""

    response_name: str
    attribute: str
    write: Callable[[Any], Any]
    required: bool


class LeafExecutor(StrawberryGraphQLCoreExecutionContext):
    """Strawberry's executor, with a short way for objects of plain leaves."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # By the identity of the set of fields, which the library makes once for each selection of a request; it is
        # kept in the value so that its identity cannot be used again.
        self._leaves_of: dict[tuple[GraphQLObjectType, int], tuple[Any, list[Leaf] | None]] = {}

    def execute_fields(
        self, parent_type: GraphQLObjectType, source_value: Any, path: Any, grouped_field_set: Any, *rest: Any
    ) -> Any:
        """Execute the fields of one object."""
        key = (parent_type, id(grouped_field_set))
        if key not in self._leaves_of:
            self._leaves_of[key] = grouped_field_set, self._leaves(parent_type, grouped_field_set)
        leaves = self._leaves_of[key][1]
        written = None if leaves is None else _written(leaves, source_value)
        if written is not None:
            return written
        return super().execute_fields(parent_type, source_value, path, grouped_field_set, *rest)

    def _leaves(self, parent_type: GraphQLObjectType, grouped_field_set: Any) -> list[Leaf] | None:
        """The chosen fields, or None unless all of them are plain."""
        leaves = []
        for response_name, details in grouped_field_set.items():
            leaf = self._leaf(parent_type, response_name, details[0].node.name.value)
            if leaf is None:
                return None
            leaves.append(leaf)
        return leaves

    def _leaf(self, parent_type: GraphQLObjectType, response_name: str, field_name: str) -> Leaf | None:
        field = parent_type.fields.get(field_name)
        definition = None if field is None else field.extensions.get("strawberry-definition")
        if field is None or not isinstance(definition, StrawberryField) or field.args:
            return None
        resolve = field.resolve
        if not getattr(resolve, "_is_default", False):  # Strawberry's mark of a field that only reads its attribute
            return None
        if self.middleware_manager and self.middleware_manager.get_field_resolver(resolve) is not resolve:
            return None
        required = is_non_null_type(field.type)
        type_: Any = field.type.of_type if required else field.type
        if not is_leaf_type(type_) or definition.default_resolver is not getattr:
            return None
        write = type_.coerce_output_value
        if not is_enum_type(type_) and not is_specified_scalar_type(type_):
            write = _refusing(write)
        return Leaf(response_name, definition.python_name, write, required)


def _refusing(write: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A scalar of ours may take any value; one that has to be awaited or raised is the library's business."""

    def written(value: Any) -> Any:
        if isinstance(value, _NO_VALUES):
            raise TypeError
        return write(value)

    return written


def _written(leaves: list[Leaf], source: Any) -> dict[str, Any] | None:
    """The object's answer, or None when the library has to find out what is wrong with it."""
    answer: dict[str, Any] = {}
    try:
        for response_name, attribute, write, required in leaves:
            value = getattr(source, attribute)
            if value is None:
                if required:
                    return None
                answer[response_name] = None
                continue
            answer[response_name] = value = write(value)
            if value is None or value is Undefined:
                return None
    except Exception:
        return None
    return answer
