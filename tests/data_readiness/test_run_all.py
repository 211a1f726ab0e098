"""run-all-enrichment over a real source: what it does, what it counts, what it does again, and what it leaves alone."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pytest

from persistence.tables.data_readiness import run_tasks
from resolvers.data_readiness.approval.operations import get_run_approval, list_run_proposals
from resolvers.data_readiness.pipelines import get_pipeline_run
from resolvers.data_readiness.runs.operations import (
    cancel_run,
    get_workflow_run,
    list_run_tasks,
    retry_run,
    trigger_run,
)
from schema.data_readiness.workflow_run import RunCreate
from schema.identifiers import Fqn
from tests.data_readiness.workflows import configure
from tests.doors import Door
from tests.support.ingestion import Bench, Source, body_of, connected, keep_up, setting_overrides, source
from tests.support.scripted import outcomes
from tests.support.shop import SHOP
from tests.world import World

__all__ = ["setting_overrides", "source"]

pytestmark = pytest.mark.anyio


@dataclass
class Enrichment:
    """A shop in the catalog, and the runs of run-all-enrichment over it."""

    bench: Bench
    configuration: str
    source: Source

    @property
    def database(self) -> str:
        """The dotted name of the shop's database."""
        return f"shop.{self.source.database}"

    async def call(self, operation: Any, **arguments: Any) -> Any:
        """Call an operation as the owner."""
        return await self.bench.call(operation, **arguments)

    async def begin(self, **given: Any) -> dict[str, str]:
        """Trigger a run; what names it."""
        body = RunCreate.model_validate({"asset_fqn": "shop"} | given)
        run = await self.call(trigger_run, configuration_id=self.configuration, run=body)
        assert isinstance(run, dict), run
        return {"configuration_id": self.configuration, "run_id": run["id"]}

    async def stands(self, ids: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The run and its pipeline, as they stand."""
        run = await self.call(get_workflow_run, **ids)
        return run, await self.call(get_pipeline_run, pipeline_id=run["output"]["pipeline_id"])

    async def over(self, **given: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
        """Trigger a run and wait for its end: the run, its pipeline, what names it."""
        ids = await self.begin(**given)
        await self.bench.world.jobs.settle()
        return *(await self.stands(ids)), ids

    async def tasks(self, ids: dict[str, str]) -> dict[str, str]:
        """The status of every task, by name."""
        found = await self.call(list_run_tasks, per_page=100, **ids)
        assert found["total"] <= 100
        return {task["name"]: task["status"] for task in found["items"]}


@pytest.fixture
async def shop(world: World, door: Door, source: Source) -> Enrichment:
    """The shop, ingested."""
    source.run('drop schema sales cascade; drop schema "Ünï ""x"".y Z" cascade; create schema public;' + SHOP)
    source.may_read("sales", "stock")
    bench = await connected(world, door, body_of(source))
    await bench.ingest()
    made = await configure(world, door, workflow_type="run-all-enrichment")
    keep_up(world)
    return Enrichment(bench, made["id"], source)


def counted(pipeline: dict[str, Any]) -> tuple[Any, ...]:
    """Where a pipeline stands: its status, its tables and its schemas, each as total, completed, failed."""
    of = [[pipeline[f"{how}_{what}"] for how in ("total", "completed", "failed")] for what in ("tables", "schemas")]
    return pipeline["status"], *map(tuple, of)


async def test_every_table_is_tagged_and_every_schema_enriched_and_all_of_it_approved(shop: Enrichment) -> None:
    run, pipeline, ids = await shop.over(save_all=True)
    assert (run["status"], run["error_message"]) == ("completed", None)
    assert counted(pipeline) == ("completed", (12, 12, 0), (2, 2, 0))
    assert (pipeline["completed_at"], pipeline["asset_fqn"]) == (run["completed_at"], "shop")
    kinds = Counter(name.split(f" {shop.database}")[0].split(" shop")[0] for name in await shop.tasks(ids))
    assert {name: kinds[name] for name in ("Profile", "Look for personal data in", "Judge the sensitivity of")} == {
        "Profile": 6, "Look for personal data in": 6, "Judge the sensitivity of": 6
    }  # fmt: skip
    assert kinds["Draw up rules for"] == 6
    output = run["output"]
    assert (output["failed_tasks"], output["profiling_tables"], output["pii_tables"]) == (0, 6, 6)
    assert run["progress"]["completed"] == run["progress"]["tasks"] == output["tasks"]
    approval = await shop.call(get_run_approval, run_id=ids["run_id"])
    assert (approval["approved"], approval["pending"], approval["decision"]) == (output["proposal_parts"], 0, "approve")
    assert output["conflicts"] == 0
    email = await shop.bench.asset(shop.source.database, "sales", "customers", "email")
    assert (email["is_pii_tagged"], email["is_sensitivity_tagged"]) == (True, True)
    # What a rule of the column says is not said a second time by a tag; the table's tags sum up.
    assert {tag["category_name"] for tag in email["tags"]} == {"PII", "Sensitivity"}
    tags = (await shop.call(list_run_proposals, run_id=ids["run_id"], kind="dq_tag", joined=False, limit=100))["items"]
    assert {len(Fqn.parse(one["asset_fqn"]).parts) for one in tags} == {4}
    assert (await shop.bench.asset(shop.source.database, "sales", "customers"))["is_dq_tagged"]
    assert email["description"]
    found = await shop.call(list_run_proposals, run_id=ids["run_id"], kind="rule", joined=False, limit=1)
    assert found["total"] == output["quality_new_rules"] > 0


async def test_without_save_all_everything_waits_to_be_decided(shop: Enrichment) -> None:
    run, pipeline, ids = await shop.over()
    assert counted(pipeline) == ("completed", (12, 12, 0), (2, 2, 0))
    approval = await shop.call(get_run_approval, run_id=ids["run_id"])
    assert (approval["approved"], approval["decision"]) == (0, "pending")
    assert approval["pending"] == run["output"]["proposal_parts"] > 0
    email = await shop.bench.asset(shop.source.database, "sales", "customers", "email")
    assert (email["is_pii_tagged"], email["description"]) == (False, None)


async def test_a_second_run_profiles_nothing_that_is_fresh_and_proposes_nothing_twice(shop: Enrichment) -> None:
    first, _, _ = await shop.over(save_all=True)
    second, pipeline, ids = await shop.over(save_all=True)
    assert counted(pipeline) == ("completed", (12, 12, 0), (2, 2, 0))
    assert not [name for name in await shop.tasks(ids) if name.startswith("Profile")]
    assert "profiling_tables" not in second["output"]
    # What was approved stands; only what follows from the tags and words of the first run can be new.
    assert second["output"].get("proposal_parts", 0) < first["output"]["proposal_parts"] / 4
    assert second["output"]["quality_new_rules"] == 0


@pytest.mark.parametrize(
    ("below", "include", "tables", "schemas"),
    [
        ("", None, 6, 2),
        (".sales", None, 3, 1),
        (".sales.orders", None, 1, 1),
        ("", ["sales", "stock.places"], 4, 2),
        ("", ["stock.moves"], 1, 1),
    ],
)
async def test_a_pipeline_works_below_a_name_and_on_what_is_included(
    shop: Enrichment, below: str, include: list[str] | None, tables: int, schemas: int
) -> None:
    parameters = {} if include is None else {"include": [f"{shop.database}.{name}" for name in include]}
    run, pipeline, _ = await shop.over(asset_fqn=shop.database + below, parameters=parameters)
    assert (run["status"], run["error_message"]) == ("completed", None)
    assert counted(pipeline) == ("completed", (2 * tables, 2 * tables, 0), (schemas, schemas, 0))


async def test_a_table_that_fails_is_told_and_a_retry_does_only_it_again(shop: Enrichment) -> None:
    role = shop.source.role
    shop.source.run(f'revoke select on sales.orders from "{role}"')
    run, pipeline, ids = await shop.over(save_all=True)
    assert run["status"] == "completed"
    assert counted(pipeline) == ("completed_with_errors", (12, 10, 2), (2, 1, 1))
    before = await shop.tasks(ids)
    failed = {name for name, status in before.items() if status == "failed"}
    orders = f"{shop.database}.sales.orders"
    assert failed >= {f"Look for personal data in {orders}", f"Judge the sensitivity of {orders}"}
    # The schema, and the keys between it and the others, stand on it too.
    others = {name for name in failed if orders not in name and "Keys between tables" not in name}
    assert others == {f"Enrich {shop.database}.sales"}
    assert run["error_message"].startswith(
        f"{len(failed)} of {len(before)} tasks failed; the others are done, and a retry does only these again. "
    )
    assert (
        f"Judge the sensitivity of {orders}: What it stands on failed: Look for personal data" in run["error_message"]
    )
    approved = (await shop.call(get_run_approval, run_id=ids["run_id"]))["approved"]
    assert approved > 0
    begun = await _begun(shop, ids)

    shop.source.run(f'grant select on sales.orders to "{role}"')
    await shop.bench.world.jobs.stop()
    again = await shop.call(retry_run, **ids)
    assert (again["status"], again["error_message"]) == ("pending", None)
    _, waiting = await shop.stands(ids)
    assert counted(waiting) == ("pending", (12, 10, 0), (2, 1, 0))
    await shop.bench.world.jobs.start()
    await shop.bench.world.jobs.settle()
    run, pipeline = await shop.stands(ids)
    assert (run["status"], run["error_message"]) == ("completed", None)
    assert counted(pipeline) == ("completed", (12, 12, 0), (2, 2, 0))
    after = await _begun(shop, ids)
    # What the others' results go into is made anew with them.
    built = {"Report on shop"} | {name for name in after if "Keys between tables" in name}
    assert {name for name in after if after[name] != begun[name]} == failed | built
    told = await shop.call(get_run_approval, run_id=ids["run_id"])
    assert (told["approved"] > approved, told["pending"]) == (True, run["output"]["conflicts"])
    refused = await shop.call(retry_run, **ids)
    assert (refused.code, refused.status, refused.details) == ("VALIDATION_ERROR", 422, {"field": "status"})


async def _begun(shop: Enrichment, ids: dict[str, str]) -> dict[str, Any]:
    found = await shop.call(list_run_tasks, per_page=100, **ids)
    return {task["name"]: task["started_at"] for task in found["items"]}


async def test_a_pipeline_of_which_nothing_can_be_done_has_failed(shop: Enrichment) -> None:
    shop.source.run(f'alter role "{shop.source.role}" nologin')
    run, pipeline, ids = await shop.over(asset_fqn=f"{shop.database}.sales.orders")
    # Words need no data: only they were found, and reported on.
    done = {name.split(" ")[0] for name, status in (await shop.tasks(ids)).items() if status == "completed"}
    assert done <= {"Enrich", "Relate", "Profile", "Report"}
    assert counted(pipeline) == ("completed_with_errors", (2, 0, 2), (1, 0, 1))
    assert run["status"] == "completed"
    nothing, failed, _ = await shop.over(asset_fqn="elsewhere")
    assert (nothing["status"], counted(failed)) == ("failed", ("failed", (0, 0, 0), (0, 0, 0)))
    assert "The catalog has no table under elsewhere." in nothing["error_message"]


async def test_a_pipeline_that_is_canceled_goes_no_further(shop: Enrichment) -> None:
    await shop.bench.world.jobs.stop()
    ids = await shop.begin()
    await shop.call(cancel_run, **ids)
    await shop.bench.world.jobs.start()
    await shop.bench.world.jobs.settle()
    run, pipeline = await shop.stands(ids)
    assert (run["status"], counted(pipeline)) == ("canceled", ("canceled", (12, 0, 0), (2, 0, 0)))
    assert await shop.tasks(ids) == {}


async def test_a_pipeline_counts_each_table_once_however_often_its_task_is_begun(shop: Enrichment) -> None:
    await shop.bench.world.jobs.stop()
    ids = await shop.begin(asset_fqn=f"{shop.database}.sales.customers")
    worker = shop.bench.world.app.parts.worker

    async def hands(attempt: int) -> Any:
        return await worker._work({"run_id": ids["run_id"], "attempt": attempt})

    attempt = 1
    while True:
        tasks = await (await hands(attempt)).plan()
        for task in tasks:
            for _ in range(3):
                await (await hands(attempt)).task(task.arguments)
        for _ in range(2):
            await (await hands(attempt)).finish(outcomes(tasks))
        run, pipeline = await shop.stands(ids)
        if run["status"] != "running":
            break
        attempt += 1
    assert (run["status"], counted(pipeline)) == ("completed", ("completed", (2, 2, 0), (1, 1, 0)))
    store = shop.bench.world.app.parts.services.store
    rows = await store.read(
        lambda uow: uow.connection.execute(run_tasks.select().where(run_tasks.c.run_id == ids["run_id"])).all()
    )
    assert {row.status for row in rows} == {"completed"}
