"""Operations on quality rules: list, write, change, delete, import, export, try one, read what they came to."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final
from uuid import UUID, uuid4

import orjson
from pydantic import Field

from auth.rate_limit import CallKind
from persistence.integrity import IntegrityError
from persistence.queries.source_facts import read_facts, table_names, table_or_column
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.definitions import dimensions_named
from resolvers.data_readiness.metrics import AssetFilter, DimensionFilter
from resolvers.data_readiness.rule_checks import problem_of, rule_check
from resolvers.data_readiness.runs.reading import MOST_TABLES as MOST_NAMED
from resolvers.engines.documents import UnreadableDocument
from resolvers.engines.rules.dbt import read_dbt, write_dbt
from resolvers.engines.rules.draft import measured_by, rule_key
from resolvers.engines.rules.exchange import Imported
from resolvers.engines.rules.odcs import read_odcs, write_odcs
from resolvers.operation import operation
from schema.data_readiness.rule import (
    CUSTOM_METRICS,
    LIBRARY_METRICS,
    QualityRule,
    RuleExecution,
    RuleOrigin,
    RuleOutcome,
    RuleState,
    RuleType,
)
from schema.data_readiness.rule_change import (
    MOST_IMPORTED_SHOWN,
    MOVES,
    QualityRuleCreate,
    QualityRuleDeleted,
    QualityRuleImport,
    QualityRulesExported,
    QualityRulesImported,
    QualityRuleUpdate,
    RuleFormat,
    RuleNote,
)
from schema.errors import AlreadyExists, QuotaExceeded, ValidationError
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.pagination import Page, PageNumber, PageSize

RuleId = Annotated[UUID, Field(description="The rule's id.")]
MOST_ARGUMENTS: Final = 65_536
"""Bytes that the arguments of a rule have as JSON."""

MOST_RULES: Final = 100_000
MOST_EXPORTED: Final = 5000
MOST_TABLES: Final = 2000
"""Tables that one imported file can be about."""

WITHDRAWN: Final = {
    RuleState.DISABLED: "The rule that found it was disabled.",
    RuleState.REJECTED: "The rule that found it was rejected.",
}
DELETED: Final = "The rule that found it was deleted."


@operation(needs=Permission.CAN_READ)
async def list_quality_rules(
    ctx: Context,
    *,
    asset_fqn: AssetFilter | None = None,
    state: RuleState | None = None,
    origin: RuleOrigin | None = None,
    metric: Annotated[str, Field(min_length=1, max_length=64, description="Only rules of this metric.")] | None = None,
    dimension: DimensionFilter | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[QualityRule]:
    """List the quality rules of the selected project, by the name of what they are about, the oldest first."""
    parts = () if asset_fqn is None else Fqn.parse(asset_fqn).parts

    def work(uow: UnitOfWork) -> Page[QualityRule]:
        return uow.quality_rules.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            asset_parts=parts,
            dimension_ids=None if dimension is None else dimensions_named(ctx, uow, dimension),
            state=state,
            origin=origin,
            metric=metric,
        )

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def get_quality_rule(ctx: Context, *, rule_id: RuleId) -> QualityRule:
    """Get a quality rule."""
    return await ctx.store.read(lambda uow: uow.quality_rules.get(ctx.scope, str(rule_id)))


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_quality_rule(ctx: Context, *, rule: QualityRuleCreate) -> QualityRule:
    """Write a quality rule about a table or column of the catalog. It is active at once.

    SQL is judged by the guard: one SELECT over tables of the catalog, known functions alone. What is refused is a 422
    that names the guard's rule. The same rule about the same asset is there once: a second is a 409.
    """
    new_id = str(uuid4())
    keys: list[str] = []

    def work(uow: UnitOfWork) -> QualityRule:
        made = drawn_up(ctx, uow, rule, new_id)
        key = rule_key(made.asset_fqn, made.type, made.metric, made.arguments, made.query)
        keys[:] = [key]
        if (standing := uow.quality_rules.by_keys(ctx.scope, keys).get(key)) is not None:
            raise _taken(standing.id)
        _room(ctx, uow, 1)
        return uow.quality_rules.put(ctx.scope, made, key)

    try:
        return await ctx.store.write(work)
    except IntegrityError:  # somebody else was faster
        found = await ctx.store.read(lambda uow: list(uow.quality_rules.by_keys(ctx.scope, keys).values()))
        raise _taken(found[0].id if found else new_id) from None


def drawn_up(ctx: Context, uow: UnitOfWork, rule: QualityRuleCreate, id: str) -> QualityRule:
    """A rule as it would be kept, in the caller's project. Raises ValidationError for one that cannot be evaluated."""
    arguments = rule.arguments if isinstance(rule.arguments, dict) else {}
    _fits(rule, arguments)
    fqn, uri = _asset(ctx, uow, rule.asset_fqn)
    dimension_id, definition_id = _counted_in(ctx, uow, rule)
    now = ctx.now()
    made = QualityRule(
        id=id,
        name=rule.name,
        description=rule.description,
        asset_fqn=fqn,
        resource_uri=uri,
        type=rule.type,
        metric=rule.metric,
        arguments=arguments,
        operator=rule.operator,
        threshold=list(rule.threshold),
        unit=rule.unit,
        query=rule.query,
        dimension_id=dimension_id,
        metric_definition_id=definition_id,
        severity=rule.severity,
        state=RuleState.ACTIVE,
        origin=RuleOrigin.PERSON,
        evidence={},
        confidence=None,
        expected_false_positive_rate=None,
        workflow_run_id=None,
        created_at=now,
        updated_at=now,
        created_by=ctx.caller.user_id,
    )
    problem = problem_of(uow, ctx.scope, made)
    if problem is not None:
        field = "query" if rule.type is RuleType.SQL else "arguments"
        raise ValidationError(problem, status=422, field=field)
    return made


