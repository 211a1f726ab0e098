"""Numbers and years that stand for none, codes of one length, addresses without their sign, and months of a year."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Suspect

ROWS = 400


def in_one(name: str, values: Sequence[Any]) -> dict[int, Suspect]:
    return {one.row: one for one in find_errors([name], [[value] for value in values])}


@pytest.mark.parametrize(
    ("usual", "mark"),
    [(lambda one: int(one.lognormvariate(11, 0.7)), 999999999), (lambda one: one.randint(0, 1100), 65535),
     (lambda one: round(one.gauss(12, 9), 1), 850.0), (lambda one: one.randint(1950, 2001), 1900)],
)  # fmt: skip
def test_a_number_that_stands_alone_and_comes_again_stands_for_none(usual: Any, mark: float) -> None:
    chance = random.Random(5)
    values = [usual(chance) for _ in range(ROWS)]
    for row in range(0, ROWS, 27):
        values[row] = mark
    assert in_one("figure", values).keys() >= set(range(0, ROWS, 27))


@pytest.mark.parametrize("mark", [1250.0, 890.5, 4000.0])
def test_dear_things_that_are_bought_again_stand_for_themselves(mark: float) -> None:
    chance = random.Random(5)
    values = [round(chance.uniform(8, 90), 2) for _ in range(ROWS)]
    for row in range(0, ROWS, 40):
        values[row] = mark
    assert not any(one.value == str(mark) for one in in_one("price", values).values())


def test_a_year_of_two_digits_among_years_of_four() -> None:
    chance = random.Random(5)
    values = [str(chance.randint(1950, 2001)) for _ in range(ROWS)]
    for row in range(0, ROWS, 40):
        values[row] = values[row][2:]
    assert in_one("born", values).keys() == set(range(0, ROWS, 40))


def test_codes_of_one_length_that_are_cut_or_in_small_letters_or_have_a_letter_that_none_has() -> None:
    chance = random.Random(5)
    letters = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
    values = ["W" + "".join(chance.choices(letters, k=9)) + f"{chance.randint(0, 999999):06d}" for _ in range(ROWS)]
    assert not in_one("chassis", values)
    values[7], values[90], values[200] = values[7][:-2], values[90].lower(), values[200].replace(values[200][3], "I")
    assert in_one("chassis", values).keys() == {7, 90, 200}


def test_addresses_without_their_sign_or_with_what_no_address_has() -> None:
    chance = random.Random(5)
    hosts = ("example.com", "uni.example", "mail.example")
    values = [f"name{row}.{chance.randint(1, 99)}@{hosts[row % 3]}" for row in range(ROWS)]
    for row, (old, new) in enumerate([("@", ""), ("@", " at "), ("@", "@,")] * 10):
        values[row * 5] = values[row * 5].replace(old, new)
    assert in_one("mail", values).keys() == set(range(0, 150, 5))


def test_months_that_there_are_not_and_months_behind_the_day_of_the_row() -> None:
    chance = random.Random(5)
    rows = [
        [f"{chance.randint(1, 12):02d}/{chance.randint(2008, 2020)}", f"2022-03-{row % 28 + 1:02d}"]
        for row in range(ROWS)
    ]
    rows[3][0], rows[50][0] = "13/2017", "00/0000"
    found = {(one.row, one.column) for one in find_errors(["registered", "listed"], rows)}
    assert found == {(3, "registered"), (50, "registered")}


def test_a_counter_may_stand_still_and_a_gauge_may_not() -> None:
    chance = random.Random(5)
    level, rows = 1000.0, []
    for row in range(ROWS):
        level += 0 if 100 <= row < 112 else round(chance.uniform(0.5, 3), 2)
        rows.append([f"m{row % 2}", f"{level:.2f}", "7.31" if 200 <= row < 230 else f"{chance.uniform(1, 9):.2f}"])
    found = {(one.row, one.column) for one in find_errors(["meter", "counter", "gauge"], rows)}
    assert not any(column == "counter" for _, column in found)
    assert {row for row, column in found if column == "gauge"} >= set(range(204, 230))
