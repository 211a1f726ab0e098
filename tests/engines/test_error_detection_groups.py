"""Numbers among those like them, columns that decide together, figures that are carried on or exchanged, and clocks."""

import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from resolvers.engines.error_detection.detect import find_errors

FISH = {"sprat": 11, "herring": 27, "mackerel": 34, "cod": 78, "ling": 120, "halibut": 190}
SHARES = (20, 20, 20, 20, 18, 2)


def wrong(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> set[tuple[int, str]]:
    return {(one.row, one.column) for one in find_errors(columns, rows)}


def catch(rows: int = 1200) -> list[list[Any]]:
    """Fish of some kinds with their length in centimetres, the largest kind rare."""
    chance = random.Random(21)
    kinds = chance.choices(list(FISH), SHARES, k=rows)
    return [[kind, chance.choice("ABC"), round(FISH[kind] * chance.lognormvariate(0, 0.06))] for kind in kinds]


CATCH = ("kind", "net", "length")


def test_a_number_far_from_those_of_its_kind_is_found_though_others_are_as_large() -> None:
    rows = catch()
    expected = set()
    for row in range(7, len(rows), 60):
        rows[row][2] = {"sprat": 112, "herring": 3, "cod": 8}.get(rows[row][0], rows[row][2])
        if rows[row][0] in ("sprat", "herring", "cod"):
            expected.add((row, "length"))
    assert len(expected) >= 6
    assert wrong(CATCH, rows) == expected


def test_measures_that_vary_within_their_kinds_raise_no_alarm() -> None:
    assert wrong(CATCH, catch()) == set()


def test_what_nearly_fills_a_group_of_another_column_has_its_cause_there() -> None:
    rows = catch()
    chance = random.Random(3)
    for row in range(5, len(rows), 90):
        rows[row] = [rows[row][0], "test net", 1 + chance.randrange(6) + 3 * FISH[rows[row][0]]]
    assert "length" not in {column for _, column in wrong(CATCH, rows)}


COURSES = {"EUR": 1.0, "CHF": 0.93, "SEK": 11.4, "JPY": 163.0}


def priced(rows: int = 1600) -> list[list[Any]]:
    """Articles whose price is fixed by the article and the currency together."""
    chance = random.Random(12)
    articles = [(f"A{at:03d}", chance.choice([4.5, 9.0, 12.5, 30.0, 75.0, 240.0])) for at in range(30)]
    made: list[list[Any]] = []
    for _ in range(rows):
        article, price = chance.choice(articles)
        money = chance.choices(list(COURSES), [76, 12, 8, 4])[0]
        made.append([article, money, f"{price * COURSES[money]:.2f}"])
    return made


def test_a_price_that_article_and_currency_decide_raises_no_alarm() -> None:
    assert wrong(("article", "money", "price"), priced()) == set()


def test_of_prices_that_two_columns_decide_a_wrong_one_is_found() -> None:
    rows = priced()
    expected = set()
    for row in range(9, len(rows), 100):
        if rows[row][1] == "EUR":
            rows[row][2] = f"{float(rows[row][2]) * 7.3:.2f}"
            expected.add((row, "price"))
    assert len(expected) >= 8
    assert wrong(("article", "money", "price"), rows) == expected


def accounts() -> list[list[Any]]:
    """Accounts month by month: what one month closes with the next opens with."""
    chance = random.Random(31)
    rows: list[list[Any]] = []
    for account in range(60):
        balance = chance.randint(3_000, 60_000)
        for month in range(12):
            moved = chance.randint(50, 900)
            rows.append([f"K{account:03d}", f"2023-{month + 1:02d}", balance, moved, balance + moved])
            balance += moved
    return rows


ACCOUNTS = ("account", "month", "opens", "moved", "closes")


def test_what_the_next_row_takes_over_tells_which_figure_of_a_sum_is_wrong() -> None:
    rows = accounts()
    chance = random.Random(1)
    expected = set()
    for row in range(4, len(rows), 45):
        rows[row][4] += chance.choice([-1, 1]) * chance.randint(150, 400)
        expected.add((row, "closes"))
    for row in range(16, len(rows), 90):
        if row % 12:
            rows[row][2] += chance.randint(150, 400)
            expected.add((row, "opens"))
    assert wrong(ACCOUNTS, rows) == expected


def test_a_figure_that_is_stuck_for_some_rows_is_found_and_nothing_else() -> None:
    rows = accounts()
    expected = set()
    for first in range(26, len(rows), 120):
        for row in range(first, first + 3):
            rows[row][4] = rows[first - 1][4]
            expected.add((row, "closes"))
    assert wrong(ACCOUNTS, rows) == expected


def test_two_figures_of_a_sum_that_were_exchanged_are_found_both() -> None:
    chance = random.Random(17)
    rows: list[list[Any]] = []
    for _ in range(700):
        hours, pay = chance.randint(10, 60), round(chance.uniform(9, 40), 2)
        whole = round(hours * pay, 2)
        fee, tax = round(0.05 * whole, 2), round(chance.choice([0.1, 0.2, 0.3]) * whole, 2)
        rows.append([fee, tax, round(whole - fee - tax, 2), whole, hours, pay])
    columns = ("fee", "tax", "left", "whole", "hours", "pay")
    assert wrong(columns, rows) == set()
    expected = set()
    for row in range(11, 700, 70):
        rows[row][2], rows[row][3] = rows[row][3], rows[row][2]
        expected |= {(row, "left"), (row, "whole")}
    assert wrong(columns, rows) == expected


Clock = Callable[[random.Random], str]


@pytest.mark.parametrize(
    ("make", "spoilt"),
    [
        (lambda c: f"{c.randint(6, 20):02d}:{c.randrange(60):02d}", "37:15"),
        (lambda c: f"{c.randint(0, 23):02d}:{c.randrange(60):02d}", "24:40"),
        (lambda c: f"{c.randint(6, 20)}:{c.randrange(60):02d}", "9:71"),
        (lambda c: f"2023-04-{c.randint(1, 28):02d} {c.randint(6, 20):02d}:{c.randrange(60):02d}", "2023-04-11 29:10"),
    ],
    ids=["hour", "last hour", "minute", "moment"],
)
def test_a_time_that_no_clock_shows_is_found(make: Clock, spoilt: str) -> None:
    chance = random.Random(5)
    rows = [[make(chance)] for _ in range(500)]
    assert wrong(("at",), rows) == set()
    rows[123] = [spoilt]
    assert wrong(("at",), rows) == {(123, "at")}


def test_what_lasts_longer_than_a_day_is_no_time_of_the_day() -> None:
    chance = random.Random(6)
    lasting = [min(70.0, chance.lognormvariate(2.0, 0.55)) for _ in range(1500)]
    rows = [[f"{int(hours):02d}:{int(hours % 1 * 60):02d}"] for hours in lasting]
    assert any(int(text[:2]) >= 24 for (text,) in rows)
    assert wrong(("lasted",), rows) == set()


def test_a_score_of_two_numbers_is_no_time() -> None:
    chance = random.Random(7)
    rows = [[f"{chance.randint(10, 22)}:{chance.choices(range(10, 70), [4] * 20 + [1] * 40)[0]}"] for _ in range(900)]
    assert wrong(("score",), rows) == set()


def test_of_two_moments_out_of_order_the_one_that_is_off_by_itself_is_named() -> None:
    chance = random.Random(8)
    rows: list[list[Any]] = []
    for _ in range(800):
        sent = datetime(2023, 1, 1, tzinfo=UTC).replace(tzinfo=None) + timedelta(minutes=chance.randrange(600_000))
        rows.append([sent.isoformat(" "), (sent + timedelta(hours=chance.randint(30, 90))).isoformat(" ")])
    for row in range(20, 800, 160):
        rows[row][1] = rows[row][1].replace("202", "200", 1)
    assert wrong(("sent", "came"), rows) == {(row, "came") for row in range(20, 800, 160)}


def test_a_number_with_more_decimals_than_any_other_is_found() -> None:
    chance = random.Random(9)
    rows = [[round(chance.uniform(10, 900), 2)] for _ in range(600)]
    assert wrong(("sum",), rows) == set()
    rows[50], rows[350] = [513.447], [72.1288]
    assert wrong(("sum",), rows) == {(50, "sum"), (350, "sum")}


def test_numbers_of_so_many_digits_in_all_may_have_any_number_of_decimals() -> None:
    chance = random.Random(10)
    rows = [[float(f"{chance.lognormvariate(1, 2):.4g}")] for _ in range(900)]
    assert len({row for row, _ in wrong(("figure",), rows)}) <= 2
