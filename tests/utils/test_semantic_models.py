"""Semantic models through both doors: taken in, told again, written out, refused, and kept from other people."""

from typing import Any

import pytest

from resolvers.utils.memories import list_memories
from resolvers.utils.semantic_models import export_semantic_model, import_semantic_model
from schema.governance.permission import Relation
from schema.utils.memory import MemoryStatus
from schema.utils.semantic_model import SemanticExportFormat, SemanticFormat, SemanticModelImport
from tests.data_readiness.workflows import URI, cataloged
from tests.doors import Door, Refused
from tests.utils.knowledge import make_pack, memory_changes
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")]

MODEL = """
version: 0.2.0.dev0
name: shop
datasets:
  - {name: orders, source: db.sch.orders}
  - {name: client, source: db.sch.customers, ai_context: {synonyms: [buyer]}}
  - {name: elsewhere, source: db.sch.elsewhere}
relationships:
  - {name: bought_by, from: orders, to: client, from_columns: [customer_id], to_columns: [id]}
metrics:
  - name: revenue
    description: What was paid.
    expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(orders.total)}]}
  - name: sleepy
    expression: {dialects: [{dialect: ANSI_SQL, expression: pg_sleep(orders.total)}]}
"""


@pytest.fixture
async def catalog(world: World) -> None:
    columns = ("orders.id", "orders.customer_id", "orders.total", "customers.id")
    await cataloged(world, *(f"svc.db.sch.{one}" for one in columns), data_type="INTEGER")
    await world.grant("olga", "owner", "data_connection", URI)


class Pack:
    """A pack, and what is asked of it as the owner."""

    def __init__(self, world: World, door: Door, pack: str) -> None:
        self.world, self.door, self.pack = world, door, pack

    async def take(self, text: str = MODEL, format: str = "ossie", token: str | None = None, **more: Any) -> Any:
        """Take a file in."""
        given = {
            "format": SemanticFormat(format),
            "text": text,
            "resource_uri": URI,
            "context_pack_id": self.pack,
        } | more
        body = SemanticModelImport.model_construct(_fields_set=set(given), **given)
        return await self.door(import_semantic_model, token or self.world.owner, model=body)

    async def give(self, format: str = "ossie", token: str | None = None) -> Any:
        """Write the pack out."""
        return await self.door(
            export_semantic_model,
            token or self.world.owner,
            pack_id=self.pack,
            resource_uri=URI,
            format=SemanticExportFormat(format),
        )

    async def standing(self, status: MemoryStatus = MemoryStatus.ACTIVE) -> dict[str, Any]:
        """The memories of the pack by name."""
        found = await self.door(list_memories, self.world.owner, context_pack_id=self.pack, status=status)
        return {one["name"]: one for one in found["items"]}


@pytest.fixture
async def pack(world: World, door: Door, catalog: None) -> Pack:
    return Pack(world, door, (await make_pack(world, door))["id"])


async def test_a_model_becomes_memories_and_comes_out_the_same(pack: Pack, world: World, door: Door) -> None:
    done = await pack.take()
    assert not isinstance(done, Refused), done
    assert (done["created"], done["kept"], done["ended"], len(done["memories"])) == (3, 0, 0, 3)
    assert {one["where"] for one in done["dropped"]} == {"datasets[2]", "metrics[1]"}
    standing = await pack.standing()
    assert {name: one["content"] for name, one in standing.items()} == {
        "client": {"term": "client", "synonyms": ["buyer"]},
        "bought_by": {"left": "svc.db.sch.orders.customer_id", "right": "svc.db.sch.customers.id"},
        "revenue": {"name": "revenue", "expression": "SUM(total)", "description": "What was paid."},
    }
    assert standing["revenue"]["source"]["type"] == "ossie"
    again = await pack.take()
    assert (again["created"], again["kept"], again["ended"]) == (0, 3, 0)

    written = await pack.give()
    assert (written["memories"], written["dropped"]) == (3, [])
    other = Pack(world, door, (await make_pack(world, door, name="Other"))["id"])
    back = await other.take(written["text"])
    assert (back["created"], back["dropped"]) == (3, [])
    plain = {name: (one["content"], one["asset_fqn"]) for name, one in (await other.standing()).items()}
    assert plain == {name: (one["content"], one["asset_fqn"]) for name, one in standing.items()}
    contract = await pack.give("odcs")
    assert [one["where"] for one in contract["dropped"]] == ["revenue"]
    assert contract["memories"] == 2


async def test_what_is_told_otherwise_ends_and_what_people_changed_stays(pack: Pack, world: World, door: Door) -> None:
    from resolvers.utils.memories import update_memory

    await pack.take()
    changed = MODEL.replace("SUM(orders.total)", "MAX(orders.total)")
    done = await pack.take(changed)
    assert (done["created"], done["kept"], done["ended"]) == (1, 2, 1)
    assert (await pack.standing())["revenue"]["content"]["expression"] == "MAX(total)"
    back = await pack.take()
    assert (back["created"], back["ended"]) == (1, 1), "what had ended stands again"
    memory = (await pack.standing())["revenue"]
    by_hand = memory["content"] | {"expression": "SUM(total) * 2"}
    await door(update_memory, world.owner, memory_id=memory["id"], changes=memory_changes(content=by_hand))
    done = await pack.take()
    assert {one["where"] for one in done["dropped"]} == {"datasets[2]", "metrics[1]", "measure revenue"}
    assert (await pack.standing())["revenue"]["content"]["expression"] == "SUM(total) * 2"


async def test_files_that_are_none_or_too_large_are_refused(pack: Pack) -> None:
    for text in ("- a", "a: 1", "a: &a [*a]", "x" * 1_000_001):
        refused = await pack.take(text)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert await pack.standing() == {}


async def test_who_may_not_read_the_metadata_learns_nothing_of_it(pack: Pack, world: World) -> None:
    await pack.take()
    ivan = await world.member(Relation.DEVELOPER)
    stranger = world.token("stranger", project=world.shop)
    for token in (stranger,):
        assert (await pack.take(token=token)).status in (403, 404)
        assert (await pack.give(token=token)).status in (403, 404)
    for token in (ivan, world.owner):
        for refused in (
            await pack.take(token=token, resource_uri="data:acme:lab:nowhere"),
            await pack.take(token=world.foreign_owner),
        ):
            assert isinstance(refused, Refused)
            assert refused.status in (403, 404)
