"""Defines how a benchmark is carried out: each question is one task of a durable job, and gets its verdict once.

A question is asked as a chat would ask it, on behalf of who began the benchmark: with their permissions and under the
policies that hold for them, which hold for the right query too. What either answers with is compared and forgotten; no
artifact is made, and only which rows of a table with a minimum group size were told is remembered, as with any answer:
a verdict tells as much as the figure that it is about.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final

from sqlglot.errors import SqlglotError

from auth.caller import Caller
from auth.guard import Guard
from persistence.connectors.core.base import ConnectorError
from persistence.jobs.port import FanOut, JobContext, JobError, JobOutcome, JobTask, explain
from persistence.queries.benchmarks import BenchmarkRow, QuestionRow
from persistence.store import UnitOfWork
from resolvers.context import Context, Services
from resolvers.engines.answering.comparing import RightAnswer, misses, of_json, right_query
from resolvers.engines.sql_guard import QueryRefused
from resolvers.operation import require
from resolvers.talk2data.answering.catalog_context import Ground, NotThere, ground_of, places_of
from resolvers.talk2data.answering.evidence import all_checked
from resolvers.talk2data.answering.guarding import judged, told_of
from resolvers.talk2data.answering.pipeline import AnswerOutcome, Work
from resolvers.talk2data.answering.pipeline_question import PipelineQuestion
from resolvers.talk2data.answering.query_execution import QueryRun, SourceFailed, run_query
from resolvers.talk2data.answering.sanitizing import plain
from resolvers.talk2data.chat_settings import settings_of
from schema.data_readiness.workflow_run import RunStatus
from schema.errors import ApiError, DatabaseError
from schema.governance.permission import Permission
from schema.talk2data.benchmark import BenchmarkVerdict
from schema.talk2data.chat_settings import ChatSettings
from schema.talk2data.provenance import AnswerKind

log = logging.getLogger("stoa.talk2data")

BENCHMARK_JOB: Final = "benchmark"
"""The name of the job that asks the questions of a benchmark; its key is the benchmark's id."""
MOST_TAKEN_UP: Final = 10_000
LONGEST_MESSAGE: Final = 2000
"""How much of a message is kept."""
_NO_ROWS: Final = {
    AnswerKind.CLARIFICATION: BenchmarkVerdict.ASKED_BACK,
    AnswerKind.UNANSWERABLE: BenchmarkVerdict.SAID_NO,
    AnswerKind.REFUSED: BenchmarkVerdict.SAID_NO,
    AnswerKind.INFORMATION: BenchmarkVerdict.SAID_NO,
}


class _NoRightAnswer(Exception):
    """There is nothing to compare an answer with. The text is a sentence that may be shown."""


