"""Defines who drafts the queries of an answer: the planner, or a language model that the project has chosen."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from persistence.jobs.port import JobError
from resolvers.authors import addresser_of
from resolvers.context import Context
from resolvers.data_readiness.runs.model_descriptions import chat_of
from resolvers.engines.answering.rows import digest
from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.mention import Linked
from resolvers.engines.nl2sql.model import (
    Asked,
    ColumnKey,
    Drafter,
    DraftFailure,
    FoundValue,
    Knowledge,
    Lookup,
    Outcome,
    QueryDraft,
    Unanswerable,
)
from resolvers.engines.nl2sql.model_drafter import CandidateRun as Voted
from resolvers.engines.nl2sql.model_drafter import ModelDrafter
from resolvers.engines.nl2sql.prompting.question import ContextWindow
from resolvers.engines.nl2sql.schema_linking.link import link
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
from resolvers.engines.sql_guard import QueryRefused
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.query_execution import SourceFailed, run_query
from resolvers.talk2data.answering.verified import VerifiedFirst
from schema.talk2data.chat_settings import AnswerDrafter, ChatSettings
from schema.talk2data.language_model import ModelError

T = TypeVar("T")

TOO_MUCH: Final = "This is too much to be asked at once. Ask for less, in a shorter sentence."


async def drafter_of(ctx: Context, settings: ChatSettings, ground: Ground, task_id: str) -> Drafter:
    """The drafter that the project has chosen, or the planner. Raises ModelError when the model cannot be asked."""
    if settings.drafter is AnswerDrafter.PLANNER:
        return ctx.services.drafter or InThread(Planner())
    # Who asks decides nothing about the key: whom they could send it to was settled by who set this.
    chat, _ = await chat_of(ctx, settings.model_dump(), addresser=addresser_of(settings))

    async def run(draft: QueryDraft) -> Voted:
        try:
            ran = await run_query(ctx, ground, draft.sql, task_id=task_id, shown=False)
        except QueryRefused as refused:
            return Voted(None, DraftFailure(draft, refused.rule, refused.reason))
        except SourceFailed as failure:
            return Voted(None, DraftFailure(draft, None, failure.message))
        return Voted(digest(ran.table, ordered=False, named=False))

    window = ContextWindow() if settings.window is None else replace(ContextWindow(), tokens=settings.window)
    drafter = ModelDrafter(chat, linked_by, window=window, candidates=settings.candidates, run=run)
    return VerifiedFirst(drafter, linked_by)


async def modelled(drafting: Awaitable[T]) -> T:
    """Return what a drafter says; a language model that fails is told as it says it."""
    try:
        return await drafting
    except ModelError as failure:
        raise JobError(str(failure)) from None


def linked_by(asked: Asked, known: Knowledge, lookup: Lookup) -> Linked:
    """Return what the words of a question may stand for.

    Private columns are not searched: what a prompt holds must not depend on whether somebody is in the data.
    """

    def quotable(columns: Sequence[ColumnKey], texts: Sequence[str]) -> Sequence[FoundValue]:
        return lookup([key for key in columns if key not in known.private], texts)

    return link(asked.text, Vocabulary.of(known), asked.now, quotable)


class InThread:
    """A drafter that computes and waits for nothing but its lookups, off the event loop."""

    def __init__(self, drafter: Drafter) -> None:
        self._drafter, self.name = drafter, drafter.name

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """The best way to answer."""
        return await self._drafted(self._drafter.draft(asked, known, lookup))

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup) -> Outcome:
        """Another way, after those that failed."""
        return await self._drafted(self._drafter.repair(asked, known, failures, lookup))

    @staticmethod
    async def _drafted(drafting: Awaitable[Outcome]) -> Outcome:
        try:
            return await asyncio.to_thread(_run, drafting)
        except RecursionError:  # of a query that nests as deep as a question has words
            return Unanswerable(TOO_MUCH)


def _run(drafting: Awaitable[Outcome]) -> Outcome:
    """Return what a drafter says, on an event loop of this thread's own."""

    async def drafted() -> Outcome:
        return await drafting

    return asyncio.run(drafted())
