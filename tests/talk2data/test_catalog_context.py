"""What is known of a connection is read once, and again when anything of it has changed."""

from typing import Any

import pytest

from auth.caller import Caller
from auth.guard import Guard
from persistence.queries.chat_knowledge import catalog_stamp
from persistence.tables.profiles import table_profiles
from resolvers.context import Context
from resolvers.data_readiness.glossary import create_glossary_term
from resolvers.talk2data.answering.catalog_context import Ground, ground_of, places_of
from resolvers.utils.context_packs import create_context_pack
from resolvers.utils.memories import archive_memory, create_memory, update_memory, validate_memory
from resolvers.utils.metadata import update_metadata
from schema.data_readiness.glossary import GlossaryTermCreate
from schema.utils.context_pack import ContextPackCreate, PackType
from schema.utils.memory import MemoryCreate, MemoryType, MemoryUpdate, MemoryValidation, ValidationStatus
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.doors import RestDoor
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import ORG, World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio


async def ground(world: World, user: str = "olga") -> Ground:
    """Return what an answer for somebody is drawn from."""
    services = world.app.parts.services
    ctx = Context(Caller(user, ORG, world.shop), "req-1", services, Guard(services.relations))
    (place,) = await places_of(ctx, [])
    return await ground_of(ctx, place)


async def test_nothing_is_read_again_until_something_changes(
    world: World, shop: Bench, source: Source, statements: list[str]
) -> None:
    rest = RestDoor(world.client)
    seen = [(await ground(world)).knowledge]
    before = len(statements)
    assert (await ground(world)).knowledge is seen[0]
    many = len(statements) - before
    assert not any("ordinal_position" in one for one in statements[before:])
    assert many < 20

    async def changed() -> None:
        found = (await ground(world)).knowledge
        assert found is not seen[-1]
        assert (await ground(world)).knowledge is found
        seen.append(found)

    fqn = f"shop.{source.database}.sales.orders"
    where: dict[str, Any] = {"resource_type": "data_connection", "resource_uri": shop.uri, "fqn": fqn}
    await rest(update_metadata, world.owner, **where, changes=MetadataAssetUpdate(display_name="Sales"))
    await changed()
    assert [table.display_name for table in seen[-1].tables if table.fqn == fqn] == ["Sales"]
    await rest(create_glossary_term, world.owner, term=GlossaryTermCreate(name="Turnover", synonyms=["revenue"]))
    await changed()
    assert seen[-1].terms[0].names == ("Turnover", "revenue")
    memory = await remembered(world, {"type": "text", "text": "a"}, MemoryType.FACT)
    await changed()
    await rest(update_memory, world.owner, memory_id=memory["id"], changes=MemoryUpdate(name="Fact"))
    await changed()
    await rest(
        validate_memory,
        world.owner,
        memory_id=memory["id"],
        validation=MemoryValidation(validation_status=ValidationStatus.VALIDATED),
    )
    await changed()
    await rest(archive_memory, world.owner, memory_id=memory["id"])
    await changed()
    assert seen[-1].memories == ()


async def test_the_stamp_tells_foreign_keys_that_are_found_later(world: World, shop: Bench, source: Source) -> None:
    services = world.app.parts.services
    ctx = Context(Caller("olga", ORG, world.shop), "req-1", services, Guard(services.relations))
    row = {
        "id": "p", "organization_id": ORG, "project_id": world.shop, "workflow_run_id": "r", "asset_fqn": "a.b.c.d",
        "resource_uri": shop.uri, "tier": "full", "measured_at": world.clock(), "row_count": 1, "column_count": 1,
        "approximate": [], "candidate_keys": [], "functional_dependencies": [], "foreign_keys": [],
        "duration_seconds": 1.0,
    }  # fmt: skip
    stamps = []
    for statement in (
        table_profiles.insert().values(**row),
        table_profiles.update().values(foreign_keys=[{"columns": ["x"]}]),
    ):
        await services.store.write(
            lambda uow, statement=statement: uow.connection.execute(statement)  # type: ignore[misc]
        )
        stamps.append(await services.store.read(lambda uow: catalog_stamp(uow.connection, ctx.scope)))
    assert stamps[0] != stamps[1]


async def test_another_users_own_pack_shapes_nobody_elses_answers(world: World, shop: Bench) -> None:
    rest = RestDoor(world.client)
    made = await rest(create_context_pack, world.owner, pack=ContextPackCreate(name="Mine", pack_type=PackType.USER))
    for kind in (MemoryType.PREFERENCE, MemoryType.POLICY):
        await rest(
            create_memory,
            world.owner,
            memory=MemoryCreate(
                name=kind.value,
                content={"effect": "forbid", "columns": ["customers.email"]},
                memory_type=kind,
                context_pack_id=made["id"],
            ),
        )
    await world.grant("ada", "operator", "project", world.shop)
    mine, hers = await ground(world), await ground(world, "ada")
    assert [one.name for one in mine.knowledge.memories] == ["preference"]
    assert hers.knowledge.memories == ()
    assert {one.column for one in hers.knowledge.forbidden} == {"email"}
    assert mine.knowledge.forbidden == hers.knowledge.forbidden
