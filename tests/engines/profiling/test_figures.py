"""The parts of profiling that are plain functions of values, against what is worked out in another way."""

import bisect
import math
import random
import re
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from resolvers.engines.masking import masked_column
from resolvers.engines.profiling import distribution
from resolvers.engines.profiling.basics import MOST_FIGURES, basics_query, parts
from resolvers.engines.profiling.columns import Extent, column_profile
from resolvers.engines.profiling.dependencies import coded, found_dependencies, found_keys
from resolvers.engines.profiling.references import match_query, words_of
from resolvers.engines.profiling.values import (
    LONGEST_VALUE,
    is_blank,
    moment_text,
    number_of,
    number_text,
    numbers_of,
    pattern_of,
    seconds_of,
    seconds_of_each,
    shape_of,
    shapes_of,
    text_of,
)
from schema.data_readiness.profile import ValueKind
from schema.data_readiness.source import ColumnFacts

numbers = st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1, max_size=200)


def column(kind: str, name: str = "c") -> ColumnFacts:
    return ColumnFacts(fqn=f"svc.db.s.t.{name}", name=name, ordinal_position=1, data_type=kind)


@given(numbers)
def test_a_histogram_holds_every_value_once_in_bins_that_touch(values: list[float]) -> None:
    ordered = distribution.ranked(distribution.counts_of(values), ValueKind.NUMBER)
    bins = distribution.histogram(ordered, ValueKind.NUMBER, len(values), len(values), whole=False)
    assert sum(one.count for one in bins) == len(values)
    assert len(bins) <= distribution.MOST_BINS
    assert all(one.upper == other.lower for one, other in pairwise(bins))
    assert float(bins[0].lower) == pytest.approx(min(values), rel=1e-9, abs=1e-30)
    assert float(bins[-1].upper) == pytest.approx(max(values), rel=1e-9, abs=1e-30)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=200))
def test_bins_of_whole_numbers_count_what_lies_between_their_bounds(values: list[int]) -> None:
    ordered = distribution.ranked(distribution.counts_of(values), ValueKind.NUMBER)
    bins = distribution.histogram(ordered, ValueKind.NUMBER, len(values), len(values), whole=True)
    for at, one in enumerate(bins):
        last = at == len(bins) - 1
        low, high = int(one.lower), int(one.upper)
        assert one.count == sum(1 for value in values if low <= value < high or (last and value == high))


@given(numbers)
def test_quantiles_are_the_values_at_their_rank(values: list[float]) -> None:
    ordered = distribution.ranked(distribution.counts_of(values), ValueKind.NUMBER)
    inorder = sorted(values)
    for one in distribution.quantiles(ordered):
        rank = math.ceil(Fraction(str(one.fraction)) * len(values))
        assert float(one.value) == inorder[max(1, rank) - 1]


@given(st.lists(st.integers(2**53, 2**53 + 9) | st.sampled_from([Decimal("0.1"), 0.1, 10**400, "NaN"]), max_size=60))
def test_quantiles_of_numbers_that_no_double_tells_apart_are_values_of_theirs(values: list[Any]) -> None:
    told = distribution.quantiles(distribution.ranked(distribution.counts_of(values), ValueKind.NUMBER))
    placed = sorted(where for value in values if (where := number_of(value)) is not None)
    assert len(told) == (len(distribution.FRACTIONS) if placed else 0)
    for one in told:
        rank = math.ceil(Fraction(str(one.fraction)) * len(placed))
        assert one.value in {text_of(value) for value in values}
        assert float(one.value) == placed[max(1, rank) - 1]


anything = st.one_of(
    st.floats(), st.integers(), st.booleans(), st.none(), st.decimals(), st.datetimes(), st.dates(), st.timedeltas(),
    st.datetimes(timezones=st.just(UTC)), st.text("aé{9\x00", max_size=70), st.sampled_from(["12", "2024-02-29"]),
)  # fmt: skip


@given(
    st.lists(anything), st.lists(st.datetimes() | st.datetimes(timezones=st.just(UTC))), st.lists(st.text("a{1\x00"))
)
def test_many_values_are_placed_and_shaped_as_each_by_itself(
    values: list[Any], moments: list[Any], texts: list[str]
) -> None:
    assert list(numbers_of(values)) == [number_of(value) for value in values]
    for some in (values, moments):
        assert list(seconds_of_each(some)) == [seconds_of(value) for value in some]
    for written in (texts, list(map(str, values))):
        assert shapes_of(written) == [shape_of(text) for text in written]


@given(st.lists(st.one_of(st.none(), st.integers(0, 5), st.sampled_from([1.5, float("nan")])), max_size=100))
def test_counts_are_those_of_a_plain_loop(values: list[Any]) -> None:
    plain: dict[str, int] = {}
    for value in values:
        if value is not None:
            plain[str(value)] = plain.get(str(value), 0) + 1
    assert {text_of(value).lower(): count for value, count in distribution.counts_of(values).items()} == plain


