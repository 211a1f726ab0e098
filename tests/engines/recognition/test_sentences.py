"""Personal data within sentences: found with its share and places, told without a value, and not taken from goods."""

from typing import Any

import pytest

from tests.engines.recognition.support import found_in

GIVEN = ["Maria", "James", "Olga", "Lars", "Priya", "Hannah"]
FAMILY = ["Smith", "Garcia", "Khan", "Jensen", "Patel", "Weber"]
PLAIN = [f"The lift on floor {at} is out of order again since last week" for at in range(30)]


def noted(values: list[str]) -> list[Any]:
    return found_in({"c17": values})["c17"]


@pytest.mark.parametrize(
    ("tag", "texts"),
    [
        ("PersonName", [f"Spoke with {GIVEN[at]} {FAMILY[at]} today, who will write to us" for at in range(6)]),
        ("PersonName", [f"Visited Mrs {name} at home and found her in good health" for name in FAMILY]),
        ("PhoneNumber", [f"Please ring back on (415) 555-01{at}7 about the late order" for at in range(6)]),
        ("PhoneNumber", [f"Please ring back on +49 30 5550{at}77 about the late order" for at in range(6)]),
        ("StreetAddress", [f"Technician drove to {at + 3} Harbour Street and mended the router" for at in range(6)]),
        ("StreetAddress", [f"Der Techniker fuhr in die Lindenstraße {at + 3} und hat repariert" for at in range(6)]),
        ("NationalId", [f"Applicant gave SSN 415-{at + 20}-4321 and asked for some support" for at in range(6)]),
    ],
)
def test_what_stands_within_sentences_is_found_and_told_by_share_place_and_form(tag: str, texts: list[str]) -> None:
    [one] = noted([*texts, *PLAIN])
    assert one.tag == tag
    [told] = [evidence for evidence in one.evidence if evidence["source"] == "values"]
    assert told["share"] == pytest.approx(6 / 36, abs=0.001)
    assert "6 places in all" in told["reason"]
    assert " at " in told["reason"]
    assert not any(word in told["reason"] for word in (*GIVEN, *FAMILY, "Harbour", "Linden", "415"))


def test_the_share_is_one_of_rows_and_not_of_distinct_texts() -> None:
    [one] = noted(
        [*[f"Spoke with {GIVEN[at]} {FAMILY[at]} today, who will write to us" for at in range(2)] * 15, *PLAIN]
    )
    assert one.evidence[0]["share"] == 0.5


def test_names_of_goods_halls_and_days_and_counts_are_no_persons_and_no_telephones() -> None:
    texts = [
        "Works well with the Franklin stove and looks lovely in the hall",
        "The new Victoria Hall is smaller than I thought it would be",
        "Bought on Monday 3 May 2021 and returned in June 2022 unused",
        "Invoice 2021-04-17 of 1 200 300 pieces was paid after 30 days",
        "The Marie Curie Institute is closed until the end of the week",
        "Order 4501 2234 was sent twice and item 99 120 is still missing",
    ]
    assert noted([*texts, *PLAIN]) == []


def test_names_within_streets_are_part_of_the_address_and_mails_beside_it_are_not() -> None:
    streets = [f"{at + 3} {GIVEN[at % 6]} {FAMILY[at * 5 % 6]} Street, Old Town, Springfield" for at in range(40)]
    assert [one.tag for one in noted(streets)] == ["StreetAddress"]
    reached = [f"{street}, write to u{at}@post.example" if at % 2 else street for at, street in enumerate(streets)]
    assert {one.tag for one in noted(reached)} == {"StreetAddress", "Email"}


def test_a_sentence_that_ends_between_two_words_makes_no_name_of_them() -> None:
    texts = [f"Then we talked to {GIVEN[at]}. {FAMILY[at]} was not at the desk" for at in range(6)]
    assert noted([*texts, *PLAIN]) == []


def test_a_name_among_a_hundred_capitalised_pairs_is_one_by_chance() -> None:
    pairs = "Green Table, Steel Lamp, Blue Chair, Low Shelf, Wide Bench, Tall Stool, Iron Gate, Oak Door, Red Rug"
    texts = [f"{pairs} number {at} were sold" for at in range(60)]
    texts += [f"{pairs} beside {GIVEN[at]} {FAMILY[at]} were sold" for at in range(2)]
    assert noted(texts) == []
