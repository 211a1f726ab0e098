"""Defines whether a chart helps to see an answer, which kind, and its drawing.

The kind follows from the shape of the answer alone: what its columns hold and how many rows it has; or it is the one
that was asked for, where the rows allow it. The chart is a Vega-Lite specification with its data inside, which any
viewer draws without fetching anything.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from heapq import nlargest
from math import isfinite
from typing import Any, Final

from resolvers.engines.answering.forms import AnswerForm
from resolvers.engines.answering.shape import Rows, names_things
from resolvers.engines.chart_library import renderer
from resolvers.engines.english.identifiers import tokens_of
from schema.data_readiness.profile import ValueKind

Spec = dict[str, Any]

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
FEWEST, MOST_BARS, MOST_POINTS, MOST_SERIES = 2, 40, 2000, 8
MOST_SLICES: Final = 10
"""Slices of a pie; of more groups the least ones are put together."""
OF_MANY: Final = 20
"""How many bars are drawn of an answer that has more than can be told apart."""
ENOUGH_FOR_A_CLOUD, ENOUGH_FOR_A_DISTRIBUTION = 5, 20
MOST_MONTHS, MOST_YEARS = 48, 40
"""How many months or years an axis may name one by one."""
LONGEST_LABEL: Final = 60
SHORTEST_ID: Final = 5
"""Letters that a word has at least that ends as `playerid` does; shorter ones are words such as paid or bid."""
LARGEST_EXACT: Final = 2**53
SCALE: Final = 2.0
"""Pixels of the picture for each of the specification's."""

_BAR: Final[Spec] = {"type": "bar", "cornerRadiusEnd": 2}
_CONFIG: Final[Spec] = {
    "background": "white",
    "font": "system-ui, sans-serif",
    "view": {"stroke": "transparent"},
    "axis": {"labelLimit": 240, "labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal"},
    "range": {"category": {"scheme": "tableau10"}},
    "mark": {"color": "#2f6db3"},
}


@dataclass(frozen=True, slots=True)
class _Roles:
    """Holds which columns of an answer, from 0, are what in a chart."""

    times: list[int]
    texts: list[int]
    figures: list[int]
    labels: list[int]
    """All that tells rows apart, in the order of the columns."""


def chart_of(answer: Rows, title: str, *, ordered: bool = True) -> Spec | None:
    """The chart of an answer; None when rows are read as easily. A cut-off answer has none: it would mislead.

    `ordered` says that the order of the rows was asked for, so that bars keep it.
    """
    if answer.is_cut_off or len(answer.rows) < answer.total or not FEWEST <= answer.total <= MOST_POINTS:
        return None
    roles = _roles(answer)
    times, texts, figures = roles.times, roles.texts, roles.figures
    made: Spec | None = None
    if len(times) == 1 and len(figures) == 1 and not texts and _is_ranking(answer, times[0], figures[0]):
        made = _ranking(answer, times[0], figures[0])
    elif len(times) == 1 and figures and len(texts) <= 1 and answer.total > FEWEST:
        made = _lines(answer, times[0], figures, texts)
    elif len(texts) == 1 and len(figures) == 1 and not times:
        made = _bars(answer, texts[0], figures[0], ordered=ordered)
    elif len(texts) == 2 and len(figures) == 1 and not times:
        made = _grouped(answer, texts, figures[0])
    elif len(figures) == 2 and not times and answer.total >= ENOUGH_FOR_A_CLOUD:
        made = _cloud(answer, figures, texts)
    elif len(answer.columns) == 1 and figures and answer.total >= ENOUGH_FOR_A_DISTRIBUTION:
        made = _distribution(answer, figures[0])
    if made is None:
        return None
    return {"$schema": SCHEMA, "title": _title(answer, made, title, ordered=ordered), "config": _CONFIG, **made}


def with_names(answer: Rows, groups: Collection[int], *, ordered: bool) -> tuple[Rows, bool]:
    """Return an answer whose numbers that rows were grouped by are names, and whether its order is one to keep.

    How many cylinders a car has tells cars apart; only what was measured of each group is an amount. Years stay
    moments, and numbers of which there are too many for bars stay numbers.
    """
    names = [
        index
        for index in groups
        if answer.kinds[index] is ValueKind.NUMBER
        and not _are_years(answer, index)
        and len(set(answer.values(index))) <= MOST_BARS
        and all(value == value and value % 1 == 0 for value in answer.values(index))
    ]
    if not names or len(names) == len(answer.columns):
        return answer, ordered
    rows = list(answer.rows)
    if not ordered:
        rows.sort(key=lambda row: tuple((row[index] is None, row[index] or 0) for index in names))
    told = [
        tuple(str(int(value)) if index in names and value is not None else value for index, value in enumerate(row))
        for row in rows
    ]
    return Rows(answer.columns, told, answer.total, answer.is_cut_off), True


