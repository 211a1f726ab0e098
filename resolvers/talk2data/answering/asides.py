"""Defines which messages are about the data as such, or about the last answer: what they ask is told without a query.

Only what is said in full is recognized, so that no question to the data is taken for one about it; what names a table
or a column counts once the catalog has one of that name (`catalog_answers.py`).
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LONGEST_ASIDE: Final = 200


class Topic(StrEnum):
    """What an aside is about."""

    GREETING = "greeting"
    THANKS = "thanks"
    HELP = "help"
    TABLES = "tables"
    TABLE = "table"
    QUALITY = "quality"
    MEANING = "meaning"
    SQL = "sql"
    EXPLANATION = "explanation"


OF_THE_ANSWER: Final = (Topic.SQL, Topic.EXPLANATION)
"""What is about the last answer rather than about the data."""


@dataclass(frozen=True, slots=True)
class Aside:
    """What a message asks beside the data."""

    topic: Topic
    subject: str | None = None
    """The name that it asks about; None for all of the data."""
    is_certain: bool = True
    """Whether it can mean nothing else; otherwise it counts only when the catalog knows the name."""


_ALL: Final = re.compile(
    r"(?:the|this|that|my|our|your|all|all the|all of the|all this)? ?(?:data|database|catalog|it all)",
    re.IGNORECASE,
)
_IT: Final = r"(?:it|that|this|(?:the|your|that|this|the last) (?:answer|result|number|figure))"
_ASIDES: Final[tuple[tuple[Topic, bool, re.Pattern[str]], ...]] = tuple(
    (topic, is_certain, re.compile(pattern, re.IGNORECASE))
    for topic, is_certain, pattern in (
        (
            Topic.GREETING, True,
            r"(?:hi|hello|hey|hallo|greetings|good (?:morning|afternoon|evening|day))"
            r"(?: (?:there|all|everybody|stoa))?",
        ),
        (
            Topic.THANKS, True,
            r"(?:(?:ok|okay|great|perfect)[ ,]+)?(?:thanks|thank you|thx)(?: (?:very much|a lot|so much))?",
        ),
        (
            Topic.HELP, True,
            r"(?:help|help me|how (?:does|do) (?:this|it|you|i use (?:this|it)) ?(?:work)?|what (?:are you|is this)|"
            r"who are you|what (?:can|could|may|should|do) i (?:ask|do)(?: you)?(?: here| now)?(?: about)?|"
            r"what can you (?:do|answer|tell me)|"
            r"what (?:kind of |sort of )?questions (?:can|may|could) i ask(?: you)?(?: here)?|what do you know|"
            r"(?:(?:give|show) me |some )*(?:an |some )?examples?(?: questions?)?|what else can i ask)",
        ),
        (
            Topic.HELP, False,
            r"what (?:can|could|may) i ask(?: you)? (?:about|of) (?P<of>.+)|what can you tell me about (?P<too>.+)",
        ),
        (
            Topic.TABLES, True,
            r"(?:what|which) (?:tables|data|datasets|data sets) (?:(?:are|is) (?:there|available|here|known)|exists?|"
            r"(?:do|can|may) (?:you|we|i) (?:have|know|see|use|ask|query)(?: about)?|"
            r"(?:are|is) (?:there )?in (?:here|(?:the|this) (?:data|database|catalog|schema)))(?: here)?|"
            r"(?:(?:list|show|name)(?: me)? )?(?:all )?(?:of )?(?:the )?(?:available )?tables|"
            r"what(?:'s| is) in (?:here|(?:the|this) (?:data|database|catalog))",
        ),
        (
            Topic.TABLE, False,
            r"(?:what|which) (?:columns|fields|attributes) (?:does|do) (?P<of>.+?) have|"
            r"(?:(?:what|which)(?: are the)?|list|show|show me|name) ?(?:all )?(?:the )?(?:columns|fields|attributes) "
            r"(?:(?:are|is) )?(?:there )?(?:of|in) (?P<too>.+)|(?:columns|fields) (?:of|in) (?P<also>.+)|"
            r"describe (?P<all>.+)|what(?:'s| is) in (?P<within>.+? table)",
        ),
        (
            Topic.QUALITY, False,
            r"how (?:good|reliable|trustworthy|clean|complete|bad) (?:is|are) (?P<of>.+)|"
            r"(?:(?:what|how)(?:'s| is| are) )?(?:the )?(?:data )?quality(?: score)? (?:of|for|in) (?P<too>.+)|"
            r"(?:can|may|should) (?:i|we) (?:trust|rely on) (?P<also>.+)",
        ),
        (
            Topic.EXPLANATION, True,
            rf"explain(?: {_IT})?|explain (?:to )?me {_IT}|what does {_IT} mean|what did you (?:do|understand)|"
            rf"how did you (?:get|compute|calculate|find|come to|arrive at|work out) {_IT}|where does {_IT} come from|"
            rf"how (?:is|was) {_IT} (?:calculated|computed|made|found)|how come|why(?: not| {_IT})?",
        ),
        (
            Topic.SQL, True,
            r"(?:(?:show|give|tell|print)(?: me)? |what(?:'s| is| was) |and )?(?:the |its |your |that )?(?:sql|query)"
            rf"(?: (?:of|for|behind|to) {_IT}| query| statement| code| you (?:used|ran)| used)?|(?:as|in) sql",
        ),
        (
            Topic.MEANING, True,
            r"what (?:does|do) (?:the )?(?:(?:column|field|table|term|word|name) )?(?P<of>.+?) (?:mean|stand for)|"
            r"what is (?:meant by|the meaning of|the definition of) (?P<too>.+)|(?:meaning|definition) of (?P<also>.+)|"
            r"what is the (?:column|field|term) (?P<all>.+)|what is the (?P<within>.+?) (?:column|field|table)",
        ),
        (Topic.MEANING, False, r"(?:explain|define) (?P<of>.+)"),
    )
)  # fmt: skip
_AROUND: Final = re.compile(
    r"^(?:(?:please|so|and|well|ok|okay|could you|can you|would you)[ ,]+)+|[ ,]+please$", re.IGNORECASE
)
_KIND: Final = re.compile(r" (?:table|column|field|data)$", re.IGNORECASE)
_CURLED: Final = dict.fromkeys(map(ord, "\u2018\u2019"), "'")
_QUOTES: Final = "`'\"“”«»"


def aside_of(text: str) -> Aside | None:
    """Return what a message asks beside the data; None for a question to the data."""
    if len(text) > LONGEST_ASIDE:
        return None
    said = " ".join(text.translate(_CURLED).split()).strip(" .!?,;:")
    said = _AROUND.sub("", said).strip()
    for topic, is_certain, pattern in _ASIDES:
        if (found := pattern.fullmatch(said)) is not None:
            subject = next((one for one in found.groupdict().values() if one), None)
            if subject is not None and _ALL.fullmatch(subject):
                return Aside(Topic.HELP if topic is Topic.TABLE else topic)
            return Aside(topic, _named(subject), is_certain)
    return None


def _named(said: str | None) -> str | None:
    """The name itself: `the payment table`, or what stands in quotes."""
    if said is None:
        return None
    bare = said.strip(f" {_QUOTES}")
    bare = re.sub(r"^(?:the|a|an|our|my) ", "", bare, flags=re.IGNORECASE)
    bare = _KIND.sub("", bare)
    return bare.strip(f" {_QUOTES}") or said
