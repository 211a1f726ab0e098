"""The drafter that asks a language model: what it takes of answers, how candidates are voted, how it repairs."""

from typing import Any

import pytest

from resolvers.engines.nl2sql.model import (
    Clarification,
    DraftFailure,
    Interpretation,
    Outcome,
    QueryDraft,
    Unanswerable,
    no_lookup,
)
from resolvers.engines.nl2sql.model_drafter import MOST_CANDIDATES, CandidateRun, ModelDrafter, confidence_of
from resolvers.engines.nl2sql.prompting.answer import (
    CANNOT,
    READ,
    Cannot,
    ClarifyingQuestion,
    DraftedQuery,
    is_made_up,
    plain,
    read_answer,
)
from resolvers.engines.nl2sql.prompting.question import ContextWindow
from resolvers.talk2data.answering.drafting import linked_by
from resolvers.talk2data.answering.verified import VerifiedFirst
from schema.talk2data.language_model import ModelError, Said, Trouble, Usage
from tests.support.model_mind import Mind, answer, asked, by_name, known, memory

pytestmark = pytest.mark.anyio

SQL = "select count(*) from orders where status = 'open'"


async def drafted(mind: Mind, **given: Any) -> Outcome:
    """Return what the drafter makes of a question."""
    return await ModelDrafter(mind, by_name, **given).draft(asked(), known(), no_lookup)


class Runs:
    """Runs candidates: the result of each by its SQL, and what was run."""

    def __init__(self, **results: str | None) -> None:
        self.results = results
        self.ran: list[str] = []

    async def __call__(self, draft: QueryDraft) -> CandidateRun:
        """Run one."""
        self.ran.append(draft.sql)
        result = self.results[draft.sql]
        return CandidateRun(result, None if result else DraftFailure(draft, "tables", "No."))


async def test_a_query_becomes_a_draft_with_all_that_provenance_needs() -> None:
    mind = Mind(answer(SQL, reading="Orders that are open, counted.", notes=[2, 7, 0, -1]))
    knowledge = known(memories=[memory("m", "kpi", {"a": "b"}), memory("n", "kpi", {"a": "b"})])
    draft = await ModelDrafter(mind, by_name).draft(asked(), knowledge, no_lookup)
    assert isinstance(draft, QueryDraft)
    assert (draft.sql, draft.reading, draft.confidence) == (SQL, "Orders that are open, counted.", 0.75)
    assert (draft.drafter, draft.plan, draft.memories) == ("model/1", None, ("n",))
    assert len(draft.evidence.pop("prompt_hash")) == 64  # type: ignore[attr-defined]
    assert draft.evidence == {
        "model": "scripted/mind",
        "tables_told": ["shop.main.sales.orders", "shop.main.sales.customers", "shop.main.sales.products",
                        "shop.main.sales.salaries"],
        "tables_left_out": 0,
        "memories_told": ["m", "n"],
        "tokens": {"prompt": 100, "answer": 10, "is_estimate": False},
        "calls": 1,
    }  # fmt: skip
    (prompt,) = mind.prompts
    assert (prompt.temperature, prompt.seed, prompt.max_tokens) == (0.0, 0, 2000)


async def test_a_verified_query_answers_its_question_before_the_model_is_asked() -> None:
    mind = Mind(answer(SQL))
    drafter = VerifiedFirst(ModelDrafter(mind, linked_by), linked_by)
    says = {"question": "How many orders are open?", "sql": "select 7", "dialect": "postgres"}
    found = await drafter.draft(asked(), known(memories=[memory("m", "exemplar", says)], profiles={}), no_lookup)
    assert isinstance(found, QueryDraft)
    assert (found.sql.lower(), found.memories, found.evidence) == ("select 7", ("m",), {"example": says["question"]})
    assert found.reading == f"Answered by the verified query for the same question: “{says['question']}”."
    assert (mind.prompts, drafter.name) == ([], "model/1")
    unsure = {"validation_status": "unvalidated", "confidence_score": None, "validated_by": None, "validated_at": None}
    for memories in ([], [memory("m", "exemplar", says, quality=unsure)], [memory("m", "kpi", says)]):
        drafted = await drafter.draft(asked(), known(memories=memories, profiles={}), no_lookup)
        assert isinstance(drafted, QueryDraft)
        assert drafted.sql == SQL, "what nobody has validated is shown to the model, and no more"
    failed = DraftFailure(found, None, "No.")
    assert (await drafter.repair(asked(), known(profiles={}), [failed], no_lookup)) != found


