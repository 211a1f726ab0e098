"""What an answer must not show: policies, masks, private columns, other tenants' data, permissions that are gone."""

import hashlib
from typing import Any

import pytest

from persistence.tables.catalog import metadata_assets
from persistence.tables.knowledge import memories
from resolvers.engines.nl2sql.model import ColumnKey, Unanswerable
from resolvers.engines.nl2sql.schema_linking.lookups import query_of
from resolvers.talk2data.answering import value_lookup as searching
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.utils.context_packs import create_context_pack
from resolvers.utils.memories import archive_memory, create_memory
from schema.utils.context_pack import ContextPackCreate, PackType
from schema.utils.memory import MemoryCreate, MemoryType
from tests.doors import Door, RestDoor
from tests.support.chat import begun
from tests.support.ingestion import Bench, Source
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio


async def remembered(
    world: World, content: dict[str, Any], kind: MemoryType = MemoryType.POLICY, pack: str = "Rules", **given: Any
) -> dict[str, Any]:
    """A memory in a pack of the project."""
    door = RestDoor(world.client)
    made = await door(
        create_context_pack,
        world.owner,
        pack=ContextPackCreate(name=pack, pack_type=PackType.PROJECT),
    )
    kept: dict[str, Any] = await door(
        create_memory,
        world.owner,
        memory=MemoryCreate(
            **{"name": "Rule", "content": content, "memory_type": kind, "context_pack_id": made["id"]} | given
        ),
    )
    assert "id" in kept, kept
    return kept


