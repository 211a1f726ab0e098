"""Dimensions, metrics, the scorecard, and violations."""

from typing import Any
from uuid import uuid4

from persistence.queries.metric_results import Measured
from persistence.queries.suspects import MarkedCell
from persistence.queries.violations import Finding
from persistence.repository import Scope
from schema.data_readiness.quality import (
    AssessmentType,
    DimensionChange,
    DimensionCreate,
    MetricDefinitionChange,
    MetricDefinitionCreate,
)
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS, VIOLATIONS
from schema.data_readiness.scorecard import ScorecardRequest
from schema.data_readiness.suspect import (
    CellMarks,
    SuspectCell,
    SuspectCellFilter,
    SuspectCellsDecision,
    SuspectCellsExport,
    SuspectKind,
    SuspectVerdict,
)
from schema.data_readiness.violation import (
    ViolationChange,
    ViolationDefinitionChange,
    ViolationDefinitionCreate,
    ViolationFilter,
    ViolationsDecision,
    ViolationStatus,
)
from tests.contract.cases.profiles import profiled_table
from tests.contract.stage import MARK, Case, Place, Stage

BASE = "/data-readiness"


def fresh() -> str:
    """A name that is not taken."""
    return f"{MARK}_{uuid4().hex}"


async def new_dimension(stage: Stage, place: Place) -> dict[str, Any]:
    """A dimension that is not there yet."""
    return {"dimension": DimensionCreate(name=fresh(), assessment_type=AssessmentType.METADATA)}


async def dimension(stage: Stage, place: Place) -> dict[str, Any]:
    """A dimension of the place's own."""
    body = {"name": fresh(), "assessment_type": "metadata", "description": f"{MARK} words"}
    return {"dimension_id": (await stage.made(place, "POST", f"{BASE}/metrics/dimensions", body))["id"]}


async def changed_dimension(stage: Stage, place: Place) -> dict[str, Any]:
    """A dimension, and new words."""
    return await dimension(stage, place) | {"changes": DimensionChange.model_validate({"purpose": "new"})}


async def new_metric(stage: Stage, place: Place) -> dict[str, Any]:
    """A metric that is not there yet."""
    return {"metric": MetricDefinitionCreate(name=fresh(), dimension_id=DIMENSIONS[0].id)}


async def metric(stage: Stage, place: Place) -> dict[str, Any]:
    """A metric of the place's own."""
    body = {"name": fresh(), "dimension_id": DIMENSIONS[0].id, "description": f"{MARK} words"}
    return {"definition_id": (await stage.made(place, "POST", f"{BASE}/metrics/definitions", body))["id"]}


async def changed_metric(stage: Stage, place: Place) -> dict[str, Any]:
    """A metric, and new words."""
    return await metric(stage, place) | {"changes": MetricDefinitionChange.model_validate({"unit": "new"})}


async def measured(stage: Stage, place: Place) -> dict[str, Any]:
    """A result that a list would show."""
    scope, now = Scope(place.organization, place.project), stage.world.clock()
    result = Measured(METRICS[0].id, f"{MARK}.a.b.c", 1, 2)
    await stage.world.app.parts.services.store.write(
        lambda uow: uow.metric_results.record(scope, str(uuid4()), [result], at=now)
    )
    return {}


async def card(stage: Stage, place: Place) -> dict[str, Any]:
    """A scorecard about something that was measured."""
    await measured(stage, place)
    return {"request": ScorecardRequest(asset_fqn=MARK)}


async def new_kind(stage: Stage, place: Place) -> dict[str, Any]:
    """A kind of violation that is not there yet."""
    return {"definition": ViolationDefinitionCreate(name=fresh(), dimension_id=DIMENSIONS[0].id)}


async def kind(stage: Stage, place: Place) -> dict[str, Any]:
    """A kind of violation of the place's own."""
    body = {"name": fresh(), "dimension_id": DIMENSIONS[0].id, "description": f"{MARK} words"}
    return {"definition_id": (await stage.made(place, "POST", f"{BASE}/violations/definitions", body))["id"]}


async def changed_kind(stage: Stage, place: Place) -> dict[str, Any]:
    """A kind of violation, and new words."""
    changes = ViolationDefinitionChange.model_validate({"is_active": False})
    return await kind(stage, place) | {"changes": changes}


async def violation(stage: Stage, place: Place) -> dict[str, Any]:
    """A violation."""
    scope, now = Scope(place.organization, place.project), stage.world.clock()
    asset, check = f"{MARK}.a.b.t{uuid4().hex}", f"{MARK}-{uuid4().hex}"
    found = Finding(check, VIOLATIONS[0].id, asset, details={"note": MARK})

    def work(uow: Any) -> str:
        uow.violations.record(scope, str(uuid4()), [found], checked=[], actor=MARK, at=now)
        (made,) = uow.violations.where_in(scope, "check_key", [check])
        return str(made.id)

    return {"violation_id": await stage.world.app.parts.services.store.write(work)}


