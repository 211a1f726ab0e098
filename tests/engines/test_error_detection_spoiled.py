"""What programs and habits make of values: powers of ten, half a day, a day that stands for none, consonants, signs."""

import random
from datetime import date, timedelta

from resolvers.engines.error_detection.aliases import alias_signs
from resolvers.engines.error_detection.clock import clock_signs
from resolvers.engines.error_detection.domains import exchange_signs
from resolvers.engines.error_detection.numbers import outlier_signs
from resolvers.engines.error_detection.spreadsheets import spreadsheet_signs
from resolvers.engines.error_detection.table import TableColumn, encode


def column_of(name: str, values: list[str]) -> TableColumn:
    return encode([name], [[value] for value in values])[0]


def texts(column: TableColumn, codes: object) -> set[str]:
    return {column.texts[code] for code in codes}  # type: ignore[attr-defined]


def test_a_power_of_ten_among_long_numbers_with_signs_is_of_a_spreadsheet() -> None:
    chance = random.Random(1)
    values = [f"+43 {chance.randrange(10**9, 10**10)}" for _ in range(60)]
    column = column_of("line", [*values, "4.36641E+11"])
    assert texts(column, spreadsheet_signs(column)) == {"4.36641E+11"}
    column = column_of("mass", [f"{chance.uniform(1, 9):.4f}E+11" for _ in range(60)])
    assert not spreadsheet_signs(column)


def test_a_time_half_a_day_from_the_usual_ones_is_of_a_clock_of_twelve_hours() -> None:
    chance = random.Random(2)
    values = [chance.choice(("13:30", "15:00", "16:30", "19:00")) for _ in range(300)]
    column = column_of("opens", [*values, "03:00", "03:00", "07:00", "04:30"])
    assert texts(column, clock_signs(column)) == {"03:00", "07:00", "04:30"}
    column = column_of("opens", [*values, "05:00", "05:00", "05:00"])
    assert not clock_signs(column)
    column = column_of("rings", [f"{chance.randrange(24):02}:{chance.randrange(60):02}" for _ in range(600)])
    assert not clock_signs(column)


def test_the_first_day_of_a_clock_far_from_all_others_stands_for_none() -> None:
    chance = random.Random(3)
    values = [(date(2023, 1, 1) + timedelta(chance.randrange(60))).isoformat() for _ in range(600)]
    column = column_of("booked", [*values, *["1970-01-01"] * 12])
    assert texts(column, outlier_signs(column)) == {"1970-01-01"}


def test_consonants_of_one_usual_word_are_short_for_it() -> None:
    chance = random.Random(4)
    values = [chance.choice(("Kitchen", "Garage", "Bedroom", "Balcony")) for _ in range(300)]
    column = column_of("room", [*values, "Ktchn", "BLC", "GRG.", "Hall"])
    assert texts(column, alias_signs(column)) >= {"Ktchn", "BLC", "GRG."}
    assert "Hall" not in texts(column, alias_signs(column))
    codes = column_of("unit", [*[chance.choice(("KTC", "GRG", "Bedroom")) for _ in range(300)], "BDR"])
    assert not alias_signs(codes)


def test_a_lost_sign_is_seen_beside_numbers_that_stand_for_none() -> None:
    chance = random.Random(5)
    values = [f"{chance.uniform(3, 80):.1f}" for _ in range(900)]
    column = column_of("level", [*values, *["-99.9"] * 12, "-35.5", "-41.2"])
    assert texts(column, outlier_signs(column)) >= {"-35.5", "-41.2"}


def test_a_code_and_a_word_that_were_exchanged_are_seen_by_their_forms() -> None:
    chance = random.Random(6)
    rows = [
        [f"{chance.choice('KLM')}{chance.randrange(10**4, 10**5)}", chance.choice(("Orr", "Pike"))] for _ in range(300)
    ]
    for at in (20, 150):
        rows[at].reverse()
    assert exchange_signs(encode(["seal", "depot"], rows)).keys() == {
        (at, column) for at in (20, 150) for column in (0, 1)
    }
