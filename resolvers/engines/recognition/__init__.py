"""Recognition of personal and secret data in the columns of a table.

`recognize` takes what the catalog knows of a table and a sample of its rows, and gives the tags of each column with
their confidence and evidence. It is pure: the same facts, sample and day give the same findings. No value of the data
leaves it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from resolvers.engines.recognition.groups import GROUPS, JUDGED
from resolvers.engines.recognition.hints import (
    BEARERS,
    MEASURES,
    NAMING,
    OF_ANIMALS,
    OTHER,
    PERSONS,
    STRONG,
    WEAK,
    names_persons,
)
from resolvers.engines.recognition.matching import RECOGNIZERS, matches
from resolvers.engines.recognition.model import ColumnValues, RecognizerMatch, TagFinding
from resolvers.engines.recognition.neighbours import JUDGES, NeighbourColumns, told
from resolvers.engines.recognition.scoring import (
    BESIDE,
    LEAST,
    OF_DEVICES,
    TRAITS_OF_ONE,
    Candidate,
    candidates,
    chosen,
    finding,
    score,
    with_neighbours,
)
from resolvers.engines.recognition.sentences import INNER
from resolvers.engines.recognition.things import PLACE_TAGS, is_of_things, places_of_things, refers_to_person
from resolvers.engines.recognition.unmistakable import KINDS
from resolvers.engines.recognition.weights import WEIGHTS
from schema.data_readiness.source import ColumnFacts, Row, Sample, TableFacts

SURE: Final = 0.6
"""The confidence from which a column tells of its neighbours."""

ROUNDS: Final = 2
"""How often the neighbours are asked: a telephone number that is told by a name tells of a date of birth in turn."""

VERSION: Final = "1." + hashlib.sha256(
    repr(
        (
            [(one.name, one.tag, one.strength, one.chance, one.floor, one.ceiling, one.reason) for one in RECOGNIZERS],
            sorted(WEIGHTS.items()),
            [(sorted(some.items())) for some in (STRONG, WEAK)],
            [sorted(some) for some in (OTHER, PERSONS, MEASURES, BEARERS, OF_ANIMALS, NAMING)],
            [(one.tag, one.phrases, one.reason, one.most, one.among) for one in KINDS],
            [(one.recognizer.tag, one.recognizer.reason) for one in INNER],
            [(one.name, one.tag, one.reason) for one in JUDGED],
            LEAST,
        )
    ).encode()
).hexdigest()[:8]  # fmt: skip
"""Changes when a recogniser, a hint or a weight does, so that tags are looked at again."""

__all__ = ["RECOGNIZERS", "VERSION", "TagFinding", "fingerprint", "recognize"]


def recognize(table: TableFacts, sample: Sample, now: datetime) -> dict[str, list[TagFinding]]:
    """The tags of each column of the sample by its name, the surest first; none where nothing was found."""
    facts = {column.name: column for column in table.columns}
    columns = [
        ColumnValues(
            facts.get(name) or ColumnFacts(f"{table.fqn}.{name}", name, place), [row[place] for row in sample.rows]
        )
        for place, name in enumerate(sample.columns)
    ]
    found = [matches(column, now) for column in columns]
    known = weighed(table, columns, sample.rows, found, now)
    return {
        name: [finding(one, sure) for one, sure in chosen([(one, score(one.figures)) for one in some])]
        for name, some in zip(sample.columns, known, strict=True)
    }


def weighed(
    table: TableFacts,
    columns: Sequence[ColumnValues],
    rows: Sequence[Row],
    found: Sequence[Sequence[RecognizerMatch]],
    now: datetime,
) -> list[list[Candidate]]:
    """The candidates of each column with all that its values, its name and its neighbours say.

    First comes which tags are sure without the neighbours, then what those tell of the columns of which nothing was
    told before, and that again.
    """
    known = _with_persons(table, columns, rows, found)
    more: dict[int, list[RecognizerMatch]] = {}
    for _ in range(ROUNDS):
        sure = [
            frozenset(one.tag for one, sure in chosen([(one, score(one.figures)) for one in some]) if sure >= SURE)
            for some in known
        ]
        said = told(NeighbourColumns(columns, rows, found, sure, now), (*JUDGES, *GROUPS))
        fresh = {place: some for place, some in said.items() if place not in more}
        if not fresh:
            break
        more |= fresh
        both = [[*some, *more.get(place, ())] for place, some in enumerate(found)]
        known = _with_persons(table, columns, rows, both)
    return known


def _with_persons(
    table: TableFacts,
    columns: Sequence[ColumnValues],
    rows: Sequence[Row],
    found: Sequence[Sequence[RecognizerMatch]],
) -> list[list[Candidate]]:
    some = {
        place: (column.facts, candidates(table, column.facts, found[place])) for place, column in enumerate(columns)
    }
    pair_coordinates(some)
    # Neighbours are those that stand without any, so that two doubtful ones do not hold up each other.
    persons, devices = (
        {
            place
            for place, (_, few) in some.items()
            if any(one.tag in tags and score(with_neighbours(one, False).figures) >= SURE for one in few)
        }
        for tags in (BESIDE, OF_DEVICES)
    )
    named = {
        (place, one.tag)
        for place, (_, few) in some.items()
        for one in few
        if one.tag in TRAITS_OF_ONE and one.figures["name"] and score(with_neighbours(one, True).figures) >= LEAST
    }
    if len({tag for _, tag in named}) > 1:
        persons |= {place for place, _ in named}
    referred = bool(devices) or any(refers_to_person(column.facts.name) for column in columns)
    of_things = places_of_things(columns, rows, found, persons)
    # Degrees of which nothing is told could be a telephone's, so that they stand though nobody is beside them.
    nobody = not (persons or referred or names_persons(table.name)) and is_of_things(table, columns, found)
    return [
        [
            with_neighbours(one, bool(persons - {place}), referred)
            for one in few
            if not (one.tag in PLACE_TAGS and place in of_things) and not (one.tag == "Coordinates" and nobody)
        ]
        for place, (_, few) in some.items()
    ]


def pair_coordinates(weighed: Mapping[int, tuple[ColumnFacts, list[Candidate]]]) -> None:
    """One decimal is a figure like any other; two beside one another within the ranges are a place."""
    names = list(weighed)
    lonely = [
        name
        for position, name in enumerate(names)
        if any(one.tag == "Coordinates" for one in weighed[name][1])
        and not any(
            0 <= near < len(names) and any(one.tag == "Coordinates" for one in weighed[names[near]][1])
            for near in (position - 1, position + 1)
        )
    ]
    for name in names:
        for one in weighed[name][1]:
            if one.tag == "Coordinates" and name not in lonely:
                one.figures["form"] = 1.0
                one.figures["checked"] = max(one.figures["checked"], 0.6 if one.figures["shape"] > 0.5 else 0.0)
    for name in lonely:
        some = weighed[name][1]
        some[:] = [one for one in some if one.tag != "Coordinates" or one.figures["proof"] or one.figures["name"]]


def fingerprint(column: ColumnFacts, sample: Sample) -> str:
    """Of a column's sampled values and of what is said about it: changes when either does."""
    position = sample.columns.index(column.name)
    digest = hashlib.sha256(
        repr((column.name, column.data_type, column.description, column.display_name)).encode(errors="replace")
    )
    marks = sorted(hashlib.sha256(repr(row[position]).encode(errors="replace")).digest()[:8] for row in sample.rows)
    for mark in marks:
        digest.update(mark)
    return digest.hexdigest()[:32]
