"""The check of a model's credentials."""

from typing import Any

from schema.assets.model_check import ModelVerify
from tests.contract.stage import Case, Place, Stage


async def a_model(stage: Stage, place: Place) -> dict[str, Any]:
    """A model whose address leads nowhere: nobody is called."""
    return {"model": ModelVerify(llm_model="openai_like/m", credentials={}, api_base="nowhere")}


CASES = [Case("verify_model", "project", "can_execute", a_model)]
