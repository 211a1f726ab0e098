"""Defines how the guard refuses."""

import re
from itertools import islice
from typing import Final

_TOKEN: Final = re.compile(r"<Token token_type: [\w.]+, text: (.*?), line: \d+, col: \d+,[^>]*>")
_MISSING: Final = re.compile(r"Required keyword: '\w+' missing for <class '[\w.]*?(\w+)'>")


class QueryRefused(Exception):
    """A query that may not be sent: the rule that refused it, and a sentence that says what to do."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(f"{reason} (rule: {rule})")
        self.rule, self.reason = rule, reason


def plain(text: str) -> str:
    """A text from the query as a message shows it: short, on one line, without control characters."""
    return "".join(islice((sign if sign.isprintable() else " " for sign in text), 200))


def parser_words(told: str) -> str:
    """Return what the SQL parser says of a text, without the names of its own parts."""
    named = _TOKEN.sub(lambda found: f"“{found[1]}”", told)
    return _MISSING.sub(lambda found: f"{found[1].upper()} lacks what belongs to it", named)


def function_name(told: str) -> str:
    """The name of a function as people write it: JSON_AGG of the parser's J_S_O_N_AGG."""
    return re.sub(r"(?<![A-Z0-9])([A-Z])_(?=[A-Z](?:_|$))", r"\1", told)
