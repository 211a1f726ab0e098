"""Documents of other tools, as YAML or JSON within bounds, and the tables of the catalog that names in them mean."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Final

import orjson
import yaml  # type: ignore[import-untyped]

from schema.data_readiness.source import TableFacts
from schema.identifiers import Fqn
from schema.text import require_storable

MOST_CHARACTERS: Final = 1_000_000
MOST_NODES: Final = 100_000
MOST_ALIASES: Final = 100
DEEPEST: Final = 40
MOST_NOTES: Final = 500
LONGEST_TEXT: Final = 1000

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class UnreadableDocument(ValueError):
    """The text is no document of the format; the message says why."""


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Something in a file that became nothing here, or not all of it."""

    where: str
    reason: str


@dataclass(slots=True)
class Understood:
    """Holds what in a file was not understood."""

    not_understood: list[NotUnderstood] = field(default_factory=list)

    def miss(self, where: str, reason: str) -> None:
        """Note what was not understood, up to a bound."""
        if len(self.not_understood) < MOST_NOTES:
            self.not_understood.append(NotUnderstood(where[:LONGEST_TEXT], reason[:LONGEST_TEXT]))


def load(text: str) -> dict[str, Any]:
    """The mapping that a YAML or JSON text says, within bounds. Raises UnreadableDocument."""
    if len(text) > MOST_CHARACTERS:
        raise UnreadableDocument(f"The file has more than {MOST_CHARACTERS:,} characters. Split it.")
    try:
        loaded = _json(text)
        if loaded is None:
            _check(text)
            loaded = yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader
        _measure(loaded)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        at = f" in line {mark.line + 1}" if mark is not None else ""
        raise UnreadableDocument(
            f"The file is no YAML{at}: {getattr(error, 'problem', None) or 'it cannot be read'}."
        ) from None
    except UnreadableDocument:
        raise
    except (ValueError, OverflowError, RecursionError, TypeError):
        raise UnreadableDocument("The file holds a value that YAML cannot read.") from None
    try:
        require_storable(loaded)  # an escape may say what the text itself does not hold
    except ValueError as problem:
        raise UnreadableDocument(f"The file cannot be kept: {problem}.") from None
    if not isinstance(loaded, dict):
        raise UnreadableDocument("The file is no mapping of names to values.")
    return loaded


def _json(text: str) -> Any:
    """The value of a JSON text; None where it is none. YAML reads most of JSON, and some escapes of it wrongly."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        return orjson.loads(text)
    except (ValueError, RecursionError):
        return None


def _check(text: str) -> None:
    """Refuse what grows while it is read, before it is."""
    depth = aliases = documents = 0
    for nodes, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            depth += 1
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        elif isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.implicit[0]:
            raise UnreadableDocument("Merge keys (<<) are not taken. Write out what they stand for.")
        if depth > DEEPEST or nodes > MOST_NODES or aliases > MOST_ALIASES or documents > 1:
            raise UnreadableDocument(
                f"The file is one document with {MOST_NODES:,} values, {DEEPEST} levels and {MOST_ALIASES} aliases "
                "at most."
            )


def _measure(loaded: Any) -> None:
    """Refuse a document that its aliases make too large, or that holds itself."""
    sizes: dict[int, int] = {}
    open_: set[int] = set()

    def size(value: Any, depth: int = 0) -> int:
        if not isinstance(value, dict | list):
            return 1
        if depth > DEEPEST:
            raise UnreadableDocument(f"The file has more than {DEEPEST} levels.")
        known = sizes.get(id(value))
        if known is not None:
            return known
        if id(value) in open_:
            raise UnreadableDocument("The file has an alias inside of what it stands for.")
        open_.add(id(value))
        total = 1 + sum(size(one, depth + 1) for one in (value.values() if isinstance(value, dict) else value))
        open_.discard(id(value))
        sizes[id(value)] = total
        if total > MOST_NODES:
            raise UnreadableDocument(f"With its aliases written out the file has more than {MOST_NODES:,} values.")
        return total

    size(loaded)


def dump(document: Mapping[str, Any]) -> str:
    """A document as YAML that reads the same again."""
    return str(yaml.safe_dump(dict(document), sort_keys=False, allow_unicode=True, width=120))


def mappings(value: Any) -> Iterator[dict[str, Any]]:
    """The mappings of a list; anything else is passed over."""
    if isinstance(value, list):
        yield from (one for one in value if isinstance(one, dict))


def text_of(value: Any) -> str | None:
    """A text with something in it; a number or day as it is written."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, str | int | float):
        return str(value).strip() or None
    return None


def texts_of(value: Any) -> list[str] | None:
    """A list of values as texts; None for what is no list of single values."""
    if not isinstance(value, list) or not value:
        return None
    found = [value_text(one) for one in value]
    return None if any(one is None for one in found) else [one for one in found if one is not None]


def value_text(value: Any) -> str | None:
    """A single value as text, as it stands."""
    return value if isinstance(value, str) else text_of(value)


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables that names in a file can mean."""

    known: Sequence[TableFacts]

    def find(self, name: str, schema: str | None = None) -> TableFacts | str:
        """The one table of a name, bare or dotted, or why there is none."""
        parts = _parts(name)
        found = [one for one in self.known if _ends_with(one, parts) and (schema is None or _same(one.schema, schema))]
        exact = [one for one in found if Fqn.parse(one.fqn).parts[-len(parts) :] == parts]
        if len(exact) == 1:
            return exact[0]
        if len(found) == 1:
            return found[0]
        if not found:
            return f"The catalog has no table {name!r} here. Run service-ingestion, or correct the name."
        return f"{len(found)} tables are called {name!r}. Name the schema as well."


def _parts(name: str) -> tuple[str, ...]:
    try:
        return tuple(Fqn.parse(name).parts)
    except ValueError:
        return (name,)


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _ends_with(table: TableFacts, parts: Sequence[str]) -> bool:
    own = Fqn.parse(table.fqn).parts
    return len(parts) <= len(own) and all(
        _same(one, other) for one, other in zip(own[len(own) - len(parts) :], parts, strict=True)
    )


def column_fqn(table: TableFacts, name: str) -> tuple[str, str] | None:
    """The FQN and the name of a column as the catalog writes it."""
    for column in table.columns:
        if column.name == name:
            return column.fqn, column.name
    for column in table.columns:
        if _same(column.name, name):
            return column.fqn, column.name
    return None
