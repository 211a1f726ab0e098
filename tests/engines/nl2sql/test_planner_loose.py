"""Kinds of loose questions: titles of charts, parts that people play, all there is of something, flags that are had."""

from resolvers.engines.nl2sql.model import QueryDraft
from tests.engines.nl2sql.catalogs import asked, drafted, keyed, knowledge, profiled, table

NURSERY = table("nurseries", "nursery_id*:INTEGER nursery_name county")
GROWER = keyed(
    table("growers", "grower_id*:INTEGER grower_name nursery_id:INTEGER hired_on:DATE wage:DOUBLE organic"),
    nursery_id="nurseries.nursery_id",
)
PLANT = table("plants", "plant_id*:INTEGER plant_name family hardy:INTEGER price:DOUBLE")
BUYER = table("buyers", "buyer_id*:INTEGER buyer_name country")
SALE = keyed(
    table("gardenOrder", "order_no*:INTEGER buyer_id:INTEGER ordered_on:DATE amount:DOUBLE"),
    buyer_id="buyers.buyer_id",
)
LINE = keyed(
    table("order_lines", "order_no*:INTEGER plant_id*:INTEGER quantity:INTEGER"),
    order_no="gardenOrder.order_no",
    plant_id="plants.plant_id",
)
STOCK = keyed(
    table("stocked_plants", "nursery_id*:INTEGER plant_id*:INTEGER"),
    nursery_id="nurseries.nursery_id",
    plant_id="plants.plant_id",
)
GARDEN = knowledge(
    NURSERY, GROWER, PLANT, BUYER, SALE, LINE, STOCK,
    profiles={
        NURSERY.fqn: profiled(NURSERY, {"county": ["Kent", "Devon"], "nursery_name": ["Fernlea", "Mossbank"]}),
        GROWER.fqn: profiled(GROWER, {"organic": ["Y", "N"], "grower_name": ["Ada Finch", "Ben Holt"]}),
        PLANT.fqn: profiled(PLANT, {"hardy": ["1", "0"], "plant_name": ["Rose", "Oak"], "family": ["Fagaceae"]}),
        BUYER.fqn: profiled(BUYER, {"country": ["Norway", "Italy"], "buyer_name": ["Lark Ltd"]}),
    },
)  # fmt: skip


def sql(text: str) -> str:
    """Return what the planner writes of the garden, without the quotes of names."""
    return drafted(text, GARDEN).sql.replace('"', "")


def test_an_amount_by_something_is_a_total_of_each() -> None:
    for text in ("amount by country", "Show the amount by country.", "order amount by buyer country"):
        written = sql(text)
        assert "SUM(gardenOrder.amount)" in written
        assert "GROUP BY buyers.country" in written
    assert "GROUP BY buyers.country, plants.family" in sql("quantity by country and family")


def test_what_was_sold_by_something_is_no_deed_of_it() -> None:
    written = sql("quantity sold by plant")
    assert "SUM(order_lines.quantity)" in written
    assert "GROUP BY plants.plant_id" in written


def test_rows_by_a_number_are_still_put_in_order() -> None:
    assert sql("Show the plants by price").endswith("ORDER BY price ASC")


def test_the_last_word_of_a_table_in_one_piece_names_its_rows_though_it_may_order_them() -> None:
    found = drafted("How many orders are there?", GARDEN)
    assert found.sql.endswith('FROM "gardenOrder"')
    assert found.confidence >= 0.8
    written = sql("Which buyers have not placed any order?")
    assert "NOT EXISTS(SELECT 1 FROM gardenOrder" in written
    assert "ORDER BY" not in written


def test_a_verb_before_rows_is_no_part_of_a_column() -> None:
    written = sql("Who is the most recently hired grower?")
    assert written.startswith("SELECT grower_name FROM growers")
    assert "ORDER BY hired_on DESC" in written
    assert "ORDER BY hired_on DESC" in sql("Who is the last hired grower?")


