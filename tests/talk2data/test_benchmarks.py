"""A customer's own questions with right answers: what they come to, why they miss, what has changed since before."""

import asyncio
import sys
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from auth.relations import RelationTuple, object_name
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    Interpretation,
    Knowledge,
    Lookup,
    Outcome,
    Unanswerable,
)
from resolvers.talk2data.benchmarks import (
    cancel_benchmark,
    create_benchmark,
    delete_benchmark,
    get_benchmark,
    list_benchmark_results,
    list_benchmarks,
)
from resolvers.utils.memories import archive_memory, validate_memory
from schema.node import encode
from schema.talk2data.benchmark import BenchmarkChange, BenchmarkCreate, BenchmarkVerdict
from schema.utils.memory import MemoryType, MemoryValidation
from tests.doors import Door, Refused, RestDoor
from tests.support.ingestion import Bench
from tests.support.postgres import PostgresServer
from tests.support.server import Client, Server, stoa, until
from tests.talk2data.asking import ScriptedDrafter, draft, drafter, shop, source, world
from tests.talk2data.test_answer_policies import remembered
from tests.world import ORG, World

__all__ = ["drafter", "shop", "source", "world"]

ONE = "select 1 as n from customers where id = 1"
BY_CITY = "select city, count(*) as customers from customers group by city order by city"


def new(bench: Bench, *questions: dict[str, Any], name: str = "Ours", **given: Any) -> BenchmarkCreate:
    """A benchmark to begin."""
    asked = {"questions": list(questions)} if questions else {}
    return BenchmarkCreate.model_validate({"name": name, "datasource": bench.uri} | asked | given)


async def begun(world: World, door: Door, benchmark: BenchmarkCreate, token: str | None = None) -> dict[str, Any]:
    """A benchmark that was carried out, as it stands then."""
    made = await door(create_benchmark, token or world.owner, benchmark=benchmark)
    assert not isinstance(made, Refused), made.message
    assert (made["status"], made["completed_at"]) == ("pending", None)
    await world.jobs.settle()
    found: dict[str, Any] = await door(get_benchmark, token or world.owner, benchmark_id=made["id"])
    return found


async def results(world: World, door: Door, benchmark: dict[str, Any], **given: Any) -> list[dict[str, Any]]:
    """Return what its questions came to."""
    found = await door(list_benchmark_results, world.owner, benchmark_id=benchmark["id"], **given)
    items: list[dict[str, Any]] = found["items"]
    return items


def verdicts(found: list[dict[str, Any]]) -> dict[str, str]:
    """The verdict on each question."""
    return {one["question"]: one["verdict"] for one in found}


