"""What to do first: violations ranked by how much their data are used times how much harm they do, each in words.

Harm is the severity, of which a quarter counts however little is wrong, as a few broken references of many still break
answers, and the rest by the root of the share. What is missing of the description does a tenth of it. Use is 1, and 1
for each column that refers to the table, each of the latest answers that read it, and each power of ten of its rows.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from resolvers.engines.english.grammar import listed
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.violation import Severity, Violation
from schema.identifiers import Fqn

HARM: Final = {Severity.LOW: 1.0, Severity.MEDIUM: 3.0, Severity.HIGH: 9.0, Severity.CRITICAL: 27.0}
OF_THE_DESCRIPTION: Final = 0.1
"""The part of its severity that a gap in the description does: no answer is wrong by it."""
ALWAYS: Final = 0.25
"""The part of the harm that does not go by how much is wrong."""
LONGEST_VALUE: Final = 80
MOST_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Use:
    """Holds how much a table is used."""

    rows: int | None = None
    references: int = 0
    questions: int = 0

    def factor(self) -> float:
        """Return how much more harm is done to a table that is used so much."""
        return 1.0 + self.references + self.questions + math.log10(1 + (self.rows or 0))


def counted(violation: Violation) -> tuple[int, int] | None:
    """Return how many are wrong of how many, as the violation's details tell; None when they do not."""
    told = violation.details
    assets, of = told.get("assets"), told.get("of")
    if _is_count(assets) and _is_count(of):
        return assets, of
    good, of = told.get("numerator"), told.get("denominator")
    return (of - good, of) if _is_count(good) and _is_count(of) and 0 <= good <= of else None


def impact(violation: Violation, use: Use) -> float:
    """Return how much there is to gain by mending a violation."""
    number = counted(violation)
    share = 1.0 if number is None or not number[1] else min(1.0, number[0] / number[1])
    weight = 1.0 if violation.dimension.assessment_type is AssessmentType.DATA_QUALITY else OF_THE_DESCRIPTION
    return round(HARM[violation.severity] * weight * (ALWAYS + (1 - ALWAYS) * math.sqrt(share)) * use.factor(), 4)


def what_to_do(violation: Violation) -> str:
    """The action in words: what is wrong where, with a value, its row and its repair where they are known."""
    parts = Fqn.parse(violation.asset_fqn).parts
    where = ".".join(parts[3:] or parts[-1:])
    said = f"{violation.display_name or violation.name} in `{where}`"
    example = next((one for one in violation.details.get("examples") or () if isinstance(one, Mapping)), None)
    shown = "" if example is None else _example(example)
    named = [f"`{name}`" for name in violation.details.get("names") or ()]
    number = counted(violation)
    if number is not None and (more := number[0] - MOST_NAMED) > 0 and named:
        named = [*named[:MOST_NAMED], f"{more} more"]
    if shown:
        return f"{said}: {shown}."
    return f"{said}: {listed(named, MOST_NAMED + 1)}." if named else f"{said}."


def why(violation: Violation, use: Use) -> str:
    """The reason in words: how much is wrong, and who uses it."""
    number = counted(violation)
    lacks = violation.dimension.assessment_type is AssessmentType.METADATA
    told = [] if number is None else [f"{number[0]:,} of {number[1]:,} {'lack it' if lacks else 'are wrong'}"]
    if use.references:
        is_one = use.references == 1
        told.append(
            "one column elsewhere refers to it" if is_one else f"{use.references} columns elsewhere refer to it"
        )
    if use.questions:
        told.append(f"{use.questions} of the latest answers read it")
    if use.rows:
        told.append(f"it has {use.rows:,} rows")
    return f"{violation.severity.capitalize()}" + (f"; {listed(told, 4)}." if told else ".")


def _example(example: Mapping[str, Any]) -> str:
    values, key = (example.get(name) for name in ("values", "key"))
    wrong, by = (dict(one) if isinstance(one, Mapping) else {} for one in (values, key))
    shown, row = _pairs(wrong), _pairs({name: value for name, value in by.items() if by[name] != wrong.get(name)})
    said = f"{shown or 'the row'} where {row}" if row else shown
    repair = example.get("repair")
    return f"{said}, likely `{str(repair)[:LONGEST_VALUE]}`" if said and repair is not None else said


def _pairs(values: Mapping[str, Any]) -> str:
    told = [
        f"{name} is {'empty' if value is None else f'`{str(value)[:LONGEST_VALUE]}`'}"
        for name, value in list(values.items())[:3]
    ]
    return listed(told, 3)


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
