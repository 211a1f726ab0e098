"""Migrations: a fresh upgrade equals the tables that the code declares, and the way back leaves nothing."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from persistence.migrations.run import OtherVersion, check, downgrade, upgrade, whole_metadata
from persistence.tables.catalog import WORDS_TABLE
from tests.support.postgres import PostgresServer


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The SQLAlchemy address of a store with nothing in it."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'stoa.sqlite'}"
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    url = server.create_database()
    yield url.replace("postgresql://", "postgresql+psycopg://", 1)
    server.drop_database(url)


def _own(name: str | None) -> bool:
    return name is not None and not name.startswith(WORDS_TABLE)


def test_a_fresh_upgrade_equals_what_the_code_declares(empty_store: str) -> None:
    upgrade(empty_store)
    engine = sa.create_engine(empty_store)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"compare_type": True, "include_object": lambda item, name, kind, *_: kind != "table" or _own(name)},
        )
        with pytest.warns() if connection.dialect.name == "sqlite" else nullcontext():
            differences = compare_metadata(context, whole_metadata())
    engine.dispose()
    assert differences == []


def test_the_indexes_are_those_of_the_code(empty_store: str) -> None:
    upgrade(empty_store)
    engine = sa.create_engine(empty_store)
    with engine.connect() as connection:
        catalog = (
            "select name from sqlite_master where type = 'index' and name not like 'sqlite_%'"
            if connection.dialect.name == "sqlite"
            else "select indexname from pg_indexes where schemaname = 'public'"
        )
        standing = {name for (name,) in connection.exec_driver_sql(catalog) if name != "alembic_version_pkc"}
        dialect = connection.dialect.name
    engine.dispose()
    declared = {
        str(index.name)
        for table in whole_metadata().tables.values()
        for index in table.indexes
        if index._ddl_if is None or index._ddl_if.dialect == dialect
    }
    assert declared <= standing
    assert not {name for name in standing if name.startswith("ix_")} - declared


def test_down_leaves_nothing_and_up_works_again(empty_store: str) -> None:
    upgrade(empty_store)
    downgrade(empty_store)
    engine = sa.create_engine(empty_store)
    with engine.connect() as connection:
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
    engine.dispose()
    upgrade(empty_store)
    upgrade(empty_store)  # a second time is harmless


def test_organizations_that_have_relations_already_get_a_revision(empty_store: str) -> None:
    upgrade(empty_store, "0021")
    engine = sa.create_engine(empty_store)
    written = """insert into relation_tuples(store, object_type, object_id, relation, user_type, user_id, user_relation,
        created_at) values ('{}', 'project', '{}', 'viewer', 'user', 'ann', '', '2026-01-01')"""
    with engine.begin() as connection:
        for store, project in (("acme", "p"), ("acme", "q"), ("globex", "p")):
            connection.exec_driver_sql(written.format(store, project))
    upgrade(empty_store)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("select store, token from relation_revisions order by store").all()
    engine.dispose()
    assert [store for store, _ in rows] == ["acme", "globex"]
    assert len({token for _, token in rows if token}) == 2


def test_relations_keep_their_revision_when_changes_come_to_be_told(empty_store: str) -> None:
    upgrade(empty_store, "0049")
    engine = sa.create_engine(empty_store)
    columns = "store, object_type, object_id, relation, user_type, user_id, user_relation, created_at"
    values = "('acme', 'project', '{}', 'viewer', 'user', 'ann', '', '2026-01-01')"
    told = "select slot, token from relation_revisions where store = 'acme'"

    def wrote(project: str) -> sa.Row[tuple[str, str]]:
        with engine.begin() as connection:
            connection.exec_driver_sql(f"insert into relation_tuples({columns}) values {values.format(project)}")
            return connection.exec_driver_sql(told).one()

    first = wrote("p")
    upgrade(empty_store)
    with engine.connect() as connection:
        assert connection.exec_driver_sql(told).one() == first
    second = wrote("q")
    with engine.connect() as connection:
        changes = connection.exec_driver_sql("select slot, before, token, changed from relation_changes").all()
    assert [tuple(one)[:3] for one in changes] == [(first[0], first[1], second[1])]
    assert json.loads(changes[0].changed) == [["project", "q", "user", "ann"]]
    downgrade(empty_store, "0049")
    assert wrote("r").token not in (first[1], second[1])
    engine.dispose()


def test_a_store_of_another_version_is_named_with_what_to_do(empty_store: str) -> None:
    with pytest.raises(OtherVersion, match=r"not made yet and this version needs .* Run `stoa migrate`"):
        check(empty_store)
    upgrade(empty_store, "0016")
    with pytest.raises(OtherVersion, match=r"of revision 0016 and this version needs .* Run `stoa migrate`"):
        check(empty_store)
    upgrade(empty_store)
    check(empty_store)
    engine = sa.create_engine(empty_store)
    with engine.begin() as connection:
        connection.execute(sa.text("update alembic_version set version_num = '9999'"))
    engine.dispose()
    for use in (check, upgrade, downgrade):
        with pytest.raises(OtherVersion, match=r"of revision 9999, .* a newer one has changed them"):
            use(empty_store)
