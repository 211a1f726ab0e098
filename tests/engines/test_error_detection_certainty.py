"""What looks wrong and need not be: the witness may err, and the rule may be none."""

import random

from resolvers.engines.error_detection.dependencies import SEARCHED, find_dependencies, vote
from resolvers.engines.error_detection.detect import find_errors
from resolvers.engines.error_detection.table import encode

SURE = 0.9


def makers(rows: int, seed: int, kinds: int = 2) -> list[list[object]]:
    """Rows of a maker with its town, and its trade where two kinds of facts are wanted."""
    chance = random.Random(seed)
    known = [
        [f"m{at:02d}", f"town {'abcdefghij'[at % 10]}", f"trade {'klmnopq'[at % 7]}", f"land {'rstuv'[at % 5]}"]
        for at in range(30)
    ]
    return [[*chance.choice(known)[: 1 + kinds], chance.randint(10_000, 99_999)] for _ in range(rows)]


def scores(columns: str, rows: list[list[object]]) -> dict[tuple[int, str], float]:
    """How probable it is that each suspect is wrong, by row and column."""
    return {(one.row, one.column): one.score for one in find_errors(columns.split(), rows, least=0.1)}


def test_of_two_cells_that_contradict_one_another_none_is_surely_wrong() -> None:
    rows = makers(600, seed=1, kinds=1)
    rows[7][1] = "town a" if rows[7][1] != "town a" else "town b"
    found = scores("maker town seen", rows)
    assert 0.4 < found[7, "town"] < 0.8
    assert max(score for (row, _), score in found.items() if row == 7) < SURE


def test_a_second_witness_makes_it_sure() -> None:
    rows = makers(600, seed=2, kinds=1)
    named = [[*row, f"no {row[0]}"] for row in rows]
    named[7][1] = "town a" if named[7][1] != "town a" else "town b"
    found = scores("maker town seen number", named)
    assert found[7, "town"] >= SURE
    assert found.get((7, "maker"), 0.0) < 0.5


def test_what_decides_several_things_wrongly_is_wrong_itself() -> None:
    rows = makers(900, seed=3, kinds=3)
    other = next(row[0] for row in rows if not set(row[1:4]) & set(rows[7][1:4]))
    rows[7][0] = other
    found = scores("maker town trade land seen", rows)
    assert found[7, "maker"] >= SURE
    assert all(found.get((7, name), 0.0) < 0.5 for name in ("town", "trade", "land"))


def test_copies_of_one_column_are_one_witness() -> None:
    # Of each thing one other row tells: three names of it say no more than one.
    rows: list[list[object]] = []
    for at in range(200):
        rows += [[f"a{at}", f"b{at}", f"c{at}", f"kind {at % 9}"]] * 2
    rows[100] = [*rows[100][:3], "kind 5" if rows[100][3] != "kind 5" else "kind 6"]
    found = scores("one two three kind", rows)
    assert found.get((100, "kind"), 0.0) < SURE
    assert found.get((101, "kind"), 0.0) < SURE


def test_a_number_worked_out_of_two_others_is_not_wrong_by_a_third() -> None:
    chance = random.Random(4)
    runs = [(line, chance.randint(5, 22), minute) for line in range(100, 160) for minute in chance.sample(range(60), 4)]
    rows: list[list[object]] = []
    for _ in range(3000):
        line, hour, minute = chance.choice(runs)
        if chance.random() < 0.03:  # a special run of the same line
            hour = chance.randint(5, 22)
        rows.append([line, hour, minute, 100 * hour + minute, chance.randint(1, 400)])
    found = find_errors(["line", "hour", "minute", "departs", "seats"], rows)
    assert [one for one in found if one.score >= SURE] == []


def test_few_groups_and_sought_pairs_make_no_certainty() -> None:
    chance = random.Random(5)
    rows = [(value := chance.choice("ab"), value) for _ in range(400)]
    rows[3] = "a", "b"
    table = encode(["one", "two"], rows)
    votes = [vote(table, one) for one in find_dependencies(table)]
    assert votes
    assert all(odds <= 0.9 for one in votes for odds, *_ in one.against.values())  # the odds of SEARCHED
    assert 0.5 < SEARCHED < SURE


def moved() -> list[list[object]]:
    """Where each of some people lived in eight years; 20 lived elsewhere for two of them, and 20 for one."""
    chance = random.Random(6)
    rows: list[list[object]] = []
    for at in range(200):
        years = [f"region {at % 6}"] * 8
        if at < 20:
            first = chance.randrange(8)
            for year in (first, (first + 3) % 8):
                years[year] = f"region {(at + 1) % 6}"
        elif at < 40:
            years[chance.randrange(8)] = f"region {(at + 2) % 6}"
        rows += [[f"p{at:03d}", 1980 + year, region] for year, region in enumerate(years)]
    return rows


def test_where_some_dissent_together_one_dissent_is_no_error() -> None:
    found = find_errors(["person", "year", "region"], moved())
    assert [one for one in found if one.score >= 0.5] == []


def test_exceptions_that_follow_one_another_are_of_their_time() -> None:
    rows = [[f"park {at % 8}", 1900 + at // 8, f"club {at % 8}"] for at in range(480)]
    for row in rows[80:120]:
        if row[0] == "park 3":
            row[2] = "club 9"
    table = encode(["park", "year", "club"], rows)
    dependency = next(one for one in find_dependencies(table) if (one.determinant, one.dependent) == (0, 2))
    (odds, *_) = next(iter(vote(table, dependency).against.values()))
    shuffled = random.Random(7).sample(rows, len(rows))
    table = encode(["park", "year", "club"], shuffled)
    (strewn, *_) = next(iter(vote(table, dependency).against.values()))
    assert odds < strewn - 3
