"""Defines what a finding is told as: the last events of a turn, the artifacts behind them, and its provenance."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import orjson

from persistence.store import UnitOfWork
from resolvers.assets.artifacts import downloads_of, keep_artifact
from resolvers.context import Context
from resolvers.engines.answering.rows import ResultTable, digest
from resolvers.engines.answering.sentence import sentence_of
from resolvers.engines.nl2sql.stored import stored
from resolvers.talk2data.answering.artifacts import CHART, PICTURE, ROWS, called, uri_of
from resolvers.talk2data.answering.drawing import Drawing, downloads_told, drawing_of, rows_of
from resolvers.talk2data.answering.evidence import all_checked, told_of_examples, used_memories
from resolvers.talk2data.answering.pipeline import AnswerOutcome, applied_in
from resolvers.talk2data.answering.port import AnswerEvent
from resolvers.talk2data.answering.query_execution import QueryRun, parquet_of, shown_rows, staged
from resolvers.talk2data.answering.readings import readings_of
from schema.assets.artifact import ArtifactCreate, ArtifactType
from schema.content import Upload
from schema.talk2data.provenance import TurnProvenance
from schema.talk2data.turn_event import TurnEventType

SHOWN_ROWS: Final = 50
SHOWN_BYTES: Final = 131_072
LONGEST_TITLE: Final = 255
_PIECE: Final = re.compile(r"\S+\s*|\s+")
_WORDS_AT_ONCE: Final = 6


@dataclass(frozen=True, slots=True)
class StorableAnswer:
    """An answer that can be kept: its last events, and what must be written with them."""

    provenance: TurnProvenance
    events: Sequence[AnswerEvent]
    uploads: Sequence[Upload]
    keep: Callable[[UnitOfWork], None]
    """Writes the artifacts down, as part of a transaction."""


async def made_of(ctx: Context, turn_id: str, question: str, found: AnswerOutcome) -> StorableAnswer:
    """The last events of a turn, with the artifacts that they name staged."""
    now = ctx.now()
    events: list[AnswerEvent] = []
    artifacts: list[tuple[ArtifactCreate, Upload, str]] = []
    downloads: dict[str, str] = {}
    drawn = Drawing()
    if found.ran is not None:
        title = _title(question, found)
        drawn = await asyncio.to_thread(drawing_of, found, title)
        events.append(result_told(found.ran.table))
        async for artifact, upload, key, metadata in _staged_artifacts(ctx, turn_id, found.ran, drawn):
            artifacts.append((artifact, upload, key))
            events.append(_artifact_told(ctx, artifact, title, metadata))
            downloads = metadata.get("downloads", downloads)
    said, figures = await _said(found, [*drawn.notes, *downloads_told(found, downloads)])
    events += [AnswerEvent(TurnEventType.MESSAGE_DELTA, {"delta": piece}) for piece in _pieces(said)]
    provenance = provenance_of(turn_id, found, said, now)
    events.append(_done(found, provenance, figures))

    def keep(uow: UnitOfWork) -> None:
        for artifact, upload, key in artifacts:
            keep_artifact(ctx, uow, artifact, upload, key, private=True)

    return StorableAnswer(provenance, events, [upload for _, upload, _ in artifacts], keep)


async def text_of(found: AnswerOutcome) -> str:
    """Return what is said, warnings included."""
    return (await _said(found))[0]


async def _said(found: AnswerOutcome, notes: Sequence[str] = ()) -> tuple[str, list[dict[str, Any]]]:
    """Return what is said, and where its figures come from."""
    text, figures = found.message or "", []
    if len(found.readings) > 1:
        text += "\n\n" + "\n".join(f"{at}. {one.text}" for at, one in enumerate(found.readings, 1))
    elif found.readings:
        text += f"\n\n{found.readings[0].text}"
    if found.ran is not None:
        reading = None if found.draft is None else found.draft.reading
        sentence = await asyncio.to_thread(sentence_of, rows_of(found.ran), reading, tied=found.ran.tied)
        text, figures = sentence.text, [one.told() for one in sentence.figures]
    return "\n\n".join(part for part in (text, *notes, *_examples(found), *found.warnings) if part), figures


def _examples(found: AnswerOutcome) -> list[str]:
    """A sentence about the examples that the query follows; of unchecked ones a warning speaks."""
    examples = found.examples
    if found.ran is None or not examples or not all_checked(examples):
        return []
    return [told_of_examples(examples, verified=found.verified)]


def _title(question: str, found: AnswerOutcome) -> str:
    """The question; of one that only makes sense after another, how it was understood."""
    draft = found.draft
    if draft is None or not draft.reading or not (draft.evidence.get("follows") or found.evidence.get("chosen")):
        return found.evidence.get("asked") or question
    return draft.reading.rstrip(".")


async def _staged_artifacts(
    ctx: Context, turn_id: str, ran: QueryRun, drawn: Drawing
) -> AsyncIterator[tuple[ArtifactCreate, Upload, str, dict[str, Any]]]:
    """The rows, and the chart where one helps, with the name to save each under and what is told of it."""
    table = ran.table
    name = f"Answer of {ctx.now():%Y-%m-%d %H:%M}"  # not the question: lists show names to the whole project

    def artifact(kind: ArtifactType, part: str) -> ArtifactCreate:
        return ArtifactCreate(name=name, artifact_type=kind, resource_uri=called(turn_id, part), tags=["answer"])

    if (upload := await parquet_of(ctx, table)) is not None:
        told = {
            "rows": len(table.rows),
            "columns": table.names[:100],
            "truncated": table.truncated,
            "downloads": downloads_of(uri_of(ctx, called(turn_id, ROWS)), len(table.rows) * len(table.columns)),
        }
        yield artifact(ArtifactType.PARQUET, ROWS), upload, "answer.parquet", told
    if drawn.spec is not None:
        upload = await staged(ctx, orjson.dumps(drawn.spec), "application/json")
        yield artifact(ArtifactType.CHART, CHART), upload, "chart.json", {"format": "vega-lite"}
    if drawn.picture is not None:
        upload = await staged(ctx, drawn.picture, "image/png")
        yield artifact(ArtifactType.IMAGE, PICTURE), upload, "chart.png", {"format": "png"}


def result_told(table: ResultTable) -> AnswerEvent:
    """The first rows."""
    return AnswerEvent(
        TurnEventType.RESULT,
        {
            "columns": [{"name": one.name, "type": one.type} for one in table.columns],
            "rows": [list(row) for row in shown_rows(table, SHOWN_ROWS, SHOWN_BYTES)],
            "row_count": len(table.rows),
            "truncated": table.truncated,
        },
    )


def _artifact_told(ctx: Context, artifact: ArtifactCreate, title: str, metadata: dict[str, Any]) -> AnswerEvent:
    assert artifact.resource_uri is not None
    short = " ".join(title.split())
    return AnswerEvent(
        TurnEventType.ARTIFACT,
        {
            "resource_uri": uri_of(ctx, artifact.resource_uri),
            "artifact_type": artifact.artifact_type.value,
            "artifact_title": short if len(short) <= LONGEST_TITLE else f"{short[: LONGEST_TITLE - 1]}…",
            "metadata": metadata,
        },
    )


def _pieces(text: str) -> Iterator[str]:
    """The text a few words at a time."""
    words = _PIECE.findall(text)
    for at in range(0, len(words), _WORDS_AT_ONCE):
        yield "".join(words[at : at + _WORDS_AT_ONCE])


def _done(found: AnswerOutcome, provenance: TurnProvenance, figures: Sequence[dict[str, Any]]) -> AnswerEvent:
    return AnswerEvent(
        TurnEventType.DONE,
        {
            "message": provenance.message,
            "kind": found.kind.value,
            "confidence": None if found.draft is None else found.draft.confidence,
            "reading": None if found.draft is None else found.draft.reading,
            "readings": [one.model_dump() for one in provenance.readings],
            "rule": found.rule,
            "form": None if found.form is None else found.form.value,
            "verified": found.verified,
            "figures": list(figures),
            "warnings": list(found.warnings),
        },
    )


def provenance_of(turn_id: str, found: AnswerOutcome, said: str | None, now: datetime) -> TurnProvenance:
    """Return where a finding comes from."""
    ground, draft, ran = found.ground, found.draft, found.ran
    evidence = dict(found.evidence)
    memories = [ground.memories[id] for id in draft.memories if id in ground.memories] if draft and ground else []
    return TurnProvenance(
        turn_id=turn_id,
        kind=found.kind,
        message=said or None,
        resource_uri=None if ground is None else ground.uri,
        dialect=None if ground is None else ground.dialect,
        tables=found.tables,
        memories=used_memories(memories),
        policies=[] if ground is None or found.guarded is None else applied_in(ground, found.guarded),
        drafter=None if draft is None else draft.drafter,
        model=evidence.get("model"),
        prompt_hash=evidence.get("prompt_hash"),
        reading=None if draft is None else draft.reading,
        confidence=None if draft is None else draft.confidence,
        sql_drafted=None if draft is None else draft.sql,
        sql_run=None if ran is None else ran.sql,
        plan=None if draft is None or draft.plan is None else stored(draft.plan),
        failed=found.failed,
        row_count=None if ran is None else len(ran.table.rows),
        verified=found.verified,
        truncated=ran is not None and ran.table.truncated,
        result_hash=None if ran is None else digest(ran.table, ordered=ran.ordered),
        warnings=found.warnings,
        readings=readings_of(turn_id, found.readings, found.row_counts),
        evidence=evidence,
        created_at=now,
    )
