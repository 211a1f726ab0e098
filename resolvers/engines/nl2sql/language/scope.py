"""What a question says of how far it reaches: whatever their status, with those that have none, in a single order."""

import re
from collections.abc import Callable
from typing import Final

_WHATEVER: Final = re.compile(
    r",?\s*\b(?:whatever|regardless of|irrespective of|no matter(?: what| which)?|independent(?:ly)? of)"
    r" (?:(?:their|its|the|his|her) )?[\w-]+(?: [\w-]+)?(?=\s*[,?.!;)]|\s*$)",
    re.IGNORECASE,
)
"""What says that something chooses none of the rows."""
_NONE_LATER: Final = re.compile(
    r"\b(but|and) none (?=(?:in|after|before|since|during|from|at|of those)\b)", re.IGNORECASE
)
"""`Orders in 1996 but none in 1998`."""
_OF_ANY: Final = re.compile(
    r"(\b(?:(?:never|not|without)\b|n't\b)(?:(?: [\w-]+){0,3} (?:an?|any))|\bno) ([a-z][\w-]+)"
    r" (?:in|at|with|for|by|of|to|from) any [a-z][\w-]+(?=\s*[?.!]|\s*$)",
    re.IGNORECASE,
)
"""`Never had a membership in any club`, which says no less without the club."""
_NONE_TOO: Final = re.compile(
    r"(?:\s*[,;(.?]\s*|\s+)(?:(?:please|and|also) )*(?:includ(?:e|ing)|even|show(?:ing)? also|keep(?:ing)?) "
    r"(?:(?:also|the|all|those|for) )*(?:[\w-]+ ){0,2}?"
    r"(?:with|that have|who have|which have|having|for which there (?:is|are)) (?:none|zero|no [\w-]+|not any|0)"
    r"(?: [\w-]+)?(?: as well| too| at all)?\)?(?=\s*[.?!]|\s*$)",
    re.IGNORECASE,
)
"""`Including customers with none`, which asks for groups of nothing as well."""
_ZERO_TOO: Final = re.compile(
    r"\s*[,;(]\s*(?:with )?(?:zero(?:e?s)?|0|none) "
    r"(?:too|included|as well|(?:if|for|where) [^,.?!]*\bnone)\)?(?=\s*[.?!]|\s*$)",
    re.IGNORECASE,
)
_SINGLE: Final = re.compile(r"\b(in|within|on|during|at) (?:an?y? single|one single|just one) (?=[a-z])", re.IGNORECASE)
"""`In a single season`, which says that rows are not added up over several."""
_PAID: Final = re.compile(
    r"(?<!from )(?<!from the )(?<!to )(?<!to the )\b(best|highest|top|lowest|worst|poorest|least)[ -]paid\b"
    r"(?! (?:by|to|for|in|on|at|with)\b)",
    re.IGNORECASE,
)
"""`The highest paid player`, who earns the most, and is not high."""
_OUTSTANDING: Final = re.compile(r"\boutstanding (?=[a-z]{3,}s\b)", re.IGNORECASE)
"""What is still to be paid."""
_LOW: Final = ("lowest", "worst", "poorest", "least")
_BOTH_TIMES: Final = re.compile(
    r"^\s*(?:did|do|does|is|are|was|were|has|have|had)\b[^?]*?\b(?:in|for|during) (?P<one>[\w/ -]*?\d[\w/-]*)"
    r" than (?:(?:in|for|during) )?(?P<other>[\w/ -]*?\d[\w/-]*)\s*\?\s*"
    r"(?P<ask>(?:show|give|list|what|how)\b[^?.!]*?),? (?:for|in|of) (?:both|each|the two|either)(?: of)?(?: the)?"
    r" (?P<unit>year|season|month|quarter)s?\s*[?.!]*$",
    re.IGNORECASE,
)
"""Whether something was more at one time than at another, and then how much it was at both."""
_GOING_BY: Final = re.compile(
    r"(?P<of>[^,]*?\b)(?P<span>(?:in|during|for|of) (?:[a-z]+ )?(?:the year )?\d{4})(?P<rest>[^,]*?),?\s+"
    r"(?:going by|judging by|judged by|based on|according to|counted by|as of)"
    r" (?:the |their |its )?(?P<time>(?:[\w]+ ){0,2}(?:date|day|time))(?=\s*[?.!]|\s*$)",
    re.IGNORECASE,
)
"""`In each month of 2024, going by ship date`: of which of its times a row is dated by."""


def widely(
    text: str,
    *,
    is_held: Callable[[str], bool] = lambda word: False,
    is_word: Callable[[str], bool] = lambda word: False,
) -> str:
    """The question with such words put as those that are read for them; `is_held` tells what is a value of the data,
    and `is_word` what something there is called by.
    """
    text = _BOTH_TIMES.sub(r"\g<ask> for each \g<unit> in \g<one> and \g<other>", text)
    text = text if is_held("outstanding") or is_word("outstanding") else _OUTSTANDING.sub("unpaid ", text)
    text = _PAID.sub(lambda found: f"{'least' if found[1].lower() in _LOW else 'most'} remunerated", text)
    text = _NONE_LATER.sub(r"\1 not ", _WHATEVER.sub("", text))
    text = _ZERO_TOO.sub(" including those with none", _NONE_TOO.sub(" including those with none", text))
    text = text if is_held("single") else _SINGLE.sub(r"\1 a ", text)
    return _GOING_BY.sub(_dated_by, _OF_ANY.sub(r"\1 \2", text))


def _dated_by(found: re.Match[str]) -> str:
    span = re.sub(r"^(?:for|during|of) ", "in ", found["span"], flags=re.IGNORECASE)
    return f"{found['of']}with {found['time']} {span}{found['rest']}"
