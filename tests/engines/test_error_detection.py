"""The detector of wrong cells: what it finds, what it leaves alone, and that nothing it is given breaks it."""

import random
from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.quality.tables import MAKERS, people
from resolvers.engines.error_detection.days import day_of
from resolvers.engines.error_detection.dependencies import find_dependencies
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Sign, Suspect
from resolvers.engines.error_detection.missing import is_stand_in
from resolvers.engines.error_detection.shapes import loose, strict
from resolvers.engines.error_detection.table import encode, number_of, text_of


def found(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[tuple[int, str], Suspect]:
    return {(one.row, one.column): one for one in find_errors(columns, rows)}


def towns(rows: int = 200) -> list[list[Any]]:
    """Towns, each with its code; the figure of a row depends on nothing."""
    chance = random.Random(5)
    known = [("Karlow", "4711"), ("Brenthal", "4822"), ("Ostrava", "4933"), ("Mindelau", "4044"), ("Quirl", "4155")]
    return [[*known[at % 5], chance.randint(100, 200)] for at in range(rows)]


COLUMNS = ("town", "code", "figure")


def one(column: int, value: Any, at: int = 17) -> tuple[dict[tuple[int, str], Suspect], Suspect | None]:
    """Put one value into a clean table: all suspects, and that of the cell."""
    rows = towns()
    rows[at][column] = value
    suspects = found(COLUMNS, rows)
    return suspects, suspects.get((at, COLUMNS[column]))


def test_a_clean_table_has_no_suspects() -> None:
    assert found(COLUMNS, towns()) == {}


@pytest.mark.parametrize(
    ("column", "value", "sign", "repair"),
    [
        (0, "Ostrxva", Sign.DEPENDENCY, "Ostrava"),  # row 17 is of Ostrava, 4933
        (0, "Karlow", Sign.DEPENDENCY, "Ostrava"),
        (0, "OSTRAVA", Sign.WRITING, "Ostrava"),
        (0, "Ostrava ", Sign.WRITING, "Ostrava"),
        (0, None, Sign.MISSING, "Ostrava"),
        (0, "N/A", Sign.STAND_IN, "Ostrava"),
        (1, "4711", Sign.DEPENDENCY, "4933"),
        (1, "49-33", Sign.PATTERN, "4933"),
        (2, 91_000, Sign.OUTLIER, None),
        (2, -150, Sign.OUTLIER, None),
        (2, "150 m", Sign.PATTERN, None),
        (2, 9999, Sign.STAND_IN, None),
    ],
)
def test_a_wrong_cell_is_found_for_its_reason(column: int, value: Any, sign: Sign, repair: str | None) -> None:
    _, suspect = one(column, value)
    assert suspect is not None
    assert sign in {reason.sign for reason in suspect.reasons}
    assert suspect.repair == repair
    assert 0.5 <= suspect.score <= 1
    assert suspect.value == (None if value is None else str(value))


def test_a_wrong_key_is_blamed_and_not_what_depends_on_it() -> None:
    chance = random.Random(3)
    places = [(f"id{at}", f"Name {chr(65 + at)}lpha", f"Street {at} West", f"Land {at % 3}") for at in range(9)]
    rows = [list(places[at % 9]) for at in range(270)]
    chance.shuffle(rows)
    at = next(number for number, row in enumerate(rows) if row[0] == "id4")
    rows[at][0] = "id7"
    assert set(found(("id", "name", "street", "land"), rows)) == {(at, "id")}


def test_a_rare_value_that_fills_its_own_group_is_left_alone() -> None:
    rows = [["Karlow", "4711"] for _ in range(150)] + [["Brenthal", "4822"] for _ in range(150)]
    rows += [["Karlov", "9100"] for _ in range(6)]
    assert found(("town", "code"), rows) == {}


def test_codes_that_differ_by_a_digit_are_no_misspellings() -> None:
    rows = [[f"unit-{at % 12}"] for at in range(240)] + [["unit-77"], ["unit-78"]]
    assert found(("unit",), rows) == {}


def test_columns_without_a_dependency_make_none() -> None:
    chance = random.Random(11)
    rows = [[chance.choice("abcdef"), chance.choice("uvwxyz"), chance.randint(1, 5)] for _ in range(600)]
    assert find_dependencies(encode("abc", rows)) == []


def test_columns_of_keys_or_of_one_value_make_no_dependency() -> None:
    rows = [[at, "same", at * 7] for at in range(300)]
    assert find_dependencies(encode("abc", rows)) == []


def test_a_unit_beside_numbers_is_found_though_a_good_part_of_the_rows_have_one() -> None:
    chance = random.Random(8)
    rows = [[f"{chance.choice([8, 12, 16])}.0"] for _ in range(300)]
    wrong = set(range(0, 300, 4)) | set(range(1, 300, 4))
    for row in wrong:
        rows[row][0] += chance.choice([" oz", " oz.", " ounce"])
    assert {row for row, _ in found(("size",), rows)} == wrong


def test_days_in_another_order_are_found() -> None:
    days = [date.fromordinal(730_000 + 37 * at) for at in range(200)]
    rows = [[f"{day.month}/{day.day}/{day:%y}" if at % 5 == 0 else day.isoformat()] for at, day in enumerate(days)]
    assert {row for row, _ in found(("day",), rows)} == set(range(0, 200, 5))


def test_numbers_that_are_something_else_beside_others_are_left_alone() -> None:
    rows = [[str(100 + at)] if at % 2 else [f"room {700 + at} west"] for at in range(200)]
    assert found(("place",), rows) == {}


def test_a_long_tail_is_no_outlier() -> None:
    chance = random.Random(2)
    rows = [[round(chance.lognormvariate(3, 1.2), 2)] for _ in range(2000)]
    assert len(found(("sum",), rows)) <= 4


def test_an_impossible_day_and_a_day_far_off_are_found() -> None:
    rows: list[list[Any]] = [[f"2024-{1 + at % 12:02d}-{1 + at % 28:02d}"] for at in range(200)]
    rows[10], rows[20], rows[30] = ["2024-02-31"], ["2924-01-05"], ["9999-12-31"]
    assert {row for row, _ in found(("day",), rows)} == {10, 20, 30}


def test_an_end_before_its_beginning_is_found_on_either_side() -> None:
    chance = random.Random(4)
    rows: list[list[Any]] = []
    for _ in range(300):
        begin = chance.randint(1, 300)
        rows.append([date.fromordinal(738000 + begin), date.fromordinal(738000 + begin + chance.randint(0, 30))])
    rows[40] = [date.fromordinal(738280), date.fromordinal(738020)]
    reasons = find_errors(("begins", "ends"), rows, least=0.2)
    assert {(one.row, one.column) for one in reasons} >= {(40, "begins"), (40, "ends")}
    assert {one.row for one in reasons} == {40}


def test_what_half_of_a_column_lacks_is_no_error() -> None:
    chance = random.Random(6)
    rows = [[chance.randint(1, 9), chance.choice([None, "unknown", "x1", "y2"])] for _ in range(400)]
    assert found(("a", "b"), rows) == {}


def test_the_same_table_is_judged_the_same_again() -> None:
    made = people(500)
    assert find_errors(made.columns, made.dirty) == find_errors(made.columns, made.dirty)


def test_only_the_worst_are_named_beyond_a_bound() -> None:
    made = people(500)
    every = find_errors(made.columns, made.dirty)
    few = find_errors(made.columns, made.dirty, most=5)
    assert len(every) > 5 == len(few)
    assert min(one.score for one in few) >= sorted(one.score for one in every)[-5]
    assert [(one.row) for one in few] == sorted(one.row for one in few)


@pytest.mark.parametrize("rows", [[], [[]], [[None, None]], [["", " "]], [["a"]]])
def test_tables_of_nothing_have_no_suspects(rows: list[list[Any]]) -> None:
    assert find_errors(("a", "b"), rows) == []


def test_a_table_without_columns_has_no_suspects() -> None:
    assert find_errors((), [(), ()]) == []


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(["1", "-1", "N/A", "\ufffd", "Ã©", "x" * 1000, "2024-13-45", "1e400", "١٢", "\x00"]),
    st.dates(),
    st.datetimes(),
    st.decimals(),
    st.binary(max_size=4),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(VALUES, min_size=3, max_size=3), max_size=12), st.integers(min_value=1, max_value=30))
