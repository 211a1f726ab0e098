"""What rows amount to, whom a flag tells, and words that only look like an age, a deed or a state."""

import pytest
from sqlglot import exp

from resolvers.engines.nl2sql.model import QueryDraft
from resolvers.engines.nl2sql.plan import Literal, Operator
from resolvers.engines.nl2sql.sql_writing.comparing import TypedKind, Unwritable, compared
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

CREW = table("Crew", "CrewID*:INTEGER FullName Trade BornOn:DATE IsUnionMember:BOOLEAN Harbour")
SHIFTS = keyed(table("CrewWorkLog", "LogID*:INTEGER CrewID:INTEGER WorkDate:DATE Hours:DOUBLE"), CrewID="Crew.CrewID")
CATCH = keyed(
    table("Catch", "CatchID*:INTEGER CrewID:INTEGER Species LandedOn:DATE kilos:DOUBLE price_per_kilo:DOUBLE"),
    CrewID="Crew.CrewID",
)
OUTINGS = keyed(table("Outing", "OutingID*:INTEGER CrewID:INTEGER Status Title"), CrewID="Crew.CrewID")
FILMS = keyed(table("Clip", "ClipID*:INTEGER CrewID:INTEGER Caption views:INTEGER"), CrewID="Crew.CrewID")
PROFILES = {
    CREW.fqn: profiled(
        CREW, {"Trade": ["deckhand", "cook", "mate"], "Harbour": ["Hull", "Kiel"], "FullName": ["Pia Holm", "Bo Dahl"]}
    ),
    CATCH.fqn: profiled(CATCH, {"Species": ["cod", "herring"]}),
    OUTINGS.fqn: profiled(OUTINGS, {"Status": ["sailed", "planned"], "Title": ["North Round", "Night Trip"]}),
}
DAY = TypedKind("moment", "DATE")
KNOWN = knowledge(CREW, SHIFTS, CATCH, OUTINGS, FILMS, profiles=PROFILES)


def sql(question: str) -> str:
    """The query, without quotes."""
    return drafted(question, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    "question", ["Total catch per species", "total catch by species", "Total catch of each species"]
)
def test_a_word_that_is_no_plural_is_summed_by_the_only_figure_that_adds_up(question: str) -> None:
    written = sql(question)
    assert "SUM(kilos)" in written
    assert "price" not in written


def test_a_total_of_things_is_their_number() -> None:
    outcome = asked("Total clips per harbour", KNOWN)
    assert not isinstance(outcome, QueryDraft) or "SUM" not in outcome.sql


@pytest.mark.parametrize("question", ["List the union members", "Union members in Hull", "Show all union members."])
def test_a_flag_that_is_asked_for_in_the_plural_tells_rows(question: str) -> None:
    written = sql(question)
    assert "SELECT FullName" in written
    assert "IsUnionMember = TRUE" in written


def test_whether_somebody_is_one_is_still_shown() -> None:
    assert "IsUnionMember" in sql("Show the full name and union member of each crew").split("FROM")[0]


@pytest.mark.parametrize(
    "question", ["Who works as a cook?", "How many people work as a cook?", "Who serves as a mate?"]
)
def test_what_somebody_works_as_is_no_deed(question: str) -> None:
    written = sql(question)
    assert "Trade = '" in written
    assert "EXISTS" not in written


def test_the_first_few_by_a_number_of_things_are_told_by_its_total() -> None:
    written = sql("Top 3 crew by views")
    assert "SUM(Clip.views) DESC" in written
    assert "GROUP BY" in written


@pytest.mark.parametrize("question", ["Which crew do more than one gig?", "Which crew do more than 30 gigs?"])
def test_so_many_of_something_are_no_age(question: str) -> None:
    outcome = asked(question, KNOWN)
    assert not isinstance(outcome, QueryDraft) or "BornOn" not in outcome.sql


def test_a_noun_is_not_the_state_of_what_was_done() -> None:
    outcome = asked("Which sails are there?", KNOWN)
    assert not isinstance(outcome, QueryDraft) or "'sailed'" not in outcome.sql


def test_a_date_is_compared_with_no_word() -> None:
    with pytest.raises(Unwritable, match="no date"):
        compared(exp.column("LandedOn"), TypedKind("moment", "DATE"), Operator.EQUAL, (Literal("text", "Kiel"),))
    kept = compared(
        exp.column("LandedOn"), TypedKind("moment", "DATE"), Operator.EQUAL, (Literal("text", "2026-01-02"),)
    )
    assert "2026-01-02" in kept.sql()
