"""Who has what, when something was done last, what is still so: over a stable, a plant nursery and a tram depot."""

import pytest

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

BREEDERS = table("breeders", "breeder_id*:INTEGER breeder_name village")
HORSES = keyed(
    table("horses", "horse_id*:INTEGER breeder_id:INTEGER horse_name coat foaled_on:DATE died_on:DATE trained:BOOLEAN"),
    breeder_id="breeders.breeder_id",
)
INSPECTIONS = keyed(
    table("inspections", "inspection_id*:INTEGER horse_id:INTEGER held_on:DATE next_due:DATE finding"),
    horse_id="horses.horse_id",
)
FARRIERS = table("farriers", "farrier_id*:INTEGER farrier_name rank started_on:DATE ended_on:DATE")
JOBS = keyed(
    table(
        "jobs", "job_id*:INTEGER horse_id:INTEGER farrier_id:INTEGER shod_on:DATE grade:INTEGER charge_class progress"
    ),
    horse_id="horses.horse_id",
    farrier_id="farriers.farrier_id",
)
BILLS = keyed(
    table("bills", "bill_id*:INTEGER breeder_id:INTEGER amount:DECIMAL cleared_on:DATE"),
    breeder_id="breeders.breeder_id",
)


def _sometimes_empty(facts, column):  # type: ignore[no-untyped-def]
    """A profile in which a column is empty here and there."""
    found = profiled(facts, {column: ["2026-01-02", "2026-02-03"]})
    columns = [one.model_copy(update={"null_count": 10}) for one in found.columns]
    return found.model_copy(update={"columns": columns})


PROFILES = {
    HORSES.fqn: profiled(HORSES, {"horse_name": ["Comet", "Sable"], "coat": ["bay", "grey"]}),
    FARRIERS.fqn: profiled(FARRIERS, {"rank": ["master", "apprentice"]}),
    JOBS.fqn: profiled(JOBS, {"charge_class": ["First", "Second"], "progress": ["delayed", "done"]}),
    BILLS.fqn: _sometimes_empty(BILLS, "cleared_on"),
}
KNOWN = knowledge(BREEDERS, HORSES, INSPECTIONS, FARRIERS, JOBS, BILLS, profiles=PROFILES, dialect="duckdb")


