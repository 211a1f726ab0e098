"""How a project wants to be answered: its settings, and what answers make of them."""

from typing import Any

import pytest

from resolvers.talk2data.chat_settings import get_chat_settings, set_chat_settings
from schema.talk2data.chat_settings import ChatSettingsChange
from tests.doors import Door, Refused
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

DEFAULTS = {
    "drafter": "planner",
    "llm_model": None,
    "provider": None,
    "api_base": None,
    "api_version": None,
    "credentials_secret": None,
    "candidates": 1,
    "window": None,
    "unsure_below": 0.8,
    "warn_below": None,
    "refuse_below": None,
    "updated_by": None,
    "updated_at": None,
}


def wished(**given: Any) -> ChatSettingsChange:
    """Settings, as somebody would send them."""
    return ChatSettingsChange.model_construct(_fields_set=set(given), **given)


async def test_a_project_that_has_set_nothing_has_the_defaults(world: World, door: Door) -> None:
    assert await door(get_chat_settings, world.owner) == DEFAULTS


async def test_settings_are_set_whole(world: World, door: Door) -> None:
    first = await door(set_chat_settings, world.owner, settings=wished(warn_below="0.8", refuse_below="0.25"))
    assert first == DEFAULTS | {
        "warn_below": "0.8",
        "refuse_below": "0.25",
        "updated_by": "olga",
        "updated_at": first["updated_at"],
    }
    assert await door(get_chat_settings, world.owner) == first
    model = {"drafter": "model", "llm_model": "openai/gpt", "candidates": 3, "window": 8000}
    second = await door(set_chat_settings, world.owner, settings=wished(**model))
    assert second == DEFAULTS | model | {"updated_by": "olga", "updated_at": second["updated_at"]}
    assert first["updated_at"] < second["updated_at"]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"drafter": "model"}, "llm_model"),
        ({"drafter": "oracle"}, "drafter"),
        ({"candidates": 0}, "candidates"),
        ({"candidates": 8}, "candidates"),
        ({"window": 1999}, "window"),
        ({"window": 2_000_001}, "window"),
        ({"unsure_below": -0.1}, "unsure_below"),
        ({"unsure_below": 1.1}, "unsure_below"),
        ({"warn_below": "1.1"}, "warn_below"),
        ({"warn_below": "-0"}, "warn_below"),
        ({"refuse_below": "0.12345"}, "refuse_below"),
        ({"llm_model": ""}, "llm_model"),
        ({"llm_model": "m" * 256}, "llm_model"),
    ],
)
async def test_settings_out_of_bounds_are_refused(
    world: World, door: Door, given: dict[str, Any], field: str | None
) -> None:
    refused = await door(set_chat_settings, world.owner, settings=wished(**given))
    assert isinstance(refused, Refused)
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    if field is not None:
        assert field in str(refused.details)
    assert await door(get_chat_settings, world.owner) == DEFAULTS


async def test_who_may_not_read_secrets_sends_no_key_to_an_address_of_his_own(world: World, door: Door) -> None:
    developer = await world.member("developer")
    model = {"drafter": "model", "llm_model": "openai/gpt", "credentials_secret": "key"}
    assert not isinstance(await door(set_chat_settings, developer, settings=wished(**model)), Refused)
    refused = await door(set_chat_settings, developer, settings=wished(**model, api_base="https://example.org/v1"))
    assert isinstance(refused, Refused)
    assert refused.status == 403
    kept = await door(set_chat_settings, world.owner, settings=wished(**model, api_base="https://example.org/v1"))
    assert kept["api_base"] == "https://example.org/v1"


async def test_settings_belong_to_their_project(world: World, door: Door) -> None:
    await door(set_chat_settings, world.owner, settings=wished(warn_below="0.8"))
    lab = world.token("olga", project=world.lab)
    assert await door(get_chat_settings, lab) == DEFAULTS
    assert await door(get_chat_settings, world.foreign_owner) == DEFAULTS