async def test_the_model_may_ask_back() -> None:
    mind = Mind(answer(needs_clarification=True, readings=["Orders open now?", "Orders open last year?"]))
    outcome = await drafted(mind)
    assert isinstance(outcome, Clarification)
    assert outcome.readings == (Interpretation("Orders open now?"), Interpretation("Orders open last year?"))
    assert outcome.evidence["model"] == "scripted/mind"


async def test_the_model_may_say_that_the_data_cannot_answer() -> None:
    outcome = await drafted(Mind(answer(cannot="There is no table of weather.")))
    assert isinstance(outcome, Unanswerable)
    assert outcome.message == "There is no table of weather."


@pytest.mark.parametrize(
    "text",
    [
        "", "no", "[]", "7", "null", '"select 1"', "{", "{}", answer(), answer("  "), answer(" ; "),
        answer("select 1", cannot="No."), answer("select 1", needs_clarification=True), answer(cannot=" "),
        answer(needs_clarification=True), answer(needs_clarification=True, readings=["Only one?"]),
        answer(needs_clarification=True, readings=["Same?", "Same?", " Same? "]),
        answer(needs_clarification=True, readings=["See http://evil.test/a", "Other?"]),
        answer(7), answer("select 1", reading=7), answer("select 1", confidence=2), answer("select 1", confidence="1"),
        answer("select 1", more=1), answer("select 1", readings="a"), answer("select 1", needs_clarification=1),
        answer("select 1" + " " * 20_000 + "x"), answer("select 1", reading="x" * 4001), "[" * 50_000,
        answer("select 1").replace("null", "NaN"), answer("x") + answer("y"), "Sure: " + answer("select 1"),
        answer("select 1", readings=["a"] * 21), "x" * 200_000, answer("select 1", notes=["1"]),
        answer("x", notes=[1] * 101),
    ],
    ids=range(35),
)  # fmt: skip
async def test_an_answer_of_another_shape_is_asked_for_once_more_and_then_given_up(text: str) -> None:
    assert isinstance(read_answer(text, "1"), str)
    mind = Mind(text, answer(SQL))
    assert isinstance(await drafted(mind), QueryDraft)
    assert [prompt.seed for prompt in mind.prompts] == [0, 100]
    mind = Mind(text)
    with pytest.raises(ModelError, match="no answer that can be used") as caught:
        await drafted(mind)
    assert caught.value.trouble is Trouble.SHAPE
    assert len(mind.prompts) == 2


def test_an_answer_may_stand_in_a_fence_and_leave_out_what_is_null() -> None:
    assert read_answer('```json\n{"sql": "select 1;"}\n```', "") == DraftedQuery("select 1", READ, None)
    assert read_answer('{"sql": "select 1", "confidence": 1}', "") == DraftedQuery("select 1", READ, 1.0)
    assert read_answer('{"cannot": "It is not there."}', "") == Cannot("It is not there.")
    two = read_answer('{"needs_clarification": true, "readings": ["A or b?", "<b>", "C or d?"]}', "")
    assert two == ClarifyingQuestion(("A or b?", "C or d?"))


@pytest.mark.parametrize(
    "sentence",
    [
        "See [here](x)", "![](a)", "<img src=x>", "https://evil.example/x", "www.evil", "evil.com", "mailto:a",
        "javascript:a", "data:text", "{{7}}", "a|b", "`x```", "bell\x07", "a\u200bb", "a\u202eb", "//evil", "ftp:x/y",
        "There are 42 orders.", "x", "x" * 601,
    ],
)  # fmt: skip
def test_a_sentence_that_is_more_than_words_is_replaced(sentence: str) -> None:
    assert plain(sentence, "7") is None
    assert read_answer(answer("select 1", reading=sentence), "7") == DraftedQuery("select 1", READ, None)
    assert read_answer(answer(cannot=sentence), "7") == Cannot(CANNOT)


