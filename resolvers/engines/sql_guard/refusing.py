"""How the guard refuses."""

from itertools import islice


class Refused(Exception):
    """A query that may not be sent: the rule that refused it, and a sentence that says what to do."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(f"{reason} (rule: {rule})")
        self.rule, self.reason = rule, reason


def plain(text: str) -> str:
    """A text from the query as a message shows it: short, on one line, without control characters."""
    return "".join(islice((sign if sign.isprintable() else " " for sign in text), 200))
