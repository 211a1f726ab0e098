"""Rows of which so great a part is something: more than half of their patients."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

CLINIC = table("clinics", "clinic_id*:INTEGER clinic_name town")
PATIENT = keyed(
    table("patients", "patient_id*:INTEGER clinic_id:INTEGER gender age:INTEGER seen_on:DATE"),
    clinic_id="clinics.clinic_id",
)
CARE = knowledge(CLINIC, PATIENT, profiles={PATIENT.fqn: profiled(PATIENT, {"gender": ["female", "male"]})})


@pytest.mark.parametrize(
    ("question", "when", "part"),
    [
        ("Which clinics have more than half of their patients over 60?", "age > 60", "> 0.5"),
        ("List clinics where more than half of the patients are female", "gender = 'female'", "> 0.5"),
        ("Which clinics have at least 20 percent of their patients female?", "gender = 'female'", ">= 0.2"),
        ("Which clinics have less than 10% of their patients male?", "gender = 'male'", "< 0.1"),
        ("Which clinics have more than a quarter of their patients with an age above 40?", "age > 40", "> 0.25"),
        ("Which clinics saw most of their patients in 2021?", "2021", "> 0.5"),
        ("How many clinics saw more than half of their patients in 2021?", "2021", "> 0.5"),
    ],
)
def test_a_part_of_what_rows_have_chooses_them(question: str, when: str, part: str) -> None:
    sql = drafted(question, CARE).sql.replace('"', "")
    assert "clinics.clinic_id IN (SELECT patients.clinic_id" in sql
    inner = sql.split("CASE WHEN")[1]
    assert when in inner
    assert f"NULLIF(COUNT(*), 0) {part}" in inner


def test_a_part_may_be_denied() -> None:
    sql = drafted("Which clinics do not have more than half of their patients female?", CARE).sql
    assert "WHERE NOT" in sql