def sql(text: str) -> str:
    """Return what the planner writes for a question."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Who owns Comet?", "SELECT breeders.breeder_name FROM breeders WHERE EXISTS(SELECT 1 FROM horses"),
        ("Who owns the bay horse Sable?", "SELECT breeders.breeder_name FROM breeders"),
        ("When was Comet last inspected?", "SELECT MAX(inspections.held_on)"),
        ("When was Sable first inspected?", "SELECT MIN(inspections.held_on)"),
        ("How many farriers still work here?", "FROM farriers WHERE ended_on IS NULL"),
        ("Which farriers are here right now?", "FROM farriers WHERE ended_on IS NULL"),
        ("Which breeder has the highest bill?", "ORDER BY bills.amount DESC LIMIT 1"),
        ("Which horse is graded best?", "ORDER BY AVG(jobs.grade) DESC LIMIT 1"),
        ("How many first class jobs were there?", "FROM jobs WHERE charge_class = 'First'"),
        ("How many jobs are delayed?", "FROM jobs WHERE progress = 'delayed'"),
        ("Which breeders have been cleared?", "NOT bills.cleared_on IS NULL"),
        ("How much did we spend on bills?", "SELECT SUM(amount)"),
        ("What did we spend on bills?", "SELECT SUM(amount)"),
    ],
)
def test_who_when_and_what_is_so_still(text: str, part: str) -> None:
    assert part in sql(text)


def test_a_flag_before_a_noun_is_looked_for() -> None:
    draft = drafted("How many trained horses are there?", KNOWN)
    assert "trained = TRUE" in draft.sql.replace('"', "")
    assert draft.confidence > 0.8


@pytest.mark.parametrize("text", ["When was Comet last sold?", "Which horses are still in the village right now?"])
def test_what_no_column_tells_is_never_sure(text: str) -> None:
    outcome = asked(text, KNOWN)
    assert not isinstance(outcome, QueryDraft) or outcome.confidence <= 0.75, outcome


DEPOTS = table("depots", "depot_id*:INTEGER depot_name")
STAFF = keyed(
    table("staff", "staff_id*:INTEGER staff_name job depot_id:INTEGER"),
    depot_id="depots.depot_id",
)
TRAMS = table("trams", "tram_id*:INTEGER tram_name model_year:INTEGER")
SHIFTS = keyed(
    table("shifts", "shift_id*:INTEGER tram_id:INTEGER driver_id:INTEGER began_at:TIMESTAMP ticket_sum:DECIMAL"),
    tram_id="trams.tram_id",
    driver_id="staff.staff_id",
)
REPAIRS = keyed(
    table("repairs", "repair_id*:INTEGER shift_id:INTEGER mended_on:DATE"),
    shift_id="shifts.shift_id",
)
TRAM_PROFILES = {STAFF.fqn: profiled(STAFF, {"job": ["driver", "conductor", "cleaner"]})}
LINES = knowledge(DEPOTS, STAFF, TRAMS, SHIFTS, REPAIRS, profiles=TRAM_PROFILES, dialect="duckdb")


def test_those_of_a_kind_are_counted_whether_or_not_they_play_its_part() -> None:
    written = drafted("How many drivers do we have?", LINES).sql.replace('"', "")
    assert written.startswith("SELECT COUNT(*)")
    assert "FROM staff WHERE job = 'driver'" in written


def test_the_month_with_the_most_rows_is_one_of_theirs() -> None:
    written = drafted("Which month had the most shifts in 2024?", LINES).sql.replace('"', "")
    assert "repairs" not in written
    assert "began_at" in written.split("FROM")[0]


GARDENS = table("gardens", "garden_id*:INTEGER garden_name county")
PLANTS = keyed(
    table("plants", "plant_id*:INTEGER garden_id:INTEGER plant_name kind planted_year:INTEGER state"),
    garden_id="gardens.garden_id",
)
CARE = keyed(
    table("waterings", "watering_id*:INTEGER plant_id:INTEGER watered_on:DATE"),
    plant_id="plants.plant_id",
)
PLANT_PROFILES = {
    PLANTS.fqn: profiled(PLANTS, {"kind": ["rose", "house", "tree"], "state": ["active", "resting"]}),
}
GROWN = knowledge(GARDENS, PLANTS, CARE, profiles=PLANT_PROFILES, dialect="duckdb")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Which garden has the most roses?", ["WHERE plants.kind = 'rose' GROUP BY", "ORDER BY COUNT(*) DESC LIMIT 1"]),
        (
            "Which garden has the fewest trees?",
            ["WHERE plants.kind = 'tree' GROUP BY", "COUNT(*) ASC LIMIT 1"],
        ),
        ("Which garden has the most active plants?", ["WHERE plants.state = 'active' GROUP BY", "DESC LIMIT 1"]),
        ("Which houses were planted before 1990?", ["kind = 'house'", "planted_year < 1990"]),
        ("How many houses were planted before 1990?", ["kind = 'house'", "planted_year < 1990"]),
        ("Which plants were watered more than once?", ["FROM waterings", "HAVING COUNT(*) > 1"]),
    ],
)
def test_rows_of_a_kind_are_counted_and_chosen(text: str, parts: list[str]) -> None:
    draft = drafted(text, GROWN)
    written = draft.sql.replace('"', "")
    assert [part for part in parts if part not in written] == []
    assert draft.confidence > 0.7


def test_who_has_been_there_the_longest_came_first() -> None:
    written = drafted("Which farrier has been with us the longest?", KNOWN).sql.replace('"', "")
    assert "ORDER BY started_on ASC LIMIT 1" in written


def test_what_is_commented_on_is_not_the_comment() -> None:
    comments = keyed(
        table("remarks", "remark_id*:INTEGER farrier_id:INTEGER horse_id:INTEGER remark"),
        farrier_id="farriers.farrier_id",
        horse_id="horses.horse_id",
    )
    profiles = {FARRIERS.fqn: profiled(FARRIERS, {"farrier_name": ["Pia Holm"]})}
    outcome = asked("What did Pia Holm remark on?", knowledge(FARRIERS, HORSES, comments, profiles=profiles))
    assert not isinstance(outcome, QueryDraft) or outcome.confidence <= 0.7
