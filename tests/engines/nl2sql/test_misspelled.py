"""Misspelled words and spelled-out names are read as what they nearly are, and the answer says so."""

import pytest

from resolvers.engines.nl2sql.model import Unanswerable
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, knowledge, profiled, table

TRAMS = table("trams", "tram_id*:INTEGER tram_name:VARCHAR kpl:DOUBLE HR:INTEGER region:VARCHAR colour:VARCHAR")
KNOWN = knowledge(
    TRAMS,
    table("people", "driver_id*:INTEGER name:VARCHAR badge:INTEGER"),
    table("driverawards", "driver_id*:INTEGER award*:VARCHAR"),
    profiles={TRAMS.fqn: profiled(TRAMS, {"region": ["NorthShore", "SouthEnd"], "colour": ["red", "green"]})},
)


@pytest.mark.parametrize(
    ("question", "part", "told"),
    [
        ("List tram names in alphaetical order", "ORDER BY tram_name ASC", "“alphaetical” as “alphabetical”"),
        ("How many trasm are there?", "COUNT(*)", "“trasm” as “tram”"),
        ("How many hilltrams are there?", "COUNT(*)", "“hilltrams” as “trams”"),
    ],
)
def test_a_misspelled_word_is_read_and_told(question: str, part: str, told: str) -> None:
    found = drafted(question, KNOWN)
    assert part in found.sql.replace('"', "")
    assert told in found.reading
    assert "a word was read as another" in (found.evidence or {})["doubts"]
    assert found.confidence < (0.86 if "alphaetical" in question else UNSURE)


@pytest.mark.parametrize(("head", "name"), [("works", "artwork"), ("lines", "airline"), ("sheets", "timesheets")])
def test_the_head_of_a_compound_name_stands_for_its_rows(head: str, name: str) -> None:
    known = knowledge(table(name, "one_id*:INTEGER colour"), table("depot", "depot_id*:INTEGER town"))
    found = drafted(f"How many {head} do we have in our collection?", known)
    assert f"FROM {name}" in found.sql.replace('"', "")
    assert f"“{head}” as" in found.reading


@pytest.mark.parametrize("question", ["How many xylophones are there?", "What is the toll?", "zzzz qqqq"])
def test_what_is_nothing_like_the_data_stays_unanswered(question: str) -> None:
    assert isinstance(asked(question, KNOWN), Unanswerable)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("What is the average kilometres per litre of all trams?", "AVG(kpl)"),
        ("Which tram has the most home runs?", "ORDER BY HR DESC"),
        ("How many trams are in North Shore?", "region = 'NorthShore'"),
        ("Show tram names in descending alphabetical order", "ORDER BY tram_name DESC"),
        ("Show the tram names, also list the id.", "tram_id"),
        ("Which drivers have badge 7?", "FROM people"),
    ],
)
def test_names_are_known_by_their_first_letters_and_without_spaces(question: str, part: str) -> None:
    assert part in drafted(question, KNOWN).sql.replace('"', "")


def test_two_other_letters_make_another_word_and_no_slip() -> None:
    outcome = asked("Which trams were infected?", KNOWN)
    assert isinstance(outcome, Unanswerable)
    assert outcome.missing == ("infected",)
