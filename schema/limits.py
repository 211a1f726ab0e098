"""What a GraphQL request may cost: bounded before it runs, and charged like the REST calls that it replaces."""

from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from graphql import (
    FragmentDefinitionNode,
    GraphQLObjectType,
    OperationDefinitionNode,
    value_from_ast_untyped,
)
from strawberry.extensions import (
    AddValidationRules,
    DisableIntrospection,
    MaxTokensLimiter,
    ParserCache,
    SchemaExtension,
    ValidationCache,
)

from resolvers.context import Context
from resolvers.operation import Kind, Operation
from schema.cost import Estimate, root_fields
from schema.errors import ValidationError
from schema.graph_bounds import GraphSettings
from schema.shape import shape_rule


def extensions(settings: GraphSettings) -> list[Callable[[], SchemaExtension]]:
    """The extensions of the published graph, caches included."""
    # Made once: the cache knows a validated query by its rules too, and would never find one made for each request.
    rules = [shape_rule(max_depth=settings.graphql_max_depth, max_aliases=settings.graphql_max_aliases)]
    chosen: list[Callable[[], SchemaExtension]] = [
        lambda: ParserCache(maxsize=settings.graphql_cache_size),
        lambda: ValidationCache(maxsize=settings.graphql_cache_size),
        lambda: AddValidationRules(rules),
        lambda: MaxTokensLimiter(max_token_count=settings.graphql_max_tokens),
        lambda: ChargeRootFields(settings),
    ]
    if not settings.graphql_introspection:
        chosen.append(DisableIntrospection)
    return chosen


class ChargeRootFields(SchemaExtension):
    """Charges the caller's windows once for each root field, before anything runs."""

    def __init__(self, settings: GraphSettings) -> None:
        self._settings = settings
        self._estimate: Estimate | None = None

    async def on_execute(self) -> AsyncIterator[None]:
        """Estimate what the request costs, count the operations that it calls, and charge them."""
        context: Context = self.execution_context.context
        chosen = self._chosen()
        fragments = self._fragments()
        variables = _variables(chosen, self.execution_context.variables or {})
        root = self.execution_context.schema._schema.get_root_type(chosen.operation)
        assert root is not None
        settings = self._settings
        self._estimate = Estimate.of(self.execution_context.schema._schema, root, chosen, fragments, variables)
        self._estimate.require(nodes=settings.graphql_max_nodes, cost=settings.graphql_max_cost)
        kinds = list(self._called(root, chosen, fragments, variables))
        costs = Counter(kinds)
        await context.charge({kind.value: cost for kind, cost in costs.items()}, most=settings.graphql_max_root_fields)
        key = (self.execution_context.operation_extensions or {}).get("idempotencyKey")
        if key is not None:
            context.idempotency_key = str(key)  # where a client cannot set the header
        context.operations_called = len(kinds)
        yield

    def get_results(self) -> dict[str, Any]:
        """What the answer says about its cost."""
        if self._estimate is None:
            return {}
        settings = self._settings
        return {
            "cost": {
                "requested": self._estimate.cost,
                "limit": settings.graphql_max_cost,
                "nodes": self._estimate.nodes,
                "nodesLimit": settings.graphql_max_nodes,
            }
        }

    def _fragments(self) -> dict[str, FragmentDefinitionNode]:
        document = self.execution_context.graphql_document
        assert document is not None
        return {d.name.value: d for d in document.definitions if isinstance(d, FragmentDefinitionNode)}

    def _chosen(self) -> OperationDefinitionNode:
        """The operation to carry out. Raises ValidationError when there are several and none is named."""
        document = self.execution_context.graphql_document
        assert document is not None
        operations = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
        named = self.execution_context._provided_operation_name
        if named is None and len(operations) > 1:
            names = ", ".join(d.name.value for d in operations if d.name)
            raise ValidationError(
                f"This document has several operations. Name one with operationName: {names}.", field="operationName"
            )
        return next(d for d in operations if named is None or (d.name and d.name.value == named))

    def _called(
        self,
        root: GraphQLObjectType,
        chosen: OperationDefinitionNode,
        fragments: dict[str, FragmentDefinitionNode],
        variables: dict[str, Any],
    ) -> Iterator[Kind]:
        """The kind of each operation that the request calls."""
        seen: set[str] = set()
        for field in root_fields(chosen.selection_set, fragments, variables):
            key = field.alias.value if field.alias else field.name.value
            kind = _charge_of(root, field.name.value)
            if kind is not None and key not in seen:  # the same response key is resolved once
                seen.add(key)
                yield kind


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
