"""Words that deny a deed: `unpaid bills` are bills that are not paid, where a column tells whether they were."""

from typing import Final

from resolvers.engines.nl2sql.language.words import PREPOSITIONS
from resolvers.engines.nl2sql.mention import Linked, MentionKind

_UN: Final = "un"
_DENYING: Final = ("in", "im", "ir", "il", "non", "dis")
"""Beginnings that deny what an adjective says: inactive, non-resident."""
_LEAST: Final = 5
"""Letters of what is denied, at least: `under`, `union` and `unit` deny nothing."""
_BETWEEN: Final = 3
"""Tokens up to the rows that such a word is said of: `unpaid second class tickets`."""
_KNOWN: Final = 0.75
"""How well a word must fit something of the data to stand for it."""
_TOLD: Final = (MentionKind.COLUMN, MentionKind.VALUE, MentionKind.TABLE)


def written_apart(linked: Linked) -> str | None:
    """The question with such a word written as `not` and the deed; None where it has none, or the data knows it."""
    tokens = linked.tokens
    for at, token in enumerate(tokens):
        low = token.text.lower()
        done = low.removeprefix(_UN).removeprefix("-")
        plain = done.endswith(("ed", "id", "en", "wn", "ld", "able"))
        if done == low and (prefix := next((one for one in _DENYING if low.startswith(one)), "")):
            done, plain = low.removeprefix(prefix).removeprefix("-"), True
        if token.quoted or done == low or len(done) < _LEAST - 1 or not plain:
            continue
        if any(one.first <= at < one.last and one.score >= _KNOWN for one in linked.mentions):
            continue
        rows = [one for one in linked.mentions if one.kind is MentionKind.TABLE and one.score >= _KNOWN]
        behind = {one.first: one.last for one in sorted(rows) if at < one.first <= at + _BETWEEN}
        first, text = min(behind, default=0), linked.text
        if not behind or any(word in PREPOSITIONS for word in linked.words(at + 1, first)):
            return f"{text[: token.start]}not {done}{text[token.end :]}"
        last = tokens[behind[first] - 1]
        named = text[tokens[at + 1].start : last.end]
        return f"{text[: token.start]}{named} that are not {done}{text[last.end :]}"
    return None


def is_told(linked: Linked) -> bool:
    """Return whether the data knows the deed that is denied."""
    at = next((at for at, token in enumerate(linked.tokens) if token.lemma == "not"), len(linked.tokens))
    found = (one for one in linked.mentions if one.first == at + 1 and one.kind in _TOLD)
    return any(one.score >= _KNOWN for one in found)
