"""Recognition of personal and secret data in the columns of a table.

`recognize` takes what the catalog knows of a table and a sample of its rows, and gives the tags of each column with
their confidence and evidence. It is pure: the same facts, sample and day give the same findings. No value of the data
leaves it.
"""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from resolvers.engines.recognition.hints import OTHER, PERSONS, STRONG, WEAK
from resolvers.engines.recognition.matching import RECOGNIZERS, matches
from resolvers.engines.recognition.model import ColumnValues, Finding
from resolvers.engines.recognition.scoring import (
    BESIDE,
    LEAST,
    Candidate,
    candidates,
    chosen,
    finding,
    score,
    with_neighbours,
)
from resolvers.engines.recognition.weights import WEIGHTS
from schema.data_readiness.source import ColumnFacts, Sample, TableFacts

VERSION: Final = "1." + hashlib.sha256(
    repr(
        (
            [(one.name, one.tag, one.strength, one.chance, one.floor, one.reason) for one in RECOGNIZERS],
            sorted(WEIGHTS.items()),
            [(sorted(some.items())) for some in (STRONG, WEAK)],
            [sorted(some) for some in (OTHER, PERSONS)],
            LEAST,
        )
    ).encode()
).hexdigest()[:8]  # fmt: skip
"""Changes when a recogniser, a hint or a weight does, so that tags are looked at again."""

__all__ = ["RECOGNIZERS", "VERSION", "Finding", "fingerprint", "recognize"]


def recognize(table: TableFacts, sample: Sample, now: datetime) -> dict[str, list[Finding]]:
    """The tags of each column of the sample by its name, the surest first; none where nothing was found."""
    facts = {column.name: column for column in table.columns}
    weighed = {}
    for position, name in enumerate(sample.columns):
        column = facts.get(name) or ColumnFacts(f"{table.fqn}.{name}", name, position)
        values = ColumnValues(column, [row[position] for row in sample.rows])
        weighed[name] = (column, candidates(table, column, matches(values, now)))
    pair_coordinates(weighed)
    # Neighbours are those that stand without any, so that two doubtful ones do not hold up each other.
    persons = {
        name
        for name, (_, some) in weighed.items()
        if any(one.tag in BESIDE and score(with_neighbours(one, False).figures) >= 0.6 for one in some)
    }
    found: dict[str, list[Finding]] = {}
    for name, (_, some) in weighed.items():
        known = [with_neighbours(one, bool(persons - {name})) for one in some]
        best = chosen([(one, score(one.figures)) for one in known])
        found[name] = [finding(one, confidence) for one, confidence in best]
    return found


def pair_coordinates(weighed: Mapping[str, tuple[ColumnFacts, list[Candidate]]]) -> None:
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
                one.figures["checked"] = 0.6 if one.figures["shape"] > 0.5 else 0.0
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
