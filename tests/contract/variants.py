"""From what is published of a field to values that must be taken and values that must be refused."""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tests.contract.table.kinds import Field, Fields

LONGEST_SENT = 300_000
"""Longer texts are refused by the size of the body already."""

ODD = ("!", "a b", "\x00", "\n", "a..b", "-1", "!!!!!!!!!!")
"""Texts of which a pattern refuses one."""
SAMPLES = {"uuid": str(UUID(int=7)), "date-time": "2030-01-01T00:00:00Z"}
NOT_OF_THE_FORMAT = {
    "uuid": ("never", str(UUID(int=7))[:-1]),
    "date-time": ("never", "0", "1700000000", "2026-11-02", "2026-02-30T00:00:00Z", "0001-01-01T00:00:00+14:00"),
}
WRONG: dict[str, Any] = {"string": 7, "integer": "seven", "number": "seven", "boolean": "yes", "array": 7, "object": 7}
"""A value of another JSON type."""


@dataclass(frozen=True)
class Variant:
    """One change to a call that would be taken as it is."""

    what: str
    where: tuple[str | int, ...]
    """The path of the field; in the body unless it is one name that is a parameter."""
    value: Any = None
    left_out: bool = False
    code: str | None = None
    """The code of the refusal; None when it must be taken."""
    status: int = 0

    @property
    def field(self) -> str:
        """The field as `details` names it."""
        return ".".join(map(str, self.where))


def of_param(name: str, field: Field, *, in_path: bool) -> Iterator[Variant]:
    """A parameter: whatever is wrong with it is a 400."""
    for what, value, taken in _edges(field, parameter=True):
        if not (in_path and value == ""):
            yield Variant(what, (name,), value, code=None if taken else "INVALID_PARAMETER", status=0 if taken else 400)
    if field.required and not in_path:
        yield Variant("left out", (name,), left_out=True, code="MISSING_REQUIRED_FIELD", status=400)


def of_body(fields: Fields, at: tuple[str | int, ...] = ()) -> Iterator[Variant]:
    """The fields of a body: 400 for what is wrong in form, 422 for what is wrong in meaning."""
    yield Variant("unknown", (*at, "never_heard_of"), 1, code="VALIDATION_ERROR", status=400)
    for name, field in fields.items():
        where = (*at, name)
        if field.required:
            yield Variant("left out", where, left_out=True, code="MISSING_REQUIRED_FIELD", status=400)
        yield from of_value(field, where)


def of_value(field: Field, where: tuple[str | int, ...]) -> Iterator[Variant]:
    """One value in a body, and what is in it."""
    if field.type in WRONG:
        # A graph takes one item for a list of one, so what is no list must be no item either.
        of_numbers = field.items is not None and field.items.type in ("integer", "number")
        yield Variant(
            "wrong type", where, "seven" if of_numbers else WRONG[field.type], code="INVALID_FORMAT", status=400
        )
    if field.null:
        yield Variant("null", where, None)
    elif field.type != "any":
        yield Variant("null", where, None, code="INVALID_FORMAT", status=400)
    for what, value, taken in _edges(field):
        yield Variant(what, where, value, code=None if taken else "VALIDATION_ERROR", status=0 if taken else 422)
    if field.fields is not None:
        yield from of_body(field.fields, where)
    if field.items is not None and field.items.type in WRONG:
        yield from of_value(field.items, (*where, 0))


def _edges(field: Field, *, parameter: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """(what, value, whether it must be taken) on both sides of every bound."""
    if field.type in ("integer", "number"):
        if parameter:
            yield "no number", "seven", False
        if field.least is not None:
            yield "least", field.least, True
            yield "less than the least", field.least - 1, False
        if field.most is not None:
            yield "most", field.most, True
            yield "more than the most", field.most + 1, False
    elif field.type == "boolean" and parameter:
        yield "no boolean", "perhaps", False
    elif field.choices is not None:
        yield from (("choice", choice, True) for choice in sorted(field.choices))
        yield "no choice", "never_heard_of", False
    elif field.format in SAMPLES:
        yield "of the format", SAMPLES[field.format], True
        for text in NOT_OF_THE_FORMAT[field.format]:
            yield f"not of the format {text}", text, False
    elif field.type == "string":
        letter = next((letter for letter in "a10" if of_pattern(field, letter * max(1, field.shortest or 1))), "a")
        yield from (
            (what, value, taken)
            for what, value, taken in _lengths(field, lambda n: letter * n)
            if not taken or of_pattern(field, value)
        )
        refused = next((text for text in ODD if not of_pattern(field, text)), None)
        if refused is not None:
            yield "not of the pattern", refused, False
    elif field.type == "array" and field.items is not None:
        item = sample(field.items)
        yield from _lengths(field, lambda n: [deepcopy(item)] * n)


def _lengths(field: Field, of: Any) -> Iterator[tuple[str, Any, bool]]:
    if field.shortest:
        yield "shortest", of(field.shortest), True
        yield "too short", of(field.shortest - 1), False
    if field.longest is not None and field.longest <= LONGEST_SENT:
        yield "longest", of(field.longest), True
        yield "too long", of(field.longest + 1), False


def of_pattern(field: Field, value: str) -> bool:
    """Return whether a text is one that the pattern takes."""
    return field.pattern is None or re.search(field.pattern, value) is not None


def sample(field: Field) -> Any:
    """A value that the published bounds take."""
    if field.choices is not None:
        return min(field.choices)
    if field.format in SAMPLES:
        return SAMPLES[field.format]
    if field.type == "string":
        return "a" * max(1, field.shortest or 1)
    if field.type in ("integer", "number"):
        return field.least if field.least is not None else 1
    if field.type == "boolean":
        return True
    if field.type == "array":
        assert field.items is not None
        return [sample(field.items)] * (field.shortest or 0)
    return {name: sample(f) for name, f in (field.fields or {}).items() if f.required}


def changed(body: Any, kind: Field, variant: Variant) -> Any:
    """The body with one thing changed; what leads to the place is made when it is not there."""
    made = deepcopy(body)
    place, known = made, kind
    *before, last = variant.where
    for step in before:
        if isinstance(step, int):
            assert known.items is not None
            known = known.items
            while len(place) <= step:
                place.append(sample(known))
        else:
            assert known.fields is not None
            known = known.fields[step]
            if place.get(step) is None:
                place[step] = sample(known)
        place = place[step]
    if variant.left_out:
        place.pop(last, None)
    elif isinstance(last, int) and not place:
        place.append(variant.value)
    else:
        place[last] = variant.value
    return made
