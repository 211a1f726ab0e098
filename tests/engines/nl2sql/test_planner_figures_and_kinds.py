"""One figure or one of each row, kinds or one for each row, none of what a value says, and what is only related."""

import pytest

from resolvers.engines.nl2sql.model import Clarification, QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

REGIONS = table("regions", "region_id*:INTEGER region_name")
PARISHES = keyed(table("parishes", "parish_id*:INTEGER parish_name region_id:INTEGER"), region_id="regions.region_id")
COUNTS = keyed(
    table("counts", "parish_id*:INTEGER year*:INTEGER population:INTEGER life_expectancy:DOUBLE total_cost:DOUBLE"),
    parish_id="parishes.parish_id",
)
CENSUS = knowledge(
    REGIONS, PARISHES, COUNTS,
    profiles={
        REGIONS.fqn: profiled(REGIONS, {"region_name": ["North", "South"]}),
        PARISHES.fqn: profiled(PARISHES, {"parish_name": ["Ash", "Elm", "Oak"]}),
    },
)  # fmt: skip

HITS = table(
    "hits", "hit_id*:INTEGER aircraft subject damage cost_per_pupil:DOUBLE pupil_ratio:DOUBLE enrollment:INTEGER"
)
SEEN = knowledge(
    HITS, profiles={HITS.fqn: profiled(HITS, {"damage": ["None", "Minor"], "subject": ["Hull", "Wing", "Tail"]})}
)  # fmt: skip


def sql(text: str, known: object = CENSUS) -> str:
    return drafted(text, known).sql.replace('"', "")  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["What was the total cost in 2007?", "What is the total cost of all counts in 2007?"])
def test_the_total_of_a_column_called_so_is_its_sum(text: str) -> None:
    assert "SUM(" in sql(text)
    assert "SUM(" not in sql("What are the total costs of counts in 2007?")


def test_a_figure_of_what_has_several_rows_is_added_up_and_doubted() -> None:
    whole = drafted("What was the population of North in 2007?", CENSUS)
    assert "SUM(" in whole.sql
    assert "those of several rows are added up" in " ".join(whole.evidence["doubts"])  # type: ignore[arg-type]
    one = drafted("What was the population of Elm in 2007?", CENSUS)
    assert "SUM(" not in one.sql
    assert one.confidence > whole.confidence


def test_a_figure_that_cannot_be_added_up_is_doubted_where_several_rows_have_one() -> None:
    found = asked("What was the life expectancy of North in 2007?", CENSUS)
    assert isinstance(found, Clarification) or (isinstance(found, QueryDraft) and found.confidence < 0.75)
    assert drafted("What was the life expectancy of Elm in 2007?", CENSUS).confidence >= 0.8


def test_a_figure_of_this_and_of_that_is_one_of_each() -> None:
    found = sql("What was the population of Ash and Elm in 2007?")
    assert "IN ('Ash', 'Elm')" in found
    assert "INTERSECT" not in found
    assert found.startswith("SELECT parishes.parish_name")


def test_a_count_of_this_and_of_that_is_one_of_both_unless_each_is_said() -> None:
    both = drafted("How many hits are there with the subject Hull and Wing?", SEEN)
    assert "IN ('Hull', 'Wing')" in both.sql
    assert "GROUP BY" not in both.sql
    each = sql("How many hits does each of the subjects Hull and Wing have?", SEEN)
    assert "GROUP BY" in each


@pytest.mark.parametrize("text", ["Which subjects are there?", "List the subjects.", "List all aircrafts."])
def test_kinds_are_listed_once(text: str) -> None:
    assert "SELECT DISTINCT" in sql(text, SEEN)


def test_a_kind_of_many_rows_is_no_name_of_one() -> None:
    assert "GROUP BY subject" in sql("How many hits are there per subject?", SEEN)


def test_the_years_that_rows_are_of_are_listed_once() -> None:
    assert "SELECT DISTINCT" in sql("Which years are there?")
    assert "SELECT DISTINCT" in sql("List the years.")


@pytest.mark.parametrize("text", ["How many hits had no damage?", "How many hits were without damage?"])
def test_none_is_what_a_value_says(text: str) -> None:
    found = drafted(text, SEEN)
    assert "\"damage\" = 'None'" in found.sql
    assert found.confidence >= 0.9


def test_where_no_row_has_none_the_answer_is_doubted() -> None:
    assert drafted("How many hits are without subject?", SEEN).confidence < 0.75


@pytest.mark.parametrize("text", ["Which hits have more than 100 pupils?", "Hits with fewer than 100 pupils"])
def test_a_number_of_things_is_no_figure_per_thing(text: str) -> None:
    assert "enrollment" in sql(text, SEEN)


