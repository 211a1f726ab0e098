"""From what pydantic refused to the documented error: which validation failure is which.

Parameters (path, query, header, plain GraphQL arguments): always 400, MISSING_REQUIRED_FIELD or INVALID_PARAMETER.
Bodies (and GraphQL inputs): unparsable or a wrong JSON type 400 INVALID_FORMAT, a missing field 400
MISSING_REQUIRED_FIELD, an unknown field 400 VALIDATION_ERROR; right type but outside a bound, pattern, enum or state
rule 422 VALIDATION_ERROR. `details` names the first field's path and lists every problem.
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Any, Final
from uuid import UUID

import pydantic

from schema.errors import (
    SHOWN_LETTERS,
    ApiError,
    InvalidFormat,
    InvalidParameter,
    MissingRequiredField,
    ValidationError,
)

SHOWN_PROBLEMS = 50
"""How many problems an answer lists; a body with thousands of wrong items needs no thousand lines."""

ALIKE: Final = 0.75
"""How alike a name must be to one that is known to count as a slip of the pen: one letter of four."""

_WRONG_TYPE_ENDINGS = ("_type", "_parsing", "_parsing_size", "_from_date_parsing")
_WRONG_TYPES = {
    "is_instance_of",
    "json_invalid",
    "int_from_float",
    "datetime_object_invalid",
    "datetime_from_date_parsing",
    "decimal_parsing",
    "none_required",
}
_LABELS = (
    "chain[",
    "constrained-",
    "function-",
    "lax-or-strict[",
    "json-or-python[",
    "union[",
    "dict[",
    "list[",
    "tuple[",
)
"""How pydantic names the member of a union that it tried; no part of a path in the body."""
_RIGHT_TYPE_WRONG_VALUE = {"uuid_parsing", "datetime_parsing", "date_parsing", "url_parsing", "url_type", "uuid_type"}
_ONE_OF_SOME = {"enum", "literal_error"}
"""All enums of the contract are words."""


def refused_body(error: pydantic.ValidationError, name: str | None = None) -> ApiError:
    """The catalogue error for a body that was refused; `name` is put before each path (GraphQL arguments)."""
    return body_problems(problems_of(error))


def problems_of(error: pydantic.ValidationError, *above: Any) -> list[tuple[str, tuple[Any, ...], str]]:
    """Each problem as (pydantic type, path, message); `above` is put before each path.

    The refused value itself, which may be a secret, is in none of them.
    """
    return [
        (_type(problem), (*above, *problem["loc"]), message_of(problem)) for problem in error.errors(include_url=False)
    ]


def body_problems(found: Iterable[tuple[str, Iterable[Any], str]]) -> ApiError:
    """The catalogue error for body problems given as (pydantic type, path, message)."""
    problems = [(_kind(type_), {"field": _path(where), "message": message}) for type_, where, message in found]
    form = [(kind, problem) for kind, problem in problems if kind is not None]
    kind, first = form[0] if form else (None, problems[0][1])
    details: dict[str, Any] = {
        "field": first["field"],
        "problems": [problem for _, problem in problems[:SHOWN_PROBLEMS]],
    }
    sentence = _sentence(first)
    return kind(sentence, **details) if kind else ValidationError(sentence, status=422, **details)


def refused_parameters(error: pydantic.ValidationError) -> ApiError:
    """The catalogue error for path, query and header parameters: always 400."""
    problems = error.errors(include_url=False, include_input=False)
    listed = [{"field": _path(p["loc"]), "message": message_of(p)} for p in problems[:SHOWN_PROBLEMS]]
    kind = MissingRequiredField if problems[0]["type"] == "missing" else InvalidParameter
    return kind(_sentence(listed[0]), field=listed[0]["field"], problems=listed)


def meant(name: str, known: Collection[str]) -> str | None:
    """Return the known name that was probably meant by one that is not known."""
    return next(iter(get_close_matches(name[:SHOWN_LETTERS], sorted(known), 1, ALIKE)), None)


def unknown_parameters(names: Collection[str], known: Collection[str]) -> InvalidParameter:
    """The catalogue error for parameters that an operation does not have, with those that it has."""
    listed = [
        {
            "field": name[:SHOWN_LETTERS],
            "message": "There is no such parameter here" + (f"; did you mean {near!r}?" if near else "."),
        }
        for name in list(names)[:SHOWN_PROBLEMS]
        for near in [meant(name, known)]
    ]
    takes = f"It takes {', '.join(sorted(known))}." if known else "It takes none."
    first = listed[0]
    return InvalidParameter(
        f"{first['field']}: {first['message']} {takes}", field=first["field"], known=sorted(known), problems=listed
    )


def _type(problem: Mapping[str, Any]) -> str:
    """Return what kind of problem it is; a value of another JSON type is no value outside an enum or a format."""
    of_text = problem["type"] in _RIGHT_TYPE_WRONG_VALUE or problem["type"] in _ONE_OF_SOME
    given = problem["input"]
    return "string_type" if of_text and not isinstance(given, str | UUID | datetime) else problem["type"]


def message_of(problem: Mapping[str, Any]) -> str:
    """Return what is wrong; a check of our own says so in its own words."""
    text: str = problem["msg"]
    return text.removeprefix("Value error, ") if problem["type"] == "value_error" else text


def _kind(type_: str) -> type[ApiError] | None:
    """The 400 class of a problem, or None for a 422."""
    if type_ == "missing":
        return MissingRequiredField
    if type_ in _RIGHT_TYPE_WRONG_VALUE:
        return None
    if type_ in _WRONG_TYPES or type_.endswith(_WRONG_TYPE_ENDINGS):
        return InvalidFormat
    return ValidationError if type_ in ("extra_forbidden", "unexpected_keyword_argument") else None


def _path(where: Iterable[Any]) -> str:
    # What a caller called a field may be as long as their body.
    return ".".join(text[:SHOWN_LETTERS] for text in map(str, where) if not text.startswith(_LABELS))


def _sentence(problem: dict[str, str]) -> str:
    field, message = problem["field"], problem["message"]
    return f"{field}: {message}." if field else f"{message}."
