"""From a question to rows in plain steps: link, draft, guard, run, repair. Each is told as it begins.

A step that failed is mended at most twice, by a draft that knows why. What is found is told by `results.py`, kept by
`analyst.py`, and compared with an older answer by `talk2data/replay.py`.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from persistence.jobs.port import JobError
from resolvers.context import Context
from resolvers.engines.answering.bare_keys import WHOLE_ROWS, asks_for_keys, with_columns_beside
from resolvers.engines.answering.forms import AnswerForm
from resolvers.engines.answering.ranking import with_order_shown
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    ColumnKey,
    Drafter,
    DraftFailure,
    Interpretation,
    Outcome,
    QueryDraft,
    Unanswerable,
)
from resolvers.engines.sql_guard import GuardedQuery, QueryRefused
from resolvers.talk2data.answering.asides import OF_THE_ANSWER, aside_of
from resolvers.talk2data.answering.catalog_answers import told_of_catalog
from resolvers.talk2data.answering.catalog_context import Ground, NotThere, ground_of, likely, places_of
from resolvers.talk2data.answering.connection_choice import chosen
from resolvers.talk2data.answering.continuing import Conversation, back_of, words_of
from resolvers.talk2data.answering.drafting import drafter_of, modelled
from resolvers.talk2data.answering.evidence import (
    all_checked,
    as_of_now,
    bearing_columns,
    columns_of,
    examples_among,
    policy_warnings,
    quality_warnings,
    told_of_examples,
    too_poor,
    used_memories,
)
from resolvers.talk2data.answering.guarding import UNREADABLE, judged, told_of
from resolvers.talk2data.answering.last_answer import told_of_answer
from resolvers.talk2data.answering.pipeline_question import Begun, PipelineQuestion
from resolvers.talk2data.answering.port import AnswerEvent
from resolvers.talk2data.answering.query_execution import QueryRun, SourceFailed, run_query
from resolvers.talk2data.answering.respelling import respelled
from resolvers.talk2data.answering.restricted import masking_warnings, shown_by
from resolvers.talk2data.answering.sanitizing import LONGEST_SQL, distinct, heard, plain
from resolvers.talk2data.answering.value_lookup import Search
from resolvers.talk2data.answering.wishes import unwished
from schema.errors import Forbidden
from schema.identifiers import Fqn
from schema.talk2data.chat_settings import ChatSettings
from schema.talk2data.provenance import AnswerKind, FailedDraft, UsedMemory, UsedTable
from schema.talk2data.turn_event import TurnEventType
from schema.utils.memory import Memory

T = TypeVar("T")

LONGEST_QUOTED: Final = 120
"""How much of an earlier question is quoted."""

MOST_IN_THE_WAY: Final = 20
"""How many words are kept that a question could not be answered for."""

MOST_REPAIRS: Final = 2
"""How often a draft that failed is mended."""


@dataclass(slots=True)
class AnswerOutcome:
    """Holds what a question has come to."""

    kind: AnswerKind = AnswerKind.UNANSWERABLE
    message: str | None = None
    """What is told in the place of rows; None for an answer."""
    readings: Sequence[Interpretation] = ()
    row_counts: Sequence[int | None] = ()
    """What each reading would give, where it was counted."""
    drafter: str | None = None
    """Who drafted the readings."""
    ground: Ground | None = None
    draft: QueryDraft | None = None
    guarded: GuardedQuery | None = None
    ran: QueryRun | None = None
    failed: list[FailedDraft] = field(default_factory=list)
    rule: str | None = None
    """The rule of the guard that refused it."""
    tables: list[UsedTable] = field(default_factory=list)
    form: AnswerForm | None = None
    """The form that the answer is wished in."""
    warnings: list[str] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)

    @property
    def examples(self) -> list[Memory]:
        """The examples that the query follows."""
        if self.draft is None or self.ground is None:
            return []
        known = self.ground.memories
        return examples_among(known[id] for id in self.draft.memories if id in known)

    @property
    def verified(self) -> bool:
        """Return whether the query is one that a steward has validated, and not a draft."""
        copied = self.draft is not None and bool(self.draft.evidence.get("example"))
        return copied and bool(self.examples) and all_checked(self.examples)

    def ends(self, kind: AnswerKind, message: str, readings: Sequence[Interpretation] = ()) -> None:
        """End without rows."""
        self.kind, self.message, self.readings = kind, message, readings


class Work:
    """One question being worked on. `found` holds what it came to when `steps` has ended."""

    def __init__(
        self,
        ctx: Context,
        question: PipelineQuestion,
        settings: ChatSettings,
        begun: Begun | None = None,
    ) -> None:
        self._ctx, self.question, self._settings = ctx, question, settings
        self._begun = begun or question.reading
        self._whole: str | None = None
        """The whole question that the message makes of the one before it."""
        self.found = AnswerOutcome()
        if question.unread:
            self.found.warnings.append("Files and artifacts that come with a question are not read.")

    async def steps(self) -> AsyncGenerator[AnswerEvent, None]:
        """Work, and tell each step as it begins. Raises JobError, ApiError and ConnectorError."""
        found = self.found
        yield step("link", "Looking for the data that the question is about.")
        if (reply := self.question.reply) is not None:
            found.ends(reply.kind, reply.message, reply.readings)
            found.form = None if self.question.wish is None else self.question.wish.form
            return
        if (told := await self._told()) is not None:
            found.ends(AnswerKind.INFORMATION, told)
            return
        if (ground := await self._ground()) is None:
            return
        found.ground = ground
        if (unreadable := ground.policies.unreadable) is not None:
            await self._stopped(QueryRefused(UNREADABLE, unreadable))
            return
        failures: list[DraftFailure] = []
        async with Search(self._ctx, ground, self.question.task_id) as search:
            yield step("draft", f"Drafting a query on {ground.name}.", connection=ground.uri)
            drafter = await self._drafter(ground)
            found.drafter = drafter.name
            asked, outcome = await self._drafted(drafter, ground, search)
            while True:
                if not isinstance(outcome, QueryDraft):
                    self._without(outcome)
                    return
                found.draft = outcome
                yield step("guard", "Checking that the query may be run.")
                try:
                    guarded = found.guarded = judged(ground, outcome.sql)
                except QueryRefused as refused:
                    if refused.rule == UNREADABLE:
                        await self._stopped(refused)
                        return
                    failure = DraftFailure(outcome, refused.rule, refused.reason)
                else:
                    found.draft, guarded = self._with_more_shown(ground, outcome, guarded)
                    found.guarded = guarded
                    found.tables = await as_of_now(self._ctx, columns_of(guarded))
                    if (poor := too_poor(found.tables, self._settings)) is not None:
                        found.ends(AnswerKind.REFUSED, poor)
                        return
                    yield sql_told(ground, found.draft, guarded)
                    yield step("run", f"Running the query on {ground.name}.")
                    try:
                        found.ran = await run_query(self._ctx, ground, found.draft.sql, task_id=self.question.task_id)
                    except QueryRefused as refused:
                        failure = DraftFailure(outcome, refused.rule, refused.reason)
                    except Forbidden as forbidden:
                        found.ends(AnswerKind.REFUSED, forbidden.message)
                        return
                    except SourceFailed as problem:
                        if not problem.repairable:
                            raise JobError(problem.message) from None
                        failure = DraftFailure(outcome, None, problem.message)
                    else:
                        break
                failures.append(failure)
                found.failed.append(
                    FailedDraft(sql=plain(outcome.sql, LONGEST_SQL), rule=failure.rule, message=failure.message)
                )
                if len(found.failed) > MOST_REPAIRS or self.question.reading is not None:  # no other one was chosen
                    self._given_up(failure)
                    return
                yield step("repair", "The query cannot be used as it is. Looking for another one.", rule=failure.rule)
                repaired = await modelled(drafter.repair(asked, ground.knowledge, failures, search.lookup))
                outcome = self._noted(heard(repaired))
                if outcome in [one.draft for one in failures]:
                    self._given_up(failure)
                    return
        yield step("answer", "Putting the answer together.")
        self._answered()

    # --- where ------------------------------------------------------------------------------------------------

    async def _ground(self) -> Ground | None:
        """The connection to ask; None when there is none, or more than one."""
        question, found = self.question, self.found
        self._asked = question.text
        try:
            places = await places_of(self._ctx, question.names)
        except NotThere as refused:
            found.ends(AnswerKind.REFUSED, refused.message)
            return None
        if self._begun is not None:
            places = [one for one in places if one.uri == self._begun.uri] or places
        if not places:
            found.ends(
                AnswerKind.UNANSWERABLE,
                "There is no data here that you may ask about. Connect a data source and run service-ingestion on it, "
                "or ask an administrator for can_execute on a connection.",
            )
            return None
        last = self._last_uri()
        places = await likely(self._ctx, places, question.text, last)
        grounds = [await ground_of(self._ctx, place) for place in places]
        self.question = question = unwished(question, grounds)
        choice = await asyncio.to_thread(chosen, question.text, grounds, last, self._ctx.now())
        self._asked = choice.text
        if choice.ground is None:
            found.ends(AnswerKind.CLARIFICATION, choice.message, distinct(choice.readings))
            if question.wish is not None:
                found.evidence["form"] = question.wish.form.value
        return choice.ground

    def _last_uri(self) -> str | None:
        """The connection that the session has asked last."""
        question = self.question
        if question.last is not None and question.last.uri is not None:
            return question.last.uri
        return question.earlier[-1].provenance.resource_uri if question.earlier else None

    async def _told(self) -> str | None:
        """Return what is told without a query; None for a question to the data."""
        question = self.question
        aside = None if self._begun is not None or question.chosen is not None else aside_of(question.text)
        if aside is None:
            return None
        if aside.topic in OF_THE_ANSWER:
            return told_of_answer(aside.topic, question.earlier, question.last)
        try:
            places = await places_of(self._ctx, question.names)
        except NotThere:
            return None
        last = self._last_uri()
        read = await likely(self._ctx, places, question.text, last)
        grounds = [await ground_of(self._ctx, place) for place in read]
        if any(one.policies.unreadable is not None for one in grounds):
            return None
        uris = {one.uri for one in read}
        return await told_of_catalog(self._ctx, aside, grounds, [one.name for one in places if one.uri not in uris])

    async def _drafter(self, ground: Ground) -> Drafter:
        return await modelled(drafter_of(self._ctx, self._settings, ground, self.question.task_id))

    async def _drafted(self, drafter: Drafter, ground: Ground, search: Search) -> tuple[Asked, Outcome]:
        """The draft of the question as it was asked, or as it goes on from what came before it."""
        question, last = self.question, self.question.last
        back = None if last is None else back_of(last.kind, last.asked_back)
        before = Conversation(ground, question.earlier, back)
        if (unfinished := self._unfinished(ground)) is not None and last is not None:
            before.after(last.asked, unfinished)
        asked = Asked(self._asked, self._ctx.now(), before.exchanges)
        if self._begun is not None and self._begun.uri == ground.uri:
            self.found.failed = list(self._begun.failed)
            if self._begun.draft.evidence.get("asked") == question.maybe:
                self._whole = question.maybe
            return asked, self._noted(self._begun.draft)
        least = self._settings.unsure_below if question.is_guess else 0.0
        drafted = await before.drafted(drafter, asked, question.maybe, search.lookup, least=least)
        if drafted.asked.text == question.maybe:
            self._whole = question.maybe
        outcome = drafted.outcome
        if isinstance(outcome, Unanswerable):
            outcome = await respelled(drafter, drafted.asked, ground, outcome, search)
        outcome = self._noted(outcome)
        if isinstance(outcome, QueryDraft) and drafted.goes_on is not None:
            outcome = replace(outcome, evidence={**outcome.evidence, "goes_on": drafted.goes_on})
        return drafted.asked, outcome

    def _with_more_shown(
        self, ground: Ground, draft: QueryDraft, guarded: GuardedQuery
    ) -> tuple[QueryDraft, GuardedQuery]:
        """The draft with the figure that it orders by, or with what rows without a name tell, where the asker may see
        it; a checked query stays as it is.
        """
        if self.question.as_asked or draft.evidence.get("example"):
            return draft, guarded
        counted = None if draft.plan is None else draft.plan.orders_by_rows_of
        shown = with_order_shown(draft.sql, ground.dialect, ground.keys, counted and Fqn.parse(counted).parts[-1])
        noted = draft.evidence
        if shown is None and (shown := self._with_columns(ground, draft)) is not None:
            noted = {**noted, WHOLE_ROWS: True}
        if shown is None:
            return draft, guarded
        try:
            longer = judged(ground, shown)
        except QueryRefused:
            return draft, guarded
        more = longer.outputs[len(guarded.outputs) :]
        if any(one.masked or one.told & ground.restricted for one in more) or longer.applied != guarded.applied:
            return draft, guarded
        return replace(draft, sql=shown, evidence=noted), longer

    def _with_columns(self, ground: Ground, draft: QueryDraft) -> str | None:
        """The query with what else rows tell that have no name but a key, where no keys were asked for."""
        key = None if draft.plan is None else draft.plan.bare_key
        facts = None if key is None else next((one for one in ground.knowledge.tables if one.fqn == key.table), None)
        if key is None or facts is None or facts.primary_key != (key.column,):
            return None
        if asks_for_keys(f"{self.question.text} {draft.evidence.get('asked', '')}", key.column):
            return None
        known = ground.knowledge
        hidden = known.private | known.forbidden | ground.restricted
        columns = [
            one.name
            for one in facts.columns
            if one.name not in ground.keys and ColumnKey(facts.fqn, one.name) not in hidden
        ]
        return with_columns_beside(draft.sql, ground.dialect, key.column, columns)

    def _unfinished(self, ground: Ground) -> QueryDraft | None:
        """The query of the turn before, where it came to no answer and was for the same data."""
        standing = self.question.unfinished
        return standing.draft if standing is not None and standing.uri == ground.uri else None

    def _noted(self, outcome: Outcome) -> Outcome:
        """The outcome with the question that was understood, where the message does not say it itself."""
        question, noted = self.question, dict(outcome.evidence)
        if question.reading is not None and not question.is_repeated:
            asked: str | None = question.reading.draft.reading
        else:
            asked = self._whole or (question.text if question.rephrased or question.chosen is not None else None)
        if asked is not None:
            noted["asked"] = asked
        if question.wish is not None:
            noted["form"] = question.wish.form.value
        return replace(outcome, evidence=noted)

    # --- how it ends ------------------------------------------------------------------------------------------

    def _without(self, outcome: Clarification | Unanswerable) -> None:
        found = self.found
        found.draft = None
        found.evidence = dict(outcome.evidence)
        if isinstance(outcome, Unanswerable) and outcome.missing:
            found.evidence["missing"] = list(outcome.missing[:MOST_IN_THE_WAY])
        if isinstance(outcome, Unanswerable) and outcome.forbidden and found.ground is not None:
            found.evidence["forbidden"] = words_of(outcome.forbidden, found.ground.knowledge)[:MOST_IN_THE_WAY]
        if isinstance(outcome, Clarification):
            found.ends(AnswerKind.CLARIFICATION, outcome.message, outcome.readings)
        elif found.failed and found.failed[-1].rule is not None:
            last = found.failed[-1]
            found.rule = last.rule
            found.ends(AnswerKind.REFUSED, f"{last.message} (Rule: {last.rule}.)")
        elif found.failed and not outcome.forbidden:
            found.ends(AnswerKind.UNANSWERABLE, f"{found.failed[-1].message} No other way to answer was found.")
        else:
            kind = AnswerKind.REFUSED if outcome.forbidden else AnswerKind.UNANSWERABLE
            found.ends(kind, outcome.message)

    async def _stopped(self, refused: QueryRefused) -> None:
        """No other draft would change what the guard says."""
        found = self.found
        assert found.ground is not None
        found.draft, found.rule = None, refused.rule
        told = await told_of(self._ctx, found.ground.policies, refused)
        found.ends(AnswerKind.REFUSED, f"{told} (Rule: {refused.rule}.)")

    def _given_up(self, failure: DraftFailure) -> None:
        """No draft could be used: the guard's word is a refusal, the source's a failure of the turn."""
        if failure.rule is None:
            raise JobError(failure.message)
        self.found.rule = failure.rule
        self.found.ends(AnswerKind.REFUSED, f"{failure.message} (Rule: {failure.rule}.)")

    def _answered(self) -> None:
        found, settings = self.found, self._settings
        assert found.draft is not None
        assert found.ran is not None
        found.kind, found.evidence = AnswerKind.ANSWER, dict(found.draft.evidence)
        if (chosen := self.question.chosen) is not None:
            found.evidence["chosen"] = chosen
        found.form = self._form()
        unchecked = not all_checked(found.examples)
        if (goes_on := found.evidence.get("goes_on") or self._whole) is not None:
            how = "I took this for" if goes_on == self._whole else "This goes on from"
            found.warnings.append(f"{how} “{plain(goes_on, LONGEST_QUOTED)}”. I understood: {found.draft.reading}")
        elif (built_on := self._built_on(found.draft)) is not None:
            found.warnings.append(
                f"The question before this one has no answer, so this builds on “{built_on}”. "
                f"I understood: {found.draft.reading}"
            )
        elif found.draft.confidence < settings.unsure_below and not (unchecked and found.draft.evidence.get("example")):
            found.warnings.append(f"I am not sure that this is what you mean. I understood: {found.draft.reading}")
        if unchecked:
            found.warnings.append(told_of_examples(found.examples))
        if found.guarded is not None:
            found.warnings += policy_warnings(found.guarded, found.ground.policies.in_words if found.ground else 0)
            found.warnings += masking_warnings(found.guarded, found.ground.restricted if found.ground else ())
        bearing = bearing_columns(found.guarded) if found.guarded is not None else ()
        found.warnings += quality_warnings(found.tables, settings, bearing)

    def _form(self) -> AnswerForm | None:
        """The form that is wished: by the message, or by the question that it goes on from."""
        question = self.question
        if question.wish is not None:
            return question.wish.form
        goes_on = question.chosen or question.rephrased or self._whole or self.found.evidence.get("goes_on")
        return question.wished_before if goes_on else None

    def _built_on(self, draft: QueryDraft) -> str | None:
        """The question that a draft builds on, where one without an answer stands between; it may be another's."""
        here = [
            one
            for one in self.question.earlier
            if self.found.ground and one.provenance.resource_uri == self.found.ground.uri
        ]
        ground, last = self.found.ground, self.question.last
        builds = draft.evidence.get("follows") or self.question.is_repeated
        if not builds or not here or (ground is not None and self._unfinished(ground)):
            return None
        if last is not None and here[-1].position == last.position:
            return None
        return plain(here[-1].asked, LONGEST_QUOTED)


def step(name: str, message: str, **data: Any) -> AnswerEvent:
    """A step that begins."""
    return AnswerEvent(TurnEventType.TASK_UPDATE, {"message": message, "data": {"step": name} | data})


def sql_told(ground: Ground, draft: QueryDraft, guarded: GuardedQuery) -> AnswerEvent:
    """The query that is about to run."""
    memories = [ground.memories[id] for id in draft.memories if id in ground.memories]
    return AnswerEvent(
        TurnEventType.SQL,
        {
            "sql": guarded.shown(ground.dialect, pretty=True),
            "drafted": draft.sql,
            "dialect": ground.dialect,
            "drafter": draft.drafter,
            "confidence": draft.confidence,
            "reading": draft.reading,
            "memories": [one.model_dump() for one in used_memories(memories)],
            "applied": [one.model_dump() for one in applied_in(ground, guarded)],
        },
    )


def applied_in(ground: Ground, guarded: GuardedQuery) -> list[UsedMemory]:
    """The policies that changed a query, or judged it."""
    standing = ground.policies.memories
    applied = (*guarded.applied, *shown_by(guarded, ground.policies.shown))
    return used_memories(standing[id] for id in applied if id in standing)
