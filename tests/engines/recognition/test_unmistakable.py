"""Names that leave no doubt, parts of names, second lines and telephone numbers beside persons."""

import random
from typing import Any

import pytest

from resolvers.engines.recognition.taxonomy import Level, column_level
from tests.engines.recognition.support import found_in

rng = random.Random(71)
MANY = range(40)
GIVEN = ["Maria", "James", "Olga", "Lars", "Priya", "Hannah", "Ahmed", "Sofia", "Wei", "Jose"]
FAMILY = ["Smith", "Garcia", "Khan", "Jensen", "Patel", "Weber", "Rossi", "Silva", "Novak", "Dubois"]
PERSONS = {
    "given_name": [GIVEN[at % 10] for at in MANY],
    "family_name": [FAMILY[(at * 3 + at // 10) % 10] for at in MANY],
}


def tags_of(columns: dict[str, list[Any]], name: str, table: str = "t7") -> set[str]:
    """The tags of one column of a table."""
    return {one.tag for one in found_in(columns, name=table)[name]}


def digits(count: int) -> str:
    """Some digits, none of the first three too low for a telephone."""
    return "".join(rng.choice("23456789") for _ in range(count))


ALONE: list[tuple[str, str, list[Any]]] = [
    ("PasswordHash", "password", ["".join(rng.choice("0123456789abcdef") for _ in range(32)) for _ in MANY]),
    ("Secret", "user_pwd", [f"{rng.choice(('sunny', 'tiger', 'dragon', 'letme'))}{rng.randint(1, 999)}" for _ in MANY]),
    ("Secret", "cvv", [digits(3) for _ in MANY]),
    ("PaymentCard", "credit_card_no", ["4" + digits(15) for _ in MANY]),
    ("NationalId", "SSN", ["9" + digits(8) for _ in MANY]),
    ("NationalId", "national_id", [f"Q{digits(7)}K" for _ in MANY]),
    ("Username", "user_name", [f"moonwalk{rng.choice('abcxyz')}{rng.randint(100, 999)}" for _ in MANY]),
    ("Postcode", "zip_code", ["8" + digits(4) for _ in MANY]),
    ("Ethnicity", "ethnic_code", ["HL", "NL", "UN"] * 13),
    ("Ethnicity", "c17", ["White alone", "Asian alone", "Two or More Races", "Some Other Race alone"] * 10),
]


@pytest.mark.parametrize(("tag", "name", "values"), ALONE, ids=[f"{name}-{tag}" for tag, name, _ in ALONE])
def test_a_name_that_leaves_no_doubt_carries_where_values_do_not_contradict_it(
    tag: str, name: str, values: list[Any]
) -> None:
    assert tags_of({name: values}, name) == {tag}


@pytest.mark.parametrize(
    ("name", "tag"), [("ssn", "NationalId"), ("ssn_hash", "NationalId"), ("card_number", "PaymentCard")]
)
def test_numbers_of_persons_and_cards_stay_what_they_are_as_hashes(name: str, tag: str) -> None:
    hashes = ["".join(rng.choice("0123456789abcdef") for _ in range(64)) for _ in MANY]
    assert tags_of({name: hashes}, name) == {tag}


CONTRADICTED: list[tuple[str, list[Any]]] = [
    ("password", ["yes", "no"] * 20),
    ("password_attempts", [rng.randint(0, 900) for _ in MANY]),
    ("zip_size", [rng.randint(10_000, 99_999) for _ in MANY]),
    ("race", ["Monza", "Spa", "Suzuka", "Imola"] * 10),
    ("race_condition", ["a", "b", "c", "d"] * 10),
    ("cvv", [rng.random() for _ in MANY]),
    ("national_id", [rng.random() for _ in MANY]),
    ("ssn", [f"SKU-{10_000 + at * 37}" for at in MANY]),
    ("credit_card", ["yes", "no"] * 20),
    ("passport", [f"{at % 28 + 1:02d}.06.19{40 + at}" for at in MANY]),
    ("passport", [digits(16) for _ in MANY]),
    ("bank_account", [f"UG99{digits(4)}" for _ in MANY]),
    ("ssn", [1_000_200_300 + 7 * at for at in MANY]),
    ("pwd_hash", [f"{rng.choice('ABCX')}{digits(8)}" for _ in MANY]),
    ("username", ["".join(rng.choice("0123456789abcdef") for _ in range(64)) for _ in MANY]),
    ("mac_address", [("CHF", "JPY", "USD", "EUR")[at % 4] for at in MANY]),
    ("address", [f"MSZM{digits(13)}" for _ in MANY]),
    ("username", ["Opened by the front office", "Closed after a second visit"] * 20),
]


@pytest.mark.parametrize(("name", "values"), CONTRADICTED, ids=[name for name, _ in CONTRADICTED])
def test_values_contradict_a_name_and_words_behind_it_change_it(name: str, values: list[Any]) -> None:
    said = {
        "passport": "Passport",
        "bank_account": "BankAccount",
        "address": "StreetAddress",
        "mac_address": "StreetAddress",
    }
    found = tags_of({name: values} | PERSONS, name)
    assert said.get(name) not in found if name in said else found == set()


@pytest.mark.parametrize("name", ["etag", "sku", "postal_code"])
def test_what_is_named_as_a_code_and_holds_names_holds_names(name: str) -> None:
    """No code bears the names of persons; films, stations and brands do."""
    assert tags_of(PERSONS | {name: [FAMILY[at * 7 % 10] for at in MANY]}, name) == {"PersonName"}


def test_countries_under_the_name_of_a_street_are_countries() -> None:
    countries = [("Luxembourg", "Togo", "Poland", "Kenya", "Peru", "Japan", "Chile", "Norway")[at % 8] for at in MANY]
    assert tags_of(PERSONS | {"street": countries}, "street") == {"Country"}


def test_secrets_are_at_the_highest_level_even_as_hashes() -> None:
    for tag in ("Secret", "PasswordHash", "PaymentCard", "NationalId"):
        assert column_level([tag]) is Level.RESTRICTED


def test_two_rows_are_enough_where_the_name_says_it() -> None:
    two = {
        "surname": ["Boateng", "Rautio"],
        "date_of_birth": ["1971-03-04", "1988-11-30"],
        "pwd": ["hunter22", "abc!def"],
    }
    assert {name: [one.tag for one in some] for name, some in found_in(two).items()} == {
        "surname": ["PersonName"],
        "date_of_birth": ["DateOfBirth"],
        "pwd": ["Secret"],
    }
    assert found_in({"date_of_birth": ["2971-03-04", "2088-11-30"]})["date_of_birth"] == []


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("suffix", ["JR", "SR", None, "III"] * 10),
        ("middle_initial", [rng.choice("ABCDEFGHJKLM") for _ in MANY]),
        ("maiden_name", [FAMILY[at * 7 % 10] if at % 3 == 0 else None for at in MANY]),
    ],
)
def test_parts_of_names_beside_names(name: str, values: list[Any]) -> None:
    assert tags_of(PERSONS | {name: values}, name) == {"PersonName"}
    if name != "maiden_name":
        assert tags_of({"grade": [1, 2] * 20, name: values}, name) == set()


def test_parts_of_names_need_no_name_of_their_own() -> None:
    born = [FAMILY[at * 7 % 10] for at in MANY]
    behind = ["JR", "SR", "III", None] * 10
    found = found_in({f"c{at}": some for at, some in enumerate([*PERSONS.values(), behind, born])})
    assert [[one.tag for one in some] for some in found.values()] == [["PersonName"]] * 4


def test_ten_digits_are_telephone_numbers_beside_names_or_addresses_alone() -> None:
    numbers = [digits(10) for _ in MANY]
    assert tags_of(PERSONS | {"c9": numbers}, "c9") == {"PhoneNumber"}
    assert tags_of({"amount": list(MANY), "c9": numbers}, "c9") == set()
    assert tags_of(PERSONS | {"c9": [str(1_000_000_000 + at * 7919) for at in MANY]}, "c9") == set()


def test_second_lines_belong_to_the_street_before_them() -> None:
    streets = [f"{3 + at} {('Maple', 'Mill', 'High', 'Oak')[at % 4]} Street" for at in MANY]
    second = ["Bldg C", None, "Floor 3", "c/o Weber", "3e étage", "Escalier B"] * 6 + [None] * 4
    assert tags_of({"c1": streets, "c2": second}, "c2") == {"StreetAddress"}
    assert tags_of({"c1": list(MANY), "c2": second}, "c2") == set()
    assert tags_of({"c1": streets, "c2": [f"#{at + 2}{'AB'[at % 2]}" for at in MANY]}, "c2") == {"StreetAddress"}
    assert tags_of({"c1": streets, "c2": [f"#{at * 409_001 + 70_000:06x}" for at in MANY]}, "c2") == set()  # colours


def test_the_street_says_more_than_the_persons_whom_it_is_named_after() -> None:
    streets = [("Madison", "Franklin", "Washington", "Jackson", "Monroe", "Clinton")[at % 6] for at in MANY]
    assert tags_of(PERSONS | {"street": streets}, "street") == {"StreetAddress"}


def test_the_strongest_reason_is_shown_first() -> None:
    for some in found_in(PERSONS | {"email": [f"u{at}@x.example" for at in MANY]}).values():
        for one in some:
            weights = [reason["weight"] for reason in one.evidence]
            assert weights == sorted(weights, reverse=True)
            assert weights[0] > 1


@pytest.mark.parametrize(
    "form", ["0{a}{b}2 55{c}0{d}9", "{a}{b}4-{c}81-45{d}7", "({a}{b}4) {c}81-45{d}7"], ids=["grouped", "dashed", "area"]
)
def test_one_form_of_telephone_numbers_beside_names_is_enough_without_a_name(form: str) -> None:
    numbers = [form.format(a=2 + at % 7, b=at * 3 % 10, c=2 + at % 8, d=at % 10) for at in MANY]
    assert tags_of(PERSONS | {"c9": numbers}, "c9") == {"PhoneNumber"}


def test_family_names_that_few_lists_hold_stand_beside_given_names() -> None:
    beside = ["Smith", "Garcia", "Khan", "Oltmannsen", "Quarrell", "Wexby", "Trundle", "Ablott"]
    columns = {"c1": PERSONS["given_name"], "c2": [beside[at % 8] for at in MANY]}
    assert tags_of(columns, "c2") == {"PersonName"}
    departments = ["Sales", "Finance", "Logistics", "Research", "Legal", "Support", "Design", "Audit"]
    assert tags_of({"c1": PERSONS["given_name"], "c2": [departments[at % 8] for at in MANY]}, "c2") == set()


def test_years_of_birth_need_three_columns_of_persons_beside_them() -> None:
    years = [1940 + at * 17 % 62 for at in MANY]
    mails = [f"u{at}@post.example" for at in MANY]
    assert tags_of(PERSONS | {"c8": mails, "c9": years}, "c9") == {"DateOfBirth"}
    assert tags_of({"c1": PERSONS["given_name"], "c9": years}, "c9") == set()
    assert tags_of(PERSONS | {"c8": mails, "hired": years}, "hired") == set()


def test_flats_and_floors_beside_names_are_addresses_and_rooms_are_none() -> None:
    assert tags_of(PERSONS | {"c9": ["Bldg C", "Floor 3", "Apt 9", "Unit 4"] * 10}, "c9") == {"StreetAddress"}
    assert tags_of(PERSONS | {"c9": [f"Room {at % 9}" for at in MANY]}, "c9") == set()
