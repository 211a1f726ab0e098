"""What plain sense adds to the words of a question: what figures are made of, what rows are told apart by, what numbers
are of, and what a question says that nothing stands for.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from resolvers.engines.nl2sql.model import Knowledge, QueryDraft
from schema.data_readiness.profile import TableProfile
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

BOATS = [f"B{at:03}" for at in range(100)]
HARBOUR = table("harbours", "harbour_id*:INTEGER name town")
BOAT = keyed(
    table(
        "boats", "boat_id*:INTEGER reference berths:INTEGER length_m:REAL price:REAL built_on:DATE harbour_id:INTEGER"
    ),
    harbour_id="harbours.harbour_id",
)
FEE = keyed(
    table("fees", "fee_id*:INTEGER boat_id:INTEGER amount:REAL currency reason paid_on:DATE"), boat_id="boats.boat_id"
)
SKIPPER = keyed(
    table("skippers", "skipper_id*:INTEGER full_name phone email joined_on:DATE harbour_id:INTEGER"),
    harbour_id="harbours.harbour_id",
)
WATCH = table("v_watch_month", "harbour_id:INTEGER month avg_wind:REAL", table_type="VIEW")


def _known(*more: Any, currencies: Sequence[str] = ("EUR", "SEK", "NOK")) -> Knowledge:
    profiles = {
        HARBOUR.fqn: profiled(HARBOUR, {"name": ["North Pier", "Old Quay"], "town": ["Visby", "Turku"]}),
        BOAT.fqn: profiled(BOAT, {"reference": BOATS}),
        FEE.fqn: _with_nulls(profiled(FEE, {"currency": list(currencies), "reason": ["Towing", "Repair"]}), "reason"),
    }
    return knowledge(HARBOUR, BOAT, FEE, SKIPPER, *more, profiles=profiles)


def _with_nulls(profile: TableProfile, column: str) -> TableProfile:
    columns = [one.model_copy(update={"null_count": 40}) if one.name == column else one for one in profile.columns]
    return profile.model_copy(update={"columns": columns})


@pytest.mark.parametrize("text", ["total amount of fees", "average amount of the fees paid in 2024"])
def test_amounts_in_several_currencies_are_not_surely_one_figure(text: str) -> None:
    draft = drafted(text, _known())
    assert draft.confidence < UNSURE
    assert "amounts in several currencies are added up" in (draft.evidence or {})["doubts"]


@pytest.mark.parametrize("text", ["total amount of fees per currency", "total amount of fees in the currency SEK"])
def test_amounts_that_are_kept_apart_by_currency_bear_no_doubt(text: str) -> None:
    assert "amounts in several currencies are added up" not in (drafted(text, _known()).evidence or {})["doubts"]


def test_one_currency_is_no_doubt() -> None:
    assert drafted("total amount of fees", _known(currencies=["EUR"])).confidence >= UNSURE


def test_an_average_of_averages_is_doubted() -> None:
    draft = drafted("average wind per harbour", _known(WATCH))
    assert "avg_wind" in draft.sql
    assert draft.confidence < UNSURE


def test_the_most_common_value_is_one_that_is_told() -> None:
    assert '"reason" IS NULL' in drafted("What is the most common reason of fees?", _known()).sql


def test_rows_without_a_name_are_told_apart_by_their_reference() -> None:
    draft = drafted("boats built after 2015", _known())
    assert draft.sql.startswith('SELECT "reference" FROM "boats"')


def test_so_many_of_something_before_rows_is_no_limit() -> None:
    for text in ("4 berth boats", "four berth boats"):
        assert drafted(text, _known()).sql == 'SELECT "reference" FROM "boats" WHERE "berths" = 4'
    assert drafted("4 boats", _known()).sql.endswith("LIMIT 4")


def test_what_is_said_of_amounts_is_no_year() -> None:
    under = drafted("boats under 1900", _known())
    assert '"price" < 1900' in under.sql
    assert under.confidence < UNSURE
    assert '"built_on"' in drafted("boats built before 1900", _known()).sql


def test_a_number_behind_no_is_none_that_is_denied() -> None:
    invoice = table("invoices", "invoice_id*:INTEGER invoice_no total:REAL")
    known = knowledge(invoice, profiles={invoice.fqn: profiled(invoice, {"invoice_no": ["KX-1204", "KX-1205"]})})
    draft = drafted("total of the invoice with invoice no KX-1204", known)
    assert "'KX-1204'" in draft.sql
    assert "<>" not in draft.sql


@pytest.mark.parametrize("text", ["skippers in Visby in May 2025", "how many skippers in 2024"])
def test_a_time_of_people_without_a_deed_is_no_sure_one(text: str) -> None:
    assert drafted(text, _known()).confidence < UNSURE


@pytest.mark.parametrize("text", ["skippers who joined in May 2025", "new skippers in May 2025"])
def test_a_time_of_a_deed_is_sure(text: str) -> None:
    draft = asked(text, _known())
    doubts = (draft.evidence or {}).get("doubts", ()) if isinstance(draft, QueryDraft) else ()
    assert "a time is said of people, and not what happened then" not in doubts


def test_a_verb_that_nothing_stands_for_leaves_no_answer_sure() -> None:
    draft = asked("skippers who have left", _known())
    assert not isinstance(draft, QueryDraft) or draft.confidence < UNSURE


def test_what_is_still_to_come_is_no_sure_answer() -> None:
    draft = asked("how many skippers will join next month", _known())
    assert not isinstance(draft, QueryDraft) or draft.confidence < UNSURE


def test_neither_and_nor_deny_both() -> None:
    draft = drafted("skippers with neither a phone nor an email", _known())
    assert '"phone" IS NULL' in draft.sql
    assert '"email" IS NULL' in draft.sql


def test_columns_that_begin_with_the_initials_of_their_table_are_its_own() -> None:
    repair = table("tbl_dock_repair", "dr_no*:INTEGER dr_typ dr_dt:DATE boat_id:INTEGER")
    known = _known(repair, table("tbl_berth", "berth_no*:INTEGER berth_typ"))
    assert drafted("number of dock repairs by type", known).sql.count("dr_typ") > 0


def test_rows_that_were_opened_are_not_those_that_are_open() -> None:
    order = table("orders", "order_id*:INTEGER order_no opened_at:TIMESTAMP")
    view = table("v_open_order", "order_id:INTEGER order_no opened_at:TIMESTAMP", table_type="VIEW")
    assert 'FROM "orders"' in drafted("orders opened in May 2025", _known(order, view)).sql


def test_what_makes_rows_the_best_is_doubted_where_other_rows_tell_it() -> None:
    review = keyed(table("reviews", "review_id*:INTEGER boat_id:INTEGER rating:INTEGER"), boat_id="boats.boat_id")
    draft = asked("which are our best boats?", _known(review))
    assert not isinstance(draft, QueryDraft) or draft.confidence < UNSURE
    assert drafted("which boat has the best rating?", _known(review)).confidence >= UNSURE


def test_rows_that_are_named_by_their_kind_are_told_beside_what_is_theirs() -> None:
    crew = table("crew", "crew_id*:INTEGER full_name trade day_rate:REAL")
    known = knowledge(crew, profiles={crew.fqn: profiled(crew, {"trade": ["Welder", "Rigger", "Painter"]})})
    assert drafted("riggers and their day rates", known).sql.startswith('SELECT "full_name", "day_rate"')


def test_when_the_last_of_some_rows_was_is_told_of_those_rows() -> None:
    outing = keyed(table("sailing", "sailing_id*:INTEGER boat_id:INTEGER sailing_date:DATE"), boat_id="boats.boat_id")
    draft = drafted("When was the last sailing of boat B007", _known(outing))
    assert draft.sql.count("SELECT") == 1
    assert "'B007'" in draft.sql


def test_a_share_of_a_kind_before_its_rows_is_a_share() -> None:
    draft = drafted("percentage of towing fees", _known())
    assert "100 *" in draft.sql
    assert "'Towing'" in draft.sql
    assert "100 *" in drafted("% of fees with the reason Towing", _known()).sql


def test_a_share_among_rows_is_one_of_those_rows() -> None:
    draft = drafted("share of towing fees among fees in the currency SEK", _known())
    assert draft.sql.count("'SEK'") == 2
    assert draft.sql.count("'Towing'") == 1


def test_a_count_that_is_shown_is_of_what_is_counted() -> None:
    draft = drafted("boats with at least 3 fees, show reference and count", _known())
    assert 'COUNT(*) AS "count_fees"' in draft.sql


def test_so_much_per_so_much_that_is_not_divided_is_doubted() -> None:
    draft = asked("which boat has the highest price per length", _known())
    assert not isinstance(draft, QueryDraft) or draft.confidence < UNSURE


def test_a_reading_that_no_row_can_fit_is_none() -> None:
    club = keyed(table("clubs", "club_id*:INTEGER harbour_id:INTEGER name"), harbour_id="harbours.harbour_id")
    draft = drafted("harbours that have no clubs, names and town", _known(club))
    assert draft.sql.count('"clubs"') == draft.sql.count("NOT EXISTS") * 2


def test_who_does_something_is_no_misspelling_of_the_deed() -> None:
    draft = drafted("harbours whose name contains the word computer", _known())
    assert "%computer%" in draft.sql


def test_a_refusal_names_no_little_words_as_missing() -> None:
    outcome = asked("xylophone by quarter since January 2024", _known())
    assert not isinstance(outcome, QueryDraft)
    assert not any(word in outcome.message for word in ("quarter", "since"))


@pytest.mark.parametrize("text", ["skippers who sail at least two boats", "skippers who sail no boats"])
def test_a_table_whose_key_is_counted_is_not_passed_over(text: str) -> None:
    tie = keyed(
        table("sails", "skipper_id*:INTEGER boat_id*:INTEGER"),
        skipper_id="skippers.skipper_id",
        boat_id="boats.boat_id",
    )
    draft = drafted(text, _known(tie))
    assert '"boats"' not in draft.sql
    assert "a table is named and not used" not in (draft.evidence or {})["doubts"]