async def test_a_forbidden_column_is_in_no_answer(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    rule = await remembered(world, {"effect": "forbid", "columns": ["customers.email"]})
    drafter.script |= {
        "Mails?": draft("select email from customers"),
        "Whose?": draft("select id from customers where email like 'a%'"),
        "All?": draft("select * from customers"),
        "Cities?": draft("select city from customers order by id"),
    }
    for question in ("Mails?", "Whose?"):
        drafter.repairs = [Unanswerable("No.")]
        got = await ask(world, question)
        assert (got.done["kind"], got.done["rule"]) == ("refused", "policy_forbid"), question
        assert "ada@" not in str(got.events)
    assert drafter.known[0].forbidden == {ColumnKey(f"shop.{source.database}.sales.customers", "email")}
    cities = await ask(world, "Cities?")
    assert cities.result["rows"] == [["Bonn"], ["Kiel"], ["Bonn"]]
    await RestDoor(world.client)(archive_memory, world.owner, memory_id=rule["id"])
    assert (await ask(world, "Mails?")).result["rows"][0] == ["ada@example.org"]
    assert drafter.known[-1].forbidden == frozenset()


async def test_a_masked_column_is_shown_masked_and_the_policy_is_named(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    rule = await remembered(world, {"effect": "mask", "columns": ["customers.email"]})
    drafter.script["Mails?"] = draft("select email from customers order by id")
    got = await ask(world, "Mails?")
    assert got.done["kind"] == "answer"
    assert got.done["warnings"] == ["A policy masks email of customers; what is compared or counted is the mask."]
    assert "example.org" not in str(got.events)
    assert got.of("sql")[0]["applied"] == [{"id": rule["id"], "name": "Rule", "version": 1, "memory_type": "policy"}]
    found = await door(get_turn_provenance, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
    assert [one["id"] for one in found["policies"]] == [rule["id"]]
    assert found["memories"] == []
    assert ColumnKey(drafter.known[0].tables[0].fqn, "email") in drafter.known[0].private


async def test_the_salt_of_a_mask_is_shown_nowhere(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    mask = {"effect": "mask", "columns": ["customers.email"], "mask": "hash", "salt": "zebra-salt"}
    await remembered(world, mask)
    drafter.script["Mails?"] = draft("select email from customers order by id")
    got = await ask(world, "Mails?")
    whole = hashlib.sha256(b"zebra-saltada@example.org").hexdigest()
    assert whole in str(got.result["rows"])
    found = await door(get_turn_provenance, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
    assert "zebra-salt" not in str(got.events)
    assert found["sql_run"] is not None
    assert "zebra-salt" not in str(found)


async def test_groups_that_are_too_small_are_left_out_and_that_is_told(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    await remembered(world, {"effect": "minimum_group_size", "tables": ["customers"], "minimum": 2})
    drafter.script["By city?"] = draft("select city, count(*) as customers from customers group by city")
    got = await ask(world, "By city?")
    assert got.result["rows"] == [["Bonn", 2]]
    assert got.done["warnings"] == ["A policy leaves out what fewer than 2 rows stand behind."]


async def test_a_row_filter_holds_for_whoever_it_names(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    operator = await world.member("operator")
    await remembered(
        world,
        {
            "effect": "row_filter",
            "tables": ["customers"],
            "condition": "city = 'Kiel'",
            "users": ["operator-of-project"],
        },
    )
    drafter.script["How many?"] = draft("select count(*) as customers from customers")
    some = await ask(world, "How many?", token=operator)
    assert some.result["rows"] == [[1]]
    assert some.done["warnings"] == ["A policy shows only some of the rows of customers."]
    every = await ask(world, "How many?")
    assert every.result["rows"] == [[3]]
    assert every.done["warnings"] == []


@pytest.mark.parametrize("content", [{"type": "text", "text": "Credit is nobody's business."}, {"note": "As above."}])
async def test_a_policy_in_words_alone_stops_no_answer_and_each_says_so(
    world: World, shop: Bench, drafter: ScriptedDrafter, content: dict[str, Any]
) -> None:
    await remembered(world, content)
    drafter.script["How many?"] = draft("select count(*) as customers from customers")
    got = await ask(world, "How many?")
    assert got.result["rows"] == [[3]]
    told = "A policy of this project is in words alone, which nothing enforces. Give it an `effect` to have it kept."
    assert got.done["warnings"] == [told]
    await remembered(world, {"type": "text", "text": "Nor is the city."}, pack="More")
    again = await ask(world, "How many?")
    assert again.done["warnings"][0].startswith("2 policies of this project are in words alone")


NEUTRAL = "A policy of this project cannot be read, so nothing is answered until it is mended."


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"effect": "forbid", "table": ["customers"]}, "`table` means nothing in a policy that has the effect forbid."),
        ({"effect": "hide", "columns": ["customers.email"]}, "`effect` is one of forbid, mask"),
        ({"effect": "row_filter", "tables": ["customers"], "condition": "city ="}, "no condition over"),
    ],
)
async def test_nothing_is_answered_while_a_policy_cannot_be_read_and_stewards_are_told_why(
    world: World, shop: Bench, drafter: ScriptedDrafter, content: dict[str, Any], why: str
) -> None:
    await broken(world, content)
    operator, owner = await world.member("operator"), world.owner
    drafter.script["How many?"] = draft("select count(*) as customers from customers")
    for token in (owner, operator):
        got = await ask(world, "How many?", token=token)
        assert (got.done["kind"], got.done["rule"]) == ("refused", "policy_unreadable")
        assert not got.of("result")
        assert (why in got.text) is (token == owner)
        assert ("Nightjar" in str(got.events)) is (token == owner)
    assert got.text.startswith(NEUTRAL)


async def test_corrections_and_replays_name_the_policy_that_cannot_be_read_to_stewards_alone(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    sql = "select count(*) as customers from customers"
    drafter.script["How many?"] = draft(sql)
    operator, owner = await world.member("operator"), world.owner
    turns = {token: (await ask(world, "How many?", token=token)).turn for token in (owner, operator)}
    await broken(world, {"effect": "forbid", "table": ["customers"]})
    for token, turn in turns.items():
        path = f"/talk2data/chat/sessions/{turn['session_id']}/turns/{turn['turn_id']}"
        refused = (await world.request("POST", f"{path}/correction", token=token, json={"sql": sql})).json()["error"]
        assert refused["details"]["field"] == "sql"
        assert ("Nightjar" in refused["message"]) is (token == owner)
        replayed = (await world.request("POST", f"{path}/replay", token=token)).json()
        assert replayed["kind"] == "refused"
        assert ("Nightjar" in str(replayed)) is (token == owner)


async def broken(world: World, content: dict[str, Any]) -> None:
    """Let a policy stand in the store that cannot be read."""
    kept = await remembered(world, {"effect": "forbid", "columns": ["nowhere.nothing"]}, name="Nightjar")
    change = memories.update().where(memories.c.id == kept["id"]).values(content=content)
    await world.app.parts.services.store.write(lambda uow: uow.connection.execute(change))


async def test_a_failure_of_the_source_tells_nothing_of_protected_tables(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    await remembered(world, {"effect": "mask", "columns": ["customers.email"]})
    broken = draft("select 1 / (credit - credit) as x from customers where credit is not null")
    drafter.script["Divide"] = broken
    drafter.repairs = [broken]
    got = await ask(world, "Divide")
    assert got.done["message"] == (
        "The source could not run the query. Its reason is not shown, because the query touches protected columns "
        "(failed)."
    )


async def test_private_columns_are_compared_with_what_was_typed_unless_a_policy_hides_them(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    fqn = f"shop.{source.database}.sales.customers"
    seen: list[Any] = []

    def looking(asked: Any, known: Any, lookup: Any) -> Any:
        seen.append(lookup([ColumnKey(fqn, "city"), ColumnKey(fqn, "email")], ["kiel", "ada@example.org"]))
        seen.append(lookup([ColumnKey(fqn, "email")], ["ada@example.org"]))
        return Unanswerable("No.")

    drafter.script["Who?"] = looking
    await ask(world, "Who?")
    assert [[(one.column.column, one.value) for one in found] for found in seen] == [
        [("city", "Kiel"), ("email", "ada@example.org")],
        [("email", "ada@example.org")],
    ]
    tag = metadata_assets.update().where(metadata_assets.c.fully_qualified_name == f"{fqn}.email")
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(tag.values(is_pii_tagged=True, updated_at=world.clock()))
    )
    seen.clear()
    await ask(world, "Who?")
    assert ColumnKey(fqn, "email") in drafter.known[-1].private
    assert [[(one.column.column, one.value) for one in found] for found in seen] == [
        [("city", "Kiel"), ("email", "ada@example.org")],
        [("email", "ada@example.org")],
    ]
    await remembered(world, {"effect": "mask", "columns": ["customers.email"]})
    seen.clear()
    await ask(world, "Who?")
    assert [[(one.column.column, one.value) for one in found] for found in seen] == [[("city", "Kiel")], []]


async def test_of_a_private_column_nothing_is_told_but_what_was_typed(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter
) -> None:
    fqn = f"shop.{source.database}.sales.customers"
    source.run("update sales.customers set email = 'Cy.McAdam@example.org' where id = 3")
    tag = metadata_assets.update().where(metadata_assets.c.fully_qualified_name == f"{fqn}.email")
    await world.app.parts.services.store.write(
        lambda uow: uow.connection.execute(tag.values(is_pii_tagged=True, updated_at=world.clock()))
    )
    seen: list[list[str]] = []

    def looking(asked: Any, known: Any, lookup: Any) -> Any:
        for text in ("cy.mcadam@example.org", "Cy.McAdam@example.org", "cy%", "ada"):
            seen.append([one.value for one in lookup([ColumnKey(fqn, "email")], [text])])
        return Unanswerable("No.")

    drafter.script["Who?"] = looking
    await ask(world, "Who?")
    assert seen == [[], ["Cy.McAdam@example.org"], [], []]


async def test_words_that_are_written_oddly_are_found_after_those_that_are_not(
    world: World, shop: Bench, source: Source, drafter: ScriptedDrafter, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.run("update sales.customers set city = 'McAdam' where id = 2")
    key = ColumnKey(f"shop.{source.database}.sales.customers", "city")
    seen: list[list[str]] = []
    asked: list[tuple[tuple[str, ...], bool]] = []

    def noted(columns: Any, texts: Any, *given: Any, exact: bool) -> Any:
        asked.append((tuple(texts), exact))
        return query_of(columns, texts, *given, exact=exact)

    def looking(asked: Any, known: Any, lookup: Any) -> Any:
        seen.append([one.value for one in lookup([key], ["mcadam", "bonn", "nowhere"])])
        seen.append([one.value for one in lookup([key], ["BONN"])])
        return Unanswerable("No.")

    monkeypatch.setattr(searching, "query_of", noted)
    drafter.script["Who?"] = looking
    await ask(world, "Who?")
    assert seen == [["Bonn", "McAdam"], ["Bonn"]]
    # Every row is read for what was found nowhere else, and for nothing else.
    assert asked == [
        (("mcadam", "bonn", "nowhere"), True),
        (("mcadam", "nowhere"), False),
        (("BONN",), True),
        ((), False),
    ]


async def test_another_tenants_data_and_words_are_never_used(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    await remembered(world, {"type": "text", "text": "ours"}, MemoryType.FACT)
    stranger = world.foreign_owner
    for names in ([], [shop.uri], ["shop"]):
        got = await ask(world, "How many orders?", token=stranger, context={"datasources": names})
        assert got.done["kind"] == ("refused" if names else "unanswerable")
        assert not got.of("sql")
    sibling = world.token("olga", project=world.lab)
    got = await ask(world, "How many orders?", token=sibling)
    assert got.done["kind"] == "unanswerable"
    assert not drafter.asked
    drafter.script["How many orders?"] = draft("select count(*) as orders from orders")
    await ask(world, "How many orders?")
    assert [one.content["text"] for one in drafter.known[0].memories] == ["ours"]


async def test_a_permission_that_is_revoked_ends_with_it(world: World, shop: Bench, drafter: ScriptedDrafter) -> None:
    ada = world.token("ada", project=world.shop)
    await world.grant("ada", "viewer", "project", world.shop)
    session = None
    drafter.script["How many?"] = draft("select count(*) as orders from orders")
    refused = await world.request("POST", "/talk2data/chat/sessions", token=ada, json={})
    assert refused.status_code == 403
    await world.grant("ada", "operator", "project", world.shop)
    session = await begun(world, ada)
    assert (await ask(world, "How many?", session=session, token=ada)).result["rows"] == [[4]]

    async def revoked() -> None:
        from auth.relations import RelationTuple, object_name, user_subject

        relations = world.app.parts.services.relations
        gone = RelationTuple(user_subject("ada"), "operator", object_name("project", world.shop))
        await relations.write("acme", [], [gone], lenient=True)

    # Between the draft and the run, as a script that takes its time would see it.
    def slow(asked: Any, known: Any, lookup: Any) -> Any:
        import asyncio

        asyncio.run_coroutine_threadsafe(revoked(), lookup.__self__._loop).result(20)
        return draft("select count(*) as orders from orders")

    drafter.script["Slowly?"] = slow
    got = await ask(world, "Slowly?", session=session, token=ada)
    assert (got.done["kind"], got.of("result")) == ("refused", [])
    assert "may not use this data connection any more" in got.text
    again = await world.request(
        "POST", f"/talk2data/chat/sessions/{session}/turns", token=ada, json={"message": "How many?"}
    )
    assert again.status_code == 403
