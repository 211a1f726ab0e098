"""Defines what a query may be expected to cost, told from its text before it runs.

Each object that the answer may hold counts one, and so does each edge that is followed from each of them, and each
`__typename`. A list holds as many as its `first`, `last` or `limit` says; without one as many as it answers with
by itself, or five where that is not told. What is asked of the schema is counted exactly (`introspection.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    Undefined,
    VariableNode,
    get_named_type,
    get_nullable_type,
    is_composite_type,
    is_list_type,
    value_from_ast_untyped,
)

from schema.errors import ValidationError
from schema.introspection import INTROSPECTION, Introspection

ASSUMED: Final = 5
_SIZES: Final = ("first", "last", "limit", "perPage", "pageSize")
_LISTS: Final = ("items", "edges", "nodes")
_MOST_STEPS: Final = 20_000
_TOO_MUCH: Final = 2**53
"""Where counting stops: the largest number that every client can read."""


@dataclass(slots=True)
class Estimate:
    """The cost of one operation."""

    nodes: int = 0
    edges: int = 0
    schema: int = 0
    """How much of the cost is what is asked of the schema."""
    resolvers: int = 0
    """How many of the chosen fields are more than an attribute that is read."""
    constant: bool = True
    """Whether the document alone tells it, whatever its variables hold."""

    @property
    def cost(self) -> int:
        """Objects, and edges followed."""
        return min(self.nodes + self.edges, _TOO_MUCH)

    @classmethod
    def of(
        cls,
        schema: GraphQLSchema,
        root: GraphQLObjectType,
        operation: OperationDefinitionNode,
        fragments: dict[str, FragmentDefinitionNode],
        variables: Mapping[str, Any],
    ) -> "Estimate":
        """Estimate one operation of a valid document."""
        estimate, consulted = cls(), _Consulted(variables)
        _Walk(schema, fragments, consulted, estimate).selection(root, operation.selection_set, 1, None)
        estimate.constant = not consulted.asked
        return estimate

    def require(self, *, nodes: int, cost: int) -> None:
        """Raise ValidationError for a query that asks for too much."""
        if self.nodes > nodes:
            raise ValidationError(
                f"This query may answer with {self.nodes} objects; {nodes} is the bound. Ask for smaller lists.",
                nodes=self.nodes,
                limit=nodes,
            )
        if self.cost > cost:
            raise ValidationError(
                f"This query costs {self.cost}; {cost} is the bound. Ask for smaller lists or fewer edges.",
                cost=self.cost,
                limit=cost,
            )


class _Consulted(dict[str, Any]):
    """Variables that tell whether anybody has looked at them."""

    asked = False

    def __bool__(self) -> bool:
        return True  # that there are none is found out by looking at one

    def __contains__(self, name: object) -> bool:
        self.asked = True
        return super().__contains__(name)

    def __getitem__(self, name: str) -> Any:
        self.asked = True
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a variable."""
        self.asked = True
        return super().get(name, default)


