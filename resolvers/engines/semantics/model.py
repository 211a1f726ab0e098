"""Defines what a semantic model says, whatever tool has written it: datasets, fields, measures and joins."""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from resolvers.engines.documents import Understood, text_of
from schema.utils.memory import MemoryType

MOST_MEMORIES: Final = 1000
"""Memories of one file. Questions go by at most 2,000 of a project."""
MOST_THINGS: Final = 20_000
"""Datasets, fields, measures and joins of one file."""
MOST_SYNONYMS: Final = 50
LONGEST_SYNONYM: Final = 120
LONGEST_WORDS: Final = 4000
MOST_EXAMPLES: Final = 20


@dataclass(frozen=True, slots=True)
class Words:
    """What is said of something beside its name and its SQL."""

    description: str | None = None
    synonyms: tuple[str, ...] = ()
    instructions: str | None = None
    examples: tuple[str, ...] = ()
    kept: Mapping[str, Any] = field(default_factory=dict)
    """What only the format knows, such as extensions of vendors: given back to it, and used by nothing here."""

    def content(self) -> dict[str, Any]:
        """Return what a memory holds of them."""
        said: dict[str, Any] = {
            "synonyms": list(self.synonyms),
            "description": self.description,
            "instructions": self.instructions,
            "examples": list(self.examples),
        }
        return {name: value for name, value in said.items() if value}

    @property
    def says_nothing(self) -> bool:
        """Return whether there is nothing that a question could go by."""
        return not (self.synonyms or self.instructions or self.examples)


@dataclass(frozen=True, slots=True)
class Field:
    """Something that each row of a dataset has: a column, or what is worked out of its columns."""

    name: str
    tree: exp.Expr
    words: Words = field(default_factory=Words)
    where: str = ""


@dataclass(slots=True)
class Dataset:
    """A table as the model calls it."""

    name: str
    source: tuple[str, ...]
    """The parts of the table's name, the last one is its own."""
    where: str
    fields: dict[str, Field] = field(default_factory=dict)
    """By their names in small letters."""
    measures: dict[str, exp.Expr] = field(default_factory=dict)
    """Measures that others may name by the dataset, by their names in small letters."""
    words: Words = field(default_factory=Words)
    key: tuple[str, ...] = ()
    """The columns that the model says tell rows apart."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure. A bare name in it is a column of `home`; without one, another measure of the model."""

    name: str
    tree: exp.Expr
    home: str | None
    words: Words = field(default_factory=Words)
    where: str = ""
    shown: bool = True
    """Whether it is one by itself; others are only parts of measures."""


@dataclass(frozen=True, slots=True)
class Link:
    """How two datasets are joined: from the one that refers to the one referred to, by columns in order."""

    name: str
    start: str
    end: str
    columns: tuple[str, ...]
    to_columns: tuple[str, ...]
    words: Words = field(default_factory=Words)
    where: str = ""


@dataclass(slots=True)
class Model:
    """What a document says."""

    name: str
    datasets: list[Dataset] = field(default_factory=list)
    measures: list[Measure] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ModelMemory:
    """A memory that a model tells."""

    kind: MemoryType
    name: str
    content: dict[str, Any]
    asset_fqn: str | None
    key: str
    """What it is in its model, such as `measure revenue`."""
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Taken(Understood):
    """The memories of a document, and what in it was not taken."""

    memories: list[ModelMemory] = field(default_factory=list)
    models: tuple[str, ...] = ()


def short(value: Any, found: Understood, where: str) -> str | None:
    """A text of bounded length; a longer one is left out and told."""
    text = text_of(value)
    if text is not None and len(text) > LONGEST_WORDS:
        found.miss(where, f"A text of more than {LONGEST_WORDS} characters is not kept.")
        return None
    return text


def names(values: Any, found: Understood, where: str) -> tuple[str, ...]:
    """Other names of something, each once; those that are too long or too many are left out and told."""
    listed = values if isinstance(values, list) else []
    texts = [text for one in listed if (text := text_of(one)) is not None]
    kept = list(dict.fromkeys(text for text in texts if len(text) <= LONGEST_SYNONYM))
    if len(kept) > MOST_SYNONYMS or len(kept) < len(set(texts)):
        found.miss(where, f"{MOST_SYNONYMS} synonyms of {LONGEST_SYNONYM} characters at most are kept.")
    return tuple(kept[:MOST_SYNONYMS])


def unread(said: Mapping[str, Any], known: Container[str], found: Understood, where: str) -> None:
    """Tell what something says besides what is read of it."""
    others = sorted(
        str(name) for name, value in said.items() if name not in known and value not in (None, False, [], {})
    )
    if others:
        found.miss(where, f"{', '.join(others)[:500]} is not kept.")


def by_name(fields: Iterable[Field], found: Understood) -> dict[str, Field]:
    """Fields by their names in small letters; the first of a name stands."""
    made: dict[str, Field] = {}
    for one in fields:
        if made.setdefault(one.name.casefold(), one) is not one:
            found.miss(one.where, f"Another field is called {one.name[:200]!r}, and the first stands.")
    return made


def places(items: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The mappings of a list, or of the values of a mapping, each with its place; anything else is passed over."""
    if isinstance(items, dict):
        yield from ((f"{where}.{name}", one) for name, one in items.items() if isinstance(one, dict))
    elif isinstance(items, list):
        yield from ((f"{where}[{at}]", one) for at, one in enumerate(items) if isinstance(one, dict))
