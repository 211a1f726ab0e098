"""Profiling through both doors, on both stores: what is measured, kept once per run, read again, and masked."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.queries.profiles import ProfileRepository, profile_id
from persistence.repository import Scope
from persistence.tables.profiles import column_profiles, table_profiles
from resolvers.data_readiness.classifications import decide_classification, list_classifications
from resolvers.data_readiness.data_assets import get_data_asset
from resolvers.data_readiness.profiles import get_column_profile, get_table_profile, list_table_profiles
from resolvers.data_readiness.runs.operations import get_workflow_run, list_run_tasks, retry_run, trigger_run
from resolvers.data_readiness.workflows import create_workflow_configuration
from resolvers.utils.metadata import update_metadata
from schema.data_readiness.classification import ClassificationDecision, ClassificationKind, ClassificationState
from schema.data_readiness.profile import TableProfile
from schema.data_readiness.workflow import WorkflowConfigurationCreate, WorkflowType
from schema.data_readiness.workflow_run import RunCreate
from schema.utils.metadata_asset import MetadataAssetUpdate
from tests.conftest import Statements
from tests.doors import Refused
from tests.support.ingestion import Bench, Source, bench, keep_up, setting_overrides, shop, source
from tests.world import ORG, World

__all__ = ["bench", "setting_overrides", "shop", "source"]

pytestmark = pytest.mark.anyio

MORE = """
    insert into sales.orders select 1 + i % 40, i, timestamptz '2026-01-01 08:00:00+00' + i * interval '1 hour'
        from generate_series(0, 199) i;
    create table sales.letters (note text, flag boolean, customer_id bigint);
    insert into sales.letters
        select case when i % 4 = 0 then null when i % 4 = 1 then ' ' else 'AB-' || i end, i % 3 = 0, 1 + i % 20
        from generate_series(1, 40) i;
    analyze;
