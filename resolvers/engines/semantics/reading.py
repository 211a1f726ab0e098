"""A text in one of the formats, to the memories that it tells and that the planner understands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from resolvers.engines.documents import Understood, UnreadableDocument, load
from resolvers.engines.nl2sql.joining.keys import KeyFinder
from resolvers.engines.nl2sql.model import Knowledge
from resolvers.engines.nl2sql.planner.catalog import Catalog
from resolvers.engines.semantics.binding import memories_of
from resolvers.engines.semantics.cube import read_cube
from resolvers.engines.semantics.dbt import read_dbt_semantics
from resolvers.engines.semantics.model import MOST_THINGS, Model, ModelMemory, Taken
from resolvers.engines.semantics.ossie import read_ossie
from schema.data_readiness.source import TableFacts
from schema.utils.kept_json import MAX_CONTENT, canonical
from schema.utils.memory import (
    Memory,
    MemoryAccess,
    MemoryClassification,
    MemoryQuality,
    MemorySource,
    MemoryStatus,
    MemoryType,
    ValidationStatus,
)
from schema.utils.semantic_model import SemanticFormat

LONGEST_FQN: Final = 1000
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
_READERS: Final[Mapping[SemanticFormat, Callable[[Mapping[str, Any], str, Understood], list[Model]]]] = {
    SemanticFormat.DBT: read_dbt_semantics,
    SemanticFormat.CUBE: read_cube,
    SemanticFormat.OSSIE: read_ossie,
}


def understood(text: str, format: SemanticFormat, tables: Sequence[TableFacts], dialect: str) -> Taken:
    """The memories that a document tells of some tables, in their dialect. Raises UnreadableDocument."""
    document = load(text)
    if _mappings(document) > MOST_THINGS:
        raise UnreadableDocument(f"The file has more than {MOST_THINGS:,} mappings. Split it.")
    found = Taken()
    models = _READERS[format](document, dialect, found)
    told = [one for one in memories_of(models, tables, found) if _fits(one, found)]
    found.models = tuple(one.name for one in models)
    for one, used in zip(told, usable(told, tables), strict=True):
        if used:
            found.memories.append(one)
        else:
            found.miss(one.key, "The planner of questions could not use it as it stands.")
    return found


def _fits(one: ModelMemory, found: Taken) -> bool:
    """Return whether a memory can hold it."""
    fits = len(canonical(one.content)) <= MAX_CONTENT and len(one.asset_fqn or "") <= LONGEST_FQN
    if not fits:
        found.miss(one.key, f"It says more than {MAX_CONTENT} bytes, or its table has a name that is too long.")
    return fits


def usable(told: Sequence[ModelMemory], tables: Sequence[TableFacts]) -> list[bool]:
    """Return of each memory whether the planner understands it, as it would of one that stands."""
    memories = [_as_memory(one, str(at)) for at, one in enumerate(told)]
    known = Knowledge(tables=tuple(tables), memories=memories)
    noted = Catalog(known).noted
    keys = KeyFinder(known)
    return [
        noted.kpi(one.id) is not None
        if one.memory_type is MemoryType.KPI
        else one.memory_type is not MemoryType.JOIN or keys.remembered(one) is not None
        for one in memories
    ]


def _mappings(document: Any) -> int:
    """How many mappings a document holds; that it has no circle is known."""
    total, waiting = 0, [document]
    while waiting and total <= MOST_THINGS:
        one = waiting.pop()
        total += isinstance(one, dict)
        inner: Iterable[Any] = one.values() if isinstance(one, dict) else one
        waiting += [each for each in inner if isinstance(each, dict | list)]
    return total


def _as_memory(told: ModelMemory, id: str) -> Memory:
    return Memory(
        id=id, name=told.name, organization_id="", project_id="", context_pack_id="", version=1, content=told.content,
        memory_type=told.kind, source=MemorySource(), classification=MemoryClassification(), meta_data={},
        quality=MemoryQuality(
            validation_status=ValidationStatus.UNVALIDATED, confidence_score=None, validated_by=None, validated_at=None
        ),
        access=MemoryAccess(count=0, last_accessed=None, success_count=0, failure_count=0, success_rate=None),
        status=MemoryStatus.ACTIVE, pinned=False, created_at=_NEVER, updated_at=_NEVER, asset_fqn=told.asset_fqn,
        content_url=None, search_text=None, superseded_by=None, supersedes=None, pinned_at=None, unpinned_at=None,
        archived_at=None, deleted_at=None, superseded_at=None, reactivated_at=None, expires_at=None,
    )  # fmt: skip