def test_no_value_breaks_it(rows: list[list[Any]], times: int) -> None:
    table = rows * times
    for suspect in find_errors(("a", "b", "c"), table):
        assert 0 <= suspect.row < len(table)
        assert suspect.column in ("a", "b", "c")
        assert 0.5 <= suspect.score <= 1
        assert suspect.reasons
        assert suspect.repair is None or suspect.repair != suspect.value


@pytest.mark.parametrize("make", MAKERS)
def test_in_made_tables_most_errors_are_found_and_little_else(make: Any) -> None:
    made = make()
    places = {name: at for at, name in enumerate(made.columns)}
    suspects = {(one.row, places[one.column]) for one in find_errors(made.columns, made.dirty)}
    right = len(suspects & made.errors)
    assert right / len(suspects) >= 0.9
    assert right / len(made.errors) >= 0.85


@pytest.mark.parametrize("make", MAKERS)
def test_in_made_tables_without_errors_hardly_a_cell_is_suspected(make: Any) -> None:
    made = make()
    cells = len(made.clean) * len(made.columns)
    assert len(find_errors(made.columns, made.clean)) <= 0.001 * cells


def test_scores_are_as_good_as_they_say() -> None:
    """Of the cells with a score of s or more at least about s are wrong, taken over all made tables."""
    judged: list[tuple[float, bool]] = []
    for make in MAKERS:
        made = make(600)
        places = {name: at for at, name in enumerate(made.columns)}
        judged += [
            (one.score, (one.row, places[one.column]) in made.errors)
            for one in find_errors(made.columns, made.dirty, least=0.3)
        ]
    for least in (0.5, 0.7, 0.9):
        some = [right for score, right in judged if score >= least]
        assert sum(some) / len(some) >= least


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("  ", ""),
        (" a", " a"),
        (True, "true"),
        (3, "3"),
        (2.50, "2.5"),
        (float("nan"), ""),
        (Decimal("NaN"), ""),
        (Decimal("1.10"), "1.10"),
        (date(2024, 2, 1), "2024-02-01"),
        (datetime(2024, 2, 1, 3, tzinfo=UTC), "2024-02-01T03:00:00+00:00"),
        (b"x", None),
        ([1], None),
    ],
)
def test_values_as_text(value: Any, text: str | None) -> None:
    assert text_of(value) == text


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("1", 1.0), ("-2.5", -2.5), ("1,234", 1234.0), ("1e3", 1000.0)),
        *(("12,34", None), ("1e999", None), ("x", None), ("", None), ("٣", None)),
    ],
)
def test_numbers_that_texts_spell(text: str, number: float | None) -> None:
    assert number_of(text) == number


def test_forms_of_texts() -> None:
    assert loose("Main St 12-345") == "a a 9-9"
    assert strict("Main St 12-345") == "a a 99-999"
    assert day_of("2024-02-30") is None
    assert day_of("2024-02-29T10:00") == date(2024, 2, 29).toordinal()
    assert is_stand_in(" Unknown ")
    assert not is_stand_in("Nancy")
