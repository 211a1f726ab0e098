"""What tests of proposals share: a decision, what came of it, and the asset that it is about."""

from typing import Any

from resolvers.data_readiness.approval.operations import decide_run
from resolvers.utils.metadata import get_metadata
from schema.data_readiness.proposal import ApprovalDecision
from tests.data_readiness.workflows import URI
from tests.doors import Door
from tests.world import World

TABLE = "svc.db.sch.t1"


async def decided(world: World, door: Door, run: str, decision: str, **given: Any) -> Any:
    """The answer to a decision of the owner."""
    body = ApprovalDecision.model_validate({"decision": decision} | given)
    return await door(decide_run, world.owner, run_id=run, approval=body)


async def asset(world: World, door: Door, fqn: str = TABLE) -> dict[str, Any]:
    """An asset as it stands."""
    where = {"resource_type": "data_connection", "resource_uri": URI}
    found = await as_administrator(world, door, get_metadata, fqn=fqn, **where)
    assert isinstance(found, dict), found
    return found


async def as_administrator(world: World, door: Door, op: Any, **arguments: Any) -> Any:
    """The answer to the owner of the project and of its source."""
    await world.grant("olga", "owner", "data_connection", URI)
    return await door(op, world.owner, **arguments)


def counts(answer: dict[str, Any]) -> tuple[int, int, int, int]:
    """Approved, rejected, pending, conflicted."""
    return answer["approved"], answer["rejected"], answer["pending"], answer["conflicted"]
