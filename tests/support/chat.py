"""An engine for tests that tells what its script says, and what a client of Talk2Data does."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import orjson

from resolvers.context import Context
from resolvers.talk2data.answering.port import AnswerEvent, Question
from schema.talk2data.turn_event import TurnEventType
from tests.world import World

E = TurnEventType
ANSWER = (
    AnswerEvent(E.TASK_UPDATE, {"message": "Looking for tables."}),
    AnswerEvent(E.MESSAGE_DELTA, {"delta": "There are "}),
    AnswerEvent(E.SQL, {"sql": "select count(*) from orders", "dialect": "sqlite"}),
    AnswerEvent(E.RESULT, {"columns": ["count"], "rows": [[3]]}),
    AnswerEvent(E.MESSAGE_DELTA, {"delta": "3 orders."}),
    AnswerEvent(
        E.ARTIFACT,
        {
            "resource_uri": "artifact:acme:shop:orders",
            "artifact_type": "parquet",
            "artifact_title": "Orders",
            "metadata": {"rows": 3},
        },
    ),
    AnswerEvent(E.DONE, {"message": "Answered."}),
)
"""One event of every kind."""
KINDS = [
    "task_update", "task_update", "task_update", "message_delta", "sql", "result", "message_delta", "artifact",
    "task_update", "done",
]  # fmt: skip
"""The events of a turn that is answered by this script: submitted and working before it, completed and done after."""


class ScriptedEngine:
    """Tells its script. It stops at a step of `gates` until the test opens it; an exception in the script is raised."""

    name = "scripted"

    def __init__(self, script: Sequence[AnswerEvent | BaseException] = ANSWER) -> None:
        self.script: Sequence[AnswerEvent | BaseException] = script
        self.gates: dict[int, asyncio.Event] = {}
        self.questions: list[Question] = []
        self.told: list[list[AnswerEvent]] = []
        self.broken_off = 0
        self.held = 0
        """How often it has stopped at a gate."""

    def gate(self, step: int) -> asyncio.Event:
        """Hold the answer before a step."""
        self.gates[step] = asyncio.Event()
        return self.gates[step]

    async def answer(
        self, ctx: Context, question: Question, told: Sequence[AnswerEvent]
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Go on after what was told."""
        self.questions.append(question)
        self.told.append(list(told))
        try:
            for step, one in list(enumerate(self.script))[len(told) :]:
                if step in self.gates:
                    self.held += 1
                    await self.gates[step].wait()
                if isinstance(one, BaseException):
                    raise one
                yield one
            if len(self.script) in self.gates:
                await self.gates[len(self.script)].wait()
        except asyncio.CancelledError:
            self.broken_off += 1
            raise


def events_of(text: str) -> list[dict[str, Any]]:
    """The events of a stream, each checked to be written as server-sent events are."""
    events = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if not lines:
            continue
        fields = dict(line.split(": ", 1) for line in lines)
        assert set(fields) == {"id", "event", "data"}, block
        value = orjson.loads(fields["data"])
        assert (int(fields["id"]), fields["event"]) == (value["sequence"], value["event"])
        events.append(value)
    return events


async def begun(world: World, token: str | None = None, **body: Any) -> str:
    """A new session."""
    made = await world.request("POST", "/talk2data/chat/sessions", token=token or world.owner, json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["session_id"])


async def asked(
    world: World, session: str, message: str = "How many orders?", token: str | None = None, **body: Any
) -> dict[str, Any]:
    """A question in a session."""
    made = await world.request(
        "POST",
        f"/talk2data/chat/sessions/{session}/turns",
        token=token or world.owner,
        json={"message": message} | body,
    )
    assert made.status_code == 201, made.text
    turn: dict[str, Any] = made.json()
    return turn


async def streamed(
    world: World, turn: dict[str, Any], token: str | None = None, method: str = "POST", **how: Any
) -> list[dict[str, Any]]:
    """Every event of a turn until the stream ends."""
    answer = await world.request(method, stream_of(turn), token=token or world.owner, **how)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    return events_of(answer.text)


def stream_of(turn: dict[str, Any]) -> str:
    """The path of a turn's stream."""
    return f"/talk2data/chat/messages/sessions/{turn['session_id']}/turns/{turn['turn_id']}/stream"


async def turn_of(world: World, turn: dict[str, Any], token: str | None = None) -> dict[str, Any]:
    """A turn as it stands."""
    answer = await world.request(
        "GET",
        f"/talk2data/chat/sessions/{turn['session_id']}/turns/{turn['turn_id']}",
        token=token or world.owner,
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
