"""Questions about rows with keys to each other, dates that may be empty, and verbs that say what is compared."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

PEOPLE = table("Applicants", "applicant_id*:INTEGER address_id:INTEGER full_name:VARCHAR date_left:DATE")
LEFT = profiled(PEOPLE, {"date_left": ["2019-01-01"]})
SOME = [one.model_copy(update={"null_count": 60}) for one in LEFT.columns]
KNOWN = knowledge(
    table("Addresses", "address_id*:INTEGER city:VARCHAR"),
    PEOPLE,
    table("Clerks", "clerk_id*:INTEGER supervisor_id:INTEGER clerk_name:VARCHAR age:INTEGER monthly_pay:DOUBLE"),
    table("Permits", "permit_id*:INTEGER applicant_id:INTEGER issued_by_clerk_id:INTEGER date_of_application:DATE"),
    table("Inspections", "permit_id:INTEGER clerk_id:INTEGER score:INTEGER"),
    profiles={PEOPLE.fqn: LEFT.model_copy(update={"columns": SOME})},
)


def sql(text: str) -> str:
    """Return what the planner writes for a question."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many applicants have left?", "NOT date_left IS NULL"),
        ("Return the names of clerks who are older than 30 and earn less than 3000.", "monthly_pay < 3000"),
        ("Which cities have more than one applicant?", "GROUP BY Addresses.city HAVING COUNT(*) > 1"),
        (
            "What are the names of the clerks whose pay is higher than the average pay?",
            "SELECT AVG(Clerks_2.monthly_pay)",
        ),
        ("Show the date of application of all permits.", "SELECT date_of_application FROM Permits"),
        ("Show the names of clerks who did not inspect any permit.", "NOT EXISTS(SELECT 1 FROM Inspections"),
        ("What are the names of the clerks that have no supervisor?", "supervisor_id IS NULL"),
        ("Which clerk issued the most permits? Show the clerk name and the number.", "COUNT(*) AS"),
    ],
)
def test_what_is_said_of_rows_is_asked_of_them(question: str, part: str) -> None:
    assert part in sql(question)
