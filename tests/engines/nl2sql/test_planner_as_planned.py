"""Columns that hold what came about beside others that hold what was planned, and texts that only look like numbers."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

BARGE = table(
    "TBL_TRIPS_HDR", "TRIP_NO*:INTEGER LOCK_CD STRT_DT:DATE PLND_STRT_DT:DATE TOLL_COST:DOUBLE EST_TOLL_COST:DOUBLE"
)
LOCK = table("TBL_LOCK_REF", "LOCK_CD* LOCK_NM")
CANAL = knowledge(keyed(BARGE, LOCK_CD="TBL_LOCK_REF.LOCK_CD"), LOCK, profiles={})


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("Which locks had trips that started late?", "TBL_TRIPS_HDR_2.STRT_DT > TBL_TRIPS_HDR_2.PLND_STRT_DT"),
        ("How many trips went over their estimate?", "WHERE TOLL_COST > EST_TOLL_COST"),
        ("Which trips cost less than estimated?", "WHERE TOLL_COST < EST_TOLL_COST"),
        ("Which lock has cost us the most?", "ORDER BY SUM(TBL_TRIPS_HDR.TOLL_COST) DESC"),
        ("What is the total estimated cost?", "SELECT SUM(EST_TOLL_COST)"),
    ],
)
def test_what_came_about_is_compared_with_what_was_planned(question: str, part: str) -> None:
    assert part in drafted(question, CANAL).sql.replace('"', "")


PILOT = table("pilots", "pilot_id*:INTEGER first_name birth_port_id:INTEGER home_port_id:INTEGER county_state phone_no")
PORT = table("ports", "port_id*:INTEGER port_name county_state")
PILOTS = knowledge(
    keyed(PILOT, birth_port_id="ports.port_id", home_port_id="ports.port_id"),
    PORT,
    profiles={
        PILOT.fqn: profiled(PILOT, {"first_name": ["Ann", "Bo"]}),
        PORT.fqn: profiled(PORT, {"county_state": ["Kent", "Devon"], "port_name": ["Ryde", "Deal"]}),
    },
)


@pytest.mark.parametrize(
    ("question", "part"),
    [
        (
            "What is the first name of the pilot whose birth port is different from their home one?",
            "SELECT first_name FROM pilots WHERE birth_port_id <> home_port_id",
        ),
        (
            "What are the first names of pilots whose home port is the same as their birth port?",
            "home_port_id = birth_",
        ),
        (
            "Whose birth port is different from his or her home port? List his or her first name.",
            "SELECT first_name FROM pilots WHERE birth_port_id <> home_port_id",
        ),
        ("What are the first names of pilots whose home port is in Devon?", "pilots.home_port_id = ports.port_id"),
        ("What is the phone number of the pilot named Ann?", "SELECT phone_no FROM pilots"),
        ("Which ports are in the county of Devon?", "FROM ports WHERE county_state = 'Devon'"),
    ],
)
def test_two_columns_of_a_row_hold_the_same_or_not(question: str, part: str) -> None:
    assert part in drafted(question, PILOTS).sql.replace('"', "")


TOOL = table("tool_hire", "hire_id*:INTEGER customer taken_on:DATE due_back:DATE brought_on:DATE returned_on:DATE")
BILL = table("bill", "bill_no*:INTEGER customer issued_on:DATE due_on:DATE paid_on:DATE")


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        ("How many tool hires came back late?", "returned_on > due_back"),
        ("How many tool hires were late?", "returned_on > due_back"),
        ("Which customer has the most late bills?", "paid_on > due_on"),
        ("bills paid on time", "paid_on <= due_on"),
        ("overdue bills by customer", "paid_on > due_on"),
    ],
)
def test_late_is_done_after_it_was_due_and_on_time_before(question: str, condition: str) -> None:
    known = knowledge(TOOL, BILL, profiles={})
    assert condition in drafted(question, known).sql.replace('"', "")


def test_where_no_plan_is_known_being_late_is_not_answered() -> None:
    assert not isinstance(asked("How many trips ended late?", CANAL), QueryDraft)


def test_an_estimate_taken_for_a_budget_is_no_sure_answer() -> None:
    assert drafted("How many trips were over budget?", CANAL).confidence < UNSURE


def test_values_that_are_no_numbers_make_what_is_reckoned_with_them_unsure() -> None:
    tubs = table("tubs", "tub_id*:INTEGER tub_name volume")
    profile = profiled(tubs, {"volume": ["12", "30", "null"]})
    numbers = profiled(tubs, {"volume": ["12", "30", "31"]})
    for made, high in ((profile, "null"), (numbers, "31")):
        made.columns[0] = made.columns[0].model_copy(update={"minimum": "12", "maximum": high})
    mixed, plain = (
        drafted("What is the average volume of the tubs?", knowledge(tubs, profiles={tubs.fqn: one}))
        for one in (profile, numbers)
    )
    assert mixed.confidence < UNSURE <= plain.confidence
