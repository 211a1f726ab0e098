"""Operations on benchmarks: begin, list, read, cancel, delete. Each user sees their own alone, as with chat sessions.

A benchmark asks questions, which takes what chatting takes: can_execute on the project, and on the connection that is
asked. Verdicts tell of the data what its asker may see of it, so nobody else reads them, whatever their role.
"""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID, uuid4

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.queries.benchmarks import question_hash
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.operation import operation
from resolvers.talk2data.answering.benchmark_execution import BENCHMARK_JOB
from resolvers.talk2data.answering.catalog_context import NotThere, places_of
from schema.data_readiness.workflow_run import RunStatus
from schema.errors import Forbidden, MissingRequiredField, NotFound, ValidationError
from schema.governance.permission import Done, Permission
from schema.pagination import Page, PageNumber, PageSize
from schema.talk2data.benchmark import (
    Benchmark,
    BenchmarkChange,
    BenchmarkCreate,
    BenchmarkQuestion,
    BenchmarkResult,
    BenchmarkVerdict,
)

BenchmarkId = Annotated[UUID, Field(description="The benchmark's id.")]


def _require_own(ctx: Context, uow: UnitOfWork, benchmark_id: UUID | str) -> str:
    """The id of the caller's benchmark. Raises NotFound, and Forbidden for another user's of this project."""
    owner = uow.benchmarks.owner_of(ctx.scope, str(benchmark_id))
    if owner is None:
        raise NotFound("benchmark", str(benchmark_id))
    if owner != ctx.caller.user_id:
        raise Forbidden(
            "This benchmark belongs to somebody else. Begin one of your own.",
            resource_type="benchmark",
            resource_id=str(benchmark_id),
        )
    return str(benchmark_id)


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def create_benchmark(ctx: Context, *, benchmark: BenchmarkCreate) -> Benchmark:
    """Ask questions whose right answers are known, and tell which are answered right, and why the others are not.

    The questions are asked one by one in the background, each on its own and with the caller's permissions; follow the
    benchmark to see how far it is. Begun again under its name, with or without its questions, it is compared with its
    run before. One of a name runs at a time: another one meanwhile is a 422 that names it.
    """
    await _require_data(ctx, benchmark.datasource)
    given = benchmark.questions
    if given is not None:
        _require_questions(given)
    new = Benchmark(
        id=str(uuid4()),
        name=benchmark.name,
        datasource=benchmark.datasource,
        extra_columns=benchmark.extra_columns,
        status=RunStatus.PENDING,
        status_message=None,
        questions=0,
        right=0,
        wrong=0,
        wrong_unwarned=0,
        asked_back=0,
        said_no=0,
        failed=0,
        difference=None,
        created_at=ctx.now(),
        started_at=None,
        completed_at=None,
    )
    user = ctx.caller.user_id

    def work(uow: UnitOfWork) -> Benchmark:
        questions = given
        if questions is None:
            last = uow.benchmarks.latest(ctx.scope, user, new.name, completed=False)
            questions = [] if last is None else uow.benchmarks.asked_by(last)
        if not questions:
            raise MissingRequiredField(
                "There is no benchmark of this name whose questions could be asked again. Send questions.",
                status=422,
                field="questions",
            )
        uow.benchmarks.begin(ctx.scope, new, questions, user_id=user, caller=ctx.caller.to_dict())
        return uow.benchmarks.filled([new])[0]

    try:
        begun = await ctx.store.write(work)
    except IntegrityError:
        standing = await ctx.store.read(lambda uow: uow.benchmarks.latest(ctx.scope, user, new.name, completed=False))
        raise ValidationError(
            "The benchmark of this name is still running. Wait for it or cancel it.",
            status=422,
            field="name",
            benchmark_id=standing,
        ) from None
    # A process that dies between these two leaves an open benchmark, which the next start takes up by the same key.
    await ctx.services.jobs.enqueue(BENCHMARK_JOB, {"benchmark_id": begun.id}, key=begun.id)
    return begun


async def _require_data(ctx: Context, name: str) -> None:
    """Raise unless the name stands for one connection that the caller may ask."""
    try:
        places = await places_of(ctx, (name,))
    except NotThere as refused:
        raise ValidationError(refused.message, status=422, field="datasource") from None
    if len(places) != 1:
        raise ValidationError(
            "This names no data connection that is enabled, or several. Name one by its resource URI.",
            status=422,
            field="datasource",
        )


