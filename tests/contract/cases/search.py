"""The search index."""

from typing import Any
from uuid import uuid4

from schema.search.entity import EntityReference, IndexEntity
from tests.contract.stage import MARK, Case, Place, Stage


async def new_entity(stage: Stage, place: Place) -> dict[str, Any]:
    """An entity to index."""
    return {"entities": [entity(place)]}


async def standing_entity(stage: Stage, place: Place) -> dict[str, Any]:
    """An entity of the index."""
    made = entity(place)
    await stage.made(place, "POST", "/search/bulk/index", [made.model_dump(mode="json")])  # type: ignore[arg-type]
    await stage.world.jobs.settle()
    reference = EntityReference(**made.model_dump(include=set(EntityReference.model_fields)))
    return {"references": [reference]}


async def question(stage: Stage, place: Place) -> dict[str, Any]:
    """A search that would find something."""
    await standing_entity(stage, place)
    return {"q": MARK}


def entity(place: Place) -> IndexEntity:
    """An entity that who may read the place finds."""
    return IndexEntity(
        organization_id=place.organization,
        project_id=place.project,
        entity_type="table",
        entity_id=f"e-{uuid4().hex}",
        title=f"{MARK} title",
        permission_id=f"project:{place.project}",
    )


CASES = [
    Case("index_entities", "project", "can_write", new_entity),
    Case("delete_entities", "project", "can_write", standing_entity),
    Case("search_entities", "own view", "", question),
]
