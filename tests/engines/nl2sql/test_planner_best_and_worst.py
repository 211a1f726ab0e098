"""The best and the worst of a figure: the most of what is wanted, the least of what is not, and doubt elsewhere."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, table

DEPOTS = table("depots", "depot_id*:INTEGER depot_name")
RUNS = keyed(
    table(
        "runs",
        "run_id*:INTEGER depot_id:INTEGER delay:DOUBLE errors:INTEGER complaints:INTEGER satisfaction:DOUBLE "
        "rating:DOUBLE profit:DOUBLE altitude:DOUBLE weekly_pay:DOUBLE",
    ),
    depot_id="depots.depot_id",
)
KNOWN = knowledge(DEPOTS, RUNS, profiles={})
SURE = 0.9


@pytest.mark.parametrize("figure", ["delay", "errors", "complaints"])
def test_the_worst_of_what_nobody_wants_has_the_most_of_it(figure: str) -> None:
    assert f'ORDER BY AVG("runs"."{figure}") DESC' in drafted(f"Which depot has the worst average {figure}?", KNOWN).sql
    assert f'ORDER BY AVG("runs"."{figure}") ASC' in drafted(f"Which depot has the best average {figure}?", KNOWN).sql


@pytest.mark.parametrize("figure", ["satisfaction", "rating", "profit"])
def test_the_best_of_what_is_wanted_has_the_most_of_it(figure: str) -> None:
    found = drafted(f"Which depot has the best average {figure}?", KNOWN)
    assert f'ORDER BY AVG("runs"."{figure}") DESC' in found.sql
    assert found.confidence >= SURE
    assert f'ORDER BY AVG("runs"."{figure}") ASC' in drafted(f"Which depot has the worst average {figure}?", KNOWN).sql


def test_where_nothing_tells_which_side_is_good_the_answer_is_not_sure() -> None:
    best = drafted("Which depot has the best average altitude?", KNOWN)
    assert best.confidence < SURE
    assert "better" in " ".join(best.evidence["doubts"])  # type: ignore[arg-type]
    assert drafted("Which depot has the highest average altitude?", KNOWN).confidence >= SURE
