"""Defines how a figure goes on in time, where no span of time is said: month by month. And what is to be compared."""

import re
from typing import Final

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
