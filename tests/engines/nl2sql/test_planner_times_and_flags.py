"""Times that are durations, flags before a time, days that are the coldest, and what is done so often."""

import pytest

from resolvers.engines.nl2sql.model import Clarification, QueryDraft
from schema.data_readiness.profile import TableProfile
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

WORKERS = table("workers", "worker_id*:INTEGER name years_of_schooling:INTEGER")
RECORDS = keyed(
    table("pay_records", "pay_record_id*:INTEGER worker_id:INTEGER pay_year:INTEGER hourly_wage:DOUBLE union_member"),
    worker_id="workers.worker_id",
)


def ranged(of: object, values: dict[str, list[str]], ends: dict[str, tuple[str, str]]) -> TableProfile:
    """A profile with the least and the greatest value of some columns."""
    found = profiled(of, {**values, **{name: [] for name in ends}})  # type: ignore[arg-type]
    columns = [
        one.model_copy(update={"minimum": ends[one.name][0], "maximum": ends[one.name][1]}) if one.name in ends else one
        for one in found.columns
    ]
    return found.model_copy(update={"columns": columns})


PAY = knowledge(
    WORKERS, RECORDS,
    profiles={
        WORKERS.fqn: ranged(WORKERS, {}, {"years_of_schooling": ("3", "16")}),
        RECORDS.fqn: ranged(RECORDS, {"union_member": ["yes", "no"]}, {"pay_year": ("1980", "1987")}),
    },
)  # fmt: skip
READINGS = table("readings", "reading_id*:INTEGER reading_date:DATE temp_max_c:DOUBLE wind_speed:DOUBLE station")
WEATHER = knowledge(READINGS, profiles={})
BUYERS = table("buyers", "buyer_id*:INTEGER buyer_name first_ord_dt:DATE")
ORDERS = keyed(
    table("orders", "ord_id*:INTEGER buyer_id:INTEGER ord_dt:DATE amount:DOUBLE"), buyer_id="buyers.buyer_id"
)
SHOP = knowledge(BUYERS, ORDERS, profiles={})


def sql(text: str, known: object) -> str:
    return drafted(text, known).sql.replace('"', "")  # type: ignore[arg-type]


def test_how_many_years_something_lasts_is_no_year() -> None:
    found = sql("How many workers were there in 1983?", PAY)
    assert "years_of_schooling" not in found
    assert "pay_year = 1983" in found


@pytest.mark.parametrize(
    "text", ["average hourly wage of union members in 1987", "How many union members were there in 1987?"]
)
def test_yes_and_no_before_a_time_is_kept(text: str) -> None:
    found = sql(text, PAY)
    assert "union_member = 'yes'" in found
    assert "pay_year = 1987" in found
    assert "DISTINCT" not in found


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("What was the coldest day?", "ORDER BY temp_max_c ASC"),
        ("What was the windiest day in 2015?", "ORDER BY wind_speed DESC"),
        ("List the 5 hottest days.", "ORDER BY temp_max_c DESC"),
        ("What was the first day?", "MIN(reading_date)"),
    ],
)
def test_a_day_is_the_coldest_by_its_temperature(text: str, order: str) -> None:
    assert order in sql(text, WEATHER)


def test_a_time_that_is_asked_for_and_not_shown_is_warned_of() -> None:
    found = asked("When was the highest wind speed?", WEATHER)
    assert isinstance(found, Clarification) or (isinstance(found, QueryDraft) and found.confidence < 0.75)


@pytest.mark.parametrize(
    ("text", "having"),
    [
        ("How many buyers ordered only once?", "HAVING COUNT(*) = 1"),
        ("How many buyers ordered more than 40 times?", "HAVING COUNT(*) > 40"),
        ("Which buyers ordered twice?", "HAVING COUNT(*) = 2"),
    ],
)
def test_who_ordered_so_often_is_not_put_in_order(text: str, having: str) -> None:
    assert having in sql(text, SHOP)


@pytest.mark.parametrize("text", ["How many orders were placed in March 1997?", "How many buyers ordered in 1998?"])
def test_rows_are_of_their_own_time_rather_than_of_another_that_is_called_after_them(text: str) -> None:
    found = sql(text, SHOP)
    assert "ord_dt BETWEEN" in found
    assert "first_ord_dt" not in found


def test_a_scale_is_that_of_both_ends_and_of_the_column() -> None:
    cars = table("cars", "car_id*:INTEGER model price_k:DOUBLE mileage:INTEGER")
    ends = {"price_k": ("7.4", "61.9"), "mileage": ("10", "90000")}
    known = knowledge(cars, profiles={cars.fqn: ranged(cars, {}, ends)})
    assert "price_k BETWEEN 15 AND 20" in sql("Cars with a price between 15 and 20 thousand", known)
    assert "mileage BETWEEN 15000 AND 20000" in sql("Cars with a mileage between 15 and 20 thousand", known)