class Undrawable(Exception):
    """The rows cannot be drawn as was asked. The text says why, as the end of a sentence."""


def chart_as(answer: Rows, title: str, form: AnswerForm, *, ordered: bool = True, adds_up: bool = True) -> Spec:
    """The chart of a kind that was asked for. Raises Undrawable.

    `adds_up` says that the figures are parts of a whole, as averages are not.
    """
    if answer.is_cut_off or len(answer.rows) < answer.total:
        raise Undrawable("there are more rows than were read, and a part that is taken for the whole would mislead")
    if answer.total < FEWEST:
        raise Undrawable("it takes two rows at least to be compared")
    if answer.total > MOST_POINTS:
        raise Undrawable(f"it has more than {MOST_POINTS:,} rows")
    if form is AnswerForm.CHART and (found := chart_of(answer, title, ordered=ordered)) is not None:
        return found
    roles = _roles(answer)
    if not roles.figures:
        raise Undrawable("no column of it holds figures")
    if form is AnswerForm.PIE and not adds_up:
        raise Undrawable("some of its figures are averages or extremes, which are no parts of a whole")
    made = _MADE[form](answer, roles, ordered=ordered)
    whole = _title(answer, made, title, ordered=ordered)
    return {"$schema": SCHEMA, "title": whole, "config": _CONFIG, **made}


def _as_bars(answer: Rows, roles: _Roles, *, ordered: bool) -> Spec:
    if len(roles.texts) == 2 and not roles.times:
        grouped = _grouped(answer, roles.texts, roles.figures[0])
        if grouped is not None:
            return grouped
    in_time = len(roles.labels) == 1 and bool(roles.times)
    made = _bars(_labelled(answer, roles), 0, 1, ordered=ordered or in_time)
    assert made is not None
    return made


def _as_pie(answer: Rows, roles: _Roles, *, ordered: bool) -> Spec:
    rows = _labelled(answer, roles)
    amounts = [0.0 if row[1] is None else _float(row[1]) for row in rows.rows]
    if any(one is None for one in amounts):
        raise Undrawable("one of its figures is no number that can be drawn")
    sizes = [one for one in amounts if one is not None]
    if min(sizes) < 0:
        raise Undrawable("some of its figures are below zero, which no slice can show")
    if not sum(sizes):
        raise Undrawable("its figures add up to nothing")
    pairs = [(row[0], size) for row, size in zip(rows.rows, sizes, strict=True)]
    if len(pairs) > MOST_SLICES:
        pairs.sort(key=lambda pair: -pair[1])
        left = pairs[MOST_SLICES - 1 :]
        pairs = [*pairs[: MOST_SLICES - 1], (f"{len(left)} others", sum(size for _, size in left))]
    return {
        "width": 320,
        "height": 320,
        "data": {"values": [{"c0": name, "c1": size, "at": at} for at, (name, size) in enumerate(pairs)]},
        "mark": {"type": "arc", "tooltip": True},
        "encoding": {
            "theta": {"field": "c1", "type": "quantitative", "stack": True, "title": rows.columns[1]},
            "color": {"field": "c0", "type": "nominal", "sort": None, "title": rows.columns[0]},
            "order": {"field": "at", "type": "quantitative"},
        },
    }


def _as_line(answer: Rows, roles: _Roles, *, ordered: bool) -> Spec:
    if not roles.times:
        raise Undrawable("a line goes along moments such as months or years, and no column of it holds any")
    if len(roles.texts) > 1:
        raise Undrawable("it has more than one column of names beside the moments")
    made = _lines(answer, roles.times[0], roles.figures[: 1 if roles.texts else None], roles.texts)
    if made is None:
        raise Undrawable(f"it would take more than {MOST_SERIES} lines")
    return made


