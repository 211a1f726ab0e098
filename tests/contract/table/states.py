"""What a state does not allow, operation by operation: each line reaches the state and makes the call that is refused.

Which move a state takes is written here a second time, from the contract; the refused ones are all the others.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

from auth.relations import bare_id, object_name
from resolvers.talk2data.answering.learning import PACK
from schema.data_readiness.glossary import GlossaryTermCreate, GlossaryTermUpdate, TermAssetCreate, TermReview
from schema.data_readiness.proposal import ApprovalDecision
from schema.data_readiness.workflow_run import RunCreate, RunStatus
from schema.governance.permission import GovernedResource, Grant, ResourceType
from schema.identifiers import Fqn, ResourceUri
from schema.talk2data.turn import TurnCreate, TurnState
from schema.utils.context_pack import ContextPackUpdate
from schema.utils.event import EventType
from schema.utils.memory import MemoryCreate, MemoryReplacement, MemorySupersession, MemoryUpdate, MemoryValidation
from schema.utils.schedule import ScheduleUpdate
from schema.utils.webhook import WebhookChannel, WebhookFormat
from tests.contract.cases import chat, events, glossary, knowledge
from tests.contract.stage import MARK, Place, Stage
from tests.contract.table.errors import IN_USE, MISSING, Makes, State
from tests.contract.table.states_quality import QUALITY
from tests.contract.table.states_servers import SERVERS

# Runs ---------------------------------------------------------------------------------------------------------------

RUNS = ("pending", "running", "completed", "failed", "canceled")
RUN_MOVES = {
    "cancel_run": {"pending", "running"},
    "retry_run": {"failed"},
    "decide_run": {"completed"},
}


def _run(operation: str, status: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        made = await stage.run(place, status)
        if operation != "decide_run":
            return made
        return {"run_id": made["run_id"], "approval": ApprovalDecision.model_validate({"decision": "approve"})}

    return makes


def _runs() -> Iterator[State]:
    for operation, taken in RUN_MOVES.items():
        for status in RUNS:
            if status not in taken:
                yield State(operation, f"a run that is {status}", _run(operation, status), "status")


def _paused(prepare: Makes) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        made = await prepare(stage, place)
        await stage.made(place, "PUT", f"/utils/webhooks/{made['webhook_id']}", {"status": "paused"})
        return made

    return makes


async def _inactive_configuration(stage: Stage, place: Place) -> dict[str, Any]:
    made = await stage.configuration(place)
    await stage.made(place, "PUT", f"/data-readiness/workflows/{made}", {"status": "inactive"})
    return {"configuration_id": made, "run": RunCreate()}


async def _configuration_without_its_pack(stage: Stage, place: Place) -> dict[str, Any]:
    made = await stage.configuration(place)
    await stage.made(place, "PUT", f"/data-readiness/workflows/{made}", {"require_reference_pack": True})
    return {"configuration_id": made, "run": RunCreate()}


async def _configuration_of_a_disabled_connection(stage: Stage, place: Place) -> dict[str, Any]:
    uri = (await _disabled_connection(stage, place))["resource_uri"]
    body = {"name": MARK, "workflow_type": "service-ingestion", "config": {"resource_uri": uri}}
    made = await stage.made(place, "POST", "/data-readiness/workflows", body)
    return {"configuration_id": made["id"], "run": RunCreate()}


async def _disabled_connection(stage: Stage, place: Place) -> dict[str, Any]:
    uri = await stage.connection(place)
    await stage.made(place, "PUT", f"/assets/data/{uri}", {"status": "DISABLED"})
    return {"resource_uri": uri}


async def _configuration_with_an_open_run(stage: Stage, place: Place) -> dict[str, Any]:
    return {"configuration_id": (await stage.run(place))["configuration_id"]}


async def _connection_with_an_open_run(stage: Stage, place: Place) -> dict[str, Any]:
    uri = await stage.connection(place)
    await stage.run(place, target=str(Fqn.of(ResourceUri.parse(uri).name)))
    return {"resource_uri": uri}


async def _whole_organization(stage: Stage, place: Place) -> dict[str, Any]:
    target = GovernedResource(resource_type=ResourceType.ORGANIZATION, resource_id=place.organization)
    return {"target": target}


def _without_a_parent(argument: str) -> Makes:
    """A connection that inherits from nothing, of which one user alone is owner."""

    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        uri, relations = await stage.connection(place), stage.world.app.parts.services.relations
        name = object_name("data_connection", uri)
        standing = await relations.read(place.organization, object=name)
        owner = next(one for one in standing if one.relation == "owner" and not one.user.startswith("user:owner-of"))
        await relations.write(place.organization, deletes=[one for one in standing if one != owner])
        resource = {"resource_type": "data_connection", "resource_id": uri}
        if argument == "target":
            return {"target": GovernedResource.model_validate(resource)}
        grant = {"user_or_group": bare_id(owner.user), "relation": "owner", **resource}
        return {"grant": Grant.model_validate(grant)}

    return makes


# The glossary -------------------------------------------------------------------------------------------------------

TERM_MOVES = {
    "draft": {"in_review"},
    "in_review": {"draft"},
    "approved": {"deprecated"},
    "rejected": {"draft", "in_review"},
    "deprecated": {"draft"},
}
"""By an update; a decision does the rest."""
DECISIONS = {"approve": {"in_review"}, "reject": {"in_review"}, "pending": {"approved", "rejected"}}


async def _term(stage: Stage, place: Place, status: str) -> str:
    begins = status if status in ("draft", "in_review") else "in_review"
    body = {"name": f"{MARK} {uuid4().hex}", "definition": f"{MARK} words", "status": begins}
    made: str = (await stage.made(place, "POST", glossary.TERMS, body))["id"]
    if begins != status:
        decision = {"decision": "reject" if status == "rejected" else "approve"}
        await stage.made(place, "POST", f"{glossary.TERMS}/{made}/approval", decision)
    if status == "deprecated":
        await stage.made(place, "PUT", f"{glossary.TERMS}/{made}", {"status": status})
    return made


def _moved_term(status: str, to: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        changes = GlossaryTermUpdate.model_validate({"status": to})
        return {"term_id": await _term(stage, place, status), "changes": changes}

    return makes


def _decided_term(status: str, decision: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        review = TermReview.model_validate({"decision": decision})
        return {"term_id": await _term(stage, place, status), "review": review}

    return makes


async def _approved_from_the_start(stage: Stage, place: Place) -> dict[str, Any]:
    return {"term": GlossaryTermCreate.model_validate({"name": f"{MARK} {uuid4().hex}", "status": "approved"})}


async def _undefined_term(stage: Stage, place: Place) -> dict[str, Any]:
    made = await stage.made(place, "POST", glossary.TERMS, {"name": f"{MARK} {uuid4().hex}", "status": "in_review"})
    return {"term_id": made["id"], "review": TermReview.model_validate({"decision": "approve"})}


async def _term_of_a_workflow(stage: Stage, place: Place) -> dict[str, Any]:
    made = await _term(stage, place, "draft")
    body = {"name": MARK, "workflow_type": "profiling", "config": {"terms": [made]}}
    await stage.made(place, "POST", "/data-readiness/workflows", body)
    return {"term_id": made}


async def _term_below_itself(stage: Stage, place: Place) -> dict[str, Any]:
    above = await _term(stage, place, "draft")
    body = {"name": f"{MARK} {uuid4().hex}", "parent_term_id": above}
    below = (await stage.made(place, "POST", glossary.TERMS, body))["id"]
    return {"term_id": above, "changes": GlossaryTermUpdate.model_validate({"parent_term_id": below})}


async def _unknown_asset(stage: Stage, place: Place) -> dict[str, Any]:
    return await glossary.term(stage, place) | {"asset": TermAssetCreate(asset_fqn=f"{MARK}.nowhere")}


def _terms() -> Iterator[State]:
    for status, taken in TERM_MOVES.items():
        for to in TERM_MOVES.keys() - taken - {status}:
            said = f"a term that is {status}, to {to}"
            yield State("update_glossary_term", said, _moved_term(status, to), "status")
        for decision, from_ in DECISIONS.items():
            if status not in from_:
                said = f"a term that is {status}, {decision}"
                yield State("review_glossary_term", said, _decided_term(status, decision), "decision")
    yield State("create_glossary_term", "approved from the start", _approved_from_the_start, "status")
    yield State("review_glossary_term", "a term without a definition", _undefined_term, "definition")
    yield State("update_glossary_term", "a parent that is below it", _term_below_itself, "parent_term_id")
    yield State("link_glossary_term", "an asset that is not there", _unknown_asset, "asset_fqn")
    yield State("delete_glossary_term", "a term that a workflow uses", _term_of_a_workflow, None, IN_USE)


# Memories and packs -------------------------------------------------------------------------------------------------

_NEW = {"name": "new", "memory_type": "fact"}
MEMORY_MOVES = {
    "update": {"active", "archived"},
    "pin": {"active"},
    "unpin": {"active", "archived", "superseded"},
    "validate": {"active"},
    "archive": {"active"},
    "reactivate": {"archived"},
    "supersede": {"active"},
    "delete": {"active", "archived", "superseded"},
}


def _replacement() -> MemoryReplacement:
    return MemoryReplacement.model_validate(_NEW | {"content": {"text": uuid4().hex}})


async def _memory(stage: Stage, place: Place, status: str) -> dict[str, Any]:
    made = await knowledge.memory(stage, place)
    path = f"/utils/memories/{made['memory_id']}"
    if status == "archived":
        await stage.made(place, "POST", f"{path}/archive", {})
    elif status == "superseded":
        await stage.made(place, "POST", f"{path}/supersede", {"replacement": _replacement().model_dump(mode="json")})
    elif status == "deleted":
        await stage.made(place, "DELETE", path, {})
    return made


def _memory_call(action: str, status: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        made = await _memory(stage, place, status)
        if action == "update":
            made["changes"] = MemoryUpdate.model_validate({"name": "new"})
        elif action == "validate":
            made["validation"] = MemoryValidation.model_validate({"validation_status": "validated"})
        elif action == "supersede":
            made["supersession"] = MemorySupersession(replacement=_replacement())
        return made

    return makes


def _memories() -> Iterator[State]:
    for action, taken in MEMORY_MOVES.items():
        for status in ("active", "archived", "superseded"):
            if status not in taken:
                said = f"a memory that is {status}"
                yield State(f"{action}_memory", said, _memory_call(action, status), "status")
        yield State(f"{action}_memory", "a memory that is deleted", _memory_call(action, "deleted"), None, MISSING)


def _memory_for(status: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        pack = (await knowledge.pack(stage, place))["pack_id"]
        await stage.made(place, "PUT", f"/utils/context-packs/{pack}", {"status": status})
        return {"memory": MemoryCreate.model_validate(_NEW | {"context_pack_id": pack, "content": {"text": "t"}})}

    return makes


async def _model_for_an_archived_pack(stage: Stage, place: Place) -> dict[str, Any]:
    made = await knowledge.semantic_model(stage, place)
    path = f"/utils/context-packs/{made['model'].context_pack_id}"
    await stage.made(place, "PUT", path, {"status": "archived"})
    return made


async def _pack_deleted_by_an_update(stage: Stage, place: Place) -> dict[str, Any]:
    return await knowledge.pack(stage, place) | {"changes": ContextPackUpdate.model_validate({"status": "deleted"})}


async def _to_people(stage: Stage, place: Place) -> dict[str, Any]:
    body = {"name": f"{MARK} chat", "url": events.NOWHERE, "channel": "chat"}
    return {"webhook_id": (await stage.made(place, "POST", "/utils/webhooks", body))["webhook"]["id"]}


async def _openlineage_with(stage: Stage, place: Place, **given: Any) -> dict[str, Any]:
    made = await events.new_webhook(stage, place)
    return {"webhook": made["webhook"].model_copy(update={"format": WebhookFormat.OPENLINEAGE} | given)}


async def _openlineage_to_people(stage: Stage, place: Place) -> dict[str, Any]:
    return await _openlineage_with(stage, place, channel=WebhookChannel.CHAT)


async def _openlineage_of_no_runs(stage: Stage, place: Place) -> dict[str, Any]:
    return await _openlineage_with(stage, place, types=[EventType.TERM_APPROVED])


PACKS = [
    State("create_webhook", "OpenLineage to people", _openlineage_to_people, "format"),
    State("create_webhook", "OpenLineage of what is no run", _openlineage_of_no_runs, "types"),
    State("rotate_webhook_secret", "a webhook to a chat", _to_people, "channel"),
    State("create_memory", "a pack that is archived", _memory_for("archived"), "context_pack_id"),
    State("create_memory", "a pack that is deprecated", _memory_for("deprecated"), "context_pack_id"),
    State("import_semantic_model", "a pack that is archived", _model_for_an_archived_pack, "context_pack_id"),
    State("send_webhook_test", "a webhook that is paused", _paused(events.webhook), "status"),
    State("replay_webhook", "a webhook that is paused", _paused(events.webhook_with_a_window), "status"),
    State("update_context_pack", "deleted by an update", _pack_deleted_by_an_update, "status"),
]


# Schedules ----------------------------------------------------------------------------------------------------------


async def _part_of_a_configuration(stage: Stage, place: Place) -> dict[str, Any]:
    body = {"name": MARK, "workflow_type": "profiling", "schedule": {"cron_expression": "0 0 1 1 *"}}
    made = await stage.made(place, "POST", "/data-readiness/workflows", body)
    headers = {"X-Project-ID": place.project}
    answer = await stage.world.request(
        "GET", f"/utils/schedules?reference_id={made['id']}", token=stage.owners[place.name], headers=headers
    )
    (part,) = answer.json()["data"]
    return {"schedule_id": part["schedule_id"]}


async def _changed_part(stage: Stage, place: Place) -> dict[str, Any]:
    changes = ScheduleUpdate.model_validate({"schedule_name": "new"})
    return await _part_of_a_configuration(stage, place) | {"changes": changes}


async def _gone_by(stage: Stage, place: Place) -> dict[str, Any]:
    clock = stage.world.clock
    timing = {"type": "ONE_OFF", "run_at": (clock() + timedelta(minutes=1)).isoformat()}
    body = {"schedule_name": MARK, "schedule": timing, "reference_id": MARK, "enabled": False}
    made = await stage.made(place, "POST", "/utils/schedules", body)
    clock.moment += timedelta(minutes=2)
    return {"schedule_id": made["schedule_id"], "changes": ScheduleUpdate.model_validate({"enabled": True})}


# Chat ---------------------------------------------------------------------------------------------------------------


async def _answering(stage: Stage, place: Place) -> dict[str, Any]:
    row = await chat.turn_in(stage, place, TurnState.WORKING)
    return {"session_id": row.session_id, "turn": TurnCreate(message="And now?")}


async def _learning_nothing(stage: Stage, place: Place) -> dict[str, Any]:
    found = await stage.world.request(
        "GET",
        "/utils/context-packs?page_size=100",
        token=stage.owners[place.name],
        headers={"X-Project-ID": place.project},
    )
    if all(one["name"] != PACK for one in found.json()["data"]):
        pack = await stage.made(place, "POST", "/utils/context-packs", {"name": PACK, "pack_type": "project"})
        await stage.made(place, "PUT", f"/utils/context-packs/{pack['id']}", {"status": "archived"})
    return await chat.corrected_turn(stage, place)


def _task(state: TurnState) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        return {"task_id": (await chat.turn_in(stage, place, state)).task_id}

    return makes


async def _standing_benchmark(stage: Stage, place: Place) -> dict[str, Any]:
    made = await chat.new_benchmark(stage, place)
    await chat.benchmark_in(stage, place, RunStatus.RUNNING, user="olga", name=made["benchmark"].name)
    return made


def _benchmark(status: RunStatus) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        return await chat.benchmark_in(stage, place, status)

    return makes


STATES: list[State] = [
    *_runs(),
    State("trigger_run", "a configuration that is inactive", _inactive_configuration, "status"),
    State("trigger_run", "no reference pack", _configuration_without_its_pack, "parameters.context_pack_id"),
    State("trigger_run", "a connection that is disabled", _configuration_of_a_disabled_connection, "status"),
    State(
        "delete_all_permissions",
        "a whole organization",
        _whole_organization,
        "resource_type",
    ),
    State("delete_all_permissions", "what inherits from nothing", _without_a_parent("target"), "resource_id"),
    State(
        "revoke_permission", "the last owner of what inherits from nothing", _without_a_parent("grant"), "resource_id"
    ),
    State("verify_data_connection", "a connection that is disabled", _disabled_connection, "status"),
    State("delete_data_connection", "a run that is not over", _connection_with_an_open_run, "resource_uri"),
    State("delete_workflow_configuration", "a run that is not over", _configuration_with_an_open_run, None, IN_USE),
    *_terms(),
    *QUALITY,
    *SERVERS,
    *_memories(),
    *PACKS,
    State("update_schedule", "a part of a configuration", _changed_part, "schedule_id"),
    State("delete_schedule", "a part of a configuration", _part_of_a_configuration, "schedule_id"),
    State("update_schedule", "a moment that has gone by", _gone_by, "schedule.run_at"),
    State("create_turn", "a question that is being answered", _answering, "session_id"),
    State("correct_turn", "a pack of exemplars that is archived", _learning_nothing, "sql"),
    *(
        State("cancel_task", f"a task that is {state}", _task(state), "task_id")
        for state in (TurnState.COMPLETED, TurnState.FAILED, TurnState.CANCELED)
    ),
    State("create_benchmark", "a benchmark of the name that runs", _standing_benchmark, "name"),
    *(
        State("cancel_benchmark", f"a benchmark that is {status}", _benchmark(status), "status")
        for status in (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELED)
    ),
]
"""Every state that refuses an operation."""
