"""Plans: a query of which every root field can be told from its document is carried out without the library's executor.

A plan knows, for each root field, what calls its resolver with which arguments, and the projection that writes what it
gives (`projection.py`). It is made when a document is met the second time, and covers queries whose root fields have an
ordinary resolver and lead to leaves, plain objects or lists of them, whatever aliases, fragments and `@skip` there are.
Anything else is executed by the library from the beginning.

What a plan has called is not called again: where a resolver has failed, or gave what a projection does not take, the
library executes the document over what was given so far, so that every error, its path and every null are its own.
"""

from asyncio import gather
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple, cast

from graphql import (
    DocumentNode,
    ExecutionResult,
    FragmentDefinitionNode,
    GraphQLObjectType,
    GraphQLSchema,
    Node,
    OperationDefinitionNode,
    OperationType,
    VariableNode,
    execute,
    get_named_type,
    is_leaf_type,
)
from graphql.execution import MiddlewareManager
from graphql.execution.collect_fields import collect_fields
from graphql.execution.values import VariableValues
from graphql.pyutils import Path
from strawberry.types.field import StrawberryField

from schema.plan.arguments import Arguments, Variables
from schema.plan.executor import PlanExecutor
from schema.plan.projection import LARGEST, MOST_FIELDS, Unfit

MOST_OPERATIONS: Final = 250
"""Operations that are remembered of one schema, each with the document that it stands in."""

MOST_WAYS: Final = 8
"""Plans of one operation, of which `@skip` and `@include` choose by its variables."""

_PLANS: Final = "plans"
"""Under which name a schema keeps its own among its extensions."""

_RESOLVERS: Final = frozenset(
    f"GraphQLCoreConverter.from_resolver.<locals>.{name}" for name in ("_resolver", "_async_resolver")
)
"""What Strawberry puts around a resolver, which a plan does without. Whatever else stands there the library calls."""


class _Failed(Exception):
    """Stands for what a resolver raised; no projection takes an exception."""

    def __init__(self, failure: Exception) -> None:
        super().__init__()
        self.failure = failure


class _Root(NamedTuple):
    """One root field of a plan."""

    response_name: str
    definition: StrawberryField | None
    """None for `__typename`."""
    info: Any
    """The library's, without what differs between requests; the name of the type for `__typename`."""
    arguments: Callable[[VariableValues, Any], dict[str, Any]] | None
    write: Callable[[Any], Any]


class _Request(NamedTuple):
    """What differs between the requests of one document."""

    root_value: Any
    context: Any
    extensions: Any
    again: Callable[..., Any]
    """Has the library execute the document; called with a `middleware`."""
    is_awaitable: Callable[[Any], bool]


class Plan:
    """How one operation of a document is carried out."""

    def __init__(self, roots: list[_Root], info_class: Any, size: int) -> None:
        self._roots, self._info_class, self.size = roots, info_class, size

    def calls(self, variables: VariableValues, request: _Request) -> list[Callable[[], Any]]:
        """Find out what every resolver is called with. Raises what the library raises, which is the one to tell it."""
        return [self._call(root, variables, request) for root in self._roots]

    def _call(self, root: _Root, variables: VariableValues, request: _Request) -> Callable[[], Any]:
        if root.definition is None or root.arguments is None:
            return lambda: root.info
        raw = root.info._replace(
            root_value=request.root_value,
            variable_values=variables.coerced,
            context=request.context,
            operation_extensions=request.extensions,
        )
        info = self._info_class(_raw_info=raw, _field=root.definition)
        named = root.arguments(variables, info)
        resolver: Any = root.definition.base_resolver
        for parameter in (resolver.parent_parameter, resolver.root_parameter):
            if parameter is not None:
                named[parameter.name] = request.root_value
        if resolver.info_parameter is not None:
            named[resolver.info_parameter.name] = info
        if resolver.self_parameter:
            return partial(resolver.wrapped_func, request.root_value, **named)
        return partial(resolver.wrapped_func, **named)

    def carried_out(self, calls: list[Callable[[], Any]], request: _Request) -> Any:
        """Answer, at once where nothing has to be awaited, as the library does.

        Where something is wrong, the library goes on from there: it calls the resolvers that were not called.
        """
        given: dict[str, Any] = {}
        written: dict[str, Any] = {}
        waiting: list[_Root] = []
        for root, call in zip(self._roots, calls, strict=True):
            try:
                value = given[root.response_name] = call()
                if request.is_awaitable(value):
                    waiting.append(root)
                    value = None
                else:
                    value = root.write(value)
                written[root.response_name] = value
            except Exception as failure:
                given.setdefault(root.response_name, _Failed(failure))
                return request.again(middleware=_Given(given))
        return self._awaited(waiting, given, written, request) if waiting else ExecutionResult(written, None)

    async def _awaited(
        self, waiting: list[_Root], given: dict[str, Any], written: dict[str, Any], request: _Request
    ) -> ExecutionResult:
        if len(waiting) == 1:
            outcomes = [await _outcome(given[waiting[0].response_name])]
        else:
            outcomes = await gather(*(_outcome(given[root.response_name]) for root in waiting))
        given.update(zip((root.response_name for root in waiting), outcomes, strict=True))
        try:
            for root in waiting:
                written[root.response_name] = root.write(given[root.response_name])
        except Exception:
            again = request.again(middleware=_Given(given))
            answer = await again if request.is_awaitable(again) else again
            assert isinstance(answer, ExecutionResult)
            return answer
        return ExecutionResult(written, None)


