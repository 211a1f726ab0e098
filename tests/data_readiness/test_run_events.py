"""What runs on a real source tell: how they ended, what has changed in the source, and what waits for people."""

from typing import Any

import pytest

from resolvers.utils.events import list_events
from schema.data_readiness.workflow import WorkflowType
from tests.data_readiness.test_tagging import PERSONS, SECRET, Tagger
from tests.support.ingestion import Bench, Source, bench, setting_overrides, source

__all__ = ["bench", "setting_overrides", "source"]

pytestmark = pytest.mark.anyio


async def told(bench: Bench, **filters: Any) -> list[dict[str, Any]]:
    """The events of the project, the first ones first."""
    await bench.world.app.parts.events.tick()
    found: list[dict[str, Any]] = (await bench.call(list_events, limit=100, **filters))["items"]
    return found[::-1]


async def test_a_changed_source_is_told_and_an_unchanged_or_new_one_is_not(bench: Bench, source: Source) -> None:
    await bench.ingest()
    await bench.ingest()
    assert [event["type"] for event in await told(bench)] == ["run.started", "run.ended"] * 2
    source.run("alter table sales.orders add column note text, drop column placed; drop view sales.big")
    source.run("comment on column sales.customers.email is 'Other words.'")
    await bench.ingest()
    changed = await told(bench, type="schema.changed")
    orders, big = (f"shop.{source.database}.sales.{name}" for name in ("orders", "big"))
    assert {event["asset_fqn"]: event["data"] for event in changed} == {
        orders: {
            "change": "columns", "total": 2,
            "columns": [{"name": "note", "change": "added"}, {"name": "placed", "change": "deleted"}],
        },
        big: {"change": "removed", "columns": [], "total": 0},
    }  # fmt: skip
    last = (await told(bench))[-1]
    assert (last["type"], last["data"]["status"], last["data"]["workflow_type"]) == (
        "run.ended", "completed", "service-ingestion",
    )  # fmt: skip


async def test_personal_data_is_told_once_and_so_is_what_waits(bench: Bench, source: Source) -> None:
    source.run(PERSONS)
    await bench.ingest()
    tagger = Tagger(bench, source)
    await tagger.run(WorkflowType.GENERATE_PII_TAGS)
    await tagger.run(WorkflowType.GENERATE_PII_TAGS)
    (found,) = await told(bench, type="personal_data.found")
    table = f"{tagger.prefix}.t1"
    assert (found["asset_fqn"], found["severity"]) == (table, "medium")
    assert f"{table}.c17" in {column["asset_fqn"] for column in found["data"]["columns"]}
    (waiting,) = await told(bench, type="proposals.waiting")
    assert waiting["data"]["proposals"] > 0
    assert SECRET not in str(await told(bench))
