"""Whole tables of several trades under their own, meaningless and wrong names; and columns that tell of one another."""
# ruff: noqa: E501 - lists of words

import random
from datetime import date, timedelta
from typing import Any

import pytest

from tests.engines.recognition.domains import ROWS, tables
from tests.engines.recognition.support import found_in, tags

TRADES = tables()
rng = random.Random(3)


def tagged(trade: str, naming: str) -> list[tuple[str, str | None, set[str]]]:
    columns = TRADES[trade]
    own = list(columns)
    names = {"own": own, "none": [f"c{place}" for place in range(len(own))], "wrong": own[1:] + own[:1]}[naming]
    values = dict(zip(names, (some for _, some in columns.values()), strict=True))
    found = found_in(values, name=trade if naming != "none" else "t3")
    return [(kind, columns[kind][0], {one.tag for one in found[name]}) for kind, name in zip(own, names, strict=True)]


@pytest.mark.parametrize("naming", ["own", "none", "wrong"])
@pytest.mark.parametrize("trade", TRADES)
def test_what_is_personal_in_a_table_of_a_trade_is_found_and_nothing_else(trade: str, naming: str) -> None:
    wrong = [(kind, tag, found) for kind, tag, found in tagged(trade, naming) if found != ({tag} if tag else set())]
    # A name that says something else may hide what a form alone would tell.
    assert [one for one in wrong if one[2] or naming != "wrong"] == []
    assert len(wrong) <= 1


THINGS = {
    "stadiums": "Fenway Park,Wrigley Field,Carnegie Hall,Wembley Stadium,Old Trafford,Allianz Arena,Madison Square Garden,Lambeau Field,Soldier Field,Villa Park,Ewood Park,Turf Moor,Hampden Park,Anfield",
    "schools": "Lincoln High School,Roosevelt Elementary,Stanford University,Harvard College,Jefferson Academy,St. Mary's School,King's College,Madison Prep,Franklin High School,Duke University,Lee College",
    "songs": "All of Me,Yesterday,Let It Be,Hey Jude,Hotel California,Billie Jean,Someone Like You,Angie,Roxanne,Maria,Eleanor Rigby,Jolene,Layla,Rosanna,Smoke on the Water,Dancing Queen",
    "films": "The Godfather,Forrest Gump,Jerry Maguire,Annie Hall,Thelma and Louise,Citizen Kane,Taxi Driver,Mary Poppins,Dr. Strangelove,Juno,Amelie,Gladiator,Rain Man,Michael Clayton,Barry Lyndon,The Matrix",
    "teams": "Chicago Bulls,Boston Celtics,Dallas Mavericks,Denver Nuggets,Houston Rockets,Miami Heat,Orlando Magic,Phoenix Suns,Toronto Raptors,Detroit Pistons,Memphis Grizzlies,Portland Trail Blazers",
    "games": "Super Mario Bros,The Legend of Zelda,Tomb Raider,Max Payne,Alan Wake,Tony Hawk's Pro Skater,Resident Evil,Sonic the Hedgehog,Crash Bandicoot,Doom,Quake,Sid Meier's Civilization",
    "goods": "Chai,Aniseed Syrup,Tofu,Sir Rodney's Marmalade,Uncle Bob's Organic Dried Pears,Jack's New England Clam Chowder,Louisiana Fiery Hot Pepper Sauce,Original Frankfurter,Steeleye Stout",
    "months": "January,February,March,April,May,June,July,August,September,October,November,December",
    "hospitals": "Mount Sinai Hospital,Johns Hopkins Hospital,Mayo Clinic,St Thomas' Hospital,Cedars-Sinai Medical Center,Guy's Hospital,Howard University Hospital,Royal Marsden",
}


@pytest.mark.parametrize("what", THINGS)
def test_places_works_and_goods_that_bear_the_names_of_persons_are_no_persons(what: str) -> None:
    values = THINGS[what].split(",")
    mails = [f"u{place}@mail{place % 5}.example" for place in range(len(values))]
    for name in ("c1", "name"):
        assert found_in({name: values, "c2": mails}, name="things")[name] == []


def test_a_hall_a_park_and_a_field_among_persons_are_persons() -> None:
    families = ["Hall", "Park", "Field", "Young", "Grant", "Fischer", "Novak", "Olsen", "Barnes", "Quinn", "Ito"]
    assert tags([f"{given} {family}" for given in ("Ann", "Boris", "Celia", "Dean") for family in families]) == {
        "PersonName"
    }


def born(first: int, last: int) -> dict[str, list[Any]]:
    days = [date(first, 1, 1) + timedelta(days=rng.randrange((last - first) * 365)) for _ in range(ROWS)]
    return {"c1": [day.year for day in days], "c2": [day.month for day in days], "c3": [day.day for day in days]}


PEOPLE: dict[str, list[Any]] = {"c8": [f"m{place}@mail.example" for place in range(ROWS)]}


