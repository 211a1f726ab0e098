"""Words without a model, over several domains and styles of naming: what is said, and what is left unsaid."""

from typing import Any

import pytest

from resolvers.engines.describing.columns import column_offers
from resolvers.engines.describing.containers import Container, container_offers
from resolvers.engines.describing.known import DescribedTable, Surroundings, Term
from resolvers.engines.describing.tables import table_offers
from resolvers.engines.describing.terms import column_matches, definition_offer, glossary_of, table_matches
from resolvers.engines.english.grammar import article, listed, plural, plural_phrase, singular
from resolvers.engines.english.identifiers import abbreviations_in, shared_prefix, table_name, title_of, words_of
from schema.data_readiness.profile import ColumnProfile, PatternCount, ProfileTier, TableProfile, ValueCount, ValueKind
from schema.data_readiness.source import ColumnFacts, TableFacts
from tests.world import Clock

SCHEMA = "svc.db.app"


def subject(
    name: str, *columns: str, profile: TableProfile | None = None, around: Surroundings | None = None, **facts: Any
) -> DescribedTable:
    """A table of `column:TYPE[:flag...]`; flags are pk, unique, pii and >table.column."""
    made = [column_of(name, at, text) for at, text in enumerate(columns)]
    table = TableFacts(
        fqn=f"{SCHEMA}.{name}", resource_uri="data:o:p:svc", database="db", schema="app", name=name,
        columns=tuple(made), **facts,
    )  # fmt: skip
    return DescribedTable(table, profile, around or Surroundings())


def column_of(table: str, at: int, text: str) -> ColumnFacts:
    """A column of such a text."""
    name, kind, *flags = text.split(":")
    to = next((flag[1:].split(".") for flag in flags if flag.startswith(">")), None)
    return ColumnFacts(
        fqn=f"{SCHEMA}.{table}.{name}", name=name, ordinal_position=at, data_type=kind, nullable=True,
        is_primary_key="pk" in flags, is_unique="unique" in flags, is_pii_tagged="pii" in flags,
        references=(f"{SCHEMA}.{to[0]}", to[1]) if to else None,
    )  # fmt: skip


def figures(name: str, rows: int = 100, **given: Any) -> ColumnProfile:
    """The profile of a column of texts, all different."""
    values: dict[str, Any] = {
        "column_fqn": name, "name": name, "ordinal_position": 0, "data_type": "VARCHAR", "kind": ValueKind.TEXT,
        "row_count": rows, "null_count": 0, "blank_count": 0, "distinct_count": rows, "minimum": None,
        "maximum": None, "mean": None, "stddev": None, "quantiles": [], "histogram": [], "top_values": [],
        "min_length": None, "max_length": None, "mean_length": None, "patterns": [], "approximate": [],
        "sample_size": None,
    }  # fmt: skip
    return ColumnProfile.model_validate(values | given)


def profile(*columns: ColumnProfile, rows: int = 100, **given: Any) -> TableProfile:
    """The profile of a table."""
    values: dict[str, Any] = {
        "id": "p1", "workflow_run_id": "r1", "asset_fqn": SCHEMA, "resource_uri": "data:o:p:svc",
        "tier": ProfileTier.FULL, "measured_at": Clock()(), "row_count": rows, "column_count": len(columns),
        "sample_size": None, "approximate": [], "freshness_column": None, "newest": None, "candidate_keys": [],
        "functional_dependencies": [], "foreign_keys": [], "duration_seconds": 0.1, "columns": list(columns),
    }  # fmt: skip
    return TableProfile.model_validate(values | given)


