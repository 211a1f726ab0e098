"""Asking an old question again: with what is known today, and by the query of then. The turn itself stays as it is."""

import asyncio
import difflib
from collections.abc import Iterable, Iterator, Mapping
from uuid import uuid4

from auth.rate_limit import CallKind
from persistence.connectors.core.base import ConnectorError
from persistence.jobs.port import JobError
from persistence.queries.chat_knowledge import memories_of_ids
from resolvers.context import Context
from resolvers.engines.answering.rows import digest
from resolvers.engines.sql_guard import QueryRefused
from resolvers.operation import operation
from resolvers.talk2data.answering.analyst import asked_again
from resolvers.talk2data.answering.catalog_context import NotThere, ground_of, places_of
from resolvers.talk2data.answering.evidence import as_of_now, used_memories
from resolvers.talk2data.answering.guarding import told_of
from resolvers.talk2data.answering.pipeline import Work
from resolvers.talk2data.answering.query_execution import QueryRun, SourceFailed, run_query
from resolvers.talk2data.answering.results import provenance_of, text_of
from resolvers.talk2data.chat_settings import settings_of
from resolvers.talk2data.provenance import own_provenance
from resolvers.talk2data.sessions import SessionId
from resolvers.talk2data.turns import TurnId
from schema.errors import Forbidden, UpstreamUnavailable
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.talk2data.provenance import (
    AnswerKind,
    ChangeKind,
    ReplayChange,
    ReplayRun,
    TurnProvenance,
    TurnReplay,
    UsedMemory,
    UsedTable,
)
from schema.utils.memory import MemoryStatus


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def replay_turn(ctx: Context, *, session_id: SessionId, turn_id: TurnId) -> TurnReplay:
    """Ask the question of a turn of one of the caller's own sessions again, and send its old query again.

    It answers what has changed and why. The turn stays as it is, and no artifact is made; only which rows of a table
    with a minimum group size were told is remembered, as with any answer. It takes no longer than the deployment allows
    (STOA_TURN_REPLAY_SECONDS); what takes longer is broken off in the source too, and is a 502.
    """
    old = await ctx.store.read(lambda uow: own_provenance(ctx, uow, session_id, turn_id))
    seconds = ctx.services.turns.turn_replay_seconds
    try:
        async with asyncio.timeout(seconds):
            return await _replayed(ctx, old)
    except TimeoutError:
        raise UpstreamUnavailable(
            f"Asking again took longer than {seconds:g} seconds and was broken off. Ask a new question in the session."
        ) from None


async def _replayed(ctx: Context, old: TurnProvenance) -> TurnReplay:
    task_id = str(uuid4())
    work = Work(ctx, await asked_again(ctx, old.turn_id, task_id), await settings_of(ctx))
    trouble: str | None = None
    try:
        async for _ in work.steps():
            pass
    except (JobError, ConnectorError) as error:
        trouble = str(error)
    said = trouble or await text_of(work.found)
    now = ctx.now()
    new = provenance_of(old.turn_id, work.found, said, now)
    new_query = _ran(work.found.ran, said, work.found.rule)
    same_query = new.sql_drafted == old.sql_drafted and new.resource_uri == old.resource_uri
    old_query = new_query if same_query and work.found.ran is not None else await _again(ctx, old, task_id)
    causes = await _causes(ctx, old, new)
    return TurnReplay(
        turn_id=old.turn_id,
        replayed_at=now,
        same=_is_same(old, new),
        old=old,
        old_query=old_query,
        kind=new.kind,
        message=said,
        new_query=new_query,
        reading=new.reading,
        confidence=new.confidence,
        sql_diff=_diff(old.sql_drafted, new.sql_drafted),
        changes=[*causes, *_effects(old, new, old_query)],
    )


async def _again(ctx: Context, old: TurnProvenance, task_id: str) -> ReplayRun:
    """The query of then, guarded and run as of now."""
    if old.sql_drafted is None or old.resource_uri is None or old.kind is not AnswerKind.ANSWER:
        return _ran(None, "No query ran then.", None)
    try:
        places = await places_of(ctx, [old.resource_uri])
        if not places:
            return _ran(None, "The connection that was asked then is disabled.", None)
        ground = await ground_of(ctx, places[0])
        try:
            return _ran(await run_query(ctx, ground, old.sql_drafted, task_id=task_id), None, None)
        except QueryRefused as refused:
            return _ran(None, await told_of(ctx, ground.policies, refused), refused.rule)
    except (NotThere, SourceFailed, Forbidden) as problem:
        return _ran(None, problem.message, None)
    except (JobError, ConnectorError) as problem:
        return _ran(None, str(problem), None)


def _ran(ran: QueryRun | None, message: str | None, rule: str | None) -> ReplayRun:
    if ran is None:
        return ReplayRun(sql=None, row_count=None, truncated=False, result_hash=None, rule=rule, message=message)
    return ReplayRun(
        sql=ran.sql,
        row_count=len(ran.table.rows),
        truncated=ran.table.truncated,
        result_hash=digest(ran.table, ordered=ran.ordered),
        rule=None,
        message=None,
    )


def _is_same(old: TurnProvenance, new: TurnProvenance) -> bool:
    if old.kind is not new.kind:
        return False
    return old.result_hash == new.result_hash if old.kind is AnswerKind.ANSWER else old.message == new.message