async def a_list_of_violations(stage: Stage, place: Place) -> dict[str, Any]:
    """A violation that a list would show."""
    await violation(stage, place)
    return {}


async def changed_violation(stage: Stage, place: Place) -> dict[str, Any]:
    """A violation, and a decision."""
    changes = ViolationChange.model_validate({"status": ViolationStatus.RESOLVED, "resolution_notes": "new"})
    return await violation(stage, place) | {"changes": changes}


async def violations_decided(stage: Stage, place: Place) -> dict[str, Any]:
    """A violation, and a decision about all that are it."""
    only = ViolationFilter(ids=[(await violation(stage, place))["violation_id"]])
    return {"decision": ViolationsDecision(only=only, status=ViolationStatus.RESOLVED)}


async def suspect(stage: Stage, place: Place) -> dict[str, Any]:
    """A suspect cell that a list would show."""
    scope, now = Scope(place.organization, place.project), stage.world.clock()
    table = (await profiled_table(stage, place))["asset_fqn"]
    marks = CellMarks(uuid4().hex, None, uuid4().hex)
    cell = SuspectCell(
        id=str(uuid4()),
        asset_fqn=f"{table}.note",
        table_fqn=table,
        column="note",
        row_key={"id": "1"},
        kind=SuspectKind.RARE,
        reason=f"{MARK} words",
        further_reasons=[],
        value="a",
        repair=None,
        probability=0.9,
        detected_probability=0.9,
        verdict=SuspectVerdict.UNDECIDED,
        decided_by=None,
        decided_at=None,
        workflow_run_id=str(uuid4()),
        measured_at=now,
        suspects_in_table=1,
    )
    await stage.world.app.parts.services.store.write(
        lambda uow: uow.suspect_cells.replace(scope, table, [MarkedCell(cell, marks)])
    )
    return {"id": cell.id}


async def a_list_of_suspects(stage: Stage, place: Place) -> dict[str, Any]:
    """A suspect cell that a list would show."""
    await suspect(stage, place)
    return {}


async def suspects_decided(stage: Stage, place: Place) -> dict[str, Any]:
    """A suspect cell, and a verdict on it."""
    only = SuspectCellFilter(ids=[(await suspect(stage, place))["id"]])
    return {"decision": SuspectCellsDecision(only=only, verdict=SuspectVerdict.FINE)}


async def suspects_exported(stage: Stage, place: Place) -> dict[str, Any]:
    """A suspect cell, and what to make a file of."""
    await suspect(stage, place)
    return {"export": SuspectCellsExport(only=SuspectCellFilter(kinds=[SuspectKind.FORMULA]), name=fresh())}


CASES = [
    Case("list_dimensions", "project", "can_read", measured),
    Case("create_dimension", "project", "can_create_resources", new_dimension),
    Case("update_dimension", "project", "can_write", changed_dimension, "dimension_id"),
    Case("delete_dimension", "project", "can_delete", dimension, "dimension_id"),
    Case("list_metric_definitions", "project", "can_read", measured),
    Case("create_metric_definition", "project", "can_create_resources", new_metric),
    Case("update_metric_definition", "project", "can_write", changed_metric, "definition_id"),
    Case("delete_metric_definition", "project", "can_delete", metric, "definition_id"),
    Case("list_metric_results", "project", "can_read", measured),
    Case("get_scorecard", "project", "can_read", card),
    Case("list_violation_definitions", "project", "can_read", measured),
    Case("create_violation_definition", "project", "can_create_resources", new_kind),
    Case("update_violation_definition", "project", "can_write", changed_kind, "definition_id"),
    Case("delete_violation_definition", "project", "can_delete", kind, "definition_id"),
    Case("list_violations", "project", "can_read", a_list_of_violations),
    Case("list_actions", "project", "can_read", a_list_of_violations),
    Case("get_violation", "project", "can_read", violation, "violation_id"),
    Case("get_violation_impact", "project", "can_read", violation, "violation_id"),
    Case("list_violation_history", "project", "can_read", violation, "violation_id"),
    Case("update_violation", "project", "can_write", changed_violation, "violation_id"),
    Case("decide_violations", "project", "can_write", violations_decided),
    Case("list_suspect_cells", "project", "can_read", a_list_of_suspects),
    Case("list_suspect_cell_groups", "project", "can_read", a_list_of_suspects),
    Case("decide_suspect_cells", "project", "can_write", suspects_decided),
    Case("export_suspect_cells", "project", "can_create_resources", suspects_exported),
]
