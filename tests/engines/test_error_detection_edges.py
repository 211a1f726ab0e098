"""Numbers that begin anew, that many rows have, that part near an edge or only rise together: none of them is wrong."""

import random

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Sign
from resolvers.engines.error_detection.formula_fits import find_formulas
from resolvers.engines.error_detection.numbers import order_signs, outlier_signs
from resolvers.engines.error_detection.table import encode
from resolvers.engines.error_detection.turns import turned


def trips(seed: int) -> list[list[int]]:
    """When some leave and arrive, as a clock shows it, and how many seats they have."""
    chance = random.Random(seed)
    rows: list[list[int]] = []
    for _ in range(1500):
        start = chance.randint(5 * 60, 24 * 60 - 1 if chance.random() < 0.5 else 19 * 60)
        end = (start + chance.randint(60, 240)) % (24 * 60)
        rows.append([start // 60 * 100 + start % 60, end // 60 * 100 + end % 60, chance.randint(1, 9)])
    return rows


def test_what_arrives_after_midnight_is_in_order() -> None:
    rows = trips(8)
    late = {at for at, (start, end, _) in enumerate(rows) if end < start}
    assert len(late) > 50
    table = encode(["departs", "arrives", "seats"], rows)
    found = {row for row, column in turned(table) if column == 1}
    assert found <= late
    assert len(found) > 0.9 * len(late)
    assert [one for one in find_errors(["departs", "arrives", "seats"], rows) if one.score >= 0.5] == []


def test_two_that_were_exchanged_begin_nothing_anew() -> None:
    chance = random.Random(9)
    rows = [[low := chance.randint(0, 2000), low + chance.randint(60, 240)] for _ in range(1500)]
    for row in rows[:12]:
        row.reverse()
    assert turned(encode(["from", "to"], rows)) == set()


def test_a_far_number_that_many_rows_have_is_usual() -> None:
    chance = random.Random(10)
    prices: list[float] = [round(chance.gauss(62, 2), 0) for _ in range(985)]
    offers = [*prices, *[17.0] * 12, 11.0, 12.0, 14.0]
    signs = outlier_signs(column := encode(["price"], [[one] for one in offers])[0])
    assert column.texts.index("17.0") not in signs
    nothing = [*prices, *[-999.0] * 12, 11.0, 12.0, 14.0]
    signs = outlier_signs(column := encode(["price"], [[one] for one in nothing])[0])
    assert signs[column.texts.index("-999.0")].sign is Sign.STAND_IN


def test_counts_that_part_near_their_edge_have_no_order() -> None:
    chance = random.Random(11)
    rows = []
    for _ in range(2000):
        size = int(chance.lognormvariate(3, 1))
        rows.append([many := chance.randint(size // 2, size + 1), chance.randint(many // 6, max(1, many // 3))])
    rows += [[3, 4], [2, 3], [5, 6], [4, 5], [1, 2]]
    table = encode(["all", "some"], rows)
    assert order_signs(table, [set(), set()]) == {}


def test_a_term_that_says_nothing_makes_no_formula() -> None:
    chance = random.Random(12)
    rows = []
    for _ in range(400):
        one = chance.randint(1, 4)
        rows.append([one if chance.random() < 0.85 else chance.randint(1, 4), one, chance.randint(1, 9)])
    assert find_formulas(encode(["copy", "one", "rate"], rows)) == []


def test_two_that_only_rise_together_make_no_formula() -> None:
    chance = random.Random(13)
    rows = [[many := chance.randint(0, 20), round(0.9 * many + chance.uniform(-1.2, 1.2))] for _ in range(600)]
    assert find_formulas(encode(["all", "some"], rows)) == []


def test_signs_of_comparison_are_no_way_of_writing() -> None:
    rows = [[text] for text in ["> 20 years"] * 30 + ["< 20 years"] * 90]
    assert find_errors(["onset"], rows) == []