def test_all_there_is_of_something_is_counted_against_all_of_it() -> None:
    for text in (
        "Which plants are stocked in all nurseries?",
        "Which plants are in every nursery?",
        "Find the plants that are offered by every nursery.",
    ):
        assert "HAVING COUNT(DISTINCT stocked_plants.nursery_id) = (SELECT COUNT(DISTINCT" in sql(text)
    written = sql("Which buyers bought every hardy plant?")
    assert written.count("hardy = 1") == 2
    assert "HAVING COUNT(DISTINCT plants.plant_id) = (SELECT COUNT(DISTINCT" in written
    assert sql("Which buyers bought every plant of the Fagaceae family?").count("'Fagaceae'") == 2


def test_what_is_had_that_a_flag_tells_is_yes() -> None:
    stop = table("stops", "stop_id*:INTEGER stop_name step_free")
    known = knowledge(stop, profiles={stop.fqn: profiled(stop, {"step_free": ["Y", "N"]})})
    assert "\"step_free\" = 'Y'" in drafted("How many stops have step free access?", known).sql


def test_the_greatest_beside_a_count_of_each_is_a_figure() -> None:
    written = sql("For each family, how many plants are there and what is the highest price?")
    assert "COUNT(*)" in written
    assert "MAX(price)" in written
    assert "LIMIT" not in written


def test_or_more_may_stand_behind_what_is_counted() -> None:
    assert "quantity >= 5" in sql("Which plants were sold with 5 quantity or more?")


def test_a_number_of_something_by_its_own_name_is_shown() -> None:
    crate = keyed(table("crates", "crate_id*:INTEGER crate_number buyer_id:INTEGER"), buyer_id="buyers.buyer_id")
    known = knowledge(BUYER, crate, profiles=GARDEN.profiles)
    assert "crate_number" in drafted("What are the crate numbers of Lark Ltd?", known).sql


PERSON = table("people", "person_id*:INTEGER full_name home_town born_year:INTEGER")
STOP = table("stations", "station_id*:INTEGER station_name country")
RIDE = keyed(
    table(
        "rides",
        "ride_id*:INTEGER ride_date:DATE duration:INTEGER driver_id:INTEGER conductor_id:INTEGER "
        "start_station_id:INTEGER end_station_id:INTEGER",
    ),
    driver_id="people.person_id",
    conductor_id="people.person_id",
    start_station_id="stations.station_id",
    end_station_id="stations.station_id",
)
RAILS = knowledge(
    PERSON, STOP, RIDE,
    profiles={
        PERSON.fqn: profiled(PERSON, {"full_name": ["Ida Storm", "Jon Reed"]}),
        STOP.fqn: profiled(STOP, {"station_name": ["Aldmere", "Corran"], "country": ["Norland", "Sudland"]}),
    },
)  # fmt: skip


def rails(text: str) -> str:
    """Return what the planner writes of rides, without the quotes of names."""
    return drafted(text, RAILS).sql.replace('"', "")


def test_those_who_play_a_part_are_shown_by_name() -> None:
    written = rails("List the names of the drivers.")
    assert written.startswith("SELECT DISTINCT people.full_name")
    assert "rides.driver_id = people.person_id" in written
    written = rails("List each ride date with its driver and conductor.")
    assert "rides.ride_date, people.full_name, people_2.full_name" in written
    assert "rides.driver_id = people.person_id" in written
    assert "rides.conductor_id = people_2.person_id" in written
    assert "people.home_town" in rails("What is the home town of the driver of ride 3?")


def test_parts_are_counted_and_grouped_by() -> None:
    assert "COUNT(DISTINCT driver_id)" in rails("How many drivers are there?")
    written = rails("total duration of rides per conductor")
    assert "rides.conductor_id = people.person_id" in written
    assert "GROUP BY people.full_name" in written
    assert "HAVING COUNT(*) > 1" in rails("Which drivers drove more than one ride?")


def test_a_part_that_nobody_plays_is_null() -> None:
    assert rails("How many rides have no conductor?").endswith("WHERE conductor_id IS NULL")
    assert "NOT EXISTS" in rails("Which people have never been a driver?")


