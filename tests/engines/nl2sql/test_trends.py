"""What goes on in time is told by a span of time, and what is compared stands side by side."""

import pytest

from resolvers.engines.nl2sql.language.trends import compared, over_time, side_by_side


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Revenue over time", "Revenue by month"),
        ("the number of visits through the years?", "the number of visits by year?"),
        ("Visits over the weeks in 2024", "Visits by week in 2024"),
        ("How did sales develop over time?", "Show sales by month?"),
        ("How has the number of visits varied over the years", "Show the number of visits by year"),
        ("How have prices gone over time?", "Show prices by month?"),
        ("Yearly visits over time", "Yearly visits"),
        ("and over time?", "and by month?"),
        ("Over the years?", "by year?"),
        ("Visits per week, over time, for each city", "Visits per week, for each city"),
    ],
)
def test_what_goes_on_is_told_by_a_span_of_time(text: str, told: str) -> None:
    assert over_time(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Which players were hired over time?",
        "List the visits over time",
        "Visits over time limit",
        "laps over time 90",
        "sales over the years 2020 to 2022",
        "sales over the last two years",
        "How did the storm develop?",
        "the highest price of all time",
    ],
)
def test_other_questions_stay_as_they_are(text: str) -> None:
    assert over_time(text) == text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Compare visits by city", "Show visits by city"),
        ("compare the number of visits in 2023 and 2024", "Show the number of visits by year in 2023 and 2024"),
        ("Compare visits of 2023 vs. 2024.", "Show visits by year in 2023 and 2024."),
        ("Compare monthly visits in 2023 and 2024", "Show monthly visits in 2023 and 2024"),
        ("Compare the average price across all the cities", "Show the average price by cities"),
        ("How do visits compare across cities?", "How do visits compare across cities?"),
        ("the total across all cities", "the total across all cities"),
    ],
)
def test_what_is_compared_stands_side_by_side(text: str, told: str) -> None:
    assert compared(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Did Ann Lee sell more boats than Bob?", "number of boats of Ann Lee vs Bob?"),
        ("Does Norway or Chad have more lakes?", "number of lakes of Norway vs Chad?"),
        ("Who won more games, Ann or Bob?", "number of games of Ann vs Bob?"),
        ("Are there more tall towers in Rome than in Bonn?", "number of tall towers in Rome vs Bonn?"),
        ("Were more crates sent to Rome than to Bonn in May?", "number of crates sent to Rome vs Bonn in May?"),
        ("Did 2005 have more storms than 2020?", "number of storms per year in 2005 and 2020?"),
        ("Which year had fewer storms, 2005 or 2020?", "number of storms per year in 2005 and 2020?"),
        ("Is the average pay higher for cooks or for waiters?", "Show the average pay for cooks vs waiters"),
        ("Is the average wait longer in Rome than in Bonn?", "Show the average wait in Rome vs Bonn"),
        (
            "Was the number of storms greater in 2005 or in 2020? Show both numbers.",
            "Show the number of storms per year in 2005 and 2020",
        ),
    ],
)
def test_which_of_two_has_more_is_told_by_the_numbers_of_both(text: str, told: str) -> None:
    assert side_by_side(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Which towns have more lakes than Rome?",
        "Does Rome have more than 3 lakes?",
        "Do towns have more lakes than villages?",
        "How many more lakes does Rome have than Bonn?",
        "Is the average depth of lakes known in Rome or in Bonn?",
        "Is the average depth greater than 20?",
    ],
)
def test_what_is_compared_otherwise_stays(text: str) -> None:
    assert side_by_side(text) == text