"""


class Profiled:
    """A source that was ingested, and a configuration that profiles it."""

    def __init__(self, bench: Bench, source: Source, configuration: str) -> None:
        self.bench, self.source, self.configuration = bench, source, configuration
        self.prefix = f"shop.{source.database}.sales"

    async def run(self, status: str = "completed", **given: Any) -> dict[str, Any]:
        """Profile, and wait for the end."""
        run = RunCreate(**given)
        started = await self.bench.call(trigger_run, configuration_id=self.configuration, run=run)
        assert not isinstance(started, Refused), started.message
        await self.bench.world.jobs.settle()
        found = await self.bench.call(get_workflow_run, configuration_id=self.configuration, run_id=started["id"])
        assert found["status"] == status, found["error_message"]
        return dict(found)

    async def table(self, name: str, **how: Any) -> Any:
        return await self.bench.call(get_table_profile, asset_fqn=f"{self.prefix}.{name}", **how)

    async def column(self, name: str, **how: Any) -> Any:
        return await self.bench.call(get_column_profile, asset_fqn=f"{self.prefix}.{name}", **how)


async def profiled(bench: Bench, source: Source) -> Profiled:
    """Fill the shop, ingest it, and configure profiling."""
    source.run(MORE)
    await bench.ingest()
    made = await bench.call(
        create_workflow_configuration,
        configuration=WorkflowConfigurationCreate(name="Profile", workflow_type=WorkflowType.PROFILING),
    )
    return Profiled(bench, source, made["id"])


def by_name(profile: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {column["name"]: column for column in profile["columns"]}


async def test_a_run_measures_every_table_and_view_with_exact_figures(bench: Bench, source: Source) -> None:
    shop = await profiled(bench, source)
    run = await shop.run(asset_fqn=shop.prefix)
    assert run["output"]["tables"] == 4
    assert run["output"]["rows"] == 40 + 200 + 0 + 40
    customers = await shop.table("customers")
    assert (customers["tier"], customers["row_count"], customers["column_count"]) == ("sample", 40, 4)
    assert (customers["sample_size"], customers["approximate"]) == (None, [])
    assert customers["workflow_run_id"] == run["id"]
    columns = by_name(customers)
    assert list(columns) == ["id", "email", "Full Name", "credit"]
    credit = columns["credit"]
    assert (credit["kind"], credit["data_type"], credit["null_count"], credit["distinct_count"]) == (
        "number", "NUMERIC", 0, 40,
    )  # fmt: skip
    assert (credit["minimum"], credit["maximum"], credit["mean"]) == ("1", "40", 20.5)
    assert credit["stddev"] == pytest.approx(11.690451944500121)
    assert [one["value"] for one in credit["quantiles"] if one["fraction"] in (0.25, 0.5, 0.75)] == ["10", "20", "30"]
    assert sum(one["count"] for one in credit["histogram"]) == 40
    assert columns["Full Name"]["top_values"] == [{"value": "n", "count": 40}]
    assert columns["email"]["patterns"] == [{"pattern": "A9{2}", "count": 31}, {"pattern": "A9", "count": 9}]
    assert (columns["email"]["min_length"], columns["email"]["max_length"]) == (2, 3)
    keys = [(key["columns"], key["is_declared"], key["uniqueness"]) for key in customers["candidate_keys"]]
    assert (["id"], True, 1.0) in keys
    assert (["email"], True, 1.0) in keys
    letters = by_name(await shop.table("letters"))
    assert (letters["note"]["null_count"], letters["note"]["blank_count"]) == (10, 10)
    assert letters["flag"]["top_values"] == [{"value": "false", "count": 27}, {"value": "true", "count": 13}]
    big = await shop.table("big")
    assert (big["row_count"], [column["name"] for column in big["columns"]]) == (0, ["id", "email"])
    orders = await shop.table("orders")
    assert (orders["freshness_column"], orders["newest"]) == ("placed", "2026-01-09T15:00:00+00:00")


async def test_keys_between_tables_are_checked_and_guessed(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    await made.run(asset_fqn=made.prefix)
    [declared] = (await made.table("orders"))["foreign_keys"]
    assert declared == {
        "columns": ["customer_id"],
        "target_fqn": f"{made.prefix}.customers",
        "target_columns": ["id"],
        "match_rate": 1.0,
        "is_declared": True,
        "is_exact": True,
    }
    [guessed] = (await made.table("letters"))["foreign_keys"]
    assert guessed == declared | {"is_declared": False}
    # The other table is known from the run before when it is not part of this one.
    await made.run(asset_fqn=f"{made.prefix}.letters")
    assert (await made.table("letters"))["foreign_keys"] == [guessed]


async def test_every_tier_says_how_much_it_saw(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    known = await made.run(
        asset_fqn=made.prefix, parameters={"tier": "statistics", "include": [f"{made.prefix}.customers"]}
    )
    customers = await made.table("customers")
    assert (customers["tier"], customers["row_count"], customers["approximate"]) == ("statistics", 40, ["row_count"])
    assert by_name(customers)["id"]["distinct_count"] == 40
    assert "distinct_count" in by_name(customers)["id"]["approximate"]
    assert known["output"]["tables"] == 1
    await made.run(asset_fqn=f"{made.prefix}.orders", parameters={"tier": "full"})
    orders = await made.table("orders")
    assert (orders["tier"], orders["row_count"]) == ("full", 200)
    await made.run(asset_fqn=f"{made.prefix}.orders", parameters={"sampling": {"rows": 50}})
    orders = await made.table("orders")
    number = by_name(orders)["number"]
    assert (orders["tier"], orders["sample_size"], number["sample_size"]) == ("sample", 50, 50)
    assert (number["minimum"], number["maximum"], number["null_count"]) == ("0", "199", 0)
    assert set(number["approximate"]) == {"distinct_count", "quantiles", "histogram"}
    for sampling, seen in (({"percent": 12.25}, 25), ({"percent": 50, "rows": 30}, 30), ({"percent": 0.001}, 1)):
        await made.run(asset_fqn=f"{made.prefix}.orders", parameters={"sampling": sampling})
        assert (await made.table("orders"))["sample_size"] == seen


async def test_a_tier_that_does_not_exist_is_refused(bench: Bench, source: Source) -> None:
    made = await profiled(bench, source)
    refused = await bench.call(
        trigger_run, configuration_id=made.configuration, run=RunCreate(parameters={"tier": "everything"})
    )
    assert isinstance(refused, Refused)
    assert refused.code == "VALIDATION_ERROR"


async def test_runs_make_a_history_that_can_be_read_at_any_time(bench: Bench, source: Source) -> None:
    made = await profiled(bench, source)
    first = await made.run(asset_fqn=f"{made.prefix}.customers")
    between = bench.world.clock.moment + timedelta(seconds=1)
    bench.world.clock.moment += timedelta(seconds=2)
    source.run("delete from sales.customers where id > 30 and id not in (select customer_id from sales.orders)")
    source.run("insert into sales.customers select i, 'b' || i, 'm', i from generate_series(101, 110) i")
    second = await made.run(asset_fqn=f"{made.prefix}.customers")
    assert (await made.table("customers"))["row_count"] == 50
    assert (await made.table("customers", as_of=between.isoformat()))["row_count"] == 40
    assert (await made.table("customers", workflow_run_id=first["id"]))["row_count"] == 40
    assert (await made.column("customers.credit", workflow_run_id=first["id"]))["maximum"] == "40"
    assert (await made.column("customers.credit"))["maximum"] == "110"
    before = (between - timedelta(days=1)).isoformat()
    assert await made.table("customers", as_of=before) == "RESOURCE_NOT_FOUND"
    history = await bench.call(list_table_profiles, asset_fqn=f"{made.prefix}.customers")
    assert [one["workflow_run_id"] for one in history["items"]] == [second["id"], first["id"]]
    assert [one["row_count"] for one in history["items"]] == [50, 40]
    of_run = await bench.call(list_table_profiles, workflow_run_id=first["id"])
    assert [one["asset_fqn"] for one in of_run["items"]] == [f"{made.prefix}.customers"]
    assert (await bench.call(list_table_profiles, limit=1, page=2))["total"] == 2


async def test_values_of_personal_data_are_masked_as_the_tags_stand_now(bench: Bench, source: Source) -> None:
    made = await profiled(bench, source)
    await made.run(asset_fqn=made.prefix)
    open_column = await made.column("customers.email")
    assert not open_column["masked"]
    assert (open_column["minimum"], open_column["maximum"]) == ("a1", "a9")
    fqn = f"{made.prefix}.customers.email"
    about = {"resource_type": "data_connection", "resource_uri": bench.uri}
    tagged = await bench.call(
        update_metadata, **about, fqn=fqn, changes=MetadataAssetUpdate.model_validate({"is_pii_tagged": True})
    )
    assert not isinstance(tagged, Refused), tagged.message
    column = await made.column("customers.email")
    for shown in (column, by_name(await made.table("customers"))["email"]):
        assert shown["masked"]
        assert (shown["minimum"], shown["maximum"]) == (None, None)
        assert (shown["top_values"], shown["quantiles"], shown["histogram"]) == ([], [], [])
        assert (shown["distinct_count"], shown["min_length"], shown["null_count"]) == (40, 2, 0)
    assert not by_name(await made.table("customers"))["id"]["masked"]
    # Engines see the values all the same.
    scope = Scope(ORG, bench.world.shop)
    table = f"{made.prefix}.customers"
    kept = await bench.world.app.parts.services.store.read(lambda uow: uow.table_profiles.latest(scope, [table]))
    assert {one.name: one.minimum for one in kept[table].columns}["email"] == "a1"
    untagged = MetadataAssetUpdate.model_validate({"is_pii_tagged": False, "tags": [_tag("PII.Email", "PII")]})
    await bench.call(update_metadata, **about, fqn=fqn, changes=untagged)
    assert (await made.column("customers.email"))["masked"]
    await bench.call(update_metadata, **about, fqn=fqn, changes=MetadataAssetUpdate.model_validate({"tags": []}))
    assert (await made.column("customers.email")) == open_column


PEOPLE = """
    create table sales.people (surname text, mail text, pwd text, shade text);
    insert into sales.people select (array['Smith', 'Garcia', 'Khan', 'Jensen', 'Patel'])[1 + i % 5],
        'u' || i || '@post.example.org', md5('x' || i), (array['teal', 'plum'])[1 + i % 2]
        from generate_series(1, 40) i;
    analyze;