# --- what has changed -----------------------------------------------------------------------------------------


async def _causes(ctx: Context, old: TurnProvenance, new: TurnProvenance) -> list[ReplayChange]:
    """Return what the answer rests on and what is different there."""
    found: list[ReplayChange] = []
    if old.resource_uri != new.resource_uri:
        found.append(_change(ChangeKind.CONNECTION, None, old.resource_uri, new.resource_uri, "The data that is asked"))
    named = {table.fqn: [column.name for column in table.columns] for table in old.tables}
    found += _tables(old.tables, await as_of_now(ctx, named))
    standing = await ctx.store.read(
        lambda uow: memories_of_ids(uow.connection, ctx.scope, [one.id for one in (*old.memories, *old.policies)])
    )
    active = {one.id: one for one in used_memories(one for one in standing if one.status is MemoryStatus.ACTIVE)}
    found += _memories(ChangeKind.MEMORY, old.memories, new.memories, active)
    found += _memories(ChangeKind.POLICY, old.policies, new.policies, active)
    if old.drafter is not None and new.drafter is not None and old.drafter != new.drafter:
        found.append(_change(ChangeKind.DRAFTER, None, old.drafter, new.drafter, "The drafter"))
    return found


def _tables(before: Iterable[UsedTable], after: Iterable[UsedTable]) -> Iterator[ReplayChange]:
    now = {table.fqn: table for table in after}
    for old in before:
        new = now[old.fqn]
        yield from _differs(ChangeKind.CATALOG, old.fqn, old.version, new.version, f"The version of {old.fqn}")
        columns = {column.name: column for column in new.columns}
        for column in old.columns:
            name = str(Fqn.parse(old.fqn).child(column.name))
            standing = columns[column.name]
            yield from _differs(ChangeKind.CATALOG, name, column.version, standing.version, f"The version of {name}")
            yield from _differs(
                ChangeKind.VIOLATIONS,
                name,
                str(column.open_violations),
                str(standing.open_violations),
                f"The number of open violations on {name}",
            )
        yield from _differs(
            ChangeKind.QUALITY, old.fqn, old.quality_score, new.quality_score, f"The quality score of {old.fqn}"
        )


def _memories(
    kind: ChangeKind, before: Iterable[UsedMemory], after: Iterable[UsedMemory], active: Mapping[str, UsedMemory]
) -> Iterator[ReplayChange]:
    used = {one.id: one for one in after}
    word = "policy" if kind is ChangeKind.POLICY else "memory"
    known = set()
    for old in before:
        known.add(old.id)
        standing = active.get(old.id)
        version = None if standing is None else str(standing.version)
        yield from _differs(kind, old.name, str(old.version), version, f"The version of the {word} “{old.name}”")
        if standing is not None and old.id not in used and standing.version == old.version:
            yield _change(kind, old.name, str(old.version), None, f"The use of the {word} “{old.name}”")
    for one in used.values():
        if one.id not in known:
            yield _change(kind, one.name, None, str(one.version), f"The use of the {word} “{one.name}”")


def _effects(old: TurnProvenance, new: TurnProvenance, again: ReplayRun) -> Iterator[ReplayChange]:
    """Yield what came of it."""
    if (old.sql_drafted or "") != (new.sql_drafted or ""):
        yield _change(ChangeKind.SQL, None, old.sql_drafted, new.sql_drafted, "The query", quoted=False)
    if old.kind is not new.kind:
        yield _change(ChangeKind.ANSWER, None, old.kind.value, new.kind.value, "What the question comes to")
    if old.result_hash is not None and again.result_hash is not None and old.result_hash != again.result_hash:
        yield ReplayChange(
            kind=ChangeKind.DATA,
            subject=None,
            before=_counted(old.row_count),
            after=_counted(again.row_count),
            message="The data has changed: the query of then answers with other rows.",
        )
    if old.result_hash is not None and new.result_hash is not None and old.result_hash != new.result_hash:
        yield ReplayChange(
            kind=ChangeKind.RESULT,
            subject=None,
            before=_counted(old.row_count),
            after=_counted(new.row_count),
            message="The question is answered with other rows than then.",
        )


def _counted(rows: int | None) -> str | None:
    return None if rows is None else f"{rows} row{'' if rows == 1 else 's'}"


def _differs(
    kind: ChangeKind, subject: str, before: str | None, after: str | None, what: str
) -> Iterator[ReplayChange]:
    if before != after:
        yield _change(kind, subject, before, after, what)


def _change(
    kind: ChangeKind, subject: str | None, before: str | None, after: str | None, what: str, *, quoted: bool = True
) -> ReplayChange:
    if before is None:
        told = f"{what} is new" + (f": {after}." if quoted else ".")
    elif after is None:
        told = f"{what} is gone" + (f"; it was {before}." if quoted else ".")
    else:
        told = f"{what} was {before} and is {after} now." if quoted else f"{what} is another one now."
    return ReplayChange(kind=kind, subject=subject, before=before, after=after, message=told)


def _diff(before: str | None, after: str | None) -> str | None:
    if before == after:
        return None
    lines = difflib.unified_diff((before or "").splitlines(), (after or "").splitlines(), "then", "now", lineterm="")
    return "\n".join(lines)
