"""The search against a slow evaluator in plain Python, over random assets, on both stores, with random queries."""

import random
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from persistence.queries import asset_pages
from persistence.queries.catalog import search_assets
from persistence.queries.catalog_load import insert_rows, new_row
from persistence.queries.metadata_search import Window
from persistence.queries.relevance import sought
from persistence.repository import Scope
from resolvers.engines.query_string import parse_query
from schema.errors import SearchQueryInvalid
from schema.utils.metadata_asset import AssetType
from schema.utils.search_query import (
    FIELDS,
    All,
    Between,
    Dotted,
    Exists,
    FieldKind,
    Flag,
    Never,
    Query,
    Some,
    Text,
    names_field,
    split_words,
)
from tests.support.catalog import SCOPE, URI, create_catalog

Row = dict[str, Any]

NAMES = [
    "orders",
    "Orders",
    "customer_id",
    "customerId",
    "CUSTOMERS",
    "e-mail",
    "größe",
    "Ä",
    "ä",
    "zone",
    "100%",
    "a_b",
    "aXb",
    "x.y",
    'q"t',
    "日本",
    "date2024",
]
SENTENCES = [
    "Late order of a customer",
    "order, late",
    "100% of zones",
    "the customer's e-mail",
    "größe in cm",
    "late",
    "日本 orders",
    "'; drop table x --",
    " | ",
    "",
]
MOMENTS = [datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=11 * n) for n in range(8)]


class Rows(list[Row]):
    """Rows that do not fill the screen when a test fails."""

    def __repr__(self) -> str:
        return f"<{len(self)} rows>"


def random_rows(seed: int = 7, tables: int = 14) -> Rows:
    """A project of random assets: some deleted, some with nulls everywhere; and another project that must not show."""
    chance = random.Random(seed)
    rows = Rows()

    def maybe(values: Sequence[Any]) -> Any:
        return chance.choice([None, *values])

    def add(
        parts: tuple[str, ...], type: AssetType, parent: Row | None, columns: Sequence[str] = (), **more: Any
    ) -> Row:
        row = new_row(
            more.pop("scope", SCOPE),
            chance.choice([URI, "data:acme:shop:other"]),
            parts,
            type,
            parent_id=None if parent is None else parent["id"],
            actor=chance.choice(["ann", "Bob"]),
            now=chance.choice(MOMENTS),
            reason="made up",
            column_names=columns,
            values={
                "description": maybe(SENTENCES),
                "display_name": maybe(NAMES),
                "summary_text": maybe(SENTENCES),
                "business_definition": maybe(SENTENCES),
                "business_rules": maybe(SENTENCES),
                "owners": maybe([[], [{"name": "Ann Lee", "type": "user", "id": "u-1"}]]),
                "tags": maybe(
                    [
                        [],
                        [
                            {
                                "tag_id": "1",
                                "tag_fqn": "PII.Email",
                                "category_name": "PII",
                                "tag_name": "Email",
                                "tag_description": "",
                            }
                        ],
                    ]
                ),
                "is_pii_tagged": chance.random() < 0.3,
                "nullable": maybe([True, False]),
                "row_count": maybe([0, 5, -1, 10, 2**40]),
                "deleted_at": chance.choice([None, None, None, None, MOMENTS[3]]),
                **more,
            },
        )
        row["id"] = str(uuid.UUID(int=chance.getrandbits(128)))
        rows.append(row)
        return row

    database = add(("main", "db"), AssetType.DATABASE, None)
    schema = add(("main", "db", "public"), AssetType.DATABASE_SCHEMA, database)
    for number in range(tables):
        columns = chance.sample(NAMES, chance.randint(0, 6))
        name = f"{chance.choice(NAMES)}{number}"
        table = add(
            ("main", "db", "public", name), AssetType.TABLE, schema, columns, table_type=maybe(["TABLE", "View"])
        )
        for position, column in enumerate(columns):
            kind = {"data_type": maybe(["INTEGER", "VARCHAR"]), "ordinal_position": chance.choice([position, None])}
            add(("main", "db", "public", name, column), AssetType.COLUMN, table, **kind)
    add(("main", "db"), AssetType.DATABASE, None, scope=Scope("acme", "elsewhere"), description="orders late")
    return rows


