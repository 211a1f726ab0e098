"""The chart parser: its lattice of segments, its rules, its cells, and the plans that come out."""

from itertools import pairwise

import pytest

from benchmarks.quality.asking import Answer, Session, Verdict
from benchmarks.quality.calibrate_chart import Parsed, fit_scores
from benchmarks.quality.questions import Question
from benchmarks.quality.shadow import paired
from resolvers.engines.nl2sql.chart.binding import Ground
from resolvers.engines.nl2sql.chart.chart import BEAM, Chart
from resolvers.engines.nl2sql.chart.drafter import Reading, readings
from resolvers.engines.nl2sql.chart.grammar import GOAL, GRAMMAR
from resolvers.engines.nl2sql.chart.lattice import Segment, segments, skips
from resolvers.engines.nl2sql.chart.pieces import Attribute, Holds, Rows, Value
from resolvers.engines.nl2sql.chart.rules import Grammar, RuleSet, expanded
from resolvers.engines.nl2sql.chart.scoring import CONFIDENCE, confidence
from resolvers.engines.nl2sql.drafter import understood
from resolvers.engines.nl2sql.mention import Linked
from resolvers.engines.nl2sql.model import Asked, no_lookup
from resolvers.engines.nl2sql.plan import Literal, Plan
from resolvers.engines.nl2sql.planner.catalog import catalog_of
from tests.engines.nl2sql.catalogs import NOW, column, fqn, keyed, knowledge, table

SCHOOL = (
    table("club", "club_id*:INTEGER club_name city"),
    keyed(
        table("member", "member_id*:INTEGER member_name club_id:INTEGER age:INTEGER joined_on:DATE"),
        club_id="club.club_id",
    ),
)
KNOWN = knowledge(*SCHOOL, profiles={})


def linked(text: str) -> Linked:
    """The words of a question with their mentions."""
    return understood(Asked(text, NOW), KNOWN, no_lookup)


def best(text: str) -> Reading:
    """The best reading of a question."""
    return readings(linked(text), KNOWN)[0]


def spans(text: str, category: str) -> list[Segment]:
    """The segments of a category without skipped words."""
    return [
        one for one in segments(linked(text)) if one.category == category and set(one.features) <= {"unfit", "segments"}
    ]


def test_the_lattice_holds_tables_columns_and_numbers():
    text = "How many members are older than 20?"
    assert spans(text, "Entity")[0].piece == Rows(fqn("member"))
    assert [one.piece.value for one in spans(text, "Number")] == [20]
    assert [one.piece.adjective for one in spans(text, "Comparative")] == ["old"]
    assert spans(text, "count")[0].last == 2


def test_a_segment_is_found_again_with_the_words_behind_it_skipped():
    found = [one for one in segments(linked("members please of clubs")) if one.category == "Entity" and not one.first]
    lengths = [one.last for one in found if one.piece == Rows(fqn("member"))]
    assert lengths == sorted(lengths)
    assert lengths[0] == 1
    assert len(lengths) > 1
    counts = [sum(one.features.values()) for one in found if one.piece == Rows(fqn("member"))]
    assert all(one < other for one, other in pairwise(counts))


def test_what_is_skipped_is_told_by_what_it_is():
    assert skips(linked("the oldest purple 20 ?")) == [
        "small_words", "lost_signals", "lost_words", "lost_values", "small_words"
    ]  # fmt: skip


def test_a_pattern_stands_for_every_choice_of_its_options():
    assert set(expanded("A ?b|c D")) == {("A", "D"), ("A", "b", "D"), ("A", "c", "D")}
    with pytest.raises(ValueError, match="may stand for nothing"):
        list(expanded("?a ?b"))


def test_patterns_share_their_beginnings():
    rules = RuleSet()
    rules.rule("X", "A b C", "A b D")(lambda _: iter(()))
    node = Grammar(rules).root.children["A"].children["b"]
    assert set(node.children) == {"C", "D"}


LEAVES = (
    "the third oldest, the most common, 5, 'x', in 2020, between 2 and 3, per year",
    "higher than the average, how old, more than 2, before 2020, starts with, descending, more cities of members",
    "club Robins, earns the most",
)
"""Between them they have segments of every category."""


