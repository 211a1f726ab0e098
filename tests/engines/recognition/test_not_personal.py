"""What is not personal, though some value of it passes: periods, codes, requests, registry numbers, films and rooms."""

import random
from typing import Any

import pytest

from resolvers.engines.recognition.contact import phones
from resolvers.engines.recognition.matching import RECOGNIZERS, nats_of
from resolvers.engines.recognition.model import ColumnValues
from schema.data_readiness.source import ColumnFacts
from tests.engines.recognition.support import found_in, tags

rng = random.Random(93)
MANY = range(60)
FILMS = ["Annie Hall", "Erin Brockovich", "Jerry Maguire", "Billy Elliot", "Mary Poppins", "Jackie Brown", "Rebecca"]

NOT: list[tuple[str, list[Any]]] = [
    ("fiscal_quarter", [f"{2019 + at % 4}-Q{1 + at % 4}" for at in MANY]),
    ("Quartal", [f"{1 + at % 4}. Quartal 20{10 + at % 9}" for at in MANY]),
    ("pay_period", [f"{2019 + at % 5}-P{1 + at % 13:02d}" for at in MANY]),
    ("term", [f"{('Spring', 'Fall', 'Summer')[at % 3]} {1990 + at % 20}" for at in MANY]),
    ("season", [f"{1990 + at}/{(91 + at) % 100:02d}" for at in range(20)]),
    ("occupation_code", [f"{rng.randint(11, 53)}-{rng.randint(1000, 9999)}" for _ in MANY]),
    ("request_number", [str(rng.randint(20_100_000, 68_999_999)) for _ in MANY]),
    ("registry_no", [str(rng.randint(10_000_000, 99_999_999)) for _ in MANY]),
    ("filing_no", [str(rng.randint(100_000_000, 999_999_999)) for _ in MANY]),
    ("film_title", [FILMS[at % 7] for at in MANY]),
    ("brand", [("Calvin Klein", "Hugo Boss", "Ralph Lauren", "Tommy Hilfiger")[at % 4] for at in MANY]),
    ("building", [("Hopkins Hall", "Carver Annex", "Morris Wing", "Ellis Block")[at % 4] for at in MANY]),
    ("station", [("Victoria", "Florence", "Madison", "Franklin", "Charlotte")[at % 5] for at in MANY]),
]


OCCUPATIONS = [f"{random.Random(at).randint(11, 53)}-{random.Random(at).randint(1000, 9999)}" for at in MANY]


@pytest.mark.parametrize("form", ["{}", "{}.00"])
@pytest.mark.parametrize("name", ["soc_code", "c17"])
def test_codes_of_occupations_are_no_telephones_of_any_region(form: str, name: str) -> None:
    assert tags([form.format(code) for code in OCCUPATIONS], name) == set()


def test_persons_in_the_table_make_no_persons_of_stations_and_the_manager_of_one_stays() -> None:
    given, family = ("Maria", "James", "Olga", "Victoria"), ("Smith", "Khan", "Weber", "Silva", "Franklin")
    people = [f"{given[at % 4]} {family[at % 5]}" for at in MANY]
    stations = [("Victoria", "Florence", "Madison", "Franklin", "Charlotte")[at % 5] for at in MANY]
    found = found_in({"rider": people, "station_name": stations, "station_manager": people[::-1]})
    assert [[one.tag for one in some] for some in found.values()] == [["PersonName"], [], ["PersonName"]]


CALLED = [("Bella", "Max", "Lucy", "Oscar", "Molly", "Jack", "Sophie", "Charlie")[at % 8] for at in MANY]
OWNERS = [f"{('Maria', 'James', 'Olga')[at % 3]} {('Smith', 'Khan', 'Weber', 'Silva')[at % 4]}" for at in MANY]
KINDS = [("lizard", "goat", "duck")[at % 3] for at in MANY]


@pytest.mark.parametrize(
    ("table", "column", "beside"),
    [
        ("ponies", "pony_name", {}), ("ferries", "vessel", {}), ("yachts", "name", {}),
        ("arrivals", "name", {"species": KINDS}),
    ],
)  # fmt: skip
def test_animals_and_ships_that_are_called_as_persons_are_none_and_whose_they_are_is(
    table: str, column: str, beside: dict[str, list[str]]
) -> None:
    found = found_in({column: CALLED, "keeper": OWNERS} | beside, name=table)
    assert [one.tag for one in found[column]] == []
    assert [one.tag for one in found["keeper"]] == ["PersonName"]


def test_persons_of_a_table_that_tells_of_animals_too_stay_persons() -> None:
    found = found_in({"name": OWNERS, "pet": CALLED, "breed": KINDS}, name="clients")
    assert [[one.tag for one in some] for some in found.values()] == [["PersonName"], [], []]


@pytest.mark.parametrize(("name", "values"), NOT, ids=[name for name, _ in NOT])
def test_what_is_not_personal_gets_no_tag(name: str, values: list[Any]) -> None:
    assert tags(values, name) == set()


@pytest.mark.parametrize(("name", "values"), NOT[:9], ids=[name for name, _ in NOT[:9]])
def test_neither_do_numbers_and_periods_without_their_name(name: str, values: list[Any]) -> None:
    assert tags(values) == set(), name


def test_films_beside_their_directors_are_no_persons_and_the_directors_are() -> None:
    directors = [f"{('Maria', 'James', 'Olga')[at % 3]} {('Smith', 'Khan', 'Weber', 'Silva')[at % 4]}" for at in MANY]
    found = found_in({"title": [FILMS[at % 7] for at in MANY], "director": directors}, name="films")
    assert {name: [one.tag for one in some] for name, some in found.items()} == {
        "title": [],
        "director": ["PersonName"],
    }