def lowered(text: str) -> str:
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def says(texts: Sequence[str | None], words: list[str], prefix: bool) -> bool:
    """Return whether the words stand next to each other in one of the texts."""
    for text in texts:
        held = split_words(text or "")
        for start in range(len(held) - len(words) + 1):
            window = held[start : start + len(words)]
            last = window[-1].startswith(words[-1]) if prefix else window[-1] == words[-1]
            if window[:-1] == words[:-1] and last:
                return True
    return False


def whole_runs(text: str | None) -> list[str]:
    """The undivided spellings of camelCase words."""
    runs = "".join(letter if letter.isalnum() else " " for letter in text or "").split()
    return [run.casefold() for run in runs if len(split_words(run)) > 1]


def evaluator(rows: list[Row]) -> Callable[[Query, Row], bool]:
    """The meaning of a query, spelled out slowly."""
    columns: dict[str, list[Row]] = {}
    for row in rows:
        if row["type"] == "column" and row["deleted_at"] is None:
            columns.setdefault(row["parent_id"], []).append(row)
    names = {
        row["id"]: [r["name"] for r in rows if r["parent_id"] == row["id"] and r["type"] == "column"] for row in rows
    }

    def holds(query: Query, row: Row) -> bool:
        match query:
            case All(parts):
                return all(holds(part, row) for part in parts)
            case Some(parts):
                return any(holds(part, row) for part in parts)
            case Never(part):
                return not holds(part, row)
            case Dotted(text, prefix):
                above, _, last = lowered(text).rpartition(".")
                name, parent = lowered(row["name"]), "." + lowered(row["parent_fqn"] or "")
                return parent.endswith(f".{above}") and (name.startswith(last) if prefix else name == last)
        field = query.field
        if field is not None and field.startswith("columns."):
            inner = field.removeprefix("columns.")
            return any(holds(renamed(query, inner), column) for column in columns.get(row["id"], ()))
        value = None if field is None else row[field]
        match query:
            case Flag(_, wanted):
                return value is wanted
            case Exists():
                return value not in (None, "", [])
            case Between(_, low, high, with_low, with_high):
                if value is None:
                    return False
                above = low is None or value > low or (with_low and value == low)
                return above and (high is None or value < high or (with_high and value == high))
            case Text(text, prefix, _):
                return spoken(row, field, value, text, prefix)
        raise AssertionError(query)

    def spoken(row: Row, field: str | None, value: Any, text: str, prefix: bool) -> bool:
        if field is not None and FIELDS[field] is FieldKind.KEYWORD:
            held, looked = lowered(value or ""), lowered(text)
            return value is not None and (held.startswith(looked) if prefix else held == looked)
        words = split_words(text)
        if not words:
            return field is None
        if field is None:
            texts = [
                row[name] for name in ("name", "display_name", "description", "summary_text", "business_definition")
            ]
            texts += names[row["id"]]
            runs = [split_words(run) for text_ in texts for run in whole_runs(text_)]
            whole = len(words) == 1 and any(
                len(run) == 1 and (run[0].startswith(words[0]) if prefix else run[0] == words[0]) for run in runs
            )
            return whole or says(texts, words, prefix)
        if field == "owners":
            return says([owner[key] for owner in value or [] for key in ("name", "id")], words, prefix)
        if field == "tags":
            keys = ("tag_fqn", "tag_name", "category_name")
            return says([tag[key] for tag in value or [] for key in keys], words, prefix)
        return says([value], words, prefix)

    return holds


def renamed(query: Any, field: str) -> Any:
    values = {name: getattr(query, name) for name in query.__slots__}
    return type(query)(**{**values, "field": field})


