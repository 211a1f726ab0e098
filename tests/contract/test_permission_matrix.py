"""Who may do what (contract 5.1): every operation, for every role, on what is his, his neighbour's and a stranger's.

Nothing here is read from the product: what an operation needs and what a role has are written down a second time.
"""

import re
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
import sqlalchemy as sa
from pydantic import BaseModel

from resolvers.operation import Operation
from tests.contract import stage as on
from tests.contract.cases import CASES
from tests.contract.stage import MARK, ROLES, Case, Place, Stage
from tests.doors import FIELDS, OPERATIONS, ROUTES, Door, Refused
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

OO, OA, OM = "organization owner", "organization admin", "organization member"
PO, PA, PD, PP, PV = (f"project {r}" for r in ("owner", "admin", "developer", "operator", "viewer"))
CO, CD, CP, CV = (f"connection {r}" for r in ("owner", "developer", "operator", "viewer"))
WORKER = "service worker"

ON_ORGANIZATION = {
    "can_read": {OO, OA, OM},
    "can_create_resources": {OO, OA},
    "can_manage_projects": {OO, OA},
    "can_manage_users": {OO, OA},
}
ON_PROJECT = {
    "can_read": {OO, OA, OM, PO, PA, PD, PP, PV},
    "can_create_resources": {OO, OA, PO, PA, PD},
    "can_write": {OO, OA, PO, PA, PD},
    "can_delete": {OO, OA, PO, PA},
    "can_execute": {OO, OA, PO, PA, PD, PP},
    "can_read_secrets": {OO, OA, PO, PA, WORKER},
    "can_manage_secrets": {OO, OA, PO, PA},
    "can_read_metadata": {OO, OA, OM, PO, PA, PD, PP, PV},
    "can_manage_metadata": {OO, OA, PO, PA, PD},
}
ON_CONNECTION = {
    "can_read": {OO, OA, OM, PO, PA, PD, PP, PV, CO, CD, CP, CV},
    "can_write": {OO, OA, PO, PA, PD, CO, CD},
    "can_delete": {OO, OA, PO, PA, CO},
    "can_execute": {OO, OA, PO, PA, PD, PP, WORKER, CO, CD, CP},
    "can_share": {OO, OA, PO, PA, CO},
    "can_read_secrets": {OO, OA, PO, PA, WORKER, CO},
    "can_manage_secrets": {OO, OA, PO, PA, CO},
    "can_read_metadata": {OO, OA, OM, PO, PA, PD, PP, PV, CO, CD, CP, CV},
    "can_manage_metadata": {OO, OA, PO, PA, PD, CO, CD},
}
ON_SERVER = ON_CONNECTION | {"can_execute": ON_CONNECTION["can_execute"] - {WORKER}}
"""A background worker reads data; nothing lets it call what others offer."""
WHOLE_ORGANIZATION = {OO, OA, OM}
"""The roles that reach into the sibling project; the others end at their own."""


