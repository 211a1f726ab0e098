"""The same things told of by several rows: who is right, what is filled, and what is no report of one thing."""

import random
from collections.abc import Sequence
from typing import Any

from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.evidence import Suspect

SHOPS = [f"{name} books" for name in ("oak", "elm", "ash", "fir", "yew", "may", "bay", "fig", "ivy")]
COLUMNS = ("shop", "book", "opens", "pages", "binding", "weight")


def told(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[tuple[int, str], Suspect]:
    return {(one.row, one.column): one for one in find_errors(columns, rows)}


def catalogue() -> tuple[list[list[str]], list[list[str]]]:
    """Return what nine shops tell of forty books, and what is so: two are careless, all leave cells empty."""
    chance = random.Random(5)
    right, rows = [], []
    for number in range(40):
        book = [f"BK-{number * 37 + 1000}", f"{chance.randint(7, 11)}:{chance.randint(10, 59)} am"]
        book += [
            str(chance.randint(80, 900)),
            chance.choice(["cloth", "paper", "board"]),
            f"{chance.randint(90, 950)} g",
        ]
        for shop in SHOPS:
            row = list(book)
            for at in range(1, 5):
                if chance.random() < 0.15:
                    row[at] = ""
                elif shop[0] in "oi" and chance.random() < 0.6:
                    row[at] = (
                        f"{chance.randint(7, 11)}:{chance.randint(10, 59)} am", str(chance.randint(80, 900)),
                        chance.choice(["cloth", "paper", "board"]), f"{chance.randint(90, 950)} g",
                    )[at - 1]  # fmt: skip
            right.append([shop, *book])
            rows.append([shop, *row])
    return right, rows


def test_rows_that_tell_of_one_thing_vote_and_fill() -> None:
    right, rows = catalogue()
    found = told(COLUMNS, rows)
    wrong = {
        (row, name)
        for row, (is_so, is_told) in enumerate(zip(right, rows, strict=True))
        for name, one, other in zip(COLUMNS, is_so, is_told, strict=True)
        if one != other
    }
    assert len(found.keys() & wrong) > 0.95 * len(wrong)
    assert len(found.keys() & wrong) > 0.97 * len(found)
    assert all(
        one.repair == right[row][COLUMNS.index(name)] for (row, name), one in found.items() if (row, name) in wrong
    )
    empty = next(one for one in found.values() if one.value is None)
    assert "and this one nothing" in empty.reasons[0].told
    assert not told(COLUMNS, right)


def test_sources_that_were_right_elsewhere_outvote_more_that_were_not() -> None:
    right, rows = catalogue()
    for row in range(9):  # of one book, five of nine tell one of three wrong things and four what is so
        rows[row] = list(right[row])
        if row in (0, 8, 7, 6, 5):
            rows[row][3] = ("111", "222", "333")[row % 3]
    found = told(COLUMNS, rows)
    assert {row for row in range(9) if (row, "pages") in found} == {0, 5, 6, 7, 8}
    assert found[0, "pages"].repair == right[0][3]


def test_what_a_source_writes_beside_the_usual_form_is_no_other_time() -> None:
    right, rows = catalogue()
    for row in range(9, 18):
        rows[row] = list(right[row])
        rows[row][2] += " (roughly)" if row < 15 else ""
    found = told(COLUMNS, rows)
    assert {row for row in range(9, 18) if (row, "opens") in found} == set(range(9, 15))
    assert found[9, "opens"].repair == right[9][2]


def test_rows_of_one_thing_at_several_times_are_no_reports_of_it() -> None:
    chance = random.Random(9)
    rows = []
    for player in range(60):
        team, place = chance.choice("ABCDEFGH"), chance.choice(["keeper", "back", "wing"])
        for year in range(2001, 2009):
            team = chance.choice("ABCDEFGH") if chance.random() < 0.2 else team
            rows.append(
                [f"player {player:03}", year, f"team {team}", place, chance.randint(0, 60), chance.randint(0, 99)]
            )
    found = told(("player", "year", "team", "place", "games", "points"), rows)
    assert len(found) <= 6
