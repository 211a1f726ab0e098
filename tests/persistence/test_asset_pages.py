"""What searches found is kept while the catalog stands, and is never late; pages of many hits are bounded and exact."""

import random
import threading
from array import array
from typing import Any

import pytest
import sqlalchemy as sa

from persistence.queries import asset_pages
from persistence.queries.asset_pages import Found, Hits
from persistence.queries.catalog import search_assets
from persistence.queries.catalog_load import insert_rows, new_row
from persistence.queries.metadata_search import Window
from persistence.repository import Scope
from persistence.tables.catalog import metadata_assets
from resolvers.engines.query_string import parse_query
from schema.utils.metadata_asset import AssetType
from tests.support.catalog import SCOPE, URI, catalog_url, day, engine

__all__ = ["catalog_url", "engine"]

ELSEWHERE = Scope("acme", "elsewhere")
WORDS = ("late", "order", "of", "parts")
assets = metadata_assets.c


def row(name: str, words: str, *, scope: Scope = SCOPE, **values: Any) -> dict[str, Any]:
    return new_row(
        scope,
        URI,
        ("main", name),
        AssetType.DATABASE,
        parent_id=None,
        actor="ann",
        now=day(1),
        reason="made up",
        values={"description": words, **values},
    )


def search(engine: sa.Engine, q: str, hits: Hits | None, **window: Any) -> tuple[list[str], int]:
    """As a request asks: on PostgreSQL each statement sees what is committed by then."""
    reading = engine.execution_options(isolation_level="AUTOCOMMIT") if engine.dialect.name == "postgresql" else engine
    with reading.connect() as connection:
        page = search_assets(connection, SCOPE, parse_query(q), window=Window(**window), hits=hits)
    return [item.name for item in page.items], page.total


def slowly(engine: sa.Engine, q: str, limit: int, offset: int) -> tuple[list[str], int]:
    """Every row looked at, word by word."""
    with engine.connect() as connection:
        rows = connection.execute(
            sa.select(assets.name, assets.id, assets.search_words).where(
                assets.project_id == SCOPE.project_id, assets.deleted_at.is_(None)
            )
        ).all()
    found = sorted((name, id_) for name, id_, words in rows if set(q.split()) <= set(words.split()))
    return [name for name, _ in found[offset : offset + limit]], len(found)


@pytest.mark.parametrize(("first", "most"), [(0, 0), (3, 8), (asset_pages.FIRST_HITS, asset_pages.MOST_HITS)])
def test_what_was_kept_is_never_late(engine: sa.Engine, monkeypatch: pytest.MonkeyPatch, first: int, most: int) -> None:
    """Other connections write between any two searches; each search is asked twice, and answers as a slow reading."""
    monkeypatch.setattr(asset_pages, "FIRST_HITS", first)
    monkeypatch.setattr(asset_pages, "MOST_HITS", most)
    chance, hits = random.Random(5), Hits()
    for turn in range(40):
        with engine.begin() as connection:
            some = assets.row_number % chance.randint(1, 6) == 0
            match chance.randint(0, 4):
                case 0 | 1:
                    named = [f"n{chance.randint(0, 99):02d}x{turn}{number}" for number in range(4)]
                    says = [" ".join(chance.sample(WORDS, 2)) for _ in named]
                    scopes = [chance.choice([SCOPE, ELSEWHERE]) for _ in named]
                    new = zip(named, says, scopes, strict=True)
                    insert_rows(connection, [row(name, words, scope=scope) for name, words, scope in new])
                case 2:
                    connection.execute(metadata_assets.update().where(some).values(deleted_at=day(2)))
                case 3:
                    connection.execute(metadata_assets.update().where(some).values(deleted_at=None))
                case _:
                    connection.execute(metadata_assets.delete().where(some, assets.row_number % 4 == 0))
        for q in ("late", "late order", "of parts"):
            for offset in (0, 3, 6):
                wanted = slowly(engine, q, 3, offset)
                assert [search(engine, q, hits, limit=3, offset=offset) for _ in range(2)] == [wanted, wanted]


