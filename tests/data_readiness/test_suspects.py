"""Suspect cells: found by assessments, listed, made a file of, decided; what was said is kept and heard."""

from typing import Any

import pytest
import sqlalchemy as sa

from persistence.tables.catalog import metadata_assets
from resolvers.data_readiness.scorecard import get_scorecard
from resolvers.data_readiness.suspects import (
    decide_suspect_cells,
    export_suspect_cells,
    list_suspect_cell_groups,
    list_suspect_cells,
)
from resolvers.data_readiness.violations import list_violations
from schema.data_readiness.scorecard import ScorecardRequest
from schema.data_readiness.suspect import SuspectCellFilter, SuspectCellsDecision, SuspectCellsExport, SuspectVerdict
from schema.data_readiness.workflow import WorkflowType
from tests.data_readiness.test_same_facts import carried_out
from tests.mcp.agent import Agent
from tests.support.ingestion import Bench, Source, bench, setting_overrides, shop, source

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio

VISITS = """
    create table sales.visits (id bigint primary key, city text, zip text, code text);
    insert into sales.visits
        select i, (array['Rome', 'Oslo', 'Lima', 'Bonn', 'Kyiv'])[1 + i % 5],
               (array['11', '22', '33', '44', '55'])[1 + i % 5],
               'AB-' || (1000 + i)
        from generate_series(1, 200) i;
    update sales.visits set city = 'Olso' where id in (6, 11, 16);
    update sales.visits set city = 'Romme' where id in (5, 10);
    update sales.visits set code = 'x' || id || '/7' where id in (20, 30);
"""


async def assessed(bench: Bench, table: str) -> None:
    """Assess one table."""
    await carried_out(bench, WorkflowType.DQ_ASSESSMENT, asset_fqn=table)


async def listed(bench: Bench, **given: Any) -> list[dict[str, Any]]:
    """The suspects of the project."""
    found: list[dict[str, Any]] = (await bench.call(list_suspect_cells, limit=100, **given))["items"]
    return found


async def decide(bench: Bench, verdict: SuspectVerdict, dry_run: bool = False, **only: Any) -> dict[str, Any]:
    """Say something of some suspects."""
    decision = SuspectCellsDecision(only=SuspectCellFilter(**only), verdict=verdict, dry_run=dry_run)
    found: dict[str, Any] = await bench.call(decide_suspect_cells, decision=decision)
    return found


KEYLESS = """
    create table sales.stops (line text, stop integer, city text);
    insert into sales.stops
        select 'L' || i / 20, i % 20, (array['Rome', 'Oslo', 'Lima', 'Bonn', 'Kyiv'])[1 + i % 5]
        from generate_series(0, 199) i;
    update sales.stops set city = 'Romme' where line = 'L3' and stop = 5;
"""


@pytest.fixture
async def visits(bench: Bench, source: Source) -> str:
    """An assessed table with a few wrong cells; its name."""
    source.run(VISITS)
    await bench.ingest()
    table = f"shop.{source.database}.sales.visits"
    await assessed(bench, table)
    return table


