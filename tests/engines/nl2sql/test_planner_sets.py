"""Questions for what rows have in common, for the one without the other, and for times of what a verb tells."""

from tests.engines.nl2sql.catalogs import drafted, knowledge, profiled, table

PONY = table("pony", "pony_id*:INTEGER pony_name coat sex stable_town shod foaled_year:INTEGER cost_millions:DOUBLE")
RIDER = table("rider", "rider_id*:INTEGER first_name last_name gender stable_town")
LEASE = table("lease", "lease_id*:INTEGER pony_id:INTEGER rider_id:INTEGER leased_on:DATE fee:DOUBLE")
SHOWING = table("showing", "showing_id*:INTEGER pony_id:INTEGER shown_on:DATE")
KNOWN = knowledge(
    PONY,
    RIDER,
    LEASE,
    SHOWING,
    profiles={
        PONY.fqn: profiled(PONY, {"shod": ["Y", "N"], "coat": ["grey", "bay"], "sex": ["mare", "stallion"]}),
        RIDER.fqn: profiled(
            RIDER,
            {"gender": ["male", "female"], "first_name": ["Ann", "Bo", "Cy"], "last_name": ["Lee", "Orr", "Pym"]},
        ),
    },
)


def sql(text: str) -> str:
    """Return what the planner writes for a question, without the quotes of names."""
    return drafted(text, KNOWN).sql.replace('"', "")


def test_a_time_behind_a_verb_is_that_of_what_was_done() -> None:
    written = sql("Find the riders who leased a pony in 2021 but not in 2022.")
    assert "foaled_year" not in written
    without, having = written.split("2021-01-01")[0], written
    assert "NOT EXISTS" in without
    assert having.count("leased_on") == 2


def test_two_spans_of_time_are_met_by_two_rows() -> None:
    written = sql("Names of the ponies that were leased in 2021 and in 2022")
    first, second = written.split("2021-12-31")
    assert "EXISTS" in second or "EXISTS" in first
    assert written.count("EXISTS") == 2
    assert " OR " not in written


def test_rows_of_two_spans_of_time_are_those_of_either() -> None:
    assert " OR " in sql("How many leases were there in 2021 and 2022?")


def test_what_is_shared_by_two_is_what_both_have() -> None:
    first, second = sql("Which last names are shared by a male and a female rider?").split(" INTERSECT ")
    assert ("'male'" in first, "'female'" in second) == (True, True)


def test_a_whole_name_is_denied_as_one() -> None:
    written = sql("Which ponies were leased by neither Ann Lee nor Bo Orr?")
    assert written.count("NOT EXISTS") == 2
    for part in written.split("NOT EXISTS")[1:]:
        assert ("'Ann'" in part) == ("'Lee'" in part) != ("'Bo'" in part) == ("'Orr'" in part)


def test_a_flag_is_not_empty_where_something_is_not_had() -> None:
    written = sql("List the ponies that are not shod.")
    assert "IS NULL" not in written
    assert "shod <> 'Y'" in written


def test_towns_that_have_one_thing_as_well_as_another_are_common_to_both() -> None:
    assert " INTERSECT " in sql("Stable towns that have a pony as well as a rider")


def test_millions_of_a_column_of_millions_are_its_own_numbers() -> None:
    assert sql("Which ponies have a cost over 40 million?").endswith("> 40")