"""


@pytest.mark.parametrize("tier", ["sample", "statistics"])
async def test_personal_values_are_recognised_with_the_profile_and_never_shown_before(
    shop: Bench, source: Source, tier: str
) -> None:
    source.run(PEOPLE)
    made = await profiled(shop, source)
    await made.run(asset_fqn=f"{made.prefix}.people", parameters={"tier": tier})
    columns = by_name(await made.table("people"))
    masked = {name for name, column in columns.items() if column["masked"]}
    # Statistics quote no values of columns whose values hardly come twice: nothing to recognise.
    quoting = {"surname"} if tier == "statistics" else {"surname", "mail", "pwd"}
    assert quoting <= masked
    assert "shade" not in masked
    assert all(not columns[name]["top_values"] and columns[name]["minimum"] is None for name in quoting)
    listed = await shop.call(list_classifications, kind=ClassificationKind.PII)
    found = next(one for one in listed["items"] if one["asset_fqn"].endswith("people.surname"))
    assert (found["tag_fqn"], found["state"]) == ("PII.PersonName", "suggested")
    rejected = ClassificationDecision(state=ClassificationState.REJECTED)
    await shop.call(decide_classification, classification_id=found["id"], decision=rejected)
    await made.run(asset_fqn=f"{made.prefix}.people", parameters={"tier": tier})
    assert not (await made.column("people.surname"))["masked"]


PLACES = """
    create table sales.depots (street text, city text, traffic int);
    create table sales.residents (surname text, city text);
    insert into sales.depots select i || ' ' || (array['Mill', 'High', 'Oak'])[1 + i % 3] || ' Street',
        (array['Paris', 'London', 'Berlin', 'Madrid', 'Vienna', 'Tokyo'])[1 + i % 6], i * 37 % 1000
        from generate_series(1, 40) i;
    insert into sales.residents select (array['Smith', 'Garcia', 'Khan', 'Jensen', 'Patel'])[1 + i % 5],
        (array['Paris', 'London', 'Berlin', 'Madrid', 'Vienna', 'Tokyo'])[1 + i % 6] from generate_series(1, 40) i;
    analyze;
