"""What many rows have on purpose, and looks like mistakes: storms, limits of detection, series with numbers of their
own; and what spreadsheets and hurried hands leave, which looks like values."""

import random
from collections.abc import Callable

import pytest

from resolvers.engines.error_detection.check_digits import check_digit_signs
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Sign
from resolvers.engines.error_detection.fillers import filler_signs
from resolvers.engines.error_detection.minority_formats import numbered_manners
from resolvers.engines.error_detection.numbers import outlier_signs
from resolvers.engines.error_detection.repeated_keys import repeated_key_signs
from resolvers.engines.error_detection.shapes import shape_signs
from resolvers.engines.error_detection.spreadsheets import spreadsheet_signs
from resolvers.engines.error_detection.table import encode
from tests.engines.test_error_detection_plain_sense import column_of


def dust(chance: random.Random, at: int) -> str:
    """Readings of fine dust, in a storm on forty of a thousand days, when they are told without decimals."""
    return str(chance.randint(240, 800)) if at % 25 == 0 else f"{chance.uniform(2, 30):.1f}"


def heat(chance: random.Random, at: int) -> str:
    """Degrees of an oven, of which forty of a thousand are in Fahrenheit."""
    celsius = chance.uniform(160, 230)
    return f"{celsius * 1.8 + 32 if at % 25 == 0 else celsius:.1f}"


@pytest.mark.parametrize(("make", "is_wrong"), [(dust, False), (heat, True)])
def test_many_that_lie_apart_are_mistakes_if_they_are_the_others_in_another_unit(
    make: Callable[[random.Random, int], str], is_wrong: bool
) -> None:
    chance = random.Random(5)
    values = [make(chance, at) for at in range(1000)]
    rows = [[at, chance.choice("abcd"), value] for at, value in enumerate(values)]
    listed = {one.row for one in find_errors(["no", "bay", "reading"], rows) if one.column == "reading"}
    assert listed == ({at for at in range(1000) if at % 25 == 0} if is_wrong else set())


def test_a_few_that_lie_apart_stay_suspect_and_small_whole_numbers_among_fractions_do() -> None:
    chance = random.Random(6)
    values = [f"{chance.uniform(2, 30):.1f}" for _ in range(990)]
    column = column_of("reading", [*values, "410", "455", "502.1", *("7", "9", "11")])
    assert {column.texts[code] for code in outlier_signs(column)} >= {"410", "455", "502.1"}
    rows = [[at, chance.choice("abcd"), value] for at, value in enumerate([*values, "7", "9", "11"])]
    assert {one.value for one in find_errors(["no", "bay", "reading"], rows)} == {"7", "9", "11"}


def test_below_what_can_be_measured_is_a_value_with_decimals_too() -> None:
    chance = random.Random(7)
    values = [f"{chance.uniform(0.2, 9):.2f}" if at % 20 else "<0.15" for at in range(400)]
    column = column_of("lead", values)
    [limit] = [code for code, text in enumerate(column.texts) if text == "<0.15"]
    assert numbered_manners(column) == {limit}
    assert not find_errors(["no", "lead"], [[at, value] for at, value in enumerate(values)])


def test_a_form_that_only_the_numbers_of_some_series_have_is_theirs() -> None:
    chance = random.Random(8)
    values: list[object] = [f"{chance.choice(['KLM', 'OPQ', 'RST', 'UVW'])}-{at + 1000}" for at in range(400)]
    series = [f"JUN-{at + 10}" for at in range(12)]
    own = column_of("item", [*values, *series])
    assert max(one.weight for one in shape_signs(own).values()) < 2, "not enough to be listed"
    strewn = column_of("item", [*values, *(f"{['KLM', 'OPQ', 'RST', 'UVW'][at % 4]}-{at + 10}" for at in range(12))])
    assert sum(one.weight > 3.4 for one in shape_signs(strewn).values()) == 12, "cut short, whatever the series"


