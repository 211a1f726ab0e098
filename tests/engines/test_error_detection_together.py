"""Rows that stand in order, figures that go together, and cells that two formulas hold."""

import random
from datetime import UTC, datetime, timedelta

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Sign
from resolvers.engines.error_detection.numbers import order_signs
from resolvers.engines.error_detection.order_names import comes_first
from resolvers.engines.error_detection.ratios import ratio_signs
from resolvers.engines.error_detection.sequence import steps_of
from resolvers.engines.error_detection.stuck import stuck_signs
from resolvers.engines.error_detection.table import encode

LOG = ["line", "at", "door"]


def log(seed: int, number: int = 400) -> list[list[object]]:
    chance, now = random.Random(seed), datetime(2025, 3, 1, 6, tzinfo=UTC)
    rows: list[list[object]] = []
    for at in range(number):
        now += timedelta(minutes=chance.randint(0, 9))
        rows.append([f"L{at}", now.isoformat(sep=" ")[:16], chance.choice("NESW")])
    return rows


def test_what_is_out_of_step_in_a_log_is_found_and_its_neighbours_are_not() -> None:
    rows = log(1)
    for at in (30, 210):
        rows[at][1] = str(datetime.fromisoformat(str(rows[at][1])) - timedelta(hours=6))[:16]
    found = find_errors(LOG, rows)
    assert {(one.row, one.column) for one in found} == {(30, "at"), (210, "at")}
    assert {one.reasons[0].sign for one in found} == {Sign.ORDER}


def test_what_was_entered_together_is_hardly_in_order_and_no_error() -> None:
    rows, chance = log(2), random.Random(2)
    for at in chance.sample(range(1, 399), 30):
        rows[at][1], rows[at + 1][1] = rows[at + 1][1], rows[at][1]
    assert not steps_of(encode(LOG, rows)).signs
    chance.shuffle(rows)
    assert steps_of(encode(LOG, rows)) == type(steps_of([]))({}, {})


def crates(seed: int, number: int = 400) -> list[list[object]]:
    chance = random.Random(seed)
    rows: list[list[object]] = []
    for at in range(number):
        gross = 10 ** chance.uniform(0, 3.5)
        rows.append([f"C{at}", round(gross * chance.uniform(0.8, 0.95), 3), round(gross, 3)])
    return rows


def test_two_figures_that_go_together_show_an_exchange_and_another_unit() -> None:
    rows = crates(3)
    columns = ["crate", "net", "gross"]
    for at in range(10, 60, 10):
        rows[at][1], rows[at][2] = rows[at][2], rows[at][1]
    for at in range(100, 130, 3):
        rows[at][1] = round(1000 * float(str(rows[at][1])), 3)
    found = ratio_signs(encode(columns, rows), set(), [set(), set(), set()])
    found = {cell: reason for cell, reason in found.items() if reason.weight > 2}
    exchanged = {cell for cell, reason in found.items() if reason.sign is Sign.ORDER}
    assert exchanged == {(at, column) for at in range(10, 60, 10) for column in (1, 2)}
    assert found.keys() - exchanged == {(at, 1) for at in range(100, 130, 3)}
    assert not ratio_signs(encode(columns, rows), {(1, 2)}, [set(), set(), set()])


def test_a_ratio_that_varies_widely_tells_nothing() -> None:
    chance = random.Random(4)
    rows = [[at, 10 ** chance.uniform(0, 3), 10 ** chance.uniform(0, 3)] for at in range(400)]
    assert not ratio_signs(encode(["n", "a", "b"], rows), set(), [set(), set(), set()])
    assert not [one for one in find_errors(["crate", "net", "gross"], crates(5))]


def test_of_two_days_out_of_order_the_one_far_out_in_its_column_is_named() -> None:
    chance = random.Random(6)
    rows: list[list[object]] = []
    for at in range(300):
        day = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(chance.randrange(300))
        ends = day + timedelta(chance.randint(20, 500))
        rows.append([at, day.date().isoformat(), ends.replace(year=ends.year - 19 * (at % 20 == 3)).date().isoformat()])
    found = order_signs(encode(["no", "received", "expires"], rows), [set(), set(), set()])
    assert {at for at, column in found if column == 2} == set(range(3, 300, 20))
    assert sum(column == 1 for _, column in found) <= 2
    assert comes_first("ordered_on", "received_on")
    assert comes_first("received", "expiry")


def test_a_count_that_breaks_both_its_formulas_is_named_alone() -> None:
    chance = random.Random(7)
    columns = ["stay", "from", "to", "days", "price", "sum"]
    rows: list[list[object]] = []
    for at in range(600):
        first = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(chance.randrange(300))
        days, price = chance.randint(1, 9), chance.randint(4000, 30_000) / 100
        last = first + timedelta(days)
        rows.append([at, first.date().isoformat(), last.date().isoformat(), days, price, f"{days * price:.2f}"])
    for at in range(7, 600, 20):
        rows[at][3] = int(str(rows[at][3])) + 1
    for at in range(12, 600, 60):
        rows[at][5] = f"{1.19 * float(str(rows[at][5])):.2f}"
    found = {(one.row, one.column) for one in find_errors(columns, rows)}
    assert {(at, "days") for at in range(7, 600, 20)} <= found
    assert not {(at, "days") for at in range(12, 600, 60)} & found


def test_a_figure_that_stays_for_many_rows_of_one_thing_is_stuck() -> None:
    chance = random.Random(8)
    columns = ["site", "load"]
    rows: list[list[object]] = [[f"S{at % 5}", f"{chance.uniform(5, 90):.1f}"] for at in range(1000)]
    assert not stuck_signs(encode(columns, rows))
    for at in range(202, 252, 5):
        rows[at][1] = rows[202][1]
    assert stuck_signs(encode(columns, rows)).keys() == {(at, 1) for at in range(207, 252, 5)}
    for at in range(203, 253, 5):
        rows[at][1] = "100.0"  # the end of the scale, where an instrument may stay
    assert stuck_signs(encode(columns, rows)).keys() == {(at, 1) for at in range(207, 252, 5)}
