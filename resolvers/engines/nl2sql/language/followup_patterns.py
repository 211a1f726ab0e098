"""Defines how people go on asking: the patterns of fragments that lean on an earlier question."""
# ruff: noqa: E501 - patterns are read best in one piece

import re
from typing import Final

from resolvers.engines.nl2sql.plan import Aggregate, Operator, Unit

LEAD: Final = re.compile(r"^\s*(?:(?:and|but|or|so|now|then|ok|okay|please|well|also|again)\b[\s,]*)+", re.IGNORECASE)
ABOUT: Final = re.compile(
    r"^(?:what about|how about|(?:and |do )?(?:the )?same (?:thing )?(?:but )?(?:for|with|in)|instead(?: of that)?|"
    r"(?:show |do |give )?(?:me )?(?:that|this|it) (?:for|in|with)|now (?:for|in|with)|for|in|from|of|with|on|at|during)\b\s*",
    re.IGNORECASE,
)
GOES_ON: Final = re.compile(
    r"^(?:what about|how about|(?:the )?same (?:thing )?(?:but )?(?:for|with|in)|do (?:the same|that) for|now (?:for|in|with))\b",
    re.IGNORECASE,
)
"""What nothing but a further question begins with."""
WITHIN: Final = re.compile(
    r"\b(?:what|which|who|show|list|find|give|count|is|are|was|were|does|do|did)\b", re.IGNORECASE
)
"""Words of whole sentences."""
ASKS: Final = re.compile(
    r"^(?:what|which|who|whom|whose|when|where|how|why|show|list|find|give|get|tell|return|display|count|name|compute|"
    r"calculate|is|are|was|were|do|does|did|has|have|can|could|i want|i need|let me)\b",
    re.IGNORECASE,
)
PRONOUN: Final = re.compile(
    r"\b(?:of (?:them|those|these)|them|those(?: ones)?|these(?: ones)?|they|the ones|the others|their|theirs)\b",
    re.IGNORECASE,
)
SINGLE: Final = re.compile(r"\b(?:it|its|he|she|his|her|him|this one|that one)\b", re.IGNORECASE)
SUBJECT: Final = re.compile(r"\b(?:do|does|did) (?:they|it|he|she|those|these)\b", re.IGNORECASE)
"""`How many tracks do they have?`: the pronoun is asked about, whatever is named before it."""
BESIDE: Final = re.compile(r"\s*\b(?:too|as well|also|in addition|instead|please|again)\b", re.IGNORECASE)
ALSO: Final = re.compile(r"\b(?:too|as well|also|in addition|and also|add|include)\b", re.IGNORECASE)

