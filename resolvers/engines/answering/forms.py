"""Defines which form an answer is wished in, and how a message says so: "as a pie chart", "export it to Excel".

The wish is taken out of the message, so that what is left asks the data alone. A message that is nothing but a wish is
about the answer before it.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from schema.assets.artifact import TableFormat

LONGEST: Final = 2000
"""Signs of a message that is looked at; nobody says a wish at the end of a longer one."""


class AnswerForm(StrEnum):
    """A form that an answer can be wished in."""

    CHART = "chart"
    BAR = "bar"
    LINE = "line"
    PIE = "pie"
    SCATTER = "scatter"
    HISTOGRAM = "histogram"
    TABLE = "table"
    """Rows alone, without a chart."""
    FILE = "file"
    """The rows to be had as a file, whichever."""
    CSV = "csv"
    XLSX = "xlsx"
    JSON = "json"
    PARQUET = "parquet"

    @property
    def is_chart(self) -> bool:
        """Return whether it is a drawing."""
        return self in _CALLED

    @property
    def is_file(self) -> bool:
        """Return whether the rows are wished as a file."""
        return self is AnswerForm.FILE or self in _FORMATS

    @property
    def called(self) -> str:
        """The form as a sentence names it, with its article."""
        return _CALLED.get(self) or _CALLED_ELSE.get(self) or self.upper()

    @property
    def formats(self) -> tuple[TableFormat, ...]:
        """The formats of tables that are wished."""
        return tuple(TableFormat) if self is AnswerForm.FILE else tuple(one for one in TableFormat if one == self.value)


_CALLED: Final = {
    AnswerForm.CHART: "a chart",
    AnswerForm.BAR: "a bar chart",
    AnswerForm.LINE: "a line chart",
    AnswerForm.PIE: "a pie chart",
    AnswerForm.SCATTER: "a scatter plot",
    AnswerForm.HISTOGRAM: "a histogram",
}
_CALLED_ELSE: Final = {AnswerForm.TABLE: "a table", AnswerForm.FILE: "a file", AnswerForm.PARQUET: "Parquet"}
_FORMATS: Final = (AnswerForm.CSV, AnswerForm.XLSX, AnswerForm.JSON, AnswerForm.PARQUET)


@dataclass(frozen=True, slots=True)
class FormWish:
    """Holds the form that a message wishes, and what else it says."""

    form: AnswerForm
    rest: str | None = None
    """The message without the wish; None when it says nothing else."""
    words: str = ""
    """The words that name the form."""
    is_certain: bool = True
    """Whether they can hardly be the data's own; otherwise they count where the data have no such name or value."""