class _Given(MiddlewareManager):
    """Has the library resolve root fields to what their resolvers gave, or raised, before."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self._values = values

    def get_field_resolver(self, field_resolver: Any) -> Any:
        """Stand before a resolver."""

        def resolve(source: Any, info: Any, /, **arguments: Any) -> Any:
            if info.path.prev is not None or info.path.key not in self._values:
                return field_resolver(source, info, **arguments)
            value = self._values[info.path.key]
            if isinstance(value, _Failed):
                raise value.failure
            return value

        return resolve


async def _outcome(value: Any) -> Any:
    try:
        return await value
    except Exception as failure:
        return _Failed(failure)


class _Operation:
    """One operation of a document, and its plans."""

    def __init__(self, document: DocumentNode) -> None:
        self.document = document  # kept, so that its identity cannot be used again
        self.met, self.size = 0, 0
        self.plans: dict[tuple[Any, ...], Plan | None] = {}
        self._covered = False

    def looked_at(self, schema: GraphQLSchema, name: str | None) -> bool:
        """Meet it once more, and say whether it may have plans: the first time it is not looked at."""
        self.met += 1
        if self.met == 2:
            with suppress(Unfit):
                self._look(schema, name)
                self._covered = True
        return self._covered

    def _look(self, schema: GraphQLSchema, name: str | None) -> None:
        """Find what every plan of it rests on. Raises Unfit."""
        operations = [one for one in self.document.definitions if isinstance(one, OperationDefinitionNode)]
        chosen = [one for one in operations if name is None or (one.name is not None and one.name.value == name)]
        fragments = [one for one in self.document.definitions if isinstance(one, FragmentDefinitionNode)]
        if len(chosen) != 1 or chosen[0].operation is not OperationType.QUERY or chosen[0].directives:
            raise Unfit
        if any(one.variable_definitions for one in fragments):
            raise Unfit
        self.node = chosen[0]
        self.variables = Variables.of(schema, self.node.variable_definitions or ())
        self._deciders = tuple(sorted(set(_deciders([self.node.selection_set, *fragments]))))

    def way(self, variables: VariableValues) -> tuple[Any, ...]:
        """What decides which fields are chosen."""
        return tuple(variables.coerced.get(name) for name in self._deciders)


def _deciders(nodes: list[Node]) -> Iterator[str]:
    """The variables that directives name."""
    waiting: list[Any] = list(nodes)
    while waiting:
        node = waiting.pop()
        for directive in getattr(node, "directives", None) or ():
            if directive.name.value not in ("skip", "include"):
                raise Unfit
            for argument in directive.arguments or ():
                if isinstance(argument.value, VariableNode):
                    yield argument.value.name.value
        selection = getattr(node, "selection_set", None)
        waiting.extend(getattr(node, "selections", ()))
        if selection is not None:
            waiting.append(selection)


class Plans:
    """The plans of one schema."""

    def __init__(self, schema: GraphQLSchema) -> None:
        made = getattr(schema, "_strawberry_schema", None)
        self.schema, self._converter = schema, getattr(made, "schema_converter", None)
        self._covered = (
            self._converter is not None
            and not getattr(made, "exception_handlers", ())
            and schema.get_directive("defer") is None
            and schema.get_directive("stream") is None
        )
        self._kept: OrderedDict[tuple[int, str | None], _Operation] = OrderedDict()
        self._size = 0

    def operation(self, document: DocumentNode, name: str | None) -> _Operation | None:
        """What is known of an operation; None the first time, and where there can be no plan."""
        if not self._covered:
            return None
        key = (id(document), name)
        known = self._kept.get(key)
        if known is None:
            known = self._kept[key] = _Operation(document)
            self._bound()
        else:
            self._kept.move_to_end(key)
        return known if known.looked_at(self.schema, name) else None

    def plan(self, operation: _Operation, way: tuple[Any, ...], build: Callable[[], Any]) -> Plan | None:
        """The plan of one way, made when it is first asked for; `build` makes an executor of the library."""
        if way in operation.plans or len(operation.plans) >= MOST_WAYS:
            return operation.plans.get(way)
        operation.plans[way] = plan = self._tried(operation, build)
        if plan is not None:
            operation.size += plan.size
            self._size += plan.size
            self._bound()
        return plan

    def _tried(self, operation: _Operation, build: Callable[[], Any]) -> Plan | None:
        executor = build()
        try:
            return None if isinstance(executor, list) else self._made(executor, operation)
        except Unfit:
            return None

    def _bound(self) -> None:
        while len(self._kept) > MOST_OPERATIONS or (self._size > MOST_FIELDS and len(self._kept) > 1):
            self._size -= self._kept.popitem(last=False)[1].size

    def _made(self, executor: PlanExecutor, operation: _Operation) -> Plan:
        root_type = self.schema.query_type
        assert root_type is not None
        assert self._converter is not None
        fields, deferred, _ = collect_fields(
            self.schema, executor.fragments, executor.variable_values, root_type, operation.node
        )
        if deferred or not fields:
            raise Unfit
        roots, size = [], 0
        for response_name, details in fields.items():
            root, wide = self._root(executor, root_type, response_name, details, LARGEST - size)
            roots.append(root)
            size += wide
        executor.variable_values = VariableValues({}, {})  # the plan keeps it, and nothing of the request
        return Plan(roots, self._converter.config.info_class, size)

    def _root(
        self, executor: PlanExecutor, root_type: GraphQLObjectType, response_name: str, details: Any, most: int
    ) -> tuple[_Root, int]:
        node = details[0].node
        if node.name.value == "__typename":
            return _Root(response_name, None, root_type.name, None, lambda name: name), 1
        field = root_type.fields.get(node.name.value)
        definition = None if field is None else field.extensions.get("strawberry-definition")
        if field is None or definition is None or not _only_resolves(field, definition):
            raise Unfit
        inner = get_named_type(field.type)
        shape = None
        if isinstance(inner, GraphQLObjectType) and inner.is_type_of is None:
            below, deferred, _ = executor.collect_subfields(inner, details)
            shape = None if deferred else executor._shape(inner, below, most)
        if shape is None and not is_leaf_type(inner):
            raise Unfit
        nodes = [one.node for one in details]
        info: Any = executor.build_resolve_info(field, nodes, root_type, Path(None, response_name, root_type.name))
        info = info._replace(variable_values={}, context=None, root_value=None, operation_extensions=None)
        write = executor._projections.written(field.type, shape)
        arguments = Arguments(field, definition, node, self._converter)
        return _Root(response_name, definition, info, arguments, write), 1 if shape is None else shape.size + 1


def _only_resolves(field: Any, definition: Any) -> bool:
    """Whether what a field gives is what its resolver gives, and nothing stands between."""
    return (
        isinstance(definition, StrawberryField)
        and definition.base_resolver is not None
        and not definition.extensions
        and callable(definition.base_resolver.wrapped_func)
        and type(definition).get_result is StrawberryField.get_result
        and getattr(getattr(field.resolve, "__code__", None), "co_qualname", None) in _RESOLVERS
    )


def plans_of(schema: GraphQLSchema) -> Plans:
    """The plans of a schema, which are kept with it."""
    known = schema.extensions.get(_PLANS)
    if known is None or known.schema is not schema:  # extensions go with a schema into what is made of it
        known = schema.extensions[_PLANS] = Plans(schema)
    return cast("Plans", known)


def execute_planned(schema: GraphQLSchema, document: DocumentNode, **how: Any) -> Any:
    """Execute a document as the library's `execute` does, by a plan where there is one."""

    def again(**changed: Any) -> Any:
        return execute(schema, document, **how | changed)

    middleware, executor_class = how.get("middleware"), how.get("executor_class")
    watched = middleware is not None and getattr(middleware, "middlewares", middleware)
    if watched or executor_class is None or not issubclass(executor_class, PlanExecutor):
        return again()
    plans = plans_of(schema)
    operation = plans.operation(document, how.get("operation_name"))
    if operation is None:
        return again()
    try:
        variables = operation.variables(how.get("variable_values") or {})
        plan = plans.plan(operation, operation.way(variables), lambda: _blank(schema, document, how))
        if plan is None:
            return again()
        root_value, context, said = (how.get(name) for name in ("root_value", "context_value", "operation_extensions"))
        request = _Request(root_value, context, said, again, how["is_awaitable"])
        calls = plan.calls(variables, request)
    except Exception:
        return again()
    return plan.carried_out(calls, request)


def _blank(schema: GraphQLSchema, document: DocumentNode, how: Mapping[str, Any]) -> Any:
    """An executor of the library that knows of the request nothing but its variables, or a list of errors."""
    return how["executor_class"].build(
        schema,
        document,
        raw_variable_values=how.get("variable_values"),
        operation_name=how.get("operation_name"),
        is_awaitable=how["is_awaitable"],
        is_async_iterable=how.get("is_async_iterable"),
    )
