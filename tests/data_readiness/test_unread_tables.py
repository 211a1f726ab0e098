"""Files that cannot be read, beside ones that can: each run passes them over, says so once, and fails nothing."""

from pathlib import Path
from typing import Any

import pytest

from resolvers.data_readiness.pipelines import get_pipeline_run
from resolvers.data_readiness.runs.operations import get_workflow_run, retry_run, trigger_run
from schema.data_readiness.workflow_run import RunCreate
from tests.data_readiness.workflows import configure
from tests.doors import RestDoor
from tests.support.ingestion import connected, keep_up, setting_overrides
from tests.world import World

__all__ = ["setting_overrides"]

pytestmark = pytest.mark.anyio


async def test_a_file_that_cannot_be_read_is_passed_over_and_named_once(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    (folder / "readme.md").write_text("")
    door = RestDoor(world.client)
    body = {"name": "Shop", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
    bench = await connected(world, door, body)
    told = (await bench.ingest("failed"))["error_message"]
    assert "The source shows no table to ingest. It holds readme.md. Its name does not end as that of a CSV," in told

    (folder / "good.csv").write_text("id,city\n" + "".join(f"{at},Town {at % 5}\n" for at in range(60)))
    (folder / "broken.parquet").write_bytes(b"no parquet at all")
    ingested = (await bench.ingest())["output"]
    assert (ingested["ignored_files"], [one["path"] for one in ingested["ignored"]]) == (1, ["readme.md"])
    assert ingested["assets_not_read"] == len(ingested["not_read"]) == 1
    assert ingested["not_read"][0]["reason"].startswith("The columns are not known. ")

    async def over(kind: str, asset_fqn: str = "shop") -> dict[str, Any]:
        made = await configure(world, door, workflow_type=kind)
        keep_up(world)
        run = await bench.call(trigger_run, configuration_id=made["id"], run=RunCreate(asset_fqn=asset_fqn))
        await world.jobs.settle()
        found: dict[str, Any] = await bench.call(get_workflow_run, configuration_id=made["id"], run_id=run["id"])
        return found

    [broken] = [one["asset_fqn"] for one in ingested["not_read"]]
    assert broken == "shop.lab.root.broken"
    for kind in ("run-all-enrichment", "dq-assessment", "dq-rule-generation", "profiling"):
        run = await over(kind)
        assert (run["status"], run["error_message"]) == ("completed", None), kind
        assert [one["asset_fqn"] for one in run["output"]["not_read"]] == [broken]
        reason = run["output"]["not_read"][0]["reason"]
        assert reason.startswith(f"The catalog knows no columns of {broken}. ")
        assert "It is not a Parquet file" in reason
        assert "run service-ingestion" in reason
        if kind == "run-all-enrichment":
            pipeline = await bench.call(get_pipeline_run, pipeline_id=run["output"]["pipeline_id"])
            assert (pipeline["status"], pipeline["failed_tables"], pipeline["failed_schemas"]) == ("completed", 0, 0)
    for kind in ("dq-rule-generation", "dq-assessment", "profiling"):
        # Keys that are looked for and reports that are made between nothing are no success.
        alone = await over(kind, broken)
        assert alone["status"] == "failed", kind
        assert alone["error_message"].startswith(f"Nothing could be read. {broken}: The catalog knows no columns")
    # Once it can be read, a retry reads it and what builds on it, under the same report.
    (folder / "broken.parquet").unlink()
    (folder / "broken.csv").write_text("id,city\n1,Oslo\n")
    await bench.ingest()
    keep_up(world)
    again = {"configuration_id": alone["configuration_id"], "run_id": alone["id"]}
    await bench.call(retry_run, **again)
    await world.jobs.settle()
    done = await bench.call(get_workflow_run, **again)
    assert (done["status"], done["error_message"]) == ("completed", None)
    assert [task["status"] for task in done["tasks"]] == ["completed"] * 3
    assert done["output"]["report_uri"] == alone["output"]["report_uri"]
    page = await world.request("GET", f"/assets/artifacts/{done['output']['report_uri']}/download", token=world.owner)
    assert "Oslo" in page.text