def test_pages_stay_whole_while_others_write(engine: sa.Engine) -> None:
    """At every commit five assets say it. No page has another number of them, or one that was deleted by then."""
    with engine.begin() as connection:
        insert_rows(connection, [row(f"n{n}", "late order", deleted_at=day(1) if n > 4 else None) for n in range(10)])
    ended = threading.Event()

    def write() -> None:
        chance, standing = random.Random(3), set(range(5))
        for _ in range(150):
            gone, come = chance.choice(sorted(standing)), chance.choice(sorted(set(range(10)) - standing))
            with engine.begin() as connection:
                for number, moment in ((gone, day(2)), (come, None)):
                    here = metadata_assets.update().where(assets.name == f"n{number}")
                    connection.execute(here.values(deleted_at=moment))
            standing = standing - {gone} | {come}
        ended.set()

    writer = threading.Thread(target=write)
    writer.start()
    hits, read = Hits(), 0
    try:
        while not ended.is_set() or not read:
            names, total = search(engine, "late order", hits)
            assert (len(set(names)), total) == (5, 5)
            read += 1
    finally:
        writer.join()
    assert search(engine, "late order", hits) == slowly(engine, "late order", 50, 0)


def test_the_next_page_and_the_same_again_read_rows_by_their_numbers_alone(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        insert_rows(connection, [row(f"n{n:03d}", "late order") for n in range(40)])
    hits = Hits()
    first = search(engine, "late order", hits, limit=10)
    heard: list[str] = []
    sa.event.listen(engine, "before_cursor_execute", lambda *given: heard.append(given[2]))
    assert search(engine, "late order", hits, limit=10) == first
    assert search(engine, "late order", hits, limit=10, offset=35) == ([f"n{n:03d}" for n in range(35, 40)], 40)
    assert search(engine, "late order", hits, limit=10, offset=40) == ([], 40)
    read = [statement for statement in heard if "metadata_assets" in statement]
    assert len(read) == 2
    assert not [statement for statement in read if "search_words @@" in statement or "MATCH" in statement]


def test_hits_of_an_order_or_of_a_filter_are_apart(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        insert_rows(connection, [row(f"n{n}", "late order") for n in range(4)])
    hits = Hits()
    assert search(engine, "late", hits)[0] == ["n0", "n1", "n2", "n3"]
    assert search(engine, "late", hits, descending=True)[0] == ["n3", "n2", "n1", "n0"]
    with engine.connect() as connection:
        for how, many in (({}, 4), ({"asset_type": AssetType.TABLE}, 0), ({"resource_uri": "data:a:b:c"}, 0)):
            page = search_assets(connection, SCOPE, parse_query("late"), window=Window(), hits=hits, **how)
            assert page.total == many
        elsewhere = search_assets(connection, ELSEWHERE, parse_query("late"), window=Window(), hits=hits)
        assert elsewhere.total == 0


def test_of_many_hits_the_first_are_kept_and_a_page_further_on_is_found_as_well(
    engine: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each window with how often it gathers hits, asked one after the other; at first one beyond all, for the total."""
    monkeypatch.setattr(asset_pages, "FIRST_HITS", 8)
    monkeypatch.setattr(asset_pages, "MOST_HITS", 16)
    with engine.begin() as connection:
        insert_rows(connection, [row(f"n{n:02d}", "late order") for n in range(40)])
    heard: list[str] = []
    sa.event.listen(engine, "before_cursor_execute", lambda *given: heard.append(given[2]))
    hits = Hits()
    for offset, gathers in (
        (90, 1),
        (90, 0),
        (0, 1),
        (4, 0),
        (8, 1),
        (0, 0),
        (12, 0),
        (16, 1),
        (16, 1),
        (12, 0),
        (38, 1),
        (40, 0),
    ):
        heard.clear()
        assert search(engine, "late order", hits, limit=4, offset=offset) == (
            [f"n{n:02d}" for n in range(offset, min(offset + 4, 40))],
            40,
        )
        assert len([statement for statement in heard if "found AS" in statement]) == gathers, offset


def test_what_is_kept_is_bounded_by_its_bytes() -> None:
    hits, numbers = Hits(most_bytes=10_000), array("q", range(500))
    for key in range(3):
        hits.keep(key, Found("r", 500, numbers))
    assert hits.bytes <= 10_000
    assert [hits.of(key) is not None for key in range(3)] == [False, False, True]
    hits.keep("whole", Found("r", 5_000, array("q", range(5_000))))
    assert hits.of("whole") is None
    for key in range(100):
        hits.keep(0, Found(str(key), 500, numbers))
    assert hits.bytes == Found("r", 500, numbers).bytes
