"""Numbers with a decimal comma are numbers: what they come to is worked out, and told as the column writes them."""

import random
from typing import Any

from resolvers.engines.error_detection.decimal_commas import decimal_commas
from resolvers.engines.error_detection.detect import find_errors

COLUMNS = ["line", "pieces", "price", "amount"]


def written(number: float) -> str:
    """With a decimal comma, and points between thousands."""
    return f"{number:,.2f}".translate(str.maketrans(".,", ",."))


def sales(wrong: dict[int, float]) -> list[list[Any]]:
    """Lines with what each comes to; that of some is so many times what it should be."""
    chance = random.Random(11)
    rows: list[list[Any]] = []
    for at in range(300):
        pieces, price = chance.randint(2, 40), round(chance.uniform(3, 190), 2)
        rows.append([f"L{at:04d}", pieces, written(price), written(pieces * price * wrong.get(at, 1))])
    return rows


def test_what_does_not_add_up_is_found_with_what_should_stand_there() -> None:
    assert not find_errors(COLUMNS, sales({}))
    found = find_errors(COLUMNS, sales({17: 10, 140: 0.01}))
    assert {(one.row, one.column): one.repair for one in found if one.column == "amount"} == {
        (17, "amount"): sales({})[17][3].replace(".", ""),
        (140, "amount"): sales({})[140][3].replace(".", ""),
    }
    assert {one.value for one in found} == {sales({17: 10})[17][3], sales({140: 0.01})[140][3]}


def test_a_decimal_point_among_them_is_of_another_form() -> None:
    rows = sales({})
    rows[50][2] = rows[50][2].replace(",", ".")
    (found,) = find_errors(COLUMNS, rows)
    assert (found.row, found.column, found.value) == (50, "price", rows[50][2])


def test_a_far_number_is_told_as_the_column_writes_it() -> None:
    chance = random.Random(2)
    rows = [[at, written(chance.uniform(1, 9))] for at in range(200)]
    rows[30][1] = "4712,50"
    (found,) = find_errors(["number", "length"], rows)
    assert (found.value, found.row) == ("4712,50", 30)
    assert "4712.5" not in found.reasons[0].told
    assert (
        "e+"
        not in find_errors(
            ["number", "length"], [[at, 3_000_000 + chance.random()] for at in range(200)] + [[201, 9e9]]
        )[0]
        .reasons[0]
        .told
    )


def test_commas_before_thousands_and_between_words_stay_what_they_are() -> None:
    thousands = [[f"{1000 * at + 417:,}", f"{at},5,7", "a, b"] for at in range(1, 90)]
    assert decimal_commas(["sum", "list", "words"], thousands) == frozenset()
    assert decimal_commas(["few"], [["1,5"]] * 11) == frozenset()
    assert decimal_commas(["price", "mixed"], [["1.204,50", "2,50" if at % 5 else "n/a"] for at in range(60)]) == {0, 1}
