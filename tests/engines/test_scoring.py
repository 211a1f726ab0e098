"""Scores are exact: a table of cases, and what holds for all figures."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.engines.scoring import Ratio, overall, score, total, written, written_weight

counts = st.integers(0, 10**12).flatmap(lambda most: st.builds(Ratio, st.integers(0, most), st.just(most)))
weights = st.decimals(0, 1000, places=4)
weighed = st.lists(st.tuples(weights, counts), max_size=12)


@pytest.mark.parametrize(
    ("numerator", "denominator", "expected"),
    [
        (17, 20, "0.8500"),
        (0, 0, None),
        (0, 5, "0.0000"),
        (5, 5, "1.0000"),
        (1, 3, "0.3333"),
        (2, 3, "0.6667"),
        (1, 20_000, "0.0000"),  # 0.00005: half to even goes down
        (3, 20_000, "0.0002"),  # 0.00015: half to even goes up
        (5, 20_000, "0.0002"),  # 0.00025: down again
        (19_999, 20_000, "0.9999"),  # 0.99995 would go up, but is not whole
        (307_391, 307_406, "0.9999"),
        (10**30 - 1, 10**30, "0.9999"),
        (19_997, 20_000, "0.9998"),  # 0.99985: half to even goes down
        (10**30 // 2 + 1, 10**30, "0.5000"),
        (85_005 * 10**20, 10**25, "0.8500"),
        (850_050_000_000_000_000_000_000_000_000_001, 10**33, "0.8501"),  # one part in 10^33 above a half
    ],
)
def test_a_score_is_the_ratio_rounded_half_to_even(numerator: int, denominator: int, expected: str | None) -> None:
    assert score(Ratio(numerator, denominator)) == expected


@pytest.mark.parametrize(
    ("dimensions", "expected"),
    [
        ([], None),
        ([("1", (0, 0))], None),
        ([("0", (1, 2))], None),
        ([("1", (1, 2))], "0.5000"),
        ([("1", (1, 2)), ("1", (0, 0))], "0.5000"),  # what was not measured counts for nothing
        ([("1", (1, 2)), ("1", (0, 7))], "0.2500"),
        ([("3", (1, 1)), ("1", (0, 1))], "0.7500"),
        ([("0.1", (1, 1)), ("0.2", (0, 1))], "0.3333"),
        ([("1", (1, 1)), ("0", (0, 1))], "1.0000"),
        ([("1", (1, 3)), ("1", (1, 3)), ("1", (1, 3))], "0.3333"),
        ([("1", (1, 10_000)), ("1", (0, 1))], "0.0000"),  # 0.00005, of exact parts
    ],
)
def test_the_overall_score_is_the_weighted_mean_of_what_was_measured(
    dimensions: list[tuple[str, tuple[int, int]]], expected: str | None
) -> None:
    assert overall((Decimal(weight), Ratio(*counted)) for weight, counted in dimensions) == expected


def test_the_sum_of_nothing_is_nothing_of_nothing() -> None:
    assert total([]) == Ratio(0, 0)
    assert total([Ratio(1, 2), Ratio(3, 4)]) == Ratio(4, 6)


@pytest.mark.parametrize(("numerator", "denominator"), [(2, 1), (-1, 1), (0, -1)])
def test_what_cannot_be_counted_is_refused(numerator: int, denominator: int) -> None:
    with pytest.raises(ValueError, match="numerator"):
        Ratio(numerator, denominator)


def test_a_negative_weight_is_refused() -> None:
    with pytest.raises(ValueError, match="weight"):
        overall([(Decimal("-0.1"), Ratio(1, 1))])


@pytest.mark.parametrize(
    ("weight", "text"),
    [("1", "1.0000"), ("0", "0.0000"), ("1.5", "1.5000"), ("0.123456789", "0.123456789"), ("1E+3", "1000.0000"),
     ("2.50000", "2.5000"), ("1E-7", "0.0000001")],
)  # fmt: skip
def test_a_weight_is_written_exactly_with_four_places_at_least(weight: str, text: str) -> None:
    assert written_weight(Decimal(weight)) == text


@given(counts)
def test_a_score_lies_within_half_a_unit_of_the_ratio_and_between_0_and_1(counted: Ratio) -> None:
    text = score(counted)
    if counted.denominator == 0:
        assert text is None
        return
    assert text is not None
    assert len(text) == 6
    exact = Fraction(counted.numerator, counted.denominator)
    assert abs(Fraction(text) - exact) <= Fraction(1, 20_000) or (text == "0.9999" and Fraction(text) < exact < 1)
    assert 0 <= Decimal(text) <= 1
    assert (text == "1.0000") == (exact == 1)


@given(st.fractions(0, 1))
def test_rounding_agrees_with_decimal_arithmetic_of_many_digits(value: Fraction) -> None:
    text = written(value)
    assert text is not None
    below = value.numerator * 10_000 // value.denominator
    rest = value * 10_000 - below
    even = below + (1 if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2) else 0)
    assert Decimal(text) == Decimal(even if value == 1 else min(even, 9_999)).scaleb(-4)


@given(weighed.flatmap(lambda items: st.tuples(st.just(items), st.permutations(items))))
def test_the_order_of_the_dimensions_changes_nothing(
    both: tuple[list[tuple[Decimal, Ratio]], list[tuple[Decimal, Ratio]]],
) -> None:
    assert overall(both[0]) == overall(both[1])


@given(weighed, st.decimals("0.0001", 1000, places=4))
def test_a_factor_common_to_all_weights_changes_nothing(items: list[tuple[Decimal, Ratio]], factor: Decimal) -> None:
    assert overall(items) == overall((weight * factor, counted) for weight, counted in items)


@given(weighed)
def test_what_was_not_measured_changes_nothing(items: list[tuple[Decimal, Ratio]]) -> None:
    assert overall(items) == overall([*items, (Decimal(7), Ratio(0, 0))])


@given(st.lists(counts, max_size=8), st.integers(0, 8))
def test_sums_do_not_depend_on_how_the_parts_are_grouped(parts: list[Ratio], cut: int) -> None:
    assert total(parts) == total([total(parts[:cut]), total(parts[cut:])])
