"""Classes that figures decide: by thresholds, and by which of several is the greater."""

import random
from typing import Any

from resolvers.engines.error_detection.detect import find_errors

ROWS = 600


def wrong(columns: list[str], rows: list[list[Any]], column: str) -> set[int]:
    return {one.row for one in find_errors(columns, rows) if one.column == column}


def graded() -> list[list[Any]]:
    chance = random.Random(9)
    rows = [
        [f"s{row}", chance.choice([1.0, 1.3, 1.7, 2.0, 2.3, 2.7, 3.0, 3.3, 3.7, 4.0, 4.7, 5.0])] for row in range(ROWS)
    ]
    return [[*row, "passed" if row[1] <= 4.0 else "failed"] for row in rows]


def test_a_class_on_the_wrong_side_of_a_threshold_is_named_with_what_belongs_there() -> None:
    rows = graded()
    assert not wrong(["student", "grade", "status"], rows, "status")
    turned = set(range(0, ROWS, 31))
    for row in turned:
        rows[row][2] = "failed" if rows[row][2] == "passed" else "passed"
    found = [one for one in find_errors(["student", "grade", "status"], rows) if one.column == "status"]
    assert {one.row for one in found} == turned
    assert all(one.repair != one.value and one.repair in ("passed", "failed") for one in found)


def test_a_class_that_only_goes_with_a_figure_is_not_held_against_it() -> None:
    chance = random.Random(9)
    rows = [[f"p{row}", round(chance.gauss(170, 10), 1)] for row in range(ROWS)]
    rows = [[*row, "tall" if row[1] + chance.gauss(0, 4) > 175 else "small"] for row in rows]
    assert not wrong(["person", "height", "size"], rows, "size")


def test_a_flag_that_bounds_of_the_row_decide() -> None:
    chance = random.Random(9)
    rows: list[list[Any]] = []
    for row in range(ROWS):
        low = chance.choice([3.9, 12.0, 60.0])
        value = round(low * chance.uniform(0.8, 2.2), 2)
        rows.append([f"t{row}", value, low, 1.8 * low, "H" if value > 1.8 * low else "L" if value < low else ""])
    turned = {row for row in range(0, ROWS, 29) if rows[row][4]}
    for row in turned:
        rows[row][4] = ""
    assert wrong(["test", "value", "low", "high", "flag"], rows, "flag") == turned


def test_a_kind_of_rows_that_has_no_such_value_is_not_told_to_lack_it() -> None:
    rows = [[f"s{row}", row % 40, "AB"[row % 40 > 20], "Routine"] for row in range(ROWS)]
    for row in range(0, ROWS, 9):
        rows[row][2:] = [None, "Complaint"]
    rows[18][2] = "n/a"
    assert not wrong(["visit", "score", "grade", "type"], rows, "grade") - {18}


def test_a_second_postcode_of_a_town_is_its_own() -> None:
    rows = [[("Lyon", "Milano", "Wien")[row % 3], ("69007", "20138", "1110")[row % 3], str(row)] for row in range(ROWS)]
    for row in range(0, ROWS, 30):
        rows[row][1] = "69800"
    assert not wrong(["town", "code", "no"], rows, "code")
