"""Workflow configurations and the plain behaviour of runs, through both doors and on both stores."""

from typing import Any
from uuid import uuid4

import pytest

from persistence.tables.data_readiness import run_tasks, workflow_runs
from resolvers.data_readiness.runs.operations import (
    cancel_run,
    get_workflow_run,
    list_project_runs,
    list_run_tasks,
    list_workflow_runs,
    trigger_run,
)
from resolvers.data_readiness.workflows import (
    create_workflow_configuration,
    delete_workflow_configuration,
    get_workflow_configuration,
    list_workflow_configurations,
)
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowSchedule, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from tests.conftest import Statements
from tests.data_readiness.workflows import run_in
from tests.doors import Door
from tests.world import World

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),  # wrong bodies are made here on purpose
]

FIELDS = {
    "id", "name", "workflow_type", "category", "config", "data_asset_types", "description", "is_default",
    "require_reference_pack", "schedule", "status", "triggers", "created_at", "updated_at",
}  # fmt: skip
RUN_FIELDS = {
    "id", "configuration_id", "status", "workflow_name", "workflow_type", "asset_fqn", "started_at", "completed_at",
    "service_name", "database_name", "schema_name", "table_name", "duration_seconds", "error_message", "input",
    "output", "tasks",
}  # fmt: skip
TASK_FIELDS = {"id", "run_id", "name", "status", "started_at", "completed_at"}


async def configure(world: World, door: Door, **given: Any) -> dict[str, Any]:
    """A configuration that stands."""
    values = {"name": "Work", "workflow_type": WorkflowType.PROFILING} | given
    made = await door(
        create_workflow_configuration, world.owner, configuration=WorkflowConfigurationCreate.model_validate(values)
    )
    assert isinstance(made, dict), made
    return made


async def planned(world: World, configuration: str, *, tasks: int = 0, status: str = "pending") -> str:
    """A run that was written down, with tasks; its id."""
    run, now, project = str(uuid4()), world.clock(), world.shop
    scope = {"organization_id": "acme", "project_id": project, "revision": 1}
    row = {
        "id": run, "configuration_id": configuration, "status": status, "workflow_name": "Work",
        "workflow_type": "profiling", "asset_fqn": 'shop.db."a.b".orders', "save_all": False, "created_at": now,
        "started_at": now, "input": {}, "output": {}, "caller": {},
    } | scope  # fmt: skip
    parts = [
        {
            "id": str(uuid4()), "run_id": run, "position": number, "name": f"task {number}",
            "status": "completed" if number % 2 else "pending", "counts": {},
        } | scope
        for number in range(tasks)
    ]  # fmt: skip

    def work(uow: Any) -> None:
        uow.connection.execute(workflow_runs.insert().values(**row))
        if parts:
            uow.connection.execute(run_tasks.insert(), parts)

    await world.app.parts.services.store.write(work)
    return run


async def test_a_configuration_has_every_documented_field_and_default(world: World, door: Door) -> None:
    made = await configure(world, door)
    assert set(made) == FIELDS
    assert made == made | {
        "name": "Work", "workflow_type": "profiling", "category": "profiling", "config": {}, "data_asset_types": [],
        "description": None, "is_default": False, "require_reference_pack": False, "schedule": None,
        "status": "active", "triggers": [],
    }  # fmt: skip
    assert await door(get_workflow_configuration, world.owner, configuration_id=made["id"]) == made


async def test_a_configuration_keeps_what_it_was_given(world: World, door: Door) -> None:
    config = {"a": [1, 2.5, None, True], "b": {"c": "ü🎻"}, "big": 2**53}
    made = await configure(
        world, door, config=config, data_asset_types=["table"], description="d", triggers=["manual"],
        schedule={"cron_expression": "0 4 * * *"},
    )  # fmt: skip
    assert made["config"] == config
    assert made["schedule"] == {"cron_expression": "0 4 * * *", "enabled": True, "timezone": "UTC"}
    assert (made["data_asset_types"], made["triggers"], made["description"]) == (["table"], ["manual"], "d")


@pytest.mark.parametrize("kind", [WorkflowType.SERVICE_INGESTION, WorkflowType.DQ_EXECUTION, WorkflowType.INTELLIGENCE])
async def test_a_definition_may_name_the_type_instead(world: World, door: Door, kind: WorkflowType) -> None:
    made = await configure(world, door, workflow_type=None, workflow_definition_id=kind.value)
    assert made["workflow_type"] == kind.value
    assert made["category"] in ("ingestion", "data_quality", "enrichment")
    both = await configure(world, door, workflow_type=kind, workflow_definition_id=kind.value)
    assert both["workflow_type"] == kind.value