def test_year_month_and_day_of_birth_in_three_columns_are_found_without_their_names() -> None:
    found = found_in(born(1950, 2004) | PEOPLE)
    for name in ("c1", "c2", "c3"):
        assert [one.tag for one in found[name]] == ["DateOfBirth"]
        assert found[name][0].evidence[0]["recognizer"] == "birth-parts"
        assert found[name][0].evidence[0]["source"] == "neighbours"


def test_parts_of_other_dates_and_of_none_are_no_births() -> None:
    assert not any(found_in(born(2015, 2026) | PEOPLE)[name] for name in ("c1", "c2", "c3"))
    loose = born(1950, 2004) | PEOPLE
    loose["c2"], loose["c3"] = [1 + place % 12 for place in range(ROWS)], [1 + place % 31 for place in range(ROWS)]
    assert not any(found_in(loose)[name] for name in ("c2", "c3"))
    ends = dict(zip(("death_year", "death_month", "death_day"), born(1950, 2004).values(), strict=True))
    assert not any(found_in(ends | PEOPLE)[name] for name in ends)


def test_a_year_of_birth_alone_needs_its_name_and_persons() -> None:
    years = born(1950, 2004)["c1"]
    assert found_in({"c1": years} | PEOPLE)["c1"] == []
    assert [one.tag for one in found_in({"birthYear": years} | PEOPLE)["birthYear"]] == ["DateOfBirth"]
    assert found_in({"model_year": years} | PEOPLE)["model_year"] == []


def test_rows_that_agree_tell_of_one_another() -> None:
    odd = [
        ("Xq" + "aeiou"[place % 5] + f"zw{'bcdf'[place % 4]}{'ghjk'[place // 4 % 4]}").capitalize()
        for place in range(ROWS)
    ]
    mails = [f"{word.lower()}.k{place}@mail.example" for place, word in enumerate(odd)]
    assert found_in({"c1": odd})["c1"] == []
    assert [one.tag for one in found_in({"c1": odd, "c2": mails})["c1"]] == ["PersonName"]
    births: list[Any] = [date(1950, 1, 1) + timedelta(days=place * 211) for place in range(ROWS)]
    ages: list[Any] = [2024 - day.year - (day.month > 6) for day in births]
    found = found_in({"c1": ages, "c2": births} | PEOPLE)
    assert [one.tag for one in found["c1"]] == ["Age"]
    assert "neighbours" in {one["source"] for one in found["c1"][0].evidence}
    turned = ages[::-1]
    told = [one for some in found_in({"c1": turned, "c2": births} | PEOPLE)["c1"] for one in some.evidence]
    assert all(one["recognizer"] != "age-by-birth" for one in told)


def test_plain_codes_are_postcodes_beside_a_street_and_nothing_by_themselves() -> None:
    codes = [f"{rng.randrange(1000, 99999):05d}" for _ in range(ROWS)]
    streets = [f"{1 + place} {('Oak', 'Mill', 'High')[place % 3]} Street" for place in range(ROWS)]
    assert tags(codes) == set()
    assert [one.tag for one in found_in({"c1": streets, "c2": codes})["c2"]] == ["Postcode"]
    assert found_in({"c1": codes} | PEOPLE)["c1"] == []


def test_traits_hold_up_one_another_where_their_names_say_so() -> None:
    ages, sexes = [29 + place % 49 for place in range(ROWS)], [place * 7 % 3 % 2 for place in range(ROWS)]
    found = found_in({"age": ages, "sex": sexes}, name="measurements")
    assert {name: [one.tag for one in some] for name, some in found.items()} == {"age": ["Age"], "sex": ["Gender"]}
    assert found_in({"age": ages}, name="measurements")["age"] == []
    assert found_in({"c1": ages, "c2": sexes}, name="measurements") == {"c1": [], "c2": []}


def test_whole_words_for_genders_need_nobody_beside_and_letters_do() -> None:
    assert tags(["Male", "Female"] * 30) == {"Gender"}
    assert tags(["M", "F"] * 30) == set()


def test_degrees_with_few_decimals_are_a_place_when_one_side_lies_west_or_beyond_ninety() -> None:
    north = [round(rng.uniform(35, 48), 4) for _ in range(ROWS)]
    west = [round(rng.uniform(-122, -70), 4) for _ in range(ROWS)]
    found = found_in({"c1": north, "c2": west})
    assert {one.tag for some in found.values() for one in some} == {"Coordinates"}
    assert all(found.values())
    assert not any(found_in({"c1": north, "c2": [round(value / 2, 4) for value in north]}).values())


def test_short_capitals_and_counted_numbers_are_no_names_and_no_postcodes_whatever_they_are_called() -> None:
    codes = ["".join(rng.choice("ABCDEFGHIKLMNOPRSTUVW") for _ in range(3)) for _ in range(ROWS)]
    assert found_in({"forename": codes} | PEOPLE)["forename"] == []
    assert found_in({"postal_code": [rng.randint(1, 600) for _ in range(ROWS)]} | PEOPLE)["postal_code"] == []
