"""Events: each in the transaction that makes it true, in the order of its project, listed through both doors."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import sqlalchemy as sa

from persistence.queries.events import Happening
from persistence.repository import Scope
from persistence.tables.events import events
from resolvers.assets.data_connections import create_data_connection, verify_data_connection
from resolvers.data_readiness.glossary import create_glossary_term, delete_glossary_term, review_glossary_term
from resolvers.data_readiness.runs.operations import cancel_run
from resolvers.data_readiness.violations import decide_violations, update_violation
from resolvers.governance.organizations import set_rate_limits
from resolvers.utils.event_sequencing import EventSequencer
from resolvers.utils.event_settings import EventSettings
from resolvers.utils.events import list_events
from resolvers.utils.metadata import create_metadata
from schema.data_readiness.violation import Severity
from schema.governance.organization import RateLimitsChange
from schema.utils.event import EventType, cloud_event
from schema.utils.metadata_asset import MetadataAssetCreate
from tests.data_readiness.quality import ORDERS, a_run, find, finding, scope_of, violation_ids
from tests.doors import Door
from tests.world import ORG, OTHER_ORG, World

pytestmark = pytest.mark.anyio


async def told(world: World, door: Door, **filters: Any) -> list[dict[str, Any]]:
    """The events of the project shop, the first ones first."""
    await world.app.parts.events.tick()
    answer = await door(list_events, world.owner, limit=100, **filters)
    assert answer["total"] == len(answer["items"])
    items: list[dict[str, Any]] = answer["items"]
    return items[::-1]


async def tell(world: World, *happenings: Happening, scope: Scope | None = None) -> None:
    """Write events down as a transaction of their own."""
    inside, now = scope or scope_of(world), world.clock()
    await world.app.parts.services.store.write(lambda uow: uow.events.tell(inside, now, *happenings))


def kinds(found: list[dict[str, Any]]) -> list[str]:
    """Return what happened."""
    return [event["type"] for event in found]


async def test_a_violation_tells_when_it_opens_is_resolved_and_opens_again(world: World, door: Door) -> None:
    await find(world, finding(severity=Severity.CRITICAL))
    (id,) = await violation_ids(world)
    await find(world, finding(severity=Severity.CRITICAL))  # seen again: nothing new
    await find(world, checked=[finding().check])
    await find(world, finding(severity=Severity.CRITICAL))
    await door(update_violation, world.owner, violation_id=id, changes={"status": "acknowledged"})
    await door(update_violation, world.owner, violation_id=id, changes={"status": "false_positive"})
    await door(decide_violations, world.owner, decision={"only": {"ids": [id]}, "status": "open"})
    found = await told(world, door)
    assert kinds(found) == [
        "violation.opened",
        "violation.resolved",
        "violation.reopened",
        "violation.resolved",
        "violation.reopened",
    ]
    assert [event["sequence"] for event in found] == [1, 2, 3, 4, 5]
    assert len({event["id"] for event in found}) == 5
    first = found[0]
    assert (first["asset_fqn"], first["severity"]) == (f"{ORDERS}.amount", "critical")
    assert first["data"] | {"workflow_run_id": None} == {
        "violation_id": id, "name": "null_values", "display_name": "Null values", "status": "open",
        "workflow_run_id": None,
    }  # fmt: skip


async def test_what_is_taken_back_tells_nothing(world: World, door: Door) -> None:
    run, now = await a_run(world), world.clock()

    def work(uow: Any) -> None:
        uow.violations.record(scope_of(world), run, [finding()], checked=[], actor="olga", at=now)
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        await world.app.parts.services.store.write(work)
    assert await told(world, door) == []
    assert await violation_ids(world) == []


async def test_a_term_tells_of_its_approval_once(world: World, door: Door) -> None:
    term = {"name": "Revenue", "definition": "What was paid.", "status": "in_review"}
    made = await door(create_glossary_term, world.owner, term=term)
    await door(review_glossary_term, world.owner, term_id=made["id"], review={"decision": "approve"})
    again = await door(review_glossary_term, world.owner, term_id=made["id"], review={"decision": "approve"})
    assert again == "VALIDATION_ERROR"
    (event,) = await told(world, door)
    assert event["type"] == "term.approved"
    assert event["data"] == {"term_id": made["id"], "name": "Revenue", "version": 2}


async def test_a_connection_tells_that_it_broke_and_says_no_secret(world: World, door: Door) -> None:
    body = {
        "name": "Shop", "connection_type": "postgres",
        "database_config": {"host": "127.0.0.1", "port": 1, "database": "d"},
        "credentials": {"username": "u", "password": "never-shown"},
    }  # fmt: skip
    made = await door(create_data_connection, world.owner, connection=body)
    for _ in range(2):
        await door(verify_data_connection, world.owner, resource_uri=made["resource_uri"])
    (event,) = await told(world, door)
    assert (event["type"], event["severity"], event["asset_fqn"]) == ("connection.broke", "high", None)
    assert event["data"]["resource_uri"] == made["resource_uri"]
    assert event["data"]["message"]
    assert "never-shown" not in str(event)


async def test_a_run_that_is_canceled_tells_it(world: World, door: Door) -> None:
    run = await a_run(world, status="running")
    row = await world.app.parts.services.store.read(lambda uow: uow.workflow_runs.get(scope_of(world), run))
    await door(cancel_run, world.owner, configuration_id=row.configuration_id, run_id=run)
    (event,) = await told(world, door)
    assert (event["type"], event["data"]["run_id"], event["data"]["status"]) == ("run.ended", run, "canceled")


async def test_events_are_filtered_and_those_of_others_are_not_shown(world: World, door: Door) -> None:
    opened, ended = EventType.VIOLATION_OPENED, EventType.RUN_ENDED
    await tell(world, Happening(opened, "a.b.c.d.e", Severity.LOW), Happening(opened, "a.b.c.dd", Severity.HIGH))
    world.clock.moment += timedelta(hours=1)
    hour = world.clock()
    await tell(world, Happening(ended, "a.b.c.d"))
    await tell(world, Happening(ended, "a.b.c.d"), scope=Scope(ORG, world.lab))
    await tell(world, Happening(ended, "a.b.c.d"), scope=Scope(OTHER_ORG, world.theirs))
    assert [event["asset_fqn"] for event in await told(world, door)] == ["a.b.c.d.e", "a.b.c.dd", "a.b.c.d"]
    assert len(await told(world, door, type="violation.opened")) == 2
    assert [event["asset_fqn"] for event in await told(world, door, asset_fqn="a.b.c.d")] == ["a.b.c.d.e", "a.b.c.d"]
    assert [event["asset_fqn"] for event in await told(world, door, severity="high")] == ["a.b.c.dd"]
    assert kinds(await told(world, door, since=hour)) == ["run.ended"]
    assert kinds(await told(world, door, until=hour)) == ["violation.opened"] * 2
    assert (await door(list_events, world.foreign_owner))["total"] == 1
    assert await door(list_events, world.owner, asset_fqn="..") == "INVALID_PARAMETER"


async def test_a_domain_is_that_of_the_nearest_tag(world: World, door: Door) -> None:
    body = {"name": "Shop", "connection_type": "postgres", "database_config": {"host": "h", "database": "d"}}
    uri = (await door(create_data_connection, world.owner, connection=body))["resource_uri"]

    async def asset(fqn: str, kind: str, *tags: str) -> None:
        labels = [{"tag_id": tag, "tag_fqn": tag, "tag_name": tag.rpartition(".")[2]} for tag in tags]
        fields = MetadataAssetCreate.model_validate({"type": kind, "fully_qualified_name": fqn, "tags": labels})
        made = await door(create_metadata, world.owner, resource_type="data_connection", resource_uri=uri, asset=fields)
        assert made["fully_qualified_name"] == fqn, made

    await asset("s.d", "database", "PII.Email", "Domain.Sales")
    await asset("s.d.p", "database_schema")
    await asset("s.d.p.t", "table", "domain.Finance")
    for fqn in ("s.d.p.u.c", "s.d.p.t.c", "x.d.p.t"):
        await tell(world, Happening(EventType.VIOLATION_OPENED, fqn))
    assert [event["domain"] for event in await told(world, door)] == ["Sales", "Finance", None]
    assert len(await told(world, door, domain="Sales")) == 1


async def test_places_have_no_gap_and_follow_the_order_of_transactions(world: World, door: Door) -> None:
    services = world.app.parts.services
    others = [EventSequencer(services, EventSettings()) for _ in range(3)]
    for number in range(40):
        await tell(world, Happening(EventType.RUN_ENDED, f"a.{number}"))
        if number % 10 == 9:
            await asyncio.gather(*(one.tick() for one in others))
    found = await told(world, door)
    assert [event["sequence"] for event in found] == list(range(1, 41))
    assert [event["asset_fqn"] for event in found] == [f"a.{number}" for number in range(40)]


async def test_old_events_are_removed_and_their_places_are_not_given_again(world: World, door: Door) -> None:
    await tell(world, Happening(EventType.RUN_ENDED), Happening(EventType.RUN_ENDED))
    assert len(await told(world, door)) == 2
    world.clock.moment += timedelta(days=31)
    await tell(world, Happening(EventType.RUN_ENDED))
    world.app.parts.events._forgot_at -= timedelta(days=1)
    await world.app.parts.events.tick()
    count = sa.select(sa.func.count()).select_from(events)
    assert await world.app.parts.services.store.read(lambda uow: uow.connection.execute(count).scalar_one()) == 1
    token = world.token("olga", project=world.shop)
    assert [event["sequence"] for event in (await door(list_events, token))["items"]] == [3]


async def test_an_event_is_a_cloud_event(world: World) -> None:
    await tell(world, Happening(EventType.VIOLATION_OPENED, "a.b", Severity.LOW, {"name": "n"}))
    await tell(world, Happening(EventType.TERM_APPROVED))
    await world.app.parts.events.tick()
    first, second = await world.app.parts.services.store.read(lambda uow: uow.events.after(scope_of(world), 0, 10))
    made = cloud_event(first)
    assert made == {
        "specversion": "1.0", "id": first.id, "source": f"/organizations/{ORG}/projects/{world.shop}",
        "type": "stoa.violation.opened", "time": made["time"], "datacontenttype": "application/json",
        "sequence": "0000000000000000001", "subject": "a.b", "severity": "low", "data": {"name": "n"},
    }  # fmt: skip
    assert made["time"].endswith("Z")
    assert {"subject", "severity", "domain"}.isdisjoint(cloud_event(second))


async def test_a_budget_that_is_nearly_spent_is_told_once_an_hour(world: World, door: Door) -> None:
    await door(set_rate_limits, world.owner, org_id=ORG, limits=RateLimitsChange(writes=10))
    world.app.parts.context_factory.tenant_rows._known.clear()
    stranger = world.token("nobody", project=world.shop)

    async def spend(token: str) -> None:
        for _ in range(9):
            await door(delete_glossary_term, token, term_id=str(uuid4()))

    await spend(stranger)
    assert await told(world, door) == [], "who may not select the project says nothing of it"
    await spend(world.owner)
    await spend(world.owner)
    world.app.parts.services.spent._seen.clear()  # another process, which has told nothing yet
    await spend(world.owner)
    (event,) = await told(world, door)
    said = event["data"]
    assert (event["type"], said["kind"], said["limit"], said["remaining"]) == ("budget.nearly_spent", "writes", 10, 1)
    world.clock.moment += timedelta(hours=1)
    await spend(world.owner)
    assert len(await told(world, door)) == 2
