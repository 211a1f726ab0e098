"""Units in several spellings, what stands for nothing in most rows, and cells of things of which less is known."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Suspect

ROWS = 300


def suspects(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[tuple[int, str], Suspect]:
    return {(one.row, one.column): one for one in find_errors(columns, rows)}


def in_one(name: str, values: Sequence[Any]) -> dict[int, Suspect]:
    return {row: one for (row, _), one in suspects([name], [[value] for value in values]).items()}


def test_a_unit_in_several_spellings_of_which_none_leads_leaves_no_number() -> None:
    chance = random.Random(3)
    spelt = [" ml", "ml", " mL.", " milliliter", " ml can"]
    values = [f"{chance.choice([330, 500, 750])}.0{chance.choices(spelt, [5, 4, 3, 4, 1])[0]}" for _ in range(ROWS)]
    found = in_one("volume", values)
    assert len(found) == ROWS
    assert {one.repair for one in found.values()} == {"330", "500", "750"}


def test_one_spelling_that_leads_is_the_right_one() -> None:
    chance = random.Random(3)
    values = [f"{chance.choice([250, 400, 500])} g" for _ in range(ROWS)]
    for row in range(0, ROWS, 7):
        values[row] = values[row].replace(" g", chance.choice([" gram", " G.", " gr"]))
    found = in_one("weight", values)
    assert found.keys() == set(range(0, ROWS, 7))
    assert {one.repair for one in found.values()} <= {"250 g", "400 g", "500 g"}


@pytest.mark.parametrize(
    "tails",
    [[" g", " kg"], [" season", " seasons"], [" g"], [" km", " kg", " m"], [" Oak Road", " Elm Street", " Park"]],
)
def test_what_measures_other_things_is_not_spelt_otherwise(tails: Sequence[str]) -> None:
    chance = random.Random(8)
    sizes = {one: 10 ** (3 - at) for at, one in enumerate(tails)}
    values = []
    for _ in range(ROWS):
        tail = chance.choice(tails)
        values.append(f"{chance.randint(2, 9) * sizes[tail]}{tail}")
    assert not in_one("what", values)


@pytest.mark.parametrize(
    ("name", "nothing"), [("rating", "N/A"), ("rating", "unknown"), ("owner_id", "0"), ("ownerId", "-1")]
)
def test_most_rows_of_a_column_of_numbers_may_stand_for_none(name: str, nothing: str) -> None:
    chance = random.Random(2)
    none = {row for row in range(ROWS) if chance.random() < 0.5}
    values = [nothing if row in none else str(chance.randint(1000, 9000)) for row in range(ROWS)]
    assert in_one(name, values).keys() == none
    if name == "rating":  # a format may have a mark of its own for it
        assert not in_one(name, ["-" if row in none else value for row, value in enumerate(values)])


def test_words_for_none_beside_empty_cells_are_another_writing_of_it() -> None:
    chance = random.Random(2)
    values = [chance.choice(["", "n/a", "blue", "green", "red", "unknown"]) for _ in range(ROWS)]
    found = in_one("colour", values)
    assert found.keys() == {row for row, value in enumerate(values) if value == "n/a"}
    assert not in_one("colour", [value or "blue" for value in values])  # it has no other way to tell it
    assert not in_one("minutes_no", [str(chance.choice([0, 0, 0, *range(1, 40)])) for _ in range(ROWS)][:15])


def test_rows_of_which_less_is_known_were_not_forgotten() -> None:
    chance = random.Random(6)
    rows: list[list[Any]] = []
    for row in range(ROWS):
        depth, width = chance.randint(100, 900), chance.randint(100, 900)
        less = row % 25 == 0
        rows.append([f"box {row}", None if less else depth, None if less or row % 3 == 0 else width])
    assert not suspects(("box", "depth", "width"), rows)
    rows[1][1] = rows[2][1] = None
    for row in range(0, ROWS, 25):
        rows[row][1] = 500
    assert suspects(("box", "depth", "width"), rows).keys() == {(1, "depth"), (2, "depth")}


def test_what_most_rows_of_a_thing_leave_empty_is_not_missing_in_them() -> None:
    chance = random.Random(6)
    rows: list[list[Any]] = []
    for number in range(60):  # only who is in the first team has a place
        place = chance.choice(["keeper", "back", "wing", "centre"])
        for year in range(2000, 2012):
            rows.append([f"player {number:02}", year, place if chance.random() < 0.4 else None])
    assert len(suspects(("player", "year", "place"), rows)) <= 0.2 * sum(row[2] is None for row in rows)
