"""The report: everything that is known of an asset's quality on one page, kept as an artifact.

A run over a named asset ends with a unit that makes it, so that whoever ran it has something to look at.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any, Final

from persistence.queries.source_facts import is_anything, read_facts, table_names
from persistence.repository import Scope
from persistence.store import UnitOfWork
from resolvers.assets.artifacts import keep_artifact
from resolvers.context import Context
from resolvers.data_readiness.report_findings import not_described, rule_results, what_to_do_first, worst_cells
from resolvers.data_readiness.report_lineage import lineage_of
from resolvers.data_readiness.runs.executor import RunUnit, RunWork, Write
from resolvers.data_readiness.runs.reading import MOST_TABLES as MOST_NAMED
from resolvers.data_readiness.scorecard import scorecard_of
from resolvers.data_readiness.unmeasured import unmeasured
from resolvers.engines.masking import masked_table
from resolvers.engines.report.page import MOST_TABLES, rendered
from resolvers.engines.report.values import (
    ReportData,
    ReportReference,
    TableLine,
    TrendPoint,
)
from schema.assets.artifact import Artifact, ArtifactCreate, ArtifactType
from schema.content import Upload
from schema.data_readiness.classification import Classification, ClassificationKind
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.scorecard import Scorecard, ScorecardRequest, ScorecardScope
from schema.data_readiness.source import TableFacts
from schema.errors import NotFound
from schema.governance.permission import Permission
from schema.identifiers import Fqn, ResourceUri, join_fqn, slug
from schema.naming import as_name

MOST_POINTS: Final = 12
"""Moments of the past that the trend shows."""
MOST_TAGS: Final = 500
LIKELY: Final = 0.95
"""The share of values with a target from which a relationship that nobody declares is shown."""
MEDIA: Final = "text/html; charset=utf-8"
_SCOPES: Final = {place: scope.value for place, scope in enumerate(ScorecardScope, 1)}


class RunReport:
    """The report on the asset that a run names; a run that names none has no report."""

    def unit(self, work: RunWork, phase: int) -> RunUnit | None:
        """The unit that makes it when all others have ended."""
        fqn = work.run.asset_fqn
        return RunUnit(f"Report on {fqn}", {"report": fqn}, phase, follows=True) if fqn else None

    async def made(self, work: RunWork, arguments: Mapping[str, Any]) -> Write:
        """Make it. Nothing is kept for a caller who may create nothing in the project, or of what is gone meanwhile."""
        ctx, fqn = work.ctx, str(arguments["report"])
        if not await ctx.guard.allows(ctx.caller, Permission.CAN_CREATE_RESOURCES, "project", ctx.project_id):
            return lambda uow: {"reports": 0}
        try:
            page = await report_page(ctx, fqn)
        except NotFound:
            return lambda uow: {"reports": 0}
        upload = await staged(ctx, page)

        def write(uow: UnitOfWork) -> dict[str, int]:
            # A run that is tried again reports again, in the place of what it reported before.
            if not uow.artifacts.rewrite(ctx.scope, _uri(work), upload, actor=ctx.caller.user_id, at=ctx.now()):
                keep_report(ctx, uow, fqn, upload, last_part=_last_part(work))
            return {"reports": 1}

        return write

    def tell(self, work: RunWork, uow: UnitOfWork, output: dict[str, Any]) -> None:
        """Name it in the run's output, if one was kept."""
        uri = _uri(work)
        if uow.artifacts.find(work.ctx.tenant, uri) is not None:
            output["report_uri"] = uri


REPORT: Final = RunReport()
"""What a run ends with that measures something."""


def _last_part(work: RunWork) -> str:
    return f"report-{work.run.id}"


def _uri(work: RunWork) -> str:
    return str(ResourceUri("artifact", work.ctx.organization_id, work.ctx.project_id, _last_part(work)))


async def staged(ctx: Context, page: str) -> Upload:
    """The page in the blob store, before a row names it."""

    async def chunks() -> AsyncIterator[bytes]:
        yield page.encode()

    return await ctx.services.blobs.stage(ctx.organization_id, chunks(), file_name=None, content_type=MEDIA)


def keep_report(
    ctx: Context,
    uow: UnitOfWork,
    asset_fqn: str,
    upload: Upload,
    *,
    name: str | None = None,
    last_part: str | None = None,
) -> Artifact:
    """Write a report down, as part of a transaction."""
    called = name or as_name(f"Report on {asset_fqn}", "Report")
    artifact = ArtifactCreate(
        name=called,
        resource_uri=last_part,
        artifact_type=ArtifactType.REPORT,
        description=f"The quality of {asset_fqn}."[:1000],
    )
    return keep_artifact(ctx, uow, artifact, upload, f"{slug(called, fallback='report')}.html")


async def report_page(ctx: Context, asset_fqn: str, *, as_of: datetime | None = None) -> str:
    """The HTML of a report, for code whose caller's permission has been checked."""
    data = await gathered(ctx, asset_fqn, as_of=as_of)
    return await asyncio.to_thread(rendered, data)


