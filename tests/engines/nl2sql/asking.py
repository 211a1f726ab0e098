"""Asks the planner about the invented databases beside this file, and says what became of each question."""

import asyncio
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from benchmarks.quality.asking import Answer, Session, Verdict
from benchmarks.quality.databases import Loaded, from_script
from benchmarks.quality.questions import questions_of
from resolvers.engines.nl2sql.drafter import Planner
from resolvers.engines.nl2sql.model import Asked, Knowledge, Outcome
from schema.utils.memory import Memory, MemoryType

HERE = Path(__file__).parent
NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)
NAMES = sorted(path.stem for path in (HERE / "questions").glob("*.md"))


@cache
def loaded(name: str) -> Loaded:
    """A database with its profiles."""
    return from_script(name, (HERE / "databases" / f"{name}.sql").read_text()).profiled()


def answers(name: str) -> list[Answer]:
    """Return what became of every question about a database."""

    async def ask() -> list[Answer]:
        session = Session(Planner(), loaded(name))
        return [await session.answer(question) for question in questions_of(HERE / "questions" / f"{name}.md")]

    return asyncio.run(ask())


def knowledge(name: str, **changes: object) -> Knowledge:
    """Return what a drafter may know of a database."""
    database = loaded(name)
    return Knowledge(database.tables, database.profiles, dialect="duckdb", **changes)  # type: ignore[arg-type]


def asked(text: str, known: Knowledge, name: str) -> Outcome:
    """Return what the planner makes of a question."""
    return asyncio.run(Planner().draft(Asked(text, NOW), known, loaded(name).found))


def rows(sql: str, name: str) -> Counter[tuple[object, ...]]:
    """The rows of a query, in any order."""
    return Counter(loaded(name).rows(sql))


def memory(kind: MemoryType, content: dict[str, object], name: str = "note", **quality: object) -> Memory:
    """An active memory."""
    at = NOW.isoformat()
    return Memory.model_validate(
        {
            "id": f"memory-{name}", "name": name, "organization_id": "o", "project_id": "p", "context_pack_id": "c",
            "version": 1, "content": content, "memory_type": kind, "source": {}, "classification": {}, "meta_data": {},
            "quality": {
                "validation_status": "validated", "confidence_score": None, "validated_by": None, "validated_at": None,
                **quality,
            },
            "access": {
                "count": 0, "last_accessed": None, "success_count": 0, "failure_count": 0, "success_rate": None
            },
            "status": "active", "pinned": False, "created_at": at, "updated_at": at, "asset_fqn": None,
            "content_url": None, "search_text": None, "superseded_by": None, "supersedes": None, "pinned_at": None,
            "unpinned_at": None, "archived_at": None, "deleted_at": None, "superseded_at": None, "reactivated_at": None,
            "expires_at": None,
        }
    )  # fmt: skip


__all__ = ["NAMES", "Answer", "Verdict", "answers", "asked", "knowledge", "loaded", "memory", "rows"]