def expected(rows: list[Row], query: Query, window: Window) -> tuple[list[str], int]:
    holds = evaluator(rows)
    deleted = names_field(query, "deleted_at")
    found = [
        row
        for row in rows
        if row["project_id"] == SCOPE.project_id and (deleted or row["deleted_at"] is None) and holds(query, row)
    ]
    found.sort(key=lambda row: row["id"], reverse=window.descending)
    present = [row for row in found if row[window.sort_by] is not None]
    present.sort(key=lambda row: row[window.sort_by], reverse=window.descending)
    ordered = present + [row for row in found if row[window.sort_by] is None]
    return [row["id"] for row in ordered[window.offset : window.offset + window.limit]], len(found)


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    return random_rows()


@pytest.fixture(scope="module")
def sqlite(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.Engine]:
    yield from filled(f"sqlite:///{tmp_path_factory.mktemp('search') / 'search.sqlite'}", rows)


@pytest.fixture(scope="module")
def postgres(rows: list[Row], postgres_server: Any) -> Iterator[sa.Engine]:
    url = postgres_server.create_database()
    yield from filled(url.replace("postgresql://", "postgresql+psycopg://", 1), rows)
    postgres_server.drop_database(url)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest) -> sa.Engine:
    found: sa.Engine = request.getfixturevalue("sqlite" if request.param == "sqlite" else "postgres")
    return found


def filled(url: str, rows: list[Row]) -> Iterator[sa.Engine]:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        create_catalog(connection)
        insert_rows(connection, rows)
    yield engine
    engine.dispose()


def search(engine: sa.Engine, query: Query, window: Window, **how: Any) -> tuple[list[str], int]:
    with engine.connect() as connection:
        page = search_assets(connection, SCOPE, query, window=window, **how)
    return [item.id for item in page.items], page.total


WORD = st.sampled_from(
    [
        "orders",
        "order",
        "ORDERS",
        "late",
        "cust",
        "customer",
        "customerid",
        "customer_id",
        "größe",
        "Ä",
        "100",
        "z",
        "日本",
        "ann",
        "lee",
        "pii",
        "email",
        "e-mail",
        "x",
        "%",
        "_",
        "a_b",
        "''",
        "drop table",
        "late order",
        "order late",
        "customer late",
        "public.orders3",
        "main.DB.public",
        "db.public.orders3",
        "orders3.zone",
        "x.y",
        "%.y",
    ]
)
QUOTED = WORD.map(lambda word: '"' + word + '"')
TEXTUAL = st.sampled_from(sorted(name for name, kind in FIELDS.items() if kind in ("keyword", "words")))
NUMBERS = st.sampled_from(["row_count", "ordinal_position", "column_count"])
NUMBER_BOUNDS = st.sampled_from(
    [":5", ":-1", ":>0", ":<=5", ":[-1 TO 10}", ":{0 TO *]", ":>1.5", ":<1099511627777", f":>{9**30}", f":<={9**30}"]
)
MOMENT_BOUNDS = st.sampled_from(
    [
        ":2026-01-01",
        ":>2026-01-01",
        ":<=2026-01-02",
        ":[2026-01-01T11:00:00Z TO 2026-01-02}",
        ":{* TO 2026-01-02T09:00:00Z}",
    ]
)
PREFIXES = st.sampled_from(["o*", "C*", "l*", "Ä*", "main*", "d*", "p*", "table", "column", "TABLE", "view"])
LEAF = st.one_of(
    QUOTED.filter(split_words),
    st.sampled_from(["public.orders3", "db.public.o*", "public.*", "DB.PUB*", "%.y", "main.db"]),
    WORD.filter(str.isalnum).map(lambda word: f"{word}*"),
    st.tuples(TEXTUAL, QUOTED).map(":".join),
    st.tuples(TEXTUAL, PREFIXES).map(":".join),
    st.sampled_from(sorted(FIELDS)).map(lambda name: f"_exists_:{name}"),
    st.tuples(NUMBERS, NUMBER_BOUNDS).map("".join),
    st.tuples(st.sampled_from(["created_at", "deleted_at"]), MOMENT_BOUNDS).map("".join),
    st.sampled_from(["is_pii_tagged:true", "nullable:false", "is_dq_tagged:true", "columns.is_pii_tagged:true"]),
)
QUERIES = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} AND {pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} OR {pair[1]})"),
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} {pair[1]})"),
        inner.map(lambda one: f"NOT {one}"),
    ),
    max_leaves=6,
)
WINDOWS = st.builds(
    Window,
    st.sampled_from(["name", "created_at", "ordinal_position"]),
    st.booleans(),
    st.integers(1, 60),
    st.integers(0, 5),
)
PATIENT = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@PATIENT
@given(q=QUERIES, window=WINDOWS)
def test_the_search_finds_what_a_slow_reading_of_every_asset_finds(store, rows, q, window):
    query = parse_query(q)
    assert search(store, query, window) == expected(rows, query, window)