def by_row(found: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Suspects by column and row."""
    return {(one["column"], one["row_key"]["id"]): one for one in found}


CITIES = {("city", row) for row in ("5", "6", "10", "11", "16")}
CODES = {("code", "20"), ("code", "30")}


async def test_all_suspects_are_listed_with_kind_reason_row_and_repair(bench: Bench, visits: str) -> None:
    found = await listed(bench, asset_fqn=visits)
    assert set(by_row(found)) == CITIES | CODES
    assert [one["probability"] for one in found] == sorted((one["probability"] for one in found), reverse=True)
    one = by_row(found)["city", "6"]
    assert (one["value"], one["repair"], one["kind"]) == ("Olso", "Oslo", "dependency")
    assert one["reason"] == "37 other rows with zip '22' have 'Oslo'."
    assert one["further_reasons"]
    assert (one["verdict"], one["decided_by"], one["suspects_in_table"]) == ("undecided", None, 7)
    for given, rows in (
        ({"kind": "pattern"}, CODES),
        ({"asset_fqn": f"{visits}.code"}, CODES),
        ({"assets_like": "*.VISITS.ci*"}, CITIES),
        ({"probability_at_least": 0.9}, CITIES),
        ({"verdict": "wrong"}, set()),
    ):
        assert set(by_row(await listed(bench, **given))) == rows, given
    page = await bench.call(list_suspect_cells, limit=2, page=4, sort="asset_fqn:asc,probability:desc")
    assert (len(page["items"]), page["total"]) == (1, 7)


async def test_a_row_without_a_key_is_told_by_columns_that_no_other_has(bench: Bench, source: Source) -> None:
    source.run(KEYLESS)
    await bench.ingest()
    await assessed(bench, f"shop.{source.database}.sales.stops")
    (found,) = await listed(bench)
    assert (found["column"], found["value"]) == ("city", "Romme")
    assert found["row_key"] == {"line": "L3", "stop": "5"}


async def test_many_suspects_of_a_table_are_a_violation(bench: Bench, source: Source, visits: str) -> None:
    async def violations() -> list[dict[str, Any]]:
        found = (await bench.call(list_violations, asset_fqn=visits, limit=100))["items"]
        return [one for one in found if one["name"] == "implausible_values"]

    [one] = await violations()
    assert (one["asset_fqn"], one["severity"], one["status"]) == (visits, "low", "open")
    details = one["details"]
    assert (details["suspects"], details["by_kind"]) == (7, {"dependency": 5, "pattern": 2})
    assert details["examples"][0]["key"] == {"id": "5"}
    card = await bench.call(get_scorecard, request=ScorecardRequest(asset_fqn=visits))
    accuracy = next(one for one in card["dimensions"] if one["name"] == "accuracy")
    assert accuracy["score"] == "0.9912", "the score counts the 7 of 800 cells as well"
    source.run(
        "update sales.visits set city = 'Rome' where zip = '11'; update sales.visits set city = 'Oslo' where zip = '22'"
    )
    await assessed(bench, visits)
    assert set(by_row(await listed(bench))) == CODES  # few are listed, and no violation
    assert [one["status"] for one in await violations()] == ["resolved"]


async def test_what_is_fine_is_never_asked_again(bench: Bench, source: Source, visits: str) -> None:
    found = by_row(await listed(bench))
    tried = await decide(bench, SuspectVerdict.FINE, dry_run=True, ids=[found["city", "6"]["id"]])
    assert (tried["matched"], tried["decided"], tried["dry_run"]) == (1, 1, True)
    assert by_row(await listed(bench)) == found
    done = await decide(bench, SuspectVerdict.FINE, ids=[found["city", "6"]["id"]])
    assert (done["matched"], done["decided"], done["stand_already"], done["waiting"]) == (1, 1, 0, 0)
    assert [one["id"] for one in done["sample"]] == [found["city", "6"]["id"]]
    again = await decide(bench, SuspectVerdict.FINE, ids=[found["city", "6"]["id"]])
    assert (again["decided"], again["stand_already"]) == (0, 1)
    now = by_row(await listed(bench))
    assert (now["city", "6"]["verdict"], now["city", "6"]["probability"]) == ("fine", 0)
    assert now["city", "6"]["decided_by"] == "olga"
    assert now["city", "11"]["verdict"] == "undecided"
    assert 0.7 < now["city", "11"]["probability"] < found["city", "11"]["probability"]  # four of five that they say
    assert now["code", "20"]["probability"] == found["code", "20"]["probability"]
    await assessed(bench, visits)
    later = by_row(await listed(bench))
    assert set(later) == (CITIES | CODES) - {("city", "6")}
    assert later["city", "11"]["probability"] == now["city", "11"]["probability"]
    assert later["city", "11"]["id"] == found["city", "11"]["id"]
    source.run("update sales.visits set city = 'Osloo' where id = 6")
    await assessed(bench, visits)
    assert by_row(await listed(bench))["city", "6"]["value"] == "Osloo"  # it is another value now


async def test_a_value_that_is_always_fine_is_so_in_every_row(bench: Bench, source: Source, visits: str) -> None:
    found = by_row(await listed(bench))
    await decide(bench, SuspectVerdict.ALWAYS_FINE, ids=[found["city", "6"]["id"], found["code", "20"]["id"]])
    now = {key: one["verdict"] for key, one in by_row(await listed(bench)).items()}
    fine = {("city", "6"), ("city", "11"), ("city", "16"), *CODES}  # codes by their form
    assert {key for key, verdict in now.items() if verdict == "always_fine"} == fine
    source.run(
        "update sales.visits set city = 'Olso' where id = 21; update sales.visits set code = 'y7/1' where id = 40"
    )
    await assessed(bench, visits)
    assert set(by_row(await listed(bench))) == {("city", "5"), ("city", "10")}


async def test_what_is_wrong_stays_until_it_is_mended_and_can_be_taken_back(
    bench: Bench, source: Source, visits: str
) -> None:
    found = by_row(await listed(bench))
    await decide(bench, SuspectVerdict.WRONG, kinds=["pattern"])
    now = by_row(await listed(bench, verdict="wrong"))
    assert set(now) == CODES
    assert {one["probability"] for one in now.values()} == {1.0}
    source.run(
        "update sales.visits set code = 'x50/7' where id = 50; update sales.visits set code = 'AB-1030' where id = 30"
    )
    await assessed(bench, visits)
    later = by_row(await listed(bench, kind="pattern"))
    assert {key: one["verdict"] for key, one in later.items()} == {("code", "20"): "wrong", ("code", "50"): "undecided"}
    assert later["code", "50"]["probability"] > later["code", "50"]["detected_probability"]  # it was right twice
    await decide(bench, SuspectVerdict.UNDECIDED, under=visits)
    last = by_row(await listed(bench, kind="pattern"))["code", "20"]
    assert (last["verdict"], last["decided_by"]) == ("undecided", None)
    assert last["probability"] < later["code", "50"]["probability"]
    assert found["code", "20"]["id"] == last["id"]


async def tagged(bench: Bench, table: str, *columns: str) -> None:
    """Let columns hold personal data."""
    names = metadata_assets.c.fully_qualified_name.in_([f"{table}.{column}" for column in columns])
    change = sa.update(metadata_assets).where(names).values(is_pii_tagged=True)
    await bench.world.app.parts.services.store.write(lambda uow: uow.connection.execute(change))


async def test_values_of_personal_columns_are_masked_as_tags_stand(bench: Bench, visits: str) -> None:
    await tagged(bench, visits, "city", "id")
    made = await bench.call(export_suspect_cells, export=SuspectCellsExport(name="Suspects"))
    for found in (await listed(bench), (await decide(bench, SuspectVerdict.WRONG, dry_run=True))["sample"]):
        assert {one["row_key"]["id"] for one in found} == {"***"}
        cities = [one for one in found if one["column"] == "city"]
        assert {(one["value"], one["repair"]) for one in cities} == {("***", "***")}
        assert not any(word in str(one) for one in cities for word in ("Olso", "Oslo", "Rom", "rom"))
    answer = await download(bench, made["resource_uri"], "csv")
    assert "Olso" not in answer
    assert "x20/7" in answer
    await assessed(bench, visits)
    city = next(one for one in await listed(bench) if one["column"] == "city")
    await decide(bench, SuspectVerdict.ALWAYS_FINE, ids=[city["id"]])  # what is masked can be decided
    await assessed(bench, visits)
    assert len(await listed(bench, asset_fqn=f"{visits}.city")) == 3
    for order, masked in (("masked:asc,probability:desc", [False, False, True]), ("masked:desc", [True, True, True])):
        in_order = [one["value"] == "***" for one in await listed(bench, sort=order)]
        assert [in_order[0], in_order[1], in_order[2]] == masked, "values that can be read come first"


async def download(bench: Bench, uri: str, format: str) -> str:
    """The rows of an artifact in a format."""
    path = f"/assets/artifacts/{uri}/download"
    answer = await bench.world.request("GET", path, token=bench.world.owner, params={"format": format})
    assert answer.status_code == 200, answer.text
    return str(answer.text)


async def grouped(bench: Bench, **given: Any) -> list[dict[str, Any]]:
    """The groups of suspects of the project."""
    found: list[dict[str, Any]] = (await bench.call(list_suspect_cell_groups, **given))["items"]
    return found


async def test_suspects_that_are_alike_are_decided_as_one(bench: Bench, visits: str) -> None:
    first, second, *others = await grouped(bench)
    assert [(one["column"], one["value"], one["cells"], one["undecided"]) for one in (first, second)] == [
        ("city", "Olso", 3, 3),
        ("city", "Romme", 2, 2),
    ]
    assert {one["row_key"]["id"] for one in first["sample"]} == {"6", "11", "16"}
    assert first["lowest_probability"] <= first["highest_probability"] == first["sample"][0]["probability"]
    assert [one["cells"] for one in others] == [1, 1]
    [page] = await grouped(bench, limit=1, page=2)
    assert page["ids"] == second["ids"]
    done = await decide(bench, SuspectVerdict.WRONG, ids=first["ids"])
    assert done["decided"] == 3
    assert [one["value"] for one in await grouped(bench, kind="dependency", verdict="undecided")] == ["Romme"]


async def test_personal_values_part_no_groups_of_suspects(bench: Bench, visits: str) -> None:
    await tagged(bench, visits, "city")
    [first, *_] = await grouped(bench)
    assert (first["column"], first["value"], first["cells"]) == ("city", "***", 5)
    assert not {"Olso", "Romme"} & set(str(first).replace("'", " ").split())


async def test_suspects_become_a_file(bench: Bench, visits: str) -> None:
    only = SuspectCellFilter(under=visits, kinds=["dependency"])
    made = await bench.call(export_suspect_cells, export=SuspectCellsExport(only=only))
    assert (made["artifact_type"], made["name"]) == ("parquet", "Suspect cells")
    lines = (await download(bench, made["resource_uri"], "csv")).splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("id,table_fqn,column,row_key,kind,value,repair,probability")
    assert "\"37 other rows with zip '22' have 'Oslo'.\"" in lines[-1] or "37 other rows" in lines[-1]
    nothing = SuspectCellFilter(kinds=["formula"])
    made = await bench.call(export_suspect_cells, export=SuspectCellsExport(only=nothing))
    assert len((await download(bench, made["resource_uri"], "csv")).splitlines()) == 1


async def test_a_column_that_is_gone_from_the_catalog_has_no_suspects(
    bench: Bench, source: Source, visits: str
) -> None:
    source.run("alter table sales.visits drop column code")
    await bench.ingest()
    assert set(by_row(await listed(bench))) == CITIES


async def test_suspects_hang_on_their_asset_and_on_the_violation_that_counts_them(bench: Bench, visits: str) -> None:
    world = bench.world
    asked = """query($table: String!) {
        dataAssets(assetType: TABLE, limit: 100) { items { fqn suspectCells { column value } } }
        columns: dataAssets(assetType: COLUMN, limit: 100) { items { fqn suspectCells { column value } } }
        violations(assetFqn: $table, limit: 100) { items { name suspectCells { column } } }
        searchMetadataConnection(first: 100) { nodes { fullyQualifiedName suspectCells(first: 3, verdict: UNDECIDED) {
          totalCount nodes { nodeId column value } } } }
    }"""
    city = metadata_assets.c.fully_qualified_name == f"{visits}.city"
    hides = sa.update(metadata_assets).where(city).values(is_pii_tagged=True)
    await world.app.parts.services.store.write(lambda uow: uow.connection.execute(hides))
    body = {"query": asked, "variables": {"table": visits}}
    answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
    assert "errors" not in answer, answer
    found = answer["data"]
    of_asset = {one["fqn"]: one["suspectCells"] for name in ("dataAssets", "columns") for one in found[name]["items"]}
    assert len(of_asset[visits]) == 7
    assert {one["value"] for one in of_asset[f"{visits}.code"]} == {"x20/7", "x30/7"}
    assert sum(map(len, of_asset.values())) == 2 * 7
    hung = {one["fullyQualifiedName"]: one["suspectCells"] for one in found["searchMetadataConnection"]["nodes"]}
    counts = {name.removeprefix(visits): one["totalCount"] for name, one in hung.items() if one["totalCount"]}
    above = {".".join(visits.split(".")[:depth]): 7 for depth in (2, 3)}
    assert counts == {"": 7, ".city": 5, ".code": 2} | above
    assert [one["value"] for one in hung[visits]["nodes"]] == ["***"] * 3, "as tags stand"
    assert {one["value"] for one in hung[f"{visits}.code"]["nodes"]} == {"x20/7", "x30/7"}
    for cell in (hung[visits]["nodes"][0], hung[f"{visits}.code"]["nodes"][0]):
        again = "query($id: ID!) { node(id: $id) { ...on SuspectCell { nodeId column value } } }"
        for token, read in ((world.owner, cell), (world.token("nobody", project=world.shop), None)):
            body = {"query": again, "variables": {"id": cell["nodeId"]}}
            answer = (await world.request("POST", "/graphql", token=token, json=body)).json()
            assert answer["data"] == {"node": read}
    for one in found["violations"]["items"]:
        assert len(one["suspectCells"]) == (7 if one["name"] == "implausible_values" else 0)


async def test_an_agent_is_told_how_many_there_are_and_how_to_list_them(bench: Bench, visits: str) -> None:
    agent = Agent(bench.world, bench.world.owner, "/mcp/read")
    told = (await agent.tool("quality", asset_fqn=visits))["suspect_cells"]
    assert (told["total"], told["operation"]) == (7, "list_suspect_cells")
    assert told["listed_by"].endswith("with the same asset_fqn and probability_at_least 0.5 as arguments")
    found = await agent.call(told["operation"], asset_fqn=visits, probability_at_least=0.5)
    assert (found["total"], found["complete"]) == (7, True)
    [one, *_] = found["data"]
    await decide(bench, SuspectVerdict.FINE, ids=[one["id"]])
    assert (await agent.tool("quality"))["suspect_cells"]["total"] == 6
    before = await agent.tool("quality", asset_fqn=visits, as_of="2020-01-01T00:00:00Z")
    assert "suspect_cells" not in before
