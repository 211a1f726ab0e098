"""Nouns and the verbs beside them: what did something is no name with the verb in it, and what we do says nothing."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

PUB = table("pub", "pub_id*:INTEGER name town")
ORDER = keyed(table("pub_order", "order_id*:INTEGER pub_id:INTEGER ordered_on:DATE status"), pub_id="pub.pub_id")
BEER = table("beer", "beer_id*:INTEGER name style")
LINE = keyed(
    table("order_line", "line_id*:INTEGER order_id:INTEGER beer_id:INTEGER quantity:INTEGER"),
    order_id="pub_order.order_id",
    beer_id="beer.beer_id",
)
STATION = table("stations", "station_id*:INTEGER name")
CALL = keyed(
    table("calls", "call_no*:INTEGER lead_station:INTEGER tickets_sold:INTEGER town"),
    lead_station="stations.station_id",
)
BREWERY = knowledge(PUB, ORDER, BEER, LINE)
BRIGADE = knowledge(STATION, CALL)


def test_who_did_something_is_no_name_that_has_the_verb_in_it() -> None:
    assert drafted("Which pubs ordered the most beers?", BREWERY).sql.startswith('SELECT "pub"."name"')
    assert drafted("Which station led the most calls?", BRIGADE).sql.startswith('SELECT "stations"."name"')


def test_a_name_with_the_verb_as_it_is_said_is_meant() -> None:
    assert 'SUM("tickets_sold")' in drafted("How many tickets sold in total?", BRIGADE).sql


def test_rows_in_the_plural_are_no_days_on_which_something_was_done() -> None:
    draft = drafted("orders of 2023", BREWERY)
    assert draft.sql.startswith('SELECT "order_id"')
    assert '"ordered_on"' in draft.sql


@pytest.mark.parametrize("text", ["List all beers we brew.", "the beers that we sell", "beers which we currently make"])
def test_what_we_do_with_all_of_them_chooses_none(text: str) -> None:
    assert drafted(text, BREWERY).sql == 'SELECT "name" FROM "beer"'


def test_nothing_is_without_itself() -> None:
    member = table("members", "member_id*:INTEGER name")
    training = keyed(table("trainings", "training_id*:INTEGER topic trainer:INTEGER"), trainer="members.member_id")
    attended = keyed(
        table("attendance", "training_id:INTEGER member_id:INTEGER"),
        training_id="trainings.training_id",
        member_id="members.member_id",
    )
    draft = drafted("Trainings without a trainer", knowledge(member, training, attended))
    assert '"trainer" IS NULL' in draft.sql


def test_rows_that_a_number_tells_apart_are_called_by_their_sign() -> None:
    vehicle = table("vehicles", "vehicle_id*:INTEGER call_sign make built:INTEGER")
    profile = profiled(vehicle, {"call_sign": [f"AB{at:02}-1" for at in range(100)]})
    seen = [profile.columns[0].model_copy(update={"top_values": [], "max_length": 6})]  # each is seen once
    known = knowledge(vehicle, profiles={vehicle.fqn: profile.model_copy(update={"columns": seen})})
    assert drafted("vehicles built after 2015", known).sql.startswith('SELECT "call_sign"')


BUILDING = table("buildings", "building_id*:INTEGER name city")
FLAT = keyed(
    table("flats", "flat_id*:INTEGER building_id:INTEGER flat_number rent:REAL"), building_id="buildings.building_id"
)
TENANT = keyed(table("tenants", "tenant_id*:INTEGER full_name flat_id:INTEGER"), flat_id="flats.flat_id")
PAYMENT = keyed(
    table("payments", "payment_id*:INTEGER tenant_id:INTEGER paid_on:DATE amount_paid:REAL method"),
    tenant_id="tenants.tenant_id",
)
REPAIR = keyed(
    table("repairs", "repair_id*:INTEGER flat_id:INTEGER category cost:REAL done_on:DATE"), flat_id="flats.flat_id"
)
HOUSES = knowledge(BUILDING, FLAT, TENANT, PAYMENT, REPAIR)


@pytest.mark.parametrize("text", ["How much has each tenant paid?", "How much did each tenant pay in 2024?"])
def test_how_much_each_one_did_is_a_sum_for_each(text: str) -> None:
    sql = drafted(text, HOUSES).sql
    assert 'SUM("payments"."amount_paid")' in sql
    assert 'GROUP BY "tenants"."tenant_id"' in sql


def test_how_much_per_kind_is_a_sum_and_each_row_has_its_own() -> None:
    sql = drafted(
        "How much have we spent on repairs per category, and how many repairs were there in each?", HOUSES
    ).sql
    assert sql.startswith('SELECT SUM("cost")')
    assert sql.endswith('GROUP BY "category"')
    assert "SUM" not in drafted("How much did each repair cost?", HOUSES).sql


def test_a_figure_of_what_it_is_grouped_by_is_doubted() -> None:
    found = drafted("total cost for each cost of repairs", HOUSES)
    assert "a figure is of what it is grouped by" in (found.evidence or {})["doubts"]


@pytest.mark.parametrize("text", ["Which payment method is used the most?", "Which method is used most in payments?"])
def test_the_kind_that_is_used_most_is_that_of_most_rows(text: str) -> None:
    assert drafted(text, HOUSES).sql.endswith('GROUP BY "method" ORDER BY COUNT(*) DESC NULLS LAST LIMIT 1')


def test_a_row_that_is_named_beside_a_number_is_shown_by_its_name() -> None:
    sql = drafted("Show the building and the flat number of every flat", HOUSES).sql
    assert '"buildings"."name"' in sql
    assert '"flats"."flat_number"' in sql
    assert '"building_id",' not in sql


MEMBER = table("members", "member_id*:INTEGER full_name join_date:DATE leave_date:DATE")
LEASE = table("leases", "lease_id*:INTEGER started:DATE end_date:DATE status")


@pytest.mark.parametrize("text", ["How many active members are there?", "How many current members do we have?"])
def test_active_rows_are_those_without_an_end(text: str) -> None:
    assert drafted(text, knowledge(MEMBER)).sql.endswith('WHERE "leave_date" IS NULL')


def test_what_says_the_state_of_rows_says_whether_they_are_active() -> None:
    states = {LEASE.fqn: profiled(LEASE, {"status": ["A", "E", "T"]})}
    assert "\"status\" = 'A'" in drafted("How many active leases are there?", knowledge(LEASE, profiles=states)).sql


def test_what_is_counted_says_what_was_done_with_it() -> None:
    member = table("members", "member_id*:INTEGER name")
    incident = table("incidents", "incident_id*:INTEGER town")
    crew = keyed(
        table("crews", "incident_id*:INTEGER member_id*:INTEGER hours:REAL"),
        incident_id="incidents.incident_id",
        member_id="members.member_id",
    )
    other = keyed(table("course_attend", "member_id:INTEGER course score:INTEGER"), member_id="members.member_id")
    sql = drafted("Top 4 members by number of incidents attended", knowledge(member, incident, crew, other)).sql
    assert '"crews"' in sql
    assert "course_attend" not in sql
