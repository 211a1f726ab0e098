"""Verified queries go first: an example that a steward has validated answers its question, whoever drafts the others.

The planner looks for examples by itself. A language model is only shown them, and may answer otherwise.
"""

import asyncio
from collections.abc import Sequence

from resolvers.engines.nl2sql.drafter import by_example
from resolvers.engines.nl2sql.model import Asked, Drafter, DraftFailure, Knowledge, Lookup, Outcome
from resolvers.engines.nl2sql.model_drafter import Link
from resolvers.engines.nl2sql.planner.exemplars import Example, example_for
from schema.utils.memory import MemoryType, ValidationStatus


class VerifiedFirst:
    """A drafter that answers with verified queries where there are any, and else lets another one draft."""

    def __init__(self, drafter: Drafter, link: Link) -> None:
        self._drafter, self._link, self.name = drafter, link, drafter.name

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """The verified query, or the best way to answer."""
        example = await asyncio.to_thread(self._verified, asked, known, lookup)
        return by_example(example) if example is not None else await self._drafter.draft(asked, known, lookup)

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup) -> Outcome:
        """Another way, after those that failed."""
        return await self._drafter.repair(asked, known, failures, lookup)

    def _verified(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Example | None:
        """The verified query that fits. Words are linked, which may ask the source, only where there can be one."""
        if not any(
            one.memory_type is MemoryType.EXEMPLAR and one.quality.validation_status is ValidationStatus.VALIDATED
            for one in known.memories
        ):
            return None
        example = example_for(self._link(asked, known, lookup), known)
        return example if example is not None and example.is_validated else None
