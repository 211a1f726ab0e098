"""The tools for what goes on by itself: a question and a run are begun, and followed by their handles.

A handle is the ids that the operations take, `turn:SESSION/TURN` or `run:CONFIGURATION/RUN`. Nothing is kept for it: it
holds in every process and for as long as what it names.
"""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final

from resolvers.context import Context
from rest_compat.mcp.bounded import cut_value
from rest_compat.mcp.operations import Calls, Catalog, hints_of
from rest_compat.mcp.tool import HOW, KEYED, Answer, Tool, object_schema
from rest_compat.route import OperationRoute
from schema.data_readiness.workflow_run import RunStatus
from schema.errors import InvalidFormat, InvalidParameter, MissingRequiredField, NotFound
from schema.talk2data.turn import MessageRole, Turn, TurnState

LONGEST_WAIT: Final = 30
_WAITS: Final = 15
_LOOK_SECONDS: Final = 0.25
_OPEN: Final = frozenset({TurnState.CREATED, TurnState.WORKING, RunStatus.PENDING, RunStatus.RUNNING})
_WAIT: Final[dict[str, Any]] = {
    "wait_seconds": {"type": "number", "minimum": 0, "maximum": LONGEST_WAIT, "description": f"{_WAITS} if not said."},
}
_TEXT: Final = {"type": "string"}


def following_tools(catalog: Catalog) -> list[Tool]:
    """The tools that begin and follow, as far as the catalog has their operations."""
    made = []
    if {"create_chat_session", "create_turn", "get_turn", "get_turn_provenance"} <= catalog.routes.keys():
        made.append(_asking(catalog))
    if "trigger_run" in catalog.routes:
        made.append(_running(catalog))
    if {"get_turn", "get_turn_provenance", "get_workflow_run"} & catalog.routes.keys():
        made.append(_watching(catalog))
    return made


def _asking(catalog: Catalog) -> Tool:
    async def run(calls: Calls, given: Mapping[str, Any]) -> Answer:
        wait = _wait(given)
        _require(given, "question")
        how = {name: given[name] for name in ("project", "idempotency_key") if name in given}
        session = given.get("session")
        if session is None:
            key = how.get("idempotency_key")
            opening = how if not isinstance(key, str) else {**how, "idempotency_key": f"{key}#session"}
            began = await _called(calls, catalog.route("create_chat_session"), {}, opening)
            session = began.session_id
        turn: dict[str, Any] = {"message": given["question"]}
        if "reading_id" in given:
            turn["reading_id"] = given["reading_id"]
        if "datasources" in given:
            turn["context"] = {"datasources": given["datasources"]}
        started = await _called(calls, catalog.route("create_turn"), {"session_id": session, "turn": turn}, how)
        return await _turn(catalog, calls, str(session), started.turn_id, wait, given)

    properties = {
        "question": _TEXT,
        "session": {**_TEXT, "description": "To go on in a conversation."},
        "reading_id": {**_TEXT, "description": "The reading that was picked, of a question that was asked back."},
        "datasources": {"type": "array", "items": _TEXT, "description": "Connections or tables to answer from."},
        **_WAIT,
        "project": HOW["project"],
        **KEYED,
    }
    about = (
        "Ask a question of the data in words. The answer has its SQL, rows as an artifact, and what it read; or asks "
        "back with `readings`: pick one and ask again with session and reading_id. One that takes longer goes on: "
        "`watch` its handle."
    )
    hints = hints_of(catalog.route("create_turn"))
    return Tool("ask", about, object_schema(properties, ["question"]), hints, run)


def _running(catalog: Catalog) -> Tool:
    async def run(calls: Calls, given: Mapping[str, Any]) -> Answer:
        _require(given, "configuration_id")
        body = {name: given[name] for name in ("asset_fqn", "parameters") if name in given}
        plain = {"configuration_id": given["configuration_id"], "run": body}
        route = catalog.route("trigger_run")
        ctx = await calls.received(route.operation.kind, given)
        started = await calls.called(ctx, route, plain, given)
        handle = f"run:{started.configuration_id}/{started.id}"
        told = {"handle": handle, "done": False, "run": started}
        cursors, place = calls.place(ctx, "run", {}, {})
        return cut_value("trigger_run", told, place, cursors, most=calls.most)

    properties = {
        "configuration_id": {**_TEXT, "description": "list_workflow_configurations has them."},
        "asset_fqn": _TEXT,
        "parameters": {"type": "object"},
        "project": HOW["project"],
        **KEYED,
    }
    about = "Start a run of a workflow: profiling, checks, enrichment. `watch` its handle."
    route = catalog.route("trigger_run")
    return Tool("run", about, object_schema(properties, ["configuration_id"]), hints_of(route), run)