def _taken(id: str) -> AlreadyExists:
    return AlreadyExists(
        "There is such a rule about this asset already. Update that one, or delete it first.",
        resource_type="quality_rule",
        resource_id=id,
    )


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def update_quality_rule(ctx: Context, *, rule_id: RuleId, changes: QualityRuleUpdate) -> QualityRule:
    """Change a quality rule's words, threshold, severity or state.

    A proposed rule may become active or rejected, an active one disabled, a disabled one active or rejected, a rejected
    one active. When a rule ceases to be active its unresolved violations are resolved.
    """
    given, now = changes.given(), ctx.now()
    for name, value in given.items():
        if value is None and name != "description":
            raise ValidationError(f"{name} has a value, not null.", status=422, field=name)

    def work(uow: UnitOfWork) -> QualityRule:
        current = uow.quality_rules.get(ctx.scope, str(rule_id))
        to = given.get("state", current.state)
        if to is not current.state and to not in MOVES[current.state]:
            allowed = ", ".join(state for state in RuleState if state in MOVES[current.state])
            raise ValidationError(
                f"A rule that is {current.state} cannot become {to}, but {allowed}.", status=422, field="state"
            )
        _threshold(given.get("operator", current.operator), given.get("threshold", current.threshold))
        expected = ctx.expected_of(current)
        changed = uow.quality_rules.change(ctx.scope, current.id, {**given, "updated_at": now}, expected=expected)
        if to is not current.state and to in WITHDRAWN:
            uow.violations.withdraw(
                ctx.scope, [rule_check(current.id)], actor=ctx.caller.user_id, at=now, notes=WITHDRAWN[to]
            )
        return changed

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_DELETE, kind=CallKind.WRITE)
async def delete_quality_rule(ctx: Context, *, rule_id: RuleId) -> QualityRuleDeleted:
    """Delete a quality rule. Its executions and results stay, its unresolved violations are resolved.

    A rule that was generated can be proposed again by a later run; reject it to keep it away.
    """

    def work(uow: UnitOfWork) -> None:
        uow.quality_rules.remove(ctx.scope, str(rule_id), expected=ctx.expected_revision)
        uow.violations.withdraw(
            ctx.scope, [rule_check(str(rule_id))], actor=ctx.caller.user_id, at=ctx.now(), notes=DELETED
        )

    done = QualityRuleDeleted(id=str(rule_id), deleted=True)
    await ctx.store.write(work, told=lambda _: done)
    return done


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.BULK)
async def import_quality_rules(ctx: Context, *, file: QualityRuleImport) -> QualityRulesImported:
    """Import quality rules from a data contract of ODCS 3 or from dbt's generic tests. New ones are active at once.

    Tables and columns are found in the catalog by their names. What stands already stays as it is. What could not be
    understood, and SQL that the guard refuses, becomes no rule and is told with the reason.
    """
    parts = () if file.asset_fqn is None else Fqn.parse(file.asset_fqn).parts
    mentioned = file.text.casefold()

    def tables(uow: UnitOfWork) -> list[Any]:
        names = [str(Fqn.of(*parts))] if parts else []
        found = [fqn for fqn, _ in table_names(uow.connection, ctx.scope, names, MOST_NAMED)]
        wanted = [fqn for fqn in found if Fqn.parse(fqn).parts[-1].casefold() in mentioned]
        return read_facts(uow.connection, ctx.scope, wanted[:MOST_TABLES])

    known = await ctx.store.read(tables)
    reader = read_odcs if file.format is RuleFormat.ODCS else read_dbt
    try:
        imported: Imported = await asyncio.to_thread(reader, file.text, known)
    except UnreadableDocument as why:
        raise ValidationError(str(why), status=422, field="text") from None

    def work(uow: UnitOfWork) -> QualityRulesImported:
        notes = [RuleNote(where=one.where, reason=one.reason) for one in imported.not_understood]
        drafts = []
        for draft in imported.drafts:
            problem = problem_of(uow, ctx.scope, draft) if draft.query is not None else None
            if problem is None:
                drafts.append(draft)
            else:
                notes.append(RuleNote(where=draft.name, reason=problem))
        _room(ctx, uow, len(drafts))
        kept = uow.quality_rules.put_drafts(
            ctx.scope,
            drafts,
            run_id=None,
            actor=ctx.caller.user_id,
            at=ctx.now(),
            origin=RuleOrigin.IMPORTED,
            state=RuleState.ACTIVE,
        )
        created = sum(1 for one in kept if one.is_new)
        rules = [one.rule for one in kept[:MOST_IMPORTED_SHOWN]]
        return QualityRulesImported(created=created, kept=len(kept) - created, rules=rules, not_understood=notes)

    return await ctx.store.write(work)


