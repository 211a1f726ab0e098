"""What columns without a name of their own are told to be by those that stand beside them, and what they are not."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

from tests.engines.recognition.support import found_in

rng = random.Random(57)
MANY = range(40)
GIVEN = ["Maria", "James", "Olga", "Lars", "Priya", "Hannah", "Ahmed", "Sofia", "Wei", "Jose"]
FAMILY = ["Smith", "Garcia", "Khan", "Jensen", "Patel", "Weber", "Rossi", "Silva", "Novak", "Dubois"]
FIRST = [GIVEN[at % 10] for at in MANY]
LAST = [FAMILY[(at * 3 + at // 10) % 10] for at in MANY]
MAILS = [f"u{at}@post.example" for at in MANY]
ENDS = [f"{1 + at % 12:02d}/{27 + at % 5}" for at in MANY]
AMOUNTS = [round(rng.uniform(3, 400), 2) for _ in MANY]


def digits(count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


def hexadecimal(count: int) -> list[str]:
    return ["".join(rng.choice("0123456789abcdef") for _ in range(count)) for _ in MANY]


def told(*columns: Sequence[Any]) -> list[set[str]]:
    """The tags of each column of a table without names."""
    found = found_in({f"c{at}": some for at, some in enumerate(columns, 1)})
    return [{one.tag for one in some} for some in found.values()]


CARDS = ["4" + digits(15) for _ in MANY]
CODES = [digits(3) for _ in MANY]


def test_digits_of_a_network_and_three_more_are_a_card_and_its_code_beside_the_month_in_which_it_ends() -> None:
    assert told(CARDS, CODES, ENDS, AMOUNTS) == [{"PaymentCard"}, {"Secret"}, set(), set()]


def test_the_same_digits_are_nothing_without_that_month_or_in_no_network() -> None:
    assert told(CARDS, CODES, AMOUNTS) == [set()] * 3
    others = ["9" + digits(15) for _ in MANY]
    assert told(others, CODES, ENDS) == [set()] * 3
    counts = [str(100 + at % 7) for at in MANY]
    assert told(CARDS, counts, ENDS) == [{"PaymentCard"}, set(), set()]


@pytest.mark.parametrize("length", [32, 40, 64])
def test_a_hash_beside_what_a_person_signs_in_with_is_of_the_password(length: int) -> None:
    assert told(list(MANY), MAILS, hexadecimal(length))[2] == {"PasswordHash"}


def test_a_hash_of_anything_else_is_not() -> None:
    hashes = hexadecimal(40)
    assert told(hashes, MAILS)[0] == set()  # the key of the row
    assert told(MAILS, AMOUNTS, hashes)[2] == set()  # not beside it
    authors = [MAILS[at % 4] for at in MANY]
    assert told(AMOUNTS, authors, hashes)[2] == set()  # a few write many: of commits or files
    assert told(AMOUNTS, MAILS, hashes, hexadecimal(40))[2:] == [set(), set()]
    unique = [f"{text[:12]}4{text[13:16]}a{text[17:32]}" for text in hexadecimal(32)]
    assert told(AMOUNTS, MAILS, unique)[2] == set()
    assert [one.tag for one in found_in({"at": AMOUNTS, "mail": MAILS, "sha1": hashes})["sha1"]] == []


def test_words_that_many_choose_and_mixed_signs_are_passwords_beside_a_login_alone() -> None:
    chosen = [("letmein", "qwerty12", "sunshine1", "dragon77", "monkey", "123456", "welcome!")[at % 7] for at in MANY]
    assert told(MAILS, chosen)[1] == {"Secret"}
    assert told(AMOUNTS, chosen)[1] == set()
    mixed = [
        "".join(rng.choice(part) for part in rng.sample(["abcdefgh", "KLMNPQ", "23456789", "!#%*", "rstuv"] * 2, size))
        for size in (7 + at % 4 for at in MANY)
    ]
    assert told(MAILS, mixed)[1] == {"Secret"}
    plans = [("basic", "gold", "silver", "trial", "free", "team")[at % 6] for at in MANY]
    assert told(MAILS, plans)[1] == set()
    articles = [f"Ab-{at * 7919 % 9000 + 1000}" for at in MANY]
    assert told(MAILS, articles)[1] == set()


def test_the_letters_of_a_census_are_ethnic_origins_among_persons_alone() -> None:
    letters = ["W", "B", "A", "H", "O"] * 8
    assert told(FIRST, LAST, letters)[2] == {"Ethnicity"}
    assert told(AMOUNTS, AMOUNTS, letters)[2] == set()
    assert told(FIRST, LAST, ["A", "B", "C", "D", "E"] * 8)[2] == set()


def test_short_codes_are_plates_beside_the_makes_of_cars_alone() -> None:
    makes = [("Toyota", "Ford", "Kia", "Volvo", "Fiat")[at % 5] for at in MANY]
    codes = ["".join(rng.choice("ABCDEFGHKLMNPRSTUVXY") for _ in range(3)) + f" {digits(3)}" for _ in MANY]
    assert told(makes, codes)[1] == {"LicensePlate"}
    assert told(AMOUNTS, codes)[1] == set()


def test_birth_names_that_few_rows_have_are_the_family_names_of_others() -> None:
    born = [FAMILY[at % 4] if at % 3 == 0 else None for at in MANY]
    assert told(FIRST, LAST, AMOUNTS, born)[3] == {"PersonName"}
    departments = [("Sales", "Legal", "Design", None)[at % 4] for at in MANY]
    assert told(FIRST, LAST, AMOUNTS, departments)[3] == set()


def test_three_dates_of_birth_are_told_by_telephones_that_are_told_by_numbers_of_persons() -> None:
    dates = ["1983-04-04", "1994-08-18", "1960-10-02"]
    columns = [dates, ["(294) 601-2235", "(905) 940-2725", "(248) 436-0151"]]
    assert told(*columns, ["545-46-2079", "580-40-5479", "552-44-7899"])[0] == {"DateOfBirth"}
    assert told(dates, [3, 5, 9])[0] == set()


def test_an_address_has_one_postcode_and_what_stands_behind_a_person_is_none() -> None:
    streets = [f"{3 + at} {('Maple', 'Mill', 'High', 'Oak')[at % 4]} Street" for at in MANY]
    numbers = [str(rng.randint(100_000, 999_999)) for _ in MANY]
    people = [f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)]
    assert told(streets, numbers)[1] == {"Postcode"}
    assert told(numbers, people, streets)[0] == set()
    codes = [f"{rng.randint(1000, 99999):05d}" for _ in MANY]
    assert told(streets, codes, numbers)[1:] == [{"Postcode"}, set()]


def test_places_of_one_word_and_of_several_are_no_persons_and_double_given_names_are() -> None:
    halls = ["Victoria", "Charlotte Quay", "Jefferson", "Olga Fields", "Florence", "Madison", "Martin Gardens",
             "Franklin Lock", "Alexandra", "Lincoln Wharf"]  # fmt: skip
    assert told([halls[at % 10] for at in MANY]) == [set()]
    doubled = [
        "Maria Sofia",
        "Jose Maria",
        "Olga Maria",
        "Wei",
        "Hannah Maria",
        "Ahmed",
        "Lars James",
        "Priya",
        "James",
    ]
    assert told([doubled[at % 9] for at in MANY]) == [{"PersonName"}]
