"""Work that runs later has the weaker rights of who wrote it and who starts it, and so has a key that it uses."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, cast

import orjson
import pytest

from auth.caller import Caller
from auth.guard import Guard
from auth.relations import RelationTuple, object_name, user_subject
from persistence.language_models.providers import Message, ModelError
from persistence.tables.data_readiness import workflow_configurations
from persistence.tables.talk2data import chat_settings
from resolvers.authors import addresser_of, limited_by_author
from resolvers.context import Context
from resolvers.data_readiness.runs.model_descriptions import chat_of
from resolvers.data_readiness.runs.operations import trigger_run
from resolvers.data_readiness.workflows import update_workflow_configuration
from resolvers.governance.secrets import create_project_secret
from resolvers.talk2data.answering.drafting import drafter_of
from resolvers.talk2data.chat_settings import set_chat_settings, settings_of
from resolvers.utils.schedules import create_schedule
from schema.data_readiness.workflow import WorkflowType
from schema.governance.secret import SecretCreate
from schema.talk2data.chat_settings import ChatSettingsChange
from tests.data_readiness.enrichment import again, proposed_by, shop
from tests.data_readiness.workflows import configure, written
from tests.doors import Door, Refused
from tests.support.http_stub import Asked, HttpStub, Reply, http_stub
from tests.world import ORG, World

pytestmark = pytest.mark.anyio

KEY = "sk-quagga-0123456789"


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """Nothing that does not answer is waited for."""
    return {"model_timeout": 1.5}


@pytest.fixture
def web() -> Iterator[HttpStub]:
    """A server of the attacker's own, which would be taken for a model."""

    def answer(asked: Asked) -> Reply:
        return 200, {}, orjson.dumps({"choices": [{"message": {"role": "assistant", "content": "{}"}}]})

    with http_stub(answer) as stub:
        yield stub


def heard(web: HttpStub) -> str:
    """All that arrived there."""
    return repr([(asked.headers, asked.body) for asked in web.asked])


async def hidden(world: World, door: Door, name: str, value: str) -> None:
    """A secret of the project."""
    made = await door(create_project_secret, world.owner, secret=SecretCreate(name=name, value=value))
    assert not isinstance(made, Refused), made


async def rewritten(door: Door, token: str, id: str, **changes: Any) -> None:
    """Change a configuration, as somebody."""
    made = await door(update_workflow_configuration, token, configuration_id=id, changes=changes)
    assert isinstance(made, dict), made


async def reason(world: World, door: Door, made: dict[str, Any], **given: Any) -> str:
    """Carry out a run of the configuration; why it had to do without the model, empty when it had not."""
    run = await again(world, door, made, **given)
    found = (await proposed_by(world, door, run)).get(("cust_mstr", "description"))
    if found is not None:
        return str(found["evidence"].get("model_not_used", ""))
    services, olga = world.app.parts.services, Caller("olga", ORG, world.shop)
    ctx = Context(caller=olga, request_id="r", services=services, guard=Guard(services.relations))
    standing = await services.store.read(lambda uow: uow.workflow_configurations.get(ctx.scope, made["id"]))
    runner = limited_by_author(olga, standing)
    try:
        await chat_of(ctx, standing.config, addresser=addresser_of(standing), runner=runner)
    except ModelError as withheld:
        return str(withheld)
    return ""


async def test_the_owners_run_and_her_schedule_send_no_key_where_somebody_else_has_written(
    world: World, door: Door, web: HttpStub
) -> None:
    await shop(world)
    developer = await world.member("developer")
    await hidden(world, door, "model-key", KEY)
    made = await configure(world, door, workflow_type=WorkflowType.GENERATE_TABLE_DESCRIPTION, config={})
    evil = {"llm_model": "openai/gpt", "api_base": f"{web.url}/v1", "credentials_secret": "model-key"}
    await rewritten(door, developer, made["id"], config=evil)
    assert "Who wrote this config may not read" in await reason(world, door, made)
    cron = {"type": "CRON", "cron": "* * * * *"}
    named = {"schedule_name": "Hers", "schedule": cron, "reference_id": made["id"]}
    await door(create_schedule, world.owner, schedule=named)
    world.clock.moment += timedelta(minutes=1)
    await world.app.parts.firings.tick()
    await world.jobs.settle()
    # What the owner changes beside the address makes it none of hers, nor does what a form sends again.
    for innocent in ({"name": "New"}, {"config": evil}, {"config": evil | {"industry_info": "toys"}}):
        await rewritten(door, world.owner, made["id"], **innocent)
        assert "Who wrote this config may not read" in await reason(world, door, made), innocent
    assert KEY not in heard(web)
    own = evil | {"api_base": f"{web.url}/v2"}
    await rewritten(door, world.owner, made["id"], config=own)
    await reason(world, door, made)
    assert KEY in heard(web), "she has chosen that address herself"
    web.asked.clear()
    await rewritten(door, developer, made["id"], config=own | {"industry_info": "toys"})
    assert "Who started the run may not read" in await reason(world, door, made), "the rest is the developer's"
    assert KEY not in heard(web)