WORDS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "fifty": 50, "hundred": 100,
}  # fmt: skip
NUMBERS: Final = r"\d{1,4}|" + "|".join(WORDS)
TOP: Final = re.compile(
    rf"^(?:(?:show|give|list|keep|take|display)\s+)?(?:me\s+)?(?:only|just)?\s*(?:me\s+)?(?:the\s+)?"
    rf"(?:(?P<side>top|first|best|bottom|last|worst|highest|largest|biggest|lowest|smallest|fewest|least)\s*"
    rf"(?P<many>{NUMBERS})?|(?P<many2>{NUMBERS})\s+(?P<side2>best|worst|highest|largest|biggest|lowest|smallest))"
    rf"\s*(?:ones?|of (?:them|those|these)|results?|rows?)?(?:\s+(?:by|in)\s+(?P<by>.+))?$",
    re.IGNORECASE,
)
MOST: Final = re.compile(
    rf"^(?:only |just )?(?:the )?(?P<many>{NUMBERS})?\s*(?:one|ones|those)?\s*(?:with|that have|having) the "
    r"(?P<side>most|highest|largest|greatest|fewest|least|lowest|smallest)$",
    re.IGNORECASE,
)
LOW: Final = ("bottom", "last", "worst", "lowest", "smallest", "fewest", "least")
SORT: Final = re.compile(
    r"^(?:(?:can you |could you )?(?:sort|order|rank|arrange)(?:ed)?)\s*(?:them|it|those|these|that|the results?|the list)?"
    r"\s*(?:(?:in )?(?P<way1>ascending|descending|alphabetical|reverse)(?:ly)?(?: order)?)?\s*(?:(?:by|on|according to)\s+(?P<by>.+?))?"
    r"\s*(?:,?\s*(?:in )?(?P<way2>ascending|descending|alphabetical|reverse(?:d)?|highest first|lowest first|newest first|"
    r"oldest first|asc|desc)(?:ly)?(?: order)?)?$",
    re.IGNORECASE,
)
REVERSE: Final = re.compile(
    r"^(?:in )?(?:the )?(?:reverse(?:d)?(?: order)?|other way (?:a?round)|descending(?: order)?|ascending(?: order)?)$",
    re.IGNORECASE,
)
GROUP: Final = re.compile(
    r"^(?:show (?:it|them|this|that) )?(?:(?:and )?(?:by|per|for each|for every|grouped by|group (?:it|them|that) by|broken down by|"
    r"break (?:it|them|that) down by|split(?: it)? by|in each|within each))\s+(?P<by>.+)$",
    re.IGNORECASE,
)
AGGREGATES: Final = {
    "average": Aggregate.AVG, "mean": Aggregate.AVG, "avg": Aggregate.AVG, "total": Aggregate.SUM, "sum": Aggregate.SUM,
    "maximum": Aggregate.MAX, "max": Aggregate.MAX, "highest": Aggregate.MAX, "largest": Aggregate.MAX,
    "median": Aggregate.MEDIAN, "minimum": Aggregate.MIN, "min": Aggregate.MIN, "lowest": Aggregate.MIN, "smallest": Aggregate.MIN,
}  # fmt: skip
FIGURE: Final = re.compile(
    rf"^(?:what (?:is|are|was|were) )?(?:the |their |its )?(?P<figure>{'|'.join(AGGREGATES)})(?:\s+(?P<of>.+))?$",
    re.IGNORECASE,
)
COUNT: Final = re.compile(
    r"^(?:(?:and )?how many(?: (?:are|is|were))?(?: (?:there|they|these|those|that|it|them|of them))?(?: in total| altogether)?|count (?:them|those|these)|"
    r"(?:what is )?(?:their|the) (?:number|count)|how many (?:is|are) (?:that|this|they))$",
    re.IGNORECASE,
)
EXCLUDE: Final = re.compile(
    r"^(?:exclude|excluding|without|except(?: for)?|leave out|leaving out|ignore|ignoring|remove|drop|other than|not|"
    r"but not|no)\s+(?:those |the ones |all )?(?:from |in |of |with |for )?(?P<what>.+)$",
    re.IGNORECASE,
)
SHOW: Final = re.compile(
    r"^(?:(?:can you |could you )?(?:show|list|give|add|include|display|return|get|tell|name|what (?:is|are|were)|with))\s+"
    r"(?:me\s+)?(?:also\s+)?(?P<only>only |just )?(?P<what>(?:their|its|his|her|the|all|also)?\s*.+)$",
    re.IGNORECASE,
)
ONLY: Final = re.compile(
    r"^(?:(?:show|give|list|keep)\s+)?(?:me\s+)?(?:only|just)\s+(?:the\s+)?(?:(?:those|ones|them)\s+)?(?P<what>.+)$",
    re.IGNORECASE,
)
NARROW: Final = re.compile(
    r"^(?:that|who|which|whose|where|with|without|having|in|from|for|of|since|before|after|until|between|over|under|above|"
    r"below|more|less|older|younger|during|on|at|not|by|made|born|cheaper|larger|smaller|bigger|longer|shorter)\b",
    re.IGNORECASE,
)
UNITS: Final = {
    "year": Unit.YEAR, "years": Unit.YEAR, "quarter": Unit.QUARTER, "quarters": Unit.QUARTER, "month": Unit.MONTH,
    "months": Unit.MONTH, "week": Unit.WEEK, "weeks": Unit.WEEK, "day": Unit.DAY, "days": Unit.DAY,
    "decade": Unit.DECADE, "decades": Unit.DECADE, "hour": Unit.HOUR, "hours": Unit.HOUR, "hourly": Unit.HOUR,
    "yearly": Unit.YEAR, "monthly": Unit.MONTH, "weekly": Unit.WEEK, "daily": Unit.DAY, "quarterly": Unit.QUARTER,
}  # fmt: skip