def test_the_average_of_a_kind_of_figures_is_one_of_those() -> None:
    marks = table("marks", "mark_id*:INTEGER subject points:DOUBLE avg_income:DOUBLE")
    known = knowledge(marks, profiles={marks.fqn: profiled(marks, {"subject": ["Math", "Reading"]})})
    found = drafted("What is the average Math points?", known).sql
    assert 'AVG("points")' in found
    assert "'Math'" in found


@pytest.mark.parametrize(
    "text",
    ["Which parishes had a population above the average in 2007?", "Parishes with above-average population in 2007"],
)
def test_the_time_of_an_average_is_that_of_what_is_compared_with_it(text: str) -> None:
    assert sql(text).count("year = 2007") == 2


def test_a_share_of_a_total_is_taken_of_the_total() -> None:
    found = sql("What percentage of the population lives in Elm?")
    assert found.count("SUM(") == 2
    assert "COUNT(" not in found


def test_the_population_of_the_world_is_that_of_all_rows() -> None:
    found = asked("What was the world population in 2007?", CENSUS)
    assert isinstance(found, QueryDraft), found
    assert "SUM(" in found.sql


def test_a_figure_by_a_kind_is_one_of_each_though_it_may_be_a_verb() -> None:
    spins = table("spins", "spin_id*:INTEGER speed_knots:DOUBLE phase")
    assert 'GROUP BY "phase"' in drafted("average speed by phase", knowledge(spins, profiles={})).sql


def test_what_is_more_and_is_not_compared_is_warned_of() -> None:
    found = asked("Were there more hits with the subject Hull or Wing?", SEEN)
    assert isinstance(found, Clarification) or (isinstance(found, QueryDraft) and found.confidence < 0.75)


def test_in_which_place_and_year_is_told_by_one_row() -> None:
    found = sql("In which parish and year was the lowest life expectancy recorded?")
    assert "ORDER BY counts.life_expectancy ASC LIMIT 1" in found.replace(" NULLS LAST", "")
    assert "GROUP BY" not in found


def test_the_highest_of_a_column_called_total_is_the_highest_total() -> None:
    assert "ORDER BY SUM(counts.total_cost) DESC" in sql("Which parish had the highest total cost?")


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("What percentage of hits with the subject Hull had no damage?", "WHERE hits_2.subject = 'Hull'"),
        ("What percentage of hits had no damage?", "FROM hits AS hits_2)"),
    ],
)
def test_a_share_is_one_of_the_rows_told_before_the_verb(text: str, base: str) -> None:
    assert base in sql(text, SEEN)


def test_the_time_of_a_share_is_that_of_all_rows() -> None:
    assert sql("What percentage of the population lived in Elm in 2007?").count("year = 2007") == 2


@pytest.mark.parametrize(("said", "kind"), [("sunny", "sun"), ("foggy", "fog"), ("poorly", "Poor")])
def test_an_adjective_of_a_value_finds_it(said: str, kind: str) -> None:
    days = table("days", "day_id*:INTEGER sky grade")
    known = knowledge(days, profiles={days.fqn: profiled(days, {"sky": ["sun", "fog"], "grade": ["Poor", "Well"]})})
    assert f"'{kind}'" in sql(f"How many days were {said}?", known)


def test_st_beside_a_zip_code_is_a_state() -> None:
    zips = table("zips", "zip* city st")
    assert "GROUP BY st" in sql("How many zips are there in each state?", knowledge(zips, profiles={}))


def test_the_month_that_had_the_most_is_told_by_the_date_of_what_is_added_up() -> None:
    rains = table("rains", "rain_id*:INTEGER fell_on:DATE precipitation_mm:DOUBLE")
    found = sql("Which month had the most precipitation?", knowledge(rains, profiles={}))
    assert "ORDER BY SUM(precipitation_mm) DESC" in found


def test_what_is_not_had_is_an_own_column_rather_than_a_table_beside_and_one_of_two_is_doubted() -> None:
    rounds = table("rounds", "round_id*:INTEGER start_date:DATE")
    games = keyed(
        table("games", "game_id*:INTEGER round_id:INTEGER game_date:DATE home_goals:INTEGER away_goals:INTEGER"),
        round_id="rounds.round_id",
    )
    known = knowledge(rounds, games, profiles={})
    assert "game_date IS NULL" in sql("How many games have no date?", known)
    found = asked("How many games had no goals?", known)
    assert isinstance(found, Clarification) or (isinstance(found, QueryDraft) and found.confidence < 0.75)


def test_a_share_is_called_a_percentage_and_a_total_only_once() -> None:
    assert "AS percentage" in sql("What percentage of hits had no damage?", SEEN)
    assert "AS total_cost" in sql("What was the total cost in 2007?")