def test_those_who_play_both_parts_are_tied_twice() -> None:
    written = rails("Who has been both a driver and a conductor?")
    assert written.count("EXISTS") == 2
    assert "driver_id" in written
    assert "conductor_id" in written


def test_names_of_two_parts_of_one_thing_are_both_shown() -> None:
    written = rails("Show each ride with the names of its start station and end station.")
    assert "start_station_id = stations.station_id" in written
    assert "end_station_id = stations_2.station_id" in written


def test_along_both_keys_or_along_either() -> None:
    for text in ("Find the stations where no ride starts or ends.", "Which stations have no rides?"):
        written = rails(text)
        assert written.count("NOT EXISTS") == 2
        assert "start_station_id" in written
        assert "end_station_id" in written
    written = rails("How many people are neither drivers nor conductors?")
    assert written.count("NOT EXISTS") == 2
    assert "driver_id" in written
    assert "conductor_id" in written


CLUB = table("clubs", "club_id*:INTEGER club_name town")
GAME = keyed(
    table("games", "game_id*:INTEGER home_club_id:INTEGER away_club_id:INTEGER played_on:DATE"),
    home_club_id="clubs.club_id",
    away_club_id="clubs.club_id",
)
GAMES = knowledge(CLUB, GAME, profiles={CLUB.fqn: profiled(CLUB, {"club_name": ["Rovers", "Wolves"]})})


def test_a_name_at_either_end_is_looked_for_at_both_and_doubted() -> None:
    found = drafted("How many games did Rovers play?", GAMES)
    assert " OR " in found.sql
    assert found.confidence < 0.8
    assert "away_club_id" not in drafted("How many home games did Rovers play?", GAMES).sql


def test_one_end_of_two_that_are_named_is_doubted() -> None:
    assert drafted("How many rides begin and end in Norland?", RAILS).confidence < 0.8
    assert drafted("How many rides end in Norland?", RAILS).confidence >= 0.8


def test_what_a_verb_denies_is_looked_for_where_it_is_noted() -> None:
    written = sql("Which plants have never been ordered?")
    assert "NOT EXISTS(SELECT 1 FROM order_lines" in written
    written = sql("Which plants were never sold?")
    assert "NOT EXISTS(SELECT 1 FROM order_lines" in written


def test_the_row_that_others_are_likened_to_is_left_out() -> None:
    written = sql("Which other growers work in the same nursery as Ada Finch?")
    assert "grower_name <> 'Ada Finch'" in written
    assert "<>" not in sql("Which growers work in the same nursery as Ada Finch?")


def test_a_prefix_denies_what_a_flag_says() -> None:
    assert "organic <> 'Y'" in sql("How many growers are inorganic?")


def test_the_one_that_is_counted_by_its_name_is_doubted() -> None:
    rose = profiled(PLANT, {"plant_name": ["Rose", "Oak"]})
    columns = [one.model_copy(update={"row_count": 2}) for one in rose.columns]
    known = knowledge(PLANT, LINE, profiles={PLANT.fqn: rose.model_copy(update={"columns": columns})})
    assert drafted("How many roses were sold?", known).confidence < 0.8


def test_tables_that_nothing_names_are_doubted() -> None:
    region = table("regions", "region_id*:INTEGER region_name country")
    maker = keyed(table("makers", "maker_id*:INTEGER maker_name soil_id:INTEGER"), soil_id="regions.region_id")
    wine = keyed(table("wines", "wine_id*:INTEGER wine_name maker_id:INTEGER"), maker_id="makers.maker_id")
    judge = table("judges", "judge_id*:INTEGER judge_name nationality")
    mark = keyed(
        table("marks", "wine_id*:INTEGER judge_id*:INTEGER points:INTEGER"),
        wine_id="wines.wine_id",
        judge_id="judges.judge_id",
    )
    known = knowledge(region, maker, wine, judge, mark, profiles={})
    assert drafted("Which countries have regions but no judge?", known).confidence < 0.8


