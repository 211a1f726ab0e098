"""Views beside the tables that they show, figures of which two tables have as many, and readings that fit less well."""

from resolvers.engines.nl2sql.model import Clarification
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

ROWER = table("rowers", "rower_id*:INTEGER given_name surname town")
RACE = keyed(
    table("races", "race_id*:INTEGER rower_id:INTEGER year:INTEGER medals:INTEGER strokes:INTEGER"),
    rower_id="rowers.rower_id",
)
DRILL = keyed(
    table("drills", "drill_id*:INTEGER rower_id:INTEGER year:INTEGER strokes:INTEGER"), rower_id="rowers.rower_id"
)
TOTAL = table("lifetime_medals", "rower_id:INTEGER given_name surname medals:INTEGER", table_type="VIEW")
NAMES = {"given_name": ["Edda", "Ulf", "Signe"], "surname": ["Lind", "Berg", "Holm"]}
KNOWN = knowledge(
    ROWER, RACE, DRILL, TOTAL, profiles={ROWER.fqn: profiled(ROWER, NAMES), TOTAL.fqn: profiled(TOTAL, NAMES)}
)


def test_what_a_view_shows_is_meant_of_the_table() -> None:
    sql = drafted("how many medals did Edda Lind win in 2019?", KNOWN).sql
    assert "lifetime_medals" not in sql
    assert '"races"."year" = 2019' in sql
    assert '"rowers"."surname" = \'Lind\'' in sql


def test_a_view_that_is_named_is_meant_and_its_name_says_its_measure() -> None:
    sql = drafted("lifetime medals of Ulf Berg", KNOWN).sql
    assert sql.startswith('SELECT "medals" FROM "lifetime_medals"')
    assert "'Berg'" in sql
    assert '"lifetime_medals"."medals"' in drafted("top 3 rowers by lifetime medals", KNOWN).sql


def test_a_figure_that_two_tables_have_as_well_is_asked_about() -> None:
    found = asked("total strokes of Signe Holm", KNOWN)
    assert isinstance(found, Clarification)
    assert {"races" in one.sql for one in found.readings if one.sql} == {True, False}
    assert '"races"' in drafted("total strokes of the races of Signe Holm", KNOWN).sql


FERRY = table("ferries", "ferry_id*:INTEGER ferry_name")
PIER = table("piers", "pier_no*:INTEGER quay_name")
SAILING = keyed(
    table(
        "ferry_sailings",
        "sailing_no*:INTEGER ferry_id:INTEGER pier_no:INTEGER left_at:TIMESTAMP departed_at:TIMESTAMP master_name",
    ),
    ferry_id="ferries.ferry_id",
    pier_no="piers.pier_no",
)
SHOWN = table("v_sailing", "sailing_no:INTEGER ferry_name left_at:TIMESTAMP departed_at:TIMESTAMP state",
              table_type="VIEW")  # fmt: skip
SAILED = knowledge(
    FERRY, PIER, SAILING, SHOWN,
    profiles={
        SHOWN.fqn: profiled(SHOWN, {"state": ["Departed", "Moored"]}),
        PIER.fqn: profiled(PIER, {"quay_name": ["North Quay", "South Quay"]}),
    },
)  # fmt: skip


def test_a_view_called_as_the_rows_of_its_table_is_not_named_by_that_word() -> None:
    assert drafted("sailings by master name", SAILED).sql.count("v_sailing") == 0
    assert 'FROM "ferry_sailings"' in drafted("how many sailings are there?", SAILED).sql
    assert 'FROM "v_sailing"' in drafted("how many sailings per state?", SAILED).sql


def test_a_state_before_rows_is_its_value_and_not_the_time_called_by_the_same_word() -> None:
    sql = drafted("how many departed sailings are there?", SAILED).sql
    assert "\"state\" = 'Departed'" in sql
    assert "departed_at" not in sql
    assert "'Departed'" not in drafted("sailings that departed in 2023", SAILED).sql


def test_a_name_that_several_rows_share_is_what_they_are_grouped_by() -> None:
    assert drafted("sailings per quay", SAILED).sql.endswith('GROUP BY "piers"."quay_name"')
    assert '"pier_no"' in drafted("sailings per pier", SAILED).sql


def test_a_view_is_no_way_from_one_of_its_tables_to_another() -> None:
    crew = table("crews", "crw_no*:INTEGER crew_name")
    voyage = keyed(table("voyages", "voyage_no*:INTEGER crw_no:INTEGER cargo"), crw_no="crews.crw_no")
    late = keyed(
        table("v_late_voyages", "voyage_no:INTEGER crew_name n_crews:INTEGER", table_type="VIEW"),
        voyage_no="voyages.voyage_no",
        crew_name="crews.crew_name",
    )
    known = knowledge(crew, voyage, late, profiles={})
    for question in ("number of voyages per crew", "crews with more than 150 voyages"):
        assert "v_late_voyages" not in drafted(question, known).sql
