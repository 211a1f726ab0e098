"""Tags that engines find."""

from typing import Any
from uuid import uuid4

from persistence.queries.classifications import classification_id
from persistence.repository import Scope
from schema.data_readiness.classification import Classification, ClassificationKind, ClassificationState
from tests.contract import stage as on
from tests.contract.stage import MARK, Case, Place, Stage


async def _classified(stage: Stage, place: Place) -> str:
    """A tag that was found on an asset of the catalog; its id."""
    made = await stage.asset(place)
    scope = Scope(place.organization, place.project)
    now, tag = stage.world.clock(), f"PII.{MARK}"
    found = Classification(
        id=classification_id(scope, made["fqn"], tag),
        asset_fqn=made["fqn"],
        resource_uri=made["resource_uri"],
        kind=ClassificationKind.PII,
        tag_fqn=tag,
        state=ClassificationState.SUGGESTED,
        confidence=0.9,
        evidence=[{"recognizer": MARK, "source": "values", "share": 1.0, "weight": 3.0, "reason": MARK}],
        recognizer_version="1",
        data_fingerprint=MARK,
        workflow_run_id=str(uuid4()),
        decided_by=None,
        decided_at=None,
        created_at=now,
        updated_at=now,
    )
    await stage.world.app.parts.services.store.write(lambda uow: uow.classifications.put(scope, [found]))
    return found.id


async def classification(stage: Stage, place: Place) -> dict[str, Any]:
    """A tag that was found."""
    return {"classification_id": await _classified(stage, place)}


async def decision(stage: Stage, place: Place) -> dict[str, Any]:
    """A decision about a tag that was found."""
    return {"classification_id": await _classified(stage, place), "decision": {"state": "rejected"}}


CASES = [
    Case("list_classifications", "project", "can_read_metadata", on.nothing),
    Case("list_taxonomy", "project", "can_read_metadata", on.nothing),
    Case("get_classification", "project", "can_read_metadata", classification, "classification_id"),
    Case("decide_classification", "project", "can_manage_metadata", decision, "classification_id"),
]