def _require_questions(questions: Sequence[BenchmarkQuestion]) -> None:
    """Raise unless each question stands once and has one right answer, whose rows have equally many cells."""
    known: set[str] = set()
    for at, one in enumerate(questions):
        if (one.sql is None) == (one.rows is None):
            raise ValidationError(
                "A question has sql or rows, one of them, to tell its right answer.",
                status=422,
                field=f"questions.{at}.sql",
            )
        if len({len(row) for row in one.rows or ()}) > 1:
            raise ValidationError(
                "Every row of a right answer has as many cells as the first.",
                status=422,
                field=f"questions.{at}.rows",
            )
        hashed = question_hash(one.question)
        if hashed in known:
            raise ValidationError(
                "Each question stands once in a benchmark.", status=422, field=f"questions.{at}.question"
            )
        known.add(hashed)


@operation(needs=Permission.CAN_READ)
async def list_benchmarks(
    ctx: Context,
    *,
    name: Annotated[str, Field(min_length=1, max_length=255, description="Only runs under this name.")] | None = None,
    status: RunStatus | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[Benchmark]:
    """List the caller's own benchmarks in the selected project, newest first."""

    def work(uow: UnitOfWork) -> Page[Benchmark]:
        found = uow.benchmarks.page(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            created_by=ctx.caller.user_id,
            name=name,
            status=status,
        )
        return found.model_copy(update={"items": uow.benchmarks.filled(found.items)})

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def get_benchmark(ctx: Context, *, benchmark_id: BenchmarkId) -> Benchmark:
    """Get one of the caller's own benchmarks: how far it is, how many were right, and what has changed since before."""
    return await ctx.store.read(lambda uow: _benchmark(ctx, uow, benchmark_id))


def _benchmark(ctx: Context, uow: UnitOfWork, benchmark_id: UUID) -> Benchmark:
    (found,) = uow.benchmarks.filled([uow.benchmarks.get(ctx.scope, _require_own(ctx, uow, benchmark_id))])
    return found


@operation(needs=Permission.CAN_READ)
async def list_benchmark_results(
    ctx: Context,
    *,
    benchmark_id: BenchmarkId,
    verdict: BenchmarkVerdict | None = None,
    change: BenchmarkChange | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[BenchmarkResult]:
    """List the questions of one of the caller's own benchmarks in their order, each with what it came to and why."""

    def work(uow: UnitOfWork) -> Page[BenchmarkResult]:
        own = _require_own(ctx, uow, benchmark_id)
        return uow.benchmarks.results(
            ctx.scope, own, verdict=verdict, change=change, offset=(page - 1) * limit, limit=limit
        )

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def cancel_benchmark(ctx: Context, *, benchmark_id: BenchmarkId) -> Benchmark:
    """Cancel one of the caller's own benchmarks: no further question is asked. Its verdicts stay.

    One that is over is a 422.
    """
    now = ctx.now()

    def work(uow: UnitOfWork) -> Benchmark:
        own = _require_own(ctx, uow, benchmark_id)
        if not uow.benchmarks.move(own, RunStatus.CANCELED, completed_at=now):
            status = uow.benchmarks.get(ctx.scope, own).status
            raise ValidationError(f"This benchmark is {status} and cannot be canceled.", status=422, field="status")
        return _benchmark(ctx, uow, benchmark_id)

    canceled = await ctx.store.write(work)
    await ctx.services.jobs.cancel(canceled.id)
    return canceled


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def delete_benchmark(ctx: Context, *, benchmark_id: BenchmarkId) -> Done:
    """Delete one of the caller's own benchmarks with its questions and verdicts; one that runs is canceled.

    Later runs keep what they found to have changed since.
    """

    def work(uow: UnitOfWork) -> Done:
        own = _require_own(ctx, uow, benchmark_id)
        uow.benchmarks.remove(ctx.scope, own, expected=ctx.expected_revision)
        return Done(message="The benchmark was deleted.")

    done = await ctx.store.write(work)
    await ctx.services.jobs.cancel(str(benchmark_id))
    return done