@operation(needs=Permission.CAN_READ)
async def export_quality_rules(
    ctx: Context,
    *,
    format: RuleFormat,
    asset_fqn: AssetFilter | None = None,
    state: RuleState = RuleState.ACTIVE,
) -> QualityRulesExported:
    """Export quality rules as a data contract of ODCS 3.1, or as dbt's generic tests. 5000 rules at most."""
    parts = () if asset_fqn is None else Fqn.parse(asset_fqn).parts

    def work(uow: UnitOfWork) -> list[QualityRule]:
        found = uow.quality_rules.listed(
            ctx.scope,
            offset=0,
            limit=MOST_EXPORTED,
            asset_parts=parts,
            state=state,
        )
        if found.total > MOST_EXPORTED:
            raise ValidationError(
                f"There are {found.total} rules, and a file has {MOST_EXPORTED} at most. Limit it by asset_fqn.",
                status=422,
                field="asset_fqn",
            )
        return found.items

    rules = await ctx.store.read(work)
    if format is RuleFormat.ODCS:
        name = str(Fqn.of(*parts)) if parts else ctx.project_id
        done = await asyncio.to_thread(write_odcs, rules, id=name, name=name)
    else:
        done = await asyncio.to_thread(write_dbt, rules)
    left_out = [RuleNote(where=one.where, reason=one.reason) for one in done.left_out]
    return QualityRulesExported(format=format, text=done.text, rules=len(rules) - len(left_out), left_out=left_out)