@given(st.lists(st.text("ab1-{} é", max_size=6), min_size=1, max_size=50))
def test_texts_of_one_pattern_have_one_shape(texts: list[str]) -> None:
    def shape(text: str) -> tuple[str, ...]:
        return tuple("A" if sign.isalpha() else "9" if sign.isdigit() else sign for sign in text)

    shapes = {text: shape(text) for text in texts}
    patterns = {text: pattern_of(text) for text in texts}
    for one in texts:
        for other in texts:
            assert (shapes[one] == shapes[other]) == (patterns[one] == patterns[other])
    counts = Counter(map(shape, texts))
    told = distribution.patterns(Counter(texts), len(texts))
    assert [one.count for one in told] == [count for _, count in counts.most_common(distribution.MOST_PATTERNS)]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("", ""),
        ("AB-1234", "A{2}-9{4}"),
        ("a.b@c.de", "A.A@A.A{2}"),
        ("x", "A"),
        ("{12}", "{{9{2}}}"),
        ("ĀÄ 7", "A{2} 9"),
        ("  \n", " {2}\n"),
        ("9" * 70, "9{64}…"),
    ],
)
def test_patterns_are_spelled_so(text: str, pattern: str) -> None:
    assert pattern_of(text) == pattern


@given(st.text(max_size=300))
def test_whatever_text_there_is_can_be_kept(text: str) -> None:
    shown = text_of(text + "\x00\ud800")
    assert "\x00" not in shown
    assert len(shown) <= LONGEST_VALUE
    shown.encode()
    assert is_blank(text) == (re.fullmatch(r"[ \t\n\r\f\v]*", text) is not None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (1.0, "1"),
        (1.5, "1.5"),
        (1e300, "1e+300"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (Decimal("12.50"), "12.5"),
        (Decimal("1E+3"), "1000"),
        (Decimal("1E+400"), "1E+400"),
        (Decimal("NaN"), "NaN"),
        (True, "true"),
        (date(2024, 2, 29), "2024-02-29"),
        (datetime(2024, 2, 29, 1, 2, 3, tzinfo=UTC), "2024-02-29T01:02:03+00:00"),
        (time(1, 2), "01:02:00"),
        (timedelta(hours=30), "30:00:00"),
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
    ],
)
def test_values_are_written_so(value: Any, text: str) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    "value",
    [date(1, 1, 1), date(9999, 12, 31), datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), time(23, 59, 59), timedelta(3)],
)
def test_a_moment_comes_back_from_its_seconds(value: Any) -> None:
    seconds = seconds_of(value)
    assert seconds is not None
    assert moment_text(seconds, value) == text_of(value)


@pytest.mark.parametrize("text", ["0044-03-15 BC", "infinity", "0000-00-00", "294276-01-01", "", "soon"])
def test_what_is_no_moment_has_no_place(text: str) -> None:
    assert seconds_of(text) is None


@given(st.integers(1, 60), st.integers(1, 40))
def test_the_estimate_of_distinct_values_lies_between_the_sample_and_the_whole(distinct: int, times: int) -> None:
    counts = Counter({value: times for value in range(distinct)})
    rows = distinct * times * 10
    assert distinct <= distribution.estimated_distinct(counts, rows) <= rows
    assert distribution.estimated_distinct(counts, distinct * times) == distinct


def test_what_is_unique_in_a_sample_is_taken_for_unique() -> None:
    assert distribution.estimated_distinct(Counter(range(100)), 10_000) == 10_000
    repeated = Counter({value: 50 for value in range(20)})
    assert distribution.estimated_distinct(repeated, 1_000_000) == 20


@given(st.lists(st.one_of(st.none(), st.integers(0, 30)), min_size=1, max_size=120))
def test_a_column_of_a_whole_sample_is_told_exactly(values: list[int | None]) -> None:
    there = [value for value in values if value is not None]
    told = column_profile(column("INTEGER"), None, values, Extent(len(values), len(values), is_whole=True))
    assert told.approximate == []
    assert told.null_count == len(values) - len(there)
    assert told.distinct_count == len(set(there))
    if there:
        assert (told.minimum, told.maximum) == (str(min(there)), str(max(there)))
        assert told.mean == pytest.approx(sum(there) / len(there))
        common = sorted(Counter(there).items(), key=lambda one: (-one[1], str(one[0])))
        few = len(set(there)) <= distribution.MOST_VALUES
        kept = [(str(value), count) for value, count in common if few or count > 1][: distribution.MOST_VALUES]
        assert [(one.value, one.count) for one in told.top_values] == kept