MATRIX = [
    Case("list_organizations", "own view", "", on.nothing),
    Case("get_organization", "organization", "can_read", on.organization, "org_id"),
    Case("get_rate_limits", "organization", "can_read", on.organization, "org_id"),
    Case("set_rate_limits", "organization", "can_manage_users", on.limits, "org_id"),
    Case("create_project", "organization", "can_manage_projects", on.new_project),
    Case("list_projects", "own view", "", on.nothing),
    Case("get_project", "named project", "can_read", on.project, "project_id"),
    Case("check_permission", "own view", "", on.question),
    Case("check_permission", "organization", "can_manage_users", on.question_about_another),
    Case("explain_permission", "own view", "", on.question),
    Case("explain_permission", "organization", "can_manage_users", on.question_about_another),
    Case("grant_permission", "connection", "can_share", on.grant, "grant.resource_id"),
    Case("revoke_permission", "connection", "can_share", on.standing_grant, "grant.resource_id"),
    Case("set_parent", "parent", "can_share", on.parent, "link.resource_id"),
    Case("delete_all_permissions", "connection", "can_share", on.target, "target.resource_id"),
    Case("list_role_holders", "connection", "can_share", on.connection_secrets, "resource_id"),
    Case("list_audit_entries", "organization", "can_manage_users", on.nothing),
    Case("repair_access", "organization", "can_manage_users", on.nothing),
    Case("create_project_secret", "project", "can_manage_secrets", on.new_secret, header=True),
    Case("list_project_secrets", "project", "can_read_secrets", on.nothing, header=True),
    Case("get_project_secret", "project", "can_read_secrets", on.project_secret, "name", header=True),
    Case("update_project_secret", "project", "can_manage_secrets", on.changed_project_secret, "name", header=True),
    Case("delete_project_secret", "project", "can_manage_secrets", on.project_secret, "name", header=True),
    Case("create_resource_secret", "connection", "can_manage_secrets", on.new_connection_secret, "resource_id"),
    Case("list_resource_secrets", "connection", "can_read_secrets", on.connection_secrets, "resource_id"),
    Case("get_resource_secret", "connection", "can_read_secrets", on.connection_secret, "resource_id"),
    Case("update_resource_secret", "connection", "can_manage_secrets", on.changed_connection_secret, "resource_id"),
    Case("delete_resource_secret", "connection", "can_manage_secrets", on.connection_secret, "resource_id"),
    Case("create_data_connection", "project", "can_create_resources", on.new_connection),
    Case("create_data_connection", "organization", "can_create_resources", on.new_wide_connection),
    Case("list_data_connections", "project", "can_read", on.nothing),
    Case("get_data_connection", "connection", "can_read", on.connection, "resource_uri"),
    Case("update_data_connection", "connection", "can_write", on.changed_connection, "resource_uri"),
    Case("verify_data_connection", "connection", "can_execute", on.connection, "resource_uri"),
    Case("delete_data_connection", "connection", "can_delete", on.connection, "resource_uri"),
    Case("get_data_connection_secret", "connection", "can_read_secrets", on.connection, "resource_uri"),
    Case("search_metadata", "project", "can_read_metadata", on.nothing, header=True),
    Case("get_metadata", "connection", "can_read_metadata", on.asset, "resource_uri", header=True),
    Case("create_metadata", "connection", "can_manage_metadata", on.new_asset, "resource_uri", header=True),
    Case("update_metadata", "connection", "can_manage_metadata", on.changed_asset, "resource_uri", header=True),
    Case("delete_metadata", "connection", "can_manage_metadata", on.asset, "resource_uri", header=True),
    Case("create_workflow_configuration", "project", "can_create_resources", on.new_configuration),
    Case("list_workflow_configurations", "project", "can_read", on.nothing),
    Case("get_workflow_configuration", "project", "can_read", on.configuration, "configuration_id"),
    Case("trigger_run", "project", "can_execute", on.new_run, "configuration_id"),
    Case("list_workflow_runs", "project", "can_read", on.configuration, "configuration_id"),
    Case("get_workflow_run", "project", "can_read", on.run, "run_id"),
    Case("get_run_openlineage", "project", "can_read", on.run, "run_id"),
    Case("list_run_tasks", "project", "can_read", on.run, "run_id"),
    Case("run_progress", "project", "can_read", on.ended_run, "run_id"),
    Case("cancel_run", "project", "can_execute", on.run, "run_id"),
    *CASES,
]


def verdict(case: Case, role: str, place: str) -> str:
    """ "allowed", or the code of the refusal."""
    if role == "anonymous":
        return "UNAUTHENTICATED"
    if case.on == "own view":
        return "allowed"
    if case.on == "organization":
        if case.id and place == "other":
            return "RESOURCE_NOT_FOUND"
        if role in ON_ORGANIZATION[case.needs]:
            return "allowed"
        return "FORBIDDEN" if role in WHOLE_ORGANIZATION else "ORG_ACCESS_DENIED"
    reaches = place == "own" or role in WHOLE_ORGANIZATION
    if case.on == "named project":
        if place == "other":
            return "RESOURCE_NOT_FOUND"
        if reaches and role in ON_PROJECT[case.needs]:
            return "allowed"
        return "PROJECT_ACCESS_DENIED" if place == "own" else "FORBIDDEN"
    if case.on in ("project", "own session"):
        if reaches and role in ON_PROJECT[case.needs]:
            if place == "other":
                return "RESOURCE_NOT_FOUND"
            return "FORBIDDEN" if case.on == "own session" and (place, role) != ("own", PP) else "allowed"
        if place == "other" and role in ON_PROJECT[case.needs]:
            return "RESOURCE_NOT_FOUND"
        sees = role in ON_PROJECT["can_read"] and (place != "sibling" or role in WHOLE_ORGANIZATION)
        return "FORBIDDEN" if sees else "PROJECT_ACCESS_DENIED"
    if place == "other":
        return "RESOURCE_NOT_FOUND"
    if place == "sibling" and case.header and role not in WHOLE_ORGANIZATION:
        return "PROJECT_ACCESS_DENIED"
    on_resource = ON_SERVER if case.on == "server" else ON_CONNECTION
    if not (reaches and role in on_resource[case.needs]):
        return "FORBIDDEN"
    if case.on == "parent" and role == CO:
        return "PROJECT_ACCESS_DENIED"  # he shares the connection, but may put nothing into the project
    return "allowed"


