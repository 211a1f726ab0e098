"""Results of which many are in another unit, which another column of the row tells by what they are worked out of."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from resolvers.engines.error_detection.detect import find_errors

ROWS = 400


def readings(chance: random.Random, times: Callable[[int], float]) -> tuple[list[str], list[list[Any]]]:
    """Of meters: what was read before, what was used since, and both together."""
    rows: list[list[Any]] = []
    for at in range(ROWS):
        before, used = round(chance.uniform(50, 900), 3), round(chance.uniform(1, 60), 3)
        rows.append([f"R{at}", before, f"{(before + used) * times(at):.12g}", used])
    return ["reading", "before", "now", "used"], rows


def sales(chance: random.Random, times: Callable[[int], float]) -> tuple[list[str], list[list[Any]]]:
    """Of lines: pieces, the price of each, and the amount."""
    rows: list[list[Any]] = []
    for at in range(ROWS):
        pieces, price = chance.randint(2, 30), round(chance.uniform(1.5, 80), 2)
        rows.append([f"L{at}", pieces, price, f"{round(pieces * price, 2) * times(at):.12g}"])
    return ["line", "pieces", "price", "amount"], rows


@pytest.mark.parametrize("made", [readings, sales])
@pytest.mark.parametrize("power", [3, 2, -3])
def test_many_results_in_another_unit_are_found_with_what_they_should_be(made: Any, power: int) -> None:
    chance = random.Random(5)
    wrong = set(chance.sample(range(ROWS), int(0.4 * ROWS)))
    columns, rows = made(random.Random(7), lambda at: 10.0**power if at in wrong else 1)
    right = made(random.Random(7), lambda _: 1)[1]
    column = "now" if made is readings else "amount"
    found = {one.row: one for one in find_errors(columns, rows) if one.column == column}
    assert found.keys() == wrong
    assert {row: float(one.repair or 0) for row, one in found.items()} == pytest.approx(
        {row: float(right[row][columns.index(column)]) for row in wrong}
    )
    assert min(one.score for one in found.values()) >= 0.9
    assert f"{10.0**power:,.6g} times what it should be" in next(iter(found.values())).reasons[0].told


@pytest.mark.parametrize("made", [readings, sales])
def test_what_a_column_names_the_unit_of_is_meant(made: Any) -> None:
    """Yen have no hundredths: which amounts are a hundred times the others is what the currency says."""
    chance = random.Random(5)
    wrong = set(chance.sample(range(ROWS), int(0.4 * ROWS)))
    columns, rows = made(random.Random(7), lambda at: 100.0 if at in wrong else 1)
    rows = [[*row, "JPY" if at in wrong else chance.choice(["EUR", "USD"])] for at, row in enumerate(rows)]
    assert not find_errors([*columns, "currency"], rows)


def test_few_rows_in_another_unit_stay_exceptions_and_other_factors_are_no_unit() -> None:
    wrong = {3, 50, 120}
    columns, rows = readings(random.Random(7), lambda at: 1000.0 if at in wrong else 1)
    assert {one.row for one in find_errors(columns, rows)} == wrong
    columns, rows = readings(random.Random(7), lambda at: 1.7 if at % 5 < 2 else 1)
    assert not find_errors(columns, rows)
