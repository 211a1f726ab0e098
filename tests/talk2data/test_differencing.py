"""What several answers must not tell together: the rows of a table that is shown only in groups of a size."""

import asyncio
from typing import Any

import pytest
from sqlalchemy.util import await_only

from persistence.queries.chat_overlap import AnsweredRepository
from resolvers.engines.nl2sql.model import Unanswerable
from resolvers.talk2data.answering import differencing as overlap
from resolvers.talk2data.provenance import get_turn_provenance
from resolvers.talk2data.replay import replay_turn
from resolvers.talk2data.sessions import delete_chat_session
from tests.doors import Door, RestDoor
from tests.support.chat import asked, begun, streamed
from tests.support.ingestion import Bench, Source, body_of, connected
from tests.talk2data.asking import Answered, ScriptedDrafter, ask, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import World

__all__ = ["drafter", "shop", "source", "world"]

pytestmark = pytest.mark.anyio

WARD = """
    drop schema if exists "Ünï ""x"".y Z" cascade;
    drop schema if exists sales cascade;
    create schema sales;
    create table sales.patients (
        id integer primary key, age integer not null, town text not null, cost numeric(10, 2) not null
    );
    create table sales.visits (
        patient_id integer not null, day integer not null, cost numeric(10, 2) not null, note json, place point
    );
    insert into sales.patients
        select i, 20 + i, case when i <= 12 then 'Bonn' when i <= 19 then 'Kiel' else 'Ulm' end, 100 + i
        from generate_series(1, 20) i;
    insert into sales.visits select i, i % 7, 10 + i, '{}', '(1,2)' from generate_series(1, 20) i;
    analyze;
"""
TOTAL = "select sum(cost) from patients"
REFUSED = "refused"


@pytest.fixture
async def ward(world: World, source: Source) -> Bench:
    """Twenty patients in three towns, of whom a policy lets no fewer than five be told of."""
    source.run(WARD)
    source.may_read("sales")
    bench = await connected(world, RestDoor(world.client), body_of(source))
    await bench.ingest()
    await remembered(world, {"effect": "minimum_group_size", "tables": ["patients", "visits"], "minimum": 5})
    return bench


async def put(world: World, drafter: ScriptedDrafter, sql: str, **how: Any) -> Answered:
    """Ask what a query answers."""
    drafter.script[sql] = draft(sql)
    drafter.repairs = [Unanswerable("No.")]
    return await ask(world, sql, **how)


async def outcome(world: World, drafter: ScriptedDrafter, sql: str, **how: Any) -> Any:
    """The rows, or that they were refused for what was told before."""
    got = await put(world, drafter, sql, **how)
    if got.done["kind"] == "answer":
        return got.result["rows"]
    assert (got.done["kind"], got.done["rule"], got.of("result")) == ("refused", "policy_overlap", []), got.done
    return REFUSED


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (TOTAL, "select sum(cost) from patients where id <> 7"),
        ("select sum(cost) from patients where id <> 7", TOTAL),
        ("select avg(cost) from patients where age < 32", "select avg(cost) from patients where age < 33"),
        ("select sum(cost) from patients where id < 11", "select sum(cost) from patients where id between 2 and 11"),
        ("select town, count(*) from patients group by town", "select count(*) from patients"),
        ("select count(*) from patients", "select town, count(*) from patients group by town"),
        (
            "select town, sum(cost) from patients group by town",
            "select town, sum(cost) from patients where id not in (3, 4) group by town",
        ),
        ("select sum(cost) from visits", "select sum(cost) from visits where patient_id > 1"),
        (
            "select sum(v.cost) from patients p join visits v on v.patient_id = p.id",
            "select sum(v.cost) from patients p join visits v on v.patient_id = p.id where p.age <> 25",
        ),
    ],
)
async def test_two_answers_that_differ_in_few_rows_are_not_both_given(
    world: World, ward: Bench, drafter: ScriptedDrafter, first: str, second: str
) -> None:
    assert await outcome(world, drafter, first) != REFUSED
    assert await outcome(world, drafter, second) == REFUSED
    assert await outcome(world, drafter, first) != REFUSED, "the same question is always answered again"