def headers_of(case: Case, place: Place, own: Place) -> dict[str, str]:
    """The project header: the sibling is selected by it where the project is what is asked on."""
    if place.name == "sibling" and (case.on in ("project", "own session") or case.header):
        return {"X-Project-ID": place.project}
    return {"X-Project-ID": own.project} if case.header else {}


def places_of(case: Case) -> list[str]:
    """The places that make a difference to a case."""
    if case.on == "own view":
        return ["own"]
    if case.on == "organization":
        return ["own", "other"] if case.id else ["own"]
    return ["own", "sibling", "other"] if case.id else ["own", "sibling"]


def nonexistent(case: Case, arguments: dict[str, Any]) -> tuple[dict[str, Any], str, str]:
    """The same call about something that does not exist anywhere: (arguments, the real id, the invented one)."""
    assert case.id is not None
    name, _, inner = case.id.partition(".")
    value = arguments[name]
    real = str(getattr(value, inner)) if inner else str(value)
    try:
        invented = str(uuid4()) if UUID(real) else ""
    except ValueError:
        invented = real[:-1] + ("0" if real[-1] != "0" else "1")
    changed = value.model_copy(update={inner: invented}) if isinstance(value, BaseModel) else invented
    return arguments | {name: changed}, real, invented


def comparable(answer: httpx.Response, id: str) -> str:
    """The whole body, without what is new in every answer and without the id that was asked for."""
    streams = answer.headers["content-type"].startswith("text/event-stream")
    body = {} if streams else answer.json()
    own = [answer.headers["X-Request-ID"]]
    if "error" in body:
        own.append(body["error"].get("trace_id", ""))
    text = answer.text.replace(id, "<id>")
    for value in filter(None, own):
        text = text.replace(value, "<new>")
    return text


def cases_of(door: Door) -> list[Case]:
    """The lines of what a door opens: REST has no path for what is only followed in the graph."""
    return [case for case in MATRIX if door.name == "graphql" or case.operation in ROUTES]


def test_the_matrix_has_every_operation_of_both_doors() -> None:
    assert {case.operation for case in MATRIX} == set(ROUTES) | set(FIELDS)


WRITES = re.compile(r"\s*(?:with\b.*?\b)?(?:insert\s+into|update|delete\s+from|merge\s+into)\s+\"?(\w+)", re.I | re.S)
OF_ITSELF = {"workers", "job_ledger", "audit_entries", "audit_heads"}
"""Tables that the platform writes in whatever is asked; a refusal goes into the audit log."""


@pytest.fixture
def written(world: World) -> set[str]:
    """The tables of which a row was written, from the last time on that it was emptied."""
    seen: set[str] = set()

    def record(_connection: Any, cursor: Any, statement: str, *_rest: Any) -> None:
        found = WRITES.match(statement)
        if found and cursor.rowcount != 0 and found[1].lower() not in OF_ITSELF:
            seen.add(found[1].lower())

    for engine in world.app.parts.database.sync_engines:
        sa.event.listen(engine, "after_cursor_execute", record)
    return seen


async def test_a_relation_that_was_written_is_noticed(world: World, written: set[str]) -> None:
    before = await Stage(world).relations_apart()
    await world.grant("ann", "viewer", "project", world.shop)
    assert "relation_tuples" in written or await Stage(world).relations_apart() != before


@pytest.mark.parametrize("half", ["first", "second"])
async def test_every_role_gets_what_the_table_says_and_nothing_else(
    world: World, door: Door, written: set[str], half: str
) -> None:
    """The quick tier tries every other operation through one door, and the rest through the other one."""
    stage = await Stage.set(world)
    wrong: list[str] = []
    opened = cases_of(door)
    for case in (case for case in MATRIX[half == "second" :: 2] if case in opened):
        op = OPERATIONS[case.operation]
        await _refusals(stage, door, case, op, written, wrong)
        await _grants(stage, door, case, op, wrong)
    assert not wrong, "\n".join(wrong)


