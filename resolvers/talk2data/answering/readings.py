"""The readings of a question back: what is kept of them, and the question that a reply makes of one.

The id of a reading names its turn, so that any reading of the session can be chosen later; whoever names one gets what
the guard and the policies allow at that moment, as with any query.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from persistence.queries.chat_provenance import AskedBack
from persistence.store import UnitOfWork
from resolvers.engines.nl2sql.model import Interpretation, QueryDraft
from resolvers.engines.nl2sql.stored import restored, stored
from resolvers.talk2data.answering.choosing import Unchosen, choice_of
from resolvers.talk2data.answering.pipeline import AnswerOutcome
from resolvers.talk2data.answering.pipeline_question import Begun, PipelineQuestion, Reply
from schema.talk2data.provenance import AnswerKind, QuestionReading

CHOSEN: Final = 0.9
"""How sure an answer is whose reading the asker has chosen: what is left is whether the query says what it does."""


def id_of(turn_id: str, at: int) -> str:
    """The id of a reading of a turn, from 0."""
    return f"{turn_id}.{at + 1}"


def readings_of(
    turn_id: str, readings: Sequence[Interpretation], row_counts: Sequence[int | None]
) -> list[QuestionReading]:
    """The readings as they are shown."""
    counts = row_counts or [None] * len(readings)
    return [
        QuestionReading(id=id_of(turn_id, at), text=one.text, sql=one.sql, row_count=count)
        for at, (one, count) in enumerate(zip(readings, counts, strict=True))
    ]


def asked_back(turn_id: str, asked: PipelineQuestion, found: AnswerOutcome) -> AskedBack | None:
    """Return what is kept of a question back, for the reply to it; None of anything else."""
    if found.kind is not AnswerKind.CLARIFICATION:
        return None
    if (again := asked.again) is not None:
        return replace(again, readings=[one | {"id": id_of(turn_id, at)} for at, one in enumerate(again.readings)])
    return AskedBack(
        found.evidence.get("asked") or asked.text,
        list(asked.names),
        [_kept(id_of(turn_id, at), one, found) for at, one in enumerate(found.readings)],
    )


def _kept(id: str, one: Interpretation, found: AnswerOutcome) -> dict[str, Any]:
    uri = one.uri if one.uri is not None or found.ground is None else found.ground.uri
    return {
        "id": id,
        "text": one.text,
        "sql": one.sql,
        "plan": None if one.plan is None else stored(one.plan),
        "memories": list(one.memories),
        "uri": uri,
        "same": one.uri is not None,
        "drafter": found.drafter,
    }


def question_of(uow: UnitOfWork, session_id: str, reading_id: str) -> AskedBack | None:
    """The question of a session that a reading is of; None when there is none."""
    turn_id, _, _ = reading_id.partition(".")
    found = uow.turn_provenance.asked_back(session_id, turn_id)
    return found if found is not None and any(one["id"] == reading_id for one in found.readings) else None


def reading_of(uow: UnitOfWork, session_id: str, reading_id: str) -> dict[str, Any] | None:
    """A reading of a question of the session; None when there is none."""
    found = question_of(uow, session_id, reading_id)
    return None if found is None else next(one for one in found.readings if one["id"] == reading_id)


def replied(asked: PipelineQuestion, standing: AskedBack | None, reading_id: str | None) -> PipelineQuestion:
    """The question that a message asks where a question back stands: the chosen reading, or the message itself."""
    if standing is None:
        return asked
    if reading_id is not None:
        return _reading(asked, standing, next(one for one in standing.readings if one["id"] == reading_id))
    match choice_of(asked.text, [one["text"] for one in standing.readings]):
        case int() as at:
            return _reading(asked, standing, standing.readings[at])
        case Unchosen.NONE:
            message = "Then ask it in other words: say what to show, and of what."
            return replace(asked, reply=Reply(AnswerKind.UNANSWERABLE, message))
        case Unchosen.BEYOND:
            many = len(standing.readings)
            message = f"There is no such reading: choose one from 1 to {many}." if many > 1 else "Is this meant?"
            readings = [Interpretation(one["text"], one["sql"]) for one in standing.readings]
            return replace(asked, reply=Reply(AnswerKind.CLARIFICATION, message, readings), again=standing)
    return asked


def _reading(asked: PipelineQuestion, standing: AskedBack, kept: dict[str, Any]) -> PipelineQuestion:
    """The question that a chosen reading asks: its query, or its words where none was drafted yet."""
    uri, sql = kept["uri"], kept["sql"]
    chosen = replace(
        asked,
        text=standing.text if sql is not None or kept["same"] else kept["text"],
        names=(uri,) if uri is not None else asked.names or tuple(standing.names),
        chosen=kept["id"],
    )
    if sql is None or uri is None:
        return chosen
    draft = QueryDraft(
        sql=sql,
        reading=kept["text"],
        confidence=CHOSEN,
        drafter=kept["drafter"] or "",
        plan=restored(kept["plan"]),
        memories=tuple(kept["memories"]),
    )
    return replace(chosen, reading=Begun(uri, draft))