@pytest.mark.parametrize(
    ("given", "status", "code", "field"),
    [
        ({"workflow_type": None}, 400, "MISSING_REQUIRED_FIELD", "workflow_type"),
        ({"workflow_definition_id": "intelligence"}, 422, "VALIDATION_ERROR", "workflow_type"),
        (
            {"workflow_definition_id": "cooking", "workflow_type": None},
            422, "VALIDATION_ERROR", "workflow_definition_id",
        ),
        ({"name": ""}, 422, "VALIDATION_ERROR", "name"),
        ({"name": "n" * 256}, 422, "VALIDATION_ERROR", "name"),
        ({"description": "d" * 1001}, 422, "VALIDATION_ERROR", "description"),
        ({"triggers": ["t"] * 51}, 422, "VALIDATION_ERROR", "triggers"),
        ({"data_asset_types": ["t"] * 51}, 422, "VALIDATION_ERROR", "data_asset_types"),
        (
            {"schedule": WorkflowSchedule.model_construct(_fields_set={"cron_expression"}, cron_expression="* * *")},
            422, "VALIDATION_ERROR", "schedule.cron_expression",
        ),
    ],
)  # fmt: skip
async def test_what_lies_outside_its_bounds_is_refused(
    world: World, door: Door, given: dict[str, Any], status: int, code: str, field: str
) -> None:
    values = {"name": "Work", "workflow_type": WorkflowType.PROFILING} | given
    wrong = WorkflowConfigurationCreate.model_construct(_fields_set=set(values), **values)
    before = await world.dump()
    refused = await door(create_workflow_configuration, world.owner, configuration=wrong)
    assert (refused.status, refused.code, refused.details["field"]) == (status, code, field)
    assert await world.dump() == before


async def test_configurations_are_listed_newest_first_and_by_type(world: World, door: Door) -> None:
    for name, kind in (("one", "profiling"), ("two", "intelligence"), ("three", "profiling")):
        await configure(world, door, name=name, workflow_type=kind)
    listed = await door(list_workflow_configurations, world.owner)
    assert ([item["name"] for item in listed["items"]], listed["total"]) == (["three", "two", "one"], 3)
    some = await door(list_workflow_configurations, world.owner, workflow_type="profiling", limit=1, page=2)
    assert ([item["name"] for item in some["items"]], some["total"]) == (["one"], 2)
    other = await door(list_workflow_configurations, world.owner, {"X-Project-ID": world.lab})
    assert other == {"items": [], "total": 0}


async def test_a_trigger_answers_at_once_and_the_run_says_how_it_ended(world: World, door: Door) -> None:
    configuration = await configure(world, door)
    run = RunCreate(asset_fqn="svc.db.sch.tab", parameters={"include": ["a"]}, save_all=True)
    started = await door(trigger_run, world.owner, configuration_id=configuration["id"], run=run)
    assert door.last is not None
    assert door.last.status_code == (202 if door.name == "rest" else 200)
    assert set(started) == {"id", "configuration_id", "asset_fqn", "save_all", "started_at", "status"}
    assert (started["status"], started["save_all"], started["asset_fqn"]) == ("pending", True, "svc.db.sch.tab")
    await world.jobs.settle()
    found = await door(get_workflow_run, world.owner, configuration_id=configuration["id"], run_id=started["id"])
    assert set(found) == RUN_FIELDS | {"progress"}
    # Nothing was ingested, and a run that has nothing to do says so.
    assert (found["status"], found["workflow_type"]) == ("failed", "profiling")
    assert found["error_message"].startswith("The catalog has no table under a. Run service-ingestion first")
    assert found["completed_at"] >= found["started_at"] == started["started_at"]
    assert found["duration_seconds"] >= 0
    assert found["input"] | {"parameters": {"include": ["a"]}, "save_all": True} == found["input"]
    parts = ("service_name", "database_name", "schema_name", "table_name")
    assert [found[part] for part in parts] == ["svc", "db", "sch", "tab"]


async def test_the_parts_of_a_quoted_name_are_told_apart(world: World, door: Door) -> None:
    configuration = (await configure(world, door))["id"]
    run = await planned(world, configuration)
    found = await door(get_workflow_run, world.owner, configuration_id=configuration, run_id=run)
    assert (found["schema_name"], found["table_name"]) == ("a.b", "orders")
    assert (found["completed_at"], found["duration_seconds"], found["tasks"]) == (None, None, [])


