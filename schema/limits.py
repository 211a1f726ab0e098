"""Defines what a GraphQL request may cost: bounded before it runs, and charged like the REST calls that it replaces."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from graphql import (
    FragmentDefinitionNode,
    GraphQLObjectType,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    execute_sync,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension

from auth.rate_limit import CallKind
from resolvers.context import Context
from resolvers.operation import Operation
from schema.checked import CheckDocument, CheckedDocuments, Judged
from schema.cost import Estimate, root_fields
from schema.errors import ValidationError
from schema.graph_bounds import NULLS, ON_ERROR, PROPAGATES, GraphSettings
from schema.introspection import A_READ, APART
from schema.values import holds_several, require_values

_AT_ONCE: Final = 1000
"""How much of the schema is answered without going to another thread for it."""


def extensions(settings: GraphSettings) -> list[Callable[[], SchemaExtension]]:
    """The extensions of the published graph, caches included."""
    documents = CheckedDocuments(settings)
    return [lambda: CheckDocument(documents), lambda: ChargeRootFields(settings, documents)]


class ChargeRootFields(SchemaExtension):
    """Charges the caller's windows once for each root field, before anything runs."""

    def __init__(self, settings: GraphSettings, documents: CheckedDocuments) -> None:
        self._settings, self._documents = settings, documents
        self._estimate: Estimate | None = None

    async def on_execute(self) -> AsyncIterator[None]:
        """Estimate what the request costs, count the operations that it calls, and charge them."""
        context: Context = self.execution_context.context
        judged = await self._judged()
        estimate, settings = judged.estimate, self._settings
        self._estimate, of_schema = estimate, estimate.schema
        estimate.require(nodes=settings.graphql_max_nodes, cost=settings.graphql_max_cost)
        if judged.calls and of_schema > APART:
            raise ValidationError("Ask for the schema in a request of its own.", cost=of_schema, limit=APART)
        context.catalog_only = judged.catalog_only
        await context.charge(judged.costs, most=settings.graphql_max_root_fields)
        if of_schema >= A_READ:
            await context.charge({CallKind.READ.value: of_schema // A_READ}, most=of_schema)
        said = self.execution_context.operation_extensions or {}
        if said.get(ON_ERROR, PROPAGATES) not in (NULLS, PROPAGATES):
            raise ValidationError(f"{ON_ERROR} is {NULLS} or {PROPAGATES}.", field=f"extensions.{ON_ERROR}")
        key = said.get("idempotencyKey")
        if key is not None:
            context.idempotency_key = str(key)  # where a client cannot set the header
        context.operations_called = judged.calls
        if not judged.calls and of_schema > _AT_ONCE and judged.operation.operation is OperationType.QUERY:
            await self._answer_apart()
        yield

    async def _judged(self) -> Judged:
        """Tell what the operation costs and what it calls. Raises ValidationError for variables that hold too much."""
        execution, documents = self.execution_context, self._documents
        schema, text, name = execution.schema._schema, execution.query or "", execution._provided_operation_name
        given, known = execution.variables or {}, documents.judged(schema, text, name)
        if known is not None and not holds_several(given):
            return known
        async with documents.turns():
            chosen = self._chosen() if known is None else known.operation
            variables = _variables(chosen, given)
            require_values(schema, chosen, variables)
            if known is not None:
                return known
            found = self._judge(schema, chosen, variables)
            documents.judge(schema, text, name, found)
            return found

    def _judge(self, schema: GraphQLSchema, chosen: OperationDefinitionNode, variables: dict[str, Any]) -> Judged:
        root, fragments = schema.get_root_type(chosen.operation), self._fragments()
        assert root is not None
        estimate = Estimate.of(schema, root, chosen, fragments, variables)
        charged = list(self._charged(root, chosen, fragments, variables))
        catalog_only = estimate.resolvers == len(charged) and all(one.catalog_only for one in charged)
        costs = dict(Counter(one.kind.value for one in charged))
        return Judged(chosen, estimate, costs, len(charged), catalog_only)

    async def _answer_apart(self) -> None:
        """Answer what is asked of the schema, which touches nothing else, in a thread and one at a time."""
        context = self.execution_context
        assert context.graphql_document is not None
        async with self._documents.schema_turns():
            context.result = await asyncio.to_thread(
                execute_sync,
                context.schema._schema,
                context.graphql_document,
                variable_values=context.variables,
                operation_name=context.operation_name,
            )

    def get_results(self) -> dict[str, Any]:
        """Return what the answer says about its cost."""
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

    def _charged(
        self,
        root: GraphQLObjectType,
        chosen: OperationDefinitionNode,
        fragments: dict[str, FragmentDefinitionNode],
        variables: dict[str, Any],
    ) -> Iterator["_Charged"]:
        """Each operation that the request calls."""
        seen: set[str] = set()
        for field in root_fields(chosen.selection_set, fragments, variables):
            key = field.alias.value if field.alias else field.name.value
            charged = _charge_of(root, field.name.value)
            if charged is not None and key not in seen:  # the same response key is resolved once
                seen.add(key)
                yield charged


class _Charged(NamedTuple):
    """A root field that is charged: to which window, and whether it is answered of the catalog alone."""

    kind: CallKind
    catalog_only: bool


def _variables(operation: OperationDefinitionNode, given: Mapping[str, Any]) -> dict[str, Any]:
    defaults = {
        definition.variable.name.value: value_from_ast_untyped(definition.default_value)
        for definition in operation.variable_definitions or ()
        if definition.default_value is not None
    }
    return defaults | dict(given)


def _charge_of(root: GraphQLObjectType, name: str) -> _Charged | None:
    """Return which window a root field is charged to: that of its operation, or the one that it names itself."""
    field = root.fields.get(name)
    definition = field.extensions.get("strawberry-definition") if field is not None else None
    if definition is None:
        return None
    operation: Operation[..., Any] | None = definition.metadata.get("operation")
    if operation is not None:
        return _Charged(operation.kind, operation.catalog_only)
    kind, listed = definition.metadata.get("charges"), definition.metadata.get("connects")
    return None if kind is None else _Charged(kind, listed is not None and listed.catalog_only)
