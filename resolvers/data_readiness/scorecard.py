"""The scorecard: what runs have measured, added up and weighed, at any moment of the past."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final
from uuid import UUID

from persistence.queries.catalog_rows import stood
from persistence.store import UnitOfWork
from resolvers.context import Context
from resolvers.data_readiness.moments import past_in_body
from resolvers.loaders.scorecards import card_of
from resolvers.operation import operation
from schema.data_readiness.quality import Dimension
from schema.data_readiness.scorecard import (
    Scorecard,
    ScorecardRequest,
)
from schema.errors import InvalidFormat, NotFound, ValidationError
from schema.governance.permission import Permission
from schema.identifiers import Fqn
from schema.pagination import in_utc

HEAVIEST: Final = 10_000_000
WEIGHT_PLACES: Final = 10


@operation(needs=Permission.CAN_READ)
async def get_scorecard(ctx: Context, *, request: ScorecardRequest = ScorecardRequest()) -> Scorecard:  # noqa: B008 (it is immutable)
    """Get the scorecard of a service, database, schema or table, or of the whole project, now or at a past moment.

    Each figure is the latest of its metric and asset at `as_of`, or what `workflow_run_id` has measured. Asked again
    for the same moment or run, the answer is the same, byte for byte. A score is a numerator over a denominator: a
    metric's over its assets, a dimension's over its metrics; the overall score is the mean of the dimensions that were
    measured, by their weights; `data_quality` and `metadata` are that of the dimensions of each kind. Scores have 4
    decimal places, rounded half to even, and only what is whole is 1.0000. What was not measured is null and counts
    for nothing. Every dimension and metric is listed, measured or not.
    `weight_overrides` is a what-if. An `asset_fqn` that names nothing in the catalog is a 404, and an `as_of` in the
    future a 422.
    """
    past_in_body(ctx, request.as_of)
    return await scorecard_of(ctx, request, must_stand=True)


async def scorecard_of(ctx: Context, request: ScorecardRequest, *, must_stand: bool = False) -> Scorecard:
    """The scorecard that a request asks for; with `must_stand`, NotFound when it names nothing."""
    parts = _parts(request.asset_fqn)
    as_of = None if request.as_of is None else in_utc(request.as_of)
    run_id = None if request.workflow_run_id is None else str(request.workflow_run_id)

    def work(uow: UnitOfWork) -> Scorecard:
        until = as_of or ctx.now()
        if run_id is not None:
            uow.workflow_runs.get(ctx.scope, run_id)
            last = uow.metric_results.end_of_run(ctx.scope, run_id)
            until = min(until, last) if last is not None else until
        dimensions = [
            one
            for one in uow.dimensions.standing(ctx.scope, at=until)
            if request.assessment_type in (None, one.assessment_type)
        ]
        metrics = uow.metric_definitions.standing(ctx.scope, at=until)
        weights = _overrides(request.weight_overrides or {}, uow.dimensions.standing(ctx.scope, at=until))
        sums = uow.metric_results.latest(ctx.scope, parts, at=until, run_id=run_id)
        if must_stand and parts and not sums and not stood(uow.connection, ctx.scope, Fqn(parts), until):
            raise NotFound("metadata_asset", str(Fqn(parts)))
        return card_of(ctx.project_id, parts, dimensions, metrics, sums, weights, as_of=as_of, run_id=run_id)

    return await ctx.store.read(work)


def _parts(asset_fqn: str | None) -> tuple[str, ...]:
    """The parts of the dotted name in the body."""
    return () if asset_fqn is None else Fqn.parse(asset_fqn).parts


def _overrides(given: Mapping[str, Any], dimensions: list[Dimension]) -> dict[str, Decimal]:
    """The weights that a request sets for itself. Raises 422, or 400 for what is neither text nor a number."""
    known = {one.id for one in dimensions}
    weights: dict[str, Decimal] = {}
    for key, value in given.items():
        field = f"weight_overrides.{key[:100]}"
        try:
            id = str(UUID(key))
        except ValueError:
            id = key
        if id not in known:
            raise ValidationError(
                f"There is no dimension {key[:100]!r}. Name dimensions by their id.", status=422, field=field
            )
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            raise InvalidFormat("A weight is a decimal number, as a string or a number.", field=field)
        weights[id] = _weight(str(value), field)
    return weights


def _weight(text: str, field: str) -> Decimal:
    try:
        weight = Decimal(text) if text.isascii() and "_" not in text and len(text) <= 40 else Decimal("nan")
    except InvalidOperation:
        weight = Decimal("nan")
    exponent = weight.as_tuple().exponent
    if not weight.is_finite() or weight < 0 or weight > HEAVIEST or not isinstance(exponent, int):
        raise ValidationError(f"A weight is a decimal number from 0 to {HEAVIEST}.", status=422, field=field)
    if exponent < -WEIGHT_PLACES:
        raise ValidationError(f"A weight has {WEIGHT_PLACES} decimal places at most.", status=422, field=field)
    return abs(weight)