NO_VALUE = {
    FieldKind.KEYWORD: '"nothing like it"',
    FieldKind.WORDS: '"nothing like it"',
    FieldKind.NUMBER: "77",
    FieldKind.MOMENT: "1999-01-01",
    FieldKind.FLAG: "false",
}


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_every_field_can_be_asked_for_and_its_absence_too(store, rows, name):
    value = NO_VALUE[FIELDS[name]]
    for q in (f"_exists_:{name}", f"NOT _exists_:{name}", f"{name}:{value}", f"NOT {name}:{value}"):
        query, window = parse_query(q), Window(limit=200)
        assert search(store, query, window) == expected(rows, query, window), q


@pytest.mark.parametrize(
    "q",
    [
        '"late order" late',
        '"order late" AND customer',
        '"customer late" AND order',
        'description:"order of" AND description:late*',
        'description:"of order" OR "of order"',
        "late* AND orde* AND NOT cust*",
        "customerid AND customer",
        "late OR columns.name:orders",
        "late AND (columns.name:o* OR name:orders* OR NOT columns.is_pii_tagged:true)",
        "NOT (columns.name:orders OR customer)",
    ],
)
def test_words_stand_next_to_each_other_in_a_phrase_also_beside_other_words(store, rows, q):
    query, window = parse_query(q), Window(limit=200)
    assert search(store, query, window) == expected(rows, query, window)


@PATIENT
@given(
    q=st.one_of(
        st.text(max_size=40),
        st.lists(
            st.one_of(WORD, st.sampled_from([*list("\"'():*%_\\-+|&<>;{}[]!."), "name:", " ", "AND ", "OR ", "NOT "])),
            max_size=12,
        ).map("".join),
    )
)
def test_any_string_is_refused_or_answered_alike_by_both_stores(sqlite, postgres, rows, q):
    try:
        query = parse_query(q)
    except SearchQueryInvalid:
        return
    window = Window(limit=200)
    assert search(sqlite, query, window) == search(postgres, query, window) == expected(rows, query, window)


@PATIENT
@given(
    q=QUERIES,
    window=WINDOWS,
    first=st.sampled_from([-1, 3, 40, asset_pages.FIRST_HITS]),
    most=st.sampled_from([-1, 7, asset_pages.MOST_HITS]),
    told=st.booleans(),
)
def test_every_way_to_a_page_finds_what_a_slow_reading_finds(store, rows, q, window, first, most, told):
    """Kept, gathered or by itself; also where nothing tells whether the catalog has changed."""
    query, hits = parse_query(q), asset_pages.Hits()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asset_pages, "FIRST_HITS", first)
        patch.setattr(asset_pages, "MOST_HITS", most)
        if not told:
            patch.setattr(asset_pages, "_now", lambda *_: "")
        wanted = expected(rows, query, window)
        for _ in range(2):
            assert search(store, query, window, hits=hits) == wanted
        following = replace(window, offset=window.offset + window.limit)
        assert search(store, query, following, hits=hits) == expected(rows, query, following)


