"""Judging a rule before it is kept, and trying one without recording anything."""

from collections.abc import Mapping
from typing import Annotated, Any, Final
from uuid import UUID

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.source_facts import read_facts
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.runs.measuring import (
    CheckInputs,
    check_of,
    named_tables,
    read_known,
    rule_check,
    table_of,
)
from resolvers.data_readiness.runs.reading import use_source
from resolvers.engines.checks.conditions import condition_of
from resolvers.engines.checks.counting import fits
from resolvers.engines.checks.evaluate import evaluate
from resolvers.engines.checks.model import CannotEvaluate, Check, CheckResult
from resolvers.engines.checks.predicates import SCANNED, facts_of
from resolvers.engines.sql_guard import QueryRefused, guard_sql, tables_of_catalog
from resolvers.operation import operation, require
from schema.assets.data_connection import ConnectionType
from schema.data_readiness.rule import Expectation, QualityRule, RuleOutcome
from schema.data_readiness.rule_change import RuleCheck
from schema.data_readiness.source import Source
from schema.errors import NotFound, ValidationError
from schema.governance.permission import Permission

CHECK_SECONDS: Final = 60.0
"""How long trying a rule may read."""

DIALECTS: Final[Mapping[ConnectionType, str]] = {
    ConnectionType.POSTGRES: "postgres",
    ConnectionType.REDSHIFT: "redshift",
    ConnectionType.MYSQL: "mysql",
    ConnectionType.BIGQUERY: "bigquery",
    ConnectionType.SNOWFLAKE: "snowflake",
    ConnectionType.DATABRICKS: "databricks",
    ConnectionType.ORACLE: "oracle",
    ConnectionType.HIVE: "hive",
}
"""The dialect that people write SQL in for a connection; files and documents are read through DuckDB."""


def problem_of(uow: UnitOfWork, scope: Scope, rule: Expectation) -> str | None:
    """Return why a rule could never be evaluated, as far as the catalog tells; None when nothing speaks against it."""
    found = read_facts(uow.connection, scope, [table_of(rule.asset_fqn)])
    if not found:
        return "The catalog has no such table. Run service-ingestion first."
    (table,) = found
    connection = uow.data_connections.find(Scope(scope.organization_id), rule.resource_uri)
    dialect = DIALECTS.get(connection.connection_type, "duckdb") if connection is not None else "duckdb"
    check = Check(
        key="",
        metric=rule.metric,
        asset_fqn=rule.asset_fqn,
        counts_in=rule.metric_definition_id,
        arguments=rule.arguments,
        operator=rule.operator,
        threshold=tuple(rule.threshold),
        unit=rule.unit,
        query=rule.query,
    )
    try:
        if rule.metric is None:
            names = named_tables(uow, scope, table.resource_uri, rule.query or "", dialect)
            others = read_facts(uow.connection, scope, [fqn for fqn in names if fqn != table.fqn])
            tables = tables_of_catalog([table, *others])
            guard_sql(rule.query or "", dialect=dialect, tables=tables, near=tables[0])
        elif rule.metric == "staleData":
            facts_of(table, str(rule.arguments.get("column") or check.column or ""))
            float(rule.arguments["maxAgeSeconds"])
        elif rule.metric in SCANNED and rule.metric != "rowCount":
            condition_of(check, table, dialect)
        else:
            target = str(rule.arguments.get("targetFqn") or "")
            beside = [
                one for one in read_facts(uow.connection, scope, [target]) if one.resource_uri == table.resource_uri
            ]
            fits(check, table, {one.fqn: one for one in beside})
    except QueryRefused as refused:
        return f"The guard refused the query. {refused}"
    except CannotEvaluate as why:
        return str(why)
    except (KeyError, TypeError, ValueError):
        return "staleData needs `maxAgeSeconds`, a number."
    return None


@operation(needs=Permission.CAN_EXECUTE, kind=CallKind.WRITE)
async def check_quality_rule(
    ctx: Context, *, rule_id: Annotated[UUID, Field(description="The rule's id.")]
) -> RuleCheck:
    """Evaluate a quality rule just now, whatever its state, and record nothing. It needs can_execute on the connection.

    It may read for a minute; a larger table is for a run of dq-execution.
    """
    rule = await ctx.store.read(lambda uow: uow.quality_rules.get(ctx.scope, str(rule_id)))
    return RuleCheck(rule_id=rule.id, **told(await evaluated(ctx, rule)))


def told(result: CheckResult) -> dict[str, Any]:
    """Return what a result comes to, as a check and a trial of a rule tell it."""
    return {
        "outcome": result.outcome,
        "numerator": result.numerator,
        "denominator": result.denominator,
        "value": result.value,
        "reason": result.reason,
        "examples": {"rows": [dict(one) for one in result.examples]},
    }


async def evaluated(ctx: Context, rule: QualityRule) -> CheckResult:
    """Return what a rule comes to just now, whether it is kept or not; nothing is recorded.

    Raises ValidationError when its table or its connection is gone, and Forbidden without can_execute on the latter.
    """
    known = await ctx.store.read(lambda uow: read_known(uow, ctx.scope, table_of(rule.asset_fqn), [rule]))
    if not isinstance(known, CheckInputs):
        raise ValidationError(
            "The table is no longer in the catalog. Run service-ingestion, or delete the rule.",
            status=422,
            field="asset_fqn",
        )
    try:
        await require(ctx, Permission.CAN_EXECUTE, "data_connection", rule.resource_uri)
    except NotFound:
        raise ValidationError(
            "The rule's connection was deleted. Delete the rule too.", status=422, field="resource_uri"
        ) from None

    def work(source: Source) -> CheckResult:
        checks = [check_of(rule)]
        done = evaluate(
            source, known.table, checks, now=ctx.now(), how=known.how, others=known.others, detector=known.detector()
        )
        return done.results[rule.id]

    try:
        return await use_source(ctx, rule.resource_uri, work, seconds=CHECK_SECONDS)
    except Exception as error:
        reason = getattr(error, "reason", None)
        if reason is None:
            raise
        return CheckResult(RuleOutcome.NOT_EVALUATED, reason=str(reason))


__all__ = ["check_quality_rule", "evaluated", "problem_of", "rule_check", "told"]
