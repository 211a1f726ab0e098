"""The drafter that asks a language model. Several candidates can be drafted; what most of them answer with wins.

Everything that it brings back is hostile until the guard has passed it: here nothing is run but by `run`, which whoever
makes the drafter gives, and which guards first.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from resolvers.engines.nl2sql.mention import Linked
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    DraftFailure,
    Interpretation,
    Knowledge,
    Lookup,
    Outcome,
    QueryDraft,
    Unanswerable,
)
from resolvers.engines.nl2sql.prompting.answer import (
    MADE_UP,
    Cannot,
    ClarifyingQuestion,
    DraftedQuery,
    is_made_up,
    read_answer,
)
from resolvers.engines.nl2sql.prompting.question import ContextWindow, Questioned, question_of
from schema.talk2data.language_model import LanguageModel, ModelError, Prompt, Said, Trouble, Usage

NAME: Final = "model/1"
MOST_CANDIDATES: Final = 7
ATTEMPTS: Final = 2
"""How often a candidate is asked for when the answer cannot be read."""
MOST_TABLES_NOTED: Final = 100
"""How many of the tables that a model was told are named in the evidence."""
WARM: Final = 0.7
"""The temperature of candidates beyond the first, which differ from it by chance alone."""
_PRIOR: Final = (3.0, 4.0)
"""Before anything is voted, three of four drafts are taken to be right, as models do on plain questions."""

Link = Callable[[Asked, Knowledge, Lookup], Linked]
"""Finds what the words of a question may stand for; may block, since it may look values up."""


@dataclass(frozen=True, slots=True)
class CandidateRun:
    """Holds what came of running a candidate: the hash of its result, or why there is none."""

    result: str | None
    failure: DraftFailure | None = None


Run = Callable[[QueryDraft], Awaitable[CandidateRun]]
"""Guards a draft, runs what the guard made of it, and answers the hash of the result."""


@dataclass(slots=True)
class _Spent:
    usage: Usage = field(default_factory=lambda: Usage(0, 0))
    calls: int = 0


@dataclass(frozen=True, slots=True)
class _Candidate:
    answer: DraftedQuery | ClarifyingQuestion | Cannot
    questioned: Questioned


class ModelDrafter:
    """Drafts with a language model. Raises ModelError when the model does not answer, or not with what can be read."""

    def __init__(
        self,
        model: LanguageModel,
        link: Link,
        *,
        window: ContextWindow | None = None,
        candidates: int = 1,
        run: Run | None = None,
    ) -> None:
        self.name = NAME
        self._model, self._link, self._window, self._run = model, link, window or ContextWindow(), run
        self._candidates = max(1, min(candidates, MOST_CANDIDATES)) if run is not None else 1

    async def draft(self, asked: Asked, known: Knowledge, lookup: Lookup) -> Outcome:
        """The best way to answer."""
        linked = await asyncio.to_thread(self._link, asked, known, lookup)
        spent = _Spent()
        found = await self._drafted(asked, known, linked, spent)
        if self._candidates == 1 or self._run is None:
            return self._outcome(found[0], spent, None)
        return await self._voted(found, self._run, spent)

    async def repair(self, asked: Asked, known: Knowledge, failures: Sequence[DraftFailure], lookup: Lookup) -> Outcome:
        """Another way, after those that failed."""
        linked = await asyncio.to_thread(self._link, asked, known, lookup)
        spent = _Spent()
        first = await self._question(asked, known, linked, self._window, failures)
        candidate = await self._asked(asked, known, linked, spent, first, failures=failures)
        tried = {one.draft.sql.strip() for one in failures}
        if isinstance(candidate.answer, DraftedQuery) and candidate.answer.sql in tried:
            return Unanswerable(
                "No query was found that can be run. Ask in other words, or for less.",
                evidence=self._evidence(candidate, spent),
            )
        return self._outcome(candidate, spent, None)

    async def _drafted(self, asked: Asked, known: Knowledge, linked: Linked, spent: _Spent) -> list[_Candidate]:
        """The candidates that could be had. Raises ModelError when there is none."""

        first = await self._question(asked, known, linked, self._window)

        def one(number: int) -> Awaitable[_Candidate]:
            return self._asked(asked, known, linked, spent, first, temperature=WARM if number else 0.0, seed=number)

        drafts = await asyncio.gather(*map(one, range(self._candidates)), return_exceptions=True)
        found = [draft for draft in drafts if isinstance(draft, _Candidate)]
        for draft in drafts:
            if isinstance(draft, BaseException) and (not found or not isinstance(draft, ModelError)):
                raise draft
        return found

    async def _asked(
        self,
        asked: Asked,
        known: Knowledge,
        linked: Linked,
        spent: _Spent,
        questioned: Questioned,
        *,
        failures: Sequence[DraftFailure] = (),
        temperature: float = 0.0,
        seed: int = 0,
    ) -> _Candidate:
        """One answer that can be read. Raises ModelError."""
        window, why = self._window, ""
        for attempt in range(ATTEMPTS):
            prompt = replace(questioned.prompt, temperature=temperature, seed=seed + 100 * attempt)
            try:
                said = await self._said(prompt, spent)
            except ModelError as failure:
                if failure.trouble is not Trouble.TOO_LONG or attempt == ATTEMPTS - 1:
                    raise
                # The window is smaller than was thought: tell less.
                window = replace(window, tokens=window.tokens // 2)
                questioned = await self._question(asked, known, linked, window, failures)
                continue
            answer = read_answer(said.text, questioned.said)
            if isinstance(answer, DraftedQuery) and is_made_up(answer.sql, known.dialect):
                answer = MADE_UP
            if not isinstance(answer, str):
                return _Candidate(answer, questioned)
            why = "The answer ran into its bound." if said.is_cut else answer
        raise ModelError(f"The language model gave no answer that can be used. {why}", Trouble.SHAPE)

    async def _question(
        self,
        asked: Asked,
        known: Knowledge,
        linked: Linked,
        window: ContextWindow,
        failures: Sequence[DraftFailure] = (),
    ) -> Questioned:
        """Return what to ask. To choose among many tables takes a while, so it is done off the event loop."""
        return await asyncio.to_thread(question_of, asked, known, linked, window=window, failures=failures)

    async def _said(self, prompt: Prompt, spent: _Spent) -> Said:
        said = await self._model.ask(prompt)
        spent.usage, spent.calls = spent.usage + said.usage, spent.calls + said.attempts
        return said

    async def _voted(self, found: Sequence[_Candidate], run: Run, spent: _Spent) -> Outcome:
        """Return what most candidates answer with. Queries are the same when their results are, however they are
        written.
        """
        groups: dict[str, list[_Candidate]] = {}
        results: dict[str, CandidateRun] = {}
        refused: list[_Candidate] = []
        for candidate in found:
            if isinstance(candidate.answer, DraftedQuery):
                sql = candidate.answer.sql
                if sql not in results:
                    results[sql] = await run(self._draft_of(candidate, spent, None))
                if (result := results[sql].result) is None:
                    refused.append(candidate)
                    continue
                groups.setdefault(f"result {result}", []).append(candidate)
            else:
                groups.setdefault(type(candidate.answer).__name__, []).append(candidate)
        if not groups:  # let the guard or the source say why, so that it can be repaired
            return self._outcome(refused[0], spent, (1, len(found)))
        # The first of equals is the coolest candidate.
        best = max(groups.values(), key=len)
        queries = [group for key, group in groups.items() if key.startswith("result ")]
        if isinstance(best[0].answer, DraftedQuery) and 2 * len(best) <= len(found) and len(queries) > 1:
            readings = tuple(
                dict.fromkeys(one[0].answer.reading for one in queries if isinstance(one[0].answer, DraftedQuery))
            )
            if len(readings) > 1:
                return Clarification(
                    "The question can be understood in several ways. Which one is meant?",
                    tuple(Interpretation(text) for text in readings[:5]),
                    self._evidence(best[0], spent, (len(best), len(found))),
                )
        return self._outcome(best[0], spent, (len(best), len(found)))

    def _outcome(self, candidate: _Candidate, spent: _Spent, votes: tuple[int, int] | None) -> Outcome:
        answer = candidate.answer
        if isinstance(answer, DraftedQuery):
            return self._draft_of(candidate, spent, votes)
        evidence = self._evidence(candidate, spent, votes)
        if isinstance(answer, ClarifyingQuestion):
            readings = tuple(Interpretation(text) for text in answer.readings)
            return Clarification(
                "The question can be understood in several ways. Which one is meant?", readings, evidence
            )
        return Unanswerable(answer.message, evidence=evidence)

    def _draft_of(self, candidate: _Candidate, spent: _Spent, votes: tuple[int, int] | None) -> QueryDraft:
        answer = candidate.answer
        assert isinstance(answer, DraftedQuery)
        told = candidate.questioned.fitted.memories
        return QueryDraft(
            answer.sql,
            answer.reading,
            confidence_of(answer.confidence, votes),
            NAME,
            memories=tuple(id_ for number, id_ in enumerate(told, 1) if number in answer.notes),
            evidence=self._evidence(candidate, spent, votes),
        )

    def _evidence(self, candidate: _Candidate, spent: _Spent, votes: tuple[int, int] | None = None) -> dict[str, Any]:
        questioned = candidate.questioned
        told: dict[str, Any] = {
            "model": self._model.name,
            "prompt_hash": questioned.hash,
            "tables_told": list(questioned.fitted.fqns[:MOST_TABLES_NOTED]),
            "tables_left_out": questioned.fitted.left_out,
            "memories_told": list(questioned.fitted.memories),
            "tokens": {
                "prompt": spent.usage.prompt_tokens,
                "answer": spent.usage.answer_tokens,
                "is_estimate": spent.usage.is_estimate,
            },
            "calls": spent.calls,
        }
        if votes is not None:
            told["votes"] = {"for": votes[0], "of": votes[1]}
        return told


def confidence_of(stated: float | None, votes: tuple[int, int] | None) -> float:
    """Return how likely a draft is right: by the share of candidates that agree, and never more than the model itself
    says.

    Without a vote that share is unknown and the prior stands.
    """
    right, of = _PRIOR
    if votes is not None:
        right, of = right + votes[0], of + votes[1]
    sure = right / of
    return round(min(sure, stated) if stated is not None else sure, 4)
