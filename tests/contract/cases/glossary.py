"""The glossary."""

from typing import Any
from uuid import uuid4

from schema.data_readiness.glossary import (
    GlossaryTermCreate,
    GlossaryTermUpdate,
    TermAssetCreate,
    TermDecision,
    TermReview,
)
from tests.contract.stage import MARK, Case, Place, Stage

TERMS = "/data-readiness/glossary/terms"


async def new_term(stage: Stage, place: Place) -> dict[str, Any]:
    """A term that is not there yet."""
    return {"term": GlossaryTermCreate(name=f"{MARK} {uuid4().hex}")}


async def term(stage: Stage, place: Place) -> dict[str, Any]:
    """A term in review."""
    body = {"name": f"{MARK} {uuid4().hex}", "definition": f"{MARK} words", "status": "in_review"}
    return {"term_id": (await stage.made(place, "POST", TERMS, body))["id"]}


async def a_list_of_terms(stage: Stage, place: Place) -> dict[str, Any]:
    """A term that a list would show."""
    await term(stage, place)
    return {}


async def changed_term(stage: Stage, place: Place) -> dict[str, Any]:
    """A term, and a new definition."""
    return await term(stage, place) | {"changes": GlossaryTermUpdate.model_validate({"definition": "new"})}


async def reviewed_term(stage: Stage, place: Place) -> dict[str, Any]:
    """A term in review, and a decision."""
    return await term(stage, place) | {"review": TermReview(decision=TermDecision.APPROVE, notes="new")}


async def linkable_term(stage: Stage, place: Place) -> dict[str, Any]:
    """A term, and an asset that it is not linked to."""
    asset = await stage.asset(place)
    return await term(stage, place) | {"asset": TermAssetCreate(asset_fqn=asset["fqn"])}


async def linked_term(stage: Stage, place: Place) -> dict[str, Any]:
    """A term that is linked to an asset."""
    linked = await linkable_term(stage, place)
    fqn = linked["asset"].asset_fqn
    await stage.made(place, "POST", f"{TERMS}/{linked['term_id']}/assets", {"asset_fqn": fqn})
    return {"term_id": linked["term_id"], "asset_fqn": fqn}


async def links_of_term(stage: Stage, place: Place) -> dict[str, Any]:
    """A term whose links a list would show."""
    return {"term_id": (await linked_term(stage, place))["term_id"]}


CASES = [
    Case("list_glossary_terms", "project", "can_read", a_list_of_terms),
    Case("create_glossary_term", "project", "can_create_resources", new_term),
    Case("get_glossary_term", "project", "can_read", term, "term_id"),
    Case("update_glossary_term", "project", "can_write", changed_term, "term_id"),
    Case("review_glossary_term", "project", "can_manage_metadata", reviewed_term, "term_id"),
    Case("delete_glossary_term", "project", "can_delete", links_of_term, "term_id"),
    Case("link_glossary_term", "project", "can_write", linkable_term, "term_id"),
    Case("list_glossary_term_assets", "project", "can_read", links_of_term, "term_id"),
    Case("unlink_glossary_term", "project", "can_write", linked_term, "term_id"),
]
