"""How an answer is shown beside its sentence: the chart that helps or was wished, and where its rows are had."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from resolvers.engines.answering.bare_keys import WHOLE_ROWS
from resolvers.engines.answering.charts import Undrawable, chart_as, chart_of, png_of, with_names
from resolvers.engines.answering.forms import AnswerForm
from resolvers.engines.answering.ranking import adds_up, grouped_by
from resolvers.engines.answering.shape import Rows
from resolvers.engines.chart_library import NoCharts
from resolvers.engines.english.grammar import listed
from resolvers.talk2data.answering.pipeline import AnswerOutcome
from resolvers.talk2data.answering.query_execution import QueryRun


@dataclass(frozen=True, slots=True)
class Drawing:
    """A chart, as a specification and as a picture where the library that draws is installed."""

    spec: dict[str, Any] | None = None
    picture: bytes | None = None
    notes: Sequence[str] = ()
    """What is told of it, such as why it is not the one that was wished."""


def drawing_of(found: AnswerOutcome, title: str) -> Drawing:
    """The chart that helps, or the one that was wished where the rows allow it."""
    assert found.ran is not None
    if found.form is AnswerForm.TABLE:
        return Drawing()
    spec, notes = _chart(found, found.ran, " ".join(title.split()))
    if spec is None:
        return Drawing(notes=notes)
    try:
        return Drawing(spec, png_of(spec), notes)
    except NoCharts:
        return Drawing(spec, None, notes)


def _chart(found: AnswerOutcome, ran: QueryRun, title: str) -> tuple[dict[str, Any] | None, list[str]]:
    answer, ordered = _drawn_of(ran, found)
    form = found.form
    if form is None or not form.is_chart:
        if found.draft is not None and found.draft.evidence.get(WHOLE_ROWS):
            return None, []
        return chart_of(answer, title, ordered=ordered), []
    try:
        spec = chart_as(answer, title, form, ordered=ordered, adds_up=_adds_up(found))
    except Undrawable as why:
        instead = chart_of(answer, title, ordered=ordered)
        other = "" if instead is None or form is AnswerForm.CHART else " It is drawn in another way instead."
        return instead, [f"This cannot be shown as {form.called}: {why}.{other}"]
    if form is AnswerForm.PIE and ran.limit == answer.total:
        return spec, [f"The slices are parts of these {answer.total} rows, not of all."]
    return spec, []


def _adds_up(found: AnswerOutcome) -> bool:
    """Return whether no figure of the answer is an average or an extreme."""
    if found.draft is None or found.ground is None or found.ran is None:
        return True
    return all(adds_up(found.draft.sql, found.ground.dialect, one) for one in found.ran.table.names)


def downloads_told(found: AnswerOutcome, downloads: Mapping[str, str]) -> list[str]:
    """Where the rows are had in the form of a file that was wished, or that they are not."""
    if found.ran is None or found.form is None or not found.form.is_file:
        return []
    had = [one for one in found.form.formats if one in downloads]
    if not had:
        names = [AnswerForm(one).called for one in downloads]
        instead = listed(names, len(names), last="or") if names else ""
        other = f" They can be had as {instead}." if instead else ""
        return [f"The rows cannot be had as {found.form.called}.{other}"]
    lines = [f"{AnswerForm(one).called}: {downloads[one]}" for one in had]
    return ["The rows are here. " + lines[0]] if len(lines) == 1 else ["The rows are here:\n" + "\n".join(lines)]


def rows_of(ran: QueryRun) -> Rows:
    """The rows as a sentence is made of them."""
    return Rows(tuple(ran.table.names), ran.rows, len(ran.rows), ran.table.truncated)


def _drawn_of(ran: QueryRun, found: AnswerOutcome) -> tuple[Rows, bool]:
    """The rows as they are drawn, without the columns that show no value; and whether their order is one to keep."""
    whole, ordered = rows_of(ran), ran.ordered
    if found.draft is not None and found.ground is not None:
        groups = grouped_by(found.draft.sql, found.ground.dialect)
        whole, ordered = with_names(whole, [one for one in groups if one < len(whole.columns)], ordered=ordered)
    if not ran.masked:
        return whole, ordered
    kept = [at for at in range(len(whole.columns)) if at not in ran.masked]
    rows = [tuple(row[at] for at in kept) for row in whole.rows]
    return Rows(tuple(whole.columns[at] for at in kept), rows, whole.total, whole.is_cut_off), ordered