async def test_a_secret_is_not_sent_to_a_third_party_by_naming_it(world: World, door: Door) -> None:
    await shop(world)
    developer = await world.member("developer")
    await hidden(world, door, "database-password", KEY)
    made = await configure(world, door, workflow_type=WorkflowType.GENERATE_TABLE_DESCRIPTION, config={})
    config = {"llm_model": "openai/gpt", "credentials_secret": "database-password"}
    await rewritten(door, developer, made["id"], config=config)
    told = await reason(world, door, made)
    assert "so the key is not sent to the provider openai" in told
    assert "Or keep provider in the secret itself" in told


async def test_of_a_config_that_nobody_is_known_to_have_written_only_the_key_is_withheld(
    world: World, door: Door, web: HttpStub
) -> None:
    await shop(world)
    await hidden(world, door, "model-key", KEY)
    config = {"llm_model": "openai/gpt", "api_base": f"{web.url}/v1", "credentials_secret": "model-key"}
    made = await configure(world, door, workflow_type=WorkflowType.GENERATE_TABLE_DESCRIPTION, config=config)
    await written(
        world,
        lambda uow: uow.connection.execute(workflow_configurations.update().values(authors=None)),
    )
    assert "It is not known who wrote this config" in await reason(world, door, made)
    assert web.asked == []
    await rewritten(door, world.owner, made["id"], config=config)
    await reason(world, door, made)
    assert KEY in heard(web), "it is known when it is saved again"


async def test_a_run_may_do_no_more_than_who_wrote_its_configuration(world: World, door: Door) -> None:
    await shop(world)
    developer = await world.member("developer")
    made = await configure(world, door, workflow_type=WorkflowType.GENERATE_TABLE_DESCRIPTION, config={})
    await rewritten(door, developer, made["id"], config={"industry_info": "toys"})
    await again(world, door, made)
    gone = RelationTuple(user_subject("developer-of-project"), "developer", object_name("project", world.shop))
    await world.app.parts.services.relations.write(ORG, [], [gone])
    refused = await door(trigger_run, world.owner, configuration_id=made["id"], run={})
    assert (refused.code, refused.status) == ("FORBIDDEN", 403)
    assert "who last wrote the config" in refused.message
    await rewritten(door, world.owner, made["id"], config={"industry_info": "games"})
    await again(world, door, made)


async def test_a_key_of_answers_goes_nowhere_when_who_set_its_address_may_read_it_no_more(
    world: World, door: Door, web: HttpStub
) -> None:
    admin, developer = await world.member("admin"), await world.member("developer")
    await hidden(world, door, "model-key", KEY)
    given = {
        "drafter": "model",
        "llm_model": "openai/gpt",
        "credentials_secret": "model-key",
        "api_base": f"{web.url}/v1",
    }
    services = world.app.parts.services
    viewer = Caller("viewer", ORG, world.shop)

    async def asked() -> None:
        ctx = Context(caller=viewer, request_id="r", services=services, guard=Guard(services.relations))
        drafter = cast(Any, await drafter_of(ctx, await settings_of(ctx), cast(Any, None), "t"))
        await drafter._drafter._model.complete([Message("user", "Hi")], max_tokens=1)

    for token in (admin, developer):
        settings = ChatSettingsChange.model_validate(given | {"candidates": 2 if token is developer else 1})
        assert not isinstance(await door(set_chat_settings, token, settings=settings), Refused)
    await asked()
    assert KEY in heard(web), "who asks decides nothing"
    web.asked.clear()
    elsewhere = ChatSettingsChange.model_validate(given | {"api_base": f"{web.url}/v2"})
    assert (await door(set_chat_settings, developer, settings=elsewhere)).status == 403
    gone = RelationTuple(user_subject("admin-of-project"), "admin", object_name("project", world.shop))
    await services.relations.write(ORG, [], [gone])
    with pytest.raises(ModelError, match="may not read the project's secrets"):
        await asked()
    # A row of an earlier version names who set it, without his groups.
    await written(world, lambda uow: uow.connection.execute(chat_settings.update().values(authors=None)))
    with pytest.raises(ModelError, match="may not read the project's secrets"):
        await asked()
    assert web.asked == []
    assert not isinstance(
        await door(set_chat_settings, world.owner, settings=ChatSettingsChange.model_validate(given)), Refused
    )
    await asked()
    assert KEY in heard(web)
