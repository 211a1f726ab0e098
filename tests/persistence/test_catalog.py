"""The catalog over time: what a source says is taken in, versioned, kept apart from people's words, and found again."""

from typing import Any

import anyio
import orjson
import pytest
import sqlalchemy as sa

from persistence.engine import Database
from persistence.queries.catalog import create_asset, delete_asset, get_asset, search_assets
from persistence.queries.catalog_edit import update_asset
from persistence.queries.catalog_ingest import mark_vanished, refresh_statistics, upsert_source
from persistence.queries.metadata_search import Window
from persistence.repository import Scope
from persistence.tables import metadata
from persistence.tables.catalog import catalog_ddl, catalog_ddl_down, metadata_assets, metadata_versions
from resolvers.engines.catalog_diff import judge
from resolvers.engines.query_string import parse_query
from schema.errors import AlreadyExists, InvalidParameter, NotFound, ValidationError, VersionConflict
from schema.utils.metadata_asset import AssetType, MetadataAsset
from schema.utils.source_asset import Counts, SourceAsset
from tests.support.catalog import SCOPE, TABLES, URI, catalog_url, day, engine, source

__all__ = ["catalog_url", "engine"]

ORDERS = {"orders": {"id": "INTEGER", "email": "VARCHAR", "total": "NUMERIC"}}


class Catalog:
    """The catalog of one engine with the arguments that every test would repeat."""

    def __init__(self, engine: sa.Engine) -> None:
        self.engine = engine

    def take(self, said: list[SourceAsset], on: int = 1, scope: Scope = SCOPE, uri: str = URI) -> Counts:
        with self.engine.begin() as connection:
            return upsert_source(connection, scope, uri, "main", said, actor="ingest", now=day(on), judge=judge)

    def vanish(self, parent: str, kept: list[str], on: int) -> int:
        with self.engine.begin() as connection:
            return mark_vanished(connection, SCOPE, URI, parent, kept, actor="ingest", now=day(on))

    def get(self, fqn: str, **how: Any) -> Any:
        with self.engine.connect() as connection:
            return get_asset(connection, SCOPE, URI, f"main.db{fqn and '.' + fqn}", **how)

    def update(self, fqn: str, on: int = 5, **how: Any) -> Any:
        expected = {name: how.pop(name) for name in ("expected_version", "expected_revision", "reason") if name in how}
        with self.engine.begin() as connection:
            return update_asset(
                connection, SCOPE, URI, f"main.db.{fqn}", how, actor="ann", now=day(on), judge=judge, **expected
            )

    def create(self, fqn: str, type: AssetType, on: int = 5, uri: str = URI, **values: Any) -> Any:
        with self.engine.begin() as connection:
            return create_asset(connection, SCOPE, uri, fqn, type, values, actor="ann", now=day(on), judge=judge)

    def delete(self, fqn: str, on: int = 6) -> Any:
        with self.engine.begin() as connection:
            return delete_asset(connection, SCOPE, URI, f"main.db.{fqn}", actor="ann", now=day(on), judge=judge)

    def found(self, q: str, **how: Any) -> list[str]:
        window = Window(limit=200)
        with self.engine.connect() as connection:
            page = search_assets(connection, SCOPE, parse_query(q), window=window, **how)
        assert page.total == len(page.items)
        return [item.fully_qualified_name.removeprefix("main.db.") for item in page.items]

    def rows(self, table: sa.Table) -> list[Any]:
        with self.engine.connect() as connection:
            return list(connection.execute(sa.select(table).order_by(*table.primary_key.columns)))


@pytest.fixture
def catalog(engine: sa.Engine) -> Catalog:
    return Catalog(engine)


def changed(view: Any) -> tuple[str, list[str], list[str], list[str]]:
    description = view.change_description
    names = [
        [f.field_name for f in fields]
        for fields in (description.fields_added, description.fields_updated, description.fields_deleted)
    ]
    return (view.version, *names)


