"""Two drafters of one question: how often the chart parser is right beside the planner, and what their agreeing tells.

They agree where both answer and their answers have the same rows. Of answers of the planner that it is sure of, it is
told how many are right where the chart agrees, and how many as many are right that the planner is surest of.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from benchmarks.quality.asking import (
    PLANNER,
    STRANGERS,
    Answer,
    Session,
    Verdict,
    asked,
    drafter_of,
    grouped,
    is_held_out,
    set_of,
    sets,
    share,
    table_of,
)
from resolvers.engines.answering.comparing import same_answer
from schema.talk2data.chat_settings import UNSURE

CHART: Final = "resolvers.engines.nl2sql.chart.drafter:ChartDrafter"


@dataclass(frozen=True, slots=True)
class Pair:
    """A question as both drafters answered it."""

    planner: Answer
    chart: Answer
    agree: bool
    """Whether both have an answer, of the same rows."""
    same_query: bool

    @property
    def both_answer(self) -> bool:
        """Whether both came to a query that runs."""
        return _answers(self.planner) and _answers(self.chart)

    @property
    def is_sure(self) -> bool:
        """Whether the planner answers without a warning."""
        return self.planner.confidence is not None and self.planner.confidence >= UNSURE


def _answers(answer: Answer) -> bool:
    return answer.confidence is not None


def _is_right(answer: Answer) -> bool:
    return answer.verdict is Verdict.RIGHT


def paired(session: Session, planner: Answer, chart: Answer) -> Pair:
    """Two answers of one question, compared by their rows."""
    same_query = planner.sql is not None and planner.sql == chart.sql
    agree = same_query and _answers(planner) and _answers(chart)
    if not agree and _answers(planner) and _answers(chart):
        rows = [session.rows_of(one.sql or "") for one in (planner, chart)]
        agree = rows[0] is not None and rows[1] is not None and same_answer(rows[0], rows[1])
    return Pair(planner, chart, agree, same_query)


def agreement_table(pairs: dict[str, list[Pair]]) -> Table:
    """How often both answer, agree, and who is right."""
    table = Table(title="Both drafters: where they agree, and who is right where they differ")
    heads = ("questions", "both answer", "agree", "same query", "right of agreeing", "differ", "planner right",
             "chart right", "only planner answers", "right", "only chart answers", "right")  # fmt: skip
    for head in ("", *heads):
        table.add_column(head, justify="left" if not head else "right")
    for name, of in pairs.items():
        both = [one for one in of if one.both_answer]
        agree, differ = [one for one in both if one.agree], [one for one in both if not one.agree]
        alone = [one for one in of if _answers(one.planner) and not _answers(one.chart)]
        other = [one for one in of if _answers(one.chart) and not _answers(one.planner)]
        told = [share(len(some), len(of)) for some in (both, agree, [one for one in agree if one.same_query])]
        told += [_right(agree), str(len(differ)), _right(differ), _right(differ, by_chart=True)]
        told += [str(len(alone)), _right(alone), str(len(other)), _right(other, by_chart=True)]
        table.add_row(name, str(len(of)), *told)
    return table


def _right(of: Sequence[Pair], *, by_chart: bool = False) -> str:
    return share(sum(_is_right(one.chart if by_chart else one.planner) for one in of), len(of))


def confidence_table(pairs: dict[str, list[Pair]]) -> Table:
    """What agreement adds to the planner's confidence, at equal coverage."""
    table = Table(title="Answers of the planner by its confidence and by agreement: how many, and how often right")
    kinds: dict[str, Callable[[Pair], bool]] = {
        "sure": lambda one: one.is_sure,
        "sure, agree": lambda one: one.is_sure and one.agree,
        "sure, differ": lambda one: one.is_sure and one.both_answer and not one.agree,
        "sure, no chart": lambda one: one.is_sure and not _answers(one.chart),
        "unsure": lambda one: not one.is_sure and _answers(one.planner),
        "unsure, agree": lambda one: not one.is_sure and one.agree,
    }
    for head in ("", *kinds, "as many surest as agree"):
        table.add_column(head, justify="left" if not head else "right")
    for name, of in pairs.items():
        told = []
        for holds in kinds.values():
            chosen = [one for one in of if holds(one)]
            told.append(f"{len(chosen)}: {_right(chosen)}")
        answered = sorted((one for one in of if _answers(one.planner)), key=lambda one: -(one.planner.confidence or 0))
        surest = answered[: sum(one.agree for one in of)]
        table.add_row(name, *told, f"{len(surest)}: {_right(surest)}")
    return table


def by_set(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    """The pairs by set, strangers' first; all at the end."""
    found: dict[str, list[Pair]] = {STRANGERS: []}
    for one in pairs:
        found.setdefault(set_of(one.planner.question), []).append(one)
    return {**{name: of for name, of in found.items() if of}, "all": list(pairs)}


def report(console: Console, *, folder: str | None = None, only: Sequence[str] = ()) -> None:
    """Measure both drafters on the questions that stand alone; print."""
    pairs: list[Pair] = []
    for loaded, questions in sets(None if folder is None else Path(folder), console, only):
        ready, alone = loaded.profiled(), [one for one in questions if not one.earlier]
        answers = [asyncio.run(asked(drafter_of(place), ready, alone)) for place in (PLANNER, CHART)]
        session = Session(drafter_of(CHART), ready)
        pairs += [paired(session, one, other) for one, other in zip(*answers, strict=True)]
    if not pairs:
        console.print("There is no database to ask.")
        return
    for drafter, of in (("planner", [one.planner for one in pairs]), ("chart", [one.chart for one in pairs])):
        console.print(table_of(f"Questions that stand alone: the {drafter}, by database", grouped(of, by_class=False)))
    charts = [one.chart for one in pairs]
    console.print(table_of("The chart, by class", grouped(charts, by_class=True)))
    for name, belongs in ((STRANGERS, lambda one: set_of(one) == STRANGERS), ("held out", is_held_out)):
        some = [one for one in charts if belongs(one.question)]
        if some and len(some) < len(charts):
            console.print(table_of(f"The chart, {name}, by class", grouped(some, by_class=True)))
    console.print(agreement_table(by_set(pairs)))
    console.print(confidence_table(by_set(pairs)))
