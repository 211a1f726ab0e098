"""What to do first: violations ranked by how much their data are used times how much harm they do, each in words.

Harm is the severity, of which a quarter counts however little is wrong, as a few broken references of many still break
answers, and the rest by the root of the share. What is missing of the description does a tenth of it. Use is 1, and 1
for each column that refers to the table, each of the latest answers that read it, and each power of ten of its rows.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

from resolvers.engines.english.grammar import listed
from schema.data_readiness.quality import AssessmentType
from schema.data_readiness.suspect import MASKED, SuspectCell
from schema.data_readiness.violation import Severity, Violation
from schema.identifiers import Fqn

HARM: Final = {Severity.LOW: 1.0, Severity.MEDIUM: 3.0, Severity.HIGH: 9.0, Severity.CRITICAL: 27.0}
OF_THE_DESCRIPTION: Final = 0.1
"""The part of its severity that a gap in the description does: no answer is wrong by it."""
ALWAYS: Final = 0.25
"""The part of the harm that does not go by how much is wrong."""
LONGEST_VALUE: Final = 80
MOST_NAMED: Final = 3
TABLE_PARTS: Final = 4


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


def concerned(violation: Violation) -> list[str]:
    """The columns in which the wrong values of a violation stand, by their FQNs; none where that is not known."""
    parts = Fqn.parse(violation.asset_fqn).parts
    if len(parts) > TABLE_PARTS:
        return [violation.asset_fqn]
    example = _examples(violation)[:1]
    names = [one["dependent"] for one in example if isinstance(one.get("dependent"), str)]
    return [str(Fqn.of(*parts, name)) for name in names] if len(parts) == TABLE_PARTS else []


def what_to_do(
    violation: Violation, cells: Sequence[SuspectCell] = (), *, personal: Collection[str] | None = frozenset()
) -> str:
    """The action in words: what is wrong where, with a value, its row and its repair where they are known.

    `cells` are suspects of the columns concerned, the most probable first, as they may be shown; `personal` the names
    of the table's columns with personal data, None for all.
    """
    parts = Fqn.parse(violation.asset_fqn).parts
    where = ".".join(parts[3:] or parts[-1:])
    # The name of a rule tells its reader less than the kind of thing that it found.
    is_of_rule = "rule_id" in violation.details
    label = violation.name.replace("_", " ").capitalize() if is_of_rule else violation.display_name or violation.name
    said = f"{label} in `{where}`"
    example = _shown_example(violation, cells)
    shown = "" if example is None else _example(example, personal)
    named = [f"`{name}`" for name in violation.details.get("names") or ()]
    number = counted(violation)
    if number is not None and (more := number[0] - MOST_NAMED) > 0 and named:
        named = [*named[:MOST_NAMED], f"{more} more"]
    if shown:
        return f"{said}: {shown}."
    return f"{said}: {listed(named, MOST_NAMED + 1)}." if named else f"{said}."


def _examples(violation: Violation) -> list[Mapping[str, Any]]:
    return [one for one in violation.details.get("examples") or () if isinstance(one, Mapping)]


def _shown_example(violation: Violation, cells: Sequence[SuspectCell]) -> Mapping[str, Any] | None:
    """The example that tells most: one with a repair, else one for which a suspect cell knows it, else the first."""
    examples = _examples(violation)
    for one in examples[:1]:
        if one.get("repair") is not None:
            return one
        if one.get("dependent") is not None:
            return next((_of_cell(cell) for cell in cells if cell.repair is not None and cell.row_key), one)
    told_apart = [cell for cell in cells if cell.row_key and MASKED not in cell.row_key.values()]
    known = {(cell.column, _key(cell.row_key)): cell for cell in told_apart if cell.repair is not None}
    for one in examples:
        values, key = one.get("values"), one.get("key")
        if not isinstance(values, Mapping) or not isinstance(key, Mapping):
            continue
        for column in values:
            if (cell := known.get((str(column), _key(key)))) is not None:
                return _of_cell(cell)
    return examples[0] if examples else None


def _key(key: Mapping[str, Any] | None) -> str:
    return repr(sorted((str(name), str(value)) for name, value in (key or {}).items()))


def _of_cell(cell: SuspectCell) -> Mapping[str, Any]:
    return {"key": cell.row_key, "values": {cell.column: cell.value}, "repair": cell.repair}


def why(violation: Violation, use: Use) -> str:
    """The reason in words: how much is wrong, and who uses it."""
    number = counted(violation)
    lacks = violation.dimension.assessment_type is AssessmentType.METADATA
    told = []
    if number is not None:
        is_one = number[0] == 1
        verb = ("lacks it" if is_one else "lack it") if lacks else ("is wrong" if is_one else "are wrong")
        told.append(f"{number[0]:,} of {number[1]:,} {verb}")
    if use.references:
        is_one = use.references == 1
        told.append(
            "one column elsewhere refers to it" if is_one else f"{use.references} columns elsewhere refer to it"
        )
    if use.questions:
        told.append(f"{use.questions} of the latest answers read it")
    if use.rows:
        told.append(f"it has {use.rows:,} rows")
    said = listed(told, 4) or f"{violation.severity} severity"
    return f"{said[0].upper()}{said[1:]}."


def _example(example: Mapping[str, Any], personal: Collection[str] | None) -> str:
    values, key = (example.get(name) for name in ("values", "key"))
    wrong, by = (dict(one) if isinstance(one, Mapping) else {} for one in (values, key))
    if (dependent := example.get("dependent")) is not None and _is_count(example.get("different")):
        group = f"the {example['rows']:,} rows" if _is_count(example.get("rows")) else "rows"
        said = f"{group} where {_pairs(wrong, personal)} have {example['different']:,} different `{dependent}`"
        return said + _beside(example, _is_personal(str(dependent), personal))
    others = {name: value for name, value in by.items() if by[name] != wrong.get(name)}
    shown, row = _pairs(wrong, personal), _pairs(others, personal)
    said = f"{shown or 'the row'} where {row}" if row else shown
    repair = example.get("repair")
    if not said or repair is None:
        return said
    hidden = any(_is_personal(name, personal) for name in wrong)
    return f"{said}, likely `{MASKED if hidden else str(repair)[:LONGEST_VALUE]}`"


def _beside(example: Mapping[str, Any], is_personal: bool) -> str:
    """The two values that stand most often beside one determinant, and in how many rows; nothing of personal data."""
    beside = [one for one in example.get("beside") or () if isinstance(one, Mapping) and _is_count(one.get("rows"))]
    if is_personal or len(beside) < 2:
        return ""
    return ": " + ", ".join(f"`{str(one['value'])[:LONGEST_VALUE]}` in {one['rows']:,}" for one in beside[:2])


def _pairs(values: Mapping[str, Any], personal: Collection[str] | None) -> str:
    told = []
    for name, value in list(values.items())[:3]:
        written = MASKED if _is_personal(name, personal) else str(value)[:LONGEST_VALUE]
        told.append(f"{name} is {'empty' if value is None else f'`{written}`'}")
    return listed(told, 3)


def _is_personal(name: str, personal: Collection[str] | None) -> bool:
    return personal is None or name in personal


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
