"""Operations on feedback: rate a turn, and rate it again."""

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.talk2data.answering.learning import count_help, learn_from_rating
from resolvers.talk2data.sessions import SessionId
from resolvers.talk2data.turns import TurnId, own_turn
from schema.governance.permission import Permission
from schema.talk2data.feedback import TurnFeedback, TurnFeedbackCreate


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def submit_turn_feedback(
    ctx: Context, *, session_id: SessionId, turn_id: TurnId, feedback: TurnFeedbackCreate
) -> TurnFeedback:
    """Rate a turn of one of the caller's own sessions; a second rating takes the place of the first.

    A thumbs-up offers the question with its query as an `exemplar` memory, for a steward to validate. A thumbs-down
    with a comment opens a note for the stewards. The memories that the answer used count it as help, or as none.
    """
    now = ctx.now()

    def work(uow: UnitOfWork) -> TurnFeedback:
        turn = own_turn(ctx, uow, session_id, turn_id)
        count_help(ctx, uow, turn.turn_id, feedback.rating)
        learn_from_rating(ctx, uow, turn, str(session_id), feedback)
        return uow.turns.rate(ctx.organization_id, turn.turn_id, feedback.rating, feedback.comment, now)

    try:
        return await ctx.store.write(work)
    except IntegrityError:  # two first ratings at once, or a session deleted in this moment: now it can be told
        return await ctx.store.write(work)
