"""How a project wants to be answered: its settings, and what answers make of them."""

from typing import Any

import pytest

from resolvers.governance.secrets import create_project_secret
from resolvers.talk2data.chat_settings import get_chat_settings, set_chat_settings
from schema.governance.secret import SecretCreate
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


async def hidden(world: World, door: Door, value: str = "sk-1", name: str = "key") -> None:
    """Keep a secret of the project."""
    made = await door(create_project_secret, world.owner, secret=SecretCreate(name=name, value=value))
    assert not isinstance(made, Refused), made


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
    await hidden(world, door)
    model = {
        "drafter": "model",
        "llm_model": "openai/gpt",
        "credentials_secret": "key",
        "candidates": 3,
        "window": 8000,
    }
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


@pytest.mark.parametrize(
    ("given", "field", "said"),
    [
        ({"llm_model": "openai/gpt"}, "credentials_secret", "The provider openai needs credentials.api_key"),
        ({"llm_model": "gpt"}, "credentials_secret", "The provider openai needs credentials.api_key"),
        ({"llm_model": "claude-4"}, "credentials_secret", "The provider anthropic needs credentials.api_key"),
        ({"llm_model": "m", "provider": "azure"}, "credentials_secret", "The provider azure needs credentials.api_key"),
        ({"llm_model": "openai/gpt", "credentials_secret": "lost"}, "credentials_secret", "no secret with the name"),
        ({"llm_model": "openai/gpt", "credentials_secret": "bare"}, "credentials_secret", "in a secret of the project"),
        ({"llm_model": "openai/gpt", "credentials_secret": "torn"}, "credentials_secret", "not the JSON"),
        ({"llm_model": "oracle/m"}, "llm_model", "unknown provider"),
        ({"llm_model": "m", "provider": "oracle"}, "provider", "not known"),
        ({"llm_model": "openai/", "credentials_secret": "key"}, "llm_model", "names a provider and no model"),
        ({"llm_model": "vllm/m"}, "api_base", "needs api_base"),
        ({"llm_model": "vllm/m", "api_base": "ftp://host"}, "api_base", "http or https"),
        (
            {"llm_model": "azure/m", "api_base": "https://host.example", "credentials_secret": "key"},
            "api_version",
            "Azure needs api_version",
        ),
    ],
)
async def test_a_model_that_cannot_be_asked_is_refused(
    world: World, door: Door, given: dict[str, Any], field: str, said: str
) -> None:
    await hidden(world, door)
    await hidden(world, door, '{"api_base": "https://example.org/v1"}', "bare")
    await hidden(world, door, '{"api_key": ', "torn")
    refused = await door(set_chat_settings, world.owner, settings=wished(drafter="model", **given))
    assert isinstance(refused, Refused)
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert refused.details["field"] == field
    assert said in refused.message
    assert "config." not in refused.message
    assert await door(get_chat_settings, world.owner) == DEFAULTS


@pytest.mark.parametrize(
    "given",
    [
        {"llm_model": "ollama/llama"},
        {"llm_model": "vllm/m", "api_base": "https://models.example.org/v1"},
        {"llm_model": "m", "provider": "openai_like", "api_base": "https://models.example.org/v1"},
        {"llm_model": "m", "provider": "openai_like", "credentials_secret": "pinned"},
    ],
)
async def test_a_server_that_asks_for_no_key_needs_none(world: World, door: Door, given: dict[str, Any]) -> None:
    await hidden(world, door, '{"api_key": "sk-1", "api_base": "https://models.example.org/v1"}', "pinned")
    kept = await door(set_chat_settings, world.owner, settings=wished(drafter="model", **given))
    assert not isinstance(kept, Refused), kept
    assert {name: kept[name] for name in given} == given


async def test_a_model_that_does_not_draft_may_be_noted_without_its_key(world: World, door: Door) -> None:
    kept = await door(set_chat_settings, world.owner, settings=wished(llm_model="openai/gpt"))
    assert (kept["drafter"], kept["llm_model"]) == ("planner", "openai/gpt")


async def test_who_may_not_read_secrets_sends_no_key_to_an_address_of_his_own(world: World, door: Door) -> None:
    developer = await world.member("developer")
    await hidden(world, door)
    model = {"drafter": "model", "llm_model": "openai/gpt", "credentials_secret": "key"}
    for own in ({}, {"api_base": "https://example.org/v1"}):
        refused = await door(set_chat_settings, developer, settings=wished(**model, **own))
        assert isinstance(refused, Refused)
        assert (refused.code, refused.status) == ("FORBIDDEN", 403)
    await hidden(world, door, '{"api_key": "sk-1", "provider": "openai"}', "for-openai")
    named = model | {"credentials_secret": "for-openai"}
    assert not isinstance(await door(set_chat_settings, developer, settings=wished(**named)), Refused)
    kept = await door(set_chat_settings, world.owner, settings=wished(**model, api_base="https://example.org/v1"))
    assert kept["api_base"] == "https://example.org/v1"
    again = wished(**model, api_base="https://example.org/v1", warn_below="0.5")
    kept = await door(set_chat_settings, developer, settings=again)
    assert kept["warn_below"] == "0.5", "what stands already may be sent again"


async def test_settings_belong_to_their_project(world: World, door: Door) -> None:
    await door(set_chat_settings, world.owner, settings=wished(warn_below="0.8"))
    lab = world.token("olga", project=world.lab)
    assert await door(get_chat_settings, lab) == DEFAULTS
    assert await door(get_chat_settings, world.foreign_owner) == DEFAULTS
