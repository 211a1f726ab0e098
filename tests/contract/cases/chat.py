"""Chat: sessions are their owner's alone, whatever role another has.

The sessions of the stage belong to the operator of the project, or in another place to that place's owner.
"""

from typing import Any
from uuid import uuid4

from persistence.queries.chat import NewEvent, TurnRow
from persistence.repository import Scope
from schema.data_readiness.workflow_run import RunStatus
from schema.talk2data.answer_note import AnswerNote, AnswerNoteChange, NoteStatus, TurnCorrection
from schema.talk2data.benchmark import Benchmark, BenchmarkCreate, BenchmarkQuestion
from schema.talk2data.chat_settings import ChatSettings, ChatSettingsChange
from schema.talk2data.feedback import Rating, TurnFeedbackCreate
from schema.talk2data.provenance import AnswerKind, TurnProvenance
from schema.talk2data.session import ChatSessionChange, ChatSessionCreate
from schema.talk2data.turn import TurnCreate, TurnState
from schema.talk2data.turn_event import TurnEventType
from tests.contract.stage import MARK, Case, Place, Stage
from tests.world import OTHER_ORG

OWNER = "project operator"
"""The role whose sessions are asked for in the roles' own project."""


async def new_session(stage: Stage, place: Place) -> dict[str, Any]:
    """A session to begin."""
    return {"session": ChatSessionCreate(title="fresh")}


async def sessions(stage: Stage, place: Place) -> dict[str, Any]:
    """Nothing but the place."""
    return {}


async def session(stage: Stage, place: Place) -> dict[str, Any]:
    """A session."""
    token = stage.tokens[OWNER] if place.name == "own" else stage.owners[place.name]
    made = await stage.world.request(
        "POST",
        "/talk2data/chat/sessions",
        token=token,
        json={"title": f"{MARK} talk"},
        headers={"X-Project-ID": place.project},
    )
    assert made.status_code == 201, made.text
    return {"session_id": made.json()["session_id"]}


async def changed_session(stage: Stage, place: Place) -> dict[str, Any]:
    """A session, and another title."""
    return await session(stage, place) | {"changes": ChatSessionChange.model_validate({"title": "new"})}


async def new_turn(stage: Stage, place: Place) -> dict[str, Any]:
    """A session, and a question."""
    return await session(stage, place) | {"turn": TurnCreate(message="How many?")}


async def turn_in(stage: Stage, place: Place, state: TurnState) -> TurnRow:
    """A turn that nobody works on, written down as the platform would."""
    own, now = (await session(stage, place))["session_id"], stage.world.clock()
    row = TurnRow(
        turn_id=str(uuid4()),
        session_id=own,
        task_id=str(uuid4()),
        organization_id=place.organization,
        project_id=place.project,
        position=1,
        state=state,
        last_sequence=1,
        caller={},
    )
    told = NewEvent(TurnEventType.DONE, {"state": "completed", "message": f"{MARK} answer"})

    def work(uow: Any) -> None:
        uow.chat_sessions.count(own, now, turns=1, messages=1)
        uow.turns.begin(row, f"{MARK} question", {"datasources": [MARK]}, now)
        uow.turns.store_events(row, [told], 0, now, closes=True)

    await stage.world.app.parts.services.store.write(work)
    return row


async def turn(stage: Stage, place: Place) -> dict[str, Any]:
    """A turn that is over."""
    row = await turn_in(stage, place, TurnState.COMPLETED)
    return {"session_id": row.session_id, "turn_id": row.turn_id}


