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
