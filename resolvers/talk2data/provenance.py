"""Operations on where an answer comes from: read it."""

from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.talk2data.sessions import SessionId
from resolvers.talk2data.turns import TurnId, own_turn
from schema.errors import NotFound
from schema.governance.permission import Permission
from schema.talk2data.provenance import TurnProvenance


@operation(needs=Permission.CAN_READ)
async def get_turn_provenance(ctx: Context, *, session_id: SessionId, turn_id: TurnId) -> TurnProvenance:
    """Get where the answer of a turn of one of the caller's own sessions comes from; 404 until it is found.

    Versions, scores and violations are those of the moment when the query was about to run.
    """
    return await ctx.store.read(lambda uow: own_provenance(ctx, uow, session_id, turn_id))


def own_provenance(ctx: Context, uow: UnitOfWork, session_id: SessionId, turn_id: TurnId) -> TurnProvenance:
    """The provenance of a turn of the caller's. Raises as `own_turn` does, and NotFound before there is one."""
    turn = own_turn(ctx, uow, session_id, turn_id)
    found = uow.turn_provenance.find(ctx.scope, turn.turn_id)
    if found is None:
        raise NotFound("turn_provenance", turn.turn_id)
    return found
