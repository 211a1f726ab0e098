"""The marks of an asset follow its tags, in every way that tags come and go, through both doors on both stores."""

from typing import Any

import pytest

from resolvers.data_readiness.data_assets import get_data_asset
from resolvers.utils.metadata import create_metadata, get_metadata, update_metadata
from schema.utils.metadata_asset import MetadataAssetCreate, MetadataAssetUpdate
from tests.data_readiness.workflows import URI, cataloged
from tests.doors import Door
from tests.world import World

pytestmark = pytest.mark.anyio

COLUMN = "svc.db.sch.t1.email"
WHERE = {"resource_type": "data_connection", "resource_uri": URI}
MARKS = ("is_pii_tagged", "is_sensitivity_tagged", "is_dq_tagged")


def tags(*names: str) -> list[dict[str, str]]:
    """Tags as people write them; one category is told by the name alone, one in other letters."""
    told = {"PII": "pii", "Sensitivity": "", "DataQuality": "DataQuality"}
    return [
        {"tag_id": name, "tag_fqn": name, "category_name": told.get(name.split(".")[0], "Own"), "tag_name": name}
        for name in names
    ]


ALL = ("PII.Email", "Sensitivity.Confidential", "DataQuality.Validity")
STEPS: list[tuple[dict[str, Any], tuple[bool, bool, bool]]] = [
    ({"tags": tags(*ALL)}, (True, True, True)),
    ({"is_pii_tagged": False}, (True, True, True)),  # it is, while its tag stands
    ({"description": "Where to write to."}, (True, True, True)),
    ({"tags": tags("PII.Email", "PII.Name", "DataQuality.Validity")}, (True, False, True)),
    ({"tags": tags("PII.Name", "Own.Thing")}, (True, False, False)),
    ({"tags": tags("Own.Thing")}, (False, False, False)),
    ({"is_pii_tagged": True}, (True, False, False)),  # people may say so without a tag
    ({"tags": tags("Own.Other")}, (True, False, False)),
    ({"tags": []}, (False, False, False)),
    ({"tags": tags("Sensitivity.Internal"), "is_pii_tagged": True}, (True, True, False)),
    ({"tags": None}, (False, False, False)),
]


async def test_marks_follow_the_tags_that_people_write(world: World, door: Door) -> None:
    made = await cataloged(world, COLUMN)
    await world.grant("olga", "owner", "data_connection", URI)
    for changes, expected in STEPS:
        body = MetadataAssetUpdate.model_validate(changes)
        answer = await door(update_metadata, world.owner, fqn=COLUMN, changes=body, **WHERE)
        assert tuple(answer[mark] for mark in MARKS) == expected, changes
        read = await door(get_metadata, world.owner, fqn=COLUMN, **WHERE)
        assert tuple(read[mark] for mark in MARKS) == expected
    as_data = await door(get_data_asset, world.owner, asset_id=made[COLUMN])
    assert tuple(as_data[mark] for mark in MARKS) == (False, False, False)


async def test_an_asset_is_written_with_the_marks_of_its_tags(world: World, door: Door) -> None:
    await cataloged(world, "svc.db.sch.t1")
    await world.grant("olga", "owner", "data_connection", URI)
    asset = MetadataAssetCreate.model_validate(
        {"type": "column", "fully_qualified_name": COLUMN, "tags": tags("PII.Email"), "is_dq_tagged": True}
    )
    answer = await door(create_metadata, world.owner, asset=asset, **WHERE)
    assert tuple(answer[mark] for mark in MARKS) == (True, False, True)
