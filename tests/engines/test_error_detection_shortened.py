"""What was shortened: words to codes, texts where a field ended, hosts of addresses by a slip."""

import random

import pytest

from resolvers.engines.error_detection.addresses import address_signs
from resolvers.engines.error_detection.aliases import alias_signs
from resolvers.engines.error_detection.cut_off import cut_off_signs
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.table import TableColumn
from tests.engines.test_error_detection_plain_sense import column_of

SURNAMES = [
    "harrow",
    "bellamy",
    "okafor",
    "lindqvist",
    "castellano",
    "dubrovsky",
    "yamamoto",
    "fitzroy",
    "aldana",
    "novak",
]
STATES = ("Shipped", "Returned", "On the way", "Lost")
NAMES = ("Northern marsh orchid", "Common bluebell", "Wood anemone", "Yellow archangel", "Meadow cranesbill")


def said(column: TableColumn, signs: dict[int, object]) -> set[str]:
    return {column.texts[code] for code in signs}


def test_codes_of_several_words_are_short_for_them_however_many_rows_have_them() -> None:
    chance = random.Random(1)
    words: list[object] = chance.choices(STATES, [40, 30, 20, 10], k=600)
    column = column_of("state", [*words, *["S"] * 30, *["R"] * 20, *["O"] * 8])
    signs = alias_signs(column)
    assert {column.texts[code]: one.repair for code, one in signs.items()} == {
        "S": "Shipped", "R": "Returned", "O": "On the way",
    }  # fmt: skip
    alone = column_of("state", [*words, *["S"] * 30])
    assert not alias_signs(alone), "one letter alone may be anything"
    doubtful = column_of("state", [*words, *["Rebuilt"] * 190, *["S"] * 30, *["R"] * 20])
    assert said(doubtful, alias_signs(doubtful)) <= {"S"}, "which of two is meant nobody can tell"
    grades = column_of("grade", [*chance.choices(["A", "B", "C"], k=600), *["Absent"] * 4, *["Cancelled"] * 3])
    assert not {"A", "B", "C"} & said(grades, alias_signs(grades)), "the usual way is the short one"


def test_a_text_that_ends_within_a_word_which_others_finish_was_cut_off() -> None:
    chance = random.Random(2)
    values = [f"{chance.choice(NAMES)} {chance.choice(['seeds', 'bulbs', 'plug plants'])}" for _ in range(300)]
    cut = ["Northern marsh orch", "Meadow cranesbill b", "Yellow archangel se", "Wood anemone pl"]
    whole = ["Wood anemone", "Meadow cranesbill bulb"]  # a word less, and one of a kind
    column = column_of("item", [*values, *cut, *whole])
    signs = cut_off_signs(column)
    assert said(column, signs) == set(cut)
    repairs = {column.texts[code]: one.repair for code, one in signs.items()}
    assert repairs["Meadow cranesbill b"] is None, "what it went on as is not told where there are two ways"
    assert repairs["Wood anemone pl"] == "Wood anemone plug plants"
    weights = {column.texts[code]: one.weight for code, one in signs.items()}
    assert weights["Northern marsh orch"] > weights["Wood anemone pl"], "three end at the same place"


@pytest.mark.parametrize("word", ["Car", "Carp"])
def test_a_word_that_others_have_as_well_was_not_cut_off(word: str) -> None:
    values = [f"Blue {one} {at}" for at in range(60) for one in ("Carpet", word)]
    column = column_of("thing", [*values, f"Old {word}", "Old Carpet 4", "Old Carpet 5"])
    assert not cut_off_signs(column)


def test_a_host_that_is_nearly_a_frequent_one_is_a_slip_and_another_firm_is_none() -> None:
    hosts = ("posthaus.example.net", "letters.example.org")
    good: list[object] = [f"reader{at}@{hosts[at % 2]}" for at in range(100)]
    slips = {"ann@posthuas.example.net": hosts[0], "joe@leters.example.org": hosts[1]}
    others = ["kim@parcels.example.com", "lee@letters.example.com", "may@post.example.net"]
    malformed = ["ron@letters", "sue@posthaus,example.net", "two@at@letters.example.org"]
    column = column_of("mail", [*good, *slips, *others, *malformed])
    signs = address_signs(column)
    assert said(column, signs) == {*slips, *malformed}
    repaired = {column.texts[code]: one.repair for code, one in signs.items() if one.repair}
    assert repaired == {slip: f"{slip.split('@')[0]}@{host}" for slip, host in slips.items()}
    countries: list[object] = [f"a{at}@uni-de.example" for at in range(100)]
    elsewhere = ["bo@uni-dk.example", "cy@uni-fr.example", "di@nui-de.example"]
    column = column_of("mail", [*countries, *elsewhere])
    assert said(column, address_signs(column)) == {"di@nui-de.example"}
    notes: list[object] = [*good[:30], *(f"call after {at}" for at in range(60))]
    assert not address_signs(column_of("note", notes))


def test_a_name_with_a_number_behind_it_is_another_name_and_points_in_one_are_free() -> None:
    named = [f"{one}.{two}@mail.example" for one in ("ann", "bob", "cleo", "dora", "emil") for two in SURNAMES]
    numbered = [
        "ann.harrow2@mail.example",
        "bob.bellamy7@mail.example",
        "harrow@mail.example",
        "d.e.bellamy@mail.example",
    ]
    rows = [[at, mail] for at, mail in enumerate([*named * 2, *numbered])]
    assert not find_errors(["number", "mail"], rows)
    found = find_errors(
        ["number", "mail"], [*rows, [999, "emil.bellany@mail.example"], [1000, "emil.bellamymail.example"]]
    )
    assert {one.row for one in found} == {len(rows), len(rows) + 1}
