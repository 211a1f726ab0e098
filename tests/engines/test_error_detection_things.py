"""What strayed behind another value, and things that two columns name."""

import random
from collections.abc import Sequence
from typing import Any

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Suspect

TOWNS = [
    ("Aldmere", "QX"),
    ("Birk Falls", "QX"),
    ("Corran", "VY"),
    ("Dunlow", "ZT"),
    ("Esker Bay", "ZT"),
    ("Fenwick", "VY"),
]


def suspects(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[tuple[int, str], Suspect]:
    return {(one.row, one.column): one for one in find_errors(columns, rows)}


def test_a_value_behind_another_whose_own_cell_is_empty_has_strayed() -> None:
    chance = random.Random(4)
    towns = [
        (f"{chance.choice(['Upper', 'Lower', 'Old'])} {name} {at}th", area) for name, area in TOWNS for at in range(30)
    ]
    rows = [[chance.randint(1, 900), *town] for town in towns]
    for row in range(0, len(rows), 15):
        rows[row][1:] = [f"{rows[row][1]} {rows[row][2]}", ""]
    found = suspects(("people", "town", "area"), rows)
    assert found.keys() == {(row, name) for row in range(0, len(rows), 15) for name in ("town", "area")}
    assert found[15, "town"].repair == towns[15][0]
    assert found[15, "area"].repair == towns[15][1]


def test_a_thing_that_two_columns_name_is_no_error_where_others_have_another() -> None:
    chance = random.Random(4)
    rows: list[list[Any]] = []
    for number, (town, area) in enumerate(TOWNS):
        for own, size in enumerate([30, 3, 1, 1, 1, 1]):  # in each town one mill has most, and some have one row
            mill = 100 + 7 * (10 * number + own)
            name = "".join(random.Random(mill).choices("abdefgiklmnoprstuvz", k=9)).title()
            rows += [[mill, name, town, area, chance.randint(1, 900)] for _ in range(size)]
    assert not suspects(("mill", "name", "town", "area", "sacks"), rows)
    rows[2][1] = rows[50][1]  # one of many that has the name of another is wrong
    assert suspects(("mill", "name", "town", "area", "sacks"), rows).keys() == {(2, "name")}


def test_an_order_that_only_thins_out_is_no_rule() -> None:
    chance = random.Random(12)
    rows: list[list[Any]] = []
    for _ in range(3000):
        games = int(chance.expovariate(1 / 60)) + 1
        rows.append(
            [games, sum(chance.random() < 0.12 for _ in range(games)), sum(chance.random() < 0.5 for _ in range(games))]
        )
    assert len(suspects(("games", "walks", "hits"), rows)) <= 30
    spans = [(low := chance.randint(100, 900), low + int(chance.expovariate(1 / 60))) for _ in range(1000)]
    wrong = set(range(0, 1000, 90))
    turned = [span[::-1] if row in wrong else span for row, span in enumerate(spans)]
    found = suspects(("from", "to"), turned)
    assert {row for row, _ in found} == {row for row in wrong if spans[row][0] < spans[row][1]}


def test_a_check_digit_of_ten_is_no_other_form() -> None:
    chance = random.Random(1)

    def checked(mark: str) -> str:
        digits = [chance.randint(0, 9) for _ in range(9)]
        last = -sum(weight * digit for weight, digit in zip(range(10, 1, -1), digits, strict=True)) % 11
        return f"{''.join(map(str, digits))}{mark}{'X' if last == 10 else last}"

    for mark in ("", "-"):
        numbers = [checked(mark) for _ in range(400)]
        assert sum(one.endswith("X") for one in numbers) > 20
        assert not suspects(["number"], [[one] for one in numbers])


def test_what_is_short_and_what_is_in_full_may_be_exchanged_in_a_row() -> None:
    chance = random.Random(1)
    names = [
        (f"Annals of {what} {kind} {at}", f"Ann {what[:4]} {kind[:3]} {at}")
        for what in ("Botany", "Mining", "Weaving", "Glazing") for kind in ("Research", "Letters") for at in range(40)
    ]  # fmt: skip
    rows = [list(chance.choice(names)) for _ in range(400)]
    assert not suspects(("name", "short"), rows)
    right = [list(row) for row in rows]
    for row in range(0, 400, 25):
        rows[row].reverse()
    found = suspects(("name", "short"), rows)
    assert {(row, name) for row in range(0, 400, 25) for name in ("name", "short")} <= found.keys()
    assert len(found) <= 36
    assert found[25, "name"].repair == right[25][0]


def test_words_from_behind_are_the_words_that_more_rows_have() -> None:
    chance = random.Random(1)
    states = [chance.choice(["pending", "approved", "rejected", "level"]) for _ in range(400)]
    wrong = {row for row in range(0, 400, 20) if states[row] != "level"}
    found = suspects(["state"], [[one[::-1] if row in wrong else one] for row, one in enumerate(states)])
    assert {row for row, _ in found} == wrong
    assert all(one.repair == states[row] for (row, _), one in found.items())


def test_what_a_database_has_moved_is_not_out_of_step() -> None:
    rows = [(number, f"row {number % 7}") for number in range(400)]
    moved = [*(row for row in rows if row[0] % 60), *(row for row in rows if not row[0] % 60)]
    assert find_errors(["number", "kind"], moved, in_order=False) == []
    assert find_errors(["number", "kind"], moved) == []  # nor in a file that was made of its rows
    slipped = [(number + 90 if number == 200 else number, kind) for number, kind in rows]
    assert {(one.row, one.column) for one in find_errors(["number", "kind"], slipped)} >= {(200, "number")}
