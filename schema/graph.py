"""The graph: the fields of every service (`schema/fields/`), and how its errors are told."""

import functools
import logging
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import strawberry
from graphql import GraphQLError
from strawberry.exceptions import MissingQueryError, StrawberryInputCoercionError
from strawberry.extensions import SchemaExtension
from strawberry.pydantic import InputValidationError
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.schema.types.base_scalars import wrap_parser
from strawberry.types import ExecutionContext, ExecutionResult
from strawberry.types.execution import PreExecutionError
from strawberry.types.graphql import OperationType
from strawberry.utils.str_converters import to_camel_case

from schema.base import LONG, Long
from schema.errors import ApiError, InternalError, InvalidRequest
from schema.fields.assets import AssetsMutation, AssetsQuery
from schema.fields.data_readiness import DataReadinessMutation, DataReadinessQuery, DataReadinessSubscription
from schema.fields.governance import GovernanceMutation, GovernanceQuery
from schema.fields.nodes import NodesQuery
from schema.fields.search import SearchMutation, SearchQuery
from schema.fields.talk2data import Talk2DataMutation, Talk2DataQuery, Talk2DataSubscription
from schema.fields.utils import UtilsMutation, UtilsQuery, UtilsSubscription
from schema.fields.viewer import ViewerQuery
from schema.graph_bounds import GraphSettings
from schema.limits import extensions
from schema.plan import PlanExecutor, StepsRunner, execute_planned
from schema.problems import body_problems
from schema.refused import refused_input, snake

log = logging.getLogger("stoa.graphql")

_FIELD: Final = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)*")
"""The name of an argument, or of a field in it; a header, say, is none."""

MOST_ERRORS = 100
"""How many errors an answer tells."""
MOST_MESSAGE = 1000
"""How many letters of an error's message are told."""


@strawberry.type(description="Everything that can be read.")
class Query(
    GovernanceQuery,
    AssetsQuery,
    UtilsQuery,
    DataReadinessQuery,
    SearchQuery,
    Talk2DataQuery,
    NodesQuery,
    ViewerQuery,
):
    """Everything that can be read."""


@strawberry.type(description="Everything that can be changed.")
class Mutation(
    GovernanceMutation, AssetsMutation, UtilsMutation, DataReadinessMutation, SearchMutation, Talk2DataMutation
):
    """Everything that can be changed."""


@strawberry.type(description="Everything that can be followed as it happens.")
class Subscription(Talk2DataSubscription, DataReadinessSubscription, UtilsSubscription):
    """Everything that can be followed as it happens."""


