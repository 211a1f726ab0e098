"""The grammar of a text: one declaration that the server checks and that the documents tell as a pattern."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from schema.identifiers import Fqn
from schema.typed import Typed, orders

_PART: Final = r'(?:[^."\x00]+|"(?:[^"\x00]|"")+")'
"""One part of a dotted name, as `schema.identifiers.Fqn` reads it."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """What a text must look like. Stands in `Annotated[str, Field(...), grammar]`.

    A pattern alone would refuse with itself; `check` refuses with a sentence (ValueError) and agrees with the pattern.
    """

    pattern: str
    check: Callable[[str], object]
    typed: Typed | None = None
    """What the text is in the graph, where it is something else there."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Check the text after its lengths."""
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell the pattern."""
        return {**handler(core), "pattern": self.pattern}

    def _checked(self, text: str) -> str:
        self.check(text)
        return text


def dotted_name(least: int = 1, most: int | None = None, *, what: str = "") -> Grammar:
    """Return the grammar of a dotted name of so many parts; `what` says which ones, for a reader."""
    more = "*" if most is None else f"{{{least - 1},{most - 1}}}"

    def check(text: str) -> None:
        try:
            parts = Fqn.parse(text).parts
        except ValueError as error:
            raise ValueError(f"it is not a dotted name: {error}") from None
        if "\x00" in text:
            raise ValueError("it holds a character that cannot be stored")
        if len(parts) < least or (most is not None and len(parts) > most):
            count = f"{least}" if least == most else f"at least {least}" if most is None else f"{least} to {most}"
            raise ValueError(f"it has {len(parts)} parts; write {count}, dotted{what and f', {what}'}")

    return Grammar(rf"^{_PART}(?:\.{_PART}){more}$", check)


def sort_by(fields: Iterable[str], *, of: str) -> Grammar:
    """Return the grammar of an order, `field:asc` or `field:desc`, comma-separated, by some fields of a list of a type.

    `of` is the name of the type, of which the graph has an enum of orders.
    """
    names = sorted(fields)
    one = rf" *(?:{'|'.join(map(re.escape, names))})(?::(?:asc|desc)?)? *"
    pattern = f"^{one}(?:,{one})*$"
    whole = re.compile(pattern)

    def check(text: str) -> None:
        if whole.fullmatch(text) is None:
            raise ValueError(f"write field:asc or field:desc, comma-separated, with one of {', '.join(names)}")

    return Grammar(pattern, check, orders(of, names))


TABLE_NAME: Final = dotted_name(4, 4, what="service.database.schema.table")
COLUMN_NAME: Final = dotted_name(5, 5, what="service.database.schema.table.column")
UP_TO_TABLE: Final = dotted_name(1, 4, what="service[.database[.schema[.table]]]")
UP_TO_COLUMN: Final = dotted_name(1, 5, what="service[.database[.schema[.table[.column]]]]")
ANY_NAME: Final = dotted_name()
