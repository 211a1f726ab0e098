"""A value that two tables hold which are tied tells where the rest of a question stands."""

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, profiled, table

BREWERY = table("breweries", "brewery_id*:INTEGER brewery_name")
SEASON = keyed(
    table("brewing_seasons", "season_id*:INTEGER brewery_id:INTEGER season_name output:INTEGER medals_won:INTEGER"),
    brewery_id="breweries.brewery_id",
)
FAIR = table("fairs", "fair_id*:INTEGER fair_name medals:INTEGER visitors:INTEGER")
STALL = keyed(
    table("stalls", "stall_id*:INTEGER fair_id:INTEGER season_id:INTEGER"),
    fair_id="fairs.fair_id",
    season_id="brewing_seasons.season_id",
)
NAMES = ["Old Lion Brewing", "Black Swan"]
BEERS = knowledge(
    BREWERY,
    SEASON,
    FAIR,
    STALL,
    profiles={
        BREWERY.fqn: profiled(BREWERY, {"brewery_name": NAMES}),
        SEASON.fqn: profiled(SEASON, {"season_name": NAMES}),
    },
)


def test_a_number_is_one_of_the_tables_that_hold_the_value() -> None:
    sql = drafted("How many medals did the Black Swan win?", BEERS).sql.replace('"', "")
    assert "SUM(medals_won)" in sql.replace("brewing_seasons.", "")
    assert "fairs" not in sql