def test_what_each_spent_is_a_total_of_what_belongs_to_it() -> None:
    written = sql("How much did each buyer spend?")
    assert written.startswith("SELECT buyers.buyer_name, SUM(gardenOrder.amount)")
    assert "GROUP BY buyers.buyer_id" in written
    assert "GROUP BY" not in sql("How much did the buyers from Italy spend?")
    assert sql("How much did Lark Ltd spend?").startswith("SELECT SUM(gardenOrder.amount)")


def test_the_top_by_an_amount_are_told_by_its_total() -> None:
    assert "ORDER BY SUM(order_lines.quantity) DESC" in sql("top 3 plants by quantity")


MUSEUM = table("museums", "museum_id*:INTEGER museum_name")
WORK = keyed(
    table("paintings", "painting_id*:INTEGER painting_title owner_museum_id:INTEGER"),
    owner_museum_id="museums.museum_id",
)
LOAN = keyed(
    table("loans", "loan_id*:INTEGER painting_id:INTEGER lender_museum_id:INTEGER borrower_museum_id:INTEGER"),
    painting_id="paintings.painting_id",
    lender_museum_id="museums.museum_id",
    borrower_museum_id="museums.museum_id",
)
LOANS = knowledge(MUSEUM, WORK, LOAN, profiles={WORK.fqn: profiled(WORK, {"painting_title": ["Dusk", "Noon"]})})


def test_a_verb_says_over_which_table_and_along_which_key_two_are_tied() -> None:
    written = drafted("Which museums have borrowed Dusk?", LOANS).sql
    assert "borrower_museum_id" in written
    assert "owner_museum_id" not in written
    assert "lender_museum_id" not in written


def test_words_that_add_nothing_are_passed_over() -> None:
    written = sql("average price level for each family")
    assert "AVG(price)" in written
    assert "born_year DESC" in rails("Show the names of people by age from the youngest to the oldest.")


def test_more_than_every_one_of_some() -> None:
    written = sql("Which plants cost more than every plant of the Fagaceae family?")
    assert written.endswith(
        "MAX(plants_2.price) AS maximum_price FROM plants AS plants_2 WHERE plants_2.family = 'Fagaceae')"
    )


def test_several_columns_of_the_one_who_plays_a_part_are_of_that_one() -> None:
    staff = table("staff", "staff_id*:INTEGER first_name last_name")
    buyer = keyed(
        table("clients", "client_id*:INTEGER first_name last_name carer_id:INTEGER"), carer_id="staff.staff_id"
    )
    known = knowledge(staff, buyer, profiles={buyer.fqn: profiled(buyer, {"last_name": ["Harris"]})})
    found = asked("Give the first and last name of the carer of the client Harris.", known)
    assert not isinstance(found, QueryDraft) or found.confidence < 0.8 or '"clients"."first_name"' not in found.sql


def test_which_one_is_no_number() -> None:
    assert "= 1" not in sql("Among the plants, which one costs the most?")


TRIP = table("trips", "trip_id*:INTEGER title cost:DOUBLE start_year:INTEGER")
BACKER = table("backers", "backer_id*:INTEGER backer_name industry")
FUNDING = keyed(
    table("funding", "trip_id:INTEGER backer_id:INTEGER amount:DOUBLE"),
    trip_id="trips.trip_id",
    backer_id="backers.backer_id",
)
FUNDED = knowledge(TRIP, BACKER, FUNDING)


def funded(text: str) -> str:
    """Return what the planner writes of trips and who pays for them, without the quotes of names."""
    return drafted(text, FUNDED).sql.replace('"', "")


def test_what_is_added_up_is_a_thing_though_it_ends_like_a_verb() -> None:
    for text in ("What is the total amount of funding per backer?", "total amount of funding by backer"):
        written = funded(text)
        assert "SUM(funding.amount)" in written
        assert "GROUP BY backers.backer_id" in written
    assert "SUM(amount)" in funded("What is the total amount of funding?")


def test_a_column_is_what_is_done_where_a_size_stands_behind() -> None:
    assert funded("Which trips cost more than 100?") == "SELECT title FROM trips WHERE cost > 100"
    assert funded("How many trips cost at least 100?").endswith("WHERE cost >= 100")
    assert funded("Show the cost of the trips.") == "SELECT cost FROM trips"
