"""Two keys of a row that lead to one table, each told by a verb; and people who play a part, by their whole names."""

import pytest

from resolvers.engines.nl2sql.model import Knowledge, QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, profiled, table

DEPOT = table("depots", "depot_id*:INTEGER depot_name town")
DRIVER = table("workers", "worker_id*:INTEGER first_name last_name home_town left_on:DATE")
VAN = keyed(
    table(
        "rides",
        "ride_id*:INTEGER driver_id:INTEGER start_depot_id:INTEGER end_depot_id:INTEGER started_at:TIMESTAMP"
        " ended_at:TIMESTAMP",
    ),
    driver_id="workers.worker_id",
    start_depot_id="depots.depot_id",
    end_depot_id="depots.depot_id",
)
KNOWN = Knowledge(
    (DEPOT, DRIVER, VAN),
    profiles={
        one.asset_fqn: one
        for one in (
            profiled(DEPOT, {"depot_name": ["North", "South"], "town": ["Bath"]}),
            profiled(DRIVER, {"first_name": ["Ada"], "last_name": ["Lee"]}),
            profiled(VAN, {}),
        )
    },
)


def sql(text: str) -> str:
    """The statement for a question, without quotes."""
    return drafted(text, KNOWN).sql.replace('"', "")


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("How many rides ended at the same depot where they started?", "="),
        ("How many rides ended at the same depot as they started from?", "="),
        ("How many rides ended at a different depot than they started?", "<>"),
    ],
)
def test_both_ends_of_a_row_are_compared(text: str, sign: str) -> None:
    assert sql(text) == f"SELECT COUNT(*) AS count_rides FROM rides WHERE end_depot_id {sign} start_depot_id"


def test_who_plays_a_part_is_told_by_the_whole_name() -> None:
    assert "workers.first_name, workers.last_name" in sql("Which driver has the most rides?")


def test_a_part_of_the_name_stays_a_part() -> None:
    assert "last_name" not in sql("first names of the drivers")


def test_what_is_outside_of_something_is_not_missing() -> None:
    found = asked("How many rides started outside their own town?", KNOWN)
    assert not isinstance(found, QueryDraft) or found.confidence < 0.8


@pytest.mark.parametrize("text", ["Who owns more than three pets?", "Who has at least 4 pets?"])
def test_who_has_so_many_of_something_is_none_of_them(text: str) -> None:
    owner = table("owners", "owner_id*:INTEGER first_name last_name")
    pet = keyed(table("pets", "pet_id*:INTEGER owner_id:INTEGER pet_name"), owner_id="owners.owner_id")
    known = Knowledge((owner, pet), profiles={})
    said = drafted(text, known).sql.replace('"', "")
    assert said.startswith("SELECT owners.first_name, owners.last_name FROM owners WHERE owners.owner_id IN (SELECT")
    assert "HAVING COUNT(*) >" in said