async def test_an_ingestion_without_a_connection_is_refused_before_it_starts(world: World, door: Door) -> None:
    configuration = (await configure(world, door, workflow_type="service-ingestion"))["id"]
    before = await world.dump()
    for asset_fqn, field in ((None, "asset_fqn"), ("nobody", "config.resource_uri")):
        refused = await door(
            trigger_run, world.owner, configuration_id=configuration, run=RunCreate(asset_fqn=asset_fqn)
        )
        assert (refused.code, refused.status, refused.details["field"]) == ("VALIDATION_ERROR", 422, field)
    foreign = (
        await configure(world, door, workflow_type="service-ingestion", config={"resource_uri": "data:globex:x:y"})
    )["id"]
    refused = await door(trigger_run, world.owner, configuration_id=foreign, run=RunCreate())
    assert (refused.code, refused.status) == ("VALIDATION_ERROR", 422)
    assert (await world.dump())["workflow_runs"] == before["workflow_runs"]


@pytest.mark.parametrize("fqn", ["", "a..b", "a.b.c.d.e.f", '"open', "x" * 2001, "a\x00b"])
async def test_a_name_that_is_none_is_refused(world: World, door: Door, fqn: str) -> None:
    configuration = (await configure(world, door))["id"]
    wrong = RunCreate.model_construct(_fields_set={"asset_fqn"}, asset_fqn=fqn)
    refused = await door(trigger_run, world.owner, configuration_id=configuration, run=wrong)
    assert not isinstance(refused, dict), refused
    assert refused.status in (400, 422)
    assert refused.details["field"] == "asset_fqn"
    assert (await door(list_workflow_runs, world.owner, configuration_id=configuration))["total"] == 0


async def test_runs_are_listed_newest_first_with_their_first_tasks(world: World, door: Door) -> None:
    configuration = (await configure(world, door))["id"]
    runs = [await planned(world, configuration, tasks=tasks) for tasks in (0, 3, 101)]
    listed = await door(list_workflow_runs, world.owner, configuration_id=configuration)
    assert [item["id"] for item in listed["items"]] == runs[::-1]
    assert [len(item["tasks"]) for item in listed["items"]] == [100, 3, 0]
    assert [task["name"] for task in listed["items"][1]["tasks"]] == ["task 0", "task 1", "task 2"]
    await planned(world, configuration, status="completed")
    done = await door(list_workflow_runs, world.owner, configuration_id=configuration, status="completed")
    assert done["total"] == 1
    missing = await door(list_workflow_runs, world.owner, configuration_id=str(uuid4()))
    assert missing.details["resource_type"] == "workflow_configuration"


async def test_the_runs_of_a_project_are_those_of_all_its_configurations(world: World, door: Door) -> None:
    profiling, quality = await configure(world, door), await configure(world, door, workflow_type="dq-execution")
    one = await run_in(world, profiling, "completed", asset_fqn="svc.db")
    two = await run_in(world, quality, "failed", asset_fqn="svc.db.s.t")
    three = await run_in(world, profiling, "completed", asset_fqn="svc.dbx")
    now = (await door(get_workflow_run, world.owner, configuration_id=quality["id"], run_id=two))["started_at"]
    await door(delete_workflow_configuration, world.owner, configuration_id=quality["id"])
    await planned(world, profiling["id"], tasks=2)
    for given, expected in (
        ({"status": "completed"}, [three, one]),
        ({"workflow_type": "dq-execution"}, [two]),
        ({"asset_fqn": "svc.db"}, [two, one]),
        ({"asset_fqn": "svc.db", "status": "failed", "workflow_type": "profiling"}, []),
        ({"started_after": now, "asset_fqn": "svc"}, [three, two]),
        ({"started_before": now}, [one]),
        ({"limit": 1, "page": 3}, [two]),
    ):
        listed = await door(list_project_runs, world.owner, **given)
        assert [item["id"] for item in listed["items"]] == expected, given
    listed = await door(list_project_runs, world.owner)
    assert (listed["total"], [len(item["tasks"]) for item in listed["items"]]) == (4, [2, 0, 0, 0])
    assert set(listed["items"][0]) == RUN_FIELDS | {"progress"}
    for wrong in ({"asset_fqn": "a..b"}, {"limit": 101}, {"page": 0}):
        refused = await door(list_project_runs, world.owner, **wrong)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400), wrong
    assert await door(list_project_runs, world.foreign_owner) == {"items": [], "total": 0}
    assert await door(list_project_runs, world.owner, {"X-Project-ID": world.lab}) == {"items": [], "total": 0}


