"""Figures that no word names, and words of a question that its query must not leave out."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

BILLS = table("bills", "bill_no*:INTEGER mooring_id:INTEGER amount:NUMERIC status:VARCHAR")
KNOWN = knowledge(
    table("ports", "port_id*:INTEGER port_name:VARCHAR region:VARCHAR"),
    table("sailors", "sailor_id*:INTEGER full_name:VARCHAR home:VARCHAR"),
    table("moorings", "mooring_id*:INTEGER port_id:INTEGER sailor_id:INTEGER arrived:DATE nights:INTEGER"),
    BILLS,
    profiles={BILLS.fqn: profiled(BILLS, {"status": ["paid", "open"]})},
)


def sql(text: str) -> str:
    """Return what the planner writes for a question without a warning."""
    found = drafted(text, KNOWN)
    assert found.confidence >= UNSURE, found
    return found.sql.replace('"', "")


@pytest.mark.parametrize("title", ["moorings per region", "Moorings by region"])
def test_rows_per_kind_are_counted(title: str) -> None:
    written = sql(title)
    assert "COUNT(*)" in written
    assert "GROUP BY ports.region" in written


def test_amounts_per_row_that_has_several_are_summed() -> None:
    found = drafted("nights per sailor", KNOWN)
    assert 'SUM("moorings"."nights")' in found.sql
    assert found.confidence < UNSURE  # the nights of each mooring may be meant, too


def test_rows_that_are_listed_by_a_column_stay_rows() -> None:
    assert "COUNT" not in sql("List the bills by amount.")


def test_what_happens_at_a_moment_is_counted_rather_than_moments() -> None:
    assert "COUNT(*)" in sql("Number of arrivals per month")
    assert "COUNT(DISTINCT" not in sql("Number of arrivals per month")


def test_a_value_may_stand_between_a_figure_and_its_rows() -> None:
    written = sql("total amount of paid bills per port name")
    assert "SUM(bills.amount)" in written
    assert "'paid'" in written
    assert "GROUP BY ports.port_id" in written


def test_a_size_that_only_a_text_could_have_is_no_answer_without_a_warning() -> None:
    found = asked("Which sailor has the longest full name?", KNOWN)
    assert not isinstance(found, QueryDraft) or found.confidence < UNSURE


def test_rows_of_two_tables_that_are_asked_for_together_are_put_together() -> None:
    written = sql("Show the names of all ports and sailors.")
    assert written == "SELECT ports.port_name FROM ports UNION SELECT sailors.full_name FROM sailors"


QUAYS = table("quays", "quay_id*:INTEGER quay_name basin depth:DOUBLE")
SHIPS = table("ships", "ship_id*:INTEGER ship_name kind length:DOUBLE owner")
CALLS = keyed(
    table("calls", "call_id*:INTEGER ship_id:INTEGER quay_id:INTEGER arrived:DATE"),
    ship_id="ships.ship_id",
    quay_id="quays.quay_id",
)
HARBOUR = knowledge(
    QUAYS,
    SHIPS,
    CALLS,
    profiles={
        QUAYS.fqn: profiled(QUAYS, {"basin": ["North", "Old"]}),
        SHIPS.fqn: profiled(SHIPS, {"kind": ["tug", "ferry"]}),
    },
)


@pytest.mark.parametrize("question", ["which quay has no max depth", "Which ship is not the longest?"])
def test_that_a_value_is_there_to_be_put_in_order_denies_nothing(question: str) -> None:
    found = drafted(question, HARBOUR)
    assert (found.evidence or {})["doubts"] == ["something is denied and the query denies nothing"]
    assert found.confidence < UNSURE


def test_what_each_row_has_one_of_is_not_counted_for_the_row() -> None:
    found = asked("What ship has the most different owners?", HARBOUR)
    assert not isinstance(found, QueryDraft) or found.confidence < UNSURE


@pytest.mark.parametrize(
    "question", ["Which ships called at the Old basin?", "the ship names of ships at quays in the Old basin"]
)
def test_the_column_of_a_value_beside_it_says_nothing_more(question: str) -> None:
    found = drafted(question, HARBOUR)
    assert (found.evidence or {})["unplaced"] == []
    assert found.confidence >= UNSURE
