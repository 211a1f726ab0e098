"""Drafting a question with what came before it in its session: the answers, and the turn before it whatever it came to.

A query that came to no answer is built on as one that did. Of a question back each reading is: where they lead to one
query it is the answer, and where they do not the readings are offered again, each with what the message adds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from persistence.queries.chat_provenance import AskedBack, EarlierAnswer
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    ColumnKey,
    Drafter,
    Exchange,
    Interpretation,
    Knowledge,
    Lookup,
    Outcome,
    QueryDraft,
)
from resolvers.engines.nl2sql.paraphrase import called
from resolvers.engines.nl2sql.stored import restored
from resolvers.talk2data.answering.catalog_context import Ground
from resolvers.talk2data.answering.drafting import modelled
from resolvers.talk2data.answering.sanitizing import distinct, heard
from schema.talk2data.provenance import AnswerKind

MOST_REFINED: Final = 4
"""How many readings of a question back a message is tried with."""


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a drafter has said, and to which question."""

    asked: Asked
    outcome: Outcome
    goes_on: str | None = None
    """The question back that it goes on from."""


class Conversation:
    """What came before a question, as far as it concerns one connection."""

    def __init__(self, ground: Ground, earlier: Sequence[EarlierAnswer], back: AskedBack | None) -> None:
        self._ground, self._back = ground, back
        self.exchanges = _exchanges(earlier, ground)

    def after(self, question: str, draft: QueryDraft) -> None:
        """Take in a query that came to no answer, as the last one."""
        exchange = Exchange(question, draft.sql, draft.plan, confidence=draft.confidence, memories=draft.memories)
        self.exchanges = (*self.exchanges, exchange)

    async def drafted(
        self, drafter: Drafter, asked: Asked, maybe: str | None, lookup: Lookup, *, least: float = 0.0
    ) -> Drafted:
        """The best way to answer. `maybe` is a question that counts when it can be answered, at least so surely."""
        known = self._ground.knowledge
        if maybe is not None:
            whole = replace(asked, text=maybe)
            outcome = heard(await modelled(drafter.draft(whole, known, lookup)))
            if isinstance(outcome, QueryDraft) and outcome.confidence >= least:
                return Drafted(whole, outcome)
        if self._back is not None and (refined := await self._refined(drafter, asked, self._back, lookup)) is not None:
            return Drafted(asked, refined, self._back.text)
        return Drafted(asked, heard(await modelled(drafter.draft(asked, known, lookup))))

    async def _refined(self, drafter: Drafter, asked: Asked, back: AskedBack, lookup: Lookup) -> Outcome | None:
        """The readings of a question back with what the message adds; None when it stands alone."""
        found: dict[str, QueryDraft] = {}
        readings = [one for one in back.readings if one["uri"] == self._ground.uri and one["plan"] is not None]
        for one in readings[:MOST_REFINED]:
            exchange = _of_reading(back.text, one)
            after = replace(asked, earlier=(*asked.earlier, exchange))
            outcome = heard(await modelled(drafter.draft(after, self._ground.knowledge, lookup)))
            if not isinstance(outcome, QueryDraft) or not outcome.evidence.get("follows"):
                return None
            found.setdefault(outcome.sql, outcome)
        drafts = list(found.values())
        offered = distinct([Interpretation(one.reading, one.sql, one.plan, one.memories) for one in drafts])
        if len(offered) > 1:
            return Clarification("It can still be understood in several ways. Which is meant?", offered)
        return drafts[0] if drafts else None


def _of_reading(question: str, kept: dict[str, Any]) -> Exchange:
    return Exchange(question, kept["sql"], restored(kept["plan"]), memories=tuple(kept["memories"]))


def words_of(forbidden: Iterable[ColumnKey], known: Knowledge) -> list[str]:
    """Return what a question may call columns that it must not ask for."""
    names = [name for key in forbidden for name in (called(known, key.table, key.column), key.column)]
    return list(dict.fromkeys(names))


def back_of(kind: AnswerKind | None, back: AskedBack | None) -> AskedBack | None:
    """The question back, where the turn before is one."""
    return back if kind is AnswerKind.CLARIFICATION else None


def _exchanges(earlier: Sequence[EarlierAnswer], ground: Ground) -> tuple[Exchange, ...]:
    """The earlier answers from the same connection. Rows that hold what may be quoted nowhere are left out."""
    hidden = ground.knowledge.private | ground.knowledge.forbidden
    made = []
    for one in earlier:
        if one.provenance.resource_uri != ground.uri or one.provenance.sql_drafted is None:
            continue
        used = {ColumnKey(table.fqn, column.name) for table in one.provenance.tables for column in table.columns}
        rows = () if used & hidden else tuple(tuple(row) for row in one.result.get("rows", ()))
        made.append(
            Exchange(
                question=one.asked,
                sql=one.provenance.sql_drafted,
                plan=restored(one.provenance.plan),
                columns=tuple(column["name"] for column in one.result.get("columns", ())),
                rows=rows,
                confidence=one.provenance.confidence,
                memories=tuple(memory.id for memory in one.provenance.memories),
            )
        )
    return tuple(made)