class Benchmarking:
    """Carries benchmarks out, in whichever process the job engine chooses."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def register(self) -> None:
        """Tell the job engine how a benchmark is carried out."""
        self._services.jobs.register(
            BENCHMARK_JOB, FanOut(plan=self._plan, task=self._task, finish=self._finish, failed=self._failed)
        )

    async def take_up(self) -> None:
        """Queue the benchmarks that are open and that the job engine may not know, and end those it has given up."""
        jobs = self._services.jobs
        for id in await self._services.store.read(lambda uow: uow.benchmarks.open_everywhere(MOST_TAKEN_UP)):
            await jobs.enqueue(BENCHMARK_JOB, {"benchmark_id": id}, key=id)
            if (outcome := await jobs.outcome(id)) is not None:
                await self._fail(id, outcome.message or "The benchmark ended without an outcome.")

    async def _plan(self, job: JobContext, arguments: dict[str, Any]) -> Sequence[JobTask]:
        """Begin; a task for each question that has no verdict."""
        id, now = arguments["benchmark_id"], self._services.clock()

        def work(uow: UnitOfWork) -> list[int]:
            begun = uow.benchmarks.move(id, RunStatus.RUNNING, started_at=now)
            return uow.benchmarks.waiting(id) if begun else []

        places = await self._services.store.write(work)
        return [JobTask(str(at), {"benchmark_id": id, "position": at}) for at in places]

    async def _task(self, job: JobContext, arguments: dict[str, Any]) -> None:
        """Ask one question, unless it has its verdict: a process may have died right after it."""
        id, at = arguments["benchmark_id"], arguments["position"]
        benchmark, question = await self._services.store.read(
            lambda uow: (uow.benchmarks.row(id), uow.benchmarks.question(id, at))
        )
        if benchmark is None or benchmark.over or question is None or question.verdict is not None:
            return
        try:
            values = await _Asking(self._context(benchmark), benchmark, question).verdict()
        except DatabaseError:
            raise  # begun again shortly
        except Exception as error:
            if not isinstance(error, ApiError | JobError | ConnectorError | TimeoutError):
                log.exception("question %s of benchmark %s failed", at, id)
            seconds = f"{self._services.turns.turn_seconds:g}"
            late = f"It took longer than {seconds} seconds and was broken off."
            values = _failed(late if isinstance(error, TimeoutError) else explain(error))
        given = values | {"answered_at": self._services.clock()}
        await self._services.store.write(lambda uow: uow.benchmarks.conclude(id, at, given))

    async def _finish(self, job: JobContext, arguments: dict[str, Any], outcomes: Sequence[JobOutcome]) -> None:
        """Close it. A question that the engine has given up failed."""
        id, now = arguments["benchmark_id"], self._services.clock()
        told = {one.key: one.message for one in outcomes}

        def work(uow: UnitOfWork) -> None:
            for at in uow.benchmarks.waiting(id):
                message = told.get(str(at)) or "It was begun and came to no end."
                uow.benchmarks.conclude(id, at, _failed(message) | {"answered_at": now})
            uow.benchmarks.move(id, RunStatus.COMPLETED, completed_at=now)

        await self._services.store.write(work)

    async def _failed(self, job: JobContext, arguments: dict[str, Any], message: str) -> None:
        await self._fail(arguments["benchmark_id"], message)

    async def _fail(self, id: str, message: str) -> None:
        values = {"completed_at": self._services.clock(), "status_message": message[:LONGEST_MESSAGE]}
        await self._services.store.write(lambda uow: uow.benchmarks.move(id, RunStatus.FAILED, **values))

    def _context(self, benchmark: BenchmarkRow) -> Context:
        """The context of who began it."""
        return Context(
            caller=Caller.from_dict(benchmark.caller),
            request_id=f"benchmark-{benchmark.id}",
            services=self._services,
            guard=Guard(self._services.relations),
        )


class _Asking:
    """One question being asked."""

    def __init__(self, ctx: Context, benchmark: BenchmarkRow, question: QuestionRow) -> None:
        self._ctx, self._benchmark, self._question = ctx, benchmark, question
        # The same for whoever begins it again, so that it has one place at its connection and not two.
        self._task_id = question.id

    async def verdict(self) -> dict[str, Any]:
        """Return what it came to. Raises what the work on an answer does, and TimeoutError."""
        ctx = self._ctx
        await require(ctx, Permission.CAN_EXECUTE, "project", self._benchmark.project_id)
        async with asyncio.timeout(ctx.services.turns.turn_seconds):
            try:
                ground = await self._ground()
                if self._question.sql is not None:
                    judged(ground, self._question.sql)  # what is no right answer is not asked for first
            except QueryRefused as refused:
                return _failed(await self._refused(ground, refused))
            except _NoRightAnswer as nothing:
                return _failed(str(nothing))
            settings = await settings_of(ctx)
            text, names = self._question.question, (self._benchmark.datasource,)
            as_asked = not self._benchmark.extra_columns
            question = PipelineQuestion(text=text, task_id=self._task_id, names=names, as_asked=as_asked)
            work = Work(ctx, question, settings)
            async for _ in work.steps():
                pass
            told = _told(work.found, settings)
            if work.found.kind is not AnswerKind.ANSWER or work.found.ran is None:
                return told | {"verdict": _NO_ROWS.get(work.found.kind, BenchmarkVerdict.FAILED)}
            try:
                right = await self._right(ground)
            except _NoRightAnswer as nothing:
                return told | _failed(str(nothing))
            return told | await asyncio.to_thread(self._compared, right, work.found.ran)

    async def _ground(self) -> Ground:
        """The data that the right query reads."""
        try:
            places = await places_of(self._ctx, (self._benchmark.datasource,))
        except NotThere as refused:
            raise _NoRightAnswer(refused.message) from None
        if len(places) != 1:
            raise _NoRightAnswer("The data connection that is asked is disabled, or it is more than one by now.")
        return await ground_of(self._ctx, places[0])

    async def _right(self, ground: Ground) -> RightAnswer:
        """The right answer: as it was written out, or as its query gives it."""
        question = self._question
        if question.sql is None:
            rows = tuple(of_json(row) for row in question.rows or ())
            return RightAnswer(rows, tuple((at,) for at in range(len(rows))) if question.ordered else None)
        try:
            asked = right_query(question.sql, ground.dialect)
            ran = await run_query(self._ctx, ground, asked.sql, task_id=self._task_id)
        except QueryRefused as refused:
            raise _NoRightAnswer(await self._refused(ground, refused)) from None
        except SourceFailed as failure:
            raise _NoRightAnswer(f"The right query failed: {failure.message}") from None
        except SqlglotError:
            raise _NoRightAnswer("The right query cannot be read.") from None
        if ran.table.truncated:
            most = len(ran.rows)
            raise _NoRightAnswer(f"The right query gives more than {most} rows, which are too many to be compared.")
        return asked.answer(ran.rows, len(ran.table.columns))

    async def _refused(self, ground: Ground, refused: QueryRefused) -> str:
        why = await told_of(self._ctx, ground.policies, refused)
        return f"The right query may not be run: {why} (Rule: {refused.rule}.)"

    def _compared(self, right: RightAnswer, ran: QueryRun) -> dict[str, Any]:
        width = len(ran.table.columns)
        reasons = misses(right, ran.rows, width=width, extra_columns=self._benchmark.extra_columns)
        return {
            "verdict": BenchmarkVerdict.WRONG if reasons else BenchmarkVerdict.RIGHT,
            "reasons": [one.model_dump(mode="json") for one in reasons],
            "right_rows": len(right.rows),
        }


def _told(found: AnswerOutcome, settings: ChatSettings) -> dict[str, Any]:
    """Return what is kept of an answer, whatever its verdict."""
    draft = found.draft
    told: dict[str, Any] = {"message": None if found.message is None else plain(found.message, LONGEST_MESSAGE)}
    if draft is not None:
        unsure = draft.confidence < settings.unsure_below or not all_checked(found.examples)
        told |= {
            "reading": draft.reading,
            "confidence": draft.confidence,
            "answer_sql": draft.sql,
            "verified": found.verified,
            "unsure": found.kind is AnswerKind.ANSWER and unsure,
        }
    if found.ran is not None:
        told["answer_rows"] = len(found.ran.rows)
    return told


def _failed(message: str) -> dict[str, Any]:
    return {"verdict": BenchmarkVerdict.FAILED, "message": plain(message, LONGEST_MESSAGE)}
