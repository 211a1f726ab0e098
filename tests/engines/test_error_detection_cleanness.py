"""What a table says of itself: how much in it is plain to see, and what is meant rather than wrong."""

import random
from typing import Any

from resolvers.engines.error_detection.cleanness import BEFORE, USUAL, told_by_others
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.table import encode

MANY = int(20 * BEFORE / USUAL)
"""Cells of a table in which many plain errors are expected."""
DOUBT = 0.6


def judged(plain: int, cells: int = MANY, **marks: bool) -> dict[tuple[int, int], float]:
    """The scores of a doubtful cell in row 0 and of some plain ones in the rows after it, of a table of one column."""
    table = encode(["only"], [[str(row)] for row in range(cells)])
    doubtful = Reason(Sign.PATTERN, 3.6, "odd", **marks)
    given = {(0, 0): (DOUBT, [doubtful])}
    given |= {(row, 0): (0.95, [Reason(Sign.PATTERN, 6.1, "odd")]) for row in range(1, plain + 1)}
    return {cell: score for cell, (score, _) in told_by_others(table, given, frozenset()).items()}


def test_what_is_doubtful_is_rather_right_in_a_large_table_in_which_nothing_is_plain() -> None:
    assert judged(0)[0, 0] < 0.2
    assert judged(int(USUAL * MANY))[0, 0] == DOUBT
    assert judged(0, cells=int(BEFORE / USUAL) - 1)[0, 0] == DOUBT
    assert 0.5 < judged(1)[1, 0] < 0.95, "no value is its own witness"


def test_a_value_that_is_right_in_no_table_and_one_that_sources_voted_on_keep_their_score() -> None:
    assert judged(0, in_itself=True)[0, 0] == DOUBT
    table = encode(["only"], [[str(row)] for row in range(MANY)])
    voted = {(0, 0): (DOUBT, [Reason(Sign.DEPENDENCY, 3.6, "voted")])}
    assert told_by_others(table, voted, voted.keys()) == voted
    assert told_by_others(encode(["only"], []), {}, frozenset()) == {}


def test_an_impossible_day_is_found_in_a_table_that_is_clean_otherwise() -> None:
    chance = random.Random(4)
    rows: list[list[Any]] = [
        [f"2024-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}", at] for at in range(5000)
    ]
    rows[70][0] = "2024-02-31"
    assert {(one.row, one.column) for one in find_errors(["day", "number"], rows)} == {(70, "day")}


def sales(kind: str) -> list[list[Any]]:
    """Sales of ten articles at their prices, samples at none, and every 60th row of a kind that no price decides."""
    chance = random.Random(5)
    rows: list[list[Any]] = []
    for at in range(1500):
        article = chance.randint(0, 9)
        amount = round(chance.uniform(0.1, 2), 3)
        price, told = (0, "sample") if at % 70 == 3 else (20 + 3 * article, "sale")
        rows.append([f"article {article}", price, told, amount])
        if at % 70 != 3 and at % 60 == 7:
            rows[-1][2:] = [kind, -amount]
    return rows


def test_what_no_price_decides_is_no_exception_and_a_slip_of_the_usual_is() -> None:
    columns = ["article", "price", "kind", "weight"]
    assert find_errors(columns, sales("refund")) == []
    slips = {row for row, (_, _, kind, _) in enumerate(sales("sole")) if kind == "sole"}
    found = {one.row for one in find_errors(columns, sales("sole")) if one.column == "kind"}
    assert slips <= found