def test_codes_that_a_spreadsheet_took_for_amounts_are_told_with_their_zeros() -> None:
    chance = random.Random(9)
    good = [f"{chance.randrange(10**11):011d}" for _ in range(300)]
    lost = [code.lstrip("0") for code in good if code[0] == "0"][:9]
    column = column_of("licence", [*(code for code in good if code.lstrip("0") not in lost), *lost, "1.23457E+10"])
    signs = spreadsheet_signs(column)
    assert {column.texts[code]: one.repair for code, one in signs.items()} == {
        **{text: text.zfill(11) for text in lost}, "1.23457E+10": None,
    }  # fmt: skip
    amounts = column_of("sum", [str(int(chance.lognormvariate(9, 1))) for _ in range(300)])
    assert not spreadsheet_signs(amounts)
    measures = column_of("mass", ["1.5E+10", *(f"{chance.random():.5f}" for _ in range(300))])
    assert not spreadsheet_signs(measures)
    assert not check_digit_signs(column)


def test_what_fills_a_field_is_told_by_how_it_stands_out() -> None:
    chance = random.Random(10)
    lines = [f"{chance.randrange(10**4)} {chance.randrange(10**5):06d}" for _ in range(200)]
    column = column_of("line", [*lines, *["0000 000000"] * 2, "5555 555555", *["1234 567890"] * 6])
    signs = filler_signs(column)
    assert {column.texts[code] for code in signs} == {"0000 000000", "5555 555555", "1234 567890"}
    assert {one.sign for one in signs.values()} == {Sign.STAND_IN}
    rooms = column_of("room", [*(f"{chance.choice('ABC')}{chance.randint(1, 40)}" for _ in range(200)), *["Hall"] * 9])
    assert not filler_signs(rooms), "where values come again, one may come often"
    titles = [f"{chance.choice(['Old', 'New', 'Red'])} {at}" for at in range(200)]
    assert not filler_signs(column_of("title", [*titles, *["Home"] * 6, *["Rain"] * 4])), "others come again too"


@pytest.mark.parametrize("step", [1, 4])
def test_of_two_rows_with_one_key_the_one_that_is_out_of_step_is_the_copy(step: int) -> None:
    keys = [f"K/{at * step + 100:05d}" for at in range(200)]
    keys[71], keys[150] = keys[70], keys[20]
    found = repeated_key_signs(encode(["ticket_no", "x"], [[key, "y"] for key in keys]))
    assert found.keys() == {(71, 0), (150, 0)}
    random.Random(3).shuffle(keys)
    signs = repeated_key_signs(encode(["ticket_no"], [[key] for key in keys]))
    assert len(signs) == 4, "without an order both are as likely"
    assert {one.weight for one in signs.values()} == {3.2}
    assert not repeated_key_signs(encode(["nickname"], [[key] for key in keys])), "no key by its name"
    assert not repeated_key_signs(encode(["ticket_no"], [[key] for key in (*keys, *keys[:30])])), "repeats are usual"


def test_a_row_that_was_loaded_twice_has_no_wrong_key() -> None:
    rows = [[f"T-{at}", f"a{at}", f"b{at}", f"c{at}", f"d{at}", f"e{at}"] for at in range(200)]
    columns = ["ticket_no", "a", "b", "c", "d", "e"]
    assert repeated_key_signs(encode(columns, [*rows, [*rows[7][:5], "other"]])) == {}
    assert set(repeated_key_signs(encode(columns, [*rows, ["T-7", *rows[9][1:]]]))) == {(200, 0)}


@pytest.mark.parametrize(
    ("make", "is_told"),
    [
        (lambda chance: chance.randint(900, 4000), True),  # kilogrammes of loads
        (lambda chance: chance.choices([1, 2, 5, 10], [60, 20, 10, 10])[0], True),  # pieces in a pack
        (lambda chance: sum(chance.random() < 0.06 for _ in range(100)), False),  # what thins out to none
        (lambda chance: chance.lognormvariate(0, 2), False),
    ],
)
def test_nothing_is_odd_where_numbers_end_well_above_or_at_one(
    make: Callable[[random.Random], float], is_told: bool
) -> None:
    chance = random.Random(12)
    values = [number for number in (make(chance) for _ in range(600)) if number > 0]
    column = column_of("load", [*map(str, values), "0", "0"])
    zero = column.texts.index("0")
    assert (zero in outlier_signs(column)) is is_told
