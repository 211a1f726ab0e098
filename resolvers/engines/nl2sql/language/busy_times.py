"""Questions for the time at which most happened: the busiest month, the quietest hour."""

import re
from dataclasses import dataclass
from typing import Final

_UNIT: Final = (
    r"(?P<unit>(?:hour|day|time|week|month|quarter|year|decade|weekday)(?: of (?:the )?(?:day|week|month|year))?)"
)
_BUSY: Final = r"(?P<busy>busiest|quietest|slowest)"
_VERB: Final = r"(?:is|was|are|were|do|did|has|have)"
_WHOSE: Final = r"(?:(?:the|our|your|their|its|we|they|it) )*"
_REST: Final = (
    r"(?: (?:for|in terms of|by (?:number|count) of) (?P<what>.+?))?"
    r"(?P<when>,? (?:in|during|of|since|before|after) .+)?"
)
_ASKED: Final = (
    re.compile(rf"^\W*(?:what|which)(?:'s| {_VERB}) {_WHOSE}{_BUSY} {_UNIT}{_REST}[\s?.!]*$", re.IGNORECASE),
    re.compile(rf"^\W*(?:in |on |at )?(?:what|which) {_UNIT} {_VERB} {_WHOSE}{_BUSY}{_REST}[\s?.!]*$", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True)
class BusyTime:
    """A question for the time at which most or least happened."""

    word: str
    unit: str
    when: str
    what: str | None
    """What happened; None where that is left to the data."""

    def counting(self, rows: str) -> str:
        """Return the question as one for the number of rows."""
        return f"Which {self.unit} had the {self.degree} {rows}{self.when}?"

    @property
    def degree(self) -> str:
        """Return how the number is compared."""
        return "most" if self.word == "busiest" else "fewest"


def busy_time(text: str) -> BusyTime | None:
    """The time that a question asks for by how busy it was; None for any other question."""
    found = next(filter(None, (pattern.match(text) for pattern in _ASKED)), None)
    if found is None:
        return None
    unit = "hour" if found["unit"].lower() == "time of day" else found["unit"]
    return BusyTime(found["busy"].lower(), unit, found["when"] or "", found["what"])
