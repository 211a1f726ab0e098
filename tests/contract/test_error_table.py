"""Every operation fails in every way that the error table lists for it, through both doors, and in no other."""

import json
from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from auth.rate_limit import CallKind, Limits
from auth.relations import Relations
from resolvers.operation import OwnView
from rest_compat.transfer import UploadRoute
from schema.errors import UpstreamUnavailable
from tests.contract.envelopes import SECRET, assert_envelope, assert_variant
from tests.contract.stage import Stage
from tests.contract.table.errors import (
    ALWAYS,
    GONE,
    IN_REST,
    KEEPS_NO_REVISION,
    KEY_TAKEN,
    NAMES_NO_TWIN,
    NAMES_NOTHING,
    NO_PROJECT,
    NO_STORE,
    NOT_HIS_PROJECT,
    OWN_VIEW,
    STATELESS,
    TAKEN,
    TAKEN_ID,
    Never,
)
from tests.contract.table.states import STATES
from tests.contract.test_bounds import BY_SERVICE, Calls, operations_of
from tests.contract.test_permission_matrix import headers_of, nonexistent, verdict
from tests.doors import ROUTES, Door, Refused, RestDoor
from tests.world import World

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

JSON = "application/json"
OTHER_TYPES = ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", "*/*")


@pytest.fixture
def store_kind() -> str:
    """How a failure is told does not depend on the store; what its rules refuse runs on both elsewhere."""
    return "sqlite"


@pytest.fixture
def setting_overrides() -> dict[str, Any]:
    """A body limit that a test can pass quickly."""
    return {"max_body_bytes": 300_000}


def wrong_envelope(door: Door, service: str, answer: Any, expected: tuple[int, str], said: str) -> str | None:
    """Return what is wrong with a refusal: its status, its code, or any key of its envelope."""
    status, code = expected
    told = (answer.status, answer.code) if isinstance(answer, Refused) else "taken"
    if told != expected:
        return f"{said}: {told}, not {expected}: {getattr(answer, 'message', '')}"
    last = door.last
    assert last is not None
    if SECRET in last.text:
        return f"{said}: shows what failed"
    # A subscription is answered 200 before its events, and an error is the first of them.
    if status == 429 and last.status_code == 429 and not 1 <= int(last.headers["Retry-After"]) <= 60:
        return f"{said}: Retry-After is {last.headers['Retry-After']}"
    if status == 401 and door.name == "rest" and last.headers["WWW-Authenticate"] != "Bearer":
        return f"{said}: is not challenged"
    if door.name == "rest":
        (assert_variant if service == "data-readiness" else assert_envelope)(last, status, code)
    for error in errors_of(last) if door.name == "graphql" else ():
        keys = set(error["extensions"]) - {"argument"}  # the graph's own name of what was wrong, where one was
        if keys != {"code", "status", "details"} | ({"retry_after"} if status == 429 else set()):
            return f"{said}: {error}"
        if status == 429 and not 1 <= error["extensions"]["retry_after"] <= 60:
            return f"{said}: {error}"
    return None


def errors_of(answer: httpx.Response) -> list[dict[str, Any]]:
    """Return what a graph refused, in its answer or in the first event of a stream; nothing when it was not reached."""
    text = answer.text
    if answer.headers["content-type"].startswith("text/event-stream"):
        text = next(line for line in text.splitlines() if line.startswith("data: {")).removeprefix("data: ")
    errors: list[dict[str, Any]] = json.loads(text).get("errors", [])
    return errors


async def each(stage: Stage, door: Door, service: str) -> list[tuple[Calls, dict[str, Any]]]:
    """Every operation of a service, with arguments that are taken."""
    found = [Calls(stage, door, operation) for operation in operations_of(service)]
    return [(calls, await calls.base()) for calls in found]


async def called(calls: Calls, arguments: dict[str, Any], authorization: str | None, **headers: str) -> Any:
    """Call it with any header at all."""
    sent = {"X-Project-ID": calls.stage.world.shop, **headers}
    if authorization is not None:
        sent["Authorization"] = f"Bearer {authorization}"
    return await calls.door(calls.op, None, sent, **dict(arguments))


@BY_SERVICE
async def test_what_every_operation_can_meet(
    world: World, door: Door, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, wrong, met = await Stage.set(world), [], set[str]()
    ready = await each(stage, door, service)
    owner, parts = world.owner, world.app.parts
    expired = world.token("olga", project=world.shop, ttl=1)
    world.clock.moment += timedelta(minutes=10)
    head = owner.rpartition(".")[0]
    forged = f"{head}.{world.token('somebody').rpartition('.')[2]}"

    async def meet(failure: str, authorization: str | None = owner) -> None:
        met.add(failure)
        await world.jobs.settle()
        before = await world.dump() if failure not in ("the store fails", "an unexpected failure") else None
        for calls, arguments in ready:
            expected = NO_STORE.get(calls.op.name) if failure == "the store fails" else ALWAYS[failure]
            if isinstance(calls.op.needs, OwnView) and failure in ("the engine is down", "an unexpected failure"):
                continue  # which relations it asks for depends on what there is; the tests of the lists say so
            if isinstance(expected, Never):
                continue
            answer = await called(calls, arguments, authorization)
            said = f"{calls.op.name}: {failure}"
            wrong.append(wrong_envelope(door, service, answer, expected or ALWAYS[failure], said))
        if before is not None and failure != "the engine is down":
            assert await world.dump() == before, failure

    await meet("no token", None)
    await meet("an expired token", expired)
    await meet("a token of another issuer", forged)
    await meet("a token that is none", "nonsense")
    with monkeypatch.context() as patch:
        patch.setattr(world.app, "_ready", False)
        await meet("the service starts")
    kept = parts.context_factory.defaults
    object.__setattr__(parts.context_factory, "defaults", Limits(0, 0, 0, 0))
    await meet("a full window")
    object.__setattr__(parts.context_factory, "defaults", kept)

    methods = [name for name in vars(Relations) if not name.startswith("_") and name != "close"]
    for failure, raised in (
        ("the engine is down", UpstreamUnavailable("The authorization engine cannot be reached. Retry shortly.")),
        ("an unexpected failure", RuntimeError(SECRET)),
    ):

        async def broken(*_: object, raised: Exception = raised, **__: object) -> Any:
            raise raised

        with monkeypatch.context() as patch:
            for name in methods:
                patch.setattr(parts.services.relations, name, broken)
            if failure == "an unexpected failure":
                await meet(failure)
            else:
                met.add(failure)
                for calls, arguments in ready:
                    if not isinstance(calls.op.needs, OwnView):
                        answer = await called(calls, arguments, owner)
                        said = f"{calls.op.name}: {failure}"
                        wrong.append(wrong_envelope(door, service, answer, ALWAYS[failure], said))

    def fail(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        raise sa.exc.OperationalError(statement, {}, Exception(SECRET))

    for engine in parts.database.sync_engines:
        sa.event.listen(engine, "before_cursor_execute", fail)
    try:
        await meet("the store fails")
    finally:
        for engine in parts.database.sync_engines:
            sa.event.remove(engine, "before_cursor_execute", fail)
    assert met == set(ALWAYS)
    assert not any(wrong), "\n".join(filter(None, wrong))


@BY_SERVICE
async def test_what_only_a_path_can_meet(world: World, service: str) -> None:
    stage, wrong, door = await Stage.set(world), [], RestDoor(world.client)

    async def ask(
        calls: Calls, arguments: dict[str, Any], method: str, content: bytes | None, kind: str
    ) -> httpx.Response:
        path = calls.route.path
        for name, value in arguments.items():
            path = path.replace("{%s}" % name, str(value))
        asked = {p.name: arguments[p.name] for p in calls.op.plain if p.name in arguments}
        query = {name: value for name, value in asked.items() if "{%s}" % name not in calls.route.path}
        headers = {"X-Project-ID": world.shop, "Content-Type": kind}
        return await world.request(method, path, token=world.owner, content=content, params=query, headers=headers)

    for calls, arguments in await each(stage, door, service):
        (method,) = calls.route.methods or {""}
        other = next(m for m in ("DELETE", "PATCH", "PUT", "POST") if m not in calls.route.allowed)
        tries: list[tuple[str, str, bytes | None, str]] = [("a method that the path does not take", other, None, JSON)]
        if calls.op.body is not None:
            right = arguments.get(calls.op.body.name, {})
            wrong_types = (*OTHER_TYPES, JSON if isinstance(calls.route, UploadRoute) else "multipart/form-data")
            tries += [
                ("a body of another media type", method, json.dumps(right).encode(), kind) for kind in wrong_types
            ]
        if calls.op.body is not None and not isinstance(calls.route, UploadRoute):  # `test_transfer.py` has the forms
            tries.append(("a body that is too large", method, b'{"a":"' + b"x" * 400_000 + b'"}', JSON))
            tries.append(("a body that is no JSON", method, b'{"a": ', JSON))
        for failure, sent, content, kind in tries:
            answer = await ask(calls, arguments, sent, content, kind)
            status, code = IN_REST[failure]
            if answer.status_code != status:
                wrong.append(f"{calls.op.name}: {failure}: {answer.status_code} {answer.text}")
                continue
            (assert_variant if service == "data-readiness" else assert_envelope)(answer, status, code)
            if status == 405:
                assert set(answer.headers["Allow"].split(", ")) == calls.route.allowed, calls.op.name
    assert not wrong, "\n".join(wrong)


LACKING = {"permission", "resource_type", "resource_id"}
"""What a program is told of a permission that is lacking."""


@BY_SERVICE
async def test_who_may_not_is_refused_and_what_is_not_there_is_not_found(
    world: World, door: Door, service: str
) -> None:
    stage, wrong = await Stage.set(world), []
    own, other = stage.places["own"], stage.places["other"]
    for operation in operations_of(service):
        calls = Calls(stage, door, operation)
        case, makes = calls.case, calls.case.makes
        forbidden = verdict(case, "nobody", "own")
        if isinstance(may_be_forbidden(calls), Never):
            assert forbidden == "allowed", operation
        else:
            answer = await door(calls.op, stage.tokens["nobody"], headers_of(case, own, own), **await makes(stage, own))
            wrong.append(wrong_envelope(door, service, answer, (403, forbidden), f"{operation}: nobody"))
            if isinstance(answer, Refused) and not answer.details.keys() >= LACKING:
                wrong.append(f"{operation}: nobody: {answer.details}")
        if isinstance(may_be_missing(calls), Never):
            continue
        for name, arguments in (
            ("a stranger's", await makes(stage, other)),
            ("none", nonexistent(case, await makes(stage, own))[0]),
        ):
            answer = await door(calls.op, stage.owners["own"], headers_of(case, own, own), **arguments)
            wrong.append(wrong_envelope(door, service, answer, (404, "RESOURCE_NOT_FOUND"), f"{operation}: {name}"))
            if isinstance(answer, Refused) and set(answer.details) != {"resource_type", "resource_id"}:
                wrong.append(f"{operation}: {name}: {answer.details}")
    assert not any(wrong), "\n".join(filter(None, wrong))


@BY_SERVICE
async def test_the_same_twice_and_a_version_that_is_gone(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    for operation in operations_of(service):
        calls = Calls(stage, door, operation)
        if calls.op.kind is CallKind.READ:
            assert operation not in TAKEN
            assert operation not in GONE
            continue
        if isinstance(may_conflict(calls), Never):
            assert not operation.startswith("update_"), operation
        else:
            answer = await called(calls, await calls.base(), await asker(calls), **{"If-Match": '"99"'})
            wrong.append(wrong_envelope(door, service, answer, (409, "VERSION_CONFLICT"), f"{operation}: If-Match"))
            if isinstance(answer, Refused) and (named := _named(calls)) != answer.details.get("resource_id"):
                wrong.append(f"{operation}: If-Match: names {answer.details}, not {named}")
        arguments = await calls.base()
        first = await calls.call(**arguments)
        if isinstance(first, Refused):
            wrong.append(f"{operation}: {first}")
        answer = await calls.call(**arguments)
        expected = may_be_taken(calls)
        if operation in GONE:
            expected = (404, "RESOURCE_NOT_FOUND")
        if not isinstance(expected, Never):
            wrong.append(wrong_envelope(door, service, answer, expected, f"{operation}: twice"))
            if operation in TAKEN and isinstance(answer, Refused):
                id = TAKEN_ID.get(operation, lambda made, given: made["id"])(first, arguments)
                if answer.details.get("resource_id") != id:
                    wrong.append(f"{operation}: twice: names {answer.details}, not {id}")
        elif isinstance(answer, Refused) and answer.status not in (200, 422):
            wrong.append(f"{operation}: twice: {answer} is not in the table")
    assert not any(wrong), "\n".join(filter(None, wrong))


def _named(calls: Calls) -> str | None:
    """The id of what an operation is about, as its arguments name it."""
    given, id = calls.arguments, calls.case.id
    assert given is not None
    if "secret" in calls.op.name:
        return f"{given.get('resource_id', calls.stage.world.shop)}/{given['name']}"
    return calls.stage.world.shop if id is None else str(given.get("fqn", given[id]))


@BY_SERVICE
async def test_a_key_that_stands_for_another_request(world: World, door: Door, service: str) -> None:
    stage, wrong = await Stage.set(world), []
    for operation in operations_of(service):
        calls = Calls(stage, door, operation)
        if calls.op.kind is CallKind.READ:
            continue
        token, arguments = await asker(calls), await calls.base()
        first = await called(calls, arguments, token, **{"Idempotency-Key": operation})
        assert not isinstance(first, Refused), f"{operation}: {first}"
        calls.arguments = None
        await world.jobs.settle()
        other = await calls.base()
        # The same call is another one when it means another revision.
        headers = {"Idempotency-Key": operation} | ({"If-Match": '"1"'} if other == arguments else {})
        before = await world.dump()
        answer = await called(calls, other, token, **headers)
        wrong.append(wrong_envelope(door, service, answer, KEY_TAKEN, f"{operation}: another request"))
        if await world.dump() != before:
            wrong.append(f"{operation}: a refused call changed something")
    assert not any(wrong), "\n".join(filter(None, wrong))


@BY_SERVICE
async def test_a_project_that_has_to_be_named_and_one_that_is_not_the_callers(
    world: World, door: Door, service: str
) -> None:
    stage, wrong = await Stage.set(world), []
    nowhere = world.token("olga")
    for operation in operations_of(service):
        calls = Calls(stage, door, operation)
        arguments, token = await calls.base(), await asker(calls)
        if calls.case.on in ("project", "own session") or calls.route.project == "required":
            answer = await door(calls.op, nowhere, {}, **arguments)
            wrong.append(wrong_envelope(door, service, answer, NO_PROJECT, f"{operation}: no project"))
        answer = await door(calls.op, token, {"X-Project-ID": world.theirs}, **arguments)
        wrong.append(wrong_envelope(door, service, answer, NOT_HIS_PROJECT, f"{operation}: a stranger's project"))
    assert not any(wrong), "\n".join(filter(None, wrong))


@BY_SERVICE
async def test_what_a_state_does_not_allow_is_refused_and_changes_nothing(
    world: World, door: Door, service: str
) -> None:
    stage, wrong = await Stage.set(world), []
    known = operations_of(service)
    for state in (state for state in STATES if state.operation in known):
        calls = Calls(stage, door, state.operation)
        arguments, token = await state.makes(stage, stage.places["own"]), await asker(calls)
        await world.jobs.settle()
        before = await world.dump()
        answer = await called(calls, arguments, token)
        said = f"{state.operation}: {state.state}"
        wrong.append(wrong_envelope(door, service, answer, state.told, said))
        if isinstance(answer, Refused) and state.field is not None and answer.details.get("field") != state.field:
            wrong.append(f"{said}: {answer.details}, not {state.field}")
        after = await world.dump()
        changed = [name for name, rows in after.items() if rows != before[name]]
        if changed:
            wrong.append(f"{said}: changed {', '.join(changed)}")
    assert not any(wrong), "\n".join(filter(None, wrong))


def test_every_operation_that_writes_has_its_states_or_has_none() -> None:
    writes = {name for name, route in ROUTES.items() if route.operation.kind is not CallKind.READ}
    stateful = {state.operation for state in STATES}
    assert stateful | STATELESS == writes
    assert not stateful & STATELESS


async def asker(calls: Calls) -> str:
    """The token of who may."""
    stage = calls.stage
    token = stage.tokens["project operator"] if calls.case.on == "own session" else stage.owners["own"]
    assert token is not None
    return token


def may_be_forbidden(calls: Calls) -> tuple[int, str] | Never:
    """Return whether a caller can lack the permission."""
    return OWN_VIEW if calls.case.on == "own view" else (403, "FORBIDDEN")


def may_be_missing(calls: Calls) -> tuple[int, str] | Never:
    """Return whether what is named can be missing."""
    return (404, "RESOURCE_NOT_FOUND") if calls.case.id is not None else NAMES_NOTHING


def may_be_taken(calls: Calls) -> tuple[int, str] | Never:
    """Return whether what is made can stand already."""
    return TAKEN.get(calls.op.name, NAMES_NO_TWIN)


def may_conflict(calls: Calls) -> tuple[int, str] | Never:
    """Return whether somebody else can have changed it first."""
    return (409, "VERSION_CONFLICT") if "If-Match" in calls.described.headers else KEEPS_NO_REVISION


def test_the_error_table_names_operations_that_there_are() -> None:
    assert set(TAKEN) | GONE | set(NO_STORE) <= set(ROUTES)
    assert not set(TAKEN) & GONE
