"""Questions about files are answered as those about databases are."""

from pathlib import Path
from typing import Any

import pytest

from schema.assets.data_connection import ConnectionType
from tests.doors import RestDoor
from tests.support.ingestion import Bench, connected
from tests.talk2data.asking import ScriptedDrafter, ask, draft, drafter, world
from tests.world import World

__all__ = ["drafter", "world"]

pytestmark = pytest.mark.anyio


@pytest.fixture
def setting_overrides(tmp_path: Path) -> dict[str, Any]:
    """Let connections read the test's own folder."""
    return {"filesystem_roots": (f"acme={tmp_path}",)}


@pytest.fixture
async def files(world: World, tmp_path: Path) -> Bench:
    """A folder with one file, connected and ingested."""
    folder = tmp_path / "share"
    folder.mkdir()
    (folder / "parts.csv").write_text("part,colour,weight\nbolt,red,1.5\nnut,green,0.25\nscrew,red,2\n")
    body = {"name": "Files", "connection_type": ConnectionType.NFS, "filesystem_config": {"path": str(folder)}}
    bench = await connected(world, RestDoor(world.client), body)
    await bench.ingest()
    return bench


async def test_a_question_about_a_file_is_answered(world: World, files: Bench, drafter: ScriptedDrafter) -> None:
    drafter.script["Weight by colour?"] = draft(
        "select colour, sum(weight) as weight from parts group by colour order by colour"
    )
    got = await ask(world, "Weight by colour?")
    assert got.done["kind"] == "answer", got.events
    assert got.result["rows"] == [["green", 0.25], ["red", 3.5]]
    assert got.of("sql")[0]["dialect"] == "duckdb"


async def test_words_of_a_question_are_looked_up_in_files(world: World, files: Bench) -> None:
    object.__setattr__(world.app.parts.services, "drafter", None)
    got = await ask(world, "How many parts are green?")
    assert got.done["kind"] == "answer", got.done
    assert got.result["rows"] == [[1]]
