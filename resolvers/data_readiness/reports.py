"""Operations on reports: make one."""

from auth.rate_limit import CallKind
from resolvers.context import Context
from resolvers.data_readiness.moments import past_in_body
from resolvers.data_readiness.report_building import keep_report, report_page, staged
from resolvers.operation import operation, require
from resolvers.uploads import settled
from schema.assets.artifact import Artifact
from schema.data_readiness.report import ReportCreate
from schema.governance.permission import Permission


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def create_report(ctx: Context, *, report: ReportCreate) -> Artifact:
    """Make a report about a service, database, schema or table, and keep it as an artifact of type `report`.

    It is one HTML page that needs nothing else: scorecard and trend, the worst violations, rules, personal data,
    missing values, distributions of a table's columns and relationships. Values of columns that hold personal data
    are left out. Download the artifact to open it. An asset that the catalog does not have is a 404; of a
    schema, database or service without tables the report says just that. An `as_of` in the future is a 422.
    """
    await require(ctx, Permission.CAN_READ_METADATA, "project", ctx.project_id)
    as_of = past_in_body(ctx, report.as_of)
    page = await report_page(ctx, report.asset_fqn, as_of=as_of)
    upload = await staged(ctx, page)
    async with settled(ctx, [upload]):
        made = await ctx.store.write(lambda uow: keep_report(ctx, uow, report.asset_fqn, upload, name=report.name))
    ctx.guard.forget()
    return made