async def answered_turn(stage: Stage, place: Place, uri: str | None = None) -> dict[str, Any]:
    """A turn that is over, with where its answer comes from."""
    row = await turn_in(stage, place, TurnState.COMPLETED)
    now = stage.world.clock()
    found = TurnProvenance(
        turn_id=row.turn_id,
        kind=AnswerKind.ANSWER,
        message=f"{MARK} answer",
        resource_uri=uri or f"data:{place.organization}:{place.project}:{MARK}",
        dialect="postgres",
        tables=[],
        memories=[],
        policies=[],
        drafter="planner/1",
        model=None,
        prompt_hash=None,
        reading=f"{MARK} reading",
        confidence=0.9,
        sql_drafted=f"select {MARK} from {MARK}",
        sql_run=f"select {MARK} from {MARK}",
        plan=None,
        failed=[],
        row_count=1,
        truncated=False,
        result_hash="0" * 64,
        warnings=[],
        evidence={"note": MARK},
        created_at=now,
    )
    scope = Scope(place.organization, place.project)
    await stage.world.app.parts.services.store.write(lambda uow: uow.turn_provenance.keep(scope, found, [], now))
    return {"session_id": row.session_id, "turn_id": row.turn_id}


async def rated_turn(stage: Stage, place: Place) -> dict[str, Any]:
    """A turn, and what its asker thinks of it."""
    return await turn(stage, place) | {"feedback": TurnFeedbackCreate(rating=Rating.THUMBS_UP)}


async def task(stage: Stage, place: Place) -> dict[str, Any]:
    """A task that waits."""
    return {"task_id": (await turn_in(stage, place, TurnState.CREATED)).task_id}


async def corrected_turn(stage: Stage, place: Place) -> dict[str, Any]:
    """A turn, and the query that would have answered it."""
    uri, name = await _with_a_table(stage, place)
    turn = await answered_turn(stage, place, uri)
    return turn | {"correction": TurnCorrection(sql=f"select count(*) from {name}")}


async def _with_a_table(stage: Stage, place: Place) -> tuple[str, str]:
    """A connection and the name of a table in it."""
    uri, name = await stage.connection(place), f"t{uuid4().hex}"
    parents = ((f"svc.{name}", "database"), (f"svc.{name}.s", "database_schema"), (f"svc.{name}.s.{name}", "table"))
    for fqn, kind in parents:
        body = {"fully_qualified_name": fqn, "type": kind, "description": f"{MARK} words"}
        await stage.made(place, "POST", f"/utils/data_connection/{uri}/metadata", body)
    return uri, name


async def settings(stage: Stage, place: Place) -> dict[str, Any]:
    """Nothing but the project's own settings, which hold something."""
    values = {"updated_by": MARK, "updated_at": stage.world.clock()}
    kept = ChatSettings(**ChatSettingsChange(warn_below="0.8").model_dump(), **values)
    tenant = {"organization_id": place.organization, "project_id": place.project}

    def work(uow: Any) -> None:
        if uow.chat_settings.find(Scope(place.organization, place.project), place.project) is None:
            uow.chat_settings.add(kept, **tenant)

    await stage.world.app.parts.services.store.write(work)
    return {}


async def new_settings(stage: Stage, place: Place) -> dict[str, Any]:
    """Other settings."""
    return {"settings": ChatSettingsChange(warn_below="0.9")}


async def note(stage: Stage, place: Place) -> dict[str, Any]:
    """A note about an answer."""
    row, now = await turn_in(stage, place, TurnState.COMPLETED), stage.world.clock()
    made = AnswerNote(
        id=str(uuid4()),
        turn_id=row.turn_id,
        question=f"{MARK} question",
        sql=f"select {MARK}",
        comment=f"{MARK} comment",
        status=NoteStatus.OPEN,
        resolution=None,
        created_by=MARK,
        created_at=now,
        closed_by=None,
        closed_at=None,
        updated_at=now,
    )
    scope = Scope(place.organization, place.project)
    await stage.world.app.parts.services.store.write(lambda uow: uow.answer_notes.put(scope, made, now))
    return {"note_id": made.id}


async def notes(stage: Stage, place: Place) -> dict[str, Any]:
    """A note, to be listed."""
    await note(stage, place)
    return {}


async def changed_note(stage: Stage, place: Place) -> dict[str, Any]:
    """A note, and what was done about it."""
    return await note(stage, place) | {"changes": AnswerNoteChange(status=NoteStatus.DISMISSED)}


