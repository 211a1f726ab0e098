"""The kept counts of the catalog are what counting finds: after any writes, at any commit, whoever writes at once."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from persistence.migrations.run import upgrade
from persistence.queries.catalog import search_assets
from persistence.queries.catalog_counts import standing_total
from persistence.queries.catalog_load import insert_rows, new_row
from persistence.queries.metadata_search import Window
from persistence.repository import Scope
from persistence.tables.catalog import catalog_counts, metadata_assets
from schema.utils.metadata_asset import AssetType
from tests.support.catalog import SCOPE, URI, catalog_url, day, engine

__all__ = ["catalog_url", "engine"]

OTHER = "data:acme:shop:other"
ELSEWHERE = Scope("acme", "elsewhere")
assets = metadata_assets.c


def row(name: str, *, scope: Scope = SCOPE, uri: str = URI, kind: AssetType = AssetType.DATABASE, **values: Any) -> Any:
    return new_row(scope, uri, ("main", name), kind, parent_id=None, actor="a", now=day(1), reason="-", values=values)


def counted(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).select_from(metadata_assets).where(assets.deleted_at.is_(None), *conditions)
    return int(connection.execute(query).scalar_one())


def agree(connection: sa.Connection) -> None:
    """Every total that can be asked for is what counting the rows finds."""
    for scope in (SCOPE, ELSEWHERE, Scope("other", "shop")):
        for uri in (None, URI, OTHER):
            for type_ in (None, *AssetType):
                kept = standing_total(connection, scope, resource_uri=uri, asset_type=type_ and type_.value)
                assert kept == counted(
                    connection,
                    assets.organization_id == scope.organization_id,
                    assets.project_id == scope.project_id,
                    *([] if uri is None else [assets.resource_uri == uri]),
                    *([] if type_ is None else [assets.type == type_.value]),
                )


def change_at_random(connection: sa.Connection, chance: random.Random, turn: int) -> None:
    """One statement: rows come, go, are marked as deleted or stand again, or change what they are counted by."""
    some = sa.and_(assets.row_number % chance.randint(1, 5) == 0)
    values: dict[str, Any] = chance.choice(
        [
            {"deleted_at": day(2)},
            {"deleted_at": None},
            {"description": "said"},
            {"deleted_at": day(3), "description": "gone"},
            {"resource_uri": chance.choice([URI, OTHER])},
            {"type": chance.choice(list(AssetType)).value, "deleted_at": chance.choice([None, day(2)])},
        ]
    )
    kind = chance.choice(["come", "go", "change", "change", "change"])
    if kind == "come":
        insert_rows(
            connection,
            [
                row(
                    f"n{turn}_{number}",
                    scope=chance.choice([SCOPE, SCOPE, ELSEWHERE]),
                    uri=chance.choice([URI, OTHER]),
                    kind=chance.choice(list(AssetType)),
                    deleted_at=chance.choice([None, None, day(1)]),
                )
                for number in range(chance.randint(1, 9))
            ],
        )
    elif kind == "go":
        connection.execute(metadata_assets.delete().where(some))
    else:
        connection.execute(metadata_assets.update().where(some).values(values))


def test_counts_are_what_counting_finds_after_any_writes(engine: sa.Engine) -> None:
    chance = random.Random(11)
    for turn in range(30):
        with engine.connect() as connection:
            for step in range(chance.randint(1, 4)):
                change_at_random(connection, chance, 10 * turn + step)
                agree(connection)  # also for the writer, before it commits
            if chance.random() < 0.3:
                connection.rollback()
            else:
                connection.commit()
        with engine.connect() as connection:
            agree(connection)


def test_a_search_for_everything_reads_the_count(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        insert_rows(connection, [row(f"n{number}") for number in range(7)])
        insert_rows(connection, [row("t", uri=OTHER, kind=AssetType.TABLE), row("gone", deleted_at=day(1))])
    heard: list[str] = []
    with engine.connect() as connection:
        sa.event.listen(connection, "before_cursor_execute", lambda *given: heard.append(given[2]))
        found = [
            search_assets(connection, SCOPE, window=Window(limit=2), **how).total
            for how in ({}, {"asset_type": AssetType.TABLE}, {"resource_uri": URI}, {"resource_uri": "data:no:no:no"})
        ]
    assert found == [8, 1, 7, 0]
    assert not [statement for statement in heard if "count(*)" in statement]


def test_writers_at_once_do_not_wait_and_lose_nothing(engine: sa.Engine) -> None:
    """Each holds its transaction open until all have written, where the store lets several write."""
    many = 1 if engine.dialect.name == "sqlite" else 4
    together = threading.Barrier(many)

    def write(who: int) -> None:
        for turn in range(5):
            with engine.begin() as connection:
                insert_rows(connection, [row(f"w{who}_{turn}_{number}") for number in range(3)])
                connection.execute(
                    metadata_assets.update().where(assets.name == f"w{who}_{turn}_0").values(deleted_at=day(2))
                )
                together.wait(30)

    with ThreadPoolExecutor(many) as pool:
        for done in [pool.submit(write, who) for who in range(many)]:
            done.result(60)
    with engine.connect() as connection:
        agree(connection)
        assert standing_total(connection, SCOPE) == 10 * many
        assert len(connection.execute(catalog_counts.select()).all()) <= many  # and what they wrote into is used again


def test_an_emptied_table_has_nothing(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        insert_rows(connection, [row("a"), row("b")])
        connection.exec_driver_sql(
            "delete from metadata_assets" if engine.dialect.name == "sqlite" else "truncate metadata_assets"
        )
        agree(connection)


def test_what_stood_before_is_counted_by_the_migration(catalog_url: str, tmp_path: Path) -> None:
    upgrade(catalog_url, "0042")
    engine = sa.create_engine(catalog_url)
    with engine.begin() as connection:
        insert_rows(connection, [row("a"), row("b", uri=OTHER), row("c", scope=ELSEWHERE), row("d", deleted_at=day(1))])
    upgrade(catalog_url)
    with engine.begin() as connection:
        agree(connection)
        insert_rows(connection, [row("e")])
        agree(connection)
        assert standing_total(connection, SCOPE) == 3
    engine.dispose()