def _as_cloud(answer: Rows, roles: _Roles, *, ordered: bool) -> Spec:
    if len(roles.figures) < 2:
        raise Undrawable("it takes two columns of figures, one for each direction")
    return _cloud(answer, roles.figures[:2], roles.texts)


def _as_distribution(answer: Rows, roles: _Roles, *, ordered: bool) -> Spec:
    return _distribution(answer, roles.figures[0])


_MADE: Final[dict[AnswerForm, Callable[..., Spec]]] = {
    AnswerForm.CHART: _as_bars,
    AnswerForm.BAR: _as_bars,
    AnswerForm.PIE: _as_pie,
    AnswerForm.LINE: _as_line,
    AnswerForm.SCATTER: _as_cloud,
    AnswerForm.HISTOGRAM: _as_distribution,
}


def _labelled(answer: Rows, roles: _Roles) -> Rows:
    """Return what tells the rows apart as one column of names, and the first figure beside it. Raises Undrawable."""
    if not roles.labels:
        raise Undrawable("no column of it holds names or moments to tell the figures apart by")
    cuts = {index: _cut(answer, index) for index in roles.times}
    names = [", ".join(_label(row[at], cuts.get(at)) for at in roles.labels) for row in answer.rows]
    if len(set(names)) < len(names):
        raise Undrawable("several of its rows have the same name")
    figure = roles.figures[0]
    rows = [(name, row[figure]) for name, row in zip(names, answer.rows, strict=True)]
    title = ", ".join(answer.columns[at] for at in roles.labels)
    return Rows((title, answer.columns[figure]), rows, answer.total)


def _label(value: Any, cut: int | None) -> str:
    return "(none)" if value is None else _short(str(_shown_moment(value))[:cut], LONGEST_LABEL)


def _cut(answer: Rows, time: int) -> int | None:
    """How many signs tell a moment: months and years are told by less than a day."""
    return {"month": len("2026-01"), "year": len("2026")}.get(_grain(answer, time) or "")


def png_of(spec: Spec) -> bytes:
    """The chart as a picture. Raises NoCharts when the library that draws is not installed."""
    # Nothing may be fetched while it is drawn: its data stands in the specification.
    picture: bytes = renderer().vegalite_to_png(spec, scale=SCALE, allowed_base_urls=[])
    return picture


def _title(answer: Rows, made: Spec, title: str, *, ordered: bool) -> str | Spec:
    """The title, and below it what is not drawn: a part that is taken for the whole would mislead."""
    text, drawn = _short(title, 120), len(made["data"]["values"])
    if drawn == answer.total or made["mark"] != _BAR:
        return text
    which = "first" if ordered else "greatest"
    return {
        "text": text,
        "subtitle": f"The {which} {drawn} of {answer.total:,}; {answer.total - drawn:,} are left out.",
    }


def _roles(answer: Rows) -> _Roles:
    numbers = _of(answer, ValueKind.NUMBER)
    times, texts = _of(answer, ValueKind.TEMPORAL), _of(answer, ValueKind.TEXT, ValueKind.BOOLEAN)
    times += [index for index in numbers if _are_years(answer, index)]
    figures = [index for index in numbers if index not in times and not _identifies(answer, index)]
    ids = [index for index in numbers if index not in times and index not in figures]
    return _Roles(times, texts, figures, sorted([*times, *texts, *ids]))


def _of(answer: Rows, *kinds: ValueKind) -> list[int]:
    return [index for index, kind in enumerate(answer.kinds) if kind in kinds]


def _are_years(answer: Rows, index: int) -> bool:
    """Return whether numbers are years that stand for time: the name says so, and each occurs in its order."""
    if "year" not in answer.columns[index].lower():
        return False
    values = answer.values(index)
    return bool(values) and all(value == int(value) and 1000 <= value <= 3000 for value in values)


def _identifies(answer: Rows, index: int) -> bool:
    """Return whether whole numbers only tell things apart: how they lie says nothing."""
    values = answer.values(index)
    if any(value != value or value % 1 for value in values):
        return False
    name = answer.columns[index]
    if names_things(name):
        return True
    word = next(reversed(tokens_of(name)), "")
    return word.endswith("id") and len(word) >= SHORTEST_ID and len(set(values)) == len(values)


