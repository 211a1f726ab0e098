"""Trying a rule before it is written: what it says in words, and what it comes to."""

from uuid import uuid4

from auth.rate_limit import CallKind
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.rule_checks import evaluated, told
from resolvers.data_readiness.rules import drawn_up
from resolvers.engines.masking import hides_values
from resolvers.engines.report.expectations import in_words
from resolvers.operation import operation
from schema.data_readiness.rule import QualityRule
from schema.data_readiness.rule_change import QualityRuleCreate, RuleTrial
from schema.governance.permission import Permission
from schema.utils.metadata_asset import table_of


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def try_quality_rule(ctx: Context, *, rule: QualityRuleCreate) -> RuleTrial:
    """Evaluate a quality rule before it is written, and keep nothing of it. It needs can_execute on the connection too.

    What could never be evaluated is a 422, as in writing it. It may read for a minute.
    """

    def work(uow: UnitOfWork) -> tuple[QualityRule, bool]:
        made = drawn_up(ctx, uow, rule, str(uuid4()))
        tables = [table for table in (table_of(made.asset_fqn),) if table is not None]
        return made, hides_values(made.asset_fqn, uow.table_profiles.personal(ctx.scope, tables))

    made, hides = await ctx.store.read(work)
    result = await evaluated(ctx, made)
    said = in_words(made, result.numerator, result.denominator, hides_values=hides)
    return RuleTrial(in_words=said, **told(result))