async def test_three_answers_that_leave_few_rows_are_not_all_given(
    world: World, ward: Bench, drafter: ScriptedDrafter
) -> None:
    assert await outcome(world, drafter, TOTAL) == [[2210]]
    assert await outcome(world, drafter, "select sum(cost) from patients where town = 'Bonn'") == [[1278]]
    rest = "select sum(cost) from patients where town <> 'Bonn' and id <> 20"
    assert await outcome(world, drafter, rest) == REFUSED


async def test_answers_that_differ_in_enough_rows_are_given(
    world: World, ward: Bench, drafter: ScriptedDrafter
) -> None:
    for sql in (
        TOTAL,
        "select count(*) from patients",
        "select avg(cost) from patients where age < 31",
        "select avg(cost) from patients where age < 36",
        "select avg(cost) from patients where age >= 31",
    ):
        assert await outcome(world, drafter, sql) != REFUSED, sql


async def test_what_was_told_is_remembered_for_each_user_after_its_session(
    world: World, door: Door, ward: Bench, drafter: ScriptedDrafter
) -> None:
    without = "select sum(cost) from patients where id <> 7"
    told = await put(world, drafter, TOTAL)
    await door(delete_chat_session, world.owner, session_id=told.turn["session_id"])
    operator = await world.member("operator")
    assert await outcome(world, drafter, without, token=operator) == [[2103]]
    assert await outcome(world, drafter, TOTAL, token=operator) == REFUSED
    refused = await put(world, drafter, without)
    found = await door(
        get_turn_provenance, world.owner, session_id=refused.turn["session_id"], turn_id=refused.turn["turn_id"]
    )
    assert (found["kind"], found["row_count"], found["result_hash"]) == ("refused", None, None)
    assert found["message"] == (
        "By the policy 'Rule', patients would be told in fewer than 5 rows together with earlier answers. "
        "Ask for other groups. (Rule: policy_overlap.)"
    )


async def test_a_replay_tells_no_more_than_an_answer(
    world: World, door: Door, ward: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Cost?"] = draft(TOTAL)
    got = await ask(world, "Cost?")
    drafter.script["Cost?"] = draft("select sum(cost) from patients where id <> 7")
    drafter.repairs = [Unanswerable("No.")]
    again = await door(replay_turn, world.owner, session_id=got.turn["session_id"], turn_id=got.turn["turn_id"])
    assert (again["kind"], again["new_query"]["rule"], again["new_query"]["result_hash"]) == (
        "refused",
        "policy_overlap",
        None,
    )
    assert again["old_query"]["result_hash"] == again["old"]["result_hash"]
    assert "2103" not in str(again)


async def test_of_more_rows_than_can_be_read_the_numbers_are_compared(
    world: World, ward: Bench, drafter: ScriptedDrafter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlap, "MOST_ROWS", 10)
    assert await outcome(world, drafter, "select town, sum(cost) from patients group by town") != REFUSED
    assert await outcome(world, drafter, "select sum(cost) from patients where id <> 7") == REFUSED
    assert await outcome(world, drafter, "select sum(cost) from patients where age < 31") != REFUSED


async def test_answers_that_are_found_at_the_same_time_see_one_another(
    world: World, ward: Bench, drafter: ScriptedDrafter, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = AnsweredRepository.others

    def slowly(repository: AnsweredRepository, *given: Any) -> Any:
        found = others(repository, *given)
        if repository._connection.dialect.name == "postgresql":  # SQLite writes one transaction after the other
            await_only(asyncio.sleep(0.5))  # so that both would have read before either has written
        return found

    monkeypatch.setattr(AnsweredRepository, "others", slowly)
    pair = [TOTAL, "select sum(cost) from patients where id > 1"]
    drafter.script |= {sql: draft(sql) for sql in pair}
    drafter.repairs = [Unanswerable("No."), Unanswerable("No.")]
    turns = [await asked(world, await begun(world), sql) for sql in pair]
    await world.jobs.settle()
    kinds = [(await streamed(world, turn))[-1]["data"]["kind"] for turn in turns]
    assert sorted(kinds) == ["answer", "refused"]
