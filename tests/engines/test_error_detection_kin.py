"""What is far off in all rows of one thing is so, and what a column means for the form of another."""

import random

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Reason, Sign
from resolvers.engines.error_detection.kin import clear_kin
from resolvers.engines.error_detection.table import encode

VISITS = ["subject", "visit", "creatinine"]
PRICES = ["part", "currency", "price"]


def visits(seed: int = 1) -> list[list[str]]:
    """What was measured at visits, three of whose subjects are ill."""
    chance = random.Random(seed)
    rows = []
    for subject in range(90):
        usual = chance.gauss(260, 6) if subject in (7, 31, 66) else chance.gauss(78, 9)
        rows += [[f"S{subject:03}", str(visit), f"{usual + chance.gauss(0, 3):.0f}"] for visit in range(1, 7)]
    return rows


def left(rows: list[list[str]], far: set[int]) -> set[int]:
    """The rows that still lie far off, of some that do."""
    table = encode(VISITS, rows)
    cells = {(row, 2): [Reason(Sign.OUTLIER, 4.2, "Far off.")] for row in far}
    clear_kin(table, cells)
    return {row for (row, _), reasons in cells.items() if reasons}


def test_what_all_rows_of_one_thing_have_is_no_slip() -> None:
    ill = {row for subject in (7, 31, 66) for row in range(6 * subject, 6 * subject + 6)}
    assert not left(visits(), ill)
    assert left(visits(), ill | {20}) == {20}, "one of those who are well"
    assert left(visits(), set(range(0, 540, 30))) == set(range(0, 540, 30)), "strewn"


def test_what_is_off_among_those_too_stays() -> None:
    rows = visits()
    rows[44][2] += "00"
    assert left(rows, {row for subject in (7, 31, 66) for row in range(6 * subject, 6 * subject + 6)}) == {44}


def prices(seed: int = 2, number: int = 600) -> list[list[str]]:
    """Prices of which those in yen have no decimals."""
    chance = random.Random(seed)
    rows = []
    for at in range(number):
        currency = "JPY" if chance.random() < 0.08 else chance.choice(("EUR", "USD", "GBP"))
        price = chance.uniform(10, 900)
        rows.append([f"P{at:04}", currency, f"{price * 10:.0f}" if currency == "JPY" else f"{price:.2f}"])
    return rows


def test_decimals_that_a_currency_has_none_of_are_not_missing_also_where_some_currencies_are_wrong() -> None:
    rows = prices()
    yen = [at for at, row in enumerate(rows) if row[1] == "JPY"]
    for at in yen[:5]:
        rows[at][1] = "EUR"
    slipped = next(at for at in range(200, 300) if rows[at][1] == "USD")
    rows[slipped][2] = rows[slipped][2].replace(".", "")
    told = {one.row for one in find_errors(PRICES, rows) if one.column == "price"}
    assert slipped in told
    assert told <= {slipped, *yen[:5]}


def discounted(seed: int = 3, number: int = 500) -> list[list[str]]:
    """Prices of which a part is taken off: small ones have four decimals, and those in yen none."""
    chance = random.Random(seed)
    rows = []
    for _ in range(number):
        currency = "JPY" if chance.random() < 0.08 else "EUR"
        places = 0 if currency == "JPY" else 4 if chance.random() < 0.1 else 2
        price = round(chance.uniform(1, 3) if places == 4 else chance.uniform(20, 900) * 10 ** (2 - places), places)
        off = chance.choice((5, 7.5, 10, 12.5, 20, 25, 40))
        rows.append([currency, f"{price:.{places}f}", f"{off:g}", f"{price * (1 - off / 100) + 1e-9:.{places}f}"])
    return rows


def test_prices_that_are_rounded_to_other_decimals_keep_to_one_formula() -> None:
    columns = ["currency", "list_price", "discount_pct", "net_price"]
    rows = discounted()
    assert not find_errors(columns, rows)
    for at in (50, 150, 250, 350):
        rows[at][2] = f"{float(rows[at][2]) / 100:g}"
    assert {(one.row, one.column) for one in find_errors(columns, rows)} >= {
        (at, "discount_pct") for at in (50, 150, 250, 350)
    }
