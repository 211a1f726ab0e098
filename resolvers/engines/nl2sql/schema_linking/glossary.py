"""Defines what people noted about words: glossary terms, and the memories `glossary` and `ontology`.

The content of such a memory says one of these, in any mixture; names of tables and columns may be FQNs, `table.column`
or a table's name:

    {"term": "client", "synonyms": ["account", "customer"], "definition": "...", "asset_fqn": "svc.db.app.customers"}
    {"term": "EMEA", "column": "customers.country", "values": ["Germany", "France", "Italy"]}
    {"synonyms": {"client": ["customer", "buyer"]}}
    {"synonyms": [["client", "customer"], ["revenue", "turnover"]]}
    {"hierarchy": {"vehicle": ["car", "truck"]}}
    {"term": "car", "broader": "vehicle"}         or "parent", "is_a"; "narrower", "children" the other way round
    {"type": "text", "text": "\\"Client\\" means customer. A car is a vehicle. GMV stands for gross merchandise value"}

`term` may be called `name` or `word`, `synonyms` `aliases`. A memory's `asset_fqn` is what its term is about. What has
another shape is not read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from resolvers.engines.describing.known import Term
from schema.utils.memory import Memory, MemoryType

_MOST: Final = 200
"""How many words one memory may bring."""
_LONGEST: Final = 120
_PHRASE: Final = r"[\"'“‘`]?([\w][\w .&/-]{0,60}?)[\"'”’`]?"  # noqa: RUF001 - quotation marks
_MEANS: Final = re.compile(
    rf"(?:^|[.;\n!]\s*|,\s+and\s+)(?:the\s+(?:word|term)\s+)?(?:an?\s+|the\s+|our\s+)?{_PHRASE}\s*"
    r"(?:means?|stands?\s+for|is\s+(?:a\s+synonym\s+(?:of|for)|the\s+same\s+as|called|another\s+(?:word|name)\s+for|"
    r"short\s+for|also\s+called)|are\s+(?:called|also\s+called|the\s+same\s+as)|refers?\s+to|a\.?k\.?a\.?|"
    r"also\s+known\s+as|=)\s*"
    rf"(?:an?\s+|the\s+|our\s+)?{_PHRASE}\s*(?=[.;,\n!(]|$)",
    re.IGNORECASE,
)
_IS_A: Final = re.compile(
    rf"(?:^|[.;\n!]\s*)(?:an?\s+|every\s+|each\s+|all\s+)?{_PHRASE}\s+"
    rf"(?:is\s+an?(?:\s+(?:kind|type|sort)\s+of(?:\s+an?)?)?|are)\s+{_PHRASE}\s*(?=[.;\n!]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Note:
    """Names that stand for the same, or for something wider."""

    names: tuple[str, ...]
    how: str
    """glossary or memory."""
    id: str | None
    score: float
    """How much a name of it counts."""
    asset: str | None = None
    """What it is about: an FQN, or as people wrote it."""
    values: tuple[str, ...] = ()
    """The values of `asset`, a column, that the names stand for."""
    wider: tuple[str, ...] = ()
    """Names that include it: whoever asks for a vehicle may mean a car."""


def notes_of(terms: Sequence[Term], memories: Sequence[Memory]) -> list[Note]:
    """All that is noted."""
    found = [
        Note(_clean(term.names), "glossary", term.id, 1.0 if term.is_approved else 0.85, term.asset_fqn)
        for term in terms
    ]
    for memory in memories:
        if memory.memory_type in (MemoryType.GLOSSARY, MemoryType.ONTOLOGY):
            found += _of_memory(memory)
    return [note for note in found if note.names]


def _clean(names: Iterable[Any]) -> tuple[str, ...]:
    said = (name.strip() for name in names if isinstance(name, str))
    return tuple(dict.fromkeys(name for name in said if 0 < len(name) <= _LONGEST))[:_MOST]


def _listed(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return _clean((value,))
    return _clean(value) if isinstance(value, list) else ()


def _first(content: Mapping[str, Any], *keys: str) -> Any:
    return next((content[key] for key in keys if content.get(key)), None)


def _of_memory(memory: Memory) -> Iterator[Note]:
    content = memory.content
    asset = _first(content, "asset_fqn", "asset", "column", "table") or memory.asset_fqn
    asset = asset if isinstance(asset, str) else None
    synonyms = _first(content, "synonyms", "aliases")
    term = _listed(_first(content, "term", "name", "word"))
    if term:
        same = (*term, *_listed(synonyms), *_listed(content.get("means")))
        wider = _listed(_first(content, "broader", "parent", "is_a"))
        yield Note(_clean(same), "memory", memory.id, 1.0, asset, _values(content), wider)
        for narrower in _listed(_first(content, "narrower", "children")):
            yield Note((narrower,), "memory", memory.id, 0.9, wider=term)
    if isinstance(synonyms, dict):
        for name, others in list(synonyms.items())[:_MOST]:
            yield Note(_clean((name, *_listed(others))), "memory", memory.id, 1.0)
    elif isinstance(synonyms, list):
        for group in synonyms[:_MOST]:
            if isinstance(group, list):
                yield Note(_clean(group), "memory", memory.id, 1.0)
    hierarchy = _first(content, "hierarchy", "hierarchies")
    if isinstance(hierarchy, dict):
        for name, others in list(hierarchy.items())[:_MOST]:
            for other in _listed(others):
                yield Note((other,), "memory", memory.id, 0.9, wider=_clean((name,)))
    text = content.get("text")
    if isinstance(text, str):
        yield from _of_text(text[:10_000], memory, asset)


def _values(content: Mapping[str, Any]) -> tuple[str, ...]:
    values = content.get("values")
    return tuple(str(one) for one in values[:_MOST]) if isinstance(values, list) else ()


def _of_text(text: str, memory: Memory, asset: str | None) -> Iterator[Note]:
    for one, other in _MEANS.findall(text)[:_MOST]:
        yield Note(_clean((one, other)), "memory", memory.id, 1.0, asset)
    if memory.memory_type is MemoryType.ONTOLOGY:
        for one, other in _IS_A.findall(text)[:_MOST]:
            yield Note(_clean((one,)), "memory", memory.id, 0.9, wider=_clean((other,)))


def names_of(memory: Memory) -> tuple[str, ...]:
    """All that a memory is called: its own name, and the names and synonyms in its content."""
    content = memory.content
    said: list[Any] = [memory.name]
    for key in ("term", "name", "word", "phrase", "kpi", "metric", "synonyms", "aliases", "names", "phrases"):
        said += _listed(content.get(key))
    return _clean(said)
