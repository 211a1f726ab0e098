"""What a GraphQL request may cost: bounded before it runs, and charged like the REST calls that it replaces."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    VariableNode,
    value_from_ast_untyped,
)
from pydantic import BaseModel, Field
from strawberry.extensions import (
    AddValidationRules,
    DisableIntrospection,
    MaxAliasesLimiter,
    MaxTokensLimiter,
    ParserCache,
    QueryDepthLimiter,
    SchemaExtension,
    ValidationCache,
)

from resolvers.context import Context
from resolvers.operation import Kind, Operation


class GraphSettings(BaseModel):
    """Bounds on the graph; on by default."""

    graphql_max_depth: int = Field(12, ge=1, description="How deep a GraphQL query may nest.")
    graphql_max_aliases: int = Field(30, ge=0, description="How many aliases a GraphQL query may use.")
    graphql_max_tokens: int = Field(2000, ge=50, description="How many tokens a GraphQL query may have.")
    graphql_max_root_fields: int = Field(20, ge=1, description="How many operations one GraphQL request may call.")
    graphql_introspection: bool = Field(True, description="Whether clients may ask the graph for its schema.")
    graphql_cache_size: int = Field(256, ge=1, description="Parsed and validated queries kept in memory.")


def extensions(settings: GraphSettings) -> list[Callable[[], SchemaExtension]]:
    """The extensions of the published graph, caches included."""
    # Made once: the cache knows a validated query by its rules too, and the limiters make new ones for each request.
    rules = [
        *QueryDepthLimiter(max_depth=settings.graphql_max_depth).validation_rules,
        *MaxAliasesLimiter(max_alias_count=settings.graphql_max_aliases).validation_rules,
    ]
    chosen: list[Callable[[], SchemaExtension]] = [
        lambda: ParserCache(maxsize=settings.graphql_cache_size),
        lambda: ValidationCache(maxsize=settings.graphql_cache_size),
        lambda: AddValidationRules(rules),
        lambda: MaxTokensLimiter(max_token_count=settings.graphql_max_tokens),
        lambda: ChargeRootFields(settings.graphql_max_root_fields),
    ]
    if not settings.graphql_introspection:
        chosen.append(DisableIntrospection)
    return chosen


class ChargeRootFields(SchemaExtension):
    """Charges the caller's windows once for each root field, before anything runs."""

    def __init__(self, most: int) -> None:
        self._most = most

    async def on_execute(self) -> AsyncIterator[None]:
        """Count the operations that the request calls, and charge them."""
        context: Context = self.execution_context.context
        kinds = list(self._called())
        costs = Counter(kinds)
        await context.charge({kind.value: cost for kind, cost in costs.items()}, most=self._most)
        key = (self.execution_context.operation_extensions or {}).get("idempotencyKey")
        if key is not None:
            context.idempotency_key = str(key)  # where a client cannot set the header
        context.operations_called = len(kinds)
        yield

    def _called(self) -> Iterator[Kind]:
        """The kind of each operation that the request calls."""
        document = self.execution_context.graphql_document
        assert document is not None
        fragments = {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}
        named = self.execution_context.operation_name
        chosen = next(
            d
            for d in document.definitions
            if isinstance(d, OperationDefinitionNode) and (not named or (d.name and d.name.value == named))
        )
        root = self.execution_context.schema._schema.get_root_type(chosen.operation)
        assert root is not None
        variables = _variables(chosen, self.execution_context.variables or {})
        seen: set[str] = set()
        for field in _root_fields(chosen.selection_set, fragments, variables):
            key = field.alias.value if field.alias else field.name.value
            kind = _charge_of(root, field.name.value)
            if kind is not None and key not in seen:  # the same response key is resolved once
                seen.add(key)
                yield kind


def _root_fields(
    selection: SelectionSetNode, fragments: dict[str, FragmentDefinitionNode], variables: dict[str, Any]
) -> Iterator[FieldNode]:
    for node in selection.selections:
        if not _included(node, variables):
            continue
        if isinstance(node, FieldNode):
            yield node
        elif isinstance(node, InlineFragmentNode):
            yield from _root_fields(node.selection_set, fragments, variables)
        elif isinstance(node, FragmentSpreadNode):
            yield from _root_fields(fragments[node.name.value].selection_set, fragments, variables)


def _included(node: SelectionNode, variables: Mapping[str, Any]) -> bool:
    """Whether `@skip` and `@include` leave the node in; what cannot be told yet counts as in."""
    for directive in node.directives or ():
        name, argument = directive.name.value, next(iter(directive.arguments or ()), None)
        if argument is None or name not in ("skip", "include"):
            continue
        value = argument.value
        holds = variables.get(value.name.value) if isinstance(value, VariableNode) else getattr(value, "value", None)
        if holds is (name == "skip"):
            return False
    return True


def _variables(operation: OperationDefinitionNode, given: Mapping[str, Any]) -> dict[str, Any]:
    defaults = {
        definition.variable.name.value: value_from_ast_untyped(definition.default_value)
        for definition in operation.variable_definitions or ()
        if definition.default_value is not None
    }
    return defaults | dict(given)


def _charge_of(root: GraphQLObjectType, name: str) -> Kind | None:
    """Which window a root field is charged to: that of its operation, or the one that it names itself."""
    field = root.fields.get(name)
    definition = field.extensions.get("strawberry-definition") if field is not None else None
    if definition is None:
        return None
    operation: Operation[..., Any] | None = definition.metadata.get("operation")
    return operation.kind if operation is not None else definition.metadata.get("charges")
