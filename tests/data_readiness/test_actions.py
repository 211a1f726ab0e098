"""What to do first: violations by use times harm, through both doors."""

from typing import Any

import pytest
import sqlalchemy as sa

from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.actions import list_actions
from schema.data_readiness.violation import Severity
from tests.data_readiness.quality import find, finding
from tests.data_readiness.workflows import cataloged, written
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio

SCHEMA = "svc.db.s"


async def shop(world: World) -> None:
    """Two tables alike, of which another refers to one, and one thing wrong with each, and with what describes it."""
    await cataloged(world, f"{SCHEMA}.used.id", f"{SCHEMA}.idle.id", f"{SCHEMA}.lines.used_id")

    def work(uow: Any) -> None:
        one = sa.update(metadata_assets)
        name = metadata_assets.c.fully_qualified_name
        refers = [{"type": "FOREIGN_KEY", "table": "used", "column": "id"}]
        uow.connection.execute(one.where(name == f"{SCHEMA}.lines.used_id").values(column_relationships=refers))
        uow.connection.execute(one.where(name == f"{SCHEMA}.used").values(row_count=999))

    await written(world, work)
    bad = {"numerator": 75, "denominator": 100}
    example = {"key": {"id": "7"}, "values": {"id": "x"}, "repair": "8"}
    beside = [{"value": "Oslo", "rows": 11}, {"value": "Olso", "rows": 1}]
    apart = {"values": {"zip": "2"}, "dependent": "city", "different": 2, "rows": 12, "beside": beside}
    await find(
        world,
        finding("invalid_values", f"{SCHEMA}.idle.id", details=bad | {"examples": [apart]}),
        finding("invalid_values", f"{SCHEMA}.used.id", details=bad | {"examples": [example]}),
        finding("missing_owner", "svc.db", severity=Severity.HIGH),
        finding(
            "missing_description", f"{SCHEMA}.used", details={"assets": 1, "of": 4, "names": ["id"]}, severity="high"
        ),
    )


async def test_what_is_used_most_and_harmed_most_comes_first_with_value_row_and_repair(
    world: World, door: Door
) -> None:
    await shop(world)
    listed = await door(list_actions, world.owner, asset_fqn="svc")
    told = [(one["rank"], one["asset_fqn"], one["assessment_type"]) for one in listed["items"]]
    assert told == [
        (1, f"{SCHEMA}.used.id", "data_quality"), (2, f"{SCHEMA}.used", "metadata"),
        (3, f"{SCHEMA}.idle.id", "data_quality"), (4, "svc.db", "metadata"),
    ]  # fmt: skip
    first = listed["items"][0]
    assert first["what"] == "Invalid values in `used.id`: id is `x` where id is `7`, likely `8`."
    assert first["reason"] == "25 of 100 are wrong, one column elsewhere refers to it and it has 999 rows."
    assert (first["wrong"], first["of"], first["rows"], first["references"], first["questions"]) == (25, 100, 999, 1, 0)
    assert first["impact"] == pytest.approx(3 * (0.25 + 0.75 * 0.5) * 5.0)
    assert listed["items"][2]["what"] == (
        "Invalid values in `idle.id`: the 12 rows where zip is `2` have 2 different `city`: `Oslo` in 11, `Olso` in 1."
    )
    assert listed["items"][1]["what"] == "Missing description in `used`: `id`."


async def test_actions_are_narrowed_and_paged_and_stop_at_the_tenant(world: World, door: Door) -> None:
    await shop(world)
    data = await door(list_actions, world.owner, assessment_type="data_quality", limit=1, page=2)
    assert ([one["rank"] for one in data["items"]], data["total"]) == ([2], 2)
    assert (await door(list_actions, world.owner, asset_fqn="svc.db.other"))["items"] == []
    assert (await door(list_actions, world.foreign_owner))["items"] == []
    refused = await door(list_actions, world.owner, limit=101)
    assert (refused.status, refused.code) == (400, "INVALID_PARAMETER")
