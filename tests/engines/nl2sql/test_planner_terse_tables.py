"""Rows that are counted over tables of terse names, whose keys a profile finds."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from schema.data_readiness.profile import CandidateKey
from schema.talk2data.chat_settings import UNSURE
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

WARD = table("hosp", "hc* hn cty beds:INTEGER")
UNIT = table("unt", "uno* comp exp_dt:DATE")
ISSUE = keyed(table("iss", "iid*:INTEGER uno hc iss_dt:DATE prc:DOUBLE"), uno="unt.uno", hc="hosp.hc")
ONE_TO_ONE = CandidateKey(columns=["uno"], uniqueness=1.0, is_declared=False, is_exact=True)
KNOWN = knowledge(
    WARD,
    UNIT,
    ISSUE,
    profiles={
        WARD.fqn: profiled(WARD, {"hn": ["St Mary", "General"], "cty": ["Brno", "Prague"]}),
        ISSUE.fqn: profiled(ISSUE, {}).model_copy(update={"candidate_keys": [ONE_TO_ONE]}),
        UNIT.fqn: profiled(UNIT, {"comp": ["RBC", "FFP"]}),
    },
)


def sql(question: str) -> str:
    return drafted(question, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    "question", ["units per hospital", "units issued per hospital", "number of units per hospital"]
)
def test_what_is_tied_to_a_group_by_a_third_table_is_counted_per_group(question: str) -> None:
    assert "COUNT(" in sql(question), question
    assert "GROUP BY" in sql(question), question


def test_a_number_of_rows_is_no_number_that_rows_bear() -> None:
    assert sql("number of units") == "SELECT COUNT(*) AS count_unt FROM unt"


@pytest.mark.parametrize(
    ("question", "part"),
    [("units per component", "GROUP BY comp"), ("how many units expire in December 2024", "WHERE exp_dt BETWEEN")],
)
def test_a_short_name_of_several_readings_is_read_as_the_question_says(question: str, part: str) -> None:
    assert part in sql(question)


def test_a_mean_per_row_is_one_mean() -> None:
    found = asked("average price per unit", KNOWN)
    assert not isinstance(found, QueryDraft) or "GROUP BY" not in found.sql


def test_groups_are_put_in_order_by_the_figure_that_is_shown_of_them() -> None:
    assert "ORDER BY AVG(prc) DESC" in sql("which hospital pays the highest average price per unit")


GIVER = table("donor", "id*:INTEGER name blood_group")
GROUPS = knowledge(GIVER, profiles={GIVER.fqn: profiled(GIVER, {"blood_group": ["O+", "A+", "O-", "AB-", "A-", "B"]})})


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many donors have the blood group O-?", "= 'O-'"),
        ("How many donors have the blood group O+?", "= 'O+'"),
        ("How many A- donors are there?", "= 'A-'"),
        ("How many donors have the blood group B?", "= 'B'"),
    ],
)
def test_the_sign_behind_a_value_is_part_of_it(question: str, part: str) -> None:
    assert part in drafted(question, GROUPS).sql


DRIVE = table("drive", "drive_id*:INTEGER town capacity:INTEGER")
GIFT = keyed(table("gift", "gift_id*:INTEGER drive_id:INTEGER vol_ml:INTEGER"), drive_id="drive.drive_id")
DRIVES = knowledge(DRIVE, GIFT, profiles={})


def test_a_unit_that_another_column_is_measured_in_is_doubted() -> None:
    found = asked("which towns collected over 100 litres in total", DRIVES)
    assert not isinstance(found, QueryDraft) or "vol_ml" in found.sql or found.confidence < UNSURE


def test_litres_are_converted_for_a_column_of_millilitres() -> None:
    assert "> 500" in drafted("Which gifts have a volume of more than 0.5 litres?", DRIVES).sql
