"""Defines what drafters say, made fit to be stored and shown: without signs that no store keeps, and of a bounded
length.

A language model may say anything, so its words are cut before they go anywhere. SQL that is too long stays too long, so
that the guard refuses it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson

from resolvers.engines.nl2sql.model import Clarification, Interpretation, Outcome, QueryDraft, Unanswerable

LONGEST_TEXT: Final = 4000
LONGEST_SQL: Final = 20_000
MOST_READINGS: Final = 10
MOST_EVIDENCE: Final = 65_536
"""Bytes of JSON that a drafter may note."""


def heard(outcome: Outcome) -> Outcome:
    """The outcome with texts and evidence that can be kept."""
    match outcome:
        case QueryDraft():
            return replace(
                outcome,
                sql=plain(outcome.sql, LONGEST_SQL + 1),
                reading=plain(outcome.reading),
                evidence=_noted(outcome.evidence),
            )
        case Clarification():
            readings = [
                replace(one, text=plain(one.text), sql=None if one.sql is None else plain(one.sql, LONGEST_SQL))
                for one in outcome.readings
            ]
            return replace(
                outcome, message=plain(outcome.message), readings=distinct(readings), evidence=_noted(outcome.evidence)
            )
        case Unanswerable():
            return replace(outcome, message=plain(outcome.message), evidence=_noted(outcome.evidence))


def distinct(readings: Sequence[Interpretation]) -> tuple[Interpretation, ...]:
    """The readings that can be told apart, the first of each text: who is asked sees nothing else of them."""
    found: dict[str, Interpretation] = {}
    for one in readings:
        found.setdefault(" ".join(one.text.split()).rstrip(" .?!").casefold(), one)
    return tuple(found.values())[:MOST_READINGS]


def plain(text: str, most: int = LONGEST_TEXT) -> str:
    """A text without NUL and half signs, shortened."""
    kept = text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode()
    return kept if len(kept) <= most else f"{kept[: most - 1]}…"


def _noted(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """The evidence as JSON; what is too much, or is none, is left out."""
    try:
        written = orjson.dumps(_cleaned(evidence, 0))
    except (TypeError, ValueError, RecursionError):
        return {"left_out": "It cannot be kept as JSON."}
    if len(written) > MOST_EVIDENCE:
        return {"left_out": f"It has more than {MOST_EVIDENCE} bytes."}
    kept: dict[str, Any] = orjson.loads(written)
    return kept


def _cleaned(value: Any, depth: int) -> Any:
    if depth > 20:
        raise ValueError("nested too deeply")
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, Mapping):
        return {plain(str(name), 200): _cleaned(one, depth + 1) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_cleaned(one, depth + 1) for one in value]
    return value