def said(of: DescribedTable, column: str | None = None, field: str = "description", **how: Any) -> str | None:
    """Return what is offered for a field of a table or of one of its columns."""
    if column is None:
        offers = table_offers(of, **how)
    else:
        [facts] = [one for one in of.facts.columns if one.name == column]
        offers = column_offers(of, facts, **how)
    return next((offer.value for offer in offers if offer.field == field), None)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("cust_nbr", "Customer Number"), ("CUST_ADDR_LN_2", "Customer Address LN 2"), ("orderDate", "Order Date"),
        ("OrderID", "Order ID"), ("customerid", "Customer ID"), ("HTTPStatus", "HTTP Status"), ("isbn13", "ISBN 13"),
        ("tot_amt_usd", "Total Amount USD"), ("date_of_birth", "Date of Birth"), ("dob", "Date of Birth"),
        ("FName", "First Name"), ("qty", "Quantity"), ("StoreIDs", "Store IDs"), ("is_actv", "Is Active"),
        ("valid", "Valid"), ("paid", "Paid"), ("SKU", "SKU"), ("grid", "Grid"), ("Ünïcode_Näme", "Ünïcode Näme"),
        ("productcategoryname", "Product Category Name"), ("x", "X"), ("md5_sum", "MD5 Sum"),
        ("created_at", "Created At"),
        ("acct no", "Account Number"), ("__weird--name__", "Weird Name"),
    ],
)  # fmt: skip
def test_names_are_split_and_written_out(name: str, title: str) -> None:
    assert title_of(words_of(name).words) == title


@pytest.mark.parametrize(
    ("name", "beside", "phrase"),
    [
        ("dep_tm", {"flight"}, "departure time"), ("dep_nm", {"employee"}, "department name"),
        ("dep_x", set(), "dep x"), ("temp_c", {"sensor"}, "temperature c"), ("temp_tbl", {"orders"}, "temp TBL"),
        ("inv_dt", {"paid", "total"}, "invoice date"), ("inv_qty", {"warehouse"}, "inventory quantity"),
        ("pt_id", {"diagnosis"}, "patient ID"), ("reorder_pt", {"qty"}, "reorder PT"),
    ],
)  # fmt: skip
def test_what_has_several_meanings_is_told_by_what_stands_beside_it(name: str, beside: set[str], phrase: str) -> None:
    assert words_of(name, context=beside).phrase == phrase


@pytest.mark.parametrize(
    ("name", "noun", "role"),
    [
        ("orders", "order", ""), ("tbl_cust_mstr", "customer", ""), ("dim_product", "product", "dimension"),
        ("order_details", "order detail", ""), ("OrderLines", "order line", ""), ("people", "person", ""),
        ("stg_addresses", "address", "staging"), ("user_log", "user", "log"), ("customers_2024", "customer", ""),
        ("statuses", "status", ""), ("categories", "category", ""), ("sales", "sales", ""), ("t1", None, ""),
        ("x", None, ""), ("series", "series", ""), ("boxes", "box", ""), ("addresses_bak", "address", "backup"),
    ],
)  # fmt: skip
def test_the_name_of_a_table_tells_what_a_row_is(name: str, noun: str | None, role: str) -> None:
    found = table_name(name)
    assert (found.noun, found.role) == (noun, role)


def test_the_prefix_that_a_schema_shares_is_left_out() -> None:
    names = ["olist_orders", "olist_customers", "olist_sellers", "olist_order_items", "geo"]
    assert shared_prefix(names) == "olist"
    assert table_name("olist_order_items", "olist").noun == "order item"
    assert shared_prefix(["order_a", "item_b", "cust_c", "x_d"]) is None
    assert shared_prefix(["dim_a", "dim_b", "dim_c", "dim_d"]) is None, "it says what sort of table they are"
    assert shared_prefix([]) is None


@pytest.mark.parametrize(
    ("one", "many"),
    [("order", "orders"), ("category", "categories"), ("box", "boxes"), ("person", "people"), ("key", "keys"),
     ("address", "addresses"), ("status", "statuses"), ("child", "children"), ("invoice", "invoices"),
     ("analysis", "analyses"), ("branch", "branches"), ("day", "days")],
)  # fmt: skip
def test_singular_and_plural(one: str, many: str) -> None:
    assert (plural(one), singular(many), singular(one)) == (many, one, one)


def test_little_grammar() -> None:
    assert [article(word) for word in ("order", "hour", "user", "ISBN", "URL", "unit", "email")] == [
        "an", "an", "a", "an", "a", "a", "an"
    ]  # fmt: skip
    assert plural_phrase("number of errors") == "number of errors"
    assert (listed([]), listed(["a"]), listed(["a", "b"]), listed(list("abcd"), 2)) == (
        "",
        "a",
        "a and b",
        "a, b and 2 more",
    )


