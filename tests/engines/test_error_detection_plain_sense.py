"""What plain sense tells of days, signs and units: who left was hired before, and what is counted is none below 0."""

import random
from datetime import date, timedelta

import pytest

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Sign, Suspect
from resolvers.engines.error_detection.numbers import ordered_pairs, outlier_signs
from resolvers.engines.error_detection.order_names import comes_first
from resolvers.engines.error_detection.placeholder_days import to_come_signs
from resolvers.engines.error_detection.table import TableColumn, encode


def column_of(name: str, values: list[object]) -> TableColumn:
    return encode([name], [[value] for value in values])[0]


def days(seed: int, number: int, first: date = date(1950, 1, 1), span: int = 15_000) -> list[str | None]:
    chance = random.Random(seed)
    return [(first + timedelta(chance.randrange(span))).isoformat() for _ in range(number)]


def crew(seed: int, first: str, last: str) -> tuple[list[str], list[list[object]], set[int]]:
    """A hundred sailors, of whom forty are no more there, and those whose days are the wrong way round."""
    chance = random.Random(seed)
    rows: list[list[object]] = []
    wrong = set()
    for at in range(100):
        start = date(2001, 1, 1) + timedelta(chance.randrange(4000))
        end = start + timedelta(chance.randint(20, 3000)) if at % 5 < 2 else None
        if at in (5, 40, 81):
            end = start - timedelta(chance.randint(30, 400))
            wrong.add(at)
        rows.append([at, start.isoformat(), None if end is None else end.isoformat(), chance.randint(1, 9)])
    return ["no", first, last, "cabin"], rows, wrong


def found_in(columns: list[str], rows: list[list[object]], column: str) -> dict[int, Suspect]:
    return {one.row: one for one in find_errors(columns, rows) if one.column == column}


@pytest.mark.parametrize(("first", "last"), [("hired", "left_on"), ("BirthDate", "died"), ("start_dt", "end_dt")])
def test_days_whose_names_tell_which_comes_first_are_in_order(first: str, last: str) -> None:
    columns, rows, wrong = crew(1, first, last)
    found = found_in(columns, rows, last)
    assert found.keys() == wrong
    assert all(one.reasons[0].sign is Sign.ORDER and 0.5 <= one.score < 0.9 for one in found.values())
    assert ordered_pairs(encode(columns, rows)) == [(1, 2)]


def test_names_that_tell_no_order_leave_few_rows_to_chance() -> None:
    columns, rows, _ = crew(2, "painted", "surveyed")
    assert found_in(columns, rows, "surveyed") == {}


def test_what_comes_first_is_told_by_names_one_way_only() -> None:
    assert comes_first("order_date", "shippedDate")
    assert not comes_first("shippedDate", "order_date")
    assert not comes_first("start_of_end", "end_of_start")
    assert not comes_first("city", "country")


def test_a_day_that_stands_for_none_is_had_by_far_more_rows_than_any_other() -> None:
    column = column_of("geb", [*days(3, 300), *["1900-01-01"] * 9])
    signs = outlier_signs(column)
    assert set(signs) == {column.texts.index("1900-01-01")}
    assert signs[column.texts.index("1900-01-01")].sign is Sign.STAND_IN


def test_the_day_of_a_clock_may_be_meant_unless_many_rows_have_it() -> None:
    once = column_of("seen", [*days(4, 300), "1970-01-01"])
    assert once.texts.index("1970-01-01") not in outlier_signs(once)
    often = column_of("seen", [*days(4, 300), *["1970-01-01"] * 12])
    assert often.texts.index("1970-01-01") in outlier_signs(often)


def test_for_ever_is_no_missing_value() -> None:
    column = column_of("valid_to", [*days(5, 300, date(2015, 1, 1), 3000), *["9999-12-31"] * 20])
    sign = outlier_signs(column).get(column.texts.index("9999-12-31"))
    assert sign is None or sign.weight < 3.2


def test_a_day_far_ahead_is_odd_where_all_others_are_past() -> None:
    today = date(2020, 6, 1)
    past = [(float(date(1960, 1, 1).toordinal() + 70 * at), 1, at) for at in range(300)]
    ahead = (float(date(2078, 3, 3).toordinal()), 1, 300)
    assert set(to_come_signs([*past, ahead], today)) == {300}
    soon = (float(date(2020, 9, 1).toordinal()), 1, 300)
    assert to_come_signs([*past, soon], today) == {}
    many = [(float(date(2060, 1, 1).toordinal() + at), 1, 300 + at) for at in range(30)]
    assert to_come_signs([*past, *many], today) == {}


def test_what_ends_at_nothing_is_not_less_in_a_few_rows() -> None:
    chance = random.Random(6)
    stock = [chance.randint(0, 400) for _ in range(200)]
    column = column_of("pieces", [*stock, -31, -12])
    assert set(outlier_signs(column)) == {column.texts.index("-31"), column.texts.index("-12")}


def test_a_formula_does_not_speak_for_signs() -> None:
    chance = random.Random(12)
    rows: list[list[object]] = []
    for at in range(400):
        net = chance.randint(3000, 30000) / 100 * (-1 if at in (17, 230) else 1)
        rows.append([at, net, tax := round(0.25 * net, 2), round(net + tax, 2)])
    found = find_errors(["no", "fee_net", "tax", "fee_total"], rows)
    assert {one.row for one in found if one.column.startswith("fee")} == {17, 230}


def test_what_tails_off_across_nothing_may_be_less() -> None:
    chance = random.Random(7)
    column = column_of("warmth", [round(chance.gauss(21, 10), 1) for _ in range(1000)])
    assert not [one for one in outlier_signs(column).values() if "negative" in one.told]


def test_usual_numbers_a_thousand_times_over_are_in_another_unit() -> None:
    chance = random.Random(8)
    column = column_of("grams", [*[chance.choice([3, 8, 15, 40]) for _ in range(800)], 3000, 15000, 40000, 8000])
    found = outlier_signs(column)
    assert {column.texts[code]: one.repair for code, one in found.items()} == {
        "3000": "3", "15000": "15", "40000": "40", "8000": "8",
    }  # fmt: skip


def test_other_great_numbers_are_no_other_unit() -> None:
    chance = random.Random(9)
    column = column_of("grams", [*[chance.choice([3, 8, 15, 40]) for _ in range(800)], 3000, 17000, 40000, 8000])
    assert not [one for one in outlier_signs(column).values() if "unit" in one.told]


def test_an_apostrophe_within_a_name_is_no_other_form() -> None:
    chance = random.Random(10)
    names = ["mara.lund", "pio.sarti", "lena.hoff", "ugo.brandt", "ida.moss", "jon.pike"]
    rows: list[list[object]] = [
        [at, f"{chance.choice(names)}{chance.randint(1, 99)}@post.example.org"] for at in range(300)
    ]
    rows[40][1] = "una.o'hara7@post.example.org"
    rows[90][1] = "una.o''hara7@post.example.org"
    rows[120][1] = "ida.moss at post.example.org"
    assert found_in(["no", "mail"], rows, "mail").keys() == {90, 120}