def test_a_sample_marks_what_it_guesses() -> None:
    told = column_profile(column("TEXT"), None, ["a", "b", None, " "], Extent(400, 4, is_whole=False))
    assert (told.row_count, told.null_count, told.blank_count, told.sample_size) == (400, 100, 100, 4)
    assert {"null_count", "blank_count", "minimum", "distinct_count", "top_values"} <= set(told.approximate)


def test_a_masked_column_keeps_its_counts_alone() -> None:
    told = column_profile(column("TEXT"), None, ["secret", "x"], Extent(2, 2, is_whole=True))
    hidden = masked_column(told, frozenset({told.column_fqn}))
    assert "secret" not in hidden.model_dump_json()
    assert (hidden.masked, hidden.distinct_count, hidden.max_length) == (True, 2, 6)
    assert masked_column(told, frozenset({"svc.db.s.t.other"})) is told
    assert masked_column(told, None).masked


def table(rows: list[tuple[Any, ...]], names: str) -> list[Any]:
    return [coded(name, [row[at] for row in rows], is_key_like=True) for at, name in enumerate(names.split())]


def test_keys_are_the_smallest_sets_that_are_unique() -> None:
    rows = [(i // 10, i % 10, i % 3, "same") for i in range(100)]
    assert found_keys(table(rows, "a b c d"), 100, []) == [(["a", "b"], 1.0)]
    assert found_keys(table(rows, "a b c d"), 100, [("a", "b")]) == []
    unique = [(i, i % 10) for i in range(100)]
    assert found_keys(table(unique, "id b"), 100, []) == [(["id"], 1.0)]
    nearly = [(i if i < 98 else 0, i % 7) for i in range(100)]
    assert found_keys(table(nearly, "id b"), 100, []) == [(["id"], 0.97)]
    assert found_keys(table(unique[:5], "id b"), 5, []) == []


def test_rows_that_meet_their_like_in_a_small_sample_are_many_in_the_table() -> None:
    # Two pairs among 1,000 of 100,000 rows: of all pairs a sample of one in a hundred holds one in ten thousand.
    repeating = table([(at if at < 998 else at - 998, at) for at in range(1000)], "code id")
    assert found_keys(repeating, 1000, []) == [(["id"], 1.0), (["code"], 0.996)]
    assert found_keys(repeating, 1000, [], of=100_000) == [(["id"], 1.0)]
    [_, (names, share)] = found_keys(repeating, 1000, [], of=5_000)
    assert (names, share) == (["code"], pytest.approx(0.98))


def test_dependencies_are_those_that_rows_could_have_broken() -> None:
    towns = ["Ulm", "Bonn", "Jena", "Hof", "Kiel"]
    rows = [(i, 1000 + i % 5, towns[i % 5], i % 2, "x") for i in range(200)]
    rows[7] = (7, 1002, "Jenna", 1, "x")
    found = {
        (*one.determinant, one.dependent): one.holds
        for one in found_dependencies(table(rows, "id zip town odd one"), 200, is_exact=True)
    }
    assert found[("zip", "town")] == pytest.approx(199 / 200)
    assert found[("town", "zip")] == 1.0
    assert not any(key[0] == "id" or "one" in key for key in found)
    assert ("zip", "odd") not in found


@pytest.mark.parametrize("nulls", [0, 7])
@pytest.mark.parametrize("broken", [0, 100, 149, 151, 600])
def test_dependencies_of_values_that_hardly_repeat_hold_as_often_as_rows_keep_to_them(broken: int, nulls: int) -> None:
    rows = [(at // 3, None if nulls and at % nulls == 0 else f"of {at // 3}") for at in range(3_000)]
    for at in range(broken):  # in each of so many groups one row
        rows[at * 3 % 3_000 + at // 1_000] = (at % 1_000, f"odd {at}")
    random.Random(5).shuffle(rows)
    groups: dict[Any, Counter[Any]] = {}
    for group, value in rows:
        groups.setdefault(group, Counter())[value] += value is not None
    holds = sum(max(counts.values()) for counts in groups.values()) / sum(map(Counter.total, groups.values()))
    found = {one.dependent: one for one in found_dependencies(table(rows, "group value"), len(rows), is_exact=True)}
    assert ("value" in found) == (holds >= 0.95)
    if "value" in found:
        assert found["value"].holds == pytest.approx(holds)


def test_pairs_settle_what_neither_does_alone() -> None:
    rows = [(i % 4, i // 4 % 5, (i % 4) * 7 + (i // 4 % 5) * 3 % 5) for i in range(400)]
    found = [(one.determinant, one.dependent) for one in found_dependencies(table(rows, "a b sum"), 400, is_exact=True)]
    assert (["a", "b"], "sum") in found
    assert (["a"], "sum") not in found


def test_names_are_compared_by_their_words() -> None:
    assert words_of("OrderItems") == words_of("order_item") == ("order", "item")
    assert words_of("CustomerID") == ("customer", "id")
    assert words_of("categories") == ("category",)
    assert words_of("address") == ("address",)


DIALECTS = ("postgres", "mysql", "duckdb", "oracle", "snowflake", "bigquery", "databricks", "hive", "redshift")
KINDS = ("INTEGER", "NUMERIC", "DOUBLE", "VARCHAR", "UUID", "DATE", "TIMESTAMPTZ", "TIME", "BOOLEAN", "JSON")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_basics_are_one_statement_of_every_dialect(dialect: str) -> None:
    columns = [column(kind, f'c "{at}"') for at, kind in enumerate(KINDS)]
    [asked] = parts(columns, dialect)
    statement = basics_query(exp.table_("t", db="s", quoted=True), asked, dialect).sql(dialect=dialect, identify=True)
    parsed = sqlglot.parse_one(statement, dialect=dialect)
    assert isinstance(parsed, exp.Select)
    assert len(parsed.expressions) == 1 + sum(len(figures) for _, figures in asked)
    for figure in (exp.Count, exp.Min, exp.Max, exp.Avg, (exp.StddevSamp, exp.Stddev)):
        assert parsed.find(*figure) if isinstance(figure, tuple) else parsed.find(figure)
    assert not list(parsed.find_all(exp.Distinct))
    length = {"mysql": "CHAR_LENGTH"}.get(dialect, "LENGTH")
    assert f"{length}(" in statement
    assert ("DOUBLE PRECISION" in statement) == (dialect in ("postgres", "redshift", "oracle"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_matches_are_one_statement_of_every_dialect(dialect: str) -> None:
    child, parent = exp.table_("c", quoted=True), exp.table_("p", quoted=True)
    statement = match_query(child, ["a", "b"], parent, ["x", "y"]).sql(dialect=dialect, identify=True)
    parsed = sqlglot.parse_one(statement, dialect=dialect)
    assert {one.name for one in parsed.find_all(exp.Table)} == {"c", "p"}
    assert [join.side for join in parsed.find_all(exp.Join)] == ["LEFT"]


def test_a_wide_table_takes_several_statements() -> None:
    columns = [column("VARCHAR", f"c{at}") for at in range(1600)]
    groups = list(parts(columns, "mysql"))
    assert sum(len(group) for group in groups) == 1600
    assert all(sum(len(figures) for _, figures in group) <= MOST_FIGURES for group in groups)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_can_be_told_apart_by_their_text(value: float) -> None:
    assert float(number_text(value)) == value


@given(numbers)
def test_bins_count_as_a_search_does(values: list[float]) -> None:
    ordered = distribution.ranked(distribution.counts_of(values), ValueKind.NUMBER)
    bounds = distribution.edges(min(values), max(values), whole=False)
    expected = [0] * (len(bounds) - 1)
    for value in values:
        expected[min(len(expected) - 1, max(0, bisect.bisect_right(bounds, value) - 1))] += 1
    assert distribution.bin_counts(ordered, bounds) == expected


@pytest.mark.parametrize(
    "numbers", [[1e308, -1e308, 1.7e308], [1e-300, 3e-300, -2e-300], [1.0, 2.0, 4.0], [5e-324, 0.0]]
)
def test_averages_and_deviations_hold_where_sums_and_squares_do_not(numbers: list[float]) -> None:
    exact = [Fraction(number) for number in numbers]
    middle = sum(exact) / len(exact)
    assert distribution.mean_of(numbers) == pytest.approx(float(middle), rel=1e-12, abs=0)
    unit = Fraction(max(map(abs, exact)))
    variance = sum(((one - middle) / unit) ** 2 for one in exact) / (len(exact) - 1)
    assert distribution.stddev_of(numbers) == pytest.approx(math.sqrt(variance) * float(unit), rel=1e-9, abs=0)


def test_a_deviation_beyond_every_number_is_none() -> None:
    assert distribution.stddev_of([1.79e308, -1.79e308]) is None
    assert distribution.mean_of([]) is None


def test_one_value_far_off_leaves_the_others_their_bins() -> None:
    ordered = distribution.ranked(distribution.counts_of([*range(100), 1_000_000]), ValueKind.NUMBER)
    found = distribution.histogram(ordered, ValueKind.NUMBER, 101, 101, whole=True)
    assert len(found) <= distribution.MOST_BINS
    assert (found[-1].upper, found[-1].count) == ("1000000", 1)
    assert sum(1 for one in found if one.count) > 5
    assert sum(one.count for one in found) == 101
