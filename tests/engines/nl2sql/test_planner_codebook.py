"""Columns named by codes, told by what their short descriptions say; tables of deeds without names of their own."""

from dataclasses import replace

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.data_readiness.source import TableFacts
from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table


def described(facts: TableFacts, **texts: str) -> TableFacts:
    """A table with descriptions of some columns."""
    return replace(
        facts, columns=tuple(replace(one, description=texts.get(one.name, one.description)) for one in facts.columns)
    )


ROWERS = table("rowers", "rower_id*:VARCHAR name_first:VARCHAR name_last:VARCHAR born_in:VARCHAR")
CLUBS = table("clubs", "club_id*:VARCHAR club_name:VARCHAR won_cup:VARCHAR year:INTEGER")
COLUMNS = "rower_id:VARCHAR club_id:VARCHAR year:INTEGER st:INTEGER wn:INTEGER cb:INTEGER"
KEYS = {"rower_id": "rowers.rower_id", "club_id": "clubs.club_id"}
MEANINGS = {"st": "Strokes.", "wn": "Races rowed.", "cb": "Crabs caught, as the umpire counted them from the launch."}
ROWING = described(keyed(table("rowing", COLUMNS), **KEYS), **MEANINGS)
ROWING_FINALS = described(keyed(table("rowing_finals", COLUMNS), **KEYS), **MEANINGS)
STEERING = keyed(table("steering", "rower_id:VARCHAR year:INTEGER club_id:VARCHAR"), rower_id="rowers.rower_id")
KNOWN = knowledge(
    ROWERS,
    CLUBS,
    ROWING,
    ROWING_FINALS,
    STEERING,
    profiles={
        CLUBS.fqn: profiled(
            CLUBS, {"won_cup": ["Y", "N"], "club_name": ["North Bay Herons", "South Bay Herons", "Otters of Lund"]}
        ),
        ROWERS.fqn: profiled(ROWERS, {"born_in": ["Norway", "Chile"]}, whole=False),
    },
)


def draft(text: str) -> QueryDraft:
    """What the planner answers a question with."""
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
    ],
)
def test_codes_are_told_by_what_describes_them(question: str, parts: list[str]) -> None:
    sql = draft(question).sql.replace('"', "")
    assert all(part in sql for part in parts), sql


def test_yes_and_no_name_no_row_and_are_not_shown_for_who_did_it() -> None:
    sql = draft("Which clubs won the cup?").sql.replace('"', "")
    assert "won_cup = 'Y'" in sql
    assert sql.startswith("SELECT club_name FROM"), sql
