"""Defines how a figure goes on in time, where no span of time is said: month by month. And what is to be compared: two
things by the number of what they have.
"""

import re
from typing import Final

from resolvers.engines.nl2sql.language.degrees import degree_of

_BEHIND: Final = r"(?=\s*(?:[?.!,;]|$|(?:in|for|since|from|between|by|per|of)\b))"
_OVER: Final = re.compile(
    rf"(?:^|,? )(?:over|across|through) (?:the )?(time|years|months|weeks){_BEHIND}", re.IGNORECASE
)
_DEVELOPED: Final = re.compile(
    r"^how (?:did|does|do|has|have) (.+?) (?:develop|chang|evolv|var|go|grow|mov)(?:e|ed|y|ied|ne|n)?"
    r"(?=,? (?:over|across|through)\b)",
    re.IGNORECASE,
)
_SAID: Final = re.compile(
    r"\b(?:daily|weekly|monthly|quarterly|yearly|annual(?:ly)?"
    r"|(?:by|per|each|every) (?:day|week|month|quarter|year))\b",
    re.IGNORECASE,
)
_OF_ROWS: Final = re.compile(
    r"^\s*(?:which|who|whose|list|what are|(?:show|give|find) (?:me )?(?:all|the names?)\b)", re.I
)


def over_time(text: str) -> str:
    """A question with what `over time` asks for: `revenue over time` is told by month, `over the years` by year.

    Questions for rows are left as they are, and so is a span that is said: `monthly revenue over time`.
    """
    told = _DEVELOPED.sub(r"Show \1", text)
    found = _OVER.search(told)
    if found is None or _OF_ROWS.match(told):
        return text
    unit = found[1].lower()
    by = "" if _SAID.search(told) else f" by {'month' if unit == 'time' else unit.removesuffix('s')}"
    return (told[: found.start()] + by + told[found.end() :]).lstrip()


_COMPARE: Final = re.compile(r"^\s*(?:please )?compare (?=\S)", re.IGNORECASE)
_YEARS: Final = re.compile(
    r" (?:in|for|of|from|between) (\d{4}),? (?:and|vs\.?|versus|with|to) (\d{4})\b", re.IGNORECASE
)
_ACROSS: Final = re.compile(r" (?:across|among) (?:(?:all|the|different|our) )*(?=[a-z])", re.IGNORECASE)


def compared(text: str) -> str:
    """A question with what `compare` asks for: figures side by side, of two years by year, across things by each."""
    told = _COMPARE.sub("Show ", text, count=1)
    if told == text:
        return text
    if not _SAID.search(told):
        told = _YEARS.sub(r" by year in \1 and \2", told, count=1)
    return _ACROSS.sub(" by ", told, count=1)


_IN: Final = r"(?:in|from|for|by|with|at|on|during|of|among|to|into)"
_ONE: Final = r"(?:[A-Z0-9\"][\w.'-]*(?: (?:of|the|and|de) (?=[A-Z])| (?=[A-Z0-9])|(?=\W|$)))+"
"""A name in capitals, a year, or what stands in quotes."""
_ROWS: Final = r"(?:more|fewer|less) (?P<rows>[a-z][\w ]*?)"
_DO: Final = r"(?:[Dd]id|[Dd]oes|[Dd]o|[Hh]as|[Hh]ave|[Hh]ad)"
_BE: Final = r"(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Hh]ave|[Hh]ad)(?: there)?"
_WHO: Final = r"(?:[Ww]ho|[Ww]hat|[Ww]hich [\w ]+?)"
_THAN: Final = rf"than (?:(?:{_IN}|did|does) )?(?P<other>{_ONE})"
_MORE_OF: Final = tuple(
    map(
        re.compile,
        (
            rf"^{_DO} (?P<one>{_ONE}) (?:[a-z]+ ){{1,2}}{_ROWS} {_THAN}",
            rf"^{_DO} (?P<one>{_ONE}) or (?P<other>{_ONE}) (?:[a-z]+ ){{1,2}}{_ROWS}(?=[?.,]|$)",
            rf"^{_BE} {_ROWS} (?P<tie>{_IN}) (?P<one>{_ONE}) {_THAN}",
            rf"^{_WHO} (?:[a-z]+ ){{1,2}}{_ROWS}[,:]? (?P<one>{_ONE}),? or (?P<other>{_ONE})",
        ),
    )
)


_FIGURE: Final = re.compile(
    r"^(?:is|are|was|were) (?:the )?(?P<what>(?:average|mean|median|total|number of|share of|maximum|minimum)"
    rf" [\w ]+?) (?P<more>\w+) (?P<tie>{_IN}) (?P<one>[\w' -]+?),? (?:or|than) "
    rf"(?:{_IN} )?(?P<other>[\w' -]+?)\?(?: *(?:show|give|list|tell)[\w ]* both[\w ]*[.?]?)?$",
    re.IGNORECASE,
)
"""A figure of which it is asked for which of two it is greater."""


_HIGHER: Final = re.compile(
    r"^(?:which|who|what)(?: of (?:the|these) two)?(?: [\w ]+?)? (?:has|have|had) (?:the |an? )?(?P<more>\w+) "
    r"(?P<what>[\w ]+?)[,:] (?P<one>[\w' -]+?),? or (?P<other>[\w' -]+?)\?$",
    re.IGNORECASE,
)
"""The same, asked for which of two has it: `Which has the higher average budget, drama or comedy?`."""


def side_by_side(text: str) -> str:
    """A question which of two has more of something as the numbers of both: `Did Ann or Bob sell more boats?`."""
    figure = _FIGURE.match(text.strip())
    if figure is not None and degree_of(figure["more"]) is not None:
        return f"Show the {figure['what']} {_both(figure['tie'], figure['one'], figure['other'])}"
    for pattern in _MORE_OF:
        if (found := pattern.match(text)) is None:
            continue
        rows, one, other = (found[part].strip() for part in ("rows", "one", "other"))
        many = "number of " if any(word.endswith("s") for word in rows.split()) else ""
        return f"{many}{rows} {_both(found.groupdict().get('tie') or 'of', one, other)}{text[found.end() :]}"
    higher = _HIGHER.match(text.strip())
    degree = degree_of(higher["more"]) if higher is not None else None
    if higher is not None and degree is not None and degree.comparative:
        return f"Show the {higher['what']} {_both('of', higher['one'], higher['other'])}"
    return text


def _both(tie: str, one: str, other: str) -> str:
    """Two things of which each is told by itself; years by year."""
    years = re.fullmatch(r"\d{4}", one) and re.fullmatch(r"\d{4}", other)
    return f"per year in {one} and {other}" if years else f"{tie} {one} vs {other}"