def _is_ranking(answer: Rows, time: int, figure: int) -> bool:
    """Return whether rows are sorted by a figure and not by time, as the three best months are."""
    if not FEWEST < answer.total <= MOST_BARS:
        return False
    moments, values = ([row[index] for row in answer.rows] for index in (time, figure))
    if any(value is None or value != value for value in (*moments, *values)):
        return False
    stamps = [str(_plain(moment)) for moment in moments]
    return _in_order(values) and not _in_order(stamps) and len(set(stamps)) == len(stamps)


def _in_order(values: Sequence[Any]) -> bool:
    return any(list(values) == sorted(values, reverse=reverse) for reverse in (False, True))


def _ranking(answer: Rows, time: int, figure: int) -> Spec | None:
    """Bars in the order of the answer: a line would join moments that are no neighbours."""
    cut = _cut(answer, time)
    rows = [(str(_shown_moment(row[time]))[:cut], row[figure]) for row in answer.rows]
    return _bars(Rows((answer.columns[time], answer.columns[figure]), rows, answer.total), 0, 1, ordered=True)


def _shown_moment(value: Any) -> Any:
    return value.isoformat(sep=" ") if isinstance(value, datetime) else value


def _grain(answer: Rows, time: int) -> str | None:
    """Return whether every moment is the beginning of a year, or of a month."""
    stamps = [str(_plain(value)) for value in answer.values(time)]
    if stamps and all(stamp.endswith("-01-01T00:00:00Z") for stamp in stamps):
        return "year"
    return "month" if stamps and all(stamp.endswith("-01T00:00:00Z") for stamp in stamps) else None


def _axis(answer: Rows, time: int) -> Spec:
    """Months and years by their names, where they are few enough; else as the viewer sees fit."""
    grain, days = _grain(answer, time), [str(_plain(value))[:7] for value in answer.values(time)]
    if grain is None:
        return {}
    years = int(max(days)[:4]) - int(min(days)[:4])
    months = 12 * years + int(max(days)[5:]) - int(min(days)[5:])
    if grain == "year":
        return {"axis": {"format": "%Y", "tickCount": "year"}} if years < MOST_YEARS else {}
    return {"axis": {"format": "%b %Y", "tickCount": "month"}} if months < MOST_MONTHS else {}


def _lines(answer: Rows, time: int, figures: Sequence[int], texts: Sequence[int]) -> Spec | None:
    if texts:
        if len(figures) > 1 or len({row[texts[0]] for row in answer.rows}) > MOST_SERIES:
            return None
        series, drawn = answer.columns[texts[0]], figures
        values = _values(answer, [time, figures[0], texts[0]])
    else:
        drawn = list(figures)[:MOST_SERIES]
        series = None
        values = _values(answer, [time, *drawn])
    years = answer.kinds[time] is ValueKind.NUMBER
    x: Spec = {"field": f"c{time}", "type": "ordinal" if years else "temporal", "title": answer.columns[time]}
    if not years:
        x |= {"scale": {"type": "utc"}} | _axis(answer, time)  # else a day is the day before, west of Greenwich
    spec: Spec = {"width": 480, "height": 260, "data": {"values": values}}
    mark: Spec = {"type": "line", "point": answer.total <= MOST_BARS}
    if series is not None:
        y = _quantity(answer, figures[0])
        colour = {"field": f"c{texts[0]}", "type": "nominal", "title": series}
        return spec | {"mark": mark, "encoding": {"x": x, "y": y, "color": colour}}
    if len(drawn) == 1:
        return spec | {"mark": mark, "encoding": {"x": x, "y": _quantity(answer, drawn[0])}}
    names = {f"c{index}": answer.columns[index] for index in drawn}
    labels = "".join(f"datum.key === '{key}' ? {_text(name)} : " for key, name in names.items()) + "''"
    return spec | {
        "transform": [{"fold": list(names), "as": ["key", "value"]}, {"calculate": labels, "as": "figure"}],
        "mark": mark,
        "encoding": {
            "x": x,
            "y": {"field": "value", "type": "quantitative", "title": None},
            "color": {"field": "figure", "type": "nominal", "title": None},
        },
    }