async def new_benchmark(stage: Stage, place: Place) -> dict[str, Any]:
    """Questions to ask of a connection that has tables."""
    uri, name = await _with_a_table(stage, place)
    question = BenchmarkQuestion(question=f"How many {name}?", sql=f"select count(*) from {name}")
    return {"benchmark": BenchmarkCreate(name=f"n-{uuid4().hex}", datasource=uri, questions=[question])}


async def benchmark_in(
    stage: Stage, place: Place, status: RunStatus, *, user: str | None = None, name: str | None = None
) -> dict[str, Any]:
    """A benchmark that nobody works on, written down as the platform would."""
    owner = "otto" if place.organization == OTHER_ORG else "olga"
    user = user or (f"{OWNER.partition(' ')[2]}-of-project" if place.name == "own" else owner)
    now, counts = stage.world.clock(), ("questions", "right", "wrong", "asked_back", "said_no", "failed")
    made = Benchmark(
        id=str(uuid4()),
        name=name or f"{MARK} {uuid4()}",
        datasource=f"data:{place.organization}:{place.project}:{MARK}",
        extra_columns=True,
        status=status,
        status_message=f"{MARK} message",
        **dict.fromkeys(counts, 0),
        wrong_unwarned=0,
        difference=None,
        created_at=now,
        started_at=now,
        completed_at=None,
    )
    question = BenchmarkQuestion(question=f"{MARK} question", sql=f"select {MARK}")
    scope = Scope(place.organization, place.project)

    await stage.world.app.parts.services.store.write(
        lambda uow: uow.benchmarks.begin(scope, made, [question], user_id=user, caller={})
    )
    return {"benchmark_id": made.id}


async def benchmark(stage: Stage, place: Place) -> dict[str, Any]:
    """A benchmark that runs."""
    return await benchmark_in(stage, place, RunStatus.RUNNING)


CASES: list[Case] = [
    Case("create_chat_session", "project", "can_execute", new_session),
    Case("list_chat_sessions", "project", "can_read", sessions),
    Case("get_chat_session", "own session", "can_read", session, "session_id"),
    Case("update_chat_session", "own session", "can_execute", changed_session, "session_id"),
    Case("delete_chat_session", "own session", "can_execute", session, "session_id"),
    Case("create_turn", "own session", "can_execute", new_turn, "session_id"),
    Case("list_turns", "own session", "can_read", session, "session_id"),
    Case("get_turn", "own session", "can_read", turn, "session_id"),
    Case("list_turn_artifacts", "own session", "can_read", turn, "session_id"),
    Case("get_turn_provenance", "own session", "can_read", answered_turn, "session_id"),
    Case("replay_turn", "own session", "can_execute", answered_turn, "session_id"),
    Case("submit_turn_feedback", "own session", "can_execute", rated_turn, "session_id"),
    Case("correct_turn", "own session", "can_execute", corrected_turn, "session_id"),
    Case("get_chat_settings", "project", "can_read", settings),
    Case("set_chat_settings", "project", "can_write", new_settings),
    Case("list_answer_notes", "project", "can_write", notes),
    Case("get_answer_note", "project", "can_write", note, "note_id"),
    Case("update_answer_note", "project", "can_write", changed_note, "note_id"),
    Case("stream_turn", "own session", "can_read", turn, "session_id"),
    Case("cancel_task", "own session", "can_execute", task, "task_id"),
    Case("create_benchmark", "project", "can_execute", new_benchmark),
    Case("list_benchmarks", "project", "can_read", sessions),
    Case("get_benchmark", "own session", "can_read", benchmark, "benchmark_id"),
    Case("list_benchmark_results", "own session", "can_read", benchmark, "benchmark_id"),
    Case("cancel_benchmark", "own session", "can_execute", benchmark, "benchmark_id"),
    Case("delete_benchmark", "own session", "can_execute", benchmark, "benchmark_id"),
]
