"""The operation that tells what to do first: violations ranked by use times harm."""

from typing import Annotated, Final

from pydantic import Field

from persistence.queries.used import questions_about, references_to, rows_of
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.metrics import AssetFilter
from resolvers.engines.first_steps import Use, counted, impact, what_to_do, why
from resolvers.operation import operation
from schema.data_readiness.action import Action
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.violation import UNRESOLVED, Violation, ViolationFilter
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.pagination import Page, PageNumber, PageSize
from schema.utils.metadata_asset import LEVEL, AssetType

MOST_WEIGHED: Final = 2000
"""How many violations are weighed, the gravest first."""

TABLE_PARTS: Final = LEVEL[AssetType.TABLE]


@operation(needs=Permission.CAN_READ)
async def list_actions(
    ctx: Context,
    *,
    asset_fqn: AssetFilter | None = None,
    assessment_type: Annotated[AssessmentType, Field(description="Of the data, or of their description.")]
    | None = None,
    page: PageNumber = 1,
    limit: PageSize = 10,
) -> Page[Action]:
    """List what to do first in the selected project, or at or under a name: open violations by use times harm.

    Harm is the severity, a quarter of it always and the rest by the root of the share that is wrong; a gap in the
    description does a tenth of it. Use counts the columns that refer to the table, the latest answers that read it, and
    its rows. Of more than 2000 open violations the gravest are weighed; `total` is how many were.
    """
    only = ViolationFilter(under=asset_fqn, statuses=list(UNRESOLVED), assessment_type=assessment_type)

    def work(uow: UnitOfWork) -> Page[Action]:
        dimensions = [
            one.id for one in uow.dimensions.standing(ctx.scope) if assessment_type in (None, one.assessment_type)
        ]
        found = uow.violations.movable(ctx.scope, only, dimensions, UNRESOLVED, MOST_WEIGHED)
        tables = {one.id: _table(one) for one in found}
        named = {fqn for fqn in tables.values() if fqn is not None}
        rows, references = rows_of(uow.connection, ctx.scope, named), references_to(uow.connection, ctx.scope, named)
        questions = questions_about(uow.connection, ctx.scope) if named else {}
        uses = {
            fqn: Use(rows.get(fqn), references.get(fqn, 0), questions.get(fqn, 0)) if fqn is not None else Use()
            for fqn in {*named, None}
        }
        weighed = sorted(found, key=lambda one: (-impact(one, uses[tables[one.id]]), one.asset_fqn, one.id))
        offset = (page - 1) * limit
        shown = enumerate(weighed[offset : offset + limit], offset + 1)
        items = [_action(rank, one, uses[tables[one.id]]) for rank, one in shown]
        return Page[Action](items=items, total=len(found), offset=offset, limit=limit)

    return await ctx.store.read(work)


def _table(violation: Violation) -> str | None:
    parts = Fqn.parse(violation.asset_fqn).parts
    return str(Fqn.of(*parts[:TABLE_PARTS])) if len(parts) >= TABLE_PARTS else None


def _action(rank: int, violation: Violation, use: Use) -> Action:
    number = counted(violation)
    return Action(
        rank=rank,
        impact=impact(violation, use),
        what=what_to_do(violation),
        reason=why(violation, use),
        violation_id=violation.id,
        asset_fqn=violation.asset_fqn,
        severity=violation.severity,
        assessment_type=violation.dimension.assessment_type,
        wrong=None if number is None else number[0],
        of=None if number is None else number[1],
        rows=use.rows,
        references=use.references,
        questions=use.questions,
    )
