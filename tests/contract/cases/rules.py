"""Quality rules and their executions."""

from typing import Any
from uuid import uuid4

from persistence.queries.catalog import create_asset
from persistence.queries.rules import Executed
from persistence.repository import Scope
from resolvers.engines.catalog_diff import judge
from resolvers.engines.rules.draft import measured_by
from schema.data_readiness.rule import (
    QualityRule,
    RuleOperator,
    RuleOrigin,
    RuleOutcome,
    RuleState,
    RuleType,
    RuleUnit,
)
from schema.data_readiness.rule_change import QualityRuleCreate, QualityRuleImport, QualityRuleUpdate, RuleFormat
from schema.data_readiness.violation import Severity
from schema.utils.metadata_asset import AssetType
from tests.contract.stage import MARK, Case, Place, Stage


async def _table(stage: Stage, place: Place) -> tuple[str, str]:
    """The name of a table in the catalog of a connection, and the connection."""
    uri = await stage.connection(place)
    parts = (MARK, f"db{uuid4().hex}", "s", "t")
    kinds = (AssetType.DATABASE, AssetType.DATABASE_SCHEMA, AssetType.TABLE)
    scope, now = Scope(place.organization, place.project), stage.world.clock()

    def work(uow: Any) -> None:
        for end, kind in enumerate(kinds, start=2):
            create_asset(uow.connection, scope, uri, ".".join(parts[:end]), kind, {}, actor=MARK, now=now, judge=judge)

    await stage.world.app.parts.services.store.write(work)
    return ".".join(parts), uri


async def _rule(stage: Stage, place: Place) -> QualityRule:
    """A rule."""
    fqn, uri = await _table(stage, place)
    dimension, metric = measured_by("rowCount")
    now = stage.world.clock()
    made = QualityRule(
        id=str(uuid4()),
        name=f"{MARK} rule",
        description=f"{MARK} words",
        asset_fqn=fqn,
        resource_uri=uri,
        type=RuleType.LIBRARY,
        metric="rowCount",
        arguments={},
        operator=RuleOperator.MUST_BE_GREATER_THAN,
        threshold=[0.0],
        unit=RuleUnit.ROWS,
        query=None,
        dimension_id=dimension,
        metric_definition_id=metric,
        severity=Severity.LOW,
        state=RuleState.ACTIVE,
        origin=RuleOrigin.PERSON,
        evidence={"note": MARK},
        confidence=None,
        expected_false_positive_rate=None,
        workflow_run_id=None,
        created_at=now,
        updated_at=now,
        created_by=MARK,
    )
    scope = Scope(place.organization, place.project)
    executed = Executed(made, RuleOutcome.PASSED, 1, 1, details={"note": MARK})

    def work(uow: Any) -> None:
        uow.quality_rules.put(scope, made, str(uuid4()))
        uow.rule_executions.record(scope, str(uuid4()), [executed], at=now)

    await stage.world.app.parts.services.store.write(work)
    return made


async def new_rule(stage: Stage, place: Place) -> dict[str, Any]:
    """A rule that is not there yet."""
    fqn, _ = await _table(stage, place)
    return {"rule": QualityRuleCreate(name=f"{MARK} rule", asset_fqn=fqn, type=RuleType.LIBRARY, metric="rowCount")}


async def rule(stage: Stage, place: Place) -> dict[str, Any]:
    """A rule of the place's own."""
    return {"rule_id": (await _rule(stage, place)).id}


async def changed_rule(stage: Stage, place: Place) -> dict[str, Any]:
    """A rule, and what changes of it."""
    return await rule(stage, place) | {"changes": QualityRuleUpdate.model_validate({"description": "new"})}


async def a_list_of_rules(stage: Stage, place: Place) -> dict[str, Any]:
    """A rule that a list would show."""
    await _rule(stage, place)
    return {}


async def an_export(stage: Stage, place: Place) -> dict[str, Any]:
    """A rule that a file would hold."""
    return {"format": RuleFormat.ODCS, "asset_fqn": (await _rule(stage, place)).asset_fqn}


async def a_file(stage: Stage, place: Place) -> dict[str, Any]:
    """A file about a table of the place's own."""
    fqn, _ = await _table(stage, place)
    text = f"version: 2\nmodels:\n  - name: {fqn}\n    columns: []\n"
    return {"file": QualityRuleImport(format=RuleFormat.DBT, text=text)}


CASES = [
    Case("list_quality_rules", "project", "can_read", a_list_of_rules),
    Case("get_quality_rule", "project", "can_read", rule, "rule_id"),
    Case("create_quality_rule", "project", "can_create_resources", new_rule),
    Case("update_quality_rule", "project", "can_write", changed_rule, "rule_id"),
    Case("delete_quality_rule", "project", "can_delete", rule, "rule_id"),
    Case("import_quality_rules", "project", "can_create_resources", a_file),
    Case("export_quality_rules", "project", "can_read", an_export),
    Case("check_quality_rule", "project", "can_execute", rule, "rule_id"),
    Case("try_quality_rule", "project", "can_create_resources", new_rule),
    Case("list_rule_executions", "project", "can_read", a_list_of_rules),
]
