"""What a row is called, where a column has the name of something else; and questions that are shortened."""

from resolvers.engines.nl2sql.language.tokens import tokenize
from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

TREES = ["Ash", "Elm", "Oak", "Fir", "Yew", "Bay", "Lime", "Pine"]
ENDINGS = ["Row", "Way", "Rise", "End", "Hill", "Gate", "Walk"]
LANES = table("lane_ref", "lane_no*:INTEGER lane_desc borough_nm length_m:INTEGER")
VALUES = {
    "lane_desc": [f"{first} {last}" for first in TREES for last in ENDINGS],
    "borough_nm": ["Northgate", "Riverside", "Hillcrest"],
}
KNOWN = knowledge(LANES, profiles={LANES.fqn: profiled(LANES, VALUES)}, dialect="duckdb")


def read(text: str) -> str:
    return drafted(text, KNOWN).sql.replace('"', "")


def test_the_name_of_something_else_that_many_rows_share_names_none_of_them() -> None:
    assert read("What is the longest lane?").startswith("SELECT lane_desc FROM lane_ref")
    assert read("Which lanes have a length of 20?").startswith("SELECT lane_desc FROM lane_ref")
    assert "GROUP BY borough_nm" in read("How many lanes are there in each borough?")


def test_what_is_shortened_is_what_is_written_out() -> None:
    assert read("What's the longest lane?") == read("What is the longest lane?")
    assert read("What's the average length of the lanes?") == read("What is the average length of the lanes?")
    said = [one.text for one in tokenize("Who's at the baker's?")]
    assert (said[1], said[5]) == ("is", "'s")


def test_fn_and_ln_beside_one_another_are_the_name_of_a_person() -> None:
    known = knowledge(table("crew", "id*:INTEGER fn ln wage:INTEGER"), table("jobs", "id*:INTEGER fn wage:INTEGER"))
    assert (
        drafted("Who has the highest wage of the crew?", known)
        .sql.replace('"', "")
        .startswith("SELECT fn, ln FROM crew")
    )
    assert drafted("Which job has the highest wage?", known).sql.replace('"', "").startswith("SELECT id FROM jobs")


def test_a_whole_name_that_is_known_is_not_put_together_of_two_others() -> None:
    crew, pilots = (
        table("crew", "id*:INTEGER first_name last_name born:DATE"),
        table("pilots", "id*:INTEGER name hired:DATE"),
    )
    values = {
        crew.fqn: profiled(crew, {"first_name": ["Ben", "Ida"], "last_name": ["Skov", "Holm"]}),
        pilots.fqn: profiled(pilots, {"name": ["Ben Skov", "Eva Lund"]}),
    }
    known = knowledge(crew, pilots, profiles=values)
    assert "name = 'Ben Skov'" in drafted("When was Ben Skov hired?", known).sql.replace('"', "")
    assert "last_name = 'Holm'" in drafted("When was Ida Holm born?", known).sql.replace('"', "")
