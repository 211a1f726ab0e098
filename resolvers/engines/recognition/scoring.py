"""From matches and words to one calibrated score.

The score of a tag on a column is a logistic regression over a few figures, each 0 to 1: the best match of each strength
(proof, checked, form, shape, listed; found within text), what the column's name, comment and table hint at, and whether
persons' data stand beside it. Its weights (`weights.py`) were fitted, not guessed: `python -m benchmarks.quality
--calibrate` generates columns of personal data and of other things, in several locales, each under its own name, a
meaningless one and a wrong one, and fits them; other locales and seeds then tell whether a score of 0.8 is right in
about eight of ten cases.

Two things are not left to the fit. Without a match on the values there is no score, whatever the name says; and hints
weigh less than a proof, so that a column needs no name. Values that other tags explain better are not explained twice.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from resolvers.engines.recognition.hints import (
    ends_in_bearer,
    hint,
    names_bearer,
    names_other,
    names_persons,
    only_names,
    tells_of_animals,
)
from resolvers.engines.recognition.model import RecognizerMatch, Strength, TagFinding
from resolvers.engines.recognition.taxonomy import TAXONOMY
from resolvers.engines.recognition.things import PLACE_TAGS
from resolvers.engines.recognition.weights import WEIGHTS
from schema.data_readiness.source import ColumnFacts, TableFacts

LEAST: Final = 0.5
"""The confidence from which a tag is suggested."""

FIGURES: Final = (
    "proof", "checked", "form", "shape", "listed", "within", "name", "name_weak", "comment", "other", "beside",
    "persons", "contextual_alone", "shape_and_name", "listed_and_name", "form_and_name", "key",
)  # fmt: skip
"""What the score is made of, in the order of the weights; the first weight is the constant."""

BESIDE: Final = frozenset(
    {
        "Email",
        "PhoneNumber",
        "PersonName",
        "NationalId",
        "DateOfBirth",
        "StreetAddress",
        "Gender",
        "MaritalStatus",
        "Ethnicity",
    }
)
"""Tags that show that a table is about persons."""


OF_DEVICES: Final = frozenset(
    {"Username", "IpAddress", "MacAddress", "Imei", "LicensePlate", "Passport", "HealthId", "PaymentCard"}
)
"""Tags of what one person signs in with, carries or drives: a place in the same row is that person's."""

NAMED_THINGS: Final = 0.6
"""What is left of the words of a list where the column is named after things: films, stations, rooms and brands bear
the names of persons, and no list tells them from those."""

WHOLE: Final = 0.5
"""The share of values that are something as a whole, from which words of a list within them tell nothing more."""

TRAITS_OF_ONE: Final = frozenset({"Age", "Gender", "DateOfBirth"})
"""Tags of which two whose names say so show it as well, though each alone could be of a thing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tag that some of a column's values speak for, with the figures of its score."""

    tag: str
    matches: tuple[RecognizerMatch, ...]
    figures: dict[str, float]

    @property
    def share(self) -> float:
        """The largest share of values that passed."""
        return max(match.share for match in self.matches)

    @property
    def is_within(self) -> bool:
        """Return whether it was only found inside longer values."""
        return all(match.where not in ("values", "rows", "name") for match in self.matches)

    @property
    def is_by_lists_within(self) -> bool:
        """Return whether it is only words of a list, found inside longer values."""
        return all(match.where == "text" and match.recognizer.strength is Strength.LISTED for match in self.matches)


def candidates(table: TableFacts, column: ColumnFacts, found: Sequence[RecognizerMatch]) -> list[Candidate]:
    """The tags that a column's values speak for."""
    by_tag: dict[str, list[RecognizerMatch]] = {}
    for match in found:
        if match.strength > 0:
            by_tag.setdefault(match.recognizer.tag, []).append(match)
    return [
        Candidate(tag, tuple(sorted(best, key=_rank)), _figures(table, column, tag, best))
        for tag, best in by_tag.items()
    ]


def _rank(match: RecognizerMatch) -> tuple[float, float]:
    """Return what moved the score most comes first; a common form tells nothing by itself, and so comes last."""
    return -_weight(match), -match.nats


def _weight(match: RecognizerMatch) -> float:
    return WEIGHTS["within" if match.where == "text" else match.recognizer.strength.value] * match.strength


def _figures(table: TableFacts, column: ColumnFacts, tag: str, found: Sequence[RecognizerMatch]) -> dict[str, float]:
    best = dict.fromkeys(FIGURES, 0.0)
    for match in found:
        kind = "within" if match.where == "text" else match.recognizer.strength.value
        best[kind] = max(best[kind], match.strength)
    names = [column.name, *(match.where[5:] for match in found if match.where.startswith("json:"))]
    said = max(hint(name, tag) for name in names)
    if column.display_name:
        said = max(said, hint(column.display_name, tag))
    best["name"] = float(said == 1.0)
    best["name_weak"] = float(said == 0.5)
    best["comment"] = hint(column.description, tag) if column.description else 0.0
    best["other"] = float(said < 1.0 and any(names_other(name) for name in names))
    best["bearer"] = float(tag == "PersonName" and said < 1 and _names_a_bearer(table, names))
    if best["bearer"] or (tag == "PersonName" and not said and any(names_bearer(name) for name in names)):
        best["listed"] *= NAMED_THINGS
    if best["bearer"]:
        best["name_weak"] = 0.0  # that it is a name goes with the thing
    best["thing"] = float(any(names_other(name) for name in (*names, table.name.removesuffix("s"))))
    best["persons"] = float(names_persons(table.name))
    best["shape_and_name"] = best["shape"] * max(best["name"], 0.5 * best["name_weak"], best["comment"])
    best["listed_and_name"] = best["listed"] * max(best["name"], 0.5 * best["name_weak"], best["comment"])
    best["form_and_name"] = best["form"] * max(best["name"], 0.5 * best["name_weak"], best["comment"])
    best["key"] = float(column.is_primary_key)
    return best