def test_a_text_explains_abbreviations() -> None:
    assert abbreviations_in("PLU = price look up; the general ledger (GL), not the wrong thing (XY).") == {
        "plu": "price look up", "gl": "general ledger",
    }  # fmt: skip
    assert abbreviations_in("nothing here: really") == {}


TABLES: list[tuple[DescribedTable, str | None]] = [
    (
        subject("hosp_adm", "adm_id:BIGINT:pk", "pat_id:BIGINT:>patients.id", "ward_cd:VARCHAR", "adm_dt:TIMESTAMP"),
        "Each row is a hospital admission, identified by `adm_id`. It refers to a patient (`pat_id`). It records ward "
        "code and admission date.",
    ),
    (
        subject("FLIGHT_LEG", "FLT_NBR:VARCHAR:pk", "LEG_SEQ_NBR:INTEGER:pk", "DIST_KM:NUMERIC", "PAX_CNT:INTEGER"),
        "Each row is a flight leg, identified by `FLT_NBR` and `LEG_SEQ_NBR`. It records distance km and passengers "
        "count.",
    ),
    (
        subject("PlaylistTrack", "PlaylistId:INTEGER:pk:>Playlist.PlaylistId", "TrackId:INTEGER:pk:>Track.TrackId"),
        "Each row links a playlist to a track, identified by `PlaylistId` and `TrackId`.",
    ),
    (
        subject("inventory", "sku:VARCHAR:pk", "qty:INTEGER"),
        "Each row is an inventory record, identified by `sku`.",
    ),
    (
        subject("kunden", "kundennr:INTEGER:pk", "ort:VARCHAR"),
        "Rows are identified by `kundennr`.",
    ),
    # Words written as one, a doing, a sentence and a code name nothing that a row could be.
    (subject("awardssharemanagers", "award_id:TEXT:pk"), "Rows are identified by `award_id`."),
    (subject("fielding", "player_id:TEXT:pk"), "Rows are identified by `player_id`."),
    (subject("plays_on", "match_no:TEXT:pk"), "Rows are identified by `match_no`."),
    (subject("race_1", "car_no:TEXT:pk"), "Rows are identified by `car_no`."),
    (subject("orders", "note:TEXT"), None),
    (subject("t1", "a:INTEGER", "b:INTEGER"), None),
    (subject("t", "_:TEXT", "😀:TEXT", "city:TEXT", "note:TEXT"), "It records city and note."),
    (
        subject("v_totals", "total:NUMERIC", table_type="VIEW",
                definition="create view v_totals as with x as (select 1) select * from app.orders o join x on true"),
        "Each row is a total. A view of `orders`.",
    ),
    (
        subject("v_odd", "total:NUMERIC", "day:DATE", table_type="VIEW", definition="create view ((((( nonsense"),
        "Each row is an odd. It records total and day.",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("of", "expected"), TABLES, ids=[one.facts.name for one, _ in TABLES])
def test_what_a_table_is(of: DescribedTable, expected: str | None) -> None:
    assert said(of) == expected


COLUMNS: list[tuple[DescribedTable, str, str | None]] = [
    (subject("orders", "id:BIGINT:pk"), "id", "Identifies the order."),
    (subject("legs", "a_nbr:TEXT:pk", "b_nbr:TEXT:pk"), "a_nbr", "Identifies the leg, together with `b_nbr`."),
    (subject("users", "email:TEXT:unique"), "email", "Unique: no two users share it."),
    (subject("orders", "cust_id:INT:>customers.id"), "cust_id", "Refers to the customer (`customers.id`)."),
    (
        subject("orders", "ship_via:INT:>shippers.id"), "ship_via",
        "Refers to the shipper that is meant by “ship via” (`shippers.id`).",
    ),
    (
        subject("emps", "mgr_id:INT:>emps.id"), "mgr_id",
        "Refers to another employee of the same table, as “manager” (`emps.id`).",
    ),
    (subject("orders", "shipped_at:TIMESTAMP"), "shipped_at", "When the order was shipped."),
    (subject("orders", "created_by:TEXT"), "created_by", "Who created the order."),
    (subject("users", "is_active:BOOLEAN"), "is_active", "Whether the user is active."),
    (subject("products", "discontinued:BOOLEAN"), "discontinued", "Whether the product is discontinued."),
    (subject("products", "discontinued:NUMERIC"), "discontinued", None),
    (
        subject("student_courses", "student_id:INT:pk:>students.id", "course_id:INT:pk:>courses.id"), "student_id",
        "Identifies the link, together with `course_id`. Refers to the student (`students.id`).",
    ),
    (subject("users", "has_car:BOOLEAN"), "has_car", "Whether the user has a car."),
    (subject("orders", "item_count:INTEGER"), "item_count", "How many items the order has."),
    (subject("orders", "nbr_of_errors:INTEGER"), "nbr_of_errors", "How many errors the order has."),
    (subject("orders", "net_amt_eur:NUMERIC"), "net_amt_eur", "Net amount of the order, in euros."),
    (subject("tracks", "len_ms:INTEGER"), "len_ms", "Length of the track, in milliseconds."),
    (subject("stays", "los_days:INTEGER"), "los_days", "Counted in days."),
    (subject("prices", "valid_from:DATE"), "valid_from", "From when the price is valid."),
    (subject("orders", "ord_stat:TEXT"), "ord_stat", "Status of the order."),
    (subject("orders", "freight:NUMERIC"), "freight", None),
    (subject("orders", "zzqx:NUMERIC"), "zzqx", None),
    (subject("t1", "a:NUMERIC"), "a", None),
]  # fmt: skip


@pytest.mark.parametrize(("of", "column", "expected"), COLUMNS, ids=[f"{a.facts.name}.{b}" for a, b, _ in COLUMNS])
def test_what_a_column_is(of: DescribedTable, column: str, expected: str | None) -> None:
    assert said(of, column) == expected


def top(**counts: int) -> list[ValueCount]:
    """The most frequent values."""
    return [ValueCount(value=value, count=count) for value, count in counts.items()]


FIGURES: list[tuple[ColumnProfile, str | None]] = [
    (figures("state", distinct_count=2, top_values=top(open=60, shut=40), null_count=10),
     "One of `open` or `shut`. It is missing in about 10 % of the rows."),
    (
        figures("state", distinct_count=2, top_values=top(open=60, shut=40), approximate=["top_values", "null_count"]),
        "Values seen are `open` and `shut`.",
    ),
    (figures("state", distinct_count=2, row_count=6, top_values=top(open=3, shut=3)), None),
    (figures("state", distinct_count=1, top_values=top(open=100)), "It held `open` in every row when it was measured."),
    (figures("state", null_count=100, distinct_count=0), "It was empty in every row when it was measured."),
    (figures("state", null_count=25, distinct_count=40), "It is missing in about 25 % of the rows."),
    (figures("state", 10_000, null_count=3, distinct_count=40), "It is missing in fewer than 1 % of the rows."),
    (figures("state", distinct_count=40), None),
    (figures("state", distinct_count=1, null_count=30, top_values=top(open=70)),
     "It held `open` wherever it was filled when it was measured. It is missing in about 30 % of the rows."),
    (figures("status", kind=ValueKind.NUMBER, distinct_count=3, top_values=top(**{"10": 40, "9": 40, "100": 20})),
     "One of `9`, `10` or `100`."),
    (figures("size", kind=ValueKind.NUMBER, distinct_count=2, minimum="0", maximum="1"), "Either 0 or 1."),
    (figures("state"), "No value occurs twice."),
    (figures("state", approximate=["distinct_count", "null_count"]), None),
    (
        figures("size", kind=ValueKind.NUMBER, distinct_count=70, minimum="0.5", maximum="12", null_count=1),
        "Values run from 0.5 to 12. It is missing in about 1 % of the rows.",
    ),
    (
        figures("day", kind=ValueKind.TEMPORAL, distinct_count=70, minimum="2020-01-02T00:00:00", maximum="2021-03-04"),
        "Values run from 2020-01-02 to 2021-03-04.",
    ),
    (
        figures("tag", distinct_count=90, patterns=[PatternCount(pattern="AA-9999", count=100)]),
        "Values look like `AA-9999` (A a letter, 9 a digit).",
    ),
    (figures("state", distinct_count=2, top_values=top(**{"a@b.example": 60, "c@d.example": 40}), null_count=1),
     "It is missing in about 1 % of the rows."),
    (figures("state", distinct_count=2, top_values=top(**{"0151 23456789": 60, "x": 40}), null_count=1),
     "It is missing in about 1 % of the rows."),
    (figures("state", 0, distinct_count=0), None),
]  # fmt: skip


@pytest.mark.parametrize(("of", "expected"), FIGURES, ids=range(len(FIGURES)))
def test_what_figures_say(of: ColumnProfile, expected: str | None) -> None:
    table = subject("things", f"{of.name}:{of.data_type}", profile=profile(of))
    lead = f"{of.name.capitalize()} of the thing. "
    found = said(table, of.name)
    assert (None if found is None else found.removeprefix(lead)) == expected


PRIVATE = "Mara Lindqvist"


@pytest.mark.parametrize(
    ("column", "around"),
    [
        ("code:TEXT:pii", Surroundings()),
        ("email:TEXT", Surroundings()),
        ("first_name:TEXT", Surroundings()),
        ("code:TEXT", Surroundings(private=frozenset({f"{SCHEMA}.things.code"}))),
        ("code:TEXT:>people.who", Surroundings(private=frozenset({f"{SCHEMA}.people.who"}))),
    ],
    ids=["tagged", "named", "named too", "suggested", "referring"],
)
@pytest.mark.parametrize(
    "given",
    [
        {"distinct_count": 1, "top_values": [ValueCount(value=PRIVATE, count=100)], "minimum": PRIVATE},
        {"distinct_count": 2, "top_values": [ValueCount(value=PRIVATE, count=60), ValueCount(value="B", count=40)]},
        {"kind": ValueKind.NUMBER, "minimum": PRIVATE, "maximum": PRIVATE + "x"},
        {"kind": ValueKind.TEMPORAL, "minimum": PRIVATE, "maximum": PRIVATE + "x"},
        {"patterns": [PatternCount(pattern=f"{PRIVATE} 9", count=100)], "distinct_count": 50},
    ],
    ids=["constant", "set", "numbers", "moments", "shape"],
)
def test_no_value_of_a_private_column_is_ever_said(column: str, around: Surroundings, given: dict[str, Any]) -> None:
    name = column.split(":")[0]
    one = figures(name, **({"null_count": 30} | given))
    measured = profile(one, rows=100, freshness_column=name, newest=PRIVATE)
    of = subject("things", "id:INT:pk", column, profile=measured, around=around)
    [facts] = [column for column in of.facts.columns if column.name == name]
    offers = [*table_offers(of), *column_offers(of, facts)]
    assert offers
    assert PRIVATE not in str(offers)
    assert "30 %" in str(offers) or given.get("distinct_count") == 1


def test_masked_figures_are_private() -> None:
    one = figures("state", distinct_count=2, top_values=top(open=60, shut=40), masked=True)
    assert "open" not in str(said(subject("things", "state:TEXT", profile=profile(one)), "state"))


def test_a_table_without_rows_is_told_and_one_with_moments_has_a_span() -> None:
    empty = subject("orders", "id:INT:pk", profile=profile(rows=0))
    assert str(said(empty)).endswith("It held no rows when it was measured.")
    span = figures("placed_at", kind=ValueKind.TEMPORAL, minimum="2019-05-01", maximum="2021-02-03")
    of = subject("orders", "id:INT:pk", "placed_at:TIMESTAMP", profile=profile(span, freshness_column="placed_at"))
    assert str(said(of)).endswith("By placed at, it covers 2019-05 to 2021-02.")


def test_a_comment_is_kept_when_a_description_is_extended() -> None:
    of = subject("orders", "id:INT:pk")
    assert said(of, extend="What was sold") == "What was sold. Each row is an order, identified by `id`."
    assert said(of, "id", extend="Our number.") == "Our number. Identifies the order."
    assert said(subject("orders", "note:TEXT"), "note", extend="Free text.") is None, "nothing to add"


def test_what_is_said_of_the_column_that_one_refers_to_is_said_again() -> None:
    around = Surroundings(comments={f"{SCHEMA}.customers.no": "As printed on the card"})
    of = subject("orders", "cust_no:INT:>customers.no", around=around)
    [offer] = [one for one in column_offers(of, of.facts.columns[0]) if one.field == "description"]
    assert offer.value == "As printed on the card. Refers to the customer (`customers.no`)."
    assert (offer.evidence["neighbour"], offer.confidence) == (f"{SCHEMA}.customers.no", 0.7)


def test_every_offer_says_where_it_comes_from_and_how_sure_it_is() -> None:
    one = figures("state", distinct_count=2, top_values=top(open=60, shut=40))
    of = subject("cust_ords", "id:INT:pk", "state:TEXT", "amt:NUMERIC", profile=profile(one))
    offers = [*table_offers(of), *(offer for column in of.facts.columns for offer in column_offers(of, column))]
    assert len(offers) > 4
    for offer in offers:
        assert 0 < offer.confidence <= 1
        assert offer.evidence["engine"] == "words/1"
        told = offer.evidence.get("statements")
        assert told is None or " ".join(line["says"] for line in told) == offer.value
        assert told is not None or offer.evidence["from"]


def test_a_schema_is_told_by_its_tables_and_nothing_is_said_of_an_empty_one() -> None:
    one = Container("schema", "shop_prod", ["orders", "items", "customers", "v_top"], 1, {"orders": 3, "customers": 2})
    found = {offer.field: offer.value for offer in container_offers(one, industry="Tea and\ncoffee")}
    assert found == {
        "description": "3 tables and 1 view about orders, customers, items and tops. The most referred to, with the "
        "number of tables that refer to them: `orders` (3) and `customers` (2). The data is about: Tea and coffee.",
    }
    assert container_offers(Container("schema", "public", []), industry="Tea") == []


def term(
    name: str, *synonyms: str, definition: str | None = "What it is.", approved: bool = True, **given: Any
) -> Term:
    """A word of the glossary."""
    return Term(name, name, (name, *synonyms), definition, approved, **given)


@pytest.mark.parametrize(
    ("column", "terms", "expected"),
    [
        ("cust_nbr:TEXT", [term("Customer number")], ["Customer number"]),
        ("customerNumbers:TEXT", [term("Customer Number")], ["Customer Number"]),
        ("kdnr:TEXT", [term("Customer number", "KdNr")], ["Customer number"]),
        ("status:TEXT", [term("Order status"), term("Status")], ["Order status", "Status"]),
        ("billing_customer_number:TEXT", [term("Customer number")], ["Customer number"]),
        ("number_of_customers:TEXT", [term("Customer"), term("Number")], []),
        ("note:TEXT", [term("Notebook"), term("Not")], []),
        ("status:TEXT", [term("Status", approved=False)], ["Status"]),
    ],
)
def test_terms_are_found_by_name_and_never_by_chance(column: str, terms: list[Term], expected: list[str]) -> None:
    of = subject("orders", column)
    found = column_matches(of, of.facts.columns[0], glossary_of(terms, {}))
    assert [match.term.name for match in found] == expected


def test_a_definition_is_taken_from_a_sure_match_alone() -> None:
    of = subject("orders", "status:TEXT")
    sure = table_matches(of, glossary_of([term("Order")], {}))
    offer = definition_offer(sure)
    assert offer is not None
    assert (offer.value, offer.evidence["term"], offer.confidence) == ("What it is.", "Order", 0.95)
    loose = column_matches(of, of.facts.columns[0], glossary_of([term("Status")], {}))
    assert definition_offer(loose) is None
    assert definition_offer(table_matches(of, glossary_of([term("Order", definition=None)], {}))) is None
    about = Term(None, "Rush", ("Rush",), "Only rush orders.", True, asset_fqn=of.facts.fqn)
    [match] = table_matches(of, glossary_of([about], {}))
    assert match.how == "about this asset"


def test_a_row_is_identified_by_what_is_called_so_before_what_only_happens_to_differ() -> None:
    names = ("Address", "CustomerId", "Email", "OldCustomerId")
    keys = [{"columns": [name], "uniqueness": 1.0, "is_declared": False, "is_exact": True} for name in names]
    measured = profile(*map(figures, names), candidate_keys=keys)
    of = subject("customer", *(f"{name}:VARCHAR" for name in names), profile=measured)
    assert (said(of) or "").startswith("Each row is a customer, identified by `CustomerId`.")
    alone = profile(*map(figures, names), candidate_keys=keys[:1])
    of = subject("customer", *(f"{name}:VARCHAR" for name in names), profile=alone)
    assert "identified by `Address`" in (said(of) or "")
