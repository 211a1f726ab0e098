"""A shorter way through the execution of GraphQL, for any schema that Strawberry builds. It knows no other package.

Give `PlanExecutor` to a schema as its `execution_context_class`. What it answers is what the library answers, byte for
byte: it goes the short way where nothing can differ, and leaves the rest, every failure included, to the library.
"""

from schema.plan.executor import PlanExecutor

__all__ = ["PlanExecutor"]