class Graph(strawberry.Schema):
    """The schema, whose errors carry the catalogue's code and hide what is unexpected."""

    async def execute(self, *args: Any, allowed_operation_types: Any = None, **how: Any) -> ExecutionResult:
        """Carry out a query or mutation. A subscription needs a transport that streams, and so `stream`."""
        allowed = set(OperationType) if allowed_operation_types is None else set(allowed_operation_types)
        allowed -= {OperationType.SUBSCRIPTION}
        return await super().execute(*args, **how, allowed_operation_types=allowed)  # type: ignore[misc]

    def create_extensions_runner(
        self, execution_context: ExecutionContext, extensions: list[SchemaExtension]
    ) -> StepsRunner:
        """Run the hooks of extensions the short way."""
        return StepsRunner(execution_context, extensions)

    def _get_execute_function(self) -> Callable[..., Any]:
        """Carry out by plans."""
        return execute_planned

    async def stream(self, *args: Any, **how: Any) -> Any:
        """Carry out any operation as a stream of answers; what fails before it runs is an answer too."""
        return self._answers(await super().stream(*args, **how))

    async def _answers(self, results: Any) -> AsyncGenerator[Any, None]:
        try:
            async with aclosing(results):
                async for result in results:
                    yield result
        except (GraphQLError, ApiError) as failure:
            error = failure if isinstance(failure, GraphQLError) else GraphQLError("", original_error=failure)
            self.process_errors([error])
            yield PreExecutionError(data=None, errors=[error])

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Give every error its code, status and details; mask and log what is no failure of the catalogue.

        The first of many are told, and how many more there are.
        """
        if (more := len(errors) - MOST_ERRORS) > 0:
            errors[MOST_ERRORS:] = [GraphQLError(f"{more} more errors are not shown.")]
        for error in errors:
            failure = _as_api_error(error, execution_context)
            if failure is not None:
                error.message = failure.message
                error.extensions = failure.extensions | _argument(failure)
                # What is shown is the catalogue's error; keeping it lets the HTTP door see a 401 or 429.
                error.original_error = failure
            elif not error.extensions:
                error.extensions = {"code": "VALIDATION_ERROR", "status": 400, "details": {}}
            if len(error.message) > MOST_MESSAGE:  # it repeats what was sent
                error.message = f"{error.message[:MOST_MESSAGE]}…"


def _as_api_error(error: GraphQLError, context: ExecutionContext | None) -> ApiError | None:
    """The catalogue error behind a GraphQL error; None for an error of the query text itself."""
    original = error.original_error
    while isinstance(original, GraphQLError) and original.original_error is not None:
        original = original.original_error
    if isinstance(original, ApiError):
        return original
    if original is None or isinstance(original, GraphQLError | StrawberryInputCoercionError):
        told = refused_input(error, context)
        if told is not None:
            return told
    if isinstance(original, InputValidationError):
        found = ((p.type, p.location[1:] or p.location, p.message) for p in original.errors)
        return body_problems((type_, map(_snake, where), message) for type_, where, message in found)
    if original is None or isinstance(original, GraphQLError | StrawberryInputCoercionError):
        return None
    if isinstance(original, CannotGetOperationTypeError | InvalidOperationTypeError | MissingQueryError):
        return InvalidRequest(f"{error.message.rstrip('.')}.")
    log.error("unexpected failure in the graph", exc_info=original)
    return InternalError("An unexpected error occurred. The log has it under this request id.")


def _argument(failure: ApiError) -> dict[str, str]:
    """What is wrong as the graph spells it, beside `details.field`, which both doors spell alike."""
    field = failure.details.get("field")
    if not isinstance(field, str) or not _FIELD.fullmatch(field):
        return {}
    return {"argument": ".".join(map(to_camel_case, field.split(".")))}


def _snake(part: object) -> object:
    """A field as REST and the arguments' own checks spell it, so that `details` reads the same at both doors."""
    return snake(part) if isinstance(part, str) else part


def _zulu(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")  # the spelling REST uses


def build_graph(settings: GraphSettings | None = None) -> Graph:
    """The published graph with the given bounds. Building takes long, so equal bounds share one."""
    return _graph(bounds_of(settings or GraphSettings()))


def bounds_of(settings: GraphSettings) -> str:
    """Return what a graph is built by, of settings that may hold more: JSON that `GraphSettings` reads."""
    return settings.model_dump_json(include=set(GraphSettings.model_fields))


@functools.lru_cache(maxsize=8)
def _graph(bounds: str) -> Graph:
    return Graph(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        execution_context_class=PlanExecutor,
        extensions=extensions(GraphSettings.model_validate_json(bounds)),
        config=StrawberryConfig(
            scalar_map={
                Long: LONG,
                datetime: strawberry.scalar(
                    name="DateTime",
                    description="A moment in ISO 8601, such as 2026-01-31T12:00:00Z.",
                    serialize=_zulu,
                    parse_value=wrap_parser(str, "DateTime"),  # operations read it, alike at both doors
                ),
                UUID: strawberry.scalar(
                    name="UUID",
                    description="A UUID, such as 3fa85f64-5717-4562-b3fc-2c963f66afa6.",
                    serialize=str,
                    parse_value=wrap_parser(str, "UUID"),
                ),
            }
        ),
    )