def test_categories_that_rules_need_are_made_by_something():
    made = {rule.makes for rule in GRAMMAR.rules}
    leaves = {one.category for text in LEAVES for one in segments(linked(text))}
    needed = {one for rule in GRAMMAR.rules for one in rule.pattern if one[:1].isupper()}
    assert needed - made - leaves == {"Value"}, "values are found in profiles, which these tables have none of"
    assert GOAL in made


def test_a_cell_keeps_a_beam_of_each_category():
    text = "names and ages of members of clubs and cities of clubs with members"
    of = linked(text)
    chart = Chart(len(of.tokens), segments(of), GRAMMAR, Ground(catalog_of(KNOWN)), {"unfit": -1.0}).parse()
    assert chart.cells
    assert all(len(ones) <= BEAM for cell in chart.cells.values() for ones in cell.constituents.values())


def test_an_open_property_is_resolved_by_the_table_that_it_is_said_of():
    ground = Ground(catalog_of(KNOWN))
    name = Attribute((), ("name",))
    assert [key for key, _ in ground.near(name, fqn("club"))] == [column("club.club_name")]
    assert [key for key, _ in ground.near(name, fqn("member"))] == [column("member.member_name")]


def test_a_value_of_a_table_that_no_key_reaches_is_no_condition():
    other = knowledge(*SCHOOL, table("planet", "planet_id*:INTEGER planet_name"), profiles={})
    value = Value(((column("planet.planet_name"), (Literal("text", "Mars"),), 1.0),))
    assert Ground(catalog_of(other)).bound(Holds(value), fqn("club")) == []


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("How many members are there?", 'SELECT COUNT(*) AS "count_member" FROM "member"'),
        ("What are the names of all clubs?", 'SELECT "club_name" FROM "club"'),
        ("Show the names of members older than 20.", 'SELECT "member_name" FROM "member" WHERE "age" > 20'),
        ("What is the average age of the members?", 'SELECT AVG("age") AS "average_age" FROM "member"'),
        ("Who is the youngest member?", 'WHERE NOT "age" IS NULL ORDER BY "age" ASC LIMIT 1'),
        ("Which club has the most members?", "ORDER BY COUNT(*) DESC NULLS LAST LIMIT 1"),
        ("Show the names of clubs without members.", "WHERE NOT EXISTS("),
        ("Show the names of clubs with at least 2 members.", "HAVING COUNT(*) >= 2"),
        ("How many members does each club have?", 'GROUP BY "club"."club_id", "club"."club_name"'),
        ("Show the names of members who joined before 2020.", "WHERE \"joined_on\" < CAST('2020-01-01' AS DATE)"),
    ],
)  # fmt: skip
def test_questions_of_every_kind_lead_to_their_query(text: str, sql: str):
    found = best(text).sql
    assert sql in found, found


def test_a_reading_that_loses_words_is_less_sure():
    whole, lost = best("How many members are older than 20?"), best("How many purple members are older than 20?")
    assert lost.features["lost_words"] == 1
    assert confidence(lost.features) < confidence(whole.features)
    assert CONFIDENCE["lost_words"] < 0


def reading(sql: str, **features: float) -> Reading:
    """A reading of which only its query and features matter."""
    return Reading(Plan(fqn("club"), ()), sql, 0.0, features)


def test_the_fit_prefers_what_right_readings_have():
    right, wrong = reading("a", far=0.0, joint=1.0), reading("b", far=2.0, joint=1.0)
    weights = fit_scores([Parsed("x", (wrong, right), (False, True))], {})
    assert weights["far"] < 0
    assert weights["joint"] == pytest.approx(0, abs=1e-6)


def test_drafters_agree_where_their_answers_have_the_same_rows():
    class Same(Session):
        def __init__(self) -> None:
            pass

        def rows_of(self, sql: str):
            return [("a", 1), ("b", 2)] if "x" in sql else [(2, "b"), (1, "a")] if "y" in sql else [("c", 3)]

    def answer(sql: str | None, verdict: Verdict = Verdict.RIGHT) -> Answer:
        return Answer(Question("d", "join", "?", ("q",)), verdict, 0.0, 0.9 if sql else None, sql)

    assert paired(Same(), answer("x"), answer("y")).agree
    assert not paired(Same(), answer("x"), answer("z")).agree
    assert not paired(Same(), answer("x"), answer(None, Verdict.ASKED)).both_answer