def test_a_scale_is_kept_where_without_it_a_number_would_be_far_smaller_than_what_is_there() -> None:
    art = table("paintings", "painting_id*:INTEGER title insured_value:DOUBLE")
    profile = ranged(art, {}, {"insured_value": ("1", "700000")})
    columns = [one.model_copy(update={"mean": 27000.0}) for one in profile.columns]
    known = knowledge(art, profiles={art.fqn: profile.model_copy(update={"columns": columns})})
    assert "insured_value > 1500000" in sql("Paintings with an insured value over 1.5 million", known)


def test_averages_are_taken_of_each_and_counts_of_all_kinds_too() -> None:
    people = table("patients", "patient_id*:INTEGER sex age:INTEGER")
    known = knowledge(people, profiles={people.fqn: profiled(people, {"sex": ["Female", "Male"]})})
    assert "GROUP BY sex" in sql("What is the average age of men and women?", known)
    assert "GROUP BY sex" in sql("How many men and women are there?", known)


def test_who_did_what_has_a_date_is_those_who_have_one() -> None:
    patients = table("patients", "patient_id*:INTEGER death_date:DATE route")
    known = ranged(patients, {}, {"death_date": ("1983-01-01", "1991-01-01")})
    (died,) = known.columns
    profile = known.model_copy(update={"columns": [died.model_copy(update={"null_count": 40})]})
    found = knowledge(patients, profiles={patients.fqn: profile})
    for text in ("How many patients died?", "What percentage of patients died?"):
        assert "death_date IS NULL" in sql(text, found), text


def test_a_year_before_first_is_no_number_of_rows() -> None:
    storms = table("storms", "storm_id*:INTEGER storm_name season:INTEGER")
    points = keyed(table("points", "point_id*:INTEGER storm_id:INTEGER observed_at:DATE"), storm_id="storms.storm_id")
    known = knowledge(storms, points, profiles={storms.fqn: profiled(storms, {"storm_name": ["Andrew"]})})
    found = asked("When was storm Andrew of 1992 first observed?", known)
    assert not isinstance(found, QueryDraft) or "LIMIT 1992" not in found.sql
    found = asked("When was Andrew first observed?", known)
    assert not isinstance(found, QueryDraft) or "observed_at" in found.sql or found.confidence < 0.75


def test_averages_of_one_row_each_are_warned_of() -> None:
    firms = table("firms", "firm_id*:INTEGER firm_name")
    figures = keyed(table("figures", "firm_id*:INTEGER sales:DOUBLE"), firm_id="firms.firm_id")
    found = asked("Average sales per firm", knowledge(firms, figures, profiles={}))
    assert isinstance(found, Clarification) or (isinstance(found, QueryDraft) and found.confidence < 0.75)
    assert drafted("Average hourly wage per worker", PAY).confidence >= 0.75


def test_where_somebody_was_born_is_not_where_he_died() -> None:
    people = table("players", "player_id*:INTEGER name birth_country death_country")
    held = {"birth_country": ["Cuba", "Japan"], "death_country": ["Cuba", "Japan"]}
    known = knowledge(people, profiles={people.fqn: profiled(people, held)})
    assert "birth_country = 'Cuba'" in sql("players born in Cuba", known)
    assert "death_country = 'Cuba'" in sql("players who died in Cuba", known)


@pytest.mark.parametrize("text", ["Which firms have missing profits?", "For which firms are profits missing?"])
def test_a_missing_value_of_a_table_beside_is_no_missing_row(text: str) -> None:
    firms = table("firms", "firm_id*:INTEGER firm_name")
    figures = keyed(table("figures", "figure_id*:INTEGER firm_id:INTEGER profits:DOUBLE"), firm_id="firms.firm_id")
    found = sql(text, knowledge(firms, figures, profiles={}))
    assert "profits IS NULL" in found
    assert "NOT EXISTS" not in found


def test_a_stretch_from_another_time_is_not_lost_in_silence() -> None:
    patients = table("patients", "patient_id*:INTEGER death_date:DATE diagnosis_date:DATE")
    found = asked("How many patients died within a year of diagnosis?", knowledge(patients, profiles={}))
    assert not isinstance(found, QueryDraft) or found.confidence < 0.75


def test_a_flag_before_rows_of_several_words_says_which_are_meant() -> None:
    goods = table("cargo_type", "cargo_code* description is_hazardous:BOOLEAN rate:DOUBLE")
    known = knowledge(goods, profiles={})
    assert drafted("list the hazardous cargo types", known).sql == (
        'SELECT "description" FROM "cargo_type" WHERE "is_hazardous" = TRUE'
    )