def _watching(catalog: Catalog) -> Tool:
    async def run(calls: Calls, given: Mapping[str, Any]) -> Answer:
        wait = _wait(given)
        _require(given, "handle")
        kind, first, second = _opened(given["handle"])
        if kind == "turn":
            return await _turn(catalog, calls, first, second, wait, given)
        route = catalog.route("get_workflow_run")
        plain = {"configuration_id": first, "run_id": second}
        ctx = await calls.received(route.operation.kind, given)
        found = await _ended(calls, ctx, route, plain, wait)
        told = {"handle": given["handle"], "done": found.status not in _OPEN, "run": found}
        cursors, place = calls.place(ctx, "watch", plain, given)
        return cut_value("get_workflow_run", told, place, cursors, most=calls.most)

    about = "Follow a question or a run by its handle: how far it is, and what came of it once it is done."
    properties = {"handle": _TEXT, **_WAIT, **HOW}
    return Tool("watch", about, object_schema(properties, ["handle"]), _READS, run)


_READS: Final = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


async def _turn(
    catalog: Catalog, calls: Calls, session: str, turn_id: str, wait: float, how: Mapping[str, Any]
) -> Answer:
    """How far a question is, or its answer."""
    route = catalog.route("get_turn")
    plain = {"session_id": session, "turn_id": turn_id}
    named = {name: how[name] for name in ("project",) if name in how}
    ctx = await calls.received(route.operation.kind, named)
    turn: Turn = await _ended(calls, ctx, route, plain, wait)
    said = [message for message in turn.messages if message.role is MessageRole.ASSISTANT]
    told: dict[str, Any] = {
        "handle": f"turn:{session}/{turn_id}",
        "session": session,
        "state": turn.state,
        "done": turn.state not in _OPEN,
        "answer": "\n\n".join(message.content for message in said) or None,
        "artifacts": [uri for message in said for uri in message.generated_artifacts],
    }
    if turn.state is TurnState.COMPLETED:
        await _explained(calls, ctx, catalog.route("get_turn_provenance"), plain, told)
    elif told["done"] and turn.task_updates:
        told["ended"] = turn.task_updates[-1].message
    cursors, place = calls.place(ctx, "watch", plain, {"cursor": how.get("cursor")})
    return cut_value("get_turn", told, place, cursors, most=calls.most)


async def _explained(
    calls: Calls, ctx: Context, route: OperationRoute, plain: Mapping[str, Any], told: dict[str, Any]
) -> None:
    """Add where an answer comes from; or, where the question was asked back, what it may have meant."""
    try:
        found = await calls.called(ctx, route, plain)
    except NotFound:  # an answer that read nothing has none
        return
    told["kind"] = found.kind
    if found.readings:
        told["readings"] = found.readings
    else:
        told["from"] = {
            "sql": found.sql_run,
            "tables": found.tables,
            "row_count": found.row_count,
            "truncated": found.truncated,
            "confidence": found.confidence,
            "warnings": found.warnings,
        }


async def _ended(calls: Calls, ctx: Context, route: OperationRoute, plain: Mapping[str, Any], wait: float) -> Any:
    """Return what stands once it has ended, or when the wait is over. Each look asks for the permission anew."""
    until = time.monotonic() + wait
    while True:
        found = await calls.called(ctx, route, plain)
        state = found.state if isinstance(found, Turn) else found.status
        if state not in _OPEN or time.monotonic() >= until:
            return found
        await asyncio.sleep(_LOOK_SECONDS)
        ctx = ctx.as_caller(ctx.caller)


async def _called(calls: Calls, route: OperationRoute, plain: Mapping[str, Any], how: Mapping[str, Any]) -> Any:
    ctx = await calls.received(route.operation.kind, how)
    return await calls.called(ctx, route, plain, how)


def _wait(given: Mapping[str, Any]) -> float:
    wait = given.get("wait_seconds", _WAITS)
    if isinstance(wait, bool) or not isinstance(wait, int | float) or not 0 <= wait <= LONGEST_WAIT:
        raise InvalidParameter(f"wait_seconds is a number from 0 to {LONGEST_WAIT}.", field="wait_seconds")
    return float(wait)


def _require(given: Mapping[str, Any], name: str) -> None:
    if name not in given:
        raise MissingRequiredField(f"{name} is required here.", field=name)


def _opened(handle: object) -> tuple[str, str, str]:
    kind, _, ids = handle.partition(":") if isinstance(handle, str) else ("", "", "")
    first, _, second = ids.partition("/")
    if kind not in ("turn", "run") or not first or not second:
        raise InvalidFormat("A handle reads turn:... or run:..., as ask and run gave it.", field="handle")
    return kind, first, second