_DRAWN: Final = r"(?:chart|graph|plot|diagram)"
_NAMED: Final[tuple[tuple[AnswerForm, bool, str], ...]] = (
    (AnswerForm.PIE, True, rf"(?:pie|donut|doughnut)[- ]?{_DRAWN}"),
    (AnswerForm.BAR, True, rf"(?:(?:horizontal|vertical|grouped|simple) )?(?:bar|column)[- ]?{_DRAWN}"),
    (AnswerForm.LINE, True, rf"(?:line|curve|time series)[- ]?{_DRAWN}"),
    (AnswerForm.SCATTER, True, rf"scatter[- ]?{_DRAWN}|scatterplot|point cloud"),
    (AnswerForm.HISTOGRAM, True, r"histogram"),
    (AnswerForm.CSV, True, r"csv[- ]?(?:file|format|table|export|download)|comma[- ]separated (?:values|file|text)"),
    (AnswerForm.XLSX, True, r"(?:excel|xlsx)[- ]?(?:file|sheet|spreadsheet|workbook|table|format|export|download)"),
    (AnswerForm.JSON, True, r"json[- ]?(?:file|format|document|export|download)"),
    (AnswerForm.PARQUET, True, r"parquet[- ]?(?:file|format|table|export|download)"),
    (AnswerForm.PIE, False, r"pie"),
    (AnswerForm.BAR, False, r"bars"),
    (AnswerForm.LINE, False, r"line|lines|curve"),
    (AnswerForm.CHART, False, _DRAWN),
    (AnswerForm.CSV, False, r"csv"),
    (AnswerForm.XLSX, False, r"excel|xlsx|spreadsheet|workbook"),
    (AnswerForm.JSON, False, r"json"),
    (AnswerForm.PARQUET, False, r"parquet"),
)
"""The names of forms, and whether a name can hardly be anything else. The first that fits counts."""
_TABLE: Final = r"(?:plain |simple )?table"
_FORM: Final = rf"(?P<article>an? |the )?(?P<form>{'|'.join(f'(?:{one})' for *_, one in _NAMED)}|{_TABLE})"
_ASKING: Final = (
    r"(?:(?:please|now|and|or|so|then|ok|okay|could you|can you|would you|will you|i want|i need|i'd like|i would like|"
    r"can i (?:have|get|see)|may i have|let me (?:have|see)|to)[ ,]+)*"
)
_DRAW: Final = r"(?:draw|plot|graph|chart|visuali[sz]e|sketch)"
_GIVE: Final = (
    r"(?:show|give|make|create|build|generate|display|produce|get|have|present|render|return|put|turn|see|want)"
)
_SAVE: Final = r"(?:export|download|save)"
_IT: Final = (
    r"(?:it|that|this|them|those|these|(?:the|these|those|that|this|all)(?: the)? (?:last )?(?:answer|result|results|"
    r"rows|data|numbers|figures))"
)
_WAY: Final = r"(?:as|in|into|with|using|in the form of|in form of)"
_PLAINLY: Final = ("as", "in", "into", "to")
"""What a form without an article stands behind: in CSV, but not with lines."""
_END: Final = r"(?:,? (?:please|instead|too|as well|now))*"
_TAIL: Final = re.compile(
    rf"(?P<rest>.+?)[,;:]?(?: (?:and )?(?:{_DRAW}|{_GIVE}|{_SAVE})(?: me)? {_IT})? (?P<way>{_WAY}|to) {_FORM}{_END}",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(
    rf"{_ASKING}(?P<verb>(?:{_DRAW}|{_GIVE}|{_SAVE})(?: me)? )?{_FORM} (?P<of>of|for|with|showing|that shows|about) "
    rf"(?P<rest>.+)",
    re.IGNORECASE,
)
_VERB: Final = re.compile(rf"{_ASKING}(?P<verb>{_DRAW}|{_SAVE})(?: me)? (?P<rest>.+)", re.IGNORECASE)
_ALONE: Final = re.compile(
    rf"{_ASKING}(?:(?:{_DRAW}|{_GIVE}|{_SAVE})(?: me)?(?: {_IT})? ?|{_IT} )?(?P<way>(?:{_WAY}|to) )?(?:{_IT} )?{_FORM}"
    rf"(?: (?:of|for) {_IT})?{_END}",
    re.IGNORECASE,
)
_IT_ALONE: Final = re.compile(rf"{_ASKING}(?P<verb>{_DRAW}|{_SAVE}) {_IT}{_END}", re.IGNORECASE)
_PLAIN: Final = re.compile(rf"{_ASKING}(?:without (?:a |the |any )?|no ){_DRAWN}s?{_END}", re.IGNORECASE)
_NO_COUNTED: Final = re.compile(r"(?:am|is|are|was|were|be|been|\w{2,}ed)$", re.IGNORECASE)
"""What a form behind it belongs to: how many files are stored as CSV."""
_NAMES: Final = tuple((form, is_certain, re.compile(one, re.IGNORECASE)) for form, is_certain, one in _NAMED)


def wish_of(message: str) -> FormWish | None:
    """Return the form that a message wishes; None when it says nothing of it."""
    if len(message) > LONGEST:
        return None
    whole = " ".join(message.split())
    said = whole.rstrip(" .!?")
    end = "?" if "?" in whole[len(said) :] else ""
    if _PLAIN.fullmatch(said):
        return FormWish(AnswerForm.TABLE)
    if (found := _ALONE.fullmatch(said)) is not None:
        form, is_certain = _form(found["form"])
        is_bare_name = not found["way"] and said.casefold() == found["form"].casefold()
        if form is not AnswerForm.TABLE or found["way"]:
            return FormWish(form, None, found["form"], is_certain or not is_bare_name)
    if (found := _IT_ALONE.fullmatch(said)) is not None:
        return FormWish(_done(found["verb"]))
    wish = _at_the_end(said) or _at_the_beginning(said)
    return None if wish is None else replace(wish, rest=f"{wish.rest}{end}")


def _at_the_end(said: str) -> FormWish | None:
    found = _TAIL.fullmatch(said)
    if found is None:
        return None
    form, is_certain = _form(found["form"])
    way, article = found["way"].casefold(), (found["article"] or "").strip().casefold()
    rest, verb = _without_verb(found["rest"])
    if (way == "to" and (verb is None or not form.is_file)) or (form is AnswerForm.TABLE and way != "as"):
        return None
    if _NO_COUNTED.search(found["rest"]) or (not is_certain and (article == "the" or not (article or way in _PLAINLY))):
        return None
    return FormWish(form, rest, found["form"], is_certain and way == "as")


def _at_the_beginning(said: str) -> FormWish | None:
    found = _HEAD.fullmatch(said)
    if found is not None:
        form, is_certain = _form(found["form"])
        article = (found["article"] or "").strip().casefold()
        if form is not AnswerForm.TABLE and (is_certain or found["verb"]) and not (article == "the" and not is_certain):
            return FormWish(form, f"Show {found['rest']}", found["form"], is_certain)
    rest, verb = _without_verb(said)
    return None if verb is None else FormWish(_done(verb), rest, verb, is_certain=False)


def _without_verb(said: str) -> tuple[str, str | None]:
    """Return what is to be drawn or saved, as what is to be shown; and the verb, where there is one."""
    found = _VERB.fullmatch(said)
    return (said, None) if found is None else (f"Show {found['rest']}", found["verb"])


def _done(verb: str) -> AnswerForm:
    return AnswerForm.FILE if re.fullmatch(_SAVE, verb, re.IGNORECASE) else AnswerForm.CHART


def _form(name: str) -> tuple[AnswerForm, bool]:
    """The form of a name, and whether the name can hardly be anything else."""
    for form, is_certain, pattern in _NAMES:
        if pattern.fullmatch(name):
            return form, is_certain
    return AnswerForm.TABLE, True