@operation(needs=Permission.CAN_READ)
async def list_rule_executions(
    ctx: Context,
    *,
    rule_id: Annotated[UUID, Field(description="Only of this rule.")] | None = None,
    workflow_run_id: Annotated[UUID, Field(description="Only of this run.")] | None = None,
    asset_fqn: AssetFilter | None = None,
    outcome: RuleOutcome | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[RuleExecution]:
    """List what evaluating rules came to, the newest first."""
    parts = () if asset_fqn is None else Fqn.parse(asset_fqn).parts
    return await ctx.store.read(
        lambda uow: uow.rule_executions.listed(
            ctx.scope,
            offset=(page - 1) * limit,
            limit=limit,
            asset_parts=parts,
            rule_id=None if rule_id is None else str(rule_id),
            workflow_run_id=None if workflow_run_id is None else str(workflow_run_id),
            outcome=outcome,
        )
    )


def _fits(rule: QualityRuleCreate, arguments: Mapping[str, Any]) -> None:
    """Return whether type, metric, query and threshold go together. Raises 422."""
    metrics: Mapping[RuleType, Sequence[str]] = {
        RuleType.LIBRARY: LIBRARY_METRICS,
        RuleType.CUSTOM: CUSTOM_METRICS,
        RuleType.SQL: (),
    }
    allowed = metrics[rule.type]
    if rule.type is RuleType.SQL and rule.metric is not None:
        raise ValidationError("A rule of type sql has a query and no metric.", status=422, field="metric")
    if rule.type is not RuleType.SQL and rule.metric not in allowed:
        raise ValidationError(f"The metrics of type {rule.type} are {', '.join(allowed)}.", status=422, field="metric")
    if (rule.query is not None) != (rule.type is RuleType.SQL):
        raise ValidationError("A rule has a query when its type is sql, and else none.", status=422, field="query")
    _threshold(rule.operator, rule.threshold)
    if len(orjson.dumps(arguments)) > MOST_ARGUMENTS:
        raise ValidationError(f"arguments has {MOST_ARGUMENTS} bytes at most, as JSON.", status=422, field="arguments")


def _threshold(operator: str, threshold: Sequence[float]) -> None:
    wanted = 2 if operator.endswith("Between") else 1
    if len(threshold) != wanted or (wanted == 2 and threshold[0] > threshold[1]):
        raise ValidationError(
            f"{operator} takes {'two numbers, the smaller first' if wanted == 2 else 'one number'} as its threshold.",
            status=422,
            field="threshold",
        )


def _asset(ctx: Context, uow: UnitOfWork, text: str) -> tuple[str, str]:
    """The name as the catalog writes it, and the connection, of a live table or column. Raises 422."""
    found = table_or_column(uow.connection, ctx.scope, text)
    if found is None:
        raise ValidationError(
            "The catalog has no table or column of this name. Run service-ingestion, or correct asset_fqn.",
            status=422,
            field="asset_fqn",
        )
    return found


def _counted_in(ctx: Context, uow: UnitOfWork, rule: QualityRuleCreate) -> tuple[str, str]:
    if rule.metric_definition_id is None:
        return measured_by(rule.metric)
    found = uow.metric_definitions.find(ctx.scope, rule.metric_definition_id)
    if found is None:
        raise ValidationError(
            "There is no such metric in this project. List the metric definitions to find one.",
            status=422,
            field="metric_definition_id",
        )
    return found.dimension_id, found.id


def _room(ctx: Context, uow: UnitOfWork, more: int) -> None:
    """Raises QuotaExceeded when the project has as many rules as it may."""
    if uow.quality_rules.count(ctx.scope) + more > MOST_RULES:
        raise QuotaExceeded(f"A project has {MOST_RULES} quality rules at most. Delete some first.")
