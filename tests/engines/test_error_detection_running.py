"""Totals that run through the rows of a thing, and what changes from one of its rows to the next."""

import random

import pytest

from resolvers.engines.error_detection.detect import find_errors

METERS = ["meter", "day", "register", "used"]
PAID = ["staff", "name", "town", "office", "grade", "month", "salary"]


def meters(seed: int = 1) -> list[list[str]]:
    """Readings of meters, of which one was changed and begins anew."""
    chance = random.Random(seed)
    rows = []
    for meter in range(12):
        register = chance.uniform(1000, 9000)
        for day in range(1, 26):
            used = round(chance.uniform(2, 40), 2)
            register = round(used if (meter, day) == (3, 12) else register + used, 2)
            rows.append([f"M{meter:02}", f"2024-03-{day:02}", f"{register:.2f}", f"{used:.2f}"])
    return rows


def suspects(rows: list[list[str]], columns: list[str] = METERS) -> set[tuple[int, str]]:
    return {(one.row, one.column) for one in find_errors(columns, rows)}


def test_a_total_that_starts_anew_is_none() -> None:
    assert not suspects(meters())


def test_a_total_that_the_figures_do_not_lead_to_is_wrong() -> None:
    rows = meters()
    right = rows[40][2]
    rows[40][2] = f"{float(right) + 20:.2f}"
    (one,) = find_errors(METERS, rows)
    assert (one.row, one.column, one.repair) == (40, "register", right)
    assert one.score > 0.85


def test_totals_that_slid_by_a_row_are_all_told() -> None:
    rows = meters()
    before = [row[2] for row in rows]
    for at in range(105, 109):
        rows[at][2] = before[at - 1]
    assert suspects(rows) == {(at, "register") for at in range(105, 109)}


def test_a_figure_between_two_totals_that_agree_with_all_others_is_wrong() -> None:
    rows = meters()
    right = rows[60][3]
    rows[60][3] = f"{float(right) / 2 + 1:.2f}"
    (one,) = find_errors(METERS, rows)
    assert (one.row, one.column, one.repair) == (60, "used", right)


def staff(seed: int = 2) -> list[list[str]]:
    """What people are paid in each of six months: most get more from some month on."""
    chance = random.Random(seed)
    towns = ("Ash", "Elm", "Oak", "Fir", "Yew", "Box")
    rows = []
    for at in range(80):
        town = chance.choice(towns)
        same = [f"P{at:03}", f"Name{chance.randrange(10**6)}", town, f"{town} House", chance.choice("ABCD")]
        salary, more = chance.randrange(2000, 9000), chance.randrange(2, 9)
        for month in range(1, 7):
            rows.append([*same, f"2024-{month:02}", f"{salary * (1.03 if month >= more else 1):.2f}"])
    return rows


def test_who_is_paid_more_from_a_month_on_was_not_told_of_wrongly() -> None:
    assert not suspects(staff(), PAID)


def test_what_strays_within_the_rows_of_one_person_still_is() -> None:
    rows = staff()
    wrong = {at: chance for at, chance in ((9, "Elm"), (33, "Oak"), (70, "Fir"), (100, "Yew"), (150, "Ash"))}
    expected = {(at, "town") for at, town in wrong.items() if rows[at][2] != town}
    for at, town in wrong.items():
        rows[at][2] = town
    assert expected <= suspects(rows, PAID)


@pytest.mark.parametrize("month", ["2024-13", "2024-00"])
def test_there_is_no_such_month(month: str) -> None:
    rows = staff()
    rows[17][5] = month
    assert (17, "month") in suspects(rows, PAID)