def _names_a_bearer(table: TableFacts, names: Sequence[str]) -> bool:
    """Return whether a column is the name of things or animals: by its own name, or as that of a row of such."""
    if any(ends_in_bearer(name) for name in names):
        return True
    if not all(only_names(name) for name in names) or names_persons(table.name):
        return False
    return ends_in_bearer(table.name.removesuffix("s")) or any(tells_of_animals(one.name) for one in table.columns)


def with_neighbours(candidate: Candidate, beside: bool, referred: bool = False) -> Candidate:
    """The candidate, knowing whether other columns of the table hold persons' data, or refer to persons."""
    figures = dict(candidate.figures)
    # Persons in the table make no persons of its stations and rooms.
    figures["beside"] = float(beside and not figures["bearer"])
    alone = TAXONOMY[candidate.tag].contextual and not beside and not figures["persons"]
    is_place = candidate.tag in PLACE_TAGS
    # Where the names tell of a thing, it is the thing's: the city of a shop. A place is nobody's where nobody is.
    certain = bool(figures["thing"]) or is_place
    figures["contextual_alone"] = float(alone and not (is_place and referred)) * (2.0 if certain else 1.0)
    return Candidate(candidate.tag, candidate.matches, figures)


def score(figures: Mapping[str, float]) -> float:
    """The probability that the tag is right."""
    total = WEIGHTS["constant"] + sum(WEIGHTS[name] * figures[name] for name in FIGURES)
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))


def chosen(scored: Sequence[tuple[Candidate, float]]) -> list[tuple[Candidate, float]]:
    """Return what stands: the best first, and what the values that it leaves unexplained leave room for.

    Where most values are something as a whole, words of a list within them are parts of that: streets and firms are
    named after persons. What has a form of its own, such as an e-mail address behind an address, stands beside it.
    """
    kept: list[tuple[Candidate, float]] = []
    explained = 0.0
    for candidate, confidence in sorted(scored, key=lambda pair: (-pair[1], pair[0].tag)):
        if confidence < LEAST:
            break
        if not candidate.is_within:
            if kept and explained + candidate.share > 1.15 and any(not other.is_within for other, _ in kept):
                continue
            explained += candidate.share
        kept.append((candidate, confidence))
    if explained < WHOLE:
        return kept
    return [one for one in kept if not one[0].is_by_lists_within]


_HINTS: Final = (
    ("name", "words", "name", "The column's name names it."),
    ("name_weak", "words", "name", "The column's name goes with it."),
    ("comment", "words", "comment", "The column's comment tells of it."),
    ("other", "words", "name", "The column's name says something else, which speaks against it."),
    ("beside", "neighbours", "neighbours", "Other columns of the table hold persons' data."),
    ("persons", "words", "neighbours", "The table is named after persons."),
    ("contextual_alone", "neighbours", "neighbours",
     "Nothing else in the table tells of persons, which speaks against it."),
    ("key", "keys", "type", "It is the primary key, which speaks against it."),
)  # fmt: skip
"""What is told of each figure that does not come from the values: recogniser, source and reason."""

_PLACES: Final = {
    "values": "of the sampled values",
    "text": "of the sampled texts, within them",
    "rows": "of what was compared",
    "name": "of the sampled values go with it",
}


def finding(candidate: Candidate, confidence: float) -> TagFinding:
    """The tag with what speaks for it and against it."""
    evidence: list[dict[str, Any]] = []
    for match in candidate.matches[:4]:
        where = _PLACES.get(match.where, "of the sampled documents, in one of their fields")
        evidence.append(
            {
                "recognizer": match.recognizer.name,
                "source": {"rows": "neighbours", "name": "name"}.get(match.where, "values"),
                "share": round(match.share, 4),
                "weight": round(_weight(match), 3),
                "reason": f"{match.recognizer.reason}: {_percent(match.share)} {where} "
                f"({match.tested} distinct ones tested).",
            }
        )
    for figure, recognizer, source, reason in _HINTS:
        if candidate.figures[figure] and WEIGHTS[figure]:
            weight = round(WEIGHTS[figure] * candidate.figures[figure], 3)
            evidence.append({"recognizer": recognizer, "source": source, "weight": weight, "reason": reason})
    # The strongest reason is the one that is read; what speaks against the tag stands behind all that speaks for it.
    evidence.sort(key=lambda one: -one["weight"])
    return TagFinding(candidate.tag, round(confidence, 4), tuple(evidence))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%" if 0 < share < 0.01 else f"{100 * share:.0f}%"
