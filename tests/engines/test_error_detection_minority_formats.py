"""What a minor part of a column does on purpose, and accidents that look like it."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.numbers import rank_correlation
from resolvers.engines.error_detection.table import encode
from resolvers.engines.error_detection.texts import are_sentences, known_lists
from tests.engines.test_error_detection_conventions import FAMILY, GIVEN, Make, one_column, wrong

WORKS = ("falls in love", "counts the rain; nobody asks why", "sells a boat, and regrets it", "waits for the post")
TREES = ("oak", "elm", "ash", "fir", "yew", "lime")
NAMES = (
    "Halberd",
    "Corvane",
    "Tessaly",
    "Brunnick",
    "Ostergo",
    "Wendlin",
    "Marquist",
    "Fieldug",
    "Pellamy",
    "Dorrinka",
)
TITLES = ("Lamp", "River", "Stone", "Window", "Bell", "Ladder", "Harvest", "Cellar")


def sentence(chance: random.Random) -> str:
    return f"A {chance.choice(['baker', 'nurse', 'miller'])} from the valley {chance.choice(WORKS)}."


def trees(chance: random.Random) -> str:
    return "/".join(chance.sample(TREES, 1 if chance.random() < 0.9 else 2))


def issue(chance: random.Random) -> str:
    number = chance.randint(1, 12)
    return chance.choices([str(number), f"{number}-{number + 1}"], [9, 1])[0] if number < 12 else "12"


def part(chance: random.Random) -> str:
    return chance.choices([str(chance.randint(1, 40)), f"Extra {chance.randint(1, 3)}"], [96, 4])[0]


def pages(chance: random.Random) -> str:
    first = chance.randint(1, 900)
    last = first + chance.randint(1, 9)
    return chance.choices([f"{first}-{last}", f"A{first}-A{last}", f"w{first}"], [92, 4, 4])[0]


def grouped(chance: random.Random) -> str:
    return f"{int(chance.lognormvariate(5, 1.2)) + 1:,} seats"


def sizes(chance: random.Random) -> str:
    return chance.choices(["10", "15", "12.7", "22.5"], [60, 36, 2, 2])[0]


def code(chance: random.Random) -> str:
    return f"{chance.randint(1000, 2500)}-{chance.randint(2000, 9999)}"


@pytest.mark.parametrize("make", [sentence, trees, issue, part, pages, grouped, sizes, code])
def test_what_several_rows_do_on_purpose_is_no_error(make: Make) -> None:
    chance = random.Random(6)
    assert not wrong(["value"], [[make(chance)] for _ in range(900)])


def as_day(value: str) -> str:
    """Return what a spreadsheet makes of two small numbers."""
    first, last = value.split("-")
    return f"{['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'][int(first) - 1]}-{last}" if int(first) < 7 else value


@pytest.mark.parametrize(
    ("make", "spoil", "every"),
    [
        (lambda c: f"{(a := c.randint(1, 30))}-{a + c.randint(1, 3)}", as_day, 5),
        (lambda c: f"{c.choice(['TPR', 'SEP', 'KRX'])}{c.randint(1, 9)}", lambda v: f"{v[3:]}-Sep", 40),
        (lambda c: f"{c.randint(3, 900)} seats", lambda v: v.replace("seats", "Seats"), 40),
        (lambda c: f"{c.randint(1000, 90000):,} seats", lambda v: v.replace(",", ""), 40),
        (lambda c: f"{c.choice(GIVEN)} {c.choice(FAMILY)} {c.choice(TITLES)}", str.lower, 50),
        (lambda c: f"{c.choice(NAMES)} {c.choice(NAMES)}", lambda v: v[:2] + "x" + v[3:], 60),
        (lambda c: str(c.randint(1, 40)), lambda v: f"No. {v}", 30),
    ],
)
def test_an_accident_is_found_though_it_meets_many_values(make: Make, spoil: Callable[[Any], Any], every: int) -> None:
    spoilt, found, found_in_clean = one_column(make, spoil, every)
    assert len(found & spoilt) >= 0.9 * len(spoilt)
    assert len(found - spoilt) <= 2
    assert not found_in_clean


def test_a_number_of_the_same_row_behind_a_text_is_found_and_any_other_is_not() -> None:
    chance = random.Random(2)
    rows = [[f"{chance.choice(TITLES)} {chance.choice(FAMILY)}", str(chance.randint(1960, 2020))] for _ in range(600)]
    repeated = set(range(5, 600, 25))
    astray = {row: [f"{title} ({year})" if row in repeated else title, year] for row, (title, year) in enumerate(rows)}
    assert wrong(["title", "year"], list(astray.values())) == {(row, "title") for row in repeated}
    of_its_own = [
        [f"{title} ({chance.randint(1960, 2020)})" if row % 9 == 0 else title, year]
        for row, (title, year) in enumerate(rows)
    ]
    assert not wrong(["title", "year"], of_its_own)


def test_what_no_row_of_a_thing_tells_is_not_missing_and_what_one_row_does_not_tell_is() -> None:
    chance = random.Random(3)
    things = [(f"T{at}", str(chance.randint(100, 999)), "" if at % 25 == 3 else f"{at}:15") for at in range(60)]
    rows = [[name, weight, told] for name, weight, told in things for _ in range(12)]
    assert not wrong(["thing", "weight", "told"], rows)
    rows[100][2] = ""
    assert wrong(["thing", "weight", "told"], rows) == {(100, "told")}


def test_an_empty_cell_is_missing_where_a_stronger_column_tells_what_belongs_there() -> None:
    rows = [[f"shop {at}", f"Town {at % 10}", f"Land {at % 5}"] for at in range(40) for _ in range(10)]
    for row in (30, 130, 230):  # the same town, written together with its land
        rows[row][1:] = ["Town 3 Land 3", ""]
    assert {(row, "land") for row in (30, 130, 230)} <= wrong(["shop", "town", "land"], rows)


def test_a_list_of_known_values_holds_with_the_one_that_is_expected() -> None:
    chance = random.Random(5)
    tongues = {"Ula": "ulan", "Bor": "boric", "Ves": "vesh", "Kem": "kemi"}
    rows = []
    for _ in range(800):
        land = chance.choice(list(tongues))
        more = chance.choice(list(tongues.values()))
        is_list = chance.random() < 0.05 and more != tongues[land]
        rows.append([land, f"{tongues[land]},{more}" if is_list else tongues[land]])
    found = find_errors(["land", "tongue"], rows)
    assert not found
    lists = known_lists(encode(["tongue"], [[row[1]] for row in rows])[0])
    assert len(lists) == 12


def test_sentences_are_told_from_lists_and_names() -> None:
    chance = random.Random(8)

    def are(make: Make) -> bool:
        return are_sentences(encode(["value"], [[make(chance)] for _ in range(50)])[0])

    assert are(sentence)
    assert not are(lambda c: ", ".join(c.sample(TREES, 5)))
    assert not are(lambda c: " ".join(c.choice(FAMILY) for _ in range(6)))
    assert not are(lambda c: str(c.randint(1, 99)))


def test_ranks_of_numbers_that_have_nothing_to_do_with_one_another_do_not_correlate() -> None:
    chance = random.Random(9)
    assert abs(rank_correlation([(chance.random(), chance.random()) for _ in range(400)])) < 0.2
    assert rank_correlation([(at, at + chance.random()) for at in range(400)]) > 0.99


def test_the_sign_of_a_time_zones_offset_is_no_form() -> None:
    chance = random.Random(3)
    zones = ["+01:00"] * 60 + ["+09:00"] * 30 + ["-08:00"] * 5 + ["-03:30"] * 2
    rows = [
        [at, f"2024-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}T{chance.randint(8, 17):02d}:15{zone}"]
        for at, zone in enumerate(zones * 4)
    ]
    assert not find_errors(["number", "begun"], rows)
    broken = [*rows, [999, "2024-05-06T10:15"], [1000, "06.05.2024 10:15"]]
    assert {one.row for one in find_errors(["number", "begun"], broken)} == {len(rows), len(rows) + 1}
