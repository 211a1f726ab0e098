"""What revenue is taken for where nobody has defined it: prices times quantities of the one table that has both, or
else the amounts of the one table of what happened, such as `ticket_sale.amount`.

It is tried only where a question cannot be answered otherwise, and an answer by it says what was assumed and is not
sure. A measure that people have noted under the name goes before.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from sqlglot import exp

from resolvers.engines.english.vocabulary import words as word_set
from resolvers.engines.nl2sql.mention import Linked
from resolvers.engines.nl2sql.model import ColumnKey, Knowledge, QueryDraft
from resolvers.engines.nl2sql.schema_linking.kinds import ColumnKind
from resolvers.engines.nl2sql.schema_linking.vocabulary import Vocabulary
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

SURE: Final = 0.6
"""How sure an answer is at most that rests on the assumption."""
_NAMES: Final = ("revenue", "sales", "turnover")
"""What the measure is called."""
_SAID: Final = frozenset(("revenue", "sale", "sales", "turnover"))
_DEEDS: Final = word_set("sell sold earn earned")
"""What is told by it where `how much` is asked."""
_SHARES: Final = word_set("share percent percentage proportion")
"""Shares of a measure are not planned."""
_PRICES: Final = word_set("price")
_QUANTITIES: Final = word_set("quantity qty")
_AMOUNTS: Final = word_set("amount total")
_ID: Final = "assumed-revenue"
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Revenue:
    """Describes what revenue is taken for."""

    factors: tuple[ColumnKey, ...]
    """The column that is added up, or the two whose products are."""
    name: str
    """What the table is called."""
    words: tuple[str, ...]
    """Words of the table's name, any of which may stand before: `ticket revenue`, of ticket sales."""

    @property
    def told(self) -> str:
        """Return how a reader is told what is added up."""
        return " times ".join(one.column for one in self.factors)

    @property
    def expression(self) -> str:
        """Return what a measure of it computes, as SQL."""
        return f"SUM({' * '.join(exp.column(one.column, quoted=True).sql() for one in self.factors)})"


def with_revenue(known: Knowledge, linked: Linked) -> Knowledge | None:
    """Return what is known with revenue as a measure; None where it is not asked for, or no table alone tells it."""
    said = {word for token in linked.tokens for word in (token.lemma, token.text.lower())}
    deeds = said & _DEEDS if {"how", "much"} <= said else set()
    if not (said & _SAID or deeds) or said & _SHARES:
        return None
    found = _revenue(known, said)
    if found is None:
        return None
    return replace(known, memories=(*known.memories, _measure(found, deeds)))


def said_so(draft: QueryDraft, known: Knowledge) -> QueryDraft | None:
    """A draft with the assumption that it rests on said; None where it rests on none, or is no answer without."""
    memory = next((one for one in known.memories if one.id == _ID), None)
    if memory is None or _ID not in draft.memories:
        return None
    told = f" Nobody has defined revenue; it is taken as {memory.content['told']}, added up."
    vocabulary = Vocabulary.of(known)
    if any("discount" in key.column.lower() for key in vocabulary.keys_of(memory.content["table"])):
        told += " Discounts are not taken off."
    return replace(
        draft,
        reading=draft.reading + told,
        confidence=min(SURE, draft.confidence),
        memories=tuple(one for one in draft.memories if one != _ID),
        evidence={**(draft.evidence or {}), "assumed": "revenue"},
    )


def _revenue(known: Knowledge, said: Collection[str]) -> Revenue | None:
    """Return what the only table tells that can: prices times quantities, or else amounts of what happened to other
    rows.
    """
    vocabulary = Vocabulary.of(known)
    products, amounts = [], []
    for table in known.tables:
        if not any(one.references for one in table.columns):
            continue
        numbers = [
            key
            for key in vocabulary.keys_of(table.fqn)
            if vocabulary.column_kind(key) is ColumnKind.NUMBER
            and not vocabulary.is_identifier(key)
            and key not in known.forbidden
        ]
        called = table.name, vocabulary.words(table.fqn)
        prices = [key for key in numbers if _PRICES & set(vocabulary.words(key))]
        quantities = [key for key in numbers if _QUANTITIES & set(vocabulary.words(key))]
        if len(prices) == 1 and len(quantities) == 1:
            products.append(Revenue((prices[0], quantities[0]), *called))
        whole = [key for key in numbers if _AMOUNTS & set(vocabulary.words(key)[-1:])]
        if len(whole) == 1 and any(vocabulary.column_kind(one).is_temporal for one in vocabulary.keys_of(table.fqn)):
            amounts.append(Revenue((whole[0],), *called))
    for found in (products, amounts):
        named = [one for one in found if (set(one.words) - _SAID) & set(said)] if len(found) > 1 else found
        if len(named) == 1:
            return named[0]
    return None


def _measure(revenue: Revenue, deeds: Iterable[str]) -> Memory:
    """The measure as people would note it."""
    return Memory(
        id=_ID, name=_NAMES[0], organization_id="", project_id="", context_pack_id="", version=1,
        content={
            "name": _NAMES[0],
            "synonyms": [
                *_NAMES[1:],
                *sorted(deeds),
                *(f"{word} {name}" for word in revenue.words if word not in _SAID for name in _NAMES),
            ],
            "expression": revenue.expression,
            "table": revenue.factors[0].table,
            "told": f"{revenue.told} of {revenue.name}",
        },
        memory_type=MemoryType.KPI, source=MemorySource(), classification=MemoryClassification(), meta_data={},
        quality=MemoryQuality(
            validation_status=ValidationStatus.UNVALIDATED, confidence_score=None, validated_by=None, validated_at=None
        ),
        access=MemoryAccess(count=0, last_accessed=None, success_count=0, failure_count=0, success_rate=None),
        status=MemoryStatus.ACTIVE, pinned=False, created_at=_NEVER, updated_at=_NEVER, asset_fqn=None,
        content_url=None, search_text=None, superseded_by=None, supersedes=None, pinned_at=None, unpinned_at=None,
        archived_at=None, deleted_at=None, superseded_at=None, reactivated_at=None, expires_at=None,
    )  # fmt: skip
