"""Operations on suspect cells: list them, say whether they are wrong, make a file of them."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, Final

from pydantic import Field

from auth.rate_limit import CallKind
from persistence.queries.suspects import SORTABLE, Standing, lock_suspects
from persistence.repository import Scope
from persistence.store import UnitOfWork
from persistence.tabular import Scratch
from resolvers.assets.artifacts import MEDIA, keep_artifact
from resolvers.context import Context
from resolvers.data_readiness.metrics import AssetFilter
from resolvers.engines.error_detection.verdicts import Verdicts
from resolvers.engines.masking import masked_cells
from resolvers.operation import operation, require
from resolvers.uploads import settled
from schema.assets.artifact import MAX_ROWS, Artifact, ArtifactCreate, ArtifactType
from schema.data_readiness.selecting import AssetsLike
from schema.data_readiness.suspect import (
    ProbabilityAtLeast,
    SuspectCell,
    SuspectCellFilter,
    SuspectCellGroup,
    SuspectCellsDecided,
    SuspectCellsDecision,
    SuspectCellsExport,
    SuspectKind,
    SuspectVerdict,
)
from schema.governance.permission import Permission
from schema.grammar import sort_by
from schema.identifiers import Fqn, slug
from schema.pagination import Page, PageNumber, PageSize

MOST_AT_ONCE: Final = 1000
"""How many suspect cells one call decides: more would hold up the runs that look for them."""
MOST_SAMPLED: Final = 20
FIRST: Final = "probability:desc,asset_fqn:asc"
_READ_AT_ONCE: Final = 5000


@operation(needs=Permission.CAN_READ)
async def list_suspect_cells(
    ctx: Context,
    *,
    asset_fqn: AssetFilter | None = None,
    assets_like: AssetsLike | None = None,
    kind: SuspectKind | None = None,
    probability_at_least: ProbabilityAtLeast | None = None,
    verdict: SuspectVerdict | None = None,
    sort: Annotated[
        str,
        Field(max_length=200, description="field:order, comma-separated, such as asset_fqn:asc,probability:desc."),
        sort_by(SORTABLE, of="SuspectCell"),
    ] = FIRST,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[SuspectCell]:
    """List the cells that the latest assessment of each table holds for wrong, the most probable first.

    Of each table the 5000 most probable are kept; `suspects_in_table` says how many there were. What people have called
    fine is found no more by later assessments.
    """
    only = _those(assets_like, kind, probability_at_least, verdict)
    parts = () if asset_fqn is None else Fqn.parse(asset_fqn).parts

    def work(uow: UnitOfWork) -> Page[SuspectCell]:
        found = uow.suspect_cells.listed(
            ctx.scope, only, sort=sort, offset=(page - 1) * limit, limit=limit, asset_parts=parts
        )
        return found.model_copy(update={"items": _shown(uow, ctx.scope, found.items)})

    return await ctx.store.read(work)


@operation(needs=Permission.CAN_READ)
async def list_suspect_cell_groups(
    ctx: Context,
    *,
    asset_fqn: AssetFilter | None = None,
    assets_like: AssetsLike | None = None,
    kind: SuspectKind | None = None,
    probability_at_least: ProbabilityAtLeast | None = None,
    verdict: SuspectVerdict | None = None,
    page: PageNumber = 1,
    limit: PageSize = 20,
) -> Page[SuspectCellGroup]:
    """List suspect cells in groups of what is alike, the largest first: one line for each thing to decide.

    Cells of one column with the same value and the same reason are one group. A decision with the group's `ids` as
    `only.ids` is about all of them.
    """
    only = _those(assets_like, kind, probability_at_least, verdict)
    parts = () if asset_fqn is None else Fqn.parse(asset_fqn).parts

    def work(uow: UnitOfWork) -> Page[SuspectCellGroup]:
        personal = uow.table_profiles.personal(ctx.scope, uow.suspect_cells.tables(ctx.scope))
        offset = (page - 1) * limit
        found = uow.suspect_cells.groups(
            ctx.scope, only, hidden=personal, offset=offset, limit=limit, asset_parts=parts
        )
        told = []
        for one in found.items:
            sample = masked_cells(one.sample, personal)
            told.append(one.model_copy(update={"sample": sample, "reason": sample[0].reason, "value": sample[0].value}))
        return found.model_copy(update={"items": told})

    return await ctx.store.read(work)


def _those(
    assets_like: str | None, kind: SuspectKind | None, least: float | None, verdict: SuspectVerdict | None
) -> SuspectCellFilter:
    return SuspectCellFilter(
        assets_like=assets_like,
        kinds=None if kind is None else [kind],
        probability_at_least=least,
        verdicts=None if verdict is None else [verdict],
    )


def _shown(uow: UnitOfWork, scope: Scope, cells: Sequence[SuspectCell]) -> list[SuspectCell]:
    """Suspect cells as they may be shown, as tags stand now."""
    return masked_cells(cells, uow.table_profiles.personal(scope, list({cell.table_fqn for cell in cells})))


@operation(needs=Permission.CAN_WRITE, kind=CallKind.WRITE)
async def decide_suspect_cells(ctx: Context, *, decision: SuspectCellsDecision) -> SuspectCellsDecided:
    """Say of all suspect cells that match a filter whether they are wrong. It is kept, and never asked again.

    `fine` is said of a cell while its value and its row stay, `always_fine` of all cells of its column that have such a
    value, `wrong` of a cell that stays on the list until it is mended; `undecided` takes back what was said. Each moves
    the probability of further suspects of its kind in its column, at once and in later assessments.

    One call decides 1000 at most, the most probable first, whole or not at all: while `waiting` is not 0, make the same
    call again. With `dry_run` the figures and the first 20 tell what it would do, and nothing is written. Said again it
    finds nothing left to decide.
    """
    now, user, verdict = ctx.now(), ctx.caller.user_id, decision.verdict

    def work(uow: UnitOfWork) -> SuspectCellsDecided:
        if not decision.dry_run:
            some = uow.suspect_cells.decidable(ctx.scope, decision.only, verdict, MOST_AT_ONCE)
            lock_suspects(uow.connection, ctx.scope, {one.cell.table_fqn for one in some})
        standing = uow.suspect_cells.standing(ctx.scope, decision.only)
        found = uow.suspect_cells.decidable(ctx.scope, decision.only, verdict, MOST_AT_ONCE)
        matched = sum(standing.values())
        stand_already = standing.get(verdict, 0)
        if not decision.dry_run and found:
            uow.suspect_verdicts.put(ctx.scope, found, verdict, by=user, at=now)
            _settle(uow, ctx.scope, {one.cell.asset_fqn for one in found})
        return SuspectCellsDecided(
            matched=matched,
            decided=len(found),
            stand_already=stand_already,
            waiting=matched - stand_already - len(found),
            dry_run=decision.dry_run,
            sample=_shown(uow, ctx.scope, [one.cell for one in found[:MOST_SAMPLED]]),
        )

    return await (ctx.store.read if decision.dry_run else ctx.store.write)(work)


def _settle(uow: UnitOfWork, scope: Scope, columns: set[str]) -> None:
    """Let what was said hold of all suspects of some columns."""
    said = Verdicts(uow.suspect_verdicts.of_columns(scope, columns))
    changed = []
    for one in uow.suspect_cells.of_columns(scope, columns):
        cell = one.cell
        now = said.judge(cell.asset_fqn, cell.kind, one.marks, cell.detected_probability)
        standing = Standing(cell.id, now.verdict, now.probability, now.decided_by, now.decided_at)
        if standing != Standing(cell.id, cell.verdict, cell.probability, cell.decided_by, cell.decided_at):
            changed.append(standing)
    uow.suspect_cells.settle(scope, changed)


_COLUMNS: Final[Mapping[str, str]] = {
    "id": "VARCHAR",
    "table_fqn": "VARCHAR",
    "column": "VARCHAR",
    "row_key": "JSON",
    "kind": "VARCHAR",
    "value": "VARCHAR",
    "repair": "VARCHAR",
    "probability": "DOUBLE",
    "detected_probability": "DOUBLE",
    "reason": "VARCHAR",
    "further_reasons": "JSON",
    "verdict": "VARCHAR",
    "decided_by": "VARCHAR",
    "decided_at": "VARCHAR",
    "workflow_run_id": "VARCHAR",
    "measured_at": "VARCHAR",
}
"""The columns of a file of suspect cells, with their types."""


@operation(needs=Permission.CAN_CREATE_RESOURCES, kind=CallKind.WRITE)
async def export_suspect_cells(ctx: Context, *, export: SuspectCellsExport | None = None) -> Artifact:
    """Make a table of all suspect cells that match a filter, and keep it as an artifact, up to 100,000 rows.

    The most probable come first. Download the artifact as it is, in Parquet, or with `format` as CSV, XLSX or JSON.
    Values of columns that hold personal data are left out, as the tags stand now.
    """
    await require(ctx, Permission.CAN_READ, "project", ctx.project_id)
    asked = export or SuspectCellsExport()
    only = asked.only or SuspectCellFilter()

    def work(uow: UnitOfWork) -> list[SuspectCell]:
        found: list[SuspectCell] = []
        while len(found) < MAX_ROWS:
            page = uow.suspect_cells.listed(
                ctx.scope, only, sort=FIRST, offset=len(found), limit=min(_READ_AT_ONCE, MAX_ROWS - len(found))
            )
            found += _shown(uow, ctx.scope, page.items)
            if not page.items or len(found) >= page.total:
                break
        return found

    cells = await ctx.store.read(work)
    data = await asyncio.to_thread(_table, cells)

    async def chunks() -> AsyncIterator[bytes]:
        yield data

    media, ending = MEDIA[ArtifactType.PARQUET]
    name = asked.name or "Suspect cells"
    artifact = ArtifactCreate(
        name=name, artifact_type=ArtifactType.PARQUET, description="Cells that assessments hold for wrong."
    )
    upload = await ctx.services.blobs.stage(ctx.organization_id, chunks(), file_name=None, content_type=media)
    async with settled(ctx, [upload]):
        key = f"{slug(name, fallback='suspect-cells')}.{ending}"
        made = await ctx.store.write(lambda uow: keep_artifact(ctx, uow, artifact, upload, key))
    ctx.guard.forget()
    return made


def _table(cells: Sequence[SuspectCell]) -> bytes:
    rows: list[list[Any]] = []
    for cell in cells:
        values = cell.model_dump(mode="json")
        rows.append([values[name] for name in _COLUMNS])
    with Scratch() as scratch:
        return scratch.write(list(_COLUMNS), rows, list(_COLUMNS.values())).read_bytes()