async def gathered(ctx: Context, asset_fqn: str, *, as_of: datetime | None = None) -> ReportData:
    """Return what the report on an asset shows. Raises NotFound when the catalog has nothing there."""
    parts = Fqn.parse(asset_fqn).parts
    names, tables, facts = await ctx.store.read(lambda uow: _tables(uow, ctx.scope, asset_fqn, as_of))
    if not names and not await ctx.store.read(lambda uow: is_anything(uow.connection, ctx.scope, asset_fqn)):
        raise NotFound("metadata_asset", asset_fqn)
    card = await scorecard_of(ctx, ScorecardRequest(asset_fqn=asset_fqn, as_of=as_of))
    trends = {kind: await _trend(ctx, asset_fqn, card, kind, as_of) for kind in AssessmentType}
    data, metadata = trends[AssessmentType.DATA_QUALITY], trends[AssessmentType.METADATA]
    steps, steps_total = await ctx.store.read(lambda uow: what_to_do_first(uow, ctx.scope, parts, as_of))
    gaps, gaps_total = await ctx.store.read(lambda uow: not_described(uow, ctx.scope, parts, as_of))
    cells, cells_total = await ctx.store.read(lambda uow: worst_cells(uow, ctx.scope, names[:MOST_TABLES], as_of))
    whole = facts[0] if len(parts) == 4 and facts else None
    return ReportData(
        asset_fqn=asset_fqn,
        level=_SCOPES[len(parts)],
        title=(whole.display_name if whole else None) or parts[-1],
        description=whole.description if whole else None,
        made_at=ctx.now(),
        scorecard=card,
        trend=[TrendPoint(moment, float(score)) for moment, score in data],
        metadata_trend=[TrendPoint(moment, float(score)) for moment, score in metadata],
        tables=tables,
        tables_total=len(names),
        classifications=await ctx.store.read(lambda uow: _personal(uow, ctx.scope, asset_fqn)),
        rules=await ctx.store.read(lambda uow: rule_results(uow, ctx.scope, parts, as_of)),
        actions=steps,
        violations_total=steps_total,
        gaps=gaps,
        gaps_total=gaps_total,
        cells=cells,
        cells_total=cells_total,
        unmeasured=await ctx.store.read(lambda uow: unmeasured(uow, ctx.scope, names, card, as_of)),
        relations=_relations(facts, tables),
        lineage=await ctx.store.read(lambda uow: lineage_of(uow, ctx.scope, facts, as_of, single=len(parts) == 4)),
        previous_score=data[-2][1] if len(data) > 1 else None,
        previous_metadata=metadata[-2][1] if len(metadata) > 1 else None,
    )


async def _trend(
    ctx: Context, asset_fqn: str, card: Scorecard, kind: AssessmentType, as_of: datetime | None
) -> list[tuple[datetime, str]]:
    """The score of one kind of assessment after each of the last runs that measured it, the oldest first."""
    own = [
        metric.metric_definition_id for one in card.dimensions if one.assessment_type is kind for metric in one.metrics
    ]
    parts = Fqn.parse(asset_fqn).parts
    moments = await ctx.store.read(
        lambda uow: uow.metric_results.moments(ctx.scope, parts, as_of, MOST_POINTS, metrics=own)
    )
    found = []
    for moment in moments:
        then = await scorecard_of(ctx, ScorecardRequest(asset_fqn=asset_fqn, as_of=moment))
        score = (then.data_quality if kind is AssessmentType.DATA_QUALITY else then.metadata).score
        if score is not None:
            found.append((moment, score))
    return found


def _tables(
    uow: UnitOfWork, scope: Scope, asset_fqn: str, as_of: datetime | None
) -> tuple[list[str], list[TableLine], list[TableFacts]]:
    """The tables at or under a name; the first with their latest profiles, masked as for any reader today."""
    names = [fqn for fqn, _ in table_names(uow.connection, scope, [asset_fqn], MOST_NAMED)]
    facts = read_facts(uow.connection, scope, names[:MOST_TABLES])
    profiles = uow.table_profiles.latest(scope, names[:MOST_TABLES], at=as_of)
    personal = uow.table_profiles.personal(scope, names[:MOST_TABLES])
    lines = []
    for one in facts:
        profile = profiles.get(one.fqn)
        if profile is not None:
            profile = masked_table(profile, personal[one.fqn])
        rows = profile.row_count if profile else one.row_count
        lines.append(TableLine(one.fqn, one.name, one.description, len(one.columns), rows, profile))
    return names, lines, facts


def _personal(uow: UnitOfWork, scope: Scope, asset_fqn: str) -> list[Classification]:
    """The tags for personal data on columns at or under a name, the surest first."""
    found = uow.classifications.surest(scope, asset_fqn, ClassificationKind.PII, MOST_TAGS)
    return [one for one in found if len(Fqn.parse(one.asset_fqn).parts) == 5]


def _relations(facts: Sequence[TableFacts], lines: Sequence[TableLine]) -> list[ReportReference]:
    """Return which of the tables refer to which: what is declared or approved, then what profiles have found."""
    short = _short_names(facts)
    found: dict[tuple[str, str, str], ReportReference] = {}
    for table in facts:
        for column in table.columns:
            if column.references is not None:
                key = (table.fqn, column.references[0], column.name)
                target = short.get(key[1]) or _beside(key[1], table.fqn)
                found[key] = ReportReference(short[table.fqn], target, column.name, column.is_reference_declared)
    for line in lines:
        for one in line.profile.foreign_keys if line.profile else ():
            key = (line.fqn, one.target_fqn, ", ".join(one.columns))
            if key not in found and not one.is_declared and one.match_rate >= LIKELY:
                found[key] = ReportReference(
                    short[line.fqn], short.get(key[1]) or _beside(key[1], line.fqn), key[2], False
                )
    return list(found.values())


def _beside(name: str, other: str) -> str:
    """The name of a table that the report is not of, without what it has in common with one that it is of."""
    parts = Fqn.parse(name).parts
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(parts, Fqn.parse(other).parts, strict=False))
    )
    return join_fqn(parts[min(shared, len(parts) - 1) :])


def _short_names(facts: Sequence[TableFacts]) -> dict[str, str]:
    """The names of tables, with their schema where two would be alike."""
    alike: dict[str, int] = {}
    for one in facts:
        alike[one.name] = alike.get(one.name, 0) + 1
    return {one.fqn: one.name if alike[one.name] == 1 else f"{one.schema}.{one.name}" for one in facts}
