"""How long things take on average, put as a figure: `How many days does it take on average from A to B`."""

import re
from typing import Final

_UNIT: Final = r"(?P<unit>days?|hours?|minutes?|seconds?|weeks?|months?|years?)"
_ON_AVERAGE: Final = re.compile(
    r",? (?:on average|on the average|in general|as a rule|usually|typically|normally)(?=[ ,?.!]|$)", re.IGNORECASE
)
_BEHIND: Final = re.compile(r"(?<=[\w)]),? in (days|hours|minutes|seconds|weeks)(?=\s*[?.!]|\s*$)", re.IGNORECASE)
_TAKES: Final = re.compile(
    rf"^\s*(?:and )?how (?:many {_UNIT}|long) (?:does|do|did|has|have|will) (?P<what>.+?) (?:take|last|taken|lasted)\b"
    r"(?P<rest>[^?.!]*)",
    re.IGNORECASE,
)
_PASS: Final = re.compile(
    rf"^\s*(?:and )?how (?:many {_UNIT}|much time) (?:(?:do|does|did) )?(?:(?:pass|elapse|lie)(?:s|d|es|ed)?"
    r"|(?:are|is|were|was)(?: there)?|go by|went by)(?P<rest> (?:from|between) [^?.!]*)",
    re.IGNORECASE,
)
_FROM: Final = re.compile(r"^,? (?:from|between) .+ (?:to|until|till|and) ", re.IGNORECASE)
_AVERAGE: Final = re.compile(r"^(?:an?|the) (?:average|mean|typical) ", re.IGNORECASE)


def as_duration(text: str) -> str:
    """A question for how long something takes on average as one for its average duration, or the time between two days.

    The unit stands behind, without a comma: `the average duration of a stay in days`.
    """
    said = _ON_AVERAGE.sub("", text)
    averaged = said != text
    behind = _BEHIND.search(said)
    bare = said[: behind.start()] + said[behind.end() :] if behind is not None else said
    found = _PASS.match(bare) or _TAKES.match(bare)
    if found is None:
        return _BEHIND.sub(r" in \1", text)
    told = found.groupdict("")
    what, unit, rest = told.get("what", "it"), told["unit"] or (behind[1] if behind is not None else ""), told["rest"]
    if (of_one := _AVERAGE.sub("the ", what)) != what:
        averaged, what = True, of_one
    if not averaged:
        return _BEHIND.sub(r" in \1", text)
    if _FROM.match(rest):
        return f"What is the average {_plural(unit) or 'time'}{rest}{bare[found.end() :]}"
    if what.lower() == "it":
        return text
    unit = f" in {_plural(unit)}" if unit else ""
    return f"What is the average duration of {what}{rest}{unit}{bare[found.end() :]}"


def _plural(unit: str) -> str:
    return f"{unit.removesuffix('s')}s" if unit else ""