async def test_a_page_of_runs_costs_as_many_statements_as_one(world: World, door: Door, statements: Statements) -> None:
    for _ in range(3):
        configuration = await configure(world, door)
        for tasks in (1, 2):
            await planned(world, configuration["id"], tasks=tasks)
    costs = []
    for limit in (1, 6):
        await statements.anew()
        assert len((await door(list_project_runs, world.owner, limit=limit))["items"]) == limit
        costs.append(len([sql for sql in statements if "workflow_runs" in sql or "run_tasks" in sql]))
    assert costs[0] == costs[1]


async def test_tasks_are_paged_in_order_and_filtered(world: World, door: Door) -> None:
    configuration = (await configure(world, door))["id"]
    run = {"configuration_id": configuration, "run_id": await planned(world, configuration, tasks=25)}
    first = await door(list_run_tasks, world.owner, **run)
    assert ([task["name"] for task in first["items"]], first["total"]) == ([f"task {n}" for n in range(20)], 25)
    assert set(first["items"][0]) == TASK_FIELDS | {"error_message", "rows_done", "rows_total", "waits_for"}
    rest = await door(list_run_tasks, world.owner, **run, page=2)
    assert [task["name"] for task in rest["items"]] == [f"task {n}" for n in range(20, 25)]
    done = await door(list_run_tasks, world.owner, **run, status="completed", per_page=100)
    assert done["total"] == len(done["items"]) == 12
    assert (await door(list_run_tasks, world.owner, **run, status="nonsense"))["total"] == 0
    for wrong in ({"page": 0}, {"per_page": 0}, {"per_page": 101}):
        refused = await door(list_run_tasks, world.owner, **run, **wrong)
        assert (refused.code, refused.status) == ("INVALID_PARAMETER", 400)


async def test_the_list_of_tasks_has_the_shape_of_its_own(world: World, door: Door) -> None:
    configuration = (await configure(world, door))["id"]
    run = await planned(world, configuration, tasks=5)
    for prefix in ("/data-readiness", "/api/data-readiness"):
        path = f"{prefix}/workflows/{configuration}/runs/{run}/tasks?page=2&per_page=2"
        answer = (await world.request("GET", path, token=world.owner)).json()
        assert list(answer) == ["pagination", "data"]
        assert answer["pagination"] == {
            "page": 2, "per_page": 2, "total": 5, "total_pages": 3, "has_next": True, "has_prev": True
        }  # fmt: skip


async def test_a_run_belongs_to_its_configuration(world: World, door: Door) -> None:
    one, two = (await configure(world, door))["id"], (await configure(world, door))["id"]
    run = await planned(world, one)
    for op in (get_workflow_run, list_run_tasks, cancel_run):
        refused = await door(op, world.owner, configuration_id=two, run_id=run)
        assert (refused.code, refused.details) == (
            "RESOURCE_NOT_FOUND", {"resource_type": "workflow_run", "resource_id": run}
        )  # fmt: skip


async def test_a_run_that_waits_can_be_canceled_once(world: World, door: Door) -> None:
    configuration = (await configure(world, door))["id"]
    run = {"configuration_id": configuration, "run_id": await planned(world, configuration, tasks=4)}
    canceled = await door(cancel_run, world.owner, **run)
    assert (canceled["status"], canceled["completed_at"] is not None) == ("canceled", True)
    assert [task["status"] for task in canceled["tasks"]] == ["canceled", "completed"] * 2
    before = await world.dump()
    again = await door(cancel_run, world.owner, **run)
    assert (again.code, again.status, again.details["field"]) == ("VALIDATION_ERROR", 422, "status")
    assert await world.dump() == before


@pytest.mark.parametrize("status", ["completed", "failed", "canceled"])
async def test_a_run_that_is_over_cannot_be_canceled(world: World, door: Door, status: str) -> None:
    configuration = (await configure(world, door))["id"]
    run = await planned(world, configuration, status=status)
    refused = await door(cancel_run, world.owner, configuration_id=configuration, run_id=run)
    assert (refused.code, refused.status, status in refused.message) == ("VALIDATION_ERROR", 422, True)