def by_relevance(rows: list[Row], query: Query, phrases: Sequence[Sequence[str]]) -> list[str]:
    """The ids of all that a search finds, the best first, by a slow reading of the names."""

    def fit(row: Row) -> int:
        name, words = row["name"].lower() if row["name"].isascii() else row["name"], split_words(row["name"])
        best = 3
        for phrase in phrases:
            own, whole = [word for text in phrase for word in split_words(text)], " ".join(phrase).lower()
            if name == whole or words == own:
                best = 0
            elif name.startswith(whole) or " ".join(words).startswith(" ".join(own)):
                best = min(best, 1)
            elif all(text.lower() in name for text in phrase):
                best = min(best, 2)
        return best

    found = {row["id"]: row for row in rows}
    ids, _ = expected(rows, query, Window(limit=200))
    return sorted(ids, key=lambda id: (fit(found[id]), found[id]["type"] == "column", found[id]["name"], id))


@pytest.mark.parametrize(
    ("q", "phrases"),
    [
        ("orders", [("orders",)]),
        ("(ord*) OR tags:ord*", [("ord",)]),
        ("customer id", [("customer", "id")]),
        ("customer OR zone", [("customer",), ("zone",)]),
        ("late NOT orders", [("late",)]),
        ("main.db.public.o*", [("main.db.public.o",), ("o",)]),
        ("columns.name:orders", []),
    ],
)
@pytest.mark.parametrize("most", [-1, asset_pages.FIRST_HITS])
def test_what_is_called_so_stands_before_what_only_speaks_of_it(store, rows, q, phrases, most, monkeypatch):
    for name in ("FIRST_HITS", "MOST_HITS"):
        monkeypatch.setattr(asset_pages, name, most)
    query, hits = parse_query(q), asset_pages.Hits()
    assert sought(query) == tuple(phrases)
    window = Window(sort_by="relevance", limit=5, sought=sought(query))
    wanted = by_relevance(rows, query, phrases)
    for _ in range(2):
        assert search(store, query, window, hits=hits)[0] == wanted[:5]
    assert search(store, query, replace(window, offset=5, limit=200), hits=hits)[0] == wanted[5:]
    assert search(store, query, replace(window, descending=True), hits=hits)[1] == len(wanted)


def test_a_prefix_asks_for_direct_children_only(store, rows):
    query, window = parse_query(None), Window(limit=200)
    for parent in ("main", "main.db", "main.db.public", "main.db.publi", "main.db.pub%"):
        found, total = search(store, query, window, fqn_prefix=parent)
        children = [row for row in rows if row["parent_fqn"] == parent and row["deleted_at"] is None]
        assert sorted(found) == sorted(row["id"] for row in children if row["project_id"] == "shop")
        assert total == len(found)


def test_the_parent_resource_and_the_type_narrow_the_search(store, rows):
    query, window = parse_query(None), Window(limit=200)
    for uri in (URI, "data:acme:shop:other", "data:acme:shop:none"):
        found, _ = search(store, query, window, resource_uri=uri, asset_type=AssetType.COLUMN)
        assert set(found) == {
            row["id"]
            for row in rows
            if (row["resource_uri"], row["type"], row["deleted_at"], row["project_id"]) == (uri, "column", None, "shop")
        }


def test_pages_follow_each_other_without_gap_or_overlap(store):
    query = parse_query(None)
    for sort_by in ("name", "created_at", "ordinal_position"):
        for descending in (False, True):
            whole, total = search(store, query, Window(sort_by, descending, 200, 0))
            pages = [search(store, query, Window(sort_by, descending, 7, at))[0] for at in range(0, total, 7)]
            assert [id for page in pages for id in page] == whole
            assert len(whole) == total


def test_a_page_beyond_the_end_is_empty_and_still_counts(store):
    found, total = search(store, parse_query(None), Window(offset=10_000))
    assert found == []
    assert total > 0


def test_a_search_for_a_path_of_the_longest_query_stays_within_the_stores_limits(store):
    q = " OR ".join(["name:a*", "b", 'description:"c d"', "columns.name:e"] * 25)
    assert search(store, parse_query(q), Window())[1] >= 0