@dataclass(slots=True)
class _Walk:
    schema: GraphQLSchema
    fragments: dict[str, FragmentDefinitionNode]
    variables: dict[str, Any]
    estimate: Estimate
    steps: int = 0
    introspection: Introspection | None = None

    def selection(self, on: Any, selection: SelectionSetNode, parents: int, size: int | None) -> None:
        """Count what is chosen on so many parents; `size` is what the field above said of the list in them."""
        for node in selection.selections:
            self.steps += 1
            if self.steps > _MOST_STEPS:  # fragments in fragments can spell out more than can be counted
                raise ValidationError("This query chooses too many fields. Use fewer fragments inside fragments.")
            if not _included(node, self.variables):
                continue
            if isinstance(node, FieldNode):
                if isinstance(on, GraphQLObjectType | GraphQLInterfaceType):
                    field = on.fields.get(node.name.value)
                    if field is not None:
                        self._field(field, node, parents, size)
                    else:
                        self._meta(node, parents)
                continue
            fragment = self.fragments[node.name.value] if isinstance(node, FragmentSpreadNode) else node
            assert isinstance(fragment, InlineFragmentNode | FragmentDefinitionNode)
            condition = fragment.type_condition
            narrowed = on if condition is None else self.schema.get_type(condition.name.value)
            self.selection(narrowed, fragment.selection_set, parents, size)

    def _meta(self, node: FieldNode, parents: int) -> None:
        """Count what every type has: `__typename`, and at the root the schema."""
        estimate = self.estimate
        if node.name.value not in INTROSPECTION:
            estimate.edges = min(estimate.edges + parents, _TOO_MUCH)
            return
        if self.introspection is None:
            self.introspection = Introspection(
                self.schema, self.fragments, lambda chosen: _included(chosen, self.variables)
            )
        name = next((value_from_ast_untyped(a.value, self.variables) for a in node.arguments or ()), None)
        objects, fields = self.introspection.of(node, name)
        estimate.nodes = min(estimate.nodes + objects, _TOO_MUCH)
        estimate.edges = min(estimate.edges + fields, _TOO_MUCH)
        estimate.schema = min(estimate.schema + objects + fields, _TOO_MUCH)

    def _field(self, field: GraphQLField, node: FieldNode, parents: int, size: int | None) -> None:
        definition = field.extensions.get("strawberry-definition")
        if getattr(definition, "base_resolver", None) is not None:
            self.estimate.edges = min(self.estimate.edges + parents, _TOO_MUCH)
            self.estimate.resolvers += 1
        inner = get_named_type(field.type)
        if node.selection_set is None or not is_composite_type(inner):
            return
        asked = self._asked(field, node)
        count = parents
        if is_list_type(get_nullable_type(field.type)):
            said = size if node.name.value in _LISTS and size is not None else asked
            count = min(parents * (ASSUMED if said is None else said), _TOO_MUCH)
        self.estimate.nodes = min(self.estimate.nodes + count, _TOO_MUCH)
        passed = size if asked is None and isinstance(inner, GraphQLUnionType) else asked
        self.selection(inner, node.selection_set, count, passed)

    def _asked(self, field: GraphQLField, node: FieldNode) -> int | None:
        """Return how many items the arguments of a field ask for."""
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        found: int | None = None
        for name in _SIZES:
            if name not in field.args:
                continue
            value = value_from_ast_untyped(given[name], self.variables) if name in given else None
            if value is None or value is Undefined:
                value = field.args[name].default_value
            if isinstance(value, int) and not isinstance(value, bool):
                found = max(min(value, _most(field, name)), found or 0, 0)
        ids = value_from_ast_untyped(given["ids"], self.variables) if "ids" in given else None
        if found is None:
            found = getattr(field.extensions.get("strawberry-definition"), "metadata", {}).get("size")
        return len(ids) if isinstance(ids, list) else found


def _most(field: GraphQLField, argument: str) -> int:
    """Return how many items an argument can ask for: beyond its bound the operation refuses it, as it does in REST."""
    operation = field.extensions["strawberry-definition"].metadata.get("operation")
    if operation is None:
        return _TOO_MUCH
    known = operation.arguments.model_fields[field.args[argument].extensions["strawberry-definition"].python_name]
    return min((bound.le for bound in known.metadata if hasattr(bound, "le")), default=_TOO_MUCH)


def root_fields(
    selection: SelectionSetNode,
    fragments: dict[str, FragmentDefinitionNode],
    variables: dict[str, Any],
    seen: set[str] | None = None,
) -> Iterator[FieldNode]:
    """The fields that a selection chooses, those of its fragments included; each fragment once, one unknown never."""
    seen = set() if seen is None else seen
    for node in selection.selections:
        if not _included(node, variables):
            continue
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, InlineFragmentNode):
            yield from root_fields(node.selection_set, fragments, variables, seen)
        elif isinstance(node, FragmentSpreadNode) and node.name.value not in seen and node.name.value in fragments:
            seen.add(node.name.value)
            yield from root_fields(fragments[node.name.value].selection_set, fragments, variables, seen)


def _included(node: SelectionNode, variables: Mapping[str, Any]) -> bool:
    """Return whether `@skip` and `@include` leave the node in; what cannot be told yet counts as in."""
    for directive in node.directives or ():
        name, argument = directive.name.value, next(iter(directive.arguments or ()), None)
        if argument is None or name not in ("skip", "include"):
            continue
        value = argument.value
        holds = variables.get(value.name.value) if isinstance(value, VariableNode) else getattr(value, "value", None)
        if holds is (name == "skip"):
            return False
    return True
