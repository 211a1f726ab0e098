"""What the tests of quality share: runs that stand, and figures and findings written as engines will write them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any
from uuid import uuid4

from persistence.queries.metric_results import Measured
from persistence.queries.violations import Finding, Recorded
from persistence.repository import Scope
from persistence.tables.data_readiness import workflow_runs
from persistence.tables.quality import violations
from schema.data_readiness.quality_builtin import DIMENSIONS, METRICS, VIOLATIONS
from schema.data_readiness.workflow import WorkflowConfigurationCreate
from tests.world import ORG, World

DIMENSION = {one.name: one for one in DIMENSIONS}
METRIC = {one.name: one for one in METRICS}
KIND = {one.name: one for one in VIOLATIONS}
ORDERS = "crm.shop.public.orders"


def scope_of(world: World, project: str | None = None, org: str = ORG) -> Scope:
    """The scope of a project, `shop` unless another is named."""
    return Scope(org, project or world.shop)


async def a_configuration(world: World, *, token: str | None = None, config: dict[str, Any] | None = None) -> str:
    """A workflow configuration; its id."""
    body = WorkflowConfigurationCreate.model_validate(
        {"name": "Quality", "workflow_type": "dq-execution", "config": config or {}}
    ).model_dump(mode="json", exclude_unset=True)
    made = await world.request("POST", "/data-readiness/workflows", token=token or world.owner, json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


async def a_run(
    world: World,
    *,
    token: str | None = None,
    project: str | None = None,
    org: str = ORG,
    status: str = "completed",
    input: dict[str, Any] | None = None,
) -> str:
    """A run; its id."""
    configuration, run, now = await a_configuration(world, token=token), str(uuid4()), world.clock()
    row = {
        "id": run, "organization_id": org, "project_id": project or world.shop, "configuration_id": configuration,
        "status": status, "workflow_name": "Quality", "workflow_type": "dq-execution", "save_all": False,
        "created_at": now, "started_at": now, "input": input or {}, "output": {}, "caller": {}, "revision": 1,
    }  # fmt: skip
    await world.app.parts.services.store.write(lambda uow: uow.connection.execute(workflow_runs.insert().values(**row)))
    return run


async def measure(
    world: World,
    *figures: tuple[str, str, int, int],
    run: str | None = None,
    at: datetime | None = None,
    scope: Scope | None = None,
) -> str:
    """Record figures of (metric, asset, numerator, denominator) as a run would; the run's id."""
    run = run or await a_run(world)
    results = [
        Measured(METRIC[name].id if name in METRIC else name, asset, *counts) for name, asset, *counts in figures
    ]
    moment = at or world.clock()
    inside = scope or scope_of(world)
    await world.app.parts.services.store.write(lambda uow: uow.metric_results.record(inside, run, results, at=moment))
    return run


def finding(kind: str = "null_values", asset: str = f"{ORDERS}.amount", **given: Any) -> Finding:
    """Something wrong, of a built-in kind."""
    values = {"check": f"{kind} of {asset}", "definition_id": KIND[kind].id, "asset_fqn": asset}
    return Finding(**(values | given))


async def find(
    world: World,
    *findings: Finding,
    run: str | None = None,
    checked: Iterable[str] = (),
    at: datetime | None = None,
    scope: Scope | None = None,
) -> Recorded:
    """Record findings as a run would."""
    run = run or await a_run(world)
    moment, inside = at or world.clock(), scope or scope_of(world)
    recorded: Recorded = await world.app.parts.services.store.write(
        lambda uow: uow.violations.record(inside, run, findings, checked=list(checked), actor="olga", at=moment)
    )
    return recorded


async def violation_ids(world: World) -> list[str]:
    """The ids of all violations, the oldest first."""
    query = violations.select().with_only_columns(violations.c.id).order_by(violations.c.created_at, violations.c.id)
    found: list[str] = await world.app.parts.services.store.read(
        lambda uow: list(uow.connection.execute(query).scalars())
    )
    return found
