"""Conventions of a column, islands of numbers, exchanged ends: what the detector finds, and what it leaves alone."""

import random
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

import pytest

from resolvers.engines.error_detection.detect import find_errors

ROWS = 600
GIVEN = ("Ann", "Bo", "Cy", "Dora", "Emil", "Fay", "Gus", "Hedy", "Ivo", "Jane")
FAMILY = ("Reed", "Lund", "Marsh", "Okafor", "Quill", "Stone", "Tamm", "Vos", "Weir", "Zell")
Make = Callable[[random.Random], Any]


def wrong(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> set[tuple[int, str]]:
    return {(one.row, one.column) for one in find_errors(columns, rows)}


def one_column(make: Make, spoil: Callable[[Any], Any], every: int) -> tuple[set[int], set[int], set[int]]:
    """The rows that were spoilt, those that are found, and those that are found without errors."""
    chance = random.Random(4)
    clean = [make(chance) for _ in range(ROWS)]
    spoilt = {row for row in range(3, ROWS, every) if spoil(clean[row]) != clean[row]}
    dirty = [spoil(value) if row in spoilt else value for row, value in enumerate(clean)]
    found = [{row for row, _ in wrong(["value"], [[value] for value in values])} for values in (dirty, clean)]
    return spoilt, found[0], found[1]


def day(chance: random.Random, form: str) -> str:
    return (date(1970, 1, 1) + timedelta(days=chance.randrange(15_000))).strftime(form)


def kinds(chance: random.Random) -> str:
    return ", ".join(chance.sample(["drama", "crime", "comedy", "western", "horror"], chance.randint(1, 3)))


@pytest.mark.parametrize(
    ("make", "spoil", "every"),
    [
        (lambda c: f"{int(c.lognormvariate(9, 1)) + 1000:,}", lambda v: v.replace(",", ""), 20),
        (lambda c: str(c.randint(20, 900)), lambda v: f"{int(v) / 1000:.3f}", 40),
        (lambda c: f"{c.uniform(0.03, 0.09):.3f}", lambda v: f"{float(v) * 100:.1f}", 40),
        (kinds, lambda v: v.replace(", ", "|"), 15),
        (lambda c: f"{c.choice(GIVEN)} {c.choice(FAMILY[:4])}", lambda v: ", ".join(v.split()[::-1]), 30),
        (lambda c: f"{c.choice(GIVEN)} {c.choice(FAMILY)} {c.choice(FAMILY)}", lambda v: v.replace(" ", "  ", 1), 60),
        (lambda c: f"{c.gauss(37, 0.5):.1f}", lambda v: f"{float(v) * 1.8 + 32:.1f}", 30),
        (lambda c: c.randint(1, 900), lambda v: -1, 80),
        (lambda c: int(c.lognormvariate(7, 1)) + 9, lambda v: -v if v > 300 else v, 120),
        (lambda c: c.choices(["USD", "EUR", "GBP"], [70, 28, 2])[0], lambda v: {"USD": "$"}.get(v, v), 40),
        (lambda c: f"case {c.randint(0, 99999):05d}", lambda v: v[:-1], 12),
        (lambda c: f"case {c.randint(10000, 99999)}", lambda v: v[:-1], 40),
        (lambda c: f"{c.randint(1000, 9999)} {''.join(c.choices('ABCDEFGHJK', k=2))}", lambda v: v[1:], 40),
        (lambda c: day(c, "%m/%d/%Y"), lambda v: v[:6] + str(int(v[6:]) + 200), 110),
        (lambda c: day(c, "%m/20/%y"), lambda v: "/".join((v[3:5], v[:2], v[6:])), 30),
        (lambda c: f"{c.choice(FAMILY)}straße {c.randint(1, 90)}", lambda v: v.replace("ß", "ÃŸ"), 9),
        (lambda c: c.choices(["eng", "fre", "ger"], [80, 12, 8])[0], lambda v: {"eng": "English"}.get(v, v), 25),
        (lambda c: c.choices(["paid", "open", "void"], [80, 12, 8])[0], lambda v: {"paid": "pa"}.get(v, v), 60),
        (lambda c: f"{c.choice(GIVEN)} Müller {c.choice(FAMILY)}", lambda v: v.replace("ü", "?"), 30),
        (lambda c: f"{c.choice(GIVEN)}.{c.choice(FAMILY)}@post.example", lambda v: v.replace("@", " at "), 40),
        (lambda c: f"{c.choice(GIVEN)}.{c.choice(FAMILY)}@post.example", lambda v: v.replace("@", "@@"), 40),
        (lambda c: f"{c.uniform(5, 90):.1f} km/h", lambda v: v.replace("km/h", "m/s"), 40),
        (lambda c: (lambda a: f"{a}-{a + 7}")(c.randint(100, 900)), lambda v: "-".join(v.split("-")[::-1]), 30),
        (lambda c: f"{c.randint(1, 9)}:{c.randint(10, 59)} pm", lambda v: f"11/28/2013 {v}", 5),
    ],
    ids=[
        "thousands",
        "fraction",
        "decimals",
        "separator",
        "comma",
        "spaces",
        "unit",
        "mark",
        "sign",
        "symbol",
        "digit of a code",
        "digit of many",
        "digit of a postcode",
        "century",
        "no such day",
        "misread letters",
        "word for a code",
        "cut word",
        "lost letters",
        "needed sign",
        "sign twice",
        "unit of few",
        "span turned",
        "day before the time",
    ],
)
def test_what_breaks_the_convention_of_its_column_is_found(make: Make, spoil: Callable[[Any], Any], every: int) -> None:
    spoilt, found, on_clean = one_column(make, spoil, every)
    assert len(spoilt) >= 3
    assert len(found & spoilt) >= 0.8 * len(spoilt)
    assert found <= spoilt
    assert on_clean == set()


@pytest.mark.parametrize(
    "make",
    [
        lambda c: f"{c.uniform(1, 9):.3g}",
        lambda c: f"{c.paretovariate(1.5):.2f}",
        lambda c: f"{c.gauss(4, 2):.1f}",
        lambda c: c.choices(["12.0", "16.0", "24.0", "8.4", "19.2"], [70, 35, 2, 1, 1])[0],
        lambda c: c.choices(["A+", "O+", "A-", "O-"], [45, 45, 5, 5])[0],
        lambda c: c.choice(["/cart", "/login"]) if c.random() < 0.04 else f"/item/{c.randint(1, 40)}",
        lambda c: c.choices(["CIF", "FOB", "DAP", "DDP"], [50, 30, 20, 1.1])[0],
        lambda c: c.choice(["/oak", "/cart", "/login", "/search", "/help"]) if c.random() < 0.97 else "/",
        lambda c: f"note {c.randint(20, 999)}",
        lambda c: f'{{"a": {c.randint(20, 999)}}}',
        lambda c: f"{c.lognormvariate(0.8, 0.75):.2f} kg",
        lambda c: f"{c.randint(60, 900)} p.",
        lambda c: c.choices(["N", "NE", "S", "SW", "Nord"], [40, 3, 40, 16, 0])[0],
        lambda c: c.choices(["car", "bus", "cargo"], [50, 47, 3])[0],
        lambda c: day(c, "%d/%m/%y"),
        lambda c: day(c, "%b %d, %Y"),
        lambda c: f"{c.randint(1, 12)}.{c.randint(0, 40)}.{c.randint(0, 40)}",
        lambda c: f"{c.randint(100, 999)}-{c.randint(0, 9999):04d}",
        lambda c: f"„{c.choice(FAMILY)}ä»" if c.random() < 0.5 else f"Ü° {c.choice(FAMILY)}ße",
    ],
    ids=[
        "dropped zeros",
        "long tail",
        "below zero",
        "few sizes",
        "rhesus",
        "other paths",
        "seldom code",
        "root of paths",
        "numbered texts",
        "documents",
        "weights",
        "pages",
        "winds",
        "longer word",
        "days of two digits",
        "named months",
        "versions",
        "local numbers",
        "quoted letters",
    ],
)
def test_what_is_usual_in_its_column_is_left_alone(make: Make) -> None:
    chance = random.Random(6)
    assert wrong(["value"], [[make(chance)] for _ in range(ROWS)]) == set()


def test_exchanged_ends_are_both_found_and_nothing_else() -> None:
    chance = random.Random(9)
    rows = []
    for number in range(ROWS):
        begun = chance.randint(0, 4000)
        rows.append([number, begun, begun + chance.randint(5, 200)])
    spoilt = {40, 300, 511}
    for row in spoilt:
        rows[row][1:] = rows[row][:0:-1]
    assert wrong(("id", "begun", "ended"), rows) == {(row, name) for row in spoilt for name in ("begun", "ended")}


def test_figures_that_are_in_order_by_chance_are_left_alone() -> None:
    chance = random.Random(12)
    rows = [[chance.gauss(40, 12), chance.gauss(84, 15)] for _ in range(ROWS)]
    assert 3 <= sum(one > other for one, other in rows) <= 0.02 * ROWS
    assert wrong(("one", "other"), rows) == set()


def test_exchanged_figures_of_two_ranges_are_found() -> None:
    chance = random.Random(13)
    upper = [chance.gauss(128, 10) for _ in range(ROWS)]
    rows = [[round(0.6 * one + chance.gauss(0, 4)), round(one)] for one in upper]
    for row in (77, 400):
        rows[row].reverse()
    assert wrong(("low", "high"), rows) == {(row, name) for row in (77, 400) for name in ("low", "high")}


def test_a_rate_of_another_state_is_found_though_each_state_has_several() -> None:
    chance = random.Random(21)
    states = [(f"State{chr(65 + at)}", [f"{at}.{rate}" for rate in (1, 4, 8)]) for at in range(9)]
    towns = [(f"town-{at:02d}", *states[at % 9]) for at in range(27)]
    rows = [[town, state, chance.choice(rates)] for town, state, rates in chance.choices(towns, k=1800)]
    assert wrong(("town", "state", "rate"), rows) == set()
    spoilt = set(range(11, 1800, 120))
    for place, row in enumerate(sorted(spoilt)):
        rows[row][2] = f"{(int(rows[row][2][0]) + 1 + place % 7) % 9}.{chance.choice('148')}"
    assert wrong(("town", "state", "rate"), rows) == {(row, "rate") for row in spoilt}


def visits(persons: Sequence[tuple[str, ...]]) -> list[list[str]]:
    """Two rows or more of each person."""
    chance = random.Random(2)
    return [list(one) for one in (*persons, *persons, *chance.choices(persons, k=len(persons)))]


def test_a_doubtful_value_is_no_witness_against_its_only_neighbour() -> None:
    chance = random.Random(3)
    rows = [[f"p{at // 2}", f"mail-{at // 2}", f"k{at // 2}", ""] for at in range(800)]
    for at in range(0, 800, 2):
        rows[at][3] = rows[at + 1][3] = chance.choice(["A+", "O+", "B+"])
    spoilt = set(range(5, len(rows), 60))
    for row in spoilt:
        rows[row][3] = rows[row][3].replace("+", " pos")
    assert wrong(("person", "mail", "key", "group"), rows) == {(row, "group") for row in spoilt}


def test_two_persons_of_one_birthday_are_two_persons() -> None:
    chance = random.Random(8)
    born = [f"{chance.randint(1940, 1999)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}" for _ in range(600)]
    rows = visits([(f"P{at:04d}", day) for at, day in enumerate(born)])
    assert len(set(born)) < len(born)
    assert wrong(("person", "born"), rows) == set()


def booked(chance: random.Random, number: int) -> list[Any]:
    town = chance.randrange(40)
    names = [f"{GIVEN[town % 10]}ford{town}", ("North", "South", "East")[town % 3], f"{10_000 + town * 7}"]
    return [number, *names, chance.choice(["sent", "open", "done"]), chance.choice(["air", "road", "rail"])]


TOWNS = ["number", "town", "region", "postcode", "state", "way"]


def test_values_of_two_columns_that_were_exchanged_or_written_together_are_found_and_nothing_else() -> None:
    chance = random.Random(8)
    rows = [booked(chance, number) for number in range(900)]
    expected = set()
    for row in range(5, 900, 90):
        rows[row][4], rows[row][5] = rows[row][5], rows[row][4]
        expected |= {(row, "state"), (row, "way")}
    for row in range(20, 900, 30):
        rows[row][1] = f"{rows[row][1]}, {rows[row][2]}"
        expected |= {(row, "town")}
    assert wrong(TOWNS, rows) == expected


def test_a_key_that_decides_otherwise_than_two_others_is_blamed_itself() -> None:
    chance = random.Random(9)
    rows = [booked(chance, number) for number in range(900)]
    expected = set()
    for row in range(5, 900, 90):
        other = next(one for one in rows[row:] if one[2] != rows[row][2])
        rows[row][3] = other[3]
        expected.add((row, "postcode"))
    assert wrong(TOWNS, rows) == expected


def test_what_one_source_leaves_empty_and_the_others_tell_is_missing_where_sources_err_anyway() -> None:
    chance = random.Random(10)
    left = {trip: f"{chance.randint(1, 12)}:{chance.randint(10, 59)} pm" for trip in range(60)}
    rows: list[list[Any]] = [[f"source {at % 20}", f"T-{at // 20}", left[at // 20]] for at in range(1200)]
    wrong_ones = {at for at in range(1200) if at % 20 == 3 or at % 23 == 5}
    for at in wrong_ones:
        rows[at][2] = None if at % 20 == 3 else left[(at // 20 + 7) % 60]
    assert wrong(["source", "trip", "left"], rows) == {(at, "left") for at in wrong_ones}


def test_what_lies_between_two_exchanged_ends_is_left_alone() -> None:
    chance = random.Random(12)
    rows = []
    for row in range(900):
        usual = chance.uniform(-5, 30)
        least, most = usual - abs(chance.gauss(3, 1)), usual + abs(chance.gauss(3, 1))
        least, most = (most, least) if row % 90 == 5 else (least, most)
        rows.append([f"{usual:.1f}", f"{least:.1f}", f"{most:.1f}"])
    expected = {(row, column) for row in range(5, 900, 90) for column in ("least", "most")}
    assert wrong(["usual", "least", "most"], rows) == expected
