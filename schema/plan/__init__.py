"""A shorter way through the execution of GraphQL, for any schema that Strawberry builds. It knows no other package.

Give `PlanExecutor` to a schema as its `execution_context_class`, and have its `create_extensions_runner` answer with a
`StepsRunner`. What they answer is what the library answers, byte for byte: they go the short way where nothing can
differ, and leave the rest, every failure included, to the library.
"""

from schema.plan.executor import PlanExecutor
from schema.plan.steps import StepsRunner

__all__ = ["PlanExecutor", "StepsRunner"]