@pytest.mark.anyio
async def test_each_question_comes_to_a_verdict_and_each_miss_to_its_rule(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script |= {
        "Cities?": draft(BY_CITY),
        "Upwards?": draft("select email from customers order by credit"),
        "Many?": draft("select count(*) from orders", confidence=0.3),
        "Sum?": draft("select sum(total) from orders"),
        "Dates?": draft("select placed, total, id from orders where id < 3"),
        "Which?": Clarification("Which?", (Interpretation("This"), Interpretation("That"))),
        "Weather?": Unanswerable("There is no weather here."),
        "Broken?": KeyError("broken"),
    }
    made = await begun(
        world,
        door,
        new(
            shop,
            {"question": "Cities?", "sql": BY_CITY},
            {"question": "Upwards?", "sql": "select email from customers order by credit desc"},
            {"question": "Many?", "sql": "select count(*) from customers"},
            {"question": "Sum?", "rows": [[119.85]]},
            {"question": "Dates?", "rows": [["2024-02-05", 7.25], ["2024-01-05", 12.5]]},
            {"question": "Which?", "rows": [[1]]},
            {"question": "Weather?", "rows": [[1]]},
            {"question": "Broken?", "rows": [[1]]},
            {"question": "Never asked?", "sql": "delete from customers"},
        ),
    )
    assert made["status"] == "completed"
    counts = ("questions", "right", "wrong", "wrong_unwarned", "asked_back", "said_no", "failed", "difference")
    assert [made[name] for name in counts] == [9, 3, 2, 1, 1, 1, 2, None]
    found = await results(world, door, made)
    assert [one["position"] for one in found] == list(range(1, 10))
    assert list(verdicts(found).values()) == [
        "right", "wrong", "wrong", "right", "right", "asked_back", "said_no", "failed", "failed",
    ]  # fmt: skip
    by = {one["question"]: one for one in found}
    assert [one["reasons"] for one in found if one["reasons"]] == [
        [{"rule": "other_order", "count": 3, "message": "The rows are right, and stand in another order."}],
        [{"rule": "other_values", "count": 1, "message": "1 row holds other values."}],
    ]
    assert (by["Many?"]["unsure"], by["Many?"]["confidence"], by["Upwards?"]["unsure"]) == (True, 0.3, False)
    assert by["Cities?"]["answer_sql"] == by["Cities?"]["sql"] == BY_CITY
    assert (by["Cities?"]["right_rows"], by["Cities?"]["answer_rows"]) == (2, 2)
    assert by["Weather?"]["message"] == "There is no weather here."
    assert "failed unexpectedly" in by["Broken?"]["message"]
    assert by["Never asked?"]["message"].startswith("The right query may not be run: ")
    assert "Never asked?" not in [one.text for one in drafter.asked]
    missed = await results(world, door, made, verdict=BenchmarkVerdict.WRONG)
    assert [one["question"] for one in missed] == ["Upwards?", "Many?"]
    assert (await world.dump())["artifacts"] == [], "a benchmark leaves no artifacts"


@pytest.mark.anyio
async def test_a_further_column_is_a_miss_where_that_was_asked_for(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["Who?"] = draft("select email, credit from customers")
    question, door = {"question": "Who?", "sql": "select email from customers"}, RestDoor(world.client)
    assert (await begun(world, door, new(shop, question)))["right"] == 1
    strict = await begun(world, door, new(shop, question, extra_columns=False))
    (one,) = await results(world, door, strict)
    assert [reason["rule"] for reason in one["reasons"]] == ["extra_columns"]


@pytest.mark.anyio
async def test_a_run_is_compared_with_the_one_before_under_its_name(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    right, wrong, no = draft("select 1 as n from customers"), draft("select count(*) from customers"), Unanswerable("-")
    one = {"rows": [[1], [1], [1]]}
    drafter.script |= {"A": wrong, "B": right, "C": right, "D": right, "E": no}
    first = await begun(world, door, new(shop, *({"question": at} | one for at in "ABCDE")))
    assert (first["right"], first["difference"]) == (3, None)
    drafter.script |= {"A": right, "B": wrong, "C": no, "D": right, "E": Clarification("?", ())}
    await begun(world, door, new(shop, {"question": "A"} | one, name="Others"))
    again = await begun(world, door, new(shop))
    assert (again["questions"], again["difference"]) == (
        5,
        {"benchmark_id": first["id"], "newly_right": 1, "newly_wrong": 1, "no_longer_right": 1},
    )
    found = await results(world, door, again)
    assert [(one["verdict_before"], one["change"]) for one in found] == [
        ("wrong", "newly_right"), ("right", "newly_wrong"), ("right", "no_longer_right"), ("right", "same"),
        ("said_no", "other"),
    ]  # fmt: skip
    lost = await results(world, door, again, change=BenchmarkChange.NEWLY_WRONG)
    assert [one["question"] for one in lost] == ["B"]
    drafter.script |= {" a ": right, "F": right}
    third = await begun(world, door, new(shop, {"question": " a "} | one, {"question": "F"} | one))
    fresh = await results(world, door, third, change=BenchmarkChange.NEW)
    assert [one["question"] for one in fresh] == ["F"], "words count, and not how they are written"
    listed = await door(list_benchmarks, world.owner, name="Ours")
    assert [one["id"] for one in listed["items"]] == [third["id"], again["id"], first["id"]]
    assert listed["items"][1] == again


@pytest.mark.anyio
async def test_a_question_that_a_verified_query_answers_is_told_as_such(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    door = RestDoor(world.client)
    says = {"type": "exemplar", "question": "Cities?", "sql": BY_CITY, "dialect": "postgres"}
    example = await remembered(world, says, MemoryType.EXEMPLAR)
    drafter.script["Cities?"] = draft(BY_CITY, memories=(example["id"],), evidence={"example": "Cities?"})
    question = {"question": "Cities?", "rows": [["Bonn", 2], ["Kiel", 1]]}
    (one,) = await results(world, door, await begun(world, door, new(shop, question)))
    assert (one["verdict"], one["verified"], one["unsure"]) == ("right", False, True)
    found = MemoryValidation.model_validate({"validation_status": "validated"})
    await door(validate_memory, world.owner, memory_id=example["id"], validation=found)
    (one,) = await results(world, door, await begun(world, door, new(shop, question)))
    assert (one["verdict"], one["verified"], one["unsure"]) == ("right", True, False)


@pytest.mark.anyio
async def test_right_queries_are_guarded_as_the_askers_own_are(
    world: World, shop: Bench, drafter: ScriptedDrafter
) -> None:
    door = RestDoor(world.client)
    masks = await remembered(world, {"effect": "mask", "columns": ["customers.email"]})
    drafter.script["Mails?"] = draft("select email from customers")
    by_name = {"question": "Mails?", "rows": [["ada@example.org"], ["ben@example.org"], ["cy@example.org"]]}
    masked = await begun(world, door, new(shop, {"question": "Mails?", "sql": "select email from customers"}))
    assert (masked["right"], (await begun(world, door, new(shop, by_name, name="Rows")))["wrong"]) == (1, 1)
    await door(archive_memory, world.owner, memory_id=masks["id"])
    await remembered(world, {"effect": "forbid", "columns": ["customers.email"]}, pack="More rules")
    (one,) = await results(world, door, await begun(world, door, new(shop)))
    assert one["verdict"] == "failed"
    assert "(Rule: policy_forbid.)" in one["message"]
    told = await results(world, door, masked)
    assert "@" not in str(told), "no cell of the data is told"


@pytest.mark.anyio
async def test_a_benchmark_is_its_owners_alone_and_takes_what_chatting_takes(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    drafter.script["A"] = draft(ONE)
    asked = new(shop, {"question": "A", "rows": [[1]]})
    made = await begun(world, door, asked)
    admin = await world.member("admin")
    for operation in (get_benchmark, list_benchmark_results, cancel_benchmark, delete_benchmark):
        assert await door(operation, admin, benchmark_id=made["id"]) == "FORBIDDEN"
        assert await door(operation, world.foreign_owner, benchmark_id=made["id"]) == "RESOURCE_NOT_FOUND"
    assert (await door(list_benchmarks, admin))["total"] == 0
    query = "query($id: ID!) { node(id: $id) { ...on Benchmark { id right project { name } } } }"
    mine = {"id": made["id"], "right": 1, "project": {"name": "shop"}}
    for token, read in ((world.owner, mine), (admin, None), (world.foreign_owner, None)):
        body = {"query": query, "variables": {"id": encode("Benchmark", made["id"])}}
        answer = (await world.request("POST", "/graphql", token=token, json=body)).json()
        assert answer["data"] == {"node": read}
    refused = await door(create_benchmark, world.foreign_owner, benchmark=asked)
    assert (refused.status, refused.details["field"]) == (422, "datasource")
    assert refused.message == f"There is no data called “{shop.uri}” here that you may ask about."
    assert await door(create_benchmark, await world.member("viewer"), benchmark=asked) == "FORBIDDEN"
    # A right that is lost before a question is asked counts as it stands then.
    operator = await world.member("operator")
    mine = await door(create_benchmark, operator, benchmark=asked)
    role = RelationTuple("user:operator-of-project", "operator", object_name("project", world.shop))
    await world.app.parts.services.relations.write(ORG, [], [role], lenient=True)
    await world.jobs.settle()
    await world.grant("operator-of-project", "viewer", "project", world.shop)
    found = await door(list_benchmark_results, operator, benchmark_id=mine["id"])
    assert [(one["verdict"], one["answer_sql"]) for one in found["items"]] == [("failed", None)]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"questions": [{"question": "A"}]}, "questions.0.sql"),
        ({"questions": [{"question": "A", "sql": "select 1", "rows": [[1]]}]}, "questions.0.sql"),
        ({"questions": [{"question": "A", "rows": [[1], [1, 2]]}]}, "questions.0.rows"),
        ({"questions": [{"question": "A b", "rows": []}, {"question": "a  B", "rows": []}]}, "questions.1.question"),
        ({"questions": [{"question": "A", "rows": []}], "datasource": "data:x"}, "datasource"),
        ({}, "questions"),
    ],
)
async def test_what_cannot_be_asked_is_refused(
    world: World, door: Door, shop: Bench, given: dict[str, Any], field: str
) -> None:
    refused = await door(create_benchmark, world.owner, benchmark=new(shop, **given))
    assert (refused.status, refused.details["field"]) == (422, field)


@pytest.mark.anyio
async def test_one_of_a_name_runs_at_a_time_and_can_be_canceled(
    world: World, door: Door, shop: Bench, drafter: ScriptedDrafter
) -> None:
    begins, goes_on = threading.Event(), threading.Event()

    def waits(asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        begins.set()
        goes_on.wait(60)
        return draft(ONE)

    drafter.script |= {"A": draft(ONE), "B": waits}
    asked = new(shop, *({"question": at, "rows": [[1]]} for at in "AB"))
    made = await door(create_benchmark, world.owner, benchmark=asked)
    refused = await door(create_benchmark, world.owner, benchmark=asked)
    assert (refused.status, refused.details) == (422, {"field": "name", "benchmark_id": made["id"]})
    async with asyncio.timeout(30):
        while not begins.is_set() or (await door(get_benchmark, world.owner, benchmark_id=made["id"]))["right"] == 0:
            await asyncio.sleep(0.05)
    canceled = await door(cancel_benchmark, world.owner, benchmark_id=made["id"])
    assert (canceled["status"], canceled["right"], canceled["failed"]) == ("canceled", 1, 0)
    goes_on.set()
    await world.jobs.settle()
    assert [one["verdict"] for one in await results(world, door, made)] == ["right", None]
    again = await door(cancel_benchmark, world.owner, benchmark_id=made["id"])
    assert (again.status, again.details["field"]) == (422, "status")
    second = await begun(world, door, new(shop, {"question": "A", "rows": [[1]]}))
    assert second["difference"] is None, "what was canceled is compared with nothing"
    await door(delete_benchmark, world.owner, benchmark_id=made["id"])
    assert (await door(list_benchmarks, world.owner))["total"] == 1
    assert await door(delete_benchmark, world.owner, benchmark_id=str(uuid4())) == "RESOURCE_NOT_FOUND"


@pytest.mark.anyio
async def test_what_was_never_queued_is_taken_up_and_nothing_is_asked_twice(
    world: World, shop: Bench, drafter: ScriptedDrafter, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafter.script |= {at: draft(ONE) for at in "AB"}
    door, jobs = RestDoor(world.client), world.app.parts.services.jobs

    async def dies(*_: Any, **__: Any) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(jobs, "enqueue", dies)
        await door(
            create_benchmark, world.owner, benchmark=new(shop, *({"question": at, "rows": [[1]]} for at in "AB"))
        )
    (made,) = (await door(list_benchmarks, world.owner))["items"]
    assert made["status"] == "pending"
    for _ in range(2):
        await world.app.parts.worker.take_up()
        await world.jobs.settle()
    assert (await door(get_benchmark, world.owner, benchmark_id=made["id"]))["status"] == "completed"
    assert sorted(one.text for one in drafter.asked) == ["A", "B"]


class BenchmarkServer(Server):
    """A server whose drafter takes a question for SQL."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        super().__init__(folder, settings=settings)

    command = (sys.executable, "-m", "tests.support.analyst_server")


@pytest.mark.timeout(900)
def test_a_benchmark_goes_on_after_its_server_was_killed_and_no_verdict_is_reached_twice(
    store_url: str | None, tmp_path: Path, postgres_server: PostgresServer
) -> None:
    url = postgres_server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create view slow as select i, pg_sleep(0.2)::text as slept from generate_series(1, 3) i")
    settings = {
        "database_url": store_url, "worker_heartbeat_seconds": 0.2, "worker_dead_seconds": 1, "job_concurrency": 1,
    }  # fmt: skip
    made = stoa(tmp_path, "bootstrap", "--org", "acme", "--owner", "olga", settings=settings)
    assert made.returncode == 0, made.stderr
    with ExitStack() as stack:
        stack.callback(postgres_server.drop_database, url)
        first = stack.enter_context(BenchmarkServer(tmp_path, settings)).ready()
        client = stack.enter_context(Client(tmp_path, first))
        runs = client.configure(url)
        run = client.over(f"{runs}/{client('POST', runs, json={})['id']}")
        assert run["status"] == "completed", run
        questions = [
            {"question": f"select max(i) + {at}, count(slept) from slow", "rows": [[3 + at, 3]]} for at in range(4)
        ]
        (connection,) = client("GET", "/assets/data")["data"]
        body = {"name": "Ours", "datasource": connection["resource_uri"], "questions": questions}
        path = f"/talk2data/benchmarks/{client('POST', '/talk2data/benchmarks', json=body)['id']}"
        until(lambda: client("GET", path)["right"] or None, "the first verdict")
        first.kill()
        second = stack.enter_context(BenchmarkServer(tmp_path, settings)).ready()
        again = stack.enter_context(Client(tmp_path, second, client.project))
        before = [one for one in again("GET", f"{path}/results")["data"] if one["verdict"] is not None]
        assert len(before) < 4
        over = again.over(path)
        assert (over["status"], over["right"], over["failed"]) == ("completed", 4, 0)
        after = again("GET", f"{path}/results")["data"]
        assert [one for one in after if one["position"] in {two["position"] for two in before}] == before