def test_a_new_source_starts_at_version_0_1_with_counts_at_every_level(catalog):
    counts = catalog.take(source({**ORDERS, "users": {"id": "INTEGER"}}))
    assert counts == Counts(created=8)
    assert [catalog.get(fqn).version for fqn in ("", "public", "public.orders", "public.orders.id")] == ["0.1"] * 4
    database, schema, table = catalog.get(""), catalog.get("public"), catalog.get("public.orders")
    assert (database.children_total, database.table_count) == (1, 2)
    assert (schema.children_total, schema.table_count) == (2, 2)
    assert (table.children_total, table.column_count, table.table_count) == (3, 3, None)


def test_taking_in_the_same_source_again_writes_nothing(catalog):
    catalog.take(source(ORDERS))
    before = (catalog.rows(metadata_assets), catalog.rows(metadata_versions))
    statements: list[str] = []
    sa.event.listen(catalog.engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    assert catalog.take(source(ORDERS), on=2) == Counts(unchanged=6)
    writes = [one for one in statements if one.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE", "COPY"))]
    assert writes == []
    assert (catalog.rows(metadata_assets), catalog.rows(metadata_versions)) == before


def test_an_unchanged_source_costs_the_same_statements_however_wide_it_is(catalog):
    def statements_of(width: int) -> int:
        wide = source({"t": {f"c{n}": "INTEGER" for n in range(width)}})
        catalog.take(wide)
        seen: list[str] = []
        listen = lambda *call: seen.append(call[2])  # noqa: E731
        sa.event.listen(catalog.engine, "before_cursor_execute", listen)
        catalog.take(wide, on=2)
        sa.event.remove(catalog.engine, "before_cursor_execute", listen)
        return len(seen)

    assert statements_of(3) == statements_of(300)


def test_a_changed_comment_is_a_minor_version_of_the_column_and_its_table(catalog):
    catalog.take(source({"orders": {"id": {"data_type": "INTEGER", "description": "key"}}}))
    counts = catalog.take(source({"orders": {"id": {"data_type": "INTEGER", "description": "the key"}}}), on=2)
    assert counts == Counts(updated=1, unchanged=3)
    assert changed(catalog.get("public.orders.id")) == ("0.2", [], ["description"], [])
    assert changed(catalog.get("public.orders")) == ("0.2", [], ["columns.id.description"], [])
    assert catalog.get("public").version == "0.1"
    assert catalog.get("public.orders.id").updated_at == day(2)
    assert catalog.get("public.orders.id").created_at == day(1)


def test_a_retyped_column_is_a_major_version_of_both(catalog):
    catalog.take(source(ORDERS))
    catalog.take(source({"orders": {**ORDERS["orders"], "id": "BIGINT"}}), on=2)
    assert changed(catalog.get("public.orders.id")) == ("1.0", [], ["data_type"], [])
    assert changed(catalog.get("public.orders")) == ("1.0", [], ["columns.id.data_type"], [])
    assert catalog.get("public.orders").change_summary == {"structural": True, "added": 0, "updated": 1, "deleted": 0}
    assert catalog.get("public.orders.email").version == "0.1"


def test_a_new_column_is_minor_and_a_dropped_one_major(catalog):
    catalog.take(source(ORDERS))
    grown = {"orders": {**ORDERS["orders"], "note": "TEXT"}}
    assert catalog.take(source(grown), on=2) == Counts(created=1, unchanged=6)
    assert changed(catalog.get("public.orders")) == ("0.2", ["columns.note"], [], [])
    assert catalog.get("public.orders").column_count == 4
    assert catalog.take(source(ORDERS), on=3) == Counts(unchanged=6, vanished=1)
    table = catalog.get("public.orders", include_children=True)
    assert changed(table) == ("1.0", [], [], ["columns.note"])
    assert (table.children_total, table.column_count, len(table.children)) == (3, 3, 3)
    with pytest.raises(NotFound):
        catalog.get("public.orders.note")
    assert catalog.found("_exists_:deleted_at") == ["public.orders.note"]
    assert catalog.found("note") == []
    assert catalog.take(source(grown), on=4) == Counts(unchanged=6, restored=1)
    assert changed(catalog.get("public.orders")) == ("1.1", ["columns.note"], [], [])
    assert catalog.found("columns.name:note") == ["public.orders"]


def test_moving_figures_are_written_without_a_version(catalog):
    catalog.take(source(ORDERS, orders={"row_count": 10}))
    assert catalog.take(source(ORDERS, orders={"row_count": 5_000_000_000}), on=2) == Counts(updated=1, unchanged=5)
    table = catalog.get("public.orders")
    assert (table.version, table.row_count) == ("0.1", 5_000_000_000)
    assert catalog.rows(metadata_versions) == []


def test_a_vanished_table_goes_with_its_columns_and_comes_back_as_it_was(catalog):
    both = {**ORDERS, "orders_old": {"id": "INTEGER"}}
    catalog.take(source(both))
    assert catalog.vanish("main.db.public", ["orders_old"], on=2) == 4
    assert (catalog.get("public").children_total, catalog.get("").table_count) == (1, 1)
    assert catalog.found("id") == ["public.orders_old.id", "public.orders_old"]
    with pytest.raises(NotFound):
        catalog.get("public.orders.email")
    assert catalog.vanish("main.db.public", ["orders_old"], on=3) == 0
    assert catalog.take(source(both), on=4) == Counts(unchanged=4, restored=4)
    table = catalog.get("public.orders", include_children=True)
    assert (table.version, table.deleted_at, len(table.children)) == ("0.1", None, 3)
    assert catalog.get("").table_count == 2


def test_a_vanished_schema_takes_everything_below_it_and_nothing_beside_it(catalog):
    beside = SourceAsset(AssetType.DATABASE_SCHEMA, ("db", "public2"))
    catalog.take([*source(ORDERS), beside])
    assert catalog.vanish("main.db", ["public2"], on=2) == 5
    assert catalog.found("*") == ["main.db", "public2"]
    assert (catalog.get("").children_total, catalog.get("").table_count) == (1, 0)


def test_the_word_of_a_person_survives_ingestion_and_null_gives_the_sources_back(catalog):
    catalog.take(source(ORDERS, orders={"description": "from the source"}))
    mine = catalog.update("public.orders", description="from Ann", display_name="Orders")
    assert changed(mine) == ("0.2", ["display_name"], ["description"], [])
    counts = catalog.take(source(ORDERS, orders={"description": "newer source"}), on=6)
    assert counts.updated == 1
    kept = catalog.get("public.orders")
    assert (kept.version, kept.description, kept.display_name) == ("0.2", "from Ann", "Orders")
    back = catalog.update("public.orders", on=7, description=None)
    assert (back.version, back.description) == ("0.3", "newer source")
    catalog.take(source(ORDERS, orders={"description": "newest"}), on=8)
    assert catalog.get("public.orders").description == "newest"


def test_an_old_version_is_the_asset_as_it_was(catalog):
    catalog.take(source(ORDERS, orders={"description": "one"}))
    as_it_was = catalog.get("public.orders").resource()
    catalog.update("public.orders", description="two", owners=[{"name": "Ann", "type": "user", "id": "u1"}])
    catalog.take(source({"orders": {"id": "BIGINT"}}), on=9)
    assert catalog.get("public.orders").version == "1.0"
    assert catalog.get("public.orders", version="0.1").resource().model_dump() == as_it_was.model_dump()
    second = catalog.get("public.orders", version="0.2")
    assert (second.description, [owner.name for owner in second.owners], second.type) == ("two", ["Ann"], "table")
    assert catalog.get("public.orders", version="1.0").resource() == catalog.get("public.orders").resource()
    with pytest.raises(NotFound):
        catalog.get("public.orders", version="0.9")
    kept = {(row.version_major, row.version_minor): row.document for row in catalog.rows(metadata_versions)}
    assert [column["name"] for column in kept[0, 2]["columns"]] == ["id", "email", "total"]


def test_reading_follows_the_contracts_rules(catalog):
    catalog.take(source(ORDERS))
    with pytest.raises(InvalidParameter):
        catalog.get("public.orders", version="0.1", include_children=True)
    with pytest.raises(ValidationError) as mismatch:
        catalog.get("public.orders", asset_type=AssetType.COLUMN)
    assert (mismatch.value.status, mismatch.value.details["actual"]) == (400, "table")
    assert catalog.get("public.orders", asset_type=AssetType.TABLE).children is None
    for missing in ("public.nothing", "public.orders.nothing"):
        with pytest.raises(NotFound):
            catalog.get(missing)
    with pytest.raises(InvalidParameter):
        catalog.get('public."orders')
    with catalog.engine.connect() as connection, pytest.raises(NotFound):
        get_asset(connection, SCOPE, "data:acme:shop:other", "main.db.public.orders")
    for scope in (Scope("acme", "other"), Scope("evil", "shop")):
        with catalog.engine.connect() as connection, pytest.raises(NotFound):
            get_asset(connection, scope, URI, "main.db.public.orders")


def test_five_hundred_children_are_shown_and_all_are_counted(catalog):
    catalog.take(source({"wide": {f"c{n:04}": "INTEGER" for n in range(501)}}))
    wide = catalog.get("public.wide", include_children=True)
    assert (wide.children_total, len(wide.children)) == (501, 500)
    assert [child.ordinal_position for child in wide.children] == list(range(1, 501))


def test_the_bytes_are_the_resource(catalog):
    catalog.take(source(ORDERS, orders={"constraint": {"primary_key": ["id"]}, "extension": {"a": [1, {"b": None}]}}))
    catalog.update(
        "public.orders",
        owners=[{"name": "Ann", "type": "user", "id": "u1"}],
        tags=[
            {"tag_id": "1", "tag_fqn": "PII.Email", "category_name": "PII", "tag_name": "Email", "tag_description": ""}
        ],
        is_pii_tagged=True,
    )
    view = catalog.get("public.orders", include_children=True)
    resource = view.resource()
    assert resource.children is not None
    assert orjson.loads(view.json_bytes()) == orjson.loads(resource.model_dump_json())
    assert list(orjson.loads(view.json_bytes())) == list(MetadataAsset.model_fields)
    for name in MetadataAsset.model_fields:
        if name != "children":
            assert getattr(view, name) == getattr(resource, name), name
    assert view._revision == resource._revision == 2


def test_a_hand_written_asset_needs_its_parent_and_a_free_name(catalog):
    with pytest.raises(ValidationError) as orphan:
        catalog.create("main.db.public", AssetType.DATABASE_SCHEMA)
    assert orphan.value.status == 422
    catalog.create("main.db", AssetType.DATABASE)
    catalog.create("main.db.public", AssetType.DATABASE_SCHEMA)
    table = catalog.create("main.db.public.orders", AssetType.TABLE, description="mine", table_type="TABLE")
    assert (table.version, table.created_by, table.children_total) == ("0.1", "ann", 0)
    assert catalog.get("").table_count == 1
    catalog.create("main.db.public.orders.id", AssetType.COLUMN, data_type="INTEGER")
    assert changed(catalog.get("public.orders")) == ("0.2", ["columns.id"], [], [])
    assert catalog.get("public.orders").column_count == 1
    with pytest.raises(AlreadyExists):
        catalog.create("main.db.public.orders", AssetType.TABLE)
    with pytest.raises(ValidationError):
        catalog.create("main.db.public", AssetType.TABLE)


def test_ingestion_adopts_what_was_written_by_hand_and_never_marks_it_vanished(catalog):
    catalog.create("main.db", AssetType.DATABASE)
    catalog.create("main.db.public", AssetType.DATABASE_SCHEMA)
    catalog.create("main.db.public.orders", AssetType.TABLE, description="mine")
    assert catalog.vanish("main.db.public", [], on=6) == 0
    catalog.take(source(ORDERS, orders={"description": "theirs"}), on=7)
    assert catalog.get("public.orders").description == "mine"
    catalog.create("main.db.public.orders.extra", AssetType.COLUMN, on=8)
    assert catalog.take(source(ORDERS, orders={"description": "theirs"}), on=9) == Counts(unchanged=6)
    assert catalog.get("public.orders").children_total == 4
    assert catalog.vanish("main.db.public", [], on=10) == 5
    catalog.take(source(ORDERS, orders={"description": "theirs"}), on=11)
    assert catalog.get("public.orders").children_total == 4
    assert catalog.found("columns.name:extra") == ["public.orders"]
    assert "public.orders" in catalog.found("extra")


def test_a_deleted_asset_is_gone_until_its_source_brings_it_back(catalog):
    catalog.take(source(ORDERS))
    deleted = catalog.delete("public.orders")
    assert (deleted.deleted_at, deleted.updated_by) == (day(6), "ann")
    for fqn in ("public.orders", "public.orders.id"):
        with pytest.raises(NotFound):
            catalog.get(fqn)
    with pytest.raises(NotFound):
        catalog.delete("public.orders")
    assert catalog.get("public").children_total == 0
    assert catalog.get("public.orders", version="0.1").name == "orders"
    catalog.take(source(ORDERS), on=7)
    assert catalog.get("public.orders").children_total == 3


def test_a_deleted_name_written_again_is_a_structural_version_of_the_same_asset(catalog):
    catalog.take(source(ORDERS))
    before = catalog.get("public.orders").id
    catalog.delete("public.orders")
    again = catalog.create("main.db.public.orders", AssetType.TABLE, on=7, description="again")
    assert (again.id, again.version, again.description) == (before, "1.0", "again")


def test_of_two_writers_at_the_same_version_one_wins(catalog):
    catalog.take(source(ORDERS))
    revision = catalog.get("public.orders")._revision
    catalog.update("public.orders", description="first", expected_version="0.1")
    for stale in ({"expected_version": "0.1"}, {"expected_revision": revision}):
        with pytest.raises(VersionConflict) as conflict:
            catalog.update("public.orders", description="second", **stale)
        assert conflict.value.details["version"] == "0.2"
    assert catalog.get("public.orders").description == "first"


def test_an_update_that_changes_nothing_is_no_version(catalog):
    catalog.take(source(ORDERS, orders={"description": "same"}))
    assert catalog.update("public.orders", description="same", owners=None).version == "0.1"
    given = catalog.update("public.orders", display_name="Orders", reason="Asked by sales.")
    assert (given.version, given.version_change_reason, given.changed_by) == ("0.2", "Asked by sales.", ["ann"])


def test_a_person_who_says_what_the_source_says_is_kept_to_it(catalog):
    catalog.take(source(ORDERS, orders={"description": "same"}))
    catalog.update("public.orders", description="same")
    catalog.take(source(ORDERS, orders={"description": "other"}), on=6)
    assert (catalog.get("public.orders").version, catalog.get("public.orders").description) == ("0.1", "same")


def test_statistics_can_be_refreshed_inside_a_transaction(catalog):
    catalog.take(source(ORDERS))
    with catalog.engine.begin() as connection:
        refresh_statistics(connection)
        if catalog.engine.dialect.name == "postgresql":  # no words are left beside their index
            cleaned = "select gin_clean_pending_list('ix_metadata_assets_search_words')"
            assert connection.exec_driver_sql(cleaned).scalar_one() == 0
    assert catalog.found("email") == ["public.orders.email", "public.orders"]


def test_statistics_are_refreshed_by_a_role_that_owns_no_index(catalog):
    if catalog.engine.dialect.name != "postgresql":
        return
    catalog.take(source(ORDERS))
    with catalog.engine.begin() as connection:
        connection.exec_driver_sql("create role refresher")
        connection.exec_driver_sql("set local role refresher")
        refresh_statistics(connection)
        connection.exec_driver_sql("reset role")
        connection.exec_driver_sql("drop role refresher")


def test_a_column_edited_by_hand_is_a_new_version_of_its_table_too(catalog):
    catalog.take(source(ORDERS))
    catalog.update("public.orders.email", is_pii_tagged=True)
    assert changed(catalog.get("public.orders.email")) == ("0.2", [], ["is_pii_tagged"], [])
    assert changed(catalog.get("public.orders")) == ("0.2", [], ["columns.email.is_pii_tagged"], [])
    catalog.delete("public.orders.email")
    assert changed(catalog.get("public.orders")) == ("1.0", [], [], ["columns.email"])


def test_names_with_dots_quotes_and_other_letters_are_kept(catalog):
    odd = {'a.b"c': {"größe %_\\": "INTEGER", "x": {"data_type": "TEXT", "description": "100% | 'x' \\ …"}}}
    catalog.take(source(odd))
    column = catalog.get('public."a.b""c".größe %_\\')
    assert (column.name, column.data_type) == ("größe %_\\", "INTEGER")
    assert catalog.get('public."a.b""c"').children_total == 2
    assert catalog.take(source(odd), on=2) == Counts(unchanged=5)


def test_characters_that_no_store_keeps_are_replaced(catalog):
    odd = source({"t": {"a\x00b": {"data_type": "TEXT", "description": "x\x00y\ud800", "constraint": {"d": ["\x00"]}}}})
    catalog.take(odd)
    column = catalog.get("public.t.a\ufffdb")
    assert (column.description, column.constraint) == ("x\ufffdy?", {"d": ["\ufffd"]})
    assert catalog.take(odd, on=2) == Counts(unchanged=4)
    with pytest.raises(ValueError, match="plain JSON"):
        catalog.take(source({"t": {"a": {"constraint": {"d": object()}}}}), on=3)


def test_another_resource_cannot_take_a_name_over(catalog):
    catalog.take(source(ORDERS))
    with pytest.raises(AlreadyExists):
        catalog.take(source(ORDERS), on=2, uri="data:acme:shop:other")
    catalog.take(source(ORDERS), on=2, scope=Scope("acme", "other"), uri="data:acme:other:main")
    assert catalog.found("orders", resource_uri=URI) == catalog.found("orders")


def test_a_batch_must_be_whole(catalog):
    column = SourceAsset(AssetType.COLUMN, ("db", "public", "orders", "id"))
    with pytest.raises(ValueError, match="without its table"):
        catalog.take([column])
    with pytest.raises(ValueError, match="parent"):
        catalog.take([SourceAsset(AssetType.TABLE, ("db", "public", "orders"))])
    with pytest.raises(ValueError, match="twice"):
        catalog.take([*source(ORDERS), SourceAsset(AssetType.DATABASE, ("db",))])
    with pytest.raises(ValueError, match="names below"):
        SourceAsset(AssetType.TABLE, ("db", "orders"))
    assert catalog.rows(metadata_assets) == []


@pytest.mark.anyio
async def test_the_platforms_own_database_runs_it_and_writers_of_one_service_wait_for_each_other(catalog_url):
    database = Database(catalog_url)
    await database.write(lambda connection: metadata.create_all(connection, tables=TABLES))
    tables = {f"t{n}": {"id": "INTEGER"} for n in range(8)}

    async def take(name: str) -> None:
        said = source({name: tables[name]})
        await database.write(
            lambda connection: upsert_source(
                connection, SCOPE, URI, "main", said, actor="ingest", now=day(1), judge=judge
            )
        )

    try:
        async with anyio.create_task_group() as group:
            for name in tables:
                group.start_soon(take, name)
        schema = await database.read(lambda connection: get_asset(connection, SCOPE, URI, "main.db.public"))
        whole = await database.read(lambda connection: get_asset(connection, SCOPE, URI, "main.db"))
        assert (schema.children_total, schema.version, whole.table_count) == (8, "0.1", 8)
    finally:
        await database.close()


def test_the_free_text_index_can_be_taken_down_and_built_again(engine):
    with engine.begin() as connection:
        for statement in catalog_ddl_down(engine.dialect.name):
            connection.exec_driver_sql(statement)
        for statement in catalog_ddl(engine.dialect.name):
            connection.exec_driver_sql(statement)
    catalog = Catalog(engine)
    catalog.take(source(ORDERS))
    assert catalog.found("email") == ["public.orders.email", "public.orders"]
    with engine.begin() as connection:
        metadata.drop_all(connection, tables=TABLES)
        assert [name for name in sa.inspect(connection).get_table_names() if name.startswith("metadata_")] == []
