"""Arguments are held to the JSON schema of a tool before anything is sent.

The schema comes from outside. So nothing is fetched for it, the work is bounded, and what a schema could make dear is
left to the server, which checks its arguments anyway: regular expressions, and what is not evaluated elsewhere.
"""

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any, Final

MOST_STEPS: Final = 200_000
"""Of one check; a keyword costs one, and as much more as its value or what it looks at has members."""
LONGEST_REASON: Final = 300
_LEFT_TO_THE_SERVER: Final = ("pattern", "patternProperties", "unevaluatedItems", "unevaluatedProperties", "format")


class NoSchemas(Exception):
    """The library that reads JSON schemas is not installed."""


class UnfitArguments(ValueError):
    """Arguments that do not fit the schema of a tool, or a schema that nothing can be held to."""


class _TooMuch(Exception):
    """The check would take too long."""


def check_arguments(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Refuse arguments that do not fit. Raises UnfitArguments, and NoSchemas where the extra is not installed."""
    try:
        from jsonschema.exceptions import ValidationError
        from referencing import Registry
    except ImportError:
        raise NoSchemas from None
    before = _STEPS.set(_Steps())
    try:
        checker = _checker()(_of_one_draft(schema), registry=Registry())
        error = next(checker.iter_errors(dict(arguments)), None)
    except _TooMuch:
        raise UnfitArguments("The tool's schema is too dear to be checked with these arguments.") from None
    except ValidationError as failure:
        error = failure
    except RecursionError:
        raise UnfitArguments("The tool's schema leads back to itself, so no arguments can be held to it.") from None
    except Exception:  # whatever a malformed schema makes the library raise
        raise UnfitArguments("The tool's schema cannot be read, so no arguments can be held to it.") from None
    finally:
        _STEPS.reset(before)
    if error is not None:
        at = "/".join(str(part) for part in error.absolute_path)[:LONGEST_REASON]
        where = f" at {at}" if at else ""
        raise UnfitArguments(f"The arguments do not fit the tool's schema{where}: {error.message[:LONGEST_REASON]}")


class _Steps:
    """Counts what a check has looked at."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self, *looked_at: Any) -> None:
        self.taken += 1 + sum(len(one) for one in looked_at if isinstance(one, list | dict | str))
        if self.taken > MOST_STEPS:
            raise _TooMuch


_STEPS: Final[ContextVar[_Steps]] = ContextVar("steps of a check")


def _of_one_draft(schema: Any) -> Any:
    """A schema that names no draft in any part: the library would read that part by rules without our bounds."""
    if isinstance(schema, Mapping):
        kept = {name: part for name, part in schema.items() if name != "$schema" or not isinstance(part, str)}
        return {name: _of_one_draft(part) for name, part in kept.items()}
    if isinstance(schema, list):
        return [_of_one_draft(part) for part in schema]
    return schema


@cache
def _checker() -> Any:
    """A validator of the newest draft, which holds to the older ones in what tools use, and counts its steps."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    def counted(keyword: Any) -> Any:
        def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
            _STEPS.get().take(value, instance)
            yield from keyword(validator, value, instance, schema) or ()

        return checked

    def additional(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if "patternProperties" not in schema:
            _STEPS.get().take(value, instance)
            yield from Draft202012Validator.VALIDATORS["additionalProperties"](validator, value, instance, schema) or ()

    def nothing(*_: Any) -> tuple[()]:
        return ()

    kept = {name: counted(keyword) for name, keyword in Draft202012Validator.VALIDATORS.items()}
    kept |= dict.fromkeys(_LEFT_TO_THE_SERVER, nothing) | {"additionalProperties": additional}
    return extend(Draft202012Validator, kept)
