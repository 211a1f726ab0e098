"""The language of q: what it means, what it refuses, and that no string escapes the two."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolvers.engines.query_string import MAX_DEPTH, MAX_LENGTH, MAX_TERMS, parse_query
from schema.errors import SearchQueryInvalid
from schema.utils.search_query import (
    EVERYTHING,
    FIELDS,
    All,
    Between,
    Dotted,
    Exists,
    Flag,
    Never,
    Some,
    Text,
    names_field,
    split_words,
    stored_words,
)


def at(year: int, month: int, day: int, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("q", "meaning"),
    [
        (None, EVERYTHING),
        ("", EVERYTHING),
        ("  \t ", EVERYTHING),
        ("*", EVERYTHING),
        ("orders", Text("orders")),
        ("cust*", Text("cust", prefix=True)),
        ('"late orders"', Text("late orders")),
        ("late orders", All((Text("late"), Text("orders")))),
        ("a AND b OR c", Some((All((Text("a"), Text("b"))), Text("c")))),
        ("a OR b c", All((Some((Text("a"), Text("b"))), Text("c")))),
        ("NOT a", Never(Text("a"))),
        ("+a -b", All((Text("a"), Never(Text("b"))))),
        ("(a OR b) AND NOT c", All((Some((Text("a"), Text("b"))), Never(Text("c"))))),
        ("name:orders", Text("orders", field="name")),
        ("name:ord*", Text("ord", prefix=True, field="name")),
        ('name:"two words"', Text("two words", field="name")),
        ("fqn:svc.db.public.orders", Text("svc.db.public.orders", field="fully_qualified_name")),
        ("columns.name:email", Text("email", field="columns.name")),
        ("name:(a OR b)", Some((Text("a", field="name"), Text("b", field="name")))),
        ("name:*", Exists("name")),
        ("_exists_:owners", Exists("owners")),
        ("_exists_:columns.description", Exists("columns.description")),
        ("is_pii_tagged:TRUE", Flag("is_pii_tagged", True)),
        ("row_count:7", Between("row_count", 7, 7)),
        ("row_count:-7", Between("row_count", -7, -7)),
        ("row_count:1.5", Between("row_count", 2, 1)),
        ("row_count:1.0", Between("row_count", 1, 1)),
        ("row_count:>1.5", Between("row_count", 2, None, True, True)),
        ('row_count:<"-1.5"', Between("row_count", None, -2, True, True)),
        ("row_count:[10 TO 100]", Between("row_count", 10, 100)),
        ("row_count:{-5 TO *]", Between("row_count", -5, None, False, True)),
        ("row_count:>=5", Between("row_count", 5, None, True, True)),
        ("row_count:<5", Between("row_count", None, 5, True, False)),
        ("created_at:2026-01-31", Between("created_at", at(2026, 1, 31), at(2026, 2, 1), True, False)),
        ("created_at:>2026-01-31", Between("created_at", at(2026, 2, 1), None, True, True)),
        ("created_at:>=2026-01-31", Between("created_at", at(2026, 1, 31), None, True, True)),
        ("created_at:<=2026-01-31", Between("created_at", None, at(2026, 2, 1), True, False)),
        ("created_at:<2026-01-31", Between("created_at", None, at(2026, 1, 31), True, False)),
        ("created_at:2026-01-31T08:00:00Z", Between("created_at", at(2026, 1, 31, 8), at(2026, 1, 31, 8))),
        ('created_at:"2026-01-31T08:00:00+02:00"', Between("created_at", at(2026, 1, 31, 6), at(2026, 1, 31, 6))),
        ("a && b", All((Text("a"), Text("b")))),
        ("a&&b", All((Text("a"), Text("b")))),
        ("a || b", Some((Text("a"), Text("b")))),
        ("a && b || c", Some((All((Text("a"), Text("b"))), Text("c")))),
        ("!a", Never(Text("a"))),
        ("! a", Never(Text("a"))),
        ("!!a", Never(Never(Text("a")))),
        ("a !name:b", All((Text("a"), Never(Text("b", field="name"))))),
        ("a && !(b || c)", All((Text("a"), Never(Some((Text("b"), Text("c"))))))),
        ("name:!a", Never(Text("a", field="name"))),
        ('!"late orders"', Never(Text("late orders"))),
        (r"\!a", Text("!a")),
        ("wow! a", All((Text("wow!"), Text("a")))),
        ('"a && !b"', Text("a && !b")),
        (r"\"a && b", All((Text('"a'), Text("b")))),
        ("a & b -c", All((Text("a"), Text("b"), Never(Text("c"))))),
        ("a & b", All((Text("a"), Text("b")))),
        ("(… a) , b", All((Text("a"), Text("b")))),
        ("shop.orders", Some((Text("shop.orders"), Dotted("shop.orders")))),
        ('"shop.orders"', Some((Text("shop.orders"), Dotted("shop.orders")))),
        ("shop.pub*", Some((Text("shop.pub", prefix=True), Dotted("shop.pub", prefix=True)))),
        ("shop.*", Some((Text("shop.", prefix=True), Dotted("shop.", prefix=True)))),
        ("late.", Text("late.")),
        ("description:a.b", Text("a.b", field="description")),
        (r"a\:b", Text("a:b")),
        (r"a\*", Text("a*")),
        (r'"say \"hi\""', Text('say "hi"')),
    ],
)
def test_a_query_means_what_it_says(q, meaning):
    assert parse_query(q) == meaning


@pytest.mark.parametrize(
    ("q", "position", "part"),
    [
        ("AND", 0, "position 0"),
        ("a AND", 5, "too early"),
        ("(a", 2, "too early"),
        ("a]", 1, "position 1"),
        ("name:", 5, "too early"),
        ('say "x', 4, "never closed"),
        ("nope:1", 0, "no field"),
        ("a AND nope:1", 6, "no field"),
        ("name:a:b", 5, "inside the field name"),
        ("_exists_:nope", 9, "no field"),
        ("_exists_:(a b)", 9, "one field"),
        ("a~2", 0, "Fuzzy"),
        ('"a b"~2', 0, "Proximity"),
        ("a^2", 0, "Boost"),
        ("/re/", 0, "Regular"),
        ("a*b", 0, "wildcard"),
        ("c?t", 0, "wildcard"),
        ("*end", 0, "wildcard"),
        ("[1 TO 2]", 0, "number or date field"),
        ("name:>5", 5, "number or date field"),
        ("row_count:many", 10, "is a number"),
        ("row_count:[1 TO many]", 10, "is a number"),
        ("is_pii_tagged:maybe", 14, "true or false"),
        ("created_at:yesterday", 11, "is a moment"),
        ("created_at:2026-02-30", 11, "is a moment"),
        ("created_at:9999-12-31", 11, "is a moment"),
        ("!!!", 3, "too early"),
        ("a &&", 4, "too early"),
        ("a && && b", 5, "position 5"),
        ("&&", 0, "position 0"),
        ("|| a", 0, "position 0"),
        ("a || nope:1", 5, "no field"),
        ("a&&!nope:1", 4, "no field"),
        ("@@@", 0, "no letter or digit"),
        ("… (… …)", 0, "no letter or digit"),
        ('""', 0, "no letter or digit"),
        ("a OR …", 5, "no letter or digit"),
        ("a NOT …", 6, "no letter or digit"),
        ("a (b || …)", 8, "no letter or digit"),
        ("…*", 0, "no letter or digit"),
        ("a\x00b", 1, "character"),
        ("a\ud800", 1, "character"),
    ],
)
def test_a_malformed_query_is_refused_with_its_position(q, position, part):
    with pytest.raises(SearchQueryInvalid) as refused:
        parse_query(q)
    assert (refused.value.status, refused.value.details["position"]) == (400, position)
    assert part in refused.value.message


def test_an_unknown_field_is_answered_with_the_allowed_ones():
    with pytest.raises(SearchQueryInvalid) as refused:
        parse_query("colour:blue")
    assert refused.value.details["allowed"] == list(FIELDS)


def test_length_depth_and_terms_are_capped():
    for q in ("a" * (MAX_LENGTH + 1), "(" * (MAX_DEPTH + 1) + "a" + ")" * (MAX_DEPTH + 1), "a " * (MAX_TERMS + 1)):
        with pytest.raises(SearchQueryInvalid):
            parse_query(q)
    assert parse_query("a" * MAX_LENGTH) == Text("a" * MAX_LENGTH)
    assert parse_query("(" * 19 + "a" + ")" * 19) == Text("a")
    assert len(parse_query("a " * MAX_TERMS).parts) == MAX_TERMS


def test_a_query_knows_whether_it_speaks_of_a_field():
    query = parse_query("a AND (b OR NOT _exists_:deleted_at)")
    assert names_field(query, "deleted_at")
    assert not names_field(query, "name")


SIGNS = [*'()[]{}:*?~^/\\+->" !.&|…', "<=", "&&", "||"]
NAMES = ["AND", "OR", "NOT", "TO", "name", "row_count", "created_at", "_exists_", "is_pii_tagged", "columns.name"]
SYNTAX = st.sampled_from([*SIGNS, *NAMES, "2026-01-31", "5", "orders", "ß"])


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60), st.lists(SYNTAX, max_size=25).map("".join), st.lists(SYNTAX, max_size=25).map(" ".join)
    )
)
def test_any_string_is_parsed_or_refused(q):
    refused = None
    try:
        parse_query(q)
    except SearchQueryInvalid as error:
        refused = error
    assert refused is None or 0 <= refused.details["position"] <= len(q)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("customer_orders.2024", ["customer", "orders", "2024"]),
        ("customerOrders", ["customer", "orders"]),
        ("HTTPServerID", ["http", "server", "id"]),
        ("e-mail@host", ["e", "mail", "host"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("size", ["sizze"]),
        ("é", ["z0000e9"]),
        ("…", []),
    ],
)
def test_text_is_split_into_plain_words(text, words):
    assert split_words(text) == words


@given(st.text(alphabet="aAbZz09_ -.'\t\x1f\x85é", max_size=12))
def test_ordinary_text_is_split_as_any_other(text):
    """Ordinary text takes a shorter way, which text of more than 200 letters never does."""
    behind = "x" * 200
    assert split_words(f"{behind} {text}") == [behind, *split_words(text)]
    assert stored_words([f"{behind} {text}"], []).split() == [behind, *stored_words([text], []).split()]


@given(
    st.text(alphabet=st.characters(codec="utf-8", categories=["Ll", "Lo", "Nd"]), min_size=1, max_size=8),
    st.integers(0, 8),
)
def test_the_beginning_of_a_word_is_spelled_as_the_beginning_of_its_spelling(word, length):
    whole, start = split_words(word), split_words(word[:length])
    if len(whole) == len(start) == 1:
        assert whole[0].startswith(start[0])


def test_stored_words_keep_texts_apart_and_mark_those_of_single_fields():
    assert stored_words(["customerId", None, "late order"], [("description", "Late order"), ("owners", None)]) == (
        " customer id | late order | d_late d_order | customerid "
    )
    assert stored_words([], []) == " "


@pytest.mark.parametrize("q", ["0^.", "a~.", "name:x^..", "(a^. OR b)"])
def test_a_boost_that_is_no_number_is_refused_too(q: str) -> None:
    with pytest.raises(SearchQueryInvalid) as refused:
        parse_query(q)
    assert q[refused.value.details["position"]] in "^~"
