"""Files that hold several tables, from the folder to the answer: catalog, keys, lineage, profiles, and what changes."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import xlsxwriter

from resolvers.data_readiness.profiles import get_table_profile
from resolvers.data_readiness.runs.operations import trigger_run
from resolvers.utils.lineage import get_lineage
from schema.data_readiness.workflow_run import RunCreate
from tests.data_readiness.workflows import configure
from tests.doors import Door
from tests.support.ingestion import connected, keep_up, setting_overrides
from tests.talk2data.asking import ask
from tests.world import World

__all__ = ["setting_overrides"]

pytestmark = pytest.mark.anyio

SHOP = """
create table author(id integer primary key, name varchar(40) not null unique);
create table book(id integer primary key, author integer references author, title text, price decimal(10, 2));
create view cheap as select title, price from book where ifnull(price, 0) < 10;
insert into author values (1, 'Ann'), (2, 'Bob');
insert into book select value, 1 + value % 2, 'Book ' || value, value / 4.0 from generate;
"""


def change(path: Path, script: str) -> None:
    """Change a database, or make it."""
    numbers = ", ".join(f"({at})" for at in range(1, 41))
    script = script.replace("from generate", f"from (select column1 as value from (values {numbers}))")
    with closing(sqlite3.connect(path)) as database:
        database.executescript(script)


async def test_a_database_and_a_workbook_are_read_from_folder_to_answer(
    world: World, door: Door, tmp_path: Path
) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    change(folder / "shop.sqlite", SHOP)
    with xlsxwriter.Workbook(folder / "plan.xlsx") as book:
        for name, sheet in (("Stock", book.add_worksheet("Stock")), ("Empty", book.add_worksheet("Empty"))):
            for row, cells in enumerate([("shelf", "places"), ("A", 12), ("B", 30)] if name == "Stock" else []):
                sheet.write_row(row, 0, cells)
    (folder / "people.csv").write_text("id,city\n1,Oslo\n")
    body = {"name": "Shop", "connection_type": "nfs", "filesystem_config": {"path": str(folder)}}
    bench = await connected(world, door, body)

    first = await bench.ingest()
    assert first["output"]["lineage"] == {"views": 1, "changed": 1, "not_understood": 0}
    assert await bench.names("table") == {
        "root.people",
        "plan.Stock",
        "shop.author",
        "shop.book",
        "shop.cheap",
    }
    schema = await bench.asset("lab", "plan")
    assert schema["description"] == "Sheets that are empty, and left out: Empty."
    table = await bench.asset("lab", "shop", "book", include_children=True)
    by_name = {column["name"]: column for column in table["children"]}
    assert by_name["author"]["column_relationships"][0]["table"] == "author"
    assert (by_name["id"]["constraint"], by_name["price"]["data_type"]) == ({"keys": ["PRIMARY_KEY"]}, "NUMERIC")
    about = {"resource_type": "data_connection", "resource_uri": bench.uri}
    above = await bench.call(get_lineage, fqn="shop.lab.shop.cheap", depth=1, **about)
    assert "shop.lab.shop.book" in str(above)

    profiling = await configure(world, door, workflow_type="profiling")
    keep_up(world)
    await bench.call(trigger_run, configuration_id=profiling["id"], run=RunCreate(asset_fqn="shop"))
    await world.jobs.settle()
    profile = await bench.call(get_table_profile, asset_fqn="shop.lab.shop.cheap")
    assert profile["row_count"] == 39

    answer = await ask(world, "How many books are there for each author name?")
    assert {frozenset(row) for row in answer.result["rows"]} == {frozenset(("Ann", 20)), frozenset(("Bob", 20))}

    # Nothing changes while nothing changes; what is gone from a file vanishes, and what is new comes.
    again = await bench.ingest()
    assert (again["output"]["created"], again["output"]["vanished"]) == (0, 0)
    change(folder / "shop.sqlite", "drop view cheap; create table shelf(id integer); alter table book add column isbn")
    (folder / "plan.xlsx").unlink()
    third = await bench.ingest()
    assert await bench.names("table") == {"root.people", "shop.author", "shop.book", "shop.shelf"}
    assert third["output"]["created"] == 3
    # While a file cannot be read, its tables are not taken for gone.
    whole = (folder / "shop.sqlite").read_bytes()
    (folder / "shop.sqlite").write_bytes(whole[: len(whole) // 2])
    broken = await bench.ingest()
    assert broken["output"]["listing_cut_short"] is True
    assert broken["output"]["not_read"][0]["asset_fqn"] == 'shop.lab.shop."shop.sqlite"'
    assert {"shop.author", "shop.book", "shop.shelf"} < await bench.names("table")
