"""What keeps to the rows of one value, or has a cause of its own, is none of the strewn slips that it looks like."""

import random

from resolvers.engines.error_detection.confined import keeps_to_one
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.formula_fits import find_formulas
from resolvers.engines.error_detection.formulas import told
from resolvers.engines.error_detection.table import encode

COLUMNS = ["tag", "maker", "serial", "reading", "checked"]


def meters(seed: int, number: int = 600, *, strewn: bool = False) -> list[list[object]]:
    """Meters of which those of one maker have serials in groups, and those under repair no reading."""
    chance = random.Random(seed)
    rows: list[list[object]] = []
    for at in range(number):
        maker = chance.choice(("Alder", "Birch", "Cedar", "Dogwood"))
        serial = str(chance.randrange(10**8, 10**9))
        is_grouped = chance.random() < 0.04 if strewn else maker == "Cedar" and chance.random() < 0.3
        if is_grouped:
            serial = f"{serial[:3]}-{serial[3:6]}-{serial[6:]}"
        is_open = at >= number - 20 and chance.random() < 0.7
        rows.append(
            [f"T{at}", maker, serial, chance.randint(100, 900), "" if is_open else chance.choice(("yes", "no"))]
        )
    return rows


def test_a_form_that_one_source_writes_is_no_slip_and_one_that_is_strewn_may_be() -> None:
    assert not [one for one in find_errors(COLUMNS, meters(1)) if one.column == "serial"]
    assert len([one for one in find_errors(COLUMNS, meters(1, strewn=True)) if one.column == "serial"]) > 15


def test_what_is_open_in_the_last_rows_only_is_not_missing() -> None:
    rows = meters(2)
    assert not [one for one in find_errors(COLUMNS, rows) if one.column == "checked"]
    chance = random.Random(3)
    for row in rows:
        row[4] = "" if chance.random() < 0.02 else chance.choice(("yes", "no"))
    assert [one for one in find_errors(COLUMNS, rows) if one.column == "checked"]


def test_few_rows_keep_to_one_value_by_chance() -> None:
    table = encode(["a", "b"], [[at % 3, at] for at in range(300)])
    assert not keeps_to_one([0, 3, 6], table[1], table)
    assert keeps_to_one(list(range(0, 60, 3)), table[1], table)


def test_a_value_that_stands_for_several_is_of_its_own() -> None:
    chance = random.Random(4)
    homes = {name: f"{name} Hall" for name in ("Ashford", "Brent", "Corby", "Deal", "Epsom", "Frome")}
    rows: list[list[object]] = [[at, chance.choice(list(homes)), ""] for at in range(400)]
    for at, row in enumerate(rows):
        row[2] = "Market Square" if at % 40 == 7 else homes[str(row[1])]
    rows[100][2] = "Corby Hall" if rows[100][1] != "Corby" else "Deal Hall"
    assert {one.row for one in find_errors(["no", "choir", "venue"], rows)} == {100}


def test_a_rounded_quotient_is_not_taken_for_a_product() -> None:
    chance = random.Random(5)
    columns = ["lot", "area", "price", "per_area"]
    rows: list[list[object]] = []
    for at in range(500):
        area, price = round(chance.uniform(20, 900), 1), 100 * chance.randint(300, 30_000)
        rows.append([at, area, price, f"{price / area:.2f}"])
    found = find_formulas(encode(columns, rows))
    assert [told(one.formula, columns) for one in found] == ["per_area = price / area"]
    assert find_errors(columns, rows) == []
