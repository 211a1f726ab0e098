"""The engine that answers questions over the project's data.

What it has told is never told again: a draft is kept before it is told, and the answer with all its last events before
the first of them is, in one transaction with the artifacts. Begun again, it goes on from there.
"""

from collections import deque
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any, Final

from persistence.integrity import IntegrityError
from persistence.queries.chat_provenance import AskedBack, KeptWork, LastTurn
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.engines.nl2sql.model import QueryDraft
from resolvers.engines.nl2sql.stored import restored, stored
from resolvers.talk2data.answering.going_on import gone_on
from resolvers.talk2data.answering.pipeline import Work
from resolvers.talk2data.answering.pipeline_question import Begun, PipelineQuestion
from resolvers.talk2data.answering.port import AnswerEvent, Question
from resolvers.talk2data.answering.reading_counts import row_counts, without_empty
from resolvers.talk2data.answering.readings import asked_back, question_of, replied
from resolvers.talk2data.answering.results import made_of
from resolvers.talk2data.answering.wishes import after, alone, wished
from resolvers.talk2data.chat_settings import settings_of
from resolvers.uploads import settled
from schema.talk2data.provenance import FailedDraft
from schema.talk2data.turn_event import TurnEventType

MOST_EARLIER: Final = 5
"""How many earlier answers of the session a question may build on."""
_BEFORE: Final = (TurnEventType.TASK_UPDATE, TurnEventType.SQL)
"""The kinds of event that are told before the answer is found."""


class Analyst:
    """Answers questions."""

    name = "stoa"

    async def answer(
        self, ctx: Context, question: Question, told: Sequence[AnswerEvent]
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer on behalf of the caller of the context."""
        over = sum(one.event not in _BEFORE for one in told)
        kept = await _kept(ctx, question.turn_id)
        if kept is not None and kept.events is not None:
            for one in _last(kept.events[over:]):
                yield one
            return
        settings = await settings_of(ctx)
        asked = await asked_again(ctx, question.turn_id, question.task_id)
        work = Work(ctx, asked, settings, begun_of(kept))
        already = deque(told)
        async for one in work.steps():
            if already and _same(already[0], one):
                already.popleft()
                continue
            already.clear()
            if one.event is TurnEventType.SQL and not await _keep_draft(ctx, question.turn_id, work):
                return
            yield one
        found = work.found
        counts = await row_counts(ctx, found.ground, found.readings, settings, task_id=question.task_id)
        found.readings, found.row_counts = without_empty(found.readings, counts)
        made = await made_of(ctx, question.turn_id, asked.text, found)
        events = [{"event": one.event.value, "data": one.data} for one in made.events]

        def keep(uow: UnitOfWork) -> None:
            back = asked_back(question.turn_id, asked, found)
            uow.turn_provenance.keep(ctx.scope, made.provenance, events, ctx.now(), asked_back=back)
            made.keep(uow)

        try:
            async with settled(ctx, list(made.uploads)):
                await ctx.store.write(keep)
        except IntegrityError:  # the turn is gone, or another process has found its answer in this moment
            kept = await _kept(ctx, question.turn_id)
            events = [] if kept is None or kept.events is None else kept.events
        for one in _last(events):
            yield one


async def _kept(ctx: Context, turn_id: str) -> KeptWork | None:
    return await ctx.store.read(lambda uow: uow.turn_provenance.work(turn_id))


def _last(events: Sequence[dict[str, Any]]) -> Iterator[AnswerEvent]:
    """The events that tell an answer, as they are kept."""
    return (AnswerEvent(TurnEventType(event["event"]), event["data"]) for event in events)


def _same(before: AnswerEvent, now: AnswerEvent) -> bool:
    """Return whether an event is the one that was told: a step by its name, a query by what was drafted."""
    if before.event is not now.event:
        return False
    if now.event is TurnEventType.TASK_UPDATE:
        step: str = now.data["data"]["step"]
        return step == (before.data.get("data") or {}).get("step")
    return str(now.data["drafted"]) == before.data.get("drafted")


async def _keep_draft(ctx: Context, turn_id: str, work: Work) -> bool:
    """Keep the draft that is about to be told; whether the turn still stands."""
    found = work.found
    assert found.ground is not None
    assert found.draft is not None
    draft = {
        "uri": found.ground.uri,
        "draft": draft_to(found.draft),
        "failed": [one.model_dump(mode="json") for one in found.failed],
    }
    for _ in range(2):  # another process may begin to work on the turn in this very moment
        try:
            await ctx.store.write(lambda uow: uow.turn_provenance.keep_draft(ctx.scope, turn_id, draft, ctx.now()))
        except IntegrityError:
            continue
        return True
    return False


def draft_to(draft: QueryDraft) -> dict[str, Any]:
    """A draft as JSON."""
    return {
        "sql": draft.sql,
        "reading": draft.reading,
        "confidence": draft.confidence,
        "drafter": draft.drafter,
        "plan": None if draft.plan is None else stored(draft.plan),
        "memories": list(draft.memories),
        "evidence": dict(draft.evidence),
    }


def begun_of(kept: KeptWork | None) -> Begun | None:
    """The draft that was told before, if one was."""
    if kept is None or kept.draft is None:
        return None
    told = kept.draft["draft"]
    draft = QueryDraft(
        sql=told["sql"],
        reading=told["reading"],
        confidence=told["confidence"],
        drafter=told["drafter"],
        plan=restored(told["plan"]),
        memories=tuple(told["memories"]),
        evidence=told["evidence"],
    )
    return Begun(kept.draft["uri"], draft, tuple(FailedDraft.model_validate(one) for one in kept.draft["failed"]))


async def asked_again(ctx: Context, turn_id: str, task_id: str) -> PipelineQuestion:
    """The question of a turn, with what came before it in the session."""

    def read(uow: UnitOfWork) -> tuple[PipelineQuestion, AskedBack | None, str | None, LastTurn | None]:
        text, context, session_id, position = uow.turn_provenance.asked_before(turn_id)
        context = context or {}
        asked = PipelineQuestion(
            text=text,
            task_id=task_id,
            names=tuple(context.get("datasources") or ()),
            earlier=tuple(uow.turn_provenance.earlier(session_id, position, MOST_EARLIER)),
            position=position,
            unread=bool(context.get("artifacts") or context.get("attachments")),
        )
        last = uow.turn_provenance.last(session_id, position)
        reading_id = context.get("reading_id")
        if reading_id is not None:
            return asked, question_of(uow, session_id, reading_id), reading_id, last
        return asked, uow.turn_provenance.open_question(session_id, position), None, last

    asked, standing, reading_id, last = await ctx.store.read(read)
    if reading_id is not None:
        return after(gone_on(replied(asked, standing, reading_id), last), last)
    if (repeated := alone(asked, standing, last)) is not None:
        return repeated
    return after(wished(gone_on(replied(wished(asked), standing, reading_id), last)), last)