BEST: Final = re.compile(
    rf"^(?:show |give |keep )?(?:me )?(?:only |just )?the (?:(?P<many>{NUMBERS}) )?(?P<how>\w+est|(?:most|least) \w+)(?: (?P<many2>{NUMBERS}))?"
    r"(?: ones?| of (?:them|those|these))?$",
    re.IGNORECASE,
)
"""Only the cheapest one: of the rows before."""
PERCENT: Final = re.compile(
    r"^(?:(?:show|give|express|display|tell)\s+)?(?:me\s+)?(?:it|them|this|that|these|those)?\s*(?:as|in)\s+(?:an?\s+|the\s+)?"
    r"(?:percent|percentages?|per cent|%|shares?|proportions?)(?: of (?:the |its )?(?:total|whole|sum|all))?(?: instead)?$",
    re.IGNORECASE,
)
"""As a percentage: the same figures, as parts of their sum."""
MANY: Final = re.compile(
    rf"^(?:(?:which|who)(?: ones?)?(?: of (?:them|those|these))?\s+)?"
    rf"(?:with|having|that have|that are|of|have|has|had|are|is|were|was|got)?\s*(?P<sign>more than|over|above|less than|fewer than|under|below|at least|at most|exactly)"
    rf"\s+(?P<many>\d+(?:\.\d+)?|{'|'.join(WORDS)})$",
    re.IGNORECASE,
)
SIGNS: Final = {
    "more than": Operator.MORE, "over": Operator.MORE, "above": Operator.MORE, "less than": Operator.LESS,
    "fewer than": Operator.LESS, "under": Operator.LESS, "below": Operator.LESS, "at least": Operator.AT_LEAST,
    "at most": Operator.AT_MOST, "exactly": Operator.EQUAL,
}  # fmt: skip

FIRST: Final = re.compile(
    r"^(?:with )?(?:the )?(?:(?P<word>\w+est|most|least)(?: ones?)? first|(?P<alpha>(?:in )?alphabetical(?:ly)?(?: order)?))$",
    re.IGNORECASE,
)
"""Heaviest first: the same rows in another order."""
DROP: Final = re.compile(
    r"^(?:(?:drop|remove|forget|ignore|undo|clear|lift|skip|leave out|take away|without|leave)\s+)"
    r"(?:that|the|this|last|those|these|all|any|\s)*(?:filter|condition|restriction|criterion)(?:\s+(?:again|out|away))?$",
    re.IGNORECASE,
)
EVERY: Final = re.compile(
    r"^(?:(?:show|list|give|display)\s+)?(?:me\s+)?(?:all of (?:them|those|these)|them all|all again)(?:\s+again)?$|"
    r"^(?:drop|remove|forget|clear|without)\s+(?:all|the|any|\s)*(?:filters|conditions|restrictions)$",
    re.IGNORECASE,
)
INCLUDE: Final = re.compile(
    r"^(?:include|add|take in|count in|(?:widen|extend)(?: (?:it|that|this))? to)\s+(?:also\s+)?(?P<what>.+?)"
    r"(?:\s+(?:as well|too|also))?$",
    re.IGNORECASE,
)
WIDEN: Final = re.compile(r"\b(?:as well|too)$", re.IGNORECASE)
THAT: Final = re.compile(
    r"^(?:who|whose|which|what)(?: \w+){0,3}? (?:it|that|this)(?: much| many| one)?$",
    re.IGNORECASE,
)
"""Who earns that: of a value that was the answer."""
ROW: Final = re.compile(
    r"\bthe (?P<which>first|second|third|fourth|fifth|last)(?: one| of (?:them|those|these))\b", re.IGNORECASE
)
TOLD: Final = re.compile(
    r"^(?:(?P<wh>when|where|since when) (?:was|were|did|do|does|is|are|has|have) (?:they|it|he|she|those|these)"
    r"(?: (?:been )?(?P<verb>\w+))?|(?P<bare>since when|since)|(?:what|how) about (?:their|its|his|her) (?P<owned>.+))$",
    re.IGNORECASE,
)
"""When were they founded: what a column tells that was not shown."""
TELLS: Final = re.compile(r"^(?:when|where|since when|how (?!many\b)\w+)\b", re.IGNORECASE)
"""What names alone do not answer."""
PART: Final = re.compile(
    r"^how (?:many|much) of (?:them|it|those|these|that) (?P<what>(?:is|are|was|were|has|have|had|do|does|did|got)\b.+)$",
    re.IGNORECASE,
)
