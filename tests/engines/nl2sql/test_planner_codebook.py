"""Columns named by codes, told by what their short descriptions say; tables of deeds without names of their own."""

from dataclasses import replace

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.data_readiness.source import TableFacts
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table


def described(facts: TableFacts, **texts: str) -> TableFacts:
    """A table with descriptions of some columns."""
    return replace(
        facts, columns=tuple(replace(one, description=texts.get(one.name, one.description)) for one in facts.columns)
    )


ROWERS = table("rowers", "rower_id*:VARCHAR name_first:VARCHAR name_last:VARCHAR born_in:VARCHAR joined:DATE")
CLUBS = table(
    "clubs", "club_id*:VARCHAR club_name:VARCHAR won_cup:VARCHAR kept_oar:VARCHAR kept_sail:VARCHAR year:INTEGER"
)
COLUMNS = "rower_id:VARCHAR club_id:VARCHAR year:INTEGER st:INTEGER wn:INTEGER cb:INTEGER"
KEYS = {"rower_id": "rowers.rower_id", "club_id": "clubs.club_id"}
MEANINGS = {"st": "Strokes.", "wn": "Races rowed.", "cb": "Crabs caught, as the umpire counted them from the launch."}
ROWING = described(keyed(table("rowing", COLUMNS), **KEYS), **MEANINGS)
ROWING_FINALS = described(keyed(table("rowing_finals", COLUMNS), **KEYS), **MEANINGS)
STEERING = keyed(table("steering", "rower_id:VARCHAR year:INTEGER club_id:VARCHAR"), rower_id="rowers.rower_id")
TRAINERS = keyed(table("trainers", "rower_id:VARCHAR year:INTEGER club_id:VARCHAR"), **KEYS)
KNOWN = knowledge(
    ROWERS,
    CLUBS,
    ROWING,
    ROWING_FINALS,
    STEERING,
    TRAINERS,
    profiles={
        CLUBS.fqn: profiled(
            CLUBS,
            {
                **{flag: ["Y", "N"] for flag in ("won_cup", "kept_oar", "kept_sail")},
                "club_name": ["North Bay Herons", "South Bay Herons", "Otters of Lund"],
            },
        ),
        ROWERS.fqn: profiled(ROWERS, {"born_in": ["Norway", "Chile"]}, whole=False),
    },
)


def draft(text: str) -> QueryDraft:
    """Return what the planner answers a question with."""
    return drafted(text, KNOWN)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        # A description as short as a name is one, and a table comes before its variant.
        ("How many strokes were there in 2010?", ["SUM(st)", "FROM rowing ", "year = 2010"]),
        ("total races rowed in 2009", ["SUM(wn)", "FROM rowing ", "year = 2009"]),
        ("average crabs caught", ["AVG(cb)", "FROM rowing"]),
        # What somebody has in a career is a total over their rows.
        ("top 10 rowers by career strokes", ["SUM(rowing.st) DESC", "LIMIT 10", "name_last"]),
        ("Who has more than 700 career strokes?", ["SUM(rowing.st) > 700", "name_last"]),
        # A part of a name stands for the values that have it.
        ("How many strokes did the Otters have?", ["club_name = 'Otters of Lund'"]),
        ("clubs called Herons", ["IN ('North Bay Herons', 'South Bay Herons')"]),
        # Who does what a table is a table of.
        ("steerers born in Chile", ["FROM rowers", "EXISTS(SELECT 1 FROM steering", "born_in = 'Chile'"]),
        # What was done, and when, are told by the table that is called so, not by when somebody began.
        ("Who trained the Otters in 2010?", ["FROM rowers", "(SELECT 1 FROM trainers", "year = 2010"]),
    ],
)
def test_codes_are_told_by_what_describes_them(question: str, parts: list[str]) -> None:
    sql = draft(question).sql.replace('"', "")
    assert all(part in sql for part in parts), sql


def test_yes_and_no_name_no_row_and_are_not_shown_for_who_did_it() -> None:
    sql = draft("Which clubs won the cup?").sql.replace('"', "")
    assert "won_cup = 'Y'" in sql
    assert sql.startswith("SELECT club_name FROM"), sql


def test_a_word_that_calls_a_part_of_several_flags_means_none_of_them() -> None:
    outcome = asked("Which clubs kept more than 3 races?", KNOWN)
    assert "kept_" not in str(outcome)
