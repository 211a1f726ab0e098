"""A shorter way through the execution of GraphQL, for any schema that Strawberry builds. It knows no other package.

Give `PlanExecutor` to a schema as its `execution_context_class`, have its `_get_execute_function` answer with
`execute_planned`, and its `create_extensions_runner` with a `StepsRunner`. What they answer is what the library
answers, byte for byte: they go the short way where nothing can differ, and leave the rest, every failure included, to
the library.
"""

from typing import Any

from schema.plan.executor import PlanExecutor, projections_of
from schema.plan.operations import execute_planned
from schema.plan.projection import ENUM, Read
from schema.plan.steps import StepsRunner
from schema.plan.wanted import attributes_read

__all__ = ["ENUM", "PlanExecutor", "Read", "StepsRunner", "execute_planned", "read_in"]


def read_in(info: Any, field: str) -> frozenset[str] | None:
    """The attributes that a query reads of the objects in a field of what a resolver is about to give.

    `info` is the library's own (`GraphQLResolveInfo`). None when anything but reading attributes is chosen of them.
    """
    return attributes_read(info, field, projections_of(info.schema)[0])
