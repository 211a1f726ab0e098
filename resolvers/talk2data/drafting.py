"""Who drafts the queries of a project's answers."""

from persistence.jobs import JobError
from resolvers.context import Context
from resolvers.engines.nl2sql.model import Drafter
from resolvers.talk2data.answer_settings import AnswerSettings


async def drafter_of(ctx: Context, settings: AnswerSettings) -> Drafter:
    """The drafter that the project has chosen, or the planner. Raises JobError when it cannot work."""
    if ctx.services.drafter is not None:
        return ctx.services.drafter
    raise JobError("The engine that answers questions is not part of this version. The question was kept.")
