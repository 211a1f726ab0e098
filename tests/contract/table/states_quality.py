"""What the state of violations, rules, classifications and definitions does not allow (see `states.py`)."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import sqlalchemy as sa
from pydantic import BaseModel

from persistence.tables.classification import classifications as classification_rows
from persistence.tables.rules import quality_rules
from schema.data_readiness.classification import ClassificationDecision
from schema.data_readiness.quality import DimensionChange, MetricDefinitionChange, MetricDefinitionCreate
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS, VIOLATIONS
from schema.data_readiness.rule_change import QualityRuleUpdate
from schema.data_readiness.violation import ViolationChange, ViolationDefinitionChange, ViolationDefinitionCreate
from tests.contract.cases import classifications, quality, rules
from tests.contract.stage import MARK, Place, Stage
from tests.contract.table.errors import Makes, State

VIOLATION_MOVES = {
    "open": {"acknowledged", "resolved", "false_positive"},
    "acknowledged": {"open", "resolved", "false_positive"},
    "resolved": {"open"},
    "false_positive": {"open"},
}


def _moved_violation(status: str, to: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        made = await quality.violation(stage, place)
        if status != "open":
            await stage.made(place, "PATCH", f"{quality.BASE}/violations/{made['violation_id']}", {"status": status})
        return made | {"changes": ViolationChange.model_validate({"status": to})}

    return makes


def _violations() -> Iterator[State]:
    for status, taken in VIOLATION_MOVES.items():
        for to in VIOLATION_MOVES.keys() - taken - {status}:
            said = f"a violation that is {status}, to {to}"
            yield State("update_violation", said, _moved_violation(status, to), "status")


def _built_in(**arguments: Any) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        return arguments

    return makes


async def _dimension_in_use(stage: Stage, place: Place) -> dict[str, Any]:
    made = await quality.dimension(stage, place)
    body = {"name": quality.fresh(), "dimension_id": made["dimension_id"]}
    await stage.made(place, "POST", f"{quality.BASE}/metrics/definitions", body)
    return made


def _of_no_dimension(argument: str, change: type[BaseModel]) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        return {argument: change.model_validate({"name": quality.fresh(), "dimension_id": str(uuid4())})}

    return makes


_OFF = {"is_active": False}
DEFINED = [
    State(
        "create_metric_definition",
        "a dimension that is not there",
        _of_no_dimension("metric", MetricDefinitionCreate),
        "dimension_id",
    ),
    State(
        "create_violation_definition",
        "a dimension that is not there",
        _of_no_dimension("definition", ViolationDefinitionCreate),
        "dimension_id",
    ),
    State(
        "update_dimension",
        "built in",
        _built_in(dimension_id=DIMENSIONS[0].id, changes=DimensionChange.model_validate({"purpose": "new"})),
        "id",
    ),
    State("delete_dimension", "built in", _built_in(dimension_id=DIMENSIONS[0].id), "id"),
    State("delete_dimension", "a dimension with metrics", _dimension_in_use, "dimension_id"),
    State(
        "update_metric_definition",
        "built in",
        _built_in(definition_id=METRICS[0].id, changes=MetricDefinitionChange.model_validate({"unit": "new"})),
        "id",
    ),
    State("delete_metric_definition", "built in", _built_in(definition_id=METRICS[0].id), "id"),
    State(
        "update_violation_definition",
        "built in",
        _built_in(definition_id=VIOLATIONS[0].id, changes=ViolationDefinitionChange.model_validate(_OFF)),
        "id",
    ),
    State("delete_violation_definition", "built in", _built_in(definition_id=VIOLATIONS[0].id), "id"),
]


RULE_MOVES = {
    "proposed": {"active", "rejected"},
    "active": {"disabled"},
    "disabled": {"active", "rejected"},
    "rejected": {"active"},
}
CLASSIFICATION_MOVES = {
    "suggested": {"confirmed", "rejected"},
    "rejected": {"confirmed", "suggested"},
    "confirmed": {"rejected"},
    "accepted": {"confirmed", "rejected"},
}


async def _put(stage: Stage, table: sa.Table, id: str, state: str) -> None:
    change = table.update().where(table.c.id == id).values(state=state)
    await stage.world.app.parts.services.store.write(lambda uow: uow.connection.execute(change).rowcount)


def _moved_rule(state: str, to: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        made = await rules.rule(stage, place)
        await _put(stage, quality_rules, made["rule_id"], state)
        return made | {"changes": QualityRuleUpdate.model_validate({"state": to})}

    return makes


def _moved_classification(state: str, to: str) -> Makes:
    async def makes(stage: Stage, place: Place) -> dict[str, Any]:
        made = await classifications.classification(stage, place)
        await _put(stage, classification_rows, made["classification_id"], state)
        return made | {"decision": ClassificationDecision.model_validate({"state": to})}

    return makes


async def _rule_about_nothing(stage: Stage, place: Place) -> dict[str, Any]:
    made = (await rules.new_rule(stage, place))["rule"]
    return {"rule": made.model_copy(update={"asset_fqn": f"{MARK}.a.b.nowhere"})}


async def _rule_whose_table_is_gone(stage: Stage, place: Place) -> dict[str, Any]:
    made = await rules._rule(stage, place)
    path = f"/utils/data_connection/{made.resource_uri}/metadata?fqn={made.asset_fqn}"
    await stage.made(place, "DELETE", path, {})
    return {"rule_id": made.id}


def _rules() -> Iterator[State]:
    for state, taken in RULE_MOVES.items():
        for to in RULE_MOVES.keys() - taken - {state}:
            yield State("update_quality_rule", f"a rule that is {state}, to {to}", _moved_rule(state, to), "state")
    for state, taken in CLASSIFICATION_MOVES.items():
        for to in CLASSIFICATION_MOVES.keys() - taken - {state}:
            said = f"a classification that is {state}, to {to}"
            yield State("decide_classification", said, _moved_classification(state, to), "state")
    for writes in ("create_quality_rule", "try_quality_rule"):
        yield State(writes, "a table that is not there", _rule_about_nothing, "asset_fqn")
    yield State("check_quality_rule", "a table that is gone", _rule_whose_table_is_gone, "asset_fqn")


QUALITY: list[State] = [*_violations(), *DEFINED, *_rules()]
"""Every state of theirs that refuses an operation."""
