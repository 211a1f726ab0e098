"""Defines what the configs and credentials of all types of connection have in common: they refuse what they do not
know.
"""

from collections.abc import Mapping
from typing import Annotated, Any

import strawberry
from pydantic import BeforeValidator, ConfigDict, SecretStr, model_validator

from schema.base import Change


def blank_is_absent(value: Any) -> Any:
    """None for a text of blanks alone, the value itself for everything else."""
    return None if isinstance(value, str) and not value.strip() else value


Optional = Annotated[str | None, BeforeValidator(blank_is_absent)]
"""A text that a form may send empty when it means none."""

Secret = Annotated[SecretStr, strawberry.field(graphql_type=str)]
"""A text that is never shown again."""

OptionalSecret = Annotated[
    SecretStr | None, BeforeValidator(blank_is_absent), strawberry.field(graphql_type=str | None)
]
"""As `Secret`, and a form may send it empty when it means none."""


class Strict(Change):
    """A section that refuses fields it does not know and values of another JSON type, and reads null as left out."""

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, values: Any) -> Any:
        if isinstance(values, Mapping):
            return {name: value for name, value in values.items() if value is not None}
        return values