async def _refusals(
    stage: Stage, door: Door, case: Case, op: Operation[..., Any], written: set[str], wrong: list[str]
) -> None:
    """Everybody who is refused: with the exact code, without a word about the target, and nothing is written.

    What an authorization server holds is read before and after; relations in the store are rows as all others.
    """
    targets = {name: await case.makes(stage, stage.places[name]) for name in places_of(case)}
    await stage.world.jobs.settle()  # what the targets, and the calls of the lines before, have set going
    before = await stage.relations_apart()
    written.clear()
    for name, arguments in targets.items():
        headers = headers_of(case, stage.places[name], stage.places["own"])
        for role in ROLES:
            expected = verdict(case, role, name)
            if expected == "allowed":
                continue
            got = await door(op, stage.tokens[role], headers, **arguments)
            line = f"{case.operation} ({case.on}) by {role} on {name}"
            if got != expected:
                wrong.append(f"{line}: {got if isinstance(got, Refused) else 'allowed'}, not {expected}")
                continue
            answer = door.last
            assert answer is not None
            if MARK in answer.text:
                wrong.append(f"{line}: shows the target: {answer.text}")
            if expected == "RESOURCE_NOT_FOUND":
                invented, real, fake = nonexistent(case, arguments)
                again = await door(op, stage.tokens[role], headers, **invented)
                assert door.last is not None
                if again != expected or comparable(answer, real) != comparable(door.last, fake):
                    wrong.append(f"{line}: a stranger's differs from none: {answer.text} | {door.last.text}")
    if written:
        wrong.append(f"{case.operation} ({case.on}): a refused call wrote {', '.join(sorted(written))}")
    if await stage.relations_apart() != before:
        wrong.append(f"{case.operation} ({case.on}): a refused call changed relations")


async def _grants(stage: Stage, door: Door, case: Case, op: Operation[..., Any], wrong: list[str]) -> None:
    """Everybody who is allowed, each on a target of his own."""
    fresh = op.kind != "reads"
    for name in places_of(case):
        place, arguments = stage.places[name], None
        for role in ROLES:
            if verdict(case, role, name) != "allowed":
                continue
            if fresh or arguments is None:
                arguments = await case.makes(stage, place)
            got = await door(op, stage.tokens[role], headers_of(case, place, stage.places["own"]), **arguments)
            if isinstance(got, Refused):
                wrong.append(f"{case.operation} ({case.on}) by {role} on {name}: {got}, not allowed")


async def test_a_project_that_the_caller_cannot_read_cannot_be_selected(world: World, door: Door) -> None:
    """Return whether it is a stranger's, a neighbour's or none at all looks the same."""
    stage = await Stage.set(world)
    for case in (case for case in cases_of(door) if case.on in ("project", "own session")):
        op = OPERATIONS[case.operation]
        arguments = await case.makes(stage, stage.places["own"])
        texts = set()
        for project in (world.lab, world.theirs, str(uuid4())):
            refused = await door(op, stage.tokens["project owner"], {"X-Project-ID": project}, **arguments)
            assert refused == "PROJECT_ACCESS_DENIED", case.operation
            assert refused.status == 403
            assert door.last is not None
            texts.add(comparable(door.last, project))
        assert len(texts) == 1, case.operation


async def test_a_list_shows_only_what_the_caller_may_read(world: World, door: Door) -> None:
    stage = await Stage.set(world)
    for place in stage.places.values():
        await stage.connection(place)
        await stage.configuration(place)
        await stage.project_secret(place)
    listed = {
        "list_projects": (OO, "id", {world.shop, world.lab}),
        "list_organizations": (OM, "id", {"acme"}),
    }
    for name, (role, key, expected) in listed.items():
        found = await door(ROUTES[name].operation, stage.tokens[role])
        assert {item[key] for item in found["items"]} == expected
    for role, ids in ((PV, {world.shop}), (CO, set()), ("nobody", set())):
        found = await door(ROUTES["list_projects"].operation, stage.tokens[role])
        assert ({item["id"] for item in found["items"]}, found["total"]) == (ids, len(ids))
    assert await door(ROUTES["list_organizations"].operation, stage.tokens[PV]) == {"items": [], "total": 0}
    for name in ("list_data_connections", "list_workflow_configurations", "list_project_secrets"):
        found = await door(ROUTES[name].operation, stage.tokens[PO])
        assert found["total"] == len(found["items"]) == 1, name
    connections = await door(ROUTES["list_data_connections"].operation, stage.tokens[PO])
    assert {item["project_id"] for item in connections["items"]} == {world.shop}
