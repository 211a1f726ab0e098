"""Free JSON that its owners keep with something, bounded by its size as text."""

from typing import Annotated, Any

import orjson
import strawberry
from pydantic import AfterValidator
from strawberry.scalars import JSON

from schema.text import require_storable

MAX_CONTENT = 65_536
MAX_META_DATA = 16_384


def canonical(value: Any) -> bytes:
    """The one JSON text of a value that can be stored, whatever the order of its keys."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _at_most(size: int) -> AfterValidator:
    def check(value: dict[str, Any]) -> dict[str, Any]:
        require_storable(value)
        if value is not None and len(canonical(value)) > size:
            raise ValueError(f"it takes more than {size} bytes as JSON")
        return value

    return AfterValidator(check)


Content = Annotated[dict[str, Any], strawberry.field(graphql_type=JSON), _at_most(MAX_CONTENT)]
OptionalContent = Annotated[dict[str, Any] | None, strawberry.field(graphql_type=JSON | None), _at_most(MAX_CONTENT)]
MetaData = Annotated[dict[str, Any], strawberry.field(graphql_type=JSON), _at_most(MAX_META_DATA)]
OptionalMetaData = Annotated[dict[str, Any] | None, strawberry.field(graphql_type=JSON | None), _at_most(MAX_META_DATA)]