def test_a_sentence_may_have_the_figures_of_the_question_the_data_and_the_query() -> None:
    for sentence in ("The top 3 of 2024.", "More than 1,000.50 each", "It's the customers' orders, by month (all)."):
        assert plain(sentence, "top 3 in 2024, 1000.5") == sentence
    assert read_answer(answer("select 12", reading="Just 12."), "") == DraftedQuery("select 12", "Just 12.", None)


@pytest.mark.parametrize(
    ("stated", "votes", "sure"),
    [
        (None, None, 0.75), (0.4, None, 0.4), (0.99, None, 0.75), (None, (3, 3), 0.8571), (None, (2, 3), 0.7143),
        (None, (1, 3), 0.5714), (0.6, (3, 3), 0.6), (None, (5, 5), 0.8889), (0.0, (5, 5), 0.0),
    ],
)  # fmt: skip
def test_votes_make_it_sure_and_the_model_itself_can_only_make_it_less_so(
    stated: float | None, votes: tuple[int, int] | None, sure: float
) -> None:
    assert confidence_of(stated, votes) == sure


async def test_what_most_candidates_answer_with_wins_however_they_are_written() -> None:
    mind = Mind(answer("a"), answer("b"), answer("c"))
    run = Runs(a="1", b="2", c="2")
    draft = await drafted(mind, candidates=3, run=run)
    assert isinstance(draft, QueryDraft)
    assert (draft.sql, draft.confidence, draft.evidence["votes"]) == ("b", 0.7143, {"for": 2, "of": 3})
    assert draft.evidence["tokens"]["prompt"] == 300
    assert draft.evidence["calls"] == 3
    assert sorted(run.ran) == ["a", "b", "c"]
    assert [prompt.temperature for prompt in mind.prompts] == [0.0, 0.7, 0.7]
    assert [prompt.seed for prompt in mind.prompts] == [0, 1, 2]


async def test_equal_candidates_run_once() -> None:
    run = Runs(a="1")
    draft = await drafted(Mind(answer("a")), candidates=5, run=run)
    assert isinstance(draft, QueryDraft)
    assert (run.ran, draft.confidence) == (["a"], 0.8889)


async def test_candidates_that_the_guard_refuses_have_no_vote() -> None:
    run = Runs(a=None, b="2", c=None)
    draft = await drafted(Mind(answer("a"), answer("b"), answer("c")), candidates=3, run=run)
    assert isinstance(draft, QueryDraft)
    assert (draft.sql, draft.evidence["votes"]) == ("b", {"for": 1, "of": 3})


async def test_when_every_candidate_is_refused_the_first_is_left_to_be_repaired() -> None:
    draft = await drafted(Mind(answer("a"), answer("b")), candidates=2, run=Runs(a=None, b=None))
    assert isinstance(draft, QueryDraft)
    assert (draft.sql, draft.confidence) == ("a", 0.6667)


async def test_candidates_that_disagree_lead_to_a_question_back() -> None:
    says = [answer(name, reading=f"Read as {name} way.") for name in "abc"]
    outcome = await drafted(Mind(*says), candidates=3, run=Runs(a="1", b="2", c="3"))
    assert isinstance(outcome, Clarification)
    assert [one.text for one in outcome.readings] == ["Read as a way.", "Read as b way.", "Read as c way."]
    assert [one.sql for one in outcome.readings] == [None] * 3
    alike = await drafted(Mind(answer("a"), answer("b")), candidates=2, run=Runs(a="1", b="2"))
    assert isinstance(alike, QueryDraft), "readings that say the same are no choice"
    assert alike.confidence == 0.6667


async def test_most_candidates_may_ask_back_or_say_no() -> None:
    ask = answer(needs_clarification=True, readings=["One way?", "Other way?"])
    outcome = await drafted(Mind(answer("a"), ask, ask), candidates=3, run=Runs(a="1"))
    assert isinstance(outcome, Clarification)
    no = answer(cannot="It is not there.")
    assert isinstance(await drafted(Mind(answer("a"), no, no), candidates=3, run=Runs(a="1")), Unanswerable)
    assert isinstance(await drafted(Mind(answer("a"), answer("a"), no), candidates=3, run=Runs(a="1")), QueryDraft)


