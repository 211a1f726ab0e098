"""Where a row is found again in a table without a key."""

from datetime import date, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from resolvers.engines.checks.row_places import LONGEST, MOST_COLUMNS, RowPlaces
from schema.data_readiness.source import Sample

COLUMNS = ("day", "line", "delay", "note")


def sample(rows: list[tuple[Any, ...]], columns: tuple[str, ...] = COLUMNS) -> Sample:
    """All rows of a table."""
    return Sample(columns, tuple(rows), True)


def trains() -> list[tuple[Any, ...]]:
    begin = date(2024, 1, 1)
    return [(begin + timedelta(days=at // 9), f"L{at % 9}", at % 4 / 8, "on time") for at in range(180)]


def test_one_set_of_columns_serves_for_all_rows() -> None:
    places = RowPlaces(sample(trains()), frozenset())
    assert {places.of(row) for row in range(180)} == {("day", "line")}


def test_a_row_that_this_does_not_tell_apart_has_a_set_of_its_own() -> None:
    rows = [*trains(), (None, "L0", 7.5, "special"), (None, None, None, None)]
    places = RowPlaces(sample(rows), frozenset())
    assert places.of(5) == ("day", "line")
    assert places.of(180) == ("delay",)
    assert places.of(181) == ()  # nobody can ask for nothing


def test_rows_that_are_alike_have_none() -> None:
    places = RowPlaces(sample([*trains(), trains()[4]]), frozenset())
    assert places.of(4) == ()
    assert places.of(5) == ("day", "line")


def test_personal_data_and_long_texts_tell_no_row() -> None:
    rows = [(f"{at} " + "x" * LONGEST, f"name {at}", at) for at in range(30)]
    columns = ("story", "name", "number")
    assert RowPlaces(sample(rows, columns), frozenset({"name"})).of(3) == ("number",)
    assert RowPlaces(sample(rows, columns), frozenset({"name", "number"})).of(3) == ()
    assert RowPlaces(sample(rows, columns), None).of(3) == ()


@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 3), st.just([1]))] * 3), min_size=1, max_size=30))
def test_what_is_found_is_found_once(rows: list[tuple[Any, ...]]) -> None:
    columns = ("a", "b", "c")
    places = RowPlaces(sample(rows, columns), frozenset())
    for at, row in enumerate(rows):
        chosen = [columns.index(name) for name in places.of(at)]
        assert len(chosen) <= MOST_COLUMNS
        if chosen:
            assert sum(all(other[one] == row[one] for one in chosen) for other in rows) == 1