"""


async def test_suggested_places_are_shown_where_nothing_tells_of_a_person(shop: Bench, source: Source) -> None:
    source.run(PLACES)
    made = await profiled(shop, source)
    await made.run(asset_fqn=made.prefix)
    listed = await shop.call(list_classifications, kind=ClassificationKind.PII, limit=100)
    suggested = {(*one["asset_fqn"].rsplit(".", 2)[1:], one["tag_fqn"]) for one in listed["items"]}
    assert {("depots", "city", "PII.City"), ("residents", "city", "PII.City")} <= suggested
    assert not (await made.column("depots.city"))["masked"]
    assert (await made.column("depots.street"))["masked"]
    assert (await made.column("residents.city"))["masked"]


def _tag(fqn: str, category: str) -> dict[str, str]:
    return {"tag_id": fqn, "tag_fqn": fqn, "category_name": category, "tag_name": fqn, "tag_description": ""}


async def test_a_table_tagged_as_a_whole_is_masked_as_a_whole(bench: Bench, source: Source) -> None:
    made = await profiled(bench, source)
    await made.run(asset_fqn=f"{made.prefix}.orders")
    changes = MetadataAssetUpdate.model_validate({"is_pii_tagged": True})
    about = {"resource_type": "data_connection", "resource_uri": bench.uri}
    await bench.call(update_metadata, **about, fqn=f"{made.prefix}.orders", changes=changes)
    orders = await made.table("orders")
    assert all(column["masked"] for column in orders["columns"])
    assert (orders["freshness_column"], orders["newest"]) == ("placed", None)


async def test_assets_of_the_graph_lead_to_their_profiles(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    await made.run(asset_fqn=f"{made.prefix}.customers")
    world = shop.world
    keep_up(world)
    query = """
        query ($uri: String!, $fqn: String!) {
          metadata(resourceType: "data_connection", resourceUri: $uri, fqn: $fqn, includeChildren: true) {
            profile { rowCount tier columns { name } } columnProfile { name }
            children { name profile { id } columnProfile { nullCount kind maximum } }
          }
        }
    """
    body = {"query": query, "variables": {"uri": shop.uri, "fqn": f"{made.prefix}.customers"}}
    answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
    table = answer["data"]["metadata"]
    assert (table["profile"]["rowCount"], table["profile"]["tier"]) == (40, "SAMPLE")
    assert table["columnProfile"] is None
    children = {child["name"]: child for child in table["children"]}
    assert children["credit"]["columnProfile"] == {"nullCount": 0, "kind": "NUMBER", "maximum": "40"}
    assert all(child["profile"] is None for child in table["children"])


async def test_what_is_not_there_is_not_found(bench: Bench, source: Source) -> None:
    made = await profiled(bench, source)
    assert await made.table("customers") == "RESOURCE_NOT_FOUND"
    assert await made.table("nothing") == "RESOURCE_NOT_FOUND"
    assert await made.column("customers.email") == "RESOURCE_NOT_FOUND"
    for operation, name in ((get_table_profile, made.prefix), (get_column_profile, f"{made.prefix}.customers")):
        refused = await bench.call(operation, asset_fqn=name)
        assert isinstance(refused, Refused)
        assert (refused.code, refused.details["field"]) == ("INVALID_PARAMETER", "asset_fqn")
    assert (await bench.call(list_table_profiles))["items"] == []


async def test_a_table_that_left_the_catalog_takes_its_profiles_with_it(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    await made.run(asset_fqn=f"{made.prefix}.letters")
    source.run("drop table sales.letters")
    await shop.ingest()
    assert await made.table("letters") == "RESOURCE_NOT_FOUND"
    assert await made.column("letters.note") == "RESOURCE_NOT_FOUND"
    assert (await shop.call(list_table_profiles))["items"] == []


async def test_a_run_that_is_carried_out_twice_writes_once(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    run = await made.run(asset_fqn=f"{made.prefix}.customers")
    store, scope = shop.world.app.parts.services.store, Scope(ORG, shop.world.shop)
    fqn = f"{made.prefix}.customers"

    def again(uow: Any) -> int:
        [kept] = uow.table_profiles.latest(scope, [fqn], run_id=run["id"]).values()
        assert kept.id == profile_id(scope, run["id"], fqn)
        changed: TableProfile = kept.model_copy(update={"row_count": 7})
        return int(uow.table_profiles.record(scope, [changed]))

    assert await store.write(again) == 0
    counts = await store.read(
        lambda uow: [
            uow.connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in (table_profiles, column_profiles)
        ]
    )
    assert counts == [1, 4]
    assert (await made.table("customers"))["row_count"] == 40


async def test_a_run_shows_how_many_rows_it_has_seen(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    run = await made.run(asset_fqn=f"{made.prefix}.orders")
    tasks = await shop.call(list_run_tasks, configuration_id=made.configuration, run_id=run["id"])
    assert [(task["name"], task["rows_done"], task["rows_total"]) for task in tasks["items"]] == [
        (f"{made.prefix}.orders", 200, 200),
        (f"Keys between tables: {made.prefix}.orders", None, None),
        (f"Report on {made.prefix}.orders", None, None),
    ]
    # Statistics are known without a row being read: a task that stood at none of so many would look stuck.
    run = await made.run(asset_fqn=f"{made.prefix}.orders", parameters={"tier": "statistics"})
    assert (run["progress"]["rows_done"], run["progress"]["rows_total"]) == (None, None)


async def test_one_table_that_cannot_be_read_fails_alone(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    source.run(f'revoke select on sales.letters from "{source.role}"')
    run = await made.run("failed", asset_fqn=made.prefix)
    assert "letters" in run["error_message"]
    assert "the other tables are profiled" in run["error_message"]
    assert (await made.table("customers"))["row_count"] == 40
    assert await made.table("letters") == "RESOURCE_NOT_FOUND"


async def test_keys_to_a_table_that_cannot_be_read_are_left_out_and_told(shop: Bench, source: Source) -> None:
    made = await profiled(shop, source)
    source.run("create table sales.notes (id int primary key, letter int, customer_id int references sales.customers)")
    source.run("insert into sales.notes select i, 1 + i % 9, 1 + i % 9 from generate_series(1, 40) i")
    source.run("create table sales.letter (id int primary key)")
    source.run("insert into sales.letter select i from generate_series(1, 40) i")
    source.run(f'grant select on sales.notes, sales.letter to "{source.role}"')
    await shop.ingest()
    source.run(f'revoke select on sales.customers from "{source.role}"')
    run = await made.run("failed", asset_fqn=made.prefix)
    assert "1 of 8 tasks failed" in run["error_message"]
    assert (run["output"]["tables"], run["output"]["tables_unread"]) == (5, 1)
    found = (await made.table("notes"))["foreign_keys"]
    assert [(key["columns"], key["target_fqn"]) for key in found] == [(["letter"], f"{made.prefix}.letter")]
    source.run(f'grant select on sales.customers to "{source.role}"')
    assert "tables_unread" not in (await made.run(asset_fqn=made.prefix))["output"]
    assert len((await made.table("notes"))["foreign_keys"]) == 2


async def test_columns_that_the_source_no_longer_has_are_named_and_left_out_once_it_is_ingested(
    shop: Bench, source: Source
) -> None:
    made = await profiled(shop, source)
    source.run("alter table sales.letters drop column flag")
    for tier in ("sample", "full"):
        failed = await made.run("failed", asset_fqn=f"{made.prefix}.letters", parameters={"tier": tier})
        assert f"{made.prefix}.letters: The column 'flag' is gone from the source" in failed["error_message"]
        assert await made.table("letters") == "RESOURCE_NOT_FOUND"
    await shop.ingest()
    for tier in ("sample", "full"):
        await made.run(asset_fqn=f"{made.prefix}.letters", parameters={"tier": tier})
        assert list(by_name(await made.table("letters"))) == ["note", "customer_id"]


async def test_profiles_of_another_project_are_not_found(shop: Bench, source: Source, world: World) -> None:
    made = await profiled(shop, source)
    await made.run(asset_fqn=f"{made.prefix}.customers")

    def elsewhere(uow: Any) -> Any:
        return uow.table_profiles.latest(Scope(ORG, "another"), [f"{made.prefix}.customers"])

    assert await world.app.parts.services.store.read(elsewhere) == {}


async def test_a_unit_that_is_killed_before_its_end_leaves_nothing_and_is_measured_again(
    shop: Bench, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = await profiled(shop, source)
    kept, left = ProfileRepository.record, [1]

    def cut_off(self: ProfileRepository, scope: Scope, profiles: Any) -> int:
        written = kept(self, scope, profiles)
        if left:
            left.pop()
            raise RuntimeError("the process ends here")
        return written

    monkeypatch.setattr(ProfileRepository, "record", cut_off)
    run = await made.run("failed", asset_fqn=f"{made.prefix}.customers")
    assert await made.table("customers") == "RESOURCE_NOT_FOUND"
    await shop.call(retry_run, configuration_id=made.configuration, run_id=run["id"])
    await shop.world.jobs.settle()
    again = await shop.call(get_workflow_run, configuration_id=made.configuration, run_id=run["id"])
    assert again["status"] == "completed", again["error_message"]
    history = await shop.call(list_table_profiles, asset_fqn=f"{made.prefix}.customers")
    assert [(one["workflow_run_id"], one["row_count"]) for one in history["items"]] == [(run["id"], 40)]


async def test_the_profiles_of_many_columns_cost_as_much_as_of_one(
    shop: Bench, source: Source, statements: Statements
) -> None:
    made = await profiled(shop, source)
    await made.run(asset_fqn=f"{made.prefix}.customers")
    world = shop.world
    keep_up(world)
    query = """query ($prefix: String!, $limit: Int!) {
        searchMetadata(fqnPrefix: $prefix, limit: $limit) { items { columnProfile { nullCount } } } }"""
    spent = []
    for limit in (4, 1, 4):  # the first request also reads what later ones remember
        await statements.anew()
        body = {"query": query, "variables": {"prefix": f"{made.prefix}.customers", "limit": limit}}
        answer = (await world.request("POST", "/graphql", token=world.owner, json=body)).json()
        items = answer["data"]["searchMetadata"]["items"]
        assert [item["columnProfile"] for item in items] == [{"nullCount": 0}] * limit
        spent.append(len(statements))
    assert spent[1] == spent[2]


async def test_the_catalog_takes_the_number_of_rows_over_and_keeps_it(bench: Bench, source: Source) -> None:
    made = await profiled(bench, source)
    source.run("create table sales.fresh (id int); insert into sales.fresh select generate_series(1, 7)")
    await bench.ingest()
    about = (source.database, "sales", "fresh")
    before = await bench.asset(*about)
    assert before["row_count"] is None  # its source has not counted
    await made.run(asset_fqn=f"{made.prefix}.fresh")
    after = await bench.asset(*about)
    assert (after["row_count"], after["version"]) == (7, before["version"])
    assert (await bench.call(get_data_asset, asset_id=before["id"]))["row_count"] == 7
    source.run("comment on table sales.fresh is 'Seven of them.'")
    await bench.ingest()
    again = await bench.asset(*about)
    assert (again["description"], again["row_count"]) == ("Seven of them.", 7)
