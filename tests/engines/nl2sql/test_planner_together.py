"""Columns that many tables have are those of the table that has the rest of what is asked for."""

import pytest

from tests.engines.nl2sql.catalogs import drafted, keyed, knowledge, table

KEEPERS = table("keepers", "keeper_id*:INTEGER first_name last_name")
YEARLY = [
    keyed(
        table(f"{name}", f"keeper_id*:INTEGER season*:INTEGER {columns}"),
        keeper_id="keepers.keeper_id",
    )
    for name, columns in (
        *((f"{letter}_reports", "note") for letter in "abcdefghijklmnopqrst"),
        ("rescues", "boats:INTEGER lives:INTEGER"),
        ("wages", "wage:DOUBLE"),
    )
]
KNOWN = knowledge(KEEPERS, *YEARLY)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Show the average wage by season", "SELECT AVG(wage) AS average_wage, season FROM wages GROUP BY season"),
        ("the total boats for each season", "SELECT SUM(boats) AS total_boats, season FROM rescues GROUP BY season"),
        ("What is the average wage of keepers in each season?", "GROUP BY season"),
    ],
)
def test_a_column_of_twenty_tables_is_that_of_the_table_with_the_figure(question: str, expected: str) -> None:
    sql = drafted(question, KNOWN).sql.replace('"', "")
    assert expected in sql
    assert "reports" not in sql