def _bars(answer: Rows, label: int, figure: int, *, ordered: bool) -> Spec | None:
    names = [row[label] for row in answer.rows]
    if len(set(names)) < len(names):
        return None
    if len(names) > MOST_BARS:
        answer = Rows(answer.columns, _most(answer, figure, ordered=ordered), answer.total)
    return {
        "width": 420,
        "height": {"step": 22},
        "data": {"values": _values(answer, [label, figure])},
        "mark": _BAR,
        "encoding": {
            # In the order that was asked for; what came in none shows the greatest first.
            "y": {
                "field": f"c{label}",
                "type": "nominal",
                "sort": None if ordered else "-x",
                "title": answer.columns[label],
            },
            "x": _quantity(answer, figure),
        },
    }


def _most(answer: Rows, figure: int, *, ordered: bool) -> list[Sequence[Any]]:
    """The rows of which bars are drawn where there are too many: the first of what was ordered, else the greatest."""
    if ordered:
        return list(answer.rows[:OF_MANY])
    amounts = ((_float(row[figure]), row) for row in answer.rows if row[figure] is not None)
    found = [(amount, row) for amount, row in amounts if amount is not None]
    return [row for _, row in nlargest(OF_MANY, found, key=lambda pair: pair[0])]


def _grouped(answer: Rows, labels: Sequence[int], figure: int) -> Spec | None:
    """Bars side by side: bars on top of each other add up, and averages or shares have no sum."""
    if len(answer.rows) > 4 * MOST_BARS:
        return None
    few, many = sorted(labels, key=lambda index: len({row[index] for row in answer.rows}))
    if len({row[few] for row in answer.rows}) > MOST_SERIES or len({row[many] for row in answer.rows}) > MOST_BARS:
        return None
    if len({(row[few], row[many]) for row in answer.rows}) < len(answer.rows):
        return None
    return {
        "width": 420,
        "height": {"step": 11},
        "data": {"values": _values(answer, [few, many, figure])},
        "mark": "bar",
        "encoding": {
            "y": {"field": f"c{many}", "type": "nominal", "sort": None, "title": answer.columns[many]},
            "yOffset": {"field": f"c{few}", "type": "nominal"},
            "x": _quantity(answer, figure) | {"stack": None},
            "color": {"field": f"c{few}", "type": "nominal", "title": answer.columns[few]},
        },
    }


def _cloud(answer: Rows, figures: Sequence[int], texts: Sequence[int]) -> Spec:
    across, up = figures
    return {
        "width": 380,
        "height": 300,
        "data": {"values": _values(answer, [*figures, *texts[:1]])},
        "mark": {"type": "point", "filled": True, "opacity": 0.7},
        "encoding": {
            "x": _quantity(answer, across) | {"scale": {"zero": False}},
            "y": _quantity(answer, up) | {"scale": {"zero": False}},
            **({"tooltip": {"field": f"c{texts[0]}", "type": "nominal"}} if texts else {}),
        },
    }


def _distribution(answer: Rows, figure: int) -> Spec:
    return {
        "width": 420,
        "height": 240,
        "data": {"values": _values(answer, [figure])},
        "mark": "bar",
        "encoding": {
            "x": {
                "field": f"c{figure}",
                "bin": {"maxbins": 24},
                "type": "quantitative",
                "title": answer.columns[figure],
            },
            "y": {"aggregate": "count", "title": "rows"},
        },
    }


def _quantity(answer: Rows, index: int) -> Spec:
    return {"field": f"c{index}", "type": "quantitative", "title": answer.columns[index]}


def _values(answer: Rows, indices: Sequence[int]) -> list[Spec]:
    """The rows as the specification holds them; fields have plain names, as names of columns may hold any sign."""
    return [{f"c{index}": _plain(row[index]) for index in indices} for row in answer.rows]


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal | float):
        return _float(value)
    if isinstance(value, datetime):
        moment = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        return f"{moment.isoformat()}Z"
    if isinstance(value, date):
        return f"{value.isoformat()}T00:00:00Z"
    if isinstance(value, int) and abs(value) > LARGEST_EXACT:
        return _float(value)
    if isinstance(value, str):
        return _short(value, LONGEST_LABEL)
    return value


def _float(value: Decimal | float) -> float | None:
    """The nearest number that JSON and a viewer can hold; None when there is none."""
    try:
        number = float(value)
    except (OverflowError, ValueError):  # an int beyond all floats, a signalling NaN
        return None
    return number if isfinite(number) else None


def _text(name: str) -> str:
    """A name as a string of the specification's expressions."""
    return "'" + "".join(sign if sign.isalnum() or sign in " _-.()%" else " " for sign in name) + "'"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