async def test_a_candidate_that_fails_is_left_out_and_all_failing_is_a_failure() -> None:
    busy = ModelError("The provider is busy.", Trouble.BUSY)
    draft = await drafted(Mind(busy, answer("a")), candidates=3, run=Runs(a="1"))
    assert isinstance(draft, QueryDraft)
    assert draft.evidence["votes"] == {"for": 2, "of": 2}
    with pytest.raises(ModelError, match="busy"):
        await drafted(Mind(busy), candidates=3, run=Runs())
    with pytest.raises(ModelError, match="busy"):
        await drafted(Mind(busy))
    with pytest.raises(ZeroDivisionError):
        await drafted(Mind(answer("a"), ZeroDivisionError()), candidates=2, run=Runs(a="1"))


async def test_the_number_of_candidates_is_bounded_and_needs_something_to_run_them() -> None:
    mind = Mind(answer("a"))
    await drafted(mind, candidates=100, run=Runs(a="1"))
    assert len(mind.prompts) == MOST_CANDIDATES
    mind = Mind(answer("a"))
    await drafted(mind, candidates=5)
    assert len(mind.prompts) == 1


async def test_a_window_that_is_smaller_than_thought_is_told_less() -> None:
    mind = Mind(ModelError("Too long.", Trouble.TOO_LONG), answer(SQL))
    assert isinstance(await drafted(mind, window=ContextWindow(3000, 500)), QueryDraft)
    first, second = (len(prompt.messages[1].content) for prompt in mind.prompts)
    assert second < first
    with pytest.raises(ModelError):
        await drafted(Mind(ModelError("Too long.", Trouble.TOO_LONG)))


@pytest.mark.parametrize(
    ("sql", "made_up"),
    [
        ("select 42 as orders from orders", True),
        ("select 'I cannot tell' as message", True),
        ("(select 42 from orders)", True),
        ("select id from orders union select 42", True),
        ("select 42 + 1 as a, 'x' as b from orders limit 1", True),
        ("select count(*) from orders", False),
        ("select * from orders", False),
        ("select 'open' as kind, count(*) from orders union all select 'all', count(*) from orders", False),
        ("select (select max(total) from orders) as most", False),
        ("with t as (select 1 as a from orders) select a from t", False),
        ("select row_number() over (order by id) from orders", False),
        ("select pg_read_file('/etc/passwd')", False),
        ("select 1 from orders; drop table orders", False),
        ("nonsense (", False),
        ("drop table orders", False),
    ],
)
async def test_an_answer_of_constants_is_made_up(sql: str, made_up: bool) -> None:
    assert is_made_up(sql, "duckdb") is made_up
    if made_up:
        assert isinstance(await drafted(Mind(answer(sql), answer(SQL))), QueryDraft)
        with pytest.raises(ModelError, match="come from no table"):
            await drafted(Mind(answer(sql)))


async def test_an_answer_that_ran_into_its_bound_says_so() -> None:
    class Short(Mind):
        async def ask(self, prompt: Any) -> Said:
            return Said('{"sql": "sel', Usage(1, 1), is_cut=True)

    with pytest.raises(ModelError, match="ran into its bound"):
        await drafted(Short(""))


async def test_a_repair_is_told_what_was_tried_and_why_it_failed() -> None:
    mind = Mind(answer("select count(*) from orders"))
    failures = [
        DraftFailure(
            QueryDraft(f"select nothing_{number}", "", 0.5, "model/1"), rule, f'column "nothing_{number}" is not there'
        )
        for number, rule in enumerate(("columns", None, None, None))
    ]
    outcome = await ModelDrafter(mind, by_name).repair(asked(), known(), failures, no_lookup)
    assert isinstance(outcome, QueryDraft)
    assert outcome.sql == "select count(*) from orders"
    assert "nothing_0" not in mind.told, "only the last failures are told"
    for number in (1, 2, 3):
        assert f'column \\"nothing_{number}\\" is not there' in mind.told


async def test_a_repair_that_changes_nothing_gives_up() -> None:
    failures = [DraftFailure(QueryDraft("select x", "", 0.5, "model/1"), None, "x")]
    outcome = await ModelDrafter(Mind(answer(" select x; ")), by_name).repair(asked(), known(), failures, no_lookup)
    assert isinstance(outcome, Unanswerable)
    assert outcome.evidence["calls"] == 1