def test_the_check_digits_of_all_countries_are_one_test() -> None:
    """With a hundred schemes to try, one that a tenth of numbers passes fits four of five by chance every so often."""
    scheme = next(one for one in RECOGNIZERS if one.name == "ca.sin")
    assert nats_of(scheme, 5, 4, 5, scheme.chance) < 2
    assert nats_of(scheme, 3, 3, 3, scheme.chance) < 3
    assert nats_of(scheme, 12, 12, 12, scheme.chance) > 8


def test_five_registry_numbers_of_which_most_pass_some_scheme_are_no_persons_numbers() -> None:
    wrong = 0
    for seed in range(60):
        drawn = random.Random(seed)
        wrong += bool(tags([str(drawn.randint(100_000_000, 999_999_999)) for _ in range(4)], "registry_no"))
    assert wrong <= 1


def test_a_few_strewn_values_of_another_column_say_nothing_of_a_closed_list() -> None:
    terms: list[Any] = [("QAP", "QXW", "QDP", "QCA", "QPT")[at % 5] for at in range(600)]
    strewn = ["Portugal", "Norway", "Greece", "Austria"]
    found = found_in({"terms": [*strewn, *terms[4:]], "driver": [OWNERS[at % 60] for at in range(600)]})
    assert [one.tag for one in found["terms"]] == []
    open_list = [*strewn * 3, *[f"unit {at}" for at in range(10)]]
    assert len(ColumnValues(ColumnFacts("a.b.c.d.e", "e", 0), open_list).distinct) == 14, "too few rows to be one"


def test_numbers_that_begin_with_an_area_and_a_dash_are_no_telephones_of_some_region() -> None:
    drawn = random.Random(7)
    numbers = [f"23{drawn.randint(1, 9)}-{drawn.randint(2000, 59999)}" for _ in MANY]
    assert tags(numbers, "cell_id") == tags(numbers, "c3") == set()


@pytest.mark.parametrize("number", ["2018/0119", "2019-00090", "1998/1204"])
def test_numbers_that_are_counted_within_a_year_are_no_telephones_of_any_region(number: str) -> None:
    assert not [one.name for one in phones() if one.test(number)]


def test_languages_are_no_countries_where_no_nation_stands_among_them_that_has_none_of_its_own() -> None:
    spoken = [("English", "German", "French", "Polish", "Czech")[at % 5] for at in MANY]
    authors = [f"{('Maria', 'James', 'Olga')[at % 3]} {('Smith', 'Khan', 'Weber', 'Silva')[at % 4]}" for at in MANY]
    assert found_in({"author": authors, "language": spoken})["language"] == []
    born = [("English", "German", "Austrian", "Brazilian", "Canadian")[at % 5] for at in MANY]
    assert [one.tag for one in found_in({"author": authors, "c2": born})["c2"]] == ["Country"]


TOWNS = ("London", "Vienna", "Prague", "Paris", "Zurich")


def test_the_town_of_a_hotel_is_not_its_guests_and_that_of_a_guest_is() -> None:
    drawn = random.Random(3)
    guests = [f"{('Maria', 'James', 'Olga')[at % 3]} {('Smith', 'Khan', 'Weber', 'Silva')[at % 4]}" for at in MANY]
    hotels = [drawn.randint(0, 9) for _ in MANY]
    code, town = [f"H{one:02d}" for one in hotels], [TOWNS[one % 5] for one in hotels]
    of_hotels = found_in({"hotel_code": code, "city": town, "guest_name": guests})
    assert [[one.tag for one in some] for some in of_hotels.values()] == [[], [], ["PersonName"]]
    of_guests = found_in({"hotel_code": code, "city": [TOWNS[at % 12 % 5] for at in MANY], "guest_name": guests})
    assert [one.tag for one in of_guests["city"]] == ["City"]


@pytest.mark.parametrize(
    ("beside", "expected"), [({}, []), ({"customer_id": [str(at * 37 % 501) for at in MANY]}, ["City"])]
)
def test_a_town_is_personal_beside_a_reference_to_a_person_only(beside: dict[str, Any], expected: list[str]) -> None:
    found = found_in({**beside, "city": [TOWNS[at % 5] for at in MANY]})
    assert [one.tag for one in found["city"]] == expected


def test_degrees_of_stations_are_not_personal() -> None:
    places = [(f"{48 + at % 7 / 7:.4f}", f"{14 + at % 7 / 9:.4f}") for at in MANY]
    again = found_in({"latitude": [north for north, _ in places], "longitude": [east for _, east in places]})
    assert again == {"latitude": [], "longitude": []}
    drawn = random.Random(5)
    spots = {
        "lat": [f"{drawn.uniform(40, 50):.5f}" for _ in MANY], "lon": [f"{drawn.uniform(5, 15):.5f}" for _ in MANY],
    }  # fmt: skip
    airports = found_in({"airport": [f"Airport {at}" for at in MANY], **spots})
    assert airports["lat"] == airports["lon"] == []
    riders = found_in(
        {"rider_name": [f"Olga Weber{at % 9}" for at in MANY], "driver_id": [str(at) for at in MANY], **spots}
    )
    assert [one.tag for one in riders["lat"]] == ["Coordinates"]


def test_a_few_numbers_with_check_digits_in_very_many_rows_are_of_kinds_of_things() -> None:
    codes = ("718-7", "777-3", "6690-2", "14749-6", "14682-9", "2823-3", "2951-2")
    assert tags([codes[at % 7] for at in range(400)], "test_code") == set()
